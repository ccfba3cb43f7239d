#define _DEFAULT_SOURCE /* syscall */

#include "cpu.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "build.h"

_Static_assert(RIJN_CPU_BITS <= 64, "a bit for each feature");

/* Returns whether this is an Intel CPU that lowers its clock when zmm registers are used: "Genu",
 * and the family and model of leaf 1 EAX (SDM volume 2, CPUID, figure 3-6). Linux avoids zmm
 * registers on the same CPUs (arch/x86, zmm_exclusion_list), Skylake, Ice Lake and Tiger Lake, and
 * on Ice Lake's servers. These gain from zmm registers, even between other work (docs/x86.md). */
static bool slow_zmm(const rijn_cpuid *words)
{
    static const uint32_t models[] = {0x50650, 0x706d0, 0x706e0, 0x806c0, 0x806d0, 0x906d0};
    bool found = false;

    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        found |= (words->leaf1_eax & 0x0fff0ff0) == models[i];
    return found && words->vendor == 0x756e6547;
}

uint64_t rijn_cpu_x86(const rijn_cpuid *words)
{
    /* Bits of XCR0: 1 xmm, 2 the upper halves of ymm, 5 the mask registers, 6 the upper halves of
     * zmm0 to zmm15, 7 zmm16 to zmm31. */
    enum { YMM_STATE = 0x06, ZMM_STATE = 0xe0 };
    const uint32_t c1 = words->leaf1_ecx, d1 = words->leaf1_edx;
    const uint32_t b7 = words->max_leaf < 7 ? 0 : words->leaf7_ebx;
    const uint32_t c7 = words->max_leaf < 7 ? 0 : words->leaf7_ecx;
    const uint32_t saved = c1 >> 27 & 1 ? words->xcr0 : 0; /* OSXSAVE */
    uint64_t found = 0;

    found |= d1 >> 26 & 1 ? RIJN_CPU(SSE2) : 0;
    found |= c1 >> 9 & 1 ? RIJN_CPU(SSSE3) : 0;
    found |= c1 >> 19 & 1 ? RIJN_CPU(SSE41) : 0;
    found |= c1 >> 23 & 1 ? RIJN_CPU(POPCNT) : 0;
    found |= c1 >> 25 & 1 ? RIJN_CPU(AES) : 0;
    found |= c1 >> 1 & 1 ? RIJN_CPU(PCLMULQDQ) : 0;

    if ((saved & YMM_STATE) != YMM_STATE || !(c1 >> 28 & 1))
        return found;
    found |= RIJN_CPU(AVX);
    found |= b7 >> 5 & 1 ? RIJN_CPU(AVX2) : 0;
    found |= c7 >> 9 & 1 ? RIJN_CPU(VAES) : 0;
    found |= c7 >> 10 & 1 ? RIJN_CPU(VPCLMULQDQ) : 0;

    if ((saved & ZMM_STATE) != ZMM_STATE || !(b7 >> 16 & 1))
        return found;
    found |= RIJN_CPU(AVX512F);
    found |= b7 >> 30 & 1 ? RIJN_CPU(AVX512BW) : 0;
    found |= b7 >> 31 & 1 ? RIJN_CPU(AVX512VL) : 0;
    found |= b7 >> 17 & 1 ? RIJN_CPU(AVX512DQ) : 0;
    found |= slow_zmm(words) ? RIJN_CPU(SLOW_ZMM) : 0;
    return found;
}

/* Linux: Documentation/arch/arm64/elf_hwcaps.rst; bit numbers from asm/hwcap.h. */
uint64_t rijn_cpu_arm64(uint64_t hwcap)
{
    uint64_t found = 0;

    if (!(hwcap >> 1 & 1))
        return 0; /* the other features need Advanced SIMD */
    found |= RIJN_CPU(NEON);
    found |= hwcap >> 3 & 1 ? RIJN_CPU(ARM_AES) : 0;
    found |= hwcap >> 4 & 1 ? RIJN_CPU(PMULL) : 0;
    found |= hwcap >> 17 & 1 ? RIJN_CPU(SHA3) : 0;
    return found;
}

uint64_t rijn_cpu_arm32(uint64_t hwcap, uint64_t hwcap2)
{
    uint64_t found = 0;

    if (!(hwcap >> 12 & 1))
        return 0;
    found |= RIJN_CPU(NEON);
    found |= hwcap2 >> 0 & 1 ? RIJN_CPU(ARM_AES) : 0;
    found |= hwcap2 >> 1 & 1 ? RIJN_CPU(PMULL) : 0;
    return found;
}

/* Linux: Documentation/arch/riscv/hwprobe.rst; bit numbers from asm/hwprobe.h. If this process may
 * not use vector registers (vector.rst), only AT_HWCAP shows it. */
uint64_t rijn_cpu_riscv(uint64_t extensions, uint64_t hwcap)
{
    uint64_t found = 0;

    found |= extensions >> 8 & 1 ? RIJN_CPU(ZBKB) : 0;
    found |= extensions >> 9 & 1 ? RIJN_CPU(ZBKC) : 0;
    found |= extensions >> 11 & 1 ? RIJN_CPU(ZKND) : 0;
    found |= extensions >> 12 & 1 ? RIJN_CPU(ZKNE) : 0;
    found |= extensions >> 16 & 1 ? RIJN_CPU(ZKT) : 0;

    if (!(extensions >> 2 & 1) || !(hwcap >> ('V' - 'A') & 1))
        return found;
    found |= RIJN_CPU(RVV);
    found |= extensions >> 20 & 1 ? RIJN_CPU(ZVKG) : 0;
    found |= extensions >> 21 & 1 ? RIJN_CPU(ZVKNED) : 0;
    found |= extensions >> 26 & 1 ? RIJN_CPU(ZVKT) : 0;
    return found;
}

#if RIJN_WITH_ALL

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

static uint64_t detect(void)
{
    rijn_cpuid words = {0};
    uint32_t a, b, d;

    words.max_leaf = (uint32_t)__get_cpuid_max(0, &words.vendor); /* clang's is an int */
    if (words.max_leaf < 1)
        return 0;
    __cpuid(1, words.leaf1_eax, b, words.leaf1_ecx, words.leaf1_edx);
    if (words.leaf1_ecx >> 27 & 1) /* the CPU has XGETBV */
        __asm__ volatile("xgetbv" : "=a"(words.xcr0), "=d"(d) : "c"(0));
    if (words.max_leaf >= 7)
        __cpuid_count(7, 0, a, words.leaf7_ebx, words.leaf7_ecx, d);
    return rijn_cpu_x86(&words);
}

#elif defined(__linux__) && __STDC_HOSTED__ && (defined(__aarch64__) || defined(__arm__))

#include <sys/auxv.h>

static uint64_t detect(void)
{
#if defined(__aarch64__)
    return rijn_cpu_arm64(getauxval(AT_HWCAP));
#else
    return rijn_cpu_arm32(getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
#endif
}

#elif defined(__linux__) && __STDC_HOSTED__ && defined(__riscv)

#include <sys/auxv.h>
#include <unistd.h>

/* Returns the features that the compiler may use without a check. Before Linux 6.4 they are all
 * that is known, because the kernel lacks the call. */
static uint64_t compiler_features(void)
{
    uint64_t found = 0;
#if defined(__riscv_zbkb)
    found |= RIJN_CPU(ZBKB);
#endif
#if defined(__riscv_zbkc)
    found |= RIJN_CPU(ZBKC);
#endif
#if defined(__riscv_zknd)
    found |= RIJN_CPU(ZKND);
#endif
#if defined(__riscv_zkne)
    found |= RIJN_CPU(ZKNE);
#endif
#if defined(__riscv_zkt)
    found |= RIJN_CPU(ZKT);
#endif
#if defined(__riscv_v)
    found |= RIJN_CPU(RVV);
#endif
#if defined(__riscv_zvkned)
    found |= RIJN_CPU(ZVKNED);
#endif
#if defined(__riscv_zvkg)
    found |= RIJN_CPU(ZVKG);
#endif
#if defined(__riscv_zvkt)
    found |= RIJN_CPU(ZVKT);
#endif
    return found;
}

/* AT_HWCAP alone is not enough: it has one bit for each letter, so nothing about AES, and its V was
 * set for version 0.7, too. */
static uint64_t detect(void)
{
    enum { NR_RISCV_HWPROBE = 258, IMA_EXT_0 = 4 };
    struct {
        int64_t key; /* -1 where the kernel does not know it */
        uint64_t value;
    } pair = {IMA_EXT_0, 0};

    if (syscall(NR_RISCV_HWPROBE, &pair, 1, 0, NULL, 0) != 0 || pair.key != IMA_EXT_0)
        return compiler_features();
    return compiler_features() | rijn_cpu_riscv(pair.value, getauxval(AT_HWCAP));
}

#else

/* Returns the features that the compiler may use without a check (Arm C Language Extensions). */
static uint64_t compiler_features(void)
{
    uint64_t found = 0;
#if defined(__ARM_NEON)
    found |= RIJN_CPU(NEON);
#endif
#if defined(__ARM_FEATURE_AES)
    found |= RIJN_CPU(ARM_AES) | RIJN_CPU(PMULL);
#endif
#if defined(__ARM_FEATURE_SHA3)
    found |= RIJN_CPU(SHA3);
#endif
    return found;
}

#if defined(__APPLE__) && defined(__aarch64__)

#include <sys/sysctl.h>

/* Returns `feature` if macOS, from version 12 on, reports it under this name. */
static uint64_t if_any(const char *name, uint64_t feature)
{
    int value = 0;
    size_t size = sizeof value;

    return sysctlbyname(name, &value, &size, NULL, 0) == 0 && value ? feature : 0;
}

static uint64_t detect(void)
{
    return compiler_features() | if_any("hw.optional.arm.FEAT_AES", RIJN_CPU(ARM_AES)) |
           if_any("hw.optional.arm.FEAT_PMULL", RIJN_CPU(PMULL)) |
           if_any("hw.optional.arm.FEAT_SHA3", RIJN_CPU(SHA3));
}

#elif defined(_WIN32) && defined(__aarch64__)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

static uint64_t detect(void)
{
    enum {
        V8_CRYPTO = 30,
        SHA3 = 64
    }; /* the PF_ARM_ numbers of winnt.h; older headers lack some */
    uint64_t found = compiler_features();

    found |= IsProcessorFeaturePresent(V8_CRYPTO) ? RIJN_CPU(ARM_AES) | RIJN_CPU(PMULL) : 0;
    found |= IsProcessorFeaturePresent(SHA3) ? RIJN_CPU(SHA3) : 0;
    return found;
}

#else

static uint64_t detect(void)
{
    return compiler_features();
}

#endif

#endif

/* The features that were found, in two halves, because some machines lack atomic operations on 64
 * bits. Threads that detect them at the same time store the same values. */
static _Atomic uint32_t low, high;
static _Atomic int known;

static void keep_features(uint64_t found)
{
    atomic_store_explicit(&low, (uint32_t)found, memory_order_relaxed);
    atomic_store_explicit(&high, (uint32_t)(found >> 32), memory_order_relaxed);
    atomic_store_explicit(&known, 1, memory_order_release);
}

uint64_t rijn_cpu(void)
{
    if (!atomic_load_explicit(&known, memory_order_acquire))
        keep_features(detect());
    return atomic_load_explicit(&low, memory_order_relaxed) |
           (uint64_t)atomic_load_explicit(&high, memory_order_relaxed) << 32;
}

void rijn_cpu_limit(uint64_t mask)
{
    keep_features(detect() & mask);
}

#else /* the backends of a configuration require no features */

uint64_t rijn_cpu(void)
{
    return 0;
}

#endif

const char *rijn_cpu_reason(uint64_t missing)
{
#define REASON(feature, name, flag) "needs " name ", which this CPU or its operating system lacks",
    static const char *const reasons[] = {RIJN_CPU_EACH(REASON)};
#undef REASON
    for (int bit = 0; bit < RIJN_CPU_BITS && missing >> bit; bit++)
        if (missing >> bit & 1)
            return reasons[bit];
    return "";
}
