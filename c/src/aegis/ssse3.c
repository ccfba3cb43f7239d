/* AEGIS by permutations of bytes on xmm registers. */
#include "kernel.h"

#if defined(__x86_64__) && RIJN_WITH_ALL

#include <tmmintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("ssse3"))), apply_to = function)
#else
#pragma GCC target("ssse3")
#endif
RIJN_AT_O3

#include "../circuits/block.h"

#include "../x86/permute.h"

#define AEGIS_ONCE 1
#define AEGIS_STACK(blocks, degree) ((degree) == 1 ? 1664 : 2016)
#include "permuted.h"

RIJN_AEGIS(ssse3);

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
typedef int rijn_no_ssse3_here; /* ISO C wants a declaration in every file */
#endif
