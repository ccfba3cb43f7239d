/* BearSSL's constant-time 64-bit code (aes_ct64, ghash_ctmul64): the peer of
 * the portable rung. Its block modes work in place, so a run copies first. */
#include <bearssl.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"

typedef struct {
    algorithm what;
    br_aes_ct64_ctr_keys ctr;
    br_aes_ct64_cbcenc_keys cbc_encrypt;
    br_aes_ct64_cbcdec_keys cbc_decrypt;
} state;

static bool bearssl_rekey(void *memory, const uint8_t *key)
{
    state *s = memory;

    if (s->what.mode == CBC && s->what.decrypt)
        br_aes_ct64_cbcdec_init(&s->cbc_decrypt, key, s->what.key_size);
    else if (s->what.mode == CBC)
        br_aes_ct64_cbcenc_init(&s->cbc_encrypt, key, s->what.key_size);
    else
        br_aes_ct64_ctr_init(&s->ctr, key, s->what.key_size);
    return true;
}

static void *bearssl_open(const char *name, const algorithm *what, const uint8_t *key)
{
    state *s;

    (void)name;
    if (what->mode == ECB || !(s = malloc(sizeof *s)))
        return NULL;
    s->what = *what;
    bearssl_rekey(s, key);
    return s;
}

static bool bearssl_run(void *memory, const uint8_t nonce[16], uint8_t *out, const uint8_t *in,
                        size_t size)
{
    state *s = memory;
    br_gcm_context gcm;
    uint8_t iv[16];
    uint32_t low;

    memcpy(out, in, size);
    memcpy(iv, nonce, sizeof iv);
    switch (s->what.mode) {
    case ECB:
        return false;
    case CBC:
        if (s->what.decrypt)
            br_aes_ct64_cbcdec_run(&s->cbc_decrypt, iv, out, size);
        else
            br_aes_ct64_cbcenc_run(&s->cbc_encrypt, iv, out, size);
        return true;
    case CTR:
        low = (uint32_t)iv[12] << 24 | (uint32_t)iv[13] << 16 | (uint32_t)iv[14] << 8 | iv[15];
        br_aes_ct64_ctr_run(&s->ctr, iv, low, out, size);
        return true;
    case GCM:
        br_gcm_init(&gcm, &s->ctr.vtable, br_ghash_ctmul64);
        br_gcm_reset(&gcm, nonce, 12);
        br_gcm_flip(&gcm);
        br_gcm_run(&gcm, !s->what.decrypt, out, size);
        if (s->what.decrypt)
            return br_gcm_check_tag(&gcm, in + size) == 1;
        br_gcm_get_tag(&gcm, out + size);
        return true;
    }
    return false;
}

const contender bearssl_contender = {
    "bearssl/ct64", bearssl_open, bearssl_run, bearssl_rekey, free,
};
