/* AEGIS with permutations of bytes on WebAssembly's registers of 128 bits. */
#include "kernel.h"

#if defined(__wasm_simd128__) && RIJN_WITH_ALL

#include "../circuits/block.h"

#include "../wasm/permute.h"

#define AEGIS_STACK(blocks, degree) (256 + 160 * (degree))
#include "permuted.h"

RIJN_AEGIS(simd128);

#else
typedef int rijn_no_simd128_here; /* ISO C requires a declaration in every file */
#endif
