/* CMAC without checks, for what is made of it: SIV, EAX and XAES. */
#ifndef RIJN_CMAC_H
#define RIJN_CMAC_H

#include "../api.h"

/* The state before a message; it can be copied where several begin. */
void rijn_cmac_begin(rijn_cmac_state *cmac, const rijn_key *key);

/* The next `size` bytes. */
void rijn_cmac_absorb(rijn_cmac_state *cmac, const uint8_t *in, size_t size);

/* The whole tag. The state is left as it happens to be: wipe it. */
void rijn_cmac_tag(rijn_cmac_state *cmac, uint8_t tag[16]);

#endif
