/* GCM: c/src/modes/gcm.c, with ctr.c and check.c.
 *
 * Assumptions: those of contract.c. */
#include "aead.h"

static const sizes limits = {.nonce_least = 1,
                             .nonce_most = MAX_AD,
                             .data = GCM_MOST,
                             .ad = MAX_AD,
                             .tags = BITS(12, 16),
                             .short_tags = BIT(4) | BIT(8),
                             .keys = BITS(2, 4)};

void prove_gcm_seal(void)
{
    start();
    const message m = any_message();
    check_sealed(&m, &limits,
                 rijn_gcm_seal(m.key, m.out, m.tag, m.tag_size, m.nonce, m.nonce_size, m.ad,
                               m.ad_size, m.in, m.size));
}

void prove_gcm_open(void)
{
    start();
    const message m = any_message();
    check_opened(&m, &limits,
                 rijn_gcm_open(m.key, m.out, m.tag, m.tag_size, m.nonce, m.nonce_size, m.ad,
                               m.ad_size, m.in, m.size));
}
