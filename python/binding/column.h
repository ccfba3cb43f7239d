/* Columns of Arrow's layout, data and offsets: borrowed, and made (column.c). */
#ifndef RIJN_BINDING_COLUMN_H
#define RIJN_BINDING_COLUMN_H

#include "binding.h"

/* Start with NO_COLUMN and end with drop_column. */
typedef struct {
    span data;
    void *offsets; /* copied, so that nobody changes them */
    size_t n_offsets;
    size_t width; /* bytes of an offset */
    size_t count; /* of rows */
} column;

#define NO_COLUMN(c) \
    (NO_SPAN((c).data), (c).offsets = NULL, (c).n_offsets = (c).width = (c).count = 0)

/* The arguments `data` and `offsets`; TypeError, BufferError or, for offsets that lie, ValueError. */
bool borrow_column(column *c, const char *name, PyObject *data, PyObject *offsets);

/* The offsets alone, of `size` bytes. */
bool borrow_offsets(column *c, const char *name, PyObject *offsets, size_t size);
void drop_column(column *c);

/* As the library has it. */
rijn_column column_view(const column *c);

/* What a method returns: data as bytes, and offsets of `width` bytes as a memoryview of integers. */
PyObject *take_column(output *data, output *offsets, size_t width);

/* The same of offsets alone. */
PyObject *take_offsets(output *offsets, size_t width);

/* Memory for `count` things, of which there may be none; NULL with MemoryError. */
void *reserve(size_t count, size_t size);

/* What a format of the struct module is in the machine's order: itself without its mark; NULL in
 * another order. */
const char *own_format(const char *format);

#endif
