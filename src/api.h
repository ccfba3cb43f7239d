/* Checks that the public functions share across files. */
#ifndef RIJN_API_H
#define RIJN_API_H

#include <stdbool.h>

#include "rijn.h"

#define MAX_AD ((UINT64_C(1) << 61) - 1)        /* bytes whose number of bits fits 64 */
#define GCM_MAX_DATA ((UINT64_C(1) << 36) - 32) /* bytes, SP 800-38D section 5.2.1.1 */
#define CTR_32_MAX (UINT64_C(1) << 36)          /* bytes that a counter of 32 bits counts */

/* Where a message in pieces stands; OCB's data end with a piece that is no whole
 * number of blocks. */
enum {
    PHASE_IDLE,
    PHASE_AD,
    PHASE_ENCRYPT,
    PHASE_DECRYPT,
    PHASE_ENCRYPTED,
    PHASE_DECRYPTED,
};

/* Returns from the caller unless `check` is RIJN_OK. */
#define TRY(check) \
    do { \
        const rijn_status try_status = (check); \
        if (try_status != RIJN_OK) \
            return try_status; \
    } while (0)

/* Returns `error` from the caller unless the condition holds. */
#define REQUIRE(condition, error) \
    do { \
        if (!(condition)) \
            return (error); \
    } while (0)

/* size <= limit, also where size_t is narrower than the limit. */
static inline bool within(uint64_t size, uint64_t limit)
{
    return size <= limit;
}

/* Whether a[0..a_size) and b[0..b_size) share no byte. */
bool rijn_disjoint(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size);

/* What an algorithm for authenticated encryption takes, in bytes. */
typedef struct rijn_limits {
    uint64_t nonce_least, nonce_most, data, ad;
    uint32_t tags;       /* bit n is set: tags may have n bytes */
    uint32_t short_tags; /* likewise, with rijn_key_allow_short_tags */
    uint32_t keys;       /* bit n is set: keys may have 8 n bytes */
} rijn_limits;

#define SIZES(least, most) ((UINT32_C(2) << (most)) - (UINT32_C(1) << (least)))
enum { ALL_KEYS = 1 << 2 | 1 << 3 | 1 << 4 };

rijn_status rijn_check_nonce(const rijn_limits *limits, const uint8_t *nonce, size_t size);
rijn_status rijn_check_tag_size(const rijn_limits *limits, const rijn_key *key, size_t size);

/* Everything that is to be checked of a seal or an open. */
rijn_status rijn_check_message(const rijn_limits *limits, const rijn_key *key, const uint8_t *out,
                               const uint8_t *tag, size_t tag_size, const uint8_t *nonce,
                               size_t nonce_size, const uint8_t *ad, size_t ad_size,
                               const uint8_t *in, size_t size);

/* Puts a stream before `counter`, a public one, of which `width` bits count. */
void rijn_stream_start(rijn_keystream *stream, unsigned width, int little,
                       const uint8_t counter[16]);

/* RIJN_OK; RIJN_ERR_ARGUMENT for NULL with a size; RIJN_ERR_OVERLAP unless the
 * two are the same pointer or share no byte. */
rijn_status rijn_check_buffers(const uint8_t *out, const uint8_t *in, size_t size);

/* As rijn_disjoint, of two that are not empty and not half as long as memory, in one
 * comparison: how far b's last byte is behind a's first, modulo 2^N. */
static inline int apart(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    return (uintptr_t)b - (uintptr_t)a + (b_size - 1) >= a_size + (b_size - 1);
}

/* rijn_check_buffers, for the arguments of a seal or an open: RIJN_ERR_OVERLAP too
 * unless `out` shares no byte with tag, nonce and ad, nor `in` with the tag, which is
 * written while `in` is still to be read. */
static inline rijn_status rijn_check_apart(const uint8_t *out, const uint8_t *tag, size_t tag_size,
                                           const uint8_t *nonce, size_t nonce_size,
                                           const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                           size_t size)
{
    TRY(rijn_check_buffers(out, in, size));
    REQUIRE(!size || (apart(out, size, tag, tag_size) & apart(in, size, tag, tag_size) &
                      ((nonce_size == 0) | apart(out, size, nonce, nonce_size)) &
                      ((ad_size == 0) | apart(out, size, ad, ad_size))),
            RIJN_ERR_OVERLAP);
    return RIJN_OK;
}

/* Whether two tags (or keys) are equal, in constant time; the answer is public. */
bool rijn_tags_equal(const uint8_t *a, const uint8_t *b, size_t size);

/* The answer to a tag: RIJN_ERR_TAG after out[0..size) has been zeroed. */
rijn_status rijn_judge(const uint8_t *got, const uint8_t *tag, size_t tag_size, uint8_t *out,
                       size_t size);

/* RIJN_OK, RIJN_ERR_ARGUMENT for NULL, RIJN_ERR_STATE before rijn_key_init. */
rijn_status rijn_check_key(const rijn_key *key);

/* ---- Work without checks, whose caller scrubs the stack (scrub.h) ---- *
 * ..._STACK: what it has there of variables, beside those of the backend's operations. */

/* Makes a wiped key one of this backend. */
void rijn_key_expand(rijn_key *key, const struct rijn_backend *backend, const uint8_t *bytes,
                     size_t size);

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

enum { AEGIS_UNIT_STACK = 128 + 32 }; /* a unit of keystream, a tag */
void rijn_aegis_seal_message(const rijn_aegis_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                             const uint8_t *nonce, const uint8_t *ad, size_t ad_size,
                             const uint8_t *in, size_t size);
rijn_status rijn_aegis_open_message(const rijn_aegis_key *key, uint8_t *out, const uint8_t *tag,
                                    size_t tag_size, const uint8_t *nonce, const uint8_t *ad,
                                    size_t ad_size, const uint8_t *in, size_t size);

#endif
