/* CBC, SP 800-38A section 6.2. Encryption is a chain, one block at a time;
 * decryption runs as many vecs at a time as are in flight. */

static void cbc_encrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    block x = block_load(iv);

    for (; blocks; blocks--, in += 16, out += 16) {
        x = block_xor(x, block_load(in));
        blocks_encrypt(c, &x, 1);
        block_store(out, x);
    }
    block_store(iv, x);
}

/* n vecs at in, decrypted and XORed with the blocks before them: *chain, in[0], … */
RIJN_INLINE void cbc_decrypt_vecs(const context *c, block *chain, uint8_t *out, const uint8_t *in,
                                  int n)
{
    vec v[DECRYPT_FLIGHT], before[DECRYPT_FLIGHT];

    before[0] = vec_behind(*chain, in, VEC);
    *chain = block_load(in + VEC * n - 16);
    RIJN_UNROLL
    for (int i = 1; i < n; i++)
        before[i] = vec_load(in + VEC * i - 16);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_load(in + VEC * i);
    aes_decrypt(c, v, n);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        vec_store(out + VEC * i, vec_xor(v[i], before[i]));
}

static void cbc_decrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    block chain = block_load(iv);
    size_t size = 16 * blocks;

#define CBC_STEP(n) cbc_decrypt_vecs(c, &chain, out, in, n)
    IN_FLIGHTS(DECRYPT_FLIGHT, CBC_STEP);
    if (VEC_BLOCKS > 1 && size) {
        vec v = vec_load_part(in, size);
        const vec before = vec_behind(chain, in, size);
        chain = block_load(in + size - 16);
        aes_decrypt(c, &v, 1);
        vec_store_part(out, vec_xor(v, before), size);
    }
    block_store(iv, chain);
}
