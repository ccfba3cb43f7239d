/* The messages between a program and the plugin of the QEMU that runs it (plugin.c). The program makes a
 * system call with a number that no kernel uses, and reads the answer from a pipe. Both have its
 * descriptors, because they are one process. */
#ifndef MARKS_H
#define MARKS_H

#include <stdint.h>

enum { MARK_CALL = 9999 };

/* The first argument. */
enum {
    MARK_FIRST, /* a run begins; keep it */
    MARK_AGAIN, /* a run begins; compare it with the kept one */
    MARK_END    /* the run has ended; write the answer to the second argument */
};

typedef struct {
    uint64_t count; /* number of instructions */
    uint64_t differs;
    uint64_t after, first, again; /* like in steps_fork, but whole addresses */
} mark_answer;

#endif
