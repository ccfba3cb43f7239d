/* EAX in pieces: c/src/modes/eax.c, with cmac.c.
 *
 * Assumptions, besides those of contract.c
 *   - A state is idle, or rijn_eax_start made it and these functions changed it: is_state(). */
#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

static bool is_state(const rijn_eax *eax)
{
    return !eax->phase ||
           ((eax->phase == PHASE_AD || eax->phase == PHASE_ENCRYPT ||
             eax->phase == PHASE_DECRYPT) &&
            eax->data.key && eax->ad.key == eax->data.key && eax->ad.last.fill <= 16 &&
            eax->data.last.fill <= 16 && eax->ad_size <= MAX_AD && eax->size <= MAX_AD &&
            eax->data.last.fill % 16 == eax->size % 16 && !eax->data.last.fill == !eax->size);
}

static rijn_eax *any_state(rijn_eax *memory)
{
    rijn_eax any;

    *memory = any;
    memory->data.key = any_key();
    memory->ad.key = memory->data.key;
    __CPROVER_assume(is_state(memory));
    return nondet_bool() ? memory : NULL;
}

static bool is_in(const rijn_eax *eax, const rijn_eax *before, int phases)
{
    return eax && before->phase & phases && before->data.key->backend;
}

void prove_eax_start(void)
{
    start();
    rijn_eax memory, *const eax = nondet_bool() ? &memory : NULL;
    const rijn_key *const key = any_key();
    const size_t nonce_size = any_size();
    uint8_t *const nonce = any_buffer(nonce_size);
    watch(NULL, 0);
    const rijn_status status = rijn_eax_start(eax, key, nonce, nonce_size);

    ASSERT((status == RIJN_OK) ==
               (eax && key && key->backend && key->uses == USE_ALL && (nonce || !nonce_size)),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused start");
        return;
    }
    ASSERT(is_state(eax) && eax->data.key == key && eax->phase == PHASE_AD, "a state");
    finish();
    REACHED("a started message");
}

void prove_eax_ad(void)
{
    start();
    rijn_eax memory, *const eax = any_state(&memory);
    const rijn_eax before = memory;
    const size_t size = any_size();
    uint8_t *const ad = any_buffer(size);
    watch(NULL, 0);
    const rijn_status status = rijn_eax_ad(eax, ad, size);

    ASSERT((status == RIJN_OK) ==
               (is_in(eax, &before, PHASE_AD) && (ad || !size) && size <= MAX_AD - before.ad_size),
           "exactly the allowed calls are done");
    ASSERT(is_state(&memory), "a state");
    if (status != RIJN_OK) {
        refused();
        REACHED("refused data");
        return;
    }
    ASSERT(eax->ad_size == before.ad_size + size, "the bytes are counted");
    finish();
    REACHED("authenticated data");
}

void prove_eax_crypt(void)
{
    start();
    rijn_eax memory, *const eax = any_state(&memory);
    const rijn_eax before = memory;
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    watch(out, size);
    const bool decrypting = nondet_bool();
    const int phase = decrypting ? PHASE_DECRYPT : PHASE_ENCRYPT;
    const rijn_status status =
        decrypting ? rijn_eax_decrypt(eax, out, in, size) : rijn_eax_encrypt(eax, out, in, size);

    ASSERT((status == RIJN_OK) ==
               (is_in(eax, &before, PHASE_AD | phase) && (!size || (in && out)) &&
                size <= MAX_AD - before.size && (out == in || apart(out, size, in, size))),
           "exactly the allowed calls are done");
    ASSERT(is_state(&memory), "a state");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused piece");
        return;
    }
    ASSERT(is_watched(out, size) ? written_once() : untouched(), "each byte is written once");
    ASSERT(eax->size == before.size + size && eax->phase == phase, "the bytes are counted");
    finish();
    REACHED("a piece");
}

void prove_eax_finish(void)
{
    start();
    rijn_eax memory, *const eax = any_state(&memory);
    const rijn_eax before = memory;
    const size_t tag_size = any_size();
    uint8_t *const tag = any_buffer(tag_size);
    watch((uint8_t *)&memory, sizeof memory);
    const bool verifying = nondet_bool();
    const rijn_status status =
        verifying ? rijn_eax_verify(eax, tag, tag_size) : rijn_eax_finish(eax, tag, tag_size);
    const bool allowed =
        is_in(eax, &before, PHASE_AD | (verifying ? PHASE_DECRYPT : PHASE_ENCRYPT)) && tag &&
        tag_size <= 16 && tag_size >= (before.data.key->short_tags ? 1 : 8);

    ASSERT((status == RIJN_OK || status == RIJN_ERR_TAG) == allowed,
           "exactly the allowed calls are done");
    if (!allowed) {
        refused();
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

void prove_eax_copy(void)
{
    start();
    rijn_eax memory, other, *const from = any_state(&memory);
    const rijn_eax before = memory;
    rijn_eax *const to = nondet_bool() ? &other : nondet_bool() ? from : NULL;
    const rijn_key *const key = nondet_bool() ? memory.data.key : any_key();
    watch(NULL, 0);
    const rijn_status status = rijn_eax_copy(to, from, key);

    refused(); /* it does no work of the backend */
    if (status != RIJN_OK) {
        ASSERT(!to || !is_in(from, &before, 127) || key != before.data.key || key->uses != USE_ALL,
               "a copy under the same key is allowed");
        REACHED("a refused copy");
        return;
    }
    ASSERT(to && is_in(from, &before, 127) && key && key->backend == before.data.key->backend &&
               (key == before.data.key || (seen.equal && key->size == before.data.key->size)),
           "only a started message is copied, under the same key");
    ASSERT(to->data.key == key && is_state(to) && to->size == before.size &&
               to->phase == before.phase,
           "the copy goes on from the same point");
    finish();
    REACHED("a copied message");
}

void prove_eax_wipe(void)
{
    start();
    rijn_eax memory, *const eax = any_state(&memory);
    watch((uint8_t *)eax, sizeof *eax);
    rijn_eax_wipe(eax);
    ASSERT(!is_watched((uint8_t *)eax, eax ? sizeof *eax : 0) || !watched(),
           "a wiped state is zeros");
    REACHED("the end");
}
