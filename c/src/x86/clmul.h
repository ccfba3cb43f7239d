/* GHASH and POLYVAL with PCLMULQDQ: products of blocks, the key and the accumulator. Include where the target has pclmul and ssse3. */
#ifndef RIJN_X86_CLMUL_H
#define RIJN_X86_CLMUL_H

#include <wmmintrin.h>

#include "../ct.h"
#include "block.h"

/* Returns the POLYVAL key for GHASH's H (RFC 8452 appendix A): H byte-reversed, times x. Shifts
 * left by one bit, and subtracts the modulus if a bit was shifted out. */
RIJN_INLINE __m128i polyval_key(const uint8_t h[16])
{
    const __m128i one = byte_reverse(block_load(h)), carries = _mm_srli_epi64(one, 63);
    const __m128i fell = _mm_set1_epi32((int)ct_mask32((uint32_t)_mm_extract_epi16(carries, 4)));
    const __m128i modulus = _mm_set_epi32((int)0xc2000000, 0, 0, 1);

    return _mm_xor_si128(_mm_or_si128(_mm_slli_epi64(one, 1), _mm_slli_si128(carries, 8)),
                         _mm_and_si128(fell, modulus));
}

/* ---- Operations for carryless/ghash.h ---- */

#define clmul_low(x, y) _mm_clmulepi64_si128(x, y, 0x00)
#define clmul_high(x, y) _mm_clmulepi64_si128(x, y, 0x11)
#define half_load(p) _mm_loadl_epi64((const __m128i *)(const void *)(p))
#define swap_halves(x) _mm_shuffle_epi32(x, 0x4e)
#define half_up(x) _mm_slli_si128(x, 8)
#define half_down(x) _mm_srli_si128(x, 8)
#define second_halves _mm_unpackhi_epi64

/* Returns the reduced product of two blocks. */
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
