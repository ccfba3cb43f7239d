/* A wipe that the compiler keeps. A small buffer of known size is cleared by plain
 * stores: what compilers like to make of it on x86, `rep stos`, takes longer to
 * start than a short message takes to encrypt. */
#ifndef RIJN_WIPE_H
#define RIJN_WIPE_H

#include <stddef.h>
#include <string.h>

static inline void wipe(void *memory, size_t size)
{
#if defined(__GNUC__)
    if (__builtin_constant_p(size) && size <= 512) {
        while (size > 64) {
            memset(memory, 0, 64);
            __asm__ volatile("" : : "r"(memory) : "memory");
            memory = (unsigned char *)memory + 64;
            size -= 64;
        }
    }
    memset(memory, 0, size);
    /* The empty statement may read what `memory` points at, so the stores stay. */
    __asm__ volatile("" : : "r"(memory) : "memory");
#else
    volatile unsigned char *p = memory;
    while (size--)
        *p++ = 0;
#endif
}

#endif
