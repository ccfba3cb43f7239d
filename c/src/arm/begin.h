/* Begins functions that may use the instructions in CLANG_TARGET and GCC_TARGET; the compilers have
 * different names for them. They end at end.h. A file includes this once. */
#if defined(__clang__)
RIJN_PRAGMA(clang attribute push(__attribute__((target(CLANG_TARGET))), apply_to = function))
#else
RIJN_PRAGMA(GCC target(GCC_TARGET))
#endif
