/* libsodium: its only AES is AES-256-GCM, for CPUs with AES-NI or Arm's cryptography extension. The key
 * is expanded once (*_beforenm). */
#include <sodium.h>
#include <stdlib.h>

#include "contender.h"

typedef struct {
    crypto_aead_aes256gcm_state *context;
    bool decrypt;
} state;

static bool libsodium_rekey(void *memory, const uint8_t *key)
{
    const state *s = memory;
    return crypto_aead_aes256gcm_beforenm(s->context, key) == 0;
}

static void libsodium_close(void *memory)
{
    state *s = memory;
    free(s->context);
    free(s);
}

static void *libsodium_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    state *s;

    (void)self;
    if (what->mode != GCM || what->key_size != 32 || !(s = malloc(sizeof *s)))
        return NULL;
    s->decrypt = what->decrypt;
    s->context = aligned_alloc(16, sizeof *s->context);
    if (s->context && libsodium_rekey(s, key))
        return s;
    libsodium_close(s);
    return NULL;
}

static bool libsodium_run(void *memory, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                          size_t size)
{
    const state *s = memory;

    if (s->decrypt)
        return crypto_aead_aes256gcm_decrypt_detached_afternm(out, NULL, in, size, in + size, NULL,
                                                              0, nonce, s->context) == 0;
    return crypto_aead_aes256gcm_encrypt_detached_afternm(out, out + size, NULL, in, size, NULL, 0,
                                                          NULL, nonce, s->context) == 0;
}

size_t libsodium_contenders(contender *list)
{
    const bool ready = sodium_init() >= 0 && crypto_aead_aes256gcm_is_available();

    *list = (contender){
        .name = "libsodium",
        .version = sodium_version_string(),
        .reason = ready ? "" : "its AES-256-GCM needs AES instructions, which this CPU lacks",
        .linked = true,
        .constant_time = -1,
        .open = libsodium_open,
        .run = libsodium_run,
        .rekey = libsodium_rekey,
        .close = libsodium_close,
    };
    return 1;
}
