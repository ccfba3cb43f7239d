/* A library that test_extension.py loads before DuckDB (LD_PRELOAD), on Linux with glibc. Its free()
 * searches the blocks of the extension for secrets, and the extension's random bytes are known to
 * the test.
 *
 * The secrets are stored masked, so that no search finds them here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MASK 0xffu
#define STACK ((size_t)1 << 15)

enum { SECRETS = 8, SECRET_MOST = 128, BLOCKS = 1 << 14, DRAWN_MOST = 1 << 16 };

static struct {
    size_t size;
    int on_stack; /* whether the stack below is searched too */
    uint8_t masked[SECRET_MOST];
} secrets[SECRETS];
static size_t known;

/* The extension's live blocks, a hash table with open addressing. GONE marks a freed block. */
static struct {
    void *at;
    size_t size;
} blocks[BLOCKS];
static char gone;
#define GONE ((void *)&gone)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const uint8_t *begin, *end; /* the extension's code */
static size_t counts[3];           /* freed blocks, blocks with a secret, stacks with a secret */
static uint8_t drawn[DRAWN_MOST];
static size_t drawn_size;

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void (*real_free)(void *);
static long (*real_syscall)(long, ...);

__attribute__((constructor)) static void resolve(void)
{
    *(void **)&real_malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&real_free = dlsym(RTLD_NEXT, "free");
    *(void **)&real_syscall = dlsym(RTLD_NEXT, "syscall");
    *(void **)&real_calloc = dlsym(RTLD_NEXT, "calloc");
}

static int holds(const uint8_t *bytes, size_t size, int stack)
{
    for (size_t s = 0; s < known; s++) {
        if (stack && !secrets[s].on_stack)
            continue;
        for (size_t i = 0; i + secrets[s].size <= size; i++) {
            size_t same = 0;
            while (same < secrets[s].size &&
                   (uint8_t)(bytes[i + same] ^ MASK) == secrets[s].masked[same])
                same++;
            if (same == secrets[s].size)
                return 1;
        }
    }
    return 0;
}

/* Adds a block to the table if the extension's code allocated it. Returns the block. */
static void *tracked(void *block, size_t size, const void *caller)
{
    if (!block || (const uint8_t *)caller < begin || (const uint8_t *)caller >= end)
        return block;
    pthread_mutex_lock(&lock);
    for (size_t i = (uintptr_t)block / 16, tried = 0; tried < BLOCKS; i++, tried++) {
        if (!blocks[i % BLOCKS].at || blocks[i % BLOCKS].at == GONE) {
            blocks[i % BLOCKS].at = block;
            blocks[i % BLOCKS].size = size;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return block;
}

/* ---- Called by the test ----------------------------------------------------------- */

/* Adds a secret. The argument is masked. */
int watch_secret(const uint8_t *masked, size_t size, int on_stack)
{
    if (known == SECRETS || size > SECRET_MOST)
        return 0;
    memcpy(secrets[known].masked, masked, size);
    secrets[known].on_stack = on_stack;
    secrets[known++].size = size;
    return 1;
}

/* Starts the search. The extension's code is at these addresses. */
void watch_code(const uint8_t *from, const uint8_t *to)
{
    begin = from;
    end = to;
}

const size_t *watch_counts(void)
{
    return counts;
}

/* Returns the random bytes that the extension has received so far. */
const uint8_t *watch_drawn(size_t *size)
{
    *size = drawn_size;
    return drawn;
}

/* ---- Replacements of the C library's functions ------------------------------------- */

void *malloc(size_t size)
{
    if (!real_malloc)
        resolve();
    return tracked(real_malloc(size), size, __builtin_return_address(0));
}

/* dlsym may call calloc before the real one is known. */
void *calloc(size_t count, size_t size)
{
    static uint8_t early[4096] __attribute__((aligned(16)));
    static size_t used;

    if (!real_calloc) {
        void *const at = early + used;
        used += (count * size + 15) / 16 * 16;
        if (used > sizeof early)
            abort();
        return at;
    }
    return tracked(real_calloc(count, size), count * size, __builtin_return_address(0));
}

void free(void *block)
{
    if (!real_free)
        resolve();
    if (block && begin) {
        size_t size = 0;
        pthread_mutex_lock(&lock);
        for (size_t i = (uintptr_t)block / 16, tried = 0; tried < BLOCKS; i++, tried++) {
            if (!blocks[i % BLOCKS].at)
                break;
            if (blocks[i % BLOCKS].at == block) {
                size = blocks[i % BLOCKS].size;
                blocks[i % BLOCKS].at = GONE;
                break;
            }
        }
        if (size) {
            counts[0]++;
            counts[1] += (size_t)holds(block, size, 0);
            counts[2] += (size_t)holds((uint8_t *)__builtin_frame_address(0) - STACK, STACK, 1);
        }
        pthread_mutex_unlock(&lock);
    }
    real_free(block);
}

/* The extension's getrandom returns bytes of a linear congruential generator. */
long syscall(long number, ...)
{
    long a[6];
    va_list list;

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (!real_syscall)
        resolve();
    const uint8_t *const caller = __builtin_return_address(0);
    if (number != SYS_getrandom || caller < begin || caller >= end)
        return real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    pthread_mutex_lock(&lock);
    static uint32_t state = 1;
    for (long i = 0; i < a[1]; i++) {
        state = state * 1664525u + 1013904223u;
        ((uint8_t *)a[0])[i] = (uint8_t)(state >> 24);
        if (drawn_size < DRAWN_MOST)
            drawn[drawn_size++] = (uint8_t)(state >> 24);
    }
    pthread_mutex_unlock(&lock);
    return a[1];
}
