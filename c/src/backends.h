/* The backends of this build. backends.def lists the backends of all builds. RIJN_IN_where(x) is x
 * if this build has the backends with `where` in their line, else nothing. */
#ifndef RIJN_BACKENDS_H
#define RIJN_BACKENDS_H

#include "backend.h"
#include "cpu.h"

#if (defined(__x86_64__) || defined(__i386__)) && RIJN_WITH_ALL
#define RIJN_IN_X86(...) __VA_ARGS__
#else
#define RIJN_IN_X86(...)
#endif

#if defined(__x86_64__) && RIJN_WITH_ALL
#define RIJN_IN_X86_64(...) __VA_ARGS__
#else
#define RIJN_IN_X86_64(...)
#endif

#if defined(__AARCH64EL__) && RIJN_WITH_ALL
#define RIJN_IN_ARM64(...) __VA_ARGS__
#else
#define RIJN_IN_ARM64(...)
#endif

#if RIJN_WITH_RISCV64
#define RIJN_IN_RISCV64(...) __VA_ARGS__
#else
#define RIJN_IN_RISCV64(...)
#endif

#if defined(__wasm_simd128__) && RIJN_WITH_ALL
#define RIJN_IN_SIMD128(...) __VA_ARGS__
#else
#define RIJN_IN_SIMD128(...)
#endif

#if RIJN_WITH_FIXSLICE64
#define RIJN_IN_FIXSLICE64(...) __VA_ARGS__
#else
#define RIJN_IN_FIXSLICE64(...)
#endif

#if RIJN_WITH_FIXSLICE32
#define RIJN_IN_FIXSLICE32(...) __VA_ARGS__
#else
#define RIJN_IN_FIXSLICE32(...)
#endif

#if defined(RIJN_ASM) && RIJN_WITH_ALL /* CMake sets RIJN_ASM */
#define RIJN_IN_ASM_X86_64(...) __VA_ARGS__
#else
#define RIJN_IN_ASM_X86_64(...)
#endif

#if RIJN_WITH_TABLE
#define RIJN_IN_TABLE(...) __VA_ARGS__
#else
#define RIJN_IN_TABLE(...)
#endif

/* The same for the column `timing`. */
#define RIJN_IF_CLEAN(...) __VA_ARGS__
#define RIJN_IF_STEPPED(...) __VA_ARGS__
#define RIJN_IF_BELIEVED(...) __VA_ARGS__
#ifdef RIJN_NO_LEAKS /* CMake sets it with RIJN_LEAKY=OFF */
#define RIJN_IF_LEAKY(...)
#else
#define RIJN_IF_LEAKY(...) __VA_ARGS__
#endif

/* The column `timing` as rijn_backend.constant_time, and `choice` as rijn_backend.automatic. */
#define RIJN_TIMING_CLEAN true
#define RIJN_TIMING_STEPPED true
#define RIJN_TIMING_BELIEVED true
#define RIJN_TIMING_LEAKY false
#define RIJN_CHOICE_AUTOMATIC true
#define RIJN_CHOICE_ON_64 (RIJN_WORD_BITS == 64)
#define RIJN_CHOICE_ON_32 (RIJN_WORD_BITS == 32)
#define RIJN_CHOICE_BY_NAME false
/* gcc for 64-bit Windows does not align wide registers that it spills to the stack (its bug 54412), and
 * loading them may crash. */
#if defined(_WIN64) && defined(__GNUC__) && !defined(__clang__)
#define RIJN_CHOICE_ALIGNED false
#else
#define RIJN_CHOICE_ALIGNED true
#endif

/* What RIJN_CORE of modes/modes.h takes from a backend's line. */
#define RIJN_BACKEND(where, id, name, timing, choice, kernels) \
    RIJN_IN_##where(RIJN_IF_##timing(static const char rijn_name_##id[] = name; \
                                     enum {RIJN_CONSTANT_TIME_##id = RIJN_TIMING_##timing, \
                                           RIJN_AUTOMATIC_##id = RIJN_CHOICE_##choice};))
#include "backends.def"
#undef RIJN_BACKEND

/* The indices of the backends in the registry: rijn_backend.index. */
enum {
#define RIJN_BACKEND(where, id, name, timing, choice, kernels) \
    RIJN_IN_##where(RIJN_IF_##timing(RIJN_INDEX_##id, ))
#include "backends.def"
#undef RIJN_BACKEND
    RIJN_INDEX_END
};

#define RIJN_DECLARE_TABLE(mode, id) extern const rijn_##mode##_table rijn_##id##_##mode;
#define RIJN_BACKEND(where, id, name, timing, choice, kernels) \
    RIJN_IN_##where(RIJN_IF_##timing(extern const rijn_backend rijn_backend_##id; \
                                     RIJN_TABLES(RIJN_DECLARE_TABLE, id)))
#include "backends.def"
#undef RIJN_BACKEND

/* Returns whether two names are equal. Not strcmp, which programs in Rust without a C library lack. */
RIJN_INLINE bool same_name(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

#endif
