/* GCM, SP 800-38D: CTR over the data, GHASH over the associated data, the
 * ciphertext and their lengths; the tag is that hash XOR E(K, J0).
 *
 * J0 is the counter block before the first one of the data, so one batch gives
 * the mask of the tag and the first BATCH - 16 bytes of keystream: a short
 * message costs a single pass through the cipher. Keystream is buffered in
 * whole blocks, hence the data are block-aligned whenever the buffer is empty. */

#ifndef FUSED
static inline hash aes_encrypt_ghash(const context *c, vec *v, hash y, const uint8_t *p)
{
    aes_encrypt(c, v, FLIGHT);
    return ghash(c, y, p, BATCH_BLOCKS);
}
#endif

static inline void gcm_hash_blocks(const context *c, rijn_gcm *g, const uint8_t *p, size_t blocks)
{
    hash_store(g->hash, ghash(c, hash_load(g->hash), p, blocks));
}

/* Hashes `size` more bytes, but for an unfinished block. */
static inline void gcm_absorb(const context *c, rijn_gcm *g, const uint8_t *p, size_t size)
{
    const uint8_t *blocks;
    size_t n;

    while ((n = partial_blocks(&g->partial, false, &blocks, &p, &size)))
        gcm_hash_blocks(c, g, blocks, n);
}

/* Ends the associated data or the ciphertext: pads it to whole blocks. */
static inline void gcm_pad(const context *c, rijn_gcm *g)
{
    if (g->partial.fill) {
        partial_pad(&g->partial, 0);
        gcm_hash_blocks(c, g, g->partial.block, 1);
    }
}

/* [a]64 || [b]64 of a number of bytes each, as numbers of bits; at most 2^61 - 1. */
static inline void gcm_lengths(const context *c, rijn_gcm *g, uint64_t a, uint64_t b)
{
    uint8_t block[16];
    store_be64(block, a * 8);
    store_be64(block + 8, b * 8);
    gcm_hash_blocks(c, g, block, 1);
}

static void gcm_start(const void *context_, rijn_gcm *g, const uint8_t *nonce, size_t size)
{
    const context *c = context_;

    /* Step 2 of section 7.1: J0. */
    memset(g->hash, 0, 16);
    g->partial.fill = 0;
    g->stream.hidden = size != 12;
    g->stream.width = 4;
    g->stream.little = 0;
    if (size == 12) {
        memcpy(g->stream.counter, nonce, 12);
        store_be32(g->stream.counter + 12, 1);
    } else {
        gcm_absorb(c, g, nonce, size);
        gcm_pad(c, g);
        gcm_lengths(c, g, 0, size);
        memcpy(g->stream.counter, g->hash, 16);
        memset(g->hash, 0, 16);
    }
    keystream_refill(c, &g->stream, false, false);
    memcpy(g->mask, g->stream.batch, 16);
    g->stream.ready -= 16;
    g->ad_size = g->size = 0;
}

static void gcm_ad(const void *c, rijn_gcm *g, const uint8_t *ad, size_t size)
{
    gcm_absorb(c, g, ad, size);
    g->ad_size += size;
}

/* The part of a message that comes out of the keystream buffer. */
static inline size_t gcm_buffered(const context *c, rijn_gcm *g, uint8_t *out, const uint8_t *in,
                                  size_t size, bool decrypting)
{
    const size_t n = size < g->stream.ready ? size : g->stream.ready;
    if (decrypting)
        gcm_absorb(c, g, in, n);
    keystream_use(&g->stream, out, in, n);
    if (!decrypting)
        gcm_absorb(c, g, out, n);
    return n;
}

/* Whole batches, block-aligned: each is hashed while another is encrypted. */
static inline void gcm_batches(const context *c, rijn_gcm *g, uint8_t *out, const uint8_t *in,
                               size_t batches, bool decrypting)
{
    position at = position_load(&g->stream);
    hash y = hash_load(g->hash);
    vec v[FLIGHT];

    if (decrypting) {
        for (; batches; batches--, in += BATCH, out += BATCH) {
            next_counters(v, &at, false, false);
            y = aes_encrypt_ghash(c, v, y, in);
            xor_batch(out, in, v);
        }
    } else {
        next_counters(v, &at, false, false);
        aes_encrypt(c, v, FLIGHT);
        xor_batch(out, in, v);
        while (--batches) {
            next_counters(v, &at, false, false);
            y = aes_encrypt_ghash(c, v, y, out);
            in += BATCH, out += BATCH;
            xor_batch(out, in, v);
        }
        y = ghash(c, y, out, BATCH_BLOCKS);
    }
    hash_store(g->hash, y);
    position_store(g->stream.counter, &at);
}

static inline void gcm_crypt(const context *c, rijn_gcm *g, uint8_t *out, const uint8_t *in,
                             size_t size, bool decrypting)
{
    size_t n;

    if (g->size == 0)
        gcm_pad(c, g); /* the associated data end here */
    g->size += size;

    n = gcm_buffered(c, g, out, in, size, decrypting);
    in += n, out += n, size -= n;
    if (size >= BATCH) {
        gcm_batches(c, g, out, in, size / BATCH, decrypting);
        n = size - size % BATCH;
        in += n, out += n, size -= n;
    }
    if (size) {
        keystream_refill(c, &g->stream, false, false);
        gcm_buffered(c, g, out, in, size, decrypting);
    }
}

static void gcm_encrypt(const void *c, rijn_gcm *g, uint8_t *out, const uint8_t *in, size_t size)
{
    gcm_crypt(c, g, out, in, size, false);
}

static void gcm_decrypt(const void *c, rijn_gcm *g, uint8_t *out, const uint8_t *in, size_t size)
{
    gcm_crypt(c, g, out, in, size, true);
}

/* Steps 5 and 6 of section 7.1. */
static void gcm_tag(const void *c, rijn_gcm *g, uint8_t tag[16])
{
    gcm_pad(c, g);
    gcm_lengths(c, g, g->ad_size, g->size);
    xor_bytes(tag, g->hash, g->mask, 16);
}
