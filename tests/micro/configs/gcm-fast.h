/* GCM and CTR, in constant time, with round keys as they are added. */
#define RIJN_WITH_CTR 1
#define RIJN_WITH_GCM 1
#define RIJN_WITH_FIXSLICE32 1
