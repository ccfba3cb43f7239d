/* GCM messages on vecs: gcm_message of backend.h. Include after vec_ghash.h.
 *
 * The layout of a message has two blocks before its data, so that the number of a block is its counter
 * (with a nonce of 12 bytes; other nonces add an offset). Vec k begins with block VEC_BLOCKS * k:
 *
 *     block   0        1               2 …          then
 *     AES     -        J0: the mask    data
 *     hash    nothing  last block of   ciphertext   the lengths
 *                      associated data
 *
 * So the mask needs no separate encryption, up to 16 bytes of associated data and the lengths need no
 * separate multiplication, and a message of up to POWERS - 2 blocks needs one reduction. Longer
 * messages go in batches of POWERS blocks; one batch is encrypted while another is hashed. Batches
 * begin at multiples of a power of two, so counters are the XOR of a stem per batch and steps that
 * are the same in all batches. The stem includes the first round key, which saves an operation per
 * vec.
 *
 * Nanoseconds with this file (and with modes/gcm.h instead) for 16 bytes, 1350 bytes and 16 KiB:
 * vaes512 21 (31), 96 (112), 859 (910); vaes256 18.6 (24.5), 137 (167), 1293 (1540). docs/x86.md
 * has the budget. */
#ifndef RIJN_X86_VEC_GCM_H
#define RIJN_X86_VEC_GCM_H

#include "../check.h"
#include "vec_ghash.h"

enum { AHEAD_BYTES = 32, LONG_BLOCKS = BATCH_BLOCKS - AHEAD_BYTES / 16 };

/* Returns the address of the two blocks before the data. Nothing is read or written there, and the
 * address may be outside the array. */
RIJN_INLINE uintptr_t gcm_ahead(const uint8_t *data)
{
    return (uintptr_t)data - AHEAD_BYTES;
}

/* ---- Counters ---- */

/* The counters of a batch, after AddRoundKey, are `stem` XOR steps[0], steps[1], … */
typedef struct {
    vec stem;
    const uint8_t *steps;
} gcm_counters;

/* Steps with a nonce of 12 bytes: the numbers of the blocks in a batch. */
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

/* With other nonces, each batch computes its counters from a secret counter word. */
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

/* Returns the counters of the batch that begins with block `number`. */
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

/* Runs the last round of n vecs and XORs the data. */
RIJN_INLINE void gcm_last_round(const context *c, vec *v, int n, uint8_t *out, const uint8_t *in)
{
    const vec last = vec_last_key(c);

    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        v[i] = vec_last_round(v[i], vec_xor(last, vec_load(in + VEC * i)));
        vec_store(out + VEC * i, v[i]);
    }
}

/* Vecs of a batch that run at once, so that the hash has registers left. */
enum { AT_ONCE = VEC_BLOCKS == 4 ? FLIGHT : FLIGHT / 2, ROUNDS_A_PAIR = 16 / AT_ONCE };

/* Encrypts or decrypts one batch while it hashes the batch at p, which has the first vec x. Both may be
 * the same batch, also in place, when decrypting. */
RIJN_INLINE vec gcm_batch(const context *c, gcm_counters at, vec x, const uint8_t *p, uint8_t *out,
                          const uint8_t *in, bool alone)
{
    product sum = no_product();

    __asm__("" : : : "memory"); /* reload round keys: clang would copy them to the stack */
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

/* ---- The end of a message, or a whole short one ---- */

/* Where a message ends: its text from the first hashed vec on, and results. The first `ahead_bytes` of
 * `left` bytes at `in` are the blocks before the data. x is XORed to the first hashed vec. mask becomes
 * E(J0), unless ahead_bytes is 0. */
typedef struct {
    gcm_counters at;
    uint8_t *out;
    const uint8_t *in;
    size_t left, ahead_bytes;
    vec x;
    product sum;
    block mask;
} gcm_ending;

/* Processes n vecs. `to` is how many bytes the last one has: VEC, unless the message ends there. Then
 * its lengths follow, in this vec if they fit. */
RIJN_INLINE void gcm_vecs(const context *c, gcm_ending *e, int n, size_t to, __m128i lengths,
                          bool decrypting)
{
    const uint8_t *h = powers_from(c, (e->left + 15) / 16 + 1);
    const vec last = vec_last_key(c);
    vec v[FLIGHT];

    gcm_count(v, n, e->at);
    vec_encrypt_rounds(c, v, n, 1);
    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        const size_t begin = i == 0 ? e->ahead_bytes : 0, end = i == n - 1 ? to : VEC;
        vec from, text;

        if (i > 0 && i < n - 1) {
            from = vec_load(e->in + VEC * i);
            text = vec_last_round(v[i], vec_xor(from, last));
            vec_store(e->out + VEC * i, text);
        } else {
            text = vec_last_round(v[i], last);
            if (i == 0 && e->ahead_bytes)
                e->mask = vec_second(text);
            from = vec_load_span(e->in + VEC * i, begin, end);
            text = vec_xor(from, text);
            vec_store_span(e->out + VEC * i, text, begin, end);
            if (!decrypting)
                text = vec_keep(text, begin, end);
        }
        e->x = vec_xor(e->x, reverse_blocks(decrypting ? from : text));
        if (i == n - 1 && to <= VEC - 16)
            e->x = vec_xor(e->x, vec_place(lengths, (to + 15) / 16));
        add_product(&e->sum, e->x, vec_load(h + VEC * i));
        e->x = vec_zero();
    }
}

/* Processes the last n vecs, and the lengths. Returns the tag. */
RIJN_INLINE block gcm_last_vecs(const context *c, gcm_ending *e, int n, __m128i lengths,
                                bool decrypting)
{
    const size_t to = e->left - VEC * (size_t)(n - 1);

    gcm_vecs(c, e, n, to, lengths, decrypting);
    if (n == 0 || to > VEC - 16)
        add_product(&e->sum, vec_xor(e->x, vec_only(lengths)), vec_load(powers_from(c, 1)));
    return _mm_xor_si128(byte_reverse(reduce(e->sum)), e->mask);
}

/* Processes up to a batch; y is the hash of the data before it. Its vector arguments are blocks. A
 * function with zmm arguments would align its stack to them, and scrubbing would have to cover that
 * space. */
RIJN_INLINE block gcm_rest(const context *c, const uint8_t *steps, uint8_t *out, const uint8_t *in,
                           size_t left, size_t ahead_bytes, block stem, block y, block lengths,
                           block mask, bool decrypting)
{
    /* Vecs of the last part. On vaes512, one part instead of two saves 13 % of the time of 256 bytes for
     * 14 KB of code. */
    enum { MOST = VEC_BLOCKS == 4 ? FLIGHT : FLIGHT / 2, PART = VEC * MOST };
    gcm_ending e = {.at = {.stem = vec_broadcast(stem), .steps = steps},
                    .out = out,
                    .in = in,
                    .left = left,
                    .ahead_bytes = ahead_bytes,
                    .x = vec_place(y, ahead_bytes / AHEAD_BYTES), /* blocks ahead: y is block 1 */
                    .sum = no_product(),
                    .mask = mask};
    block tag;

    if (left > PART) {
        gcm_vecs(c, &e, MOST, VEC, lengths, decrypting);
        e.at.steps += PART, e.out += PART, e.in += PART, e.left -= PART, e.ahead_bytes = 0;
    }
#define GCM_VECS(n) \
    case n: \
        tag = gcm_last_vecs(c, &e, n, lengths, decrypting); \
        break

    switch ((e.left + VEC - 1) / VEC) {
        GCM_VECS(0);
        GCM_VECS(1);
        GCM_VECS(2);
        GCM_VECS(3);
#if VEC_BLOCKS == 4
        GCM_VECS(4);
        GCM_VECS(5);
        GCM_VECS(6);
        GCM_VECS(7);
#endif
    default:
        tag = gcm_last_vecs(c, &e, MOST, lengths, decrypting);
    }
#undef GCM_VECS
    _mm256_zeroupper(); /* gcc omits it in functions with vector arguments */
    return tag;
}

RIJN_APART static block gcm_seal_rest(const context *c, uint8_t *out, const uint8_t *in,
                                      size_t left, size_t ahead_bytes, const uint8_t *steps,
                                      block stem, block y, block lengths, block mask)
{
    return gcm_rest(c, steps, out, in, left, ahead_bytes, stem, y, lengths, mask, false);
}

RIJN_APART static block gcm_open_rest(const context *c, uint8_t *out, const uint8_t *in,
                                      size_t left, size_t ahead_bytes, const uint8_t *steps,
                                      block stem, block y, block lengths, block mask)
{
    return gcm_rest(c, steps, out, in, left, ahead_bytes, stem, y, lengths, mask, true);
}

/* ---- Messages ---- */

/* Processes a message with `left` bytes, which include the blocks ahead of the data. y is the hash of
 * the associated data. Returns the whole tag. */
RIJN_INLINE block gcm_text(const context *c, block stem, gcm_hidden *hidden, uint8_t *out,
                           const uint8_t *in, size_t left, block y, block lengths, bool decrypting)
{
    gcm_counters at = gcm_batch_counters(c, stem, hidden, 0);
    block mask = _mm_setzero_si128();
    size_t ahead_bytes = AHEAD_BYTES;

    if (left >= BATCH) { /* every batch but one is hashed while another is encrypted */
        uint32_t number = 0;
        vec v[FLIGHT], first = vec_load_span(in, AHEAD_BYTES, VEC), x = vec_place(y, 1);

        gcm_count(v, FLIGHT, at);
        if (decrypting)
            x = rounds_hash(c, v, vec_xor(x, reverse_blocks(first)), in, true, left >= 2 * BATCH);
        else
            vec_encrypt_rounds(c, v, FLIGHT, 1);
        v[0] = vec_last_round(v[0], vec_last_key(c));
        mask = vec_second(v[0]);
        first = vec_xor(v[0], first);
        vec_store_span(out, first, AHEAD_BYTES, VEC);
        if (!decrypting)
            x = vec_xor(x, reverse_blocks(vec_keep(first, AHEAD_BYTES, VEC)));
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
        ahead_bytes = 0;
    }
    return (decrypting ? gcm_open_rest : gcm_seal_rest)(c, out, in, left, ahead_bytes, at.steps,
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

/* Returns the counters for a nonce that does not have 12 bytes. j0 is J0 byte-reversed. */
RIJN_INLINE gcm_hidden gcm_hide(__m128i j0)
{
    return (gcm_hidden){.fixed = byte_reverse(j0), .low = (uint32_t)_mm_cvtsi128_si32(j0) - 1};
}

/* Returns block 1 of the hash for non-empty associated data. */
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

RIJN_APART static block gcm_hash(const context *c, const uint8_t *ad, size_t ad_size,
                                 const uint8_t *p, size_t size); /* modes/gcm.h */

/* Processes a message with a nonce that does not have 12 bytes. */
RIJN_APART static block gcm_hidden_message(const context *c, const uint8_t *nonce,
                                           size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                           uint8_t *out, const uint8_t *in, size_t size,
                                           bool decrypting)
{
    const block zero = _mm_setzero_si128();
    gcm_hidden hidden = gcm_hide(gcm_hash(c, NULL, 0, nonce, nonce_size));

    return (decrypting ? gcm_long_open : gcm_long_seal)(
        c, &hidden, (uint8_t *)gcm_ahead(out), (const uint8_t *)gcm_ahead(in), size + AHEAD_BYTES,
        zero, ad_size ? gcm_absorb(c, ad, ad_size) : zero, gcm_lengths(ad_size, size));
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

    if (__builtin_expect(size >= BATCH - AHEAD_BYTES, 0))
        return (decrypting ? gcm_long_open : gcm_long_seal)(c, NULL, (uint8_t *)gcm_ahead(out),
                                                            (const uint8_t *)gcm_ahead(in),
                                                            size + AHEAD_BYTES, stem, y, lengths);
    return (decrypting ? gcm_open_rest : gcm_seal_rest)(
        c, (uint8_t *)gcm_ahead(out), (const uint8_t *)gcm_ahead(in), size + AHEAD_BYTES,
        AHEAD_BYTES, (const uint8_t *)gcm_numbers, stem, y, lengths, zero);
}

/* ---- Short messages in registers ---- */

#if VECS_IN_REGISTERS
#define NATIVE_GCM_REGISTERS
/* Vecs of the longest message. With 16 registers, more vecs would be on the stack. */
enum { GCM_REGISTER_VECS = VEC_BLOCKS == 4 ? FLIGHT : 3 };
enum { GCM_REGISTER_SIZE = VEC * GCM_REGISTER_VECS - AHEAD_BYTES };

/* Is gcm_message for a nonce of 12 bytes, up to 16 bytes of associated data, and 1 to
 * GCM_REGISTER_SIZE bytes. */
RIJN_INLINE block gcm_register_message(const context *c, const uint8_t *nonce, const uint8_t *ad,
                                       size_t ad_size, uint8_t *out, const uint8_t *in, size_t size,
                                       bool decrypting)
{
    enum { FIRST = AHEAD_BYTES / VEC + 1 }; /* vecs of the shortest message */
    const block stem =
        _mm_xor_si128(block_pair(load_le64(nonce), load_le32(nonce + 8)), block_load(c->encrypt));
    const block lengths = gcm_lengths(ad_size, size), zero = _mm_setzero_si128();
    const block y = ad_size ? byte_reverse(block_up_to(ad, ad_size)) : zero;
    gcm_ending e = {.at = {.stem = vec_broadcast(stem), .steps = (const uint8_t *)gcm_numbers},
                    .out = (uint8_t *)gcm_ahead(out),
                    .in = (const uint8_t *)gcm_ahead(in),
                    .left = size + AHEAD_BYTES,
                    .ahead_bytes = AHEAD_BYTES,
                    .x = vec_place(y, 1),
                    .sum = no_product(),
                    .mask = zero};

    if (e.left <= VEC * FIRST)
        return gcm_last_vecs(c, &e, FIRST, lengths, decrypting);
    if (VEC_BLOCKS == 2 || e.left <= VEC * (FIRST + 1))
        return gcm_last_vecs(c, &e, FIRST + 1, lengths, decrypting);
    return (decrypting ? gcm_open_rest : gcm_seal_rest)(c, e.out, e.in, e.left, AHEAD_BYTES,
                                                        e.at.steps, stem, y, lengths, zero);
}

RIJN_OPERATION rijn_status gcm_seal_in_registers(const void *c, uint8_t *out, uint8_t *tag,
                                                 size_t tag_size, const uint8_t *nonce,
                                                 size_t nonce_size, const uint8_t *ad,
                                                 size_t ad_size, const uint8_t *in, size_t size)
{
    (void)tag_size, (void)nonce_size;
    block_store(tag, gcm_register_message(c, nonce, ad, ad_size, out, in, size, false));
    return RIJN_OK;
}

RIJN_OPERATION rijn_status gcm_open_in_registers(const void *c, uint8_t *out, const uint8_t *tag,
                                                 size_t tag_size, const uint8_t *nonce,
                                                 size_t nonce_size, const uint8_t *ad,
                                                 size_t ad_size, const uint8_t *in, size_t size)
{
    const block full = gcm_register_message(c, nonce, ad, ad_size, out, in, size, true);
    const block difference = _mm_xor_si128(full, block_load(tag));
    int equal = _mm_testz_si128(difference, difference);

    (void)tag_size, (void)nonce_size;
    RIJN_PUBLIC(&equal, sizeof equal);
    return __builtin_expect(equal, 1) ? RIJN_OK : rijn_refuse_tag(out, size);
}
#endif

#endif
