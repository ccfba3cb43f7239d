#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

arena new_arena(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (size + page - 1) / page * page;
    uint8_t *all = mmap(NULL, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (all == MAP_FAILED) {
        perror("guard pages");
        exit(EXIT_FAILURE);
    }
    const arena made = {all + page, all + page + inside};
    arena_protect(&made, true);
    return made;
}

uint8_t *arena_reserve(uint64_t size, size_t writable)
{
#if SIZE_MAX > UINT32_MAX
    void *all = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all, writable, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    return all;
#else
    (void)size, (void)writable;
    return NULL;
#endif
}

void arena_release(uint8_t *memory, uint64_t size)
{
    munmap(memory, (size_t)size);
}

uint8_t *arena_place(const arena *a, size_t size, bool at_end)
{
    return at_end ? a->end - size : a->start;
}

void arena_protect(const arena *a, bool writable)
{
    if (mprotect(a->start, (size_t)(a->end - a->start),
                 writable ? PROT_READ | PROT_WRITE : PROT_READ) != 0) {
        perror("mprotect");
        exit(EXIT_FAILURE);
    }
}
