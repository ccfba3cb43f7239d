/* GHASH and POLYVAL with permutations of bytes (circuits/permuted_hash.h) on vecs, and the operations
 * of backend.h on hashes. Include after vec.h and after defining `context` with a member `hash h`. */
#ifndef RIJN_X86_PERMUTED_HASH_H
#define RIJN_X86_PERMUTED_HASH_H

#define word vec
#define PERMUTED(name) name##_together
#define permute vec_shuffle
#define every vec_load_broadcast
#if VEC_BLOCKS == 4
#define interleave_low _mm512_unpacklo_epi8
#define interleave_high _mm512_unpackhi_epi8
#else
#define interleave_low _mm256_unpacklo_epi8
#define interleave_high _mm256_unpackhi_epi8
#endif
#include "../circuits/permuted_hash.h"

#define hash_together multiply_blocks_together
enum { TOGETHER = 16 * VEC_BLOCKS, TOGETHER_LEAST = 4 * TOGETHER };
#define HASHES_TOGETHER
#include "../circuits/hash.h"

#endif
