/* GCM: c/src/modes/gcm.c, with ctr.c and check.c.
 *
 * Assumptions: those of contract.c. */
#include "aead.h"

static sizes limits_of(const message *m)
{
    (void)m;
    return (sizes){.nonce_least = 1,
                   .nonce_most = MAX_AD,
                   .data = GCM_MOST,
                   .ad = MAX_AD,
                   .tags = BITS(12, 16),
                   .short_tags = BIT(4) | BIT(8),
                   .keys = BITS(2, 4)};
}

PROVE_AEAD(gcm, limits_of)
