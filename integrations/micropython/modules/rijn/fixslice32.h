/* Configuration of librijn: constant time. */
#include "modes.h"
#define RIJN_WITH_FIXSLICE32 1
#define RIJN_MODULE_BACKEND "fixslice32"
