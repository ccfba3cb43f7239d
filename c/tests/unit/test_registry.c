/* The list of backends and every way to choose one: by name, for the process, with RIJN_BACKEND, and
 * automatically. */
#define _XOPEN_SOURCE 700 /* setenv, fork, setreuid */

#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#include "backend_names.h"
#include "cpu.h" /* src/: rijn_cpu_limit */

static const uint8_t key_bytes[16] = "sixteen of bytes";

static rijn_backend_info at(size_t index)
{
    rijn_backend_info info = {0};
    CHECK_STATUS(rijn_backend_at(index, &info), RIJN_OK);
    return info;
}

/* Returns the backend of a key made without a name, or "" and *status on failure. */
static const char *default_backend(rijn_status *status)
{
    static rijn_key key;
    *status = rijn_key_init(&key, key_bytes, 16, NULL);
    const char *name = rijn_key_backend(&key);
    if (*status != RIJN_OK)
        CHECK_FILL(&key, 0, sizeof key);
    return name;
}

static void check_default(rijn_status want_status, const char *want)
{
    rijn_status status;
    const char *name = default_backend(&status);
    CHECK_STATUS(status, want_status);
    CHECK_TEXT(name, want);
}

/* Returns the first automatic backend that can run. */
static const char *best(void)
{
    for (size_t i = 0; i < rijn_backend_count(); i++) {
        const rijn_backend_info info = at(i);
        if (info.automatic && info.available)
            return info.name;
    }
    return "";
}

/* Checks the automatic choice. A build with RIJN_BACKENDS may have none. */
static void check_best(void)
{
    check_default(*best() ? RIJN_OK : RIJN_ERR_UNAVAILABLE, best());
}

/* ---- RIJN_BACKEND: read once per process, so each case has its own process ---- */

static void in_child(const char *value, void (*check)(const char *value))
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        note("RIJN_BACKEND=%s", value ? value : "(unset)");
        if (value != NULL)
            setenv("RIJN_BACKEND", value, 1);
        else
            unsetenv("RIJN_BACKEND");
        check(value);
        exit(test_result("child"));
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
}

static void child_automatic(const char *value)
{
    (void)value;
    check_best();
}

static void child_named(const char *value)
{
    rijn_key key;

    check_default(RIJN_OK, value);
    /* it is read once */
    setenv("RIJN_BACKEND", "nonsense", 1);
    check_default(RIJN_OK, value);
    /* a name and rijn_use_backend take precedence */
    for (size_t i = 0; i < rijn_backend_count(); i++) {
        const rijn_backend_info info = at(i);
        if (!info.available)
            continue;
        CHECK_STATUS(rijn_key_init(&key, key_bytes, 16, info.name), RIJN_OK);
        CHECK_TEXT(rijn_key_backend(&key), info.name);
        CHECK_STATUS(rijn_use_backend(info.name), RIJN_OK);
        check_default(RIJN_OK, info.name);
    }
    /* NULL returns to RIJN_BACKEND */
    CHECK_STATUS(rijn_use_backend(NULL), RIJN_OK);
    check_default(RIJN_OK, value);
}

static void child_unknown(const char *value)
{
    rijn_key key;

    (void)value;
    check_default(RIJN_ERR_BACKEND, "");
    check_default(RIJN_ERR_BACKEND, "");
    if (*best() == '\0')
        return;
    CHECK_STATUS(rijn_key_init(&key, key_bytes, 16, best()), RIJN_OK);
    CHECK_STATUS(rijn_use_backend(best()), RIJN_OK);
    check_default(RIJN_OK, best());
}

/* RIJN_BACKEND cannot choose a backend that is not constant time. */
static void child_leaky(const char *value)
{
    rijn_key key;

    check_default(RIJN_ERR_ENVIRONMENT, "");
    check_default(RIJN_ERR_ENVIRONMENT, "");
    CHECK_STATUS(rijn_key_init(&key, key_bytes, 16, value), RIJN_OK);
    CHECK_TEXT(rijn_key_backend(&key), value);
    CHECK_STATUS(rijn_use_backend(value), RIJN_OK);
    check_default(RIJN_OK, value);
}

static void child_unavailable(const char *value)
{
    rijn_cpu_limit(0);
    CHECK_STATUS(rijn_use_backend(value), RIJN_ERR_UNAVAILABLE);
    check_default(RIJN_ERR_UNAVAILABLE, "");
}

static void test_environment(void)
{
    in_child(NULL, child_automatic);
    in_child("", child_automatic);
    in_child("nonsense", child_unknown);
    in_child("Fixslice64", child_unknown);
    in_child("fixslice64 ", child_unknown);
    for (size_t i = 0; i < rijn_backend_count(); i++) {
        const rijn_backend_info info = at(i);
        if (info.available)
            in_child(info.name, info.constant_time ? child_named : child_leaky);
        rijn_cpu_limit(0);
        const bool needs_cpu = !at(i).available;
        rijn_cpu_limit(UINT64_MAX);
        if (needs_cpu)
            in_child(info.name, child_unavailable);
    }
}

/* ---- A process with more rights than its caller ---- */

enum { NOT_RAISED = 77 };

/* Runs in that process: RIJN_BACKEND is nonsense, and is ignored. */
static int raised_main(void)
{
    rijn_key key;

    if (getuid() == geteuid())
        return NOT_RAISED;
    return getenv("RIJN_BACKEND") != NULL && rijn_key_init(&key, key_bytes, 16, NULL) == RIJN_OK &&
                   strcmp(rijn_key_backend(&key), best()) == 0
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}

/* Runs a process like a setuid program: a user starts it with the rights of root. Only root can do this. */
static void test_raised(const char *program)
{
    int status = -1;

    note("RIJN_BACKEND in a process with more rights");
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv("RIJN_BACKEND", "nonsense", 1);
        if (setreuid(65534, 0) == 0)
            execl(program, program, "raised", (char *)NULL);
        _exit(NOT_RAISED);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_RAISED)
        printf("more rights than the caller's: not tested, needs root\n");
    else
        CHECK(WEXITSTATUS(status) == EXIT_SUCCESS);
}

/* ---- The list ---- */

static void test_list(void)
{
    rijn_backend_info untouched = {0};
    size_t safe = 0;

    note("backend list");
    CHECK(rijn_backend_count() > 0);
    CHECK_STATUS(rijn_backend_at(rijn_backend_count(), &untouched), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_backend_at(SIZE_MAX, &untouched), RIJN_ERR_ARGUMENT);
    CHECK_FILL(&untouched, 0, sizeof untouched);
    CHECK_STATUS(rijn_backend_at(0, NULL), RIJN_ERR_ARGUMENT);

    for (size_t i = 0; i < rijn_backend_count(); i++) {
        const rijn_backend_info info = at(i);
        note("backend %s", info.name);
        CHECK(strlen(info.name) > 0 && strlen(info.summary) > 0);
        CHECK(info.available == (info.reason[0] == '\0'));
        CHECK(info.blocks > 0 && info.blocks <= 32);
        CHECK(!info.automatic || info.constant_time);
        safe += info.automatic && info.available;
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(info.name, at(j).name) != 0);
        /* ctest has a test for each backend, but only for those in RIJN_TESTED_BACKENDS */
        CHECK(is_a_backend(info.name));
    }
    CHECK(safe > 0);
}

/* AEGIS kernels have unique names and belong to a backend. Their names do not choose a backend. */
static void test_kernels(void)
{
    rijn_aegis_kernel_info untouched = {0};

    note("list of kernels");
    CHECK_STATUS(rijn_aegis_kernel_at(rijn_aegis_kernel_count(), &untouched), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_aegis_kernel_at(SIZE_MAX, &untouched), RIJN_ERR_ARGUMENT);
    CHECK_FILL(&untouched, 0, sizeof untouched);
    CHECK_STATUS(rijn_aegis_kernel_at(0, NULL), RIJN_ERR_ARGUMENT);

    for (size_t i = 0; i < rijn_aegis_kernel_count(); i++) {
        rijn_aegis_kernel_info info, other;
        bool is_a_backend = false, has_a_backend = false;
        CHECK_STATUS(rijn_aegis_kernel_at(i, &info), RIJN_OK);
        note("kernel %s", info.name);
        CHECK(strlen(info.name) > 0 && strlen(info.summary) > 0);
        CHECK(info.available == (info.reason[0] == '\0'));
        for (size_t j = 0; j < i; j++) {
            CHECK_STATUS(rijn_aegis_kernel_at(j, &other), RIJN_OK);
            CHECK(strcmp(info.name, other.name) != 0);
        }
        for (size_t j = 0; j < rijn_backend_count(); j++) {
            has_a_backend |= strcmp(info.backend, at(j).name) == 0;
            is_a_backend |= strcmp(info.name, at(j).name) == 0;
        }
        CHECK(has_a_backend);
        if (is_a_backend) { /* this name gives the backend's own kernels, so it must have only one */
            CHECK_TEXT(info.backend, info.name);
            for (size_t j = 0; j < rijn_aegis_kernel_count(); j++) {
                CHECK_STATUS(rijn_aegis_kernel_at(j, &other), RIJN_OK);
                CHECK(j == i || strcmp(other.backend, info.backend) != 0);
            }
        } else {
            rijn_key key;
            CHECK_STATUS(rijn_key_init(&key, key_bytes, 16, info.name), RIJN_ERR_BACKEND);
            CHECK_STATUS(rijn_use_backend(info.name), RIJN_ERR_BACKEND);
        }
    }
}

/* Each backend has AEGIS: kernels.c lists a kernel that requires no more than the backend. */
static void test_every_backend_has_a_kernel(void)
{
    for (size_t i = 0; i < rijn_backend_count(); i++) {
        const rijn_backend_info info = at(i);
        bool has_one = false;

        for (size_t j = 0; j < rijn_aegis_kernel_count(); j++) {
            rijn_aegis_kernel_info kernel;
            CHECK_STATUS(rijn_aegis_kernel_at(j, &kernel), RIJN_OK);
            has_one |=
                strcmp(kernel.backend, info.name) == 0 && (kernel.available || !info.available);
        }
        note("backend %s has no kernel of AEGIS in src/aegis/kernels.c", info.name);
        CHECK(has_one);
    }
}

static void check_names(void)
{
    char want[512] = "", got[512];
    for (size_t i = 0; i < rijn_backend_count(); i++) {
        const rijn_backend_info info = at(i);
        const size_t used = strlen(want);
        snprintf(want + used, sizeof want - used, info.available ? "%s%s" : "%s(%s)",
                 i == 0 ? "" : " ", info.name);
    }
    const size_t size = strlen(want) + 1;

    CHECK(rijn_backend_names(NULL, 0) == size);
    for (size_t room = 0; room < size; room++) {
        memset(got, 0x5a, sizeof got);
        CHECK(rijn_backend_names(got, room) == size);
        CHECK_FILL(got, 0x5a, sizeof got);
    }
    for (size_t room = size; room < size + 3; room++) {
        memset(got, 0x5a, sizeof got);
        CHECK(rijn_backend_names(got, room) == size);
        CHECK_TEXT(got, want);
        CHECK_FILL(got + size, 0x5a, sizeof got - size);
    }
}

static void test_names(void)
{
    note("names");
    check_names();
    note("names without any CPU feature");
    rijn_cpu_limit(0);
    check_names();
    rijn_cpu_limit(UINT64_MAX);
}

/* ---- The choice for the process ---- */

static void test_use_backend(void)
{
    static const char *const unknown[] = {"", "aes", "AESNI", "aesni ", "reference", "python"};

    note("rijn_use_backend");
    check_best();
    for (size_t i = 0; i < rijn_backend_count(); i++) {
        const rijn_backend_info info = at(i);
        if (!info.available) {
            CHECK_STATUS(rijn_use_backend(info.name), RIJN_ERR_UNAVAILABLE);
            continue;
        }
        CHECK_STATUS(rijn_use_backend(info.name), RIJN_OK);
        check_default(RIJN_OK, info.name);
        for (size_t j = 0; j < sizeof unknown / sizeof unknown[0]; j++)
            CHECK_STATUS(rijn_use_backend(unknown[j]), RIJN_ERR_BACKEND);
        check_default(RIJN_OK, info.name); /* failed calls changed nothing */
    }
    CHECK_STATUS(rijn_use_backend(NULL), RIJN_OK);
    check_best();
}

/* Earlier bytes in the key's memory, perhaps an older key, are gone. */
static void test_rewritten(void)
{
    static const uint8_t bytes[32] = {1, 2, 3};
    rijn_key fresh, used;

    for (size_t i = 0; i < rijn_backend_count(); i++) {
        if (!at(i).available)
            continue;
        for (size_t size = 16; size <= 32; size += 8) {
            note("%s, a key of %zu bytes over another", at(i).name, size);
            memset(&fresh, 0, sizeof fresh);
            memset(&used, 0xa5, sizeof used);
            CHECK_STATUS(rijn_key_init(&fresh, bytes, size, at(i).name), RIJN_OK);
            CHECK_STATUS(rijn_key_init(&used, bytes, size, at(i).name), RIJN_OK);
            CHECK(memcmp(used.context, fresh.context, sizeof fresh.context) == 0);
            CHECK(used.size == fresh.size && used.short_tags == fresh.short_tags);
        }
    }
}

static void test_texts(void)
{
    note("texts");
    CHECK_TEXT(rijn_version(), RIJN_VERSION);
    for (int status = RIJN_OK; status <= RIJN_ERR_RANDOM; status++) {
        const char *text = rijn_status_text((rijn_status)status);
        CHECK(text != NULL && strlen(text) > 0 && text[strlen(text) - 1] != '.');
        for (int earlier = RIJN_OK; earlier < status; earlier++)
            CHECK(strcmp(text, rijn_status_text((rijn_status)earlier)) != 0);
    }
    CHECK(strlen(rijn_status_text((rijn_status)99)) > 0);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "raised") == 0)
        _exit(raised_main());
    unsetenv("RIJN_BACKEND"); /* set by the user of the tests; unset before the library reads it */
    test_environment();
    test_raised(argv[0]);
    test_list();
    test_kernels();
    test_every_backend_has_a_kernel();
    test_names();
    test_use_backend();
    test_rewritten();
    test_texts();
    return test_result(argv[0]);
}
