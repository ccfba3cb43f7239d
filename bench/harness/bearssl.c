/* BearSSL: its constant-time 64-bit code (aes_ct64, ghash_ctmul64), which compares with the portable
 * backend, and its AES-NI code. BearSSL works in place, so other tasks copy the message first. It
 * has no ECB. */

#include <bearssl.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"

typedef struct {
    algorithm what;
    const br_block_cbcenc_class *cbc_encrypt_class;
    const br_block_cbcdec_class *cbc_decrypt_class;
    const br_block_ctr_class *ctr_class;
    const br_block_ctrcbc_class *ctrcbc_class;
    br_ghash ghash;
    union { /* each member starts with a pointer to its class */
        br_aes_gen_cbcenc_keys cbc_encrypt;
        br_aes_gen_cbcdec_keys cbc_decrypt;
        br_aes_gen_ctr_keys ctr;
        br_aes_gen_ctrcbc_keys ctrcbc;
    } key;
} state;

static bool bearssl_rekey(void *memory, const uint8_t *key)
{
    state *s = memory;
    const size_t size = s->what.key_size;

    if (s->what.mode == CBC && s->what.decrypt)
        s->cbc_decrypt_class->init(&s->key.cbc_decrypt.vtable, key, size);
    else if (s->what.mode == CBC)
        s->cbc_encrypt_class->init(&s->key.cbc_encrypt.vtable, key, size);
    else if (s->what.mode == CCM || s->what.mode == EAX)
        s->ctrcbc_class->init(&s->key.ctrcbc.vtable, key, size);
    else
        s->ctr_class->init(&s->key.ctr.vtable, key, size);
    return true;
}

static void *bearssl_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    const mode m = what->mode;
    const bool offered = m == CBC || m == CTR || m == GCM || m == CCM || m == EAX;
    state *s;

    if (!offered || !(s = malloc(sizeof *s)))
        return NULL;
    s->what = *what;
    if (strcmp(self->name, "bearssl/x86ni") == 0) {
        s->cbc_encrypt_class = br_aes_x86ni_cbcenc_get_vtable();
        s->cbc_decrypt_class = br_aes_x86ni_cbcdec_get_vtable();
        s->ctr_class = br_aes_x86ni_ctr_get_vtable();
        s->ctrcbc_class = br_aes_x86ni_ctrcbc_get_vtable();
        s->ghash = br_ghash_pclmul_get();
    } else {
        s->cbc_encrypt_class = &br_aes_ct64_cbcenc_vtable;
        s->cbc_decrypt_class = &br_aes_ct64_cbcdec_vtable;
        s->ctr_class = &br_aes_ct64_ctr_vtable;
        s->ctrcbc_class = &br_aes_ct64_ctrcbc_vtable;
        s->ghash = br_ghash_ctmul64;
    }
    bearssl_rekey(s, key);
    return s;
}

static bool gcm(const state *s, const uint8_t *nonce, uint8_t *data, size_t size,
                const uint8_t *given_tag, uint8_t *tag)
{
    br_gcm_context c;

    br_gcm_init(&c, (const br_block_ctr_class **)(uintptr_t)&s->key.ctr.vtable, s->ghash);
    br_gcm_reset(&c, nonce, 12);
    br_gcm_flip(&c);
    br_gcm_run(&c, !s->what.decrypt, data, size);
    if (s->what.decrypt)
        return br_gcm_check_tag(&c, given_tag) == 1;
    br_gcm_get_tag(&c, tag);
    return true;
}

static bool ccm(state *s, const uint8_t *nonce, uint8_t *data, size_t size,
                const uint8_t *given_tag, uint8_t *tag)
{
    br_ccm_context c;

    br_ccm_init(&c, &s->key.ctrcbc.vtable);
    if (!br_ccm_reset(&c, nonce, 12, 0, size, TAG))
        return false;
    br_ccm_flip(&c);
    br_ccm_run(&c, !s->what.decrypt, data, size);
    if (s->what.decrypt)
        return br_ccm_check_tag(&c, given_tag) == 1;
    return br_ccm_get_tag(&c, tag) == TAG;
}

static bool eax(state *s, const uint8_t *nonce, uint8_t *data, size_t size,
                const uint8_t *given_tag, uint8_t *tag)
{
    br_eax_context c;

    br_eax_init(&c, &s->key.ctrcbc.vtable);
    br_eax_reset(&c, nonce, 16);
    br_eax_flip(&c);
    br_eax_run(&c, !s->what.decrypt, data, size);
    if (s->what.decrypt)
        return br_eax_check_tag(&c, given_tag) == 1;
    br_eax_get_tag(&c, tag);
    return true;
}

static bool bearssl_run(void *memory, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                        size_t size)
{
    state *s = memory;
    uint8_t iv[16];
    uint32_t low;

    if (out != in)
        memcpy(out, in, size);
    copy_nonce(iv, nonce, sizeof iv);
    switch (s->what.mode) {
    case CBC:
        if (s->what.decrypt)
            s->cbc_decrypt_class->run(&s->key.cbc_decrypt.vtable, iv, out, size);
        else
            s->cbc_encrypt_class->run(&s->key.cbc_encrypt.vtable, iv, out, size);
        return true;
    case CTR:
        low = (uint32_t)iv[12] << 24 | (uint32_t)iv[13] << 16 | (uint32_t)iv[14] << 8 | iv[15];
        s->ctr_class->run(&s->key.ctr.vtable, iv, low, out, size);
        return true;
    case GCM:
        return gcm(s, nonce, out, size, in + size, out + size);
    case CCM:
        return ccm(s, nonce, out, size, in + size, out + size);
    case EAX:
        return eax(s, nonce, out, size, in + size, out + size);
    default:
        return false;
    }
}

size_t bearssl_contenders(contender *list)
{
    const contender common = {
        .version = "", /* BearSSL has no version function */
        .reason = "",
        .linked = true,
        .constant_time = -1,
        .open = bearssl_open,
        .run = bearssl_run,
        .rekey = bearssl_rekey,
        .close = free,
    };

    list[0] = list[1] = common;
    list[0].name = "bearssl/ct64";
    list[1].name = "bearssl/x86ni";
    if (!br_aes_x86ni_ctr_get_vtable() || !br_ghash_pclmul_get())
        list[1].reason = "needs AES-NI and PCLMULQDQ";
    return 2;
}
