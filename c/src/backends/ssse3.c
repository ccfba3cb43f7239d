/* Constant-time AES with the xmm registers of x86-64 and PSHUFB: eight blocks as bit planes of
 * bytes, or fewer with permutations of bytes. */
#include "../backend.h"

#if defined(__x86_64__) && RIJN_WITH_ALL

#define TARGET "ssse3"
#include "../x86/begin.h"
RIJN_AT_O3

#include "../circuits/block.h"
#include "../cpu.h"

#include "../x86/permute.h"

#define STACK 1280
#define BLOCKS_STACK 640
#define GCM_STACKS \
    { \
        STACK, 5120, 5120 \
    }

#include "../circuits/bytesliced.h"

#include "../modes/modes.h"

RIJN_MODES(ssse3)

const rijn_backend rijn_backend_ssse3 = {
    .summary = "bit-sliced on 128 bits with PSHUFB, eight blocks at once; permutations for fewer",
    .cpu = RIJN_CPU(SSSE3),
    RIJN_CORE(ssse3),
};

#include "../x86/end.h"

#else
typedef int rijn_no_ssse3_here; /* ISO C wants a declaration in every file */
#endif
