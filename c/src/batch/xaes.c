#include "xaes.h"

#if RIJN_WITH_MANY

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

static size_t next_index(const rijn_xaes_keys *keys, size_t index)
{
    return index + 1 < keys->size ? index + 1 : 0;
}

/* Returns the key of a prefix that can hash `blocks` blocks of a message, or NULL. */
static const rijn_key *find_key(rijn_xaes_keys *keys, rijn_prefix prefix, size_t blocks)
{
    for (size_t i = 0, index = keys->last; i < keys->size; i++) {
        rijn_xaes_key *const kept = &keys->keys[index];
        if (rijn_same_prefix(kept->prefix, prefix) && kept->blocks >= blocks) {
            keys->last = index;
            return &kept->key;
        }
        index = next_index(keys, index);
    }
    return NULL;
}

/* Replaces the oldest key, but not the one found last: a single message between others must not
 * replace their key. */
static const rijn_key *replace_key(rijn_xaes_keys *keys, rijn_prefix prefix, size_t blocks,
                                   const uint8_t bytes[32])
{
    rijn_xaes_key *kept;

    if (keys->next == keys->last)
        keys->next = next_index(keys, keys->next);
    kept = &keys->keys[keys->next];
    keys->last = keys->next;
    keys->next = next_index(keys, keys->next);
    keys->made++;
    kept->prefix = prefix;
    kept->blocks = blocks;
    rijn_key_expand(&kept->key, keys->key->backend, bytes, 32, USE_HASH, blocks);
    return &kept->key;
}

/* ---- Messages ---- */

/* Seals or opens message i with GCM. The caller compares the tag. */
static void run_gcm_message(const rijn_key *key, const rijn_batch *batch, size_t i)
{
    const uint8_t *const nonce = batch->nonces + 16 * i;
    const uint8_t *const ad = batch->has_ad ? batch->ad[i] : NULL;
    const size_t ad_size = batch->has_ad ? batch->ad_size[i] : 0;

    if (batch->opening)
        rijn_gcm_of(key->backend)
            ->gcm_open(key->context, batch->out[i], batch->tag[i], nonce, 12, ad, ad_size,
                       batch->in[i], batch->size[i]);
    else
        rijn_gcm_of(key->backend)
            ->gcm_seal(key->context, batch->out[i], batch->tag[i], 16, nonce, 12, ad, ad_size,
                       batch->in[i], batch->size[i]);
}

/* Runs of neighbours with one prefix in a batch: run r starts with message first[r]. */
typedef struct {
    size_t count;
    uint8_t first[RIJN_BATCH + 1];
    uint8_t keys[32 * RIJN_BATCH];
} prefix_runs;

static void find_runs(prefix_runs *runs, const rijn_prefix *prefixes, size_t messages)
{
    size_t count = 1;

    runs->first[0] = 0;
    for (size_t i = 1; i < messages; i++) {
        runs->first[count] = (uint8_t)i;
        count += !rijn_same_prefix(prefixes[i], prefixes[i - 1]);
    }
    runs->first[count] = (uint8_t)messages;
    runs->count = count;
}

/* Derives the keys of run `first_run` and all later ones, in one call. */
static void derive_keys(const rijn_xaes_keys *keys, prefix_runs *runs, const rijn_prefix *prefixes,
                        size_t first_run)
{
    uint8_t bytes[12 * RIJN_BATCH];

    for (size_t r = first_run; r < runs->count; r++) {
        const rijn_prefix prefix = prefixes[runs->first[r]];
        store_le64(bytes + 12 * r, prefix.head);
        store_le32(bytes + 12 * r + 8, prefix.tail);
    }
    rijn_xaes_derive_keys(runs->keys + 32 * first_run, keys->key, keys->subkey,
                          bytes + 12 * first_run, runs->count - first_run);
}

void rijn_xaes_batch(rijn_xaes_keys *keys, const rijn_batch *batch, const rijn_prefix *prefixes,
                     bool unique, size_t blocks)
{
    bool derived = false;
    prefix_runs runs;

    find_runs(&runs, prefixes, batch->count);
    for (size_t r = 0; r < runs.count; r++) {
        const size_t first = runs.first[r], count = runs.first[r + 1] - first;
        const size_t hashed =
            unique && count == 1
                ? rijn_hashed_blocks(batch->has_ad ? batch->ad_size[first] : 0, batch->size[first])
                : blocks;
        const rijn_key *key = find_key(keys, prefixes[first], hashed);
        if (!key) {
            if (!derived)
                derive_keys(keys, &runs, prefixes, r);
            derived = true;
            key = replace_key(keys, prefixes[first], hashed, runs.keys + 32 * r);
        }
        if (rijn_many_of(key->backend)->gcm_many && count > 1)
            rijn_many_of(key->backend)->gcm_many(key->context, batch, first, count);
        else
            for (size_t i = 0; i < count; i++)
                run_gcm_message(key, batch, first + i);
    }
}

#endif
