/* OCB3: c/src/modes/ocb.c.
 *
 * Assumptions: those of contract.c. */
#include "aead.h"

static sizes limits_of(const message *m)
{
    sizes s = {.nonce_least = 1,
               .nonce_most = 15,
               .data = UINT64_C(1) << 36,
               .ad = UINT64_C(1) << 36,
               .tags = BITS(8, 16),
               .short_tags = BITS(1, 7),
               .keys = BITS(2, 4)};
    (void)m;
    return s;
}

PROVE_AEAD(ocb, limits_of)
