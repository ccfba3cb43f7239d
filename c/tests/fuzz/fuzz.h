/* Functions for all fuzz targets. A target is LLVMFuzzerTestOneInput. It ends the process with a message
 * if two answers differ.
 *
 * An input is a string of choices. After its end every choice is 0, so each prefix of an input is an
 * input too. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rijn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct choices {
    const uint8_t *at;
    size_t left;
} choices;

static inline uint8_t choose(choices *c)
{
    if (c->left == 0)
        return 0;
    c->left--;
    return *c->at++;
}

static inline size_t choose_16(choices *c)
{
    const size_t high = choose(c);
    return high << 8 | choose(c);
}

static inline void choose_bytes(choices *c, uint8_t *out, size_t size)
{
    const size_t n = size < c->left ? size : c->left;
    if (n != 0)
        memcpy(out, c->at, n);
    memset(out + n, 0, size - n);
    c->at += n;
    c->left -= n;
}

static inline size_t choose_key(choices *c, uint8_t key[32])
{
    const size_t size = 16 + 8 * (size_t)(choose(c) % 3);
    choose_bytes(c, key, size);
    return size;
}

#define REQUIRE(condition, ...) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
            abort(); \
        } \
    } while (0)

/* The available backends. */
#define MOST_BACKENDS 16

static inline size_t list_backends(const char *names[MOST_BACKENDS])
{
    size_t count = 0;
    for (size_t i = 0; i < rijn_backend_count(); i++) {
        rijn_backend_info info;
        if (rijn_backend_at(i, &info) == RIJN_OK && info.available && count < MOST_BACKENDS)
            names[count++] = info.name;
    }
    return count;
}

#endif
