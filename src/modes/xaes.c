/* XAES-256-GCM, c2sp.org/XAES-256-GCM: AES-256-GCM under a key that CMAC makes of
 * the nonce's first half (SP 800-108r1, KDF in counter mode). */
#include <string.h>

#include "../api.h"
#include "../backend.h"
#include "../double.h"
#include "../bytes.h"
#include "../wipe.h"

static const rijn_limits limits = {.nonce_least = 24,
                                   .nonce_most = 24,
                                   .data = GCM_MAX_DATA,
                                   .ad = MAX_AD,
                                   .tags = 1 << 16,
                                   .keys = 1 << 4};

/* CMAC of the two blocks 0x00 i "X" 0x00 || nonce[0..12), i = 1 and 2: each is one
 * whole block, XORed with K1. */
static void derive(rijn_key *derived, const rijn_key *key, const uint8_t nonce[24])
{
    uint8_t subkey[16] = {0}, bytes[32];

    key->backend->encrypt_block(key->context, subkey, subkey);
    double_be(subkey, subkey);
    for (size_t i = 0; i < 2; i++) {
        uint8_t *const block = bytes + 16 * i;
        memcpy(block, (const uint8_t[]){0, (uint8_t)(i + 1), 'X', 0}, 4);
        memcpy(block + 4, nonce, 12);
        xor_bytes(block, block, subkey, 16);
    }
    key->backend->ecb_encrypt(key->context, bytes, bytes, 2);
    memset(derived, 0, sizeof *derived);
    key->backend->key_init(derived->context, bytes, sizeof bytes);
    derived->backend = key->backend;
    derived->size = sizeof bytes;
    wipe(subkey, sizeof subkey);
    wipe(bytes, sizeof bytes);
}

rijn_status rijn_xaes_derive(rijn_key *derived, const rijn_key *key, const uint8_t nonce[24])
{
    REQUIRE(derived, RIJN_ERR_ARGUMENT);
    rijn_key_wipe(derived);
    TRY(rijn_check_key(key));
    REQUIRE(nonce, RIJN_ERR_ARGUMENT);
    REQUIRE(key->size == 32, RIJN_ERR_KEY_SIZE);
    derive(derived, key, nonce);
    return RIJN_OK;
}

rijn_status rijn_xaes_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                           const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                           size_t ad_size, const uint8_t *in, size_t size)
{
    rijn_key derived;

    TRY(rijn_check_message(&limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
    derive(&derived, key, nonce);
    const rijn_status status =
        rijn_gcm_seal(&derived, out, tag, tag_size, nonce + 12, 12, ad, ad_size, in, size);
    rijn_key_wipe(&derived);
    return status;
}

rijn_status rijn_xaes_open(const rijn_key *key, uint8_t *out, const uint8_t *tag, size_t tag_size,
                           const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                           size_t ad_size, const uint8_t *in, size_t size)
{
    rijn_key derived;

    TRY(rijn_check_message(&limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
    derive(&derived, key, nonce);
    const rijn_status status =
        rijn_gcm_open(&derived, out, tag, tag_size, nonce + 12, 12, ad, ad_size, in, size);
    rijn_key_wipe(&derived);
    return status;
}
