/* CFB decryption (SP 800-38A section 6.3). It encrypts blocks of the ciphertext, which are all
 * known, up to FLIGHT vecs at a time. CFB encryption is a chain (feedback.h). */

/* XORs n vecs at `in` with the encrypted blocks before them: *chain, in[0], … */
RIJN_INLINE void cfb_decrypt_vecs(const context *c, block *chain, uint8_t *out, const uint8_t *in,
                                  int n)
{
    vec v[FLIGHT];

    v[0] = vec_behind(*chain, in, VEC);
    *chain = block_load(in + VEC * n - 16);
    RIJN_UNROLL
    for (int i = 1; i < n; i++)
        v[i] = vec_load(in + VEC * i - 16);
    aes_encrypt(c, v, n);
    xor_vecs(out, in, v, n);
}

RIJN_OPERATION void cfb_decrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                                size_t blocks)
{
    block chain = block_load(iv);
    size_t size = 16 * blocks;

#define CFB_STEP(n) cfb_decrypt_vecs(c, &chain, out, in, n)
    IN_FLIGHTS(FLIGHT, CFB_STEP);
    if (VEC_BLOCKS > 1 && size) {
        vec v = vec_behind(chain, in, size);
        chain = block_load(in + size - 16);
        aes_encrypt(c, &v, 1);
        vec_store_part(out, vec_xor(v, vec_load_part(in, size)), size);
    }
    block_store(iv, chain);
}
