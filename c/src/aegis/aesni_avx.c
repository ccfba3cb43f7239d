/* AEGIS with AES-NI on CPUs with AVX. AVX instructions write to a third register and read unaligned
 * memory, so two states run together even though they fill all registers. This makes 256 1.05 and
 * 128X2 1.25 times as fast at 16 KiB. */
#include "kernel.h"

#if (defined(__x86_64__) || defined(__i386__)) && RIJN_WITH_ALL

#define TARGET "aes,avx"
#include "../x86/begin.h"
RIJN_AT_O3

#define BLOCK_REGISTERS 16 /* all of them */
#define BLOCK_TERNARY 0
#define AEGIS_MEMORY 0
#include "aesni.h"

RIJN_AEGIS(aesni_avx);

#include "../x86/end.h"

#else
typedef int rijn_no_aesni_avx_here; /* ISO C requires a declaration in every file */
#endif
