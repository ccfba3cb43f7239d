/* Ends the functions after begin.h. To gcc, the target lasts until the end of the file. */
#if defined(__clang__)
RIJN_PRAGMA(clang attribute pop)
#endif
