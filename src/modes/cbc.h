/* CBC, SP 800-38A section 6.2. Encryption is a chain, one block at a time;
 * decryption runs a batch at a time. */

static void cbc_encrypt(const void *context_, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    const context *c = context_;
    vec v = vec_load_block(iv);

    for (; blocks; blocks--, in += 16, out += 16) {
        v = vec_xor(v, vec_load_block(in));
        aes_encrypt(c, &v, 1);
        vec_store_block(out, v);
    }
    vec_store_block(iv, v);
}

/* The blocks at in, decrypted and XORed with those before them: iv, in[0], … */
static inline void cbc_decrypt_batch(const context *c, uint8_t iv[16], uint8_t *out,
                                     const uint8_t *in)
{
    uint8_t first[VEC]; /* the predecessors of vec 0 do not lie side by side */
    vec v[FLIGHT], before[FLIGHT];

    memcpy(first, iv, 16);
    memcpy(first + 16, in, VEC - 16);
    memcpy(iv, in + BATCH - 16, 16);
    before[0] = vec_load(first);
    RIJN_UNROLL
    for (int i = 1; i < FLIGHT; i++)
        before[i] = vec_load(in + VEC * i - 16);
    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        v[i] = vec_load(in + VEC * i);
    aes_decrypt(c, v, FLIGHT);
    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        vec_store(out + VEC * i, vec_xor(v[i], before[i]));
}

static void cbc_decrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    for (; blocks >= BATCH_BLOCKS; blocks -= BATCH_BLOCKS, in += BATCH, out += BATCH)
        cbc_decrypt_batch(c, iv, out, in);
    if (blocks) {
        uint8_t rest[BATCH] = {0}, ignored[16];
        memcpy(rest, in, 16 * blocks);
        memcpy(ignored, iv, 16);
        memcpy(iv, in + 16 * blocks - 16, 16);
        cbc_decrypt_batch(c, ignored, rest, rest);
        memcpy(out, rest, 16 * blocks);
    }
}
