/* Seals and opens the rows of one vector, in one call of librijn for each key. */
#ifndef ROWS_H
#define ROWS_H

#include "column.h"
#include "duckdb_api.h"

typedef enum job { SEAL, OPEN, TRY_OPEN } job;

/* Fills `output` from `values` and `ads`, `count` rows each. `ads` is NULL if no expression gives
 * associated data. Returns false if the rows are refused: then it has written the message, MESSAGE
 * bytes, and no row. */
bool process_rows(job what, const column *keys, duckdb_vector values, duckdb_vector ads,
                  size_t count, duckdb_vector output, char *message);

#endif
