#include "batch_modes.h"

#if RIJN_WITH_MANY

#include <string.h>

#include "../bytes.h"
#include "../ct.h"
#include "../double.h"
#include "../modes/message.h"

/* Chains, and what is made of their last blocks: one of each, of SIV one or two. */
typedef struct {
    rijn_chain chain[RIJN_BATCH];
    uint8_t last[RIJN_BATCH][32];
    uint8_t last_blocks[RIJN_BATCH];
} chain_work;

/* The last `rest` bytes of a string, fewer than 16, then `first` and bytes that are `next`. */
static void pad_last(uint8_t last[16], rijn_string s, uint8_t first, uint8_t next)
{
    const size_t rest = s.size % 16;

    if (rest)
        memcpy(last, s.bytes + s.size - rest, rest);
    last[rest] = first;
    memset(last + rest + 1, next, 15 - rest);
}

/* CBC encryption: the whole blocks of all messages, and then the padded ones. */
void rijn_cbc_together(const rijn_key *key, const rijn_batch *b, bool padded)
{
    chain_work w;

    for (size_t i = 0; i < b->count; i++) {
        w.chain[i] = (rijn_chain){b->in[i], b->out[i], b->size[i] / 16, {0}};
        memcpy(w.chain[i].chain, b->nonces + b->nonce_step * i, 16);
        if (padded) { /* before it is written over in place */
            const uint8_t padding = (uint8_t)(16 - b->size[i] % 16);
            pad_last(w.last[i], (rijn_string){b->in[i], b->size[i]}, padding, padding);
        }
    }
    key->backend->chains(key->context, w.chain, b->count);
    if (!padded)
        return;
    for (size_t i = 0; i < b->count; i++) {
        w.chain[i].in = w.last[i];
        w.chain[i].out = b->out[i] + b->size[i] / 16 * 16;
        w.chain[i].blocks = 1;
    }
    key->backend->chains(key->context, w.chain, b->count);
}

/* What goes into the last block of a CMAC (SP 800-38B section 6.1). */
typedef struct {
    uint8_t k1[16], k2[16];
} subkeys;

static void make_subkeys(const rijn_key *key, subkeys *k)
{
    memset(k->k1, 0, 16);
    key->backend->encrypt_block(key->context, k->k1, k->k1);
    double_be(k->k1, k->k1);
    double_be(k->k2, k->k1);
}

/* Message i of a CMAC (section 6.2). */
static void take_string(chain_work *w, const subkeys *k, size_t i, const uint8_t *bytes,
                        size_t size)
{
    const bool whole = size && size % 16 == 0;

    w->chain[i] = (rijn_chain){bytes, NULL, size / 16 - whole, {0}};
    w->last_blocks[i] = 1;
    if (whole)
        memcpy(w->last[i], bytes + size - 16, 16);
    else
        pad_last(w->last[i], (rijn_string){bytes, size}, 0x80, 0);
    xor_bytes(w->last[i], w->last[i], whole ? k->k1 : k->k2, 16);
}

/* Leaves the tags as the chains. */
static void end_strings(const rijn_key *key, chain_work *w, size_t count)
{
    key->backend->chains(key->context, w->chain, count);
    for (size_t i = 0; i < count; i++) {
        w->chain[i].in = w->last[i];
        w->chain[i].blocks = w->last_blocks[i];
    }
    key->backend->chains(key->context, w->chain, count);
}

/* CMAC of what is `ad`. */
void rijn_cmac_together(const rijn_key *key, const rijn_batch *b)
{
    subkeys k;
    chain_work w;

    make_subkeys(key, &k);
    for (size_t i = 0; i < b->count; i++)
        take_string(&w, &k, i, b->ad[i], b->ad_size[i]);
    end_strings(key, &w, b->count);
    for (size_t i = 0; i < b->count; i++)
        memcpy(b->tag[i], w.chain[i].chain, b->tag_size);
}

/* S2V (RFC 5297 section 2.4) of the strings of each message, to b->tag[i]. `text` is what the
 * plaintext is, b->in or b->out. */
RIJN_APART static void s2v_together(const rijn_key *key, const rijn_batch *b,
                                    const uint8_t *const *text)
{
    const size_t count = b->count, ads = !b->has_ad ? 0 : b->one_ad ? 1 : count;
    uint8_t d[RIJN_BATCH][16];
    subkeys k;
    chain_work w;

    make_subkeys(key, &k);
    key->backend->encrypt_block(key->context, d[0], k.k1); /* CMAC of a block of zeros */
    for (size_t i = 1; i < count; i++)
        memcpy(d[i], d[0], 16);
    for (size_t i = 0; i < ads; i++)
        take_string(&w, &k, i, b->ad[i], b->ad_size[i]);
    end_strings(key, &w, ads);
    for (size_t i = 0; ads && i < count; i++) {
        double_be(d[i], d[i]);
        xor_bytes(d[i], d[i], w.chain[b->one_ad ? 0 : i].chain, 16);
    }
    for (size_t i = 0; b->nonce_size && i < count; i++)
        take_string(&w, &k, i, b->nonces + b->nonce_step * i, b->nonce_size);
    if (b->nonce_size)
        end_strings(key, &w, count);
    for (size_t i = 0; b->nonce_size && i < count; i++) {
        double_be(d[i], d[i]);
        xor_bytes(d[i], d[i], w.chain[i].chain, 16);
    }
    for (size_t i = 0; i < count; i++) {
        const size_t size = b->size[i], rest = size % 16;
        uint8_t *const last = w.last[i];

        w.chain[i] = (rijn_chain){text[i], NULL, size < 16 ? 0 : size / 16 - 1, {0}};
        w.last_blocks[i] = 1;
        if (size < 16) { /* dbl(D) XOR pad(Sn): a whole block */
            double_be(d[i], d[i]);
            pad_last(last, (rijn_string){text[i], size}, 0x80, 0);
            xor_bytes(last, last, d[i], 16);
            xor_bytes(last, last, k.k1, 16);
            continue;
        }
        memcpy(last, text[i] + size - rest - 16, 16 + rest); /* xorend: into the last 16 bytes */
        xor_bytes(last + rest, last + rest, d[i], 16);
        if (rest) {
            w.last_blocks[i] = 2;
            last[16 + rest] = 0x80;
            memset(last + 17 + rest, 0, 15 - rest);
            xor_bytes(last + 16, last + 16, k.k2, 16);
        } else {
            xor_bytes(last, last, k.k1, 16);
        }
    }
    end_strings(key, &w, count);
    for (size_t i = 0; i < count; i++)
        memcpy(b->tag[i], w.chain[i].chain, 16);
}

/* ---- Counters ---- */

/* Longer ones, and those that fill the flights of their backend, lose more by the way through memory
 * than others beside them save. */
enum { SHORT_BLOCKS = 4 };

static bool is_short(const rijn_key *key, size_t size)
{
    return size <= 16 * SHORT_BLOCKS && size < 16 * (size_t)key->backend->blocks;
}

/* CTR (SP 800-38A section 6.5) of each message from its own counter block on, of which all 16 bytes
 * count, at counters + 16 * i: public. The blocks of those that are short are one run of ECB. */
void rijn_ctr_together(const rijn_key *key, const rijn_batch *b, const uint8_t *counters)
{
    uint8_t stream[16 * SHORT_BLOCKS * RIJN_BATCH], *next = stream;

    for (size_t i = 0; i < b->count; i++) {
        const uint8_t *const counter = counters + 16 * i;
        const uint64_t high = load_be64(counter), low = load_be64(counter + 8);

        if (!is_short(key, b->size[i])) {
            rijn_ctr_run(key, 128, 0, counter, b->out[i], b->in[i], b->size[i]);
            continue;
        }
        for (uint64_t j = 0; 16 * j < b->size[i]; j++, next += 16) {
            store_be64(next, high + (low + j < low));
            store_be64(next + 8, low + j);
        }
    }
    if (next != stream)
        key->backend->ecb_encrypt(key->context, stream, stream, (size_t)(next - stream) / 16);
    next = stream;
    for (size_t i = 0; i < b->count; i++) {
        const size_t size = b->size[i];
        if (is_short(key, size)) {
            xor_bytes(b->out[i], b->in[i], next, size);
            next += (size + 15) / 16 * 16;
        }
    }
}

/* SIV's counters are the tags with two bits cleared (RFC 5297 section 2.5), and public as those. */
RIJN_APART static void siv_counters(const rijn_key *key, const rijn_batch *b,
                                    const uint8_t *const *tags)
{
    uint8_t counters[RIJN_BATCH * 16];

    for (size_t i = 0; i < b->count; i++) {
        memcpy(counters + 16 * i, tags[i], 16);
        counters[16 * i + 8] &= 0x7f;
        counters[16 * i + 12] &= 0x7f;
    }
    RIJN_PUBLIC(counters, 16 * b->count);
    rijn_ctr_together(key, b, counters);
}

void rijn_siv_together(const rijn_siv_key *key, const rijn_batch *b)
{
    if (b->opening) {
        siv_counters(&key->ctr, b, b->given);
        s2v_together(&key->mac, b, (const uint8_t *const *)b->out);
    } else {
        s2v_together(&key->mac, b, b->in);
        siv_counters(&key->ctr, b, (const uint8_t *const *)b->tag);
    }
}

/* GCM-SIV: by the record's function, or one after the other without what a call costs. */
void rijn_gcm_siv_together(const rijn_key *key, const rijn_batch *b)
{
    const rijn_backend *const backend = key->backend;

    if (backend->gcm_siv_many) {
        backend->gcm_siv_many(key->context, b);
        return;
    }
    for (size_t i = 0; i < b->count; i++) {
        const uint8_t *const nonce = b->nonces + b->nonce_step * i;
        const uint8_t *const ad = b->has_ad ? b->ad[i] : NULL;
        const size_t ad_size = b->has_ad ? b->ad_size[i] : 0;
        if (b->opening)
            backend->gcm_siv_open(key->context, b->out[i], b->tag[i], b->given[i], nonce, ad,
                                  ad_size, b->in[i], b->size[i]);
        else
            backend->gcm_siv_seal(key->context, b->out[i], b->tag[i], nonce, ad, ad_size, b->in[i],
                                  b->size[i]);
    }
}

#endif
