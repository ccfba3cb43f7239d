/* An OpenSSL 3 provider: the entry point, errors, and memory of contexts. */
#include "provider.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/err.h>

#include "params.h"

typedef void (*function)(void);

/* ---- Errors ---- */

static void set_error(const provider_instance *provider, uint32_t reason, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    provider->vset_error(provider->handle, reason, format, arguments);
    va_end(arguments);
}

int report(const provider_instance *provider, int reason, const char *detail, const char *file,
           int line, const char *function_name)
{
    if (provider->new_error == NULL || provider->set_error_debug == NULL ||
        provider->vset_error == NULL)
        return 0;
    provider->new_error(provider->handle);
    provider->set_error_debug(provider->handle, file, line, function_name);
    set_error(provider, (uint32_t)ERR_PACK(ERR_LIB_PROV, 0, reason), "%s", detail);
    return 0;
}

int accept_status(const provider_instance *provider, rijn_status status, const char *file, int line,
                  const char *function_name)
{
    if (status == RIJN_OK)
        return 1;
    if (status == RIJN_ERR_TAG)
        return 0;
    return report(provider, PROV_R_CIPHER_OPERATION_FAILED, rijn_status_text(status), file, line,
                  function_name);
}

/* ---- Contexts ---- */

void *plain_new(const provider_instance *provider, const cipher_spec *algorithm, size_t size)
{
    base *context = calloc(1, size);

    if (context == NULL)
        return NULL;
    context->provider = provider;
    context->algorithm = algorithm;
    context->size = size;
    return context;
}

void plain_free(void *context)
{
    if (context == NULL)
        return;
    rijn_wipe(context, ((base *)context)->size);
    free(context);
}

void *plain_dup(void *context)
{
    size_t size = ((base *)context)->size;
    void *copy = malloc(size);

    return copy == NULL ? NULL : memcpy(copy, context, size);
}

rijn_status moving(step_function *step, void *context, uint8_t *out, const uint8_t *in, size_t size)
{
    uint8_t piece[512];
    rijn_status status = step(context, out, in, size);

    if (status != RIJN_ERR_OVERLAP || (uintptr_t)out >= (uintptr_t)in)
        return status;
    for (status = RIJN_OK; size != 0 && status == RIJN_OK;) {
        size_t now = size < sizeof piece ? size : sizeof piece;

        memcpy(piece, in, now);
        status = step(context, piece, piece, now);
        if (status == RIJN_OK)
            memcpy(out, piece, now);
        out += now;
        in += now;
        size -= now;
    }
    rijn_wipe(piece, sizeof piece);
    return status;
}

/* ---- The provider ---- */

static const OSSL_PARAM *gettable_params(void *context)
{
    static const OSSL_PARAM list[] = {
        {OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, NULL, 0, 0},
        {OSSL_PROV_PARAM_VERSION, OSSL_PARAM_UTF8_PTR, NULL, 0, 0},
        {OSSL_PROV_PARAM_BUILDINFO, OSSL_PARAM_UTF8_PTR, NULL, 0, 0},
        {OSSL_PROV_PARAM_STATUS, OSSL_PARAM_INTEGER, NULL, sizeof(int), 0},
        {NULL, 0, NULL, 0, 0}};

    (void)context;
    return list;
}

static int get_params(void *context, OSSL_PARAM params[])
{
    (void)context;
    for (OSSL_PARAM *param = params; param->key != NULL; param++) {
        int good = 1;

        if (strcmp(param->key, OSSL_PROV_PARAM_NAME) == 0)
            good = put_text(param, "Rijn: AES and AEGIS");
        else if (strcmp(param->key, OSSL_PROV_PARAM_VERSION) == 0 ||
                 strcmp(param->key, OSSL_PROV_PARAM_BUILDINFO) == 0)
            good = put_text(param, RIJN_VERSION);
        else if (strcmp(param->key, OSSL_PROV_PARAM_STATUS) == 0)
            good = put_number(param, 1);
        if (!good)
            return 0;
    }
    return 1;
}

static const OSSL_ALGORITHM *query(void *context, int operation, int *no_store)
{
    (void)context;
    *no_store = 0;
    switch (operation) {
    case OSSL_OP_CIPHER:
        return rijn_ciphers;
    case OSSL_OP_MAC:
        return rijn_macs;
    default:
        return NULL;
    }
}

static void teardown(void *context)
{
    free(context);
}

static const OSSL_DISPATCH functions[] = {
    {OSSL_FUNC_PROVIDER_TEARDOWN, (function)teardown},
    {OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (function)gettable_params},
    {OSSL_FUNC_PROVIDER_GET_PARAMS, (function)get_params},
    {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (function)query},
    {0, NULL}};

__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                       const OSSL_DISPATCH **out, void **context)
{
    provider_instance *made = calloc(1, sizeof *made);

    if (made == NULL)
        return 0;
    made->handle = handle;
    for (; in->function_id != 0; in++) {
        switch (in->function_id) {
        case OSSL_FUNC_CORE_NEW_ERROR:
            made->new_error = OSSL_FUNC_core_new_error(in);
            break;
        case OSSL_FUNC_CORE_SET_ERROR_DEBUG:
            made->set_error_debug = OSSL_FUNC_core_set_error_debug(in);
            break;
        case OSSL_FUNC_CORE_VSET_ERROR:
            made->vset_error = OSSL_FUNC_core_vset_error(in);
            break;
        default:
            break;
        }
    }
    *out = functions;
    *context = made;
    return 1;
}
