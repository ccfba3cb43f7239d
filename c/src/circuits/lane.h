/* The three sizes of bit slices:
 *
 *     lane    LANE_BITS bits, within which bits move: an unsigned integer of 64 or 32 bits. With 128
 *             bits, `lane` is a 64-bit integer for constants whose two halves are equal, and
 *             permutations move the bytes of a lane
 *     word    WORD_LANES lanes that do not mix: one lane, or a vector of lanes (vector_size of gcc and
 *             clang). Its operators work on each lane separately, and convert a lane to a word that
 *             has it everywhere
 *     plane   one of the eight words w[0..8) of a state: w[p] has bit p of every byte
 *
 * sbox.h, fixslice.h, planes.h and cipher.h are templates over the word. Each includes the one before. A file with several words includes them once per word, after defining
 *
 *     word, WORD_LANES    as above; LANE_BITS is the same for the whole file
 *     SLICED(name)        the names of the functions of that word
 *
 * and with lanes of 128 bits
 *
 *     permute(x, index), every(bytes)    see permuted.h */
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

/* A lane has a bit of each of CELL blocks in every cell (fixslice.h). A block fills BLOCK_LANES lanes. */
enum { CELL = LANE_BITS / 16, ROW = 4 * CELL, BLOCK_LANES = 128 / LANE_BITS };

/* A round key. */
#if LANE_BITS == 128
typedef uint8_t
    sliced_key; /* the first of 16 bytes, as in FIPS 197: planes are computed when needed */
#else
/* Eight planes for all blocks of a lane. A build with small keys packs CELL planes into a lane: plane p
 * of the key is bit p % CELL of the cells of lane p / CELL. */
enum { KEY_LANES = RIJN_WITH_SMALL_KEYS ? 8 / CELL : 8 };
typedef lane sliced_key[KEY_LANES];
#endif

#if LANE_BITS < 128
/* Load block b of a lane from memory into sorted words (planes.h), and store it. */
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
