/* Portable constant-time AES on 32-bit words: two blocks as eight bit planes. */
#include "../build.h"

#if RIJN_WITH_FIXSLICE32

#include "../backend.h"
#include "../cpu.h"

#define LANE_BITS 32
#include "../circuits/fixsliced.h"

#include "../modes/modes.h"

RIJN_MODES(fixslice32)

const rijn_backend rijn_backend_fixslice32 = {
    .summary = "bit-sliced on 32-bit words, two blocks at once, portable C",
    .cpu = 0,
    RIJN_CORE(fixslice32),
};

#endif
