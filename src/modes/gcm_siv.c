/* AES-GCM-SIV, RFC 8452: the tag is an encrypted POLYVAL of everything, and the
 * counter block of the data. */
#include <string.h>

#include "../api.h"
#include "../bytes.h"
#include "../scrub.h"
#include "message.h"

static const rijn_limits limits = {.nonce_least = 12,
                                   .nonce_most = 12,
                                   .data = UINT64_C(1) << 36,
                                   .ad = UINT64_C(1) << 36,
                                   .tags = 1 << 16,
                                   .keys = 1 << 2 | 1 << 4};

/* Section 4: halves of E(LE32(i) || nonce), two for POLYVAL, then 2 or 4 for AES. */
static void derive(rijn_key *derived, const rijn_key *key, const uint8_t nonce[12])
{
    const size_t halves = 2 + key->size / 8;
    uint8_t blocks[6 * 16], keys[6 * 8];

    for (size_t i = 0; i < halves; i++) {
        store_le32(blocks + 16 * i, (uint32_t)i);
        memcpy(blocks + 16 * i + 4, nonce, 12);
    }
    key->backend->ecb_encrypt(key->context, blocks, blocks, halves);
    for (size_t i = 0; i < halves; i++)
        memcpy(keys + 8 * i, blocks + 16 * i, 8);
    rijn_key_expand(derived, key->backend, keys + 16, key->size, 0);
    key->backend->polyval_init(derived->context, keys);
}

/* POLYVAL of bytes, the last block filled up with zeros. */
static void hash_bytes(const rijn_key *derived, uint8_t hash[16], const uint8_t *p, size_t size)
{
    const size_t rest = size % 16;

    if (size >= 16)
        derived->backend->polyval(derived->context, hash, p, size / 16);
    if (rest) {
        uint8_t last[16] = {0};
        memcpy(last, p + size - rest, rest);
        derived->backend->polyval(derived->context, hash, last, 1);
    }
}

/* Section 5: the lengths, the nonce, and the encryption that makes the hash the tag. */
static void make_tag(const rijn_key *derived, uint8_t tag[16], const uint8_t nonce[12],
                     const uint8_t *ad, size_t ad_size, const uint8_t *in, size_t size)
{
    uint8_t lengths[16], hash[16] = {0};

    store_le64(lengths, (uint64_t)ad_size * 8);
    store_le64(lengths + 8, (uint64_t)size * 8);
    hash_bytes(derived, hash, ad, ad_size);
    hash_bytes(derived, hash, in, size);
    hash_bytes(derived, hash, lengths, 16);
    xor_bytes(hash, hash, nonce, 12);
    hash[15] &= 0x7f;
    derived->backend->encrypt_block(derived->context, tag, hash);
}

static void crypt(const rijn_key *derived, const uint8_t tag[16], uint8_t *out, const uint8_t *in,
                  size_t size)
{
    uint8_t counter[16];

    memcpy(counter, tag, 16);
    counter[15] |= 0x80;
    rijn_ctr_run(derived, 32, 1, counter, out, in, size);
}

/* Variables on the stack: the derived key, then what was derived or the keystream. */
enum { SIV_STACK = sizeof(rijn_key) + CTR_STACK + 22 * 16 };

RIJN_APART static void seal(const rijn_key *key, uint8_t *out, uint8_t tag[16],
                            const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                            const uint8_t *in, size_t size)
{
    rijn_key derived;

    derive(&derived, key, nonce);
    make_tag(&derived, tag, nonce, ad, ad_size, in, size);
    crypt(&derived, tag, out, in, size);
}

RIJN_APART static rijn_status open(const rijn_key *key, uint8_t *out, const uint8_t tag[16],
                                   const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size)
{
    rijn_key derived;
    uint8_t full[16];

    derive(&derived, key, nonce);
    crypt(&derived, tag, out, in, size);
    make_tag(&derived, full, nonce, ad, ad_size, out, size);
    return rijn_check_tag(full, tag, 16, out, size);
}

rijn_status rijn_gcm_siv_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                              const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                              size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
    seal(key, out, tag, nonce, ad, ad_size, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, SIV_STACK));
}

rijn_status rijn_gcm_siv_open(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                              size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                              const uint8_t *ad, size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
    return rijn_scrub(open(key, out, tag, nonce, ad, ad_size, in, size),
                      rijn_depth(key, SIV_STACK));
}
