/* GCM of many short messages on vecs: gcm_many of backend.h. Include after vec_gcm.h and
 * the templates of modes/modes.h. It has its own loops, because the messages are the lanes: vec t has
 * block t of VEC_BLOCKS messages.
 *
 * Each block is multiplied by its own power of H and added. So in addition to its blocks a message
 * costs only one encrypted block (the mask), one product (its lengths) and a share of a reduction for
 * all lanes. Lanes may have different sizes: a lane that has ended is multiplied as zeros. Messages
 * are sorted by their blocks, so that lanes end together. gcm_seal and gcm_open process messages with
 * more blocks than powers.
 *
 * Figures and variants: docs/x86.md. */
#ifndef RIJN_X86_VEC_MANY_H
#define RIJN_X86_VEC_MANY_H

#include "gather.h"
#include "vec_gcm.h"

/* MANY_BLOCKS: blocks of the longest message in lanes. The hash has one more block for the lengths, and
 * the last block of associated data before them. MANY_STEP: blocks of a lane that are encrypted
 * together. */
enum { MANY_BLOCKS = POWERS - 1, MANY_STEP = 4 };

/* VEC_BLOCKS messages. The argument `equal` of the functions below is a constant: all messages have one
 * size, and the same associated data or none. */
typedef struct {
    const uint8_t *in[VEC_BLOCKS];
    uint8_t *out[VEC_BLOCKS];
    size_t size[VEC_BLOCKS];
} many_texts;

typedef struct {
    many_texts texts;
    const uint8_t *power[VEC_BLOCKS]; /* of block 0; the next powers follow */
    size_t least, most;               /* bytes of the shortest and of the longest */
    vec stem;                         /* the nonces, and the first round key */
    vec last;                         /* round key */
    product sum;
} many_lanes;

/* XORs keystream to the block at `at` of lanes that may have ended. Returns the ciphertext, followed by
 * zeros. Not inlined: a message has at most one such block. */
RIJN_APART static vec many_part(const many_texts *texts, size_t at, vec keystream, bool decrypting)
{
    block x[VEC_BLOCKS];

    vec_blocks(x, keystream);
    RIJN_UNROLL
    for (int i = 0; i < VEC_BLOCKS; i++) {
        const size_t size = texts->size[i];
        const size_t left = size <= at ? 0 : size - at < 16 ? size - at : 16;
        const block from = many_load_part(texts->in[i], at, left);
        const block text = many_store_part(texts->out[i], at, left, _mm_xor_si128(x[i], from));
        x[i] = decrypting ? from : text;
    }
    return vec_of(x);
}

RIJN_INLINE vec many_powers(const many_lanes *q, size_t at, bool equal)
{
    block x[VEC_BLOCKS];

    if (equal || q->power[0] == q->power[VEC_BLOCKS - 1]) /* sorted, so all are equal */
        return vec_load_broadcast(q->power[0] + at);
    RIJN_UNROLL
    for (int i = 0; i < VEC_BLOCKS; i++)
        x[i] = block_load(q->power[i] + (at < q->texts.size[i] ? at : 0));
    return vec_of(x);
}

/* Processes n blocks of each lane from byte `at` on. If `first`, also computes and returns the masks of
 * the tags. */
RIJN_INLINE vec many_blocks(const context *c, many_lanes *q, size_t at, int n, bool first,
                            bool equal, bool decrypting)
{
    const int masks = first ? 1 : 0;
    const uint32_t number = (uint32_t)(at / 16) + 2 - (uint32_t)masks;
    vec v[MANY_STEP + 1];

    RIJN_UNROLL
    for (int i = 0; i < n + masks; i++)
        v[i] = vec_xor(q->stem, vec_broadcast(_mm_set_epi32(
                                    (int)__builtin_bswap32(number + (uint32_t)i), 0, 0, 0)));
    vec_encrypt_rounds(c, v, n + masks, 1);
    RIJN_UNROLL
    for (int i = masks; i < n + masks; i++, at += 16) {
        vec hashed;
        if (at + 16 <= q->least) {
            const vec from = vec_gather(q->texts.in, at);
            const vec text = vec_last_round(v[i], vec_xor(q->last, from));
            vec_scatter(q->texts.out, at, text);
            hashed = decrypting ? from : text;
        } else {
            const many_texts texts = q->texts; /* the others may stay in registers */
            hashed = many_part(&texts, at, vec_last_round(v[i], q->last), decrypting);
        }
        add_product(&q->sum, reverse_blocks(hashed), many_powers(q, at, equal));
    }
    return first ? vec_last_round(v[0], q->last) : vec_zero();
}

RIJN_INLINE vec many_step(const context *c, many_lanes *q, size_t at, bool first, bool equal,
                          bool decrypting)
{
    switch ((q->most - at + 15) / 16) {
    case 0:
        return many_blocks(c, q, at, 0, first, equal, decrypting);
    case 1:
        return many_blocks(c, q, at, 1, first, equal, decrypting);
    case 2:
        return many_blocks(c, q, at, 2, first, equal, decrypting);
    case 3:
        return many_blocks(c, q, at, 3, first, equal, decrypting);
    default:
        return many_blocks(c, q, at, 4, first, equal, decrypting);
    }
}

/* Returns, for each lane, the last block of associated data XOR the hash of the blocks before it. */
RIJN_APART static vec many_ad(const context *c, const rijn_batch *b, const uint8_t *lanes)
{
    block x[VEC_BLOCKS];

    for (int i = 0; i < VEC_BLOCKS; i++) {
        const size_t n = lanes[i];
        x[i] = b->ad_size[n] ? gcm_absorb(c, b->ad[n], b->ad_size[n]) : _mm_setzero_si128();
    }
    return vec_of(x);
}

/* Returns the lengths blocks, byte-reversed: [bits]64 || [bits of associated data]64. */
RIJN_INLINE vec many_lengths(const rijn_batch *b, const many_lanes *q, const uint8_t *lanes,
                             bool equal)
{
    block x[VEC_BLOCKS];

    RIJN_UNROLL
    for (int i = 0; i < VEC_BLOCKS; i++)
        x[i] = block_pair((uint64_t)q->texts.size[i] * 8,
                          b->has_ad ? (uint64_t)b->ad_size[lanes[i]] * 8 : 0);
    return equal ? vec_broadcast(x[0]) : vec_of(x);
}

/* Processes the messages with these numbers, which are sorted by their blocks. */
RIJN_INLINE void many_in_lanes(const context *c, const rijn_batch *b, const uint8_t *lanes, vec ad,
                               bool equal)
{
    const bool decrypting = b->opening;
    many_lanes q;
    const uint8_t *nonce[VEC_BLOCKS];
    uint8_t *tag[VEC_BLOCKS];
    vec mask;

    RIJN_UNROLL
    for (int i = 0; i < VEC_BLOCKS; i++) {
        const size_t n = lanes[i];
        nonce[i] = b->nonces + 16 * n;
        tag[i] = b->tag[n];
        const size_t size = b->size[equal ? lanes[0] : n];
        q.texts.in[i] = b->in[n];
        q.texts.out[i] = b->out[n];
        q.texts.size[i] = size;
        q.power[i] = powers_from(c, (size + 15) / 16 + 1);
        q.least = i == 0 || size < q.least ? size : q.least;
        q.most = i == 0 || size > q.most ? size : q.most;
    }
    q.stem = vec_xor(vec_gather(nonce, 0), vec_load_broadcast(c->encrypt));
    q.last = vec_last_key(c);
    q.sum = no_product();
    if (b->has_ad) {
        block before[VEC_BLOCKS];
        RIJN_UNROLL
        for (int i = 0; i < VEC_BLOCKS; i++)
            before[i] = block_load(q.power[i] - 16);
        add_product(&q.sum, b->one_ad ? ad : many_ad(c, b, lanes), vec_of(before));
    }
    mask = many_step(c, &q, 0, true, equal, decrypting);
    for (size_t at = 16 * MANY_STEP; at < q.most; at += 16 * MANY_STEP)
        many_step(c, &q, at, false, equal, decrypting);
    add_product(&q.sum, many_lengths(b, &q, lanes, equal), vec_load_broadcast(powers_from(c, 1)));
    vec_scatter(tag, 0, vec_xor(mask, reverse_blocks(reduce_vec(q.sum))));
}

static void many_one(const context *c, const rijn_batch *b, size_t i)
{
    const uint8_t *const ad = b->has_ad ? b->ad[i] : NULL;
    const size_t ad_size = b->has_ad ? b->ad_size[i] : 0;

    if (b->opening)
        gcm_open(c, b->out[i], b->tag[i], b->nonces + 16 * i, 12, ad, ad_size, b->in[i],
                 b->size[i]);
    else
        gcm_seal(c, b->out[i], b->tag[i], 16, b->nonces + 16 * i, 12, ad, ad_size, b->in[i],
                 b->size[i]);
}

#define MANY_IN_LANES(name, equal) \
    RIJN_APART static size_t name(const context *c, const rijn_batch *b, const uint8_t *sorted, \
                                  size_t i, size_t count, vec ad) \
    { \
        for (; i + 1 < count; i += VEC_BLOCKS) { \
            rijn_batch_ahead(b, sorted[i], VEC_BLOCKS); \
            many_in_lanes(c, b, sorted + i, ad, equal); \
        } \
        return i; \
    }
MANY_IN_LANES(many_of_one_size, true)
MANY_IN_LANES(many_of_any_size, false)

RIJN_OPERATION void gcm_many(const void *memory, const rijn_batch *b, size_t first, size_t count)
{
    const context *const c = memory;
    const bool equal = many_equal(b, first, count, 16 * MANY_BLOCKS) && (!b->has_ad || b->one_ad);
    uint8_t sorted[RIJN_BATCH + VEC_BLOCKS];
    vec ad = vec_zero();
    size_t i = 0;

    if (equal)
        for (size_t n = 0; n < RIJN_BATCH; n++) /* all of them: one vector */
            sorted[n] = (uint8_t)(first + n);
    else
        many_sort(sorted, b, first, count, 16 * MANY_BLOCKS, SIZE_MAX);
    for (size_t n = 0; n < VEC_BLOCKS; n++) /* unused lanes repeat the last message */
        sorted[count + n] = sorted[count - 1];
    if (b->has_ad && b->one_ad && b->ad_size[first])
        ad = vec_broadcast(gcm_absorb(c, b->ad[first], b->ad_size[first]));
    for (; i < count && b->size[sorted[i]] > 16 * MANY_BLOCKS; i++)
        many_one(c, b, sorted[i]);
    i = (equal ? many_of_one_size : many_of_any_size)(c, b, sorted, i, count, ad);
    for (; i < count; i++)
        many_one(c, b, sorted[i]);
    _mm256_zeroupper();
}

#undef GCM_MANY
#define GCM_MANY gcm_many

#endif
