/* The functions of aes_rounds.h by affine maps (circuits/affine.h). Include where the target has
 * gfni, avx512bw and avx512vl. */
#ifndef RIJN_X86_AFFINE_ROUNDS_H
#define RIJN_X86_AFFINE_ROUNDS_H

#include <immintrin.h>

#define word __m128i
#define AFFINE(name) name
#define permute _mm_shuffle_epi8
#define every(bytes) _mm_loadu_si128((const __m128i *)(const void *)(bytes))
#define map(x, matrix, constant) \
    _mm_gf2p8affine_epi64_epi8(x, _mm_set1_epi64x((long long)(matrix)), constant)
#define map_inverse(x, matrix, constant) \
    _mm_gf2p8affineinv_epi64_epi8(x, _mm_set1_epi64x((long long)(matrix)), constant)
#include "../circuits/affine.h"

#define word __m256i
#define AFFINE(name) name##_2
#define permute _mm256_shuffle_epi8
#define every(bytes) \
    _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(bytes)))
#define map(x, matrix, constant) \
    _mm256_gf2p8affine_epi64_epi8(x, _mm256_set1_epi64x((long long)(matrix)), constant)
#define map_inverse(x, matrix, constant) \
    _mm256_gf2p8affineinv_epi64_epi8(x, _mm256_set1_epi64x((long long)(matrix)), constant)
#include "../circuits/affine.h"

#define word __m512i
#define AFFINE(name) name##_4
#define permute _mm512_shuffle_epi8
#define every(bytes) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)(bytes)))
#define map(x, matrix, constant) \
    _mm512_gf2p8affine_epi64_epi8(x, _mm512_set1_epi64((long long)(matrix)), constant)
#define map_inverse(x, matrix, constant) \
    _mm512_gf2p8affineinv_epi64_epi8(x, _mm512_set1_epi64((long long)(matrix)), constant)
#include "../circuits/affine.h"

#endif
