/* The operations of lanes.h by AES-NI. LANE_REGISTERS, LANE_TERNARY and AEGIS_PART are
 * its user's, who knows the instructions around it. */
#include <wmmintrin.h>

typedef __m128i lane;

RIJN_INLINE lane lane_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

RIJN_INLINE void lane_store(uint8_t *p, lane x)
{
    _mm_storeu_si128((__m128i *)(void *)p, x);
}

RIJN_INLINE lane lane_pair(uint64_t a, uint64_t b)
{
    return _mm_set_epi64x((long long)b, (long long)a);
}

#define lane_xor _mm_xor_si128
#define lane_and _mm_and_si128
#define lane_round _mm_aesenc_si128

#define AEGIS_INLINE RIJN_INLINE

#define AEGIS_STACK 512
#define AEGIS_OPERATIONS "lanes.h"
#include "aegis.h"
