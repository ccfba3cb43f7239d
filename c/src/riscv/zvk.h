/* AES and GHASH with RISC-V's vector cryptography (Zvkned, Zvkg), on blocks in memory. Instructions are
 * written as numbers (v1 as x1), for compilers that do not know them, so functions need no special
 * target. A vector register has at least 128 bits. A group of eight registers holds eight blocks. */
#ifndef RIJN_RISCV_ZVK_H
#define RIJN_RISCV_ZVK_H

#include <stddef.h>
#include <stdint.h>

#include "../backend.h"
#include "integers.h"

#include "../block.h"

/* Clobbered registers, for compilers that may use vector registers. gcc before 13 knows none of them,
 * clang before 17 does not know vl and vtype. */
#if defined(__riscv_vector) && (defined(__clang__) || __GNUC__ >= 13)
#define ZVK_VECTORS , "v1", "v2", "v3", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15"
#if !defined(__clang__) || __clang_major__ >= 17
#define ZVK_REGISTERS ZVK_VECTORS, "vl", "vtype"
#else
#define ZVK_REGISTERS ZVK_VECTORS
#endif
#else
#define ZVK_REGISTERS
#endif

/* Set the number of elements: a block as four words, a block as 16 bytes, or %[words] words in a group
 * of eight registers. */
#define ZVK_BLOCK ".insn i 0x57, 7, x0, x4, -816\n"
#define ZVK_BYTES ".insn i 0x57, 7, x0, x16, -832\n"
#define ZVK_GROUP ".insn i 0x57, 7, x0, %[words], 0xd3\n"

#define ZVK_LOAD(v, p) ".insn r 0x07, 6, 1, " v ", " p ", x0\n"
#define ZVK_STORE(v, p) ".insn r 0x27, 6, 1, " v ", " p ", x0\n"
#define ZVK_LOAD_BYTES(v, p) ".insn r 0x07, 0, 1, " v ", " p ", x0\n"
#define ZVK_STORE_BYTES(v, p) ".insn r 0x27, 0, 1, " v ", " p ", x0\n"

/* Rounds on every block of the group v8 with the round key in v1: vaesz.vs (first key), vaesem.vs and
 * vaesef.vs (last round), vaesdm.vs and vaesdf.vs. */
#define ZVK_OF_GROUP(which) ".insn r 0x77, 2, 0x53, x8, " which ", x1\n"
#define ZVK_FIRST_KEY ZVK_OF_GROUP("x7")
#define ZVK_ENCRYPT ZVK_OF_GROUP("x2")
#define ZVK_LAST_ENCRYPT ZVK_OF_GROUP("x3")
#define ZVK_DECRYPT ZVK_OF_GROUP("x0")
#define ZVK_LAST_DECRYPT ZVK_OF_GROUP("x1")

#define ZVK_KEY ZVK_BLOCK ZVK_LOAD("x1", "%[key]") ZVK_GROUP

/* Runs `rounds` rounds on b[0..n), n up to 8. The round keys at `key` are `step` bytes apart. */
#define ZVK_CIPHER(name, ROUND, LAST) \
    RIJN_INLINE void name(block *b, int n, const uint8_t *key, ptrdiff_t step, int rounds) \
    { \
        const ptrdiff_t words = 4 * (ptrdiff_t)n; \
        ptrdiff_t left = rounds - 1; \
        __asm__ volatile(ZVK_KEY ZVK_LOAD("x8", "%[b]") ZVK_FIRST_KEY \
                         "1:\n" \
                         "add %[key], %[key], %[step]\n" ZVK_KEY ROUND \
                         "addi %[left], %[left], -1\n" \
                         "bnez %[left], 1b\n" \
                         "add %[key], %[key], %[step]\n" ZVK_KEY LAST ZVK_STORE("x8", "%[b]") \
                         : [key] "+&r"(key), [left] "+&r"(left) \
                         : [b] "r"(b), [step] "r"(step), [words] "r"(words) \
                         : "memory" ZVK_REGISTERS); \
    }

ZVK_CIPHER(zvk_encrypt, ZVK_ENCRYPT, ZVK_LAST_ENCRYPT)
ZVK_CIPHER(zvk_decrypt, ZVK_DECRYPT, ZVK_LAST_DECRYPT)

/* Computes a round and XORs `key` to the result: vaesem.vv or vaesef.vv. */
#define ZVK_ROUND(name, which) \
    RIJN_INLINE block name(block x, block key) \
    { \
        __asm__(ZVK_BLOCK ZVK_LOAD("x1", "%[x]") \
                    ZVK_LOAD("x2", "%[key]") ".insn r 0x77, 2, 0x51, x1, " which \
                                             ", x2\n" ZVK_STORE("x1", "%[x]") \
                : "+m"(x) \
                : [x] "r"(&x), [key] "r"(&key), "m"(key) \
                : "memory" ZVK_REGISTERS); \
        return x; \
    }

ZVK_ROUND(zvk_round, "x2")
ZVK_ROUND(zvk_last_round, "x3")

/* y = (y XOR X) * H for each of the blocks X at p, at least one (vghsh.vv). */
RIJN_INLINE void zvk_hash(block *y, const uint8_t h[16], const uint8_t *p, size_t blocks)
{
    __asm__ volatile(ZVK_BYTES ZVK_LOAD_BYTES("x1", "%[y]") ZVK_LOAD_BYTES("x2", "%[h]") "1:\n" //
                     ZVK_BYTES ZVK_LOAD_BYTES("x3", "%[p]") ZVK_BLOCK
                     ".insn r 0x77, 2, 0x59, x1, x3, x2\n"
                     "addi %[p], %[p], 16\n"
                     "addi %[blocks], %[blocks], -1\n"
                     "bnez %[blocks], 1b\n" //
                     ZVK_BYTES ZVK_STORE_BYTES("x1", "%[y]")
                     : [p] "+&r"(p), [blocks] "+&r"(blocks)
                     : [y] "r"(y), [h] "r"(h)
                     : "memory" ZVK_REGISTERS);
}

#endif
