/* GHASH (SP 800-38D section 6.4) and POLYVAL (RFC 8452 section 3) on blocks in registers, with an
 * instruction for carry-less multiplication of 64 by 64 bits. Include after defining
 *
 *     vec                        a block
 *     POWERS                     an even number of powers of H in the context: so many blocks share
 *                                one reduction
 *     uint8_t power[POWERS * 16] in the context: H^1, H^2, … as POLYVAL keys
 *     uint8_t fold[POWERS * 8]   in the context: high half XOR low half of each, for Karatsuba
 *
 * the operations that hash.h requires, block_load, block_store, block_xor, block_pair, block_halves
 * and polyval_times of backend.h, and, for blocks whose low half is the first eight bytes,
 *
 *     block clmul_low(block x, block y)      the product of the low halves
 *     block clmul_high(block x, block y)     the product of the high halves
 *     block half_load(const uint8_t *p)      eight bytes as the low half; the high half is undefined
 *     block swap_halves(block x)
 *     block half_up(block x)                 the low half as the high one, zeros below
 *     block half_down(block x)               the high half as the low one, zeros above
 *     block second_halves(block x, block y)  the high half of each, as block_halves the low
 *     block byte_reverse(block x)
 *     block block_up_to(const uint8_t *p, size_t size)
 *                                            the `size` bytes at p, 1 to 16, followed by zeros
 *
 * GHASH is computed as POLYVAL (RFC 8452 appendix A). Blocks are byte-reversed and H becomes x * H.
 * Then a product is a carry-less multiplication and a Montgomery reduction, without a shift of
 * bits. */
#ifndef RIJN_CARRYLESS_GHASH_H
#define RIJN_CARRYLESS_GHASH_H

/* A 256-bit carry-less product, with its middle part still separate. */
typedef struct {
    block low, middle, high;
} products;

RIJN_INLINE products no_products(void)
{
    const block zero = block_pair(0, 0);
    return (products){zero, zero, zero};
}

RIJN_INLINE block halves_xor(block x)
{
    return block_xor(x, swap_halves(x));
}

/* Returns the folds (high half XOR low half) of two blocks. */
RIJN_INLINE block folds(block x1, block x2)
{
    return block_xor(block_halves(x1, x2), second_halves(x1, x2));
}

/* p += x * H^n by Karatsuba: three multiplications of 64 bits. */
RIJN_INLINE void accumulate(products *p, const context *c, int n, block x)
{
    const block h = block_load(c->power + 16 * (n - 1));
    const block h_fold = half_load(c->fold + 8 * (n - 1));

    p->low = block_xor(p->low, clmul_low(x, h));
    p->high = block_xor(p->high, clmul_high(x, h));
    p->middle = block_xor(p->middle, clmul_low(halves_xor(x), h_fold));
}

/* p += x1 * H^n + x2 * H^(n-1): like accumulate twice, but with one fold for both. */
RIJN_INLINE void accumulate_pair(products *p, const context *c, int n, block x1, block x2)
{
    const block h1 = block_load(c->power + 16 * (n - 1));
    const block h2 = block_load(c->power + 16 * (n - 2));
    const block h_folds = block_load(c->fold + 8 * (n - 2)); /* of H^(n-1), of H^n */
    const block x_folds = folds(x2, x1);

    p->low = block_xor(p->low, clmul_low(x1, h1));
    p->high = block_xor(p->high, clmul_high(x1, h1));
    p->middle = block_xor(p->middle, clmul_high(x_folds, h_folds));
    p->low = block_xor(p->low, clmul_low(x2, h2));
    p->high = block_xor(p->high, clmul_high(x2, h2));
    p->middle = block_xor(p->middle, clmul_low(x_folds, h_folds));
}

/* Returns the product times x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1. A multiple of the modulus
 * cancels the low 64 bits, twice. */
RIJN_INLINE block reduce_block(products p)
{
    const block modulus = block_pair((uint64_t)0xc2 << 56, 0);
    const block middle = block_xor(p.middle, block_xor(p.low, p.high));
    const block high = block_xor(p.high, half_down(middle));
    block low = block_xor(p.low, half_up(middle));

    for (int i = 0; i < 2; i++)
        low = block_xor(swap_halves(low), clmul_low(low, modulus));
    return block_xor(high, low);
}

/* ---- The powers of H ---- */

/* Stores H^n, H^(n+1) and their folds. Both folds go in one store, because a load of both
 * (accumulate_pair) would have to wait for two stores. */
RIJN_INLINE void set_power_pair(context *c, int n, block x1, block x2)
{
    block_store(c->power + 16 * (n - 1), x1);
    block_store(c->power + 16 * n, x2);
    block_store(c->fold + 8 * (n - 1), folds(x1, x2));
}

/* Returns x squared. The middle part, twice the product of the halves, is zero, which saves
 * multiplications. */
RIJN_INLINE block squared(block x)
{
    const block low = clmul_low(x, x), high = clmul_high(x, x);
    return reduce_block((products){low, block_xor(low, high), high});
}

/* Computes the powers of a POLYVAL key. After H^1, H^2, …, H^n come their products with H^n, all
 * together, so that few of them wait for each other. Ends when there are at least `blocks` powers, or
 * all. */
RIJN_APART static void set_powers(context *c, block key, size_t blocks)
{
    block p[POWERS];

    p[0] = key;
    p[1] = squared(key);
    set_power_pair(c, 1, p[0], p[1]);
    RIJN_UNROLL
    for (int n = 2; n < POWERS; n += 2) { /* p[0] to p[n - 1] are known */
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

/* Returns block i at p in the byte order of the accumulator. */
RIJN_INLINE block hash_block(const uint8_t *p, int i, bool reversed)
{
    const block x = block_load(p + 16 * i);
    return reversed ? byte_reverse(x) : x;
}

/* POWERS blocks at p share one reduction: (y + X1) H^n + X2 H^(n-1) + … + Xn H. */
RIJN_INLINE block hash_group(const context *c, block y, const uint8_t *p, bool reversed)
{
    products sum = no_products();

    RIJN_UNROLL
    for (int i = 2; i < POWERS; i += 2)
        accumulate_pair(&sum, c, POWERS - i, hash_block(p, i, reversed),
                        hash_block(p, i + 1, reversed));
    /* last, because y is known last */
    accumulate_pair(&sum, c, POWERS, block_xor(hash_block(p, 0, reversed), y),
                    hash_block(p, 1, reversed));
    return reduce_block(sum);
}

RIJN_INLINE block hash_blocks(const context *c, block y, const uint8_t *p, size_t blocks,
                              bool reversed)
{
    for (; blocks >= POWERS; blocks -= POWERS, p += 16 * POWERS)
        y = hash_group(c, y, p, reversed);
    if (blocks) {
        products sum = no_products();
        for (int n = (int)blocks; n; n--, p += 16, y = block_pair(0, 0))
            accumulate(&sum, c, n, block_xor(hash_block(p, 0, reversed), y));
        y = reduce_block(sum);
    }
    return y;
}

#include "hash.h"

/* The blocks after whole groups, the partial block and the lengths share a reduction too, if there are
 * enough powers. */
RIJN_INLINE block hash_end(const context *c, block y, const uint8_t *p, size_t size, block last,
                           bool reversed)
{
    const size_t rest = size % 16;
    size_t left = size / 16 + (rest != 0) + 1;
    products sum = no_products();

    while (left > POWERS) { /* whole groups, then a partial group if too long */
        size_t n = size / 16;
        if (n > POWERS)
            n -= n % POWERS;
        y = (reversed ? ghash : polyval)(c, y, p, n);
        p += 16 * n, size -= 16 * n, left -= n;
    }
    for (; size >= 16; size -= 16, p += 16, left--, y = block_pair(0, 0))
        accumulate(&sum, c, (int)left, block_xor(hash_block(p, 0, reversed), y));
    if (rest) {
        const block x = block_up_to(p, rest);
        accumulate(&sum, c, 2, block_xor(reversed ? byte_reverse(x) : x, y));
        y = block_pair(0, 0);
    }
    accumulate(&sum, c, 1, block_xor(last, y));
    return reduce_block(sum);
}

#endif
