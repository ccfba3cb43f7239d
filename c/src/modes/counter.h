/* A counter block as an integer of 128 bits, big-endian (EAX, CCM). It may be a secret, so no
 * branch depends on it. */
#ifndef RIJN_COUNTER_H
#define RIJN_COUNTER_H

#include "../bytes.h"
#include "../ct.h"

typedef struct {
    uint64_t high, low;
} counter128;

RIJN_INLINE counter128 counter_load(const uint8_t bytes[16])
{
    return (counter128){.high = load_be64(bytes), .low = load_be64(bytes + 8)};
}

RIJN_INLINE void counter_store(uint8_t bytes[16], counter128 counter)
{
    store_be64(bytes, counter.high);
    store_be64(bytes + 8, counter.low);
}

/* Adds `blocks`, fewer than 2^63. */
RIJN_INLINE counter128 counter_add(counter128 counter, uint64_t blocks)
{
    /* If the low half carries, its highest bit changes from 1 to 0. */
    const uint64_t low = counter.low + blocks;
    const uint32_t carry = ct_opaque((uint32_t)((counter.low & ~low) >> 63));
    return (counter128){.high = counter.high + carry, .low = low};
}

/* The step is hidden from the compiler, which could end a loop by the counter if it knew the
 * step. */
RIJN_INLINE counter128 counter_next(counter128 counter)
{
    return counter_add(counter, ct_opaque(1));
}

#endif
