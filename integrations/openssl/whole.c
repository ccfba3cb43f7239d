/* AEADs that need the whole message in one call: CCM, GCM-SIV and SIV. The context keeps copies of the associated
 * data until the message comes. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "params.h"
#include "provider.h"

enum {
    TAG_MAX = 16,
    TLS_EXPLICIT = 8, /* RFC 6655 section 3: bytes of the nonce in front of the record */
    TLS_FIXED = 4
};

typedef struct whole_context {
    base base;
    uint8_t iv[16];
    size_t iv_size;
    uint8_t tag[TAG_MAX];
    size_t tag_size;
    uint8_t has_tag;   /* decryption: `tag` was given */
    uint8_t tag_ready; /* encryption has ended, and `tag` is its tag */
    uint8_t iv_set;
    uint8_t done;     /* the message was there */
    uint8_t repeats;  /* "speed": several messages after one start, to measure */
    uint8_t has_size; /* CCM: the size of the message was announced */
    uint8_t has_tls_aad;
    uint8_t tls_aad[TLS_AAD];
    size_t announced;
    uint8_t *ad; /* allocated */
    size_t ad_size, ad_room;
    size_t count; /* SIV: associated strings, one after the other in `ad` */
    size_t ends[RIJN_SIV_STRINGS_MAX];
    union {
        rijn_key aes;
        rijn_siv_key siv;
    } key; /* last: contexts are only as long as their key */
} whole_context;

void *whole_new(const provider_instance *provider, const cipher_spec *algorithm)
{
    whole_context *context = NULL;
    size_t key = algorithm->kind == KIND_SIV ? sizeof context->key.siv : sizeof context->key.aes;

    context = plain_new(provider, algorithm, offsetof(whole_context, key) + key);
    if (context != NULL) {
        context->iv_size = algorithm->iv_size;
        context->tag_size = TAG_MAX;
        context->iv_set = algorithm->iv_size == 0;
        if (algorithm->kind == KIND_CCM) { /* OpenSSL's sizes, until the caller sets others */
            context->iv_size = 7;
            context->tag_size = 12;
        }
    }
    return context;
}

/* Forgets the associated data, and keeps the memory. */
static void forget_ad(whole_context *context)
{
    rijn_wipe(context->ad, context->ad_size);
    context->ad_size = 0;
    context->count = 0;
}

void whole_free(void *opaque)
{
    whole_context *context = opaque;

    if (context == NULL)
        return;
    forget_ad(context);
    free(context->ad);
    plain_free(context);
}

void *whole_dup(void *opaque)
{
    whole_context *copy = plain_dup(opaque);
    const whole_context *from = opaque;

    if (copy == NULL || from->ad == NULL)
        return copy;
    copy->ad = malloc(from->ad_room);
    if (copy->ad == NULL) {
        plain_free(copy);
        return NULL;
    }
    memcpy(copy->ad, from->ad, from->ad_size);
    return copy;
}

static rijn_status set_key(whole_context *context, const uint8_t *bytes, size_t size)
{
    rijn_status status;

    if (context->base.algorithm->kind == KIND_SIV)
        return rijn_siv_key_init(&context->key.siv, bytes, size, NULL);
    status = rijn_key_init(&context->key.aes, bytes, size, NULL);
    if (status == RIJN_OK && context->base.algorithm->kind == KIND_CCM)
        status = rijn_key_allow_short_tags(&context->key.aes); /* OpenSSL allows them */
    return status;
}

static int whole_init(whole_context *context, const uint8_t *key, size_t key_size,
                      const uint8_t *iv, size_t iv_size, const OSSL_PARAM params[])
{
    int with_iv = iv != NULL && context->iv_size != 0;

    /* a message that the old key began is lost */
    if (key != NULL && !with_iv && context->ad_size != 0 && context->iv_size != 0)
        context->iv_set = 0;
    if (key != NULL || with_iv || context->done) { /* a new message */
        forget_ad(context);
        context->done = 0;
        context->base.failed = 0;
        context->has_size = 0;
        context->has_tls_aad = 0;
    }
    if (with_iv) {
        if (iv_size != context->iv_size)
            return REFUSE(context, INVALID_IV_LENGTH);
        memcpy(context->iv, iv, iv_size);
        context->iv_set = 1;
    }
    if (key != NULL) {
        context->base.key_set = 0;
        if (key_size != context->base.algorithm->key_size)
            return REFUSE(context, INVALID_KEY_LENGTH);
        if (!ACCEPT(context, set_key(context, key, key_size)))
            return 0;
        context->base.key_set = 1;
    }
    return whole_set_params(context, params);
}

START_FUNCTIONS(whole)

/* Appends associated data: for SIV, the next string. */
static int add_ad(whole_context *context, const uint8_t *ad, size_t size)
{
    if (!context->iv_set || (context->done && !context->repeats))
        return REFUSE(context, CIPHER_OPERATION_FAILED); /* no message would have them */
    if (context->base.algorithm->kind == KIND_SIV && context->count == RIJN_SIV_STRINGS_MAX)
        return REFUSE(context, INVALID_AAD);
    if ((ad == NULL && size != 0) || size > SIZE_MAX / 4 - context->ad_size)
        return REFUSE(context, INVALID_AAD);
    if (context->ad_size + size > context->ad_room) {
        size_t room = 2 * (context->ad_size + size) + 64;
        uint8_t *longer = malloc(room);

        if (longer == NULL)
            return 0;
        if (context->ad_size != 0)
            memcpy(longer, context->ad, context->ad_size);
        rijn_wipe(context->ad, context->ad_size);
        free(context->ad);
        context->ad = longer;
        context->ad_room = room;
    }
    if (size != 0)
        memcpy(context->ad + context->ad_size, ad, size);
    context->ad_size += size;
    if (context->base.algorithm->kind == KIND_SIV)
        context->ends[context->count++] = context->ad_size;
    return 1;
}

/* Seals or opens the message. */
static rijn_status crypt(whole_context *context, uint8_t *out, const uint8_t *in, size_t size)
{
    const rijn_key *key = &context->key.aes;
    uint8_t *tag = context->tag;
    size_t tag_size = context->tag_size, iv_size = context->iv_size, ad_size = context->ad_size;
    const uint8_t *iv = context->iv, *ad = context->ad;
    rijn_string strings[RIJN_SIV_STRINGS_MAX];
    int encrypt = context->base.encrypt;
    size_t from = 0;

    switch (context->base.algorithm->kind) {
    case KIND_CCM:
        return encrypt ? rijn_ccm_seal(key, out, tag, tag_size, iv, iv_size, ad, ad_size, in, size)
                       : rijn_ccm_open(key, out, tag, tag_size, iv, iv_size, ad, ad_size, in, size);
    case KIND_GCM_SIV:
        return encrypt
                   ? rijn_gcm_siv_seal(key, out, tag, tag_size, iv, iv_size, ad, ad_size, in, size)
                   : rijn_gcm_siv_open(key, out, tag, tag_size, iv, iv_size, ad, ad_size, in, size);
    default:
        for (size_t i = 0; i < context->count; i++) {
            /* without associated data there is no memory */
            strings[i] = (rijn_string){ad == NULL ? NULL : ad + from, context->ends[i] - from};
            from = context->ends[i];
        }
        return encrypt
                   ? rijn_siv_seal(&context->key.siv, out, tag, strings, context->count, in, size)
                   : rijn_siv_open(&context->key.siv, out, tag, strings, context->count, in, size);
    }
}

static int message(whole_context *context, uint8_t *out, const uint8_t *in, size_t size)
{
    rijn_status status;

    if (context->base.failed || !context->iv_set || (context->done && !context->repeats) ||
        (context->has_size && context->announced != size))
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    if (!context->base.encrypt && !context->has_tag)
        return REFUSE(context, TAG_NOT_SET);
    context->done = 1;
    context->tag_ready = 0;
    status = crypt(context, out, in, size);
    /* OpenSSL's GCM-SIV tells a wrong tag at the end of the message. `out` is zeros already. */
    context->base.failed = status != RIJN_OK;
    if (status == RIJN_ERR_TAG && context->base.algorithm->kind == KIND_GCM_SIV)
        return 1;
    if (!ACCEPT(context, status))
        return 0;
    context->tag_ready = context->base.encrypt;
    if (context->base.encrypt)
        context->has_tag = 0; /* a later decryption must not find this one */
    if (context->base.algorithm->kind == KIND_CCM && !context->repeats)
        context->iv_set = 0; /* the next message needs another */
    return 1;
}

/* ---- Records of TLS 1.2 with CCM (RFC 6655) ---- */

static int set_tls_aad(whole_context *context, const uint8_t *aad, size_t size)
{
    if (!take_tls_aad(context->tls_aad, aad, size,
                      TLS_EXPLICIT + (context->base.encrypt ? 0 : context->tag_size)))
        return 0;
    context->has_tls_aad = 1;
    return 1;
}

/* Seals or opens a record in place: explicit nonce || text || tag. The explicit nonce is the sequence number,
 * with which the associated data begin. */
static int tls_record(whole_context *context, uint8_t *out, size_t *out_size, const uint8_t *in,
                      size_t size)
{
    uint8_t *text = out + TLS_EXPLICIT, *iv = context->iv;
    size_t tag_size = context->tag_size;
    const rijn_key *key = &context->key.aes;
    rijn_status status;

    context->has_tls_aad = 0;
    context->iv_set = 0; /* the record takes the IV */
    if (in == NULL || out != in || size < TLS_EXPLICIT + tag_size ||
        context->iv_size != TLS_FIXED + TLS_EXPLICIT)
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    size -= TLS_EXPLICIT + tag_size;
    if (context->base.encrypt)
        memcpy(out, context->tls_aad, TLS_EXPLICIT);
    memcpy(iv + TLS_FIXED, in, TLS_EXPLICIT);
    if (context->base.encrypt) {
        status = rijn_ccm_seal(key, text, text + size, tag_size, iv, context->iv_size,
                               context->tls_aad, TLS_AAD, text, size);
        *out_size = size + TLS_EXPLICIT + tag_size;
    } else {
        status = rijn_ccm_open(key, text, text + size, tag_size, iv, context->iv_size,
                               context->tls_aad, TLS_AAD, text, size);
        *out_size = size;
    }
    return ACCEPT(context, status);
}

/* ---- Calls ---- */

static int update(whole_context *context, uint8_t *out, size_t *out_size, size_t room,
                  const uint8_t *in, size_t size)
{
    if (!context->base.key_set)
        return REFUSE(context, NO_KEY_SET);
    *out_size = size;
    if (room < size)
        return REFUSE(context, OUTPUT_BUFFER_TOO_SMALL);
    if (context->has_tls_aad)
        return tls_record(context, out, out_size, in, size);
    if (out == NULL && in == NULL && context->base.algorithm->kind == KIND_CCM) {
        context->has_size = 1;
        context->announced = size;
        return 1;
    }
    if (out == NULL)
        return add_ad(context, in, size);
    /* callers may omit the end of a message, so an empty one is processed here; SIV as in OpenSSL at the
     * end */
    if (size == 0 && (in == NULL || context->base.algorithm->kind == KIND_SIV))
        return 1;
    return message(context, out, in, size);
}

int whole_update(void *opaque, unsigned char *out, size_t *out_size, size_t room,
                 const unsigned char *in, size_t size)
{
    whole_context *context = opaque;

    return remember(&context->base, update(context, out, out_size, room, in, size));
}

int whole_final(void *opaque, unsigned char *out, size_t *out_size, size_t room)
{
    whole_context *context = opaque;

    (void)out;
    (void)room;
    *out_size = 0;
    if (!context->base.key_set)
        return REFUSE(context, NO_KEY_SET);
    if (!context->done && !context->base.failed && !message(context, NULL, NULL, 0))
        return 0;
    return !context->base.failed;
}

/* EVP_Cipher. It returns as many bytes as it gets, also for a record. */
int whole_cipher(void *context, unsigned char *out, size_t *out_size, size_t room,
                 const unsigned char *in, size_t size)
{
    if (in == NULL && size == 0)
        return whole_final(context, out, out_size, room);
    if (!whole_update(context, out, out_size, room, in, size))
        return 0;
    *out_size = size;
    return 1;
}

/* ---- Parameters ---- */

int whole_get_params(void *opaque, OSSL_PARAM params[])
{
    whole_context *context = opaque;

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
            good = put_bytes(param, context->iv, context->iv_size);
            break;
        case PARAMETER_TAG:
            good = context->tag_ready && !context->base.failed &&
                   param->data_size == context->tag_size &&
                   put_bytes(param, context->tag, context->tag_size);
            break;
        case PARAMETER_TLS_AAD_PAD:
            good = put_number(param, context->has_tls_aad ? context->tag_size : 0);
            break;
        default:
            break;
        }
        if (!good)
            return REFUSE(context, FAILED_TO_SET_PARAMETER);
    }
    return 1;
}

/* Sets the tag to compare with, or only its size if there are no bytes. */
static int set_tag(whole_context *context, const OSSL_PARAM *param)
{
    size_t size = param->data_size;
    int ccm = context->base.algorithm->kind == KIND_CCM;

    if (param->data_type != OSSL_PARAM_OCTET_STRING)
        return 0;
    if (ccm ? size < 4 || size > 16 || size % 2 != 0 : size != TAG_MAX)
        return REFUSE(context, INVALID_TAG_LENGTH);
    if (param->data != NULL) {
        if (context->base.encrypt)
            return ccm ? REFUSE(context, TAG_NOT_NEEDED) : 1; /* as OpenSSL */
        memcpy(context->tag, param->data, size);
        context->has_tag = 1;
    }
    context->tag_size = size;
    return 1;
}

static int set_iv_size(whole_context *context, size_t size)
{
    int ccm = context->base.algorithm->kind == KIND_CCM;

    if (ccm ? size < 7 || size > 13 : size != context->iv_size)
        return REFUSE(context, INVALID_IV_LENGTH);
    if (size != context->iv_size) {
        context->iv_size = size;
        context->iv_set = 0;
    }
    return 1;
}

int whole_set_params(void *opaque, const OSSL_PARAM params[])
{
    whole_context *context = opaque;
    int ccm = context->base.algorithm->kind == KIND_CCM;

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
        case PARAMETER_TAG:
            good = set_tag(context, param);
            break;
        case PARAMETER_SPEED:
            good = get_number(param, &number);
            if (good && !ccm) /* two messages of CCM with one IV would give away their texts */
                context->repeats = number == 1;
            break;
        case PARAMETER_TLS_AAD:
            good = ccm && bytes && set_tls_aad(context, param->data, param->data_size);
            break;
        case PARAMETER_TLS_IV_FIXED:
            good = ccm && bytes && param->data_size == TLS_FIXED;
            if (good) {
                memcpy(context->iv, param->data, TLS_FIXED);
                context->iv_set = 0;
            }
            break;
        default:
            break;
        }
        if (!good)
            return REFUSE(context, FAILED_TO_GET_PARAMETER);
    }
    return 1;
}
