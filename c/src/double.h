/* Doubling in GF(2^128) modulo x^128 + x^7 + x^2 + x + 1, without branches, for both ways to read a
 * block as a polynomial. */
#ifndef RIJN_DOUBLE_H
#define RIJN_DOUBLE_H

#include "bytes.h"
#include "ct.h"

/* The first bit of byte 0 is the highest power: CMAC (SP 800-38B section 5.3), so also SIV, EAX and
 * XAES, and OCB3 (RFC 7253 section 2). out may be in. */
static inline void double_be(uint8_t out[16], const uint8_t in[16])
{
    const uint64_t high = load_be64(in), low = load_be64(in + 8);

    store_be64(out, high << 1 | low >> 63);
    store_be64(out + 8, low << 1 ^ (0x87 & ct_mask64(high >> 63)));
}

/* The highest bit of byte 15 is the highest power: XTS (IEEE 1619 section 5.2). out may be in. */
static inline void double_le(uint8_t out[16], const uint8_t in[16])
{
    const uint64_t low = load_le64(in), high = load_le64(in + 8);

    store_le64(out, low << 1 ^ (0x87 & ct_mask64(high >> 63)));
    store_le64(out + 8, high << 1 | low >> 63);
}

#endif
