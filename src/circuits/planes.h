/* Blocks in memory to bit planes and back. Include after fixslice.h.
 *
 * Each bit of the LANE_BITS / 16 blocks that eight words hold has a number in
 * binary digits: b its block (b1 b0 of four, b0 of two), c1 c0 its column,
 * r1 r0 its row, p2 p1 p0 its place in the byte. Read little-endian, and the words
 * sorted by their place in the block, it stands in
 *
 *                word        bit of the word
 *     64 bits    c1 b1 b0    c0 r1 r0 p2 p1 p0
 *     32 bits    c1 c0 b0       r1 r0 p2 p1 p0
 *
 * and it shall stand in
 *
 *     64 bits    p2 p1 p0    r1 r0 c1 c0 b1 b0
 *     32 bits    p2 p1 p0       r1 r0 c1 c0 b0
 *
 * Exchanging one digit of the word number with one digit of the bit number
 * takes six operations on two words. Six exchanges do it, or three:
 *
 *     64 bits    c1 b1 b0    c0 r1 r0 p2 p1 p0     32 bits    c1 c0 b0    r1 r0 p2 p1 p0
 *     8          r0 b1 b0    c0 r1 c1 p2 p1 p0
 *     16         r1 b1 b0    c0 r0 c1 p2 p1 p0
 *     32         c0 b1 b0    r1 r0 c1 p2 p1 p0
 *     4          p2 b1 b0    r1 r0 c1 c0 p1 p0                p2 c0 b0    r1 r0 c1 p1 p0
 *     2          p2 p1 b0    r1 r0 c1 c0 b1 p0                p2 p1 b0    r1 r0 c1 c0 p0
 *     1          p2 p1 p0    r1 r0 c1 c0 b1 b0                p2 p1 p0    r1 r0 c1 c0 b0
 *
 * A displacement of the rows 1 and 3 by two columns, as AES-128 and AES-256 end
 * with (fixslice.h), turns c1 over in these rows. On 64 bits that is done after
 * the first exchange, when the words 4 to 7 hold these rows and nothing else, on
 * 32 bits before it, between the words 0 to 3 and 4 to 7. */
#ifndef RIJN_PLANES_H
#define RIJN_PLANES_H

#include "../bytes.h"
#include "fixslice.h"

enum { BLOCK_WORDS = 128 / LANE_BITS };

/* CELL blocks as they lie in memory, one after the other. */
typedef struct {
    lane w[8];
} vec;

#if LANE_BITS == 64
#define load_lane load_le64
#define store_lane store_le64
#else
#define load_lane load_le32
#define store_lane store_le32
#endif

/* Exchanges the digit of the bit number that is worth `weight` with the digit
 * of the word number that is worth `words`. */
RIJN_INLINE void exchange(word w[8], int words, int weight)
{
    const lane even = (lane)-1 / (((lane)1 << weight) + 1); /* the digit is 0 */

    RIJN_UNROLL
    for (int i = 0; i < 8; i++) {
        if (i & words)
            continue;
        const word t = (w[i] >> weight ^ w[i + words]) & even;
        w[i] ^= t << weight;
        w[i + words] ^= t;
    }
}

/* Of the words sorted: after the exchange worth 8 on 64 bits. */
RIJN_INLINE void displace_odd_rows(word w[8])
{
    RIJN_UNROLL
    for (int i = 0; i < 4; i++) {
#if LANE_BITS == 64
        const lane even = 0x00ff00ff00ff00ff;
        w[i + 4] = (w[i + 4] >> 8 & even) | (w[i + 4] & even) << 8;
#else
        const word t = (w[i] ^ w[i + 4]) & 0xff00ff00;
        w[i] ^= t;
        w[i + 4] ^= t;
#endif
    }
}

/* Block b from memory into the sorted words, and back. */
RIJN_INLINE void load_block(word w[8], int b, const uint8_t *p)
{
    RIJN_UNROLL
    for (int i = 0; i < BLOCK_WORDS; i++)
        w[CELL * i + b] = load_lane(p + sizeof(lane) * (size_t)i);
}

RIJN_INLINE void store_block(uint8_t *p, const word w[8], int b)
{
    RIJN_UNROLL
    for (int i = 0; i < BLOCK_WORDS; i++)
        store_lane(p + sizeof(lane) * (size_t)i, w[CELL * i + b]);
}

/* Sorted words into planes, and back. */
RIJN_INLINE void to_planes(word w[8], bool displaced)
{
    if (LANE_BITS == 64)
        exchange(w, 4, 8);
    if (displaced)
        displace_odd_rows(w);
    if (LANE_BITS == 64) {
        exchange(w, 4, 16);
        exchange(w, 4, 32);
    }
    exchange(w, 4, 4);
    exchange(w, 2, 2);
    exchange(w, 1, 1);
}

RIJN_INLINE void from_planes(word w[8], bool displaced)
{
    exchange(w, 1, 1);
    exchange(w, 2, 2);
    exchange(w, 4, 4);
    if (LANE_BITS == 64) {
        exchange(w, 4, 32);
        exchange(w, 4, 16);
    }
    if (displaced)
        displace_odd_rows(w);
    if (LANE_BITS == 64)
        exchange(w, 4, 8);
}

/* All blocks of a vec, one after the other in memory. */
RIJN_INLINE void pack(word w[8], const vec *v, bool displaced)
{
    RIJN_UNROLL
    for (int b = 0; b < CELL; b++)
        load_block(w, b, (const uint8_t *)&v->w[BLOCK_WORDS * b]);
    to_planes(w, displaced);
}

RIJN_INLINE void unpack(vec *v, word w[8], bool displaced)
{
    from_planes(w, displaced);
    RIJN_UNROLL
    for (int b = 0; b < CELL; b++)
        store_block((uint8_t *)&v->w[BLOCK_WORDS * b], w, b);
}

#endif
