/* Makes the round keys of the equivalent inverse cipher (FIPS 197 section 5.3.5) from the round
 * keys for encryption, and zeros after the last one. Include after block_keys.h, and after defining
 * unmix_block (InvMixColumns) and in `context`
 *
 *     uint8_t decrypt[15 * 16]; */
#ifndef RIJN_INVERSE_KEYS_H
#define RIJN_INVERSE_KEYS_H

RIJN_INLINE void aes_decrypt_init(context *c)
{
    const int rounds = c->rounds;

    block_store(c->decrypt, block_load(c->encrypt + 16 * rounds));
    for (int r = 1; r < rounds; r++)
        block_store(c->decrypt + 16 * r, unmix_block(block_load(c->encrypt + 16 * (rounds - r))));
    block_store(c->decrypt + 16 * rounds, block_load(c->encrypt));
    for (int r = rounds + 1; r <= MAX_ROUNDS; r++)
        block_store(c->decrypt + 16 * r, block_pair(0, 0));
}

#endif
