/* What a program and the plugin of the QEMU that runs it (plugin.c) say to each other: the program
 * makes a system call of a number that no kernel has, and reads the answer from a pipe, whose
 * descriptors both have, for they are one process. */
#ifndef MARKS_H
#define MARKS_H

#include <stdint.h>

enum { MARK_CALL = 9999 };

/* The first argument. */
enum {
    MARK_FIRST, /* a run begins, to be kept */
    MARK_AGAIN, /* a run begins, to be compared with the one that was kept */
    MARK_END    /* the run has ended; the second argument is where to write the answer */
};

typedef struct {
    uint64_t count; /* of instructions */
    uint64_t differs;
    uint64_t after, first, again; /* as of a steps_fork, but whole addresses */
} mark_answer;

#endif
