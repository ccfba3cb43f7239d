/* The modes of all.h, with small code and small keys. */
#include "all.h"
#define RIJN_WITH_SMALL_KEYS 1
#define RIJN_WITH_SMALL_CODE 1
