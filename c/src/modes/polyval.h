/* POLYVAL (RFC 8452 section 3), for GCM-SIV. */

RIJN_INLINE hash polyval_padded(const context *c, hash y, const uint8_t *p, size_t size)
{
    return absorb_padded(c, y, p, size, polyval);
}

#ifndef NATIVE_CARRYLESS
RIJN_INLINE block polyval_end(const context *c, hash y, const uint8_t *p, size_t size, uint64_t a,
                              uint64_t b)
{
    uint8_t bytes[16];

    block_store(bytes, block_pair(a, b));
    hash_store(bytes, polyval(c, polyval_padded(c, y, p, size), bytes, 1));
    return block_pair(load_be64(bytes + 8), load_be64(bytes));
}
#endif
