/* GHASH and POLYVAL, which differ in the key and in the order of a block's bytes, over what is
 * written once for both, `reversed` for GHASH. Included by ghash.h and vec_ghash.h behind their
 * set_powers and hash_blocks; hash_end and encrypt_hash, declared here, follow. */
#ifndef RIJN_X86_HASH_H
#define RIJN_X86_HASH_H

/* y absorbs the size bytes at p, zeros up to a whole block, and `last`. */
RIJN_INLINE __m128i hash_end(const context *c, __m128i y, const uint8_t *p, size_t size,
                             __m128i last, bool reversed);

/* Encrypts v[0..FLIGHT) while y absorbs the batch of blocks at p. */
RIJN_INLINE __m128i encrypt_hash(const context *c, vec *v, __m128i y, const uint8_t *p,
                                 bool reversed);

RIJN_INLINE void ghash_init(context *c, const uint8_t h[16], size_t blocks)
{
    set_powers(c, polyval_key(h), blocks);
}

#define NATIVE_POLYVAL
RIJN_INLINE void polyval_init(context *c, const uint8_t h[16], size_t blocks)
{
    set_powers(c, block_load(h), blocks);
}

/* Functions of their own: they need many registers. */
RIJN_APART static __m128i ghash(const context *c, __m128i y, const uint8_t *p, size_t blocks)
{
    return hash_blocks(c, y, p, blocks, true);
}

RIJN_APART static __m128i polyval(const context *c, __m128i y, const uint8_t *p, size_t blocks)
{
    return hash_blocks(c, y, p, blocks, false);
}

#define NATIVE_GHASH_END
RIJN_INLINE __m128i ghash_end(const context *c, __m128i y, const uint8_t *p, size_t size,
                              uint64_t a, uint64_t b)
{
    return hash_end(c, y, p, size, block_pair(b, a), true);
}

#define NATIVE_POLYVAL_END
RIJN_INLINE __m128i polyval_end(const context *c, __m128i y, const uint8_t *p, size_t size,
                                uint64_t a, uint64_t b)
{
    return hash_end(c, y, p, size, block_pair(a, b), false);
}

#define FUSED
RIJN_INLINE __m128i aes_encrypt_ghash(const context *c, vec *v, __m128i y, const uint8_t *p)
{
    return encrypt_hash(c, v, y, p, true);
}

#define FUSED_POLYVAL
RIJN_INLINE __m128i aes_encrypt_polyval(const context *c, vec *v, __m128i y, const uint8_t *p)
{
    return encrypt_hash(c, v, y, p, false);
}

#endif
