/* A block in an xmm register. Include where the target has ssse3. */
#ifndef RIJN_X86_BLOCK_H
#define RIJN_X86_BLOCK_H

#include <tmmintrin.h>

#include "../backend.h"
#include "../bytes.h"

typedef __m128i block;

/* Bytes of stack for saved registers. On Windows a function must preserve ten of them. */
#if defined(_WIN64)
enum { SAVED_BLOCKS = 10 * 16 + 8 };
#else
enum { SAVED_BLOCKS = 0 };
#endif

RIJN_INLINE __m128i block_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

RIJN_INLINE void block_store(uint8_t *p, __m128i x)
{
    _mm_storeu_si128((__m128i *)(void *)p, x);
}

RIJN_INLINE void block_bypass(uint8_t *p, __m128i x)
{
    _mm_stream_si128((__m128i *)(void *)p, x);
}

RIJN_INLINE void bypass_end(void)
{
    _mm_sfence();
}

RIJN_INLINE __m128i block_pair(uint64_t a, uint64_t b)
{
    return _mm_set_epi64x((long long)b, (long long)a);
}

#if defined(__x86_64__)
RIJN_INLINE __m128i block_load_apart(const uint8_t *p)
{
    uint64_t first = load_le64(p), second = load_le64(p + 8);
    __asm__("" : "+r"(first), "+r"(second)); /* compilers merge neighbouring loads */
    return block_pair(first, second);
}
#endif

#define block_halves _mm_unpacklo_epi64
#define block_and _mm_and_si128
#define block_xor _mm_xor_si128

/* Returns the `size` bytes at p, 1 to 16, followed by zeros. */
RIJN_INLINE __m128i block_up_to(const uint8_t *p, size_t size)
{
    uint64_t first, second;

    if (size == 16)
        return block_load(p);
    load_part(&first, &second, p, size);
    return block_pair(first, second);
}

/* Returns the index of the shuffle that reverses the bytes of a block. */
RIJN_INLINE __m128i reverse_order(void)
{
    return _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

RIJN_INLINE __m128i byte_reverse(__m128i x)
{
    return _mm_shuffle_epi8(x, reverse_order());
}

#endif
