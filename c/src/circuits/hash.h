/* The operations of backend.h on hashes, with ghash.h. Include after ghash.h and after defining
 * `context` with a member `hash h`. After permuted_hash.h, also define
 *
 *     hash_together     its multiply_blocks
 *     HASHES_TOGETHER   to say so
 *     TOGETHER          its PERMUTED_BLOCKS
 *     TOGETHER_LEAST    number of blocks from which it is faster than one block after the other */

/* y = (y XOR X) * H for each of the blocks X at p; `reversed` for GHASH. */
RIJN_APART static hash hash_all(const context *c, hash y, const uint8_t *p, size_t blocks,
                                bool reversed)
{
#ifdef HASHES_TOGETHER
    if (blocks >= TOGETHER_LEAST) {
        const size_t n = blocks / TOGETHER * TOGETHER;
        y = hash_together(c->h, y, p, n, reversed);
        p += 16 * n, blocks -= n;
    }
#endif
    return multiply_blocks(c->h, y, p, blocks, reversed);
}

RIJN_INLINE void ghash_init(context *c, const uint8_t h[16], size_t blocks)
{
    (void)blocks;
    c->h = ghash_key(h);
}

RIJN_INLINE hash ghash(const context *c, hash y, const uint8_t *p, size_t blocks)
{
    return hash_all(c, y, p, blocks, true);
}

RIJN_INLINE void polyval_init(context *c, const uint8_t h[16], size_t blocks)
{
    (void)blocks;
    c->h = hash_load_little(h);
}

RIJN_INLINE hash polyval(const context *c, hash y, const uint8_t *p, size_t blocks)
{
    return hash_all(c, y, p, blocks, false);
}
