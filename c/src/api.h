/* For the public functions in all files: checks (check.h), the phases of a message in pieces, and
 * the expansion of a key. */
#ifndef RIJN_API_H
#define RIJN_API_H

#include "check.h"

#define MAX_AD ((UINT64_C(1) << 61) - 1) /* bytes whose number of bits fits 64 */
#define CTR_32_MAX (UINT64_C(1) << 36)   /* bytes that a counter of 32 bits counts */

/* The phases of a message in pieces. Each is a bit, so a call can name all phases that allow it.
 * The data of OCB end with an incomplete block: PHASE_ENCRYPTED, PHASE_DECRYPTED. */
enum {
    PHASE_IDLE = 0, /* also in memory that was wiped */
    PHASE_AD = 1,
    PHASE_ENCRYPT = 2,
    PHASE_DECRYPT = 4,
    PHASE_ENCRYPTED = 8,
    PHASE_DECRYPTED = 16,
    PHASE_MAC = 32,
    PHASE_HASH = 64,
    PHASE_STARTED = 127, /* any but PHASE_IDLE */
};

/* Returns RIJN_ERR_STATE if the phase is not one of `phases`, or if the key was wiped. */
static inline rijn_status rijn_check_phase(int phase, int phases, const rijn_key *key)
{
    return phase & phases && key && key->backend ? RIJN_OK : RIJN_ERR_STATE;
}

/* Expands a key with this backend, for encryption and for `uses`. `blocks` is the largest number of
 * hashed blocks of a message. Checks nothing, and the caller scrubs the stack (scrub.h). */
void rijn_key_expand(rijn_key *key, const struct rijn_backend *backend, const uint8_t *bytes,
                     size_t size, unsigned uses, size_t blocks);

#endif
