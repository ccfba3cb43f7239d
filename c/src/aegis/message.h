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

/* Returns the call for a message in one piece. */
RIJN_INLINE rijn_aegis_call rijn_aegis_whole_call(const rijn_aegis_key *key, bool decrypt,
                                                  uint8_t *out, uint8_t *tag, size_t tag_size,
                                                  const uint8_t *nonce, const uint8_t *ad,
                                                  size_t ad_size, const uint8_t *in, size_t size)
{
    return (rijn_aegis_call){.key = key->bytes,
                             .nonce = nonce,
                             .ad = ad,
                             .ad_size = ad_size,
                             .in = in,
                             .out = out,
                             .size = size,
                             .decrypt = decrypt,
                             .closing = {(uint64_t)ad_size * 8, (uint64_t)size * 8},
                             .tag_size = tag_size,
                             .tags = tag};
}

/* Bytes of stack that these functions use. Their variables are a call and the message's tag. */
static inline size_t rijn_aegis_depth(const rijn_aegis_code *code)
{
    return code->stack + sizeof(rijn_aegis_call) + 32 + RIJN_FRAME;
}

#endif
