/* The messages of a batch (batch.h) side by side, in modes that pack them by what every record has
 * (chains of CBC, a run of blocks) or by what a record may have besides (gcm_siv_many). Without checks, for a caller that scrubs the stack (scrub.h); what
 * they have there is in many.c's table of modes. */
#ifndef RIJN_BATCH_MODES_H
#define RIJN_BATCH_MODES_H

#include "../build.h"

#if RIJN_WITH_MANY

#include "../backend.h"
#include "../batch.h"

/* CBC encryption (SP 800-38A section 6.2), with PKCS #7 padding or of whole blocks; the nonces are
 * the IVs. */
void rijn_cbc_together(const rijn_key *key, const rijn_batch *b, bool padded);

/* CTR (section 6.5) of each message from its own counter block on, of which all 16 bytes count, at
 * counters + 16 * i: public. */
void rijn_ctr_together(const rijn_key *key, const rijn_batch *b, const uint8_t *counters);

/* CMAC (SP 800-38B) of what is `ad`, cut to tag_size bytes. */
void rijn_cmac_together(const rijn_key *key, const rijn_batch *b);

/* SIV (RFC 5297) and GCM-SIV (RFC 8452). */
void rijn_siv_together(const rijn_siv_key *key, const rijn_batch *b);
void rijn_gcm_siv_together(const rijn_key *key, const rijn_batch *b);

#endif
#endif
