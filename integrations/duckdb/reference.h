/* Reads keysets that SQL names as 'file:PATH' or 'env:NAME'. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "duckdb_api.h"
#include "keyset.h"

/* Reads the keyset that a reference names. Returns NULL, or an error message. *exists: there is a
 * file or variable with this name, so the name is not a key. */
const char *read_keyset(const char *reference, keyset *found, duckdb_client_context context,
                        bool *exists);

#endif
