/* GCM messages on vecs: gcm_message of backend.h. Include after vec_ghash.h.
 *
 * A message is laid out with two blocks ahead of its data, so that a block's number is its
 * counter (with a nonce of 12 bytes; others add what theirs is), and vec k has the blocks
 * VEC_BLOCKS * k and those behind it:
 *
 *     block   0        1               2 …          then
 *     AES     -        J0: the mask    data
 *     hash    nothing  last block of   ciphertext   the lengths
 *                      associated data
 *
 * So the mask costs no cipher of its own, associated data of up to 16 bytes and the lengths
 * no multiplication, and a message of up to POWERS - 2 blocks one reduction. Longer ones go by
 * batches of POWERS blocks, each encrypted while another is hashed. As batches begin at
 * multiples of a power of two their counters are an XOR of what is the same in all of them,
 * which the first round key goes into too: one operation a vec in place of two.
 *
 * By modes/gcm.h over the same operations 16 bytes took 31 ns on vaes512 in place of 21, 1350
 * bytes 112 in place of 96, 16 KiB 910 in place of 859; on vaes256 24.5, 167 and 1540 in place
 * of 18.6, 137 and 1293. docs/x86.md has the budget. */
#ifndef RIJN_X86_VEC_GCM_H
#define RIJN_X86_VEC_GCM_H

#include "vec_ghash.h"

enum { LEAD = 32, LONG_BLOCKS = BATCH_BLOCKS - LEAD / 16 };

/* Where the two blocks ahead of the data would be. Nothing is read or written there, and there
 * may be no array. */
RIJN_INLINE uintptr_t gcm_ahead(const uint8_t *data)
{
    return (uintptr_t)data - LEAD;
}

/* ---- Counters ---- */

/* The counters of a batch behind AddRoundKey are `stem` XOR steps[0], steps[1], … */
typedef struct {
    vec stem;
    const uint8_t *steps;
} gcm_counters;

/* With a nonce of 12 bytes: the numbers in a batch are the same in all of them. */
static const uint32_t gcm_numbers[4 * POWERS] = {
#define NUMBER(i) 0, 0, 0, (uint32_t)(i) << 24
#define NUMBERS(i) NUMBER(i), NUMBER((i) + 1), NUMBER((i) + 2), NUMBER((i) + 3)
    NUMBERS(0),  NUMBERS(4),  NUMBERS(8),  NUMBERS(12),
#if POWERS > 16
    NUMBERS(16), NUMBERS(20), NUMBERS(24), NUMBERS(28),
#endif
#undef NUMBER
#undef NUMBERS
};

/* With another: of a word that nobody may see, the counters of each batch are made anew. */
typedef struct {
    block fixed;
    uint32_t low; /* of block 0 */
    uint8_t made[BATCH];
} gcm_hidden;

RIJN_APART static void gcm_make(gcm_hidden *hidden, const context *c, uint32_t number)
{
    vec v[FLIGHT];

    counters(v, FLIGHT, hidden->fixed, hidden->low + number, true);
    vec_add_round_key(c->encrypt, v, FLIGHT);
    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        vec_store(hidden->made + VEC * i, v[i]);
}

/* Those of the batch that begins with block `number`. */
RIJN_INLINE gcm_counters gcm_batch_counters(const context *c, block stem, gcm_hidden *hidden,
                                            uint32_t number)
{
    if (hidden) {
        gcm_make(hidden, c, number);
        return (gcm_counters){.stem = vec_zero(), .steps = hidden->made};
    }
    return (gcm_counters){.stem = vec_xor(vec_broadcast(stem), vec_last_words(swap32(number))),
                          .steps = (const uint8_t *)gcm_numbers};
}

RIJN_INLINE void gcm_count(vec *v, int n, gcm_counters at)
{
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_xor(at.stem, vec_load(at.steps + VEC * i));
}

/* ---- Batches ---- */

/* The last round of n vecs, onto the data. */
RIJN_INLINE void gcm_last_round(const context *c, vec *v, int n, uint8_t *out, const uint8_t *in)
{
    const vec last = vec_last_key(c);

    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        v[i] = vec_last_round(v[i], vec_xor(last, vec_load(in + VEC * i)));
        vec_store(out + VEC * i, v[i]);
    }
}

/* Of a batch as many vecs at once as leave registers to the hash. */
enum { AT_ONCE = VEC_BLOCKS == 4 ? FLIGHT : FLIGHT / 2, ROUNDS_A_PAIR = 16 / AT_ONCE };

/* A batch, while the one at p is hashed, whose first vec is x. That one may be the batch that
 * is decrypted, in its place too. */
RIJN_INLINE vec gcm_batch(const context *c, gcm_counters at, vec x, const uint8_t *p, uint8_t *out,
                          const uint8_t *in, bool alone)
{
    product sum = no_product();

    __asm__("" : : : "memory"); /* round keys stay where they are: clang keeps them on the stack */
    RIJN_UNROLL
    for (int first = 0; first < FLIGHT; first += AT_ONCE) {
        vec v[AT_ONCE];
        gcm_count(v, AT_ONCE, (gcm_counters){at.stem, at.steps + VEC * first});
        RIJN_UNROLL
        for (int i = 0; i < AT_ONCE; i += 2) {
            RIJN_UNROLL
            for (int r = 0; r < ROUNDS_A_PAIR; r++)
                vec_encrypt_round(c->encrypt + 16 * (ROUNDS_A_PAIR * i / 2 + r + 1), v, AT_ONCE);
            add_pair(&sum, c, first + i + 1, x, p, true, alone);
        }
        vec_encrypt_rounds(c, v, AT_ONCE, 9);
        if (first + AT_ONCE == FLIGHT)
            x = pairs_end(sum, alone);
        gcm_last_round(c, v, AT_ONCE, out + VEC * first, in + VEC * first);
    }
    return x;
}

/* ---- The end of a message, or all of a short one ---- */

/* `left` bytes at `in`, of which the first `lead` are none, in n vecs, and the lengths; x is
 * XORed to what is hashed first. The tag; `mask` is E(J0), where there is no lead. */
RIJN_INLINE block gcm_vecs(const context *c, int n, gcm_counters at, uint8_t *out,
                           const uint8_t *in, size_t left, size_t lead, vec x, __m128i lengths,
                           __m128i mask, bool decrypting)
{
    const uint8_t *h = powers_from(c, (left + 15) / 16 + 1);
    const vec last = vec_last_key(c);
    const size_t to = left - VEC * (size_t)(n - 1);
    product sum = no_product();
    vec v[FLIGHT];

    gcm_count(v, n, at);
    vec_encrypt_rounds(c, v, n, 1);
    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        const size_t begin = i == 0 ? lead : 0, end = i == n - 1 ? to : VEC;
        vec from, text;

        if (i > 0 && i < n - 1) {
            from = vec_load(in + VEC * i);
            text = vec_last_round(v[i], vec_xor(from, last));
            vec_store(out + VEC * i, text);
        } else {
            text = vec_last_round(v[i], last);
            if (i == 0 && lead)
                mask = vec_second(text);
            from = vec_load_span(in + VEC * i, begin, end);
            text = vec_xor(from, text);
            vec_store_span(out + VEC * i, text, begin, end);
            if (!decrypting)
                text = vec_keep(text, begin, end);
        }
        x = vec_xor(x, reverse_blocks(decrypting ? from : text));
        if (i == n - 1 && to <= VEC - 16)
            x = vec_xor(x, vec_place(lengths, (to + 15) / 16));
        add_product(&sum, x, vec_load(h + VEC * i));
        x = vec_zero();
    }
    if (n == 0 || to > VEC - 16)
        add_product(&sum, vec_xor(x, vec_only(lengths)), vec_load(powers_from(c, 1)));
    return _mm_xor_si128(byte_reverse(reduce(sum)), mask);
}

/* Up to a batch, behind what of the hash is y. What it takes is blocks: a function that has a
 * zmm register of its own aligns its stack to them, and all that it saves there is to be
 * scrubbed. */
RIJN_INLINE block gcm_rest(const context *c, const uint8_t *steps, uint8_t *out, const uint8_t *in,
                           size_t left, size_t lead, block stem, block y, block lengths, block mask,
                           bool decrypting)
{
    const gcm_counters at = {.stem = vec_broadcast(stem), .steps = steps};
    const vec x = vec_place(y, lead / LEAD); /* behind the lead, block 1 is hashed first */
    block tag;

#define GCM_VECS(n) \
    case n: \
        tag = gcm_vecs(c, n, at, out, in, left, lead, x, lengths, mask, decrypting); \
        break

    switch ((left + VEC - 1) / VEC) {
        GCM_VECS(0);
        GCM_VECS(1);
        GCM_VECS(2);
        GCM_VECS(3);
        GCM_VECS(4);
        GCM_VECS(5);
        GCM_VECS(6);
        GCM_VECS(7);
    default:
        tag = gcm_vecs(c, 8, at, out, in, left, lead, x, lengths, mask, decrypting);
    }
#undef GCM_VECS
    _mm256_zeroupper(); /* gcc leaves it out of functions that take vectors */
    return tag;
}

RIJN_APART static block gcm_seal_rest(const context *c, uint8_t *out, const uint8_t *in,
                                      size_t left, size_t lead, const uint8_t *steps, block stem,
                                      block y, block lengths, block mask)
{
    return gcm_rest(c, steps, out, in, left, lead, stem, y, lengths, mask, false);
}

RIJN_APART static block gcm_open_rest(const context *c, uint8_t *out, const uint8_t *in,
                                      size_t left, size_t lead, const uint8_t *steps, block stem,
                                      block y, block lengths, block mask)
{
    return gcm_rest(c, steps, out, in, left, lead, stem, y, lengths, mask, true);
}

/* ---- Messages ---- */

/* The whole tag, of a message with `left` bytes of lead and data; y is what of the hash goes
 * before these. */
RIJN_INLINE block gcm_text(const context *c, block stem, gcm_hidden *hidden, uint8_t *out,
                           const uint8_t *in, size_t left, block y, block lengths, bool decrypting)
{
    gcm_counters at = gcm_batch_counters(c, stem, hidden, 0);
    block mask = _mm_setzero_si128();
    size_t lead = LEAD;

    if (left >= BATCH) { /* all batches are hashed while one is encrypted, but for one */
        uint32_t number = 0;
        vec v[FLIGHT], first = vec_load_span(in, LEAD, VEC), x = vec_place(y, 1);

        gcm_count(v, FLIGHT, at);
        if (decrypting)
            x = rounds_hash(c, v, vec_xor(x, reverse_blocks(first)), in, true, left >= 2 * BATCH);
        else
            vec_encrypt_rounds(c, v, FLIGHT, 1);
        v[0] = vec_last_round(v[0], vec_last_key(c));
        mask = vec_second(v[0]);
        first = vec_xor(v[0], first);
        vec_store_span(out, first, LEAD, VEC);
        if (!decrypting)
            x = vec_xor(x, reverse_blocks(vec_keep(first, LEAD, VEC)));
        gcm_last_round(c, v + 1, FLIGHT - 1, out + VEC, in + VEC);
#define GCM_NEXT in += BATCH, out += BATCH, left -= BATCH, number += BATCH_BLOCKS
        GCM_NEXT;
        while (left >= (decrypting ? 2 * BATCH : BATCH)) {
            at = gcm_batch_counters(c, stem, hidden, number);
            if (decrypting)
                x = vec_xor(x, reverse_blocks(vec_load(in)));
            x = gcm_batch(c, at, x, decrypting ? in : out - BATCH, out, in, true);
            if (!decrypting)
                x = vec_xor(x, reverse_blocks(vec_load(out)));
            GCM_NEXT;
        }
        if (!decrypting) {
            x = rounds_hash(c, NULL, x, out - BATCH, true, false);
        } else if (left >= BATCH) {
            at = gcm_batch_counters(c, stem, hidden, number);
            x = gcm_batch(c, at, vec_xor(x, reverse_blocks(vec_load(in))), in, out, in, false);
            GCM_NEXT;
        }
#undef GCM_NEXT
        at = gcm_batch_counters(c, stem, hidden, number);
        y = vec_first(x);
        lead = 0;
    }
    return (decrypting ? gcm_open_rest : gcm_seal_rest)(c, out, in, left, lead, at.steps,
                                                        vec_first(at.stem), y, lengths, mask);
}

/* Apart, for they need all registers and short messages need few. `hidden` is NULL with a nonce of
 * 12 bytes. */
RIJN_APART static block gcm_long_seal(const context *c, gcm_hidden *hidden, uint8_t *out,
                                      const uint8_t *in, size_t left, block stem, block y,
                                      block lengths)
{
    return gcm_text(c, stem, hidden, out, in, left, y, lengths, false);
}

RIJN_APART static block gcm_long_open(const context *c, gcm_hidden *hidden, uint8_t *out,
                                      const uint8_t *in, size_t left, block stem, block y,
                                      block lengths)
{
    return gcm_text(c, stem, hidden, out, in, left, y, lengths, true);
}

/* Of a nonce that is not 12 bytes, J0 turned around. */
RIJN_INLINE gcm_hidden gcm_hide(__m128i j0)
{
    return (gcm_hidden){.fixed = byte_reverse(j0), .low = (uint32_t)_mm_cvtsi128_si32(j0) - 1};
}

/* Block 1 of the hash, if there are associated data. */
RIJN_APART static block gcm_absorb(const context *c, const uint8_t *ad, size_t size)
{
    const size_t n = (size - 1) / 16, rest = size - 16 * n;
    const __m128i y = n ? ghash(c, _mm_setzero_si128(), ad, n) : _mm_setzero_si128();
    const __m128i x = block_up_to(ad + 16 * n, rest);

    return _mm_xor_si128(y, byte_reverse(x));
}

RIJN_INLINE block gcm_lengths(size_t ad_size, size_t size)
{
    return block_pair((uint64_t)size * 8, (uint64_t)ad_size * 8);
}

/* A message under a nonce that is not 12 bytes. */
RIJN_APART static block gcm_hidden_message(const context *c, const uint8_t *nonce,
                                           size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                           uint8_t *out, const uint8_t *in, size_t size,
                                           bool decrypting)
{
    const block zero = _mm_setzero_si128();
    gcm_hidden hidden =
        gcm_hide(ghash_end(c, zero, nonce, nonce_size, 0, (uint64_t)nonce_size * 8));

    return (decrypting ? gcm_long_open : gcm_long_seal)(
        c, &hidden, (uint8_t *)gcm_ahead(out), (const uint8_t *)gcm_ahead(in), size + LEAD, zero,
        ad_size ? gcm_absorb(c, ad, ad_size) : zero, gcm_lengths(ad_size, size));
}

RIJN_INLINE block gcm_message(const context *c, const uint8_t *nonce, size_t nonce_size,
                              const uint8_t *ad, size_t ad_size, uint8_t *out, const uint8_t *in,
                              size_t size, bool decrypting)
{
    if (__builtin_expect(nonce_size != 12, 0))
        return gcm_hidden_message(c, nonce, nonce_size, ad, ad_size, out, in, size, decrypting);
    const block y = ad_size ? gcm_absorb(c, ad, ad_size) : _mm_setzero_si128();
    const block lengths = gcm_lengths(ad_size, size), zero = _mm_setzero_si128();
    const block stem =
        _mm_xor_si128(block_pair(load_le64(nonce), load_le32(nonce + 8)), block_load(c->encrypt));

    if (__builtin_expect(size >= BATCH - LEAD, 0))
        return (decrypting ? gcm_long_open : gcm_long_seal)(c, NULL, (uint8_t *)gcm_ahead(out),
                                                            (const uint8_t *)gcm_ahead(in),
                                                            size + LEAD, stem, y, lengths);
    return (decrypting ? gcm_open_rest : gcm_seal_rest)(
        c, (uint8_t *)gcm_ahead(out), (const uint8_t *)gcm_ahead(in), size + LEAD, LEAD,
        (const uint8_t *)gcm_numbers, stem, y, lengths, zero);
}

#endif
