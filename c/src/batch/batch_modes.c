#include "batch_modes.h"

#if RIJN_WITH_MANY

#include <string.h>

#include "../bytes.h"
#include "../ct.h"
#include "../double.h"
#include "../modes/message.h"

/* A chain for each message, and the padded or masked blocks at its end: one, or for SIV up to two. */
typedef struct {
    rijn_chain chain[RIJN_BATCH];
    uint8_t last[RIJN_BATCH][32];
    uint8_t last_blocks[RIJN_BATCH];
} batch_chains;

/* Copies the incomplete block at the end of a string, and pads it with `first` and then `next`. */
static void pad_last(uint8_t last[16], rijn_string string, uint8_t first, uint8_t next)
{
    const size_t rest = string.size % 16;

    if (rest)
        memcpy(last, string.bytes + string.size - rest, rest);
    last[rest] = first;
    memset(last + rest + 1, next, 15 - rest);
}

/* Encrypts the whole blocks of all messages, and then their padded blocks. */
void rijn_cbc_batch(const rijn_key *key, const rijn_batch *batch, bool padded)
{
    batch_chains chains;

    for (size_t i = 0; i < batch->count; i++) {
        chains.chain[i] = (rijn_chain){batch->in[i], batch->out[i], batch->size[i] / 16, {0}};
        memcpy(chains.chain[i].chain, batch->nonces + batch->nonce_step * i, 16);
        if (padded) { /* now: encrypting in place overwrites it */
            const uint8_t padding = (uint8_t)(16 - batch->size[i] % 16);
            pad_last(chains.last[i], (rijn_string){batch->in[i], batch->size[i]}, padding, padding);
        }
    }
    rijn_many_of(key->backend)->chains(key->context, chains.chain, batch->count);
    if (!padded)
        return;
    for (size_t i = 0; i < batch->count; i++) {
        chains.chain[i].in = chains.last[i];
        chains.chain[i].out = batch->out[i] + batch->size[i] / 16 * 16;
        chains.chain[i].blocks = 1;
    }
    rijn_many_of(key->backend)->chains(key->context, chains.chain, batch->count);
}

/* The masks of the last block of a CMAC (SP 800-38B section 6.1). */
typedef struct {
    uint8_t k1[16], k2[16];
} subkeys;

static void make_subkeys(const rijn_key *key, subkeys *masks)
{
    memset(masks->k1, 0, 16);
    key->backend->encrypt_block(key->context, masks->k1, masks->k1);
    double_be(masks->k1, masks->k1);
    double_be(masks->k2, masks->k1);
}

/* Starts chain i: the CMAC of a string (section 6.2). */
static void start_cmac(batch_chains *chains, const subkeys *masks, size_t i, const uint8_t *bytes,
                       size_t size)
{
    const bool whole = size && size % 16 == 0;

    chains->chain[i] = (rijn_chain){bytes, NULL, size / 16 - whole, {0}};
    chains->last_blocks[i] = 1;
    if (whole)
        memcpy(chains->last[i], bytes + size - 16, 16);
    else
        pad_last(chains->last[i], (rijn_string){bytes, size}, 0x80, 0);
    xor_bytes(chains->last[i], chains->last[i], whole ? masks->k1 : masks->k2, 16);
}

/* Runs all chains. Each chain value is then the CMAC of its string. */
static void finish_cmacs(const rijn_key *key, batch_chains *chains, size_t count)
{
    rijn_many_of(key->backend)->chains(key->context, chains->chain, count);
    for (size_t i = 0; i < count; i++) {
        chains->chain[i].in = chains->last[i];
        chains->chain[i].blocks = chains->last_blocks[i];
    }
    rijn_many_of(key->backend)->chains(key->context, chains->chain, count);
}

void rijn_cmac_batch(const rijn_key *key, const rijn_batch *batch)
{
    subkeys masks;
    batch_chains chains;

    make_subkeys(key, &masks);
    for (size_t i = 0; i < batch->count; i++)
        start_cmac(&chains, &masks, i, batch->ad[i], batch->ad_size[i]);
    finish_cmacs(key, &chains, batch->count);
    for (size_t i = 0; i < batch->count; i++)
        memcpy(batch->tag[i], chains.chain[i].chain, batch->tag_size);
}

/* Computes S2V (RFC 5297 section 2.4) of the strings of each message, and stores it at batch->tag[i].
 * `text` holds the plaintexts: batch->in or batch->out. */
RIJN_APART static void s2v_batch(const rijn_key *key, const rijn_batch *batch,
                                 const uint8_t *const *text)
{
    const size_t count = batch->count, ads = !batch->has_ad ? 0 : batch->one_ad ? 1 : count;
    uint8_t d[RIJN_BATCH][16];
    subkeys masks;
    batch_chains chains;

    make_subkeys(key, &masks);
    key->backend->encrypt_block(key->context, d[0], masks.k1); /* CMAC of a block of zeros */
    for (size_t i = 1; i < count; i++)
        memcpy(d[i], d[0], 16);
    for (size_t i = 0; i < ads; i++)
        start_cmac(&chains, &masks, i, batch->ad[i], batch->ad_size[i]);
    finish_cmacs(key, &chains, ads);
    for (size_t i = 0; ads && i < count; i++) {
        double_be(d[i], d[i]);
        xor_bytes(d[i], d[i], chains.chain[batch->one_ad ? 0 : i].chain, 16);
    }
    for (size_t i = 0; batch->nonce_size && i < count; i++)
        start_cmac(&chains, &masks, i, batch->nonces + batch->nonce_step * i, batch->nonce_size);
    if (batch->nonce_size)
        finish_cmacs(key, &chains, count);
    for (size_t i = 0; batch->nonce_size && i < count; i++) {
        double_be(d[i], d[i]);
        xor_bytes(d[i], d[i], chains.chain[i].chain, 16);
    }
    for (size_t i = 0; i < count; i++) {
        const size_t size = batch->size[i], rest = size % 16;
        uint8_t *const last = chains.last[i];

        chains.chain[i] = (rijn_chain){text[i], NULL, size < 16 ? 0 : size / 16 - 1, {0}};
        chains.last_blocks[i] = 1;
        if (size < 16) { /* dbl(D) XOR pad(Sn): a whole block */
            double_be(d[i], d[i]);
            pad_last(last, (rijn_string){text[i], size}, 0x80, 0);
            xor_bytes(last, last, d[i], 16);
            xor_bytes(last, last, masks.k1, 16);
            continue;
        }
        memcpy(last, text[i] + size - rest - 16, 16 + rest); /* xorend: into the last 16 bytes */
        xor_bytes(last + rest, last + rest, d[i], 16);
        if (rest) {
            chains.last_blocks[i] = 2;
            last[16 + rest] = 0x80;
            memset(last + 17 + rest, 0, 15 - rest);
            xor_bytes(last + 16, last + 16, masks.k2, 16);
        } else {
            xor_bytes(last, last, masks.k1, 16);
        }
    }
    finish_cmacs(key, &chains, count);
    for (size_t i = 0; i < count; i++)
        memcpy(batch->tag[i], chains.chain[i].chain, 16);
}

/* ---- Counters ---- */

/* Messages of at most this many blocks are encrypted together. For longer messages, and for messages
 * that keep their backend busy alone, storing the keystream costs more than it saves. */
enum { SHORT_BLOCKS = 4 };

static bool is_short(const rijn_key *key, size_t size)
{
    return size <= 16 * SHORT_BLOCKS && size < 16 * (size_t)key->backend->blocks;
}

/* Encrypts the counter blocks of all short messages in one run of ECB. */
void rijn_ctr_batch(const rijn_key *key, const rijn_batch *batch, const uint8_t *counters)
{
    uint8_t stream[16 * SHORT_BLOCKS * RIJN_BATCH], *next = stream;

    for (size_t i = 0; i < batch->count; i++) {
        const uint8_t *const counter = counters + 16 * i;
        const uint64_t high = load_be64(counter), low = load_be64(counter + 8);

        if (!is_short(key, batch->size[i])) {
            rijn_ctr_run(key, 128, 0, counter, batch->out[i], batch->in[i], batch->size[i]);
            continue;
        }
        for (uint64_t j = 0; 16 * j < batch->size[i]; j++, next += 16) {
            store_be64(next, high + (low + j < low));
            store_be64(next + 8, low + j);
        }
    }
    if (next != stream)
        rijn_ecb_of(key->backend)
            ->ecb_encrypt(key->context, stream, stream, (size_t)(next - stream) / 16);
    next = stream;
    for (size_t i = 0; i < batch->count; i++) {
        const size_t size = batch->size[i];
        if (is_short(key, size)) {
            xor_bytes(batch->out[i], batch->in[i], next, size);
            next += (size + 15) / 16 * 16;
        }
    }
}

/* Encrypts or decrypts the texts of SIV. A counter is the tag with two bits cleared (RFC 5297 section
 * 2.5), and as public as the tag. */
RIJN_APART static void siv_ctr(const rijn_key *key, const rijn_batch *batch,
                               const uint8_t *const *tags)
{
    uint8_t counters[RIJN_BATCH * 16];

    for (size_t i = 0; i < batch->count; i++) {
        memcpy(counters + 16 * i, tags[i], 16);
        counters[16 * i + 8] &= 0x7f;
        counters[16 * i + 12] &= 0x7f;
    }
    RIJN_PUBLIC(counters, 16 * batch->count);
    rijn_ctr_batch(key, batch, counters);
}

void rijn_siv_batch(const rijn_siv_key *key, const rijn_batch *batch)
{
    if (batch->opening) {
        siv_ctr(&key->ctr, batch, batch->given);
        s2v_batch(&key->mac, batch, (const uint8_t *const *)batch->out);
    } else {
        s2v_batch(&key->mac, batch, batch->in);
        siv_ctr(&key->ctr, batch, (const uint8_t *const *)batch->tag);
    }
}

#endif
