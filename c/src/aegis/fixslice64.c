/* AEGIS on bit planes of 64-bit words. */
#include "../build.h"

#if RIJN_WITH_AEGIS && RIJN_WITH_FIXSLICE64

#include "../cpu.h"

#define LANE_BITS 64
/* 32-bit machines use two registers per word and spill them all. */
#define AEGIS_STACK(blocks, degree) (RIJN_WORD_BITS == 64 ? 3136 : 4608)
#define AEGIS_SHARED 1
#define AEGIS_OPERATIONS "planes.h"
#include "aegis.h"

RIJN_AEGIS(fixslice64);

#endif
