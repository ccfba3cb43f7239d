/* AEGIS on whole messages without checks of arguments, for callers that scrub the stack (scrub.h). */
#ifndef RIJN_AEGIS_MESSAGE_H
#define RIJN_AEGIS_MESSAGE_H

#include "../scrub.h"
#include "kernel.h"

void rijn_aegis_seal_message(const rijn_aegis_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                             const uint8_t *nonce, const uint8_t *ad, size_t ad_size,
                             const uint8_t *in, size_t size);
rijn_status rijn_aegis_open_message(const rijn_aegis_key *key, uint8_t *out, const uint8_t *tag,
                                    size_t tag_size, const uint8_t *nonce, const uint8_t *ad,
                                    size_t ad_size, const uint8_t *in, size_t size);

/* Bytes of stack that these functions use. Their variables are a call and the message's tag. */
static inline size_t rijn_aegis_depth(const rijn_aegis_code *code)
{
    return code->stack + sizeof(rijn_aegis_call) + 32 + RIJN_FRAME;
}

#endif
