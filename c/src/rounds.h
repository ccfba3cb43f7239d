/* The number of rounds (Nr of FIPS 197 table 3). */
#ifndef RIJN_ROUNDS_H
#define RIJN_ROUNDS_H

#include <stddef.h>

#define MAX_ROUNDS 14

/* Returns 10, 12 or 14 for a key of 16, 24 or 32 bytes. */
static inline int rounds_for(size_t key_size)
{
    return (int)(key_size / 4) + 6;
}

#endif
