/* Constant-time AES with WebAssembly's registers of 128 bits: eight blocks as bit planes of bytes,
 * or fewer with permutations of bytes. */
#include "../backend.h"

#if defined(__wasm_simd128__) && RIJN_WITH_ALL

#include "../circuits/block.h"

#include "../wasm/permute.h"

#define STACK 1024
#define BLOCKS_STACK 384
#define GCM_STACKS \
    { \
        1280, 5760, 5760 \
    }

#include "../circuits/bytesliced.h"

#include "../modes/modes.h"

RIJN_MODES(simd128)

const rijn_backend rijn_backend_simd128 = {
    .summary = "bit-sliced on 128 bits, eight blocks at once; permutations for fewer",
    RIJN_CORE(simd128),
};

#else
typedef int rijn_no_simd128_here; /* ISO C wants a declaration in every file */
#endif
