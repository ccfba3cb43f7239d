/* AEADs that take a message in pieces: GCM, XAES-256-GCM, OCB and AEGIS. */
#include "pieces.h"

#include <string.h>

#include "params.h"
#include "rijn_machine.h"

void *pieces_new(const provider_instance *provider, const cipher_spec *algorithm)
{
    pieces_context *context = plain_new(provider, algorithm, pieces_size(algorithm->kind));

    if (context != NULL) {
        context->iv_size = algorithm->iv_size;
        context->tag_size = 16;
    }
    return context;
}

void *pieces_dup(void *context)
{
    pieces_context *copy = plain_dup(context);

    if (copy == NULL || pieces_copy(copy, context) == RIJN_OK)
        return copy;
    plain_free(copy);
    return NULL;
}

/* ---- Messages ---- */

int pieces_random_iv(pieces_context *context, size_t from)
{
    context->iv_random = 1;
    return ACCEPT(context, rijn_random(context->iv + from, context->iv_size - from));
}

int pieces_begin(pieces_context *context)
{
    if (!ACCEPT(context, pieces_start(context)))
        return 0;
    context->iv_state = IV_STARTED;
    context->tag_ready = 0;
    return 1;
}

static int pieces_init(pieces_context *context, const uint8_t *key, size_t key_size,
                       const uint8_t *iv, size_t iv_size, const OSSL_PARAM params[])
{
    if (iv != NULL) {
        if (iv_size != context->iv_size)
            return REFUSE(context, INVALID_IV_LENGTH);
        memcpy(context->iv, iv, iv_size);
        context->iv_state = IV_GIVEN;
        context->iv_spent = 0;
        context->has_tls_aad = 0;
        pieces_forget(context);
    } else if (context->iv_state == IV_SEALED && context->sealed_encrypt != context->base.encrypt) {
        context->iv_state = IV_USED;
        pieces_forget(context);
    }
    if (key != NULL) {
        context->base.key_set = 0;
        context->has_tls_aad = 0;
        /* a message that the old key began is lost */
        if (context->iv_state == IV_STARTED || context->iv_state == IV_SEALED ||
            context->kept.ad_size != 0) {
            context->iv_state = IV_USED;
            pieces_forget(context);
        }
        if (key_size != context->base.algorithm->key_size)
            return REFUSE(context, INVALID_KEY_LENGTH);
        if (!ACCEPT(context, pieces_set_key(context, key, key_size)))
            return 0;
        context->base.key_set = 1;
    }
    return pieces_set_params(context, params);
}

START_FUNCTIONS(pieces)

/* Prepares a call with data, associated data, or the end of the message. */
static int ready(pieces_context *context)
{
    if (!context->base.key_set)
        return REFUSE(context, NO_KEY_SET);
    if (context->iv_state == IV_MISSING && context->base.encrypt &&
        context->base.algorithm->kind == KIND_GCM && context->iv_size >= 12) {
        if (!pieces_random_iv(context, 0))
            return 0;
        context->iv_state = IV_GIVEN;
    }
    if (context->iv_state == IV_MISSING || context->iv_state == IV_USED)
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    if (context->iv_state == IV_GIVEN)
        context->iv_spent = 1;
    return 1;
}

/* OCB: passes on whole blocks and keeps the rest. */
static int update_blocks(pieces_context *context, uint8_t *out, size_t *out_size, size_t room,
                         const uint8_t *in, size_t size)
{
    uint8_t *buffer = context->state.ocb.buffer;
    size_t buffered, whole;

    if (context->iv_state == IV_GIVEN && size % BLOCK == 0)
        return pieces_data(context, out, in, size);
    if (!pieces_stream(context))
        return 0;
    buffered = context->state.ocb.buffered;
    whole = (buffered + size) / BLOCK * BLOCK;
    if (whole > room)
        return REFUSE(context, OUTPUT_BUFFER_TOO_SMALL);
    *out_size = whole;
    if (whole != 0 && buffered != 0) {
        size_t missing = BLOCK - buffered;

        /* the first block must not be written over input that is still to be read */
        if (overlap(out, BLOCK, in + missing, size - missing))
            return ACCEPT(context, RIJN_ERR_OVERLAP);
        memcpy(buffer + buffered, in, missing);
        if (!ACCEPT(context, pieces_crypt(context, out, buffer, BLOCK)))
            return 0;
        in += missing;
        size -= missing;
        out += BLOCK;
        whole -= BLOCK;
        buffered = 0;
    }
    if (whole != 0) {
        if (!ACCEPT(context, moving(pieces_crypt, context, out, in, whole)))
            return 0;
        in += whole;
        size -= whole;
    }
    memcpy(buffer + buffered, in, size);
    context->state.ocb.buffered = buffered + size;
    return 1;
}

/* Processes data, or associated data if `out` is NULL. */
static int pass(pieces_context *context, uint8_t *out, size_t *out_size, size_t room,
                const uint8_t *in, size_t size, int buffer)
{
    *out_size = size;
    if (size == 0)
        return 1;
    if (!context->has_tls_aad && !ready(context)) /* a record has a nonce of its own */
        return 0;
    if (in == NULL)
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    if (room < size)
        return REFUSE(context, OUTPUT_BUFFER_TOO_SMALL);
    if (context->has_tls_aad)
        return crypt_record(context, out, out_size, in, size);
    if (out == NULL)
        return keep_ad(context, in, size) ||
               (pieces_stream(context) && ACCEPT(context, pieces_ad(context, in, size)));
    if (buffer)
        return update_blocks(context, out, out_size, room, in, size);
    return pieces_data(context, out, in, size);
}

/* Ends the message if a piece fails: its tag would be that of a message without the piece. */
static int update(pieces_context *context, uint8_t *out, size_t *out_size, size_t room,
                  const uint8_t *in, size_t size, int buffer)
{
    if (pass(context, out, out_size, room, in, size, buffer))
        return 1;
    if (context->base.key_set && context->iv_state != IV_MISSING) {
        context->iv_state = IV_USED;
        pieces_forget(context);
    }
    return 0;
}

int pieces_update(void *opaque, unsigned char *out, size_t *out_size, size_t room,
                  const unsigned char *in, size_t size)
{
    pieces_context *context = opaque;

    return update(context, out, out_size, room, in, size,
                  context->base.algorithm->kind == KIND_OCB);
}

/* Gives out the rest of OCB's data, and ends the message in its state. */
static int finish(pieces_context *context, uint8_t *out, size_t *out_size, size_t room)
{
    size_t size;

    if (!pieces_stream(context))
        return 0;
    size = context->base.algorithm->kind == KIND_OCB ? context->state.ocb.buffered : 0;
    if (size > room)
        return REFUSE(context, OUTPUT_BUFFER_TOO_SMALL);
    if (size != 0) {
        if (!ACCEPT(context, pieces_crypt(context, out, context->state.ocb.buffer, size)))
            return 0;
        context->state.ocb.buffered = 0;
        *out_size = size;
    }
    context->iv_state = IV_USED;
    return ACCEPT(context, pieces_finish(context));
}

int pieces_final(void *opaque, unsigned char *out, size_t *out_size, size_t room)
{
    pieces_context *context = opaque;

    *out_size = 0;
    if (!ready(context))
        return 0;
    if (!context->base.encrypt && !context->has_tag)
        return REFUSE(context, TAG_NOT_SET);
    context->tag_spent = 1;
    if (context->iv_state != IV_SEALED && !finish(context, out, out_size, room))
        return 0;
    context->iv_state = IV_USED;
    pieces_forget(context);
    context->tag_ready = context->base.encrypt;
    if (context->base.encrypt)
        context->has_tag = 0; /* a later decryption must not find this one */
    return 1;
}

/* EVP_Cipher. It returns as many bytes as it gets, also for a record, and so OCB takes pieces of whole blocks
 * here. */
int pieces_cipher(void *context, unsigned char *out, size_t *out_size, size_t room,
                  const unsigned char *in, size_t size)
{
    if (in == NULL)
        return pieces_final(context, out, out_size, room);
    if (!update(context, out, out_size, room, in, size, 0))
        return 0;
    *out_size = size;
    return 1;
}

/* ---- Parameters ---- */

static int get_tag(pieces_context *context, OSSL_PARAM *param)
{
    size_t size = param->data_size;
    int fits = context->base.algorithm->kind == KIND_GCM ? size >= 1 && size <= RIJN_GCM_TAG_MAX
                                                         : size == context->tag_size;

    if (!context->tag_ready || !fits)
        return REFUSE(context, INVALID_TAG);
    return put_bytes(param, context->tag, size);
}

int pieces_get_params(void *opaque, OSSL_PARAM params[])
{
    pieces_context *context = opaque;

    for (OSSL_PARAM *param = params; param != NULL && param->key != NULL; param++) {
        int good = 1;

        switch (find_parameter(param->key)) {
        case PARAMETER_KEYLEN:
            good = put_number(param, context->base.algorithm->key_size);
            break;
        case PARAMETER_IVLEN:
            good = put_number(param, context->iv_size);
            break;
        case PARAMETER_TAGLEN:
            good = put_number(param, context->tag_size);
            break;
        case PARAMETER_IV:
        case PARAMETER_UPDATED_IV:
            good =
                context->iv_state != IV_MISSING && put_bytes(param, context->iv, context->iv_size);
            break;
        case PARAMETER_TAG:
            good = get_tag(context, param);
            break;
        case PARAMETER_TLS_AAD_PAD:
            good = put_number(param, context->has_tls_aad ? RECORD_TAG : 0);
            break;
        case PARAMETER_IV_GENERATED:
            if (context->base.algorithm->kind == KIND_GCM)
                good = put_number(param, context->iv_random);
            break;
        case PARAMETER_TLS_IV_GENERATE:
            good = context->base.algorithm->kind == KIND_GCM && param->data != NULL &&
                   param->data_type == OSSL_PARAM_OCTET_STRING &&
                   generate_iv(context, param->data, param->data_size);
            break;
        default:
            break;
        }
        if (!good)
            return REFUSE(context, FAILED_TO_SET_PARAMETER);
    }
    return 1;
}

/* Sets the size of the tag. */
static int set_tag_size(pieces_context *context, size_t size)
{
    int good;

    if (context->iv_state == IV_SEALED && !pieces_stream(context))
        return 0; /* the message got its tag, or was compared with one, already */
    switch (context->base.algorithm->kind) {
    case KIND_GCM:
    case KIND_OCB:
        good = size >= 1 && size <= 16;
        break;
    case KIND_XAES:
        good = size == 16;
        break;
    default:
        good = size == 16 || size == 32;
        break;
    }
    /* the size acts from the start of an OCB message on */
    if (context->base.algorithm->kind == KIND_OCB && context->iv_state == IV_STARTED)
        good = good && size == context->tag_size;
    if (!good)
        return REFUSE(context, INVALID_TAG_LENGTH);
    context->tag_size = size;
    return 1;
}

/* Sets the tag to compare with, or only its size if there are no bytes. GCM, whose tags are cut when they
 * are read, refuses a size alone, as OpenSSL does. */
static int set_tag(pieces_context *context, const OSSL_PARAM *param)
{
    int kind = context->base.algorithm->kind;

    if (param->data_type != OSSL_PARAM_OCTET_STRING)
        return 0;
    if (param->data == NULL)
        return kind == KIND_GCM ? REFUSE(context, INVALID_TAG)
                                : set_tag_size(context, param->data_size);
    if (context->base.encrypt)
        return REFUSE(context, INVALID_TAG);
    if (kind == KIND_OCB && param->data_size != context->tag_size)
        return REFUSE(context, INVALID_TAG_LENGTH);
    if (!set_tag_size(context, param->data_size))
        return 0;
    memcpy(context->tag, param->data, param->data_size);
    context->has_tag = 1;
    context->tag_spent = 0;
    return 1;
}

static int set_iv_size(pieces_context *context, size_t size)
{
    int kind = context->base.algorithm->kind;
    size_t most = kind == KIND_GCM ? IV_MAX : kind == KIND_OCB ? 15 : size;

    if (size == 0 || size > most)
        return REFUSE(context, INVALID_IV_LENGTH);
    if (kind != KIND_GCM && kind != KIND_OCB && size != context->base.algorithm->iv_size)
        return REFUSE(context, INVALID_IV_LENGTH);
    if (size != context->iv_size) {
        context->iv_size = size;
        context->iv_counts = 0;
        if (context->iv_state != IV_MISSING)
            context->iv_state = IV_USED;
        pieces_forget(context);
    }
    return 1;
}

int pieces_set_params(void *opaque, const OSSL_PARAM params[])
{
    pieces_context *context = opaque;
    int gcm = context->base.algorithm->kind == KIND_GCM;

    for (const OSSL_PARAM *param = params; param != NULL && param->key != NULL; param++) {
        int bytes = param->data_type == OSSL_PARAM_OCTET_STRING && param->data != NULL;
        size_t number;
        int good = 1;

        switch (find_parameter(param->key)) {
        case PARAMETER_KEYLEN:
            good = get_number(param, &number) && number == context->base.algorithm->key_size;
            break;
        case PARAMETER_IVLEN:
            good = get_number(param, &number) && set_iv_size(context, number);
            break;
        case PARAMETER_TAGLEN:
            good = get_number(param, &number) && set_tag_size(context, number);
            break;
        case PARAMETER_TAG:
            good = set_tag(context, param);
            break;
        case PARAMETER_TLS_AAD:
            good = gcm && bytes && set_tls_aad(context, param->data, param->data_size);
            break;
        case PARAMETER_TLS_IV_FIXED:
            good = gcm && bytes && set_fixed_iv(context, param->data, param->data_size);
            break;
        case PARAMETER_TLS_IV_GIVEN:
            good = gcm && bytes && accept_iv(context, param->data, param->data_size);
            break;
        default:
            break;
        }
        if (!good)
            return REFUSE(context, FAILED_TO_GET_PARAMETER);
    }
    return 1;
}
