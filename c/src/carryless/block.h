/* Operations of ghash.h that are built from clmul_low(), clmul_high(), swap_halves(), half_up(),
 * half_down() and byte_reverse(), for processors without a faster way. Include after these and before
 * ghash.h. */
#ifndef RIJN_CARRYLESS_BLOCK_H
#define RIJN_CARRYLESS_BLOCK_H

#include "../bytes.h"
#include "../ct.h"

/* Returns the `size` bytes at p, 1 to 16, followed by zeros. */
RIJN_INLINE block block_up_to(const uint8_t *p, size_t size)
{
    uint64_t first, second;

    if (size == 16)
        return block_load(p);
    load_part(&first, &second, p, size);
    return block_pair(first, second);
}

/* Returns the POLYVAL key for GHASH's H (RFC 8452 appendix A): H byte-reversed, times x. Shifts
 * left by one bit, and subtracts the modulus if a bit was shifted out. */
RIJN_INLINE block polyval_key(const uint8_t h[16])
{
    const uint64_t low = load_be64(h + 8), high = load_be64(h);
    const uint64_t fell = ct_mask64(high >> 63);

    return block_pair(low << 1 ^ (fell & 1),
                      (high << 1 | low >> 63) ^ (fell & (uint64_t)0xc2 << 56));
}

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
