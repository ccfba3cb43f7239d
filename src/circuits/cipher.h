/* AES on the CELL * WORD_LANES blocks of a word, where they lie in memory. Include after
 * defining LANE_BITS, word, WORD_LANES and SLICED (lane.h): all but the first are undefined
 * at its end, for the next word.
 *
 * k[0..rounds] are the round keys of fixslice.h, the same for every block. */
#include "planes.h"

/* Where ShiftRows, never done, does not add up to nothing (fixslice.h): Nr is 10 or 14. */
RIJN_INLINE bool SLICED(displaces)(int rounds)
{
    return rounds % 4 != 0;
}

RIJN_APART static void SLICED(encrypt)(uint8_t *blocks, const lane (*k)[KEY_LANES], int rounds)
{
    word w[8];

    SLICED(pack)(w, blocks, false);
    SLICED(encrypt_rounds)(w, k, rounds);
    SLICED(unpack)(blocks, w, SLICED(displaces)(rounds));
}

RIJN_APART static void SLICED(decrypt)(uint8_t *blocks, const lane (*k)[KEY_LANES], int rounds)
{
    word w[8];

    SLICED(pack)(w, blocks, SLICED(displaces)(rounds));
    SLICED(decrypt_rounds)(w, k, rounds);
    SLICED(unpack)(blocks, w, false);
}

#undef word
#undef WORD_LANES
#undef SLICED
