/* AEGIS with permutations of bytes on the vector registers of 64-bit Arm. */
#include "kernel.h"

#if defined(__AARCH64EL__) && RIJN_WITH_ALL

#include "../circuits/block.h"

#include "../arm/permute.h"

RIJN_AT_O3

#define AEGIS_STACK(blocks, degree) (640 + 256 * (degree))
#include "permuted.h"

RIJN_AEGIS(neon);

#else
typedef int rijn_no_neon_here; /* ISO C requires a declaration in every file */
#endif
