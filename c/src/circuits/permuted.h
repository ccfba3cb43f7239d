/* The rounds of AES in constant time on a register of blocks, with permutations of its bytes. For
 * machines without AES instructions that look up 16 bytes in 16 others at once (PSHUFB, TBL,
 * i8x16.swizzle). No address depends on the index. After Mike Hamburg, "Accelerating AES with vector
 * permute instructions", CHES 2009.
 *
 * Include after defining
 *
 *     word                      a vector of whole blocks (vector_size of gcc and clang)
 *     PERMUTED(name)            the names of the functions and types of that word
 *     permute(x, index)         byte i is byte index[i] of x, in the same block; 0 if index[i] has its
 *                               highest bit set
 *     every(bytes)              the 16 bytes at `bytes` in each block
 *
 * This file undefines them at its end. Its functions are those of x86/aes_rounds.h.
 *
 * The S-box: GF(2^8) is GF(2^4)[t] with t^2 + t + n = 0, and a byte x is k t + i. With j = i + k,
 * N = i j + n k^2 and a = 1/n:
 *
 *     1/x = (k/N) t + j/N
 *     u = 1/(1/i + a/k) + j = a N/(k + a i),     so 1/u = (k/N)/a + i/N
 *     v = 1/(1/j + a/k) + i = a N/(k + a j),     so 1/v = (k/N)/a + j/N
 *     1/u + 1/v = k/N
 *
 * So 1/x, and every linear function of it, is a linear function of 1/u plus a linear function of 1/v. Each is a table of 16 bytes. Infinity is a byte with the highest bit set. Its reciprocal is
 * looked up as 0, and adding a finite value leaves it infinite. The sum of two infinities would be 0,
 * but it only occurs for x = 0, where the next lookup gives infinity again. In the tables 0x80 is
 * 1/0. */
#ifndef RIJN_PERMUTED_H
#define RIJN_PERMUTED_H

#include "../backend.h"
#include "positions.h"

/* n = 8 with t = 0xa2, and 0x5c as root of z^4 + z + 1: found by trying, others would do as well.
 * tests/unit/test_circuits.c compares results of these tables with FIPS 197. */
static const uint8_t permuted_split[2][16] = {
    /* k << 4 | i of the lower and of the upper four bits of x */
    {0x00, 0x01, 0x20, 0x21, 0x46, 0x47, 0x66, 0x67, 0x4c, 0x4d, 0x6c, 0x6d, 0x0a, 0x0b, 0x2a,
     0x2b},
    {0x00, 0x3c, 0xd5, 0xe9, 0x34, 0x08, 0xe1, 0xdd, 0xe5, 0xd9, 0x30, 0x0c, 0xd1, 0xed, 0x04,
     0x38}};
static const uint8_t permuted_inverse_split[2][16] = {
    /* the same for the inverse of the affine map (FIPS 197 equation 5.2) of x */
    {0x47, 0x1f, 0xd8, 0x80, 0xdf, 0x87, 0x40, 0x18, 0x6f, 0x37, 0xf0, 0xa8, 0xf7, 0xaf, 0x68,
     0x30},
    {0x00, 0x76, 0x79, 0x0f, 0xf9, 0x8f, 0x80, 0xf6, 0x92, 0xe4, 0xeb, 0x9d, 0x6b, 0x1d, 0x12,
     0x64}};
static const uint8_t permuted_reciprocal[16] = {0x80, 0x01, 0x09, 0x0e, 0x0d, 0x0b, 0x07, 0x06,
                                                0x0f, 0x02, 0x0c, 0x05, 0x0a, 0x04, 0x03, 0x08};
static const uint8_t permuted_quotient[16] = {/* a/k */
                                              0x80, 0x0f, 0x0e, 0x05, 0x07, 0x03, 0x0b, 0x04,
                                              0x0a, 0x0d, 0x08, 0x06, 0x0c, 0x09, 0x02, 0x01};
/* The parts of u and of v in SubBytes (without its constant), in twice SubBytes, and in 1/x. */
static const uint8_t permuted_sub[2][16] = {{0x00, 0x64, 0x99, 0x12, 0xe5, 0x0a, 0x8b, 0xef, 0x76,
                                             0x93, 0x81, 0x18, 0x6e, 0x7c, 0xf7, 0xfd},
                                            {0x00, 0x7b, 0xb0, 0x3d, 0x67, 0x91, 0x8d, 0xf6, 0x46,
                                             0x21, 0x1c, 0xac, 0xea, 0xd7, 0x5a, 0xcb}};
static const uint8_t permuted_double[2][16] = {{0x00, 0xc8, 0x29, 0x24, 0xd1, 0x14, 0x0d, 0xc5,
                                                0xec, 0x3d, 0x19, 0x30, 0xdc, 0xf8, 0xf5, 0xe1},
                                               {0x00, 0xf6, 0x7b, 0x7a, 0xce, 0x39, 0x01, 0xf7,
                                                0x8c, 0x42, 0x38, 0x43, 0xcf, 0xb5, 0xb4, 0x8d}};
static const uint8_t permuted_inverse[2][16] = {{0x00, 0xf2, 0x99, 0x30, 0x9d, 0xc6, 0xa9, 0x5b,
                                                 0xc2, 0x5f, 0x6f, 0xf6, 0x34, 0x04, 0xad, 0x6b},
                                                {0x00, 0xf3, 0xc8, 0xdc, 0x2c, 0xcb, 0x14, 0xe7,
                                                 0x2f, 0x03, 0xdf, 0x17, 0x38, 0xe4, 0xf0, 0x3b}};

static const uint8_t permuted_constant[16] = {0x63, 0x63, 0x63, 0x63, 0x63, 0x63, 0x63, 0x63,
                                              0x63, 0x63, 0x63, 0x63, 0x63, 0x63, 0x63, 0x63};

#endif

typedef uint8_t PERMUTED(block_bytes) __attribute__((vector_size(sizeof(word))));
typedef int8_t PERMUTED(block_signs) __attribute__((vector_size(sizeof(word))));

/* Computes u and v of every byte, with the table `split` for k and i. */
RIJN_INLINE void PERMUTED(invert)(word *u, word *v, word x, const uint8_t split[2][16])
{
    const word y = permute(every(split[0]), (word)((PERMUTED(block_bytes))x & 15)) ^
                   permute(every(split[1]), (word)((PERMUTED(block_bytes))x >> 4));
    const word i = (word)((PERMUTED(block_bytes))y & 15), k = (word)((PERMUTED(block_bytes))y >> 4);
    const word j = i ^ k, reciprocal = every(permuted_reciprocal);
    const word quotient = permute(every(permuted_quotient), k);

    *u = permute(reciprocal, permute(reciprocal, i) ^ quotient) ^ j;
    *v = permute(reciprocal, permute(reciprocal, j) ^ quotient) ^ i;
}

RIJN_INLINE word PERMUTED(round_block)(word x, word k)
{
    word u, v;

    PERMUTED(invert)(&u, &v, x, permuted_split);
    const word once = permute(every(permuted_sub[0]), u) ^ permute(every(permuted_sub[1]), v);
    const word twice =
        permute(every(permuted_double[0]), u) ^ permute(every(permuted_double[1]), v);
    return (permute(twice, every(shifted_bytes[1])) ^
            permute(once ^ twice, every(mixed_bytes[1]))) ^
           (permute(once, every(mixed_bytes[2])) ^ permute(once, every(mixed_bytes[3]))) ^
           (k ^ every(permuted_constant)); /* MixColumns does not change a column of it */
}

RIJN_INLINE word PERMUTED(last_round_block)(word x, word k)
{
    word u, v;

    PERMUTED(invert)(&u, &v, permute(x, every(shifted_bytes[1])), permuted_split);
    return permute(every(permuted_sub[0]), u) ^ permute(every(permuted_sub[1]), v) ^
           (k ^ every(permuted_constant));
}

RIJN_INLINE word PERMUTED(last_inverse_round_block)(word x, word k)
{
    word u, v;

    PERMUTED(invert)(&u, &v, permute(x, every(shifted_bytes[3])), permuted_inverse_split);
    return permute(every(permuted_inverse[0]), u) ^ permute(every(permuted_inverse[1]), v) ^ k;
}

/* Returns twice every byte, in GF(2^8) (FIPS 197 section 4.2). */
RIJN_INLINE word PERMUTED(doubled)(word x)
{
    const PERMUTED(block_bytes) fell = (PERMUTED(block_bytes))((PERMUTED(block_signs))x < 0);
    return (word)((PERMUTED(block_bytes))x + (PERMUTED(block_bytes))x) ^ (word)(fell & 0x1b);
}

/* InvMixColumns is MixColumns after adding 4 (x_r + x_r+2) to row r (J. Daemen and V. Rijmen, "The
 * Design of Rijndael", section 4.1.3). */
RIJN_INLINE word PERMUTED(unmix_block)(word x)
{
    const word sum = x ^ permute(x, every(moved_bytes[2][0]));
    const word y = x ^ PERMUTED(doubled)(PERMUTED(doubled)(sum));
    const word twice = PERMUTED(doubled)(y), once = permute(y, every(moved_bytes[2][0]));

    return twice ^ permute(y ^ twice, every(moved_bytes[1][0])) ^ once ^
           permute(once, every(moved_bytes[1][0]));
}

RIJN_INLINE word PERMUTED(inverse_round_block)(word x, word k)
{
    const word zero = x ^ x;
    return PERMUTED(unmix_block)(PERMUTED(last_inverse_round_block)(x, zero)) ^ k;
}

#undef word
#undef PERMUTED
#undef permute
#undef every
