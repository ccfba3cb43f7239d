#include "mock.h"

rijn_backend mock;

#define MOCK_TABLE(mode, _) rijn_##mode##_table mock_##mode;
RIJN_TABLES(MOCK_TABLE, )

#define RIJN_MORE_TABLES(mode) &mock_##mode,
#include "tables.c"

void make_mock(const rijn_backend *backend)
{
    mock = *backend;
    mock.index = RIJN_INDEX_END;
#define COPY_TABLE(mode, _) mock_##mode = *rijn_##mode##_of(backend);
    RIJN_TABLES(COPY_TABLE, )
}
