/* XAES-256-GCM: c/src/modes/xaes.c, with gcm.c and key.c.
 *
 * Assumptions: those of contract.c. */
#include "aead.h"

static sizes limits_of(const message *m)
{
    sizes s = {.nonce_least = 24,
               .nonce_most = 24,
               .data = GCM_MOST,
               .ad = MAX_AD,
               .tags = BIT(16),
               .keys = BIT(4)};
    (void)m;
    return s;
}

PROVE_AEAD(xaes, limits_of)

void prove_xaes_derive(void)
{
    start();
    rijn_key memory, *const derived = nondet_bool() ? &memory : NULL;
    const rijn_key *const key = any_key();
    uint8_t *const nonce = any_buffer(24);
    watch((uint8_t *)derived, sizeof *derived);
    const rijn_status status = rijn_xaes_derive(derived, key, nonce);

    __CPROVER_assert((status == RIJN_OK) ==
                         (derived && key_is_ready(key) && nonce && key->size == 32),
                     "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        __CPROVER_assert(!is_watched((uint8_t *)derived, derived ? sizeof *derived : 0) ||
                             !watched(),
                         "a refused key is zeros");
        REACHED("a refused key");
        return;
    }
    __CPROVER_assert(derived->backend == &backend && derived->size == 32 &&
                         derived->uses == USE_ALL,
                     "a whole key");
    finish();
    REACHED("a derived key");
}
