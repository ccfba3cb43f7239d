/* Modes that process the messages of a batch (batch.h) side by side, with functions that every backend
 * has: chains of CBC, and runs of blocks. Nothing here checks arguments, and the caller scrubs the stack
 * (scrub.h). The table in run_batch.c says how much stack each function takes. */
#ifndef RIJN_BATCH_MODES_H
#define RIJN_BATCH_MODES_H

#include "../build.h"

#if RIJN_WITH_MANY

#include "../backend.h"
#include "../batch.h"

/* Encrypts with CBC (SP 800-38A section 6.2), with PKCS #7 padding or whole blocks. The nonces are
 * the IVs. */
void rijn_cbc_batch(const rijn_key *key, const rijn_batch *batch, bool padded);

/* Encrypts or decrypts with CTR (section 6.5). The first counter block of message i is public and
 * stands at counters + 16 * i. All its 16 bytes count. */
void rijn_ctr_batch(const rijn_key *key, const rijn_batch *batch, const uint8_t *counters);

/* Computes the CMAC (SP 800-38B) of the associated data, and stores tag_size bytes of it. */
void rijn_cmac_batch(const rijn_key *key, const rijn_batch *batch);

/* Seals or opens with SIV (RFC 5297). Opening stores the computed tags, to be compared. */
void rijn_siv_batch(const rijn_siv_key *key, const rijn_batch *batch);

#endif
#endif
