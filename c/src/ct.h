/* Keeps secrets out of branches, and marks values that are no longer secret.
 *
 * A compiler that knows that a value is 0 or 1 may make a branch of a computation with it. gcc 12
 * at -O1 and clang 22 for CPUs without conditional moves do. So every mask that depends on a secret
 * is made here, after an empty asm statement that, for the compiler, may have changed the value. */
#ifndef RIJN_CT_H
#define RIJN_CT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns x, hidden from the optimizer. */
static inline uint32_t ct_opaque(uint32_t x)
{
    __asm__("" : "+r"(x));
    return x;
}

/* Returns all ones if `bit` is 1, and 0 if it is 0. */
static inline uint32_t ct_mask32(uint32_t bit)
{
    return 0 - ct_opaque(bit);
}

static inline uint64_t ct_mask64(uint64_t bit)
{
    return 0 - (uint64_t)ct_opaque((uint32_t)bit);
}

/* Returns x, or all ones if it is hidden, which means that x may be a secret. A branch may depend
 * on the result. */
static inline uint32_t ct_unless_hidden(uint32_t x, bool hidden)
{
    return ct_opaque(x | ct_mask32(hidden));
}

/* RIJN_PUBLIC(p, size) declares that the bytes at p are public although they were computed from
 * secrets, as the result of comparing a tag. Under valgrind (tests/ct, built with RIJN_VALGRIND) it
 * removes the mark "secret". Else it does nothing. Every use is a deliberate disclosure. */
#ifdef RIJN_VALGRIND
#include <valgrind/memcheck.h>
#define RIJN_PUBLIC(p, size) (void)VALGRIND_MAKE_MEM_DEFINED(p, size)
#else
#define RIJN_PUBLIC(p, size) (void)(p)
#endif

#endif
