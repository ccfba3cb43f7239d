/* A block in a vector register of 64-bit Arm. Include where the target has aes, which for compilers
 * includes PMULL of 64 bits. */
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

/* ---- Operations for carryless/ghash.h ---- */

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

#endif
