/* The operations of AEGIS (aegis.h) on bit planes. The state becomes bit planes once, when a message
 * begins, and the tag becomes bytes at its end. Include after defining LANE_BITS, 64 or 32
 * (circuits/lane.h).
 *
 * Sets of eight planes hold the blocks of the states of a group. A cell of a plane (fixslice.h) has
 * one bit for every block of its set, in layers of one bit per state. Layer g of set j is block
 * S[j + g * sets] of every state, here for eight blocks, layer 0 first:
 *
 *     cells of 4 bits    degree 1    S0 S2 S4 S6 | S1 S3 S5 S7
 *                        degree 2    S0 S4 | S1 S5 | S2 S6 | S3 S7
 *                        degree 4    S0 | S1 | S2 | S3 | S4 | S5 | S6 | S7
 *     cells of 2 bits    degree 1    S0 S4 | S1 S5 | S2 S6 | S3 S7
 *                        degree 2    S0 | S1 | S2 | S3 | S4 | S5 | S6 | S7, twice for degree 4
 *
 * So the next block is in the next set, as an update requires. Only the results of the last set move
 * by one layer. Fixslicing is no use here: each round displaces its blocks by one more column, but an
 * update adds blocks after a round to blocks before it.
 *
 * With six blocks in cells of four bits (degree 1), the two bits of S6 and S7 take part and mean
 * nothing.
 *
 * The blocks of a unit are in the places of S0 and S4. Its other bits are zero if it is absorbed, and
 * undefined if it is keystream. */
#ifndef RIJN_AEGIS_PLANES_H
#define RIJN_AEGIS_PLANES_H

#include "../scrub.h"
#include "kernel.h"

#define word lane
#define WORD_LANES 1
#define SLICED(name) lane_##name
#include "../circuits/planes.h"

/* One set. */
typedef struct {
    lane plane[8];
} aegis_part;

typedef struct {
    lane set[2][8];
} aegis_unit;

/* ---- Where the blocks are ---- */

typedef struct {
    uint8_t together;  /* states of a group: bits of a layer */
    uint8_t sets;      /* sets of a group */
    uint8_t unit_sets; /* sets of a unit: 1 (set 0), or 2 (sets 0 and 4) */
    uint8_t second;    /* S4 is in set 0, from this bit of each cell on; 0: it is not in set 0 */
    uint8_t set[8];    /* the set of block i */
    uint8_t bit[8];    /* the first bit of block i in each cell */
} shape;

#define ABREAST(degree) ((degree) < CELL ? (degree) : CELL)
#define LAYERS(degree) (CELL / ABREAST(degree))
#define SETS(blocks, degree) (((blocks) + LAYERS(degree) - 1) / LAYERS(degree))
#define SET(i, b, d) ((i) % SETS(b, d))
#define BIT(i, b, d) ((i) / SETS(b, d) * ABREAST(d))
#define SHAPE(b, d) \
    { \
        .together = ABREAST(d), .sets = SETS(b, d), .unit_sets = SETS(b, d) == 8 ? 2 : 1, \
        .second = (b) == 8 && SETS(b, d) < 8 ? CELL / 2 : 0, \
        .set = {SET(0, b, d), SET(1, b, d), SET(2, b, d), SET(3, b, d), \
                SET(4, b, d), SET(5, b, d), SET(6, b, d), SET(7, b, d)}, \
        .bit = { \
            BIT(0, b, d), \
            BIT(1, b, d), \
            BIT(2, b, d), \
            BIT(3, b, d), \
            BIT(4, b, d), \
            BIT(5, b, d), \
            BIT(6, b, d), \
            BIT(7, b, d) \
        } \
    }

RIJN_INLINE const shape *shape_of(int blocks, int degree)
{
    static const shape shapes[2][5] = {
        {[1] = SHAPE(6, 1), [2] = SHAPE(6, 2), [4] = SHAPE(6, 4)},
        {[1] = SHAPE(8, 1), [2] = SHAPE(8, 2), [4] = SHAPE(8, 4)},
    };
    return &shapes[blocks == 8][degree];
}

/* Calls f(..., blocks, degree) with constants, so there are six copies of f. For functions that run
 * once per unit: otherwise shifts and loops of unknown lengths cost half the speed. */
#define BY_VARIANT(f, ...) \
    do { \
        if (blocks == 8 && degree == 1) \
            f(__VA_ARGS__, 8, 1); \
        else if (blocks == 8 && degree == 2) \
            f(__VA_ARGS__, 8, 2); \
        else if (blocks == 8) \
            f(__VA_ARGS__, 8, 4); \
        else if (degree == 1) \
            f(__VA_ARGS__, 6, 1); \
        else if (degree == 2) \
            f(__VA_ARGS__, 6, 2); \
        else \
            f(__VA_ARGS__, 6, 4); \
    } while (0)

#define TOGETHER (shape_of(blocks, degree)->together)
#define PARTS ((size_t)shape_of(blocks, degree)->sets)
#define AEGIS_ENDS 0
#define AEGIS_PACKED 0

/* Returns a mask of the `bits` lowest bits of every cell. */
RIJN_INLINE lane lowest(int bits)
{
    return (((lane)1 << bits) - 1) * ((lane)-1 / (((lane)1 << CELL) - 1));
}

/* ---- Memory ---- */

RIJN_INLINE void aegis_copy(aegis_part *to, const aegis_part *from, int blocks, int degree)
{
    memcpy(to, from, PARTS * sizeof(aegis_part));
}

RIJN_INLINE void aegis_get(aegis_part *s, const uint8_t *p, int blocks, int degree)
{
    memcpy(s, p, PARTS * sizeof(aegis_part));
}

RIJN_INLINE void aegis_put(uint8_t *p, const aegis_part *s, int blocks, int degree)
{
    memcpy(p, s, PARTS * sizeof(aegis_part));
}

RIJN_APART static void to_planes(lane w[8])
{
    lane_to_planes(w, false);
}

RIJN_APART static void from_planes(lane w[8])
{
    lane_from_planes(w, false);
}

/* Loads the XOR of two blocks into every state of a layer. */
static void load_sum(lane w[8], const aegis_source parts[2], int bit, int together)
{
    uint8_t sum[16];

    xor_bytes(sum, parts[0], parts[1], 16);
    for (int i = 0; i < together; i++)
        load_block(w, bit + i, sum);
}

static void aegis_set(aegis_part *s, const aegis_source parts[][2], int blocks, int degree)
{
    const shape *const v = shape_of(blocks, degree);

    memset(s, 0, PARTS * sizeof(aegis_part));
    for (int j = 0; j < blocks; j++)
        load_sum(s[v->set[j]].plane, parts[j], v->bit[j], v->together);
    for (int j = 0; j < v->sets; j++)
        to_planes(s[j].plane);
}

RIJN_APART static void aegis_spread(aegis_unit *u, const aegis_source parts[][2], int blocks,
                                    int degree)
{
    const shape *const v = shape_of(blocks, degree);

    memset(u, 0, sizeof *u);
    load_sum(u->set[0], parts[0], 0, v->together);
    if (blocks == 8)
        load_sum(u->set[v->unit_sets - 1], parts[1], v->second, v->together);
    for (int j = 0; j < v->unit_sets; j++)
        to_planes(u->set[j]);
}

RIJN_INLINE void load_unit(aegis_unit *u, const uint8_t *p, int blocks, int degree)
{
    const shape *const v = shape_of(blocks, degree);

    for (int j = 0; j < v->unit_sets; j++) {
        lane w[8] = {0};
        RIJN_UNROLL
        for (int i = 0; i < v->together; i++) {
            load_block(w, i, p + 16 * (degree * j + i));
            if (v->second)
                load_block(w, v->second + i, p + 16 * (degree + i));
        }
        lane_to_planes(w, false);
        memcpy(u->set[j], w, sizeof w);
    }
}

RIJN_APART static void aegis_load(aegis_unit *u, const uint8_t *p, int blocks, int degree)
{
    BY_VARIANT(load_unit, u, p);
}

RIJN_INLINE void store_unit(uint8_t *p, const aegis_unit *u, int blocks, int degree)
{
    const shape *const v = shape_of(blocks, degree);

    for (int j = 0; j < v->unit_sets; j++) {
        lane w[8];
        memcpy(w, u->set[j], sizeof w);
        lane_from_planes(w, false);
        RIJN_UNROLL
        for (int i = 0; i < v->together; i++) {
            store_block(p + 16 * (degree * j + i), w, i);
            if (v->second)
                store_block(p + 16 * (degree + i), w, v->second + i);
        }
    }
}

RIJN_APART static void aegis_store(uint8_t *p, const aegis_unit *u, int blocks, int degree)
{
    BY_VARIANT(store_unit, p, u);
}

RIJN_APART static void aegis_sum(uint8_t *out, const aegis_part *s, int from, int to, int blocks,
                                 int degree)
{
    const shape *const v = shape_of(blocks, degree);
    lane w[8] = {0};

    for (int i = from; i < to; i++)
        for (int p = 0; p < 8; p++)
            w[p] ^= s[v->set[i]].plane[p] >> v->bit[i];
    from_planes(w);
    for (int i = 0; i < v->together; i++)
        store_block(out + 16 * i, w, i);
}

/* ---- Updates ---- */

/* Byte 0 is in row 0 and byte 1 in row 1, both in column 0. Both bytes are at most 3. */
RIJN_INLINE void aegis_separate(aegis_part *s, int first, int blocks, int degree)
{
    const shape *const v = shape_of(blocks, degree);

    for (int j = 3; j < blocks; j += blocks - 4) {
        for (int i = 0; i < v->together; i++) {
            const int bit = v->bit[j] + i;
            for (int p = 0; p < 2; p++)
                s[v->set[j]].plane[p] ^= (lane)((first + i) >> p & 1) << bit |
                                         (lane)((degree - 1) >> p & 1) << (ROW + bit);
        }
    }
}

/* to = to XOR AESRound(from, 0), for all blocks of a set. */
RIJN_APART static void add_round(lane to[8], const lane from[8])
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

RIJN_INLINE void update(aegis_part *s, const aegis_unit *m, bool late_input, int blocks, int degree)
{
    const shape *const v = shape_of(blocks, degree);
    /* The last layer of the last set has the block before S0. */
    const int top = v->bit[blocks - 1];
    const lane low = lowest(v->together), taken = late_input ? low | low << v->second : (lane)-1;
    lane last[8] = {0};

    add_round(last, s[v->sets - 1].plane);
    for (int j = v->sets - 1; j > 0; j--)
        add_round(s[j].plane, s[j - 1].plane);
    for (int p = 0; p < 8; p++) {
        const lane turned =
            top ? (last[p] << v->together & ~low) | (last[p] >> top & low) : last[p];
        s[0].plane[p] ^= turned ^ (m->set[0][p] & taken);
    }
    if (v->unit_sets == 2)
        for (int p = 0; p < 8; p++)
            s[4].plane[p] ^= m->set[1][p] & taken;
}

RIJN_APART static void aegis_update(aegis_part *s, const aegis_unit *m, bool late_input, int blocks,
                                    int degree)
{
    BY_VARIANT(update, s, m, late_input);
}

/* Returns plane p of block i in the place of S0. If S4 is in the same set, plane p of block
 * i + 4 (mod 8) is in the place of S4. */
RIJN_INLINE lane plane_of(const aegis_part *s, int i, int p, const shape *v)
{
    const lane x = s[v->set[i]].plane[p];
    const int down = v->bit[i];

    if (v->second && down >= v->second) /* block i + 4 is in a lower layer than i */
        return (x >> down & lowest(v->together)) |
               (x << (2 * v->second - down) & lowest(v->together) << v->second);
    return x >> down;
}

RIJN_INLINE void keystream(aegis_unit *z, const aegis_part *s, const aegis_unit *m, int blocks,
                           int degree)
{
    const shape *const v = shape_of(blocks, degree);

    for (int j = 0; j < v->unit_sets; j++) {
        const int up = 4 * j; /* from S0 to S4 */
        for (int p = 0; p < 8; p++) {
            const lane both = plane_of(s, 2 + up, p, v) & plane_of(s, (3 + up) % 8, p, v);
            if (blocks == 8)
                z->set[j][p] = m->set[j][p] ^ plane_of(s, 1 + up, p, v) ^
                               plane_of(s, (6 + up) % 8, p, v) ^ both;
            else
                z->set[j][p] = m->set[j][p] ^ plane_of(s, 1, p, v) ^ plane_of(s, 4, p, v) ^
                               plane_of(s, 5, p, v) ^ both;
        }
    }
}

RIJN_APART static void aegis_keystream(aegis_unit *z, const aegis_part *s, const aegis_unit *m,
                                       int blocks, int degree)
{
    BY_VARIANT(keystream, z, s, m);
}

RIJN_INLINE void aegis_crypt(aegis_unit *z, aegis_part *s, const aegis_unit *m, bool late_input,
                             int blocks, int degree)
{
    aegis_keystream(z, s, m, blocks, degree);
    aegis_update(s, late_input ? z : m, late_input, blocks, degree);
}

static void aegis_closing(aegis_unit *t, const aegis_part *s, const uint64_t words[2], int blocks,
                          int degree)
{
    const shape *const v = shape_of(blocks, degree);
    static const uint8_t zeros[16] = {0};
    uint8_t closing[16];
    const aegis_source parts[2][2] = {{closing, zeros}, {closing, zeros}};

    store_le64(closing, words[0]);
    store_le64(closing + 8, words[1]);
    aegis_spread(t, parts, blocks, degree);
    for (int j = 0; j < v->unit_sets; j++) {
        for (int p = 0; p < 8; p++) {
            const lane x = plane_of(s, blocks == 8 ? 2 : 3, p, v) & lowest(v->together);
            t->set[j][p] ^= x | x << v->second;
        }
    }
}

#endif
