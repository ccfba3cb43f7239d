/* A backend on xmm registers with one block each. Eight blocks in flight hide the latency of AESENC (3
 * or 4 cycles on CPUs that start two per cycle, up to 8 on CPUs that start one). Include where the
 * target has aes, pclmul, ssse3 and sse4.1, in the encoding of SSE or of AVX. */
#ifndef RIJN_X86_AESNI_H
#define RIJN_X86_AESNI_H

#include <smmintrin.h>

#include "../cpu.h"

#define VEC_BLOCKS 1
#define FLIGHT 8
#define POWERS 8
#define STACK (RIJN_WORD_BITS == 64 ? 544 : 928)
#if defined(__clang__) && __clang_major__ < 16
#define BLOCKS_STACK STACK /* it keeps a batch on the stack */
#else
#define BLOCKS_STACK (RIJN_WORD_BITS == 64 ? 128 + SAVED_BLOCKS : STACK)
#endif
#define FUSED_STACK (RIJN_WORD_BITS == 64 ? 640 : 896)
#define GCM_STACKS /* gcc keeps more of a short message on the stack at -O1 */ \
    { \
        STACK + 48, STACK + FUSED_STACK, STACK + FUSED_STACK \
    }

#include "registers.h"

typedef struct {
    uint8_t encrypt[15 * 16];
    uint8_t decrypt[15 * 16];
    uint8_t power[POWERS * 16];
    uint8_t fold[POWERS * 8];
#if SECRETS_IN_REGISTERS
    uint8_t subkeys[2][16];
#endif
    int rounds;
} context;

#include "aes_rounds.h"

#include "aes.h"

typedef block vec;

#include "clmul.h"

#include "../carryless/ghash.h"

#if SECRETS_IN_REGISTERS

/* p += x * h, with a whole middle part. Needs no fold of h, which would take a
 * register. */
RIJN_INLINE void accumulate_unfolded(products *p, block x, block h)
{
    const block low = clmul_low(x, h), high = clmul_high(x, h), swapped = swap_halves(x);

    p->low = block_xor(p->low, low);
    p->high = block_xor(p->high, high);
    p->middle = block_xor(p->middle, clmul_low(swapped, h));
    p->middle = block_xor(p->middle, clmul_high(swapped, h));
}

/* Groups of four blocks share a reduction. The first group begins late enough for `last` to end the
 * last one. */
RIJN_INLINE block ghash_key(const context *c)
{
    return block_load(c->power);
}

RIJN_INLINE block polyval_short(block h, block y, const uint8_t *p, size_t size, block last)
{
    const block h2 = squared(h), h3 = polyval_times(h2, h), h4 = squared(h2);

    for (size_t n = ((size + 15) / 16 + 1) % 4; n; n--, p += 16, size -= 16)
        y = polyval_times(block_xor(y, block_load(p)), h);
    for (;; p += 64, size -= 64) {
        const bool end = size <= 48;
        products sum = no_products();

        accumulate_unfolded(&sum, block_xor(block_load(p), y), h4);
        accumulate_unfolded(&sum, block_load(p + 16), h3);
        accumulate_unfolded(&sum, end ? block_part(p + 32, size - 32) : block_load(p + 32), h2);
        accumulate_unfolded(&sum, end ? last : block_load(p + 48), h);
        sum.middle = block_xor(sum.middle, block_xor(sum.low, sum.high));
        y = reduce_block(sum);
        if (end)
            return y;
    }
}

#endif

#define NATIVE_BYPASS /* block.h */

#define NATIVE_COUNTERS
/* While the last byte of the block does not wrap, one addition in place makes a counter block.
 * Otherwise (one batch in 32, or a secret counter, on which no branch may depend) the code counts in
 * reverse byte order, where the low word is an integer, and then reverses the bytes. (Swapping `low`
 * in an integer register made CTR a sixth slower.) */
RIJN_INLINE void counters(__m128i *v, int n, __m128i fixed, uint32_t low, bool hidden)
{
    const __m128i reversed = _mm_insert_epi32(byte_reverse(fixed), (int)low, 0);

    if ((ct_unless_hidden(low, hidden) & 0xff) + (uint32_t)n <= 0x100) {
        const __m128i first = byte_reverse(reversed);
        RIJN_UNROLL
        for (int i = 0; i < n; i++)
            v[i] = _mm_add_epi32(first, _mm_set_epi32(i << 24, 0, 0, 0));
    } else {
        RIJN_UNROLL
        for (int i = 0; i < n; i++)
            v[i] = byte_reverse(_mm_add_epi32(reversed, _mm_set_epi32(0, 0, 0, i)));
    }
}

/* The counter word is already an integer. */
RIJN_INLINE void little_counters(__m128i *v, int n, __m128i fixed, uint32_t low)
{
    const __m128i first = _mm_insert_epi32(fixed, (int)low, 0);

    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = _mm_add_epi32(first, _mm_set_epi32(0, 0, 0, i));
}

/* Each of the rounds 1 to 8 of the cipher comes with one block of the hash, round 9 with the
 * reduction, so AES and multiplier ports are busy at the same time. */
RIJN_INLINE __m128i encrypt_hash(const context *c, vec *v, __m128i y, const uint8_t *p,
                                 bool reversed)
{
    products sum = no_products();

    add_round_key(c->encrypt, v, FLIGHT);
    RIJN_UNROLL
    for (int r = 1; r <= 8; r += 2) {
        const __m128i x = hash_block(p, r - 1, reversed);
        accumulate_pair(&sum, c, 9 - r, r == 1 ? _mm_xor_si128(x, y) : x,
                        hash_block(p, r, reversed));
        encrypt_round(c->encrypt + 16 * r, v, FLIGHT);
        encrypt_round(c->encrypt + 16 * (r + 1), v, FLIGHT);
    }
    y = reduce_block(sum);
    for (int r = 9; r < c->rounds; r++)
        encrypt_round(c->encrypt + 16 * r, v, FLIGHT);
    encrypt_last(c->encrypt + 16 * c->rounds, v, FLIGHT);
    return y;
}

/* ---- Tweaks of XTS ---- */

#define NATIVE_TABLE_TWEAKS
#include "../tweak_chain.h"

/* The upper half, times x^7 + x^2 + x + 1, is XORed to the shifted block. */
RIJN_INLINE __m128i far_tweaks(__m128i t)
{
    const __m128i modulus = _mm_set_epi32(0, 0, 0, 0x87);
    return _mm_xor_si128(_mm_slli_si128(t, 8), _mm_clmulepi64_si128(t, modulus, 0x01));
}

#endif
