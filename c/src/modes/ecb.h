/* ECB, SP 800-38A section 6.1. */

RIJN_INLINE void crypt_vecs(const context *c, vec *v, int n, bool decrypting)
{
    if (decrypting)
        aes_decrypt(c, v, n);
    else
        aes_encrypt(c, v, n);
}

RIJN_INLINE void ecb_vecs(const context *c, uint8_t *out, const uint8_t *in, int n, bool decrypting)
{
    vec v[FLIGHT];

    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_load(in + VEC * i);
    crypt_vecs(c, v, n, decrypting);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        vec_store(out + VEC * i, v[i]);
}

/* Processes the last blocks, fewer than a vec has. With NATIVE_VEC it loads single blocks: CCM, EAX
 * and XAES pass two or three blocks that they have just stored, and the load of a vec would wait
 * for all of these stores. */
RIJN_INLINE void ecb_part(const context *c, uint8_t *out, const uint8_t *in, size_t size,
                          bool decrypting)
{
#ifdef NATIVE_VEC
    enum { MOST = VEC_BLOCKS - 1 };
    block b[MOST];

    if (!size)
        return;
    RIJN_UNROLL
    for (int i = 0; i < MOST; i++)
        b[i] = 16 * (size_t)i < size ? block_load(in + 16 * i) : block_pair(0, 0);
    if (decrypting)
        blocks_decrypt(c, b, MOST);
    else
        blocks_encrypt(c, b, MOST);
    RIJN_UNROLL
    for (int i = 0; i < MOST; i++) {
        if (16 * (size_t)i < size)
            block_store(out + 16 * i, b[i]);
    }
#else
    if (VEC_BLOCKS > 1 && size) {
        vec v = vec_load_part(in, size);
        crypt_vecs(c, &v, 1, decrypting);
        vec_store_part(out, v, size);
    }
#endif
}

BOTH_WAYS void ecb_crypt(const context *c, uint8_t *out, const uint8_t *in, size_t blocks,
                         bool decrypting)
{
    size_t size = 16 * blocks;

#define ECB_STEP(n) ecb_vecs(c, out, in, n, decrypting)
    IN_FLIGHTS(FLIGHT, ECB_STEP);
    ecb_part(c, out, in, size, decrypting);
}

RIJN_OPERATION void ecb_encrypt(const void *c, uint8_t *out, const uint8_t *in, size_t blocks)
{
    ecb_crypt(c, out, in, blocks, false);
}

RIJN_OPERATION void ecb_decrypt(const void *c, uint8_t *out, const uint8_t *in, size_t blocks)
{
    ecb_crypt(c, out, in, blocks, true);
}
