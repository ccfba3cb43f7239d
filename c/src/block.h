/* A block as two little-endian integers, for backends without registers of 16 bytes. It is passed
 * by value in a pair of registers; an array of bytes would be in memory. A file that defines
 * WITH_INTEGER_LOADS has its own integer_load(p) and integer_store(p, x) in place of load_le64 and
 * store_le64. */
#ifndef RIJN_BLOCK_H
#define RIJN_BLOCK_H

#include "backend.h"
#include "bytes.h"

#ifndef WITH_INTEGER_LOADS
#define integer_load load_le64
#define integer_store store_le64
#endif

typedef struct {
    uint64_t first, second;
} block;

RIJN_INLINE block block_load(const uint8_t *p)
{
    return (block){integer_load(p), integer_load(p + 8)};
}

RIJN_INLINE void block_store(uint8_t *p, block x)
{
    integer_store(p, x.first);
    integer_store(p + 8, x.second);
}

RIJN_INLINE block block_pair(uint64_t a, uint64_t b)
{
    return (block){a, b};
}

RIJN_INLINE block block_halves(block a, block b)
{
    return (block){a.first, b.first};
}

RIJN_INLINE block block_and(block x, block y)
{
    return (block){x.first & y.first, x.second & y.second};
}

RIJN_INLINE block block_xor(block x, block y)
{
    return (block){x.first ^ y.first, x.second ^ y.second};
}

#endif
