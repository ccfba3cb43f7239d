/* Nonces and records of GCM for TLS 1.2 (RFC 5288) and SSH (RFC 5647). */
#include <string.h>

#include "pieces.h"

enum {
    EXPLICIT = 8, /* bytes of the nonce in front of the record, which count */
    FIXED = 4
};

/* Adds 1 to the last 8 bytes of the IV. */
static void count_record(pieces_context *context)
{
    uint8_t *counter = context->iv + context->iv_size - EXPLICIT;

    for (int i = EXPLICIT - 1; i >= 0 && ++counter[i] == 0; i--)
        ;
    context->iv_spent = 0;
}

int set_fixed_iv(pieces_context *context, const uint8_t *fixed, size_t size)
{
    if (size == SIZE_MAX)
        size = context->iv_size;
    else if (size < FIXED || size > context->iv_size || context->iv_size - size < EXPLICIT)
        return 0;
    if (context->iv_size < EXPLICIT)
        return 0;
    memcpy(context->iv, fixed, size);
    if (context->base.encrypt && size < context->iv_size && !pieces_random_iv(context, size))
        return 0;
    context->iv_counts = 1;
    context->iv_spent = 0;
    context->iv_state = IV_GIVEN;
    pieces_forget(context);
    return 1;
}

int generate_iv(pieces_context *context, uint8_t *out, size_t size)
{
    if (!context->iv_counts || !context->base.key_set)
        return 0;
    pieces_forget(context);
    if (context->iv_spent)
        count_record(context);
    if (!pieces_begin(context))
        return 0;
    if (size == 0 || size > context->iv_size)
        size = context->iv_size;
    memcpy(out, context->iv + context->iv_size - size, size);
    count_record(context);
    return 1;
}

int accept_iv(pieces_context *context, const uint8_t *in, size_t size)
{
    if (!context->iv_counts || !context->base.key_set || context->base.encrypt ||
        size > context->iv_size)
        return 0;
    memcpy(context->iv + context->iv_size - size, in, size);
    pieces_forget(context);
    return pieces_begin(context);
}

int set_tls_aad(pieces_context *context, const uint8_t *aad, size_t size)
{
    if (!take_tls_aad(context->tls_aad, aad, size,
                      EXPLICIT + (context->base.encrypt ? 0 : RECORD_TAG)))
        return 0;
    context->has_tls_aad = 1;
    return 1;
}

int crypt_record(pieces_context *context, uint8_t *out, size_t *out_size, const uint8_t *in,
                 size_t size)
{
    uint8_t *explicit = context->iv + context->iv_size - EXPLICIT;
    uint8_t *text = out + EXPLICIT;
    const rijn_key *key = &context->key.aes;
    rijn_status status;

    context->has_tls_aad = 0;
    if (!context->base.key_set || !context->iv_counts || out != in || size < EXPLICIT + RECORD_TAG)
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    context->iv_state = IV_USED;
    pieces_forget(context);
    size -= EXPLICIT + RECORD_TAG;
    if (context->base.encrypt) {
        if (context->iv_spent)
            count_record(context);
        memcpy(out, explicit, EXPLICIT);
        status = rijn_gcm_seal(key, text, text + size, RECORD_TAG, context->iv, context->iv_size,
                               context->tls_aad, TLS_AAD, text, size);
        count_record(context);
        *out_size = size + EXPLICIT + RECORD_TAG;
    } else {
        memcpy(explicit, in, EXPLICIT);
        status = rijn_gcm_open(key, text, text + size, RECORD_TAG, context->iv, context->iv_size,
                               context->tls_aad, TLS_AAD, text, size);
        *out_size = size;
    }
    return ACCEPT(context, status);
}
