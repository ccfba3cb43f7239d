/* What the public functions share across files: checks (check.h), the phases of a message
 * in pieces, and work that more than one of them is made of. */
#ifndef RIJN_API_H
#define RIJN_API_H

#include "check.h"

#define MAX_AD ((UINT64_C(1) << 61) - 1)        /* bytes whose number of bits fits 64 */
#define GCM_MAX_DATA ((UINT64_C(1) << 36) - 32) /* bytes, SP 800-38D section 5.2.1.1 */
#define CTR_32_MAX (UINT64_C(1) << 36)          /* bytes that a counter of 32 bits counts */

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
};

/* RIJN_ERR_STATE unless the phase is one of `phases` and the key has not been wiped. */
static inline rijn_status rijn_check_phase(int phase, int phases, const rijn_key *key)
{
    return phase & phases && key && key->backend ? RIJN_OK : RIJN_ERR_STATE;
}

/* ---- Work without checks, whose caller scrubs the stack (scrub.h) ---- *
 * ..._STACK: what it has there of variables, beside those of the backend's operations. */

/* Makes a wiped key one of this backend. */
void rijn_key_expand(rijn_key *key, const struct rijn_backend *backend, const uint8_t *bytes,
                     size_t size);

/* Puts a stream before `counter`, a public one, of which `width` bits count. */
void rijn_stream_start(rijn_keystream *stream, unsigned width, int little,
                       const uint8_t counter[16]);

enum { CTR_STACK = sizeof(rijn_keystream) };
void rijn_ctr_run(const rijn_key *key, unsigned width, int little, const uint8_t counter[16],
                  uint8_t *out, const uint8_t *in, size_t size);

enum { GCM_STACK = sizeof(rijn_gcm) + 16 };
void rijn_gcm_seal_message(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                           const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                           size_t ad_size, const uint8_t *in, size_t size);
rijn_status rijn_gcm_open_message(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                  size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                  const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                  size_t size);

#endif
