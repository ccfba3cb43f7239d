/* What the public functions share across files: checks (check.h), the phases of a message
 * in pieces, and the expansion of a key. */
#ifndef RIJN_API_H
#define RIJN_API_H

#include "check.h"

#define MAX_AD ((UINT64_C(1) << 61) - 1) /* bytes whose number of bits fits 64 */
#define CTR_32_MAX (UINT64_C(1) << 36)   /* bytes that a counter of 32 bits counts */

/* Where a message in pieces stands, one bit each, so that a call names those it may come
 * in; OCB's data end with a piece that is no whole number of blocks. */
enum {
    PHASE_IDLE = 0, /* as memory that was wiped */
    PHASE_AD = 1,
    PHASE_ENCRYPT = 2,
    PHASE_DECRYPT = 4,
    PHASE_ENCRYPTED = 8,
    PHASE_DECRYPTED = 16,
    PHASE_MAC = 32,
    PHASE_HASH = 64,
};

/* RIJN_ERR_STATE unless the phase is one of `phases` and the key has not been wiped. */
static inline rijn_status rijn_check_phase(int phase, int phases, const rijn_key *key)
{
    return phase & phases && key && key->backend ? RIJN_OK : RIJN_ERR_STATE;
}

/* Makes *key one of this backend, for encryption and for what `uses` says besides, of messages
 * with up to so many blocks to be hashed; without checks, for a caller that scrubs the stack
 * (scrub.h). */
void rijn_key_expand(rijn_key *key, const struct rijn_backend *backend, const uint8_t *bytes,
                     size_t size, unsigned uses, size_t blocks);

#endif
