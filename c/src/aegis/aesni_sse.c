/* AEGIS with AES-NI on CPUs without AVX. An instruction overwrites one of its two operands, so code
 * copies blocks. Another state in flight would need too many copies. */
#include "kernel.h"

#if (defined(__x86_64__) || defined(__i386__)) && RIJN_WITH_ALL

#define TARGET "aes,sse4.1"
#include "../x86/begin.h"
RIJN_AT_O3

#define BLOCK_REGISTERS 12 /* of 16 */
#define BLOCK_TERNARY 0
#if defined(__clang__) /* with 0, AEGIS-128L and -256X2 take 1.5 times as long at 16 KiB */
#define AEGIS_MEMORY 1
#else
#define AEGIS_MEMORY 0
#endif
#include "aesni.h"

RIJN_AEGIS(aesni_sse);

#include "../x86/end.h"

#else
typedef int rijn_no_aesni_sse_here; /* ISO C requires a declaration in every file */
#endif
