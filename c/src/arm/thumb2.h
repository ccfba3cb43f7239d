/* The functions of thumb2.S, for builds with RIJN_THUMB2 (build.h). */
#ifndef RIJN_ARM_THUMB2_H
#define RIJN_ARM_THUMB2_H

#include <stddef.h>
#include <stdint.h>

#include "../build.h"

/* Encrypts the two blocks at `blocks` in place, with the rounds of circuits/fixslice.h. `keys` are the
 * round keys of a context with lanes of 32 bits. */
void rijn_thumb2_encrypt(uint32_t blocks[8], const uint32_t *keys, int rounds);

#if RIJN_WITH_SMALL_CODE

/* Computes the S-box on planes (circuits/sbox.h). The rounds call the same code. */
void rijn_thumb2_sub_bytes(uint32_t planes[8]);

#else

/* A run of counter blocks that differ only in the last byte. */
typedef struct {
    uint32_t planes[8]; /* of the blocks with last bytes 0 and 1, with the first round key added */
    uint32_t count;     /* the last byte of the next block, an even number */
    const uint32_t *keys;
    int rounds;
    size_t pairs; /* pairs of blocks to process, at most up to last byte 255; becomes 0 */
    const uint8_t *in;
    uint8_t *out; /* equal to `in` or disjoint; both end after the last byte */
} rijn_thumb2_job;
_Static_assert(sizeof(void *) != 4 || sizeof(rijn_thumb2_job) == 56, "as thumb2.S has it");

/* XORs the keystream of the run from `in` to `out`. */
void rijn_thumb2_ctr(rijn_thumb2_job *job);

#endif

#endif
