/* VAES and VPCLMULQDQ with AVX-512: four blocks in a register, and eight registers in flight. CPUs
 * that start two AES instructions of 128 bits in a cycle start one of 512 bits. */
#include "../backend.h"

#if defined(__x86_64__) && RIJN_WITH_ALL

#define TARGET "aes,pclmul,avx2,vaes,vpclmulqdq,avx512f,avx512bw,avx512vl,prfchw"
#include "../x86/begin.h"
RIJN_AT_O3

#include "../cpu.h" /* without a bit for PREFETCHW: every CPU with VAES has it */
#include "../ct.h"

#define VEC_BLOCKS 4
#define VEC_MULTIPLIES 1
#define FLIGHT 8
#define POWERS 32
#define STACK 1024
#if defined(__clang__) && __clang_major__ < 16
#define BLOCKS_STACK STACK /* this clang keeps a batch there */
#else
#define BLOCKS_STACK (128 + SAVED_BLOCKS)
#endif
#ifdef __clang__ /* it spills more: in GCM-SIV, in loops over batches, around calls in loops over messages */
#define SHORT_STACK 512
#if __clang_major__ < 16 /* at -O1 and -Os, this clang leaves loops over batches as they are */
#define LONG_STACK 1472
#else
#define LONG_STACK 640
#endif
#define MANY_STACK 2624
#else
#define SHORT_STACK 320
#define LONG_STACK 384
#define MANY_STACK 1472
#endif
#define GCM_STACKS \
    { \
        SHORT_STACK, LONG_STACK, MANY_STACK \
    }

#include "../x86/registers.h"

typedef struct {
    uint8_t power[(POWERS + 1) * 16];
    uint8_t encrypt[15 * 16];
    uint8_t decrypt[15 * 16];
#if SECRETS_IN_REGISTERS
    uint8_t subkeys[2][16];
#endif
    int rounds;
} context;

#include "../x86/aes_rounds.h"
#include "../x86/vec_aes.h"
#include "../x86/vec_gcm.h"

#include "../modes/modes.h"

#include "../x86/vec_many.h"

#include "../x86/siv_many.h"

RIJN_MODES(vaes512)

const rijn_backend rijn_backend_vaes512 = {
    .summary = "VAES and VPCLMULQDQ on AVX-512, 32 blocks in flight",
    .cpu = RIJN_CPU(AES) | RIJN_CPU(PCLMULQDQ) | RIJN_CPU(SSSE3) | RIJN_CPU(SSE41) |
           RIJN_CPU(POPCNT) | RIJN_CPU(AVX2) | RIJN_CPU(VAES) | RIJN_CPU(VPCLMULQDQ) |
           RIJN_CPU(AVX512F) | RIJN_CPU(AVX512BW) | RIJN_CPU(AVX512VL) | RIJN_CPU(AVX512DQ),
    .avoid = RIJN_CPU(SLOW_ZMM),
    RIJN_CORE(vaes512),
};

#include "../x86/end.h"

#else
typedef int rijn_no_vaes512_here; /* ISO C wants a declaration in every file */
#endif
