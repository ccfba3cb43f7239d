/* XAES-256-GCM (c2sp.org/XAES-256-GCM): AES-256-GCM under a key that CMAC derives from the first
 * half of the nonce (SP 800-108r1, KDF in counter mode). */
#include "../build.h"

#if RIJN_WITH_XAES

#include <string.h>

#include "../api.h"
#include "../double.h"
#include "../bytes.h"
#include "../scrub.h"
#include "message.h"

const rijn_limits *const rijn_xaes_limits = &xaes_limits;

void rijn_xaes_subkey(uint8_t subkey[16], const rijn_key *key)
{
    memset(subkey, 0, 16);
    key->backend->encrypt_block(key->context, subkey, subkey);
    double_be(subkey, subkey);
}

/* A key is the CMACs of the blocks 0x00 i "X" 0x00 || prefix for i = 1 and 2. Each CMAC has one
 * whole block, which is XORed with K1. */
void rijn_xaes_derive_keys(uint8_t *bytes, const rijn_key *key, const uint8_t subkey[16],
                           const uint8_t *prefixes, size_t n)
{
    for (size_t i = 0; i < 2 * n; i++) {
        uint8_t *const block = bytes + 16 * i;
        memcpy(block, (const uint8_t[]){0, (uint8_t)(i % 2 + 1), 'X', 0}, 4);
        memcpy(block + 4, prefixes + 12 * (i / 2), 12);
        xor_bytes(block, block, subkey, 16);
    }
    rijn_ecb_of(key->backend)->ecb_encrypt(key->context, bytes, bytes, 2 * n);
}

RIJN_APART static void derive(rijn_key *derived, const rijn_key *key, const uint8_t prefix[12],
                              unsigned uses, size_t blocks)
{
    uint8_t subkey[16], bytes[32];

    rijn_xaes_subkey(subkey, key);
    rijn_xaes_derive_keys(bytes, key, subkey, prefix, 1);
    rijn_key_expand(derived, key->backend, bytes, sizeof bytes, uses, blocks);
}

enum { DERIVE_STACK = 3 * 16, XAES_STACK = sizeof(rijn_key) + GCM_STACK + RIJN_FRAME };

rijn_status rijn_xaes_derive(rijn_key *derived, const rijn_key *key, const uint8_t nonce[24])
{
    REQUIRE(derived, RIJN_ERR_ARGUMENT);
    rijn_key_wipe(derived);
    TRY(rijn_check_key(key));
    REQUIRE(nonce, RIJN_ERR_ARGUMENT);
    REQUIRE(key->size == 32, RIJN_ERR_KEY_SIZE);
    derive(derived, key, nonce, USE_ALL, SIZE_MAX);
    return rijn_scrub(RIJN_OK, rijn_depth(key, DERIVE_STACK));
}

RIJN_APART static void seal(const rijn_key *key, uint8_t *out, uint8_t tag[16],
                            const uint8_t nonce[24], const uint8_t *ad, size_t ad_size,
                            const uint8_t *in, size_t size)
{
    rijn_key derived;

    derive(&derived, key, nonce, USE_HASH, rijn_hashed_blocks(ad_size, size));
    rijn_gcm_of(derived.backend)
        ->gcm_seal(derived.context, out, tag, 16, nonce + 12, 12, ad, ad_size, in, size);
}

RIJN_APART static rijn_status open(const rijn_key *key, uint8_t *out, const uint8_t tag[16],
                                   const uint8_t nonce[24], const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size)
{
    rijn_key derived;

    derive(&derived, key, nonce, USE_HASH, rijn_hashed_blocks(ad_size, size));
    return rijn_gcm_open_message(&derived, out, tag, 16, nonce + 12, 12, ad, ad_size, in, size);
}

static size_t depth_of(const rijn_key *key, size_t ad_size, size_t size)
{
    const size_t to_derive = rijn_depth(key, XAES_STACK);
    const size_t to_seal = rijn_gcm_depth(key, XAES_STACK, 12, ad_size, size);
    return to_derive > to_seal ? to_derive : to_seal;
}

rijn_status rijn_xaes_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                           const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                           size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&xaes_limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size,
                           in, size));
    seal(key, out, tag, nonce, ad, ad_size, in, size);
    return rijn_scrub(RIJN_OK, depth_of(key, ad_size, size));
}

rijn_status rijn_xaes_open(const rijn_key *key, uint8_t *out, const uint8_t *tag, size_t tag_size,
                           const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                           size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&xaes_limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size,
                           in, size));
    return rijn_scrub(open(key, out, tag, nonce, ad, ad_size, in, size),
                      depth_of(key, ad_size, size));
}

#endif
