/* test_heap.py loads this before a Python's allocator (LD_PRELOAD). It searches the memory that
 * Python frees for secrets. Linux with glibc.
 *
 * The secrets are kept masked, so that this code finds no copy of its own. Only one thread may
 * run. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MASK 0x5cu
#define WINDOW 16u         /* this many secret bytes in a row are a find */
#define WINDOWS (1u << 19) /* of all secrets */
#define STACK ((size_t)1 << 16)

typedef struct {
    const uint8_t *masked;
    uint32_t next; /* the next window with the same first two bytes, or 0 */
} window;

static window windows[WINDOWS];
static uint32_t known = 1; /* windows[0] stays unused */
static uint32_t heads[1u << 16];
static int watching;
static size_t finds, largest; /* blocks with a secret in them, and the largest of them */

static void (*real_free)(void *);
static void *(*real_realloc)(void *, size_t);

static void resolve(void)
{
    *(void **)&real_free = dlsym(RTLD_NEXT, "free");
    *(void **)&real_realloc = dlsym(RTLD_NEXT, "realloc");
}

static inline __attribute__((always_inline)) int holds(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + WINDOW <= size; i++)
        for (uint32_t w = heads[bytes[i] | bytes[i + 1] << 8]; w; w = windows[w].next) {
            unsigned same = 2;
            while (same < WINDOW && (bytes[i + same] ^ MASK) == windows[w].masked[same])
                same++;
            if (same == WINDOW)
                return 1;
        }
    return 0;
}

static void found(size_t size)
{
    finds++;
    if (size > largest)
        largest = size;
}

/* ---- For the test ----------------------------------------------------------------- */

/* Adds a secret. */
void heap_secret(const uint8_t *bytes, size_t size)
{
    uint8_t *masked = malloc(size);
    if (!masked || size > WINDOWS - known) {
        fputs("heap.c: too many secrets\n", stderr);
        abort();
    }
    for (size_t i = 0; i < size; i++)
        masked[i] = (uint8_t)(bytes[i] ^ MASK);
    for (size_t i = 0; i + WINDOW <= size; i++, known++) {
        uint32_t *head = &heads[bytes[i] | bytes[i + 1] << 8];
        windows[known] = (window){masked + i, *head};
        *head = known;
    }
}

void heap_forget(void)
{
    known = 1;
    memset(heads, 0, sizeof heads);
}

/* Begins and ends the watch. Both return how many finds there were since the last call. */
size_t heap_watch(int on)
{
    const size_t seen = finds;
    watching = on;
    finds = largest = 0;
    return seen;
}

size_t heap_largest(void)
{
    return largest;
}

/* A planted leak for heap_stack: PyObject_CallObject that leaves the last secret's last window
 * on the stack. */
void *heap_offend(void *callable, void *arguments)
{
    volatile uint8_t left[WINDOW];
    void *(*call)(void *, void *);
    *(void **)&call = dlsym(RTLD_DEFAULT, "PyObject_CallObject");
    for (unsigned i = 0; i < WINDOW; i++)
        left[i] = (uint8_t)(windows[known - 1].masked[i] ^ MASK);
    void *const result = call(callable, arguments);
    (void)left[0];
    return result;
}

__attribute__((noinline)) static void clear(void)
{
    volatile uint8_t area[STACK];
    for (size_t i = 0; i < STACK; i++)
        area[i] = 0;
    (void)area[0];
}

/* Returns call(callable, arguments). Searches the stack that the call used, before any other
 * call, and counts it as one block. */
__attribute__((noinline)) void *heap_stack(void *call(void *, void *), void *callable,
                                           void *arguments)
{
    clear();
    void *const result = call(callable, arguments);
    const volatile uintptr_t end = (uintptr_t)__builtin_frame_address(0);
    if (holds((const uint8_t *)(end - STACK), STACK))
        found(STACK);
    return result;
}

/* ---- Replaced functions of the allocator ------------------------------------------ */

void free(void *block)
{
    if (!real_free)
        resolve();
    if (block && watching) {
        const size_t size = malloc_usable_size(block);
        if (holds(block, size))
            found(size);
    }
    real_free(block);
}

/* A block that moves leaves its old contents in freed memory. One that shrinks leaves its end. */
void *realloc(void *block, size_t size)
{
    if (!real_realloc)
        resolve();
    if (!block || !watching)
        return real_realloc(block, size);
    const size_t had = malloc_usable_size(block);
    const int whole = holds(block, had);
    const int end = size < had && holds((uint8_t *)block + size, had - size);
    const uintptr_t before = (uintptr_t)block;
    void *const moved = real_realloc(block, size);
    if (moved && ((uintptr_t)moved == before ? end : whole))
        found(had);
    return moved;
}
