/* AEGIS on bit planes of 64-bit words. */
#define LANE_BITS 64
#define AEGIS_STACK(blocks, degree) 3072
#define AEGIS_SHARED 1
#define AEGIS_OPERATIONS "planes.h"
#include "aegis.h"

RIJN_AEGIS(fixslice64);
