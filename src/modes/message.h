/* CTR and messages of GCM without checks, for a caller that scrubs the stack (scrub.h).
 * ..._STACK: what they have there of variables, beside those of the backend's operations. */
#ifndef RIJN_MODES_MESSAGE_H
#define RIJN_MODES_MESSAGE_H

#include "../backend.h"

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
