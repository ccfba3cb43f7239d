/* Tests which kernel runs: the rules for choosing a function table, the backend for each CPU mask, what
 * function tables may share, and that every public call enters only the functions of the key's
 * backend. */
#include "check.h"

#include "aegis/kernel.h"
#include "backends.h"
#include "cpu.h"
#include "mock.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MASK(feature, name, flag) | RIJN_CPU(feature)

static const uint8_t key_bytes[32] = "thirty-two bytes and a NUL last";

/* ---- Choice: the rules, with invented function tables ---- */

#define XMM (RIJN_CPU(AES) | RIJN_CPU(PCLMULQDQ) | RIJN_CPU(SSSE3) | RIJN_CPU(SSE41))
#define YMM (XMM | RIJN_CPU(VAES) | RIJN_CPU(VPCLMULQDQ) | RIJN_CPU(AVX2))
#define ZMM (XMM | RIJN_CPU(VAES) | RIJN_CPU(VPCLMULQDQ) | RIJN_CPU(AVX512F) | RIJN_CPU(AVX512BW))

/* A list of the largest possible size. */
#define INVENTED(its_name, needs, avoids, is_constant_time, is_automatic) \
    static const rijn_backend its_name = {.name = #its_name, \
                                          .cpu = needs, \
                                          .avoid = avoids, \
                                          .constant_time = is_constant_time, \
                                          .automatic = is_automatic};
INVENTED(zmm, ZMM, RIJN_CPU(SLOW_ZMM), true, true)
INVENTED(ymm, YMM, 0, true, true)
INVENTED(xmm, XMM, 0, true, true)
INVENTED(narrow, RIJN_CPU(POPCNT), RIJN_CPU(AVX2), true, true)
INVENTED(asked, RIJN_CPU(SSE2), 0, true, false)
INVENTED(arm, RIJN_CPU(ARM_AES) | RIJN_CPU(PMULL), 0, true, true)
INVENTED(rvv, RIJN_CPU(ZVKNED) | RIJN_CPU(ZVKG), 0, true, true)
INVENTED(plain, 0, 0, true, true)
INVENTED(plainer, 0, 0, true, true)
INVENTED(leaky, 0, 0, false, false)
static const rijn_backend *const backends[] = {&zmm, &ymm, &xmm,   &narrow,  &asked,
                                               &arm, &rvv, &plain, &plainer, &leaky};

static void check_rule(uint64_t cpu, const rijn_backend *want)
{
    const rijn_backend *found = &leaky;

    note("rule: %s on %llx", want->name, (unsigned long long)cpu);
    CHECK_STATUS(rijn_backend_choose(backends, COUNT(backends), cpu, NULL, &found), RIJN_OK);
    CHECK(found == want);
}

static void test_rules(void)
{
    static const uint64_t x86 = UINT64_C(0) RIJN_CPU_X86(MASK), arms = 0 RIJN_CPU_ARM(MASK),
                          riscv = 0 RIJN_CPU_RISCV(MASK);
    const rijn_backend *found = &leaky;
    rijn_backend_info info;

    /* the first, and the next one if a single feature is missing */
    check_rule(x86, &zmm);
    check_rule(x86 & ~RIJN_CPU(AVX512BW), &ymm);
    check_rule(x86 & ~RIJN_CPU(AVX512F), &ymm);
    check_rule(x86 & ~RIJN_CPU(VAES), &xmm);
    check_rule(x86 & ~RIJN_CPU(AVX2), &zmm);
    check_rule(x86 & ~(RIJN_CPU(AVX2) | RIJN_CPU(AVX512F)), &xmm);
    /* exactly the required features, and one less */
    check_rule(ZMM, &zmm);
    check_rule(YMM, &ymm);
    check_rule(XMM, &xmm);
    for (unsigned bit = 0; bit < 64; bit++) {
        const uint64_t one = UINT64_C(1) << bit;
        if (XMM & one)
            check_rule(XMM & ~one, &plain);
        if (ZMM & ~XMM & one)
            check_rule(XMM | (ZMM & ~one), &xmm);
    }
    /* a single feature to avoid among all features, and one of many required ones missing */
    check_rule(x86 | RIJN_CPU(SLOW_ZMM), &ymm);
    check_rule((x86 | RIJN_CPU(SLOW_ZMM)) & ~RIJN_CPU(VAES), &xmm);
    check_rule(RIJN_CPU(POPCNT), &narrow);
    check_rule(RIJN_CPU(POPCNT) | RIJN_CPU(AVX2), &plain);
    check_rule(RIJN_CPU(POPCNT) | RIJN_CPU(AVX), &narrow);
    /* backends that are only chosen by name are skipped, and the first possible one is chosen */
    check_rule(RIJN_CPU(SSE2), &plain);
    check_rule(0, &plain);
    /* features whose numbers are above 16 and above 32 */
    check_rule(arms, &arm);
    check_rule(arms & ~RIJN_CPU(PMULL), &plain);
    check_rule(riscv, &rvv);
    check_rule(riscv & ~RIJN_CPU(ZVKNED), &plain);
    check_rule(UINT64_MAX, &ymm);

    /* by name: ignores features to avoid, and also finds backends that are not automatic */
    for (size_t i = 0; i < COUNT(backends); i++) {
        const rijn_backend *const backend = backends[i];
        note("rule: %s by name", backend->name);
        CHECK_STATUS(rijn_backend_choose(backends, COUNT(backends), backend->cpu | backend->avoid,
                                         backend->name, &found),
                     RIJN_OK);
        CHECK(found == backend);
        for (unsigned bit = 0; bit < 64; bit++)
            if (backend->cpu >> bit & 1)
                CHECK_STATUS(rijn_backend_choose(backends, COUNT(backends), ~(UINT64_C(1) << bit),
                                                 backend->name, &found),
                             RIJN_ERR_UNAVAILABLE);
        rijn_backend_describe(backend, backend->cpu | backend->avoid, &info);
        CHECK_TEXT(info.name, backend->name);
        CHECK(info.available && info.automatic == (backend->automatic && !backend->avoid));
        rijn_backend_describe(backend, backend->cpu, &info);
        CHECK(info.available && info.automatic == backend->automatic);
        rijn_backend_describe(backend, 0, &info);
        CHECK(info.available == (backend->cpu == 0) && info.automatic == backend->automatic);
        CHECK((info.reason[0] == '\0') == (backend->cpu == 0));
    }
    for (const char *const *name = (const char *const[]){"", "ym", "ymmm", "YMM", NULL}; *name;
         name++) {
        CHECK_STATUS(rijn_backend_choose(backends, COUNT(backends), UINT64_MAX, *name, &found),
                     RIJN_ERR_BACKEND);
        CHECK(found == NULL);
    }
    note("rule: the highest bit");
    const rijn_backend high = {.name = "high", .cpu = UINT64_C(1) << 63, .automatic = true};
    const rijn_backend low = {.name = "low", .avoid = UINT64_C(1) << 63, .automatic = true};
    const rijn_backend *const both[] = {&low, &high};
    CHECK_STATUS(rijn_backend_choose(both, 2, UINT64_MAX, NULL, &found), RIJN_OK);
    CHECK(found == &high);
    CHECK_STATUS(rijn_backend_choose(both, 2, UINT64_MAX >> 1, NULL, &found), RIJN_OK);
    CHECK(found == &low);
    CHECK_STATUS(rijn_backend_choose(both, 2, 0, "high", &found), RIJN_ERR_UNAVAILABLE);
    note("rule: nothing to choose");
    CHECK_STATUS(rijn_backend_choose(&backends[0], 3, 0, NULL, &found), RIJN_ERR_UNAVAILABLE);
    CHECK_STATUS(rijn_backend_choose(backends, 0, UINT64_MAX, NULL, &found), RIJN_ERR_UNAVAILABLE);
}

/* The rules for the AEGIS kernels of a backend, which require additional features. */
static void test_kernel_rules(void)
{
    static const rijn_aegis_kernel kernels[] = {
        {"zmm", &xmm, "", RIJN_CPU(VAES) | RIJN_CPU(AVX512F), RIJN_CPU(SLOW_ZMM), NULL},
        {"plain", &plain, "", 0, 0, NULL},
        {"ymm", &xmm, "", RIJN_CPU(VAES), 0, NULL},
        {"xmm", &xmm, "", 0, 0, NULL},
    };
    const uint64_t wide = XMM | RIJN_CPU(VAES) | RIJN_CPU(AVX512F);

    note("rules of kernels");
    CHECK(rijn_aegis_kernel_best(kernels, COUNT(kernels), &xmm, wide) == &kernels[0]);
    CHECK(rijn_aegis_kernel_best(kernels, COUNT(kernels), &xmm, wide | RIJN_CPU(SLOW_ZMM)) ==
          &kernels[2]);
    CHECK(rijn_aegis_kernel_best(kernels, COUNT(kernels), &xmm, wide & ~RIJN_CPU(AVX512F)) ==
          &kernels[2]);
    CHECK(rijn_aegis_kernel_best(kernels, COUNT(kernels), &xmm, wide & ~RIJN_CPU(VAES)) ==
          &kernels[3]);
    CHECK(rijn_aegis_kernel_best(kernels, COUNT(kernels), &xmm, XMM) == &kernels[3]);
    CHECK(rijn_aegis_kernel_best(kernels, COUNT(kernels), &plain, wide) == &kernels[1]);
    CHECK(rijn_aegis_kernel_best(kernels, COUNT(kernels), &plain, 0) == &kernels[1]);
    note("rules of kernels: a backend without a kernel");
    CHECK(rijn_aegis_kernel_best(kernels, COUNT(kernels), &ymm, UINT64_MAX) == NULL);
    CHECK(rijn_aegis_kernel_best(kernels, 3, &xmm, XMM) == NULL);
    CHECK(rijn_aegis_kernel_best(kernels, 1, &xmm, wide | RIJN_CPU(SLOW_ZMM)) == NULL);
    CHECK(rijn_aegis_kernel_best(kernels, 0, &plain, UINT64_MAX) == NULL);
}

/* ---- Choice: this build's registry, under many CPU masks ---- */
/* The code of AEGIS kernels: two kernels share all of their code or none. Kernels that share code
 * are both constant time or both not. Each function belongs to the variant of its place. */
static void test_kernel_code(void)
{
    static const size_t degrees[RIJN_AEGIS_VARIANTS] = {1, 2, 4, 1, 2, 4};

    for (size_t i = 0; i < rijn_aegis_kernels_size; i++) {
        const rijn_aegis_kernel *const a = &rijn_aegis_kernels[i];
        note("code of kernel %s", a->name);
        for (unsigned v = 0; v < RIJN_AEGIS_VARIANTS; v++) {
            const rijn_aegis_code *const code = &a->code[v];
            CHECK(code->key_size == rijn_aegis_key_size((rijn_aegis_variant)v));
            CHECK(code->degree == degrees[v]);
            CHECK(code->rate == (code->key_size == 16 ? 32 : 16) * degrees[v]);
            for (unsigned w = 0; w < v; w++)
                CHECK(code->call != a->code[w].call && code->next != a->code[w].next);
        }
        for (size_t j = 0; j < i; j++) {
            const rijn_aegis_kernel *const b = &rijn_aegis_kernels[j];
            if (a->code == b->code)
                CHECK(a->backend != b->backend &&
                      a->backend->constant_time == b->backend->constant_time);
            else
                for (unsigned v = 0; v < RIJN_AEGIS_VARIANTS; v++)
                    CHECK(a->code[v].call != b->code[v].call && a->code[v].next != b->code[v].next);
        }
    }
}

/* The chosen AEGIS kernel: the name of a backend gives its first kernel that can run, the name of a kernel
 * gives that kernel or an error. */
static void check_kernels(const rijn_backend *backend)
{
    const bool runs = (backend->cpu & ~rijn_cpu()) == 0;
    const rijn_aegis_kernel *want = NULL;
    rijn_aegis_key key;

    for (size_t i = 0; i < rijn_aegis_kernels_size; i++) {
        const rijn_aegis_kernel *const kernel = &rijn_aegis_kernels[i];
        if (kernel->backend != backend)
            continue;
        const bool this_runs = runs && (kernel->cpu & ~rijn_cpu()) == 0;
        rijn_aegis_kernel_info info;
        CHECK_STATUS(rijn_aegis_kernel_at(i, &info), RIJN_OK);
        CHECK(info.available == this_runs && (info.reason[0] == '\0') == this_runs);
        if (want == NULL && this_runs && (kernel->avoid & rijn_cpu()) == 0)
            want = kernel;
        if (strcmp(kernel->name, backend->name) == 0)
            continue;
        CHECK_STATUS(rijn_aegis_key_init(&key, RIJN_AEGIS_128L, key_bytes, 16, kernel->name),
                     this_runs ? RIJN_OK : RIJN_ERR_UNAVAILABLE);
        CHECK(key.kernel == (this_runs ? kernel : NULL));
    }
    CHECK((want != NULL) == runs);
    for (unsigned v = 0; v < RIJN_AEGIS_VARIANTS; v++) {
        CHECK_STATUS(rijn_aegis_key_init(&key, (rijn_aegis_variant)v, key_bytes,
                                         rijn_aegis_key_size((rijn_aegis_variant)v), backend->name),
                     runs ? RIJN_OK : RIJN_ERR_UNAVAILABLE);
        CHECK(key.kernel == want);
        CHECK(key.code == (runs ? &want->code[v] : NULL));
    }
}

/* The list backends.def. `here`: the architecture and configuration of this build have the backend. */
static const struct {
    const char *name;
    bool here, constant_time;
} listed[] = {
#define RIJN_BACKEND(where, id, name, timing, choice, kernels) \
    {name, 0 RIJN_IN_##where(+1), RIJN_TIMING_##timing},
#include "backends.def"
#undef RIJN_BACKEND
};

/* Checks that the registry has the backends of the list in its order. */
static void test_list(void)
{
    size_t found = 0;

    for (size_t i = 0; i < COUNT(listed); i++) {
        const rijn_backend *const next = found < rijn_registry_size ? rijn_registry[found] : NULL;
        const bool built = next && strcmp(next->name, listed[i].name) == 0;
        note("list: %s", listed[i].name);
        if (listed[i].constant_time) /* CMake has options to leave out the others */
            CHECK(built == listed[i].here);
        if (!built)
            continue;
        found++;
    }
    note("list: its end");
    CHECK(found == rijn_registry_size);
}

/* 1 if this build has a backend for every machine. */
#ifdef RIJN_BACKENDS_DEF
enum { WITH_EVERY_MACHINE = 0 };
#else
enum { WITH_EVERY_MACHINE = 1 };
#endif

static void check_choice(uint64_t mask)
{
    const rijn_backend *want = NULL;
    rijn_key key;

    rijn_cpu_limit(mask);
    note("CPU mask %llx of %llx", (unsigned long long)mask, (unsigned long long)rijn_cpu());
    for (size_t i = 0; i < rijn_registry_size; i++) {
        const rijn_backend *backend = rijn_registry[i];
        const bool runs = (backend->cpu & rijn_cpu()) == backend->cpu;
        const bool automatic = backend->automatic && (backend->avoid & rijn_cpu()) == 0;
        rijn_backend_info info;
        CHECK_STATUS(rijn_backend_at(i, &info), RIJN_OK);
        CHECK_TEXT(info.name, backend->name);
        CHECK(info.available == runs && info.automatic == automatic);
        CHECK((info.reason[0] == '\0') == runs);
        CHECK_STATUS(rijn_key_init(&key, key_bytes, 16, backend->name),
                     runs ? RIJN_OK : RIJN_ERR_UNAVAILABLE);
        CHECK(key.backend == (runs ? backend : NULL));
        check_kernels(backend);
        if (want == NULL && runs && automatic)
            want = backend;
    }
    if (WITH_EVERY_MACHINE)
        CHECK(want != NULL);
    CHECK_STATUS(rijn_key_init(&key, key_bytes, 16, NULL), want ? RIJN_OK : RIJN_ERR_UNAVAILABLE);
    CHECK(key.backend == want);
}

static void test_choice(void)
{
    uint64_t needs[64] = {0}, known = 0, seed = 1;
    rijn_key key;
    size_t count = 0;

    /* the features that each function table requires or avoids, and these with one bit changed */
    for (size_t i = 0; i < rijn_registry_size; i++)
        needs[count++] = rijn_registry[i]->cpu | rijn_registry[i]->avoid;
    for (size_t i = 0; i < rijn_aegis_kernels_size; i++)
        needs[count++] = rijn_aegis_kernels[i].cpu | rijn_aegis_kernels[i].avoid |
                         rijn_aegis_kernels[i].backend->cpu;
    for (size_t i = 0; i < count; i++)
        known |= needs[i];
    for (size_t i = 0; i < count; i++) {
        check_choice(needs[i]);
        check_choice(~needs[i]);
        for (unsigned bit = 0; bit < 64; bit++) {
            if ((known >> bit & 1) == 0)
                continue;
            check_choice(needs[i] ^ UINT64_C(1) << bit);
            check_choice(~needs[i] ^ UINT64_C(1) << bit);
        }
    }
    /* random subsets of the relevant bits */
    for (int i = 0; i < 2000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        check_choice((seed ^ seed >> 29) & known);
    }
    check_choice(0);
    check_choice(UINT64_MAX);
    make_key(&key, key_bytes, 16, NULL);
    printf("this machine's choice: %s\n", rijn_key_backend(&key));
}

/* ---- Valid registries ---- */

typedef void (*kernel_function)(void);

/* A function table and its functions: two in itself, the others in the tables of its modes. */
enum {
#define KERNELS_OF(mode, _) +sizeof(rijn_##mode##_table) / sizeof(kernel_function)
    KERNELS = 2 RIJN_TABLES(KERNELS_OF, )
#undef KERNELS_OF
};
typedef struct {
    rijn_backend backend;
    kernel_function kernels[KERNELS];
} full_backend;

static void make_full(full_backend *full, const rijn_backend *backend)
{
    char *to = (char *)&full->kernels[2];

    full->backend = *backend;
    full->kernels[0] = (kernel_function)backend->key_init;
    full->kernels[1] = (kernel_function)backend->encrypt_block;
#define COPY_KERNELS(mode, _) \
    memcpy(to, rijn_##mode##_of(backend), sizeof(rijn_##mode##_table)); \
    to += sizeof(rijn_##mode##_table);
    RIJN_TABLES(COPY_KERNELS, )
#undef COPY_KERNELS
}

static bool within(uint64_t part, uint64_t whole)
{
    return (part & ~whole) == 0;
}

/* Returns the number of architectures that these features belong to. */
static int machines(uint64_t cpu)
{
    static const uint64_t each[] = {UINT64_C(0) RIJN_CPU_X86(MASK), 0 RIJN_CPU_ARM(MASK),
                                    0 RIJN_CPU_RISCV(MASK)};
    int found = 0;
    for (size_t i = 0; i < COUNT(each); i++)
        found += (cpu & each[i]) != 0;
    return found;
}

static const char NO_MACHINE[] = "some machine has no backend";

/* Returns the fault of the second function table next to the first; NULL if there is none. */
static const char *fault_of_pair(const full_backend *first, const full_backend *second)
{
    const rijn_backend *const before = &first->backend, *const backend = &second->backend;
    const kernel_function *const theirs = first->kernels, *const ours = second->kernels;
    size_t shared = 0, given = 0;

    for (size_t i = 0; i < KERNELS; i++) {
        given += ours[i] != NULL;
        shared += ours[i] != NULL && ours[i] == theirs[i];
    }
    if (strcmp(before->name, backend->name) == 0)
        return "two backends with one name";
    if (shared == given)
        return "two names for the same functions";
    if (shared != 0 && !within(before->cpu, backend->cpu) && !within(backend->cpu, before->cpu))
        return "a function is shared, but neither backend runs wherever the other does";
    if (shared != 0 && before->constant_time != backend->constant_time)
        return "a function is shared by a constant-time and a leaky backend";
    if (before->automatic && backend->automatic && before->cpu != backend->cpu &&
        within(before->cpu, backend->cpu) && within(before->avoid, backend->avoid))
        return "requires more than an earlier backend, so is never chosen";
    return NULL;
}

/* Returns the first fault in a list of function tables; NULL if there is none. */
static const char *fault_of(const full_backend list[], size_t count)
{
    const rijn_backend *last = NULL;

    for (size_t j = 0; j < count; j++) {
        const rijn_backend *const backend = &list[j].backend;
        const uint64_t quirks = 0 RIJN_CPU_QUIRKS(MASK);
        if (machines(backend->cpu | (backend->avoid & ~quirks)) > 1)
            return "features of two architectures";
        if (backend->cpu & quirks)
            return "requires a quirk";
        if (backend->cpu & backend->avoid)
            return "requires and avoids the same feature";
        if (backend->automatic && !backend->constant_time)
            return "automatic, but not constant time";
        for (size_t i = 0; i < j; i++) {
            const char *const fault = fault_of_pair(&list[i], &list[j]);
            if (fault != NULL)
                return fault;
        }
        last = backend->automatic ? backend : last;
    }
    return last == NULL || last->cpu || last->avoid ? NO_MACHINE : NULL;
}

/* Invented function tables, each with its own functions. */
enum { MADE = 8 };
static full_backend made[MADE];

static uintptr_t *kernel_at(size_t backend, size_t kernel)
{
    return (uintptr_t *)&made[backend].kernels[kernel];
}

static void make_backends(void)
{
    static const rijn_backend *const from[MADE] = {&zmm, &ymm, &xmm,   &narrow,
                                                   &arm, &rvv, &plain, &leaky};
    for (size_t i = 0; i < MADE; i++) {
        made[i].backend = *from[i];
        for (size_t k = 0; k < KERNELS; k++)
            *kernel_at(i, k) = 1 + i * KERNELS + k;
    }
    /* wide backends share everything but their widest loops with narrow ones; narrow with plain */
    for (size_t k = 5; k < KERNELS; k++) {
        *kernel_at(2, 0) = *kernel_at(6, 0);
        *kernel_at(1, k) = *kernel_at(2, k);
        *kernel_at(3, k) = *kernel_at(6, k);
    }
    *kernel_at(7, KERNELS - 1) = 0; /* an optional one */
}

static void check_fault(const char *want)
{
    const char *const got = fault_of(made, MADE);

    note("backends: %s", want == NULL ? "right" : want);
    CHECK_TEXT(got == NULL ? "" : got, want == NULL ? "" : want);
    make_backends();
}

static void test_registry_faults(void)
{
    static full_backend built[COUNT(listed)];
    const char *fault;

    for (size_t i = 0; i < rijn_registry_size; i++)
        make_full(&built[i], rijn_registry[i]);
    fault = fault_of(built, rijn_registry_size);
    note("backends of this build");
    if (WITH_EVERY_MACHINE || fault != NO_MACHINE)
        CHECK_TEXT(fault == NULL ? "" : fault, "");

    make_backends();
    check_fault(NULL);
    made[4].backend.name = "ymm";
    check_fault("two backends with one name");
    memcpy(kernel_at(1, 0), kernel_at(2, 0), KERNELS * sizeof(uintptr_t));
    check_fault("two names for the same functions");
    for (size_t k = 0; k < KERNELS; k++)
        *kernel_at(7, k) = *kernel_at(7, k) == 0 ? 0 : *kernel_at(6, k);
    made[7].backend.constant_time = true;
    check_fault("two names for the same functions");
    *kernel_at(3, 0) = *kernel_at(2, 1);
    check_fault(NULL); /* not in the same place */
    *kernel_at(3, 1) = *kernel_at(2, 1);
    check_fault("a function is shared, but neither backend runs wherever the other does");
    *kernel_at(4, KERNELS - 1) = *kernel_at(5, KERNELS - 1);
    check_fault("a function is shared, but neither backend runs wherever the other does");
    *kernel_at(7, 3) = *kernel_at(6, 3);
    check_fault("a function is shared by a constant-time and a leaky backend");
    made[0].backend.avoid = 0, made[1].backend.cpu = ZMM | RIJN_CPU(AVX512VL);
    check_fault("requires more than an earlier backend, so is never chosen");
    made[1].backend.cpu = ZMM | RIJN_CPU(AVX512VL);
    check_fault(NULL); /* where the first is avoided */
    made[2].backend.cpu = 0;
    check_fault("requires more than an earlier backend, so is never chosen");
    made[7].backend.automatic = true;
    check_fault("automatic, but not constant time");
    made[2].backend.cpu |= RIJN_CPU(ZVKNED);
    check_fault("features of two architectures");
    made[5].backend.avoid = RIJN_CPU(AES);
    check_fault("features of two architectures");
    made[2].backend.cpu |= RIJN_CPU(SLOW_ZMM);
    check_fault("requires a quirk");
    made[2].backend.avoid = RIJN_CPU(SSSE3);
    check_fault("requires and avoids the same feature");
    made[6].backend.cpu = RIJN_CPU(SSSE3), made[3].backend.cpu |= RIJN_CPU(SSSE3);
    check_fault("some machine has no backend");
    made[6].backend.avoid = RIJN_CPU(SSE2);
    check_fault("some machine has no backend");
    made[6].backend.automatic = false;
    check_fault("some machine has no backend");
}

/* ---- A function table that counts calls and passes them on to a real one ---- */

enum operation {
    ECB_ENCRYPT,
    ECB_DECRYPT,
    CBC_ENCRYPT,
    CBC_DECRYPT,
    CTR_CRYPT,
    GHASH,
    GCM_ENCRYPT,
    GCM_DECRYPT,
    GCM_SEAL,
    GCM_OPEN,
    GCM_TAG,
    KEY_INIT,
    KEY_DECRYPT,
    KEY_HASH,
    ENCRYPT_BLOCK,
    DECRYPT_BLOCK,
    CBC_MAC,
    CTR_MAC_IN,
    CTR_MAC_OUT,
    CFB_ENCRYPT,
    CFB_DECRYPT,
    OFB_CRYPT,
    IGE_ENCRYPT,
    IGE_DECRYPT,
    XTS_ENCRYPT,
    XTS_DECRYPT,
    GCM_SIV_SEAL,
    GCM_SIV_OPEN,
    OCB_BEGIN,
    OCB_ENCRYPT,
    OCB_DECRYPT,
    OCB_HASH,
    CTR_IN_REGISTERS,
    CMAC_IN_REGISTERS,
    CBC_ENCRYPT_IN_REGISTERS,
    CBC_DECRYPT_IN_REGISTERS,
    GCM_SEAL_IN_REGISTERS,
    GCM_OPEN_IN_REGISTERS,
    CCM_IN_REGISTERS,
    EAX_IN_REGISTERS,
    S2V_IN_REGISTERS,
    ECB_ENCRYPT_IN_REGISTERS,
    ECB_DECRYPT_IN_REGISTERS,
    XTS_IN_REGISTERS,
    GCM_SIV_IN_REGISTERS,
    OCB_IN_REGISTERS,
    GCM_FIRST_IN_REGISTERS,
    GCM_END_IN_REGISTERS,
    OCB_FIRST_IN_REGISTERS,
    OCB_END_IN_REGISTERS,
    OPERATIONS
};

static const rijn_backend *real;
static unsigned entered[OPERATIONS];

static void count_ecb_encrypt(const void *c, uint8_t *out, const uint8_t *in, size_t blocks)
{
    entered[ECB_ENCRYPT]++;
    rijn_ecb_of(real)->ecb_encrypt(c, out, in, blocks);
}

static void count_ecb_decrypt(const void *c, uint8_t *out, const uint8_t *in, size_t blocks)
{
    entered[ECB_DECRYPT]++;
    rijn_ecb_of(real)->ecb_decrypt(c, out, in, blocks);
}

static void count_cbc_encrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[CBC_ENCRYPT]++;
    rijn_cbc_of(real)->cbc_encrypt(c, iv, out, in, blocks);
}

static void count_cbc_decrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[CBC_DECRYPT]++;
    rijn_cbc_of(real)->cbc_decrypt(c, iv, out, in, blocks);
}

static void count_ctr_crypt(const void *c, rijn_counter *counter, uint8_t *out, const uint8_t *in,
                            size_t size)
{
    entered[CTR_CRYPT]++;
    rijn_ctr_of(real)->ctr_crypt(c, counter, out, in, size);
}

static void count_ghash(const void *c, uint8_t y[16], const uint8_t *p, size_t blocks)
{
    entered[GHASH]++;
    rijn_gcm_of(real)->ghash(c, y, p, blocks);
}

static void count_gcm_crypt(const void *c, rijn_counter *counter, uint8_t y[16], uint8_t *out,
                            const uint8_t *in, size_t blocks, bool decrypting)
{
    entered[decrypting ? GCM_DECRYPT : GCM_ENCRYPT]++;
    rijn_gcm_of(real)->gcm_crypt(c, counter, y, out, in, blocks, decrypting);
}

static void count_gcm_seal(const void *c, uint8_t *out, uint8_t *tag, size_t tag_size,
                           const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                           size_t ad_size, const uint8_t *in, size_t size)
{
    entered[GCM_SEAL]++;
    rijn_gcm_of(real)->gcm_seal(c, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
}

static void count_gcm_open(const void *c, uint8_t *out, uint8_t tag[16], const uint8_t *nonce,
                           size_t nonce_size, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                           size_t size)
{
    entered[GCM_OPEN]++;
    rijn_gcm_of(real)->gcm_open(c, out, tag, nonce, nonce_size, ad, ad_size, in, size);
}

static void count_gcm_tag(const void *c, uint8_t *tag, size_t tag_size, const uint8_t *nonce,
                          size_t nonce_size, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                          size_t size)
{
    entered[GCM_TAG]++;
    rijn_gcm_of(real)->gcm_tag(c, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
}

static void count_key_init(void *c, const uint8_t *key, size_t size, unsigned uses, size_t blocks)
{
    entered[KEY_INIT]++;
    entered[KEY_DECRYPT] += (uses & USE_DECRYPT) != 0;
    entered[KEY_HASH] += (uses & USE_HASH) != 0;
    real->key_init(c, key, size, uses, blocks);
}

static void count_encrypt_block(const void *c, uint8_t out[16], const uint8_t in[16])
{
    entered[ENCRYPT_BLOCK]++;
    real->encrypt_block(c, out, in);
}

static void count_decrypt_block(const void *c, uint8_t out[16], const uint8_t in[16])
{
    entered[DECRYPT_BLOCK]++;
    rijn_ecb_of(real)->decrypt_block(c, out, in);
}

static void count_cbc_mac(const void *c, uint8_t chain[16], const uint8_t *in, size_t blocks)
{
    entered[CBC_MAC]++;
    rijn_cbc_of(real)->cbc_mac(c, chain, in, blocks);
}

static void count_ctr_mac_in(const void *c, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                             const uint8_t *in, size_t size)
{
    entered[CTR_MAC_IN]++;
    rijn_ctr_mac_of(real)->ctr_mac_in(c, counter, chain, out, in, size);
}

static void count_ctr_mac_out(const void *c, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                              const uint8_t *in, size_t size)
{
    entered[CTR_MAC_OUT]++;
    rijn_ctr_mac_of(real)->ctr_mac_out(c, counter, chain, out, in, size);
}

static void count_cfb_encrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[CFB_ENCRYPT]++;
    rijn_feedback_of(real)->cfb_encrypt(c, iv, out, in, blocks);
}

static void count_cfb_decrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[CFB_DECRYPT]++;
    rijn_feedback_of(real)->cfb_decrypt(c, iv, out, in, blocks);
}

static void count_ofb_crypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                            size_t blocks)
{
    entered[OFB_CRYPT]++;
    rijn_feedback_of(real)->ofb_crypt(c, iv, out, in, blocks);
}

static void count_ige_encrypt(const void *c, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[IGE_ENCRYPT]++;
    rijn_feedback_of(real)->ige_encrypt(c, iv, out, in, blocks);
}

static void count_ige_decrypt(const void *c, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[IGE_DECRYPT]++;
    rijn_feedback_of(real)->ige_decrypt(c, iv, out, in, blocks);
}

static void count_xts_encrypt(const void *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[XTS_ENCRYPT]++;
    rijn_xts_of(real)->xts_encrypt(c, tweak, out, in, blocks);
}

static void count_xts_decrypt(const void *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[XTS_DECRYPT]++;
    rijn_xts_of(real)->xts_decrypt(c, tweak, out, in, blocks);
}

static void count_gcm_siv_seal(const void *c, uint8_t *out, uint8_t tag[16],
                               const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                               const uint8_t *in, size_t size)
{
    entered[GCM_SIV_SEAL]++;
    rijn_gcm_siv_of(real)->gcm_siv_seal(c, out, tag, nonce, ad, ad_size, in, size);
}

static void count_gcm_siv_open(const void *c, uint8_t *out, uint8_t full[16], const uint8_t tag[16],
                               const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                               const uint8_t *in, size_t size)
{
    entered[GCM_SIV_OPEN]++;
    rijn_gcm_siv_of(real)->gcm_siv_open(c, out, full, tag, nonce, ad, ad_size, in, size);
}

static void count_ocb_begin(const void *c, rijn_ocb *ocb)
{
    entered[OCB_BEGIN]++;
    rijn_ocb_of(real)->ocb_begin(c, ocb);
}

static void count_ocb_encrypt(const void *c, rijn_ocb *ocb, uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[OCB_ENCRYPT]++;
    rijn_ocb_of(real)->ocb_encrypt(c, ocb, out, in, blocks);
}

static void count_ocb_decrypt(const void *c, rijn_ocb *ocb, uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[OCB_DECRYPT]++;
    rijn_ocb_of(real)->ocb_decrypt(c, ocb, out, in, blocks);
}

static void count_ocb_hash(const void *c, rijn_ocb *ocb, const uint8_t *ad, size_t blocks)
{
    entered[OCB_HASH]++;
    rijn_ocb_of(real)->ocb_hash(c, ocb, ad, blocks);
}

static rijn_status count_ctr_in_registers(const void *c, uint64_t first, uint64_t second,
                                          uint8_t *out, const uint8_t *in, size_t size)
{
    entered[CTR_IN_REGISTERS]++;
    return rijn_ctr_of(real)->ctr_in_registers(c, first, second, out, in, size);
}

static rijn_status count_ecb_encrypt_in_registers(const void *c, uint8_t *out, const uint8_t *in,
                                                  size_t blocks)
{
    entered[ECB_ENCRYPT_IN_REGISTERS]++;
    return rijn_ecb_of(real)->ecb_encrypt_in_registers(c, out, in, blocks);
}

static rijn_status count_ecb_decrypt_in_registers(const void *c, uint8_t *out, const uint8_t *in,
                                                  size_t blocks)
{
    entered[ECB_DECRYPT_IN_REGISTERS]++;
    return rijn_ecb_of(real)->ecb_decrypt_in_registers(c, out, in, blocks);
}

static rijn_status count_xts_in_registers(const void *c, const void *of_tweak,
                                          const uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                                          size_t blocks, bool decrypting)
{
    entered[XTS_IN_REGISTERS]++;
    return rijn_xts_of(real)->xts_in_registers(c, of_tweak, tweak, out, in, blocks, decrypting);
}

static rijn_tag_words count_ccm_in_registers(const void *c, size_t tag_size, const uint8_t *nonce,
                                             size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                             uint8_t *out, const uint8_t *in, size_t size,
                                             int flags)
{
    entered[CCM_IN_REGISTERS]++;
    return rijn_ctr_mac_of(real)->ccm_in_registers(c, tag_size, nonce, nonce_size, ad, ad_size, out,
                                                   in, size, flags);
}

static rijn_tag_words count_eax_in_registers(const void *c, const uint8_t *nonce, size_t nonce_size,
                                             const uint8_t *ad, size_t ad_size, uint8_t *out,
                                             const uint8_t *in, size_t size, int flags)
{
    entered[EAX_IN_REGISTERS]++;
    return rijn_ctr_mac_of(real)->eax_in_registers(c, nonce, nonce_size, ad, ad_size, out, in, size,
                                                   flags);
}

static rijn_tag_words count_s2v_in_registers(const void *c, const rijn_string *strings,
                                             size_t count, const uint8_t *in, size_t size)
{
    entered[S2V_IN_REGISTERS]++;
    return rijn_ctr_mac_of(real)->s2v_in_registers(c, strings, count, in, size);
}

static rijn_status count_cbc_encrypt_in_registers(const void *c, uint8_t iv[16], uint8_t *out,
                                                  const uint8_t *in, size_t blocks)
{
    entered[CBC_ENCRYPT_IN_REGISTERS]++;
    return rijn_cbc_of(real)->cbc_encrypt_in_registers(c, iv, out, in, blocks);
}

static rijn_status count_cbc_decrypt_in_registers(const void *c, uint8_t iv[16], uint8_t *out,
                                                  const uint8_t *in, size_t blocks)
{
    entered[CBC_DECRYPT_IN_REGISTERS]++;
    return rijn_cbc_of(real)->cbc_decrypt_in_registers(c, iv, out, in, blocks);
}

static rijn_status count_gcm_seal_in_registers(const void *c, uint8_t *out, uint8_t *tag,
                                               size_t tag_size, const uint8_t *nonce,
                                               size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                               const uint8_t *in, size_t size)
{
    entered[GCM_SEAL_IN_REGISTERS]++;
    return rijn_gcm_of(real)->gcm_seal_in_registers(c, out, tag, tag_size, nonce, nonce_size, ad,
                                                    ad_size, in, size);
}

static rijn_status count_gcm_open_in_registers(const void *c, uint8_t *out, const uint8_t *tag,
                                               size_t tag_size, const uint8_t *nonce,
                                               size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                               const uint8_t *in, size_t size)
{
    entered[GCM_OPEN_IN_REGISTERS]++;
    return rijn_gcm_of(real)->gcm_open_in_registers(c, out, tag, tag_size, nonce, nonce_size, ad,
                                                    ad_size, in, size);
}

static void count_gcm_first_in_registers(const void *c, rijn_gcm *gcm, uint8_t *out,
                                         const uint8_t *in, size_t size, bool decrypting)
{
    entered[GCM_FIRST_IN_REGISTERS]++;
    rijn_gcm_of(real)->gcm_first_in_registers(c, gcm, out, in, size, decrypting);
}

static rijn_tag_words count_gcm_end_in_registers(const void *c, const rijn_gcm *gcm, bool has_mask)
{
    entered[GCM_END_IN_REGISTERS]++;
    return rijn_gcm_of(real)->gcm_end_in_registers(c, gcm, has_mask);
}

static void count_ocb_first_in_registers(const void *c, rijn_ocb *ocb, uint8_t *out,
                                         const uint8_t *in, size_t size, bool decrypting)
{
    entered[OCB_FIRST_IN_REGISTERS]++;
    rijn_ocb_of(real)->ocb_first_in_registers(c, ocb, out, in, size, decrypting);
}

static rijn_tag_words count_ocb_end_in_registers(const void *c, const rijn_ocb *ocb)
{
    entered[OCB_END_IN_REGISTERS]++;
    return rijn_ocb_of(real)->ocb_end_in_registers(c, ocb);
}

static rijn_tag_words count_gcm_siv_in_registers(const void *c, uint8_t tag[16],
                                                 const uint8_t *given, const uint8_t nonce[12],
                                                 const uint8_t *ad, size_t ad_size, uint8_t *out,
                                                 const uint8_t *in, size_t size)
{
    entered[GCM_SIV_IN_REGISTERS]++;
    return rijn_gcm_siv_of(real)->gcm_siv_in_registers(c, tag, given, nonce, ad, ad_size, out, in,
                                                       size);
}

static rijn_tag_words count_ocb_in_registers(const void *c, size_t tag_size,
                                             const uint8_t nonce[12], const uint8_t *ad,
                                             size_t ad_size, uint8_t *out, const uint8_t *in,
                                             size_t size, bool decrypting)
{
    entered[OCB_IN_REGISTERS]++;
    return rijn_ocb_of(real)->ocb_in_registers(c, tag_size, nonce, ad, ad_size, out, in, size,
                                               decrypting);
}

static rijn_status count_cmac_in_registers(const void *c, uint8_t *tag, size_t tag_size,
                                           const uint8_t *in, size_t size)
{
    entered[CMAC_IN_REGISTERS]++;
    return rijn_cbc_of(real)->cmac_in_registers(c, tag, tag_size, in, size);
}

/* Checks that the calls since the last check entered exactly these operations. */
static void check_entered(const char *what, const enum operation *want, size_t count)
{
    unsigned expected[OPERATIONS] = {0};
    note("%s, %s", real->name, what);
    for (size_t i = 0; i < count; i++)
        expected[want[i]]++;
    for (int i = 0; i < OPERATIONS; i++)
        CHECK(entered[i] == expected[i]);
    memset(entered, 0, sizeof entered);
}

#define ENTERED(what, ...) \
    check_entered(what, (const enum operation[]){__VA_ARGS__}, \
                  sizeof((const enum operation[]){__VA_ARGS__}) / sizeof(enum operation))

/* Seals messages of 256 and 257 bytes with GCM-SIV and OCB3. */
static void test_longest_in_registers(const rijn_key *key)
{
    const bool in_registers = mock_ocb.ocb_in_registers != NULL;
    static uint8_t data[257];
    uint8_t nonce[12] = {0}, tag[16];

    CHECK_STATUS(rijn_gcm_siv_seal(key, data, tag, 16, nonce, 12, NULL, 0, data, 256), RIJN_OK);
    if (in_registers)
        ENTERED("gcm_siv_seal of 256 bytes", GCM_SIV_IN_REGISTERS);
    else
        ENTERED("gcm_siv_seal of 256 bytes", GCM_SIV_SEAL);
    CHECK_STATUS(rijn_gcm_siv_seal(key, data, tag, 16, nonce, 12, NULL, 0, data, 257), RIJN_OK);
    ENTERED("gcm_siv_seal of 257 bytes", GCM_SIV_SEAL);
    CHECK_STATUS(rijn_ocb_seal(key, data, tag, 16, nonce, 12, NULL, 0, data, 256), RIJN_OK);
    if (in_registers)
        ENTERED("ocb_seal of 256 bytes", OCB_IN_REGISTERS);
    else
        ENTERED("ocb_seal of 256 bytes", OCB_BEGIN, OCB_ENCRYPT, ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_ocb_seal(key, data, tag, 16, nonce, 12, NULL, 0, data, 257), RIJN_OK);
    ENTERED("ocb_seal of 257 bytes", OCB_BEGIN, OCB_ENCRYPT, ENCRYPT_BLOCK, ENCRYPT_BLOCK);
}

/* The modes after GCM in rijn.h; `key` counts calls. */
static void test_family(const rijn_key *key)
{
    const rijn_string string = {(const uint8_t *)"abc", 3};
    rijn_xts_key xts = {*key, *key};
    rijn_siv_key siv = {*key, *key};
    const bool in_registers = mock_ctr_mac.s2v_in_registers != NULL;
    uint8_t iv[32] = {0}, tag[16], data[64] = {0}, sealed[128];
    size_t used = 0, plain_size;

    CHECK_STATUS(rijn_cfb_encrypt(key, iv, &used, sealed, data, 37), RIJN_OK);
    ENTERED("cfb_encrypt: whole blocks, and the keystream of the last", CFB_ENCRYPT, ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_cfb_decrypt(key, iv, NULL, data, sealed, 32), RIJN_OK);
    ENTERED("cfb_decrypt", CFB_DECRYPT);
    CHECK_STATUS(rijn_ofb_crypt(key, iv, NULL, data, data, 32), RIJN_OK);
    ENTERED("ofb_crypt", OFB_CRYPT);
    CHECK_STATUS(rijn_cfb8_encrypt(key, iv, sealed, data, 2), RIJN_OK);
    ENTERED("cfb8_encrypt", ENCRYPT_BLOCK, ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_cfb8_decrypt(key, iv, sealed, data, 32), RIJN_OK);
    ENTERED("cfb8_decrypt", ECB_ENCRYPT);
    CHECK_STATUS(rijn_ige_encrypt(key, iv, sealed, data, 32), RIJN_OK);
    ENTERED("ige_encrypt", IGE_ENCRYPT);
    CHECK_STATUS(rijn_ige_decrypt(key, iv, sealed, data, 32), RIJN_OK);
    ENTERED("ige_decrypt", IGE_DECRYPT);
    CHECK_STATUS(rijn_ctr_crypt_width(key, 32, 1, iv, data, data, 37), RIJN_OK);
    ENTERED("ctr_crypt_width", CTR_CRYPT);
    CHECK_STATUS(rijn_xts_encrypt(&xts, iv, sealed, data, 32), RIJN_OK);
    if (in_registers)
        ENTERED("xts_encrypt", XTS_IN_REGISTERS);
    else
        ENTERED("xts_encrypt", ENCRYPT_BLOCK, XTS_ENCRYPT);
    CHECK_STATUS(rijn_xts_encrypt_part(&xts, iv, 16, sealed, data, 32), RIJN_OK);
    ENTERED("xts_encrypt_part", ENCRYPT_BLOCK, XTS_ENCRYPT);
    CHECK_STATUS(rijn_xts_decrypt(&xts, iv, sealed, data, 37), RIJN_OK);
    ENTERED("xts_decrypt with stealing", ENCRYPT_BLOCK, XTS_DECRYPT, XTS_DECRYPT, XTS_DECRYPT);
    CHECK_STATUS(rijn_cmac(key, tag, 16, data, 37), RIJN_OK);
    if (mock_cbc.cmac_in_registers)
        ENTERED("cmac", CMAC_IN_REGISTERS);
    else
        ENTERED("cmac: the subkey, the blocks, the last", ENCRYPT_BLOCK, CBC_MAC, ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_gcm_siv_seal(key, sealed, tag, 16, iv, 12, data, 16, data, 32), RIJN_OK);
    if (mock_gcm_siv.gcm_siv_in_registers)
        ENTERED("gcm_siv_seal", GCM_SIV_IN_REGISTERS);
    else
        ENTERED("gcm_siv_seal", GCM_SIV_SEAL);
    CHECK_STATUS(rijn_gcm_siv_open(key, sealed, tag, 16, iv, 12, data, 16, sealed, 32), RIJN_OK);
    if (mock_gcm_siv.gcm_siv_in_registers)
        ENTERED("gcm_siv_open", GCM_SIV_IN_REGISTERS);
    else
        ENTERED("gcm_siv_open", GCM_SIV_OPEN);
    test_longest_in_registers(key);
    CHECK_STATUS(rijn_xaes_seal(key, sealed, tag, 16, iv, 24, data, 0, data, 32), RIJN_OK);
    ENTERED("xaes_seal", ENCRYPT_BLOCK, ECB_ENCRYPT, KEY_INIT, KEY_HASH, GCM_SEAL);
    CHECK_STATUS(rijn_siv_seal(&siv, sealed, tag, &string, 1, data, 16), RIJN_OK);
    if (in_registers)
        ENTERED("siv_seal", S2V_IN_REGISTERS, CTR_IN_REGISTERS);
    else
        ENTERED("siv_seal", ENCRYPT_BLOCK, ENCRYPT_BLOCK, ENCRYPT_BLOCK, ENCRYPT_BLOCK, CTR_CRYPT);
    CHECK_STATUS(rijn_ccm_seal(key, sealed, tag, 16, iv, 12, data, 0, data, 32), RIJN_OK);
    if (in_registers)
        ENTERED("ccm_seal", CCM_IN_REGISTERS);
    else
        ENTERED("ccm_seal: the first blocks of both, the rest of both", ECB_ENCRYPT, CTR_MAC_IN);
    CHECK_STATUS(rijn_ccm_open(key, sealed, tag, 16, iv, 12, data, 0, sealed, 32), RIJN_OK);
    if (in_registers)
        ENTERED("ccm_open", CCM_IN_REGISTERS);
    else
        ENTERED("ccm_open", ECB_ENCRYPT, CTR_MAC_OUT);
    CHECK_STATUS(rijn_ccm_seal(key, sealed, tag, 16, iv, 12, data, 0, data, 0), RIJN_OK);
    ENTERED("ccm_seal of nothing", ECB_ENCRYPT);
    CHECK_STATUS(rijn_ocb_seal(key, sealed, tag, 16, iv, 12, data, 32, data, 37), RIJN_OK);
    if (mock_ocb.ocb_in_registers)
        ENTERED("ocb_seal", OCB_IN_REGISTERS);
    else
        ENTERED("ocb_seal", OCB_BEGIN, OCB_HASH, OCB_ENCRYPT, ENCRYPT_BLOCK, ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_ocb_open(key, data, tag, 16, iv, 12, data, 0, sealed, 32), RIJN_ERR_TAG);
    if (mock_ocb.ocb_in_registers)
        ENTERED("ocb_open", OCB_IN_REGISTERS);
    else
        ENTERED("ocb_open", OCB_BEGIN, OCB_DECRYPT, ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_ocb_seal(key, sealed, tag, 16, iv, 11, data, 0, data, 32), RIJN_OK);
    ENTERED("ocb_seal with a nonce of 11 bytes", OCB_BEGIN, OCB_ENCRYPT, ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_eax_seal(key, sealed, tag, 16, iv, 12, data, 0, data, 32), RIJN_OK);
    if (in_registers)
        ENTERED("eax_seal", EAX_IN_REGISTERS);
    else
        ENTERED("eax_seal: three prefixes, the nonce, all blocks of data but the last, the last, "
                "two MACs",
                ECB_ENCRYPT, ENCRYPT_BLOCK, CTR_MAC_OUT, ENCRYPT_BLOCK, ECB_ENCRYPT);
    CHECK_STATUS(rijn_eax_open(key, sealed, tag, 16, iv, 12, data, 0, sealed, 32), RIJN_OK);
    if (in_registers)
        ENTERED("eax_open", EAX_IN_REGISTERS);
    else
        ENTERED("eax_open", ECB_ENCRYPT, ENCRYPT_BLOCK, CTR_MAC_IN, ENCRYPT_BLOCK, ECB_ENCRYPT);
    CHECK_STATUS(rijn_kwp_wrap(key, sealed, data, 5), RIJN_OK);
    ENTERED("kwp_wrap of one semiblock", ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_kwp_unwrap(key, data, &plain_size, sealed, 16), RIJN_OK);
    ENTERED("kwp_unwrap of one semiblock", DECRYPT_BLOCK);
}

/* A counter whose last four bytes wrap after two more blocks. */
static void test_wrapping_counter(const rijn_key *key)
{
    uint8_t counter[16], data[64] = {0};

    memset(counter, 0xff, sizeof counter);
    counter[15] = 0xfd;
    CHECK_STATUS(rijn_ctr_crypt(key, counter, data, data, 47), RIJN_OK);
    if (mock_ctr.ctr_in_registers)
        ENTERED("ctr_crypt up to the last counter", CTR_IN_REGISTERS);
    else
        ENTERED("ctr_crypt up to the last counter", CTR_CRYPT);
    CHECK_STATUS(rijn_ctr_crypt(key, counter, data, data, 49), RIJN_OK);
    ENTERED("ctr_crypt of a counter that wraps", CTR_CRYPT);
    CHECK_STATUS(rijn_ctr_crypt_width(key, 32, 0, counter, data, data, 47), RIJN_OK);
    if (mock_ctr.ctr_in_registers)
        ENTERED("ctr_crypt_width up to the last counter", CTR_IN_REGISTERS);
    else
        ENTERED("ctr_crypt_width up to the last counter", CTR_CRYPT);
    CHECK_STATUS(rijn_ctr_crypt_width(key, 32, 0, counter, data, data, 49), RIJN_OK);
    ENTERED("ctr_crypt_width of a counter that wraps", CTR_CRYPT);
}

enum { MOST_GCM = (1 << 15) + 1 };

/* Seals and opens one message, and checks which functions do so. */
static void check_gcm(const rijn_key *key, bool in_registers, size_t nonce_size, size_t tag_size,
                      size_t ad_size, size_t size)
{
    static uint8_t data[MOST_GCM];
    uint8_t nonce[16] = {0}, tag[16], ad[17] = {0};

    in_registers = in_registers && mock.gcm_register_size;
    CHECK_STATUS(
        rijn_gcm_seal(key, data, tag, tag_size, nonce, nonce_size, ad, ad_size, data, size),
        RIJN_OK);
    if (in_registers)
        ENTERED("gcm_seal in registers", GCM_SEAL_IN_REGISTERS);
    else
        ENTERED("gcm_seal", GCM_SEAL);
    CHECK_STATUS(
        rijn_gcm_open(key, data, tag, tag_size, nonce, nonce_size, ad, ad_size, data, size),
        RIJN_OK);
    if (in_registers)
        ENTERED("gcm_open in registers", GCM_OPEN_IN_REGISTERS);
    else
        ENTERED("gcm_open", GCM_OPEN);
}

static void test_short_gcm(const rijn_key *key)
{
    const size_t most = mock.gcm_register_size ? mock.gcm_register_size : 64;

    CHECK(most + 1 <= MOST_GCM);
    check_gcm(key, true, 12, 16, 0, 1);
    check_gcm(key, true, 12, 16, 16, most);
    check_gcm(key, false, 12, 16, 0, 0);
    check_gcm(key, false, 12, 16, 0, most + 1);
    check_gcm(key, false, 12, 16, 17, 16);
    check_gcm(key, false, 12, 15, 0, 16);
    check_gcm(key, false, 16, 16, 0, 16);
}

/* The first piece and the end of messages, on a backend that processes them in registers. */
static void test_pieces_in_registers(const rijn_key *key)
{
    static uint8_t data[MOST_GCM];
    const unsigned most = real->gcm_first_size;
    uint8_t nonce[12] = {0}, tag[16];
    rijn_gcm gcm;
    rijn_ocb ocb;

    CHECK(most && most < MOST_GCM);
    mock.gcm_first_size = most;
    mock_gcm.gcm_first_in_registers = count_gcm_first_in_registers;
    mock_gcm.gcm_end_in_registers = count_gcm_end_in_registers;
    mock_ocb.ocb_first_in_registers = count_ocb_first_in_registers;
    mock_ocb.ocb_end_in_registers = count_ocb_end_in_registers;

    CHECK_STATUS(rijn_gcm_start(&gcm, key, nonce, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_ad(&gcm, data, 16), RIJN_OK);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, data, data, 1), RIJN_OK);
    ENTERED("a first piece of 1 byte", GCM_FIRST_IN_REGISTERS);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, data, data, 15), RIJN_OK);
    check_entered("a second piece", NULL, 0);
    CHECK_STATUS(rijn_gcm_finish(&gcm, tag, 16), RIJN_OK);
    ENTERED("gcm_finish in registers", GCM_END_IN_REGISTERS);

    CHECK_STATUS(rijn_gcm_start(&gcm, key, nonce, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_decrypt(&gcm, data, data, most), RIJN_OK);
    ENTERED("the longest first piece", GCM_FIRST_IN_REGISTERS);
    CHECK_STATUS(rijn_gcm_verify(&gcm, tag, 16), RIJN_ERR_TAG);
    ENTERED("gcm_verify in registers", GCM_END_IN_REGISTERS);

    CHECK_STATUS(rijn_gcm_start(&gcm, key, nonce, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, data, data, most + 1), RIJN_OK);
    CHECK(!entered[GCM_FIRST_IN_REGISTERS]);
    memset(entered, 0, sizeof entered);

    CHECK_STATUS(rijn_ocb_start(&ocb, key, 16, nonce, 12), RIJN_OK);
    CHECK_STATUS(rijn_ocb_encrypt(&ocb, data, data, 31), RIJN_OK);
    ENTERED("a first piece of OCB3", OCB_FIRST_IN_REGISTERS);
    CHECK_STATUS(rijn_ocb_finish(&ocb, tag), RIJN_OK);
    ENTERED("ocb_finish in registers", OCB_END_IN_REGISTERS);
    CHECK_STATUS(rijn_ocb_start(&ocb, key, 16, nonce, 12), RIJN_OK);
    CHECK_STATUS(rijn_ocb_decrypt(&ocb, data, data, 1), RIJN_OK);
    CHECK_STATUS(rijn_ocb_verify(&ocb, tag), RIJN_ERR_TAG);
    ENTERED("OCB3 in pieces, opened", OCB_FIRST_IN_REGISTERS, OCB_END_IN_REGISTERS);
}

static void test_kernel(const rijn_backend *backend)
{
    rijn_key key;
    rijn_ctr ctr;
    rijn_gcm gcm;
    uint8_t iv[16] = {0}, tag[16], data[64] = {0}, sealed[128], many[512] = {0};
    size_t plain_size;

    real = backend;
    make_mock(backend);
    CHECK(mock.index == rijn_registry_size);
    mock_ecb.ecb_encrypt = count_ecb_encrypt;
    mock_ecb.ecb_decrypt = count_ecb_decrypt;
    mock_cbc.cbc_encrypt = count_cbc_encrypt;
    mock_cbc.cbc_decrypt = count_cbc_decrypt;
    mock_ctr.ctr_crypt = count_ctr_crypt;
    mock_gcm.ghash = count_ghash;
    mock_gcm.gcm_crypt = count_gcm_crypt;
    mock_gcm.gcm_seal = count_gcm_seal;
    mock_gcm.gcm_open = count_gcm_open;
    mock_gcm.gcm_tag = count_gcm_tag;
    mock.key_init = count_key_init;
    mock.encrypt_block = count_encrypt_block;
    mock_ecb.decrypt_block = count_decrypt_block;
    mock_cbc.cbc_mac = count_cbc_mac;
    mock_ctr_mac.ctr_mac_in = count_ctr_mac_in;
    mock_ctr_mac.ctr_mac_out = count_ctr_mac_out;
    mock_feedback.cfb_encrypt = count_cfb_encrypt;
    mock_feedback.cfb_decrypt = count_cfb_decrypt;
    mock_feedback.ofb_crypt = count_ofb_crypt;
    mock_feedback.ige_encrypt = count_ige_encrypt;
    mock_feedback.ige_decrypt = count_ige_decrypt;
    mock_xts.xts_encrypt = count_xts_encrypt;
    mock_xts.xts_decrypt = count_xts_decrypt;
    mock_gcm_siv.gcm_siv_seal = count_gcm_siv_seal;
    mock_gcm_siv.gcm_siv_open = count_gcm_siv_open;
    mock_ocb.ocb_begin = count_ocb_begin;
    mock_ocb.ocb_encrypt = count_ocb_encrypt;
    mock_ocb.ocb_decrypt = count_ocb_decrypt;
    mock_ocb.ocb_hash = count_ocb_hash;
    if (mock_ctr.ctr_in_registers)
        mock_ctr.ctr_in_registers = count_ctr_in_registers;
    if (mock_cbc.cbc_encrypt_in_registers)
        mock_cbc.cbc_encrypt_in_registers = count_cbc_encrypt_in_registers;
    if (mock_cbc.cbc_decrypt_in_registers)
        mock_cbc.cbc_decrypt_in_registers = count_cbc_decrypt_in_registers;
    mock.gcm_first_size = 0; /* for the long way */
    mock_gcm.gcm_end_in_registers = NULL;
    if (mock.gcm_register_size) {
        mock_gcm.gcm_seal_in_registers = count_gcm_seal_in_registers;
        mock_gcm.gcm_open_in_registers = count_gcm_open_in_registers;
    }
    if (mock_cbc.cmac_in_registers)
        mock_cbc.cmac_in_registers = count_cmac_in_registers;
    if (mock_ecb.ecb_encrypt_in_registers) {
        mock_ecb.ecb_encrypt_in_registers = count_ecb_encrypt_in_registers;
        mock_ecb.ecb_decrypt_in_registers = count_ecb_decrypt_in_registers;
    }
    if (mock_gcm_siv.gcm_siv_in_registers)
        mock_gcm_siv.gcm_siv_in_registers = count_gcm_siv_in_registers;
    if (mock_ocb.ocb_in_registers)
        mock_ocb.ocb_in_registers = count_ocb_in_registers;
    if (mock_xts.xts_in_registers)
        mock_xts.xts_in_registers = count_xts_in_registers;
    if (mock_ctr_mac.s2v_in_registers) {
        mock_ctr_mac.ccm_in_registers = count_ccm_in_registers;
        mock_ctr_mac.eax_in_registers = count_eax_in_registers;
        mock_ctr_mac.s2v_in_registers = count_s2v_in_registers;
    }

    make_key(&key, key_bytes, 32, backend->name);
    note("%s, key", backend->name);
    CHECK(key.backend == backend);
    key.backend = &mock;

    CHECK_STATUS(rijn_ecb_encrypt(&key, data, data, 64), RIJN_OK);
    if (mock_ecb.ecb_encrypt_in_registers)
        ENTERED("ecb_encrypt", ECB_ENCRYPT_IN_REGISTERS);
    else
        ENTERED("ecb_encrypt", ECB_ENCRYPT);
    CHECK_STATUS(rijn_ecb_decrypt(&key, data, data, 64), RIJN_OK);
    if (mock_ecb.ecb_decrypt_in_registers)
        ENTERED("ecb_decrypt", ECB_DECRYPT_IN_REGISTERS);
    else
        ENTERED("ecb_decrypt", ECB_DECRYPT);
    CHECK_STATUS(rijn_cbc_encrypt(&key, iv, data, data, 64), RIJN_OK);
    if (mock_cbc.cbc_encrypt_in_registers)
        ENTERED("cbc_encrypt", CBC_ENCRYPT_IN_REGISTERS);
    else
        ENTERED("cbc_encrypt", CBC_ENCRYPT);
    CHECK_STATUS(rijn_cbc_decrypt(&key, iv, data, data, 64), RIJN_OK);
    if (mock_cbc.cbc_decrypt_in_registers)
        ENTERED("cbc_decrypt", CBC_DECRYPT_IN_REGISTERS);
    else
        ENTERED("cbc_decrypt", CBC_DECRYPT);
    CHECK_STATUS(rijn_cbc_encrypt_padded(&key, iv, sealed, data, 37), RIJN_OK);
    ENTERED("cbc_encrypt_padded: the whole blocks, then the last", CBC_ENCRYPT, CBC_ENCRYPT);
    CHECK_STATUS(rijn_cbc_decrypt_padded(&key, iv, sealed, &plain_size, sealed, 48), RIJN_OK);
    ENTERED("cbc_decrypt_padded", CBC_DECRYPT);
    CHECK_STATUS(rijn_ctr_crypt(&key, iv, data, data, 37), RIJN_OK);
    if (mock_ctr.ctr_in_registers)
        ENTERED("ctr_crypt", CTR_IN_REGISTERS);
    else
        ENTERED("ctr_crypt", CTR_CRYPT);
    test_wrapping_counter(&key);
    CHECK_STATUS(rijn_ctr_start(&ctr, &key, iv), RIJN_OK);
    CHECK_STATUS(rijn_ctr_update(&ctr, data, data, 5), RIJN_OK);
    ENTERED("ctr_update", CTR_CRYPT);
    CHECK_STATUS(rijn_gcm_seal(&key, sealed, tag, 16, iv, 12, data, 20, data, 37), RIJN_OK);
    ENTERED("gcm_seal", GCM_SEAL);
    CHECK_STATUS(rijn_gcm_open(&key, sealed, tag, 16, iv, 12, data, 20, sealed, 37), RIJN_OK);
    ENTERED("gcm_open", GCM_OPEN);
    test_short_gcm(&key);
    CHECK_STATUS(rijn_gcm_tag(&key, tag, 16, iv, 12, data, 20, sealed, 37), RIJN_OK);
    ENTERED("gcm_tag", GCM_TAG);
    CHECK_STATUS(rijn_gcm_start(&gcm, &key, iv, 12), RIJN_OK);
    check_entered("gcm_start", NULL, 0);
    CHECK_STATUS(rijn_gcm_ad(&gcm, data, 20), RIJN_OK);
    ENTERED("gcm_ad", GHASH);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, data, data, 5), RIJN_OK);
    if (mock.blocks > 1)
        ENTERED("gcm_encrypt: the associated data end, mask and keystream", GHASH, CTR_CRYPT);
    else
        ENTERED("gcm_encrypt: the associated data end, mask, keystream", GHASH, CTR_CRYPT,
                CTR_CRYPT);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, data, data, 3), RIJN_OK);
    check_entered("gcm_encrypt with keystream computed ahead", NULL, 0);
    CHECK_STATUS(rijn_gcm_finish(&gcm, tag, 16), RIJN_OK);
    ENTERED("gcm_finish", GHASH);
    CHECK_STATUS(rijn_gcm_start(&gcm, &key, iv, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_decrypt(&gcm, many, many, sizeof many), RIJN_OK);
    CHECK_STATUS(rijn_gcm_verify(&gcm, tag, 16), RIJN_ERR_TAG);
    ENTERED("gcm_decrypt and gcm_verify", CTR_CRYPT, GCM_DECRYPT, GHASH);
    CHECK_STATUS(rijn_gcm_start(&gcm, &key, iv, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, many, many, sizeof many), RIJN_OK);
    CHECK_STATUS(rijn_gcm_finish(&gcm, tag, 16), RIJN_OK);
    ENTERED("gcm_encrypt and gcm_finish", CTR_CRYPT, GCM_ENCRYPT, GHASH);
    CHECK_STATUS(rijn_gcm_seal_chunks(&key, sealed, iv, 0, 32, 1, data, 37), RIJN_OK);
    ENTERED("gcm_seal_chunks", GCM_SEAL, GCM_SEAL);
    CHECK_STATUS(rijn_gcm_open_chunks(&key, data, NULL, iv, 0, 32, 1, sealed, 69), RIJN_OK);
    ENTERED("gcm_open_chunks", GCM_OPEN, GCM_OPEN);
    test_family(&key);
    if (real->gcm_first_size)
        test_pieces_in_registers(&key);
}

int main(int argc, char **argv)
{
    (void)argc;
    test_rules();
    test_kernel_rules();
    test_kernel_code();
    test_list();
    test_choice();
    test_registry_faults();
    for (size_t i = 0; i < rijn_registry_size; i++)
        if ((rijn_registry[i]->cpu & ~rijn_cpu()) == 0)
            test_kernel(rijn_registry[i]);
        else
            printf("skipped %s: %s\n", rijn_registry[i]->name,
                   rijn_cpu_reason(rijn_registry[i]->cpu & ~rijn_cpu()));
    return test_result(argv[0]);
}
