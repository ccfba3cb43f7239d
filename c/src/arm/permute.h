/* The permutation of bytes (circuits/permuted.h) that every 64-bit Arm processor has. Include after
 * circuits/block.h. */
#ifndef RIJN_ARM_PERMUTE_H
#define RIJN_ARM_PERMUTE_H

#include <arm_neon.h>

RIJN_INLINE block permute_block(block x, block index)
{
    return (block)vqtbl1q_u8((uint8x16_t)x, (uint8x16_t)index);
}

#define constant_block block_load

#endif
