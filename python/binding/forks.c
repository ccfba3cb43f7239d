/* Identifies this process. An object with a position in a keystream belongs to one process. */
#include "forks.h"

#include <stdatomic.h>
#ifdef _WIN32
#include <process.h>
#define getpid _getpid
#else
#include <unistd.h>
#endif

static atomic_ulong fork_count;

process this_process(void)
{
    const process this = {
        .forks = atomic_load_explicit(&fork_count, memory_order_relaxed),
        .id = (long)getpid(),
    };
    return this;
}

bool is_this_process(process other)
{
    const process this = this_process();
    return this.forks == other.forks && this.id == other.id;
}

void count_fork(void)
{
    atomic_fetch_add(&fork_count, 1);
}
