/* AEGIS with 32-bit tables (tables/columns.h), for the backends without round instructions that read
 * at addresses that depend on secrets. */
#include "../build.h"

#if RIJN_WITH_AEGIS && RIJN_WITH_TABLE

#if !defined(__clang__)
#pragma GCC optimize("no-tree-slp-vectorize", "no-tree-loop-vectorize")
#endif

#include "../bytes.h"
#include "../tables/columns.h"
#include "kernel.h"

/* SubBytes and MixColumns of a byte in each of the four rows. */
static const uint32_t mixed[4][256] = {{S_BOX(MIX0)}, {S_BOX(MIX1)}, {S_BOX(MIX2)}, {S_BOX(MIX3)}};

/* Returns column c after SubBytes, ShiftRows and MixColumns of the columns s. Columns are
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
} block;

RIJN_INLINE block read_block(const uint8_t *p)
{
    block x;
    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        x.column[c] = load_le32(p + 4 * c);
    return x;
}

RIJN_INLINE void write_block(uint8_t *p, block x)
{
    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        store_le32(p + 4 * c, x.column[c]);
}

RIJN_INLINE block pair_block(uint64_t a, uint64_t b)
{
    return (block){{(uint32_t)a, (uint32_t)(a >> 32), (uint32_t)b, (uint32_t)(b >> 32)}};
}

RIJN_INLINE block xor_blocks(block x, block y)
{
    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        x.column[c] ^= y.column[c];
    return x;
}

RIJN_INLINE block and_blocks(block x, block y)
{
    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        x.column[c] &= y.column[c];
    return x;
}

#define xor3_blocks(x, y, z) xor_blocks(x, xor_blocks(y, z))
#define xor_and_blocks(x, y, z) xor_blocks(x, and_blocks(y, z))

RIJN_INLINE block round_block(block x, block k)
{
    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        k.column[c] ^= round_column(x.column, c);
    return k;
}

#define BLOCK_REGISTERS 0
#define AEGIS_STACK(blocks, degree) 2240
#define AEGIS_SHARED 1
#define LANES 1
#define AEGIS_ENDS 0
#define AEGIS_PACKED 0
#define AEGIS_OPERATIONS "blocks.h"
#include "aegis.h"

RIJN_AEGIS(table);

#endif
