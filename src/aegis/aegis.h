/* The six variants of AEGIS, written once in variant.h over the operations of
 * backend.h: a backend file defines AEGIS_OPERATIONS, the name of a file of them,
 * includes this, and fills its record with RIJN_AEGIS. */
#include "../bytes.h"
#include "../wipe.h"

/* Copies n bytes by whole blocks first: a register that is loaded from two recent
 * stores of half its size waits until both are done. */
static inline void copy_blocks(uint8_t *to, const uint8_t *from, size_t n)
{
    for (; n >= 16; n -= 16, to += 16, from += 16)
        memcpy(to, from, 16);
    if (n)
        memcpy(to, from, n);
}

#define BLOCKS 8
#define DEGREE 1
#define AEGIS(name) name##_128l
#include "variant.h"

#define DEGREE 2
#define AEGIS(name) name##_128x2
#include "variant.h"

#define DEGREE 4
#define AEGIS(name) name##_128x4
#include "variant.h"
#undef BLOCKS

#define BLOCKS 6
#define DEGREE 1
#define AEGIS(name) name##_256
#include "variant.h"

#define DEGREE 2
#define AEGIS(name) name##_256x2
#include "variant.h"

#define DEGREE 4
#define AEGIS(name) name##_256x4
#include "variant.h"
#undef BLOCKS

#define AEGIS_CODE(v) \
    { \
        .key_size = KEY_##v, .rate = RATE_##v, .stack = STACK_##v, .start = start_##v, \
        .absorb = absorb_##v, .encrypt = encrypt_##v, .decrypt = decrypt_##v, .next = next_##v, \
        .tag = tag_##v, .mac = mac_##v, .seal = seal_##v, .open = open_##v \
    }

#define AEGIS_VARIANTS \
    { \
        [RIJN_AEGIS_128L] = AEGIS_CODE(128l), [RIJN_AEGIS_128X2] = AEGIS_CODE(128x2), \
        [RIJN_AEGIS_128X4] = AEGIS_CODE(128x4), [RIJN_AEGIS_256] = AEGIS_CODE(256), \
        [RIJN_AEGIS_256X2] = AEGIS_CODE(256x2), [RIJN_AEGIS_256X4] = AEGIS_CODE(256x4), \
    }

#define RIJN_AEGIS .aegis = {{0, (const rijn_aegis_code[])AEGIS_VARIANTS}}
