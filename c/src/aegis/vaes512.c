/* AEGIS with VAES on the registers of AVX-512. A state of 128L is folded into four registers of 256
 * bits, a state of 256 fills six of 128 bits. The states of X2 and X4 are side by side in registers
 * of 256 and 512 bits. */
#include "kernel.h"

#if defined(__x86_64__) && RIJN_WITH_ALL

#define TARGET "aes,vaes,avx512f,avx512bw,avx512vl"
#define GCC_OPTIONS "prefer-vector-width=128"
#include "../x86/begin.h"
RIJN_AT_O3

#define WITH_ZMM 1
#define AEGIS_WRITTEN
#ifdef __clang__ /* at -O1 and -Os, clang 14 saves more registers */
#define AEGIS_STACK(blocks, degree) 208
#else
#define AEGIS_STACK(blocks, degree) 144 /* saved registers; the states are in registers */
#endif
#define AEGIS_IN_REGISTERS(blocks, degree) VECS_IN_REGISTERS
#include "../x86/aes_rounds.h"

#include "wide.h"

RIJN_AEGIS(vaes512);

#include "../x86/end.h"

#else
typedef int rijn_no_vaes512_here; /* ISO C requires a declaration in every file */
#endif
