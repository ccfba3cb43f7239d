/* AES-NI and PCLMULQDQ: one block a register, eight in flight, so that the
 * latency of AESENC (3 to 8 cycles, by CPU) is hidden at two a cycle.
 *
 * GHASH is computed as POLYVAL (RFC 8452 appendix A): blocks are byte-reversed
 * and H becomes x * H, after which a product is a plain carry-less
 * multiplication and a Montgomery reduction, with no bit to shift. */
#include "../backend.h"

#if defined(__x86_64__) || defined(__i386__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("aes,pclmul,ssse3,sse4.1"))), \
                             apply_to = function)
#else
#pragma GCC target("aes,pclmul,ssse3,sse4.1")
#endif

#include <smmintrin.h>
#include <wmmintrin.h>

#include "../cpu.h"
#include "../ct.h"

enum { VEC_BLOCKS = 1, FLIGHT = 8, STACK = RIJN_WORD_BITS == 64 ? 960 : 1088 };

typedef __m128i vec;
typedef __m128i hash; /* byte-reversed */

typedef struct {
    uint8_t encrypt[15 * 16]; /* round keys, FIPS 197 5.2 */
    uint8_t decrypt[15 * 16]; /* of the equivalent inverse cipher, FIPS 197 5.3.5 */
    uint8_t power[8 * 16];    /* H^1 … H^8 as POLYVAL keys */
    uint8_t fold[8 * 8];      /* high half XOR low half of each, for Karatsuba */
    int rounds;
} context;

RIJN_INLINE __m128i vec_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

RIJN_INLINE void vec_store(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)(void *)p, v);
}

#define vec_load_block vec_load
#define vec_store_block vec_store
#define vec_xor _mm_xor_si128

/* ---- AES ---- */

/* AESKEYGENASSIST puts SubWord of word 1 into word 0 (Intel SDM volume 2). */
static uint32_t sub_word(uint32_t w)
{
    return (uint32_t)_mm_cvtsi128_si32(_mm_aeskeygenassist_si128(_mm_set1_epi32((int)w), 0));
}

#include "../key_schedule.h"

RIJN_INLINE void aes_init(context *c, const uint8_t *key, size_t size)
{
    const int rounds = rounds_for(size);

    c->rounds = rounds;
    expand_key(c->encrypt, key, size);
    for (int r = 0; r <= rounds; r++) {
        __m128i k = vec_load(c->encrypt + 16 * (rounds - r));
        vec_store(c->decrypt + 16 * r, r == 0 || r == rounds ? k : _mm_aesimc_si128(k));
    }
}

RIJN_INLINE void add_round_key(const uint8_t *k, __m128i *v, int n)
{
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = _mm_xor_si128(v[i], vec_load(k));
}

RIJN_INLINE void encrypt_round(const uint8_t *k, __m128i *v, int n)
{
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = _mm_aesenc_si128(v[i], vec_load(k));
}

RIJN_INLINE void encrypt_last(const uint8_t *k, __m128i *v, int n)
{
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = _mm_aesenclast_si128(v[i], vec_load(k));
}

RIJN_INLINE void aes_encrypt(const context *c, __m128i *v, int n)
{
    add_round_key(c->encrypt, v, n);
    for (int r = 1; r < c->rounds; r++)
        encrypt_round(c->encrypt + 16 * r, v, n);
    encrypt_last(c->encrypt + 16 * c->rounds, v, n);
}

RIJN_INLINE void aes_decrypt(const context *c, __m128i *v, int n)
{
    add_round_key(c->decrypt, v, n);
    for (int r = 1; r < c->rounds; r++) {
        RIJN_UNROLL
        for (int i = 0; i < n; i++)
            v[i] = _mm_aesdec_si128(v[i], vec_load(c->decrypt + 16 * r));
    }
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = _mm_aesdeclast_si128(v[i], vec_load(c->decrypt + 16 * c->rounds));
}

RIJN_INLINE __m128i byte_reverse(__m128i x)
{
    return _mm_shuffle_epi8(x, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

/* As long as the last byte of the block does not wrap, one addition in place
 * makes a counter block. Else (one batch in 32, or a counter that no branch may
 * look at) the blocks are counted in reverse byte order, where the low word is
 * an integer, and turned around. */
RIJN_INLINE void counters(__m128i *v, int n, const uint8_t prefix[16], uint32_t low, bool hidden)
{
    const __m128i reversed = _mm_insert_epi32(byte_reverse(vec_load(prefix)), (int)low, 0);

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
#define LITTLE_COUNTERS
RIJN_INLINE void little_counters(__m128i *v, const uint8_t block[16], uint32_t low)
{
    const __m128i first = _mm_insert_epi32(vec_load(block), (int)low, 0);

    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        v[i] = _mm_add_epi32(first, _mm_set_epi32(0, 0, 0, i));
}

/* ---- GHASH and POLYVAL ---- */

/* A 256-bit carry-less product before its middle part is folded in. */
typedef struct {
    __m128i low, middle, high;
} product;

/* p += x * H^n by Karatsuba: three multiplications of 64 bits. */
RIJN_INLINE void accumulate(product *p, const context *c, int n, __m128i x)
{
    const __m128i h = vec_load(c->power + 16 * (n - 1));
    const __m128i h_fold = _mm_loadl_epi64((const __m128i *)(const void *)(c->fold + 8 * (n - 1)));
    const __m128i x_fold = _mm_xor_si128(x, _mm_shuffle_epi32(x, 0x4e));

    p->low = _mm_xor_si128(p->low, _mm_clmulepi64_si128(x, h, 0x00));
    p->high = _mm_xor_si128(p->high, _mm_clmulepi64_si128(x, h, 0x11));
    p->middle = _mm_xor_si128(p->middle, _mm_clmulepi64_si128(x_fold, h_fold, 0x00));
}

/* p += x1 * H^n + x2 * H^(n-1): as twice accumulate, with one fold for both. */
RIJN_INLINE void accumulate_pair(product *p, const context *c, int n, __m128i x1, __m128i x2)
{
    const __m128i h1 = vec_load(c->power + 16 * (n - 1)), h2 = vec_load(c->power + 16 * (n - 2));
    const __m128i h_folds = vec_load(c->fold + 8 * (n - 2)); /* of H^(n-1), of H^n */
    const __m128i x_folds = _mm_xor_si128(_mm_unpacklo_epi64(x1, x2), _mm_unpackhi_epi64(x1, x2));

    p->low = _mm_xor_si128(p->low, _mm_clmulepi64_si128(x1, h1, 0x00));
    p->high = _mm_xor_si128(p->high, _mm_clmulepi64_si128(x1, h1, 0x11));
    p->middle = _mm_xor_si128(p->middle, _mm_clmulepi64_si128(x_folds, h_folds, 0x10));
    p->low = _mm_xor_si128(p->low, _mm_clmulepi64_si128(x2, h2, 0x00));
    p->high = _mm_xor_si128(p->high, _mm_clmulepi64_si128(x2, h2, 0x11));
    p->middle = _mm_xor_si128(p->middle, _mm_clmulepi64_si128(x_folds, h_folds, 0x01));
}

/* The product times x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1: twice, the
 * low 64 bits are cancelled by a multiple of the modulus. */
RIJN_INLINE __m128i reduce(product p)
{
    const __m128i modulus = _mm_set_epi32(0, 0, (int)0xc2000000, 0);
    const __m128i middle = _mm_xor_si128(p.middle, _mm_xor_si128(p.low, p.high));
    __m128i low = _mm_xor_si128(p.low, _mm_slli_si128(middle, 8));
    __m128i high = _mm_xor_si128(p.high, _mm_srli_si128(middle, 8));

    for (int i = 0; i < 2; i++)
        low = _mm_xor_si128(_mm_shuffle_epi32(low, 0x4e), _mm_clmulepi64_si128(low, modulus, 0x00));
    return _mm_xor_si128(high, low);
}

/* The powers of a POLYVAL key. */
RIJN_INLINE void set_powers(context *c, __m128i key)
{
    __m128i power = key;

    for (int n = 1;; n++) {
        vec_store(c->power + 16 * (n - 1), power);
        _mm_storel_epi64((__m128i *)(void *)(c->fold + 8 * (n - 1)),
                         _mm_xor_si128(power, _mm_shuffle_epi32(power, 0x4e)));
        if (n == 8)
            break;
        product p = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128()};
        accumulate(&p, c, 1, power);
        power = reduce(p);
    }
}

RIJN_INLINE void ghash_init(context *c, const uint8_t h[16])
{
    const __m128i one = byte_reverse(vec_load(h));
    /* x * H: shift left by one bit, and take the modulus off if a bit fell out. */
    const __m128i carries = _mm_srli_epi64(one, 63);
    const __m128i fell = _mm_set1_epi32((int)ct_mask32((uint32_t)_mm_extract_epi32(carries, 2)));
    const __m128i modulus = _mm_set_epi32((int)0xc2000000, 0, 0, 1);

    set_powers(c, _mm_xor_si128(_mm_or_si128(_mm_slli_epi64(one, 1), _mm_slli_si128(carries, 8)),
                                _mm_and_si128(fell, modulus)));
}

#define NATIVE_POLYVAL
RIJN_INLINE void polyval_init(context *c, const uint8_t h[16])
{
    set_powers(c, vec_load(h));
}

RIJN_INLINE __m128i hash_load(const uint8_t bytes[16])
{
    return byte_reverse(vec_load(bytes));
}

RIJN_INLINE void hash_store(uint8_t bytes[16], __m128i y)
{
    vec_store(bytes, byte_reverse(y));
}

/* Block i at p, as POLYVAL's accumulator has it. */
RIJN_INLINE __m128i hash_block(const uint8_t *p, int i, bool reversed)
{
    const __m128i x = vec_load(p + 16 * i);
    return reversed ? byte_reverse(x) : x;
}

/* Up to eight blocks share one reduction:
 * (y + X1) H^n + X2 H^(n-1) + … + Xn H. */
RIJN_INLINE __m128i hash_blocks(const context *c, __m128i y, const uint8_t *p, size_t blocks,
                                bool reversed)
{
    const product nothing = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128()};

    for (; blocks >= 8; blocks -= 8, p += 16 * 8) {
        product sum = nothing;
        RIJN_UNROLL
        for (int i = 2; i < 8; i += 2)
            accumulate_pair(&sum, c, 8 - i, hash_block(p, i, reversed),
                            hash_block(p, i + 1, reversed));
        /* last, for y is the last to come */
        accumulate_pair(&sum, c, 8, _mm_xor_si128(hash_block(p, 0, reversed), y),
                        hash_block(p, 1, reversed));
        y = reduce(sum);
    }
    if (blocks) {
        const int n = (int)blocks;
        product sum = nothing;
        for (int i = 0; i < n; i++) {
            const __m128i x = hash_block(p, i, reversed);
            accumulate(&sum, c, n - i, i == 0 ? _mm_xor_si128(x, y) : x);
        }
        y = reduce(sum);
    }
    return y;
}

RIJN_INLINE __m128i ghash(const context *c, __m128i y, const uint8_t *p, size_t blocks)
{
    return hash_blocks(c, y, p, blocks, true);
}

RIJN_INLINE __m128i polyval(const context *c, __m128i y, const uint8_t *p, size_t blocks)
{
    return hash_blocks(c, y, p, blocks, false);
}

/* Rounds 1 to 8 of the cipher carry one block of the hash each, round 9 its
 * reduction: AES and multiplier ports are busy together. */
#define FUSED
RIJN_INLINE __m128i aes_encrypt_ghash(const context *c, __m128i *v, __m128i y, const uint8_t *p)
{
    product sum = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128()};

    add_round_key(c->encrypt, v, FLIGHT);
    RIJN_UNROLL
    for (int r = 1; r <= 8; r += 2) {
        const __m128i x = byte_reverse(vec_load(p + 16 * (r - 1)));
        accumulate_pair(&sum, c, 9 - r, r == 1 ? _mm_xor_si128(x, y) : x,
                        byte_reverse(vec_load(p + 16 * r)));
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
