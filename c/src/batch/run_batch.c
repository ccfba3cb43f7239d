/* Seals or opens one batch: all messages at once if the backend can, else one after the other. */
#include "call.h"

#if RIJN_WITH_MANY

#include <string.h>

#include "../aegis/message.h"
#include "../bytes.h"
#include "../ct.h"
#include "../modes/message.h"
#include "batch_modes.h"

/* ---- A whole batch. Opening leaves the computed tags in `tag`, to be compared. Each function returns
 * false if the backend has no function for this call. ---- */

static bool run_gcm_batch(rijn_call *call)
{
    const rijn_plan *const plan = call->plan;

    if (!rijn_many_of(plan->backend)->gcm_many || plan->nonce_size != 12 || plan->tag_size != 16)
        return false;
    rijn_many_of(plan->backend)
        ->gcm_many(plan->many->key->context, &call->batch, 0, call->batch.count);
    return true;
}

static bool run_gcm_siv_batch(rijn_call *call)
{
    const rijn_plan *const plan = call->plan;

    if (!rijn_many_of(plan->backend)->gcm_siv_many)
        return false;
    rijn_many_of(plan->backend)->gcm_siv_many(plan->many->key->context, &call->batch);
    return true;
}

static bool run_aegis_batch(rijn_call *call)
{
    const rijn_aegis_key *const key = call->plan->many->aegis_key;

    if (!key->code->many)
        return false;
    key->code->many(key->bytes, &call->batch);
    return true;
}

static bool run_xaes_batch(rijn_call *call)
{
    const rijn_plan *const plan = call->plan;

    rijn_xaes_batch(&call->xaes, &call->batch, call->prefixes, plan->nonce_source == NONCES_RANDOM,
                    plan->hashed_blocks);
    return true;
}

static bool run_siv_batch(rijn_call *call)
{
    rijn_siv_batch(call->plan->many->siv_key, &call->batch);
    return true;
}

static bool run_cmac_batch(rijn_call *call)
{
    rijn_cmac_batch(call->plan->many->key, &call->batch);
    return true;
}

static bool run_ctr_batch(rijn_call *call)
{
    rijn_ctr_batch(call->plan->many->key, &call->batch, call->batch.nonces);
    return true;
}

/* CBC encryption is a chain. Decryption is not, and needs no batch. */
static bool run_cbc_batch(rijn_call *call)
{
    if (call->plan->opening)
        return false;
    rijn_cbc_batch(call->plan->many->key, &call->batch, call->plan->padded);
    return true;
}

/* ---- One message. Opening compares its tag. ---- */

typedef struct {
    const uint8_t *nonce, *ad, *in, *given_tag;
    uint8_t *out, *tag;
    size_t ad_size, size;
} message;

typedef rijn_status message_function(const rijn_plan *plan, const message *m);

typedef rijn_status seal_function(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                                  const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                                  size_t ad_size, const uint8_t *in, size_t size);
typedef rijn_status open_function(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                  size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                  const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                  size_t size);

RIJN_INLINE rijn_status gcm_message(const rijn_plan *plan, const message *m)
{
    const rijn_key *const key = plan->many->key;

    if (plan->opening)
        return rijn_gcm_open_message(key, m->out, m->given_tag, plan->tag_size, m->nonce,
                                     plan->nonce_size, m->ad, m->ad_size, m->in, m->size);
    rijn_gcm_of(key->backend)
        ->gcm_seal(key->context, m->out, m->tag, plan->tag_size, m->nonce, plan->nonce_size, m->ad,
                   m->ad_size, m->in, m->size);
    return RIJN_OK;
}

RIJN_INLINE rijn_status gcm_siv_message(const rijn_plan *plan, const message *m)
{
    const rijn_key *const key = plan->many->key;

    if (plan->opening)
        return rijn_gcm_siv_open_message(key, m->out, m->given_tag, m->nonce, m->ad, m->ad_size,
                                         m->in, m->size);
    rijn_gcm_siv_of(key->backend)
        ->gcm_siv_seal(key->context, m->out, m->tag, m->nonce, m->ad, m->ad_size, m->in, m->size);
    return RIJN_OK;
}

RIJN_INLINE rijn_status public_message(const rijn_plan *plan, const message *m, seal_function *seal,
                                       open_function *open)
{
    const rijn_key *const key = plan->many->key;

    return plan->opening ? open(key, m->out, m->given_tag, plan->tag_size, m->nonce,
                                plan->nonce_size, m->ad, m->ad_size, m->in, m->size)
                         : seal(key, m->out, m->tag, plan->tag_size, m->nonce, plan->nonce_size,
                                m->ad, m->ad_size, m->in, m->size);
}

RIJN_INLINE rijn_status ccm_message(const rijn_plan *plan, const message *m)
{
    return public_message(plan, m, rijn_ccm_seal, rijn_ccm_open);
}

RIJN_INLINE rijn_status ocb_message(const rijn_plan *plan, const message *m)
{
    return public_message(plan, m, rijn_ocb_seal, rijn_ocb_open);
}

RIJN_INLINE rijn_status eax_message(const rijn_plan *plan, const message *m)
{
    return public_message(plan, m, rijn_eax_seal, rijn_eax_open);
}

RIJN_INLINE rijn_status aegis_message(const rijn_plan *plan, const message *m)
{
    const rijn_aegis_key *const key = plan->many->aegis_key;

    if (plan->opening)
        return rijn_aegis_open_message(key, m->out, m->given_tag, plan->tag_size, m->nonce, m->ad,
                                       m->ad_size, m->in, m->size);
    rijn_aegis_seal_message(key, m->out, m->tag, plan->tag_size, m->nonce, m->ad, m->ad_size, m->in,
                            m->size);
    return RIJN_OK;
}

/* Decrypts CBC without padding. */
RIJN_INLINE rijn_status cbc_message(const rijn_plan *plan, const message *m)
{
    uint8_t chain[16];

    memcpy(chain, m->nonce, 16);
    rijn_cbc_of(plan->backend)
        ->cbc_decrypt(plan->many->key->context, chain, m->out, m->in, m->size / 16);
    return RIJN_OK;
}

/* Compiled for each mode, so that `m` stays in registers: its stores cost 20 instructions a message. */
RIJN_INLINE void run_messages(rijn_call *call, size_t first, message_function *run_message)
{
    const rijn_batch *const batch = &call->batch;

    for (size_t i = 0; i < batch->count; i++) {
        const message m = {.nonce = batch->nonces + batch->nonce_step * i,
                           .ad = batch->has_ad ? batch->ad[i] : NULL,
                           .in = batch->in[i],
                           .given_tag = batch->opening ? batch->given[i] : NULL,
                           .out = batch->out[i],
                           .tag = batch->tag[i],
                           .ad_size = batch->has_ad ? batch->ad_size[i] : 0,
                           .size = batch->size[i]};
        if (run_message(call->plan, &m) != RIJN_OK)
            rijn_refuse(call, first + batch->number[i]);
    }
}

#define RUN_MESSAGES(mode) \
    static void mode##_messages(rijn_call *call, size_t first) \
    { \
        run_messages(call, first, mode##_message); \
    }
RUN_MESSAGES(gcm)
RUN_MESSAGES(gcm_siv)
RUN_MESSAGES(ccm)
RUN_MESSAGES(ocb)
RUN_MESSAGES(eax)
RUN_MESSAGES(aegis)
RUN_MESSAGES(cbc)

/* ---- The functions of each mode ---- */

static const struct {
    bool (*batch)(rijn_call *call); /* NULL: the mode has no function for a batch */
    void (*messages)(rijn_call *call, size_t first); /* NULL: `batch` never returns false */
    size_t stack; /* bytes of variables beside the stack of the backend's functions: measured, and
                   * rounded up. tests/unit/test_wipe.c fails if it is too small */
} modes[] = {
    [RIJN_MANY_GCM] = {run_gcm_batch, gcm_messages, 1024},
    [RIJN_MANY_GCM_SIV] = {run_gcm_siv_batch, gcm_siv_messages, 9216},
    [RIJN_MANY_XAES] = {run_xaes_batch, NULL, 5120},
    [RIJN_MANY_CCM] = {NULL, ccm_messages, 4608},
    [RIJN_MANY_OCB] = {NULL, ocb_messages, 4608},
    [RIJN_MANY_EAX] = {NULL, eax_messages, 4608},
    [RIJN_MANY_SIV] = {run_siv_batch, NULL, 10240},
    [RIJN_MANY_AEGIS] = {run_aegis_batch, aegis_messages, 512},
    [RIJN_MANY_CMAC] = {run_cmac_batch, NULL, 6144},
    [RIJN_MANY_CBC] = {run_cbc_batch, NULL, 6144}, /* opening: remove_paddings */
    [RIJN_MANY_CBC_BLOCKS] = {run_cbc_batch, cbc_messages, 6144},
    [RIJN_MANY_CTR] = {run_ctr_batch, NULL, 5120},
};

size_t rijn_batch_depth(const rijn_plan *plan)
{
    return modes[plan->mode].stack;
}

/* ---- A batch ---- */

/* Compares the tags of a batch that was opened at once. */
static void compare_tags(rijn_call *call, size_t first)
{
    const rijn_batch *const batch = &call->batch;
    const size_t count = batch->count, size = batch->tag_size;
    uint64_t any = 0, differences[RIJN_BATCH];

    for (size_t i = 0; i < count; i++) {
        const uint8_t *const computed = batch->tag[i], *const given = batch->given[i];
        if (size % 16) {
            differences[i] = !rijn_tags_equal(computed, given, size);
            any |= differences[i];
            continue;
        }
        uint64_t difference = (load_le64(computed) ^ load_le64(given)) |
                              (load_le64(computed + 8) ^ load_le64(given + 8));
        if (size == 32)
            difference |= (load_le64(computed + 16) ^ load_le64(given + 16)) |
                          (load_le64(computed + 24) ^ load_le64(given + 24));
        differences[i] = difference;
        any |= difference;
    }
    RIJN_PUBLIC(differences, count * sizeof differences[0]);
    RIJN_PUBLIC(&any, sizeof any);
    for (size_t i = 0; any && i < count; i++) {
        if (differences[i]) {
            rijn_wipe(batch->out[i], batch->size[i]);
            rijn_refuse(call, first + batch->number[i]);
        }
    }
}

/* Opens padded CBC. A result starts where the one before it ends, which its padding says. `end` is
 * where the first one starts. */
static void remove_paddings(rijn_call *call, size_t first, size_t count, size_t end)
{
    const rijn_many *const many = call->plan->many;
    const rijn_batch *const batch = &call->batch;

    for (size_t j = 0, i = 0; j < count; j++) {
        if (i < batch->count && batch->number[i] == j) {
            size_t plain = 0;
            if (rijn_cbc_decrypt_padded(many->key, batch->nonces + batch->nonce_step * i,
                                        many->out + end, &plain, batch->in[i],
                                        batch->size[i]) != RIJN_OK)
                rijn_refuse(call, first + j);
            end += plain;
            i++;
        }
        rijn_set_end(many, first + j, end);
    }
    call->end = end;
}

void rijn_run_loaded_batch(rijn_call *call, size_t first)
{
    const rijn_plan *const plan = call->plan;

    if (!modes[plan->mode].batch || !modes[plan->mode].batch(call))
        modes[plan->mode].messages(call, first);
    else if (plan->opening && plan->tag_size)
        compare_tags(call, first);
}

void rijn_run_batch(rijn_call *call, size_t first, size_t count)
{
    const size_t start = call->end;

    rijn_load_batch(call, first, count);
    if (call->plan->padded && call->plan->opening)
        remove_paddings(call, first, count, start);
    else if (call->batch.count)
        rijn_run_loaded_batch(call, first);
}

void rijn_run_batches(rijn_call *call, size_t first, size_t count)
{
    for (size_t done = 0; done < count;) {
        const size_t messages = count - done < RIJN_BATCH ? count - done : RIJN_BATCH;
        rijn_run_batch(call, first + done, messages);
        done += messages;
    }
}

#endif
