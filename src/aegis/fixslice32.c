/* AEGIS on bit planes of 32-bit words. */
#include "kernel.h"

#define LANE_BITS 32
#define AEGIS_STACK 1536
#define AEGIS_OPERATIONS "planes.h"
#include "aegis.h"

RIJN_AEGIS(fixslice32);
