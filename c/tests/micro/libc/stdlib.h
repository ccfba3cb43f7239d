/* The functions of <stdlib.h> that the oracles call. libc.c defines them. */
#ifndef MICRO_STDLIB_H
#define MICRO_STDLIB_H

#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void free(void *memory);

#endif
