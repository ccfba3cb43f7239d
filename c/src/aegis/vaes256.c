/* AEGIS with VAES on registers of 256 bits. A state of 128L is folded into four registers, a state of
 * 256 fills six of 128 bits. Registers hold two states of X2 or X4 side by side. */
#include "kernel.h"

#if defined(__x86_64__) && RIJN_WITH_ALL

#define TARGET "aes,vaes,avx2"
#include "../x86/begin.h"
RIJN_AT_O3

#define WITH_ZMM 0
#ifdef __clang__ /* at -O1 and -Os, clang 14 spills more of two states */
#define AEGIS_STACK(blocks, degree) \
    (((blocks) == 8 ? 112 + 272 * (degree) : 96 + 224 * (degree)) + 32)
#else
#define AEGIS_STACK(blocks, degree) ((blocks) == 8 ? 112 + 272 * (degree) : 96 + 224 * (degree))
#endif
#define AEGIS_IN_REGISTERS(blocks, degree) (VECS_IN_REGISTERS && (degree) < 4)
#include "../x86/aes_rounds.h"

#include "wide.h"

RIJN_AEGIS(vaes256);

#include "../x86/end.h"

#else
typedef int rijn_no_vaes256_here; /* ISO C requires a declaration in every file */
#endif
