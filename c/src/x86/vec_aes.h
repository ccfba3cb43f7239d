/* The cipher on vecs, one round after the other. Include after vec.h and aes.h. */
#ifndef RIJN_X86_VEC_AES_H
#define RIJN_X86_VEC_AES_H

#include "../vec_rounds.h"
#include "aes.h"
#include "vec.h"

#if VEC_MULTIPLIES /* without the caches, GCM hashes one batch while it encrypts another */
#define NATIVE_BYPASS
RIJN_INLINE void vec_bypass(uint8_t *p, vec x)
{
#if VEC_BLOCKS == 4
    _mm512_stream_si512((void *)p, x);
#else
    _mm256_stream_si256((__m256i *)(void *)p, x);
#endif
}
#endif

RIJN_INLINE void vec_add_round_key(const uint8_t *k, vec *v, int n)
{
    const vec key = vec_load_broadcast(k);

    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_xor(v[i], key);
}

RIJN_INLINE void vec_encrypt_round(const uint8_t *k, vec *v, int n)
{
    const vec key = vec_load_broadcast(k);

    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_round(v[i], key);
}

/* Runs the rounds from `from`, at most 10, to the last but one. A loop of unknown length would cost one
 * move per register. */
RIJN_INLINE void vec_encrypt_rounds(const context *c, vec *v, int n, int from)
{
    RIJN_UNROLL
    for (int r = from; r < 10; r++)
        vec_encrypt_round(c->encrypt + 16 * r, v, n);
    if (c->rounds > 10) {
        vec_encrypt_round(c->encrypt + 16 * 10, v, n);
        vec_encrypt_round(c->encrypt + 16 * 11, v, n);
        if (c->rounds > 12) {
            vec_encrypt_round(c->encrypt + 16 * 12, v, n);
            vec_encrypt_round(c->encrypt + 16 * 13, v, n);
        }
    }
}

RIJN_INLINE vec vec_last_key(const context *c)
{
    return vec_load_broadcast(c->encrypt + 16 * c->rounds);
}

RIJN_INLINE void aes_encrypt(const context *c, vec *v, int n)
{
    const vec last = vec_last_key(c);

    vec_add_round_key(c->encrypt, v, n);
    vec_encrypt_rounds(c, v, n, 1);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_last_round(v[i], last);
}

RIJN_INLINE void vec_decrypt_round(const uint8_t *k, vec *v, int n)
{
    const vec key = vec_load_broadcast(k);

    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_inverse_round(v[i], key);
}

/* Like vec_encrypt_rounds, from round 1 on. */
RIJN_INLINE void vec_decrypt_rounds(const context *c, vec *v, int n)
{
    RIJN_UNROLL
    for (int r = 1; r < 10; r++)
        vec_decrypt_round(c->decrypt + 16 * r, v, n);
    if (c->rounds > 10) {
        vec_decrypt_round(c->decrypt + 16 * 10, v, n);
        vec_decrypt_round(c->decrypt + 16 * 11, v, n);
        if (c->rounds > 12) {
            vec_decrypt_round(c->decrypt + 16 * 12, v, n);
            vec_decrypt_round(c->decrypt + 16 * 13, v, n);
        }
    }
}

RIJN_INLINE void aes_decrypt(const context *c, vec *v, int n)
{
    const vec last = vec_load_broadcast(c->decrypt + 16 * c->rounds);

    vec_add_round_key(c->decrypt, v, n);
    vec_decrypt_rounds(c, v, n);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_last_inverse_round(v[i], last);
}

#define NATIVE_VEC_AES /* with vec_gcm.h */
RIJN_INLINE vec vec_begin(const context *c, vec x, bool decrypting)
{
    return vec_xor(x, vec_load_broadcast(decrypting ? c->decrypt : c->encrypt));
}

RIJN_INLINE void aes_rounds(const context *c, vec *v, int n, bool decrypting)
{
    if (decrypting)
        vec_decrypt_rounds(c, v, n);
    else
        vec_encrypt_rounds(c, v, n, 1);
}

RIJN_INLINE vec vec_mask(const context *c, vec onto, bool decrypting)
{
    const uint8_t *const keys = decrypting ? c->decrypt : c->encrypt;
    return vec_xor(onto, vec_load_broadcast(keys + 16 * c->rounds));
}

RIJN_INLINE vec vec_end(vec x, vec mask, bool decrypting)
{
    return decrypting ? vec_last_inverse_round(x, mask) : vec_last_round(x, mask);
}

#endif
