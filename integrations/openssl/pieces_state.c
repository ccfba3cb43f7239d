#include "pieces.h"

#include <stddef.h>

size_t pieces_size(int kind)
{
    const pieces_context *context = NULL;
    size_t size = offsetof(pieces_context, state);

    switch (kind) {
    case KIND_GCM:
        return size + sizeof context->state.gcm;
    case KIND_XAES:
        return size + sizeof context->state.xaes;
    case KIND_OCB:
        return size + sizeof context->state.ocb;
    default:
        return size + sizeof context->state.aegis;
    }
}

rijn_status pieces_set_key(pieces_context *context, const uint8_t *bytes, size_t size)
{
    int kind = context->base.algorithm->kind;
    rijn_status status;

    if (kind >= KIND_AEGIS)
        return rijn_aegis_key_init(&context->key.aegis, (rijn_aegis_variant)(kind - KIND_AEGIS),
                                   bytes, size, NULL);
    status = rijn_key_init(&context->key.aes, bytes, size, NULL);
    if (status == RIJN_OK && kind != KIND_XAES)
        status = rijn_key_allow_short_tags(&context->key.aes); /* OpenSSL allows them */
    return status;
}

/* The states of GCM and OCB point to their key. */
rijn_status pieces_copy(pieces_context *to, const pieces_context *from)
{
    if (from->iv_state != IV_STARTED)
        return RIJN_OK;
    switch (from->base.algorithm->kind) {
    case KIND_GCM:
        return rijn_gcm_copy(&to->state.gcm, &from->state.gcm, &to->key.aes);
    case KIND_XAES:
        return rijn_gcm_copy(&to->state.gcm, &from->state.gcm, &to->state.xaes.derived);
    case KIND_OCB:
        return rijn_ocb_copy(&to->state.ocb.ocb, &from->state.ocb.ocb, &to->key.aes);
    default:
        return RIJN_OK;
    }
}

rijn_status pieces_start(pieces_context *context)
{
    const uint8_t *iv = context->iv;
    size_t size = context->iv_size;
    rijn_status status;

    switch (context->base.algorithm->kind) {
    case KIND_GCM:
        return rijn_gcm_start(&context->state.gcm, &context->key.aes, iv, size);
    case KIND_XAES:
        status = rijn_xaes_derive(&context->state.xaes.derived, &context->key.aes, iv);
        if (status != RIJN_OK)
            return status;
        return rijn_gcm_start(&context->state.gcm, &context->state.xaes.derived, iv + 12, 12);
    case KIND_OCB:
        context->state.ocb.buffered = 0;
        return rijn_ocb_start(&context->state.ocb.ocb, &context->key.aes, context->tag_size, iv,
                              size);
    default:
        return rijn_aegis_start(&context->state.aegis, &context->key.aegis, iv, size);
    }
}

rijn_status pieces_ad(pieces_context *context, const uint8_t *ad, size_t size)
{
    switch (context->base.algorithm->kind) {
    case KIND_GCM:
    case KIND_XAES:
        return rijn_gcm_ad(&context->state.gcm, ad, size);
    case KIND_OCB:
        return rijn_ocb_ad(&context->state.ocb.ocb, ad, size);
    default:
        return rijn_aegis_ad(&context->state.aegis, ad, size);
    }
}

rijn_status pieces_crypt(void *opaque, uint8_t *out, const uint8_t *in, size_t size)
{
    pieces_context *context = opaque;
    int encrypt = context->base.encrypt;

    switch (context->base.algorithm->kind) {
    case KIND_GCM:
    case KIND_XAES:
        return encrypt ? rijn_gcm_encrypt(&context->state.gcm, out, in, size)
                       : rijn_gcm_decrypt(&context->state.gcm, out, in, size);
    case KIND_OCB:
        return encrypt ? rijn_ocb_encrypt(&context->state.ocb.ocb, out, in, size)
                       : rijn_ocb_decrypt(&context->state.ocb.ocb, out, in, size);
    default:
        return encrypt ? rijn_aegis_encrypt(&context->state.aegis, out, in, size)
                       : rijn_aegis_decrypt(&context->state.aegis, out, in, size);
    }
}

rijn_status pieces_finish(pieces_context *context)
{
    int encrypt = context->base.encrypt;
    uint8_t *tag = context->tag;
    size_t size = context->tag_size;

    switch (context->base.algorithm->kind) {
    case KIND_GCM:
    case KIND_XAES: /* an encrypted message has the whole tag, which is cut when it is read */
        return encrypt ? rijn_gcm_finish(&context->state.gcm, tag, RIJN_GCM_TAG_MAX)
                       : rijn_gcm_verify(&context->state.gcm, tag, size);
    case KIND_OCB:
        return encrypt ? rijn_ocb_finish(&context->state.ocb.ocb, tag)
                       : rijn_ocb_verify(&context->state.ocb.ocb, tag);
    default:
        return encrypt ? rijn_aegis_finish(&context->state.aegis, tag, size)
                       : rijn_aegis_verify(&context->state.aegis, tag, size);
    }
}

rijn_status pieces_whole(pieces_context *context, uint8_t *out, const uint8_t *in, size_t size)
{
    const rijn_key *key = &context->key.aes;
    uint8_t *tag = context->tag;
    const uint8_t *iv = context->iv, *ad = context->kept.ad;
    size_t tag_size = context->tag_size, iv_size = context->iv_size;
    size_t ad_size = context->kept.ad_size;
    int encrypt = context->base.encrypt;

    switch (context->base.algorithm->kind) {
    case KIND_GCM: /* an encrypted message has the whole tag, as above */
        return encrypt ? rijn_gcm_seal(key, out, tag, RIJN_GCM_TAG_MAX, iv, iv_size, ad, ad_size,
                                       in, size)
                       : rijn_gcm_open(key, out, tag, tag_size, iv, iv_size, ad, ad_size, in, size);
    case KIND_XAES:
        return encrypt
                   ? rijn_xaes_seal(key, out, tag, tag_size, iv, iv_size, ad, ad_size, in, size)
                   : rijn_xaes_open(key, out, tag, tag_size, iv, iv_size, ad, ad_size, in, size);
    case KIND_OCB:
        return encrypt ? rijn_ocb_seal(key, out, tag, tag_size, iv, iv_size, ad, ad_size, in, size)
                       : rijn_ocb_open(key, out, tag, tag_size, iv, iv_size, ad, ad_size, in, size);
    default:
        return encrypt ? rijn_aegis_seal(&context->key.aegis, out, tag, tag_size, iv, iv_size, ad,
                                         ad_size, in, size)
                       : rijn_aegis_open(&context->key.aegis, out, tag, tag_size, iv, iv_size, ad,
                                         ad_size, in, size);
    }
}
