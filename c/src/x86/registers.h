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

#if VECS_IN_REGISTERS /* clang 19 spills the keys of a message */
#define NATIVE_SIV_REGISTERS
#endif

#if SECRETS_IN_REGISTERS
#define NATIVE_REGISTERS
#define PIECE_STACK 192 /* a call of ctr_in_registers, or of ghash with 8 powers by gcc */

RIJN_INLINE uint64_t block_half(__m128i x, int i)
{
    return i ? (uint64_t)_mm_extract_epi64(x, 1) : (uint64_t)_mm_cvtsi128_si64(x);
}

RIJN_INLINE void block_store_part(uint8_t *p, __m128i x, size_t size)
{
    store_part(p, size, block_half(x, 0), block_half(x, 1));
}

/* The places 0 to 15 of a block's bytes, between bytes for which PSHUFB makes a zero. */
static const uint8_t block_places[48] = {
#define NOWHERE 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80
    NOWHERE, NOWHERE, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, NOWHERE, NOWHERE,
#undef NOWHERE
};

RIJN_INLINE __m128i block_up(__m128i x, size_t by)
{
    return _mm_shuffle_epi8(x, block_load(block_places + 16 - by));
}

RIJN_INLINE __m128i block_down(__m128i x, size_t by)
{
    return _mm_shuffle_epi8(x, block_load(block_places + 16 + by));
}

RIJN_INLINE __m128i block_stretch(__m128i top, unsigned bottom)
{
    const __m128i turn = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    const __m128i third = _mm_xor_si128(top, _mm_srli_si128(top, 1));
    const __m128i halves = _mm_shuffle_epi8(top, turn);
    const __m128i next = _mm_shuffle_epi8(_mm_alignr_epi8(third, top, 8), turn);
    const __m128i x = _mm_or_si128(_mm_sll_epi64(halves, _mm_cvtsi32_si128((int)bottom)),
                                   _mm_srl_epi64(next, _mm_cvtsi32_si128(64 - (int)bottom)));

    return _mm_shuffle_epi8(x, turn);
}

/* Combines two loads, which may overlap. They do not wait for a nonce that was stored by halves. They
 * take few registers: with load_part and store_part, compilers keep parts of long functions on the
 * stack. */
RIJN_INLINE __m128i block_part(const uint8_t *p, size_t size)
{
    const uint8_t *const end = p + size;
    __m128i first, last;
    size_t each;

    if (size >= 8) {
        each = 8;
        first = _mm_loadl_epi64((const __m128i *)(const void *)p);
        last = _mm_loadl_epi64((const __m128i *)(const void *)(end - 8));
    } else if (size >= 4) {
        each = 4;
        first = _mm_cvtsi32_si128((int)load_le32(p));
        last = _mm_cvtsi32_si128((int)load_le32(end - 4));
    } else if (size >= 2) {
        each = 2;
        first = _mm_cvtsi32_si128(load_le16(p));
        last = _mm_cvtsi32_si128(load_le16(end - 2));
    } else {
        return _mm_cvtsi32_si128(*p);
    }
    return _mm_or_si128(first, block_up(last, size - each));
}

RIJN_INLINE void block_part_store(uint8_t *p, __m128i x, size_t size)
{
    uint8_t *const end = p + size;

    if (size >= 8) {
        _mm_storel_epi64((__m128i *)(void *)p, x);
        _mm_storel_epi64((__m128i *)(void *)(end - 8), block_down(x, size - 8));
    } else if (size >= 4) {
        store_le32(p, (uint32_t)_mm_cvtsi128_si32(x));
        store_le32(end - 4, (uint32_t)_mm_cvtsi128_si32(block_down(x, size - 4)));
    } else {
        const uint32_t bytes = (uint32_t)_mm_cvtsi128_si32(x);
        p[0] = (uint8_t)bytes;
        if (size >= 2)
            p[1] = (uint8_t)(bytes >> 8);
        if (size == 3)
            p[2] = (uint8_t)(bytes >> 16);
    }
}
#endif

#endif
