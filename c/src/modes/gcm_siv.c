/* AES-GCM-SIV (RFC 8452): the public functions. gcm_siv.h processes the messages. */
#include "../build.h"

#if RIJN_WITH_GCM_SIV

#include "../api.h"
#include "../scrub.h"
#include "message.h"

const rijn_limits *const rijn_gcm_siv_limits = &gcm_siv_limits;

/* Returns how much stack a message takes: the derived context, the bytes that its keys are made of,
 * the tag, and the backend. */
static size_t depth_of(const rijn_key *key, size_t ad_size, size_t size)
{
    const rijn_backend *const backend = key->backend;
    return backend->context_size + 10 * 16 +
           (size + ad_size <= 64                                        ? backend->gcm_stacks[0]
            : (ad_size > size ? ad_size : size) / 16 >= backend->blocks ? backend->gcm_stacks[2]
                                                                        : backend->stack);
}

RIJN_APART rijn_status rijn_gcm_siv_open_message(const rijn_key *key, uint8_t *out,
                                                 const uint8_t tag[16], const uint8_t nonce[12],
                                                 const uint8_t *ad, size_t ad_size,
                                                 const uint8_t *in, size_t size)
{
    uint8_t full[16];

    rijn_gcm_siv_of(key->backend)
        ->gcm_siv_open(key->context, out, full, tag, nonce, ad, ad_size, in, size);
    return rijn_check_tag(full, tag, 16, out, size);
}

rijn_status rijn_gcm_siv_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                              const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                              size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&gcm_siv_limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size,
                           in, size));
    const rijn_gcm_siv_table *const table = rijn_gcm_siv_of(key->backend);
#if RIJN_WITH_ALL
    if (table->gcm_siv_in_registers && rijn_fits_registers(ad_size, size)) {
        table->gcm_siv_in_registers(key->context, tag, NULL, nonce, ad, ad_size, out, in, size);
        return RIJN_OK;
    }
#endif
    table->gcm_siv_seal(key->context, out, tag, nonce, ad, ad_size, in, size);
    return rijn_scrub(RIJN_OK, depth_of(key, ad_size, size));
}

rijn_status rijn_gcm_siv_open(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                              size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                              const uint8_t *ad, size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&gcm_siv_limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size,
                           in, size));
#if RIJN_WITH_ALL
    const rijn_gcm_siv_table *const table = rijn_gcm_siv_of(key->backend);
    if (table->gcm_siv_in_registers && rijn_fits_registers(ad_size, size))
        return rijn_check_words(
            table->gcm_siv_in_registers(key->context, NULL, tag, nonce, ad, ad_size, out, in, size),
            tag, 16, out, size);
#endif
    return rijn_scrub(rijn_gcm_siv_open_message(key, out, tag, nonce, ad, ad_size, in, size),
                      depth_of(key, ad_size, size));
}

#endif
