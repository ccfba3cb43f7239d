/* AEGIS with Arm's AES instructions and EOR3, an XOR of three operands from the SHA-3 extension. */
#include "kernel.h"

#if defined(__AARCH64EL__) && RIJN_WITH_ALL

#define CLANG_TARGET "aes,sha3"
#define GCC_TARGET "arch=armv8.2-a+crypto+sha3"
#include "../arm/begin.h"

RIJN_AS_WRITTEN

#define BLOCK_TERNARY 1
#include "armce.h"

RIJN_AEGIS(armce_sha3);

#include "../arm/end.h"

#else
typedef int rijn_no_armce_sha3_here; /* ISO C requires a declaration in every file */
#endif
