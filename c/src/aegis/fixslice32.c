/* AEGIS on bit planes of 32-bit words. */
#include "../build.h"

#if RIJN_WITH_AEGIS && RIJN_WITH_FIXSLICE32

#define LANE_BITS 32
#define AEGIS_STACK(blocks, degree) 2752
#define AEGIS_SHARED 1
#define AEGIS_OPERATIONS "planes.h"
#include "aegis.h"

RIJN_AEGIS(fixslice32);

#endif
