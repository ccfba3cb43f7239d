/* CTR, and whole messages of GCM and GCM-SIV. These functions check nothing, and their caller
 * scrubs the stack (scrub.h). NAME_STACK is the size of their variables there, without the
 * backend's. */
#ifndef RIJN_MODES_MESSAGE_H
#define RIJN_MODES_MESSAGE_H

#include "../backend.h"
#include "../check.h"

/* The limits of each mode: gcm_limits and so on. */
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

/* Their addresses, for the batch functions. */
extern const rijn_limits *const rijn_gcm_limits,
    *const rijn_gcm_siv_limits, *const rijn_xaes_limits, *const rijn_ccm_limits,
                                                             *const rijn_ocb_limits,
                                                                 *const rijn_eax_limits,
                                                                     *const rijn_cmac_limits;

/* Sets *counter to `block`, which is public. `width` of its bits count. */
void rijn_counter_set(rijn_counter *counter, unsigned width, int little, const uint8_t block[16]);

enum { CTR_STACK = sizeof(rijn_counter) };
void rijn_ctr_run(const rijn_key *key, unsigned width, int little, const uint8_t counter[16],
                  uint8_t *out, const uint8_t *in, size_t size);

/* A keystream for pieces of any size. Its unused bytes are kept ahead, and the next piece uses them
 * first. */
enum { STREAM_STACK = 64 };
void rijn_stream_start(rijn_keystream *stream, unsigned width, int little,
                       const uint8_t counter[16]);

/* XORs up to `size` bytes with keystream that is ready. Returns how many. */
size_t rijn_stream_use(rijn_keystream *stream, uint8_t *out, const uint8_t *in, size_t size);

/* Makes new keystream when none is ready and `size` bytes are needed, fewer than rijn_stream_most.
 * The first piece is often the whole message: it gets only the blocks that it needs, unless they
 * are more than half of rijn_stream_most. Later pieces get rijn_stream_most. */
void rijn_stream_refill(const rijn_key *key, rijn_keystream *stream, size_t size, bool first);

/* Returns the most keystream that is made ahead, in bytes: a power of two. */
size_t rijn_stream_most(const rijn_key *key);

/* From this size on, CTR and GCM bypass the caches unless they work in place
 * (rijn_ctr_table.ctr_bypass). Tests lower it. */
extern size_t rijn_bypass_size;

static inline bool rijn_bypasses(const rijn_key *key, const uint8_t *out, const uint8_t *in,
                                 size_t size)
{
    return RIJN_WITH_ALL && size >= rijn_bypass_size && out != in && key->backend->bypass_stack;
}

/* Returns the additional stack of a message that bypasses the caches, or 0. */
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

/* Computes CMAC's K1 (SP 800-38B section 6.1) under the key of XAES-256-GCM. */
void rijn_xaes_subkey(uint8_t subkey[16], const rijn_key *key);

/* Derives the AES-256-GCM keys, 32 bytes each, of XAES-256-GCM messages. Their nonces begin with
 * these n prefixes of 12 bytes. */
void rijn_xaes_derive_keys(uint8_t *bytes, const rijn_key *key, const uint8_t subkey[16],
                           const uint8_t *prefixes, size_t n);

#endif
