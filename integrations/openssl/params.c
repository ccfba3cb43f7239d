#include "params.h"

#include <string.h>

parameter find_parameter(const char *name)
{
#define COMPARE(id, text) \
    if (name[0] == (text)[0] && strcmp(name, text) == 0) \
        return PARAMETER_##id;
    EACH_PARAMETER(COMPARE)
#undef COMPARE
    return PARAMETER_UNKNOWN;
}

int get_number(const OSSL_PARAM *param, size_t *number)
{
    uint64_t value;

    if (param->data == NULL ||
        (param->data_type != OSSL_PARAM_INTEGER && param->data_type != OSSL_PARAM_UNSIGNED_INTEGER))
        return 0;
    if (param->data_size == sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, param->data, sizeof word);
        if (param->data_type == OSSL_PARAM_INTEGER && word >> 31)
            return 0;
        value = word;
    } else if (param->data_size == sizeof(uint64_t)) {
        memcpy(&value, param->data, sizeof value);
        if (param->data_type == OSSL_PARAM_INTEGER && value >> 63)
            return 0;
    } else {
        return 0;
    }
    if (value > SIZE_MAX)
        return 0;
    *number = (size_t)value;
    return 1;
}

int put_number(OSSL_PARAM *param, size_t number)
{
    size_t bits = param->data_type == OSSL_PARAM_INTEGER ? 31 : 32;

    if (param->data_type != OSSL_PARAM_INTEGER && param->data_type != OSSL_PARAM_UNSIGNED_INTEGER)
        return 0;
    param->return_size = sizeof number;
    if (param->data == NULL)
        return 1;
    if (param->data_size == sizeof(uint32_t) && (uint64_t)number >> bits == 0) {
        uint32_t word = (uint32_t)number;
        memcpy(param->data, &word, sizeof word);
        param->return_size = sizeof word;
        return 1;
    }
    if (param->data_size == sizeof(uint64_t)) {
        uint64_t word = number;
        memcpy(param->data, &word, sizeof word);
        param->return_size = sizeof word;
        return 1;
    }
    return 0;
}

int put_bytes(OSSL_PARAM *param, const void *bytes, size_t size)
{
    param->return_size = size;
    if (param->data_type == OSSL_PARAM_OCTET_PTR) {
        if (param->data != NULL)
            *(const void **)param->data = bytes;
        return 1;
    }
    if (param->data_type != OSSL_PARAM_OCTET_STRING)
        return 0;
    if (param->data == NULL || size == 0)
        return 1;
    if (param->data_size < size)
        return 0;
    memcpy(param->data, bytes, size);
    return 1;
}

int put_text(OSSL_PARAM *param, const char *text)
{
    size_t size = strlen(text);

    param->return_size = size;
    if (param->data_type == OSSL_PARAM_UTF8_PTR) {
        if (param->data != NULL)
            *(const char **)param->data = text;
        return 1;
    }
    if (param->data_type != OSSL_PARAM_UTF8_STRING)
        return 0;
    if (param->data == NULL)
        return 1;
    if (param->data_size < size)
        return 0;
    memcpy(param->data, text, size);
    if (param->data_size > size)
        ((char *)param->data)[size] = 0;
    return 1;
}

size_t get_text(const OSSL_PARAM *param, const char **text)
{
    *text = param->data;
    return param->data_type == OSSL_PARAM_UTF8_STRING && param->data != NULL
               ? strnlen(param->data, param->data_size)
               : 0;
}

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + ('a' - 'A')) : letter;
}

int same_name(const char *a, const char *b, size_t size)
{
    size_t same = 0;

    while (same < size && lower(a[same]) == lower(b[same]))
        same++;
    return same == size;
}

int describe(const cipher_spec *algorithm, OSSL_PARAM params[])
{
    for (OSSL_PARAM *param = params; param != NULL && param->key != NULL; param++) {
        size_t value;

        switch (find_parameter(param->key)) {
        case PARAMETER_MODE:
            value = algorithm->mode;
            break;
        case PARAMETER_KEYLEN:
            value = algorithm->key_size;
            break;
        case PARAMETER_IVLEN:
            value = algorithm->iv_size;
            break;
        case PARAMETER_BLOCK_SIZE:
            value = algorithm->block_size;
            break;
        case PARAMETER_AEAD:
            value = (algorithm->flags & FLAG_AEAD) != 0;
            break;
        case PARAMETER_CUSTOM_IV:
            value = (algorithm->flags & FLAG_CUSTOM_IV) != 0;
            break;
        case PARAMETER_CTS:
            value = (algorithm->flags & FLAG_CTS) != 0;
            break;
        case PARAMETER_TLS_MULTIBLOCK:
        case PARAMETER_RANDOM_KEY:
            value = 0;
            break;
        default:
            continue;
        }
        if (!put_number(param, value))
            return 0;
    }
    return 1;
}

const OSSL_PARAM *algorithm_gettable(void *provider)
{
    static const OSSL_PARAM list[] = {
        NUMBER(OSSL_CIPHER_PARAM_MODE),       NUMBER(OSSL_CIPHER_PARAM_KEYLEN),
        NUMBER(OSSL_CIPHER_PARAM_IVLEN),      NUMBER(OSSL_CIPHER_PARAM_BLOCK_SIZE),
        FLAG(OSSL_CIPHER_PARAM_AEAD),         FLAG(OSSL_CIPHER_PARAM_CUSTOM_IV),
        FLAG(OSSL_CIPHER_PARAM_CTS),          FLAG(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK),
        FLAG(OSSL_CIPHER_PARAM_HAS_RAND_KEY), END};

    (void)provider;
    return list;
}

const OSSL_PARAM *plain_gettable(void *context, void *provider)
{
    static const OSSL_PARAM list[] = {NUMBER(OSSL_CIPHER_PARAM_KEYLEN),
                                      NUMBER(OSSL_CIPHER_PARAM_IVLEN),
                                      BYTES(OSSL_CIPHER_PARAM_IV),
                                      BYTES(OSSL_CIPHER_PARAM_UPDATED_IV),
                                      NUMBER(OSSL_CIPHER_PARAM_NUM),
                                      NUMBER(OSSL_CIPHER_PARAM_PADDING),
                                      TEXT(OSSL_CIPHER_PARAM_CTS_MODE),
                                      POINTER(OSSL_CIPHER_PARAM_TLS_MAC),
                                      END};

    (void)context;
    (void)provider;
    return list;
}

const OSSL_PARAM *plain_settable(void *context, void *provider)
{
    static const OSSL_PARAM list[] = {
        NUMBER(OSSL_CIPHER_PARAM_KEYLEN),      NUMBER(OSSL_CIPHER_PARAM_NUM),
        NUMBER(OSSL_CIPHER_PARAM_PADDING),     NUMBER(OSSL_CIPHER_PARAM_USE_BITS),
        NUMBER(OSSL_CIPHER_PARAM_TLS_VERSION), NUMBER(OSSL_CIPHER_PARAM_TLS_MAC_SIZE),
        TEXT(OSSL_CIPHER_PARAM_CTS_MODE),      END};

    (void)context;
    (void)provider;
    return list;
}

const OSSL_PARAM *aead_gettable(void *context, void *provider)
{
    static const OSSL_PARAM list[] = {NUMBER(OSSL_CIPHER_PARAM_KEYLEN),
                                      NUMBER(OSSL_CIPHER_PARAM_IVLEN),
                                      NUMBER(OSSL_CIPHER_PARAM_AEAD_TAGLEN),
                                      BYTES(OSSL_CIPHER_PARAM_IV),
                                      BYTES(OSSL_CIPHER_PARAM_UPDATED_IV),
                                      BYTES(OSSL_CIPHER_PARAM_AEAD_TAG),
                                      NUMBER(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD),
                                      BYTES(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN),
                                      NUMBER(OSSL_CIPHER_PARAM_AEAD_IV_GENERATED),
                                      END};

    (void)context;
    (void)provider;
    return list;
}

const OSSL_PARAM *aead_settable(void *context, void *provider)
{
    static const OSSL_PARAM list[] = {NUMBER(OSSL_CIPHER_PARAM_KEYLEN),
                                      NUMBER(OSSL_CIPHER_PARAM_IVLEN),
                                      NUMBER(OSSL_CIPHER_PARAM_AEAD_TAGLEN),
                                      BYTES(OSSL_CIPHER_PARAM_AEAD_TAG),
                                      BYTES(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD),
                                      BYTES(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED),
                                      BYTES(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV),
                                      NUMBER(OSSL_CIPHER_PARAM_SPEED),
                                      END};

    (void)context;
    (void)provider;
    return list;
}

int take_tls_aad(uint8_t taken[TLS_AAD], const uint8_t *aad, size_t size, size_t overhead)
{
    size_t text;

    if (size != TLS_AAD)
        return 0;
    text = (size_t)aad[TLS_AAD - 2] << 8 | aad[TLS_AAD - 1];
    if (text < overhead)
        return 0;
    text -= overhead;
    memcpy(taken, aad, TLS_AAD);
    taken[TLS_AAD - 2] = (uint8_t)(text >> 8);
    taken[TLS_AAD - 1] = (uint8_t)text;
    return 1;
}
