/* AEADs that take a message in pieces: GCM, XAES-256-GCM and AEGIS. GCM also has OpenSSL's calls for TLS 1.2
 * and SSH, which make nonces and whole records. */
#include <string.h>

#include "params.h"
#include "provider.h"
#include "rijn_machine.h"

enum {
    IV_MAX = 128, /* as OpenSSL's */
    TAG_MAX = RIJN_AEGIS_TAG_MAX,
    TLS_AAD = 13,     /* RFC 5246 section 6.2.3.3 */
    TLS_EXPLICIT = 8, /* RFC 5288 section 3: bytes of the nonce in front of the record */
    TLS_FIXED = 4,
    TLS_TAG = 16
};

typedef enum iv_state {
    IV_MISSING = 0,
    IV_GIVEN,   /* no call used it yet */
    IV_STARTED, /* the message has begun */
    IV_USED     /* the message has ended, or the size changed: a new IV is needed */
} iv_state;

typedef struct pieces_context {
    base base;
    union {
        rijn_key aes;
        rijn_aegis_key aegis;
    } key;
    uint8_t iv[IV_MAX];
    size_t iv_size;
    uint8_t tag[TAG_MAX];
    size_t tag_size;   /* 0: decryption has no tag yet */
    uint8_t tag_ready; /* encryption has ended, and `tag` is its tag */
    uint8_t iv_counts; /* the IV was given by tlsivfixed, so its last 8 bytes count records */
    uint8_t has_tls_aad;
    uint8_t tls_aad[TLS_AAD];
    iv_state iv_state;
    union {
        rijn_gcm gcm;
        struct {
            rijn_gcm gcm; /* first, as in the union */
            rijn_key derived;
        } xaes;
        rijn_aegis aegis;
    } state; /* last: contexts are only as long as their algorithm needs */
} pieces_context;

static int is_aegis(const pieces_context *context)
{
    return context->base.algorithm->kind >= KIND_AEGIS;
}

void *pieces_new(const provider_instance *provider, const cipher_spec *algorithm)
{
    pieces_context *context;
    size_t size = offsetof(pieces_context, state);

    if (algorithm->kind == KIND_GCM)
        size += sizeof context->state.gcm;
    else if (algorithm->kind == KIND_XAES)
        size += sizeof context->state.xaes;
    else
        size += sizeof context->state.aegis;
    context = plain_new(provider, algorithm, size);
    if (context != NULL)
        context->iv_size = algorithm->iv_size;
    return context;
}

void pieces_free(void *context)
{
    plain_free(context);
}

/* A GCM state points to its key. */
void *pieces_dup(void *opaque)
{
    const pieces_context *from = opaque;
    pieces_context *copy = plain_dup(opaque);
    const rijn_key *key;

    if (copy == NULL || is_aegis(from) || from->iv_state != IV_STARTED)
        return copy;
    key = from->base.algorithm->kind == KIND_XAES ? &copy->state.xaes.derived : &copy->key.aes;
    if (rijn_gcm_copy(&copy->state.gcm, &from->state.gcm, key) == RIJN_OK)
        return copy;
    plain_free(copy);
    return NULL;
}

/* ---- The state ---- */

static rijn_status set_key(pieces_context *context, const uint8_t *bytes, size_t size)
{
    rijn_status status;

    if (is_aegis(context))
        return rijn_aegis_key_init(&context->key.aegis, context->base.algorithm->kind - KIND_AEGIS,
                                   bytes, size, NULL);
    status = rijn_key_init(&context->key.aes, bytes, size, NULL);
    if (status == RIJN_OK && context->base.algorithm->kind == KIND_GCM)
        status = rijn_key_allow_short_tags(&context->key.aes); /* OpenSSL allows them */
    return status;
}

static rijn_status start(pieces_context *context)
{
    rijn_status status;

    if (is_aegis(context))
        return rijn_aegis_start(&context->state.aegis, &context->key.aegis, context->iv,
                                context->iv_size);
    if (context->base.algorithm->kind == KIND_GCM)
        return rijn_gcm_start(&context->state.gcm, &context->key.aes, context->iv,
                              context->iv_size);
    status = rijn_xaes_derive(&context->state.xaes.derived, &context->key.aes, context->iv);
    if (status != RIJN_OK)
        return status;
    return rijn_gcm_start(&context->state.gcm, &context->state.xaes.derived, context->iv + 12, 12);
}

static rijn_status add_ad(pieces_context *context, const uint8_t *ad, size_t size)
{
    return is_aegis(context) ? rijn_aegis_ad(&context->state.aegis, ad, size)
                             : rijn_gcm_ad(&context->state.gcm, ad, size);
}

static rijn_status crypt(void *opaque, uint8_t *out, const uint8_t *in, size_t size)
{
    pieces_context *context = opaque;

    if (is_aegis(context))
        return context->base.encrypt ? rijn_aegis_encrypt(&context->state.aegis, out, in, size)
                                     : rijn_aegis_decrypt(&context->state.aegis, out, in, size);
    return context->base.encrypt ? rijn_gcm_encrypt(&context->state.gcm, out, in, size)
                                 : rijn_gcm_decrypt(&context->state.gcm, out, in, size);
}

/* Ends the message: writes or compares the tag. */
static rijn_status finish(pieces_context *context)
{
    size_t size = context->tag_size;

    if (context->base.encrypt) {
        if (is_aegis(context))
            return rijn_aegis_finish(&context->state.aegis, context->tag, size);
        return rijn_gcm_finish(&context->state.gcm, context->tag, RIJN_GCM_TAG_MAX);
    }
    /* a message without data: librijn asks for one piece, to know the direction */
    return is_aegis(context) ? rijn_aegis_verify(&context->state.aegis, context->tag, size)
                             : rijn_gcm_verify(&context->state.gcm, context->tag, size);
}

/* ---- Nonces ---- */

static int random_iv(pieces_context *context, size_t from)
{
    return ACCEPT(context, rijn_random(context->iv + from, context->iv_size - from));
}

static int begin(pieces_context *context)
{
    if (!ACCEPT(context, start(context)))
        return 0;
    context->iv_state = IV_STARTED;
    context->tag_ready = 0;
    return 1;
}

/* Adds 1 to the last 8 bytes of the IV. */
static void count_record(pieces_context *context)
{
    uint8_t *counter = context->iv + context->iv_size - TLS_EXPLICIT;

    for (int i = TLS_EXPLICIT - 1; i >= 0 && ++counter[i] == 0; i--)
        ;
}

/* tlsivfixed: gives the part of the IV that stays. The rest is random at first and counts, or comes
 * with each record. A size of SIZE_MAX gives the whole IV. */
static int set_fixed_iv(pieces_context *context, const uint8_t *fixed, size_t size)
{
    if (size == SIZE_MAX)
        size = context->iv_size;
    else if (size < TLS_FIXED || size > context->iv_size || context->iv_size - size < TLS_EXPLICIT)
        return 0;
    memcpy(context->iv, fixed, size);
    if (context->base.encrypt && size < context->iv_size && !random_iv(context, size))
        return 0;
    context->iv_counts = 1;
    context->iv_state = IV_GIVEN;
    return 1;
}

/* tlsivgen: begins a message with the counted IV and gives out its last bytes. */
static int generate_iv(pieces_context *context, uint8_t *out, size_t size)
{
    if (!context->iv_counts || !context->base.key_set || !begin(context))
        return 0;
    if (size == 0 || size > context->iv_size)
        size = context->iv_size;
    memcpy(out, context->iv + context->iv_size - size, size);
    count_record(context);
    return 1;
}

/* tlsivinv: begins a message with the given last bytes of the IV. */
static int accept_iv(pieces_context *context, const uint8_t *in, size_t size)
{
    if (!context->iv_counts || !context->base.key_set || context->base.encrypt ||
        size > context->iv_size)
        return 0;
    memcpy(context->iv + context->iv_size - size, in, size);
    return begin(context);
}

/* ---- Records of TLS 1.2 (RFC 5288) ---- */

/* tlsaad: keeps the associated data of the next record, with the size of its text. */
static int set_tls_aad(pieces_context *context, const uint8_t *aad, size_t size)
{
    size_t overhead = TLS_EXPLICIT + (context->base.encrypt ? 0 : TLS_TAG);
    size_t text;

    if (size != TLS_AAD)
        return 0;
    text = (size_t)aad[TLS_AAD - 2] << 8 | aad[TLS_AAD - 1];
    if (text < overhead)
        return 0;
    text -= overhead;
    memcpy(context->tls_aad, aad, TLS_AAD);
    context->tls_aad[TLS_AAD - 2] = (uint8_t)(text >> 8);
    context->tls_aad[TLS_AAD - 1] = (uint8_t)text;
    context->has_tls_aad = 1;
    return 1;
}

/* Seals or opens a record in place, in one call: explicit nonce || text || tag. A record that is not
 * authentic becomes zeros. */
static int tls_record(pieces_context *context, uint8_t *out, size_t *out_size, const uint8_t *in,
                      size_t size)
{
    uint8_t *explicit = context->iv + context->iv_size - TLS_EXPLICIT;
    uint8_t *text = out + TLS_EXPLICIT;
    const rijn_key *key = &context->key.aes;
    rijn_status status;

    context->has_tls_aad = 0;
    context->iv_state = IV_USED;
    if (!context->base.key_set || !context->iv_counts || out != in || size < TLS_EXPLICIT + TLS_TAG)
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    size -= TLS_EXPLICIT + TLS_TAG;
    if (context->base.encrypt) {
        memcpy(out, explicit, TLS_EXPLICIT);
        status = rijn_gcm_seal(key, text, text + size, TLS_TAG, context->iv, context->iv_size,
                               context->tls_aad, TLS_AAD, text, size);
        count_record(context);
        *out_size = size + TLS_EXPLICIT + TLS_TAG;
    } else {
        memcpy(explicit, in, TLS_EXPLICIT);
        status = rijn_gcm_open(key, text, text + size, TLS_TAG, context->iv, context->iv_size,
                               context->tls_aad, TLS_AAD, text, size);
        *out_size = size;
    }
    return ACCEPT(context, status);
}

/* ---- Messages ---- */

static int pieces_init(pieces_context *context, const uint8_t *key, size_t key_size,
                       const uint8_t *iv, size_t iv_size, const OSSL_PARAM params[])
{
    if (iv != NULL) {
        if (iv_size != context->iv_size)
            return REFUSE(context, INVALID_IV_LENGTH);
        memcpy(context->iv, iv, iv_size);
        context->iv_state = IV_GIVEN;
    }
    if (key != NULL) {
        if (key_size != context->base.algorithm->key_size)
            return REFUSE(context, INVALID_KEY_LENGTH);
        if (!ACCEPT(context, set_key(context, key, key_size)))
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
        if (!random_iv(context, 0))
            return 0;
        context->iv_state = IV_GIVEN;
    }
    if (context->iv_state == IV_GIVEN)
        return begin(context);
    return context->iv_state == IV_STARTED || REFUSE(context, CIPHER_OPERATION_FAILED);
}

int pieces_update(void *opaque, unsigned char *out, size_t *out_size, size_t room,
                  const unsigned char *in, size_t size)
{
    pieces_context *context = opaque;

    *out_size = size;
    if (size == 0)
        return 1;
    if (room < size)
        return REFUSE(context, OUTPUT_BUFFER_TOO_SMALL);
    if (context->has_tls_aad)
        return tls_record(context, out, out_size, in, size);
    if (!ready(context))
        return 0;
    if (out == NULL)
        return ACCEPT(context, add_ad(context, in, size));
    return ACCEPT(context, moving(crypt, context, out, in, size));
}

int pieces_final(void *opaque, unsigned char *out, size_t *out_size, size_t room)
{
    pieces_context *context = opaque;

    (void)out;
    (void)room;
    *out_size = 0;
    if (!ready(context))
        return 0;
    if (context->tag_size == 0) {
        if (!context->base.encrypt)
            return REFUSE(context, TAG_NOT_SET);
        context->tag_size = RIJN_GCM_TAG_MAX;
    }
    context->iv_state = IV_USED;
    if (!ACCEPT(context, finish(context)))
        return 0;
    context->tag_ready = context->base.encrypt;
    return 1;
}

int pieces_cipher(void *context, unsigned char *out, size_t *out_size, size_t room,
                  const unsigned char *in, size_t size)
{
    return in == NULL ? pieces_final(context, out, out_size, room)
                      : pieces_update(context, out, out_size, room, in, size);
}

/* ---- Parameters ---- */

static int get_tag(pieces_context *context, OSSL_PARAM *param)
{
    size_t size = param->data_size;
    int whole = is_aegis(context) || context->base.algorithm->kind == KIND_XAES;

    if (!context->tag_ready || size == 0 || size > context->tag_size ||
        (whole && size != context->tag_size))
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
            good = put_number(param, context->tag_size ? context->tag_size : RIJN_GCM_TAG_MAX);
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
            good = put_number(param, context->has_tls_aad ? TLS_TAG : 0);
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

/* Returns 1 if the algorithm has tags of this size. */
static int tag_fits(const pieces_context *context, size_t size)
{
    if (is_aegis(context))
        return size == 16 || size == 32;
    return context->base.algorithm->kind == KIND_XAES ? size == 16 : size >= 1 && size <= 16;
}

/* Sets the tag to compare with, or only its size if there are no bytes. */
static int set_tag(pieces_context *context, const OSSL_PARAM *param)
{
    if (param->data_type != OSSL_PARAM_OCTET_STRING || !tag_fits(context, param->data_size))
        return REFUSE(context, INVALID_TAG_LENGTH);
    if (param->data != NULL) {
        if (context->base.encrypt)
            return REFUSE(context, INVALID_TAG);
        memcpy(context->tag, param->data, param->data_size);
    } else if (!is_aegis(context)) {
        return REFUSE(context, INVALID_TAG); /* its tags are cut to size when they are read */
    }
    context->tag_size = param->data_size;
    return 1;
}

static int set_iv_size(pieces_context *context, size_t size)
{
    int fixed = context->base.algorithm->kind != KIND_GCM;

    if (fixed ? size != context->base.algorithm->iv_size : size == 0 || size > IV_MAX)
        return REFUSE(context, INVALID_IV_LENGTH);
    if (size != context->iv_size) {
        context->iv_size = size;
        if (context->iv_state != IV_MISSING)
            context->iv_state = IV_USED;
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
            good = get_number(param, &number) && tag_fits(context, number);
            if (good)
                context->tag_size = number;
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
