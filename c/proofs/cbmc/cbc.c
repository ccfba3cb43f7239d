/* CBC: c/src/modes/cbc.c.
 *
 * Assumptions: those of contract.c. */
#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

static bool is_ready(const rijn_key *key)
{
    return key && key->backend && key->uses == USE_ALL;
}

void prove_cbc(void)
{
    start();
    const rijn_key *const key = any_key();
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    uint8_t block[16], *const iv = nondet_bool() ? block : NULL;
    watch(out, size);
    const rijn_status status = nondet_bool() ? rijn_cbc_encrypt(key, iv, out, in, size)
                                             : rijn_cbc_decrypt(key, iv, out, in, size);

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

void prove_cbc_encrypt_padded(void)
{
    start();
    const rijn_key *const key = any_key();
    const size_t size = any_size(), padded = size / 16 * 16 + 16;
    uint8_t *const out = any_buffer(padded), *const in = nondet_bool() ? out : any_buffer(size);
    uint8_t *const iv = any_buffer(16);
    watch(out, padded);
    const rijn_status status = rijn_cbc_encrypt_padded(key, iv, out, in, size);

    ASSERT((status == RIJN_OK) == (is_ready(key) && iv && out && (in || !size) &&
                                   (out == in || apart(out, padded, in, size))),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused message");
        return;
    }
    ASSERT(is_watched(out, padded) ? written_once() : untouched(), "each byte is written once");
    finish();
    REACHED("a message");
}

void prove_cbc_decrypt_padded(void)
{
    start();
    const rijn_key *const key = any_key();
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    uint8_t *const iv = any_buffer(16);
    size_t plain, *const plain_size = nondet_bool() ? &plain : NULL;
    watch(out, size);
    const rijn_status status = rijn_cbc_decrypt_padded(key, iv, out, plain_size, in, size);

    ASSERT((status == RIJN_OK || status == RIJN_ERR_PADDING) ==
               (is_ready(key) && iv && plain_size && size && in && out && size % 16 == 0 &&
                (out == in || apart(out, size, in, size))),
           "exactly the allowed calls are done");
    if (status == RIJN_OK) {
        ASSERT(plain < size && size - plain <= 16, "the size of the message");
        ASSERT(is_watched(out, size) ? written_once() : untouched(), "each byte is written once");
        finish();
        REACHED("a message");
    } else if (status == RIJN_ERR_PADDING) {
        ASSERT(!plain, "a refused message is empty");
        ASSERT(!is_watched(out, size) || !watched(), "the output of a refused message is zeros");
        finish();
        REACHED("a bad padding");
    } else {
        refused();
        REACHED("a refused call");
    }
}
