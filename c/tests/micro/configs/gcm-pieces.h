/* GCM, in constant time, with small keys, and messages in pieces. */
#define RIJN_WITH_GCM 1
#define RIJN_WITH_GCM_PIECES 1
#define RIJN_WITH_FIXSLICE32 1
#define RIJN_WITH_SMALL_KEYS 1
