/* CCM (SP 800-38C) with the formatting of its appendix A (RFC 3610). */
#include "../build.h"

#if RIJN_WITH_CCM

#include <string.h>

#include "../api.h"
#include "../bytes.h"
#include "../scrub.h"
#include "message.h"
#include "partial.h"

const rijn_limits *const rijn_ccm_limits = &ccm_limits;

static rijn_status check(const rijn_key *key, const uint8_t *out, const uint8_t *tag,
                         size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                         const uint8_t *ad, size_t ad_size, const uint8_t *in, size_t size)
{
    rijn_limits message_limits = ccm_limits;

    /* The size is written into the q = 15 - n bytes after the nonce. 8 of them hold any size. */
    if (nonce_size > 7 && nonce_size < 15)
        message_limits.data = (UINT64_C(1) << 8 * (15 - nonce_size)) - 1;
    return rijn_check_message(&message_limits, key, out, tag, tag_size, nonce, nonce_size, ad,
                              ad_size, in, size);
}

enum { LONG_AD = 0xff00 }; /* from here on, the encoded size has more than 2 bytes */

/* Encodes the size of the associated data in 2, 6 or 10 bytes (A.2.2). Returns how many. */
static size_t encode_size(uint8_t out[16], uint64_t size)
{
    if (size < LONG_AD) {
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

/* The state of a message. The chain starts from B0. The mask of the tag is the encrypted counter
 * block 0; counter blocks from 1 on make the keystream. chain and mask are encrypted together. */
typedef struct {
    uint8_t chain[16], mask[16], counter[16];
} message;

/* Does everything before the data. A message has fewer than 2^(8 q) bytes, so its counter of
 * q = 15 - n bytes does not wrap, and a counter of 128 bits gives the same blocks. */
static void start(const rijn_key *key, message *m, size_t tag_size, const uint8_t *nonce,
                  size_t nonce_size, const uint8_t *ad, size_t ad_size, size_t size)
{
    const uint8_t flags = (uint8_t)(14 - nonce_size); /* q - 1 */

    /* B0 (A.2.1) is flags || nonce || size. The nonce overwrites upper bytes of the size, which are
     * 0. Counter block i (A.3) is flags || nonce || i. */
    memset(m->mask, 0, 16);
    m->mask[0] = flags;
    memcpy(m->mask + 1, nonce, nonce_size);
    memcpy(m->counter, m->mask, 16);
    m->counter[15] = 1;
    store_be64(m->chain + 8, size);
    m->chain[0] = (uint8_t)((ad_size ? 0x40 : 0) | (tag_size - 2) / 2 << 3 | flags);
    memcpy(m->chain + 1, nonce, nonce_size);
    rijn_ecb_of(key->backend)->ecb_encrypt(key->context, m->chain, m->chain, 2);

    if (ad_size) {
        rijn_partial partial;
        const uint8_t *blocks;
        size_t n;

        partial.fill = encode_size(partial.block, ad_size);
        while ((n = partial_blocks(&partial, false, &blocks, &ad, &ad_size)))
            rijn_cbc_of(key->backend)->cbc_mac(key->context, m->chain, blocks, n);
        if (partial.fill) {
            partial_pad(&partial, 0);
            rijn_cbc_of(key->backend)->cbc_mac(key->context, m->chain, partial.block, 1);
        }
    }
}

enum { CCM_STACK = sizeof(message) + 2 * 16 };

RIJN_APART static void seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                            const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                            size_t ad_size, const uint8_t *in, size_t size)
{
    message m;

    start(key, &m, tag_size, nonce, nonce_size, ad, ad_size, size);
    if (size)
        rijn_ctr_mac_of(key->backend)->ctr_mac_in(key->context, m.counter, m.chain, out, in, size);
    xor_bytes(tag, m.chain, m.mask, tag_size);
}

RIJN_APART static rijn_status open(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                   size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                   size_t size)
{
    message m;

    start(key, &m, tag_size, nonce, nonce_size, ad, ad_size, size);
    if (size)
        rijn_ctr_mac_of(key->backend)->ctr_mac_out(key->context, m.counter, m.chain, out, in, size);
    xor_bytes(m.chain, m.chain, m.mask, 16);
    return rijn_check_tag(m.chain, tag, tag_size, out, size);
}

rijn_status rijn_ccm_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(check(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size));
#if RIJN_WITH_ALL
    const rijn_ctr_mac_table *const table = rijn_ctr_mac_of(key->backend);
    if (table->ccm_in_registers && size && ad_size < LONG_AD) {
        rijn_store_words(tag, tag_size,
                         table->ccm_in_registers(key->context, tag_size, nonce, nonce_size, ad,
                                                 ad_size, out, in, size, 0));
        return RIJN_OK;
    }
#endif
    seal(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, CCM_STACK));
}

rijn_status rijn_ccm_open(const rijn_key *key, uint8_t *out, const uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(check(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size));
#if RIJN_WITH_ALL
    const rijn_ctr_mac_table *const table = rijn_ctr_mac_of(key->backend);
    if (table->ccm_in_registers && size && ad_size < LONG_AD)
        return rijn_check_words(table->ccm_in_registers(key->context, tag_size, nonce, nonce_size,
                                                        ad, ad_size, out, in, size, MAC_OUT),
                                tag, tag_size, out, size);
#endif
    return rijn_scrub(open(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size),
                      rijn_depth(key, CCM_STACK));
}

#endif
