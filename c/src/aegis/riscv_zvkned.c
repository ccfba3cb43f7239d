/* AEGIS with RISC-V's vector cryptography. Blocks are in memory; a round loads one into a register and
 * stores it again. */
#include "kernel.h"

#if RIJN_WITH_RISCV64

#include "../riscv/zvk.h"

#define read_block block_load
#define write_block block_store
#define pair_block block_pair
#define xor_blocks block_xor
#define and_blocks block_and
#define round_block zvk_round
#define xor3_blocks(x, y, z) xor_blocks(x, xor_blocks(y, z))
#define xor_and_blocks(x, y, z) xor_blocks(x, and_blocks(y, z))

#define BLOCK_REGISTERS 0
#define BLOCK_TERNARY 0
#define AEGIS_MEMORY 0
#define AEGIS_STACK(blocks, degree) ((blocks) == 8 ? 288 + 352 * (degree) : 272 + 272 * (degree))
#define AEGIS_SHARED 0
#define LANES 1
#define AEGIS_ENDS 0
#define AEGIS_PACKED 0
#define AEGIS_OPERATIONS "blocks.h"
#include "aegis.h"

RIJN_AEGIS(riscv_zvkned);

#else
typedef int rijn_no_riscv_zvkned_kernel_here; /* ISO C requires a declaration in every file */
#endif
