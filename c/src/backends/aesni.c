/* AES-NI and PCLMULQDQ in the encoding of SSE, for CPUs without AVX. */
#include "../backend.h"

#if (defined(__x86_64__) || defined(__i386__)) && RIJN_WITH_ALL

#define TARGET "aes,pclmul,ssse3,sse4.1"
#include "../x86/begin.h"
RIJN_AT_O3

#include "../x86/aesni.h"

#include "../modes/modes.h"

#include "../x86/siv_many.h"

RIJN_MODES(aesni)

const rijn_backend rijn_backend_aesni = {
    .summary = "AES-NI and PCLMULQDQ, eight blocks in flight",
    .cpu = RIJN_CPU(AES) | RIJN_CPU(PCLMULQDQ) | RIJN_CPU(SSSE3) | RIJN_CPU(SSE41),
    RIJN_CORE(aesni),
};

#include "../x86/end.h"

#else
typedef int rijn_no_aesni_here; /* ISO C wants a declaration in every file */
#endif
