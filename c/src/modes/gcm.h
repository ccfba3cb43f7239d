/* GCM (SP 800-38D): CTR over the data, and GHASH over the associated data, the ciphertext and their
 * lengths. The tag is this hash XOR E(K, J0). */

RIJN_INLINE hash ghash_zero(void)
{
    static const uint8_t zero[16];
    return hash_load(zero);
}

/* Absorbs `size` bytes, and zeros up to a whole block, by ghash or polyval. Returns the new y. */
RIJN_INLINE hash absorb_padded(const context *c, hash y, const uint8_t *p, size_t size,
                               hash (*absorb)(const context *, hash, const uint8_t *, size_t))
{
    const size_t rest = size % 16;

    if (size >= 16)
        y = absorb(c, y, p, size / 16);
    if (rest) {
        uint8_t last[16];
        block_store(last, block_load_part(p + size - rest, rest));
        y = absorb(c, y, last, 1);
    }
    return y;
}

RIJN_ONCE hash ghash_padded(const context *c, hash y, const uint8_t *p, size_t size)
{
    return absorb_padded(c, y, p, size, ghash);
}

#ifndef NATIVE_CARRYLESS
/* Absorbs the `size` bytes at p, zeros up to a whole block, and BE64(a) || BE64(b). */
RIJN_ONCE hash ghash_end(const context *c, hash y, const uint8_t *p, size_t size, uint64_t a,
                         uint64_t b)
{
    uint8_t lengths[16];

    store_be64(lengths, a);
    store_be64(lengths + 8, b);
    return ghash(c, ghash_padded(c, y, p, size), lengths, 1);
}
#endif

/* Returns the hash of a message: of the padded associated data, the padded data and their lengths. */
RIJN_APART static hash gcm_hash(const context *c, const uint8_t *ad, size_t ad_size,
                                const uint8_t *p, size_t size)
{
    return ghash_end(c, ghash_padded(c, ghash_zero(), ad, ad_size), p, size, (uint64_t)ad_size * 8,
                     (uint64_t)size * 8);
}

/* Returns J0 (section 7.1, step 2), as the first counter. Its last word counts. */
RIJN_ONCE position gcm_position(const context *c, const uint8_t *nonce, size_t size)
{
    rijn_counter j0 = {.width = 4};

    if (size == 12)
        return (position){
            .fixed = block_pair(load_le64(nonce), load_le32(nonce + 8) | (uint64_t)1 << 56),
            .low = 1,
            .width = 4};
    hash_store(j0.block, gcm_hash(c, NULL, 0, nonce, size));
    j0.hidden = 1;
    return position_load(&j0, false);
}

/* Processes the whole batches of the data, and returns their size. With NATIVE_CARRYLESS it hashes
 * one batch while it encrypts another. Other backends gain nothing by that, and hash all batches at
 * once. */
RIJN_INLINE size_t gcm_batches(const context *c, position *counter, hash *sum, uint8_t *out,
                               const uint8_t *in, size_t size, bool decrypting)
{
    const size_t done = size - size % BATCH;
    position at = *counter;
    hash y = *sum;
#ifdef NATIVE_CARRYLESS
    size_t batches = size / BATCH;
    vec v[FLIGHT];

    if (decrypting) {
        for (; batches; batches--, in += BATCH, out += BATCH) {
            next_counters(v, FLIGHT, &at, BATCH_BLOCKS, false);
            y = aes_encrypt_ghash(c, v, y, in);
            xor_vecs(out, in, v, FLIGHT);
        }
    } else if (batches) {
        next_counters(v, FLIGHT, &at, BATCH_BLOCKS, false);
        aes_encrypt(c, v, FLIGHT);
        xor_vecs(out, in, v, FLIGHT);
        while (--batches) {
            next_counters(v, FLIGHT, &at, BATCH_BLOCKS, false);
            y = aes_encrypt_ghash(c, v, y, out);
            in += BATCH, out += BATCH;
            xor_vecs(out, in, v, FLIGHT);
        }
        y = ghash(c, y, out, BATCH_BLOCKS);
    }
#else
    if (decrypting)
        y = ghash(c, y, in, done / 16);
    ctr_bytes(c, &at, out, in, done);
    if (!decrypting)
        y = ghash(c, y, out, done / 16);
#endif
    *counter = at;
    *sum = y;
    return done;
}

/* Not inlined: they need all registers, and short messages do not call them. */
RIJN_APART static size_t gcm_encrypt_batches(const context *c, position *counter, hash *sum,
                                             uint8_t *out, const uint8_t *in, size_t size)
{
    return gcm_batches(c, counter, sum, out, in, size, false);
}

RIJN_APART static size_t gcm_decrypt_batches(const context *c, position *counter, hash *sum,
                                             uint8_t *out, const uint8_t *in, size_t size)
{
    return gcm_batches(c, counter, sum, out, in, size, true);
}

/* Processes whole blocks of a message in pieces. */
RIJN_OPERATION void gcm_crypt(const void *c, rijn_counter *counter, uint8_t sum[16], uint8_t *out,
                              const uint8_t *in, size_t blocks, bool decrypting)
{
    position at = position_load(counter, false);
    hash y = hash_load(sum);
    size_t size = 16 * blocks;

    if (!RIJN_WITH_SMALL_CODE && size >= BATCH) {
        const size_t done =
            (decrypting ? gcm_decrypt_batches : gcm_encrypt_batches)(c, &at, &y, out, in, size);
        in += done, out += done, size -= done;
    }
    if (size && decrypting)
        y = ghash(c, y, in, size / 16);
    ctr_bytes(c, &at, out, in, size);
    if (size && !decrypting)
        y = ghash(c, y, out, size / 16);
    hash_store(sum, y);
    position_store(counter->block, &at);
}

/* ---- One message ---- */

#ifndef NATIVE_VEC_AES
enum { LONG_BLOCKS = BATCH_BLOCKS };

/* Processes the rest of the data after whole batches, and absorbs the lengths. */
RIJN_INLINE hash gcm_end(const context *c, position *at, hash y, uint8_t *out, const uint8_t *in,
                         size_t size, uint64_t ad_bits, uint64_t bits, bool decrypting)
{
    if (decrypting)
        y = ghash_end(c, y, in, size, ad_bits, bits);
    ctr_bytes(c, at, out, in, size);
    if (!decrypting)
        y = ghash_end(c, y, out, size, ad_bits, bits);
    return y;
}

/* With CIPHER_APART, sealing and opening call one copy of gcm_message. */
#ifdef CIPHER_APART
#define GCM_ONCE RIJN_APART static
#else
#define GCM_ONCE RIJN_ONCE
#endif

/* Does all of section 7.1, or of section 7.2 without step 8. Returns the whole tag. J0 is the
 * counter block before the first block of the data. */
GCM_ONCE block gcm_message(const context *c, const uint8_t *nonce, size_t nonce_size,
                           const uint8_t *ad, size_t ad_size, uint8_t *out, const uint8_t *in,
                           size_t size, bool decrypting)
{
    const uint64_t ad_bits = (uint64_t)ad_size * 8, bits = (uint64_t)size * 8;
    position at = gcm_position(c, nonce, nonce_size);
    uint8_t full[16];
    block mask;
    hash y;

#if VEC_BLOCKS == 1 || defined(NATIVE_VEC)
    mask = at.fixed; /* J0 with its counting word, because nothing has been counted yet */
    blocks_encrypt(c, &mask, 1);
    at.low++;
    y = ghash_padded(c, ghash_zero(), ad, ad_size);
#else
    /* A block costs as much as a vec, so the mask shares a vec with the first keystream. */
    uint8_t first[VEC];
    vec v;
    next_counters(&v, 1, &at, VEC_BLOCKS, false);
    aes_encrypt(c, &v, 1);
    vec_store(first, v);
    mask = block_load(first);
    y = ghash_padded(c, ghash_zero(), ad, ad_size);
    if (size <= VEC - 16) {
        if (decrypting)
            y = ghash_end(c, y, in, size, ad_bits, bits);
        xor_bytes(out, in, first + 16, size);
        if (!decrypting)
            y = ghash_end(c, y, out, size, ad_bits, bits);
        hash_store(full, y);
        return block_xor(block_load(full), mask);
    }
    if (decrypting)
        y = ghash(c, y, in, VEC_BLOCKS - 1);
    xor_bytes(out, in, first + 16, VEC - 16);
    if (!decrypting)
        y = ghash(c, y, out, VEC_BLOCKS - 1);
    in += VEC - 16, out += VEC - 16, size -= VEC - 16;
#endif
    if (!RIJN_WITH_SMALL_CODE && size >= BATCH) {
        const size_t done =
            (decrypting ? gcm_decrypt_batches : gcm_encrypt_batches)(c, &at, &y, out, in, size);
        in += done, out += done, size -= done;
    }
    y = gcm_end(c, &at, y, out, in, size, ad_bits, bits, decrypting);
    hash_store(full, y);
    return block_xor(block_load(full), mask);
}

#endif

RIJN_INLINE void tag_store(uint8_t *tag, size_t size, block full)
{
    if (size == 16)
        block_store(tag, full);
    else
        block_store_part(tag, full, size);
}

RIJN_OPERATION void gcm_seal(const void *c, uint8_t *out, uint8_t *tag, size_t tag_size,
                             const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                             size_t ad_size, const uint8_t *in, size_t size)
{
    tag_store(tag, tag_size, gcm_message(c, nonce, nonce_size, ad, ad_size, out, in, size, false));
}

RIJN_OPERATION void gcm_open(const void *c, uint8_t *out, uint8_t tag[16], const uint8_t *nonce,
                             size_t nonce_size, const uint8_t *ad, size_t ad_size,
                             const uint8_t *in, size_t size)
{
    block_store(tag, gcm_message(c, nonce, nonce_size, ad, ad_size, out, in, size, true));
}

/* Section 7.2 without steps 4 and 8. Before anything is counted, at.fixed is J0. */
RIJN_OPERATION void gcm_tag(const void *c, uint8_t *tag, size_t tag_size, const uint8_t *nonce,
                            size_t nonce_size, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                            size_t size)
{
    const position at = gcm_position(c, nonce, nonce_size);
    block mask = at.fixed;
    uint8_t full[16];

    blocks_encrypt(c, &mask, 1);
    hash_store(full, gcm_hash(c, ad, ad_size, in, size));
    tag_store(tag, tag_size, block_xor(block_load(full), mask));
}
