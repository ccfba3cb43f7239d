/* DuckDB's C extension API, for each file of the extension. */
#ifndef DUCKDB_API_H
#define DUCKDB_API_H

#define DUCKDB_EXTENSION_NAME rijn
#include "duckdb_extension.h"

DUCKDB_EXTENSION_EXTERN

#endif
