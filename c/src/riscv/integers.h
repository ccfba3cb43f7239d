/* Loads and stores of integers of eight bytes at any address. */
#ifndef RIJN_RISCV_INTEGERS_H
#define RIJN_RISCV_INTEGERS_H

#include <stdint.h>

#include "../backend.h"

/* Compilers load eight unaligned bytes one by one. On Linux programs may load them at once: the kernel
 * emulates it if the processor cannot. */
#if defined(__linux__)
#define WITH_INTEGER_LOADS
typedef struct {
    uint8_t at[8];
} eight_bytes;

RIJN_INLINE uint64_t integer_load(const uint8_t *p)
{
    uint64_t x;
    __asm__("ld %0, %1" : "=r"(x) : "m"(*(const eight_bytes *)p));
    return x;
}

RIJN_INLINE void integer_store(uint8_t *p, uint64_t x)
{
    __asm__("sd %1, %0" : "=m"(*(eight_bytes *)p) : "r"(x));
}
#endif

#endif
