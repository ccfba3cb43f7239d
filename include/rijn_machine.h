/* Random bytes of the operating system. */
#ifndef RIJN_RANDOM_H
#define RIJN_RANDOM_H

#include "rijn.h"

/* At most 256 bytes. RIJN_OK, or RIJN_ERR_RANDOM. */
rijn_status rijn_random(uint8_t *out, size_t size);

#endif
