/* KW and KWP: c/src/modes/keywrap.c.
 *
 * Assumptions: those of contract.c. W and its inverse, and the check of the padding, are contracts;
 * kwp_padding.c proves the check. */
#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

static bool is_ready(const rijn_key *key)
{
    return key && key->backend && key->uses == USE_ALL;
}

/* Returns whether a key was checked, against all of ICV1 or by the check of KWP. */
static bool is_checked(bool pads)
{
    return seen.comparisons == 1 &&
           (pads || (seen.computed && seen.given_size == 8 &&
                     load_be64(seen.given) == UINT64_C(0xa6a6a6a6a6a6a6a6)));
}

void prove_kw_wrap(void)
{
    start();
    const rijn_key *const key = any_key();
    const size_t size = any_size(), padded = (size + 7) / 8 * 8;
    uint8_t *const out = any_buffer(padded + 8), *const in = nondet_bool() ? out : any_buffer(size);
    watch(out, padded + 8);
    const bool pads = nondet_bool();
    const rijn_status status =
        pads ? rijn_kwp_wrap(key, out, in, size) : rijn_kw_wrap(key, out, in, size);

    ASSERT((status == RIJN_OK) ==
               (is_ready(key) && out && in &&
                (pads ? size && size <= UINT32_MAX : size >= 16 && size % 8 == 0) &&
                (out == in || apart(out, padded + 8, in, size))),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused key");
        return;
    }
    finish();
    REACHED("a wrapped key");
}

void prove_kw_unwrap(void)
{
    start();
    const rijn_key *const key = any_key();
    const size_t size = any_size(), room = size < 8 ? 0 : size - 8;
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(room);
    size_t plain, *const plain_size = nondet_bool() ? &plain : NULL;
    watch(out, room);
    const bool pads = nondet_bool();
    const rijn_status status =
        pads ? rijn_kwp_unwrap(key, out, plain_size, in, size) : rijn_kw_unwrap(key, out, in, size);

    ASSERT((status == RIJN_OK || status == RIJN_ERR_TAG) ==
               (is_ready(key) && out && in && size % 8 == 0 &&
                (pads ? plain_size && size >= 16 && size <= (UINT64_C(1) << 32) + 8 : size >= 24) &&
                (out == in || apart(out, room, in, size))),
           "exactly the allowed calls are done");
    if (status == RIJN_OK) {
        ASSERT(is_checked(pads) && seen.equal, "the integrity check is right");
        ASSERT(!pads || (plain && plain <= room && room - plain < 8), "the size of the key");
        finish();
        REACHED("an unwrapped key");
    } else if (status == RIJN_ERR_TAG) {
        ASSERT(is_checked(pads) && !seen.equal, "the integrity check is wrong");
        ASSERT(!pads || !plain, "a refused key is empty");
        ASSERT(!is_watched(out, room) || !watched(), "the output of a refused key is zeros");
        finish();
        REACHED("a forged key");
    } else {
        refused();
        REACHED("a refused call");
    }
}
