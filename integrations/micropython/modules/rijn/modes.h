/* The modes that the module has, with either backend. */
#define RIJN_WITH_ECB 1
#define RIJN_WITH_CBC 1
#define RIJN_WITH_CTR 1
#define RIJN_WITH_GCM 1
#define RIJN_WITH_CMAC 1
#define RIJN_WITH_AEGIS 1
