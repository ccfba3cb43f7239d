/* Instructions of RISC-V's scalar cryptography (Zkne, Zknd, Zbkb, Zbkc; 64 bits), a block in two
 * registers, and a round of AES. Instructions are written as numbers, so the assembler does not have
 * to know their names and functions need no special target. */
#ifndef RIJN_RISCV_ZKN_H
#define RIJN_RISCV_ZKN_H

#include <stdint.h>

#include "../backend.h"
#include "integers.h"

#include "../block.h"

#define ZKN_OF_TWO(name, funct3, funct7) \
    RIJN_INLINE uint64_t name(uint64_t x, uint64_t y) \
    { \
        uint64_t z; \
        __asm__(".insn r 0x33, " #funct3 ", " #funct7 ", %0, %1, %2" : "=r"(z) : "r"(x), "r"(y)); \
        return z; \
    }
#define ZKN_OF_ONE(name, funct3, immediate) \
    RIJN_INLINE uint64_t name(uint64_t x) \
    { \
        uint64_t z; \
        __asm__(".insn i 0x13, " #funct3 ", %0, %1, " #immediate : "=r"(z) : "r"(x)); \
        return z; \
    }

/* Half a round: the result for the half block x; y is the other half. ShiftRows, SubBytes and, except in
 * the last round, MixColumns; and their inverses. */
ZKN_OF_TWO(zkn_round, 0, 0x1b)              /* aes64esm */
ZKN_OF_TWO(zkn_last_round, 0, 0x19)         /* aes64es */
ZKN_OF_TWO(zkn_inverse_round, 0, 0x1f)      /* aes64dsm */
ZKN_OF_TWO(zkn_last_inverse_round, 0, 0x1d) /* aes64ds */
ZKN_OF_ONE(zkn_inverse_mix, 1, 0x300)       /* aes64im: InvMixColumns of half a block */
/* For the key schedule: SubWord of the upper word of x, in both words; and the words x1 ^ y0 and
 * x1 ^ y0 ^ y1. */
ZKN_OF_ONE(zkn_sub_word, 1, 0x31a) /* aes64ks1i without rotation and constant */
ZKN_OF_TWO(zkn_key_words, 0, 0x3f) /* aes64ks2 */
ZKN_OF_TWO(zkn_clmul, 1, 0x05)     /* the lower half of a carry-less product */
ZKN_OF_TWO(zkn_clmulh, 3, 0x05)    /* the upper one */
ZKN_OF_ONE(zkn_swap, 5, 0x6b8)     /* rev8: bytes in reverse order */

/* Computes a round and XORs `key` to the result. */
RIJN_INLINE block zkn_block_round(block x, block key)
{
    return (block){zkn_round(x.first, x.second) ^ key.first,
                   zkn_round(x.second, x.first) ^ key.second};
}

/* ---- Operations for carryless/ghash.h ---- */

RIJN_INLINE block clmul_low(block x, block y)
{
    return (block){zkn_clmul(x.first, y.first), zkn_clmulh(x.first, y.first)};
}

RIJN_INLINE block clmul_high(block x, block y)
{
    return (block){zkn_clmul(x.second, y.second), zkn_clmulh(x.second, y.second)};
}

RIJN_INLINE block half_load(const uint8_t *p)
{
    return (block){integer_load(p), 0};
}

RIJN_INLINE block swap_halves(block x)
{
    return (block){x.second, x.first};
}

RIJN_INLINE block half_up(block x)
{
    return (block){0, x.first};
}

RIJN_INLINE block half_down(block x)
{
    return (block){x.second, 0};
}

RIJN_INLINE block second_halves(block x, block y)
{
    return (block){x.second, y.second};
}

RIJN_INLINE block byte_reverse(block x)
{
    return (block){zkn_swap(x.second), zkn_swap(x.first)};
}

#endif
