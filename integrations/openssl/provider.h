/* The parts that all files of the provider share: the provider, the algorithms, and the beginning of
 * every cipher context. */
#ifndef RIJN_OPENSSL_PROVIDER_H
#define RIJN_OPENSSL_PROVIDER_H

#include <stddef.h>
#include <stdint.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/proverr.h>

#include "rijn.h"

/* One loaded instance, with the functions of the libcrypto that loaded it. A process can have several
 * libcryptos, so nothing of this is in a static variable. */
typedef struct provider_instance {
    const OSSL_CORE_HANDLE *handle;
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_set_error_debug_fn *set_error_debug;
    OSSL_FUNC_core_vset_error_fn *vset_error;
} provider_instance;

enum { FLAG_AEAD = 1, FLAG_CUSTOM_IV = 2, FLAG_CTS = 4 };
enum { BLOCK = RIJN_BLOCK_SIZE };

/* The constant facts about a cipher: a line of ciphers.def. */
typedef struct cipher_spec {
    int kind;       /* which of the ciphers of its file */
    unsigned mode;  /* EVP_CIPH_*_MODE */
    unsigned flags; /* FLAG_* */
    size_t key_size;
    size_t block_size; /* as EVP reports it: 1 for a cipher that takes any number of bytes */
    size_t iv_size;    /* at the start; AEADs may change it */
} cipher_spec;

/* The beginning of every cipher context. */
typedef struct base {
    const provider_instance *provider;
    const cipher_spec *algorithm;
    size_t size; /* of the whole context */
    uint8_t encrypt;
    uint8_t key_set;
    uint8_t
        failed; /* a call of this message failed, so its end fails too; AEADs in pieces have IV_USED */
} base;

/* Keeps in mind that a call failed. Returns `good`. */
static inline int remember(base *context, int good)
{
    if (!good)
        context->failed = 1;
    return good;
}

/* Allocates a context of `size` zeros. Returns NULL if there is no memory. */
void *plain_new(const provider_instance *provider, const cipher_spec *algorithm, size_t size);

/* These serve all contexts without pointers into themselves or to memory of their own. */
OSSL_FUNC_cipher_freectx_fn plain_free; /* wipes the context */
OSSL_FUNC_cipher_dupctx_fn plain_dup;

/* Reports an error as OpenSSL's own providers do, with a reason of <openssl/proverr.h>. Returns 0. */
int report(const provider_instance *provider, int reason, const char *detail, const char *file,
           int line, const char *function);
#define REFUSE(context, reason) \
    report((context)->base.provider, PROV_R_##reason, "", __FILE__, __LINE__, __func__)

/* Returns 1 for RIJN_OK. Otherwise reports the status and returns 0. A wrong tag is not reported:
 * callers know it by the empty error queue, which OpenSSL's default provider leaves. */
#define ACCEPT(context, status) \
    accept_status((context)->base.provider, status, __FILE__, __LINE__, __func__)
int accept_status(const provider_instance *provider, rijn_status status, const char *file, int line,
                  const char *function);

/* Calls step(context, out, in, size). librijn refuses buffers that overlap unless they are equal. If
 * `out` lies before `in`, the data then moves through a small buffer, as OpenSSL's ciphers
 * allow. `step` must accept a message in pieces that are multiples of 16 bytes. */
typedef rijn_status step_function(void *context, uint8_t *out, const uint8_t *in, size_t size);
rijn_status moving(step_function *step, void *context, uint8_t *out, const uint8_t *in,
                   size_t size);

/* Returns 1 if two ranges have bytes in common. */
static inline int overlap(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    return a_size != 0 && b_size != 0 && (uintptr_t)a < (uintptr_t)b + b_size &&
           (uintptr_t)b < (uintptr_t)a + a_size;
}

/* Defines the two functions that start a message, over FAMILY_init(context, key, key_size, iv, iv_size,
 * params). It finds context->encrypt set. */
#define START_FUNCTIONS(family) \
    int family##_encrypt_init(void *context, const unsigned char *key, size_t key_size, \
                              const unsigned char *iv, size_t iv_size, const OSSL_PARAM params[]) \
    { \
        ((base *)context)->encrypt = 1; \
        return family##_init(context, key, key_size, iv, iv_size, params); \
    } \
    int family##_decrypt_init(void *context, const unsigned char *key, size_t key_size, \
                              const unsigned char *iv, size_t iv_size, const OSSL_PARAM params[]) \
    { \
        ((base *)context)->encrypt = 0; \
        return family##_init(context, key, key_size, iv, iv_size, params); \
    }

/* The functions of a family of ciphers: a file. */
#define DECLARE_FAMILY(family) \
    void *family##_new(const provider_instance *provider, const cipher_spec *algorithm); \
    OSSL_FUNC_cipher_encrypt_init_fn family##_encrypt_init; \
    OSSL_FUNC_cipher_decrypt_init_fn family##_decrypt_init; \
    OSSL_FUNC_cipher_update_fn family##_update; \
    OSSL_FUNC_cipher_final_fn family##_final; \
    OSSL_FUNC_cipher_cipher_fn family##_cipher; \
    OSSL_FUNC_cipher_get_ctx_params_fn family##_get_params; \
    OSSL_FUNC_cipher_set_ctx_params_fn family##_set_params;

DECLARE_FAMILY(block)
DECLARE_FAMILY(stream)
DECLARE_FAMILY(pieces)
DECLARE_FAMILY(wrap)
DECLARE_FAMILY(whole)

OSSL_FUNC_cipher_cipher_fn block_cipher, stream_cipher, pieces_cipher, whole_cipher;
OSSL_FUNC_cipher_dupctx_fn pieces_dup, whole_dup;
OSSL_FUNC_cipher_freectx_fn whole_free;

/* The kinds of each family. */
enum { KIND_ECB, KIND_CBC, KIND_CTS };                                 /* block */
enum { KIND_CTR, KIND_CFB, KIND_CFB8, KIND_CFB1, KIND_OFB, KIND_XTS }; /* stream */
enum {                                                                 /* pieces */
       KIND_GCM,
       KIND_XAES,
       KIND_OCB,
       KIND_AEGIS,
       KIND_AEGIS_128L = KIND_AEGIS + RIJN_AEGIS_128L,
       KIND_AEGIS_128X2 = KIND_AEGIS + RIJN_AEGIS_128X2,
       KIND_AEGIS_128X4 = KIND_AEGIS + RIJN_AEGIS_128X4,
       KIND_AEGIS_256 = KIND_AEGIS + RIJN_AEGIS_256,
       KIND_AEGIS_256X2 = KIND_AEGIS + RIJN_AEGIS_256X2,
       KIND_AEGIS_256X4 = KIND_AEGIS + RIJN_AEGIS_256X4
};

enum { KIND_WRAP, KIND_WRAP_PAD, KIND_WRAP_INV, KIND_WRAP_PAD_INV }; /* wrap */
enum { KIND_CCM, KIND_GCM_SIV, KIND_SIV };                           /* whole */

extern const OSSL_ALGORITHM rijn_ciphers[];
extern const OSSL_ALGORITHM rijn_macs[];

/* Returns the cipher with this name of `size` characters, in any case, or NULL. */
const cipher_spec *find_cipher(const char *name, size_t size);

#endif
