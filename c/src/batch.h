/* A batch of messages. rijn_seal_many and rijn_open_many (batch/call.h) pass it to a function of
 * the backend that processes several messages at once, or loop over it if the backend has none.
 *
 * Columns have many layouts. A batch has arrays of checked pointers and sizes, so code that packs
 * messages across the lanes of a vector loads them with one instruction per lane. A batch is filled
 * in again for every RIJN_BATCH messages and stays in the L1 cache. */
#ifndef RIJN_BATCH_H
#define RIJN_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RIJN_BATCH = 64, RIJN_NONCE_MOST = 32, RIJN_TAG_MOST = 32 };

typedef struct rijn_batch {
    size_t count;      /* messages, 1 to RIJN_BATCH: each array has an entry for each of them */
    size_t nonce_size; /* bytes, 0 to RIJN_NONCE_MOST */
    size_t nonce_step; /* 16 or 32: nonce i is at nonces + i * nonce_step, with zeros after it */
    size_t tag_size;   /* AEGIS: 16 or 32 bytes. Other functions of a backend write 16 bytes */
    bool opening;      /* `in` is ciphertext; else plaintext */
    bool has_ad;       /* else `ad` and `ad_size` are not filled in */
    bool one_ad;       /* all messages have the associated data of message 0 */
    const uint8_t *in[RIJN_BATCH]; /* text; out[i] == in[i] or they are disjoint */
    uint8_t *out[RIJN_BATCH];
    size_t size[RIJN_BATCH];
    const uint8_t *ad[RIJN_BATCH];
    size_t ad_size[RIJN_BATCH];
    uint8_t *tag[RIJN_BATCH];         /* the computed tag goes here; the caller compares it */
    const uint8_t *given[RIJN_BATCH]; /* opening: the tag that came with message i */
    /* For the files of batch/ alone: message i is number `first` + number[i] of the call. */
    uint32_t number[RIJN_BATCH];
    _Alignas(64) uint8_t nonces[RIJN_BATCH * RIJN_NONCE_MOST];
    _Alignas(64) uint8_t tags[RIJN_BATCH * RIJN_TAG_MOST]; /* computed tags, to be compared */
} rijn_batch;

/* One of several CBC chains: chain = E(chain XOR block) for each of the `blocks` blocks at `in`.
 * The backend also writes each result to `out`, unless `out` is NULL. in == out, or they are
 * disjoint. */
typedef struct rijn_chain {
    const uint8_t *in;
    uint8_t *out;
    size_t blocks;
    uint8_t chain[16];
} rijn_chain;

/* Prefetches memory of messages that come AHEAD bytes later in a column, for `count` messages as
 * long as message i. A column is read and written in order, and short stores to several results
 * wait for every cache line. AHEAD is longer than a batch of 64 messages, because nonces in front
 * of messages are read when their batch begins. If the messages are no column, or the column ends,
 * the prefetches are useless and harmless.
 *
 * Nanoseconds for 65,536 XAES messages of 64 bytes on vaes512, sealed and opened: without
 * prefetches 32 and 27, 2 KiB ahead 24.0 and 23.6, 4 KiB 21.7 and 20.5, 8 KiB 17.5 and 17.5, 16 KiB
 * 17.7 and 17.6. Messages of 16 bytes and of 1 to 64 bytes gain nothing beyond 4 KiB. */
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
