/* The functions of <string.h> that Rijn and its oracles call, for machines without a C library. libc.c
 * defines them. */
#ifndef MICRO_STRING_H
#define MICRO_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
int strcmp(const char *a, const char *b);
size_t strlen(const char *string);

#endif
