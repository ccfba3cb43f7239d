/* Portable constant-time AES on 64-bit words: four blocks as eight bit planes. */
#include "../build.h"

#if RIJN_WITH_FIXSLICE64

#include "../backend.h"
#include "../cpu.h"

#define LANE_BITS 64
#include "../circuits/fixsliced.h"

#include "../modes/modes.h"

RIJN_MODES(fixslice64)

const rijn_backend rijn_backend_fixslice64 = {
    .summary = "bit-sliced on 64-bit words, four blocks at once, portable C",
    .cpu = 0,
    RIJN_CORE(fixslice64),
};

#endif
