/* Eight bytes anywhere in memory as an integer. */
#ifndef RIJN_RISCV_INTEGERS_H
#define RIJN_RISCV_INTEGERS_H

#include <stdint.h>

#include "../backend.h"

/* Compilers take eight bytes one by one where they may lie anywhere. Linux lets programs load them at
 * once, emulated by the kernel where the processor cannot. */
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
