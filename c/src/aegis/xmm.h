/* The operations of blocks.h on blocks of ../x86/block.h that need no more than SSE4.1. */
#include "../x86/registers.h"

#define read_block block_load
#define write_block block_store
#define pair_block block_pair
#define xor_blocks _mm_xor_si128
#define and_blocks _mm_and_si128

/* Two loads, which compilers would merge, for a nonce in two halves (aegis.h). */
#define read_apart read_halves
RIJN_INLINE __m128i read_halves(const uint8_t *p)
{
    __m128i first = _mm_loadl_epi64((const __m128i *)(const void *)p);
    __asm__("" : "+x"(first));
    return _mm_castps_si128(
        _mm_loadh_pi(_mm_castsi128_ps(first), (const __m64 *)(const void *)(p + 8)));
}
