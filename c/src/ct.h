/* Secrets that must not become branches, and secrets that no longer are any.
 *
 * A compiler that knows a value to be 0 or 1 may turn what is computed from it into
 * a branch: gcc 12 at -O1 and clang 22 on CPUs without conditional moves do. So every
 * mask that is made of a secret is made here, behind an empty statement that may have
 * changed the value, for all that the compiler knows. */
#ifndef RIJN_CT_H
#define RIJN_CT_H

#include <stdbool.h>
#include <stdint.h>

/* x, of which the compiler knows nothing. */
static inline uint32_t ct_opaque(uint32_t x)
{
    __asm__("" : "+r"(x));
    return x;
}

/* All ones when bit is 1, 0 when it is 0. */
static inline uint32_t ct_mask32(uint32_t bit)
{
    return 0 - ct_opaque(bit);
}

static inline uint64_t ct_mask64(uint64_t bit)
{
    return 0 - (uint64_t)ct_opaque((uint32_t)bit);
}

/* x, which may be a secret when it is hidden: all ones then. A branch may ask what
 * this is. */
static inline uint32_t ct_unless_hidden(uint32_t x, bool hidden)
{
    return ct_opaque(x | ct_mask32(hidden));
}

/* RIJN_PUBLIC(p, size) declares that what stands at p may be seen by anyone,
 * where it was computed from secrets: the verdict on a tag or a padding. Under
 * valgrind (tests/ct, built with RIJN_VALGRIND) it lifts the mark "secret";
 * otherwise it is nothing. Every use is a deliberate disclosure. */
#ifdef RIJN_VALGRIND
#include <valgrind/memcheck.h>
#define RIJN_PUBLIC(p, size) (void)VALGRIND_MAKE_MEM_DEFINED(p, size)
#else
#define RIJN_PUBLIC(p, size) (void)(p)
#endif

#endif
