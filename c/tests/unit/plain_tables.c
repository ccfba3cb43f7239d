/* The tables of plain.c, after those of the registry. */
#include "plain.h"

#define RIJN_MORE_TABLES(mode) &rijn_plain_1_##mode, &rijn_plain_2_##mode, &rijn_plain_4_##mode,
#include "tables.c"
