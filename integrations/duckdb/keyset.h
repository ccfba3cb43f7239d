/* Reads keysets of rijn.columns (docs/columns.md): Tink's JSON in the clear, or a Rijn key file. */
#ifndef KEYSET_H
#define KEYSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEYSET_MOST = 254, KEYSET_TEXT_MOST = 1 << 20, KEYSET_SECRET_MOST = 64 };

/* The algorithm of a key. KEYSET_ANY: from a Rijn key file, which does not name one. */
typedef enum keyset_algorithm {
    KEYSET_ANY,
#define RIJN_COLUMN_ALGORITHM(ID, ...) KEYSET_##ID,
#include "../../vectors/columns.def"
    KEYSET_ALGORITHMS
} keyset_algorithm;

typedef struct keyset_key {
    uint32_t id; /* 0 for a Rijn key file */
    keyset_algorithm algorithm;
    bool raw; /* its rows do not begin with its id */
    size_t size;
    uint8_t secret[KEYSET_SECRET_MOST];
} keyset_key;

/* The enabled keys, the primary one first. */
typedef struct keyset {
    size_t count;
    keyset_key keys[KEYSET_MOST];
} keyset;

/* Reads a keyset. Returns NULL, or an error message that does not quote the text; then *found is
 * zeros. */
const char *keyset_parse(keyset *found, const uint8_t *text, size_t size);

/* Returns whether an algorithm takes keys of `size` bytes. */
bool keyset_size_fits(keyset_algorithm algorithm, size_t size);

#endif
