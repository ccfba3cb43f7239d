/* The same as all.h, once each, with small keys. */
#include "all.h"
#define RIJN_WITH_SMALL_KEYS 1
#define RIJN_WITH_SMALL_CODE 1
