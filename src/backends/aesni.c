/* AES-NI and PCLMULQDQ: one block a register, eight in flight, so that the
 * latency of AESENC (3 to 8 cycles, by CPU) is hidden at two a cycle. */
#include "../backend.h"

#if defined(__x86_64__) || defined(__i386__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("aes,pclmul,ssse3,sse4.1"))), \
                             apply_to = function)
#else
#pragma GCC target("aes,pclmul,ssse3,sse4.1")
#endif

#include "../cpu.h"
#include "../ct.h"

#define VEC_BLOCKS 1
#define FLIGHT 8
#define POWERS 8
#define STACK (RIJN_WORD_BITS == 64 ? 544 : 928)
#define FUSED_STACK (RIJN_WORD_BITS == 64 ? 608 : 896)

typedef struct {
    uint8_t encrypt[15 * 16];
    uint8_t decrypt[15 * 16];
    uint8_t power[POWERS * 16];
    uint8_t fold[POWERS * 8];
    int rounds;
} context;

#include "../x86/aes.h"
#include "../x86/ghash.h"

#define NATIVE_COUNTERS
/* As long as the last byte of the block does not wrap, one addition in place
 * makes a counter block. Else (one batch in 32, or a counter that no branch may
 * look at) the blocks are counted in reverse byte order, where the low word is
 * an integer, and turned around. (With `low` swapped in an integer register and put
 * in its place, CTR took a sixth longer.) */
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

/* The counting word is an integer where it lies. */
RIJN_INLINE void little_counters(__m128i *v, int n, __m128i fixed, uint32_t low)
{
    const __m128i first = _mm_insert_epi32(fixed, (int)low, 0);

    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = _mm_add_epi32(first, _mm_set_epi32(0, 0, 0, i));
}

/* Rounds 1 to 8 of the cipher carry one block of the hash each, round 9 its
 * reduction: AES and multiplier ports are busy together. */
#define FUSED
RIJN_INLINE __m128i aes_encrypt_ghash(const context *c, __m128i *v, __m128i y, const uint8_t *p)
{
    product sum = no_product();

    add_round_key(c->encrypt, v, FLIGHT);
    RIJN_UNROLL
    for (int r = 1; r <= 8; r += 2) {
        const __m128i x = byte_reverse(block_load(p + 16 * (r - 1)));
        accumulate_pair(&sum, c, 9 - r, r == 1 ? _mm_xor_si128(x, y) : x,
                        byte_reverse(block_load(p + 16 * r)));
        encrypt_round(c->encrypt + 16 * r, v, FLIGHT);
        encrypt_round(c->encrypt + 16 * (r + 1), v, FLIGHT);
    }
    y = reduce(sum);
    for (int r = 9; r < c->rounds; r++)
        encrypt_round(c->encrypt + 16 * r, v, FLIGHT);
    encrypt_last(c->encrypt + 16 * c->rounds, v, FLIGHT);
    return y;
}

#include "../modes/modes.h"

const rijn_backend rijn_backend_aesni = {
    .name = "aesni",
    .summary = "AES-NI and PCLMULQDQ, eight blocks in flight",
    .cpu = RIJN_CPU(AES) | RIJN_CPU(PCLMULQDQ) | RIJN_CPU(SSSE3) | RIJN_CPU(SSE41),
    .constant_time = true,
    .automatic = true,
    RIJN_MODES,
};

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
typedef int rijn_no_aesni_here; /* ISO C wants a declaration in every file */
#endif
