/* The features of a CPU. Computes them, and the chosen backend, from the words with which CPUs describe
 * themselves; this works on any machine. Compares the detected features of this machine with its
 * operating system. */
#include "check.h"

#include "backend.h"
#include "cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__linux__) && (defined(__aarch64__) || defined(__arm__))
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(__linux__) && defined(__riscv)
#include <sys/auxv.h>
#endif

#define MASK(feature, name, flag) | RIJN_CPU(feature)
#define X86 (UINT64_C(0) RIJN_CPU_X86(MASK))
#define ARM (UINT64_C(0) RIJN_CPU_ARM(MASK))
#define RISCV (UINT64_C(0) RIJN_CPU_RISCV(MASK))

/* A bit of a word, and the features that are lost without it. */
typedef struct {
    unsigned word, bit;
    uint64_t lost;
} role;

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static uint64_t lost_without(const role *roles, size_t count, unsigned word, unsigned bit)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < count; i++)
        lost |= roles[i].word == word && roles[i].bit == bit ? roles[i].lost : 0;
    return lost;
}

/* ---- x86 ---- */

enum { EAX_1, ECX_1, EDX_1, EBX_7, ECX_7, XCR0, WORDS };

static uint32_t *word_of(rijn_cpuid *words, unsigned which)
{
    uint32_t *const all[WORDS] = {&words->leaf1_eax, &words->leaf1_ecx, &words->leaf1_edx,
                                  &words->leaf7_ebx, &words->leaf7_ecx, &words->xcr0};
    return all[which];
}

#define OLD \
    (RIJN_CPU(SSE2) | RIJN_CPU(SSSE3) | RIJN_CPU(SSE41) | RIJN_CPU(POPCNT) | RIJN_CPU(PCLMULQDQ))
#define WESTMERE (OLD | RIJN_CPU(AES))
#define HASWELL (WESTMERE | RIJN_CPU(AVX) | RIJN_CPU(AVX2))
#define ZMM (RIJN_CPU(AVX512F) | RIJN_CPU(AVX512BW) | RIJN_CPU(AVX512VL) | RIJN_CPU(AVX512DQ))
#define ALL_YMM (X86 & ~ZMM)

#define INTEL 0x756e6547
#define AMD 0x68747541

static void test_x86(void)
{
    static const struct {
        const char *name;
        rijn_cpuid words;
        uint64_t want;
        const char *backend; /* of a key without a named backend */
    } cpus[] = {
        {"none", {0}, 0, "fixslice64"},
        {"Core 2, 65 nm",
         {0xa, INTEL, 0x6f6, 0x0000e3bd, 0xbfebfbff, 0, 0, 0},
         RIJN_CPU(SSE2) | RIJN_CPU(SSSE3),
         "ssse3"},
        {"Nehalem",
         {0xb, INTEL, 0x106a5, 0x009ce3bd, 0xbfebfbff, 0, 0, 0},
         OLD & ~RIJN_CPU(PCLMULQDQ),
         "ssse3"},
        {"Westmere", {0xb, INTEL, 0x206c2, 0x0298e3ff, 0xbfebfbff, 0, 0, 0}, WESTMERE, "aesni"},
        {"Sandy Bridge",
         {0xd, INTEL, 0x206a7, 0x1fbae3ff, 0xbfebfbff, 0, 0, 0x7},
         WESTMERE | RIJN_CPU(AVX),
         "aesni-avx"},
        {"Haswell",
         {0xd, INTEL, 0x306c3, 0x7ffafbff, 0xbfebfbff, 0x000027ab, 0, 0x7},
         HASWELL,
         "aesni-avx"},
        {"Skylake",
         {0x16, INTEL, 0x506e3, 0x7ffafbbf, 0xbfebfbff, 0x029c67af, 0, 0x1f},
         HASWELL,
         "aesni-avx"},
        {"Skylake-SP",
         {0x16, INTEL, 0x50654, 0x7ffefbff, 0xbfebfbff, 0xd39ffffb, 0, 0x2ff},
         HASWELL | ZMM | RIJN_CPU(SLOW_ZMM),
         "aesni-avx"},
        {"Zen 3",
         {0x10, AMD, 0xa20f10, 0x7ef8320b, 0x178bfbff, 0x219c97a9, 0x0040068c, 0x207},
         ALL_YMM,
         "vaes256"},
        {"Ice Lake",
         {0x1b, INTEL, 0x706e5, 0x7ffafbbf, 0xbfebfbff, 0xf2bf27ef, 0x40405f4e, 0x2e7},
         X86 | RIJN_CPU(SLOW_ZMM),
         "vaes256"},
        {"Ice Lake server, guest",
         {0x1b, INTEL, 0x606a6, 0xfffa3203, 0x1f8bfbff, 0xf1bf2ffb, 0x00415f46, 0xe7},
         X86,
         "vaes512"},
        {"Alder Lake",
         {0x20, INTEL, 0x90672, 0x7ffafbbf, 0xbfebfbff, 0x239c27eb, 0x98c007bc, 0x207},
         ALL_YMM,
         "vaes256"},
        {"Zen 4",
         {0x10, AMD, 0xa60f12, 0x7ef8320b, 0x178bfbff, 0xf1bf97a9, 0x00405fce, 0x2e7},
         X86,
         "vaes512"},
        {"Sapphire Rapids, guest",
         {0x24, INTEL, 0x806f8, 0xfffa3203, 0x1f8bfbff, 0xf1bf2ffb, 0x1a415f46, 0x600e7},
         X86,
         "vaes512"},
    };
    /* every feature, and the remaining features when a word changes */
    const rijn_cpuid whole = {7,          INTEL,      UINT32_MAX, UINT32_MAX,
                              UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    static const role roles[] = {
        {EDX_1, 26, RIJN_CPU(SSE2)},
        {ECX_1, 9, RIJN_CPU(SSSE3)},
        {ECX_1, 19, RIJN_CPU(SSE41)},
        {ECX_1, 23, RIJN_CPU(POPCNT)},
        {ECX_1, 25, RIJN_CPU(AES)},
        {ECX_1, 1, RIJN_CPU(PCLMULQDQ)},
        {ECX_1, 27, X86 & ~WESTMERE},
        {ECX_1, 28, X86 & ~WESTMERE},
        {XCR0, 1, X86 & ~WESTMERE},
        {XCR0, 2, X86 & ~WESTMERE},
        {EBX_7, 5, RIJN_CPU(AVX2)},
        {ECX_7, 9, RIJN_CPU(VAES)},
        {ECX_7, 10, RIJN_CPU(VPCLMULQDQ)},
        {EBX_7, 16, ZMM},
        {XCR0, 5, ZMM},
        {XCR0, 6, ZMM},
        {XCR0, 7, ZMM},
        {EBX_7, 30, RIJN_CPU(AVX512BW)},
        {EBX_7, 31, RIJN_CPU(AVX512VL)},
        {EBX_7, 17, RIJN_CPU(AVX512DQ)},
    };
    rijn_cpuid words;

    for (size_t i = 0; i < COUNT(cpus); i++) {
        note("CPUID of %s", cpus[i].name);
        CHECK(rijn_cpu_x86(&cpus[i].words) == cpus[i].want);
#if defined(__x86_64__) && !defined(RIJN_BACKENDS_DEF)
        const rijn_backend *chosen;
        CHECK_STATUS(
            rijn_backend_choose(rijn_registry, rijn_registry_size, cpus[i].want, NULL, &chosen),
            RIJN_OK);
        CHECK_TEXT(chosen ? chosen->name : "", cpus[i].backend);
#endif
    }
    note("CPUID, whole");
    CHECK(rijn_cpu_x86(&whole) == X86);
    for (unsigned word = 0; word < WORDS; word++) {
        for (unsigned bit = 0; bit < 32; bit++) {
            const uint64_t lost = lost_without(roles, COUNT(roles), word, bit);
            words = whole;
            *word_of(&words, word) &= ~(UINT32_C(1) << bit);
            note("CPUID, word %u without bit %u", word, bit);
            CHECK(rijn_cpu_x86(&words) == (X86 & ~lost));
        }
    }
    /* a single bit gives only the features that depend on it alone */
    for (size_t i = 0; i < COUNT(roles); i++) {
        const uint64_t lost = roles[i].lost, alone = lost & WESTMERE;
        words = (rijn_cpuid){.max_leaf = 7};
        *word_of(&words, roles[i].word) = UINT32_C(1) << roles[i].bit;
        note("CPUID, bit %u of word %u alone", roles[i].bit, roles[i].word);
        CHECK(rijn_cpu_x86(&words) == alone);
    }
    note("CPUID, no leaf 7, with any words in it");
    words = whole;
    words.max_leaf = 6;
    CHECK(rijn_cpu_x86(&words) == (WESTMERE | RIJN_CPU(AVX)));
    note("CPUID, exactly the states of ymm, and of zmm");
    words = whole;
    words.xcr0 = 0x06;
    CHECK(rijn_cpu_x86(&words) == ALL_YMM);
    words.xcr0 = 0xe6;
    CHECK(rijn_cpu_x86(&words) == X86);
}

/* CPUs that reduce their clock for zmm registers: six of Intel's models, every stepping, if the system
 * enables zmm. */
static void test_slow_zmm(void)
{
    static const uint8_t slow[] = {0x55, 0x7d, 0x7e, 0x8c, 0x8d, 0x9d};
    rijn_cpuid words = {7, INTEL, 0, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

    for (unsigned family = 5; family < 8; family++) {
        for (unsigned model = 0; model < 256; model++) {
            const bool want = family == 6 && memchr(slow, (int)model, sizeof slow) != NULL;
            note("slow zmm of family %u, model %02x", family, model);
            for (unsigned stepping = 0; stepping < 16; stepping++) {
                words.leaf1_eax = (model & 0xf0) << 12 | family << 8 | (model & 15) << 4 | stepping;
                CHECK(((rijn_cpu_x86(&words) & RIJN_CPU(SLOW_ZMM)) != 0) == want);
            }
        }
    }
    note("slow zmm: another vendor, a later family, no zmm");
    words.leaf1_eax = 0x50654;
    CHECK(rijn_cpu_x86(&words) & RIJN_CPU(SLOW_ZMM));
    words.vendor = AMD;
    CHECK(!(rijn_cpu_x86(&words) & RIJN_CPU(SLOW_ZMM)));
    words.vendor = INTEL;
    words.leaf1_eax |= 1 << 20;
    CHECK(!(rijn_cpu_x86(&words) & RIJN_CPU(SLOW_ZMM)));
    words.leaf1_eax = 0x50654;
    words.xcr0 = 7;
    CHECK(!(rijn_cpu_x86(&words) & RIJN_CPU(SLOW_ZMM)));
}

/* ---- Arm and RISC-V ---- */

static uint64_t arm64(const uint64_t words[2])
{
    return rijn_cpu_arm64(words[0]);
}

static uint64_t arm32(const uint64_t words[2])
{
    return rijn_cpu_arm32(words[0], words[1]);
}

static uint64_t riscv(const uint64_t words[2])
{
    return rijn_cpu_riscv(words[0], words[1]);
}

/* Checks all features of two words, the features lost without each bit, and the features of each bit
 * alone. */
static void test_words(const char *name, uint64_t (*features)(const uint64_t words[2]),
                       uint64_t all, const role *roles, size_t count, uint64_t without_vectors)
{
    const uint64_t whole[2] = {UINT64_MAX, UINT64_MAX}, none[2] = {0};

    note("%s, whole and none", name);
    CHECK(features(whole) == all);
    CHECK(features(none) == 0);
    for (unsigned word = 0; word < 2; word++) {
        for (unsigned bit = 0; bit < 64; bit++) {
            const uint64_t lost = lost_without(roles, count, word, bit);
            uint64_t words[2] = {UINT64_MAX, UINT64_MAX};
            words[word] &= ~(UINT64_C(1) << bit);
            note("%s, word %u without bit %u", name, word, bit);
            CHECK(features(words) == (all & ~lost));
            words[word] = UINT64_C(1) << bit;
            words[!word] = 0;
            note("%s, bit %u of word %u alone", name, bit, word);
            CHECK(features(words) == (lost & without_vectors));
        }
    }
}

static void test_other_machines(void)
{
    static const role of_arm64[] = {
        {0, 1, ARM},
        {0, 3, RIJN_CPU(ARM_AES)},
        {0, 4, RIJN_CPU(PMULL)},
        {0, 17, RIJN_CPU(SHA3)},
    };
    static const role of_arm32[] = {
        {0, 12, ARM},
        {1, 0, RIJN_CPU(ARM_AES)},
        {1, 1, RIJN_CPU(PMULL)},
    };
    const uint64_t vector = RIJN_CPU(RVV) | RIJN_CPU(ZVKG) | RIJN_CPU(ZVKNED) | RIJN_CPU(ZVKT);
    const role of_riscv[] = {
        {0, 8, RIJN_CPU(ZBKB)},  {0, 9, RIJN_CPU(ZBKC)},  {0, 11, RIJN_CPU(ZKND)},
        {0, 12, RIJN_CPU(ZKNE)}, {0, 16, RIJN_CPU(ZKT)},  {0, 2, vector},
        {1, 'V' - 'A', vector},  {0, 20, RIJN_CPU(ZVKG)}, {0, 21, RIJN_CPU(ZVKNED)},
        {0, 26, RIJN_CPU(ZVKT)},
    };
    const uint64_t of_32 = RIJN_CPU(NEON) | RIJN_CPU(ARM_AES) | RIJN_CPU(PMULL);
    const uint64_t scalar =
        RIJN_CPU(ZBKB) | RIJN_CPU(ZBKC) | RIJN_CPU(ZKND) | RIJN_CPU(ZKNE) | RIJN_CPU(ZKT);

    test_words("arm64", arm64, ARM, of_arm64, COUNT(of_arm64), RIJN_CPU(NEON));
    test_words("arm32", arm32, of_32, of_arm32, COUNT(of_arm32), RIJN_CPU(NEON));
    test_words("RISC-V", riscv, RISCV, of_riscv, COUNT(of_riscv), scalar);
    note("Cortex-A72, Neoverse V2");
    CHECK(rijn_cpu_arm64(0xff) == of_32);
    CHECK(rijn_cpu_arm64(0xfffffff) == ARM);
}

/* ---- This machine ---- */

/* Finds a line of /proc/cpuinfo. Spaces surround each of its words. */
static bool find_line(const char *name, char *line, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool found = false;

    while (file != NULL && !found && fgets(line, (int)size - 1, file) != NULL)
        found = strncmp(line, name, strlen(name)) == 0;
    if (file != NULL)
        fclose(file);
    if (found)
        line[strcspn(line, "\n")] = ' ';
    return found;
}

static bool has_word(const char *line, const char *flag)
{
    char word[32];
    snprintf(word, sizeof word, " %s ", flag);
    for (char *dot = strchr(word, '.'); dot != NULL; dot = strchr(word, '.'))
        *dot = '_';
    return strstr(line, word) != NULL;
}

#if defined(__x86_64__) || defined(__i386__)
/* Returns true if /proc/cpuinfo describes the CPU that runs this test, not the host of an emulator. CPUID
 * leaves 0x80000002 to 0x80000004 have its name (Intel SDM volume 2). */
static bool is_of_this_cpu(void)
{
    static char line[16384];
    uint32_t brand[13] = {0};

    for (unsigned i = 0; i < 3; i++)
        if (!__get_cpuid(0x80000002u + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2],
                         &brand[4 * i + 3]))
            return false;
    return find_line("model name\t", line, sizeof line) && strstr(line, (const char *)brand);
}
#endif

/* Linux lists the features that the CPU has and the kernel enables. */
static void test_detection(void)
{
    static char line[16384];

    note("detection");
    rijn_cpu_limit(UINT64_MAX);
#if defined(__x86_64__) || defined(__i386__)
    CHECK((rijn_cpu() & (ARM | RISCV)) == 0);
    if (!is_of_this_cpu() || !find_line("flags\t", line, sizeof line)) {
        printf("detection not compared: /proc/cpuinfo is not about this CPU\n");
        return;
    }
#define COMPARE(feature, name, flag) \
    note("CPU feature %s", name); \
    CHECK(has_word(line, flag) == ((rijn_cpu() & RIJN_CPU(feature)) != 0));
    RIJN_CPU_X86(COMPARE)
#elif defined(__linux__) && (defined(__aarch64__) || defined(__arm__))
    CHECK((rijn_cpu() & ~ARM) == 0);
#if defined(__aarch64__)
    CHECK(rijn_cpu() & RIJN_CPU(NEON));
    CHECK(!(rijn_cpu() & RIJN_CPU(ARM_AES)) == !(getauxval(AT_HWCAP) & HWCAP_AES));
    CHECK(!(rijn_cpu() & RIJN_CPU(PMULL)) == !(getauxval(AT_HWCAP) & HWCAP_PMULL));
    CHECK(!(rijn_cpu() & RIJN_CPU(SHA3)) == !(getauxval(AT_HWCAP) & HWCAP_SHA3));
#else
    CHECK(!(rijn_cpu() & RIJN_CPU(NEON)) == !(getauxval(AT_HWCAP) & HWCAP_NEON));
    CHECK(!(rijn_cpu() & RIJN_CPU(ARM_AES)) == !(getauxval(AT_HWCAP2) & HWCAP2_AES));
    CHECK(!(rijn_cpu() & RIJN_CPU(PMULL)) == !(getauxval(AT_HWCAP2) & HWCAP2_PMULL));
#endif
    (void)line, (void)find_line, (void)has_word;
#elif defined(__linux__) && defined(__riscv)
    CHECK((rijn_cpu() & ~RISCV) == 0);
    if ((rijn_cpu() & RIJN_CPU(ZKNE)) && find_line("isa\t", line, sizeof line))
        CHECK(strstr(line, "_zkne") != NULL);
    CHECK(!(rijn_cpu() & RIJN_CPU(RVV)) || getauxval(AT_HWCAP) >> ('V' - 'A') & 1);
    (void)has_word;
#elif defined(__aarch64__) || defined(_M_ARM64)
    CHECK((rijn_cpu() & ~ARM) == 0);
    (void)line, (void)find_line, (void)has_word;
#else
    CHECK(rijn_cpu() == 0);
    (void)line, (void)find_line, (void)has_word;
#endif
}

/* Every feature can be hidden, and the reason for an unavailable backend names it. */
static void test_limit_and_reasons(void)
{
    const uint64_t whole = rijn_cpu();

    note("limits");
    for (unsigned number = 0; number < 64; number++) {
        rijn_cpu_limit(~(UINT64_C(1) << number));
        CHECK(rijn_cpu() == (whole & ~(UINT64_C(1) << number)));
        rijn_cpu_limit(UINT64_C(1) << number);
        CHECK(rijn_cpu() == (whole & UINT64_C(1) << number));
    }
    rijn_cpu_limit(UINT64_MAX);
    CHECK(rijn_cpu() == whole);

    note("reasons");
    CHECK_TEXT(rijn_cpu_reason(0), "");
    CHECK_TEXT(rijn_cpu_reason(RIJN_CPU(AES) | RIJN_CPU(AVX512VL)),
               "needs AES-NI, which this CPU or its operating system lacks");
    CHECK_TEXT(rijn_cpu_reason(RIJN_CPU(ZVKNED)),
               "needs Zvkned, which this CPU or its operating system lacks");
}

int main(int argc, char **argv)
{
    (void)argc;
    test_x86();
    test_slow_zmm();
    test_other_machines();
    test_detection();
    test_limit_and_reasons();
    return test_result(argv[0]);
}
