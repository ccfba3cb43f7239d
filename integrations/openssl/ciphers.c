/* The table of ciphers, from ciphers.def. */
#include <openssl/evp.h>

#include "params.h"
#include "provider.h"

#define EVP_CIPH_STREAM_MODE EVP_CIPH_STREAM_CIPHER
#define AEAD (FLAG_AEAD | FLAG_CUSTOM_IV)

typedef void (*function)(void);

#define FUNCTIONS(family, release, copy, lists) \
    {OSSL_FUNC_CIPHER_FREECTX, (function)release##_free}, \
        {OSSL_FUNC_CIPHER_DUPCTX, (function)copy##_dup}, \
        {OSSL_FUNC_CIPHER_ENCRYPT_INIT, (function)family##_encrypt_init}, \
        {OSSL_FUNC_CIPHER_DECRYPT_INIT, (function)family##_decrypt_init}, \
        {OSSL_FUNC_CIPHER_UPDATE, (function)family##_update}, \
        {OSSL_FUNC_CIPHER_FINAL, (function)family##_final}, \
        {OSSL_FUNC_CIPHER_CIPHER, (function)family##_cipher}, \
        {OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (function)family##_get_params}, \
        {OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (function)family##_set_params}, \
        {OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (function)algorithm_gettable}, \
        {OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (function)lists##_gettable}, \
    { \
        OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (function)lists##_settable \
    }

#define FUNCTIONS_block FUNCTIONS(block, plain, plain, plain)
#define FUNCTIONS_stream FUNCTIONS(stream, plain, plain, plain)
#define FUNCTIONS_pieces FUNCTIONS(pieces, plain, pieces, aead)

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
