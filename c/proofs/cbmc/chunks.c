/* Runs of chunks: c/src/batch/chunks.c.
 *
 * Assumptions, besides those of contract.c
 *   - A chunk has up to 4095 bytes, and a run up to 3 chunks. The loop runs once for each chunk.
 *   - rijn_gcm_open_message and the AEGIS functions keep the contracts below. gcm.c and aegis.c prove
 *     them for the public functions that call them. */
#include "contract.h"

#include "aegis/message.h"
#include "modes/message.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

enum { TAG = 16 };

static rijn_aegis_code code;
static const rijn_aegis_kernel kernel = {.name = "any", .backend = &backend, .code = &code};
static bool refuses; /* a chunk was refused */

static void chunk_work(size_t stack, uint8_t *out, const uint8_t *tag, const uint8_t *nonce,
                       size_t nonce_size, const uint8_t *in, size_t size)
{
    seen.calls++;
    if (stack > seen.stack)
        seen.stack = stack;
    reads(in, size);
    ASSERT(__CPROVER_r_ok(nonce, nonce_size), "the nonce exists");
    ASSERT(__CPROVER_r_ok(tag, TAG), "the tag exists");
    ASSERT(apart(out, size, in, size) && apart(out, size, tag, TAG),
           "output is apart from the input");
    writes(out, size);
}

rijn_status rijn_gcm_open_message(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                  size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                  const uint8_t *ad, size_t ad_size, const uint8_t *in, size_t size)
{
    ASSERT(key->uses == USE_ALL && tag_size == TAG && nonce_size == 12 && !ad && !ad_size,
           "a chunk");
    chunk_work(backend.gcm_stacks[1], out, tag, nonce, nonce_size, in, size);
    const bool wrong = nondet_bool();
    refuses |= wrong;
    return wrong ? RIJN_ERR_TAG : RIJN_OK;
}

void rijn_aegis_seal_message(const rijn_aegis_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                             const uint8_t *nonce, const uint8_t *ad, size_t ad_size,
                             const uint8_t *in, size_t size)
{
    ASSERT(tag_size == TAG && !ad && !ad_size, "a chunk");
    ASSERT(__CPROVER_w_ok(tag, TAG), "the tag exists");
    chunk_work(key->code->stack, out, tag, nonce, key->code->key_size, in, size);
}

rijn_status rijn_aegis_open_message(const rijn_aegis_key *key, uint8_t *out, const uint8_t *tag,
                                    size_t tag_size, const uint8_t *nonce, const uint8_t *ad,
                                    size_t ad_size, const uint8_t *in, size_t size)
{
    ASSERT(tag_size == TAG && !ad && !ad_size, "a chunk");
    chunk_work(key->code->stack, out, tag, nonce, key->code->key_size, in, size);
    const bool wrong = nondet_bool();
    refuses |= wrong;
    return wrong ? RIJN_ERR_TAG : RIJN_OK;
}

static rijn_aegis_key *any_aegis_key(void)
{
    static rijn_aegis_key key;
    const bool ready = nondet_bool();

    code.key_size = nondet_bool() ? 16 : 32;
    code.stack = nondet_size() & 65535;
    key.code = ready ? &code : NULL;
    key.kernel = ready ? &kernel : NULL;
    return nondet_bool() ? &key : NULL;
}

void prove_chunks(void)
{
    start();
    const bool aegis = nondet_bool(), opening = nondet_bool(), last = nondet_bool();
    const rijn_key *const key = any_key();
    const rijn_aegis_key *const aegis_key = any_aegis_key();
    const size_t chunk = nondet_size() & 4095, size = nondet_size() & 16383;
    const uint64_t first = nondet_uint64();
    const size_t whole = chunk + (opening ? TAG : 0), nonce_size = aegis ? code.key_size : 12;
    const size_t full = chunk ? size / whole : 0, rest = chunk ? size % whole : 0;
    const size_t chunks = full + last;
    __CPROVER_assume(chunks <= 3);
    const size_t result = !opening              ? size + TAG * chunks
                          : size < TAG * chunks ? 0
                                                : size - TAG * chunks;
    uint8_t *const in = any_buffer(size), *const out = any_buffer(result);
    uint8_t *const nonce = any_buffer(nonce_size);
    uint64_t number = 0, *const bad = nondet_bool() ? &number : NULL;
    watch(out, result);
    const rijn_status status =
        aegis ? (opening
                     ? rijn_aegis_open_chunks(aegis_key, out, bad, nonce, first, chunk, last, in,
                                              size)
                     : rijn_aegis_seal_chunks(aegis_key, out, nonce, first, chunk, last, in, size))
              : (opening ? rijn_gcm_open_chunks(key, out, bad, nonce, first, chunk, last, in, size)
                         : rijn_gcm_seal_chunks(key, out, nonce, first, chunk, last, in, size));
    const bool ready =
        aegis ? aegis_key && aegis_key->code : key && key->backend && key->uses == USE_ALL;
    const bool allowed = ready && chunk && nonce && (in || !size) && (out || !result) &&
                         (last ? !opening || rest >= TAG : !rest) &&
                         (!chunks || chunks - 1 <= UINT64_MAX - first) &&
                         apart(out, result, in, size) && apart(out, result, nonce, nonce_size);

    ASSERT((status == RIJN_OK || status == RIJN_ERR_TAG) == allowed,
           "exactly the allowed calls are done");
    if (!allowed) {
        refused();
        REACHED("a refused run");
        return;
    }
    ASSERT((status == RIJN_ERR_TAG) == refuses, "a run is authentic if all chunks are");
    if (status == RIJN_ERR_TAG) {
        ASSERT(!is_watched(out, result) || !watched(), "the output of a refused run is zeros");
        ASSERT(!bad || number - first < chunks, "the number of a chunk of the run");
        REACHED("a forged run");
    } else {
        ASSERT(opening || seen.calls == chunks, "each chunk is sealed");
        ASSERT(is_watched(out, result) ? written_once() : untouched(), "each byte is written once");
        REACHED("a run");
    }
    finish();
}
