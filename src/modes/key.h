/* Key set-up: the round keys, then GCM's hash key H = E(K, 0^128) (SP 800-38D
 * section 7.1, step 1). */

static void key_init(void *memory, const uint8_t *key, size_t size)
{
    context *c = memory;
    uint8_t h[16] = {0};
    vec v;

    aes_init(c, key, size);
    v = vec_load_block(h);
    aes_encrypt(c, &v, 1);
    vec_store_block(h, v);
    ghash_init(c, h);
}
