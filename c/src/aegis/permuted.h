/* The operations of blocks.h with permutations of bytes on registers of one block. Include after
 * circuits/block.h and after defining permute_block and constant_block (circuits/bytesliced.h) and
 * AEGIS_STACK. */
#include "kernel.h"

#define word block
#define PERMUTED(name) name
#define permute permute_block
#define every constant_block
#include "../circuits/permuted.h"

#define read_block block_load
#define write_block block_store
#define pair_block block_pair
#define xor_blocks block_xor
#define and_blocks block_and
#define xor3_blocks(x, y, z) xor_blocks(x, xor_blocks(y, z))
#define xor_and_blocks(x, y, z) xor_blocks(x, and_blocks(y, z))

/* Two states in flight hide each other's latency. Four do not fit the registers of WebAssembly
 * engines. */
#define BLOCK_REGISTERS (DEGREE == 2 ? 16 : 0)
#define BLOCK_TERNARY 0
#define LANES 1
#define AEGIS_MEMORY 0
#define AEGIS_SHARED 0
#define AEGIS_ENDS 0
#define AEGIS_PACKED 0
#define AEGIS_OPERATIONS "blocks.h"
#include "aegis.h"
