/* AEGIS with permutations of bytes on xmm registers. */
#include "kernel.h"

#if defined(__x86_64__) && RIJN_WITH_ALL

#define TARGET "ssse3"
#include "../x86/begin.h"
RIJN_AT_O3

#include "../circuits/block.h"

#include "../x86/permute.h"

#define AEGIS_ONCE 1
#define AEGIS_STACK(blocks, degree) ((degree) == 1 ? 1664 : 2016)
#include "permuted.h"

RIJN_AEGIS(ssse3);

#include "../x86/end.h"

#else
typedef int rijn_no_ssse3_here; /* ISO C requires a declaration in every file */
#endif
