/* Parameters. Each call reads its parameters in one loop, and calls no function of libcrypto. */
#ifndef RIJN_OPENSSL_PARAMS_H
#define RIJN_OPENSSL_PARAMS_H

#include "provider.h"

#ifndef OSSL_CIPHER_PARAM_AEAD_IV_GENERATED
#define OSSL_CIPHER_PARAM_AEAD_IV_GENERATED "iv-generated" /* in the headers since OpenSSL 3.4 */
#endif

#define EACH_PARAMETER(X) \
    X(KEYLEN, OSSL_CIPHER_PARAM_KEYLEN) \
    X(IVLEN, OSSL_CIPHER_PARAM_IVLEN) \
    X(IV, OSSL_CIPHER_PARAM_IV) \
    X(TAG, OSSL_CIPHER_PARAM_AEAD_TAG) \
    X(TAGLEN, OSSL_CIPHER_PARAM_AEAD_TAGLEN) \
    X(UPDATED_IV, OSSL_CIPHER_PARAM_UPDATED_IV) \
    X(NUM, OSSL_CIPHER_PARAM_NUM) \
    X(PADDING, OSSL_CIPHER_PARAM_PADDING) \
    X(USE_BITS, OSSL_CIPHER_PARAM_USE_BITS) \
    X(CTS_MODE, OSSL_CIPHER_PARAM_CTS_MODE) \
    X(SPEED, OSSL_CIPHER_PARAM_SPEED) \
    X(TLS_VERSION, OSSL_CIPHER_PARAM_TLS_VERSION) \
    X(TLS_MAC_SIZE, OSSL_CIPHER_PARAM_TLS_MAC_SIZE) \
    X(TLS_MAC, OSSL_CIPHER_PARAM_TLS_MAC) \
    X(TLS_AAD, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD) \
    X(TLS_AAD_PAD, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD) \
    X(TLS_IV_FIXED, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED) \
    X(TLS_IV_GENERATE, OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN) \
    X(TLS_IV_GIVEN, OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV) \
    X(IV_GENERATED, OSSL_CIPHER_PARAM_AEAD_IV_GENERATED) \
    X(MODE, OSSL_CIPHER_PARAM_MODE) \
    X(BLOCK_SIZE, OSSL_CIPHER_PARAM_BLOCK_SIZE) \
    X(AEAD, OSSL_CIPHER_PARAM_AEAD) \
    X(CUSTOM_IV, OSSL_CIPHER_PARAM_CUSTOM_IV) \
    X(CTS, OSSL_CIPHER_PARAM_CTS) \
    X(TLS_MULTIBLOCK, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK) \
    X(RANDOM_KEY, OSSL_CIPHER_PARAM_HAS_RAND_KEY) \
    X(MAC_KEY, OSSL_MAC_PARAM_KEY) \
    X(MAC_CIPHER, OSSL_MAC_PARAM_CIPHER) \
    X(MAC_SIZE, OSSL_MAC_PARAM_SIZE) \
    X(MAC_BLOCK_SIZE, OSSL_MAC_PARAM_BLOCK_SIZE)

#define ENUMERATE(id, name) PARAMETER_##id,
typedef enum parameter { EACH_PARAMETER(ENUMERATE) PARAMETER_UNKNOWN } parameter;
#undef ENUMERATE

/* Returns which parameter a name is. */
parameter find_parameter(const char *name);

/* Reads an integer of 4 or 8 bytes that is not negative. Returns 0 if it is none. */
int get_number(const OSSL_PARAM *param, size_t *number);

/* Writes an integer into a parameter of 4 or 8 bytes. Returns 0 if it does not fit. */
int put_number(OSSL_PARAM *param, size_t number);

/* Writes bytes into a string, or a pointer to them into a pointer. Returns 0 if it is neither, or too
 * short. */
int put_bytes(OSSL_PARAM *param, const void *bytes, size_t size);

/* Writes a name. Returns 0 if it is not a text, or too short. */
int put_text(OSSL_PARAM *param, const char *text);

/* Reads a text. It ends with a 0 or after data_size characters. Returns its size, or 0 if it is none. */
size_t get_text(const OSSL_PARAM *param, const char **text);

/* Returns 1 if the first `size` characters are the same, but for upper and lower case. */
int same_name(const char *a, const char *b, size_t size);

/* Describes an algorithm: EVP_CIPHER_get_params. */
int describe(const cipher_spec *algorithm, OSSL_PARAM params[]);

enum { TLS_AAD = 13 }; /* RFC 5246 section 6.2.3.3 */

/* Takes the associated data of a TLS record. Their size counts the text alone, so `overhead` is subtracted from
 * the size that the caller gives. Returns 0 if they are no such data. */
int take_tls_aad(uint8_t taken[TLS_AAD], const uint8_t *aad, size_t size, size_t overhead);

/* Entries of the lists of parameters. */
#define NUMBER(name) \
    { \
        name, OSSL_PARAM_UNSIGNED_INTEGER, NULL, sizeof(size_t), 0 \
    }
#define FLAG(name) \
    { \
        name, OSSL_PARAM_INTEGER, NULL, sizeof(int), 0 \
    }
#define BYTES(name) \
    { \
        name, OSSL_PARAM_OCTET_STRING, NULL, 0, 0 \
    }
#define POINTER(name) \
    { \
        name, OSSL_PARAM_OCTET_PTR, NULL, 0, 0 \
    }
#define TEXT(name) \
    { \
        name, OSSL_PARAM_UTF8_STRING, NULL, 0, 0 \
    }
#define END \
    { \
        NULL, 0, NULL, 0, 0 \
    }

/* The lists of parameters, as documentation for callers. */
OSSL_FUNC_cipher_gettable_params_fn algorithm_gettable;
OSSL_FUNC_cipher_gettable_ctx_params_fn plain_gettable, aead_gettable;
OSSL_FUNC_cipher_settable_ctx_params_fn plain_settable, aead_settable;

#endif
