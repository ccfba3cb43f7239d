/* PSHUFB in the form that circuits/permuted.h requires. Include where the target has ssse3, after
 * circuits/block.h. */
#ifndef RIJN_X86_PERMUTE_H
#define RIJN_X86_PERMUTE_H

#include <tmmintrin.h>

RIJN_INLINE block permute_block(block x, block index)
{
    return (block)_mm_shuffle_epi8((__m128i)x, (__m128i)index);
}

#define constant_block block_load

#endif
