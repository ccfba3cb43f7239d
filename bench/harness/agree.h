/* Before contenders are timed they must give the same bytes. */
#ifndef BENCH_AGREE_H
#define BENCH_AGREE_H

#include "run.h"

/* The plaintext of every message: fills `size` bytes, the same each time. */
void fill(uint8_t *bytes, size_t size);

/* A key set-up has no message: it is examined on one of this size, for which
 * every lane has room. */
enum { REKEY_CHECK = 256 };

/* One contender that does what it should not. */
typedef struct disagreement {
    const char *what; /* a sentence without its subject; NULL: all agree */
    const char *who;
} disagreement;

/* Compares runners[0..n) on the task: encryption (by majority), the same after
 * another key and back, in place if the task is; for decryption the plaintext,
 * and that an altered tag is refused. Leaves in every lane's `in` what the
 * task's operation takes as input, and in `out` the same if it is in place. */
disagreement agree(const track *tr, const runner *runners, size_t n);

#endif
