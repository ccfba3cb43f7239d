/* GCM in pieces: c/src/modes/gcm.c, with ctr.c and check.c.
 *
 * Assumptions, besides those of contract.c
 *   - A state is idle, or rijn_gcm_start or rijn_gcm_part made it and these functions changed it:
 *     is_state(). prove_gcm_start and prove_gcm_part show that it begins so, and each other proof
 *     that it stays so. */
#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

/* The mask of the tag is made before the first data, unless they are only hashed. Until then, the next
 * counter is J0. */
static bool has_mask(const rijn_gcm *gcm)
{
    return gcm->first || (gcm->size && gcm->phase != PHASE_HASH);
}

static bool is_state(const rijn_gcm *gcm)
{
    const rijn_keystream *const stream = &gcm->stream;
    const int phase = gcm->phase;

    if (!phase)
        return true;
    return (phase == PHASE_AD || phase == PHASE_ENCRYPT || phase == PHASE_DECRYPT ||
            (phase == PHASE_HASH && !gcm->first)) &&
           gcm->key && gcm->key->uses == USE_ALL && stream->next.width == 4 &&
           !stream->next.little && stream->next.hidden <= 1 &&
           stream->ready <= sizeof stream->ahead && gcm->ad_size <= MAX_AD &&
           gcm->first % 16 == 0 && gcm->first <= GCM_MOST && gcm->size <= GCM_MOST - gcm->first &&
           (phase != PHASE_AD || !gcm->size) && gcm->fill <= 16 &&
           gcm->fill <= (gcm->size ? gcm->size : gcm->ad_size) &&
           gcm->fill % 16 == (gcm->size ? gcm->size : gcm->ad_size) % 16 &&
           (has_mask(gcm) || !stream->ready) && (!gcm->first || !gcm->ad_size) &&
           (phase == PHASE_HASH || (gcm->size + stream->ready) % 16 == 0);
}

/* Returns the counter of the keystream for byte 0 of the message. It never changes, so byte i always
 * gets block i / 16 after it: no block is used twice, and J0 is none of them. */
static uint32_t first_counter(const rijn_gcm *gcm)
{
    return load_be32(gcm->stream.next.block + 12) + !has_mask(gcm) -
           (uint32_t)((gcm->first + gcm->size + gcm->stream.ready) / 16);
}

static rijn_gcm *any_state(rijn_gcm *memory)
{
    rijn_gcm any;

    *memory = any;
    memory->key = any_key();
    __CPROVER_assume(is_state(memory));
    return nondet_bool() ? memory : NULL;
}

static bool is_in(const rijn_gcm *gcm, const rijn_gcm *before, int phases)
{
    return gcm && before->phase & phases && before->key->backend;
}

void prove_gcm_start(void)
{
    start();
    rijn_gcm memory, *const gcm = nondet_bool() ? &memory : NULL;
    const rijn_key *const key = any_key();
    const size_t nonce_size = any_size();
    uint8_t *const nonce = any_buffer(nonce_size);
    watch(NULL, 0);
    const rijn_status status = rijn_gcm_start(gcm, key, nonce, nonce_size);

    ASSERT((status == RIJN_OK) ==
               (gcm && key && key->backend && key->uses == USE_ALL && nonce && nonce_size),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused start");
        return;
    }
    ASSERT(is_state(gcm) && gcm->key == key && gcm->phase == PHASE_AD && !gcm->first, "a state");
    ASSERT(gcm->stream.next.hidden == (nonce_size != 12), "other nonces have a secret counter");
    finish();
    REACHED("a started message");
}

void prove_gcm_ad(void)
{
    start();
    rijn_gcm memory, *const gcm = any_state(&memory);
    const rijn_gcm before = memory;
    const size_t size = any_size();
    uint8_t *const ad = any_buffer(size);
    watch(NULL, 0);
    const rijn_status status = rijn_gcm_ad(gcm, ad, size);

    ASSERT((status == RIJN_OK) == (is_in(gcm, &before, PHASE_AD) && !before.first &&
                                   (ad || !size) && size <= MAX_AD - before.ad_size),
           "exactly the allowed calls are done");
    ASSERT(is_state(&memory) && first_counter(&memory) == first_counter(&before), "a state");
    if (status != RIJN_OK) {
        refused();
        ASSERT(memory.ad_size == before.ad_size, "a refused call does not change the state");
        REACHED("refused data");
        return;
    }
    ASSERT(gcm->ad_size == before.ad_size + size && gcm->phase == PHASE_AD,
           "the bytes are counted");
    finish();
    REACHED("authenticated data");
}

void prove_gcm_crypt(void)
{
    start();
    rijn_gcm memory, *const gcm = any_state(&memory);
    const rijn_gcm before = memory;
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    watch(out, size);
    const bool decrypting = nondet_bool();
    const int phase = decrypting ? PHASE_DECRYPT : PHASE_ENCRYPT;
    const rijn_status status =
        decrypting ? rijn_gcm_decrypt(gcm, out, in, size) : rijn_gcm_encrypt(gcm, out, in, size);

    ASSERT((status == RIJN_OK) ==
               (is_in(gcm, &before, PHASE_AD | phase) && (!size || (in && out)) &&
                size <= GCM_MOST - before.first - before.size &&
                (out == in || apart(out, size, in, size))),
           "exactly the allowed calls are done");
    ASSERT(is_state(&memory), "a state");
    ASSERT(!before.phase || first_counter(&memory) == first_counter(&before),
           "no keystream is used twice");
    if (status != RIJN_OK) {
        refused();
        ASSERT(memory.size == before.size && memory.phase == before.phase,
               "a refused call does not change the state");
        REACHED("a refused piece");
        return;
    }
    ASSERT(is_watched(out, size) ? written_once() : untouched(), "each byte is written once");
    ASSERT(gcm->size == before.size + size && gcm->phase == phase, "the bytes are counted");
    finish();
    REACHED("a piece");
    if (before.stream.ready && seen.blocks > 100 && gcm->stream.ready)
        REACHED("a piece with a begin, a middle and an end");
}

void prove_gcm_hash(void)
{
    start();
    rijn_gcm memory, *const gcm = any_state(&memory);
    const rijn_gcm before = memory;
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size);
    watch(in, size);
    const rijn_status status = rijn_gcm_hash(gcm, in, size);

    ASSERT((status == RIJN_OK) == (is_in(gcm, &before, PHASE_AD | PHASE_HASH) && !before.first &&
                                   (in || !size) && size <= GCM_MOST - before.size),
           "exactly the allowed calls are done");
    ASSERT(is_state(&memory), "a state");
    if (status != RIJN_OK) {
        refused();
        ASSERT(memory.size == before.size, "a refused call does not change the state");
        REACHED("a refused piece");
        return;
    }
    ASSERT(gcm->size == before.size + size && gcm->phase == PHASE_HASH, "the bytes are counted");
    ASSERT(untouched(), "nothing is written");
    finish();
    REACHED("a piece");
}

void prove_gcm_finish(void)
{
    start();
    rijn_gcm memory, *const gcm = any_state(&memory);
    const rijn_gcm before = memory;
    const size_t tag_size = any_size();
    uint8_t *const tag = any_buffer(tag_size);
    watch((uint8_t *)&memory, sizeof memory);
    const bool verifying = nondet_bool();
    const rijn_status status =
        verifying ? rijn_gcm_verify(gcm, tag, tag_size) : rijn_gcm_finish(gcm, tag, tag_size);
    const int phases = PHASE_AD | PHASE_HASH | (verifying ? PHASE_DECRYPT : PHASE_ENCRYPT);
    const bool allowed = is_in(gcm, &before, phases) && !before.first && tag &&
                         ((tag_size >= 12 && tag_size <= 16) ||
                          (before.key->short_tags && (tag_size == 4 || tag_size == 8)));

    ASSERT((status == RIJN_OK || status == RIJN_ERR_TAG) == allowed,
           "exactly the allowed calls are done");
    if (!allowed) {
        refused();
        ASSERT(memory.phase == before.phase, "a refused call does not change the state");
        REACHED("a refused end");
        return;
    }
    if (verifying)
        compared(status, tag, tag_size);
    else
        ASSERT(status == RIJN_OK, "an end of a seal compares no tag");
    ASSERT(!is_watched((uint8_t *)&memory, sizeof memory) || !watched(), "the state is wiped");
    finish();
    REACHED("a finished message");
    if (status == RIJN_ERR_TAG)
        REACHED("a forged message");
}

void prove_gcm_tag(void)
{
    start();
    const rijn_key *const key = any_key();
    const size_t size = any_size(), ad_size = any_size(), nonce_size = any_size();
    const size_t tag_size = any_size();
    uint8_t *const in = any_buffer(size), *const ad = any_buffer(ad_size);
    uint8_t *const nonce = any_buffer(nonce_size), *const tag = any_buffer(tag_size);
    watch(tag, tag_size);
    const rijn_status status =
        rijn_gcm_tag(key, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);

    ASSERT((status == RIJN_OK) ==
               (key && key->backend && key->uses == USE_ALL && tag && (ad || !ad_size) &&
                (in || !size) && nonce && nonce_size && size <= GCM_MOST &&
                ((tag_size >= 12 && tag_size <= 16) ||
                 (key->short_tags && (tag_size == 4 || tag_size == 8)))),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused message");
        return;
    }
    ASSERT(is_watched(tag, tag_size) ? written_once() : untouched(), "only the tag is written");
    finish();
    REACHED("a tag");
}

void prove_gcm_copy(void)
{
    start();
    rijn_gcm memory, other, *const from = any_state(&memory);
    const rijn_gcm before = memory;
    rijn_gcm *const to = nondet_bool() ? &other : nondet_bool() ? from : NULL;
    const rijn_key *const key = nondet_bool() ? memory.key : any_key();
    watch(NULL, 0);
    const rijn_status status = rijn_gcm_copy(to, from, key);

    refused(); /* it does no work of the backend */
    if (status != RIJN_OK) {
        ASSERT(!to || !is_in(from, &before, 127) || key != before.key || key->uses != USE_ALL,
               "a copy under the same key is allowed");
        REACHED("a refused copy");
        return;
    }
    ASSERT(to && is_in(from, &before, 127) && key && key->backend == before.key->backend &&
               (key == before.key || (seen.equal && key->size == before.key->size)),
           "only a started message is copied, under the same key");
    ASSERT(to->key == key && is_state(to) && to->size == before.size && to->phase == before.phase &&
               first_counter(to) == first_counter(&before),
           "the copy goes on from the same point");
    finish();
    REACHED("a copied message");
}

void prove_gcm_part(void)
{
    start();
    rijn_gcm memory, other, *const gcm = any_state(&memory);
    const rijn_gcm before = memory;
    rijn_gcm *const part = nondet_bool() ? &other : nondet_bool() ? gcm : NULL;
    const uint64_t offset = nondet_uint64();
    watch(NULL, 0);
    const rijn_status status = rijn_gcm_part(part, gcm, offset);

    ASSERT((status == RIJN_OK) ==
               (part && part != gcm && is_in(gcm, &before, PHASE_AD) && !before.first && offset &&
                offset % 16 == 0 && offset <= GCM_MOST),
           "exactly the allowed calls are done");
    refused(); /* it does no work of the backend */
    if (status != RIJN_OK) {
        REACHED("a refused part");
        return;
    }
    ASSERT(is_state(part) && part->first == offset && part->key == before.key, "a state");
    ASSERT(first_counter(part) == first_counter(&before), "the part has its own keystream");
    finish();
    REACHED("a part");
}

void prove_gcm_join(void)
{
    start();
    rijn_gcm memory, other, *const gcm = any_state(&memory), *part = any_state(&other);
    const rijn_gcm before = memory, joined = other;
    if (nondet_bool())
        part = gcm;
    else if (nondet_bool())
        other.key = memory.key;
    watch(NULL, 0);
    const rijn_key *const key = other.key;
    const rijn_status status = rijn_gcm_join(gcm, part);

    if (status != RIJN_OK) {
        refused();
        ASSERT(memory.size == before.size && other.size == joined.size,
               "a refused call does not change the states");
        REACHED("a refused part");
        return;
    }
    ASSERT(gcm && part && part != gcm && before.phase & (PHASE_ENCRYPT | PHASE_DECRYPT) &&
               !before.first && joined.first == before.size && joined.first &&
               (joined.phase == before.phase || joined.phase == PHASE_AD) && key == before.key,
           "only the next part is joined");
    ASSERT(gcm->size == before.size + joined.size && gcm->phase == before.phase, "all bytes count");
    ASSERT(is_state(gcm), "a state");
    finish();
    REACHED("a joined part");
}

void prove_gcm_wipe(void)
{
    start();
    rijn_gcm memory, *const gcm = any_state(&memory);
    watch((uint8_t *)gcm, sizeof *gcm);
    rijn_gcm_wipe(gcm);
    ASSERT(!is_watched((uint8_t *)gcm, gcm ? sizeof *gcm : 0) || !watched(),
           "a wiped state is zeros");
    REACHED("the end");
}
