#include "oracle.h"

#include <string.h>

/* ---- GF(2^8) and the S-box (FIPS 197 sections 4.2 and 5.1.1) ---- */

void (*oracle_watch)(const uint8_t *bytes, size_t size);

void oracle_show(const uint8_t *bytes, size_t size)
{
    if (oracle_watch)
        oracle_watch(bytes, size);
}

static uint8_t multiply(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (int bit = 0; bit < 8; bit++) {
        if (b >> bit & 1)
            product ^= a;
        a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
    }
    return product;
}

/* Returns the S-box of `a`: the affine map of equation 5.2 of the inverse (a^254; 0 for 0). */
static uint8_t substitute(uint8_t a)
{
    uint8_t inverse = 1, result = 0x63;
    for (int i = 0; i < 254; i++)
        inverse = multiply(inverse, a);
    for (int turn = 0; turn < 5; turn++)
        result ^= (uint8_t)(inverse << turn | inverse >> (8 - turn));
    return result;
}

/* Tables, because oracles take most of the time of the tests. Products are looked up by halves of a
 * byte: small machines have no memory for larger tables. */
static uint8_t s_box[256], inverse_s_box[256], products[16][2][16];

static void fill_tables(void)
{
    for (int a = 0; a < 256; a++) {
        s_box[a] = substitute((uint8_t)a);
        inverse_s_box[s_box[a]] = (uint8_t)a;
    }
    for (uint8_t factor = 0; factor < 16; factor++) {
        for (uint8_t half = 0; half < 16; half++) {
            products[factor][0][half] = multiply(factor, half);
            products[factor][1][half] = multiply(factor, (uint8_t)(half << 4));
        }
    }
}

/* Multiplies by a small factor. */
static uint8_t times(uint8_t factor, uint8_t a)
{
    return products[factor][0][a & 15] ^ products[factor][1][a >> 4];
}

/* ---- The cipher. state[4 * column + row], the order of bytes in memory ---- */

static const uint8_t matrix[4] = {2, 3, 1, 1}, inverse_matrix[4] = {0x0e, 0x0b, 0x0d, 0x09};

/* Multiplies each column by the circulant matrix whose first row is given. */
static void mix_columns(uint8_t state[16], const uint8_t row[4])
{
    for (int column = 0; column < 4; column++) {
        uint8_t old[4];
        memcpy(old, state + 4 * column, 4);
        for (int i = 0; i < 4; i++) {
            uint8_t sum = 0;
            for (int j = 0; j < 4; j++)
                sum ^= times(row[(j - i + 4) % 4], old[j]);
            state[4 * column + i] = sum;
        }
    }
}

void oracle_init(oracle_key *key, const uint8_t *bytes, size_t size)
{
    const size_t nk = size / 4;
    uint8_t *w = key->round_keys[0];
    uint8_t rcon = 1;

    if (s_box[0] == 0)
        fill_tables();
    key->rounds = (int)nk + 6;
    memcpy(w, bytes, size);
    for (size_t i = nk; i < 4 * ((size_t)key->rounds + 1); i++) {
        uint8_t t[4];
        memcpy(t, w + 4 * (i - 1), 4);
        if (i % nk == 0) {
            const uint8_t first = t[0];
            t[0] = s_box[t[1]] ^ rcon;
            t[1] = s_box[t[2]];
            t[2] = s_box[t[3]];
            t[3] = s_box[first];
            rcon = multiply(rcon, 2);
        } else if (nk == 8 && i % nk == 4) {
            for (int j = 0; j < 4; j++)
                t[j] = s_box[t[j]];
        }
        for (size_t j = 0; j < 4; j++)
            w[4 * i + j] = w[4 * (i - nk) + j] ^ t[j];
    }
    if (oracle_watch) {
        for (int round = 0; round <= key->rounds; round++) {
            uint8_t inverse[16];
            memcpy(inverse, key->round_keys[round], 16);
            oracle_show(inverse, 16);
            mix_columns(inverse, inverse_matrix); /* for the equivalent inverse cipher */
            oracle_show(inverse, 16);
        }
    }
}

static void add_round_key(uint8_t state[16], const uint8_t round_key[16])
{
    for (int i = 0; i < 16; i++)
        state[i] ^= round_key[i];
}

/* Moves row r of the state left by `by * r` columns. */
static void shift_rows(uint8_t state[16], int by)
{
    uint8_t old[16];
    memcpy(old, state, 16);
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            state[4 * column + row] = old[4 * ((column + by * row) % 4) + row];
}

void oracle_round(uint8_t out[16], const uint8_t in[16], const uint8_t round_key[16])
{
    uint8_t state[16];

    if (s_box[0] == 0)
        fill_tables();
    for (int i = 0; i < 16; i++)
        state[i] = s_box[in[i]];
    shift_rows(state, 1);
    mix_columns(state, matrix);
    add_round_key(state, round_key);
    memcpy(out, state, 16);
    oracle_show(out, 16);
}

void oracle_encrypt(const oracle_key *key, uint8_t out[16], const uint8_t in[16])
{
    uint8_t state[16];

    oracle_show(in, 16);
    memcpy(state, in, 16);
    add_round_key(state, key->round_keys[0]);
    for (int round = 1; round <= key->rounds; round++) {
        for (int i = 0; i < 16; i++)
            state[i] = s_box[state[i]];
        shift_rows(state, 1);
        if (round < key->rounds)
            mix_columns(state, matrix);
        add_round_key(state, key->round_keys[round]);
    }
    memcpy(out, state, 16);
    oracle_show(out, 16);
}

void oracle_decrypt(const oracle_key *key, uint8_t out[16], const uint8_t in[16])
{
    uint8_t state[16];

    oracle_show(in, 16);
    memcpy(state, in, 16);
    for (int round = key->rounds; round > 0; round--) {
        add_round_key(state, key->round_keys[round]);
        if (round < key->rounds)
            mix_columns(state, inverse_matrix);
        shift_rows(state, 3);
        for (int i = 0; i < 16; i++)
            state[i] = inverse_s_box[state[i]];
    }
    add_round_key(state, key->round_keys[0]);
    memcpy(out, state, 16);
    oracle_show(out, 16);
}

/* ---- SP 800-38A ---- */

void oracle_ecb(const oracle_key *key, bool decrypt, uint8_t *out, const uint8_t *in, size_t size)
{
    for (size_t at = 0; at < size; at += 16)
        (decrypt ? oracle_decrypt : oracle_encrypt)(key, out + at, in + at);
}

void oracle_cbc(const oracle_key *key, bool decrypt, const uint8_t iv[16], uint8_t *out,
                const uint8_t *in, size_t size)
{
    const uint8_t *previous = iv;
    for (size_t at = 0; at < size; at += 16) {
        if (decrypt) {
            oracle_decrypt(key, out + at, in + at);
            for (size_t i = 0; i < 16; i++)
                out[at + i] ^= previous[i];
            previous = in + at;
        } else {
            uint8_t block[16];
            for (size_t i = 0; i < 16; i++)
                block[i] = in[at + i] ^ previous[i];
            oracle_encrypt(key, out + at, block);
            previous = out + at;
        }
    }
}

/* Adds one to the big-endian integer in the last `width` bytes of a block. */
static void increment(uint8_t block[16], int width)
{
    for (int i = 15; i >= 16 - width; i--)
        if (++block[i] != 0)
            break;
}

static void counter_mode(const oracle_key *key, const uint8_t first[16], int width, uint8_t *out,
                         const uint8_t *in, size_t size)
{
    uint8_t counter[16], keystream[16];
    memcpy(counter, first, 16);
    for (size_t i = 0; i < size; i++) {
        if (i % 16 == 0) {
            oracle_encrypt(key, keystream, counter);
            increment(counter, width);
        }
        out[i] = in[i] ^ keystream[i % 16];
    }
}

void oracle_ctr(const oracle_key *key, const uint8_t counter[16], uint8_t *out, const uint8_t *in,
                size_t size)
{
    counter_mode(key, counter, 16, out, in, size);
}

/* ---- SP 800-38D. Bit i of a block is bit 7 - i % 8 of byte i / 8 ---- */

/* Load and store the integer in eight bytes from `at` on. */
static uint64_t load(const uint8_t block[16], int at)
{
    uint64_t half = 0;
    for (int i = 0; i < 8; i++)
        half = half << 8 | block[at + i];
    return half;
}

static void store(uint8_t block[16], int at, uint64_t half)
{
    for (int i = 0; i < 8; i++)
        block[at + i] = (uint8_t)(half >> (56 - 8 * i));
}

/* Algorithm 1: x = x * y in GF(2^128). */
static void block_multiply(uint8_t x[16], const uint8_t y[16])
{
    uint64_t product[2] = {0, 0}, v[2] = {load(y, 0), load(y, 8)};
    for (int i = 0; i < 128; i++) {
        const uint64_t chosen = x[i / 8] >> (7 - i % 8) & 1 ? ~UINT64_C(0) : 0;
        product[0] ^= v[0] & chosen;
        product[1] ^= v[1] & chosen;
        const uint64_t carry = v[1] & 1 ? UINT64_C(0xe1) << 56 : 0;
        v[1] = v[1] >> 1 | v[0] << 63;
        v[0] = v[0] >> 1 ^ carry;
    }
    store(x, 0, product[0]);
    store(x, 8, product[1]);
    oracle_show(x, 16);
}

/* Algorithm 2, continued: absorbs bytes, with the last block padded with zeros. */
static void ghash(uint8_t y[16], const uint8_t h[16], const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += 16) {
        for (size_t i = 0; i < 16 && at + i < size; i++)
            y[i] ^= bytes[at + i];
        block_multiply(y, h);
    }
}

/* Makes the block [first]64 || [second]64; converts sizes in bytes to bits. */
static void lengths(uint8_t block[16], uint64_t first, uint64_t second)
{
    const uint64_t bits[2] = {first * 8, second * 8};
    for (int i = 0; i < 16; i++)
        block[i] = (uint8_t)(bits[i / 8] >> (56 - 8 * (i % 8)));
}

void oracle_gcm(const oracle_key *key, bool decrypt, uint8_t *out, uint8_t tag[16],
                const uint8_t *nonce, size_t nonce_size, const uint8_t *ad, size_t ad_size,
                const uint8_t *in, size_t size)
{
    uint8_t h[16] = {0}, j0[16] = {0}, first[16], length[16], hash[16] = {0};

    oracle_encrypt(key, h, h);
    if (nonce_size == 12) {
        memcpy(j0, nonce, 12);
        j0[15] = 1;
    } else {
        ghash(j0, h, nonce, nonce_size);
        lengths(length, 0, nonce_size);
        ghash(j0, h, length, 16);
    }
    memcpy(first, j0, 16);
    increment(first, 4);
    counter_mode(key, first, 4, out, in, size);

    ghash(hash, h, ad, ad_size);
    ghash(hash, h, decrypt ? in : out, size);
    lengths(length, ad_size, size);
    ghash(hash, h, length, 16);
    counter_mode(key, j0, 4, tag, hash, 16);
}

void oracle_gcm_resize(const oracle_key *key, uint8_t tag[16], const uint64_t sizes[2],
                       const uint64_t claimed[2])
{
    uint8_t h[16] = {0}, before[16], after[16];

    /* GHASH multiplies the last block by H once, and is linear. */
    oracle_encrypt(key, h, h);
    lengths(before, sizes[0], sizes[1]);
    lengths(after, claimed[0], claimed[1]);
    add_round_key(before, after);
    block_multiply(before, h);
    add_round_key(tag, before);
}

void oracle_show_powers(const oracle_key *key, int count)
{
    uint8_t h[16] = {0}, power[16];

    oracle_encrypt(key, h, h);
    memcpy(power, h, 16);
    while (--count > 0)
        block_multiply(power, h);
}

void oracle_nonce_for(const oracle_key *key, uint8_t nonce[16], const uint8_t j0[16])
{
    uint8_t h[16] = {0}, power[16], inverse[16], length[16];

    /* 1/H = H^(2^128 - 2) = the product of H^(2^k) for k = 1 … 127 */
    oracle_encrypt(key, h, h);
    memcpy(power, h, 16);
    for (int k = 1; k < 128; k++) {
        uint8_t same[16];
        memcpy(same, power, 16);
        block_multiply(power, same);
        if (k == 1)
            memcpy(inverse, power, 16);
        else
            block_multiply(inverse, power);
    }
    /* J0 = (nonce * H + length) * H */
    lengths(length, 0, 16);
    memcpy(nonce, j0, 16);
    block_multiply(nonce, inverse);
    add_round_key(nonce, length);
    block_multiply(nonce, inverse);
}
