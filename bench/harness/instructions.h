/* Detects and counts instructions of a contender by running it step by step. */
#ifndef BENCH_INSTRUCTIONS_H
#define BENCH_INSTRUCTIONS_H

#include "run.h"

/* Returns the backend that has the same AES instructions as the contender uses for one message:
 *
 *   "vaes512"    512-bit instructions, or others in AVX-512's encoding
 *   "vaes256"    256-bit instructions
 *   "aesni-avx"  128-bit instructions in AVX's encoding
 *   "aesni"      128-bit instructions in the old encoding
 *   ""           no AES instruction among the first STEPS instructions
 *
 * If there are several kinds, it is the first in this list. A backend of Rijn is its own backend.
 * Returns NULL if instructions cannot be watched (not x86-64, or not Linux). */
enum { STEPS = 20000 };
const char *instructions_of(const runner *r, const track *tr);

/* Returns the number of instructions of one message, with the call of the contender. Returns -1 if it
 * is MOST_STEPS or more, or if instructions cannot be watched. */
enum { MOST_STEPS = 100000 };
long steps_of(const runner *r, const track *tr);

#endif
