/* Constant-time AES with 128-bit vectors, which every x86-64 CPU has: eight blocks as eight bit
 * planes. A plane is two lanes of 64 bits; in fixslice64.c it is one. */
#include "../backend.h"
#include "../cpu.h"

#if defined(__x86_64__) && RIJN_WITH_ALL

#define LANE_BITS 64
#define WIDE_LANES 2
typedef uint64_t wide __attribute__((vector_size(16)));

#include "../circuits/fixsliced.h"

#include "../modes/modes.h"

RIJN_MODES(sse2)

const rijn_backend rijn_backend_sse2 = {
    .summary = "bit-sliced on 128-bit vectors, eight blocks at once",
    .cpu = RIJN_CPU(SSE2),
    RIJN_CORE(sse2),
};

#else
typedef int rijn_no_sse2_here; /* ISO C wants a declaration in every file */
#endif
