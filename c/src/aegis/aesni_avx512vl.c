/* AEGIS by AES-NI on CPUs that have AVX-512VL besides. AES-NI alone
 * cannot keep its two ports busy there: next to the eight rounds of an update of
 * AEGIS-128L stand ten logical operations, and the three ports share the eighteen.
 * With operations of three operands (VPTERNLOG, which compilers find by themselves)
 * there are fourteen. */
#include "kernel.h"

#if (defined(__x86_64__) || defined(__i386__)) && RIJN_WITH_ALL

#define TARGET "aes,avx512vl"
#define GCC_OPTIONS "prefer-vector-width=128"
#include "../x86/begin.h"

#define BLOCK_REGISTERS 16 /* of 32, of which AES-NI reaches the lower half */
#define BLOCK_TERNARY 1
#define AEGIS_MEMORY 0
#include "aesni.h"

RIJN_AEGIS(aesni_avx512vl);

#include "../x86/end.h"

#else
typedef int rijn_no_aesni_avx512vl_here; /* ISO C wants a declaration in every file */
#endif
