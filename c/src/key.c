/* Keys: the public functions that make, describe and wipe them. */
#include "api.h"
#include "scrub.h"
#include "wipe.h"

#if RIJN_BUILD_AES

static rijn_status find_backend(const uint8_t *bytes, size_t size, const char *name,
                                const rijn_backend **found)
{
    REQUIRE(bytes, RIJN_ERR_ARGUMENT);
    REQUIRE(size == 16 || size == 24 || size == 32, RIJN_ERR_KEY_SIZE);
    return rijn_backend_find(name, found);
}

/* Leaves nothing of an older key in the same memory. An error wipes all of it. Else the new key
 * overwrites a part, and the rest is wiped. */
rijn_status rijn_key_init(rijn_key *key, const uint8_t *bytes, size_t size, const char *backend)
{
    const rijn_backend *found;
    rijn_status status;

    REQUIRE(key, RIJN_ERR_ARGUMENT);
    status = find_backend(bytes, size, backend, &found);
    if (status != RIJN_OK) {
        rijn_key_wipe(key);
        return status;
    }
    rijn_key_expand(key, found, bytes, size, USE_ALL, SIZE_MAX);
    key->short_tags = 0;
    wipe((uint8_t *)key->context + found->context_size, sizeof key->context - found->context_size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, 0));
}

void rijn_key_expand(rijn_key *key, const rijn_backend *backend, const uint8_t *bytes, size_t size,
                     unsigned uses, size_t blocks)
{
    backend->key_init(key->context, bytes, size, uses, blocks);
    key->backend = backend;
    key->size = (uint16_t)size;
    key->uses = uses;
}

const char *rijn_key_backend(const rijn_key *key)
{
    return key && key->backend ? key->backend->name : "";
}

rijn_status rijn_key_allow_short_tags(rijn_key *key)
{
    TRY(rijn_check_key(key));
    key->short_tags = 1;
    return RIJN_OK;
}

void rijn_key_wipe(rijn_key *key)
{
    if (key)
        wipe(key, sizeof *key);
}

#endif
