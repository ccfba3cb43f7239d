/* Fills in the nonces of a batch: given, counted, random, or read in front of the messages. */
#include "call.h"

#if RIJN_WITH_MANY

#include <string.h>

#include "../api.h"
#include "../bytes.h"
#include "../modes/message.h"
#include "rijn_machine.h"

/* ---- Random nonces ---- */

rijn_status rijn_start_random_nonces(rijn_call *call)
{
    uint8_t seed[32];

    TRY(rijn_random(seed, sizeof seed));
    rijn_key_expand(&call->random_key, call->plan->backend, seed, sizeof seed, 0, 0);
    memset(seed, 0, 16);
    rijn_counter_set(&call->random_counter, 128, 0, seed);
    return RIJN_OK;
}

/* Stores `size` bytes of keystream for each message of the batch. */
static void draw_bytes(rijn_call *call, size_t size)
{
    rijn_batch *const batch = &call->batch;
    const size_t all = size * batch->count;

    memset(batch->nonces, 0, all);
    rijn_ctr_of(call->random_key.backend)
        ->ctr_crypt(call->random_key.context, &call->random_counter, batch->nonces, batch->nonces,
                    all);
}

/* ---- Nonces of every mode but XAES ---- */

/* Stores nonce i. Most nonces have 12 bytes, and are copied in two pieces. */
RIJN_INLINE void store_nonce(rijn_batch *batch, size_t i, const uint8_t *nonce)
{
    uint8_t *const stored = batch->nonces + batch->nonce_step * i;

    if (batch->nonce_size == 12) {
        store_le64(stored, load_le64(nonce));
        store_le64(stored + 8, load_le32(nonce + 8));
    } else {
        memset(stored, 0, batch->nonce_step);
        memcpy(stored, nonce, batch->nonce_size);
    }
}

/* Stores the base plus the number of each message. */
static void count_nonces(rijn_batch *batch, const uint8_t *base, uint64_t first)
{
    const size_t size = batch->nonce_size, fixed_size = size - rijn_counter_size(size);
    const uint64_t start = rijn_nonce_counter(base, size) + first;
    const size_t count = batch->count;
    uint8_t fixed[RIJN_NONCE_MOST] = {0};
    uint32_t numbers[RIJN_BATCH];

    memcpy(fixed, base, size);
    memcpy(numbers, batch->number, sizeof numbers);
    if (size == 12) {
        const uint64_t head = load_le64(fixed), tail = load_le64(fixed + 8);
        uint8_t *stored = batch->nonces;
        for (size_t i = 0; i < count; i++, stored += 16) {
            const uint64_t counter = swap64(start + numbers[i]);
            store_le64(stored, (head & UINT32_MAX) | counter << 32);
            store_le64(stored + 8, (tail & ~(uint64_t)UINT32_MAX) | counter >> 32);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t *const stored = batch->nonces + batch->nonce_step * i;
        uint64_t counter = start + numbers[i];
        memcpy(stored, fixed, batch->nonce_step);
        for (size_t j = size; j > fixed_size; counter >>= 8)
            stored[--j] = (uint8_t)counter;
    }
}

static void draw_nonces(rijn_call *call)
{
    rijn_batch *const batch = &call->batch;
    const size_t step = batch->nonce_step;

    draw_bytes(call, step);
    for (size_t i = 0; i < batch->count; i++)
        memset(batch->nonces + step * i + batch->nonce_size, 0, step - batch->nonce_size);
}

/* Writes each nonce in front of its result. A constant size saves the call of memcpy. */
static void write_nonces(const rijn_batch *batch, size_t head)
{
    const size_t size = batch->nonce_size, count = batch->count;
    const uint8_t *nonce = batch->nonces;

    if (size == 12)
        for (size_t i = 0; i < count; i++, nonce += 16)
            memcpy(batch->out[i] - head, nonce, 12);
    else
        for (size_t i = 0; i < count; i++, nonce += batch->nonce_step)
            memcpy(batch->out[i] - head, nonce, size);
}

static void load_nonces(rijn_call *call, size_t first)
{
    const rijn_plan *const plan = call->plan;
    const rijn_many *const many = plan->many;
    rijn_batch *const batch = &call->batch;
    const size_t size = batch->nonce_size;

    if (plan->nonce_source == NONCES_GIVEN) {
        for (size_t i = 0; i < batch->count; i++)
            store_nonce(batch, i, many->nonces + size * (first + batch->number[i]));
    } else if (plan->nonce_source == NONCES_IN_FRONT) {
        for (size_t i = 0; i < batch->count; i++)
            store_nonce(batch, i, batch->in[i] - plan->head);
    } else if (plan->nonce_source == NONCES_COUNTED) {
        count_nonces(batch, many->base, first);
    } else if (plan->nonce_source == NONCES_RANDOM) {
        draw_nonces(call);
    }
    if (plan->front && !plan->opening)
        write_nonces(batch, plan->head);
}

/* ---- XAES: 12 bytes of a nonce are its prefix, and 12 bytes are the nonce for GCM ---- */

/* Splits nonce i. `nonce` may lie in the batch. */
RIJN_INLINE void store_split(rijn_call *call, size_t i, const uint8_t *nonce)
{
    uint8_t *const stored = call->batch.nonces + 16 * i;
    const uint64_t head = load_le64(nonce + 12), tail = load_le32(nonce + 20);

    call->prefixes[i] = rijn_prefix_of(nonce);
    store_le64(stored, head);
    store_le64(stored + 8, tail);
}

static void count_split(rijn_call *call, const uint8_t *base, uint64_t first)
{
    rijn_batch *const batch = &call->batch;
    const rijn_prefix prefix = rijn_prefix_of(base);
    const uint64_t fixed = load_le32(base + 12), start = rijn_nonce_counter(base, 24) + first;
    const size_t count = batch->count;

    for (size_t i = 0; i < count; i++) {
        const uint64_t counter = swap64(start + batch->number[i]);
        call->prefixes[i] = prefix;
        store_le64(batch->nonces + 16 * i, fixed | counter << 32);
        store_le64(batch->nonces + 16 * i + 8, counter >> 32);
    }
}

static void write_split(const rijn_call *call, size_t head)
{
    const rijn_batch *const batch = &call->batch;
    const size_t count = batch->count;

    for (size_t i = 0; i < count; i++) {
        uint8_t *const out = batch->out[i] - head;
        store_le64(out, call->prefixes[i].head);
        store_le32(out + 8, call->prefixes[i].tail);
        memcpy(out + 12, batch->nonces + 16 * i, 12);
    }
}

static void load_split(rijn_call *call, size_t first)
{
    const rijn_plan *const plan = call->plan;
    rijn_batch *const batch = &call->batch;
    const size_t count = batch->count;

    if (plan->nonce_source == NONCES_COUNTED) {
        count_split(call, plan->many->base, first);
    } else if (plan->nonce_source == NONCES_GIVEN) {
        for (size_t i = 0; i < count; i++)
            store_split(call, i, plan->many->nonces + 24 * (first + batch->number[i]));
    } else if (plan->nonce_source == NONCES_IN_FRONT) {
        for (size_t i = 0; i < count; i++)
            store_split(call, i, batch->in[i] - plan->head);
    } else {
        draw_bytes(call, 32);
        for (size_t i = 0; i < count; i++)
            store_split(call, i, batch->nonces + 32 * i);
    }
    if (plan->front && !plan->opening)
        write_split(call, plan->head);
}

void rijn_load_nonces(rijn_call *call, size_t first)
{
    if (call->plan->mode == RIJN_MANY_XAES)
        load_split(call, first);
    else
        load_nonces(call, first);
}

#endif
