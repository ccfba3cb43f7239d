/* Tests the runner of the C tests: the names of backends that it accepts, and that a test without checks
 * fails. */
#include "check.h"

enum { SKIPPED = 77 };

static size_t runs;
static const char *last;

static void check_nothing(const rijn_backend_info *backend)
{
    (void)backend;
    runs++;
}

static void check_something(const rijn_backend_info *backend)
{
    CHECK(backend->available);
    last = backend->name;
    runs++;
}

static void count_kernel(const char *kernel)
{
    (void)kernel;
    runs++;
}

/* Returns the exit status for this command line, and counts how often it ran the test. */
static int status_of(const char *first, const char *second,
                     void (*run)(const rijn_backend_info *backend))
{
    char program[] = "test_check", one[32] = "", two[32] = "";
    char *argv[] = {program, one, two, NULL};
    const int argc = second != NULL ? 3 : first != NULL ? 2 : 1;

    snprintf(one, sizeof one, "%s", first ? first : "");
    snprintf(two, sizeof two, "%s", second ? second : "");
    runs = 0;
    return test_backends(argc, argv, run);
}

/* Used instead of CHECK, because its counters are tested here. */
#define WANT(condition) \
    do { \
        if (!(condition)) { \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            wrong++; \
        } \
    } while (0)

int main(void)
{
    char names[] = RIJN_TESTED_BACKENDS;
    const char *one = ""; /* a backend that runs here */
    size_t available = 0, wrong = 0, skipped = 0;

    for (size_t i = 0; i < rijn_backend_count(); i++) {
        rijn_backend_info info;
        WANT(rijn_backend_at(i, &info) == RIJN_OK);
        available += info.available != 0;
        one = info.available ? info.name : one;
    }
    WANT(available > 0);
    WANT(status_of(NULL, NULL, check_something) == EXIT_SUCCESS && runs == available);
    for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
        const int status = status_of(name, NULL, check_something);
        WANT(runs == 1 ? status == EXIT_SUCCESS && strcmp(last, name) == 0 : status == SKIPPED);
        skipped += status == SKIPPED;
        WANT(runs <= 1);
    }
    WANT(skipped > 0); /* no machine has every backend */

    static const char *const unknown[] = {"", " ", "nonsense", "aesni ", "AESNI", "fixslice"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        WANT(status_of(unknown[i], NULL, check_something) == EXIT_FAILURE && runs == 0);
    WANT(status_of(one, one, check_something) == EXIT_FAILURE && runs == 0);

    printf("of a test that checks nothing:\n");
    WANT(status_of(one, NULL, check_nothing) == EXIT_FAILURE && runs == 1);
    WANT(status_of(NULL, NULL, check_nothing) == EXIT_FAILURE && runs == available);
    runs = 0;
    each_aegis_kernel("nonsense", count_kernel);
    WANT(test_result("test_check") == EXIT_FAILURE && runs == 0);

    printf("test_check: %zu wrong\n", wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
