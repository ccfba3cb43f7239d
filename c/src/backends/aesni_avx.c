/* AES-NI and PCLMULQDQ in the encoding of AVX. Its instructions have three operands, and load
 * operands at any address. This saves a quarter of the instructions. */
#include "../backend.h"

#if (defined(__x86_64__) || defined(__i386__)) && RIJN_WITH_ALL

#define TARGET "aes,pclmul,ssse3,sse4.1,avx"
#include "../x86/begin.h"
RIJN_AT_O3

#include "../x86/aesni.h"

#include "../modes/modes.h"

#include "../x86/siv_many.h"

RIJN_MODES(aesni_avx)

const rijn_backend rijn_backend_aesni_avx = {
    .summary = "AES-NI and PCLMULQDQ in the encoding of AVX",
    .cpu = RIJN_CPU(AES) | RIJN_CPU(PCLMULQDQ) | RIJN_CPU(SSSE3) | RIJN_CPU(SSE41) |
           RIJN_CPU(POPCNT) | RIJN_CPU(AVX),
    RIJN_CORE(aesni_avx),
};

#include "../x86/end.h"

#else
typedef int rijn_no_aesni_avx_here; /* ISO C wants a declaration in every file */
#endif
