/* CCM: c/src/modes/ccm.c.
 *
 * Assumptions: those of contract.c. */
#include "aead.h"

static sizes limits_of(const message *m)
{
    sizes s = {.nonce_least = 7,
               .nonce_most = 13,
               .data = UINT64_MAX,
               .ad = MAX_AD,
               .tags = BIT(8) | BIT(10) | BIT(12) | BIT(14) | BIT(16),
               .short_tags = BIT(4) | BIT(6),
               .keys = BITS(2, 4)};

    /* The size is a number of 15 - n bytes, n of the nonce. */
    if (m->nonce_size > 7 && m->nonce_size <= 13)
        s.data = (UINT64_C(1) << 8 * (15 - m->nonce_size)) - 1;
    return s;
}

PROVE_AEAD(ccm, limits_of)
