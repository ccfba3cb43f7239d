/* Included before each file of c/src that CBMC reads. Replaces loops over any number of bytes by
 * contracts (memory.c): wipe and xor_bytes, which bytes.c proves, and the functions of <string.h>
 * where the number of bytes is not a constant. */
#ifndef STUBS_H
#define STUBS_H

#include <string.h>

#include "bytes.h"
#include "wipe.h"

void contract_wipe(void *memory, size_t size);
void contract_xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t size);
void *contract_memcpy(void *to, const void *from, size_t size);
void *contract_memmove(void *to, const void *from, size_t size);
void *contract_memset(void *memory, int value, size_t size);

#define wipe contract_wipe
#define xor_bytes contract_xor_bytes
#define memcpy(to, from, n) \
    (__builtin_constant_p(n) ? memcpy(to, from, n) : contract_memcpy(to, from, n))
#define memmove(to, from, n) \
    (__builtin_constant_p(n) ? memmove(to, from, n) : contract_memmove(to, from, n))
#define memset(memory, value, n) \
    (__builtin_constant_p(n) ? memset(memory, value, n) : contract_memset(memory, value, n))

#endif
