/* Tells programs about the machine: random bytes, RIJN_BACKEND, and features of the CPU.
 * SPDX-License-Identifier: MIT
 *
 * For programs that are built together with the static library: the Python package, the DuckDB
 * extension and the benchmark. This header is not installed. The shared library exports none of
 * these functions, and any version may change them. The conventions of rijn.h hold here too. */
#ifndef RIJN_MACHINE_H
#define RIJN_MACHINE_H

#include "rijn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes random bytes from the operating system.
 *   out   `size` bytes, at most 256. Do not use them after an error
 * Errors: RIJN_ERR_RANDOM. */
RIJN_REALIGN RIJN_CHECKED rijn_status rijn_random(uint8_t *out, size_t size);

/* Returns the environment variable RIJN_BACKEND. Returns "" if it is unset, or if the process has
 * more rights than its caller, as glibc's secure_getenv decides. A library that was built for a
 * system without an environment does not have this function. */
RIJN_REALIGN const char *rijn_environment(void);

/* ---- Features of the CPU ----
 * A feature is one of 64 bits. The bit is set if the CPU can execute the instructions and the
 * operating system preserves the registers. Quirks name slow instructions. Every architecture has
 * its own bits, so no CPU has the features of another architecture. This is the only list: all code
 * that names features expands it. */

/* X(feature, name, flag): the name as people write it, and the flag as in lists of features.
 * Linux's /proc/cpuinfo writes '_' for a dot. */
#define RIJN_CPU_X86(X) \
    X(SSE2, "SSE2", "sse2") \
    X(SSSE3, "SSSE3", "ssse3") \
    X(SSE41, "SSE4.1", "sse4.1") \
    X(POPCNT, "POPCNT", "popcnt") /* compilers assume it with AVX */ \
    X(AES, "AES-NI", "aes") \
    X(PCLMULQDQ, "PCLMULQDQ", "pclmulqdq") \
    /* The features below also need wide registers from the operating system (XCR0). */ \
    X(AVX, "AVX", "avx") \
    X(AVX2, "AVX2", "avx2") \
    X(VAES, "VAES", "vaes") /* on 256 bits; with AVX512F on 512 */ \
    X(VPCLMULQDQ, "VPCLMULQDQ", "vpclmulqdq") \
    X(AVX512F, "AVX512F", "avx512f") \
    X(AVX512BW, "AVX512BW", "avx512bw") \
    X(AVX512VL, "AVX512VL", "avx512vl") \
    X(AVX512DQ, "AVX512DQ", "avx512dq") /* gcc assumes it: VEXTRACTI64X2 */

/* 64-bit Arm. 32-bit Arm has all of these except SHA3. */
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
    X(ZKT, "Zkt", "zkt") /* its instructions take the same time for all operands */ \
    X(ZVKG, "Zvkg", "zvkg") \
    X(ZVKNED, "Zvkned", "zvkned") \
    X(ZVKT, "Zvkt", "zvkt")

/* Quirks: no backend requires them, but a backend may avoid them (rijn_backend.avoid). */
#define RIJN_CPU_QUIRKS(X) \
    X(SLOW_ZMM, "slow zmm", "slow-zmm") /* their use lowers the clock */

#define RIJN_CPU_EACH(X) RIJN_CPU_X86(X) RIJN_CPU_ARM(X) RIJN_CPU_RISCV(X) RIJN_CPU_QUIRKS(X)

#define RIJN_CPU_NUMBER(feature, name, flag) RIJN_CPU_NUMBER_##feature,
enum { RIJN_CPU_EACH(RIJN_CPU_NUMBER) RIJN_CPU_BITS };
#undef RIJN_CPU_NUMBER

/* The bit of a feature: RIJN_CPU(AES). */
#define RIJN_CPU(feature) (UINT64_C(1) << RIJN_CPU_NUMBER_##feature)

/* Returns the features and quirks of this machine. It detects them once, then remembers them. If
 * neither CPUID nor Linux, macOS or Windows reports features, it returns the features that the
 * compiler was allowed to use. */
RIJN_REALIGN uint64_t rijn_cpu(void);

/* For tests: from now on rijn_cpu() returns only bits that are also in `mask`. */
RIJN_REALIGN void rijn_cpu_limit(uint64_t mask);

/* Returns a phrase for the lowest bit of `missing`, such as "needs AES-NI, which this CPU or its
 * operating system lacks". Returns "" for 0. */
RIJN_REALIGN const char *rijn_cpu_reason(uint64_t missing);

#ifdef __cplusplus
}
#endif
#endif
