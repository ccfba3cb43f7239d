/* A call of rijn_seal_many or rijn_open_many under way. It takes RIJN_BATCH messages at a time:
 *
 *     load.c       fills in a batch (batch.h), for any layout of the columns
 *     nonces.c     fills in its nonces, from any source
 *     run_batch.c  seals or opens the batch, and compares its tags
 *     gather.c     chooses the messages of each batch, for XAES messages in any order */
#ifndef RIJN_BATCH_CALL_H
#define RIJN_BATCH_CALL_H

#include "../build.h"

#if RIJN_WITH_MANY

#include "../backend.h"
#include "../batch.h"
#include "plan.h"
#include "xaes.h"

typedef struct {
    const rijn_plan *plan;
    rijn_xaes_keys xaes;
    size_t end; /* where the results so far end in `out`, and the next one starts */
    size_t failures;
    rijn_key random_key; /* its keystream is the random nonces */
    rijn_counter random_counter;
    bool gathered;                    /* XAES messages were out of order */
    rijn_prefix prefixes[RIJN_BATCH]; /* XAES: the start of each nonce */
    rijn_batch batch;
} rijn_call;

/* In all functions below, messages are numbered as in the caller's columns. A batch starts at
 * number `first`. */

/* Fills in a batch of `count` messages. Refuses those that are too short. */
void rijn_load_batch(rijn_call *call, size_t first, size_t count);

/* Fills in the associated data, or the nonces, of the messages in the batch. */
void rijn_load_ad(rijn_call *call, size_t first);
void rijn_load_nonces(rijn_call *call, size_t first);

/* Draws the key of the random nonces. */
rijn_status rijn_start_random_nonces(rijn_call *call);

/* Seals or opens a batch that is filled in. */
void rijn_run_loaded_batch(rijn_call *call, size_t first);

/* Loads and runs a batch, or as many batches as `count` messages are. */
void rijn_run_batch(rijn_call *call, size_t first, size_t count);
void rijn_run_batches(rijn_call *call, size_t first, size_t count);

/* Runs all messages of a call with XAES. */
void rijn_run_xaes(rijn_call *call);

/* Return the stack that run_batch.c takes for the mode, and the stack that gather.c adds for
 * XAES. */
size_t rijn_batch_depth(const rijn_plan *plan);
size_t rijn_xaes_depth(const rijn_plan *plan, bool gathered);

/* Stores where the result of message i ends, if the caller asks for offsets. */
RIJN_INLINE void rijn_set_end(const rijn_many *many, size_t i, size_t end)
{
    if (many->out_offsets32)
        many->out_offsets32[i + 1] = (int32_t)end;
    else if (many->out_offsets64)
        many->out_offsets64[i + 1] = (int64_t)end;
}

/* Counts message i as failed. */
static inline void rijn_refuse(rijn_call *call, size_t i)
{
    const rijn_many *const many = call->plan->many;

    call->failures++;
    if (many->failed)
        many->failed[i / 8] |= (uint8_t)(1 << i % 8);
}

#endif
#endif
