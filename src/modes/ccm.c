/* CCM, SP 800-38C with the formatting of its appendix A (RFC 3610). */
#include <string.h>

#include "../api.h"
#include "../bytes.h"
#include "../scrub.h"
#include "message.h"

static const rijn_limits limits = {.nonce_least = 7,
                                   .nonce_most = 13,
                                   .data = UINT64_MAX,
                                   .ad = MAX_AD,
                                   .tags = 1 << 8 | 1 << 10 | 1 << 12 | 1 << 14 | 1 << 16,
                                   .short_tags = 1 << 4 | 1 << 6,
                                   .keys = ALL_KEYS};

static rijn_status check(const rijn_key *key, const uint8_t *out, const uint8_t *tag,
                         size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                         const uint8_t *ad, size_t ad_size, const uint8_t *in, size_t size)
{
    rijn_limits its = limits;

    /* The size is written into the q = 15 - n bytes behind the nonce, 8 of which hold any. */
    if (nonce_size > 7 && nonce_size < 15)
        its.data = (UINT64_C(1) << 8 * (15 - nonce_size)) - 1;
    return rijn_check_message(&its, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                              size);
}

/* CBC-MAC of bytes, the last block filled up with zeros. */
static void mac_bytes(const rijn_key *key, uint8_t mac[16], const uint8_t *p, size_t size)
{
    const size_t rest = size % 16;

    key->backend->cbc_mac(key->context, mac, p, size / 16);
    if (rest) {
        uint8_t last[16] = {0};
        memcpy(last, p + size - rest, rest);
        key->backend->cbc_mac(key->context, mac, last, 1);
    }
}

/* The size of the associated data, in 2, 6 or 10 bytes (A.2.2); returns how many. */
static size_t encode_size(uint8_t out[16], uint64_t size)
{
    if (size < 0xff00) {
        out[0] = (uint8_t)(size >> 8);
        out[1] = (uint8_t)size;
        return 2;
    }
    out[0] = 0xff;
    if (size <= UINT32_MAX) {
        out[1] = 0xfe;
        store_be32(out + 2, (uint32_t)size);
        return 6;
    }
    out[1] = 0xff;
    store_be64(out + 2, size);
    return 10;
}

/* The MAC of section 6.1, steps 1 to 4, whole and not yet encrypted. */
static void mac_message(const rijn_key *key, uint8_t mac[16], size_t tag_size, const uint8_t *nonce,
                        size_t nonce_size, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                        size_t size)
{
    uint8_t block[16] = {0};

    /* B0 (A.2.1): flags || nonce || size; the nonce covers the upper bytes of a
     * size that fits behind it. */
    store_be64(block + 8, size);
    block[0] = (uint8_t)((ad_size ? 0x40 : 0) | (tag_size - 2) / 2 << 3 | (14 - nonce_size));
    memcpy(block + 1, nonce, nonce_size);
    memset(mac, 0, 16);
    key->backend->cbc_mac(key->context, mac, block, 1);

    if (ad_size) {
        memset(block, 0, sizeof block);
        const size_t prefix = encode_size(block, ad_size);
        const size_t first = ad_size < 16 - prefix ? ad_size : 16 - prefix;
        memcpy(block + prefix, ad, first);
        key->backend->cbc_mac(key->context, mac, block, 1);
        mac_bytes(key, mac, ad + first, ad_size - first);
    }
    mac_bytes(key, mac, in, size);
}

/* Counter block 0 (A.3) gives the mask of the tag, those from 1 the keystream. A
 * counter that fills its q bytes does not wrap in a message of fewer than 2^(8 q)
 * bytes, so it may as well be one of 128 bits. */
static void crypt(const rijn_key *key, uint8_t mac[16], const uint8_t *nonce, size_t nonce_size,
                  uint8_t *out, const uint8_t *in, size_t size)
{
    uint8_t counter[16] = {0};

    counter[0] = (uint8_t)(14 - nonce_size);
    memcpy(counter + 1, nonce, nonce_size);
    rijn_ctr_run(key, 128, 0, counter, mac, mac, 16);
    counter[15] = 1;
    rijn_ctr_run(key, 128, 0, counter, out, in, size);
}

enum { CCM_STACK = CTR_STACK + 4 * 16 };

RIJN_APART static void seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                            const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                            size_t ad_size, const uint8_t *in, size_t size)
{
    uint8_t mac[16];

    mac_message(key, mac, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    crypt(key, mac, nonce, nonce_size, out, in, size);
    memcpy(tag, mac, tag_size);
}

RIJN_APART static rijn_status open(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                   size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                   size_t size)
{
    uint8_t mask[16] = {0}, mac[16];

    crypt(key, mask, nonce, nonce_size, out, in, size);
    mac_message(key, mac, tag_size, nonce, nonce_size, ad, ad_size, out, size);
    xor_bytes(mac, mac, mask, 16);
    return rijn_check_tag(mac, tag, tag_size, out, size);
}

rijn_status rijn_ccm_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(check(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size));
    seal(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    return rijn_scrub(RIJN_OK, rijn_ctr_depth(key, CCM_STACK));
}

rijn_status rijn_ccm_open(const rijn_key *key, uint8_t *out, const uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(check(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size));
    return rijn_scrub(open(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size),
                      rijn_ctr_depth(key, CCM_STACK));
}
