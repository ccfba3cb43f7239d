/* Checks before the measurement that contenders give the same bytes. */
#ifndef BENCH_AGREE_H
#define BENCH_AGREE_H

#include "run.h"

/* Writes the plaintext of every message: `size` bytes, the same each time. */
void fill(uint8_t *bytes, size_t size);

/* A key set-up has no message. It is checked with a message of this size, which fits into every
 * lane. */
enum { REKEY_CHECK = 256 };

/* A wrong result of a contender. */
typedef struct disagreement {
    const char *what; /* a sentence without its subject; NULL: all agree */
    const char *who;
} disagreement;

/* Compares runners[0..n) on the task, in place if the task is. Encryption must agree with the
 * majority, also after a change to another key and back. Decryption must give the plaintext, and must
 * refuse an altered tag. Leaves the input of the task in every lane's `in`, and, if the task is in
 * place, in its `out` too. */
disagreement agree(const track *tr, const runner *runners, size_t n);

#endif
