/* The functions of aes_rounds.h with permutations of bytes (circuits/permuted.h). Include where the
 * target has ssse3, after defining WIDEST, the blocks of the widest register: 1, 2 with avx2, 4 with
 * avx512bw and avx512vl too. */
#ifndef RIJN_X86_PERMUTED_ROUNDS_H
#define RIJN_X86_PERMUTED_ROUNDS_H

#include <tmmintrin.h>

#define ROUNDS_APART /* a round takes some 25 operations: aes.h */

#define word __m128i
#define PERMUTED(name) name
#define permute _mm_shuffle_epi8
#define every(bytes) _mm_loadu_si128((const __m128i *)(const void *)(bytes))
#include "../circuits/permuted.h"

#if WIDEST >= 2
#define word __m256i
#define PERMUTED(name) name##_2
#define permute _mm256_shuffle_epi8
#define every(bytes) \
    _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(bytes)))
#include "../circuits/permuted.h"
#endif

#if WIDEST >= 4
#define word __m512i
#define PERMUTED(name) name##_4
#define permute _mm512_shuffle_epi8
#define every(bytes) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)(bytes)))
#include "../circuits/permuted.h"
#endif

#endif
