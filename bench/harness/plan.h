/* What to measure: the options, and the tasks that they make. */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "contender.h"

/* MANY seals up to MANY_MESSAGES messages that lie one behind the other, where a contender has a
 * call for that by one call. MIXED seals that many of 1 byte to the task's size, by a call each,
 * and MIXED_MANY these by one call. */
typedef enum operation { ENCRYPT, DECRYPT, REKEY, MANY, MIXED, MIXED_MANY } operation;

enum { MANY_MESSAGES = 100000 };

extern const char *const operation_names[];

/* One table's worth: everything but the contender. */
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
    bool json, list, pin, ceilings, instructions;
} plan;

/* From the command line; on a mistake says so and exits with 2, for --help with 0. */
void plan_parse(plan *p, int argc, char **argv);

/* Task number `index`, in the order of the options with the last one fastest;
 * false past the last. */
bool plan_task(const plan *p, size_t index, task *t);

/* Moves the contenders that --contender names to the front, in its order;
 * returns how many. Exits with 2 for a name that nobody has. */
size_t plan_choose(const plan *p, contender *list, size_t n);

#endif
