/* Which backend's instructions a contender runs on: observed, not declared. */
#ifndef BENCH_INSTRUCTIONS_H
#define BENCH_INSTRUCTIONS_H

#include "run.h"

/* The backend whose AES instructions one message runs on: "vaes512" for the 512-bit ones or others
 * with AVX-512's encoding, "vaes256" for those of 256 bits, "aesni-avx" and "aesni" for those of
 * 128 bits in AVX's and in the old encoding; "" where there are none among the first STEPS
 * instructions. Where several are met it is the first in this list. A backend of Rijn is its own
 * backend. NULL where instructions cannot be watched (not x86-64, not Linux). */
enum { STEPS = 20000 };
const char *instructions_of(const runner *r, const track *tr);

#endif
