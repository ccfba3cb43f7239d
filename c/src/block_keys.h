/* Round keys as blocks (FIPS 197 section 5.2), with zeros after the last one. Include after
 * key_schedule.h, and after defining block_load, block_store, block_pair and `context` with
 *
 *     uint8_t encrypt[15 * 16];
 *     int rounds; */
#ifndef RIJN_BLOCK_KEYS_H
#define RIJN_BLOCK_KEYS_H

RIJN_INLINE void aes_init(context *c, const uint8_t *key, size_t size)
{
    c->rounds = rounds_for(size);
    expand_key(c->encrypt, key, size);
    for (int r = c->rounds + 1; r <= MAX_ROUNDS; r++)
        block_store(c->encrypt + 16 * r, block_pair(0, 0));
}

#endif
