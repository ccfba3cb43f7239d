/* Columns in Arrow's layout, data and offsets, as arguments and as results (column.c). */
#ifndef RIJN_BINDING_COLUMN_H
#define RIJN_BINDING_COLUMN_H

#include "binding.h"

/* Start with NO_COLUMN and end with drop_column. */
typedef struct {
    span data;
    void *offsets; /* a copy, which nobody else can change */
    size_t n_offsets;
    size_t width; /* bytes of an offset */
    size_t count; /* of rows */
} column;

#define NO_COLUMN(c) \
    (NO_SPAN((c).data), (c).offsets = NULL, (c).n_offsets = (c).width = (c).count = 0)

/* Borrows the arguments `data` and `offsets`. Raises TypeError, BufferError, and ValueError for
 * offsets that decrease or lie outside the data. */
bool borrow_column(column *c, const char *name, PyObject *data, PyObject *offsets);

/* Borrows only the offsets, into `size` bytes. */
bool borrow_offsets(column *c, const char *name, PyObject *offsets, size_t size);
void drop_column(column *c);

/* Returns the column in the form of the library. */
rijn_column column_view(const column *c);

/* Returns a method's result: data as bytes, and offsets of `width` bytes as a memoryview of
 * integers. */
PyObject *take_column(output *data, output *offsets, size_t width);

/* Returns only the offsets. */
PyObject *take_offsets(output *offsets, size_t width);

/* Allocates memory for `count` elements, which may be 0. Returns NULL with MemoryError. */
void *reserve(size_t count, size_t size);

/* Returns a format of the struct module without its mark of the byte order; NULL if that is not
 * this machine's order. */
const char *own_format(const char *format);

#endif
