/* VAES and VPCLMULQDQ with AVX2: two blocks in a register, and eight registers in flight. */
#include "../backend.h"

#if defined(__x86_64__) && RIJN_WITH_ALL

/* Half of it is for the longest of these messages. RIJN_AT_O3 hides -Os. */
#if defined(__clang__)
#define SHORT_STACK 432
#elif defined(__OPTIMIZE_SIZE__)
#define SHORT_STACK 832
#else
#define SHORT_STACK 672
#endif

#define TARGET "aes,pclmul,avx2,vaes,vpclmulqdq,prfchw"
#include "../x86/begin.h"
RIJN_AT_O3

#include "../cpu.h" /* without a bit for PREFETCHW: every CPU with VAES has it */
#include "../ct.h"

#define VEC_BLOCKS 2
#define VEC_MULTIPLIES 1
#define FLIGHT 8
#define POWERS 16
#ifdef __clang__ /* at -O1, clang 14 and 19 spill a batch of OCB3 with its offsets */
#define STACK 1088
#else
#define STACK 832
#endif
#if defined(__clang__) && __clang_major__ < 16
#define BLOCKS_STACK STACK /* this clang keeps a batch there */
#else
#define BLOCKS_STACK (128 + SAVED_BLOCKS)
#endif
#define GCM_STACKS \
    { \
        SHORT_STACK, 1408, 1984 \
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

RIJN_MODES(vaes256)

const rijn_backend rijn_backend_vaes256 = {
    .summary = "VAES and VPCLMULQDQ on AVX2, 16 blocks in flight",
    .cpu = RIJN_CPU(AES) | RIJN_CPU(PCLMULQDQ) | RIJN_CPU(SSSE3) | RIJN_CPU(SSE41) |
           RIJN_CPU(POPCNT) | RIJN_CPU(AVX2) | RIJN_CPU(VAES) | RIJN_CPU(VPCLMULQDQ),
    RIJN_CORE(vaes256),
};

#include "../x86/end.h"

#else
typedef int rijn_no_vaes256_here; /* ISO C wants a declaration in every file */
#endif
