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
 * docs/x86.md has the budget. */
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

/* With 32 registers, a sealed batch stays in them until it is hashed, while the next is encrypted. clang
 * would put it on the stack. */
enum { HELD = VECS_IN_REGISTERS && VEC_BLOCKS == 4 ? FLIGHT : 1 };

RIJN_INLINE void gcm_hold(vec *x, const vec *v)
{
    RIJN_UNROLL
    for (int i = 1; i < HELD; i++)
        x[i] = reverse_blocks(v[i]);
}

/* Encrypts or decrypts one batch while it hashes a batch as add_pair does. Both may be the same batch,
 * also in place, when decrypting. Then x[0] becomes the hash. Else x becomes the batch to hash next. */
RIJN_INLINE void gcm_batch(const context *c, gcm_counters at, vec *x, const uint8_t *p,
                           uint8_t *out, const uint8_t *in, bool alone, bool decrypting)
{
    product sum = no_product();
    vec v[AT_ONCE], y = vec_zero();

    __asm__("" : : : "memory"); /* reload round keys: clang would copy them to the stack */
    RIJN_UNROLL
    for (int first = 0; first < FLIGHT; first += AT_ONCE) {
        gcm_count(v, AT_ONCE, (gcm_counters){at.stem, at.steps + VEC * first});
        RIJN_UNROLL
        for (int i = 0; i < AT_ONCE; i += 2) {
            RIJN_UNROLL
            for (int r = 0; r < ROUNDS_A_PAIR; r++)
                vec_encrypt_round(c->encrypt + 16 * (ROUNDS_A_PAIR * i / 2 + r + 1), v, AT_ONCE);
            add_pair(&sum, c, first + i + 1, x, HELD > 1 && !decrypting, p, true, alone);
        }
        vec_encrypt_rounds(c, v, AT_ONCE, 9);
        if (first + AT_ONCE == FLIGHT)
            y = pairs_end(sum, alone);
        gcm_last_round(c, v, AT_ONCE, out + VEC * first, in + VEC * first);
    }
    x[0] = y;
    if (!decrypting) {
        x[0] = vec_xor(y, reverse_blocks(HELD == FLIGHT ? v[0] : vec_load(out)));
        gcm_hold(x, v);
    }
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
    /* The state of a message whose first piece this is, or NULL. A piece has no lengths: `sum` gets its
     * whole blocks. `rest` is to be XORed to their hash. The mask and the keystream of the last vec are
     * stored at once, for registers are few. */
    rijn_gcm *state;
    block rest;
} gcm_ending;

RIJN_INLINE void gcm_keep_mask(gcm_ending *e, vec first)
{
    e->mask = vec_second(first);
    if (e->state)
        block_store(e->state->mask, e->mask);
}

/* Processes n vecs. `to` is how many bytes the last one has: VEC, unless the message ends there. Then
 * its lengths follow, in this vec if they fit. The first vec, which waits for e->x, is hashed last. */
RIJN_INLINE void gcm_vecs(const context *c, gcm_ending *e, int n, size_t to, __m128i lengths,
                          bool decrypting)
{
    const uint8_t *const h = powers_from(c, e->state ? e->left / 16 : (e->left + 15) / 16 + 1);
    vec v[FLIGHT], last;

    __asm__("" : : : "memory"); /* gcc would load the round keys before it knows n, as blocks */
    last = vec_last_key(c);
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
                gcm_keep_mask(e, text);
            if (e->state && i == n - 1)
                vec_store(e->state->stream.ahead + sizeof e->state->stream.ahead - VEC, text);
            from = vec_load_span(e->in + VEC * i, begin, end);
            text = vec_xor(from, text);
            vec_store_span(e->out + VEC * i, text, begin, end);
            if (!decrypting)
                text = vec_keep(text, begin, end);
        }
        v[i] = reverse_blocks(decrypting ? from : text);
#if VEC_BLOCKS == 4
        if (e->state && i == n - 1) {
            if (n == 1) { /* the vec may have no whole block */
                v[i] = vec_xor(v[i], e->x);
                e->x = vec_zero();
            }
            e->rest = vec_block(v[i], to / 16);
            v[i] = vec_first_blocks(v[i], to / 16);
        }
#endif
        if (!e->state && i == n - 1 && to <= VEC - 16)
            v[i] = vec_xor(v[i], vec_place(lengths, (to + 15) / 16));
    }
    v[0] = vec_xor(v[0], e->x);
    e->x = vec_zero();
    RIJN_UNROLL
    for (int i = n - 1; i > 0; i -= 2)
        add_products(&e->sum, v[i], vec_load(h + VEC * i), v[i - 1], vec_load(h + VEC * (i - 1)));
    if (n % 2)
        add_product(&e->sum, v[0], vec_load(h));
}

/* Processes the last n vecs, and the lengths. Returns the tag, or the hash of a piece. */
RIJN_INLINE block gcm_last_vecs(const context *c, gcm_ending *e, int n, __m128i lengths,
                                bool decrypting)
{
    const size_t to = e->left - VEC * (size_t)(n - 1);

    gcm_vecs(c, e, n, to, lengths, decrypting);
    if (e->state)
        return _mm_xor_si128(reduce(e->sum), e->rest);
    if (to > VEC - 16)
        add_product(&e->sum, vec_only(lengths), vec_load(powers_from(c, 1)));
    return _mm_xor_si128(byte_reverse(reduce(e->sum)), e->mask);
}

/* Processes 1 byte to a batch. */
RIJN_INLINE block gcm_rest(const context *c, gcm_ending *e, block lengths, bool decrypting)
{
    /* Vecs of the last part. On vaes512, one part instead of two saves 13 % of the time of a message of
     * 256 bytes for 14 KB of code. A sealed piece of 1350 bytes ends with six vecs. */
    const int most = VEC_BLOCKS < 4 ? FLIGHT / 2 : !e->state ? FLIGHT : decrypting ? 4 : 6;
    const size_t part = VEC * (size_t)most;

    if (part < BATCH && e->left > part) {
        gcm_vecs(c, e, most, VEC, lengths, decrypting);
        e->at.steps += part, e->out += part, e->in += part, e->left -= part, e->ahead_bytes = 0;
    }
#define GCM_VECS(n) \
    case n: \
        if (n < most) \
            return gcm_last_vecs(c, e, n, lengths, decrypting); \
        break

    switch ((e->left + VEC - 1) / VEC) {
        GCM_VECS(1);
        GCM_VECS(2);
        GCM_VECS(3);
        GCM_VECS(4);
        GCM_VECS(5);
        GCM_VECS(6);
        GCM_VECS(7);
    }
#undef GCM_VECS
    return gcm_last_vecs(c, e, most, lengths, decrypting);
}

/* ---- Messages ---- */

/* Processes the batches of a message that is longer than one, but leaves 1 byte to a batch. Every batch
 * but one is hashed while another is encrypted. */
RIJN_INLINE void gcm_whole(const context *c, gcm_ending *e, block stem, gcm_hidden *hidden,
                           bool decrypting)
{
    const uint8_t *in = e->in;
    uint8_t *out = e->out;
    size_t left = e->left;
    uint32_t number = 0;
    vec v[FLIGHT], x[HELD], first = vec_load_span(in, AHEAD_BYTES, VEC);

    x[0] = e->x;
    gcm_count(v, FLIGHT, e->at);
    if (decrypting) {
        x[0] = vec_xor(x[0], reverse_blocks(first));
        x[0] = rounds_hash(c, v, x, false, in, true, left > 2 * BATCH);
    } else {
        vec_encrypt_rounds(c, v, FLIGHT, 1);
    }
    v[0] = vec_last_round(v[0], vec_last_key(c));
    gcm_keep_mask(e, v[0]);
    first = vec_xor(v[0], first);
    vec_store_span(out, first, AHEAD_BYTES, VEC);
    gcm_last_round(c, v + 1, FLIGHT - 1, out + VEC, in + VEC);
    if (!decrypting) {
        x[0] = vec_xor(x[0], reverse_blocks(vec_keep(first, AHEAD_BYTES, VEC)));
        gcm_hold(x, v);
    }
#define GCM_NEXT in += BATCH, out += BATCH, left -= BATCH, number += BATCH_BLOCKS
    GCM_NEXT;
    while (left > (decrypting ? 2 * BATCH : BATCH)) {
        e->at = gcm_batch_counters(c, stem, hidden, number);
        if (decrypting)
            x[0] = vec_xor(x[0], reverse_blocks(vec_load(in)));
        gcm_batch(c, e->at, x, decrypting ? in : out - BATCH, out, in, true, decrypting);
        GCM_NEXT;
    }
    if (!decrypting) {
        x[0] = rounds_hash(c, NULL, x, HELD > 1, out - BATCH, true, false);
    } else if (left > BATCH) {
        e->at = gcm_batch_counters(c, stem, hidden, number);
        x[0] = vec_xor(x[0], reverse_blocks(vec_load(in)));
        gcm_batch(c, e->at, x, in, out, in, false, true);
        GCM_NEXT;
    }
#undef GCM_NEXT
    e->at = gcm_batch_counters(c, stem, hidden, number);
    e->in = in, e->out = out, e->left = left, e->ahead_bytes = 0;
    e->x = x[0];
}

/* Whether gcm_text processes any number of bytes, and not only up to a batch. With fewer registers, its
 * stack for short messages would have the size of the stack for long ones. */
enum { GCM_LONG_IN_REGISTERS = VECS_IN_REGISTERS && VEC_BLOCKS == 4 };

/* Processes `left` bytes, which include the blocks ahead of the data. Or, if ahead_bytes is 0, the rest
 * of a message with counters at `steps`, whose earlier data have the hash y. Returns the whole tag.
 *
 * Its vector arguments are blocks. A function with zmm arguments would align its stack to them, and
 * scrubbing would have to cover that space. So would a function that calls others. */
RIJN_INLINE block gcm_text(const context *c, uint8_t *out, const uint8_t *in, size_t left,
                           size_t ahead_bytes, const uint8_t *steps, block stem, block y,
                           block lengths, block mask, bool decrypting)
{
    gcm_ending e = {.at = {.stem = vec_broadcast(stem), .steps = steps},
                    .out = out,
                    .in = in,
                    .left = left,
                    .ahead_bytes = ahead_bytes,
                    .x = vec_place(y, ahead_bytes / AHEAD_BYTES), /* blocks ahead: y is block 1 */
                    .sum = no_product(),
                    .mask = mask};

    if (GCM_LONG_IN_REGISTERS && __builtin_expect(left > BATCH, 0))
        gcm_whole(c, &e, stem, NULL, decrypting);
    return gcm_rest(c, &e, lengths, decrypting);
}

RIJN_APART static block gcm_seal_text(const context *c, uint8_t *out, const uint8_t *in,
                                      size_t left, size_t ahead_bytes, const uint8_t *steps,
                                      block stem, block y, block lengths, block mask)
{
    return gcm_text(c, out, in, left, ahead_bytes, steps, stem, y, lengths, mask, false);
}

RIJN_APART static block gcm_open_text(const context *c, uint8_t *out, const uint8_t *in,
                                      size_t left, size_t ahead_bytes, const uint8_t *steps,
                                      block stem, block y, block lengths, block mask)
{
    return gcm_text(c, out, in, left, ahead_bytes, steps, stem, y, lengths, mask, true);
}

/* Is gcm_text for long messages. `hidden` is NULL with a nonce of 12 bytes. */
RIJN_INLINE block gcm_long_text(const context *c, gcm_hidden *hidden, uint8_t *out,
                                const uint8_t *in, size_t left, block stem, block y, block lengths,
                                bool decrypting)
{
    gcm_ending e = {.at = gcm_batch_counters(c, stem, hidden, 0),
                    .out = out,
                    .in = in,
                    .left = left,
                    .ahead_bytes = AHEAD_BYTES,
                    .x = vec_place(y, 1),
                    .mask = _mm_setzero_si128()};

    if (left > BATCH) {
        gcm_whole(c, &e, stem, hidden, decrypting);
        y = vec_first(e.x);
    }
    return (decrypting ? gcm_open_text : gcm_seal_text)(c, e.out, e.in, e.left, e.ahead_bytes,
                                                        e.at.steps, vec_first(e.at.stem), y,
                                                        lengths, e.mask);
}

RIJN_APART static block gcm_long_seal(const context *c, gcm_hidden *hidden, uint8_t *out,
                                      const uint8_t *in, size_t left, block stem, block y,
                                      block lengths)
{
    return gcm_long_text(c, hidden, out, in, left, stem, y, lengths, false);
}

RIJN_APART static block gcm_long_open(const context *c, gcm_hidden *hidden, uint8_t *out,
                                      const uint8_t *in, size_t left, block stem, block y,
                                      block lengths)
{
    return gcm_long_text(c, hidden, out, in, left, stem, y, lengths, true);
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

    if (!GCM_LONG_IN_REGISTERS && __builtin_expect(size > BATCH - AHEAD_BYTES, 0))
        return (decrypting ? gcm_long_open : gcm_long_seal)(c, NULL, (uint8_t *)gcm_ahead(out),
                                                            (const uint8_t *)gcm_ahead(in),
                                                            size + AHEAD_BYTES, stem, y, lengths);
    return (decrypting ? gcm_open_text : gcm_seal_text)(
        c, (uint8_t *)gcm_ahead(out), (const uint8_t *)gcm_ahead(in), size + AHEAD_BYTES,
        AHEAD_BYTES, (const uint8_t *)gcm_numbers, stem, y, lengths, zero);
}

/* ---- Messages in registers ---- */

#if VECS_IN_REGISTERS
#define NATIVE_GCM_REGISTERS
/* Bytes of the longest message that the table's functions process themselves, in up to two vecs of data.
 * With one more, and no function to call, they need no aligned stack. */
enum { GCM_SHORT_VECS = AHEAD_BYTES / VEC + 2, GCM_SHORT = VEC * GCM_SHORT_VECS - AHEAD_BYTES };

/* Bytes of the longest message. With 16 registers, more than three vecs would be on the stack. */
enum { GCM_REGISTER_SIZE = GCM_LONG_IN_REGISTERS ? 1 << 15 : GCM_SHORT };

RIJN_INLINE block gcm_register_stem(const context *c, const uint8_t *nonce)
{
    return _mm_xor_si128(block_pair(load_le64(nonce), load_le32(nonce + 8)),
                         block_load(c->encrypt));
}

RIJN_INLINE block gcm_register_ad(const uint8_t *ad, size_t ad_size)
{
    return ad_size ? byte_reverse(block_up_to(ad, ad_size)) : _mm_setzero_si128();
}

/* Is gcm_message for a nonce of 12 bytes, up to 16 bytes of associated data, and 1 to GCM_SHORT bytes. */
RIJN_INLINE block gcm_register_short(const context *c, const uint8_t *nonce, const uint8_t *ad,
                                     size_t ad_size, uint8_t *out, const uint8_t *in, size_t size,
                                     bool decrypting)
{
    gcm_ending e = {.at = {.stem = vec_broadcast(gcm_register_stem(c, nonce)),
                           .steps = (const uint8_t *)gcm_numbers},
                    .out = (uint8_t *)gcm_ahead(out),
                    .in = (const uint8_t *)gcm_ahead(in),
                    .left = size + AHEAD_BYTES,
                    .ahead_bytes = AHEAD_BYTES,
                    .x = vec_place(gcm_register_ad(ad, ad_size), 1),
                    .sum = no_product()};
    const block lengths = gcm_lengths(ad_size, size);

    if (e.left <= VEC * (GCM_SHORT_VECS - 1))
        return gcm_last_vecs(c, &e, GCM_SHORT_VECS - 1, lengths, decrypting);
    return gcm_last_vecs(c, &e, GCM_SHORT_VECS, lengths, decrypting);
}

RIJN_INLINE rijn_status gcm_register_verify(block full, const uint8_t *tag, uint8_t *out,
                                            size_t size)
{
    const block difference = _mm_xor_si128(full, block_load(tag));
    int equal = _mm_testz_si128(difference, difference);

    RIJN_PUBLIC(&equal, sizeof equal);
    return __builtin_expect(equal, 1) ? RIJN_OK : rijn_refuse_tag(out, size);
}

#if VEC_BLOCKS == 4
#define GCM_REGISTER_TEXT(function) \
    function(c, (uint8_t *)gcm_ahead(out), (const uint8_t *)gcm_ahead(in), size + AHEAD_BYTES, \
             AHEAD_BYTES, (const uint8_t *)gcm_numbers, gcm_register_stem(c, nonce), \
             gcm_register_ad(ad, ad_size), gcm_lengths(ad_size, size), _mm_setzero_si128())

RIJN_APART static rijn_status gcm_seal_longer(const void *c, uint8_t *out, uint8_t *tag,
                                              size_t tag_size, const uint8_t *nonce,
                                              size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                              const uint8_t *in, size_t size)
{
    (void)tag_size, (void)nonce_size;
    block_store(tag, GCM_REGISTER_TEXT(gcm_seal_text));
    return RIJN_OK;
}

RIJN_APART static rijn_status gcm_open_longer(const void *c, uint8_t *out, const uint8_t *tag,
                                              size_t tag_size, const uint8_t *nonce,
                                              size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                              const uint8_t *in, size_t size)
{
    (void)tag_size, (void)nonce_size;
    return gcm_register_verify(GCM_REGISTER_TEXT(gcm_open_text), tag, out, size);
}
#undef GCM_REGISTER_TEXT
#define GCM_LONGER(function) \
    if (size > GCM_SHORT) \
    return function(c, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size)
#else
#define GCM_LONGER(function) (void)tag_size, (void)nonce_size
#endif

RIJN_OPERATION rijn_status gcm_seal_in_registers(const void *c, uint8_t *out, uint8_t *tag,
                                                 size_t tag_size, const uint8_t *nonce,
                                                 size_t nonce_size, const uint8_t *ad,
                                                 size_t ad_size, const uint8_t *in, size_t size)
{
    GCM_LONGER(gcm_seal_longer);
    block_store(tag, gcm_register_short(c, nonce, ad, ad_size, out, in, size, false));
    return RIJN_OK;
}

RIJN_OPERATION rijn_status gcm_open_in_registers(const void *c, uint8_t *out, const uint8_t *tag,
                                                 size_t tag_size, const uint8_t *nonce,
                                                 size_t nonce_size, const uint8_t *ad,
                                                 size_t ad_size, const uint8_t *in, size_t size)
{
    GCM_LONGER(gcm_open_longer);
    return gcm_register_verify(gcm_register_short(c, nonce, ad, ad_size, out, in, size, true), tag,
                               out, size);
}
#undef GCM_LONGER
#endif

/* ---- The first piece of a message ---- */

#if VECS_IN_REGISTERS && VEC_BLOCKS == 4
#define NATIVE_GCM_FIRST
enum { GCM_FIRST_SIZE = GCM_REGISTER_SIZE };

RIJN_INLINE void gcm_first_piece(const context *c, rijn_gcm *gcm, uint8_t *out, const uint8_t *in,
                                 size_t size, bool decrypting)
{
    uint8_t *const counter = gcm->stream.next.block;
    const block stem = gcm_register_stem(c, counter);
    const size_t place = gcm->fill ? 1 : 2; /* where a block waits, or the first of the data */
    gcm_ending e = {.at = {.stem = vec_broadcast(stem), .steps = (const uint8_t *)gcm_numbers},
                    .out = (uint8_t *)gcm_ahead(out),
                    .in = (const uint8_t *)gcm_ahead(in),
                    .left = size + AHEAD_BYTES,
                    .ahead_bytes = AHEAD_BYTES,
                    .x = vec_place(byte_reverse(block_load_apart(gcm->hash)), place),
                    .sum = no_product(),
                    .state = gcm};

    if (e.left > BATCH)
        gcm_whole(c, &e, stem, NULL, decrypting);
    const block y = gcm_rest(c, &e, _mm_setzero_si128(), decrypting);
    block_store(gcm->hash, byte_reverse(y));
    store_be32(counter + 12, (uint32_t)((size + AHEAD_BYTES + VEC - 1) / VEC) * VEC_BLOCKS);
    gcm->fill = size % 16;
    gcm->stream.ready = -(size + AHEAD_BYTES) % VEC;
}

RIJN_APART static void gcm_encrypt_first(const context *c, rijn_gcm *gcm, uint8_t *out,
                                         const uint8_t *in, size_t size)
{
    gcm_first_piece(c, gcm, out, in, size, false);
}

RIJN_APART static void gcm_decrypt_first(const context *c, rijn_gcm *gcm, uint8_t *out,
                                         const uint8_t *in, size_t size)
{
    gcm_first_piece(c, gcm, out, in, size, true);
}

RIJN_OPERATION void gcm_first_in_registers(const void *c, rijn_gcm *gcm, uint8_t *out,
                                           const uint8_t *in, size_t size, bool decrypting)
{
    (decrypting ? gcm_decrypt_first : gcm_encrypt_first)(c, gcm, out, in, size);
}
#endif

#endif
