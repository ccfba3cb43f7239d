/* CFB, OFB and IGE: c/src/modes/feedback.c.
 *
 * Assumptions: those of contract.c. For CFB8, whose loop runs once for each byte, `size` is at most
 * 40: more than one window of 32 bytes. */
#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

static bool is_ready(const rijn_key *key)
{
    return key && key->backend && key->uses == USE_ALL;
}

void prove_cfb_ofb(void)
{
    start();
    const rijn_key *const key = any_key();
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    uint8_t block[16], *const iv = nondet_bool() ? block : NULL;
    size_t count = nondet_size(), *const used = nondet_bool() ? &count : NULL;
    const size_t before = used ? count : 0;
    watch(out, size);
    const unsigned mode = nondet_unsigned();
    const rijn_status status = mode == 0   ? rijn_cfb_encrypt(key, iv, used, out, in, size)
                               : mode == 1 ? rijn_cfb_decrypt(key, iv, used, out, in, size)
                                           : rijn_ofb_crypt(key, iv, used, out, in, size);

    ASSERT((status == RIJN_OK) == (is_ready(key) && iv && before < 16 && (!size || (in && out)) &&
                                   (out == in || apart(out, size, in, size))),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        ASSERT(!used || count == before, "a refused call does not change the state");
        REACHED("a refused message");
        return;
    }
    ASSERT(is_watched(out, size) ? written_once() : untouched(), "each byte is written once");
    ASSERT(!used || count == (before + size) % 16, "the bytes of the last block are counted");
    finish();
    REACHED("a message");
    if (before && size > 100 && used && count)
        REACHED("a message with a begin, a middle and an end");
}

void prove_ige(void)
{
    start();
    const rijn_key *const key = any_key();
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    uint8_t blocks[32], *const iv = nondet_bool() ? blocks : NULL;
    watch(out, size);
    const rijn_status status = nondet_bool() ? rijn_ige_encrypt(key, iv, out, in, size)
                                             : rijn_ige_decrypt(key, iv, out, in, size);

    ASSERT((status == RIJN_OK) == (is_ready(key) && iv && (!size || (in && out)) &&
                                   size % 16 == 0 && (out == in || apart(out, size, in, size))),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused message");
        return;
    }
    ASSERT(is_watched(out, size) ? written_once() : untouched(), "each byte is written once");
    finish();
    REACHED("a message");
}

void prove_cfb8(void)
{
    start();
    const rijn_key *const key = any_key();
    const size_t size = nondet_size() % 41;
    uint8_t memory[2][40], *const in = nondet_bool() ? memory[0] : NULL;
    uint8_t *const out = nondet_bool() ? in : nondet_bool() ? memory[1] : NULL;
    uint8_t block[16], *const iv = nondet_bool() ? block : NULL;
    watch(NULL, 0);
    const rijn_status status = nondet_bool() ? rijn_cfb8_encrypt(key, iv, out, in, size)
                                             : rijn_cfb8_decrypt(key, iv, out, in, size);

    ASSERT((status == RIJN_OK) == (is_ready(key) && iv && (!size || (in && out))),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused message");
        return;
    }
    finish();
    REACHED("a message");
}
