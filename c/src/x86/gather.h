/* Blocks of several messages in the lanes of a vec, which may have only one. Include after the
 * templates of modes/modes.h. */
#ifndef RIJN_X86_GATHER_H
#define RIJN_X86_GATHER_H

#include "../batch.h"

RIJN_INLINE vec vec_of(const block x[VEC_BLOCKS])
{
#if VEC_BLOCKS == 1
    return x[0];
#elif VEC_BLOCKS == 4
    const __m512i low = _mm512_inserti32x4(_mm512_castsi128_si512(x[0]), x[1], 1);
    return _mm512_inserti32x4(_mm512_inserti32x4(low, x[2], 2), x[3], 3);
#else
    return _mm256_set_m128i(x[1], x[0]);
#endif
}

RIJN_INLINE void vec_blocks(block x[VEC_BLOCKS], vec v)
{
    x[0] = vec_first(v);
#if VEC_BLOCKS > 1
    x[1] = vec_second(v);
#endif
#if VEC_BLOCKS == 4
    x[2] = _mm512_extracti32x4_epi32(v, 2);
    x[3] = _mm512_extracti32x4_epi32(v, 3);
#endif
}

/* Returns a vec with block i from p[i] + at. Goes through registers: a load of a whole vec would wait
 * until recent short stores to its memory have left the core. */
RIJN_INLINE vec vec_gather(const uint8_t *const p[VEC_BLOCKS], size_t at)
{
    block x[VEC_BLOCKS];

    RIJN_UNROLL
    for (int i = 0; i < VEC_BLOCKS; i++)
        x[i] = block_load(p[i] + at);
    return vec_of(x);
}

RIJN_INLINE void vec_scatter(uint8_t *const p[VEC_BLOCKS], size_t at, vec v)
{
    block x[VEC_BLOCKS];

    vec_blocks(x, v);
    RIJN_UNROLL
    for (int i = 0; i < VEC_BLOCKS; i++)
        block_store(p[i] + at, x[i]);
}

/* Load or store the first `left` bytes, 0 to 16, of the block at p + at. Both return these bytes
 * followed by zeros. */
#if VEC_BLOCKS == 4

RIJN_INLINE block many_load_part(const uint8_t *p, size_t at, size_t left)
{
    return left ? _mm_maskz_loadu_epi8((__mmask16)((1u << left) - 1), p + at) : _mm_setzero_si128();
}

RIJN_INLINE block many_store_part(uint8_t *p, size_t at, size_t left, block x)
{
    if (left)
        _mm_mask_storeu_epi8(p + at, (__mmask16)((1u << left) - 1), x);
    return _mm_maskz_mov_epi8((__mmask16)((1u << left) - 1), x);
}

#else

RIJN_INLINE block many_load_part(const uint8_t *p, size_t at, size_t left)
{
    return left == 16 ? block_load(p + at)
           : left ? block_load_part(p + at, left)
                  : _mm_setzero_si128();
}

RIJN_INLINE block many_store_part(uint8_t *p, size_t at, size_t left, block x)
{
    if (left == 16) {
        block_store(p + at, x);
        return x;
    }
    if (left)
        block_store_part(p + at, x, left);
    return many_load_part(p, at, left);
}

#endif

/* Returns true if the `count` messages from number `first` on have the same size, at most `most`
 * bytes. */
RIJN_INLINE bool many_equal(const rijn_batch *b, size_t first, size_t count, size_t most)
{
    size_t others = 0;

    for (size_t i = first; i < first + count; i++)
        others |= b->size[i] ^ b->size[first];
    return !others && b->size[first] <= most;
}

/* The largest `most` of many_sort. */
enum { GATHER_MOST = 1024 };
_Static_assert(GATHER_MOST / 16 + 1 <= UINT8_MAX, "the sort key of a message fits a byte");

/* Returns a bit for each of 64 bytes that is equal to `value`. */
RIJN_INLINE uint64_t many_which(const uint8_t bytes[RIJN_BATCH], size_t value)
{
#if VEC_BLOCKS == 4
    return _mm512_cmpeq_epi8_mask(_mm512_load_si512(bytes), _mm512_set1_epi8((char)value));
#else
    uint64_t found = 0;
    for (int i = 0; i < RIJN_BATCH; i += 16) {
        const __m128i x = _mm_load_si128((const __m128i *)(const void *)(bytes + i));
        const __m128i equal = _mm_cmpeq_epi8(x, _mm_set1_epi8((char)value));
        found |= (uint64_t)(uint16_t)_mm_movemask_epi8(equal) << i;
    }
    return found;
#endif
}

/* Writes to `sorted` the numbers of `count` messages from number `first` on, sorted by their blocks, the
 * longest first. Before them come messages of more than `most` bytes, or with more than `ad_most`
 * bytes of associated data. */
RIJN_INLINE void many_sort(uint8_t *sorted, const rijn_batch *b, size_t first, size_t count,
                           size_t most, size_t ad_most)
{
    const uint64_t all = UINT64_MAX >> (RIJN_BATCH - count) << first;
    _Alignas(64) uint8_t key[RIJN_BATCH];
    size_t n = 0;

    for (size_t i = first; i < first + count; i++) {
        const bool longer = b->size[i] > most || (b->has_ad && b->ad_size[i] > ad_most);
        key[i] = (uint8_t)(longer ? 0 : most / 16 + 1 - (b->size[i] + 15) / 16);
    }
    for (size_t value = 0; n < count; value++) {
        uint64_t found = many_which(key, value) & all;
        for (; found; found &= found - 1)
            sorted[n++] = (uint8_t)__builtin_ctzll(found);
    }
}

#endif
