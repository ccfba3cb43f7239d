/* AEGIS with AES-NI on CPUs with AVX-512VL. AES-NI alone cannot keep its two ports busy there: an
 * update of AEGIS-128L has eight rounds and ten logical operations, and three ports share these
 * eighteen. With operations of three operands (VPTERNLOG, which compilers find by themselves) there
 * are fourteen. */
#include "kernel.h"

#if (defined(__x86_64__) || defined(__i386__)) && RIJN_WITH_ALL

#define TARGET "aes,avx512vl"
#define GCC_OPTIONS "prefer-vector-width=128"
#include "../x86/begin.h"
RIJN_AT_O3

#define BLOCK_REGISTERS 16 /* of 32; AES-NI reaches only the lower half */
#define BLOCK_TERNARY 1
#define AEGIS_MEMORY 0
#include "aesni.h"

RIJN_AEGIS(aesni_avx512vl);

#include "../x86/end.h"

#else
typedef int rijn_no_aesni_avx512vl_here; /* ISO C requires a declaration in every file */
#endif
