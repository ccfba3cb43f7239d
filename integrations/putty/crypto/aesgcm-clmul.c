/* The MAC of AES-GCM from Rijn for PuTTY. Replaces PuTTY's crypto/aesgcm-clmul.c.
 * SPDX-License-Identifier: MIT
 *
 * Sent packets already have a tag from aes-ni.c. The tag of a received packet is computed here, in one
 * call if PuTTY passes the whole packet at once; PuTTY decrypts it after it has verified the tag. */
#include <string.h>

#include "ssh.h"

#include "aesgcm.h"

#include "aes-rijn.h"

typedef struct aesgcm_rijn {
    aes_rijn *cipher;
    rijn_gcm gcm;
    uint8_t nonce[12];
    size_t skip, ad;           /* bytes before the ciphertext: ignored, associated data */
    size_t skip_left, ad_left; /* how many of them are still missing */
    bool ready;                /* `tag` is the tag of this message, a whole packet */
    uint8_t tag[RIJN_GCM_TAG_MAX];
    BinarySink_IMPLEMENTATION;
    ssh2_mac mac;
} aesgcm_rijn;

static inline aesgcm_rijn *rijn_of(ssh2_mac *mac)
{
    return container_of(mac, aesgcm_rijn, mac);
}

static bool available(void)
{
    return aes_rijn_available();
}

static const char *text_name(ssh2_mac *mac)
{
    return "AES-GCM (Rijn)";
}

/* Reserves the keystream block with counter 1, which encrypts the tag. */
static void next_message(ssh2_mac *mac)
{
    aesgcm_rijn *const ctx = rijn_of(mac);
    uint8_t *const counter = ctx->cipher->counter;

    assert(GET_32BIT_MSB_FIRST(counter + 12) == 1);
    memcpy(ctx->nonce, counter, sizeof ctx->nonce);
    PUT_32BIT_MSB_FIRST(counter + 12, 2);
    ctx->cipher->has_mac = true;
}

/* The MAC uses the cipher's key. Wipes the state of a message with the previous key. */
static void setkey(ssh2_mac *mac, ptrlen key)
{
    aesgcm_rijn *const ctx = rijn_of(mac);

    rijn_gcm_wipe(&ctx->gcm);
    rijn_wipe(ctx->tag, sizeof ctx->tag);
    next_message(mac);
}

static void start(ssh2_mac *mac)
{
    aesgcm_rijn *const ctx = rijn_of(mac);

    if (ctx->gcm.key) /* otherwise rijn_gcm_finish has wiped it */
        rijn_gcm_wipe(&ctx->gcm);
    ctx->skip_left = ctx->skip;
    ctx->ad_left = ctx->ad;
    ctx->ready = false;
}

static void start_hash(aesgcm_rijn *ctx)
{
    aes_rijn_must(rijn_gcm_start(&ctx->gcm, &ctx->cipher->key, ctx->nonce, sizeof ctx->nonce));
}

/* If this is the whole packet that the cipher has just sealed, takes its tag and returns true. The
 * tag is only for the first call after sealing. Later calls may be about changed bytes at the same
 * address, so their tag is computed. */
static bool take_sealed(aesgcm_rijn *ctx, const uint8_t *p, size_t size)
{
    aes_rijn *const cipher = ctx->cipher;
    const bool same = cipher->data && cipher->length == p && ctx->ad == AES_RIJN_LENGTH &&
                      ctx->ad_left == ctx->ad && size == ctx->ad + cipher->size;

    if (same)
        memcpy(ctx->tag, cipher->tag, sizeof ctx->tag);
    cipher->length = cipher->data = NULL;
    return same;
}

/* If this is a whole packet, computes its tag in one call and returns true. A packet has as many bytes
 * after its length field as this field says; GCM does not encrypt it. */
static bool tag_packet(aesgcm_rijn *ctx, const uint8_t *p, size_t size)
{
    if (ctx->ad != AES_RIJN_LENGTH || ctx->ad_left != ctx->ad || size < AES_RIJN_LENGTH ||
        size - AES_RIJN_LENGTH != GET_32BIT_MSB_FIRST(p))
        return false;
    aes_rijn_must(rijn_gcm_tag(&ctx->cipher->key, ctx->tag, sizeof ctx->tag, ctx->nonce,
                               sizeof ctx->nonce, p, AES_RIJN_LENGTH, p + AES_RIJN_LENGTH,
                               size - AES_RIJN_LENGTH));
    return true;
}

/* Subtracts up to `size` missing bytes from *left. Returns how many. */
static size_t take(size_t *left, size_t size)
{
    const size_t n = size < *left ? size : *left;

    *left -= n;
    return n;
}

static void write(BinarySink *bs, const void *data, size_t size)
{
    aesgcm_rijn *const ctx = BinarySink_DOWNCAST(bs, aesgcm_rijn);
    const uint8_t *p = data;
    size_t n = take(&ctx->skip_left, size);

    p += n, size -= n;
    if (!size)
        return;
    assert(!ctx->ready); /* nothing follows a packet */
    ctx->ready = take_sealed(ctx, p, size) || tag_packet(ctx, p, size);
    if (ctx->ready)
        return;
    if (!ctx->gcm.key)
        start_hash(ctx);
    n = take(&ctx->ad_left, size);
    if (n)
        aes_rijn_must(rijn_gcm_ad(&ctx->gcm, p, n));
    p += n, size -= n;
    if (size)
        aes_rijn_must(rijn_gcm_hash(&ctx->gcm, p, size));
}

static void genresult(ssh2_mac *mac, unsigned char *output)
{
    aesgcm_rijn *const ctx = rijn_of(mac);

    if (ctx->ready) {
        memcpy(output, ctx->tag, sizeof ctx->tag);
        rijn_wipe(ctx->tag, sizeof ctx->tag); /* it would make a forged packet valid */
        ctx->ready = false;
        return;
    }
    if (!ctx->gcm.key)
        start_hash(ctx);
    aes_rijn_must(rijn_gcm_finish(&ctx->gcm, output, RIJN_GCM_TAG_MAX));
}

/* Rijn does not have the key of another implementation's cipher. PuTTY never combines them, but its
 * tests do. The portable MAC works with every cipher. */
static ssh2_mac *new (const ssh2_macalg *alg, ssh_cipher *cipher)
{
    if (!check_aesgcm_availability(alg->extra))
        return NULL;
    aes_rijn *const rijn = aes_rijn_gcm(cipher);
    if (!rijn)
        return ssh2_mac_new(&ssh2_aesgcm_mac_sw, cipher);

    aesgcm_rijn *const ctx = snew(aesgcm_rijn);
    memset(ctx, 0, sizeof *ctx);
    ctx->cipher = rijn;
    ctx->skip = 4; /* the sequence number, which GCM has in its nonce */
    ctx->ad = 4;   /* the length field */
    ctx->mac.vt = alg;
    BinarySink_INIT(ctx, write);
    BinarySink_DELEGATE_INIT(&ctx->mac, ctx);
    return &ctx->mac;
}

static void set_prefix_lengths(ssh2_mac *mac, size_t skip, size_t ad)
{
    aesgcm_rijn *const ctx = rijn_of(mac);

    ctx->skip = skip;
    ctx->ad = ad;
}

static void free_mac(ssh2_mac *mac)
{
    aesgcm_rijn *const ctx = rijn_of(mac);

    rijn_wipe(ctx, sizeof *ctx);
    sfree(ctx);
}

static struct aesgcm_extra_mutable extra_mut;

static const struct aesgcm_extra extra = {
    .check_available = available,
    .mut = &extra_mut,
    .set_prefix_lengths = set_prefix_lengths,
};

const ssh2_macalg ssh2_aesgcm_mac_clmul = {
    .name = "",
    .etm_name = "", /* it comes with its cipher */
    .len = RIJN_GCM_TAG_MAX,
    .keylen = 0,
    .text_name = text_name,
    .new = new,
    .setkey = setkey,
    .next_message = next_message,
    .start = start,
    .genresult = genresult,
    .free = free_mac,
    .extra = &extra,
};
