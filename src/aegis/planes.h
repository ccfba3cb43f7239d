/* The operations of AEGIS (aegis.h) on bit planes: the state is packed once, when a
 * message begins, and its tag is unpacked. Include after defining LANE_BITS, 64 or 32
 * (circuits/lane.h).
 *
 * The blocks of LANES states are dealt out to lots, eight planes each. A cell
 * of a plane (fixslice.h) has one bit for every block of its lot: GROUPS groups of
 * LANES bits. Group g of lot j is block S[j + g * LOTS] of every state, here for
 * eight blocks, group 0 first:
 *
 *     cells of 4 bits    degree 1    S0 S2 S4 S6 | S1 S3 S5 S7
 *                        degree 2    S0 S4 | S1 S5 | S2 S6 | S3 S7
 *                        degree 4    S0 | S1 | S2 | S3 | S4 | S5 | S6 | S7
 *     cells of 2 bits    degree 1    S0 S4 | S1 S5 | S2 S6 | S3 S7
 *                        degree 2    S0 | S1 | S2 | S3 | S4 | S5 | S6 | S7, twice for degree 4
 *
 * So the next block is in the next lot, where an update wants it, and only what
 * comes out of the last lot moves by one group. Fixslicing does not serve here: its
 * blocks lie displaced by one more column a round, and an update adds the blocks
 * after the round to those before it.
 *
 * Of six blocks in cells of four bits (degree 1) the two bits that would be S6 and
 * S7 take part and mean nothing.
 *
 * A unit has its blocks where S0 and S4 have theirs. Other bits of a unit are zero
 * when it is to be absorbed, and anything when it is keystream. */

#ifndef RIJN_AEGIS_PLANES_H
#define RIJN_AEGIS_PLANES_H

#define word lane
#define WORD_LANES 1
#define SLICED(name) lane_##name
#include "../circuits/planes.h"
#undef word
#undef WORD_LANES
#undef SLICED

#define GROUPS (CELL / LANES)
#define LOTS ((BLOCKS + GROUPS - 1) / GROUPS)
#define ABSORBING (BLOCKS == 8 ? 2 : 1)    /* blocks that a state absorbs */
#define UNIT_LOTS (LOTS == 8 ? 2 : 1)      /* they are in lot 0, or 0 and 4 */
#define SHARE (ABSORBING / UNIT_LOTS)      /* blocks in each: in group 0, and */
#define SECOND (SHARE == 2 ? CELL / 2 : 0) /* this many bits above it */

/* The `bits` lowest bits of every cell. */
#define LOWEST(bits) ((((lane)1 << (bits)) - 1) * ((lane)-1 / (((lane)1 << CELL) - 1)))

/* Operations of hundreds of instructions: once a variant, not once a call. */
#define LARGE static __attribute__((noinline))

#define AEGIS_INLINE LARGE
#define AEGIS_PART LARGE

/* to = to XOR AESRound(from, 0), of all blocks of a lot. */
LARGE void add_round(lane to[8], const lane from[8])
{
    lane w[8];

    RIJN_UNROLL
    for (int p = 0; p < 8; p++)
        w[p] = from[p];
    lane_single_round(w);
    RIJN_UNROLL
    for (int p = 0; p < 8; p++)
        to[p] ^= w[p];
}

#endif

#define LANES (DEGREE < CELL ? DEGREE : CELL)

typedef struct {
    lane lot[LOTS][8];
} AEGIS(state);

typedef struct {
    lane lot[UNIT_LOTS][8];
} AEGIS(unit);

LARGE AEGIS(unit) AEGIS(load)(const uint8_t *p)
{
    AEGIS(unit) m;
    for (int u = 0; u < UNIT_LOTS; u++) {
        lane w[8] = {0};
        RIJN_UNROLL
        for (int k = 0; k < SHARE; k++)
            RIJN_UNROLL
        for (int i = 0; i < LANES; i++)
            load_block(w, SECOND * k + i, p + 16 * (DEGREE * (u + k) + i));
        lane_to_planes(w, false);
        memcpy(m.lot[u], w, sizeof w);
    }
    return m;
}

LARGE void AEGIS(store)(uint8_t *p, AEGIS(unit) m)
{
    for (int u = 0; u < UNIT_LOTS; u++) {
        lane w[8];
        memcpy(w, m.lot[u], sizeof w);
        lane_from_planes(w, false);
        RIJN_UNROLL
        for (int k = 0; k < SHARE; k++)
            RIJN_UNROLL
        for (int i = 0; i < LANES; i++)
            store_block(p + 16 * (DEGREE * (u + k) + i), w, SECOND * k + i);
    }
}

AEGIS_INLINE AEGIS(unit) AEGIS (xor)(AEGIS(unit) a, AEGIS(unit) b)
{
    for (int u = 0; u < UNIT_LOTS; u++)
        for (int p = 0; p < 8; p++)
            a.lot[u][p] ^= b.lot[u][p];
    return a;
}

LARGE void AEGIS(set)(AEGIS(state) * s, const uint8_t blocks[BLOCKS][16])
{
    for (int j = 0; j < LOTS; j++) {
        lane w[8] = {0};
        for (int i = j; i < BLOCKS; i += LOTS)
            for (int k = 0; k < LANES; k++)
                load_block(w, i / LOTS * LANES + k, blocks[i]);
        lane_to_planes(w, false);
        memcpy(s->lot[j], w, sizeof w);
    }
}

/* Byte 0 is in row 0, byte 1 in row 1, both in column 0; neither exceeds 3. */
LARGE void AEGIS(separate)(AEGIS(state) * s, int first)
{
    for (int i = 3; i < BLOCKS; i += BLOCKS - 4) {
        for (int k = 0; k < LANES; k++) {
            const int bit = i / LOTS * LANES + k;
            for (int p = 0; p < 2; p++)
                s->lot[i % LOTS][p] ^= (lane)((first + k) >> p & 1) << bit |
                                       (lane)((DEGREE - 1) >> p & 1) << (ROW + bit);
        }
    }
}

LARGE void AEGIS(update)(AEGIS(state) * s, AEGIS(unit) m)
{
    lane last[8] = {0};

    add_round(last, s->lot[LOTS - 1]);
    for (int j = LOTS - 1; j > 0; j--)
        add_round(s->lot[j], s->lot[j - 1]);
    for (int p = 0; p < 8; p++) {
        /* The last group of the last lot is the block before S0. */
        const int top = (BLOCKS / LOTS - 1) * LANES;
        const lane low = LOWEST(LANES);
        const lane turned = top ? (last[p] << LANES & ~low) | (last[p] >> top & low) : last[p];
        s->lot[0][p] ^= turned ^ m.lot[0][p];
        if (UNIT_LOTS == 2)
            s->lot[4 % LOTS][p] ^= m.lot[UNIT_LOTS - 1][p];
    }
}

AEGIS_INLINE void AEGIS(update_late)(AEGIS(state) * s, AEGIS(unit) m)
{
    for (int u = 0; u < UNIT_LOTS; u++)
        for (int p = 0; p < 8; p++)
            m.lot[u][p] &= LOWEST(LANES) | LOWEST(LANES) << SECOND;
    AEGIS(update)(s, m);
}

/* Plane p of block i where S0 has its own, and of block i + 4 (mod 8) where S4 has. */
RIJN_INLINE lane AEGIS(block)(const AEGIS(state) * s, int i, int u, int p)
{
    const int n = (i + 4 * u) % BLOCKS, down = n / LOTS * LANES;
    const lane x = s->lot[n % LOTS][p];

    if (SHARE == 2 && down >= SECOND) /* block i + 4 is in a lower group than i */
        return (x >> down & LOWEST(LANES)) | (x << (2 * SECOND - down) & LOWEST(LANES) << SECOND);
    return x >> down;
}

LARGE AEGIS(unit) AEGIS(keystream)(const AEGIS(state) * s)
{
    AEGIS(unit) z;
    for (int u = 0; u < UNIT_LOTS; u++) {
        for (int p = 0; p < 8; p++) {
            const lane both = AEGIS(block)(s, 2, u, p) & AEGIS(block)(s, 3, u, p);
            if (BLOCKS == 8)
                z.lot[u][p] = AEGIS(block)(s, 1, u, p) ^ AEGIS(block)(s, 6, u, p) ^ both;
            else
                z.lot[u][p] = AEGIS(block)(s, 1, u, p) ^ AEGIS(block)(s, 4, u, p) ^
                              AEGIS(block)(s, 5, u, p) ^ both;
        }
    }
    return z;
}

LARGE AEGIS(unit) AEGIS(closing)(const AEGIS(state) * s, uint64_t a, uint64_t b)
{
    uint8_t bytes[ABSORBING * DEGREE][16];
    AEGIS(unit) m;

    for (int i = 0; i < ABSORBING * DEGREE; i++) {
        store_le64(bytes[i], a);
        store_le64(bytes[i] + 8, b);
    }
    m = AEGIS(load)(bytes[0]);
    for (int u = 0; u < UNIT_LOTS; u++) {
        for (int p = 0; p < 8; p++) {
            const lane x = AEGIS(block)(s, BLOCKS == 8 ? 2 : 3, 0, p) & LOWEST(LANES);
            m.lot[u][p] ^= x | x << SECOND;
        }
    }
    return m;
}

LARGE void AEGIS(sums)(uint8_t *out, const AEGIS(state) * s, int from, int to)
{
    lane w[8] = {0};

    for (int i = from; i < to; i++)
        for (int p = 0; p < 8; p++)
            w[p] ^= s->lot[i % LOTS][p] >> i / LOTS * LANES;
    lane_from_planes(w, false);
    for (int i = 0; i < LANES; i++)
        store_block(out + 16 * i, w, i);
}
