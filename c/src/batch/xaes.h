/* XAES-256-GCM (c2sp.org/XAES-256-GCM) by the batch: messages whose nonces begin with the same 12
 * bytes, their prefix, are GCM under one derived key, with what is behind it as nonces of 12 bytes.
 * Without checks, for a caller that scrubs the stack (scrub.h). */
#ifndef RIJN_BATCH_XAES_H
#define RIJN_BATCH_XAES_H

#include "../build.h"

#if RIJN_WITH_MANY

#include "../backend.h"
#include "../batch.h"

/* Bytes 0 to 7 of a nonce, and 8 to 11. */
typedef struct {
    uint64_t head;
    uint32_t tail;
} rijn_prefix;

RIJN_INLINE bool rijn_same_prefix(rijn_prefix a, rijn_prefix b)
{
    return ((a.head ^ b.head) | (a.tail ^ b.tail)) == 0;
}

/* ---- Keys ---- */

/* Derived keys at hand: those of batches that end in one another. Where messages of many are mixed,
 * they are gathered first. */
enum { RIJN_XAES_KEYS = 4 };

typedef struct {
    rijn_prefix prefix;
    size_t blocks; /* to be hashed of a message, at most; 0: nothing is here */
    rijn_key key;
} rijn_xaes_key;

typedef struct {
    size_t size, last, next; /* the one found last, and the one to be given up */
    size_t made;
    const rijn_key *key; /* that they are derived from */
    uint8_t subkey[16];
    rijn_xaes_key *keys;
} rijn_xaes_keys;

void rijn_xaes_begin(rijn_xaes_keys *keys, const rijn_key *key, rijn_xaes_key *memory, size_t size);

/* The messages of a batch, whose nonces are what is behind their prefixes, and of each of which up to
 * so many blocks are hashed; neighbours with the same prefix at once. unique: none comes again. */
void rijn_xaes_together(rijn_xaes_keys *keys, const rijn_batch *b, const rijn_prefix *prefixes,
                        bool unique, size_t blocks);

/* ---- Gathering ---- */

/* Messages in any order, brought into one in which those with the same prefix, a group, are neighbours:
 * first each joins its group, then groups get their places, then each message takes one. A group's slot
 * is the one that its prefix is mixed to or one of the next; a message of which RIJN_XAES_PROBES of
 * these are others' goes to those that stand alone, so that no choice of nonces makes it slow. */
enum { RIJN_XAES_PROBES = 8 };

/* there: of the group, how many messages; and later where the next one stands. */
typedef struct {
    uint64_t head;
    uint32_t tail, there;
} rijn_xaes_slot;

typedef struct {
    size_t at; /* where its result begins */
    uint32_t number, group;
} rijn_xaes_place;

typedef struct {
    rijn_xaes_slot *slots; /* mask + 1, a power of two, and the one of those that stand alone */
    size_t mask;
    uint32_t *groups; /* of each message its slot */
    rijn_xaes_place *places;
} rijn_xaes_order;

/* Slots for so many messages: enough if each prefix comes twice. */
static inline size_t rijn_xaes_slots(size_t messages)
{
    size_t n = 1;
    while (n < messages / 2)
        n *= 2;
    return n + 1;
}

/* No messages, in n_slots slots. */
void rijn_xaes_clear(rijn_xaes_order *o, size_t n_slots);

/* Message `number` is of the group with this prefix. */
RIJN_INLINE void rijn_xaes_join(rijn_xaes_order *o, size_t number, rijn_prefix prefix)
{
    const uint64_t mixed =
        (prefix.head ^ (uint64_t)prefix.tail << 32) * UINT64_C(0x9e3779b97f4a7c15);
    size_t found = o->mask + 1;

    for (size_t i = 0; i < RIJN_XAES_PROBES; i++) {
        const size_t slot = ((size_t)(mixed >> 32) + i) & o->mask;
        rijn_xaes_slot *const s = &o->slots[slot];
        if (!s->there)
            *s = (rijn_xaes_slot){prefix.head, prefix.tail, 0};
        else if (!rijn_same_prefix((rijn_prefix){s->head, s->tail}, prefix))
            continue;
        found = slot;
        break;
    }
    o->slots[found].there++;
    o->groups[number] = (uint32_t)found;
}

/* All have joined. */
void rijn_xaes_arrange(rijn_xaes_order *o);

/* Message `number`, which has joined, has its place among `places`. */
RIJN_INLINE void rijn_xaes_take_place(rijn_xaes_order *o, size_t number, size_t at)
{
    const uint32_t group = o->groups[number];

    o->places[o->slots[group].there++] = (rijn_xaes_place){at, (uint32_t)number, group};
}

#endif
#endif
