/* GCM and CTR, in constant time, with round keys as they are added. What is not to be there may
 * be said to be 0, too. */
#define RIJN_WITH_ECB 0
#define RIJN_WITH_CBC 0
#define RIJN_WITH_CTR 1
#define RIJN_WITH_GCM 1
#define RIJN_WITH_GCM_PIECES 0
#define RIJN_WITH_GCM_SIV 0
#define RIJN_WITH_XAES 0
#define RIJN_WITH_CCM 0
#define RIJN_WITH_OCB 0
#define RIJN_WITH_EAX 0
#define RIJN_WITH_SIV 0
#define RIJN_WITH_CMAC 0
#define RIJN_WITH_FEEDBACK 0
#define RIJN_WITH_XTS 0
#define RIJN_WITH_KEYWRAP 0
#define RIJN_WITH_AEGIS 0
#define RIJN_WITH_AEGIS_X 0
#define RIJN_WITH_CHUNKS 0
#define RIJN_WITH_FIXSLICE32 1
#define RIJN_WITH_FIXSLICE64 0
#define RIJN_WITH_TABLE 0
#define RIJN_WITH_SMALL_KEYS 0
#define RIJN_WITH_SMALL_CODE 0
