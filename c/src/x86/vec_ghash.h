/* GHASH and POLYVAL on vecs with VPCLMULQDQ. Include after vec.h, after defining
 *
 *     POWERS         number of blocks that share one reduction: a multiple of VEC_BLOCKS and a power
 *                    of two
 *     uint8_t power[(POWERS + 1) * 16]
 *                    a member of the context, not the last: H^(POWERS+1), H^POWERS, …, H as POLYVAL
 *                    keys. The last n entries are the powers for n blocks in order. A vec may be
 *                    read from any entry on.
 *
 * The method is that of ../carryless/ghash.h: blocks byte-reversed, H times x, a Montgomery reduction.
 * The product of two vecs multiplies block by block, with four multiplications of 64 bits. With
 * an XOR of three as one operation, Karatsuba's three multiplications and their folds cost as much.
 * (Without it, Karatsuba saves half an operation of eight, and needs the folds of H.) */
#ifndef RIJN_X86_VEC_GHASH_H
#define RIJN_X86_VEC_GHASH_H

#include "clmul.h"
#include "vec.h"

_Static_assert(POWERS == FLIGHT * VEC_BLOCKS && FLIGHT == 8, "a batch has one reduction");

/* Sums of 256-bit carry-less products, with their middle parts still separate. */
typedef struct {
    vec low, middle, high;
} product;

RIJN_INLINE product no_product(void)
{
    return (product){vec_zero(), vec_zero(), vec_zero()};
}

RIJN_INLINE void add_product(product *sum, vec x, vec h)
{
    sum->low = vec_xor(sum->low, vec_multiply(x, h, 0x00));
    sum->middle = vec_xor3(sum->middle, vec_multiply(x, h, 0x01), vec_multiply(x, h, 0x10));
    sum->high = vec_xor(sum->high, vec_multiply(x, h, 0x11));
}

/* Adds two products. */
RIJN_INLINE void add_products(product *sum, vec x1, vec h1, vec x2, vec h2)
{
    sum->low = vec_xor3(sum->low, vec_multiply(x1, h1, 0x00), vec_multiply(x2, h2, 0x00));
    sum->middle = vec_xor3(sum->middle, vec_multiply(x1, h1, 0x01), vec_multiply(x1, h1, 0x10));
    sum->middle = vec_xor3(sum->middle, vec_multiply(x2, h2, 0x01), vec_multiply(x2, h2, 0x10));
    sum->high = vec_xor3(sum->high, vec_multiply(x1, h1, 0x11), vec_multiply(x2, h2, 0x11));
}

/* Returns each product times x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1. */
RIJN_INLINE vec reduce_vec(product p)
{
    const vec modulus = vec_constant(UINT64_C(0xc2) << 56, 0);
    vec low = vec_xor(p.low, vec_shift_up(p.middle, 8));

    low = vec_xor(vec_swap_halves(low), vec_multiply(low, modulus, 0x00));
    return vec_xor3(vec_xor(p.high, vec_shift_down(p.middle, 8)), vec_swap_halves(low),
                    vec_multiply(low, modulus, 0x00));
}

RIJN_INLINE __m128i reduce(product p)
{
    return vec_sum(reduce_vec(p));
}

/* ---- The powers of H ---- */

RIJN_INLINE vec times(vec a, vec b)
{
    product p = no_product();
    add_product(&p, a, b);
    return reduce_vec(p);
}

/* Returns the address of H^n, which lower powers follow. */
RIJN_INLINE const uint8_t *powers_from(const context *c, size_t n)
{
    return c->power + 16 * (POWERS + 1 - n);
}

/* Returns the powers H^VEC_BLOCKS to H. */
RIJN_INLINE vec first_powers(__m128i key)
{
    const __m128i square = vec_first(times(vec_only(key), vec_only(key)));
    const __m256i two = _mm256_set_m128i(key, square);

#if VEC_BLOCKS == 4
    const vec four = times(_mm512_castsi256_si512(two), vec_broadcast(square));
    return _mm512_inserti64x4(four, two, 1);
#else
    return two;
#endif
}

/* Computes the vec of the powers H^VEC_BLOCKS to H, then doubles the number of powers by multiplying
 * all of them by the highest, until there are at least `blocks`, or all. */
RIJN_APART static void set_powers(context *c, __m128i key, size_t blocks)
{
    enum { VECS = POWERS / VEC_BLOCKS };
    vec p[VECS], highest = vec_zero();

    p[0] = first_powers(key);
    vec_store(c->power + 16 * (POWERS + 1 - VEC_BLOCKS), p[0]);
    RIJN_UNROLL
    for (int i = 1, known = 1; i < VECS; i++) {
        if (i == 2 * known)
            known = i;
        if (i == known) {
            if (blocks <= (size_t)known * VEC_BLOCKS)
                return;
            highest = vec_broadcast(vec_first(p[known - 1]));
        }
        p[i] = times(p[i - known], highest);
        vec_store(c->power + 16 * (POWERS + 1) - VEC * (i + 1), p[i]);
    }
    block_store(c->power, vec_first(times(p[VECS - 1], vec_only(key))));
}

/* ---- Hashing ---- */

RIJN_INLINE block polyval_two(const context *c, block y, block last)
{
    product sum = no_product();

    add_product(&sum, vec_pair(y, last), vec_load(powers_from(c, 2)));
    return reduce(sum);
}

RIJN_INLINE vec reverse_blocks(vec x)
{
    return vec_shuffle(x, vec_constant(UINT64_C(0x08090a0b0c0d0e0f), UINT64_C(0x0001020304050607)));
}

RIJN_INLINE vec hash_vec(vec x, bool reversed)
{
    return reversed ? reverse_blocks(x) : x;
}

/* Adds the blocks of the `size` bytes at p to `sum`, the first (XOR y) times H^n, the next times
 * H^(n-1), and so on. */
RIJN_INLINE void add_blocks(product *sum, const context *c, size_t n, __m128i y, const uint8_t *p,
                            size_t size, bool reversed)
{
    const uint8_t *h = powers_from(c, n);
    vec first = vec_only(y);

    for (; size >= VEC; size -= VEC, p += VEC, h += VEC, first = vec_zero())
        add_product(sum, vec_xor(hash_vec(vec_load(p), reversed), first), vec_load(h));
    if (size)
        add_product(sum, vec_xor(hash_vec(vec_load_part(p, size), reversed), first), vec_load(h));
}

RIJN_INLINE __m128i hash_blocks(const context *c, __m128i y, const uint8_t *p, size_t blocks,
                                bool reversed)
{
    while (blocks) {
        const size_t n = blocks < POWERS ? blocks : POWERS;
        product sum = no_product();
        add_blocks(&sum, c, n, y, p, 16 * n, reversed);
        y = reduce(sum);
        p += 16 * n, blocks -= n;
    }
    return y;
}

#include "../carryless/hash.h"

RIJN_INLINE __m128i hash_end(const context *c, __m128i y, const uint8_t *p, size_t size,
                             __m128i last, bool reversed)
{
    product sum = no_product();

    if (size > 16 * POWERS) {
        const size_t n = (size - 1) / (16 * POWERS) * POWERS;
        y = (reversed ? ghash : polyval)(c, y, p, n);
        p += 16 * n, size -= 16 * n;
    }
    if (size)
        add_blocks(&sum, c, (size + 15) / 16 + 1, y, p, size, reversed);
    else
        last = _mm_xor_si128(last, y);
    add_product(&sum, vec_only(last), vec_load(powers_from(c, 1)));
    return reduce(sum);
}

#if SECRETS_IN_REGISTERS
RIJN_INLINE __m128i ghash_key(const context *c)
{
    return block_load(powers_from(c, 1));
}

RIJN_INLINE __m128i polyval_short(__m128i h, __m128i y, const uint8_t *p, size_t size, __m128i last)
{
    const size_t n = ((size + 15) / 16 + 1) % VEC_BLOCKS;
    const vec powers = first_powers(h), highest = vec_broadcast(vec_first(powers));
    product sum = no_product();
    vec x = vec_only(y);

    if (n)
        x = times(vec_end_with(y, p, n), highest);
    for (p += 16 * n, size -= 16 * n; size > VEC - 16; p += VEC, size -= VEC)
        x = times(vec_xor(x, vec_load(p)), highest);
    x = vec_xor3(x, vec_load_part(p, size), vec_last(last));
    add_product(&sum, x, powers);
    return reduce(sum);
}
#endif

/* ---- Cipher and hash at once ---- */

/* Adds vecs i and i + 1 (modulo FLIGHT) of POWERS blocks, i odd. They are at p, or if `held`, in x as they
 * are hashed. Vec 0 comes last; x[0] is this vec XOR the earlier hash. With `alone`, each place of the
 * vecs is a separate chain, with the powers H^POWERS, H^(POWERS-VEC_BLOCKS), …, which saves adding the
 * places up. The last batch has the powers of all blocks in order, and joins the chains. */
RIJN_INLINE void add_pair(product *sum, const context *c, int i, const vec *x, bool held,
                          const uint8_t *p, bool reversed, bool alone)
{
    const uint8_t *const h = powers_from(c, POWERS);
    const int j = (i + 1) % FLIGHT;

    add_products(sum, held ? x[i] : hash_vec(vec_load(p + VEC * i), reversed),
                 alone ? vec_load_broadcast(h + VEC * i) : vec_load(h + VEC * i),
                 held || !j ? x[j] : hash_vec(vec_load(p + VEC * j), reversed),
                 alone ? vec_load_broadcast(h + VEC * j) : vec_load(h + VEC * j));
}

RIJN_INLINE vec pairs_end(product sum, bool alone)
{
    return alone ? reduce_vec(sum) : vec_only(reduce(sum));
}

/* Runs rounds 1 to the last but one of v, unless v is NULL, and meanwhile hashes a batch as add_pair
 * does. */
RIJN_INLINE vec rounds_hash(const context *c, vec *v, const vec *x, bool held, const uint8_t *p,
                            bool reversed, bool alone)
{
    product sum = no_product();

    RIJN_UNROLL
    for (int i = 1; i < FLIGHT; i += 2) {
        if (v) {
            vec_encrypt_round(c->encrypt + 16 * i, v, FLIGHT);
            vec_encrypt_round(c->encrypt + 16 * (i + 1), v, FLIGHT);
        }
        add_pair(&sum, c, i, x, held, p, reversed, alone);
    }
    if (v)
        vec_encrypt_rounds(c, v, FLIGHT, FLIGHT + 1);
    return pairs_end(sum, alone);
}

RIJN_INLINE __m128i encrypt_hash(const context *c, vec *v, __m128i y, const uint8_t *p,
                                 bool reversed)
{
    const vec last = vec_last_key(c);

    vec_add_round_key(c->encrypt, v, FLIGHT);
    const vec x = vec_xor(vec_only(y), hash_vec(vec_load(p), reversed));
    y = vec_first(rounds_hash(c, v, &x, false, p, reversed, false));
    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        v[i] = vec_last_round(v[i], last);
    return y;
}

#endif
