/* CMAC and GMAC. Both take the name of a cipher, whose key size counts, as OpenSSL's do. */
#include <stdlib.h>
#include <string.h>
#include <openssl/evp.h>

#include "params.h"
#include "provider.h"

enum { IV_MAX = 128, TAG_SIZE = 16 };

typedef struct mac_context {
    const provider_instance *provider;
    int gmac;
    size_t key_size; /* 0: no cipher yet */
    uint8_t key_set;
    int started;
    int failed;     /* an update failed, so the end fails too */
    size_t iv_size; /* GMAC; 0: no IV, or its message is done */
    uint8_t iv[IV_MAX];
    rijn_key key;
    union {
        rijn_cmac_state cmac;
        rijn_gcm gcm;
    } state;
} mac_context;

/* The contexts of MACs do not begin as those of ciphers. */
#define REFUSE_MAC(context, reason) \
    report((context)->provider, PROV_R_##reason, "", __FILE__, __LINE__, __func__)
#define ACCEPT_MAC(context, status) \
    accept_status((context)->provider, status, __FILE__, __LINE__, __func__)

static void *new_context(void *provider, int gmac)
{
    mac_context *context = calloc(1, sizeof *context);

    if (context != NULL) {
        context->provider = provider;
        context->gmac = gmac;
    }
    return context;
}

static void *cmac_new(void *provider)
{
    return new_context(provider, 0);
}

static void *gmac_new(void *provider)
{
    return new_context(provider, 1);
}

static void mac_free(void *context)
{
    if (context == NULL)
        return;
    rijn_wipe(context, sizeof(mac_context));
    free(context);
}

static void *mac_dup(void *opaque)
{
    const mac_context *from = opaque;
    mac_context *copy = malloc(sizeof *copy);
    rijn_status status = RIJN_OK;

    if (copy == NULL)
        return NULL;
    memcpy(copy, from, sizeof *copy);
    if (from->started) /* the states point to their key */
        status = from->gmac ? rijn_gcm_copy(&copy->state.gcm, &from->state.gcm, &copy->key)
                            : rijn_cmac_copy(&copy->state.cmac, &from->state.cmac, &copy->key);
    if (status == RIJN_OK)
        return copy;
    mac_free(copy);
    return NULL;
}

/* Takes the key size from the name of a cipher: CBC or ECB for CMAC, GCM for GMAC. */
static int set_cipher(mac_context *context, const OSSL_PARAM *param)
{
    const char *name;
    size_t size = get_text(param, &name);
    const cipher_spec *cipher = size == 0 ? NULL : find_cipher(name, size);

    if (cipher == NULL)
        return REFUSE_MAC(context, MISSING_CIPHER);
    if (context->gmac ? cipher->mode != EVP_CIPH_GCM_MODE
                      : cipher->block_size != BLOCK || cipher->flags != 0)
        return REFUSE_MAC(context, INVALID_MODE);
    context->key_size = cipher->key_size;
    context->key_set = 0;
    context->started = 0;
    return 1;
}

static int set_key(mac_context *context, const uint8_t *key, size_t size)
{
    if (context->key_size == 0)
        return REFUSE_MAC(context, MISSING_CIPHER);
    if (size != context->key_size)
        return REFUSE_MAC(context, INVALID_KEY_LENGTH);
    context->started = 0;
    context->key_set = 0;
    if (!ACCEPT_MAC(context, rijn_key_init(&context->key, key, size, NULL)))
        return 0;
    context->key_set = 1;
    return 1;
}

static int mac_set_params(void *opaque, const OSSL_PARAM params[])
{
    mac_context *context = opaque;
    const OSSL_PARAM *key = NULL;

    for (const OSSL_PARAM *param = params; param != NULL && param->key != NULL; param++) {
        int bytes = param->data_type == OSSL_PARAM_OCTET_STRING && param->data != NULL;

        switch (find_parameter(param->key)) {
        case PARAMETER_MAC_CIPHER:
            if (!set_cipher(context, param))
                return 0;
            break;
        case PARAMETER_MAC_KEY:
            if (!bytes)
                return REFUSE_MAC(context, FAILED_TO_GET_PARAMETER);
            key = param; /* it needs the cipher, which may come later in the list */
            break;
        case PARAMETER_IV:
            if (!context->gmac)
                break;
            if (!bytes || param->data_size == 0 || param->data_size > IV_MAX)
                return REFUSE_MAC(context, INVALID_IV_LENGTH);
            memcpy(context->iv, param->data, param->data_size);
            context->iv_size = param->data_size;
            context->started = 0;
            break;
        default:
            break;
        }
    }
    return key == NULL || set_key(context, key->data, key->data_size);
}

static int mac_init(void *opaque, const unsigned char *key, size_t key_size,
                    const OSSL_PARAM params[])
{
    mac_context *context = opaque;

    context->started = 0;
    context->failed = 0;
    return mac_set_params(context, params) && (key == NULL || set_key(context, key, key_size));
}

/* Starts the message when its first call comes. */
static int ready(mac_context *context)
{
    if (context->started)
        return 1;
    if (!context->key_set)
        return REFUSE_MAC(context, NO_KEY_SET);
    if (context->gmac && context->iv_size == 0)
        return REFUSE_MAC(context, INVALID_IV_LENGTH);
    context->started =
        ACCEPT_MAC(context, context->gmac ? rijn_gcm_start(&context->state.gcm, &context->key,
                                                           context->iv, context->iv_size)
                                          : rijn_cmac_start(&context->state.cmac, &context->key));
    return context->started;
}

static int mac_update(void *opaque, const unsigned char *in, size_t size)
{
    mac_context *context = opaque;

    if (size == 0)
        return 1;
    if (!ready(context))
        return 0;
    context->failed |=
        !ACCEPT_MAC(context, context->gmac ? rijn_gcm_ad(&context->state.gcm, in, size)
                                           : rijn_cmac_update(&context->state.cmac, in, size));
    return !context->failed;
}

static int mac_final(void *opaque, unsigned char *out, size_t *out_size, size_t room)
{
    mac_context *context = opaque;
    rijn_status status;

    if (room < TAG_SIZE)
        return REFUSE_MAC(context, OUTPUT_BUFFER_TOO_SMALL);
    if (context->failed)
        return REFUSE_MAC(context, CIPHER_OPERATION_FAILED);
    if (!ready(context))
        return 0;
    status = context->gmac ? rijn_gcm_finish(&context->state.gcm, out, TAG_SIZE)
                           : rijn_cmac_finish(&context->state.cmac, out, TAG_SIZE);
    context->started = 0;
    context->iv_size = 0; /* an IV serves once */
    *out_size = TAG_SIZE;
    return ACCEPT_MAC(context, status);
}

/* ---- Parameters ---- */

static int gmac_get_algorithm_params(OSSL_PARAM params[])
{
    for (OSSL_PARAM *param = params; param != NULL && param->key != NULL; param++)
        if (find_parameter(param->key) == PARAMETER_MAC_SIZE && !put_number(param, TAG_SIZE))
            return 0;
    return 1;
}

static int cmac_get_params(void *opaque, OSSL_PARAM params[])
{
    size_t size = ((mac_context *)opaque)->key_size == 0 ? 0 : TAG_SIZE;

    for (OSSL_PARAM *param = params; param != NULL && param->key != NULL; param++) {
        parameter which = find_parameter(param->key);

        if ((which == PARAMETER_MAC_SIZE || which == PARAMETER_MAC_BLOCK_SIZE) &&
            !put_number(param, size))
            return 0;
    }
    return 1;
}

static const OSSL_PARAM *gmac_gettable(void *provider)
{
    static const OSSL_PARAM list[] = {NUMBER(OSSL_MAC_PARAM_SIZE), END};

    (void)provider;
    return list;
}

static const OSSL_PARAM *cmac_gettable(void *context, void *provider)
{
    static const OSSL_PARAM list[] = {NUMBER(OSSL_MAC_PARAM_SIZE),
                                      NUMBER(OSSL_MAC_PARAM_BLOCK_SIZE), END};

    (void)context;
    (void)provider;
    return list;
}

static const OSSL_PARAM *mac_settable(void *context, void *provider)
{
    static const OSSL_PARAM list[] = {TEXT(OSSL_MAC_PARAM_CIPHER), TEXT(OSSL_MAC_PARAM_PROPERTIES),
                                      BYTES(OSSL_MAC_PARAM_KEY), BYTES(OSSL_MAC_PARAM_IV), END};

    (void)context;
    (void)provider;
    return list;
}

typedef void (*function)(void);

#define MAC_FUNCTIONS \
    {OSSL_FUNC_MAC_FREECTX, (function)mac_free}, {OSSL_FUNC_MAC_DUPCTX, (function)mac_dup}, \
        {OSSL_FUNC_MAC_INIT, (function)mac_init}, {OSSL_FUNC_MAC_UPDATE, (function)mac_update}, \
        {OSSL_FUNC_MAC_FINAL, (function)mac_final}, \
        {OSSL_FUNC_MAC_SET_CTX_PARAMS, (function)mac_set_params}, \
    { \
        OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, (function)mac_settable \
    }

static const OSSL_DISPATCH cmac_functions[] = {
    {OSSL_FUNC_MAC_NEWCTX, (function)cmac_new},
    {OSSL_FUNC_MAC_GET_CTX_PARAMS, (function)cmac_get_params},
    {OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS, (function)cmac_gettable},
    MAC_FUNCTIONS,
    {0, NULL}};

static const OSSL_DISPATCH gmac_functions[] = {
    {OSSL_FUNC_MAC_NEWCTX, (function)gmac_new},
    {OSSL_FUNC_MAC_GET_PARAMS, (function)gmac_get_algorithm_params},
    {OSSL_FUNC_MAC_GETTABLE_PARAMS, (function)gmac_gettable},
    MAC_FUNCTIONS,
    {0, NULL}};

const OSSL_ALGORITHM rijn_macs[] = {{"CMAC", "provider=rijn", cmac_functions, NULL},
                                    {"GMAC:1.0.9797.3.4", "provider=rijn", gmac_functions, NULL},
                                    {NULL, NULL, NULL, NULL}};
