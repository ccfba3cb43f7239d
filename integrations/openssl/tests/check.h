/* What the test programs of the OpenSSL provider share: the two providers, random bytes, reports.
 *
 * A program prints "PASSED name" or "FAILED name: reason" for each of its tests, as .ci/run counts them. */
#ifndef CHECK_H
#define CHECK_H

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The module that is tested, the folder that it is in, and the seed of random_u64. `module` may be
 * "default", for a trial of the tests themselves. */
static const char *module = "rijn", *folder = ".";
static uint64_t seed = 1;

static int failures;
static const char *current; /* name of the running test */
static bool current_failed;
static uint64_t state;

static uint64_t random_u64(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t below(size_t limit)
{
    return (size_t)(random_u64() % limit);
}

static bool one_in(size_t n)
{
    return below(n) == 0;
}

static void random_bytes(uint8_t *to, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)random_u64();
}

static void begin(const char *name)
{
    uint64_t mixed = seed;

    for (const char *c = name; *c; c++)
        mixed = mixed * 1099511628211u + (uint8_t)*c;
    state = mixed; /* a test alone draws the same values */
    current = name;
    current_failed = false;
}

/* Reports a failure. Only the first of a test is printed. Returns false. */
__attribute__((format(printf, 1, 2))) static bool fail(const char *format, ...)
{
    va_list arguments;

    if (current_failed)
        return false;
    current_failed = true;
    failures++;
    printf("FAILED %s: ", current);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf(" (--seed %llu)\n", (unsigned long long)seed);
    fflush(stdout);
    return false;
}

static void end(void)
{
    if (!current_failed)
        printf("PASSED %s\n", current);
    fflush(stdout);
    ERR_clear_error();
}

#define CHECK(condition) \
    ((condition) ? true : fail("%s:%d: not true: %s", __FILE__, __LINE__, #condition))

__attribute__((noreturn)) static void stop(const char *why)
{
    fprintf(stderr, "%s\n", why);
    ERR_print_errors_fp(stderr);
    exit(2);
}

/* Returns the property query that asks for the tested provider. */
static const char *query(void)
{
    static char text[100];

    snprintf(text, sizeof text, "provider=%s", module);
    return text;
}

struct library {
    OSSL_LIB_CTX *context;
    OSSL_PROVIDER *theirs, *ours;
};

/* Loads both providers. */
static struct library new_library(void)
{
    struct library new = {.context = OSSL_LIB_CTX_new()};

    if (!new.context || !OSSL_PROVIDER_set_default_search_path(new.context, folder))
        stop("cannot make a library context");
    new.theirs = OSSL_PROVIDER_load(new.context, "default");
    new.ours = OSSL_PROVIDER_load(new.context, module);
    if (!new.theirs || !new.ours)
        stop("cannot load the providers");
    return new;
}

static void free_library(struct library *old)
{
    OSSL_PROVIDER_unload(old->ours);
    OSSL_PROVIDER_unload(old->theirs);
    OSSL_LIB_CTX_free(old->context);
}

/* Reads one of the options that all programs have. Returns whether it was one. */
static bool common_option(const char *name, const char *value)
{
    if (strcmp(name, "--module") == 0)
        module = value;
    else if (strcmp(name, "--folder") == 0)
        folder = value;
    else if (strcmp(name, "--seed") == 0)
        seed = strtoull(value, NULL, 10);
    else
        return false;
    return true;
}
#endif
