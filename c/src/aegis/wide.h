/* The operations of blocks.h on wide registers. Include after defining the rounds of
 * x86/aes_rounds.h, AEGIS_STACK and WITH_ZMM. WITH_ZMM is 1 for registers of 512 bits and the
 * instructions that AVX-512F, BW and VL have for narrower ones, 0 with AVX2. */
#include "kernel.h"
#include "xmm.h"

/* 128L is folded. Folding would make 256 slower (blocks.h). */
#if WITH_ZMM
#define LANES (DEGREE == 1 ? (BLOCKS == 8 ? 2 : 1) : DEGREE)
#else
#define LANES (DEGREE == 1 && BLOCKS == 6 ? 1 : 2)
#endif

typedef __m256i block_2;

#if VECS_IN_REGISTERS && !defined(AEGIS_ONCE)
#define KEEP_REGISTER(x) __asm__("" : "+x"(x))
#define AFTER_REGISTER(x, y) __asm__("" : "+x"(x) : "x"(y))
#endif

RIJN_INLINE block_2 read_block_2(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

RIJN_INLINE void write_block_2(uint8_t *p, block_2 x)
{
    _mm256_storeu_si256((__m256i *)(void *)p, x);
}

#define xor_blocks_2 _mm256_xor_si256
#define and_blocks_2 _mm256_and_si256
#define spread_block_2 _mm256_broadcastsi128_si256
#define low_block _mm256_castsi256_si128

RIJN_INLINE block_2 join_blocks(block x, block y)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(x), y, 1);
}

RIJN_INLINE block high_block(block_2 x)
{
    return _mm256_extracti128_si256(x, 1);
}

RIJN_INLINE block_2 turn_blocks(block_2 x)
{
    return _mm256_permute2x128_si256(x, x, 1);
}

#if WITH_ZMM
#define xor3_blocks(x, y, z) _mm_ternarylogic_epi64(x, y, z, 0x96)
#define xor_and_blocks(x, y, z) _mm_ternarylogic_epi64(x, y, z, 0x78)
#define xor3_blocks_2(x, y, z) _mm256_ternarylogic_epi64(x, y, z, 0x96)
#define xor_and_blocks_2(x, y, z) _mm256_ternarylogic_epi64(x, y, z, 0x78)

typedef __m512i block_4;

RIJN_INLINE block_4 read_block_4(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

RIJN_INLINE void write_block_4(uint8_t *p, block_4 x)
{
    _mm512_storeu_si512(p, x);
}

#define xor_blocks_4 _mm512_xor_si512
#define and_blocks_4 _mm512_and_si512
#define spread_block_4 _mm512_broadcast_i32x4
#define xor3_blocks_4(x, y, z) _mm512_ternarylogic_epi64(x, y, z, 0x96)
#define xor_and_blocks_4(x, y, z) _mm512_ternarylogic_epi64(x, y, z, 0x78)

RIJN_INLINE block_4 gather_blocks_4(const block x[4])
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(join_blocks(x[0], x[1])),
                              join_blocks(x[2], x[3]), 1);
}

RIJN_INLINE void scatter_blocks_4(block x[4], block_4 y)
{
    const block_2 high = _mm512_extracti64x4_epi64(y, 1);
    x[0] = _mm512_castsi512_si128(y);
    x[1] = high_block(_mm512_castsi512_si256(y));
    x[2] = low_block(high);
    x[3] = high_block(high);
}

/* Returns y in lanes with a set bit, x elsewhere. */
RIJN_INLINE block_4 choose_blocks_4(unsigned lanes, block_4 x, block_4 y)
{
    const unsigned halves =
        3 * ((lanes & 1) | (lanes & 2) << 1 | (lanes & 4) << 2 | (lanes & 8) << 3);
    return _mm512_mask_mov_epi64(x, (__mmask8)halves, y);
}

/* Returns a mask with a bit for each of the first `size` bytes. */
RIJN_INLINE uint64_t first_bytes(size_t size, size_t most)
{
    return size < most ? ((uint64_t)1 << size) - 1 : ~(uint64_t)0;
}

#define ENDS(lanes, type, mask, load, store, move) \
    RIJN_INLINE type read_end##lanes(const uint8_t *p, size_t size) \
    { \
        return load((mask)first_bytes(size, sizeof(type)), p); \
    } \
    RIJN_INLINE void write_end##lanes(uint8_t *p, size_t size, type x) \
    { \
        store(p, (mask)first_bytes(size, sizeof(type)), x); \
    } \
    RIJN_INLINE type clip_block##lanes(type x, size_t size) \
    { \
        return move((mask)first_bytes(size, sizeof(type)), x); \
    }
ENDS(, block, __mmask16, _mm_maskz_loadu_epi8, _mm_mask_storeu_epi8, _mm_maskz_mov_epi8)
ENDS(_2, block_2, __mmask32, _mm256_maskz_loadu_epi8, _mm256_mask_storeu_epi8,
     _mm256_maskz_mov_epi8)
ENDS(_4, block_4, __mmask64, _mm512_maskz_loadu_epi8, _mm512_mask_storeu_epi8,
     _mm512_maskz_mov_epi8)
#undef ENDS

#else
#define xor3_blocks(x, y, z) xor_blocks(x, xor_blocks(y, z))
#define xor_and_blocks(x, y, z) xor_blocks(x, and_blocks(y, z))
#define xor3_blocks_2(x, y, z) xor_blocks_2(x, xor_blocks_2(y, z))
#define xor_and_blocks_2(x, y, z) xor_blocks_2(x, and_blocks_2(y, z))
#endif

#define AEGIS_ENDS WITH_ZMM
#define BLOCK_REGISTERS 0 /* the states of one register are in flight together */
#define BLOCK_TERNARY WITH_ZMM
#define AEGIS_MEMORY 0
#define AEGIS_SHARED 0
#define AEGIS_OPERATIONS "blocks.h"
#define AEGIS_PACKED (WITH_ZMM ? 2048 : 0)
#include "aegis.h"
