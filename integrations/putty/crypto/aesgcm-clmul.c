/* The MAC of AES-GCM for PuTTY by Rijn, in place of PuTTY's crypto/aesgcm-clmul.c.
 * SPDX-License-Identifier: MIT
 *
 * What is sent has its tag already, from aes-ni.c, when it comes here. What is received is
 * hashed here, many blocks at once, and decrypted when PuTTY has found the tag right. */
#include <string.h>

#include "ssh.h"

#include "aesgcm.h"

#include "aes-rijn.h"

typedef struct aesgcm_rijn {
    aes_rijn *cipher;
    rijn_gcm gcm;
    uint8_t nonce[12];
    size_t skip, ad;           /* how many bytes come before the ciphertext, of each kind */
    size_t skip_left, ad_left; /* how many of them are still to come */
    bool sealed;               /* this message's tag came from the cipher: it is `tag` */
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

/* Takes the block of the keystream, counter 1, that hides the tag. */
static void next_message(ssh2_mac *mac)
{
    aesgcm_rijn *const ctx = rijn_of(mac);
    uint8_t *const counter = ctx->cipher->counter;

    assert(GET_32BIT_MSB_FIRST(counter + 12) == 1);
    memcpy(ctx->nonce, counter, sizeof ctx->nonce);
    PUT_32BIT_MSB_FIRST(counter + 12, 2);
    ctx->cipher->has_mac = true;
}

/* There is no key but the cipher's; of a message under the last nothing stays. */
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

    if (ctx->gcm.key) /* else it has been wiped when it was finished */
        rijn_gcm_wipe(&ctx->gcm);
    ctx->skip_left = ctx->skip;
    ctx->ad_left = ctx->ad;
    ctx->sealed = false;
}

static void start_hash(aesgcm_rijn *ctx)
{
    aes_rijn_must(rijn_gcm_start(&ctx->gcm, &ctx->cipher->key, ctx->nonce, sizeof ctx->nonce));
}

/* Whether this is, in whole, the packet that the cipher has just sealed, whose tag is then taken.
 * It is there for the first question behind the sealing and for no other: what follows may be
 * asked about bytes that have been altered where they lie, and is computed. */
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

/* Takes bytes off the front that are still to come; returns how many. */
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
    assert(!ctx->sealed); /* nothing follows a packet */
    ctx->sealed = take_sealed(ctx, p, size);
    if (ctx->sealed)
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

    if (ctx->sealed) {
        memcpy(output, ctx->tag, sizeof ctx->tag);
        return;
    }
    if (!ctx->gcm.key)
        start_hash(ctx);
    aes_rijn_must(rijn_gcm_finish(&ctx->gcm, output, RIJN_GCM_TAG_MAX));
}

/* Of another implementation's cipher Rijn does not have the key. PuTTY itself never asks for
 * such a pair, but its tests do; its portable code is for all. */
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
