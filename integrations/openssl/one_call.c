#include <string.h>

#include "pieces.h"

void pieces_forget(pieces_context *context)
{
    if (context->kept.text_size != 0)
        rijn_wipe(context->kept.text, context->kept.text_size);
    context->kept.text_size = 0;
    context->kept.ad_size = 0;
}

int keep_ad(pieces_context *context, const uint8_t *ad, size_t size)
{
    size_t kept = context->kept.ad_size;

    if (context->iv_state != IV_GIVEN || size > AD_KEPT - kept)
        return 0;
    memcpy(context->kept.ad + kept, ad, size);
    context->kept.ad_size = kept + size;
    context->tag_ready = 0;
    return 1;
}

int pieces_stream(pieces_context *context)
{
    size_t text_size = context->iv_state == IV_SEALED ? context->kept.text_size : 0;
    uint8_t *text = context->kept.text;
    rijn_status status = RIJN_OK;

    if (context->iv_state == IV_STARTED)
        return 1;
    if (!pieces_begin(context))
        return 0;
    if (context->kept.ad_size != 0)
        status = pieces_ad(context, context->kept.ad, context->kept.ad_size);
    context->kept.ad_size = 0;
    /* the caller has the output already: this only brings the state to the same point */
    if (status == RIJN_OK && text_size != 0) {
        status = pieces_crypt(context, text, text, text_size);
        pieces_forget(context);
    }
    if (status != RIJN_OK)
        context->iv_state = IV_USED; /* nothing may go on without what was kept */
    return ACCEPT(context, status);
}

/* Returns 1 if a piece can be processed as the whole message. In decryption the tag must be known. The tag of
 * the message before is not: it would refuse, and the piece would be processed a second time. */
static int is_first(const pieces_context *context, size_t size)
{
    if (context->iv_state != IV_GIVEN || size > TEXT_KEPT)
        return 0;
    if (context->base.algorithm->kind == KIND_OCB && size % BLOCK != 0)
        return 0; /* it gives out whole blocks only */
    return context->base.encrypt || (context->has_tag && !context->tag_spent);
}

int pieces_data(pieces_context *context, uint8_t *out, const uint8_t *in, size_t size)
{
    int good;

    if (is_first(context, size)) {
        rijn_status status;

        memcpy(context->kept.text, in, size);
        context->kept.text_size = size;
        status = pieces_whole(context, out, in, size);
        if (status == RIJN_OK) {
            context->iv_state = IV_SEALED;
            context->sealed_encrypt = context->base.encrypt;
            context->tag_ready = 0;
            return 1;
        }
        /* A wrong tag is no error yet, because the message may go on. The input is lost if it was in place. */
        if (status == RIJN_ERR_TAG)
            in = context->kept.text;
    }
    good = pieces_stream(context) && ACCEPT(context, moving(pieces_crypt, context, out, in, size));
    pieces_forget(context);
    return good;
}
