/* The operations of blocks.h with Arm's AES instructions. The including file defines BLOCK_TERNARY:
 * 1 where EOR3 is available. AESE adds its key before SubBytes, not after MixColumns. So it adds
 * zero here, and a separate XOR adds the block of AEGIS. */
#include "../arm/neon.h"
#include "kernel.h"

typedef uint8x16_t block;

#define read_block vld1q_u8
#define write_block vst1q_u8
#define xor_blocks veorq_u8
#define and_blocks vandq_u8

RIJN_INLINE block pair_block(uint64_t a, uint64_t b)
{
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(a), vcreate_u64(b)));
}

RIJN_INLINE block round_block(block x, block k)
{
    return veorq_u8(vaesmcq_u8(vaeseq_u8(x, vdupq_n_u8(0))), k);
}

/* EOR3 comes with BCAX. A key of ones undoes the inversion of a block. */
#define BLOCK_INVERTED BLOCK_TERNARY
#if BLOCK_TERNARY
RIJN_INLINE block round_inverted(block x, block k)
{
    return veorq_u8(vaesmcq_u8(vaeseq_u8(x, vdupq_n_u8(255))), k);
}

#define invert_block vmvnq_u8
#define xor3_blocks veor3q_u8
#define xor_and_blocks vbcaxq_u8
#else
#define xor3_blocks(x, y, z) xor_blocks(x, xor_blocks(y, z))
#define xor_and_blocks(x, y, z) xor_blocks(x, and_blocks(y, z))
#endif

#define BLOCK_REGISTERS 16 /* of 32; units and results of rounds need half */
#define AEGIS_MEMORY 0
/* gcc keeps a copy of the two states of 128X2 on the stack. */
#define AEGIS_STACK(blocks, degree) \
    ((blocks) != 8 ? 272 + 224 * (degree) : (degree) == 1 ? 560 : 512 + 192 * (degree))
#define AEGIS_SHARED 0
#define LANES 1
#define AEGIS_ENDS 0
#define AEGIS_PACKED 0
#define AEGIS_OPERATIONS "blocks.h"
#include "aegis.h"
