/* AEGIS by 32-bit tables (tables/columns.h), for the backends that have no round
 * instruction and read at addresses that depend on secrets. */
#include "../bytes.h"
#include "../tables/columns.h"
#include "kernel.h"

/* SubBytes and MixColumns of a byte, by its row. */
static const uint32_t mixed[4][256] = {{S_BOX(MIX0)}, {S_BOX(MIX1)}, {S_BOX(MIX2)}, {S_BOX(MIX3)}};

/* Column c of what SubBytes, ShiftRows and MixColumns make of the columns s, which are
 * little-endian. */
RIJN_INLINE uint32_t round_column(const uint32_t s[4], int c)
{
    uint32_t t = 0;

    RIJN_UNROLL
    for (int r = 0; r < 4; r++)
        t ^= mixed[r][s[(c + r) % 4] >> 8 * r & 0xff];
    return t;
}

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
#include "aegis.h"

RIJN_AEGIS(table);
