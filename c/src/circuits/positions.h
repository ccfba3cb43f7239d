/* Permutations of the bytes of a state, for machines that permute 16 bytes. Byte r + 4 c is in row r and
 * column c (FIPS 197 section 3.4). */
#ifndef RIJN_POSITIONS_H
#define RIJN_POSITIONS_H

#include <stdint.h>

/* The source of byte i: `rows` rows down, `columns` columns on, and `shift` more columns for each row. */
#define BYTE(i, rows, columns, shift) \
    ((uint8_t)(((i) + (rows)) % 4 + ((i) / 4 + (columns) + (shift) * (((i) + (rows)) % 4)) % 4 * 4))
#define BYTES(...) \
    { \
        BYTE(0, __VA_ARGS__), BYTE(1, __VA_ARGS__), BYTE(2, __VA_ARGS__), BYTE(3, __VA_ARGS__), \
            BYTE(4, __VA_ARGS__), BYTE(5, __VA_ARGS__), BYTE(6, __VA_ARGS__), \
            BYTE(7, __VA_ARGS__), BYTE(8, __VA_ARGS__), BYTE(9, __VA_ARGS__), \
            BYTE(10, __VA_ARGS__), BYTE(11, __VA_ARGS__), BYTE(12, __VA_ARGS__), \
            BYTE(13, __VA_ARGS__), BYTE(14, __VA_ARGS__), BYTE(15, __VA_ARGS__) \
    }

/* ShiftRows, applied 0 to 3 times; three times are its inverse. */
static const uint8_t shifted_bytes[4][16] = {BYTES(0, 0, 0), BYTES(0, 0, 1), BYTES(0, 0, 2),
                                             BYTES(0, 0, 3)};
/* moved_bytes[rows][columns]: `rows` rows down, 1 or 2, and `columns` columns on. */
static const uint8_t moved_bytes[3][4][16] = {
    [1] = {BYTES(1, 0, 0), BYTES(1, 1, 0), BYTES(1, 2, 0), BYTES(1, 3, 0)},
    [2] = {BYTES(2, 0, 0), BYTES(2, 1, 0), BYTES(2, 2, 0), BYTES(2, 3, 0)}};
/* ShiftRows, then 0 to 3 rows down: the terms that MixColumns adds. */
static const uint8_t mixed_bytes[4][16] = {BYTES(0, 0, 1), BYTES(1, 0, 1), BYTES(2, 0, 1),
                                           BYTES(3, 0, 1)};

#undef BYTE
#undef BYTES

#endif
