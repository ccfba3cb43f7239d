#include "cpu.h"

#include <stdatomic.h>

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

/* The register state that the operating system saves: bit 1 xmm, bit 2 ymm,
 * bits 5 to 7 the mask registers and zmm. Only valid with OSXSAVE. */
static uint32_t xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static uint32_t detect(void)
{
    enum { YMM_STATE = 0x06, ZMM_STATE = 0xe6 };
    uint32_t found = 0, a, b, c, d, saved;

    /* Intel SDM volume 2, CPUID; leaf 1 ECX. */
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return 0;
    found |= c >> 9 & 1 ? RIJN_CPU_SSSE3 : 0;
    found |= c >> 19 & 1 ? RIJN_CPU_SSE41 : 0;
    found |= c >> 25 & 1 ? RIJN_CPU_AES : 0;
    found |= c >> 1 & 1 ? RIJN_CPU_PCLMULQDQ : 0;

    saved = c >> 27 & 1 ? xcr0() : 0;
    if ((saved & YMM_STATE) != YMM_STATE || !(c >> 28 & 1))
        return found;
    found |= RIJN_CPU_AVX;

    /* Leaf 7, subleaf 0, EBX and ECX. */
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
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
