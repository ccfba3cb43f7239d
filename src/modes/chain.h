/* The modes in which each block waits for the one before it: CBC-MAC (inside
 * CMAC, CCM and EAX), CFB encryption, OFB and IGE; and the cipher of one block. */

static void encrypt_block(const void *c, uint8_t out[16], const uint8_t in[16])
{
    vec v = vec_load_block(in);
    aes_encrypt(c, &v, 1);
    vec_store_block(out, v);
}

static void decrypt_block(const void *c, uint8_t out[16], const uint8_t in[16])
{
    vec v = vec_load_block(in);
    aes_decrypt(c, &v, 1);
    vec_store_block(out, v);
}

static void cbc_mac(const void *c, uint8_t chain[16], const uint8_t *in, size_t blocks)
{
    vec v = vec_load_block(chain);

    for (; blocks; blocks--, in += 16) {
        v = vec_xor(v, vec_load_block(in));
        aes_encrypt(c, &v, 1);
    }
    vec_store_block(chain, v);
}

/* SP 800-38A section 6.3, s = 128. */
static void cfb_encrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    vec v = vec_load_block(iv);

    for (; blocks; blocks--, in += 16, out += 16) {
        aes_encrypt(c, &v, 1);
        v = vec_xor(v, vec_load_block(in));
        vec_store_block(out, v);
    }
    vec_store_block(iv, v);
}

/* SP 800-38A section 6.4. */
static void ofb_crypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in, size_t blocks)
{
    vec v = vec_load_block(iv);

    for (; blocks; blocks--, in += 16, out += 16) {
        aes_encrypt(c, &v, 1);
        vec_store_block(out, vec_xor(v, vec_load_block(in)));
    }
    vec_store_block(iv, v);
}

/* iv[0..16) is the output block before, iv[16..32) the input block before: those
 * of encryption; decryption has them the other way round. */
static inline void ige_crypt(const context *c, uint8_t before_out[16], uint8_t before_in[16],
                             uint8_t *out, const uint8_t *in, size_t blocks, bool decrypting)
{
    vec y = vec_load_block(before_out), x = vec_load_block(before_in);

    for (; blocks; blocks--, in += 16, out += 16) {
        const vec next = vec_load_block(in);
        y = vec_xor(y, next);
        if (decrypting)
            aes_decrypt(c, &y, 1);
        else
            aes_encrypt(c, &y, 1);
        y = vec_xor(y, x);
        x = next;
        vec_store_block(out, y);
    }
    vec_store_block(before_out, y);
    vec_store_block(before_in, x);
}

static void ige_encrypt(const void *c, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    ige_crypt(c, iv, iv + 16, out, in, blocks, false);
}

static void ige_decrypt(const void *c, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    ige_crypt(c, iv + 16, iv, out, in, blocks, true);
}
