/* GCM, SP 800-38D: the public functions, and the order in which a message in pieces comes.
 * The data and the hash are in gcm.h. */
#include <string.h>

#include "../api.h"
#include "../scrub.h"
#include "../wipe.h"
#include "message.h"

static const rijn_limits limits = {.nonce_least = 1,
                                   .nonce_most = MAX_AD,
                                   .data = GCM_MAX_DATA,
                                   .ad = MAX_AD,
                                   .tags = SIZES(12, 16),
                                   .short_tags = SIZES(4, 4) | SIZES(8, 8),
                                   .keys = ALL_KEYS};

RIJN_APART void rijn_gcm_seal_message(const rijn_key *key, uint8_t *out, uint8_t *tag,
                                      size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                      const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                      size_t size)
{
    uint8_t full[16];
    rijn_gcm gcm;

    key->backend->gcm_start(key->context, &gcm, nonce, nonce_size);
    if (ad_size)
        key->backend->gcm_ad(key->context, &gcm, ad, ad_size);
    if (size)
        key->backend->gcm_encrypt(key->context, &gcm, out, in, size);
    key->backend->gcm_tag(key->context, &gcm, full);
    memcpy(tag, full, tag_size);
}

RIJN_APART rijn_status rijn_gcm_open_message(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                             size_t tag_size, const uint8_t *nonce,
                                             size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                             const uint8_t *in, size_t size)
{
    uint8_t full[16];
    rijn_gcm gcm;

    key->backend->gcm_start(key->context, &gcm, nonce, nonce_size);
    if (ad_size)
        key->backend->gcm_ad(key->context, &gcm, ad, ad_size);
    if (size)
        key->backend->gcm_decrypt(key->context, &gcm, out, in, size);
    key->backend->gcm_tag(key->context, &gcm, full);
    return rijn_check_tag(full, tag, tag_size, out, size);
}

rijn_status rijn_gcm_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
    rijn_gcm_seal_message(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, GCM_STACK));
}

rijn_status rijn_gcm_open(const rijn_key *key, uint8_t *out, const uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
    return rijn_scrub(
        rijn_gcm_open_message(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size),
        rijn_depth(key, GCM_STACK));
}

rijn_status rijn_gcm_start(rijn_gcm *gcm, const rijn_key *key, const uint8_t *nonce,
                           size_t nonce_size)
{
    REQUIRE(gcm, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_key(key));
    TRY(rijn_check_nonce(&limits, nonce, nonce_size));
    rijn_gcm_wipe(gcm);
    key->backend->gcm_start(key->context, gcm, nonce, nonce_size);
    gcm->key = key;
    gcm->phase = PHASE_AD;
    return rijn_scrub(RIJN_OK, rijn_depth(key, 0));
}

static rijn_status check_phase(const rijn_gcm *gcm, int phases)
{
    REQUIRE(gcm, RIJN_ERR_ARGUMENT);
    return rijn_check_phase(gcm->phase, phases, gcm->key);
}

rijn_status rijn_gcm_ad(rijn_gcm *gcm, const uint8_t *ad, size_t size)
{
    TRY(check_phase(gcm, PHASE_AD));
    REQUIRE(ad || !size, RIJN_ERR_ARGUMENT);
    REQUIRE(within(size, MAX_AD - gcm->ad_size), RIJN_ERR_SIZE);
    if (size)
        gcm->key->backend->gcm_ad(gcm->key->context, gcm, ad, size);
    return rijn_scrub(RIJN_OK, rijn_depth(gcm->key, 0));
}

/* The checks that both directions share; moves the state into `phase`. */
static rijn_status enter(rijn_gcm *gcm, int phase, const uint8_t *out, const uint8_t *in,
                         size_t size)
{
    TRY(check_phase(gcm, PHASE_AD | phase));
    REQUIRE(within(size, GCM_MAX_DATA - gcm->size), RIJN_ERR_SIZE);
    TRY(rijn_check_buffers(out, in, size));
    gcm->phase = phase;
    return RIJN_OK;
}

rijn_status rijn_gcm_encrypt(rijn_gcm *gcm, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(enter(gcm, PHASE_ENCRYPT, out, in, size));
    if (size)
        gcm->key->backend->gcm_encrypt(gcm->key->context, gcm, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(gcm->key, 0));
}

rijn_status rijn_gcm_decrypt(rijn_gcm *gcm, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(enter(gcm, PHASE_DECRYPT, out, in, size));
    if (size)
        gcm->key->backend->gcm_decrypt(gcm->key->context, gcm, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(gcm->key, 0));
}

RIJN_APART static void finish(rijn_gcm *gcm, uint8_t *tag, size_t tag_size)
{
    uint8_t full[16];

    gcm->key->backend->gcm_tag(gcm->key->context, gcm, full);
    memcpy(tag, full, tag_size);
    rijn_gcm_wipe(gcm);
}

rijn_status rijn_gcm_finish(rijn_gcm *gcm, uint8_t *tag, size_t tag_size)
{
    TRY(check_phase(gcm, PHASE_AD | PHASE_ENCRYPT));
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&limits, gcm->key, tag_size));
    const size_t depth = rijn_depth(gcm->key, 16);
    finish(gcm, tag, tag_size);
    return rijn_scrub(RIJN_OK, depth);
}

RIJN_APART static rijn_status verify(rijn_gcm *gcm, const uint8_t *tag, size_t tag_size)
{
    uint8_t full[16];

    gcm->key->backend->gcm_tag(gcm->key->context, gcm, full);
    rijn_gcm_wipe(gcm);
    return rijn_check_tag(full, tag, tag_size, NULL, 0);
}

rijn_status rijn_gcm_verify(rijn_gcm *gcm, const uint8_t *tag, size_t tag_size)
{
    TRY(check_phase(gcm, PHASE_AD | PHASE_DECRYPT));
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&limits, gcm->key, tag_size));
    const size_t depth = rijn_depth(gcm->key, 16);
    return rijn_scrub(verify(gcm, tag, tag_size), depth);
}

void rijn_gcm_wipe(rijn_gcm *gcm)
{
    if (gcm)
        wipe(gcm, sizeof *gcm);
}
