/* The list of backends: RIJN_BACKENDS(X) is X(name) for each backend of this build, preferred first.
 * The registry (backends.c) and AEGIS's kernels (aegis/kernels.c) are made of it. */
#ifndef RIJN_BACKENDS_H
#define RIJN_BACKENDS_H

#include "backend.h"

#define RIJN_BACKENDS(X) \
    RIJN_X86_64(X, vaes512) \
    RIJN_X86_64(X, vaes256) \
    RIJN_X86(X, aesni_avx) \
    RIJN_X86(X, aesni) \
    RIJN_X86_64(X, gfni) \
    RIJN_X86_64(X, avx512) \
    RIJN_X86_64(X, avx2) \
    RIJN_X86_64(X, ssse3) \
    RIJN_X86_64(X, sse2) \
    RIJN_ARM64(X, armce) \
    RIJN_ARM64(X, neon) \
    RIJN_RISCV64(X, riscv_zvkned) \
    RIJN_RISCV64(X, riscv_zkn) \
    RIJN_SIMD128(X, simd128) \
    RIJN_FIXSLICE64(X, fixslice64) \
    RIJN_FIXSLICE32(X, fixslice32) \
    RIJN_ASM_X86(X, asm) \
    RIJN_TABLE(X, table)

#if (defined(__x86_64__) || defined(__i386__)) && RIJN_WITH_ALL
#define RIJN_X86(X, name) X(name)
#else
#define RIJN_X86(X, name)
#endif

#if defined(__x86_64__) && RIJN_WITH_ALL
#define RIJN_X86_64(X, name) X(name)
#else
#define RIJN_X86_64(X, name)
#endif

#if defined(__AARCH64EL__) && RIJN_WITH_ALL
#define RIJN_ARM64(X, name) X(name)
#else
#define RIJN_ARM64(X, name)
#endif

#if RIJN_WITH_RISCV64
#define RIJN_RISCV64(X, name) X(name)
#else
#define RIJN_RISCV64(X, name)
#endif

#if defined(__wasm_simd128__) && RIJN_WITH_ALL
#define RIJN_SIMD128(X, name) X(name)
#else
#define RIJN_SIMD128(X, name)
#endif

#if RIJN_WITH_FIXSLICE64
#define RIJN_FIXSLICE64(X, name) X(name)
#else
#define RIJN_FIXSLICE64(X, name)
#endif

#if RIJN_WITH_FIXSLICE32
#define RIJN_FIXSLICE32(X, name) X(name)
#else
#define RIJN_FIXSLICE32(X, name)
#endif

#if defined(RIJN_ASM) && RIJN_WITH_ALL /* by CMake */
#define RIJN_ASM_X86(X, name) X(name)
#else
#define RIJN_ASM_X86(X, name)
#endif

#if defined(RIJN_NO_LEAKS) || !RIJN_WITH_TABLE /* by CMake, with RIJN_LEAKY=OFF */
#define RIJN_TABLE(X, name)
#else
#define RIJN_TABLE(X, name) X(name)
#endif

#define RIJN_BACKEND_DECLARE(name) extern const rijn_backend rijn_backend_##name;
RIJN_BACKENDS(RIJN_BACKEND_DECLARE)
#undef RIJN_BACKEND_DECLARE

#endif
