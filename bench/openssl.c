/* OpenSSL's libcrypto through EVP, as its manual advises for speed: the cipher
 * is fetched and the key set once, each message sets only its nonce. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "contender.h"

typedef struct {
    EVP_CIPHER_CTX *context;
    algorithm what;
} state;

static bool openssl_rekey(void *memory, const uint8_t *key)
{
    const state *s = memory;
    return EVP_CipherInit_ex(s->context, NULL, NULL, key, NULL, -1) == 1;
}

static void openssl_close(void *memory)
{
    state *s = memory;
    EVP_CIPHER_CTX_free(s->context);
    free(s);
}

static void *openssl_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    static const char *const modes[] = {"ECB", "CBC", "CTR", "GCM"};
    char cipher_name[16];
    EVP_CIPHER *cipher;
    state *s;
    bool ok;

    (void)self;
    if (what->mode == AEGIS || !(s = malloc(sizeof *s)))
        return NULL;
    snprintf(cipher_name, sizeof cipher_name, "AES-%u-%s", (unsigned)what->key_size * 8,
             modes[what->mode]);
    s->what = *what;
    s->context = EVP_CIPHER_CTX_new();
    cipher = EVP_CIPHER_fetch(NULL, cipher_name, NULL);
    ok = s->context && cipher &&
         EVP_CipherInit_ex(s->context, cipher, NULL, key, NULL, !what->decrypt) == 1 &&
         EVP_CIPHER_CTX_set_padding(s->context, 0) == 1;
    EVP_CIPHER_free(cipher);
    if (ok)
        return s;
    openssl_close(s);
    return NULL;
}

static bool openssl_run(void *memory, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                        size_t size)
{
    const state *s = memory;
    EVP_CIPHER_CTX *c = s->context;
    const bool decrypt = s->what.decrypt;
    uint8_t *tag =
        decrypt ? (uint8_t *)(uintptr_t)(in + size) : out + size; /* SET_TAG only reads */
    int n;

    if (s->what.mode != ECB && EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, -1) != 1)
        return false;
    if (s->what.tagged && decrypt && EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_TAG, TAG, tag) != 1)
        return false;
    if (EVP_CipherUpdate(c, out, &n, in, (int)size) != 1)
        return false;
    if (!s->what.tagged)
        return true;
    return EVP_CipherFinal_ex(c, out + n, &n) == 1 &&
           (decrypt || EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, TAG, tag) == 1);
}

size_t openssl_contenders(contender *list)
{
    *list = (contender){
        .name = "openssl",
        .version = OpenSSL_version(OPENSSL_VERSION),
        .reason = "",
        .linked = true,
        .constant_time = -1,
        .open = openssl_open,
        .run = openssl_run,
        .rekey = openssl_rekey,
        .close = openssl_close,
    };
    return 1;
}
