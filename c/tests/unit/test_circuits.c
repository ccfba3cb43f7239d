/* Compares the S-box circuits for all 256 bytes and the rounds with permutations with the definitions of
 * FIPS 197, the cipher on words of several lanes with the cipher on one lane, all bodies of clmul64 with
 * a product bit by bit, and hashing with permutations with hashing with clmul64. */
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

/* Each body under its own name; this build's choice first. */
#define clmul64 clmul64_chosen
#include "../../src/circuits/ghash.h"
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

/* Returns the product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 section 4.2). */
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

/* Returns the inverse in GF(2^8), 0 for 0. */
static unsigned field_inverse(unsigned x)
{
    unsigned inverse = 0;

    for (unsigned candidate = 1; candidate < 256; candidate++)
        if (field_multiply(x, candidate) == 1)
            inverse = candidate;
    return inverse;
}

/* Permutations in plain C, for machines with and without an instruction for them. */
typedef uint64_t both __attribute__((vector_size(32)));

static both look_up(both x, both index)
{
    uint8_t from[32], at[32], to[32];

    memcpy(from, &x, 32);
    memcpy(at, &index, 32);
    for (int i = 0; i < 32; i++)
        to[i] = at[i] & 0x80 ? 0 : from[i / 16 * 16 + at[i] % 16];
    memcpy(&x, to, 32);
    return x;
}

static both each_block(const uint8_t bytes[16])
{
    both x;

    memcpy(&x, bytes, 16);
    memcpy((uint8_t *)&x + 16, bytes, 16);
    return x;
}

static both interleave(both a, both b, int half)
{
    uint8_t x[32], y[32], to[32];

    memcpy(x, &a, 32);
    memcpy(y, &b, 32);
    for (int i = 0; i < 32; i++)
        to[i] = (i % 2 ? y : x)[i / 16 * 16 + 8 * half + i % 16 / 2];
    memcpy(&a, to, 32);
    return a;
}

#define word both
#define PERMUTED(name) name##_both
#define permute look_up
#define every each_block
#include "../../src/circuits/permuted.h"

#define word both
#define PERMUTED(name) name##_both
#define permute look_up
#define every each_block
#define interleave_low(a, b) interleave(a, b, 0)
#define interleave_high(a, b) interleave(a, b, 1)
#include "../../src/circuits/permuted_hash.h"

static int failures;

/* ---- S-box ---- */

/* FIPS 197 section 5.1.1: the inverse (0 for 0), then the affine map. */
static unsigned sub_byte(unsigned x)
{
    const unsigned inverse = field_inverse(x);
    unsigned y = 0;

    for (int i = 0; i < 8; i++) {
        const unsigned bit = inverse >> i ^ inverse >> (i + 4) % 8 ^ inverse >> (i + 5) % 8 ^
                             inverse >> (i + 6) % 8 ^ inverse >> (i + 7) % 8 ^ 0x63u >> i;
        y |= (bit & 1) << i;
    }
    return y;
}

/* Runs a circuit on the 64 bytes first, first + 1, … at once. out[i] is the value for byte first + i. */
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

/* With full groups of four bits, a sum of partial products comes closest to an overflow. Tests every
 * mask, alone and with bits of its neighbours, all bits and none. */
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

/* Round keys are random bits here, the same for each lane of any word. */
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

/* ---- Rounds on registers ---- */

/* The functions of FIPS 197 sections 5.1 and 5.3 on the two blocks of a register. Byte r + 4c of a block
 * is in row r and column c. */

static both sub_bytes(both x, bool inverted)
{
    static uint8_t table[2][256];
    uint8_t bytes[32];

    for (unsigned i = 0; i < 256 && !table[0][0xff]; i++) {
        table[0][i] = (uint8_t)sub_byte(i);
        table[1][sub_byte(i)] = (uint8_t)i;
    }
    memcpy(bytes, &x, 32);
    for (int i = 0; i < 32; i++)
        bytes[i] = table[inverted][bytes[i]];
    memcpy(&x, bytes, 32);
    return x;
}

/* Moves row r by r columns to the left; if inverted, to the right. */
static both shift_rows(both x, bool inverted)
{
    uint8_t from[32], to[32];

    memcpy(from, &x, 32);
    for (int i = 0; i < 32; i++) {
        const int row = i % 4, column = i / 4 % 4;
        to[i] = from[i / 16 * 16 + (column + (inverted ? 4 - row : row)) % 4 * 4 + row];
    }
    memcpy(&x, to, 32);
    return x;
}

static both mix_columns(both x, bool inverted)
{
    static const unsigned factors[2][4] = {{2, 3, 1, 1}, {14, 11, 13, 9}};
    uint8_t from[32], to[32];

    memcpy(from, &x, 32);
    for (int i = 0; i < 32; i++) {
        unsigned sum = 0;
        for (int j = 0; j < 4; j++)
            sum ^= field_multiply(from[i / 4 * 4 + (i + j) % 4], factors[inverted][j]);
        to[i] = (uint8_t)sum;
    }
    memcpy(&x, to, 32);
    return x;
}

/* The first block has the byte x everywhere, so ShiftRows and MixColumns do not change it. The second
 * block has other bytes, which must not influence the first. */
static void test_rounds(void)
{
    for (unsigned x = 0; x < 256; x++) {
        const uint8_t y = (uint8_t)sub_byte(x);
        both in, none = {0}, out[5];
        uint8_t bytes[32];

        for (int i = 0; i < 32; i++)
            bytes[i] = i < 16 ? (uint8_t)x : (uint8_t)next_random();
        memcpy(&in, bytes, 32);
        out[0] = round_block_both(in, none);
        out[1] = last_round_block_both(in, none);
        for (int i = 0; i < 16; i++)
            bytes[i] = y;
        memcpy(&in, bytes, 32);
        out[2] = inverse_round_block_both(in, none);
        out[3] = last_inverse_round_block_both(in, none);
        out[4] = unmix_block_both(in);
        for (int j = 0; j < 5; j++) {
            memcpy(bytes, &out[j], 32);
            for (int i = 0; i < 16; i++)
                check("a round by permutations", x, bytes[i], j == 2 || j == 3 ? x : y);
        }
    }
}

static void check_same(const char *what, both got, both want)
{
    if (memcmp(&got, &want, sizeof got) != 0) {
        printf("%s: not what FIPS 197 says\n", what);
        failures++;
    }
}

static void test_random_rounds(void)
{
    for (int i = 0; i < 100; i++) {
        const both x = {next_random(), next_random(), next_random(), next_random()},
                   k = {next_random(), next_random(), next_random(), next_random()};
        const both subbed = shift_rows(sub_bytes(x, false), false),
                   unsubbed = sub_bytes(shift_rows(x, true), true);
        check_same("a round", round_block_both(x, k), mix_columns(subbed, false) ^ k);
        check_same("a last round", last_round_block_both(x, k), subbed ^ k);
        check_same("an inverse round", inverse_round_block_both(x, k),
                   mix_columns(unsubbed, true) ^ k);
        check_same("a last inverse round", last_inverse_round_block_both(x, k), unsubbed ^ k);
        check_same("InvMixColumns", unmix_block_both(x), mix_columns(x, true));
    }
}

static void test_permuted_hash(void)
{
    enum { BLOCKS = 5 * 32 };
    uint8_t p[16 * BLOCKS];

    for (int reversed = 0; reversed < 2; reversed++) {
        for (size_t blocks = 32; blocks <= BLOCKS; blocks += 32) {
            const hash key = {next_random(), next_random()}, y = {next_random(), next_random()};
            for (size_t i = 0; i < 16 * blocks; i++)
                p[i] = (uint8_t)next_random();
            const hash got = multiply_blocks_both(key, y, p, blocks, reversed),
                       want = multiply_blocks(key, y, p, blocks, reversed);
            if (got.low != want.low || got.high != want.high) {
                printf("%zu blocks hashed by permutations: not what they are\n", blocks);
                failures++;
            }
        }
    }
}

int main(void)
{
    test_sbox();
    test_rounds();
    test_random_rounds();
    test_permuted_hash();
    check_word("encryption on two lanes", pair_encrypt, lane_encrypt, 2);
    check_word("decryption on two lanes", pair_decrypt, lane_decrypt, 2);
    check_word("encryption on four lanes", quad_encrypt, lane_encrypt, 4);
    check_word("decryption on four lanes", quad_decrypt, lane_decrypt, 4);
    test_multiplier("clmul64", chosen);
    test_multiplier("clmul64 without 128-bit integers", portable);
    test_multiplier("clmul64 of short products", short_products);
    return failures != 0;
}
