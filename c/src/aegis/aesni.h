/* The operations of blocks.h with AES-NI. The including file defines BLOCK_REGISTERS, BLOCK_TERNARY
 * and AEGIS_MEMORY, which depend on the other available instructions. */
#include "../x86/aes_rounds.h"
#include "kernel.h"
#include "xmm.h"

#if BLOCK_TERNARY
#define xor3_blocks(x, y, z) _mm_ternarylogic_epi64(x, y, z, 0x96)
#define xor_and_blocks(x, y, z) _mm_ternarylogic_epi64(x, y, z, 0x78)
#else
#define xor3_blocks(x, y, z) xor_blocks(x, xor_blocks(y, z))
#define xor_and_blocks(x, y, z) xor_blocks(x, and_blocks(y, z))
#endif

/* Stack for copies of at most two states. They do not fit the registers of i686 either. */
#define COPY_STACK (AEGIS_MEMORY || sizeof(void *) == 4 ? 192 : 0)
#define AEGIS_STACK(blocks, degree) \
    (((blocks) == 8 ? 128 + 320 * (degree) : 240 + 240 * (degree)) + COPY_STACK)
/* With AVX-512VL there are 32 registers, which hold two states. */
#define AEGIS_IN_REGISTERS(blocks, degree) \
    (VECS_IN_REGISTERS && (degree) <= (BLOCK_TERNARY ? 2 : 1))
#define AEGIS_SHARED 0
#define LANES 1
#define AEGIS_ENDS 0
#define AEGIS_PACKED 0
#define AEGIS_OPERATIONS "blocks.h"
#include "aegis.h"
