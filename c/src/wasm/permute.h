/* The permutation of bytes (circuits/permuted.h) on WebAssembly's registers of 128 bits. Include after
 * circuits/block.h. */
#ifndef RIJN_WASM_PERMUTE_H
#define RIJN_WASM_PERMUTE_H

#include <wasm_simd128.h>

RIJN_INLINE block permute_block(block x, block index)
{
    return (block)wasm_i8x16_swizzle((v128_t)x, (v128_t)index);
}

/* Loads from memory that is hidden from the optimizer. For a known constant index it would use
 * i8x16.shuffle, which takes twice as long in V8: V8 builds the constant each time. */
RIJN_INLINE block constant_block(const uint8_t *p)
{
    __asm__("" : "+r"(p));
    return block_load(p);
}

#endif
