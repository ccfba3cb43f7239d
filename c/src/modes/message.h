/* CTR and messages of GCM and GCM-SIV without checks, for a caller that scrubs the stack (scrub.h).
 * ..._STACK: what they have there of variables, beside those of the backend's operations. */
#ifndef RIJN_MODES_MESSAGE_H
#define RIJN_MODES_MESSAGE_H

#include "../backend.h"
#include "../check.h"

/* gcm_limits and so on: what each mode takes. */
#define RIJN_AES_AEAD(ID, id, Class, keys_, least, most, usual, asked, tags_, short_tags_, data_, \
                      ad_, document) \
    __attribute__((unused)) static const rijn_limits id##_limits = { \
        .nonce_least = least, \
        .nonce_most = most, \
        .data = data_, \
        .ad = ad_, \
        .tags = (uint32_t)(tags_), \
        .short_tags = (uint32_t)(short_tags_), \
        .keys = (uint32_t)(keys_), \
    };
#include "rijn_algorithms.def"

/* The same, for those who check many messages at once. */
extern const rijn_limits *const rijn_gcm_limits,
    *const rijn_gcm_siv_limits, *const rijn_xaes_limits, *const rijn_ccm_limits,
                                                             *const rijn_ocb_limits,
                                                                 *const rijn_eax_limits,
                                                                     *const rijn_cmac_limits;

/* A counter that begins with `block`, a public one, of which `width` bits count. */
void rijn_counter_set(rijn_counter *counter, unsigned width, int little, const uint8_t block[16]);

enum { CTR_STACK = sizeof(rijn_counter) };
void rijn_ctr_run(const rijn_key *key, unsigned width, int little, const uint8_t counter[16],
                  uint8_t *out, const uint8_t *in, size_t size);

/* A keystream for pieces of any sizes. What is left of the last one stays ahead; a piece
 * that is shorter than what is made ahead uses up that before more is made. */
enum { STREAM_STACK = 64 };
void rijn_stream_start(rijn_keystream *stream, unsigned width, int little,
                       const uint8_t counter[16]);
void rijn_stream_crypt(const rijn_key *key, rijn_keystream *stream, uint8_t *out, const uint8_t *in,
                       size_t size);

/* Its parts: XORs of what is ready up to `size` bytes, returns how many; makes new
 * keystream when none is ready; how many bytes at once. */
size_t rijn_stream_use(rijn_keystream *stream, uint8_t *out, const uint8_t *in, size_t size);
void rijn_stream_refill(const rijn_key *key, rijn_keystream *stream);
size_t rijn_stream_most(const rijn_key *key);

/* From this size on CTR and GCM out of place go past the caches (rijn_backend.ctr_bypass).
 * Tests lower it. */
extern size_t rijn_bypass_size;

static inline bool rijn_bypasses(const rijn_key *key, const uint8_t *out, const uint8_t *in,
                                 size_t size)
{
    return RIJN_WITH_ALL && size >= rijn_bypass_size && out != in && key->backend->bypass_stack;
}

/* What the stack has more then. */
static inline size_t rijn_bypass_depth(const rijn_key *key, const uint8_t *out, const uint8_t *in,
                                       size_t size)
{
    return rijn_bypasses(key, out, in, size) ? key->backend->bypass_stack : 0;
}

enum { GCM_STACK = 2 * 16 };
rijn_status rijn_gcm_open_message(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                  size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                  const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                  size_t size);
rijn_status rijn_gcm_siv_open_message(const rijn_key *key, uint8_t *out, const uint8_t tag[16],
                                      const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                                      const uint8_t *in, size_t size);

/* CMAC's K1 (SP 800-38B section 6.1) under the key of XAES-256-GCM. */
void rijn_xaes_subkey(uint8_t subkey[16], const rijn_key *key);

/* The AES-256-GCM keys of XAES-256-GCM messages whose nonces begin with these n prefixes of 12 bytes:
 * 32 bytes each. */
void rijn_xaes_keys_of(uint8_t *bytes, const rijn_key *key, const uint8_t subkey[16],
                       const uint8_t *prefixes, size_t n);

#endif
