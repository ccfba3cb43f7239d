/* Blocks in memory to bit planes and back. Include after defining LANE_BITS, word,
 * WORD_LANES and SLICED (lane.h).
 *
 * One lane of eight words holds CELL blocks. Each bit has a number in binary digits: b1 b0 its block
 * (b0 of two blocks, b2 b1 b0 of eight), c1 c0 its column, r1 r0 its row, p2 p1 p0 its place in the
 * byte. When loaded little-endian, with the lanes sorted by their place in the block, the bit is in
 *
 *                 word        bit of the lane
 *     128 bits    b2 b1 b0    c1 c0 r1 r0 p2 p1 p0
 *     64 bits     c1 b1 b0       c0 r1 r0 p2 p1 p0
 *     32 bits     c1 c0 b0          r1 r0 p2 p1 p0
 *
 * and its place in planes is
 *
 *     128 bits    p2 p1 p0    c1 c0 r1 r0 b2 b1 b0
 *     64 bits     p2 p1 p0       r1 r0 c1 c0 b1 b0
 *     32 bits     p2 p1 p0          r1 r0 c1 c0 b0
 *
 * Exchanging one digit of the word number with one digit of the bit number
 * takes six operations on two words. 64 bits need six exchanges; 32 and 128 bits need three, the same:
 *
 *     64 bits    c1 b1 b0    c0 r1 r0 p2 p1 p0     32 bits    c1 c0 b0    r1 r0 p2 p1 p0
 *     8          r0 b1 b0    c0 r1 c1 p2 p1 p0
 *     16         r1 b1 b0    c0 r0 c1 p2 p1 p0
 *     32         c0 b1 b0    r1 r0 c1 p2 p1 p0
 *     4          p2 b1 b0    r1 r0 c1 c0 p1 p0                p2 c0 b0    r1 r0 c1 p1 p0
 *     2          p2 p1 b0    r1 r0 c1 c0 b1 p0                p2 p1 b0    r1 r0 c1 c0 p0
 *     1          p2 p1 p0    r1 r0 c1 c0 b1 b0                p2 p1 p0    r1 r0 c1 c0 b0
 *
 * AES-128 and AES-256 end with rows 1 and 3 displaced by two columns (fixslice.h), which inverts c1 in
 * these rows. With 64 bits this is corrected after the first exchange, when words 4 to 7 hold only
 * these rows; with 32 bits before it, between words 0 to 3 and 4 to 7. With 128 bits it is a
 * permutation of each block. */
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

/* Moves rows 1 and 3 by two columns, in sorted words; with 64 bits after the exchange worth 8. */
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

/* Convert sorted words to planes, and back. */
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
/* Pack CELL * WORD_LANES successive blocks in memory into planes, and unpack them. The blocks of a lane
 * are next to each other. */
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
