/* What thumb2.S has, for builds with RIJN_THUMB2 (build.h). */
#ifndef RIJN_ARM_THUMB2_H
#define RIJN_ARM_THUMB2_H

#include <stddef.h>
#include <stdint.h>

#include "../build.h"

/* The rounds of circuits/fixslice.h on the two blocks at `blocks`, in place; keys as a context of
 * lanes of 32 bits has them. */
void rijn_thumb2_encrypt(uint32_t blocks[8], const uint32_t *keys, int rounds);

#if RIJN_WITH_SMALL_CODE

/* The S-box on planes (circuits/sbox.h), which the rounds have once. */
void rijn_thumb2_sub_bytes(uint32_t planes[8]);

#else

/* A run of counter blocks, all bytes of which but the last one they share. */
typedef struct {
    uint32_t planes[8]; /* of the run's blocks 0 and 1, with the first round key */
    uint32_t count;     /* the last byte of the first block to come, an even number */
    const uint32_t *keys;
    int rounds;
    size_t pairs; /* of blocks, up to the 128th at most; left 0 */
    const uint8_t *in;
    uint8_t *out; /* in, or apart from it; both are left behind the last byte */
} rijn_thumb2_job;
_Static_assert(sizeof(void *) != 4 || sizeof(rijn_thumb2_job) == 56, "as thumb2.S has it");

/* XORs their keystream from in to out. */
void rijn_thumb2_ctr(rijn_thumb2_job *job);

#endif

#endif
