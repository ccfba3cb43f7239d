/* The AES instructions of 64-bit Arm's Cryptographic Extension, and PMULL. AESE begins with
 * AddRoundKey and ends before MixColumns, which is AESMC. So the last round key is an XOR of its
 * own. Processors execute AESE and an AESMC of the same register after it as one operation of 2 to
 * 4 cycles, and start one to four of them in a cycle. Eight blocks in flight keep two units
 * busy. */
#include "../backend.h"

#if defined(__AARCH64EL__) && RIJN_WITH_ALL

#define CLANG_TARGET "aes"
#define GCC_TARGET "+crypto"
#include "../arm/begin.h"
RIJN_AT_O3

#include "../arm/block.h"
#include "../cpu.h"
#include "../rounds.h"

#define VEC_BLOCKS 1
#define FLIGHT 8
#define POWERS 8
#define STACK 576
#define BLOCKS_STACK STACK
#define FUSED_STACK 320

typedef struct {
    uint8_t encrypt[15 * 16]; /* round keys, FIPS 197 section 5.2 */
    uint8_t decrypt[15 * 16]; /* the same for the equivalent inverse cipher, section 5.3.5 */
    uint8_t power[POWERS * 16];
    uint8_t fold[POWERS * 8];
    int rounds;
} context;

typedef block vec;

/* ---- Round keys ---- */

/* Puts x in all four columns, because ShiftRows does not change equal columns. */
RIJN_INLINE uint32_t sub_word(uint32_t x)
{
    const block columns = vaeseq_u8(vreinterpretq_u8_u32(vdupq_n_u32(x)), vdupq_n_u8(0));
    return vgetq_lane_u32(vreinterpretq_u32_u8(columns), 0);
}

#define unmix_block vaesimcq_u8
#include "../key_schedule.h"

#include "../block_keys.h"

#include "../inverse_keys.h"

/* ---- The cipher, n blocks side by side ---- */

/* Does AddRoundKey, and then a round without its AddRoundKey. */
RIJN_INLINE void whole_round(const uint8_t *k, block *b, int n, bool decrypting)
{
    const block key = block_load(k);

    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        b[i] = decrypting ? vaesimcq_u8(vaesdq_u8(b[i], key)) : vaesmcq_u8(vaeseq_u8(b[i], key));
}

/* Does all rounds from `first` on, without the last round key. */
RIJN_INLINE void rounds_from(const context *c, int first, block *b, int n, bool decrypting)
{
    const uint8_t *const k = decrypting ? c->decrypt : c->encrypt;
    const int last = c->rounds - 1;

    for (int r = first; r < last; r++)
        whole_round(k + 16 * r, b, n, decrypting);
    const block key = block_load(k + 16 * last);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        b[i] = decrypting ? vaesdq_u8(b[i], key) : vaeseq_u8(b[i], key);
}

/* The first round takes the first round key. The last round key joins the mask. So a chain waits
 * for the rounds alone, and a mask costs one operation less. */
#define NATIVE_ROUNDS
RIJN_INLINE block block_begin(const context *c, block x, bool decrypting)
{
    (void)c, (void)decrypting;
    return x;
}

RIJN_INLINE void blocks_rounds(const context *c, block *b, int n, bool decrypting)
{
    rounds_from(c, 0, b, n, decrypting);
}

RIJN_INLINE block block_mask(const context *c, block onto, bool decrypting)
{
    return block_xor(onto, block_load((decrypting ? c->decrypt : c->encrypt) + 16 * c->rounds));
}

RIJN_INLINE block block_end(block x, block mask, bool decrypting)
{
    (void)decrypting;
    return block_xor(x, mask);
}

RIJN_INLINE void whole_cipher(const context *c, block *b, int n, bool decrypting)
{
    const block last = block_mask(c, vdupq_n_u8(0), decrypting);

    rounds_from(c, 0, b, n, decrypting);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        b[i] = block_xor(b[i], last);
}

RIJN_INLINE void blocks_encrypt(const context *c, block *b, int n)
{
    whole_cipher(c, b, n, false);
}

RIJN_INLINE void blocks_decrypt(const context *c, block *b, int n)
{
    whole_cipher(c, b, n, true);
}

/* ---- GHASH, and both at once ---- */

#include "../carryless/block.h"

#include "../carryless/ghash.h"

/* Each of the first eight rounds goes with one block of the hash, and the ninth round with the
 * reduction. */
RIJN_INLINE block encrypt_hash(const context *c, vec *v, block y, const uint8_t *p, bool reversed)
{
    const block last = block_mask(c, vdupq_n_u8(0), false);
    products sum = no_products();

    RIJN_UNROLL
    for (int r = 0; r < 8; r += 2) {
        const block x = hash_block(p, r, reversed);
        accumulate_pair(&sum, c, 8 - r, r == 0 ? block_xor(x, y) : x,
                        hash_block(p, r + 1, reversed));
        whole_round(c->encrypt + 16 * r, v, FLIGHT, false);
        whole_round(c->encrypt + 16 * (r + 1), v, FLIGHT, false);
    }
    y = reduce_block(sum);
    rounds_from(c, 8, v, FLIGHT, false);
    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        v[i] = block_xor(v[i], last);
    return y;
}

/* ---- Counters ---- */

/* Block i is `first` plus i times `step`, as words of 32 bits. */
RIJN_INLINE void count_up(block *v, int n, block first, uint32x4_t step)
{
    uint32x4_t x = vreinterpretq_u32_u8(first);

    RIJN_UNROLL
    for (int i = 0; i < n; i++, x = vaddq_u32(x, step))
        v[i] = vreinterpretq_u8_u32(x);
}

RIJN_INLINE block with_word(block x, uint32_t word, int place)
{
    uint32x4_t words = vreinterpretq_u32_u8(x);
    words = place ? vsetq_lane_u32(word, words, 3) : vsetq_lane_u32(word, words, 0);
    return vreinterpretq_u8_u32(words);
}

#define NATIVE_COUNTERS
/* If the last byte of the block does not wrap, one addition makes a counter block. Else (one batch
 * in 32, or a counter that no branch may depend on) the bytes of the words are reversed, the words
 * count as integers, and their bytes are reversed again. */
RIJN_INLINE void counters(vec *v, int n, block fixed, uint32_t low, bool hidden)
{
    if ((ct_unless_hidden(low, hidden) & 0xff) + (uint32_t)n <= 0x100) {
        count_up(v, n, with_word(fixed, swap32(low), 3),
                 vsetq_lane_u32((uint32_t)1 << 24, vdupq_n_u32(0), 3));
    } else {
        count_up(v, n, with_word(vrev32q_u8(fixed), low, 3), vsetq_lane_u32(1, vdupq_n_u32(0), 3));
        RIJN_UNROLL
        for (int i = 0; i < n; i++)
            v[i] = vrev32q_u8(v[i]);
    }
}

/* The counting word is already a little-endian integer. */
RIJN_INLINE void little_counters(vec *v, int n, block fixed, uint32_t low)
{
    count_up(v, n, with_word(fixed, low, 0), vsetq_lane_u32(1, vdupq_n_u32(0), 0));
}

/* ---- Tweaks ---- */

/* Adds the bits that were shifted out above x^128. XTS multiplies modulo
 * x^128 + x^7 + x^2 + x + 1. */
RIJN_INLINE block add_carries(block t, block carries)
{
    return block_xor(t, clmul_low(carries, block_pair(0x87, 0)));
}

#define NATIVE_REGISTER_TWEAKS
RIJN_INLINE void first_tweaks(vec *t, block first, int n)
{
    const uint64x2_t halves = vreinterpretq_u64_u8(first);
    uint64_t low = vgetq_lane_u64(halves, 0), high = vgetq_lane_u64(halves, 1);

    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        const uint64_t carry = 0x87 & ct_mask64(high >> 63);
        t[i] = block_pair(low, high);
        high = high << 1 | low >> 63;
        low = low << 1 ^ carry;
    }
}

/* Multiplies by x^8: all bytes move up, and the byte that is shifted out is reduced. */
RIJN_INLINE vec next_tweaks(vec t)
{
    const block zero = vdupq_n_u8(0);
    return add_carries(vextq_u8(zero, t, 15), vextq_u8(t, zero, 15));
}

#include "../modes/modes.h"

RIJN_MODES(armce)

const rijn_backend rijn_backend_armce = {
    .summary = "Arm's AES instructions and PMULL, eight blocks in flight",
    .cpu = RIJN_CPU(NEON) | RIJN_CPU(ARM_AES) | RIJN_CPU(PMULL),
    RIJN_CORE(armce),
};

#include "../arm/end.h"

#else
typedef int rijn_no_armce_here; /* ISO C wants a declaration in every file */
#endif
