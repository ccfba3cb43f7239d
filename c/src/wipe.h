/* A wipe that the compiler keeps, by stores of 16 bytes: what compilers and C libraries like
 * to make of it on x86 is either `rep stos`, which takes longer to start than a short
 * message takes to encrypt, or stores of 64 bytes, which halve the speed of the AES
 * instructions around them. */
#ifndef RIJN_WIPE_H
#define RIJN_WIPE_H

#include <stddef.h>
#include <string.h>

#include "build.h"

/* Where code is to be small it is in wipe.c alone. */
static inline void wipe(void *memory, size_t size)
{
#if RIJN_WITH_SMALL_CODE && !defined(RIJN_WIPE_HERE)
    rijn_wipe(memory, size);
#else
    unsigned char *p = memory;

    /* The empty statements may read what p points at, so the stores stay, and are not made
     * one. */
    for (; size >= 64; size -= 64, p += 64) {
        memset(p, 0, 16);
        memset(p + 16, 0, 16);
        memset(p + 32, 0, 16);
        memset(p + 48, 0, 16);
        __asm__ volatile("" : : "r"(p) : "memory");
    }
    for (; size >= 16; size -= 16, p += 16) {
        memset(p, 0, 16);
        __asm__ volatile("" : : "r"(p) : "memory");
    }
    if (size >= 8) {
        memset(p, 0, 8);
        __asm__ volatile("" : : "r"(p) : "memory");
        size -= 8, p += 8;
    }
    for (; size; size--, p++)
        *(volatile unsigned char *)p = 0;
#endif
}

#endif
