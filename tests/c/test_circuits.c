/* The S-box circuits against FIPS 197's definition for all 256 bytes, the cipher on words
 * of several lanes against that on one lane, and all bodies of clmul64 against a product
 * taken bit by bit. */
#include <stdint.h>
#include <stdio.h>

#define LANE_BITS 64

#define word lane
#define WORD_LANES 1
#define SLICED(name) lane_##name
#include "../../src/circuits/cipher.h"

typedef lane pair __attribute__((vector_size(16)));
#define word pair
#define WORD_LANES 2
#define SLICED(name) pair_##name
#include "../../src/circuits/cipher.h"

typedef lane quad __attribute__((vector_size(32)));
#define word quad
#define WORD_LANES 4
#define SLICED(name) quad_##name
#include "../../src/circuits/cipher.h"

/* Each body under a name of its own; this build's choice first. */
#define clmul64 clmul64_chosen
#include "../../src/circuits/clmul.h"
#undef clmul64
#undef RIJN_CLMUL_H

#if defined(__SIZEOF_INT128__) && !defined(RIJN_NO_INT128)
#define RIJN_NO_INT128
#define clmul64 clmul64_portable
#include "../../src/circuits/clmul.h"
#undef clmul64
#else
#define clmul64_portable clmul64_chosen
#endif

#ifndef RIJN_SHORT_PRODUCTS
#undef RIJN_CLMUL_H
#ifndef RIJN_NO_INT128
#define RIJN_NO_INT128
#endif
#define RIJN_SHORT_PRODUCTS
#define clmul32 clmul32_short
#define clmul64 clmul64_short
#include "../../src/circuits/clmul.h"
#undef clmul32
#undef clmul64
#else
#define clmul64_short clmul64_chosen
#endif

static int failures;

/* ---- S-box ---- */

/* The product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 section 4.2). */
static unsigned field_multiply(unsigned a, unsigned b)
{
    unsigned product = 0;

    for (; b; b >>= 1) {
        if (b & 1)
            product ^= a;
        a <<= 1;
        if (a & 0x100)
            a ^= 0x11b;
    }
    return product;
}

/* FIPS 197 section 5.1.1: the inverse (0 for 0), then the affine map. */
static unsigned sub_byte(unsigned x)
{
    unsigned inverse = 0, y = 0;

    for (unsigned candidate = 1; candidate < 256; candidate++)
        if (field_multiply(x, candidate) == 1)
            inverse = candidate;
    for (int i = 0; i < 8; i++) {
        const unsigned bit = inverse >> i ^ inverse >> (i + 4) % 8 ^ inverse >> (i + 5) % 8 ^
                             inverse >> (i + 6) % 8 ^ inverse >> (i + 7) % 8 ^ 0x63u >> i;
        y |= (bit & 1) << i;
    }
    return y;
}

/* Runs a circuit on the 64 bytes first, first + 1, … at once: out[i] is the
 * value for byte first + i. */
static void run_circuit(void (*circuit)(lane *), unsigned first, unsigned out[64])
{
    lane w[8] = {0};

    for (unsigned i = 0; i < 64; i++)
        for (int p = 0; p < 8; p++)
            w[p] |= (lane)((first + i) >> p & 1) << i;
    circuit(w);
    for (unsigned i = 0; i < 64; i++) {
        out[i] = 0;
        for (int p = 0; p < 8; p++)
            out[i] |= (unsigned)(w[p] >> i & 1) << p;
    }
}

static void forward(lane *w)
{
    lane_sbox(w);
}

static void inverse(lane *w)
{
    lane_inverse_sbox(w);
}

static void check(const char *what, unsigned x, unsigned got, unsigned want)
{
    if (got != want) {
        printf("%s(%02x) is %02x, not %02x\n", what, x, got, want);
        failures++;
    }
}

static void test_sbox(void)
{
    unsigned got[4][64], got_inverse[4][64];

    for (unsigned i = 0; i < 4; i++) {
        run_circuit(forward, 64 * i, got[i]);
        run_circuit(inverse, 64 * i, got_inverse[i]);
    }
    for (unsigned x = 0; x < 256; x++) {
        const unsigned y = sub_byte(x) ^ 0x63;
        check("sbox", x, got[x / 64][x % 64], y);
        check("inverse_sbox", y, got_inverse[y / 64][y % 64], x);
    }
}

/* ---- Carry-less multiplication ---- */

typedef void multiplier(uint64_t *, uint64_t *, uint64_t, uint64_t);

static void chosen(uint64_t *high, uint64_t *low, uint64_t a, uint64_t b)
{
    clmul64_chosen(high, low, a, b);
}

static void portable(uint64_t *high, uint64_t *low, uint64_t a, uint64_t b)
{
    clmul64_portable(high, low, a, b);
}

static void short_products(uint64_t *high, uint64_t *low, uint64_t a, uint64_t b)
{
    clmul64_short(high, low, a, b);
}

static void check_product(const char *what, multiplier *multiply, uint64_t a, uint64_t b)
{
    uint64_t high = 0, low = 0, got_high, got_low;

    for (int i = 0; i < 64; i++) {
        if (a >> i & 1) {
            low ^= b << i;
            high ^= i ? b >> (64 - i) : 0;
        }
    }
    multiply(&got_high, &got_low, a, b);
    if (got_high != high || got_low != low) {
        printf("%s: %016llx * %016llx is %016llx %016llx, not %016llx %016llx\n", what,
               (unsigned long long)a, (unsigned long long)b, (unsigned long long)got_high,
               (unsigned long long)got_low, (unsigned long long)high, (unsigned long long)low);
        failures++;
    }
}

/* splitmix64 (Steele, Lea and Flood, 2014): the same numbers in every run. */
static uint64_t next_random(void)
{
    static uint64_t state;
    uint64_t z = state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Full groups of four bits are where a sum of partial products comes closest to
 * an overflow: every mask, alone and with its neighbours' bits, all and none. */
static void test_multiplier(const char *what, multiplier *multiply)
{
    uint64_t edge[64 + 64 + 16];
    int edges = 0;

    for (int i = 0; i < 64; i++) {
        edge[edges++] = (uint64_t)1 << i;
        edge[edges++] = UINT64_MAX >> i;
    }
    for (uint64_t group = 0; group < 16; group++)
        edge[edges++] = group * 0x1111111111111111;
    for (int i = 0; i < edges; i++)
        for (int j = 0; j < edges; j++)
            check_product(what, multiply, edge[i], edge[j]);
    for (int i = 0; i < 100000; i++) {
        const uint64_t a = next_random();
        check_product(what, multiply, a, next_random());
    }
}

/* ---- Words of several lanes ---- */

typedef void cipher(uint8_t *, const lane (*)[8], int);

/* Any bits are round keys here: a lane has the same ones whatever word it is in. */
static void check_word(const char *what, cipher *wide, cipher *narrow, int lanes)
{
    enum { LANE_BYTES = 16 * CELL };
    static const int rounds[] = {10, 12, 14};
    uint8_t got[4 * LANE_BYTES], want[4 * LANE_BYTES];
    lane keys[15][8];

    for (int r = 0; r < 3; r++) {
        for (int i = 0; i < 15 * 8; i++)
            keys[i / 8][i % 8] = next_random();
        for (int i = 0; i < LANE_BYTES * lanes; i++)
            got[i] = want[i] = (uint8_t)next_random();
        wide(got, (const lane(*)[8])keys, rounds[r]);
        for (int l = 0; l < lanes; l++)
            narrow(want + LANE_BYTES * l, (const lane(*)[8])keys, rounds[r]);
        if (memcmp(got, want, (size_t)(LANE_BYTES * lanes)) != 0) {
            printf("%s, %d rounds: not what its lanes do alone\n", what, rounds[r]);
            failures++;
        }
    }
}

int main(void)
{
    test_sbox();
    check_word("encryption on two lanes", pair_encrypt, lane_encrypt, 2);
    check_word("decryption on two lanes", pair_decrypt, lane_decrypt, 2);
    check_word("encryption on four lanes", quad_encrypt, lane_encrypt, 4);
    check_word("decryption on four lanes", quad_decrypt, lane_decrypt, 4);
    test_multiplier("clmul64", chosen);
    test_multiplier("clmul64 without 128-bit integers", portable);
    test_multiplier("clmul64 of short products", short_products);
    return failures != 0;
}
