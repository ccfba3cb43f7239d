/* Wipes memory by stores of 16 bytes that the compiler must keep. Compilers and C libraries for x86
 * prefer other stores: `rep stos`, which takes longer to start than a short message takes to
 * encrypt, or stores of 64 bytes, which halve the speed of the AES instructions around them. */
#ifndef RIJN_WIPE_H
#define RIJN_WIPE_H

#include <stddef.h>
#include <string.h>

#include "build.h"

/* In builds with small code, only wipe.c has this code. */
static inline void wipe(void *memory, size_t size)
{
#if RIJN_WITH_SMALL_CODE && !defined(RIJN_WIPE_HERE)
    rijn_wipe(memory, size);
#else
    unsigned char *p = memory;

    /* For the compiler, the empty statements read all memory. So it keeps the stores, and does not
     * merge them. */
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
