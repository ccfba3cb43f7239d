/* XTS without its stealing (xts.c), IEEE 1619 section 5.3: block j is masked by the
 * encrypted tweak times x^j, before the cipher and after it. */

#ifndef TWEAKS
/* The next tweaks into v; the first one behind them into tweak. */
static inline void tweaks(vec v[FLIGHT], uint8_t tweak[16])
{
    uint8_t all[BATCH];

    for (int i = 0; i < BATCH_BLOCKS; i++) {
        memcpy(all + 16 * i, tweak, 16);
        double_le(tweak, tweak);
    }
    for (int i = 0; i < FLIGHT; i++)
        v[i] = vec_load(all + VEC * i);
}
#endif

static inline void xts_batch(const context *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                             bool decrypting)
{
    vec t[FLIGHT], v[FLIGHT];

    tweaks(t, tweak);
    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        v[i] = vec_xor(t[i], vec_load(in + VEC * i));
    if (decrypting)
        aes_decrypt(c, v, FLIGHT);
    else
        aes_encrypt(c, v, FLIGHT);
    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        vec_store(out + VEC * i, vec_xor(t[i], v[i]));
}

static inline void xts_crypt(const context *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                             size_t blocks, bool decrypting)
{
    uint8_t t[16]; /* a register, where tweak[] might be part of out */

    memcpy(t, tweak, 16);
    for (; blocks >= BATCH_BLOCKS; blocks -= BATCH_BLOCKS, in += BATCH, out += BATCH)
        xts_batch(c, t, out, in, decrypting);
    if (blocks) {
        uint8_t rest[BATCH] = {0}, after[16];
        memcpy(rest, in, 16 * blocks);
        memcpy(after, t, 16);
        for (size_t i = 0; i < blocks; i++)
            double_le(after, after);
        xts_batch(c, t, rest, rest, decrypting);
        memcpy(t, after, 16);
        memcpy(out, rest, 16 * blocks);
        wipe(rest, sizeof rest);
        wipe(after, sizeof after);
    }
    memcpy(tweak, t, 16);
    wipe(t, sizeof t);
}

static void xts_encrypt(const void *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    xts_crypt(c, tweak, out, in, blocks, false);
}

static void xts_decrypt(const void *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    xts_crypt(c, tweak, out, in, blocks, true);
}
