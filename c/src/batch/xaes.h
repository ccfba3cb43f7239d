/* XAES-256-GCM (c2sp.org/XAES-256-GCM) by the batch. The first 12 bytes of a nonce are its prefix.
 * Messages with one prefix are GCM messages under one derived key, and the last 12 bytes are their
 * nonces. Nothing here checks arguments, and the caller scrubs the stack (scrub.h). */
#ifndef RIJN_BATCH_XAES_H
#define RIJN_BATCH_XAES_H

#include "../build.h"

#if RIJN_WITH_MANY

#include "../backend.h"
#include "../batch.h"
#include "../bytes.h"

/* Bytes 0 to 7 of a nonce, and 8 to 11. */
typedef struct {
    uint64_t head;
    uint32_t tail;
} rijn_prefix;

RIJN_INLINE rijn_prefix rijn_prefix_of(const uint8_t *nonce)
{
    return (rijn_prefix){load_le64(nonce), load_le32(nonce + 8)};
}

RIJN_INLINE bool rijn_same_prefix(rijn_prefix a, rijn_prefix b)
{
    return ((a.head ^ b.head) | (a.tail ^ b.tail)) == 0;
}

/* The number of derived keys that a call keeps, for prefixes that continue in the next batch.
 * Messages with more prefixes are gathered first (gather.c). */
enum { RIJN_XAES_KEYS = 4 };

typedef struct {
    rijn_prefix prefix;
    size_t blocks; /* hashed blocks of a message, at most; 0: no key yet */
    rijn_key key;
} rijn_xaes_key;

typedef struct {
    size_t size, last, next; /* the key found last, and the one to replace next */
    size_t made;             /* how many keys were derived */
    const rijn_key *key;     /* they are derived from this key */
    uint8_t subkey[16];
    rijn_xaes_key *keys;
} rijn_xaes_keys;

/* Starts without derived keys; `memory` has room for `size` of them. */
void rijn_xaes_begin(rijn_xaes_keys *keys, const rijn_key *key, rijn_xaes_key *memory, size_t size);

/* Seals or opens a batch whose nonces follow their prefixes. Neighbours with one prefix share a
 * call of the backend. At most `blocks` blocks are hashed per message. unique: prefixes do not
 * repeat. */
void rijn_xaes_batch(rijn_xaes_keys *keys, const rijn_batch *batch, const rijn_prefix *prefixes,
                     bool unique, size_t blocks);

#endif
#endif
