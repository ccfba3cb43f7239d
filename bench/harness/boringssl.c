/* BoringSSL, and AWS-LC, which is based on it. This file is compiled once for each, with its headers.
 * AEADs use EVP_AEAD with the key set once. CTR, CBC and similar modes use the functions on an
 * AES_KEY, which cost least. ECB and XTS use EVP_CIPHER, because there is no other function.
 *
 *   PEER   aws_lc, boringssl or boringssl_avx2: the start of aws_lc_contenders and so on
 *
 * fetch_peers.sh builds each library with a prefix for all symbols, which would otherwise be the same
 * as OpenSSL's. It writes fetched.h: FETCHED is the source package; CAPABILITIES, if defined,
 * overrides the CPU features that this copy sees. */
#define _DEFAULT_SOURCE /* setenv, strdup */
#include <fetched.h>
#include <openssl/aead.h>
#include <openssl/aes.h>
#include <openssl/cipher.h>
#include <openssl/cmac.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"

typedef struct {
    algorithm what;
    EVP_AEAD_CTX aead;
    AES_KEY aes;
    EVP_CIPHER_CTX *cipher; /* for ECB, XTS and CCM */
    CMAC_CTX *cmac;
    uint8_t key[KEY]; /* for CCM */
} state;

/* Three entries, by key size. NULL: the library lacks it, so it is not offered. */
#define BY_KEY(a, b, c) {a, b, c}
static size_t by_key(const algorithm *what)
{
    return what->key_size / (what->mode == XTS ? 2 : 1) / 8 - 2;
}

static const EVP_AEAD *aead_of(const algorithm *what)
{
    static const EVP_AEAD *(*const gcm[])(void) =
        BY_KEY(EVP_aead_aes_128_gcm, EVP_aead_aes_192_gcm, EVP_aead_aes_256_gcm);
    static const EVP_AEAD *(*const gcm_siv[])(void) =
        BY_KEY(EVP_aead_aes_128_gcm_siv, NULL, EVP_aead_aes_256_gcm_siv);
#ifdef OPENSSL_IS_AWSLC
    static const EVP_AEAD *(*const eax[])(void) = BY_KEY(NULL, NULL, NULL);
#else
    static const EVP_AEAD *(*const eax[])(void) =
        BY_KEY(EVP_aead_aes_128_eax, NULL, EVP_aead_aes_256_eax);
#endif
    const EVP_AEAD *(*const *of_mode)(void) = what->mode == GCM       ? gcm
                                              : what->mode == GCM_SIV ? gcm_siv
                                                                      : eax;
    return of_mode[by_key(what)] ? of_mode[by_key(what)]() : NULL;
}

static const EVP_CIPHER *cipher_of(const algorithm *what)
{
    static const EVP_CIPHER *(*const ecb[])(void) =
        BY_KEY(EVP_aes_128_ecb, EVP_aes_192_ecb, EVP_aes_256_ecb);
#ifdef OPENSSL_IS_AWSLC
    static const EVP_CIPHER *(*const xts[])(void) = BY_KEY(NULL, NULL, EVP_aes_256_xts);
    static const EVP_CIPHER *(*const ccm[])(void) =
        BY_KEY(EVP_aes_128_ccm, EVP_aes_192_ccm, EVP_aes_256_ccm);
#else
    static const EVP_CIPHER *(*const xts[])(void) = BY_KEY(NULL, NULL, NULL);
    static const EVP_CIPHER *(*const ccm[])(void) = BY_KEY(NULL, NULL, NULL);
#endif
    const EVP_CIPHER *(*const *of_mode)(void) = what->mode == ECB   ? ecb
                                                : what->mode == XTS ? xts
                                                                    : ccm;
    return of_mode[by_key(what)] ? of_mode[by_key(what)]() : NULL;
}

static bool aes_rekey(state *s, const uint8_t *key)
{
    const unsigned bits = (unsigned)s->what.key_size * 8;

    if (s->what.mode == CBC && s->what.decrypt)
        return AES_set_decrypt_key(key, bits, &s->aes) == 0;
    return AES_set_encrypt_key(key, bits, &s->aes) == 0;
}

static bool peer_rekey(void *memory, const uint8_t *key)
{
    static const EVP_CIPHER *(*const cbc[])(void) =
        BY_KEY(EVP_aes_128_cbc, EVP_aes_192_cbc, EVP_aes_256_cbc);
    state *s = memory;

    switch (s->what.mode) {
    case GCM:
    case GCM_SIV:
    case EAX:
        EVP_AEAD_CTX_cleanup(&s->aead);
        return EVP_AEAD_CTX_init(&s->aead, aead_of(&s->what), key, s->what.key_size, TAG, NULL) ==
               1;
    case CCM:
        memcpy(s->key, key, s->what.key_size);
        /* fall through */
    case ECB:
    case XTS:
        return EVP_CipherInit_ex(s->cipher, NULL, NULL, key, NULL, -1) == 1;
    case CMAC:
        return CMAC_Init(s->cmac, key, s->what.key_size, cbc[by_key(&s->what)](), NULL) == 1;
    default:
        return aes_rekey(s, key);
    }
}

static void peer_close(void *memory)
{
    state *s = memory;

    EVP_AEAD_CTX_cleanup(&s->aead);
    EVP_CIPHER_CTX_free(s->cipher);
    CMAC_CTX_free(s->cmac);
    free(s);
}

static bool open_cipher(state *s)
{
    const EVP_CIPHER *cipher = cipher_of(&s->what);
    bool ok;

    if (!cipher || !(s->cipher = EVP_CIPHER_CTX_new()))
        return false;
    ok = EVP_CipherInit_ex(s->cipher, cipher, NULL, NULL, NULL, !s->what.decrypt) == 1 &&
         EVP_CIPHER_CTX_set_padding(s->cipher, 0) == 1;
    if (ok && s->what.mode == CCM)
        ok = EVP_CIPHER_CTX_ctrl(s->cipher, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) == 1 &&
             EVP_CIPHER_CTX_ctrl(s->cipher, EVP_CTRL_AEAD_SET_TAG, TAG, NULL) == 1;
    return ok;
}

static bool peer_open_mode(state *s)
{
    switch (s->what.mode) {
    case GCM:
    case GCM_SIV:
    case EAX:
        return aead_of(&s->what);
    case ECB:
    case XTS:
    case CCM:
        return open_cipher(s);
    case CMAC:
        return (s->cmac = CMAC_CTX_new());
    case CBC:
    case CTR:
    case CFB:
    case OFB:
        return true;
    case CFB8:
#ifdef OPENSSL_IS_AWSLC
        return true;
#endif
    default:
        return false;
    }
}

static void *peer_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    state *s = calloc(1, sizeof *s);

    (void)self;
    if (!s)
        return NULL;
    s->what = *what;
    EVP_AEAD_CTX_zero(&s->aead);
    if (peer_open_mode(s) && peer_rekey(s, key))
        return s;
    peer_close(s);
    return NULL;
}

static bool run_aead(const state *s, const uint8_t *nonce, uint8_t *out, const uint8_t *in,
                     size_t size)
{
    const size_t nonce_size = s->what.mode == EAX ? 16 : 12;
    size_t n;

    if (s->what.decrypt)
        return EVP_AEAD_CTX_open(&s->aead, out, &n, size, nonce, nonce_size, in, size + TAG, NULL,
                                 0) == 1;
    return EVP_AEAD_CTX_seal(&s->aead, out, &n, size + TAG, nonce, nonce_size, in, size, NULL,
                             0) == 1;
}

static bool run_cipher(state *s, const uint8_t *nonce, uint8_t *out, const uint8_t *in,
                       size_t size)
{
    EVP_CIPHER_CTX *c = s->cipher;
    const bool ccm = s->what.mode == CCM, decrypt = s->what.decrypt;
    uint8_t *tag =
        decrypt ? (uint8_t *)(uintptr_t)(in + size) : out + size; /* SET_TAG only reads */
    int n;

    if (s->what.mode != ECB && EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, -1) != 1)
        return false;
    if (ccm && decrypt && EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, TAG, tag) != 1)
        return false;
    if (ccm && EVP_CipherUpdate(c, NULL, &n, NULL, (int)size) != 1)
        return false;
    if (EVP_CipherUpdate(c, out, &n, in, (int)size) != 1) {
        if (ccm) { /* after a refused message, AWS-LC's context cannot be used again */
            EVP_CIPHER_CTX_free(c);
            open_cipher(s);
            peer_rekey(s, s->key);
        }
        return false;
    }
    if (!ccm)
        return true;
    return EVP_CipherFinal_ex(c, out + n, &n) == 1 &&
           (decrypt || EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, TAG, tag) == 1);
}

static bool run_cmac(const state *s, uint8_t *out, const uint8_t *in, size_t size)
{
    size_t n;

    return CMAC_Reset(s->cmac) == 1 && CMAC_Update(s->cmac, in, size) == 1 &&
           CMAC_Final(s->cmac, out, &n) == 1;
}

static bool run_aes(const state *s, const uint8_t *nonce, uint8_t *out, const uint8_t *in,
                    size_t size)
{
    const int encrypt = s->what.decrypt ? AES_DECRYPT : AES_ENCRYPT;
    uint8_t iv[16], keystream[16];
    unsigned used = 0;
    int position = 0;

    copy_nonce(iv, nonce, sizeof iv);
    switch (s->what.mode) {
    case CBC:
        AES_cbc_encrypt(in, out, size, &s->aes, iv, encrypt);
        return true;
    case CTR:
        AES_ctr128_encrypt(in, out, size, &s->aes, iv, keystream, &used);
        return true;
    case CFB:
        AES_cfb128_encrypt(in, out, size, &s->aes, iv, &position, encrypt);
        return true;
    case OFB:
        AES_ofb128_encrypt(in, out, size, &s->aes, iv, &position);
        return true;
#ifdef OPENSSL_IS_AWSLC
    case CFB8:
        AES_cfb8_encrypt(in, out, size, &s->aes, iv, &position, encrypt);
        return true;
#endif
    default:
        return false;
    }
}

static bool peer_run(void *memory, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                     size_t size)
{
    state *s = memory;

    switch (s->what.mode) {
    case GCM:
    case GCM_SIV:
    case EAX:
        return run_aead(s, nonce, out, in, size);
    case ECB:
    case XTS:
    case CCM:
        return run_cipher(s, nonce, out, in, size);
    case CMAC:
        return run_cmac(s, out, in, size);
    default:
        return run_aes(s, nonce, out, in, size);
    }
}

#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b

/* Makes the library read the CPU's features, which it does once, with CAPABILITIES if defined. */
static void start(void)
{
#ifdef CAPABILITIES
    const char *given = getenv("OPENSSL_ia32cap");
    char *kept = given ? strdup(given) : NULL;

    setenv("OPENSSL_ia32cap", CAPABILITIES, 1);
    (void)EVP_has_aes_hardware();
    if (kept)
        setenv("OPENSSL_ia32cap", kept, 1);
    else
        unsetenv("OPENSSL_ia32cap");
    free(kept);
#endif
}

size_t JOIN(PEER, _contenders)(contender *list)
{
    start();
    *list = (contender){
#if defined(OPENSSL_IS_AWSLC)
        .name = "aws-lc",
#elif defined(CAPABILITIES)
        .name = "boringssl/avx2",
#else
        .name = "boringssl",
#endif
        .version = FETCHED,
        .reason = "",
        .linked = true,
        .constant_time = -1,
        .open = peer_open,
        .run = peer_run,
        .rekey = peer_rekey,
        .close = peer_close,
    };
    return 1;
}
