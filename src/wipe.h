/* A wipe that the compiler keeps. A small buffer of known size is cleared by plain
 * stores of 16 bytes: what compilers like to make of it on x86 is either `rep stos`,
 * which takes longer to start than a short message takes to encrypt, or stores of 64
 * bytes, which halve the speed of the AES instructions around them. */
#ifndef RIJN_WIPE_H
#define RIJN_WIPE_H

#include <stddef.h>
#include <string.h>

static inline void wipe(void *memory, size_t size)
{
    if (__builtin_constant_p(size) && size <= 512) {
        while (size > 16) {
            memset(memory, 0, 16);
            __asm__ volatile("" : : "r"(memory) : "memory");
            memory = (unsigned char *)memory + 16;
            size -= 16;
        }
    }
    memset(memory, 0, size);
    /* The empty statement may read what `memory` points at, so the stores stay. */
    __asm__ volatile("" : : "r"(memory) : "memory");
}

#endif
