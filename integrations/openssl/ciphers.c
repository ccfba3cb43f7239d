/* The table of ciphers, from ciphers.def. */
#include <string.h>
#include <openssl/evp.h>

#include "params.h"
#include "provider.h"

#define EVP_CIPH_STREAM_MODE EVP_CIPH_STREAM_CIPHER
#ifndef EVP_CIPH_GCM_SIV_MODE
#define EVP_CIPH_GCM_SIV_MODE 0x10005 /* in the headers since OpenSSL 3.2 */
#endif
#define AEAD (FLAG_AEAD | FLAG_CUSTOM_IV)

typedef void (*function)(void);

#define FUNCTIONS(family, release, copy, lists) \
    {OSSL_FUNC_CIPHER_FREECTX, (function)release##_free}, \
        {OSSL_FUNC_CIPHER_DUPCTX, (function)copy##_dup}, \
        {OSSL_FUNC_CIPHER_ENCRYPT_INIT, (function)family##_encrypt_init}, \
        {OSSL_FUNC_CIPHER_DECRYPT_INIT, (function)family##_decrypt_init}, \
        {OSSL_FUNC_CIPHER_UPDATE, (function)family##_update}, \
        {OSSL_FUNC_CIPHER_FINAL, (function)family##_final}, \
        {OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (function)family##_get_params}, \
        {OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (function)family##_set_params}, \
        {OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (function)algorithm_gettable}, \
        {OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (function)lists##_gettable}, \
    { \
        OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (function)lists##_settable \
    }

/* EVP_Cipher. A cipher without it has other flags: EVP_CIPH_FLAG_CUSTOM_CIPHER. */
#define DIRECT(family) \
    { \
        OSSL_FUNC_CIPHER_CIPHER, (function)family##_cipher \
    }

#define FUNCTIONS_block DIRECT(block), FUNCTIONS(block, plain, plain, plain)
#define FUNCTIONS_stream DIRECT(stream), FUNCTIONS(stream, plain, plain, plain)
#define FUNCTIONS_wrap FUNCTIONS(wrap, plain, plain, plain)
#define FUNCTIONS_whole DIRECT(whole), FUNCTIONS(whole, whole, whole, aead)
#define FUNCTIONS_pieces DIRECT(pieces), FUNCTIONS(pieces, plain, pieces, aead)

#define CIPHER(id, family, kind, mode, key, block, iv, flags, names) \
    static const cipher_spec id = {KIND_##kind, EVP_CIPH_##mode##_MODE, flags, key, block, iv}; \
    static void *id##_new(void *provider) \
    { \
        return family##_new(provider, &id); \
    } \
    static int id##_describe(OSSL_PARAM params[]) \
    { \
        return describe(&id, params); \
    } \
    static const OSSL_DISPATCH id##_functions[] = { \
        {OSSL_FUNC_CIPHER_NEWCTX, (function)id##_new}, \
        {OSSL_FUNC_CIPHER_GET_PARAMS, (function)id##_describe}, \
        FUNCTIONS_##family, \
        {0, NULL}};
#include "ciphers.def"
#undef CIPHER
#undef AES
#undef OID

const OSSL_ALGORITHM rijn_ciphers[] = {
#define CIPHER(id, family, kind, mode, key, block, iv, flags, names) \
    {names, "provider=rijn", id##_functions, NULL},
#include "ciphers.def"
    {NULL, NULL, NULL, NULL}};

static const cipher_spec *const specs[] = {
#undef CIPHER
#undef AES
#undef OID
#define CIPHER(id, family, kind, mode, key, block, iv, flags, names) &id,
#include "ciphers.def"
};

/* Returns 1 if `name` is one of `names`, which colons separate. */
static int has_name(const char *names, const char *name, size_t name_size)
{
    while (*names != 0) {
        size_t size = strcspn(names, ":");

        if (name_size == size && same_name(names, name, size))
            return 1;
        names += size + (names[size] == ':');
    }
    return 0;
}

const cipher_spec *find_cipher(const char *name, size_t size)
{
    for (size_t i = 0; rijn_ciphers[i].algorithm_names != NULL; i++)
        if (has_name(rijn_ciphers[i].algorithm_names, name, size))
            return specs[i];
    return NULL;
}
