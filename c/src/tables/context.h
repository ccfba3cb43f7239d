/* The expanded key of a backend with tables. */
#ifndef RIJN_TABLES_CONTEXT_H
#define RIJN_TABLES_CONTEXT_H

#include <stdint.h>

/* A block as two big-endian integers: the highest bit is the coefficient of x^0
 * (SP 800-38D section 6.3). */
typedef struct {
    uint64_t high, low;
} hash;

typedef struct {
    uint32_t encrypt[4 * 15]; /* round keys, words little-endian */
    uint32_t decrypt[4 * 15]; /* the same for the equivalent inverse cipher, FIPS 197 5.3.5 */
    hash multiple[16];        /* n * H; the highest of the four bits of n is x^0 */
    int rounds;
} context;

#endif
