/* CTR: c/src/modes/ctr.c, with check.c.
 *
 * Assumptions, besides those of contract.c
 *   - A state is zeros, or rijn_ctr_start made it and these functions changed it: is_state().
 *     prove_ctr_start shows that it begins so, and each other proof that it stays so.
 *   - The key of a state was not wiped after the start, or its backend is NULL. */
#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

/* Bytes of keystream that a counter of 4 bytes gives. */
#define NARROW_MOST (UINT64_C(1) << 36)

static bool is_width(unsigned width)
{
    return width == 32 || width == 64 || width == 128;
}

static bool is_state(const rijn_ctr *ctr)
{
    const rijn_keystream *const stream = &ctr->stream;

    return !ctr->key || (is_width(8 * stream->next.width) && !stream->next.hidden &&
                         stream->next.little <= 1 && stream->ready <= sizeof stream->ahead &&
                         (stream->next.width != 4 || ctr->left <= NARROW_MOST));
}

/* Returns NULL, or a state with any key. */
static rijn_ctr *any_state(void)
{
    static rijn_ctr memory;
    rijn_ctr any;

    if (nondet_bool())
        return NULL;
    memory = any;
    memory.key = any_key();
    __CPROVER_assume(is_state(&memory));
    return &memory;
}

/* ---- A message at once ---- */

void prove_ctr_crypt_width(void)
{
    start();
    const rijn_key *const key = any_key();
    const size_t size = any_size();
    const unsigned width = nondet_unsigned();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    uint8_t *const counter = any_buffer(16);
    watch(out, size);
    const bool whole = nondet_bool();
    const rijn_status status =
        whole ? rijn_ctr_crypt(key, counter, out, in, size)
              : rijn_ctr_crypt_width(key, width, nondet_int(), counter, out, in, size);
    const bool ready = key && key->backend && key->uses == USE_ALL;

    ASSERT((status == RIJN_OK) ==
               (ready && counter && (whole || is_width(width)) && (!size || (in && out)) &&
                (whole || width != 32 || size <= NARROW_MOST) &&
                (out == in || apart(out, size, in, size))),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused message");
        return;
    }
    ASSERT(is_watched(out, size) ? written_once() : untouched(), "each byte is written once");
    finish();
    REACHED("an encrypted message");
    if (seen.blocks)
        REACHED("an encrypted message without registers");
}

/* ---- A message in pieces ---- */

void prove_ctr_start(void)
{
    start();
    const rijn_key *const key = any_key();
    const unsigned width = nondet_unsigned();
    uint8_t *const counter = any_buffer(16);
    rijn_ctr memory, *const ctr = nondet_bool() ? &memory : NULL;
    watch(NULL, 0);
    const bool whole = nondet_bool();
    const rijn_status status = whole ? rijn_ctr_start(ctr, key, counter)
                                     : rijn_ctr_start_width(ctr, key, width, nondet_int(), counter);

    ASSERT((status == RIJN_OK) == (ctr && key && key->backend && key->uses == USE_ALL && counter &&
                                   (whole || is_width(width))),
           "exactly the allowed calls are done");
    refused(); /* a start makes no keystream */
    if (status != RIJN_OK) {
        REACHED("a refused start");
        return;
    }
    ASSERT(ctr->key == key && is_state(ctr), "a state");
    ASSERT(!ctr->stream.ready && ctr->left == NARROW_MOST, "no keystream is used");
    REACHED("a started message");
}

void prove_ctr_update(void)
{
    start();
    rijn_ctr *const ctr = any_state();
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    rijn_ctr before;
    if (ctr)
        before = *ctr;
    watch(out, size);
    const rijn_status status = rijn_ctr_update(ctr, out, in, size);

    const bool ready = ctr && before.key && before.key->backend;
    const bool narrow = ready && before.stream.next.width == 4;
    ASSERT((status == RIJN_OK) ==
               (ready && (!size || (in && out)) && (!narrow || size <= before.left) &&
                (out == in || apart(out, size, in, size))),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        if (ctr)
            ASSERT(ctr->left == before.left && ctr->stream.ready == before.stream.ready,
                   "a refused call does not change the state");
        REACHED("a refused piece");
        return;
    }
    ASSERT(is_state(ctr) && ctr->key == before.key, "a state");
    ASSERT(is_watched(out, size) ? written_once() : untouched(), "each byte is written once");
    ASSERT(16 * seen.blocks + before.stream.ready == size + ctr->stream.ready,
           "no byte of keystream is lost or used twice");
    ASSERT(!narrow || ctr->left == before.left - size, "the limit of a short counter");
    finish();
    REACHED("an encrypted piece");
    if (before.stream.ready && seen.blocks > 1000 && ctr->stream.ready)
        REACHED("a piece with a begin, a middle and an end");
    if (out != in && seen.blocks && size >= (size_t)1 << 24)
        REACHED("a piece that bypasses the caches");
}

/* Returns the counter in its block, as an integer. */
static unsigned __int128 value_of(const rijn_counter *counter)
{
    const uint8_t *const block = counter->block;
    const unsigned __int128 whole =
        counter->little ? (unsigned __int128)load_le64(block + 8) << 64 | load_le64(block)
                        : (unsigned __int128)load_be64(block) << 64 | load_be64(block + 8);

    return counter->width == 4 ? (uint32_t)whole : counter->width == 8 ? (uint64_t)whole : whole;
}

void prove_ctr_skip(void)
{
    start();
    rijn_ctr *const ctr = any_state();
    const uint64_t blocks = nondet_uint64();
    rijn_ctr before;
    if (ctr)
        before = *ctr;
    watch(NULL, 0);
    const rijn_status status = rijn_ctr_skip(ctr, blocks);

    const bool ready = ctr && before.key && before.key->backend && before.stream.ready % 16 == 0;
    const bool narrow = ready && before.stream.next.width == 4;
    ASSERT((status == RIJN_OK) == (ready && (!narrow || blocks <= before.left / 16)),
           "exactly the allowed calls are done");
    refused(); /* it makes no keystream and writes only the state */
    if (status != RIJN_OK) {
        REACHED("a refused skip");
        return;
    }
    ASSERT(is_state(ctr) && ctr->key == before.key, "a state");
    ASSERT(!narrow || ctr->left == before.left - 16 * blocks, "the limit of a short counter");
    const rijn_counter *const next = &ctr->stream.next;
    unsigned __int128 moved = value_of(next) - value_of(&before.stream.next);
    if (next->width < 16)
        moved &= next->width == 4 ? UINT32_MAX : UINT64_MAX;
    const unsigned __int128 made =
        (uint64_t)(blocks - (before.stream.ready - ctr->stream.ready) / 16);
    ASSERT(next->width == 4 ? (uint32_t)moved == (uint32_t)made : moved == made,
           "the next block is the one after the skipped blocks");
    finish();
    REACHED("skipped blocks");
    if (ctr->stream.ready)
        REACHED("skipped blocks of the keystream that is ready");
}

void prove_ctr_copy(void)
{
    start();
    rijn_ctr *const from = any_state();
    rijn_ctr memory, *const to = nondet_bool() ? &memory : nondet_bool() ? from : NULL;
    const rijn_key *const key = from && nondet_bool() ? from->key : any_key();
    rijn_ctr before;
    if (from)
        before = *from;
    watch(NULL, 0);
    const rijn_status status = rijn_ctr_copy(to, from, key);

    refused(); /* it makes no keystream and writes only the state */
    if (status != RIJN_OK) {
        ASSERT(!to || !from || !before.key || !before.key->backend || key != before.key ||
                   before.key->uses != USE_ALL,
               "a copy under the same key is allowed");
        REACHED("a refused copy");
        return;
    }
    ASSERT(to && from && before.key && before.key->backend && key &&
               key->backend == before.key->backend &&
               (key == before.key || (seen.equal && key->size == before.key->size)),
           "only a started message is copied");
    ASSERT(to->key == key && is_state(to) && to->left == before.left &&
               to->stream.ready == before.stream.ready &&
               value_of(&to->stream.next) == value_of(&before.stream.next),
           "the copy goes on from the same point");
    finish();
    REACHED("a copied message");
    if (key != before.key)
        REACHED("a copied message under a copied key");
}

void prove_ctr_wipe(void)
{
    start();
    rijn_ctr *const ctr = any_state();
    watch((uint8_t *)ctr, sizeof *ctr);
    rijn_ctr_wipe(ctr);
    ASSERT(!is_watched((uint8_t *)ctr, ctr ? sizeof *ctr : 0) || !watched(),
           "a wiped state is zeros");
    REACHED("the end");
}
