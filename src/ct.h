/* RIJN_PUBLIC(p, size) declares that what stands at p may be seen by anyone,
 * where it was computed from secrets: the verdict on a tag or a padding. Under
 * valgrind (tests/ct, built with RIJN_VALGRIND) it lifts the mark "secret";
 * otherwise it is nothing. Every use is a deliberate disclosure. */
#ifndef RIJN_CT_H
#define RIJN_CT_H

#ifdef RIJN_VALGRIND
#include <valgrind/memcheck.h>
#define RIJN_PUBLIC(p, size) (void)VALGRIND_MAKE_MEM_DEFINED(p, size)
#else
#define RIJN_PUBLIC(p, size) (void)(p)
#endif

#endif
