/* The core's own cycles of the calling thread in user mode, where the kernel
 * counts them (perf_event_open); never the time stamp counter, which ticks at
 * a constant rate whatever the core does. */
#ifndef BENCH_CYCLES_H
#define BENCH_CYCLES_H

#include <stdint.h>

/* A counter of the calling thread, or -1. */
int cycles_open(void);

/* 0 for counter -1. */
uint64_t cycles_read(int counter);
void cycles_close(int counter);

/* Why there is no counter; "" when there is. */
const char *cycles_reason(void);

#endif
