/* What this CPU can execute and this operating system preserves, and what it does slowly.
 *
 * A feature is a bit of 64. Each has its own whatever the architecture, so that a mask of one
 * is never met on another. Here is the one list of them; all that names features expands it. */
#ifndef RIJN_CPU_H
#define RIJN_CPU_H

#include <stdint.h>

/* How wide its registers are, whatever its pointers (x32, wasm32). */
#if defined(__SIZEOF_INT128__) || defined(_WIN64)
#define RIJN_WORD_BITS 64
#else
#define RIJN_WORD_BITS 32
#endif

/* X(feature, name, flag): the name as people write it, and the flag as lists of features do
 * (in Linux's /proc/cpuinfo, where a dot is a '_'). */
#define RIJN_CPU_X86(X) \
    X(SSE2, "SSE2", "sse2") \
    X(SSSE3, "SSSE3", "ssse3") \
    X(SSE41, "SSE4.1", "sse4.1") \
    X(AES, "AES-NI", "aes") \
    X(PCLMULQDQ, "PCLMULQDQ", "pclmulqdq") \
    X(GFNI, "GFNI", "gfni") /* on 128 bits; with AVX on 256, with AVX512F on 512 */ \
    /* Those below also ask the operating system for the wide registers (XCR0). */ \
    X(AVX, "AVX", "avx") \
    X(AVX2, "AVX2", "avx2") \
    X(VAES, "VAES", "vaes") /* on 256 bits; with AVX512F on 512 */ \
    X(VPCLMULQDQ, "VPCLMULQDQ", "vpclmulqdq") \
    X(AVX512F, "AVX512F", "avx512f") \
    X(AVX512BW, "AVX512BW", "avx512bw") \
    X(AVX512VL, "AVX512VL", "avx512vl")

/* Of 64-bit Arm and, but for SHA3, of 32-bit Arm too. */
#define RIJN_CPU_ARM(X) \
    X(NEON, "Advanced SIMD", "asimd") \
    X(ARM_AES, "FEAT_AES", "aes") \
    X(PMULL, "FEAT_PMULL", "pmull") \
    X(SHA3, "FEAT_SHA3", "sha3") /* EOR3, BCAX */

#define RIJN_CPU_RISCV(X) \
    X(RVV, "V", "v") /* version 1.0 */ \
    X(ZBKB, "Zbkb", "zbkb") \
    X(ZBKC, "Zbkc", "zbkc") \
    X(ZKND, "Zknd", "zknd") \
    X(ZKNE, "Zkne", "zkne") \
    X(ZKT, "Zkt", "zkt") /* its instructions take the same time whatever they work on */ \
    X(ZVKG, "Zvkg", "zvkg") \
    X(ZVKNED, "Zvkned", "zvkned") \
    X(ZVKT, "Zvkt", "zvkt")

/* Not to be asked for: what a backend may want to avoid (rijn_backend.avoid). */
#define RIJN_CPU_QUIRKS(X) \
    X(SLOW_ZMM, "slow zmm", "slow-zmm") /* the clock falls where they are used */

#define RIJN_CPU_EACH(X) RIJN_CPU_X86(X) RIJN_CPU_ARM(X) RIJN_CPU_RISCV(X) RIJN_CPU_QUIRKS(X)

#define RIJN_CPU_NUMBER(feature, name, flag) RIJN_CPU_NUMBER_##feature,
enum { RIJN_CPU_EACH(RIJN_CPU_NUMBER) RIJN_CPU_BITS };
#undef RIJN_CPU_NUMBER
_Static_assert(RIJN_CPU_BITS <= 64, "a bit for each");

/* The bit of a feature: RIJN_CPU(AES). */
#define RIJN_CPU(feature) (UINT64_C(1) << RIJN_CPU_NUMBER_##feature)

/* What an x86 CPU says of itself, Intel SDM volume 2, CPUID, and of its operating
 * system, volume 1 section 13.3. */
typedef struct rijn_cpuid {
    uint32_t max_leaf;  /* leaf 0 EAX */
    uint32_t vendor;    /* leaf 0 EBX, the first four letters */
    uint32_t leaf1_eax; /* family, model and stepping */
    uint32_t leaf1_ecx;
    uint32_t leaf1_edx;
    uint32_t leaf7_ebx; /* subleaf 0; counts only where max_leaf is 7 or more */
    uint32_t leaf7_ecx;
    uint32_t xcr0; /* low word; counts only with OSXSAVE, leaf 1 ECX bit 27 */
} rijn_cpuid;

/* The features that follow from what was read, the same on any machine. Arm: Linux's
 * AT_HWCAP and, where 32-bit Arm has some of them, AT_HWCAP2. RISC-V: the value of
 * riscv_hwprobe's key IMA_EXT_0, and AT_HWCAP. */
uint64_t rijn_cpu_x86(const rijn_cpuid *words);
uint64_t rijn_cpu_arm64(uint64_t hwcap);
uint64_t rijn_cpu_arm32(uint64_t hwcap, uint64_t hwcap2);
uint64_t rijn_cpu_riscv(uint64_t extensions, uint64_t hwcap);

/* The features and quirks of this machine; found once, then remembered. Where neither CPUID
 * nor Linux, macOS or Windows tells, it is what the compiler was told of the machine. */
uint64_t rijn_cpu(void);

/* For tests: from now on rijn_cpu() gives only bits that are in mask too. */
void rijn_cpu_limit(uint64_t mask);

/* "needs AES-NI, which this CPU or its operating system lacks" for the lowest bit of
 * `missing`; "" for 0. */
const char *rijn_cpu_reason(uint64_t missing);

#endif
