/* The rounds of AES on bit planes, "fixsliced": Adomnicai and Peyrin, "Fixslicing
 * AES-like ciphers", IACR ePrint 2020/1123.
 *
 * Include after defining LANE_BITS, word, WORD_LANES and SLICED (lane.h).
 *
 * Layout of each lane of plane w[p]: bit p of CELL blocks; the bit of
 * row r, column c (FIPS 197 section 3.4) and block b is number
 *
 *     r * ROW + c * CELL + b        CELL = LANE_BITS / 16, ROW = 4 * CELL
 *
 * so that moving up by one row is a rotation of the lane by ROW bits. In lanes of 128 bits each byte is
 * a cell, and the bit has the number c * ROW + r * CELL + b: cells have the order of a block's bytes
 * in memory.
 *
 * ShiftRows is never computed. After i rounds, the byte that FIPS 197 has in row r and column c is here
 * in row r and column c + i*r (mod 4). So the bytes of a column are one row down and i columns on from
 * each other. MixColumns has four variants, by i mod 4, and round key i is stored with the same
 * displacement. After Nr rounds, rows 1 and 3 are two columns off if Nr is 10 or 14; nothing is off if
 * Nr is 12. */
#include "lane.h"
#include "sbox.h"

#if LANE_BITS == 128

#include "positions.h"

RIJN_INLINE word SLICED(moved)(word x, int rows, int columns)
{
    return permute(x, every(moved_bytes[rows][columns]));
}

/* Computes the planes of round key r, displaced and, from round 1 on, XORed with 0x63 (sbox.h). Uses the
 * complement of the key, because a comparison with zero turns bits into planes. */
RIJN_INLINE void SLICED(round_key)(word planes[8], const sliced_key *k, int r)
{
    typedef uint8_t cells __attribute__((vector_size(sizeof(word))));
    const cells key = (cells)permute(every(k + 16 * r), every(shifted_bytes[(4 - r % 4) % 4]));
    const cells complement = key ^ (uint8_t)(r ? 0x63 ^ 0xff : 0xff);

    RIJN_UNROLL
    for (int p = 0; p < 8; p++)
        planes[p] = (word)((complement & (uint8_t)(1 << p)) == 0);
}

RIJN_INLINE void SLICED(add_planes)(word w[8], const word planes[8])
{
    RIJN_UNROLL
    for (int p = 0; p < 8; p++)
        w[p] ^= planes[p];
}

RIJN_INLINE void SLICED(add_round_key)(word w[8], const sliced_key *k, int r)
{
    word planes[8];

    SLICED(round_key)(planes, k, r);
    SLICED(add_planes)(w, planes);
}

#else

RIJN_INLINE word SLICED(ror)(word x, int n)
{
    return x >> n | x << (LANE_BITS - n);
}

/* Returns x moved: cell (r, c) of the result is cell (r + rows, c + columns) of x, both mod 4. A
 * rotation carries a column that wraps into the next row, so these cells come from a rotation by one
 * row less. */
RIJN_INLINE word SLICED(moved)(word x, int rows, int columns)
{
    const int distance = rows * ROW + columns * CELL;

    if (columns == 0)
        return SLICED(ror)(x, distance);
    /* All ones divided by a row of ones has the lowest bit of every row set. */
    const lane lowest = (lane)-1 / ((1u << ROW) - 1);
    const lane inside = lowest * ((1u << (4 - columns) * CELL) - 1);
    const word near = SLICED(ror)(x, distance), wrapped = SLICED(ror)(x, distance - ROW);
    return wrapped ^ ((near ^ wrapped) & inside);
}

RIJN_INLINE void SLICED(add_round_key)(word w[8], const sliced_key *k, int r)
{
    const lane every = (1u << CELL) - 1, lowest = (lane)-1 / every;

    RIJN_UNROLL
    for (int p = 0; p < 8; p++)
        w[p] ^= KEY_LANES == 8 ? k[r][p] : (k[r][p / CELL] >> p % CELL & lowest) * every;
}

#endif

/* y += 2 * x in GF(2^8), on planes: a shift and the reduction by x^8 + x^4 + x^3 + x + 1. */
RIJN_INLINE void SLICED(add_double)(word y[8], const word x[8])
{
    y[0] ^= x[7];
    y[1] ^= x[0] ^ x[7];
    y[2] ^= x[1];
    y[3] ^= x[2] ^ x[7];
    y[4] ^= x[3] ^ x[7];
    y[5] ^= x[4];
    y[6] ^= x[5];
    y[7] ^= x[6];
}

/* MixColumns after i rounds. With R x the byte below x in its column, and
 * c = x + R x:  2 x + 3 R x + R^2 x + R^3 x = R x + R^2 c + 2 c. */
RIJN_INLINE void SLICED(mix_columns)(word w[8], int i)
{
    word c[8];

    RIJN_UNROLL
    for (int p = 0; p < 8; p++) {
        const word below = SLICED(moved)(w[p], 1, i % 4);
        c[p] = w[p] ^ below;
        w[p] = below ^ SLICED(moved)(c[p], 2, 2 * i % 4);
    }
    SLICED(add_double)(w, c);
}

/* InvMixColumns: with c = x + R x, d = x + 2 c and e = c + 4 d,
 * 14 x + 11 R x + 13 R^2 x + 9 R^3 x = d + e + R^2 e. */
RIJN_INLINE void SLICED(inverse_mix_columns)(word w[8], int i)
{
    word e[8];

    RIJN_UNROLL
    for (int p = 0; p < 8; p++)
        e[p] = w[p] ^ SLICED(moved)(w[p], 1, i % 4);
    SLICED(add_double)(w, e);

    const word d67 = w[6] ^ w[7];
    e[0] ^= w[6];
    e[1] ^= d67;
    e[2] ^= w[0] ^ w[7];
    e[3] ^= w[1] ^ w[6];
    e[4] ^= w[2] ^ d67;
    e[5] ^= w[3] ^ w[7];
    e[6] ^= w[4];
    e[7] ^= w[5];
    RIJN_UNROLL
    for (int p = 0; p < 8; p++)
        w[p] ^= e[p] ^ SLICED(moved)(e[p], 2, 2 * i % 4);
}

#if LANE_BITS < 128
/* Computes ShiftRows (FIPS 197 section 5.1.2), for single rounds whose result is added to a state
 * without displacement. Moves rows 1 and 3 by one column, then rows 2 and 3 by two. */
RIJN_INLINE void SLICED(shift_rows)(word w[8])
{
    const lane row = ((lane)1 << ROW) - 1, column = row >> 3 * CELL;
    const lane odd = row << ROW | row << 3 * ROW;
    const lane odd_last = (column << ROW | column << 3 * ROW) << 3 * CELL;
    const lane low_half = (row >> 2 * CELL) * ((lane)1 << 2 * ROW | (lane)1 << 3 * ROW);

    for (int p = 0; p < 8; p++) {
        const word x = w[p];
        const word y = (x & ~odd) | (x >> CELL & (odd ^ odd_last)) | (x << 3 * CELL & odd_last);
        const word t = (y ^ y >> 2 * CELL) & low_half;
        w[p] = y ^ t ^ t << 2 * CELL;
    }
}

/* Computes one round of the cipher without AddRoundKey, and leaves no displacement. */
RIJN_INLINE void SLICED(single_round)(word w[8])
{
    SLICED(sbox)(w);
    SLICED(shift_rows)(w);
    SLICED(mix_columns)(w, 0);
    RIJN_UNROLL
    for (int p = 0; p < 8; p++)
        w[p] = 0x63 >> p & 1 ? ~w[p] : w[p];
}
#endif

#if LANE_BITS == 128
#define BY_ROUND(mix, w, i) mix(w, i)
#else
/* Each variant has its own branch, so that distances and masks are constants. i counts rounds and is
 * not secret. */
#define BY_ROUND(mix, w, i) \
    do { \
        if ((i) % 4 == 0) \
            mix(w, 0); \
        else if ((i) % 4 == 1) \
            mix(w, 1); \
        else if ((i) % 4 == 2) \
            mix(w, 2); \
        else \
            mix(w, 3); \
    } while (0)
#endif

/* Computes the cipher (FIPS 197 section 5.1) and leaves the rows displaced. k[0..rounds] are the round
 * keys. With lanes of 64 or 32 bits they are already displaced, and from round 1 on XORed with 0x63
 * (sbox.h). */
RIJN_INLINE void SLICED(encrypt_rounds)(word w[8], const sliced_key *k, int rounds)
{
    SLICED(add_round_key)(w, k, 0);
    for (int i = 1; i < rounds; i++) {
        SLICED(sbox)(w);
        BY_ROUND(SLICED(mix_columns), w, i);
        SLICED(add_round_key)(w, k, i);
    }
    SLICED(sbox)(w);
    SLICED(add_round_key)(w, k, rounds);
}

/* Computes the inverse cipher (FIPS 197 section 5.3) of displaced rows. */
RIJN_INLINE void SLICED(decrypt_rounds)(word w[8], const sliced_key *k, int rounds)
{
    SLICED(add_round_key)(w, k, rounds);
    for (int i = rounds - 1; i > 0; i--) {
        SLICED(inverse_sbox)(w);
        SLICED(add_round_key)(w, k, i);
        BY_ROUND(SLICED(inverse_mix_columns), w, i);
    }
    SLICED(inverse_sbox)(w);
    SLICED(add_round_key)(w, k, 0);
}

#undef BY_ROUND
