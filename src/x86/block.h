/* A block in an xmm register. Include where the target has ssse3. */
#ifndef RIJN_X86_BLOCK_H
#define RIJN_X86_BLOCK_H

#include <tmmintrin.h>

#include "../backend.h"

typedef __m128i block;

RIJN_INLINE __m128i block_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

RIJN_INLINE void block_store(uint8_t *p, __m128i x)
{
    _mm_storeu_si128((__m128i *)(void *)p, x);
}

RIJN_INLINE __m128i block_pair(uint64_t a, uint64_t b)
{
    return _mm_set_epi64x((long long)b, (long long)a);
}

#define block_xor _mm_xor_si128

RIJN_INLINE __m128i byte_reverse(__m128i x)
{
    return _mm_shuffle_epi8(x, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

#endif
