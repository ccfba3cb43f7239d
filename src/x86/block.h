/* A block in an xmm register. Include where the target has pclmul and ssse3. */
#ifndef RIJN_X86_BLOCK_H
#define RIJN_X86_BLOCK_H

#include <tmmintrin.h>
#include <wmmintrin.h>

#include "../backend.h"
#include "../bytes.h"
#include "../ct.h"

typedef __m128i block;

/* What a function saves of these registers: on Windows ten belong to its caller. */
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

#define block_halves _mm_unpacklo_epi64
#define block_and _mm_and_si128
#define block_xor _mm_xor_si128

/* The size bytes at p, 1 to 16, and zeros behind them. */
RIJN_INLINE __m128i block_up_to(const uint8_t *p, size_t size)
{
    uint64_t first, second;

    if (size == 16)
        return block_load(p);
    load_part(&first, &second, p, size);
    return block_pair(first, second);
}

/* The shuffle that turns a block around. */
RIJN_INLINE __m128i reverse_order(void)
{
    return _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

RIJN_INLINE __m128i byte_reverse(__m128i x)
{
    return _mm_shuffle_epi8(x, reverse_order());
}

/* The POLYVAL key that does what GHASH's H does (RFC 8452 appendix A): H byte-reversed,
 * times x: shifted left by one bit, and the modulus off if a bit fell out. */
RIJN_INLINE __m128i polyval_key(const uint8_t h[16])
{
    const __m128i one = byte_reverse(block_load(h)), carries = _mm_srli_epi64(one, 63);
    const __m128i fell = _mm_set1_epi32((int)ct_mask32((uint32_t)_mm_extract_epi16(carries, 4)));
    const __m128i modulus = _mm_set_epi32((int)0xc2000000, 0, 0, 1);

    return _mm_xor_si128(_mm_or_si128(_mm_slli_epi64(one, 1), _mm_slli_si128(carries, 8)),
                         _mm_and_si128(fell, modulus));
}

/* ---- What carryless/ghash.h asks for ---- */

#define clmul_low(x, y) _mm_clmulepi64_si128(x, y, 0x00)
#define clmul_high(x, y) _mm_clmulepi64_si128(x, y, 0x11)
#define half_load(p) _mm_loadl_epi64((const __m128i *)(const void *)(p))
#define swap_halves(x) _mm_shuffle_epi32(x, 0x4e)
#define half_up(x) _mm_slli_si128(x, 8)
#define half_down(x) _mm_srli_si128(x, 8)
#define second_halves _mm_unpackhi_epi64

/* A product and its reduction, of one block by another. */
#define NATIVE_POLYVAL_TIMES
RIJN_INLINE __m128i polyval_times(__m128i x, __m128i h)
{
    const __m128i modulus = _mm_set_epi32(0, 0, (int)0xc2000000, 0);
    const __m128i middle =
        _mm_xor_si128(_mm_clmulepi64_si128(x, h, 0x01), _mm_clmulepi64_si128(x, h, 0x10));
    const __m128i high = _mm_xor_si128(_mm_clmulepi64_si128(x, h, 0x11), _mm_srli_si128(middle, 8));
    __m128i low = _mm_xor_si128(_mm_clmulepi64_si128(x, h, 0x00), _mm_slli_si128(middle, 8));

    for (int i = 0; i < 2; i++)
        low = _mm_xor_si128(_mm_shuffle_epi32(low, 0x4e), _mm_clmulepi64_si128(low, modulus, 0x00));
    return _mm_xor_si128(high, low);
}

/* ---- GHASH's accumulator ---- */

typedef __m128i hash; /* byte-reversed */

RIJN_INLINE __m128i hash_load(const uint8_t bytes[16])
{
    return byte_reverse(block_load(bytes));
}

RIJN_INLINE void hash_store(uint8_t bytes[16], __m128i y)
{
    block_store(bytes, byte_reverse(y));
}

#endif
