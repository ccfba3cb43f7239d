/* Arrays of function tables that also contain those of plain.c, after the registry's. */
#include "plain.h"

#define RIJN_MORE_TABLES(mode) &rijn_plain_1_##mode, &rijn_plain_2_##mode, &rijn_plain_4_##mode,
#include "tables.c"
