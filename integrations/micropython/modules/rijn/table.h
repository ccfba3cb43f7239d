/* Configuration of librijn: table look-ups. Their addresses depend on keys and data. */
#include "modes.h"
#define RIJN_WITH_TABLE 1
#define RIJN_MODULE_BACKEND "table"
