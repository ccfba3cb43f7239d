/* AEGIS on bit planes of 64-bit words. */
#include "kernel.h"

#define LANE_BITS 64
#define AEGIS_STACK 1536
#define AEGIS_OPERATIONS "planes.h"
#include "aegis.h"

RIJN_AEGIS(fixslice64);
