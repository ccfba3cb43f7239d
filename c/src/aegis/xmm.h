/* The operations of blocks.h on blocks of ../x86/block.h that need no more than SSE4.1. */
#include "../x86/registers.h"

#define read_block block_load
#define write_block block_store
#define pair_block block_pair
#if defined(__x86_64__)
#define read_apart block_load_apart
#endif
#define xor_blocks _mm_xor_si128
#define and_blocks _mm_and_si128
