/* Decides whether compilers keep secrets in registers: SECRETS_IN_REGISTERS is 1 or 0. If it is 1,
 * defines NATIVE_REGISTERS (backend.h) and its operations on a block. VECS_IN_REGISTERS is 1 or 0 for
 * code that needs nearly all registers. Include where the target has sse4.1, before `context` is
 * defined.
 *
 * Without optimisation, compilers keep every variable on the stack. At -O1, clang 14 spills a batch.
 * On Windows, functions save ten of their caller's registers on the stack. */
#ifndef RIJN_X86_REGISTERS_H
#define RIJN_X86_REGISTERS_H

#include <smmintrin.h>

#include "block.h"

#if defined(__x86_64__) && !defined(_WIN64) && defined(__OPTIMIZE__) && \
    (!defined(__clang__) || __clang_major__ >= 16)
#define SECRETS_IN_REGISTERS 1
#else
#define SECRETS_IN_REGISTERS 0
#endif

/* At -O1, clang 19 spills vecs. */
#if SECRETS_IN_REGISTERS && !defined(__clang__)
#define VECS_IN_REGISTERS 1
#else
#define VECS_IN_REGISTERS 0
#endif

#if SECRETS_IN_REGISTERS
#define NATIVE_REGISTERS

RIJN_INLINE void block_store_part(uint8_t *p, __m128i x, size_t size)
{
    store_part(p, size, (uint64_t)_mm_cvtsi128_si64(x), (uint64_t)_mm_extract_epi64(x, 1));
}
#endif

#endif
