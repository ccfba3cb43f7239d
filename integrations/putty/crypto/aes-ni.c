/* AES from Rijn for PuTTY. Replaces PuTTY's crypto/aes-ni.c.
 * SPDX-License-Identifier: MIT
 *
 * It has the names of that file, so that PuTTY prefers it to its portable code. Rijn picks a
 * constant-time backend for this CPU, or the one that the environment variable RIJN_BACKEND names.
 * It refuses backends whose branches or addresses depend on key or data. */
#include <string.h>

#include "ssh.h"

#include "aes.h"

#include "aes-rijn.h"

static inline aes_rijn *rijn_of(ssh_cipher *ciph)
{
    return container_of(ciph, aes_rijn, ciph);
}

/* Always true, unless RIJN_BACKEND names an unavailable backend. */
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

/* Sets a key. Wipes everything of the previous key except the counter or IV. For SDCTR that counter
 * is after the computed keystream, so no block of the keystream repeats. After a second key, the
 * caller must set an IV, as PuTTY's tests do. PuTTY itself makes a new object for each key. */
static void aes_ni_setkey(ssh_cipher *ciph, const void *key)
{
    aes_rijn *const ctx = rijn_of(ciph);
    uint8_t counter[16];

    memcpy(counter, ctx->counter, 16);
    rijn_wipe(ctx, offsetof(aes_rijn, ciph));
    memcpy(ctx->counter, counter, 16);
    aes_rijn_must(rijn_key_init(&ctx->key, key, ciph->vt->real_keybits / 8, NULL));
}

/* ---- CBC: one chain for both directions, as in PuTTY ---- */

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

/* ---- SDCTR: a 128-bit big-endian counter ---- */

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

/* XORs whole blocks with ready keystream (at least `size` bytes). It handles one block at a time:
 * from a loop over words, compilers make a vectorized loop with checks, which costs twice as much. */
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

/* Longer pieces are encrypted directly, without stored keystream. */
enum { SDCTR_DIRECT = 512 };

/* Handles pieces that are longer than the ready keystream. It is a separate function, so that the
 * fast path saves no registers. */
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

/* Short pieces use keystream that was computed for many blocks at once: each call into Rijn wipes a
 * kilobyte of stack. */
static inline void sdctr(ssh_cipher *ciph, void *blk, int len)
{
    aes_rijn *const ctx = rijn_of(ciph);

    assert(len >= 0 && len % 16 == 0);
    if ((size_t)len <= ctx->ready)
        sdctr_ahead(ctx, blk, len);
    else
        sdctr_more(ctx, blk, len);
}

/* ---- GCM: a 12-byte nonce, whose last 8 bytes are the number of the message, then a 32-bit
 * counter, which starts at 1 and wraps without a carry ---- */

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

/* Notes the length field, which GCM authenticates and does not encrypt. The sender calls this right
 * before it encrypts the data after the field. */
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

/* Encrypts data. If it is a whole packet, its tag is computed at once, because PuTTY asks for the MAC
 * next. It is a whole packet if its length field is right before it and has just been noted, and if
 * only the MAC's block of the keystream has been used. */
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

/* ---- The functions and tables that PuTTY's macros in aes.h need ---- */

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

/* Not AES_GCM_VTABLE: here the two directions differ, and the length field is noted. */
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
GCM_OF_SIZE(192, NULL); /* only testcrypt has this cipher, OpenSSH does not */
GCM_OF_SIZE(256, "aes256-gcm@openssh.com");
