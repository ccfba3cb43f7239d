/* Blocks in memory to bit planes and back. Include after defining LANE_BITS, word,
 * WORD_LANES and SLICED (lane.h).
 *
 * Each bit of the CELL blocks that one lane of eight words holds has a number in
 * binary digits: b its block (b1 b0 of four, b0 of two), c1 c0 its column,
 * r1 r0 its row, p2 p1 p0 its place in the byte. Read little-endian, and the lanes
 * sorted by their place in the block, it stands in
 *
 *                 word        bit of the lane
 *     128 bits    b2 b1 b0    c1 c0 r1 r0 p2 p1 p0
 *     64 bits     c1 b1 b0       c0 r1 r0 p2 p1 p0
 *     32 bits     c1 c0 b0          r1 r0 p2 p1 p0
 *
 * and it shall stand in
 *
 *     128 bits    p2 p1 p0    c1 c0 r1 r0 b2 b1 b0
 *     64 bits     p2 p1 p0       r1 r0 c1 c0 b1 b0
 *     32 bits     p2 p1 p0          r1 r0 c1 c0 b0
 *
 * Exchanging one digit of the word number with one digit of the bit number
 * takes six operations on two words. Six exchanges do it, or three (of 128 bits those of 32):
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
 * 32 bits before it, between the words 0 to 3 and 4 to 7, and on 128 bits it is a permutation
 * of each block. */
#include "fixslice.h"

/* Exchanges the digit of the bit number that is worth `weight` with the digit
 * of the word number that is worth `words`. */
RIJN_INLINE void SLICED(exchange)(word w[8], int words, int weight)
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
RIJN_INLINE void SLICED(displace_odd_rows)(word w[8])
{
    RIJN_UNROLL
    for (int i = 0; i < 4; i++) {
#if LANE_BITS == 128
        w[i] = permute(w[i], every(shifted_bytes[2]));
        w[i + 4] = permute(w[i + 4], every(shifted_bytes[2]));
#elif LANE_BITS == 64
        const lane even = 0x00ff00ff00ff00ff;
        w[i + 4] = (w[i + 4] >> 8 & even) | (w[i + 4] & even) << 8;
#else
        const word t = (w[i] ^ w[i + 4]) & 0xff00ff00;
        w[i] ^= t;
        w[i + 4] ^= t;
#endif
    }
}

/* Sorted words into planes, and back. */
RIJN_INLINE void SLICED(to_planes)(word w[8], bool displaced)
{
    if (LANE_BITS == 64)
        SLICED(exchange)(w, 4, 8);
    if (displaced)
        SLICED(displace_odd_rows)(w);
    if (LANE_BITS == 64) {
        SLICED(exchange)(w, 4, 16);
        SLICED(exchange)(w, 4, 32);
    }
    SLICED(exchange)(w, 4, 4);
    SLICED(exchange)(w, 2, 2);
    SLICED(exchange)(w, 1, 1);
}

RIJN_INLINE void SLICED(from_planes)(word w[8], bool displaced)
{
    SLICED(exchange)(w, 1, 1);
    SLICED(exchange)(w, 2, 2);
    SLICED(exchange)(w, 4, 4);
    if (LANE_BITS == 64) {
        SLICED(exchange)(w, 4, 32);
        SLICED(exchange)(w, 4, 16);
    }
    if (displaced)
        SLICED(displace_odd_rows)(w);
    if (LANE_BITS == 64)
        SLICED(exchange)(w, 4, 8);
}

#if LANE_BITS < 128
/* CELL * WORD_LANES blocks, one after the other in memory: those of a lane together. */
RIJN_INLINE void SLICED(pack)(word w[8], const uint8_t *p, bool displaced)
{
    lane of_lane[WORD_LANES][8];

    RIJN_UNROLL
    for (int n = 0; n < CELL * WORD_LANES; n++)
        load_block(of_lane[n / CELL], n % CELL, p + 16 * n);
    RIJN_UNROLL
    for (int i = 0; i < 8; i++) {
        lane lanes[WORD_LANES];
        RIJN_UNROLL
        for (int l = 0; l < WORD_LANES; l++)
            lanes[l] = of_lane[l][i];
        memcpy(&w[i], lanes, sizeof w[i]);
    }
    SLICED(to_planes)(w, displaced);
}

RIJN_INLINE void SLICED(unpack)(uint8_t *p, word w[8], bool displaced)
{
    lane of_lane[WORD_LANES][8];

    SLICED(from_planes)(w, displaced);
    RIJN_UNROLL
    for (int i = 0; i < 8; i++) {
        lane lanes[WORD_LANES];
        memcpy(lanes, &w[i], sizeof w[i]);
        RIJN_UNROLL
        for (int l = 0; l < WORD_LANES; l++)
            of_lane[l][i] = lanes[l];
    }
    RIJN_UNROLL
    for (int n = 0; n < CELL * WORD_LANES; n++)
        store_block(p + 16 * n, of_lane[n / CELL], n % CELL);
}
#endif
