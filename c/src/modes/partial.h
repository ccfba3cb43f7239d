/* Cuts pieces of any size into whole blocks. */
#ifndef RIJN_PARTIAL_H
#define RIJN_PARTIAL_H

#include <string.h>

#include "rijn.h"

/* Takes whole blocks from the front of the piece (*in, *size). Returns how many, and sets *blocks
 * to them; they stay there until the next call. Call it until it returns 0: then the piece is used
 * up, and an incomplete block waits in `partial`. With `last`, the last block waits even if it is
 * whole, because the caller treats it differently. */
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

/* Pads the waiting block, which must not be full: `first`, then zeros. */
static inline void partial_pad(rijn_partial *partial, uint8_t first)
{
    partial->block[partial->fill] = first;
    memset(partial->block + partial->fill + 1, 0, 15 - partial->fill);
    partial->fill = 0;
}

#endif
