/* GHASH (SP 800-38D section 6.4) in constant time, without special instructions.
 *
 * It is computed as POLYVAL (RFC 8452 appendix A). Blocks are read as big-endian integers, so the
 * coefficient of x^0 is the highest bit, and H is replaced by x * H. Then a product is a carry-less
 * multiplication and a Montgomery reduction modulo x^128 + x^127 + x^126 + x^121 + 1. */
#ifndef RIJN_GHASH_H
#define RIJN_GHASH_H

#include "../bytes.h"
#include "../ct.h"
#include "clmul.h"

typedef struct {
    uint64_t low, high;
} hash;

RIJN_INLINE hash hash_load(const uint8_t bytes[16])
{
    return (hash){.low = load_be64(bytes + 8), .high = load_be64(bytes)};
}

/* Loads a block of POLYVAL, which is little-endian. */
RIJN_INLINE hash hash_load_little(const uint8_t bytes[16])
{
    return (hash){.low = load_le64(bytes), .high = load_le64(bytes + 8)};
}

RIJN_INLINE void hash_store(uint8_t bytes[16], hash y)
{
    store_be64(bytes, y.high);
    store_be64(bytes + 8, y.low);
}

/* Returns x * H: a shift by one bit, and the modulus subtracted if a bit was shifted out. */
RIJN_INLINE hash ghash_key(const uint8_t h[16])
{
    const hash one = hash_load(h);
    const uint64_t fell = ct_mask64(one.high >> 63);

    return (hash){.low = one.low << 1 ^ (fell & 1),
                  .high = (one.high << 1 | one.low >> 63) ^ (fell & (uint64_t)0xc2 << 56)};
}

/* Returns a * b * x^-128 with Karatsuba's three multiplications of 64 bits. */
RIJN_INLINE hash ghash_multiply(hash a, hash b)
{
    uint64_t r0, r1, r2, r3, m0, m1;

    clmul64(&r1, &r0, a.low, b.low);
    clmul64(&r3, &r2, a.high, b.high);
    clmul64(&m1, &m0, a.low ^ a.high, b.low ^ b.high);
    m0 ^= r0 ^ r2;
    m1 ^= r1 ^ r3;
    r1 ^= m0;
    r2 ^= m1;
    /* Cancels r0, then r1, by adding multiples of the modulus. Its middle terms are 7, 2 and 1 places
     * below x^128. */
    r1 ^= r0 << 63 ^ r0 << 62 ^ r0 << 57;
    r2 ^= r0 ^ r0 >> 1 ^ r0 >> 2 ^ r0 >> 7;
    r2 ^= r1 << 63 ^ r1 << 62 ^ r1 << 57;
    r3 ^= r1 ^ r1 >> 1 ^ r1 >> 2 ^ r1 >> 7;
    return (hash){.low = r2, .high = r3};
}

/* y = (y XOR X) * H for each of the blocks X at p. Blocks have GHASH's order of bytes if `reversed`,
 * otherwise POLYVAL's. */
RIJN_INLINE hash multiply_blocks(hash key, hash y, const uint8_t *p, size_t blocks, bool reversed)
{
    for (; blocks; blocks--, p += 16) {
        const hash x = reversed ? hash_load(p) : hash_load_little(p);
        y = ghash_multiply(key, (hash){.low = y.low ^ x.low, .high = y.high ^ x.high});
    }
    return y;
}

#endif
