/* The permutation of WebAssembly's registers of 128 bits (circuits/permuted.h). Include behind
 * circuits/block.h. */
#ifndef RIJN_WASM_PERMUTE_H
#define RIJN_WASM_PERMUTE_H

#include <wasm_simd128.h>

RIJN_INLINE block permute_block(block x, block index)
{
    return (block)wasm_i8x16_swizzle((v128_t)x, (v128_t)index);
}

/* From memory that the compiler knows nothing of: of a constant index it would make i8x16.shuffle,
 * which takes V8 twice as long, for it puts the constant together each time. */
RIJN_INLINE block constant_block(const uint8_t *p)
{
    __asm__("" : "+r"(p));
    return block_load(p);
}

#endif
