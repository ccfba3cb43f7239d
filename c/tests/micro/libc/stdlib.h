/* What the oracles want of <stdlib.h>: libc.c has it. */
#ifndef MICRO_STDLIB_H
#define MICRO_STDLIB_H

#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void free(void *memory);

#endif
