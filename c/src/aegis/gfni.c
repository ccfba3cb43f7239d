/* AEGIS by GFNI on the registers of AVX-512, which hold the states as avx512.c says. */
#include "kernel.h"

#if defined(__x86_64__) && RIJN_WITH_ALL

#include <immintrin.h> /* before the target, as in aesni_avx512vl.c */

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("gfni,avx512f,avx512bw,avx512vl"))), \
                             apply_to = function)
#else
#pragma GCC target("gfni,avx512f,avx512bw,avx512vl,prefer-vector-width=128")
#endif
RIJN_AT_O3

#define WITH_ZMM 1
#define AEGIS_STACK(blocks, degree) (640 + 128 * (degree))
#include "../x86/affine_rounds.h"

#include "wide.h"

RIJN_AEGIS(gfni);

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
typedef int rijn_no_gfni_here; /* ISO C wants a declaration in every file */
#endif
