#include "xaes.h"

#if RIJN_WITH_MANY

#include <string.h>

#include "../bytes.h"
#include "../modes/message.h"

/* ---- Keys ---- */

void rijn_xaes_begin(rijn_xaes_keys *keys, rijn_xaes_key *memory, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        memory[i].prefix = (rijn_prefix){0, 0};
        memory[i].blocks = 0;
    }
    *keys = (rijn_xaes_keys){.size = size, .keys = memory};
}

/* The key of messages with this prefix, of so many blocks to be hashed. */
static const rijn_key *find_key(rijn_xaes_keys *keys, const rijn_key *key, rijn_prefix prefix,
                                size_t blocks)
{
    uint8_t bytes[12];
    rijn_xaes_key *k;

    for (size_t i = 0, at = keys->last; i < keys->size; i++) {
        k = &keys->keys[at];
        if (rijn_same_prefix(k->prefix, prefix) && k->blocks >= blocks) {
            keys->last = at;
            return &k->key;
        }
        at = at + 1 < keys->size ? at + 1 : 0;
    }
    keys->last = keys->next;
    keys->next = keys->next + 1 < keys->size ? keys->next + 1 : 0;
    keys->made++;
    k = &keys->keys[keys->last];
    k->prefix = prefix;
    k->blocks = blocks;
    store_le64(bytes, prefix.head);
    store_le32(bytes + 8, prefix.tail);
    rijn_xaes_expand(&k->key, key, bytes, blocks);
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

/* Those messages of a batch whose bits are set, as a batch. */
static void take_part(rijn_batch *part, const rijn_batch *b, uint64_t bits)
{
    size_t n = 0;

    for (; bits; bits &= bits - 1, n++) {
        const size_t i = (size_t)__builtin_ctzll(bits);
        part->in[n] = b->in[i];
        part->out[n] = b->out[i];
        part->size[n] = b->size[i];
        part->tag[n] = b->tag[i];
        if (b->has_ad) {
            part->ad[n] = b->ad[i];
            part->ad_size[n] = b->ad_size[i];
        }
        memcpy(part->nonces + 16 * n, b->nonces + 16 * i, 16);
    }
    part->count = n;
}

/* Those messages whose bits are set: with one prefix, and so one key. */
RIJN_APART static void work_under(const rijn_key *derived, const rijn_batch *b, uint64_t bits)
{
    rijn_batch part;

    if (!derived->backend->gcm_many || !(bits & (bits - 1))) {
        for (; bits; bits &= bits - 1)
            gcm_one(derived, b, (size_t)__builtin_ctzll(bits));
        return;
    }
    part.nonce_size = b->nonce_size;
    part.nonce_step = b->nonce_step;
    part.tag_size = b->tag_size;
    part.opening = b->opening;
    part.has_ad = b->has_ad;
    part.one_ad = b->one_ad;
    take_part(&part, b, bits);
    derived->backend->gcm_many(derived->context, &part);
}

void rijn_xaes_together(rijn_xaes_keys *keys, const rijn_key *key, const rijn_batch *b,
                        const rijn_prefix *prefixes, bool alike, bool unique, size_t blocks)
{
    uint64_t left = UINT64_MAX >> (RIJN_BATCH - b->count);

    if (alike && key->backend->gcm_many) {
        const rijn_key *const derived = find_key(keys, key, prefixes[0], blocks);
        key->backend->gcm_many(derived->context, b);
        return;
    }
    while (left) {
        const size_t first = (size_t)__builtin_ctzll(left);
        uint64_t same = 0;
        for (size_t i = first; i < b->count; i++)
            same |= (uint64_t)rijn_same_prefix(prefixes[i], prefixes[first]) << i;
        left &= ~same;
        const bool once = unique && !(same & (same - 1));
        const size_t own =
            once ? rijn_hashed_blocks(b->has_ad ? b->ad_size[first] : 0, b->size[first]) : blocks;
        work_under(find_key(keys, key, prefixes[first], own), b, same);
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
