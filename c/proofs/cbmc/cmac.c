/* CMAC: c/src/modes/cmac.c.
 *
 * Assumptions, besides those of contract.c
 *   - A state is zeros, or rijn_cmac_start made it and these functions changed it: is_state(). */
#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

static bool is_state(const rijn_cmac_state *cmac)
{
    return !cmac->key || cmac->last.fill <= 16;
}

static rijn_cmac_state *any_state(rijn_cmac_state *memory)
{
    rijn_cmac_state any;

    *memory = any;
    memory->key = any_key();
    __CPROVER_assume(is_state(memory));
    return nondet_bool() ? memory : NULL;
}

static bool is_ready(const rijn_key *key)
{
    return key && key->backend && key->uses == USE_ALL;
}

static bool is_tag_size(const rijn_key *key, size_t size)
{
    return size <= 16 && size >= (key->short_tags ? 1 : 8);
}

void prove_cmac(void)
{
    start();
    const rijn_key *const key = any_key();
    const size_t size = any_size(), tag_size = any_size();
    uint8_t *const in = any_buffer(size), *const tag = any_buffer(tag_size);
    watch(in, size);
    const rijn_status status = rijn_cmac(key, tag, tag_size, in, size);

    ASSERT((status == RIJN_OK) ==
               (is_ready(key) && tag && (in || !size) && is_tag_size(key, tag_size)),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused message");
        return;
    }
    ASSERT(untouched(), "the message is only read");
    finish();
    REACHED("a tag");
}

void prove_cmac_start(void)
{
    start();
    rijn_cmac_state memory, *const cmac = nondet_bool() ? &memory : NULL;
    const rijn_key *const key = any_key();
    watch(NULL, 0);
    const rijn_status status = rijn_cmac_start(cmac, key);

    ASSERT((status == RIJN_OK) == (cmac && is_ready(key)), "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused start");
        return;
    }
    ASSERT(cmac->key == key && !cmac->last.fill, "a state");
    finish();
    REACHED("a started message");
}

void prove_cmac_update(void)
{
    start();
    rijn_cmac_state memory, *const cmac = any_state(&memory);
    const rijn_cmac_state before = memory;
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size);
    watch(in, size);
    const rijn_status status = rijn_cmac_update(cmac, in, size);

    ASSERT((status == RIJN_OK) == (cmac && before.key && before.key->backend && (in || !size)),
           "exactly the allowed calls are done");
    ASSERT(is_state(&memory), "a state");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused piece");
        return;
    }
    ASSERT(16 * seen.hashed + cmac->last.fill == before.last.fill + size,
           "each byte is absorbed once");
    ASSERT(cmac->last.fill || !size, "the last block waits");
    finish();
    REACHED("a piece");
    if (before.last.fill && seen.hashed > 100)
        REACHED("a piece with a begin, a middle and an end");
}

void prove_cmac_finish(void)
{
    start();
    rijn_cmac_state memory, *const cmac = any_state(&memory);
    const rijn_cmac_state before = memory;
    const size_t tag_size = any_size();
    uint8_t *const tag = any_buffer(tag_size);
    watch((uint8_t *)&memory, sizeof memory);
    const bool verifying = nondet_bool();
    const rijn_status status =
        verifying ? rijn_cmac_verify(cmac, tag, tag_size) : rijn_cmac_finish(cmac, tag, tag_size);
    const bool allowed =
        cmac && before.key && before.key->backend && tag && is_tag_size(before.key, tag_size);

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

void prove_cmac_copy(void)
{
    start();
    rijn_cmac_state memory, other, *const from = any_state(&memory);
    const rijn_cmac_state before = memory;
    rijn_cmac_state *const to = nondet_bool() ? &other : nondet_bool() ? from : NULL;
    const rijn_key *const key = nondet_bool() ? memory.key : any_key();
    watch(NULL, 0);
    const rijn_status status = rijn_cmac_copy(to, from, key);

    refused(); /* it does no work of the backend */
    if (status != RIJN_OK) {
        ASSERT(!to || !from || !before.key || !before.key->backend || key != before.key ||
                   key->uses != USE_ALL,
               "a copy under the same key is allowed");
        REACHED("a refused copy");
        return;
    }
    ASSERT(to && from && before.key && before.key->backend && key &&
               key->backend == before.key->backend &&
               (key == before.key || (seen.equal && key->size == before.key->size)),
           "only a started message is copied, under the same key");
    ASSERT(to->key == key && to->last.fill == before.last.fill,
           "the copy goes on from the same point");
    finish();
    REACHED("a copied message");
}

void prove_cmac_wipe(void)
{
    start();
    rijn_cmac_state memory, *const cmac = any_state(&memory);
    watch((uint8_t *)cmac, sizeof *cmac);
    rijn_cmac_wipe(cmac);
    ASSERT(!is_watched((uint8_t *)cmac, cmac ? sizeof *cmac : 0) || !watched(),
           "a wiped state is zeros");
    REACHED("the end");
}
