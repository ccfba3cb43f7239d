/* SIV: c/src/modes/siv.c, with cmac.c, ctr.c and key.c.
 *
 * Assumptions, besides those of contract.c
 *   - Up to 2 associated strings: the loop over strings runs once for each.
 *   - Both halves of a key were expanded by rijn_siv_key_init (prove_siv_key_init), or neither. */
#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

rijn_status rijn_backend_find(const char *name, const rijn_backend **found)
{
    (void)name;
    if (nondet_bool())
        return RIJN_ERR_BACKEND;
    *found = &backend;
    return RIJN_OK;
}

void prove_siv_key_init(void)
{
    start();
    rijn_siv_key memory, *const key = nondet_bool() ? &memory : NULL;
    const size_t size = any_size();
    uint8_t *const bytes = any_buffer(size);
    watch((uint8_t *)key, sizeof *key);
    const rijn_status status = rijn_siv_key_init(key, bytes, size, NULL);

    if (status == RIJN_OK) {
        ASSERT(key && bytes && (size == 32 || size == 48 || size == 64), "an allowed key");
        ASSERT(key->mac.backend == &backend && key->ctr.backend == &backend, "both keys are made");
        finish();
        REACHED("a key");
        return;
    }
    ASSERT(status != RIJN_ERR_ARGUMENT || !key || !bytes, "ERR_ARGUMENT is true");
    ASSERT(status != RIJN_ERR_KEY_SIZE || (size != 32 && size != 48 && size != 64),
           "ERR_KEY_SIZE is true");
    ASSERT(!is_watched((uint8_t *)key, key ? sizeof *key : 0) || !watched(),
           "a refused key is zeros");
    REACHED("a refused key");
}

void prove_siv_key_wipe(void)
{
    start();
    rijn_siv_key memory, *const key = nondet_bool() ? &memory : NULL;
    watch((uint8_t *)key, sizeof *key);
    rijn_siv_key_wipe(key);
    ASSERT(!is_watched((uint8_t *)key, key ? sizeof *key : 0) || !watched(),
           "a wiped key is zeros");
    REACHED("the end");
}

void prove_siv(void)
{
    start();
    static rijn_siv_key memory;
    rijn_siv_key any;
    memory = any;
    rijn_siv_key *const key = nondet_bool() ? &memory : NULL;
    const bool ready = nondet_bool();
    memory.mac.backend = memory.ctr.backend = ready ? &backend : NULL;
    memory.mac.uses = USE_MAC;
    memory.ctr.uses = 0;
    const size_t size = any_size(), count = nondet_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    uint8_t *const tag = any_buffer(16);
    rijn_string array[2], *const strings = nondet_bool() ? array : NULL;
    for (int i = 0; i < 2; i++) {
        array[i].size = any_size();
        array[i].bytes = any_buffer(array[i].size);
    }
    __CPROVER_assume(count <= 2 || count > RIJN_SIV_STRINGS_MAX);
    if (nondet_bool())
        watch(out, size);
    else
        watch(tag, 16);
    const bool opening = nondet_bool();
    const rijn_status status = opening ? rijn_siv_open(key, out, tag, strings, count, in, size)
                                       : rijn_siv_seal(key, out, tag, strings, count, in, size);
    bool allowed = key && ready && tag && (strings || !count) && count <= 2 &&
                   (!size || (in && out)) && (out == in || apart(out, size, in, size)) &&
                   apart(out, size, tag, 16) && apart(in, size, tag, 16);
    for (size_t i = 0; i < 2; i++)
        allowed = allowed && (i >= count || ((array[i].bytes || !array[i].size) &&
                                             apart(out, size, array[i].bytes, array[i].size)));

    ASSERT((status == RIJN_OK || status == RIJN_ERR_TAG) == allowed,
           "exactly the allowed calls are done");
    if (!allowed) {
        refused();
        REACHED("a refused message");
        return;
    }
    if (opening)
        compared(status, tag, 16);
    else
        ASSERT(status == RIJN_OK, "a seal compares no tag");
    ASSERT(!is_watched(tag, 16) || (opening ? untouched() : written()),
           "a seal writes each byte of its tag, and an open none");
    ASSERT(status == RIJN_OK || !is_watched(out, size) || !watched(),
           "the output of a refused message is zeros");
    finish();
    REACHED("a message");
    if (status == RIJN_ERR_TAG)
        REACHED("a forged message");
}
