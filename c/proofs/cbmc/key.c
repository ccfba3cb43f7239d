/* Keys: c/src/key.c.
 *
 * Assumptions: those of contract.c. */
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

void prove_key_init(void)
{
    start();
    rijn_key memory, *const key = nondet_bool() ? &memory : NULL;
    const size_t size = any_size();
    uint8_t *const bytes = any_buffer(size);
    backend.context_size = nondet_unsigned() % (sizeof memory.context + 1);
    watch((uint8_t *)key, sizeof *key);
    rijn_status status = rijn_key_init(key, bytes, size, NULL);

    ASSERT(status == RIJN_OK || status == RIJN_ERR_BACKEND || !key || !bytes ||
               (size != 16 && size != 24 && size != 32),
           "a refusal has its reason");
    if (status == RIJN_OK) {
        ASSERT(key && bytes && (size == 16 || size == 24 || size == 32), "an allowed key");
        ASSERT(key->backend == &backend && key->size == size && key->uses == USE_ALL,
               "a whole key");
        ASSERT(!key->short_tags, "no short tags without permission");
        const uint8_t *const unused = (const uint8_t *)key->context + backend.context_size;
        ASSERT(!is_watched(unused, sizeof key->context - backend.context_size) || !watched(),
               "nothing of an older key stays");
        ASSERT(*rijn_key_backend(key), "the name of its backend");
        finish();
        REACHED("a key");
        status = rijn_key_allow_short_tags(key);
        ASSERT(status == RIJN_OK && key->short_tags == 1, "short tags are allowed");
        rijn_key_wipe(key);
    } else {
        REACHED("a refused key");
    }
    ASSERT(!is_watched((uint8_t *)key, key ? sizeof *key : 0) || !watched(),
           "a wiped key is zeros");
    ASSERT(rijn_key_allow_short_tags(NULL) == RIJN_ERR_ARGUMENT && !*rijn_key_backend(NULL),
           "functions of a key take NULL");
    rijn_key_wipe(NULL);
}
