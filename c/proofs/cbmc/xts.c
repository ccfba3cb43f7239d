/* XTS: c/src/modes/xts.c, with key.c for the keys.
 *
 * Assumptions, besides those of contract.c
 *   - Both halves of a key were expanded by rijn_xts_key_init (prove_xts_key_init), or neither. */
#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

#define UNIT_MOST ((size_t)1 << 24)

rijn_status rijn_backend_find(const char *name, const rijn_backend **found)
{
    (void)name;
    if (nondet_bool())
        return RIJN_ERR_BACKEND;
    *found = &backend;
    return RIJN_OK;
}

void prove_xts_key_init(void)
{
    start();
    rijn_xts_key memory, *const key = nondet_bool() ? &memory : NULL;
    const size_t size = any_size();
    uint8_t *const bytes = any_buffer(size);
    watch((uint8_t *)key, sizeof *key);
    const rijn_status status = rijn_xts_key_init(key, bytes, size, NULL);

    if (status == RIJN_OK) {
        ASSERT(key && bytes && (size == 32 || size == 64) && !seen.equal, "an allowed key");
        ASSERT(key->data.backend == &backend && key->tweak.backend == &backend,
               "both keys are made");
        ASSERT(key->data.uses == USE_DECRYPT && !key->tweak.uses, "no other mode may use them");
        finish();
        REACHED("a key");
        return;
    }
    ASSERT(status != RIJN_ERR_ARGUMENT || !key || !bytes, "ERR_ARGUMENT is true");
    ASSERT(status != RIJN_ERR_KEY_SIZE || (size != 32 && size != 64), "ERR_KEY_SIZE is true");
    ASSERT(status != RIJN_ERR_EQUAL_HALVES || seen.equal, "ERR_EQUAL_HALVES is true");
    ASSERT(!is_watched((uint8_t *)key, key ? sizeof *key : 0) || !watched(),
           "a refused key is zeros");
    REACHED("a refused key");
    if (status == RIJN_ERR_EQUAL_HALVES)
        REACHED("equal halves");
}

void prove_xts_key_wipe(void)
{
    start();
    rijn_xts_key memory, *const key = nondet_bool() ? &memory : NULL;
    watch((uint8_t *)key, sizeof *key);
    rijn_xts_key_wipe(key);
    ASSERT(!is_watched((uint8_t *)key, key ? sizeof *key : 0) || !watched(),
           "a wiped key is zeros");
    REACHED("the end");
}

void prove_xts(void)
{
    start();
    static rijn_xts_key memory;
    rijn_xts_key any;
    memory = any;
    rijn_xts_key *const key = nondet_bool() ? &memory : NULL;
    const bool ready = nondet_bool();
    memory.data.backend = memory.tweak.backend = ready ? &backend : NULL;
    memory.data.uses = USE_DECRYPT;
    memory.tweak.uses = 0;
    const size_t size = any_size(), offset = nondet_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    uint8_t *const tweak = any_buffer(16);
    watch(out, size);
    const bool decrypting = nondet_bool(), part = nondet_bool();
    const rijn_status status =
        part ? (decrypting ? rijn_xts_decrypt_part(key, tweak, offset, out, in, size)
                           : rijn_xts_encrypt_part(key, tweak, offset, out, in, size))
             : (decrypting ? rijn_xts_decrypt(key, tweak, out, in, size)
                           : rijn_xts_encrypt(key, tweak, out, in, size));

    ASSERT((status == RIJN_OK) ==
               (key && ready && tweak && in && out && size >= 16 && size <= UNIT_MOST &&
                (!part || (offset % 16 == 0 && offset <= UNIT_MOST - size)) &&
                (out == in || apart(out, size, in, size))),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused unit");
        return;
    }
    finish();
    REACHED("a unit");
    if (size % 16 && part && offset)
        REACHED("the end of a unit, with ciphertext stealing");
}
