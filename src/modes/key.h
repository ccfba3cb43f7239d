/* Key set-up, in three parts for those who need no more. */

static void key_init(void *c, const uint8_t *key, size_t size)
{
    aes_init(c, key, size);
}

static void decrypt_init(void *c)
{
    aes_decrypt_init(c);
}

/* GCM's hash key H = E(K, 0^128) (SP 800-38D section 7.1, step 1). */
static void hash_init(void *c)
{
    uint8_t h[16];
    block x = block_pair(0, 0);

    blocks_encrypt(c, &x, 1);
    block_store(h, x);
    ghash_init(c, h);
}

static void ghash_blocks(const void *c, uint8_t y[16], const uint8_t *p, size_t blocks)
{
    hash_store(y, ghash(c, hash_load(y), p, blocks));
}
