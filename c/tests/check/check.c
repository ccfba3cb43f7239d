#include "check.h"

#include <stdarg.h>

#include "backend_names.h"

#define SKIPPED 77      /* ctest's SKIP_RETURN_CODE in CMakeLists.txt */
#define MOST_PRINTED 20 /* failures; the rest are counted */

static unsigned long checks, failures;
static char context[256];
static uint64_t random_state = 0x52696a6e; /* "Rijn" */

void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context, sizeof context, format, arguments);
    va_end(arguments);
}

/* Counts a check. Returns true if it failed and its reason must be printed. */
static bool failed(bool held, const char *file, int line, const char *what)
{
    checks++;
    if (held)
        return false;
    if (++failures > MOST_PRINTED)
        return false;
    printf("%s:%d: %s [%s]\n", file, line, what, context);
    return true;
}

bool check_that(bool held, const char *file, int line, const char *what)
{
    failed(held, file, line, what);
    return held;
}

bool check_status(rijn_status got, rijn_status want, const char *file, int line, const char *what)
{
    if (failed(got == want, file, line, what))
        printf("    got %d (%s), not %d (%s)\n", (int)got, rijn_status_text(got), (int)want,
               rijn_status_text(want));
    return got == want;
}

bool check_text(const char *got, const char *want, const char *file, int line, const char *what)
{
    const bool held = strcmp(got, want) == 0;
    if (failed(held, file, line, what))
        printf("    got \"%s\", not \"%s\"\n", got, want);
    return held;
}

static void print_hex(const char *label, const uint8_t *bytes, size_t size)
{
    printf("    %-5s", label);
    for (size_t i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}

bool check_bytes(const uint8_t *got, const uint8_t *want, size_t size, const char *file, int line,
                 const char *what)
{
    size_t at = 0;
    while (at < size && got[at] == want[at])
        at++;
    if (failed(at == size, file, line, what)) {
        const size_t shown = size - at < 16 ? size - at : 16;
        printf("    differs from byte %zu of %zu\n", at, size);
        print_hex("got", got + at, shown);
        print_hex("want", want + at, shown);
    }
    return at == size;
}

bool check_fill(const void *got, uint8_t byte, size_t size, const char *file, int line,
                const char *what)
{
    const uint8_t *bytes = got;
    size_t at = 0;
    if (size && bytes[0] == byte && memcmp(bytes, bytes + 1, size - 1) == 0)
        at = size;
    while (at < size && bytes[at] == byte)
        at++;
    if (failed(at == size, file, line, what))
        printf("    byte %zu of %zu is %02x, not %02x\n", at, size, bytes[at], byte);
    return at == size;
}

int test_result(const char *program)
{
    const char *slash = strrchr(program, '/');
    printf("%s: %lu checks, %lu failed\n", slash ? slash + 1 : program, checks, failures);
    if (checks == 0)
        printf("nothing was checked\n");
    return failures == 0 && checks != 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int test_backends(int argc, char **argv, void (*run)(const rijn_backend_info *backend))
{
    const char *wanted = argc > 1 ? argv[1] : NULL;
    size_t ran = 0;

    if (argc > 2 || (wanted != NULL && !is_a_backend(wanted))) {
        fprintf(stderr, "%s: no such backend. There are: %s\n", argv[argc > 2 ? 2 : 1],
                RIJN_TESTED_BACKENDS);
        return EXIT_FAILURE;
    }

    for (size_t i = 0; i < rijn_backend_count(); i++) {
        rijn_backend_info info;
        if (rijn_backend_at(i, &info) != RIJN_OK)
            return EXIT_FAILURE;
        if (wanted != NULL && strcmp(wanted, info.name) != 0)
            continue;
        if (!info.available) {
            printf("skipped %s: %s\n", info.name, info.reason);
            continue;
        }
        note("%s", info.name);
        const unsigned long before = checks;
        run(&info);
        note("%s", info.name);
        CHECK(checks != before); /* otherwise the test checked nothing */
        ran++;
    }
    if (ran == 0 && wanted != NULL) {
        printf("skipped %s: not in this build or not on this machine\n", wanted);
        return SKIPPED;
    }
    CHECK(ran != 0);
    return test_result(argv[0]);
}

void each_aegis_kernel(const char *backend, void (*test)(const char *kernel))
{
    size_t ran = 0;

    for (size_t i = 0; i < rijn_aegis_kernel_count(); i++) {
        rijn_aegis_kernel_info info;
        if (rijn_aegis_kernel_at(i, &info) != RIJN_OK)
            abort();
        if (strcmp(info.backend, backend) != 0)
            continue;
        if (info.available) {
            test(info.name);
            ran++;
        } else {
            printf("skipped %s: %s\n", info.name, info.reason);
        }
    }
    note("kernels of %s", backend);
    CHECK(ran != 0);
}

void make_key(rijn_key *key, const uint8_t *bytes, size_t size, const char *backend)
{
    const rijn_status status = rijn_key_init(key, bytes, size, backend);
    if (status != RIJN_OK) {
        printf("rijn_key_init(%zu bytes, %s): %s\n", size, backend ? backend : "NULL",
               rijn_status_text(status));
        exit(EXIT_FAILURE);
    }
}

uint64_t random_u64(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

size_t random_below(size_t limit)
{
    return (size_t)(random_u64() % limit);
}

void random_bytes(uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        const uint64_t eight = random_u64();
        for (size_t j = 0; j < 8 && i + j < size; j++)
            out[i + j] = (uint8_t)(eight >> 8 * j);
    }
}

size_t from_hex(uint8_t *out, size_t room, const char *text)
{
    size_t digits = 0;

    for (; *text != '\0'; text++) {
        if (*text == ' ')
            continue;
        const char *at = strchr("0123456789abcdef", *text);
        if (at == NULL || digits / 2 == room) {
            printf("from_hex: bad digit, or more than %zu bytes\n", room);
            exit(EXIT_FAILURE);
        }
        const uint8_t value = (uint8_t)(at - "0123456789abcdef");
        out[digits / 2] = (uint8_t)(digits % 2 == 0 ? value << 4 : out[digits / 2] | value);
        digits++;
    }
    return digits / 2;
}
