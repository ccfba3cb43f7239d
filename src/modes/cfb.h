/* CFB decryption, SP 800-38A section 6.3: the blocks to encrypt are known, so it
 * runs a batch at a time. (Encryption is a chain: chain.h.) */

static inline void cfb_decrypt_batch(const context *c, uint8_t iv[16], uint8_t *out,
                                     const uint8_t *in)
{
    uint8_t first[VEC]; /* the predecessors of vec 0 do not lie side by side */
    vec v[FLIGHT];

    memcpy(first, iv, 16);
    memcpy(first + 16, in, VEC - 16);
    memcpy(iv, in + BATCH - 16, 16);
    v[0] = vec_load(first);
    RIJN_UNROLL
    for (int i = 1; i < FLIGHT; i++)
        v[i] = vec_load(in + VEC * i - 16);
    aes_encrypt(c, v, FLIGHT);
    xor_batch(out, in, v);
}

static void cfb_decrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    for (; blocks >= BATCH_BLOCKS; blocks -= BATCH_BLOCKS, in += BATCH, out += BATCH)
        cfb_decrypt_batch(c, iv, out, in);
    if (blocks) {
        uint8_t rest[BATCH] = {0}, ignored[16];
        memcpy(rest, in, 16 * blocks);
        memcpy(ignored, iv, 16);
        memcpy(iv, in + 16 * blocks - 16, 16);
        cfb_decrypt_batch(c, ignored, rest, rest);
        memcpy(out, rest, 16 * blocks);
    }
}
