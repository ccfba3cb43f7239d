/* OpenSSL's libcrypto through EVP, used as its manual advises for speed: the cipher is fetched and the
 * key is set once, and each message sets only its nonce. With SIV and GCM-SIV a key is good for only
 * one message, so it is set for each message. */
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"

typedef struct {
    EVP_CIPHER_CTX *context; /* NULL for CMAC */
    EVP_MAC_CTX *mac;        /* NULL except for CMAC */
    algorithm what;
    uint8_t key[KEY];
} state;

static bool is_siv(const state *s)
{
    return s->what.mode == SIV || s->what.mode == GCM_SIV;
}

static bool openssl_rekey(void *memory, const uint8_t *key)
{
    state *s = memory;

    if (s->mac)
        return EVP_MAC_init(s->mac, key, s->what.key_size, NULL) == 1;
    memcpy(s->key, key, s->what.key_size);
    return EVP_CipherInit_ex(s->context, NULL, NULL, key, NULL, -1) == 1;
}

static void openssl_close(void *memory)
{
    state *s = memory;
    EVP_CIPHER_CTX_free(s->context);
    EVP_MAC_CTX_free(s->mac);
    free(s);
}

static bool open_mac(state *s, const uint8_t *key)
{
    char cipher_name[16];
    EVP_MAC *cmac = EVP_MAC_fetch(NULL, "CMAC", NULL);

    snprintf(cipher_name, sizeof cipher_name, "AES-%u-CBC", (unsigned)s->what.key_size * 8);
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher_name, 0), /* 0: its strlen */
        OSSL_PARAM_construct_end(),
    };
    s->mac = EVP_MAC_CTX_new(cmac);
    EVP_MAC_free(cmac);
    return s->mac && EVP_MAC_init(s->mac, key, s->what.key_size, parameters) == 1;
}

static bool open_cipher(state *s, const uint8_t *key)
{
    /* Modes that are missing here, or unknown to this version of OpenSSL, are not offered. */
    static const char *const modes[] = {
        [ECB] = "ECB", [CBC] = "CBC",         [CTR] = "CTR", [CFB] = "CFB", [CFB8] = "CFB8",
        [OFB] = "OFB", [XTS] = "XTS",         [GCM] = "GCM", [CCM] = "CCM", [OCB] = "OCB",
        [SIV] = "SIV", [GCM_SIV] = "GCM-SIV",
    };
    const mode m = s->what.mode;
    const unsigned keys = m == XTS || m == SIV ? 2 : 1;
    char cipher_name[24];
    EVP_CIPHER *cipher;
    bool ok;

    if (m >= sizeof modes / sizeof *modes || !modes[m])
        return false;
    snprintf(cipher_name, sizeof cipher_name, "AES-%u-%s", (unsigned)s->what.key_size * 8 / keys,
             modes[m]);
    s->context = EVP_CIPHER_CTX_new();
    cipher = EVP_CIPHER_fetch(NULL, cipher_name, NULL);
    ok = s->context && cipher &&
         EVP_CipherInit_ex(s->context, cipher, NULL, NULL, NULL, !s->what.decrypt) == 1 &&
         EVP_CIPHER_CTX_set_padding(s->context, 0) == 1;
    EVP_CIPHER_free(cipher);
    if (ok && m == CCM) /* the defaults are 7 and 12 bytes */
        ok = EVP_CIPHER_CTX_ctrl(s->context, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) == 1 &&
             EVP_CIPHER_CTX_ctrl(s->context, EVP_CTRL_AEAD_SET_TAG, TAG, NULL) == 1;
    return ok && openssl_rekey(s, key);
}

static void *openssl_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    state *s = calloc(1, sizeof *s);

    (void)self;
    if (!s)
        return NULL;
    s->what = *what;
    if (what->mode == CMAC ? open_mac(s, key) : open_cipher(s, key))
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
    size_t tag_size;
    int n;

    if (s->mac)
        return EVP_MAC_init(s->mac, NULL, 0, NULL) == 1 && EVP_MAC_update(s->mac, in, size) == 1 &&
               EVP_MAC_final(s->mac, out, &tag_size, TAG) == 1;
    if (s->what.mode != ECB &&
        EVP_CipherInit_ex(c, NULL, NULL, is_siv(s) ? s->key : NULL,
                          s->what.mode == SIV ? NULL : nonce, -1) != 1)
        return false;
    if (s->what.tagged && decrypt && EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, TAG, tag) != 1)
        return false;
    if (s->what.mode == CCM && EVP_CipherUpdate(c, NULL, &n, NULL, (int)size) != 1)
        return false; /* without the size, a message would use the size of a refused one before it */
    if (EVP_CipherUpdate(c, out, &n, in, (int)size) != 1)
        return false;
    if (!s->what.tagged)
        return true;
    return EVP_CipherFinal_ex(c, out + n, &n) == 1 &&
           (decrypt || EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, TAG, tag) == 1);
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
