/* The checks that all functions share: c/src/check.h and check.c. The other proofs take these
 * comparisons by their contracts.
 *
 * Assumptions: buffers do not wrap around the end of memory, which is what C gives; for disjoint(),
 * they are not empty and shorter than half of all memory, which its comment asks for. */
#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

/* Returns whether two areas share a byte, for all addresses. */
static bool share(uintptr_t a, size_t a_size, uintptr_t b, size_t b_size)
{
    return a < b ? b - a < a_size : a - b < b_size;
}

void prove_disjoint(void)
{
    const uintptr_t a = nondet_size(), b = nondet_size();
    const size_t a_size = nondet_size(), b_size = nondet_size();

    __CPROVER_assume(a_size <= SIZE_MAX / 2 && b_size <= SIZE_MAX / 2);
    __CPROVER_assume(a <= UINTPTR_MAX - a_size && b <= UINTPTR_MAX - b_size);
    const bool empty = !a_size || !b_size;
    ASSERT(rijn_disjoint((const uint8_t *)a, a_size, (const uint8_t *)b, b_size) ==
               (empty || !share(a, a_size, b, b_size)),
           "rijn_disjoint");
    if (empty)
        return;
    ASSERT(!!disjoint((const uint8_t *)a, a_size, (const uint8_t *)b, b_size) ==
               !share(a, a_size, b, b_size),
           "disjoint");
    REACHED("the end");
    if (share(a, a_size, b, b_size))
        REACHED("buffers that overlap");
}

void prove_tags_equal(void)
{
    uint8_t a[64], b[64];
    const size_t size = nondet_size(), at = nondet_size();

    __CPROVER_assume(size <= sizeof a && at < sizeof a);
    const bool equal = rijn_tags_equal(a, b, size);
    ASSERT(!(equal && at < size) || a[at] == b[at], "equal tags have equal bytes");
    bool same = true;
    for (size_t i = 0; i < sizeof a; i++)
        same &= i >= size || a[i] == b[i];
    ASSERT(!same || equal, "tags with equal bytes are equal");
    if (equal && size)
        REACHED("equal tags");
    if (!equal)
        REACHED("other tags");
}

/* A tag of words is stored and compared in any size from 1 to 16. */
void prove_tag_words(void)
{
    const rijn_tag_words full = {nondet_uint64(), nondet_uint64()};
    uint8_t bytes[16], tag[16], out[16];
    const size_t size = nondet_size(), at = nondet_size(), wiped = nondet_size();

    __CPROVER_assume(size && size <= 16 && at < 16 && wiped <= 16);
    store_le64(bytes, full.first);
    store_le64(bytes + 8, full.second);
    const uint8_t before = tag[at];
    rijn_store_words(tag, size, full);
    ASSERT(tag[at] == (at < size ? bytes[at] : before), "the first bytes are stored, and no more");
    ASSERT(rijn_check_words(full, tag, size, NULL, 0) == RIJN_OK, "the tag is accepted");
    const uint8_t change = nondet_uint8();
    tag[at] ^= change;
    const uint8_t kept = out[at];
    const rijn_status status = rijn_check_words(full, tag, size, out, wiped);
    ASSERT(status == (at >= size || !change ? RIJN_OK : RIJN_ERR_TAG), "an altered tag is refused");
    ASSERT(out[at] == (status != RIJN_OK && at < wiped ? 0 : kept), "a wrong tag wipes the output");
    REACHED("the end");
    if (status != RIJN_OK && wiped)
        REACHED("a wrong tag");
}
