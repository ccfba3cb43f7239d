#include "cpu.h"

#include <stdatomic.h>
#include <stddef.h>

uint32_t rijn_cpu_features(const rijn_cpuid *words)
{
    /* Bits of XCR0: 1 xmm, 2 the upper halves of ymm; 5 the mask registers, 6 the upper
     * halves of zmm0 to zmm15, 7 zmm16 to zmm31. */
    enum { YMM_STATE = 0x06, ZMM_STATE = 0xe0 };
    const uint32_t c1 = words->leaf1_ecx, b = words->leaf7_ebx, c = words->leaf7_ecx;
    const uint32_t saved = c1 >> 27 & 1 ? words->xcr0 : 0; /* OSXSAVE */
    uint32_t found = 0;

    found |= c1 >> 9 & 1 ? RIJN_CPU_SSSE3 : 0;
    found |= c1 >> 19 & 1 ? RIJN_CPU_SSE41 : 0;
    found |= c1 >> 25 & 1 ? RIJN_CPU_AES : 0;
    found |= c1 >> 1 & 1 ? RIJN_CPU_PCLMULQDQ : 0;

    if ((saved & YMM_STATE) != YMM_STATE || !(c1 >> 28 & 1))
        return found;
    found |= RIJN_CPU_AVX;

    if (words->max_leaf < 7)
        return found;
    found |= b >> 5 & 1 ? RIJN_CPU_AVX2 : 0;
    found |= c >> 9 & 1 ? RIJN_CPU_VAES : 0;
    found |= c >> 10 & 1 ? RIJN_CPU_VPCLMULQDQ : 0;
    if ((saved & ZMM_STATE) == ZMM_STATE) {
        found |= b >> 16 & 1 ? RIJN_CPU_AVX512F : 0;
        found |= b >> 30 & 1 ? RIJN_CPU_AVX512BW : 0;
        found |= b >> 31 & 1 ? RIJN_CPU_AVX512VL : 0;
    }
    return found;
}

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

static uint32_t detect(void)
{
    rijn_cpuid words = {0};
    uint32_t a, b, c, d;

    words.max_leaf = (uint32_t)__get_cpuid_max(0, NULL); /* clang's is an int */
    if (words.max_leaf < 1)
        return 0;
    __cpuid(1, a, b, c, d);
    words.leaf1_ecx = c;
    if (c >> 27 & 1) /* XGETBV is there */
        __asm__ volatile("xgetbv" : "=a"(words.xcr0), "=d"(d) : "c"(0));
    if (words.max_leaf >= 7) {
        __cpuid_count(7, 0, a, b, c, d);
        words.leaf7_ebx = b;
        words.leaf7_ecx = c;
    }
    return rijn_cpu_features(&words);
}

#else

static uint32_t detect(void)
{
    return 0;
}

#endif

static _Atomic uint32_t remembered; /* with KNOWN set once detect() has run */
static _Atomic uint32_t limit = UINT32_MAX;

uint32_t rijn_cpu(void)
{
    const uint32_t KNOWN = UINT32_C(1) << 31;
    uint32_t found = atomic_load_explicit(&remembered, memory_order_relaxed);
    if (!found) {
        /* Threads that race here store the same value. */
        found = detect() | KNOWN;
        atomic_store_explicit(&remembered, found, memory_order_relaxed);
    }
    return found & ~KNOWN & atomic_load_explicit(&limit, memory_order_relaxed);
}

void rijn_cpu_limit(uint32_t mask)
{
    atomic_store_explicit(&limit, mask, memory_order_relaxed);
}

const char *rijn_cpu_reason(uint32_t missing)
{
#define LACKS(what) "needs " what ", which this CPU or its operating system lacks"
    static const char *const reasons[RIJN_CPU_BITS] = {
        LACKS("SSSE3"),   LACKS("SSE4.1"),   LACKS("AES-NI"),   LACKS("PCLMULQDQ"),
        LACKS("AVX"),     LACKS("AVX2"),     LACKS("VAES"),     LACKS("VPCLMULQDQ"),
        LACKS("AVX512F"), LACKS("AVX512BW"), LACKS("AVX512VL"),
    };
#undef LACKS
    for (int bit = 0; bit < RIJN_CPU_BITS; bit++)
        if (missing >> bit & 1)
            return reasons[bit];
    return "";
}
