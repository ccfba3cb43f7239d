/* tweak_chain of backend.h, for backends that have no faster one: makes the tweaks of XTS one after
 * the other, in integers. Include after the constants. */
#ifndef RIJN_TWEAK_CHAIN_H
#define RIJN_TWEAK_CHAIN_H

#include "bytes.h"
#include "ct.h"
#include "sizes.h"

typedef struct {
    uint64_t low, high;
} tweak_chain;

RIJN_INLINE tweak_chain tweak_load(const uint8_t first[16])
{
    return (tweak_chain){.low = load_le64(first), .high = load_le64(first + 8)};
}

/* Writes the next batch of tweaks to t. On return, *next is the tweak after them. */
RIJN_INLINE void tweaks(uint8_t *t, tweak_chain *next)
{
    uint64_t low = next->low, high = next->high;

    RIJN_UNROLL
    for (int i = 0; i < BATCH_BLOCKS; i++) {
        const uint64_t carry = 0x87 & ct_mask64(high >> 63);
        store_le64(t + 16 * i, low);
        store_le64(t + 16 * i + 8, high);
        high = high << 1 | low >> 63;
        low = low << 1 ^ carry;
    }
    *next = (tweak_chain){.low = low, .high = high};
}

#endif
