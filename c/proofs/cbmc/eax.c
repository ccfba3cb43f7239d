/* EAX: c/src/modes/eax.c, with cmac.c.
 *
 * Assumptions: those of contract.c. */
#include "aead.h"

static sizes limits_of(const message *m)
{
    sizes s = {.nonce_least = 0,
               .nonce_most = MAX_AD,
               .data = MAX_AD,
               .ad = MAX_AD,
               .tags = BITS(8, 16),
               .short_tags = BITS(1, 7),
               .keys = BITS(2, 4)};
    (void)m;
    return s;
}

PROVE_AEAD(eax, limits_of)
