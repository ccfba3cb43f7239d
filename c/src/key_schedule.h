/* The key expansion of FIPS 197 section 5.2, written once over the SubWord of a backend. Include
 * after defining
 *
 *     static uint32_t sub_word(uint32_t w);   S-box on each of the four bytes
 *
 * Words are little-endian. So RotWord, which moves byte 1 to byte 0, is a rotation to the right by
 * 8, and Rcon is in the low byte. */
#ifndef RIJN_KEY_SCHEDULE_H
#define RIJN_KEY_SCHEDULE_H

#include "bytes.h"
#include "rounds.h"

/* Writes rounds_for(size) + 1 round keys of 16 bytes each to out. */
static void expand_key(uint8_t out[(MAX_ROUNDS + 1) * 16], const uint8_t *key, size_t size)
{
    const int nk = (int)(size / 4), words = 4 * (rounds_for(size) + 1);
    uint8_t rcon = 1;

    memcpy(out, key, size);
    for (int i = nk; i < words; i++) {
        uint32_t t = load_le32(out + 4 * (i - 1));
        if (i % nk == 0) {
            t = sub_word(t >> 8 | t << 24) ^ rcon;
            rcon = (uint8_t)(rcon << 1 ^ (rcon >> 7) * 0x1b);
        } else if (nk > 6 && i % nk == 4) {
            t = sub_word(t);
        }
        store_le32(out + 4 * i, t ^ load_le32(out + 4 * (i - nk)));
    }
}

#endif
