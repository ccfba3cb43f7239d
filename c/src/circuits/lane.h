/* What bit slices are made of, in three sizes:
 *
 *     lane    LANE_BITS within which bits move: an unsigned integer of 64 or 32, or of 128 the half
 *             of one that is written where its other half is the same: its bytes move by
 *             permutations
 *     word    WORD_LANES lanes that do not mix: one lane, or a vector of them as gcc and
 *             clang have it (vector_size), whose operators work on each lane alone and
 *             take a lane for a word that has it everywhere
 *     plane   one of the eight words w[0..8) of a state: w[p] has bit p of every byte
 *
 * sbox.h, fixslice.h, planes.h and cipher.h, each of which includes the one before, are
 * written over the word. A file that works on several includes them once for each, after
 * defining
 *
 *     word, WORD_LANES    as above; LANE_BITS is the same for the whole file
 *     SLICED(name)        what the functions of that word are called
 *
 * and with lanes of 128 bits
 *
 *     permute(x, index), every(bytes)    as permuted.h has them */
#ifndef RIJN_LANE_H
#define RIJN_LANE_H

#include "../backend.h"
#include "../bytes.h"

#if LANE_BITS == 128
typedef uint64_t lane;
#elif LANE_BITS == 64
typedef uint64_t lane;
#define load_lane load_le64
#define store_lane store_le64
#else
typedef uint32_t lane;
#define load_lane load_le32
#define store_lane store_le32
#endif

/* A lane has CELL blocks, as fixslice.h arranges them; a block is BLOCK_LANES lanes. */
enum { CELL = LANE_BITS / 16, ROW = 4 * CELL, BLOCK_LANES = 128 / LANE_BITS };

/* A round key. */
#if LANE_BITS == 128
typedef uint8_t sliced_key; /* the first of its 16, as FIPS 197 has it: its planes are soon made */
#else
/* For all blocks of a lane, eight planes. A build with small keys packs CELL of them into a
 * lane: plane p of the key is bit p % CELL of the cells of lane p / CELL. */
enum { KEY_LANES = RIJN_WITH_SMALL_KEYS ? 8 / CELL : 8 };
typedef lane sliced_key[KEY_LANES];
#endif

#if LANE_BITS < 128
/* Block b of a lane, from memory into the words sorted as planes.h says, and back. */
RIJN_INLINE void load_block(lane w[8], int b, const uint8_t *p)
{
    RIJN_UNROLL
    for (int i = 0; i < BLOCK_LANES; i++)
        w[CELL * i + b] = load_lane(p + sizeof(lane) * (size_t)i);
}

RIJN_INLINE void store_block(uint8_t *p, const lane w[8], int b)
{
    RIJN_UNROLL
    for (int i = 0; i < BLOCK_LANES; i++)
        store_lane(p + sizeof(lane) * (size_t)i, w[CELL * i + b]);
}
#endif

#endif
