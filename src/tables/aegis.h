/* The operations of aegis/lanes.h by tables. Include after defining
 *
 *     static uint32_t round_column(const uint32_t s[4], int c);
 *             column c of what SubBytes, ShiftRows and MixColumns make of the
 *             columns s, which are little-endian
 */
#ifndef RIJN_TABLES_AEGIS_H
#define RIJN_TABLES_AEGIS_H

#include "../bytes.h"

typedef struct {
    uint32_t column[4];
} lane;

RIJN_INLINE lane lane_load(const uint8_t *p)
{
    lane x;
    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        x.column[c] = load_le32(p + 4 * c);
    return x;
}

RIJN_INLINE void lane_store(uint8_t *p, lane x)
{
    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        store_le32(p + 4 * c, x.column[c]);
}

RIJN_INLINE lane lane_pair(uint64_t a, uint64_t b)
{
    return (lane){{(uint32_t)a, (uint32_t)(a >> 32), (uint32_t)b, (uint32_t)(b >> 32)}};
}

RIJN_INLINE lane lane_xor(lane x, lane y)
{
    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        x.column[c] ^= y.column[c];
    return x;
}

RIJN_INLINE lane lane_and(lane x, lane y)
{
    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        x.column[c] &= y.column[c];
    return x;
}

static inline lane lane_round(lane x, lane k)
{
    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        k.column[c] ^= round_column(x.column, c);
    return k;
}

#define AEGIS_INLINE static inline
#define AEGIS_PART static inline
#define LANE_REGISTERS 0 /* the state lies in memory */
#define LANE_TERNARY 0
#define AEGIS_STACK 2432

#define AEGIS_OPERATIONS "lanes.h"
#include "../aegis/aegis.h"

#endif
