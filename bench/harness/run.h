/* Runs a task with its contenders, in interleaved rounds. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "plan.h"

/* The buffers of one thread. */
typedef struct lane {
    uint8_t *in, *out; /* size + TAG bytes each; from MANY on, MANY_MESSAGES times that */
    uint8_t *stock;    /* sealed messages to open in place, stride bytes each */
    size_t stride, stocked;
    uint16_t *sizes; /* MIXED and MIXED_MANY: the size of each message */
} lane;

/* The data that all contenders of a task share. */
typedef struct track {
    task task;
    uint8_t key[KEY], nonce[NONCE];
    bool pin, count_cycles;
    lane *lanes; /* task.threads of them */
} track;

/* A contender in a task. */
typedef struct runner {
    const contender *by;
    void **states;                             /* one for each thread */
    size_t messages;                           /* of one thread in a round */
    const char *instructions;                  /* instructions_of() with --instructions, or NULL */
    long steps;                                /* steps_of() with --steps, or -1 */
    double ns[MAX_ROUNDS], cycles[MAX_ROUNDS]; /* per message */
} runner;

/* Exits with 3: "harness: <what>: <which>". */
_Noreturn void give_up(const char *what, const char *which);

void track_open(track *tr, const task *t, bool pin, bool count_cycles);
void track_close(track *tr);

/* Returns false if the contender does not offer the task. */
bool runner_open(runner *r, const contender *by, const track *tr);
void runner_close(runner *r, const track *tr);

/* Sets r->messages so that a round takes about `target` nanoseconds. */
void runner_calibrate(runner *r, const track *tr, double target);
void runner_round(runner *r, const track *tr, int round);

#endif
