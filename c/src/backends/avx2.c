/* Constant-time AES with AVX2, without AES instructions: sixteen blocks as bit planes of bytes, or
 * fewer with permutations of bytes. */
#include "../backend.h"

#if defined(__x86_64__) && RIJN_WITH_ALL

#define TARGET "avx2"
#include "../x86/begin.h"
RIJN_AT_O3

#include "../circuits/ghash.h"
#include "../cpu.h"
#include "../ct.h"

#define VEC_BLOCKS 2
#define VEC_MULTIPLIES 0
#define FLIGHT 8
#define STACK 2816
#define BLOCKS_STACK (1664 + SAVED_BLOCKS)
#define GCM_STACKS \
    { \
        BLOCKS_STACK, 6912, 6912 \
    }

typedef struct {
    uint8_t encrypt[15 * 16];
    uint8_t decrypt[15 * 16];
    hash h;
    int rounds;
} context;

#define WIDEST 2
#include "../x86/permuted_rounds.h"

#include "../x86/aes.h"

#include "../x86/vec.h"

#include "../circuits/flights.h"

#include "../x86/permuted_hash.h"

#include "../modes/modes.h"

RIJN_MODES(avx2)

const rijn_backend rijn_backend_avx2 = {
    .summary = "bit-sliced on AVX2, 16 blocks at once; permutations for fewer",
    .cpu = RIJN_CPU(SSSE3) | RIJN_CPU(SSE41) | RIJN_CPU(POPCNT) | RIJN_CPU(AVX2),
    RIJN_CORE(avx2),
};

#include "../x86/end.h"

#else
typedef int rijn_no_avx2_here; /* ISO C wants a declaration in every file */
#endif
