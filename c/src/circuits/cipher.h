/* AES on the CELL * WORD_LANES blocks of a word, in place in memory. Include after defining LANE_BITS,
 * word, WORD_LANES and SLICED (lane.h). This file undefines all but LANE_BITS at its end, for the next
 * word.
 *
 * k[0..rounds] are the round keys of fixslice.h, the same for every block. */
#include "planes.h"
#if RIJN_THUMB2
#include "../arm/thumb2.h"
#endif

/* Returns true if the omitted ShiftRows leave rows displaced (fixslice.h): Nr is 10 or 14. */
RIJN_INLINE bool SLICED(displaces)(int rounds)
{
    return rounds % 4 != 0;
}

RIJN_APART static void SLICED(encrypt)(uint8_t *blocks, const sliced_key *k, int rounds)
{
#if LANE_BITS == 32 && RIJN_THUMB2
    rijn_thumb2_encrypt((uint32_t *)(void *)blocks, &k[0][0],
                        rounds); /* `blocks` is a vec, so aligned */
#else
    word w[8];

    SLICED(pack)(w, blocks, false);
    SLICED(encrypt_rounds)(w, k, rounds);
    SLICED(unpack)(blocks, w, SLICED(displaces)(rounds));
#endif
}

RIJN_APART static void SLICED(decrypt)(uint8_t *blocks, const sliced_key *k, int rounds)
{
    word w[8];

    SLICED(pack)(w, blocks, SLICED(displaces)(rounds));
    SLICED(decrypt_rounds)(w, k, rounds);
    SLICED(unpack)(blocks, w, false);
}

#undef word
#undef WORD_LANES
#undef SLICED
