/* GHASH with a table of the products of H and all values of four bits (Shoup). Include after
 * context.h, which holds the table. */
#ifndef RIJN_TABLES_GHASH_H
#define RIJN_TABLES_GHASH_H

#include "../bytes.h"

RIJN_INLINE hash hash_load(const uint8_t bytes[16])
{
    return (hash){.high = load_be64(bytes), .low = load_be64(bytes + 8)};
}

RIJN_INLINE void hash_store(uint8_t bytes[16], hash y)
{
    store_be64(bytes, y.high);
    store_be64(bytes + 8, y.low);
}

RIJN_INLINE hash hash_xor(hash a, hash b)
{
    return (hash){.high = a.high ^ b.high, .low = a.low ^ b.low};
}

/* Returns x * a. A bit that is shifted out is x^128 = x^7 + x^2 + x + 1, the bits 0xe1 at the
 * top. */
RIJN_INLINE hash times_x(hash a)
{
    return (hash){.high = a.high >> 1 ^ ((a.low & 1) * 0xe1) << 56,
                  .low = a.low >> 1 | a.high << 63};
}

static void ghash_init(context *c, const uint8_t h[16], size_t blocks)
{
    hash *const m = c->multiple;

    (void)blocks;
    m[0] = (hash){0, 0};
    m[8] = hash_load(h);
    for (int n = 4; n > 0; n /= 2)
        m[n] = times_x(m[2 * n]);
    for (int n = 2; n < 16; n *= 2)
        for (int i = 1; i < n; i++)
            m[n + i] = hash_xor(m[n], m[i]);
}

/* Multiplication by x^4 shifts out the coefficients of x^124 to x^127, the low four bits n. By
 * x^128 = 1 + x + x^2 + x^7 they come back as the top 16 bits FALLEN(n). */
#define FALLEN(n) \
    ((n & 1) * (0xe100 >> 3) ^ (n >> 1 & 1) * (0xe100 >> 2) ^ (n >> 2 & 1) * (0xe100 >> 1) ^ \
     (n >> 3) * 0xe100)
static const uint16_t fallen[16] = {
    FALLEN(0), FALLEN(1), FALLEN(2),  FALLEN(3),  FALLEN(4),  FALLEN(5),  FALLEN(6),  FALLEN(7),
    FALLEN(8), FALLEN(9), FALLEN(10), FALLEN(11), FALLEN(12), FALLEN(13), FALLEN(14), FALLEN(15)};

/* Returns y * x^4 + a. */
RIJN_INLINE hash next_group(hash y, hash a)
{
    const uint64_t top = fallen[y.low & 15];

    y.low = y.low >> 4 | y.high << 60;
    y.high = y.high >> 4 ^ top << 48;
    return hash_xor(y, a);
}

/* Applies Horner's rule to the 32 groups of four bits, the highest powers of x first. It reads
 * words of 32 bits, because 32-bit machines would have to shift two words for each group of a
 * longer one. */
static hash ghash(const context *c, hash y, const uint8_t *p, size_t blocks)
{
    const hash *const m = c->multiple;

    for (; blocks; blocks--, p += 16) {
        const hash x = hash_xor(y, hash_load(p));
        const uint32_t words[4] = {(uint32_t)x.low, (uint32_t)(x.low >> 32), (uint32_t)x.high,
                                   (uint32_t)(x.high >> 32)};
        y = (hash){0, 0};
        for (int i = 0; i < 4; i++) {
            uint32_t groups = words[i];
            for (int n = 0; n < 4; n++, groups >>= 8)
                y = next_group(next_group(y, m[groups & 15]), m[groups >> 4 & 15]);
        }
    }
    return y;
}

#include "../polyval_by_ghash.h"

#endif
