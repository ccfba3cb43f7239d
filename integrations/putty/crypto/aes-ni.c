/* AES for PuTTY by Rijn, in place of PuTTY's crypto/aes-ni.c.
 * SPDX-License-Identifier: MIT
 *
 * It has that file's names, so that PuTTY prefers it to its portable code; which instructions
 * it uses is Rijn's choice, for this CPU or by the environment variable RIJN_BACKEND. None of
 * what may be chosen has a branch or an address that depends on key or data. */
#include <string.h>

#include "ssh.h"

#include "aes.h"

#include "aes-rijn.h"

static inline aes_rijn *rijn_of(ssh_cipher *ciph)
{
    return container_of(ciph, aes_rijn, ciph);
}

/* Some backend runs anywhere, unless RIJN_BACKEND asks for what cannot be had. */
bool aes_rijn_available(void)
{
    static const uint8_t zero[16];
    rijn_key key;
    const rijn_status status = rijn_key_init(&key, zero, sizeof zero, NULL);

    rijn_key_wipe(&key);
    return status == RIJN_OK;
}

static bool aes_ni_available(void)
{
    return aes_rijn_available();
}

static ssh_cipher *aes_ni_new(const ssh_cipheralg *alg)
{
    if (!check_availability(alg->extra))
        return NULL;

    aes_rijn *const ctx = snew(aes_rijn);
    memset(ctx, 0, sizeof *ctx);
    ctx->ciph.vt = alg;
    return &ctx->ciph;
}

static void aes_ni_free(ssh_cipher *ciph)
{
    aes_rijn *const ctx = rijn_of(ciph);

    rijn_wipe(ctx, sizeof *ctx);
    sfree(ctx);
}

aes_rijn *aes_rijn_gcm(ssh_cipher *ciph)
{
    return ciph->vt->free == aes_ni_free && ciph->vt->required_mac ? rijn_of(ciph) : NULL;
}

static void forget_packet(aes_rijn *ctx)
{
    ctx->length = ctx->data = NULL;
}

/* Nothing of the last key stays: of the object no more than the counter or IV does. Of SDCTR it
 * stands behind the keystream that was made, so that no block of it is met again; an object that
 * gets a second key wants an IV behind it, as PuTTY's tests set one. PuTTY makes an object a key. */
static void aes_ni_setkey(ssh_cipher *ciph, const void *key)
{
    aes_rijn *const ctx = rijn_of(ciph);
    uint8_t counter[16];

    memcpy(counter, ctx->counter, 16);
    rijn_wipe(ctx, offsetof(aes_rijn, ciph));
    memcpy(ctx->counter, counter, 16);
    aes_rijn_must(rijn_key_init(&ctx->key, key, ciph->vt->real_keybits / 8, NULL));
}

/* ---- CBC: one chain for both directions, as PuTTY has it ---- */

static void aes_ni_setiv_cbc(ssh_cipher *ciph, const void *iv)
{
    memcpy(rijn_of(ciph)->counter, iv, 16);
}

static inline void cbc_encrypt(ssh_cipher *ciph, void *blk, int len)
{
    aes_rijn *const ctx = rijn_of(ciph);

    assert(len >= 0);
    aes_rijn_must(rijn_cbc_encrypt(&ctx->key, ctx->counter, blk, blk, len));
}

static inline void cbc_decrypt(ssh_cipher *ciph, void *blk, int len)
{
    aes_rijn *const ctx = rijn_of(ciph);

    assert(len >= 0);
    aes_rijn_must(rijn_cbc_decrypt(&ctx->key, ctx->counter, blk, blk, len));
}

/* ---- SDCTR: a big-endian counter of 128 bits ---- */

static void aes_ni_setiv_sdctr(ssh_cipher *ciph, const void *iv)
{
    aes_rijn *const ctx = rijn_of(ciph);

    memcpy(ctx->counter, iv, 16);
    rijn_wipe(ctx->ahead, sizeof ctx->ahead);
    ctx->ready = 0;
}

static void sdctr_blocks(aes_rijn *ctx, uint8_t *p, size_t size)
{
    uint8_t *const counter = ctx->counter;
    const uint64_t blocks = size / 16, low = GET_64BIT_MSB_FIRST(counter + 8) + blocks;

    aes_rijn_must(rijn_ctr_crypt(&ctx->key, counter, p, p, size));
    PUT_64BIT_MSB_FIRST(counter + 8, low);
    if (low < blocks)
        PUT_64BIT_MSB_FIRST(counter, GET_64BIT_MSB_FIRST(counter) + 1);
}

/* Keystream that is ready, no less than `size` bytes of it, onto whole blocks. Each block at once: a
 * loop by words, of which compilers make one that looks how much it may take, costs as much again. */
static inline void sdctr_ahead(aes_rijn *ctx, uint8_t *p, size_t size)
{
    const uint8_t *from = ctx->ahead + sizeof ctx->ahead - ctx->ready;
    uint64_t a[2], b[2];

    ctx->ready -= size;
    for (const uint8_t *const end = p + size; p != end; p += 16, from += 16) {
        memcpy(a, p, 16);
        memcpy(b, from, 16);
        a[0] ^= b[0], a[1] ^= b[1];
        memcpy(p, a, 16);
    }
}

/* From so many bytes on, a piece is encrypted by itself. */
enum { SDCTR_DIRECT = 512 };

/* More than is ready. Apart, so that what is ready has no registers to save. */
static __attribute__((noinline)) void sdctr_more(aes_rijn *ctx, uint8_t *p, size_t size)
{
    const size_t n = ctx->ready;

    sdctr_ahead(ctx, p, n);
    p += n, size -= n;
    if (size >= SDCTR_DIRECT) {
        sdctr_blocks(ctx, p, size);
        return;
    }
    rijn_wipe(ctx->ahead, sizeof ctx->ahead);
    sdctr_blocks(ctx, ctx->ahead, sizeof ctx->ahead);
    ctx->ready = sizeof ctx->ahead;
    sdctr_ahead(ctx, p, size);
}

/* A block or a few are XORed onto keystream that was made for many: each call into Rijn overwrites
 * a kilobyte of stack. */
static inline void sdctr(ssh_cipher *ciph, void *blk, int len)
{
    aes_rijn *const ctx = rijn_of(ciph);

    assert(len >= 0 && len % 16 == 0);
    if ((size_t)len <= ctx->ready)
        sdctr_ahead(ctx, blk, len);
    else
        sdctr_more(ctx, blk, len);
}

/* ---- GCM: nonce of 12 bytes, the last 8 of them a number of the message; then a counter
 * of 32 bits, which begins at 1 and wraps by itself ---- */

static void aes_ni_setiv_gcm(ssh_cipher *ciph, const void *iv)
{
    aes_rijn *const ctx = rijn_of(ciph);

    forget_packet(ctx);
    ctx->has_mac = false;
    memcpy(ctx->counter, iv, 12);
    PUT_32BIT_MSB_FIRST(ctx->counter + 12, 1);
}

static void aes_ni_next_message_gcm(ssh_cipher *ciph)
{
    aes_rijn *const ctx = rijn_of(ciph);

    forget_packet(ctx);
    ctx->has_mac = false;
    PUT_64BIT_MSB_FIRST(ctx->counter + 4, GET_64BIT_MSB_FIRST(ctx->counter + 4) + 1);
    PUT_32BIT_MSB_FIRST(ctx->counter + 12, 1);
}

/* The length field, which GCM authenticates and does not encrypt. Who encrypts it calls this
 * right before the data behind it. */
static void length_field(ssh_cipher *ciph, void *blk, int len, unsigned long seq)
{
    aes_rijn *const ctx = rijn_of(ciph);

    forget_packet(ctx);
    if (len == AES_RIJN_LENGTH)
        ctx->length = blk;
}

static void count_gcm(aes_rijn *ctx, size_t blocks)
{
    uint8_t *const counter = ctx->counter + 12;

    PUT_32BIT_MSB_FIRST(counter, GET_32BIT_MSB_FIRST(counter) + (uint32_t)blocks);
}

static void gcm_crypt(ssh_cipher *ciph, void *blk, int len)
{
    aes_rijn *const ctx = rijn_of(ciph);

    assert(len >= 0 && len % 16 == 0);
    forget_packet(ctx);
    aes_rijn_must(rijn_ctr_crypt_width(&ctx->key, 32, 0, ctx->counter, blk, blk, len));
    count_gcm(ctx, len / 16);
}

/* A whole packet, whose MAC will be asked for next, gets its tag at once: when its length
 * field stands right in front and has just come, and nothing of the keystream is used but the
 * block that the MAC took. */
static void gcm_encrypt(ssh_cipher *ciph, void *blk, int len)
{
    aes_rijn *const ctx = rijn_of(ciph);
    const uint8_t *const length = ctx->length;

    if (!length || length + AES_RIJN_LENGTH != blk || !ctx->has_mac ||
        GET_32BIT_MSB_FIRST(ctx->counter + 12) != 2) {
        gcm_crypt(ciph, blk, len);
        return;
    }
    assert(len >= 0 && len % 16 == 0);
    aes_rijn_must(rijn_gcm_seal(&ctx->key, blk, ctx->tag, sizeof ctx->tag, ctx->counter, 12, length,
                                AES_RIJN_LENGTH, blk, len));
    count_gcm(ctx, len / 16);
    ctx->data = blk;
    ctx->size = len;
}

/* ---- What PuTTY's macros in aes.h make of it ---- */

static inline void encrypt_block(ssh_cipher *ciph, void *blk)
{
    aes_rijn_must(rijn_ecb_encrypt(&rijn_of(ciph)->key, blk, blk, 16));
}

#define OF_SIZE(bits) \
    static void aes##bits##_ni_cbc_encrypt(ssh_cipher *ciph, void *blk, int len) \
    { \
        cbc_encrypt(ciph, blk, len); \
    } \
    static void aes##bits##_ni_cbc_decrypt(ssh_cipher *ciph, void *blk, int len) \
    { \
        cbc_decrypt(ciph, blk, len); \
    } \
    static void aes##bits##_ni_sdctr(ssh_cipher *ciph, void *blk, int len) \
    { \
        sdctr(ciph, blk, len); \
    } \
    static void aes##bits##_ni_encrypt_ecb_block(ssh_cipher *ciph, void *blk) \
    { \
        encrypt_block(ciph, blk); \
    } \
    static void aes##bits##_ni_gcm_encrypt(ssh_cipher *ciph, void *blk, int len) \
    { \
        gcm_encrypt(ciph, blk, len); \
    } \
    static void aes##bits##_ni_gcm_decrypt(ssh_cipher *ciph, void *blk, int len) \
    { \
        gcm_crypt(ciph, blk, len); \
    }

OF_SIZE(128)
OF_SIZE(192)
OF_SIZE(256)

#define NAME "Rijn"

AES_EXTRA(_ni);
AES_CBC_VTABLE(_ni, NAME, 128);
AES_CBC_VTABLE(_ni, NAME, 192);
AES_CBC_VTABLE(_ni, NAME, 256);
AES_SDCTR_VTABLE(_ni, NAME, 128);
AES_SDCTR_VTABLE(_ni, NAME, 192);
AES_SDCTR_VTABLE(_ni, NAME, 256);

/* Not AES_GCM_VTABLE: the directions differ, and the length field is listened to. */
#define GCM_OF_SIZE(bits, id) \
    const ssh_cipheralg ssh_aes##bits##_gcm_ni = { \
        .ssh2_id = id, \
        .text_name = "AES-" #bits " GCM (" NAME ")", \
        .required_mac = &ssh2_aesgcm_mac, \
        .flags = SSH_CIPHER_SEPARATE_LENGTH, \
        .blksize = 16, \
        .real_keybits = bits, \
        .padded_keybytes = bits / 8, \
        .new = aes_ni_new, \
        .setkey = aes_ni_setkey, \
        .setiv = aes_ni_setiv_gcm, \
        .encrypt_length = length_field, \
        .decrypt_length = length_field, \
        .encrypt = aes##bits##_ni_gcm_encrypt, \
        .decrypt = aes##bits##_ni_gcm_decrypt, \
        .next_message = aes_ni_next_message_gcm, \
        .free = aes_ni_free, \
        .extra = &aes##bits##_ni_extra, \
    }

GCM_OF_SIZE(128, "aes128-gcm@openssh.com");
GCM_OF_SIZE(192, NULL); /* OpenSSH has no such cipher, testcrypt has */
GCM_OF_SIZE(256, "aes256-gcm@openssh.com");
