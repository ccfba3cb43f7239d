/* GHASH and POLYVAL (ghash.h) of many blocks in constant time, with permutations of bytes. Products are
 * looked up, for four bits of a block at a time, in tables of 16 bytes, which are registers.
 *
 * Include after ghash.h and after defining word, PERMUTED, permute and every as for permuted.h, and
 *
 *     interleave_low(a, b), interleave_high(a, b)
 *             the lower, or upper, eight bytes of a and b alternately, in each block of 16 bytes
 *
 * This file undefines all of these at its end.
 *
 * PERMUTED_BLOCKS blocks are processed at once: word i has byte i of all of them. Each place has its own
 * sum. It is multiplied by h^PERMUTED_BLOCKS, then the block that is PERMUTED_BLOCKS blocks later is
 * added. At the end, the sums are hashed in the order of blocks:
 *
 *     sum of place b:   ((X_b h^n + X_b+n) h^n + X_b+2n) …         n = PERMUTED_BLOCKS
 *
 * A product of 128 bits by 128 has the bytes
 *
 *     product[m] = sum over i of low[m - i][x_i & 15] + high[m - i][x_i >> 4]
 *
 * where low[k][v] is byte k of v h, high[k][v] is byte k of 16 v h, and k is 0 to 16. The lower half of
 * the product is reduced as in ghash_multiply. Its shifts of 64-bit words by 1, 2 and 7 take bits
 * of the next byte, which may be the first byte of the next word. */
#ifndef RIJN_PERMUTED_HASH_H
#define RIJN_PERMUTED_HASH_H

#include "ghash.h"

typedef struct {
    uint8_t low[17][16], high[17][16];
} product_table;

/* Computes the tables of v h and of 16 v h. */
RIJN_INLINE void product_table_of(product_table *t, hash h)
{
    for (int v = 0; v < 16; v++) {
        uint64_t low = 0, high = 0, top = 0;
        RIJN_UNROLL
        for (int i = 0; i < 4; i++) {
            const uint64_t every = ct_mask64((uint64_t)(v >> i & 1));
            low ^= every & h.low << i;
            high ^= every & (h.high << i | (i ? h.low >> (64 - i) : 0));
            top ^= every & (i ? h.high >> (64 - i) : 0);
        }
        for (int k = 0; k < 8; k++) {
            t->low[k][v] = (uint8_t)(low >> 8 * k);
            t->low[8 + k][v] = (uint8_t)(high >> 8 * k);
            t->high[k][v] = (uint8_t)(low << 4 >> 8 * k);
            t->high[8 + k][v] = (uint8_t)((high << 4 | low >> 60) >> 8 * k);
        }
        t->low[16][v] = (uint8_t)top;
        t->high[16][v] = (uint8_t)(top << 4 | high >> 60);
    }
}

#endif

#define PERMUTED_BLOCKS ((int)sizeof(word))

/* Turns x[b], block b of 16, into x[i], byte i of each of these blocks, and back. The address of a byte
 * has eight bits, of its word and its place in the word. Each step rotates it by one. */
RIJN_INLINE void PERMUTED(transpose)(word x[16])
{
    RIJN_UNROLL
    for (int round = 0; round < 4; round++) {
        word y[16];
        RIJN_UNROLL
        for (int i = 0; i < 8; i++) {
            y[2 * i] = interleave_low(x[i], x[i + 8]);
            y[2 * i + 1] = interleave_high(x[i], x[i + 8]);
        }
        RIJN_UNROLL
        for (int i = 0; i < 16; i++)
            x[i] = y[i];
    }
}

typedef uint8_t PERMUTED(product_bytes) __attribute__((vector_size(sizeof(word))));

/* Multiplies the 16 bytes in the words x by the h of the tables, times x^-128. */
RIJN_INLINE void PERMUTED(multiply)(word x[16], const product_table *t)
{
    word low[16], high[16], p[32];

    RIJN_UNROLL
    for (int i = 0; i < 16; i++) {
        low[i] = (word)((PERMUTED(product_bytes))x[i] & 15);
        high[i] = (word)((PERMUTED(product_bytes))x[i] >> 4);
    }
    for (int m = 0; m < 32; m++) {
        const int from = m < 16 ? 0 : m - 16, to = m < 16 ? m : 15;
        word sum = low[0] ^ low[0], other = sum;
        for (int i = from; i <= to; i++) {
            sum ^= permute(every(t->low[m - i]), low[i]);
            other ^= permute(every(t->high[m - i]), high[i]);
        }
        p[m] = sum ^ other;
    }

    PERMUTED(product_bytes) here = (PERMUTED(product_bytes))p[0];
    p[15] ^= (word)(here << 7 ^ here << 6 ^ here << 1);
    RIJN_UNROLL
    for (int j = 0; j < 16; j++) {
        PERMUTED(product_bytes) sum = here ^ here >> 1 ^ here >> 2 ^ here >> 7;
        if (j < 15) {
            here = (PERMUTED(product_bytes))p[j + 1];
            sum ^= here << 7 ^ here << 6 ^ here << 1;
        }
        x[j] = p[16 + j] ^ (word)sum;
    }
}

/* Loads PERMUTED_BLOCKS blocks: x[i] gets their bytes i, or 15 - i if `reversed`. */
RIJN_INLINE void PERMUTED(load_bytes)(word x[16], const uint8_t *p, bool reversed)
{
    word y[16];

    RIJN_UNROLL
    for (int i = 0; i < 16; i++)
        memcpy(&y[i], p + sizeof(word) * (size_t)i, sizeof(word));
    PERMUTED(transpose)(y);
    RIJN_UNROLL
    for (int i = 0; i < 16; i++)
        x[i] = y[reversed ? 15 - i : i];
}

RIJN_INLINE void PERMUTED(store_bytes)(uint8_t *p, const word x[16], bool reversed)
{
    word y[16];

    RIJN_UNROLL
    for (int i = 0; i < 16; i++)
        y[i] = x[reversed ? 15 - i : i];
    PERMUTED(transpose)(y);
    memcpy(p, y, sizeof y);
}

/* Does multiply_blocks (ghash.h). `blocks` is a multiple of PERMUTED_BLOCKS, and not 0. */
RIJN_APART static hash PERMUTED(multiply_blocks)(hash key, hash y, const uint8_t *p, size_t blocks,
                                                 bool reversed)
{
    uint8_t bytes[16 * PERMUTED_BLOCKS];
    product_table t;
    hash power = key;
    word sum[16];

    for (int n = 1; n < PERMUTED_BLOCKS; n *= 2)
        power = ghash_multiply(power, power);
    product_table_of(&t, power);

    /* Adds the earlier hash to the first block. */
    memcpy(bytes, p, sizeof bytes);
    const hash first = reversed ? hash_load(p) : hash_load_little(p);
    y = (hash){.low = y.low ^ first.low, .high = y.high ^ first.high};
    if (reversed) {
        hash_store(bytes, y);
    } else {
        store_le64(bytes, y.low);
        store_le64(bytes + 8, y.high);
    }
    PERMUTED(load_bytes)(sum, bytes, reversed);
    for (size_t done = PERMUTED_BLOCKS; done < blocks; done += PERMUTED_BLOCKS) {
        word x[16];
        PERMUTED(load_bytes)(x, p + 16 * done, reversed);
        PERMUTED(multiply)(sum, &t);
        RIJN_UNROLL
        for (int i = 0; i < 16; i++)
            sum[i] ^= x[i];
    }
    PERMUTED(store_bytes)(bytes, sum, reversed);
    const hash zero = {0, 0};
    return multiply_blocks(key, zero, bytes, PERMUTED_BLOCKS, reversed);
}

#undef word
#undef PERMUTED
#undef permute
#undef every
#undef interleave_low
#undef interleave_high
