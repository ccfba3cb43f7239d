/* The parts of a C library that the core requires: memory and strings, by words where that is easy. Also
 * a heap for the oracles. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Otherwise gcc compiles the loops of these functions to calls of themselves. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")

static int aligned(const void *a, const void *b)
{
    return (((uintptr_t)a | (uintptr_t)b) & 3) == 0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    uint8_t *t = to;
    const uint8_t *f = from;

    if (aligned(t, f)) {
        for (; size >= 4; size -= 4, t += 4, f += 4)
            *(uint32_t *)(void *)t = *(const uint32_t *)(const void *)f;
    }
    while (size--)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    uint8_t *t = to;
    const uint8_t *f = from;

    if ((uintptr_t)t - (uintptr_t)f >= size)
        return memcpy(to, from, size);
    while (size--)
        t[size] = f[size];
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    uint8_t *t = to;

    if (aligned(t, t)) {
        const uint32_t word = (uint8_t)byte * 0x01010101u;
        for (; size >= 4; size -= 4, t += 4)
            *(uint32_t *)(void *)t = word;
    }
    while (size--)
        *t++ = (uint8_t)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const uint8_t *x = a, *y = b;

    for (; size; size--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return (uint8_t)*a - (uint8_t)*b;
}

size_t strlen(const char *string)
{
    size_t size = 0;

    while (string[size])
        size++;
    return size;
}

/* Allocations follow each other. Memory is free again when all of them are. */
static _Alignas(8) uint8_t heap[1024];
static size_t used, pieces;

void *malloc(size_t size)
{
    void *const piece = heap + used;

    if (size > sizeof heap - used)
        return NULL;
    used += (size + 7) & ~(size_t)7;
    if (used > sizeof heap)
        used = sizeof heap;
    pieces++;
    return piece;
}

void *calloc(size_t count, size_t size)
{
    void *const piece = malloc(count * size);

    return piece ? memset(piece, 0, count * size) : NULL;
}

void free(void *memory)
{
    if (memory && --pieces == 0)
        used = 0;
}
