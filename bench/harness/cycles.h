/* Counts the core's cycles of the calling thread in user mode, if the kernel supports it
 * (perf_event_open). The time stamp counter is not used: its rate does not depend on the core's
 * frequency. */
#ifndef BENCH_CYCLES_H
#define BENCH_CYCLES_H

#include <stdint.h>

/* Opens a counter for the calling thread. Returns -1 on error. */
int cycles_open(void);

/* Returns the count; 0 for counter -1. */
uint64_t cycles_read(int counter);
void cycles_close(int counter);

/* Returns why there is no counter, or "". */
const char *cycles_reason(void);

#endif
