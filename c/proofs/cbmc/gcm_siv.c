/* GCM-SIV: c/src/modes/gcm_siv.c.
 *
 * Assumptions: those of contract.c. */
#include "aead.h"

static sizes limits_of(const message *m)
{
    sizes s = {.nonce_least = 12,
               .nonce_most = 12,
               .data = UINT64_C(1) << 36,
               .ad = UINT64_C(1) << 36,
               .tags = BIT(16),
               .keys = BIT(2) | BIT(4)};
    (void)m;
    return s;
}

PROVE_AEAD(gcm_siv, limits_of)
