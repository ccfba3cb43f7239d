/* Begins functions that may use the instructions in TARGET, for example "aes,avx2". They end at end.h.
 * GCC_OPTIONS is optional: more of the target for gcc alone. A file includes this once. */
#include <immintrin.h> /* before the target: with it, gcc's half floats do not build */

#if defined(__clang__)
RIJN_PRAGMA(clang attribute push(__attribute__((target(TARGET))), apply_to = function))
#else
RIJN_PRAGMA(GCC target(TARGET))
#ifdef GCC_OPTIONS
RIJN_PRAGMA(GCC target(GCC_OPTIONS))
#endif
#endif
