/* EAX (Bellare, Rogaway and Wagner, "The EAX Mode of Operation", FSE 2004,
 * figure 1): CTR from a CMAC of the nonce, and two more CMACs. */
#include <string.h>

#include "../bytes.h"
#include "../scrub.h"
#include "../wipe.h"
#include "cmac.h"
#include "message.h"

static const rijn_limits limits = {.nonce_most = MAX_AD,
                                   .data = MAX_AD,
                                   .ad = MAX_AD,
                                   .tags = SIZES(8, 16),
                                   .short_tags = SIZES(1, 7),
                                   .keys = ALL_KEYS};

/* Variables on the stack beside those of the backend and a rijn_eax. */
enum { EAX_STACK = sizeof(rijn_cmac_state) + 4 * 16 };

/* OMAC^t begins with t as a block. */
static void omac_begin(rijn_cmac_state *cmac, const rijn_cmac_state *before, uint8_t t)
{
    uint8_t block[16] = {0};

    block[15] = t;
    *cmac = *before;
    rijn_cmac_absorb(cmac, block, 16);
}

RIJN_APART static void start(rijn_eax *eax, const rijn_key *key, const uint8_t *nonce,
                             size_t nonce_size)
{
    rijn_cmac_state before;

    eax->ad_size = eax->size = 0;
    rijn_cmac_begin(&before, key);
    omac_begin(&eax->data, &before, 0);
    rijn_cmac_absorb(&eax->data, nonce, nonce_size);
    rijn_cmac_tag(&eax->data, eax->nonce);
    rijn_stream_start(&eax->stream, 128, 0, eax->nonce);
    eax->stream.next.hidden = 1;
    omac_begin(&eax->ad, &before, 1);
    omac_begin(&eax->data, &before, 2);
    eax->phase = PHASE_AD;
}

rijn_status rijn_eax_start(rijn_eax *eax, const rijn_key *key, const uint8_t *nonce,
                           size_t nonce_size)
{
    REQUIRE(eax, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_key(key));
    TRY(rijn_check_nonce(&limits, nonce, nonce_size));
    rijn_eax_wipe(eax);
    start(eax, key, nonce, nonce_size);
    return rijn_scrub(RIJN_OK, rijn_ctr_depth(key, EAX_STACK));
}

static rijn_status check_phase(const rijn_eax *eax, int phases)
{
    REQUIRE(eax, RIJN_ERR_ARGUMENT);
    return rijn_check_phase(eax->phase, phases, eax->data.key);
}

rijn_status rijn_eax_ad(rijn_eax *eax, const uint8_t *ad, size_t size)
{
    TRY(check_phase(eax, PHASE_AD));
    REQUIRE(ad || !size, RIJN_ERR_ARGUMENT);
    REQUIRE(within(size, limits.ad - eax->ad_size), RIJN_ERR_SIZE);
    rijn_cmac_absorb(&eax->ad, ad, size);
    eax->ad_size += size;
    return rijn_scrub(RIJN_OK, rijn_ctr_depth(eax->ad.key, EAX_STACK));
}

RIJN_APART static void crypt_piece(rijn_eax *eax, int phase, uint8_t *out, const uint8_t *in,
                                   size_t size)
{
    const rijn_key *const key = eax->data.key;

    eax->phase = phase;
    eax->size += size;
    if (!size)
        return;
    if (phase == PHASE_DECRYPT)
        rijn_cmac_absorb(&eax->data, in, size);
    rijn_stream_crypt(key, &eax->stream, out, in, size);
    if (phase == PHASE_ENCRYPT)
        rijn_cmac_absorb(&eax->data, out, size);
}

static rijn_status crypt(rijn_eax *eax, int phase, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(check_phase(eax, PHASE_AD | phase));
    REQUIRE(within(size, limits.data - eax->size), RIJN_ERR_SIZE);
    TRY(rijn_check_buffers(out, in, size));
    crypt_piece(eax, phase, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_ctr_depth(eax->data.key, EAX_STACK));
}

rijn_status rijn_eax_encrypt(rijn_eax *eax, uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt(eax, PHASE_ENCRYPT, out, in, size);
}

rijn_status rijn_eax_decrypt(rijn_eax *eax, uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt(eax, PHASE_DECRYPT, out, in, size);
}

/* The sum of the three MACs. */
static void sum(rijn_eax *eax, uint8_t full[16])
{
    uint8_t mac[16];

    rijn_cmac_tag(&eax->ad, mac);
    xor_bytes(full, eax->nonce, mac, 16);
    rijn_cmac_tag(&eax->data, mac);
    xor_bytes(full, full, mac, 16);
}

RIJN_APART static void finish(rijn_eax *eax, uint8_t *tag, size_t tag_size)
{
    uint8_t full[16];

    sum(eax, full);
    memcpy(tag, full, tag_size);
}

rijn_status rijn_eax_finish(rijn_eax *eax, uint8_t *tag, size_t tag_size)
{
    TRY(check_phase(eax, PHASE_AD | PHASE_ENCRYPT));
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&limits, eax->data.key, tag_size));
    const size_t depth = rijn_ctr_depth(eax->data.key, EAX_STACK);
    finish(eax, tag, tag_size);
    rijn_eax_wipe(eax);
    return rijn_scrub(RIJN_OK, depth);
}

/* out[0..size) is zeroed with another tag. */
RIJN_APART static rijn_status verify(rijn_eax *eax, const uint8_t *tag, size_t tag_size,
                                     uint8_t *out, size_t size)
{
    uint8_t full[16];

    sum(eax, full);
    return rijn_check_tag(full, tag, tag_size, out, size);
}

rijn_status rijn_eax_verify(rijn_eax *eax, const uint8_t *tag, size_t tag_size)
{
    TRY(check_phase(eax, PHASE_AD | PHASE_DECRYPT));
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&limits, eax->data.key, tag_size));
    const size_t depth = rijn_ctr_depth(eax->data.key, EAX_STACK);
    const rijn_status status = verify(eax, tag, tag_size, NULL, 0);
    rijn_eax_wipe(eax);
    return rijn_scrub(status, depth);
}

void rijn_eax_wipe(rijn_eax *eax)
{
    if (eax)
        wipe(eax, sizeof *eax);
}

RIJN_APART static void seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                            const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                            size_t ad_size, const uint8_t *in, size_t size)
{
    rijn_eax eax;

    start(&eax, key, nonce, nonce_size);
    rijn_cmac_absorb(&eax.ad, ad, ad_size);
    crypt_piece(&eax, PHASE_ENCRYPT, out, in, size);
    finish(&eax, tag, tag_size);
}

RIJN_APART static rijn_status open(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                   size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                   size_t size)
{
    rijn_eax eax;

    start(&eax, key, nonce, nonce_size);
    rijn_cmac_absorb(&eax.ad, ad, ad_size);
    crypt_piece(&eax, PHASE_DECRYPT, out, in, size);
    return verify(&eax, tag, tag_size, out, size);
}

rijn_status rijn_eax_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
    seal(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    return rijn_scrub(RIJN_OK, rijn_ctr_depth(key, sizeof(rijn_eax) + EAX_STACK));
}

rijn_status rijn_eax_open(const rijn_key *key, uint8_t *out, const uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
    return rijn_scrub(open(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size),
                      rijn_ctr_depth(key, sizeof(rijn_eax) + EAX_STACK));
}
