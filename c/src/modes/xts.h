/* XTS for whole blocks (IEEE 1619 section 5.3); xts.c has ciphertext stealing. Block j is XORed
 * with the encrypted tweak times x^j, before the cipher and after it.
 *
 * Backends with enough registers (NATIVE_REGISTER_TWEAKS) keep the tweaks of a batch there, and
 * multiply them by x^BATCH_BLOCKS. Others have a table: tweak j stands in it at j modulo its size.
 * Tweaks are made a batch at a time, by integer units that are idle during the rounds of the batch
 * before. For many blocks, the table has FAR tweaks. A used one is multiplied by x^FAR in its
 * place: its lower half becomes the upper half, and a product of 64 bits is added. No tweak waits
 * for another one. */

RIJN_INLINE void xts_one(const context *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                         bool decrypting)
{
    const block mask = block_load(tweak);
    block x = block_xor(mask, block_load(in));

    if (decrypting)
        blocks_decrypt(c, &x, 1);
    else
        blocks_encrypt(c, &x, 1);
    block_store(out, block_xor(mask, x));
    double_le(tweak, tweak);
}

#ifdef NATIVE_REGISTER_TWEAKS

/* ---- Tweaks in registers ---- */

enum { XTS_TABLE = 0 };

/* Processes n vecs. On return, t begins with the tweaks that follow. After a whole batch, these are
 * all tweaks of the next batch. Nothing that the next batch waits for comes after the rounds. */
RIJN_INLINE void xts_vecs(const context *c, vec *t, uint8_t *out, const uint8_t *in, int n,
                          bool decrypting)
{
    vec v[FLIGHT], mask[FLIGHT];

    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        v[i] = vec_begin(c, vec_xor(t[i], vec_load(in + VEC * i)), decrypting);
        mask[i] = vec_mask(c, t[i], decrypting);
    }
    aes_rounds(c, v, n, decrypting);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        vec_store(out + VEC * i, vec_end(v[i], mask[i], decrypting));
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        t[i] = n == FLIGHT ? next_tweaks(t[i]) : t[i + n];
}

BOTH_WAYS void xts_crypt(const context *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                         size_t blocks, bool decrypting)
{
    size_t size = 16 * blocks;
    uint8_t following[VEC];
    vec t[FLIGHT];

    first_tweaks(t, block_load(tweak), FLIGHT);
#define XTS_STEP(n) xts_vecs(c, t, out, in, n, decrypting)
    IN_FLIGHTS(FLIGHT, XTS_STEP);
    vec_store(following, t[0]);
    if (size) {
        vec v = vec_begin(c, vec_xor(t[0], vec_load_part(in, size)), decrypting);
        aes_rounds(c, &v, 1, decrypting);
        v = vec_end(v, vec_mask(c, t[0], decrypting), decrypting);
        vec_store_part(out, v, size);
    }
    memcpy(tweak, following + size, 16);
}

#else

/* ---- Tweaks in a table ---- */

enum { FAR = XTS_FAR, NEAR = 2 * BATCH_BLOCKS, XTS_TABLE = NEAR };

_Static_assert(FAR % NEAR == 0, "the table of XTS holds whole batches");

#ifndef NATIVE_TABLE_TWEAKS
#include "../tweak_chain.h"

/* Returns every block of t times x^64. x^128 is x^7 + x^2 + x + 1. */
RIJN_INLINE vec far_tweaks(vec t)
{
    uint8_t bytes[VEC];

    vec_store(bytes, t);
    for (int i = 0; i < VEC; i += 16) {
        const uint64_t low = load_le64(bytes + i), high = load_le64(bytes + i + 8);
        store_le64(bytes + i, high ^ high << 1 ^ high << 2 ^ high << 7);
        store_le64(bytes + i + 8, low ^ high >> 63 ^ high >> 62 ^ high >> 57);
    }
    return vec_load(bytes);
}
#endif

RIJN_INLINE void xts_vecs(const context *c, uint8_t *t, uint8_t *out, const uint8_t *in, int n,
                          bool decrypting, bool advance)
{
    vec v[FLIGHT];

    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_xor(vec_load(t + VEC * i), vec_load(in + VEC * i));
    crypt_vecs(c, v, n, decrypting);
    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        const vec mask = vec_load(t + VEC * i);
        vec_store(out + VEC * i, vec_xor(mask, v[i]));
        if (advance)
            vec_store(t + VEC * i, far_tweaks(mask));
    }
}

BOTH_WAYS void xts_crypt(const context *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                         size_t blocks, bool decrypting)
{
    const bool many = blocks >= XTS_MANY;
    const size_t places = many ? FAR : NEAR;
    /* The stacks of s390x and Arm are aligned to 8 bytes, so up to 56 bytes are left out. */
    uint8_t *const memory = __builtin_alloca(16 * places + XTS_LINE);
    uint8_t *const t = memory + (0 - (uintptr_t)memory) % XTS_LINE;
    size_t size = 16 * blocks, made = BATCH_BLOCKS, at = 0;
    tweak_chain next = tweak_load(tweak);

    tweaks(t, &next);
    while (many && size >= 16 * FAR) {
        for (; at < FAR; at += BATCH_BLOCKS) {
            if (made < FAR) {
                tweaks(t + 16 * made, &next);
                made += BATCH_BLOCKS;
            }
            xts_vecs(c, t + 16 * at, out, in, FLIGHT, decrypting, true);
            in += BATCH, out += BATCH, size -= BATCH;
        }
        at = 0;
    }
    for (; size >= BATCH; in += BATCH, out += BATCH, size -= BATCH) {
        const size_t following = (at + BATCH_BLOCKS) & (places - 1);
        if (!many)
            tweaks(t + 16 * following, &next);
        xts_vecs(c, t + 16 * at, out, in, FLIGHT, decrypting, false);
        at = following;
    }
#define XTS_STEP(n) xts_vecs(c, t + 16 * at, out, in, n, decrypting, false), at += VEC_BLOCKS * (n)
    IN_FLIGHTS(FLIGHT > 1 ? FLIGHT / 2 : 1, XTS_STEP);
    if (VEC_BLOCKS > 1 && size) {
        const vec mask = vec_load_part(t + 16 * at, size);
        vec v = vec_xor(mask, vec_load_part(in, size));
        crypt_vecs(c, &v, 1, decrypting);
        vec_store_part(out, vec_xor(mask, v), size);
        at += size / 16;
    }
    memcpy(tweak, t + 16 * at, 16);
}

#endif

RIJN_APART static void xts_encrypt_more(const context *c, uint8_t tweak[16], uint8_t *out,
                                        const uint8_t *in, size_t blocks)
{
    xts_crypt(c, tweak, out, in, blocks, false);
}

RIJN_APART static void xts_decrypt_more(const context *c, uint8_t tweak[16], uint8_t *out,
                                        const uint8_t *in, size_t blocks)
{
    xts_crypt(c, tweak, out, in, blocks, true);
}

RIJN_OPERATION void xts_encrypt(const void *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                                size_t blocks)
{
    if (blocks == 1)
        xts_one(c, tweak, out, in, false);
    else if (blocks)
        xts_encrypt_more(c, tweak, out, in, blocks);
}

RIJN_OPERATION void xts_decrypt(const void *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                                size_t blocks)
{
    if (blocks == 1)
        xts_one(c, tweak, out, in, true);
    else if (blocks)
        xts_decrypt_more(c, tweak, out, in, blocks);
}
