/* AEGIS by Arm's AES instructions, on CPUs that have no XOR of three. */
#include "kernel.h"

#if defined(__AARCH64EL__) && RIJN_WITH_ALL

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("aes"))), apply_to = function)
#else
#pragma GCC target("+crypto")
#endif

RIJN_AS_WRITTEN

#define BLOCK_TERNARY 0
#include "armce.h"

RIJN_AEGIS(armce_neon);

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
typedef int rijn_no_armce_neon_here; /* ISO C wants a declaration in every file */
#endif
