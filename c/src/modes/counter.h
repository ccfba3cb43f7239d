/* A counter block all of whose bits count, big-endian (EAX, CCM). It may be a secret: no
 * branch asks what it is. */
#ifndef RIJN_COUNTER_H
#define RIJN_COUNTER_H

#include "../bytes.h"
#include "../ct.h"

typedef struct {
    uint64_t high, low;
} counter128;

static inline counter128 counter_load(const uint8_t bytes[16])
{
    return (counter128){.high = load_be64(bytes), .low = load_be64(bytes + 8)};
}

static inline void counter_store(uint8_t bytes[16], counter128 counter)
{
    store_be64(bytes, counter.high);
    store_be64(bytes + 8, counter.low);
}

static inline counter128 counter_next(counter128 counter)
{
    /* A step that a compiler knew would let it count a loop by the counter. What carries
     * loses its highest bit. */
    const uint64_t low = counter.low + ct_opaque(1);
    const uint32_t carry = ct_opaque((uint32_t)((counter.low & ~low) >> 63));
    return (counter128){.high = counter.high + carry, .low = low};
}

#endif
