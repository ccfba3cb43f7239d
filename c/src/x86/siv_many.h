/* GCM-SIV (RFC 8452) of many short messages: gcm_siv_many of backend.h. Include after the templates of
 * modes/modes.h.
 *
 * Every message has its own keys. SIV_VECS vecs are side by side and each lane has one message, from
 * the derivation of its keys to the last block of its text. The round keys of a message are a lane of
 * `key`, its hash key is a lane of `h`. All hashes end in the same step: shorter messages begin
 * later, and zeros before them do not change the hash. */
#ifndef RIJN_X86_SIV_MANY_H
#define RIJN_X86_SIV_MANY_H

#include "gather.h"

#if VEC_BLOCKS == 1
#define vec_round round_block
#define vec_last_round last_round_block
#define vec_shuffle _mm_shuffle_epi8
#define vec_shift_up _mm_slli_si128
#define vec_add32 _mm_add_epi32
#define vec_and _mm_and_si128
#define vec_or _mm_or_si128
#define vec_words(x) _mm_set1_epi32((int)(x))
#define vec_first_halves _mm_unpacklo_epi64
#define vec_polyval_times polyval_times
#elif VEC_BLOCKS == 2
#define vec_or _mm256_or_si256
#define vec_words(x) _mm256_set1_epi32((int)(x))
#define vec_first_halves _mm256_unpacklo_epi64
#define vec_polyval_times times
#else
#define vec_or _mm512_or_si512
#define vec_words(x) _mm512_set1_epi32((int)(x))
#define vec_first_halves _mm512_unpacklo_epi64
#define vec_polyval_times times
#endif

/* Longer messages, and messages with more associated data, are processed alone. */
enum { SIV_VECS = 4, SIV_LANES = SIV_VECS * VEC_BLOCKS, SIV_MOST = 256 * VEC_BLOCKS };

typedef struct {
    vec key[MAX_ROUNDS + 1][SIV_VECS];
    vec h[SIV_VECS], nonce[SIV_VECS], block[SIV_VECS];
    int rounds;
    const uint8_t *in[SIV_LANES], *nonces[SIV_LANES], *tags[SIV_LANES];
    uint8_t *out[SIV_LANES], *tag[SIV_LANES];
    size_t size[SIV_LANES], least, most; /* bytes of the shortest and of the longest */
    /* Steps of the hash, and the steps at which a lane's text and associated data begin. */
    size_t steps, text[SIV_LANES], ad[SIV_LANES];
    bool whole; /* all sizes are multiples of 16 */
} siv_lanes;

#define SIV_EACH \
    RIJN_UNROLL \
    for (int w = 0; w < SIV_VECS; w++)

/* Returns the round key after `a`: word i is the XOR of words 0 to i of `a`, of SubWord of the last word
 * of `b` (after RotWord if `from` is ROTATED_3), and of the constant. */
RIJN_INLINE vec siv_next_key(vec a, vec b, uint32_t from, uint32_t constant)
{
    a = vec_xor(a, vec_shift_up(a, 4));
    a = vec_xor(a, vec_shift_up(a, 8));
    return vec_xor(a, vec_last_round(vec_shuffle(b, vec_words(from)), vec_words(constant)));
}

/* Expands the keys a || b, or `a` alone (FIPS 197 section 5.2; aes_init in aes.h). */
RIJN_INLINE void siv_schedule(siv_lanes *q, vec *a, vec *b)
{
    uint32_t rcon = 1;

    if (q->rounds == 10) {
        SIV_EACH q->key[0][w] = a[w];
        for (int r = 1; r <= 10; r++, rcon = next_rcon(rcon))
            SIV_EACH q->key[r][w] = a[w] = siv_next_key(a[w], a[w], ROTATED_3, rcon);
        return;
    }
    for (int r = 0;; rcon = next_rcon(rcon)) {
        SIV_EACH q->key[r][w] = a[w];
        if (++r > 14)
            return;
        SIV_EACH q->key[r][w] = b[w];
        r++;
        SIV_EACH a[w] = siv_next_key(a[w], b[w], ROTATED_3, rcon);
        SIV_EACH b[w] = siv_next_key(b[w], a[w], WORD_3, 0);
    }
}

/* Derives the keys of all lanes, like gcm_siv_keys (section 4). */
RIJN_INLINE void siv_keys(siv_lanes *q, const context *c)
{
    vec a[SIV_VECS], b[SIV_VECS], v[6];

    q->rounds = c->rounds;
    RIJN_ROLLED
    for (int w = 0; w < SIV_VECS; w++) {
        q->nonce[w] = vec_gather(q->nonces + VEC_BLOCKS * w, 0);
        RIJN_UNROLL
        for (uint32_t i = 0; i < 6; i++)
            v[i] = vec_xor(vec_shift_up(q->nonce[w], 4), vec_broadcast(block_pair(i, 0)));
        if (c->rounds == 10)
            aes_encrypt(c, v, 4);
        else
            aes_encrypt(c, v, 6);
        q->h[w] = vec_first_halves(v[0], v[1]);
        a[w] = vec_first_halves(v[2], v[3]);
        b[w] = vec_first_halves(v[4], v[5]);
    }
    siv_schedule(q, a, b);
}

/* Encrypts each lane with its own key. */
RIJN_INLINE void siv_encrypt(const siv_lanes *q, vec *v)
{
    SIV_EACH v[w] = vec_xor(v[w], q->key[0][w]);
    for (int r = 1; r < q->rounds; r++)
        SIV_EACH v[w] = vec_round(v[w], q->key[r][w]);
    SIV_EACH v[w] = vec_last_round(v[w], q->key[q->rounds][w]);
}

RIJN_INLINE size_t siv_left(size_t size, size_t at)
{
    return size <= at ? 0 : size - at < 16 ? size - at : 16;
}

/* Returns the blocks that the lanes of vec w absorb at a step. */
RIJN_APART static vec siv_hashed(const siv_lanes *q, const rijn_batch *b, const uint8_t *numbers,
                                 const uint8_t *const *text, int w, size_t step)
{
    block x[VEC_BLOCKS];

    for (int i = 0; i < VEC_BLOCKS; i++) {
        const int lane = VEC_BLOCKS * w + i;
        const size_t n = numbers[lane];
        x[i] = block_pair(0, 0);
        if (step >= q->text[lane]) {
            const size_t at = 16 * (step - q->text[lane]);
            x[i] = many_load_part(text[lane], at, siv_left(q->size[lane], at));
        } else if (step >= q->ad[lane]) {
            const size_t at = 16 * (step - q->ad[lane]);
            x[i] = many_load_part(b->ad[n], at, siv_left(b->ad_size[n], at));
        }
    }
    return vec_of(x);
}

/* Computes POLYVAL of all data, and from it and the nonce the tags (section 5), in q->block. */
RIJN_INLINE void siv_tags(siv_lanes *q, const rijn_batch *b, const uint8_t *numbers,
                          const uint8_t *const *text)
{
    const vec but_highest_bit = vec_broadcast(block_pair(~(uint64_t)0, ~(uint64_t)0 >> 1));
    size_t begin = 0;
    vec y[SIV_VECS];

    for (int i = 0; i < SIV_LANES; i++)
        begin = q->text[i] > begin ? q->text[i] : begin;
    SIV_EACH y[w] = vec_broadcast(block_pair(0, 0));
    for (size_t step = 0; step < q->steps; step++) {
        const bool full = step >= begin && (q->whole || step + 1 < q->steps);
        SIV_EACH
        {
            vec x;
            if (full) {
                block blocks[VEC_BLOCKS];
                RIJN_UNROLL
                for (int i = 0; i < VEC_BLOCKS; i++) {
                    const int lane = VEC_BLOCKS * w + i;
                    blocks[i] = block_load(text[lane] + 16 * (step - q->text[lane]));
                }
                x = vec_of(blocks);
            } else {
                x = siv_hashed(q, b, numbers, text, w, step);
            }
            y[w] = vec_polyval_times(vec_xor(y[w], x), q->h[w]);
        }
    }
    SIV_EACH
    {
        block lengths[VEC_BLOCKS];
        RIJN_UNROLL
        for (int i = 0; i < VEC_BLOCKS; i++) {
            const size_t n = numbers[VEC_BLOCKS * w + i];
            lengths[i] =
                block_pair(b->has_ad ? (uint64_t)b->ad_size[n] * 8 : 0, (uint64_t)b->size[n] * 8);
        }
        y[w] = vec_polyval_times(vec_xor(y[w], vec_of(lengths)), q->h[w]);
        q->block[w] = vec_and(vec_xor(y[w], q->nonce[w]), but_highest_bit);
    }
    siv_encrypt(q, q->block);
    SIV_EACH vec_scatter(q->tag + VEC_BLOCKS * w, 0, q->block[w]);
}

/* XORs keystream to the block at `at` of the lanes of vec w, which may have ended. */
RIJN_APART static void siv_part(const siv_lanes *q, int w, size_t at, vec keystream)
{
    block x[VEC_BLOCKS];

    vec_blocks(x, keystream);
    RIJN_UNROLL
    for (int i = 0; i < VEC_BLOCKS; i++) {
        const int lane = VEC_BLOCKS * w + i;
        const size_t left = siv_left(q->size[lane], at);
        const block text = many_load_part(q->in[lane], at, left);
        many_store_part(q->out[lane], at, left, block_xor(x[i], text));
    }
}

/* Encrypts or decrypts with little-endian CTR that begins with the tags in q->block. */
RIJN_APART static void siv_crypt(siv_lanes *q)
{
    const vec one = vec_broadcast(block_pair(1, 0));
    const vec highest_bit = vec_broadcast(block_pair(0, (uint64_t)1 << 63));
    vec counter[SIV_VECS], v[SIV_VECS];

    SIV_EACH counter[w] = vec_or(q->block[w], highest_bit);
    for (size_t at = 0; at < q->most; at += 16) {
        SIV_EACH v[w] = counter[w];
        siv_encrypt(q, v);
        SIV_EACH counter[w] = vec_add32(counter[w], one);
        if (at + 16 <= q->least) {
            SIV_EACH vec_scatter(q->out + VEC_BLOCKS * w, at,
                                 vec_xor(v[w], vec_gather(q->in + VEC_BLOCKS * w, at)));
            continue;
        }
        SIV_EACH siv_part(q, w, at, v[w]);
    }
}

/* Processes the messages with these numbers. */
RIJN_APART static void siv_in_lanes(const context *c, const rijn_batch *b, const uint8_t *numbers)
{
    _Alignas(16 * VEC_BLOCKS) siv_lanes q;
    size_t blocks[SIV_LANES], ads[SIV_LANES];

    q.steps = q.most = 0;
    q.least = SIZE_MAX;
    q.whole = true;
    RIJN_ROLLED
    for (int i = 0; i < SIV_LANES; i++) {
        const size_t n = numbers[i], size = b->size[n];
        q.nonces[i] = b->nonces + 16 * n;
        q.in[i] = b->in[n];
        q.out[i] = b->out[n];
        q.tag[i] = b->tag[n];
        q.tags[i] = b->opening ? b->given[n] : NULL;
        q.size[i] = size;
        q.least = size < q.least ? size : q.least;
        q.most = size > q.most ? size : q.most;
        q.whole &= size % 16 == 0;
        blocks[i] = (size + 15) / 16;
        ads[i] = b->has_ad ? (b->ad_size[n] + 15) / 16 : 0;
        q.steps = blocks[i] + ads[i] > q.steps ? blocks[i] + ads[i] : q.steps;
    }
    RIJN_ROLLED
    for (int i = 0; i < SIV_LANES; i++) {
        q.text[i] = q.steps - blocks[i];
        q.ad[i] = q.text[i] - ads[i];
    }
    siv_keys(&q, c);
    if (b->opening) {
        SIV_EACH q.block[w] = vec_gather(q.tags + VEC_BLOCKS * w, 0);
        siv_crypt(&q);
    }
    siv_tags(&q, b, numbers, b->opening ? (const uint8_t *const *)q.out : q.in);
    if (!b->opening)
        siv_crypt(&q);
}

static void siv_alone(const context *c, const rijn_batch *b, size_t i)
{
    const uint8_t *const ad = b->has_ad ? b->ad[i] : NULL, *const nonce = b->nonces + 16 * i;
    const size_t ad_size = b->has_ad ? b->ad_size[i] : 0;

    if (b->opening)
        gcm_siv_open(c, b->out[i], b->tag[i], b->given[i], nonce, ad, ad_size, b->in[i],
                     b->size[i]);
    else
        gcm_siv_seal(c, b->out[i], b->tag[i], nonce, ad, ad_size, b->in[i], b->size[i]);
}

RIJN_OPERATION void gcm_siv_many(const void *memory, const rijn_batch *b)
{
    const context *const c = memory;
    uint8_t sorted[RIJN_BATCH];
    size_t i = 0;

    many_sort(sorted, b, 0, b->count, SIV_MOST, SIV_MOST);
    for (; i < b->count &&
           (b->size[sorted[i]] > SIV_MOST || (b->has_ad && b->ad_size[sorted[i]] > SIV_MOST));
         i++)
        siv_alone(c, b, sorted[i]);
    for (; b->count - i >= SIV_LANES; i += SIV_LANES)
        siv_in_lanes(c, b, sorted + i);
    for (; i < b->count; i++)
        siv_alone(c, b, sorted[i]);
#if VEC_BLOCKS > 1
    _mm256_zeroupper();
#endif
}

#undef GCM_SIV_MANY
#define GCM_SIV_MANY gcm_siv_many

#endif
