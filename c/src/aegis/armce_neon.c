/* AEGIS with Arm's AES instructions, on CPUs without EOR3 (an XOR of three operands). */
#include "kernel.h"

#if defined(__AARCH64EL__) && RIJN_WITH_ALL

#define CLANG_TARGET "aes"
#define GCC_TARGET "+crypto"
#include "../arm/begin.h"

RIJN_AS_WRITTEN

#define BLOCK_TERNARY 0
#include "armce.h"

RIJN_AEGIS(armce_neon);

#include "../arm/end.h"

#else
typedef int rijn_no_armce_neon_here; /* ISO C requires a declaration in every file */
#endif
