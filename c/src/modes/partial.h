/* Whole blocks of what comes in pieces of any sizes. */
#ifndef RIJN_PARTIAL_H
#define RIJN_PARTIAL_H

#include <string.h>

#include "rijn.h"

/* Takes bytes from the front of the piece *in, *size, and returns how many blocks they
 * are; these stand at *blocks, until the next call. To be called until it returns 0:
 * then the piece is used up and what is no whole block waits in `partial`. With `last`
 * the last block waits even when it is whole, for what is done to it at the end. */
static inline size_t partial_blocks(rijn_partial *partial, bool last, const uint8_t **blocks,
                                    const uint8_t **in, size_t *size)
{
    const uint8_t *const piece = *in;
    size_t n = *size, count;

    if (!n) /* *in may be NULL */
        return 0;
    if (partial->fill) {
        const size_t room = 16 - partial->fill;
        n = n < room ? n : room;
        memcpy(partial->block + partial->fill, piece, n);
        partial->fill += n;
        count = partial->fill == 16 && *size - n >= last;
        if (count)
            partial->fill = 0;
        *blocks = partial->block;
    } else {
        count = (n - last) / 16;
        if (count)
            n = 16 * count;
        else
            memcpy(partial->block, piece, partial->fill = n);
        *blocks = piece;
    }
    *in = piece + n, *size -= n;
    return count;
}

/* Fills the block up: `first`, then zeros. Only where there is room. */
static inline void partial_pad(rijn_partial *partial, uint8_t first)
{
    partial->block[partial->fill] = first;
    memset(partial->block + partial->fill + 1, 0, 15 - partial->fill);
    partial->fill = 0;
}

#endif
