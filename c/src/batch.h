/* Messages by the batch: what rijn_seal_many and rijn_open_many (batch/many.c) hand to the
 * function of a record that works on several messages at once, and how they loop where a
 * record has none.
 *
 * Whatever layout the caller's columns have, a batch has pointers and sizes, checked and in
 * arrays of their own, so that what packs messages across the lanes of a vector loads them
 * with as many instructions as there are messages in a lane. It is made anew for every
 * RIJN_BATCH messages and stays in L1. */
#ifndef RIJN_BATCH_H
#define RIJN_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RIJN_BATCH = 64, RIJN_NONCE_MOST = 32, RIJN_TAG_MOST = 32 };

typedef struct rijn_batch {
    size_t count;      /* of messages, 1 to RIJN_BATCH: the first entries of all that follows */
    size_t nonce_size; /* bytes of each, 0 to RIJN_NONCE_MOST */
    size_t nonce_step; /* 16 or 32: nonce i stands at nonces + i * nonce_step, zeros behind it */
    size_t tag_size;   /* of AEGIS: 16 or 32 bytes are the tag. Of the others a record makes 16 */
    bool opening;      /* `in` is ciphertext; else plaintext */
    bool has_ad;       /* else `ad` and `ad_size` are not filled in */
    bool one_ad;       /* that of message 0 is everybody's */
    const uint8_t *in[RIJN_BATCH]; /* text; out[i] == in[i] or they are disjoint */
    uint8_t *out[RIJN_BATCH];
    size_t size[RIJN_BATCH];
    const uint8_t *ad[RIJN_BATCH];
    size_t ad_size[RIJN_BATCH];
    uint8_t *tag[RIJN_BATCH];         /* where the tag is to be written: the caller compares it */
    const uint8_t *given[RIJN_BATCH]; /* the tag that came with message i */
    /* Of many.c alone: the number of message i in this batch's turn. */
    uint32_t number[RIJN_BATCH];
    _Alignas(64) uint8_t nonces[RIJN_BATCH * RIJN_NONCE_MOST];
    _Alignas(64) uint8_t tags[RIJN_BATCH * RIJN_TAG_MOST]; /* room for tags that are compared */
} rijn_batch;

/* One of several CBC chains: chain = E(chain XOR block) for each of the `blocks` blocks at `in`,
 * and to `out` too, unless that is NULL. in == out, or they are disjoint. */
typedef struct rijn_chain {
    const uint8_t *in;
    uint8_t *out;
    size_t blocks;
    uint8_t chain[16];
} rijn_chain;

/* Fetches what those messages of a column will lie in that come AHEAD bytes later, for `count`
 * messages like number i: a column is read and written in order, and short stores to several
 * results at once wait for every line of them. Further ahead than a batch of 64 messages is long, as
 * nonces in front of them are read when it begins. (65,536 messages of XAES of 64 bytes by vaes512,
 * sealed and opened, ns: not at all 32 and 27, 2 KiB ahead 24.0 and 23.6, 4 KiB 21.7 and 20.5, 8 KiB
 * 17.5 and 17.5, 16 KiB 17.7 and 17.6; of 16 and of 1 to 64 bytes all the same from 4 KiB on.) Where
 * messages are no column, or end, it fetches what nobody needs. */
static inline void rijn_batch_ahead(const rijn_batch *b, size_t i, size_t count)
{
    enum { AHEAD = 8192, LINE = 64, OVER = 16 };
    const uintptr_t in = (uintptr_t)b->in[i] + AHEAD, out = (uintptr_t)b->out[i] + AHEAD;

    for (size_t at = 0; at < count * (b->size[i] + OVER); at += LINE) {
        __builtin_prefetch((const void *)(out + at), 1);
        __builtin_prefetch((const void *)(in + at));
    }
}

#endif
