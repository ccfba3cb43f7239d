/* ECB: c/src/modes/ecb.c.
 *
 * Assumptions: those of contract.c. */
#include "contract.h"

/* The rules of rijn.h for whole blocks. */
void prove_ecb(void)
{
    start();
    const rijn_key *const key = any_key();
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    watch(out, size);
    const rijn_status status =
        nondet_bool() ? rijn_ecb_encrypt(key, out, in, size) : rijn_ecb_decrypt(key, out, in, size);

    __CPROVER_assert((status == RIJN_OK) ==
                         (key && key->backend && key->uses == USE_ALL && (!size || (in && out)) &&
                          size % 16 == 0 && (out == in || apart(out, size, in, size))),
                     "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused message");
        return;
    }
    __CPROVER_assert(is_watched(out, size) ? written_once() : untouched(),
                     "each byte is written once");
    finish();
    REACHED("a message");
}
