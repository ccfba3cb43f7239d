/* AEGIS-128L and AEGIS-256 alone, in constant time. */
#define RIJN_WITH_AEGIS 1
#define RIJN_WITH_FIXSLICE32 1
