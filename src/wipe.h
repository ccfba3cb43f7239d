/* A wipe that the compiler keeps. */
#ifndef RIJN_WIPE_H
#define RIJN_WIPE_H

#include <stddef.h>
#include <string.h>

static inline void wipe(void *memory, size_t size)
{
    memset(memory, 0, size);
#if defined(__GNUC__)
    /* The empty statement may read what `memory` points at, so the stores stay. */
    __asm__ volatile("" : : "r"(memory) : "memory");
#else
    volatile unsigned char *p = memory;
    while (size--)
        *p++ = 0;
#endif
}

#endif
