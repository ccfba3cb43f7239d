/* OCB3 in pieces: c/src/modes/ocb.c.
 *
 * Assumptions, besides those of contract.c
 *   - A state is idle, or rijn_ocb_start made it and these functions changed it: is_state(). */
#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

#define OCB_MOST (UINT64_C(1) << 36)

static bool is_state(const rijn_ocb *ocb)
{
    const int phase = ocb->phase;

    return !phase ||
           ((phase == PHASE_AD || phase == PHASE_ENCRYPT || phase == PHASE_DECRYPT ||
             phase == PHASE_ENCRYPTED || phase == PHASE_DECRYPTED) &&
            ocb->key && ocb->key->uses == USE_ALL && ocb->partial.fill <= 16 && ocb->tag_size &&
            ocb->tag_size <= 16 && 16 * ocb->ad.blocks + ocb->partial.fill <= OCB_MOST &&
            ocb->ad.blocks <= OCB_MOST && ocb->data.blocks <= OCB_MOST / 16 &&
            (phase != PHASE_AD || !ocb->data.blocks) &&
            (ocb->begun == 1 || (!ocb->begun && !ocb->data.blocks && !ocb->ad.blocks)));
}

static rijn_ocb *any_state(rijn_ocb *memory)
{
    rijn_ocb any;

    *memory = any;
    memory->key = any_key();
    __CPROVER_assume(is_state(memory));
    return nondet_bool() ? memory : NULL;
}

static bool is_in(const rijn_ocb *ocb, const rijn_ocb *before, int phases)
{
    return ocb && before->phase & phases && before->key->backend;
}

void prove_ocb_start(void)
{
    start();
    rijn_ocb memory, *const ocb = nondet_bool() ? &memory : NULL;
    const rijn_key *const key = any_key();
    const size_t nonce_size = any_size(), tag_size = any_size();
    uint8_t *const nonce = any_buffer(nonce_size);
    watch(NULL, 0);
    const rijn_status status = rijn_ocb_start(ocb, key, tag_size, nonce, nonce_size);

    ASSERT((status == RIJN_OK) ==
               (ocb && key && key->backend && key->uses == USE_ALL && nonce && nonce_size &&
                nonce_size <= 15 && tag_size <= 16 && tag_size >= (key->short_tags ? 1 : 8)),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused start");
        return;
    }
    ASSERT(is_state(ocb) && ocb->key == key && ocb->phase == PHASE_AD, "a state");
    finish();
    REACHED("a started message");
}

void prove_ocb_ad(void)
{
    start();
    rijn_ocb memory, *const ocb = any_state(&memory);
    const rijn_ocb before = memory;
    const size_t size = any_size();
    uint8_t *const ad = any_buffer(size);
    watch(NULL, 0);
    const rijn_status status = rijn_ocb_ad(ocb, ad, size);

    ASSERT((status == RIJN_OK) ==
               (is_in(ocb, &before, PHASE_AD) && (ad || !size) &&
                size <= OCB_MOST - (16 * before.ad.blocks + before.partial.fill)),
           "exactly the allowed calls are done");
    ASSERT(is_state(&memory), "a state");
    if (status != RIJN_OK) {
        refused();
        REACHED("refused data");
        return;
    }
    ASSERT(16 * ocb->ad.blocks + ocb->partial.fill ==
               16 * before.ad.blocks + before.partial.fill + size,
           "the bytes are counted");
    finish();
    REACHED("authenticated data");
}

void prove_ocb_crypt(void)
{
    start();
    rijn_ocb memory, *const ocb = any_state(&memory);
    const rijn_ocb before = memory;
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    watch(out, size);
    const bool decrypting = nondet_bool();
    const int phase = decrypting ? PHASE_DECRYPT : PHASE_ENCRYPT;
    const rijn_status status =
        decrypting ? rijn_ocb_decrypt(ocb, out, in, size) : rijn_ocb_encrypt(ocb, out, in, size);

    ASSERT((status == RIJN_OK) ==
               (is_in(ocb, &before, PHASE_AD | phase) && (!size || (in && out)) &&
                size <= OCB_MOST - 16 * before.data.blocks &&
                (out == in || apart(out, size, in, size))),
           "exactly the allowed calls are done");
    ASSERT(is_state(&memory), "a state");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused piece");
        return;
    }
    ASSERT(is_watched(out, size) ? written_once() : untouched(), "each byte is written once");
    ASSERT(size % 16 ? ocb->phase == (decrypting ? PHASE_DECRYPTED : PHASE_ENCRYPTED)
                     : ocb->phase == phase && ocb->data.blocks == before.data.blocks + size / 16,
           "the bytes are counted");
    finish();
    REACHED("a piece");
}

void prove_ocb_finish(void)
{
    start();
    rijn_ocb memory, *const ocb = any_state(&memory);
    const rijn_ocb before = memory;
    uint8_t *const tag = any_buffer(memory.tag_size & 31);
    watch((uint8_t *)&memory, sizeof memory);
    const bool verifying = nondet_bool();
    const rijn_status status = verifying ? rijn_ocb_verify(ocb, tag) : rijn_ocb_finish(ocb, tag);
    const bool allowed = is_in(ocb, &before,
                               PHASE_AD | (verifying ? PHASE_DECRYPT | PHASE_DECRYPTED
                                                     : PHASE_ENCRYPT | PHASE_ENCRYPTED)) &&
                         tag;

    ASSERT((status == RIJN_OK || status == RIJN_ERR_TAG) == allowed,
           "exactly the allowed calls are done");
    if (!allowed) {
        refused();
        REACHED("a refused end");
        return;
    }
    if (verifying)
        compared(status, tag, before.tag_size);
    else
        ASSERT(status == RIJN_OK, "an end of a seal compares no tag");
    ASSERT(!is_watched((uint8_t *)&memory, sizeof memory) || !watched(), "the state is wiped");
    finish();
    REACHED("a finished message");
    if (status == RIJN_ERR_TAG)
        REACHED("a forged message");
}

void prove_ocb_copy(void)
{
    start();
    rijn_ocb memory, other, *const from = any_state(&memory);
    const rijn_ocb before = memory;
    rijn_ocb *const to = nondet_bool() ? &other : nondet_bool() ? from : NULL;
    const rijn_key *const key = nondet_bool() ? memory.key : any_key();
    watch(NULL, 0);
    const rijn_status status = rijn_ocb_copy(to, from, key);

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
    ASSERT(to->key == key && is_state(to) && to->data.blocks == before.data.blocks &&
               to->phase == before.phase,
           "the copy goes on from the same point");
    finish();
    REACHED("a copied message");
}

void prove_ocb_wipe(void)
{
    start();
    rijn_ocb memory, *const ocb = any_state(&memory);
    watch((uint8_t *)ocb, sizeof *ocb);
    rijn_ocb_wipe(ocb);
    ASSERT(!is_watched((uint8_t *)ocb, ocb ? sizeof *ocb : 0) || !watched(),
           "a wiped state is zeros");
    REACHED("the end");
}
