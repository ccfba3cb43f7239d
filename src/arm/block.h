/* A block in a vector register of 64-bit Arm. Include where the target has aes, which PMULL of 64
 * bits is a part of to compilers. */
#ifndef RIJN_ARM_BLOCK_H
#define RIJN_ARM_BLOCK_H

#include "neon.h"

#include "../backend.h"
#include "../bytes.h"
#include "../ct.h"

typedef uint8x16_t block;

#define block_load vld1q_u8
#define block_store vst1q_u8
#define block_xor veorq_u8
#define block_and vandq_u8

RIJN_INLINE block block_pair(uint64_t a, uint64_t b)
{
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(a), vcreate_u64(b)));
}

RIJN_INLINE block block_halves(block x, block y)
{
    return vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(x), vreinterpretq_u64_u8(y)));
}

/* ---- What carryless/ghash.h asks for ---- */

RIJN_INLINE block second_halves(block x, block y)
{
    return vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(x), vreinterpretq_u64_u8(y)));
}

RIJN_INLINE block clmul_low(block x, block y)
{
    return vreinterpretq_u8_p128(vmull_p64((poly64_t)vgetq_lane_u64(vreinterpretq_u64_u8(x), 0),
                                           (poly64_t)vgetq_lane_u64(vreinterpretq_u64_u8(y), 0)));
}

RIJN_INLINE block clmul_high(block x, block y)
{
    return vreinterpretq_u8_p128(vmull_high_p64(vreinterpretq_p64_u8(x), vreinterpretq_p64_u8(y)));
}

RIJN_INLINE block half_load(const uint8_t *p)
{
    return vcombine_u8(vld1_u8(p), vdup_n_u8(0));
}

RIJN_INLINE block swap_halves(block x)
{
    return vextq_u8(x, x, 8);
}

RIJN_INLINE block half_up(block x)
{
    return vextq_u8(vdupq_n_u8(0), x, 8);
}

RIJN_INLINE block half_down(block x)
{
    return vextq_u8(x, vdupq_n_u8(0), 8);
}

RIJN_INLINE block byte_reverse(block x)
{
    return swap_halves(vrev64q_u8(x));
}

/* The size bytes at p, 1 to 16, and zeros behind them. */
RIJN_INLINE block block_up_to(const uint8_t *p, size_t size)
{
    uint64_t first, second;

    if (size == 16)
        return block_load(p);
    load_part(&first, &second, p, size);
    return block_pair(first, second);
}

/* The POLYVAL key that does what GHASH's H does (RFC 8452 appendix A): H byte-reversed,
 * times x: shifted left by one bit, and the modulus off if a bit fell out. */
RIJN_INLINE block polyval_key(const uint8_t h[16])
{
    const uint64_t low = load_be64(h + 8), high = load_be64(h);
    const uint64_t fell = ct_mask64(high >> 63);

    return block_pair(low << 1 ^ (fell & 1),
                      (high << 1 | low >> 63) ^ (fell & (uint64_t)0xc2 << 56));
}

#define NATIVE_POLYVAL_TIMES
RIJN_INLINE block polyval_times(block x, block h)
{
    const block modulus = block_pair((uint64_t)0xc2 << 56, 0), turned = swap_halves(x);
    const block middle = block_xor(clmul_low(turned, h), clmul_high(turned, h));
    const block high = block_xor(clmul_high(x, h), half_down(middle));
    block low = block_xor(clmul_low(x, h), half_up(middle));

    for (int i = 0; i < 2; i++)
        low = block_xor(swap_halves(low), clmul_low(low, modulus));
    return block_xor(high, low);
}

/* ---- GHASH's accumulator ---- */

typedef block hash; /* byte-reversed */

RIJN_INLINE hash hash_load(const uint8_t bytes[16])
{
    return byte_reverse(block_load(bytes));
}

RIJN_INLINE void hash_store(uint8_t bytes[16], hash y)
{
    block_store(bytes, byte_reverse(y));
}

#endif
