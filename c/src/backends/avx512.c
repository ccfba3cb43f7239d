/* Constant-time AES with AVX-512, without AES instructions: 32 blocks as bit planes of bytes, or
 * fewer with permutations of bytes. */
#include "../backend.h"

#if defined(__x86_64__) && RIJN_WITH_ALL

#define TARGET "avx2,avx512f,avx512bw,avx512vl"
#include "../x86/begin.h"
RIJN_AT_O3

#include "../circuits/ghash.h"
#include "../cpu.h"
#include "../ct.h"

#define VEC_BLOCKS 4
#define VEC_MULTIPLIES 0
#define FLIGHT 8
#define STACK 3712
#define BLOCKS_STACK (1792 + SAVED_BLOCKS)
#define GCM_STACKS \
    { \
        1920 + SAVED_BLOCKS, 10240, 10240 /* clang 14 */ \
    }

typedef struct {
    uint8_t encrypt[15 * 16];
    uint8_t decrypt[15 * 16];
    hash h;
    int rounds;
} context;

#define WIDEST 4
#include "../x86/permuted_rounds.h"

#include "../x86/aes.h"

#include "../x86/vec.h"

#include "../circuits/flights.h"

#include "../x86/permuted_hash.h"

#include "../modes/modes.h"

RIJN_MODES(avx512)

const rijn_backend rijn_backend_avx512 = {
    .summary = "bit-sliced on AVX-512, 32 blocks at once; permutations for fewer",
    .cpu = RIJN_CPU(SSSE3) | RIJN_CPU(SSE41) | RIJN_CPU(POPCNT) | RIJN_CPU(AVX2) |
           RIJN_CPU(AVX512F) | RIJN_CPU(AVX512BW) | RIJN_CPU(AVX512VL) | RIJN_CPU(AVX512DQ),
    .avoid = RIJN_CPU(SLOW_ZMM),
    RIJN_CORE(avx512),
};

#include "../x86/end.h"

#else
typedef int rijn_no_avx512_here; /* ISO C wants a declaration in every file */
#endif
