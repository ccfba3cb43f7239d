/* GHASH and POLYVAL, which differ in the key and in the order of a block's bytes, over what is
 * written once for both, `reversed` for GHASH. Included by ghash.h here and by ../x86/vec_ghash.h.
 * Before it stand
 *
 *     void set_powers(context *c, block key, size_t blocks)   backend.h's ghash_init, of a POLYVAL
 *                                                             key
 *     block polyval_key(const uint8_t h[16])                  of GHASH's (ghash.h)
 *     block hash_blocks(const context *c, block y, const uint8_t *p, size_t blocks, bool reversed)
 *
 * and behind it what is declared here, hash_end() and encrypt_hash(). */
#ifndef RIJN_CARRYLESS_HASH_H
#define RIJN_CARRYLESS_HASH_H

#define NATIVE_CARRYLESS /* with polyval_times of block.h here or of ../x86/clmul.h */

/* y absorbs the size bytes at p, zeros up to a whole block, and `last`. */
RIJN_INLINE block hash_end(const context *c, block y, const uint8_t *p, size_t size, block last,
                           bool reversed);

/* Encrypts v[0..FLIGHT) while y absorbs the batch of blocks at p. */
RIJN_INLINE block encrypt_hash(const context *c, vec *v, block y, const uint8_t *p, bool reversed);

RIJN_INLINE void ghash_init(context *c, const uint8_t h[16], size_t blocks)
{
    set_powers(c, polyval_key(h), blocks);
}

RIJN_INLINE void polyval_init(context *c, const uint8_t h[16], size_t blocks)
{
    set_powers(c, block_load(h), blocks);
}

/* Functions of their own: they need many registers. */
RIJN_APART static block ghash(const context *c, block y, const uint8_t *p, size_t blocks)
{
    return hash_blocks(c, y, p, blocks, true);
}

RIJN_APART static block polyval(const context *c, block y, const uint8_t *p, size_t blocks)
{
    return hash_blocks(c, y, p, blocks, false);
}

RIJN_INLINE block ghash_end(const context *c, block y, const uint8_t *p, size_t size, uint64_t a,
                            uint64_t b)
{
    return hash_end(c, y, p, size, block_pair(b, a), true);
}

RIJN_INLINE block polyval_end(const context *c, block y, const uint8_t *p, size_t size, uint64_t a,
                              uint64_t b)
{
    return hash_end(c, y, p, size, block_pair(a, b), false);
}

RIJN_INLINE block aes_encrypt_ghash(const context *c, vec *v, block y, const uint8_t *p)
{
    return encrypt_hash(c, v, y, p, true);
}

RIJN_INLINE block aes_encrypt_polyval(const context *c, vec *v, block y, const uint8_t *p)
{
    return encrypt_hash(c, v, y, p, false);
}

#endif
