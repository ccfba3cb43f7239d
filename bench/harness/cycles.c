#include "cycles.h"

#ifdef __linux__

#  include <errno.h>
#  include <linux/perf_event.h>
#  include <stdio.h>
#  include <string.h>
#  include <sys/syscall.h>
#  include <unistd.h>

int cycles_open(void)
{
    struct perf_event_attr event = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof event,
        .config = PERF_COUNT_HW_CPU_CYCLES,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
}

uint64_t cycles_read(int counter)
{
    uint64_t count;
    return counter >= 0 && read(counter, &count, sizeof count) == sizeof count ? count : 0;
}

void cycles_close(int counter)
{
    if (counter >= 0)
        close(counter);
}

/* A counter may open but stay at 0, if a hypervisor hides the hardware. */
const char *cycles_reason(void)
{
    static char reason[128];
    const int counter = cycles_open();

    if (counter < 0) {
        snprintf(reason, sizeof reason, "perf_event_open: %s", strerror(errno));
        return reason;
    }
    for (volatile int i = 0; i < 10000; i++)
        ;
    const uint64_t counted = cycles_read(counter);
    cycles_close(counter);
    return counted ? "" : "the kernel's counter stays at 0";
}

#else

int cycles_open(void)
{
    return -1;
}

uint64_t cycles_read(int counter)
{
    (void)counter;
    return 0;
}

void cycles_close(int counter)
{
    (void)counter;
}

const char *cycles_reason(void)
{
    return "only Linux counts cycles";
}

#endif
