/* More modes, written from the text of their standards, a byte at a time, with oracle.h. `out` and `in`
 * are disjoint. Slow, and not constant time. */
#ifndef ORACLE_MODES_H
#define ORACLE_MODES_H

#include "oracle.h"
#include "rijn.h"

/* SP 800-38A section 6.3 with segments of `segment` bytes, 1 or 16. */
void oracle_cfb(const oracle_key *key, bool decrypt, size_t segment, const uint8_t iv[16],
                uint8_t *out, const uint8_t *in, size_t size);

/* SP 800-38A section 6.4. */
void oracle_ofb(const oracle_key *key, const uint8_t iv[16], uint8_t *out, const uint8_t *in,
                size_t size);

/* C[i] = E(P[i] ^ C[i-1]) ^ P[i-1]; iv is C[-1] || P[-1]. */
void oracle_ige(const oracle_key *key, bool decrypt, const uint8_t iv[32], uint8_t *out,
                const uint8_t *in, size_t size);

/* CTR with a counter of `width` bits: the last bits of the block or, if `little`, the first. */
void oracle_ctr_width(const oracle_key *key, unsigned width, bool little, const uint8_t counter[16],
                      uint8_t *out, const uint8_t *in, size_t size);

/* IEEE 1619 sections 5.3.2 and 5.4.2; the keys are halves of bytes[0..key_size). */
void oracle_xts(const uint8_t *bytes, size_t key_size, bool decrypt, const uint8_t tweak[16],
                uint8_t *out, const uint8_t *in, size_t size);

/* The same, beginning with block `first` of a data unit. */
void oracle_xts_part(const uint8_t *bytes, size_t key_size, bool decrypt, const uint8_t tweak[16],
                     size_t first, uint8_t *out, const uint8_t *in, size_t size);

/* SP 800-38B section 6.2. */
void oracle_cmac(const oracle_key *key, uint8_t tag[16], const uint8_t *in, size_t size);

/* RFC 5297 section 2.6; tag is V. */
void oracle_siv(const uint8_t *bytes, size_t key_size, uint8_t *out, uint8_t tag[16],
                const rijn_string *strings, size_t count, const uint8_t *in, size_t size);

/* W of SP 800-38F section 6.1 on n semiblocks, in place. */
void oracle_w(const oracle_key *key, uint8_t *s, size_t n);

/* SP 800-38F, algorithms 3 and 5. Return the number of bytes written. */
size_t oracle_kw(const oracle_key *key, uint8_t *out, const uint8_t *in, size_t size);
size_t oracle_kwp(const oracle_key *key, uint8_t *out, const uint8_t *in, size_t size);

/* Authenticated encryption: writes size bytes to out and tag_size to tag. */
typedef void oracle_aead(const uint8_t *bytes, size_t key_size, uint8_t *out, uint8_t *tag,
                         size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                         const uint8_t *ad, size_t ad_size, const uint8_t *in, size_t size);

oracle_aead oracle_gcm_siv; /* RFC 8452 sections 4 and 5 */
oracle_aead oracle_xaes;    /* c2sp.org/XAES-256-GCM */
oracle_aead oracle_ccm;     /* SP 800-38C section 6.1, appendix A */
oracle_aead oracle_ocb;     /* RFC 7253 section 4.2 */
oracle_aead oracle_eax;     /* Bellare, Rogaway, Wagner (FSE 2004), figure 1 */

/* One whole block of OCB (RFC 7253 section 4.2): block `number`, from 1. Replaces `offset`, the offset of
 * the block before, by its own. l_star is E(K, 0^128). */
void oracle_ocb_block(const oracle_key *key, const uint8_t l_star[16], uint8_t offset[16],
                      uint64_t number, uint8_t out[16], const uint8_t in[16]);

#endif
