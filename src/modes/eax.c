/* EAX (Bellare, Rogaway and Wagner, "The EAX Mode of Operation", FSE 2004,
 * figure 1): CTR from a CMAC of the nonce, and two more CMACs. */
#include <string.h>

#include "../backend.h"
#include "../bytes.h"
#include "../wipe.h"
#include "cmac.h"

static const rijn_limits limits = {.nonce_most = MAX_AD,
                                   .data = MAX_AD,
                                   .ad = MAX_AD,
                                   .tags = SIZES(8, 16),
                                   .short_tags = SIZES(1, 7),
                                   .keys = ALL_KEYS};

/* OMAC^t begins with t as a block. */
static void omac_begin(rijn_cmac_state *cmac, const rijn_cmac_state *before, uint8_t t)
{
    uint8_t block[16] = {0};

    block[15] = t;
    *cmac = *before;
    rijn_cmac_absorb(cmac, block, 16);
}

rijn_status rijn_eax_start(rijn_eax *eax, const rijn_key *key, const uint8_t *nonce,
                           size_t nonce_size)
{
    rijn_cmac_state before;

    REQUIRE(eax, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_key(key));
    TRY(rijn_check_nonce(&limits, nonce, nonce_size));
    rijn_eax_wipe(eax);
    rijn_cmac_begin(&before, key);
    omac_begin(&eax->data, &before, 0);
    rijn_cmac_absorb(&eax->data, nonce, nonce_size);
    rijn_cmac_tag(&eax->data, eax->nonce);
    rijn_stream_start(&eax->stream, 128, 0, eax->nonce);
    eax->stream.hidden = 1;
    omac_begin(&eax->ad, &before, 1);
    omac_begin(&eax->data, &before, 2);
    eax->phase = PHASE_AD;
    wipe(&before, sizeof before);
    return RIJN_OK;
}

static rijn_status check_started(const rijn_eax *eax)
{
    REQUIRE(eax, RIJN_ERR_ARGUMENT);
    REQUIRE(eax->phase != PHASE_IDLE && eax->data.key && eax->data.key->backend, RIJN_ERR_STATE);
    return RIJN_OK;
}

rijn_status rijn_eax_ad(rijn_eax *eax, const uint8_t *ad, size_t size)
{
    TRY(check_started(eax));
    REQUIRE(eax->phase == PHASE_AD, RIJN_ERR_STATE);
    REQUIRE(ad || !size, RIJN_ERR_ARGUMENT);
    REQUIRE(within(size, limits.ad - eax->ad_size), RIJN_ERR_SIZE);
    rijn_cmac_absorb(&eax->ad, ad, size);
    eax->ad_size += size;
    return RIJN_OK;
}

static rijn_status crypt(rijn_eax *eax, int phase, uint8_t *out, const uint8_t *in, size_t size)
{
    const rijn_key *key;

    TRY(check_started(eax));
    REQUIRE(eax->phase == PHASE_AD || eax->phase == phase, RIJN_ERR_STATE);
    REQUIRE(within(size, limits.data - eax->size), RIJN_ERR_SIZE);
    TRY(rijn_check_buffers(out, in, size));
    eax->phase = phase;
    eax->size += size;
    if (!size)
        return RIJN_OK;
    key = eax->data.key;
    if (phase == PHASE_DECRYPT)
        rijn_cmac_absorb(&eax->data, in, size);
    key->backend->ctr_crypt(key->context, &eax->stream, out, in, size);
    if (phase == PHASE_ENCRYPT)
        rijn_cmac_absorb(&eax->data, out, size);
    return RIJN_OK;
}

rijn_status rijn_eax_encrypt(rijn_eax *eax, uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt(eax, PHASE_ENCRYPT, out, in, size);
}

rijn_status rijn_eax_decrypt(rijn_eax *eax, uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt(eax, PHASE_DECRYPT, out, in, size);
}

/* The sum of the three MACs; wipes the state. */
static void end(rijn_eax *eax, uint8_t full[16])
{
    uint8_t mac[16];

    rijn_cmac_tag(&eax->ad, mac);
    xor_bytes(full, eax->nonce, mac, 16);
    rijn_cmac_tag(&eax->data, mac);
    xor_bytes(full, full, mac, 16);
    wipe(mac, sizeof mac);
    rijn_eax_wipe(eax);
}

rijn_status rijn_eax_finish(rijn_eax *eax, uint8_t *tag, size_t tag_size)
{
    uint8_t full[16];

    TRY(check_started(eax));
    REQUIRE(eax->phase != PHASE_DECRYPT, RIJN_ERR_STATE);
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&limits, eax->data.key, tag_size));
    end(eax, full);
    memcpy(tag, full, tag_size);
    wipe(full, sizeof full);
    return RIJN_OK;
}

rijn_status rijn_eax_verify(rijn_eax *eax, const uint8_t *tag, size_t tag_size)
{
    uint8_t full[16];
    bool equal;

    TRY(check_started(eax));
    REQUIRE(eax->phase != PHASE_ENCRYPT, RIJN_ERR_STATE);
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&limits, eax->data.key, tag_size));
    end(eax, full);
    equal = rijn_tags_equal(full, tag, tag_size);
    wipe(full, sizeof full);
    return equal ? RIJN_OK : RIJN_ERR_TAG;
}

void rijn_eax_wipe(rijn_eax *eax)
{
    if (eax)
        wipe(eax, sizeof *eax);
}

rijn_status rijn_eax_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    rijn_eax eax;

    TRY(rijn_check_message(&limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
    TRY(rijn_eax_start(&eax, key, nonce, nonce_size));
    TRY(rijn_eax_ad(&eax, ad, ad_size));
    TRY(rijn_eax_encrypt(&eax, out, in, size));
    return rijn_eax_finish(&eax, tag, tag_size);
}

rijn_status rijn_eax_open(const rijn_key *key, uint8_t *out, const uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    rijn_eax eax;

    TRY(rijn_check_message(&limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
    TRY(rijn_eax_start(&eax, key, nonce, nonce_size));
    TRY(rijn_eax_ad(&eax, ad, ad_size));
    TRY(rijn_eax_decrypt(&eax, out, in, size));
    const rijn_status status = rijn_eax_verify(&eax, tag, tag_size);
    if (status != RIJN_OK)
        rijn_wipe(out, size);
    return status;
}
