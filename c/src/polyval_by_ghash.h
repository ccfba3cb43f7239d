/* The operations of backend.h on POLYVAL (RFC 8452 section 3), for backends that have no faster
 * ones. Include after ghash() and ghash_init().
 *
 * By RFC 8452 appendix A, POLYVAL(H, X) is the byte reversal of GHASH(x * reversed H, reversed X).
 * In GHASH's order of bits, multiplication by x is a shift to the right. The bit that is shifted
 * out is x^128 = x^7 + x^2 + x + 1. */
#ifndef RIJN_POLYVAL_BY_GHASH_H
#define RIJN_POLYVAL_BY_GHASH_H

#include "bytes.h"
#include "ct.h"

static inline void reverse_block(uint8_t out[16], const uint8_t in[16])
{
    const uint64_t first = load_be64(in), second = load_be64(in + 8);
    store_le64(out, second);
    store_le64(out + 8, first);
}

static inline void polyval_init(context *c, const uint8_t h[16], size_t blocks)
{
    const uint64_t low = load_le64(h), high = load_le64(h + 8);
    uint8_t key[16];

    store_be64(key, high >> 1 ^ ((uint64_t)0xe1 << 56 & ct_mask64(low & 1)));
    store_be64(key + 8, low >> 1 | high << 63);
    ghash_init(c, key, blocks);
}

static inline hash polyval(const context *c, hash y, const uint8_t *p, size_t blocks)
{
    uint8_t reversed[16 * 8];

    while (blocks) {
        const size_t n = blocks < 8 ? blocks : 8;
        for (size_t i = 0; i < n; i++)
            reverse_block(reversed + 16 * i, p + 16 * i);
        y = ghash(c, y, reversed, n);
        p += 16 * n, blocks -= n;
    }
    return y;
}

#endif
