/* Tests constant time in one of two ways. With valgrind: the key and the data are marked as undefined
 * memory, and memcheck reports every branch and every address that depends on them. Compiled with
 * RIJN_STEPS: the CPU or QEMU (steps.h), which know instructions that valgrind does not, run an
 * operation of the library as users get it, one instruction at a time, with several sets of secrets.
 * The test reports an operation if a branch, an address or a mask of loaded or stored bytes differs.
 *
 *     valgrind ct BACKEND clean    no operation may be reported
 *     valgrind ct BACKEND leaky    every operation must be reported (`table`)
 *     valgrind ct planted leaky    the same for the leaks planted below, and for an omission
 *     ct_steps … SETS              the same with SETS other sets of secrets; with 0, one other set
 *                                  and a sample of the operations (make test)
 *
 * The operations are the table of calls (calls.h). Only valgrind watches the preparation of a call;
 * each preparing call has its own row. Every public function must be called with secrets, or be listed
 * as one that gets none.
 *
 * Secret: key, plaintext, ciphertext, associated data, the IV of CBC, the tweak of XTS, tags.
 * Public: every size, the counter block of CTR, nonces (but not the counter block of GCM for a nonce
 * without 12 bytes: it depends on the key). The library discloses, only through RIJN_PUBLIC (src/ct.h):
 * if a tag was right, if a padding was right, and its length; if the halves of an XTS key are equal;
 * the tag of SIV where it is the counter block.
 *
 * memcheck cannot detect instructions whose time depends on their operands (multiplication and division
 * on some CPUs), or speculation. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check/backend_names.h"
#include "../calls.h"
#include "backend.h"
#include "cpu.h"
#include "modes/message.h"
#ifdef RIJN_STEPS
#include "steps.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#else
#include <valgrind/memcheck.h>
#endif

enum {
    SHORT = 53,
    SIZE = 16 * 68 + 21, /* more than two flights of any backend */
    AD = 37,
    AEGIS_AD = 150 /* more than a unit of any variant */
};

/* ---- Planted leaks, which the check must find ---- */

static rijn_status branch_on_secret(void)
{
    if (given.key_bytes[0] & 1)
        call_out[0]++;
    return RIJN_OK;
}

static rijn_status address_from_secret(void)
{
    call_out[0] = ((volatile uint8_t *)given.nonce)[given.key_bytes[1] % sizeof given.nonce];
    return RIJN_OK;
}

#if defined(RIJN_STEPS) && defined(__x86_64__)
__attribute__((target("avx512bw,avx512vl"))) static rijn_status mask_from_secret(void)
{
    if (!(rijn_cpu() & RIJN_CPU(AVX512BW) && rijn_cpu() & RIJN_CPU(AVX512VL)))
        return branch_on_secret(); /* nothing to plant here */
    _mm_storeu_si128((__m128i *)(void *)call_out,
                     _mm_maskz_loadu_epi8((__mmask16)given.key_bytes[2], given.nonce));
    return RIJN_OK;
}
#endif

static const call planted[] = {
    {.name = "branch on a secret", .run = branch_on_secret},
    {.name = "address from a secret", .run = address_from_secret},
#if defined(RIJN_STEPS) && defined(__x86_64__)
    {.name = "mask from a secret", .run = mask_from_secret},
#endif
};

/* ---- The watch ---- */

static bool leaky;      /* every call must be reported; otherwise none */
static size_t ran, bad; /* calls */

/* Returns true if the call runs AES on secrets, so that a leaky backend leaks. */
static bool may_leak(const call *c)
{
    return !(c->flags & (PLAIN | NO_AES));
}

static bool has_first_nonce(const call *c)
{
    return !c->nonces[0] || given.nonce_size == c->nonces[0];
}

static void judge(const call *c, size_t reports)
{
    const bool good = !leaky ? reports == 0 : reports != 0 || !may_leak(c);

    ran++;
    bad += !good;
    if (!good || leaky)
        printf("%-14s %-36s key %zu, nonce %zu: %zu reports%s\n", given.kernel, c->name,
               given.key_size, given.nonce_size, reports,
               good    ? ", as it should be"
               : leaky ? ": the check does not bite"
                       : ": LEAKS");
}

static void require(const call *c, bool held, const char *what)
{
    if (held)
        return;
    printf("%s, %s: %s\n", given.kernel, c->name, what);
    exit(EXIT_FAILURE);
}

#ifdef RIJN_STEPS
/* ---- With the CPU or QEMU ---- */

static size_t sets = 1;   /* sets of secrets to compare with the first */
static size_t all_steps;  /* compared instructions */
static bool sampled;      /* only a few calls are run */
static bool keys_sampled; /* the same for keys that are not the longest */

static bool has_longest_key(const call *c)
{
    const size_t count = strlen((const char *)c->keys);

    return given.key_size == (count ? c->keys[count - 1] : 32);
}

static bool is_a_sample(const call *c)
{
    static const char *const samples[] = {"rijn_key_init", "rijn_ecb_decrypt", "rijn_ctr_crypt",
                                          "rijn_gcm_seal", "rijn_gcm_open",    "rijn_aegis_seal"};

    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        if (strcmp(c->name, samples[i]) == 0)
            return true;
    return false;
}

static rijn_status answer;

static void step(void)
{
    answer = call_run();
}

static void watch(const call *c)
{
    size_t reports = 0;

    if (keys_sampled && !has_longest_key(c) && (sampled || !is_a_sample(c)))
        return;
    if (sampled && (given.size == LONGEST || !has_first_nonce(c) || !is_a_sample(c)))
        return;
    calls_draw(1, 0);
    require(c, call_prepare(c), "it is not prepared");
    step(); /* one-time work, such as detecting the CPU, is done here */
    for (uint32_t secrets = 0; secrets <= (sets ? sets : 1); secrets++) {
        calls_draw(1, secrets);
        require(c, call_prepare(c), "it is not prepared");
        if (secrets == 0) {
            steps_first(step);
        } else if (!steps_again(step)) {
            const steps_fork at = steps_difference();
            if (!leaky && !(c->flags & DISCLOSES) && !reports)
                printf("%s, %s: after %#lx, one run went to %#lx, the other to %#lx\n",
                       given.kernel, c->name, (unsigned long)at.after, (unsigned long)at.first,
                       (unsigned long)at.again);
            reports++;
        }
        require(c, answer == c->want, "another status");
        all_steps += steps_count();
    }
    judge(c, c->flags & DISCLOSES ? leaky : reports);
}

#else
/* ---- With valgrind ---- */

static void hide(void *part, size_t size)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(part, size);
}

static void show(void *part, size_t size)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(part, size);
}

/* Runs a call without marks, then with marked secrets, and counts memcheck's reports of the second run.
 * If no report is allowed, reports during the preparation count too. Both runs must give the same
 * output. */
static void watch(const call *c)
{
    static size_t size, ad_size; /* of the inputs drawn last */
    static uint8_t out[sizeof call_out], tag[sizeof call_tag];

    if (size != given.size || ad_size != given.ad_size)
        calls_draw(1, 0);
    size = given.size;
    ad_size = given.ad_size;
    require(c, call_prepare(c) && call_run() == c->want, "it fails with nothing marked");
    memcpy(out, call_out, sizeof out);
    memcpy(tag, call_tag, sizeof tag);
    calls_secrets(hide);
    const unsigned before = VALGRIND_COUNT_ERRORS;
    if (leaky)
        VALGRIND_DISABLE_ERROR_REPORTING;
    require(c, call_prepare(c), "it is not prepared");
    if (leaky)
        VALGRIND_ENABLE_ERROR_REPORTING;
    const rijn_status answer = call_run();
    const unsigned reports = VALGRIND_COUNT_ERRORS - before;
    calls_secrets(show);
    show(call_out, sizeof call_out);
    show(call_tag, sizeof call_tag);
    require(c, answer == c->want, "another status");
    require(c,
            c->flags & DRAWN ||
                (memcmp(call_out, out, sizeof out) == 0 && memcmp(call_tag, tag, sizeof tag) == 0),
            "the marked run gave another result");
    judge(c, reports);
}
#endif

/* ---- The watched calls ---- */

/* Returns true if a kernel of AEGIS, but no backend, has this name. Sets its backend in `given`. */
static bool find_kernel(const char *name)
{
    rijn_aegis_kernel_info info;

    for (size_t i = 0; i < rijn_aegis_kernel_count(); i++)
        if (rijn_aegis_kernel_at(i, &info) == RIJN_OK && strcmp(info.name, name) == 0 &&
            strcmp(info.backend, name) != 0) {
            given.backend = info.backend;
            return true;
        }
    return false;
}

#if defined(RIJN_STEPS) && defined(__x86_64__)
/* Returns true if valgrind knows all instructions of a backend, and so watches it anyway. */
static bool valgrind_runs(const char *name)
{
    const uint64_t missing = RIJN_CPU(VAES) | RIJN_CPU(VPCLMULQDQ) | RIJN_CPU(AVX512F);

    for (size_t i = 0; i < rijn_registry_size; i++)
        if (strcmp(rijn_registry[i]->name, name) == 0)
            return !(rijn_registry[i]->cpu & missing);
    return false;
}
#endif

/* Sizes for which some kernels have special loops. */
static bool is_long(const call *c)
{
    return has_first_nonce(c) && call_has_bulk(c) && c->family != OF_FEEDBACK &&
           !(c->flags & (MANY | SEVERAL));
}

static bool has_register_code(const call *c)
{
    return has_first_nonce(c) && call_has_register_code(c);
}

static bool is_slow(const call *c)
{
    return c->flags & SLOW;
}

static bool is_quick(const call *c)
{
    return !is_slow(c);
}

/* Returns true if the backend has functions for large messages whose output bypasses the caches. */
static bool has_bypass(void)
{
    for (size_t i = 0; i < rijn_registry_size; i++)
        if (strcmp(rijn_registry[i]->name, given.backend) == 0)
            return rijn_registry[i]->bypass_stack != 0;
    return false;
}

/* One key size is enough: these functions are the same for every key, and single steps are slow. */
static bool is_quick_with_shortest_key(const call *c)
{
    return is_quick(c) && has_first_nonce(c) && given.key_size == (c->keys[0] ? c->keys[0] : 16);
}

static void watch_aes(void)
{
    static const size_t ends[] = {5, 16, 48, 64, 150, 300, 480, 500};

    given.kernel = given.backend;
    calls_of_aes(SHORT, AD, is_slow, watch);
    calls_of_aes(SIZE, AD, is_quick, watch);
    calls_of_aes(LONGEST, AD, is_long, watch);
    for (size_t i = 0; !leaky && i < sizeof ends / sizeof ends[0]; i++) /* some run no AES */
        calls_of_aes(ends[i], 13, has_register_code, watch);
#ifdef RIJN_STEPS
    keys_sampled = false;
#endif
    if (!has_bypass())
        return;
    rijn_bypass_size = 1; /* every message counts as larger than the caches */
    calls_of_aes(SIZE, AD, is_quick_with_shortest_key, watch);
}

/* Watches one kernel, or all kernels of the backend. */
static void watch_aegis(const char *only)
{
#ifdef RIJN_STEPS
    keys_sampled = false;
#endif
    for (size_t k = 0; k < rijn_aegis_kernel_count(); k++) {
        rijn_aegis_kernel_info info;
        if (rijn_aegis_kernel_at(k, &info) != RIJN_OK)
            abort();
        if (strcmp(info.backend, given.backend) != 0 || !info.available ||
            (only && strcmp(info.name, only) != 0))
            continue;
        given.kernel = info.name;
        for (unsigned v = 0; v < RIJN_AEGIS_VARIANTS; v++) {
            given.variant = (rijn_aegis_variant)v;
#ifdef RIJN_STEPS
            if (sampled && v != RIJN_AEGIS_128X4 && v != RIJN_AEGIS_256)
                continue;
#endif
            calls_of_aegis(SIZE, AEGIS_AD, NULL, watch);
        }
    }
}

static void watch_planted(void)
{
    given.kernel = "planted";
    given.size = SIZE;
    for (given.key_size = 16; given.key_size <= 32; given.key_size += 8)
        for (size_t i = 0; i < sizeof planted / sizeof planted[0]; i++)
            watch(&planted[i]);
}

static bool is_available(const char *name)
{
    rijn_backend_info info;

    for (size_t i = 0; i < rijn_backend_count(); i++)
        if (rijn_backend_at(i, &info) == RIJN_OK && strcmp(info.name, name) == 0)
            return info.available;
    return false;
}

/* Checks that the backend's entry in the registry states the tested property. */
static void check_registry(void)
{
    rijn_backend_info info;

    for (size_t i = 0; i < rijn_backend_count(); i++) {
        if (rijn_backend_at(i, &info) == RIJN_OK && strcmp(info.name, given.backend) == 0 &&
            info.constant_time == leaky) {
            printf("%s: the registry says constant_time = %d\n", given.backend, info.constant_time);
            bad++;
        }
    }
}

int main(int argc, char **argv)
{
    const bool plant = argc > 1 && strcmp(argv[1], "planted") == 0;

#ifdef RIJN_STEPS
    if (argc != 4) {
        fprintf(stderr, "usage: %s BACKEND|KERNEL|planted clean|leaky SETS\n", argv[0]);
        return EXIT_FAILURE;
    }
    sets = strtoul(argv[3], NULL, 10);
    const bool sample = !sets && !plant;
    sampled = sample;
    keys_sampled = sets <= 1 && !plant;
#else
    if (argc != 3 || !RUNNING_ON_VALGRIND) {
        fprintf(stderr, "usage: valgrind %s BACKEND|planted clean|leaky\n", argv[0]);
        return EXIT_FAILURE;
    }
    const bool sample = false;
#endif

    leaky = strcmp(argv[2], "leaky") == 0;
    if (!plant && !is_a_backend(argv[1]) && strcmp(argv[1], "aesni-avx512vl") != 0) {
        fprintf(stderr, "%s: no such backend. There are: %s\n", argv[1], RIJN_TESTED_BACKENDS);
        return EXIT_FAILURE;
    }
    const bool alone = find_kernel(argv[1]); /* only a kernel of AEGIS */
    if (!alone)
        given.backend = argv[1];
#if defined(RIJN_STEPS) && defined(__x86_64__)
    if (!plant && !alone && valgrind_runs(given.backend)) {
        printf("skipped %s: valgrind runs it\n", given.backend);
        return 77;
    }
#endif
    if (plant) {
        watch_planted();
        bad += !calls_notice_omission();
    } else if (is_available(given.backend)) {
        if (!alone)
            watch_aes();
        watch_aegis(alone ? argv[1] : NULL);
        check_registry();
        if (!sample && !alone)
            bad += calls_forgotten();
    }
    if (ran == 0) {
        printf("skipped %s: not in this build or not on this machine\n", argv[1]);
        return 77;
    }
#ifdef RIJN_STEPS
    printf("%zu instructions\n", all_steps);
#endif
    printf("%s: %zu calls watched, %zu not as they should be (%s)\n", argv[1], ran, bad,
           leaky ? "each with AES should be reported" : "none should be reported");
    return bad == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
