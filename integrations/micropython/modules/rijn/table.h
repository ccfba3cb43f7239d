/* Look-ups in tables, at places that depend on keys and data. */
#include "modes.h"
#define RIJN_WITH_TABLE 1
#define RIJN_MODULE_BACKEND "table"
