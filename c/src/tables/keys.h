/* The key schedules of the cipher and of the equivalent inverse cipher. Include after context.h,
 * and after defining
 *
 *     static uint32_t sub_word(uint32_t w);    S-box on each of the four bytes
 *     static uint32_t unmix_word(uint32_t w);  InvMixColumns of one column
 *     static uint32_t schedule_word(const context *c, int i);
 *             returns word i of the key schedule, from c->encrypt in the backend's layout
 */
#ifndef RIJN_TABLES_KEYS_H
#define RIJN_TABLES_KEYS_H

#include "../key_schedule.h"

static void expand_encrypt(context *c, const uint8_t *key, size_t size)
{
    uint8_t bytes[16 * (MAX_ROUNDS + 1)];

    c->rounds = rounds_for(size);
    expand_key(bytes, key, size);
    for (int i = 0; i < 4 * (c->rounds + 1); i++)
        c->encrypt[i] = load_le32(bytes + 4 * i);
    for (int i = 4 * (c->rounds + 1); i < 4 * (MAX_ROUNDS + 1); i++)
        c->encrypt[i] = 0;
}

static void expand_decrypt(context *c)
{
    const int rounds = c->rounds;

    for (int i = 0; i <= rounds; i++) {
        for (int j = 0; j < 4; j++) {
            const uint32_t w = schedule_word(c, 4 * (rounds - i) + j);
            c->decrypt[4 * i + j] = i == 0 || i == rounds ? w : unmix_word(w);
        }
    }
    for (int i = 4 * (rounds + 1); i < 4 * (MAX_ROUNDS + 1); i++)
        c->decrypt[i] = 0;
}

#endif
