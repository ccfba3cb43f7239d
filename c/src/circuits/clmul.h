/* Carry-less multiplication of 64-bit polynomials over GF(2) in constant time, with integer
 * multiplications.
 *
 * An integer product is the carry-less product plus carries. If only every fourth bit of the factors
 * may be set, the lowest of each four bits of the product is a sum of at most 15 partial products
 * modulo 2. The carries stay in the three bits above it, which are masked away. So each factor is
 * split into four, a & 0x1111…, a & 0x2222…, and the 16 products are collected by the sum of their
 * offsets modulo 4. (Pornin, "BearSSL: constant-time crypto", section GHASH; the choice of four bits
 * and 128-bit products is known from BoringSSL.)
 *
 * This is constant time only if the multiplication instruction is. The code assumes so; it is true of
 * 64-bit processors and of most 32-bit ones, not of some PowerPC. The multiplication of Cortex-M3 with
 * 64-bit products ends early for some factors, and Cortex-M0 has none. There (RIJN_SHORT_PRODUCTS) the
 * code uses the lower halves of products, which take the same time for all factors. On Cortex-M4 this
 * also takes fewer instructions. */
#ifndef RIJN_CLMUL_H
#define RIJN_CLMUL_H

#include "../backend.h"
#include "../ct.h"

#if defined(__SIZEOF_INT128__) && !defined(RIJN_NO_INT128)

__extension__ typedef unsigned __int128 uint128;

/* 64 bits have 16 groups of four, one too many to sum without overflow. So the lowest four bits of `a`
 * are multiplied separately, with masks. Pass as `a` the operand that stays the same for many calls. */
RIJN_INLINE void clmul64(uint64_t *high, uint64_t *low, uint64_t a, uint64_t b)
{
    const uint64_t every = 0x1111111111111111;
    const uint64_t a0 = a & (every << 4), a1 = a & (every << 5);
    const uint64_t a2 = a & (every << 6), a3 = a & (every << 7);
    const uint64_t b0 = b & every, b1 = b & every << 1, b2 = b & every << 2, b3 = b & every << 3;
    const uint128 m = (uint128)every << 64 | every;
    uint128 sum = 0;

    sum |= ((uint128)a0 * b0 ^ (uint128)a1 * b3 ^ (uint128)a2 * b2 ^ (uint128)a3 * b1) & m;
    sum |= ((uint128)a0 * b1 ^ (uint128)a1 * b0 ^ (uint128)a2 * b3 ^ (uint128)a3 * b2) & m << 1;
    sum |= ((uint128)a0 * b2 ^ (uint128)a1 * b1 ^ (uint128)a2 * b0 ^ (uint128)a3 * b3) & m << 2;
    sum |= ((uint128)a0 * b3 ^ (uint128)a1 * b2 ^ (uint128)a2 * b1 ^ (uint128)a3 * b0) & m << 3;
    RIJN_UNROLL
    for (int i = 0; i < 4; i++)
        sum ^= (uint128)(b & ct_mask64(a >> i & 1)) << i;
    *high = (uint64_t)(sum >> 64);
    *low = (uint64_t)sum;
}

#else

#if defined(__ARM_ARCH_PROFILE) && !defined(RIJN_SHORT_PRODUCTS)
#if __ARM_ARCH_PROFILE == 'M'
#define RIJN_SHORT_PRODUCTS
#endif
#endif

#ifdef RIJN_SHORT_PRODUCTS

/* Returns the bits of x in reverse order. */
RIJN_INLINE uint32_t reverse_bits(uint32_t x)
{
#if defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB == 2
    __asm__("rbit %0, %0" : "+r"(x));
    return x;
#else
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
#endif
}

/* Returns the lower half of the product. 32 bits have eight groups of four, so no sum overflows. */
static uint32_t clmul_low(uint32_t a, uint32_t b)
{
    const uint32_t every = 0x11111111;
    const uint32_t a0 = a & every, a1 = a & every << 1, a2 = a & every << 2, a3 = a & every << 3;
    const uint32_t b0 = b & every, b1 = b & every << 1, b2 = b & every << 2, b3 = b & every << 3;

    return ((a0 * b0 ^ a1 * b3 ^ a2 * b2 ^ a3 * b1) & every) |
           ((a0 * b1 ^ a1 * b0 ^ a2 * b3 ^ a3 * b2) & every << 1) |
           ((a0 * b2 ^ a1 * b1 ^ a2 * b0 ^ a3 * b3) & every << 2) |
           ((a0 * b3 ^ a1 * b2 ^ a2 * b1 ^ a3 * b0) & every << 3);
}

/* The upper half is the lower half of the product of the reversed factors, reversed as one of 63 bits. */
RIJN_INLINE uint64_t clmul32(uint32_t a, uint32_t b)
{
    const uint32_t low = clmul_low(a, b);
    const uint32_t high = reverse_bits(clmul_low(reverse_bits(a), reverse_bits(b))) >> 1;
    return (uint64_t)high << 32 | low;
}

#else

/* 32 bits have eight groups of four, so no sum overflows. */
RIJN_INLINE uint64_t clmul32(uint32_t a, uint32_t b)
{
    const uint32_t every = 0x11111111;
    const uint64_t a0 = a & every, a1 = a & every << 1, a2 = a & every << 2, a3 = a & every << 3;
    const uint64_t b0 = b & every, b1 = b & every << 1, b2 = b & every << 2, b3 = b & every << 3;
    const uint64_t m = 0x1111111111111111;

    return ((a0 * b0 ^ a1 * b3 ^ a2 * b2 ^ a3 * b1) & m) |
           ((a0 * b1 ^ a1 * b0 ^ a2 * b3 ^ a3 * b2) & m << 1) |
           ((a0 * b2 ^ a1 * b1 ^ a2 * b0 ^ a3 * b3) & m << 2) |
           ((a0 * b3 ^ a1 * b2 ^ a2 * b1 ^ a3 * b0) & m << 3);
}

#endif

RIJN_ONCE_IF_SMALL void clmul64(uint64_t *high, uint64_t *low, uint64_t a, uint64_t b)
{
    const uint32_t a0 = (uint32_t)a, a1 = (uint32_t)(a >> 32);
    const uint32_t b0 = (uint32_t)b, b1 = (uint32_t)(b >> 32);
    const uint64_t l = clmul32(a0, b0), h = clmul32(a1, b1);
    const uint64_t middle = clmul32(a0 ^ a1, b0 ^ b1) ^ l ^ h; /* Karatsuba */

    *high = h ^ middle >> 32;
    *low = l ^ middle << 32;
}

#endif

#endif
