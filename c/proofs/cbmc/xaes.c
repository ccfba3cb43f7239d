/* XAES-256-GCM: c/src/modes/xaes.c, with gcm.c and key.c.
 *
 * Assumptions: those of contract.c. */
#include "aead.h"

static sizes limits_of(const message *m)
{
    sizes s = {.nonce_least = 24, .nonce_most = 24, .data = GCM_MOST, .ad = MAX_AD, .tags = BIT(16), .keys = BIT(4)};
    (void)m;
    return s;
}

PROVE_AEAD(xaes, limits_of)
