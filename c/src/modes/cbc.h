/* CBC (SP 800-38A section 6.2). Encryption is a chain, one block at a time. Decryption processes up
 * to FLIGHT vecs at a time. */

/* Runs the chain. Stores its blocks at `out`, unless it is for a MAC. */
RIJN_INLINE void cbc_chain(const context *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                           size_t blocks, bool mac)
{
    block x, next;

    if (!blocks)
        return;
    x = block_whiten(c, block_xor(block_load(iv), block_load(in)));
    for (; blocks > 1; blocks--) {
        next = block_whiten(c, block_load(in += 16));
        blocks_encrypt_onto(c, &x, &next, 1);
        if (!mac) {
            block_store(out, block_xor(x, next));
            out += 16;
        }
    }
    next = block_pair(0, 0);
    blocks_encrypt_onto(c, &x, &next, 1);
    if (!mac)
        block_store(out, x);
    block_store(iv, x);
}

RIJN_OPERATION void cbc_encrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                                size_t blocks)
{
    cbc_chain(c, iv, out, in, blocks, false);
}

RIJN_OPERATION void cbc_mac(const void *c, uint8_t chain[16], const uint8_t *in, size_t blocks)
{
    cbc_chain(c, chain, NULL, in, blocks, true);
}

/* Decrypts n vecs at `in`, and XORs them with the blocks before them: *chain, in[0], … */
RIJN_INLINE void cbc_decrypt_vecs(const context *c, block *chain, uint8_t *out, const uint8_t *in,
                                  int n)
{
    const block last = block_load(in + VEC * n - 16);
    vec v[FLIGHT];

    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_load(in + VEC * i);
    aes_decrypt(c, v, n);
    /* The last vec first: each vec needs the ciphertext before it, which may be in `out`. */
    RIJN_UNROLL
    for (int i = n - 1; i > 0; i--)
        vec_store(out + VEC * i, vec_xor(v[i], vec_load(in + VEC * i - 16)));
    vec_store(out, vec_xor(v[0], vec_behind(*chain, in, VEC)));
    *chain = last;
}

/* Does the same for the last blocks, fewer than a vec has: see ecb_part. */
RIJN_INLINE void cbc_decrypt_part(const context *c, block *chain, uint8_t *out, const uint8_t *in,
                                  size_t size)
{
#ifdef NATIVE_VEC
    enum { MOST = VEC_BLOCKS - 1 };
    block b[MOST], before[MOST + 1];

    if (!size)
        return;
    before[0] = *chain;
    RIJN_UNROLL
    for (int i = 0; i < MOST; i++) {
        b[i] = 16 * (size_t)i < size ? block_load(in + 16 * i) : block_pair(0, 0);
        before[i + 1] = b[i];
    }
    *chain = block_load(in + size - 16);
    blocks_decrypt(c, b, MOST);
    RIJN_UNROLL
    for (int i = 0; i < MOST; i++) {
        if (16 * (size_t)i < size)
            block_store(out + 16 * i, block_xor(b[i], before[i]));
    }
#else
    if (VEC_BLOCKS > 1 && size) {
        vec v = vec_load_part(in, size);
        const vec before = vec_behind(*chain, in, size);
        *chain = block_load(in + size - 16);
        aes_decrypt(c, &v, 1);
        vec_store_part(out, vec_xor(v, before), size);
    }
#endif
}

RIJN_OPERATION void cbc_decrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                                size_t blocks)
{
    block chain = block_load(iv);
    size_t size = 16 * blocks;

#define CBC_STEP(n) cbc_decrypt_vecs(c, &chain, out, in, n)
    IN_FLIGHTS(FLIGHT, CBC_STEP);
    cbc_decrypt_part(c, &chain, out, in, size);
    block_store(iv, chain);
}
