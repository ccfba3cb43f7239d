/* Integers in byte strings, and XOR of byte strings. Loads and stores need no alignment, and mean
 * the same on big- and little-endian machines. All are inlined: gcc -O1 would call them, and around
 * a call every vec goes to the stack. */
#ifndef RIJN_BYTES_H
#define RIJN_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "backend.h"

RIJN_INLINE uint16_t load_le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

RIJN_INLINE uint32_t load_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

RIJN_INLINE void store_le32(uint8_t *p, uint32_t x)
{
    p[0] = (uint8_t)x;
    p[1] = (uint8_t)(x >> 8);
    p[2] = (uint8_t)(x >> 16);
    p[3] = (uint8_t)(x >> 24);
}

RIJN_INLINE uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

RIJN_INLINE void store_be32(uint8_t *p, uint32_t x)
{
    p[0] = (uint8_t)(x >> 24);
    p[1] = (uint8_t)(x >> 16);
    p[2] = (uint8_t)(x >> 8);
    p[3] = (uint8_t)x;
}

/* Returns x with its bytes reversed. */
RIJN_INLINE uint32_t swap32(uint32_t x)
{
    uint8_t bytes[4];
    store_be32(bytes, x);
    return load_le32(bytes);
}

RIJN_INLINE uint64_t load_le64(const uint8_t *p)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t x;
    memcpy(&x, p, 8); /* gcc does not always make one load of eight bytes */
    return x;
#else
    return (uint64_t)load_le32(p) | (uint64_t)load_le32(p + 4) << 32;
#endif
}

RIJN_INLINE void store_le64(uint8_t *p, uint64_t x)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(p, &x, 8); /* gcc would collect neighbouring stores of single bytes in a vector */
#else
    store_le32(p, (uint32_t)x);
    store_le32(p + 4, (uint32_t)(x >> 32));
#endif
}

/* Returns x with its bytes reversed. */
RIJN_INLINE uint64_t swap64(uint64_t x)
{
    return __builtin_bswap64(x);
}

RIJN_INLINE uint64_t load_be64(const uint8_t *p)
{
    return swap64(load_le64(p));
}

RIJN_INLINE void store_be64(uint8_t *p, uint64_t x)
{
    store_le64(p, swap64(x));
}

/* Loads the `size` bytes at p, 0 < size < 16, and then zeros: LE64(*first) || LE64(*second). Takes
 * at most three loads, so that no load waits for stores of single bytes. */
RIJN_INLINE void load_part(uint64_t *first, uint64_t *second, const uint8_t *p, size_t size)
{
    if (RIJN_WITH_SMALL_CODE) {
        uint8_t bytes[16] = {0};
        memcpy(bytes, p, size);
        *first = load_le64(bytes);
        *second = load_le64(bytes + 8);
        return;
    }
    *second = 0;
    if (size >= 8) {
        *first = load_le64(p);
        if (size > 8) /* of the last eight bytes, those after the first eight of all */
            *second = load_le64(p + size - 8) >> 8 * (16 - size);
    } else if (size >= 4) {
        *first = load_le32(p) | (uint64_t)load_le32(p + size - 4) << 8 * (size - 4);
    } else {
        *first = p[0] | (uint64_t)p[size / 2] << 8 * (size / 2) |
                 (uint64_t)p[size - 1] << 8 * (size - 1);
    }
}

/* Stores the first `size` bytes of LE64(first) || LE64(second), 0 < size < 16, and nothing more. */
RIJN_INLINE void store_part(uint8_t *p, size_t size, uint64_t first, uint64_t second)
{
    if (RIJN_WITH_SMALL_CODE) {
        uint8_t bytes[16];
        store_le64(bytes, first);
        store_le64(bytes + 8, second);
        memcpy(p, bytes, size);
        return;
    }
    if (size >= 8) {
        store_le64(p, first);
        if (size > 8)
            store_le64(p + size - 8, first >> 8 * (size - 8) | second << 8 * (16 - size));
    } else if (size >= 4) {
        store_le32(p, (uint32_t)first);
        store_le32(p + size - 4, (uint32_t)(first >> 8 * (size - 4)));
    } else {
        p[0] = (uint8_t)first;
        p[size / 2] = (uint8_t)(first >> 8 * (size / 2));
        p[size - 1] = (uint8_t)(first >> 8 * (size - 1));
    }
}

/* Copies n bytes, whole blocks first. A later load of a block then finds one recent store; a load
 * from two recent stores of half its size would wait until both are done. */
static inline void copy_blocks(uint8_t *to, const uint8_t *from, size_t n)
{
    for (; n >= 16; n -= 16, to += 16, from += 16)
        memcpy(to, from, 16);
    if (n)
        memcpy(to, from, n);
}

/* Computes out = a XOR b, `size` bytes. out may be a or b. */
RIJN_ONCE_IF_SMALL void xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t size)
{
    size_t i = 0;
    for (; size - i >= 8; i += 8) {
        uint64_t x, y;
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        x ^= y;
        memcpy(out + i, &x, 8);
    }
    for (; i < size; i++)
        out[i] = a[i] ^ b[i];
}

#endif
