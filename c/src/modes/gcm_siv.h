/* GCM-SIV (RFC 8452). The nonce gives two keys for its message. The tag is the encrypted POLYVAL of
 * the whole message, and also the first counter block of the data. All of this is done here: derived
 * keys, hash and counter are passed on as blocks, so a short message waits for the cipher alone. The
 * derived key has no key schedule for decryption, and only as many powers of its hash key as its own
 * message needs. */

/* Returns LE32(first) and then the 12 bytes of the nonce. */
RIJN_INLINE block gcm_siv_nonce_block(uint32_t first, const uint8_t nonce[12])
{
    return block_pair((uint64_t)load_le32(nonce) << 32 | first, load_le64(nonce + 4));
}

/* Derives the keys of a message (section 4): sets *derived to the AES key, and returns the POLYVAL
 * key. They are the first halves of E(LE32(i) || nonce): two for POLYVAL, then 2 or 4 for AES. */
RIJN_INLINE block gcm_siv_keys(context *derived, const context *c, const uint8_t nonce[12])
{
    const size_t size = c->rounds == rounds_for(32) ? 32 : 16;
    const block first = gcm_siv_nonce_block(0, nonce);
    uint8_t key[32];
    block b[6];

    RIJN_UNROLL
    for (uint32_t i = 0; i < 6; i++)
        b[i] = block_xor(first, block_pair(i, 0));
    if (size == 32)
        blocks_encrypt(c, b, 6);
    else
        blocks_encrypt(c, b, 4);
    block_store(key, block_halves(b[2], b[3]));
    block_store(key + 16, block_halves(b[4], b[5])); /* unused if the key has 16 bytes */
    aes_init(derived, key, size);
    return block_halves(b[0], b[1]);
}

/* ---- The hash ---- */

#if defined(NATIVE_CARRYLESS) && !defined(NATIVE_SIV_REGISTERS)

/* Up to this many hashed blocks are multiplied one after the other, without powers of H. */
enum { FEW_BLOCKS = 8 };

RIJN_INLINE block polyval_absorb(block h, block y, const uint8_t *p, size_t size)
{
    for (; size >= 16; p += 16, size -= 16)
        y = polyval_times(block_xor(y, block_load(p)), h);
    return size ? polyval_times(block_xor(y, block_load_part(p, size)), h) : y;
}

RIJN_INLINE block polyval_few(block h, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                              size_t size)
{
    const block y = polyval_absorb(h, polyval_absorb(h, block_pair(0, 0), ad, ad_size), in, size);
    const block lengths = block_pair((uint64_t)ad_size * 8, (uint64_t)size * 8);
    return polyval_times(block_xor(y, lengths), h);
}

#else

enum { FEW_BLOCKS = 0 };

RIJN_INLINE block polyval_few(block h, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                              size_t size)
{
    (void)ad, (void)ad_size, (void)in, (void)size;
    return h; /* never called */
}

#endif

/* Prepares the hash of more blocks, and hashes the associated data. */
RIJN_INLINE hash gcm_siv_begin(context *derived, block h, size_t blocks, const uint8_t *ad,
                               size_t ad_size)
{
    uint8_t bytes[16];

    block_store(bytes, h);
    polyval_init(derived, bytes, blocks);
    return polyval_padded(derived, ghash_zero(), ad, ad_size);
}

/* Returns the tag (section 5): XORs POLYVAL's result with the nonce, clears the highest bit, and
 * encrypts. */
RIJN_INLINE block gcm_siv_tag(const context *derived, block hashed, const uint8_t nonce[12])
{
    const block but_highest_bit = block_pair(~(uint64_t)0, ~(uint64_t)0 >> 1);
    block x = block_xor(hashed, block_pair(load_le64(nonce), load_le32(nonce + 8)));

    x = block_and(x, but_highest_bit);
    blocks_encrypt(derived, &x, 1);
    return x;
}

RIJN_INLINE position gcm_siv_position(block fixed, uint32_t low)
{
    return (position){.fixed = fixed, .low = low, .little = true, .width = 4};
}

/* Returns the first counter block: the tag with its highest bit set. */
RIJN_INLINE block gcm_siv_counter(const uint8_t tag[16])
{
    return block_pair(load_le64(tag), load_le64(tag + 8) | (uint64_t)1 << 63);
}

/* Runs CTR over at least one byte. `low` is the counter in the first word; in `first` this word may
 * be anything. */
RIJN_INLINE void gcm_siv_ctr(const context *derived, block first, uint32_t low, uint8_t *out,
                             const uint8_t *in, size_t size)
{
    position at = gcm_siv_position(first, low);

    ctr_bytes(derived, &at, out, in, size);
}

/* Runs CTR over all data of a message, which may be empty. */
RIJN_APART static void gcm_siv_crypt(const context *derived, const uint8_t tag[16], uint8_t *out,
                                     const uint8_t *in, size_t size)
{
    const block first = gcm_siv_counter(tag);
    const uint64_t low = load_le64(tag), high = load_le64(tag + 8) | (uint64_t)1 << 63;

#ifndef NATIVE_SIV_REGISTERS /* else they are short enough for gcm_siv_in_registers */
    const bool few = size <= 64 && (VEC_BLOCKS > 1 || size <= 16);
#else
    const bool few = false;
#endif

    if (!few && size) {
        gcm_siv_ctr(derived, first, (uint32_t)low, out, in, size);
    } else if (size > 16) {
        block b[4];
        RIJN_UNROLL
        for (uint32_t i = 0; i < 4; i++)
            b[i] = block_pair((low >> 32) << 32 | (uint32_t)(low + i), high);
        blocks_encrypt(derived, b, 4);
        for (int i = 0; size; i++, in += 16, out += 16, size -= size < 16 ? size : 16)
            text_store(out, block_xor(b[i], text_load(in, size)), size);
    } else if (size) {
        block x = first;
        blocks_encrypt(derived, &x, 1);
        text_store(out, block_xor(x, text_load(in, size)), size);
    }
}

#ifndef NATIVE_CARRYLESS
RIJN_INLINE hash aes_encrypt_polyval(const context *c, vec *v, hash y, const uint8_t *p)
{
    aes_encrypt(c, v, FLIGHT);
    return polyval(c, y, p, BATCH_BLOCKS);
}
#endif

/* Decrypts whole batches, and hashes each of them while it decrypts the next. Returns their
 * size. */
RIJN_APART static size_t gcm_siv_decrypt_batches(const context *derived, block fixed, uint32_t low,
                                                 hash *sum, uint8_t *out, const uint8_t *in,
                                                 size_t size)
{
    size_t batches = size / BATCH;
    const size_t done = batches * BATCH;
    position at = gcm_siv_position(fixed, low);
    hash y = *sum;
    vec v[FLIGHT];

    next_counters(v, FLIGHT, &at, BATCH_BLOCKS, false);
    aes_encrypt(derived, v, FLIGHT);
    xor_vecs(out, in, v, FLIGHT);
    while (--batches) {
        next_counters(v, FLIGHT, &at, BATCH_BLOCKS, false);
        y = aes_encrypt_polyval(derived, v, y, out);
        in += BATCH, out += BATCH;
        xor_vecs(out, in, v, FLIGHT);
    }
    *sum = polyval(derived, y, out, BATCH_BLOCKS);
    return done;
}

/* Seals a message, or opens it if a tag is given. Stores the computed tag in `full`. This is one
 * function because sealing and opening have most of their code in common. */
RIJN_APART static void gcm_siv_whole(const context *c, uint8_t *out, uint8_t full[16],
                                     const uint8_t *given, const uint8_t nonce[12],
                                     const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                     size_t size)
{
    const size_t blocks = rijn_hashed_blocks(ad_size, size);
    const bool few = blocks <= FEW_BLOCKS;
    _Alignas(16 * VEC_BLOCKS) context derived; /* so that no vec crosses two cache lines */
    const block h = gcm_siv_keys(&derived, c, nonce);
    hash y = ghash_zero();
    size_t done = 0;
    block hashed;

    if (!few)
        y = gcm_siv_begin(&derived, h, blocks, ad, ad_size);
    if (given && !few && size >= BATCH) {
        const block fixed = gcm_siv_counter(given);

        done = gcm_siv_decrypt_batches(&derived, fixed, load_le32(given), &y, out, in, size);
        if (size > done)
            gcm_siv_ctr(&derived, fixed, load_le32(given) + (uint32_t)(done / 16), out + done,
                        in + done, size - done);
    } else if (given) {
        gcm_siv_crypt(&derived, given, out, in, size);
    }
    const uint8_t *text = given ? out : in;
    if (done) /* else `text` may be NULL */
        text += done;
    if (few)
        hashed = polyval_few(h, ad, ad_size, text, size);
    else
        hashed =
            polyval_end(&derived, y, text, size - done, (uint64_t)ad_size * 8, (uint64_t)size * 8);
    block_store(full, gcm_siv_tag(&derived, hashed, nonce));
    if (!given)
        gcm_siv_crypt(&derived, full, out, in, size);
}

#ifdef NATIVE_SIV_REGISTERS
RIJN_OPERATION rijn_tag_words gcm_siv_in_registers(const void *c, uint8_t *tag,
                                                   const uint8_t *given, const uint8_t nonce[12],
                                                   const uint8_t *ad, size_t ad_size, uint8_t *out,
                                                   const uint8_t *in,
                                                   size_t size); /* registers_gcm_siv.h */
#endif

RIJN_INLINE void gcm_siv_crypt_message(const void *c, uint8_t *out, uint8_t full[16],
                                       const uint8_t *given, const uint8_t nonce[12],
                                       const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                       size_t size)
{
#ifdef NATIVE_SIV_REGISTERS
    if (rijn_fits_registers(ad_size, size)) {
        const rijn_tag_words words =
            gcm_siv_in_registers(c, full, given, nonce, ad, ad_size, out, in, size);
        if (given) {
            store_le64(full, words.first);
            store_le64(full + 8, words.second);
        }
        return;
    }
#endif
    gcm_siv_whole(c, out, full, given, nonce, ad, ad_size, in, size);
}

RIJN_OPERATION void gcm_siv_seal(const void *c, uint8_t *out, uint8_t tag[16],
                                 const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                                 const uint8_t *in, size_t size)
{
    gcm_siv_crypt_message(c, out, tag, NULL, nonce, ad, ad_size, in, size);
}

RIJN_OPERATION void gcm_siv_open(const void *c, uint8_t *out, uint8_t full[16],
                                 const uint8_t tag[16], const uint8_t nonce[12], const uint8_t *ad,
                                 size_t ad_size, const uint8_t *in, size_t size)
{
    gcm_siv_crypt_message(c, out, full, tag, nonce, ad, ad_size, in, size);
}
