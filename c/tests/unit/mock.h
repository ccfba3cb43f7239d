/* A backend whose functions a test replaces. It has its own tables, after the registry's. */
#ifndef MOCK_H
#define MOCK_H

#include "backend.h"

extern rijn_backend mock;

/* mock_ecb, mock_cbc, … */
#define MOCK_TABLE(mode, _) extern rijn_##mode##_table mock_##mode;
RIJN_TABLES(MOCK_TABLE, )
#undef MOCK_TABLE

/* Makes the mock a copy of that backend. */
void make_mock(const rijn_backend *backend);

#endif
