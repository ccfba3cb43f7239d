/* The keys of an expression, expanded for the format of its rows (docs/columns.md). */
#ifndef COLUMN_H
#define COLUMN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keyset.h"
#include "rijn.h"

enum { KEY_ID_SIZE = 5, MESSAGE = 512 }; /* bytes of the id before a row, and of an error message */

/* A format of rows. A key from a Rijn key file uses the first algorithm. */
typedef struct row_format {
    const char *name;
    keyset_algorithm algorithms[3];
    bool framed;   /* needs a context */
    bool prefixed; /* rows begin with the id of their key */
} row_format;

/* An expanded key, and the prefix of its rows. */
typedef struct worker {
    rijn_many_mode mode;
    size_t prefix_size;
    uint8_t prefix[KEY_ID_SIZE];
    union {
        rijn_key aes;
        rijn_siv_key siv;
        rijn_aegis_key aegis;
    } key;
} worker;

/* The bind data of an expression. */
typedef struct column {
    atomic_size_t owners; /* copies of a plan share the column */
    bool framed, prefixed;
    size_t frame_size;
    uint8_t *frame; /* if framed: BE64(len(context)) || context */
    size_t count;
    worker keys[];
} column;

/* Returns the format with a name, or NULL. */
const row_format *find_format(const char *name);

/* Writes an error message with the names of all formats, MESSAGE bytes. */
void name_formats(char *message);

/* Makes a column. On error, returns NULL and sets *wrong. `context` may be NULL. */
column *column_new(const keyset *keys, const row_format *format, const char *context,
                   const char **wrong);

/* Returns the same column, which has one more owner. */
void *column_share(void *column);

/* Wipes and frees a column that has no other owner. It may be NULL. */
void column_release(void *column);

/* Stores 8 bytes, big-endian. */
void put_be64(uint8_t *out, uint64_t x);

#endif
