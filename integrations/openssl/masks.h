/* Comparisons of secrets as masks, all ones for true, in place of branches. */
#ifndef RIJN_OPENSSL_MASKS_H
#define RIJN_OPENSSL_MASKS_H

#include <stddef.h>

/* Returns x, hidden from the optimizer. Otherwise it could make a branch of a mask, or count a loop by a
 * difference to a secret. */
static inline size_t hide(size_t x)
{
    __asm__("" : "+r"(x));
    return x;
}

/* All ones if a < b. Both are at most half of SIZE_MAX. */
static inline size_t below(size_t a, size_t b)
{
    return hide((size_t)0 - ((hide(a) - b) >> (8 * sizeof a - 1)));
}

static inline size_t equal(size_t a, size_t b)
{
    return ~(below(a, b) | below(b, a));
}

#endif
