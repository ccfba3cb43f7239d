#include "xaes.h"

#if RIJN_WITH_MANY

#include <string.h>

#include "../api.h"
#include "../bytes.h"
#include "../modes/message.h"

/* ---- Keys ---- */

void rijn_xaes_begin(rijn_xaes_keys *keys, const rijn_key *key, rijn_xaes_key *memory, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        memory[i].prefix = (rijn_prefix){0, 0};
        memory[i].blocks = 0;
    }
    *keys = (rijn_xaes_keys){.size = size, .key = key, .keys = memory};
    rijn_xaes_subkey(keys->subkey, key);
}

static size_t after(const rijn_xaes_keys *keys, size_t at)
{
    return at + 1 < keys->size ? at + 1 : 0;
}

/* That of messages with this prefix, of so many blocks to be hashed; NULL: it is not at hand. */
static const rijn_key *find_key(rijn_xaes_keys *keys, rijn_prefix prefix, size_t blocks)
{
    for (size_t i = 0, at = keys->last; i < keys->size; i++) {
        rijn_xaes_key *const k = &keys->keys[at];
        if (rijn_same_prefix(k->prefix, prefix) && k->blocks >= blocks) {
            keys->last = at;
            return &k->key;
        }
        at = after(keys, at);
    }
    return NULL;
}

static const rijn_key *take_key(rijn_xaes_keys *keys, rijn_prefix prefix, size_t blocks,
                                const uint8_t bytes[32])
{
    rijn_xaes_key *k;

    if (keys->next == keys->last) /* one message between others does not drive out their key */
        keys->next = after(keys, keys->next);
    k = &keys->keys[keys->next];
    keys->last = keys->next;
    keys->next = after(keys, keys->next);
    keys->made++;
    k->prefix = prefix;
    k->blocks = blocks;
    rijn_key_expand(&k->key, keys->key->backend, bytes, 32, USE_HASH, blocks);
    return &k->key;
}

/* GCM message i of a batch, its tag to be compared. */
static void gcm_one(const rijn_key *key, const rijn_batch *b, size_t i)
{
    const uint8_t *const nonce = b->nonces + 16 * i, *const ad = b->has_ad ? b->ad[i] : NULL;
    const size_t ad_size = b->has_ad ? b->ad_size[i] : 0;

    if (b->opening)
        key->backend->gcm_open(key->context, b->out[i], b->tag[i], nonce, 12, ad, ad_size, b->in[i],
                               b->size[i]);
    else
        key->backend->gcm_seal(key->context, b->out[i], b->tag[i], 16, nonce, 12, ad, ad_size,
                               b->in[i], b->size[i]);
}

/* Messages of a batch with one prefix, n runs of neighbours: run i begins with message first[i]. */
typedef struct {
    size_t n;
    uint8_t first[RIJN_BATCH + 1];
    uint8_t keys[32 * RIJN_BATCH];
} runs_of;

static void find_runs(runs_of *runs, const rijn_prefix *prefixes, size_t count)
{
    size_t n = 1;

    runs->first[0] = 0;
    for (size_t i = 1; i < count; i++) {
        runs->first[n] = (uint8_t)i;
        n += !rijn_same_prefix(prefixes[i], prefixes[i - 1]);
    }
    runs->first[n] = (uint8_t)count;
    runs->n = n;
}

/* The keys of all runs from r on, at once. */
static void derive_keys(const rijn_xaes_keys *keys, runs_of *runs, const rijn_prefix *prefixes,
                        size_t r)
{
    uint8_t bytes[12 * RIJN_BATCH];

    for (size_t i = r; i < runs->n; i++) {
        const rijn_prefix prefix = prefixes[runs->first[i]];
        store_le64(bytes + 12 * i, prefix.head);
        store_le32(bytes + 12 * i + 8, prefix.tail);
    }
    rijn_xaes_keys_of(runs->keys + 32 * r, keys->key, keys->subkey, bytes + 12 * r, runs->n - r);
}

void rijn_xaes_together(rijn_xaes_keys *keys, const rijn_batch *b, const rijn_prefix *prefixes,
                        bool unique, size_t blocks)
{
    bool derived = false;
    runs_of runs;

    find_runs(&runs, prefixes, b->count);
    for (size_t r = 0; r < runs.n; r++) {
        const size_t first = runs.first[r], count = runs.first[r + 1] - first;
        const size_t own =
            unique && count == 1
                ? rijn_hashed_blocks(b->has_ad ? b->ad_size[first] : 0, b->size[first])
                : blocks;
        const rijn_key *key = find_key(keys, prefixes[first], own);
        if (!key) {
            if (!derived)
                derive_keys(keys, &runs, prefixes, r);
            derived = true;
            key = take_key(keys, prefixes[first], own, runs.keys + 32 * r);
        }
        if (key->backend->gcm_many && count > 1)
            key->backend->gcm_many(key->context, b, first, count);
        else
            for (size_t i = 0; i < count; i++)
                gcm_one(key, b, first + i);
    }
}

/* ---- Gathering ---- */

void rijn_xaes_clear(rijn_xaes_order *o, size_t n_slots)
{
    memset(o->slots, 0, n_slots * sizeof *o->slots);
    o->mask = n_slots - 2;
}

void rijn_xaes_arrange(rijn_xaes_order *o)
{
    uint32_t at = 0;

    for (size_t i = 0; i <= o->mask + 1; i++) {
        const uint32_t there = o->slots[i].there;
        o->slots[i].there = at;
        at += there;
    }
}

#endif
