/* CMAC for SIV and EAX. These functions check nothing, and their caller scrubs the stack
 * (scrub.h). */
#ifndef RIJN_CMAC_H
#define RIJN_CMAC_H

#include "../api.h"

/* Their variables on the stack, without the backend's: a state and a tag. */
enum { CMAC_STACK = sizeof(rijn_cmac_state) + 16 };

/* Starts a message. A copy of the state starts another message under the same key. */
void rijn_cmac_begin(rijn_cmac_state *cmac, const rijn_key *key);

/* Absorbs the next `size` bytes. */
void rijn_cmac_absorb(rijn_cmac_state *cmac, const uint8_t *in, size_t size);

/* Computes the block that becomes the tag when it is encrypted (SP 800-38B section 6.2, steps 4 and
 * 5). The state cannot be used again; wipe it. */
void rijn_cmac_end(rijn_cmac_state *cmac, uint8_t block[16]);

/* Computes the whole tag. The state cannot be used again; wipe it. */
void rijn_cmac_tag(rijn_cmac_state *cmac, uint8_t tag[16]);

#endif
