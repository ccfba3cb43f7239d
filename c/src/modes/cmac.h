/* CMAC without checks, for what is made of it: SIV and EAX. Who calls it scrubs the
 * stack. */
#ifndef RIJN_CMAC_H
#define RIJN_CMAC_H

#include "../api.h"

/* What it has on the stack beside the backend's operations: a state and a tag. */
enum { CMAC_STACK = sizeof(rijn_cmac_state) + 16 };

/* The state before a message; it can be copied where several begin. */
void rijn_cmac_begin(rijn_cmac_state *cmac, const rijn_key *key);

/* The next `size` bytes. */
void rijn_cmac_absorb(rijn_cmac_state *cmac, const uint8_t *in, size_t size);

/* The block that is the tag when it is encrypted (section 6.2, steps 4 and 5). The state is
 * left as it happens to be: wipe it. */
void rijn_cmac_end(rijn_cmac_state *cmac, uint8_t block[16]);

/* The whole tag. The state is left as it happens to be: wipe it. */
void rijn_cmac_tag(rijn_cmac_state *cmac, uint8_t tag[16]);

#endif
