/* The functions of steps.h for processors that QEMU emulates. Its plugin (plugin.c) follows the runs;
 * marks tell it where they begin and end. */
#define _GNU_SOURCE /* pipe2, syscall */
#include "steps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "marks.h"

static mark_answer answer;

/* One function for both kinds of runs, so that they have the same instructions. Callers do nothing after
 * it, so that the stack has the same depth. */
__attribute__((noinline)) static bool run_marked(void (*run)(void), long mark)
{
    static int ends[2];

    if (!ends[1] && pipe2(ends, O_NONBLOCK) != 0)
        abort();
    syscall(MARK_CALL, mark, 0L);
    run();
    syscall(MARK_CALL, (long)MARK_END, (long)ends[1]);
    if (read(ends[0], &answer, sizeof answer) != (ssize_t)sizeof answer) {
        fprintf(stderr, "no plugin answers. Run this under QEMU with plugin.so (QEMU_PLUGIN).\n");
        exit(EXIT_FAILURE);
    }
    return !answer.differs;
}

void steps_first(void (*run)(void))
{
    run_marked(run, MARK_FIRST);
}

bool steps_again(void (*run)(void))
{
    return run_marked(run, MARK_AGAIN);
}

size_t steps_count(void)
{
    return (size_t)answer.count;
}

extern const char __executable_start;

static uintptr_t in_program(uint64_t at)
{
    return (uintptr_t)at - (uintptr_t)&__executable_start;
}

steps_fork steps_difference(void)
{
    return (steps_fork){in_program(answer.after), in_program(answer.first),
                        in_program(answer.again)};
}
