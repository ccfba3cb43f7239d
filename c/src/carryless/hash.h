/* GHASH and POLYVAL, which differ only in the key and in the order of a block's bytes. Both use the same
 * functions, with `reversed` for GHASH. Included by ghash.h in this folder and by ../x86/vec_ghash.h.
 * Define before including
 *
 *     void set_powers(context *c, block key, size_t blocks)   ghash_init of backend.h, for a POLYVAL
 *                                                             key
 *     block polyval_key(const uint8_t h[16])                  the POLYVAL key for GHASH's H
 *     block hash_blocks(const context *c, block y, const uint8_t *p, size_t blocks, bool reversed)
 *
 * and afterwards hash_end() and encrypt_hash(), which are declared here. */
#ifndef RIJN_CARRYLESS_HASH_H
#define RIJN_CARRYLESS_HASH_H

#define NATIVE_CARRYLESS /* with polyval_times of block.h or ../x86/clmul.h */

/* Absorbs the `size` bytes at p, zeros up to a whole block, and `last` into y. */
RIJN_INLINE block hash_end(const context *c, block y, const uint8_t *p, size_t size, block last,
                           bool reversed);

/* Encrypts v[0..FLIGHT) and meanwhile absorbs the batch of blocks at p into y. */
RIJN_INLINE block encrypt_hash(const context *c, vec *v, block y, const uint8_t *p, bool reversed);

RIJN_INLINE void ghash_init(context *c, const uint8_t h[16], size_t blocks)
{
    set_powers(c, polyval_key(h), blocks);
}

RIJN_INLINE void polyval_init(context *c, const uint8_t h[16], size_t blocks)
{
    set_powers(c, block_load(h), blocks);
}

/* Separate functions, because they need many registers. */
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
