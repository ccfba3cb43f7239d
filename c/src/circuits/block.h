/* A block in a register of 16 bytes, as a vector type of gcc and clang (vector_size), which they have
 * for every machine. For little-endian machines only. */
#ifndef RIJN_CIRCUITS_BLOCK_H
#define RIJN_CIRCUITS_BLOCK_H

#include "../backend.h"
#include "../bytes.h"

typedef uint8_t block __attribute__((vector_size(16)));
typedef uint32_t block_words __attribute__((vector_size(16)));
typedef uint64_t block_longs __attribute__((vector_size(16)));

RIJN_INLINE block block_load(const uint8_t *p)
{
    block x;
    memcpy(&x, p, sizeof x);
    return x;
}

RIJN_INLINE void block_store(uint8_t *p, block x)
{
    memcpy(p, &x, sizeof x);
}

RIJN_INLINE block block_pair(uint64_t a, uint64_t b)
{
    return (block)(block_longs){a, b};
}

RIJN_INLINE block block_halves(block a, block b)
{
    return (block)__builtin_shufflevector((block_longs)a, (block_longs)b, 0, 2);
}

RIJN_INLINE block block_xor(block a, block b)
{
    return a ^ b;
}

RIJN_INLINE block block_and(block a, block b)
{
    return a & b;
}

/* Returns the lower, or upper, eight bytes of a and b alternately. */
RIJN_INLINE block block_interleave_low(block a, block b)
{
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

RIJN_INLINE block block_interleave_high(block a, block b)
{
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
}

#endif
