/* ECB, SP 800-38A section 6.1. */

static inline void ecb_batch(const context *c, uint8_t *out, const uint8_t *in, bool decrypting)
{
    vec v[FLIGHT];

    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        v[i] = vec_load(in + VEC * i);
    if (decrypting)
        aes_decrypt(c, v, FLIGHT);
    else
        aes_encrypt(c, v, FLIGHT);
    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        vec_store(out + VEC * i, v[i]);
}

static inline void ecb_crypt(const context *c, uint8_t *out, const uint8_t *in, size_t blocks,
                             bool decrypting)
{
    for (; blocks >= BATCH_BLOCKS; blocks -= BATCH_BLOCKS, in += BATCH, out += BATCH)
        ecb_batch(c, out, in, decrypting);
    if (blocks) {
        uint8_t rest[BATCH] = {0};
        memcpy(rest, in, 16 * blocks);
        ecb_batch(c, rest, rest, decrypting);
        memcpy(out, rest, 16 * blocks);
    }
}

static void ecb_encrypt(const void *c, uint8_t *out, const uint8_t *in, size_t blocks)
{
    ecb_crypt(c, out, in, blocks, false);
}

static void ecb_decrypt(const void *c, uint8_t *out, const uint8_t *in, size_t blocks)
{
    ecb_crypt(c, out, in, blocks, true);
}
