/* CFB encryption, OFB and IGE, in which each block waits for the block before it; and the cipher of
 * one block. */

RIJN_OPERATION void encrypt_block(const void *c, uint8_t out[16], const uint8_t in[16])
{
    block x = block_load(in);
    blocks_encrypt(c, &x, 1);
    block_store(out, x);
}

RIJN_OPERATION void decrypt_block(const void *c, uint8_t out[16], const uint8_t in[16])
{
    block x = block_load(in);
    blocks_decrypt(c, &x, 1);
    block_store(out, x);
}

/* SP 800-38A section 6.3, s = 128. */
RIJN_OPERATION void cfb_encrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                                size_t blocks)
{
    block x = block_whiten(c, block_load(iv)), text;

    if (!blocks)
        return;
    for (; blocks > 1; blocks--, in += 16, out += 16) {
        text = block_whiten(c, block_load(in));
        blocks_encrypt_onto(c, &x, &text, 1);
        block_store(out, block_whiten(c, x));
    }
    text = block_load(in);
    blocks_encrypt_onto(c, &x, &text, 1);
    block_store(out, x);
    block_store(iv, x);
}

/* SP 800-38A section 6.4. */
RIJN_OPERATION void ofb_crypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    const block zero = block_pair(0, 0), white = block_whiten(c, zero);
    block x = block_whiten(c, block_load(iv));

    if (!blocks)
        return;
    for (; blocks > 1; blocks--, in += 16, out += 16) {
        blocks_encrypt_onto(c, &x, &white, 1);
        block_store(out, block_xor(x, block_whiten(c, block_load(in))));
    }
    blocks_encrypt_onto(c, &x, &zero, 1);
    block_store(out, block_xor(x, block_load(in)));
    block_store(iv, x);
}

/* before_out and before_in are the output and the input block before the first one. The IV has them
 * in the order of encryption, so decryption takes them the other way round. */
static inline void ige_crypt(const context *c, uint8_t before_out[16], uint8_t before_in[16],
                             uint8_t *out, const uint8_t *in, size_t blocks, bool decrypting)
{
    block y = block_load(before_out), x = block_load(before_in);

    for (; blocks; blocks--, in += 16, out += 16) {
        const block next = block_load(in);
        if (decrypting) {
            y = block_xor(y, next);
            blocks_decrypt(c, &y, 1);
            y = block_xor(y, x);
        } else {
            y = block_xor(y, block_whiten(c, next));
            blocks_encrypt_onto(c, &y, &x, 1);
        }
        x = next;
        block_store(out, y);
    }
    block_store(before_out, y);
    block_store(before_in, x);
}

RIJN_OPERATION void ige_encrypt(const void *c, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                                size_t blocks)
{
    ige_crypt(c, iv, iv + 16, out, in, blocks, false);
}

RIJN_OPERATION void ige_decrypt(const void *c, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                                size_t blocks)
{
    ige_crypt(c, iv + 16, iv, out, in, blocks, true);
}
