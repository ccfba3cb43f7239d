/* The options, and the tasks that they make. */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "contender.h"

/* MANY seals up to MANY_MESSAGES consecutive messages, by one call if the contender has one. MIXED
 * seals that many messages, from 1 byte to the task's size, with one call for each. MIXED_MANY seals
 * the same messages by one call. */
typedef enum operation { ENCRYPT, DECRYPT, REKEY, MANY, MIXED, MIXED_MANY } operation;

enum { MANY_MESSAGES = 100000 };

extern const char *const operation_names[];

/* A task: one table of the output. */
typedef struct task {
    algorithm what;
    operation operation;
    size_t size; /* bytes a message; 0 for REKEY */
    bool cold, in_place;
    int threads;
} task;

enum { MAX_ITEMS = 64, MAX_ROUNDS = 1000, MAX_THREADS = 256 };

typedef struct plan {
    algorithm algorithms[MAX_ITEMS];
    operation operations[MAX_ITEMS];
    size_t sizes[MAX_ITEMS];
    bool cold[MAX_ITEMS], in_place[MAX_ITEMS];
    int threads[MAX_ITEMS];
    size_t n_algorithms, n_operations, n_sizes, n_keys, n_buffers, n_threads;
    const char *wanted; /* contenders, or NULL for all */
    int rounds;
    double millis;
    bool json, list, pin, ceilings, instructions, steps;
} plan;

/* Returns the nonce size of an AEAD, as in nonces that Rijn draws; 0 for SIV. */
size_t nonce_size(const algorithm *what);

/* Parses the command line. Exits with 2 and a message on an error, with 0 for --help. */
void plan_parse(plan *p, int argc, char **argv);

/* Makes task number `index`, in the order of the options; the last option varies fastest. Returns
 * false after the last task. */
bool plan_task(const plan *p, size_t index, task *t);

/* Moves the contenders that --contender names to the front, in its order, and returns how many.
 * Exits with 2 if no contender has a name. */
size_t plan_choose(const plan *p, contender *list, size_t n);

#endif
