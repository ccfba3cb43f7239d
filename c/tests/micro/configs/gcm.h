/* GCM alone, in constant time, as small as possible. */
#define RIJN_WITH_GCM 1
#define RIJN_WITH_FIXSLICE32 1
#define RIJN_WITH_SMALL_KEYS 1
#define RIJN_WITH_SMALL_CODE 1
