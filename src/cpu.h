/* What this CPU can execute and this operating system preserves. */
#ifndef RIJN_CPU_H
#define RIJN_CPU_H

#include <stdint.h>

/* How wide its registers are, whatever its pointers (x32, wasm32). */
#if defined(__SIZEOF_INT128__) || defined(_WIN64)
#define RIJN_WORD_BITS 64
#else
#define RIJN_WORD_BITS 32
#endif

enum {
    RIJN_CPU_SSSE3 = 1 << 0,
    RIJN_CPU_SSE41 = 1 << 1,
    RIJN_CPU_AES = 1 << 2,
    RIJN_CPU_PCLMULQDQ = 1 << 3,
    /* Bits below also ask the operating system for the wide registers (XCR0). */
    RIJN_CPU_AVX = 1 << 4,
    RIJN_CPU_AVX2 = 1 << 5,
    RIJN_CPU_VAES = 1 << 6, /* on 256 bits; with AVX512F on 512 */
    RIJN_CPU_VPCLMULQDQ = 1 << 7,
    RIJN_CPU_AVX512F = 1 << 8,
    RIJN_CPU_AVX512BW = 1 << 9,
    RIJN_CPU_AVX512VL = 1 << 10,
    RIJN_CPU_BITS = 11
};

/* What an x86 CPU says of itself, Intel SDM volume 2, CPUID, and of its operating
 * system, volume 1 section 13.3. */
typedef struct rijn_cpuid {
    uint32_t max_leaf; /* leaf 0 EAX */
    uint32_t leaf1_ecx;
    uint32_t leaf7_ebx; /* subleaf 0; counts only where max_leaf is 7 or more */
    uint32_t leaf7_ecx;
    uint32_t xcr0; /* low word; counts only with OSXSAVE, leaf 1 ECX bit 27 */
} rijn_cpuid;

/* The RIJN_CPU_* bits that follow from it. */
uint32_t rijn_cpu_features(const rijn_cpuid *words);

/* The RIJN_CPU_* bits that can be used here; found once, then remembered. */
uint32_t rijn_cpu(void);

/* For tests: from now on rijn_cpu() reports only bits that are in mask too. */
void rijn_cpu_limit(uint32_t mask);

/* "needs aes, which this CPU lacks" for the lowest bit of `missing`; "" for 0. */
const char *rijn_cpu_reason(uint32_t missing);

#endif
