/* Constant-time AES with the vector registers of 64-bit Arm, without AES instructions: eight blocks
 * as bit planes of bytes, or fewer with permutations of bytes. */
#include "../backend.h"

#if defined(__AARCH64EL__) && RIJN_WITH_ALL

#include "../circuits/block.h"
#include "../cpu.h"

#include "../arm/permute.h"

RIJN_AT_O3

#define STACK 1280
#define BLOCKS_STACK 640
#define GCM_STACKS \
    { \
        STACK, 5120, 5120 \
    }

#include "../circuits/bytesliced.h"

#include "../modes/modes.h"

RIJN_MODES(neon)

const rijn_backend rijn_backend_neon = {
    .summary = "bit-sliced on Advanced SIMD, eight blocks at once; permutations for fewer",
    .cpu = RIJN_CPU(NEON),
    RIJN_CORE(neon),
};

#else
typedef int rijn_no_neon_here; /* ISO C wants a declaration in every file */
#endif
