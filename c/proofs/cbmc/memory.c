/* The arguments of a call, the watched byte, and the contracts of loops over bytes (contract.h):
 * wipe.h, bytes.h, <string.h>, and the comparisons of check.h and check.c. bytes.c and check.c prove
 * all but <string.h>. */
#include "contract.h"

void *malloc(size_t size);

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

history seen;
static uint8_t *arena;
static size_t arena_size;

/* ---- Arguments ---- */

size_t any_size(void)
{
    return nondet_size() & MOST;
}

static uint8_t *new_memory(size_t size)
{
    uint8_t *const memory = malloc(size);
    __CPROVER_assume(memory);
    return memory;
}

void new_arena(void)
{
    arena_size = any_size() + 1;
    arena = new_memory(arena_size);
}

uint8_t *any_buffer(size_t size)
{
    if (nondet_bool())
        return NULL;
#ifdef OVERLAPS
    const size_t at = any_size();
    __CPROVER_assume(at + size <= arena_size);
    return arena + at;
#else
    return new_memory(size);
#endif
}

rijn_key *any_key(void)
{
    if (nondet_bool())
        return NULL;
    rijn_key *const key = (rijn_key *)new_memory(sizeof *key);
    key->backend = nondet_bool() ? &backend : NULL;
    __CPROVER_assume(key->size == 16 || key->size == 24 || key->size == 32);
    __CPROVER_assume(key->short_tags <= 1 && key->uses <= USE_ALL);
    return key;
}

void watch(uint8_t *memory, size_t size)
{
#ifdef OVERLAPS
    (void)memory, (void)size;
    seen.byte = NULL;
#else
    const size_t at = any_size();
    seen.byte = memory && at < size ? memory + at : arena;
#endif
    seen.before = seen.last = seen.byte ? *seen.byte : 0;
}

uint8_t watched(void)
{
    return seen.byte ? *seen.byte : 0;
}

bool untouched(void)
{
    return !seen.writes && watched() == seen.before;
}

bool written(void)
{
    return seen.changed && watched() == seen.last;
}

bool written_once(void)
{
    return seen.writes == 1 && watched() == seen.last;
}

/* Stores a value in the watched byte, as a backend or a loop over bytes. */
static void store(uint8_t value)
{
    *seen.byte = seen.last = value;
}

bool apart(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    if (!a_size || !b_size || !__CPROVER_same_object(a, b))
        return true;
    const size_t x = __CPROVER_POINTER_OFFSET(a), y = __CPROVER_POINTER_OFFSET(b);
    return x + a_size <= y || y + b_size <= x;
}

bool is_watched(const uint8_t *memory, size_t size)
{
    return seen.byte && __CPROVER_same_object(memory, seen.byte) &&
           (size_t)(__CPROVER_POINTER_OFFSET(seen.byte) - __CPROVER_POINTER_OFFSET(memory)) < size;
}

void finish(void)
{
    ASSERT(seen.scrubbed >= seen.stack, "the stack of the backend is overwritten");
}

void compared(rijn_status status, const uint8_t *tag, size_t tag_size)
{
    ASSERT(seen.comparisons == 1 && seen.given == tag && seen.given_size == tag_size,
           "each byte of the given tag is compared");
    ASSERT(seen.computed, "the tag is compared with a computed one");
    ASSERT(seen.calls && seen.calls_before == seen.calls, "the comparison follows all work");
    ASSERT((status == RIJN_OK) == seen.equal, "a tag is accepted if and only if it is equal");
}

void refused(void)
{
    ASSERT(!seen.calls, "a refused call does no work");
    ASSERT(untouched(), "a refused call writes nothing");
}

/* ---- Memory ---- */

void reads(const void *memory, size_t size)
{
    ASSERT(!size || __CPROVER_r_ok(memory, size), "bytes that are read exist");
}

void may_write(void *memory, size_t size)
{
    ASSERT(!size || __CPROVER_w_ok(memory, size), "bytes that are written exist");
}

void writes(void *memory, size_t size)
{
    may_write(memory, size);
    if (is_watched(memory, size)) {
        store(nondet_uint8());
        seen.writes++;
        seen.changed = true;
    }
}

/* For variables of 16 and 32 bytes, such as a counter block. */
void changes(uint8_t *memory, size_t size)
{
    may_write(memory, size);
    __CPROVER_havoc_slice(memory, size);
    if (is_watched(memory, size)) {
        seen.last = watched();
        seen.changed = true;
    }
}

void in_place_or_apart(const uint8_t *out, const uint8_t *in, size_t size)
{
    ASSERT(out == in || apart(out, size, in, size), "output is the input or apart from it");
    reads(in, size);
    writes(out, size);
}

/* ---- Comparisons of check.h and check.c. prove_disjoint, prove_tags_equal and prove_tag_words prove that
 * they keep these contracts. ---- */

bool compares(const uint8_t *others, const uint8_t *given, size_t size)
{
    reads(given, size);
    seen.comparisons++;
    seen.given = given;
    seen.given_size = size;
    seen.computed = !others || !__CPROVER_DYNAMIC_OBJECT(others);
    seen.calls_before = seen.calls;
    return seen.equal = nondet_bool();
}

bool contract_rijn_tags_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    reads(a, size);
    return compares(a, b, size);
}

rijn_status contract_rijn_check_words(rijn_tag_words full, const uint8_t *tag, size_t tag_size,
                                      uint8_t *out, size_t size)
{
    ASSERT(tag_size && tag_size <= 16, "a tag has up to 16 bytes");
    ASSERT(full.first == seen.words.first && full.second == seen.words.second,
           "the tag of the backend is compared");
    if (compares(NULL, tag, tag_size))
        return RIJN_OK;
    contract_wipe(out, size);
    return RIJN_ERR_TAG;
}

void contract_rijn_store_words(uint8_t *tag, size_t size, rijn_tag_words full)
{
    ASSERT(size && size <= 16, "a tag has up to 16 bytes");
    ASSERT(full.first == seen.words.first && full.second == seen.words.second,
           "the tag of the backend is stored");
    writes(tag, size);
}

bool contract_rijn_disjoint(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    return apart(a, a_size, b, b_size);
}

int contract_disjoint(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    return a_size && b_size ? apart(a, a_size, b, b_size) : nondet_bool();
}

/* Changes a block on the stack to any value, because code branches on some. */
static void *stores(void *memory, size_t size)
{
    writes(memory, size);
    const uint8_t kept = watched();
    if (size && __CPROVER_OBJECT_SIZE(memory) == 16)
        __CPROVER_havoc_object(memory);
    if (seen.byte)
        *seen.byte = kept;
    return memory;
}

void *contract_memcpy(void *to, const void *from, size_t size)
{
    ASSERT(apart(to, size, from, size), "memcpy gets two buffers that do not overlap");
    reads(from, size);
    return stores(to, size);
}

void *contract_memmove(void *to, const void *from, size_t size)
{
    reads(from, size);
    return stores(to, size);
}

void *contract_memset(void *memory, int value, size_t size)
{
    (void)value;
    return stores(memory, size);
}

void contract_wipe(void *memory, size_t size)
{
    may_write(memory, size);
    if (is_watched(memory, size))
        store(0);
#ifdef ZEROES /* where the code reads what it has wiped, which is a state */
    memset(memory, 0, size);
#endif
}

void rijn_wipe(void *memory, size_t size)
{
    contract_wipe(memory, size);
}

void contract_xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t size)
{
    ASSERT((out == a || apart(out, size, a, size)) && (out == b || apart(out, size, b, size)),
           "output is the input or apart from it");
    reads(a, size);
    reads(b, size);
    writes(out, size);
}

void rijn_scrub_area(void *area, size_t size)
{
    may_write(area, size);
    if (size > seen.scrubbed)
        seen.scrubbed = size;
}
