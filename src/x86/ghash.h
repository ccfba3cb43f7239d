/* GHASH (SP 800-38D section 6.4) and POLYVAL (RFC 8452 section 3) by PCLMULQDQ on xmm
 * registers. Include where the target has pclmul and ssse3, after defining
 *
 *     vec                        a block
 *     POWERS                     an even number, how many powers of H the context holds:
 *                                so many blocks share one reduction
 *     uint8_t power[POWERS * 16] of the context: H^1, H^2, … as POLYVAL keys
 *     uint8_t fold[POWERS * 8]   high half XOR low half of each, for Karatsuba
 *
 * GHASH is computed as POLYVAL (RFC 8452 appendix A): blocks are byte-reversed
 * and H becomes x * H, after which a product is a plain carry-less
 * multiplication and a Montgomery reduction, with no bit to shift. */
#ifndef RIJN_X86_GHASH_H
#define RIJN_X86_GHASH_H

#include <wmmintrin.h>

#include "block.h"

/* A 256-bit carry-less product before its middle part is folded in. */
typedef struct {
    __m128i low, middle, high;
} product;

RIJN_INLINE product no_product(void)
{
    return (product){_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128()};
}

RIJN_INLINE __m128i halves_xor(__m128i x)
{
    return _mm_xor_si128(x, _mm_shuffle_epi32(x, 0x4e));
}

/* The folds of two. */
RIJN_INLINE __m128i folds(__m128i x1, __m128i x2)
{
    return _mm_xor_si128(_mm_unpacklo_epi64(x1, x2), _mm_unpackhi_epi64(x1, x2));
}

/* p += x * H^n by Karatsuba: three multiplications of 64 bits. */
RIJN_INLINE void accumulate(product *p, const context *c, int n, __m128i x)
{
    const __m128i h = block_load(c->power + 16 * (n - 1));
    const __m128i h_fold = _mm_loadl_epi64((const __m128i *)(const void *)(c->fold + 8 * (n - 1)));

    p->low = _mm_xor_si128(p->low, _mm_clmulepi64_si128(x, h, 0x00));
    p->high = _mm_xor_si128(p->high, _mm_clmulepi64_si128(x, h, 0x11));
    p->middle = _mm_xor_si128(p->middle, _mm_clmulepi64_si128(halves_xor(x), h_fold, 0x00));
}

/* p += x1 * H^n + x2 * H^(n-1): as twice accumulate, with one fold for both. */
RIJN_INLINE void accumulate_pair(product *p, const context *c, int n, __m128i x1, __m128i x2)
{
    const __m128i h1 = block_load(c->power + 16 * (n - 1));
    const __m128i h2 = block_load(c->power + 16 * (n - 2));
    const __m128i h_folds = block_load(c->fold + 8 * (n - 2)); /* of H^(n-1), of H^n */
    const __m128i x_folds = folds(x1, x2);

    p->low = _mm_xor_si128(p->low, _mm_clmulepi64_si128(x1, h1, 0x00));
    p->high = _mm_xor_si128(p->high, _mm_clmulepi64_si128(x1, h1, 0x11));
    p->middle = _mm_xor_si128(p->middle, _mm_clmulepi64_si128(x_folds, h_folds, 0x10));
    p->low = _mm_xor_si128(p->low, _mm_clmulepi64_si128(x2, h2, 0x00));
    p->high = _mm_xor_si128(p->high, _mm_clmulepi64_si128(x2, h2, 0x11));
    p->middle = _mm_xor_si128(p->middle, _mm_clmulepi64_si128(x_folds, h_folds, 0x01));
}

/* The product times x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1: twice, the
 * low 64 bits are cancelled by a multiple of the modulus. */
RIJN_INLINE __m128i reduce(product p)
{
    const __m128i modulus = _mm_set_epi32(0, 0, (int)0xc2000000, 0);
    const __m128i middle = _mm_xor_si128(p.middle, _mm_xor_si128(p.low, p.high));
    __m128i low = _mm_xor_si128(p.low, _mm_slli_si128(middle, 8));
    __m128i high = _mm_xor_si128(p.high, _mm_srli_si128(middle, 8));

    for (int i = 0; i < 2; i++)
        low = _mm_xor_si128(_mm_shuffle_epi32(low, 0x4e), _mm_clmulepi64_si128(low, modulus, 0x00));
    return _mm_xor_si128(high, low);
}

/* ---- The powers of H ---- */

/* H^n and, of its own halves, its fold; and those of H^(n+1). Both folds in one store: a load
 * of both (accumulate_pair) would wait for two. */
RIJN_INLINE void set_power_pair(context *c, int n, __m128i x1, __m128i x2)
{
    block_store(c->power + 16 * (n - 1), x1);
    block_store(c->power + 16 * n, x2);
    block_store(c->fold + 8 * (n - 1), folds(x1, x2));
}

/* Half the multiplications: twice the product of the halves, the middle part, is nothing. */
RIJN_INLINE __m128i squared(__m128i x)
{
    const __m128i low = _mm_clmulepi64_si128(x, x, 0x00), high = _mm_clmulepi64_si128(x, x, 0x11);
    return reduce((product){low, _mm_xor_si128(low, high), high});
}

/* Of a POLYVAL key: after H^1, H^2, …, H^n come their products with H^n, all at once, so
 * that few of them wait for each other; until there are `blocks` or all. */
RIJN_INLINE void set_powers(context *c, __m128i key, size_t blocks)
{
    __m128i p[POWERS];

    p[0] = key;
    p[1] = squared(key);
    set_power_pair(c, 1, p[0], p[1]);
    RIJN_UNROLL
    for (int n = 2; n < POWERS; n += 2) { /* p[0] to p[n - 1] are there */
        const int known = 1 << (31 - __builtin_clz((unsigned)n));
        if (n == known && blocks <= (size_t)known)
            return;
        p[n] = polyval_times(p[n - known], p[known - 1]);
        p[n + 1] = n + 2 == 2 * known ? squared(p[known - 1])
                                      : polyval_times(p[n + 1 - known], p[known - 1]);
        set_power_pair(c, n + 1, p[n], p[n + 1]);
    }
}

/* ---- Hashing ---- */

/* Block i at p, as POLYVAL's accumulator has it. */
RIJN_INLINE __m128i hash_block(const uint8_t *p, int i, bool reversed)
{
    const __m128i x = block_load(p + 16 * i);
    return reversed ? byte_reverse(x) : x;
}

/* POWERS blocks at p share one reduction: (y + X1) H^n + X2 H^(n-1) + … + Xn H. */
RIJN_INLINE __m128i hash_group(const context *c, __m128i y, const uint8_t *p, bool reversed)
{
    product sum = no_product();

    RIJN_UNROLL
    for (int i = 2; i < POWERS; i += 2)
        accumulate_pair(&sum, c, POWERS - i, hash_block(p, i, reversed),
                        hash_block(p, i + 1, reversed));
    /* last, for y is the last to come */
    accumulate_pair(&sum, c, POWERS, _mm_xor_si128(hash_block(p, 0, reversed), y),
                    hash_block(p, 1, reversed));
    return reduce(sum);
}

RIJN_INLINE __m128i hash_blocks(const context *c, __m128i y, const uint8_t *p, size_t blocks,
                                bool reversed)
{
    for (; blocks >= POWERS; blocks -= POWERS, p += 16 * POWERS)
        y = hash_group(c, y, p, reversed);
    if (blocks) {
        product sum = no_product();
        for (int n = (int)blocks; n; n--, p += 16, y = _mm_setzero_si128())
            accumulate(&sum, c, n, _mm_xor_si128(hash_block(p, 0, reversed), y));
        y = reduce(sum);
    }
    return y;
}

#include "hash.h"

/* What is left after whole groups, the unfinished block and the lengths share a reduction
 * too, if there are powers enough. */
RIJN_INLINE __m128i hash_end(const context *c, __m128i y, const uint8_t *p, size_t size,
                             __m128i last, bool reversed)
{
    const size_t rest = size % 16;
    size_t left = size / 16 + (rest != 0) + 1;
    product sum = no_product();

    while (left > POWERS) { /* whole groups, then what are no group and too many */
        size_t n = size / 16;
        if (n > POWERS)
            n -= n % POWERS;
        y = (reversed ? ghash : polyval)(c, y, p, n);
        p += 16 * n, size -= 16 * n, left -= n;
    }
    for (; size >= 16; size -= 16, p += 16, left--, y = _mm_setzero_si128())
        accumulate(&sum, c, (int)left, _mm_xor_si128(hash_block(p, 0, reversed), y));
    if (rest) {
        const __m128i x = block_up_to(p, rest);
        accumulate(&sum, c, 2, _mm_xor_si128(reversed ? byte_reverse(x) : x, y));
        y = _mm_setzero_si128();
    }
    accumulate(&sum, c, 1, _mm_xor_si128(last, y));
    return reduce(sum);
}

#endif
