/* Key set-up: the round keys for encryption and, if `uses` asks for them, the round keys for
 * decryption and GCM's hash key H = E(K, 0^128) (SP 800-38D section 7.1, step 1). CMAC's subkeys are
 * multiples of the same block (SP 800-38B section 6.1). */

RIJN_OPERATION void key_init(void *memory, const uint8_t *key, size_t size, unsigned uses,
                             size_t blocks)
{
    context *c = memory;

    aes_init(c, key, size);
    if (RIJN_BUILD_INVERSE && uses & USE_DECRYPT)
        aes_decrypt_init(c);
#ifdef NATIVE_REGISTERS
    const bool makes_subkeys = uses & USE_MAC;
#else
    const bool makes_subkeys = false;
#endif
    if ((RIJN_BUILD_HASH && uses & USE_HASH) || makes_subkeys) {
        uint8_t h[16];
        block x = block_pair(0, 0);

        blocks_encrypt(c, &x, 1);
        block_store(h, x);
#ifdef NATIVE_REGISTERS
        if (makes_subkeys) {
            double_be(c->subkeys[0], h);
            double_be(c->subkeys[1], c->subkeys[0]);
        }
#endif
        if (RIJN_BUILD_HASH && uses & USE_HASH)
            ghash_init(c, h, blocks);
    }
}

RIJN_OPERATION void ghash_blocks(const void *c, uint8_t y[16], const uint8_t *p, size_t blocks)
{
    hash_store(y, ghash(c, hash_load(y), p, blocks));
}
