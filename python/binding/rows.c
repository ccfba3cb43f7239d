/* Rows of Arrow's layouts, for rijn.columns: so Python code there does not process single rows.
 * python/rijn/columns/rows_pure.py has the same functions, and documents their arguments, results
 * and errors. */
#include "column.h" /* Python.h goes first */

#include "layouts.h"

/* ---- The arguments and results of a call ---------------------------------------------- */

typedef struct {
    column one;
    span prefix;
    PyObject *items; /* a list of buffers or columns, as a tuple */
    span *spans;     /* the buffers */
    rijn_string *strings;
    size_t n_spans;
    column *columns;
    size_t n_columns;
    uint8_t *copy; /* of views, indices or marks */
    size_t copied;
    uint8_t *bits;
    rows_bitmap validity;
    rijn_string *rows;
    output out, offsets;
} row_call;

static void begin_call(row_call *c)
{
    memset(c, 0, sizeof *c);
    NO_COLUMN(c->one);
    NO_SPAN(c->prefix);
    NO_OUTPUT(c->out);
    NO_OUTPUT(c->offsets);
}

static void end_call(row_call *c)
{
    drop_column(&c->one);
    give_back(&c->prefix);
    for (size_t i = 0; i < c->n_spans; i++)
        give_back(&c->spans[i]);
    for (size_t i = 0; i < c->n_columns; i++)
        drop_column(&c->columns[i]);
    PyMem_Free(c->spans);
    PyMem_Free(c->strings);
    PyMem_Free(c->columns);
    Py_XDECREF(c->items);
    if (c->copy)
        rijn_wipe(c->copy, c->copied); /* views contain short rows */
    PyMem_Free(c->copy);
    PyMem_Free(c->bits);
    PyMem_Free(c->rows);
    if (c->out.fresh)
        rijn_wipe(c->out.to.bytes, c->out.to.size);
    drop_output(&c->out);
    drop_output(&c->offsets);
}

/* Copies a buffer, so that nobody can change it. */
static bool copy_buffer(row_call *c, const char *name, PyObject *object)
{
    span s;

    NO_SPAN(s);
    if (!borrow(&s, name, object, PyBUF_SIMPLE))
        return false;
    if ((c->copy = reserve(s.size, 1)))
        memcpy(c->copy, s.size ? s.bytes : (const uint8_t *)"", c->copied = s.size);
    give_back(&s);
    return c->copy != NULL;
}

/* Copies the bits of `count` rows. The first row's bit is number `first`. */
static bool copy_validity(row_call *c, PyObject *object, PyObject *first, size_t count)
{
    uint64_t bit;
    span s;

    if (!parse_unsigned(&bit, "bit_offset", first))
        return false;
    NO_SPAN(s);
    if (!borrow(&s, "validity", object, PyBUF_SIMPLE))
        return false;
    const size_t n = count / 8 + (bit % 8 + count % 8 + 7) / 8;
    if (bit / 8 > s.size || n > s.size - (size_t)(bit / 8)) {
        PyErr_Format(PyExc_ValueError, "validity has %zu bytes: too few for %zu rows from bit %llu",
                     s.size, count, (unsigned long long)bit);
    } else if ((c->bits = reserve(n, 1))) {
        if (n)
            memcpy(c->bits, s.bytes + bit / 8, n);
        c->validity = (rows_bitmap){c->bits, bit % 8};
    }
    give_back(&s);
    return c->bits != NULL;
}

/* As copy_validity. None means that all rows are present. */
static bool copy_optional_validity(row_call *c, PyObject *object, PyObject *first, size_t count)
{
    uint64_t bit;
    return object == Py_None ? parse_unsigned(&bit, "bit_offset", first)
                             : copy_validity(c, object, first, count);
}

static bool take_items(row_call *c, const char *name, PyObject *list)
{
    if (!PyList_Check(list) && !PyTuple_Check(list))
        return wrong_type(name, "a list", list);
    c->items = PySequence_Tuple(list);
    return c->items != NULL;
}

static bool borrow_buffers(row_call *c, const char *name, PyObject *list)
{
    if (!take_items(c, name, list))
        return false;
    const size_t count = (size_t)PyTuple_Size(c->items);
    char each[40];
    PyOS_snprintf(each, sizeof each, "each of %s", name);
    c->spans = reserve(count, sizeof *c->spans);
    c->strings = c->spans ? reserve(count, sizeof *c->strings) : NULL;
    for (size_t i = 0; c->strings && i < count; i++) {
        span *const s = &c->spans[i];
        NO_SPAN(*s);
        c->n_spans = i + 1;
        if (!borrow(s, each, PyTuple_GetItem(c->items, (Py_ssize_t)i), PyBUF_SIMPLE))
            return false;
        c->strings[i] = (rijn_string){s->bytes, s->size};
    }
    return c->strings != NULL;
}

static bool reserve_rows(row_call *c, size_t count)
{
    return (c->rows = reserve(count, sizeof *c->rows)) != NULL;
}

static bool raise_value_error(const char *what)
{
    PyErr_SetString(PyExc_ValueError, what);
    return false;
}

/* ---- Columns of rows ------------------------------------------------------------------ */

static bool join_rows(row_call *c, size_t count, const rows_frame *frame)
{
    if (count > PY_SSIZE_T_MAX / 8 - 1) {
        PyErr_NoMemory();
        return false;
    }
    if (!fresh_output(&c->offsets, 8 * (count + 1)))
        return false;
    int64_t *const offsets = (int64_t *)(void *)c->offsets.to.bytes;
    if (!rows_measure(offsets, c->rows, count, frame, PY_SSIZE_T_MAX)) {
        PyErr_Format(PyExc_OverflowError, "the rows would have more than %zd bytes",
                     PY_SSIZE_T_MAX);
        return false;
    }
    const size_t size = (size_t)offsets[count];
    if (!fresh_output(&c->out, size))
        return false;
    PyThreadState *const thread = unlock(size + 16 * count);
    rows_join(c->out.to.bytes, offsets, c->rows, count, frame);
    lock(thread);
    return true;
}

static PyObject *join_plain(row_call *c, size_t count)
{
    const rows_frame plain = {{NULL, 0}, false, 0};
    return join_rows(c, count, &plain) ? take_column(&c->out, &c->offsets, 8) : NULL;
}

/* Takes all rows of the borrowed column. */
static bool all_rows(row_call *c)
{
    const rijn_column view = column_view(&c->one);
    if (!reserve_rows(c, c->one.count))
        return false;
    rows_present(c->rows, &view, c->one.count, &c->validity);
    return true;
}

static PyObject *do_prefixed(row_call *c, PyObject *const *argument)
{
    rows_frame frame = {{NULL, 0}, false, 0};

    if (!borrow(&c->prefix, "prefix", argument[0], PyBUF_SIMPLE) ||
        !borrow_column(&c->one, "data", argument[1], argument[2]) ||
        !parse_flag(&frame.lengths, "lengths", argument[3]) || !all_rows(c))
        return NULL;
    frame.prefix = (rijn_string){c->prefix.bytes, c->prefix.size};
    return join_rows(c, c->one.count, &frame) ? take_column(&c->out, &c->offsets, 8) : NULL;
}

static PyObject *do_padded(row_call *c, PyObject *const *argument)
{
    uint64_t step;

    if (!borrow_column(&c->one, "data", argument[0], argument[1]) ||
        !parse_unsigned(&step, "step", argument[2]))
        return NULL;
    if (!step || step > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "step must be 1 to 2147483647, not %llu",
                     (unsigned long long)step);
        return NULL;
    }
    const rows_frame frame = {{NULL, 0}, false, (size_t)step};
    return all_rows(c) && join_rows(c, c->one.count, &frame) ? take_column(&c->out, &c->offsets, 8)
                                                             : NULL;
}

/* Returns the numbers of the set bits. */
static PyObject *list_bits(const uint8_t *bits, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        if (!(bits[i / 8] >> i % 8 & 1))
            continue;
        PyObject *const number = PyLong_FromSize_t(i);
        if (!number || PyList_Append(list, number) < 0)
            Py_CLEAR(list);
        Py_XDECREF(number);
    }
    return list;
}

static PyObject *do_unpadded(row_call *c, PyObject *const *argument)
{
    const rows_frame plain = {{NULL, 0}, false, 0};

    if (!borrow_column(&c->one, "data", argument[0], argument[1]) || !all_rows(c) ||
        !(c->bits = reserve(c->one.count / 8, 1)))
        return NULL;
    PyThreadState *const thread = unlock(c->one.data.size);
    const size_t n = rows_unpad(c->rows, c->one.count, c->bits);
    lock(thread);
    if (!join_rows(c, c->one.count, &plain))
        return NULL;
    PyObject *const bad = list_bits(c->bits, n ? c->one.count : 0);
    PyObject *const pair = bad ? take_column(&c->out, &c->offsets, 8) : NULL;
    PyObject *const three =
        pair ? PyTuple_Pack(3, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1), bad) : NULL;
    Py_XDECREF(pair);
    Py_XDECREF(bad);
    return three;
}

static PyObject *do_present(row_call *c, PyObject *const *argument)
{
    if (!borrow_column(&c->one, "data", argument[0], argument[1]) ||
        !copy_validity(c, argument[2], argument[3], c->one.count) || !reserve_rows(c, c->one.count))
        return NULL;
    const rijn_column view = column_view(&c->one);
    return join_plain(c, rows_present(c->rows, &view, c->one.count, &c->validity));
}

static PyObject *do_viewed(row_call *c, PyObject *const *argument)
{
    size_t n;

    if (!copy_buffer(c, "views", argument[0]) || !borrow_buffers(c, "buffers", argument[1]))
        return NULL;
    const size_t count = c->copied / VIEW_SIZE;
    if (c->copied % VIEW_SIZE) {
        PyErr_Format(PyExc_ValueError, "views of %zu bytes are not %d bytes each", c->copied,
                     VIEW_SIZE);
        return NULL;
    }
    if (!copy_optional_validity(c, argument[2], argument[3], count) || !reserve_rows(c, count))
        return NULL;
    if (!rows_viewed(c->rows, &n, c->copy, count, c->strings, c->n_spans, &c->validity)) {
        raise_value_error("views lie outside their buffers");
        return NULL;
    }
    return join_plain(c, n);
}

static PyObject *do_unprefixed(row_call *c, PyObject *const *argument)
{
    uint64_t size;

    if (!borrow_column(&c->one, "data", argument[0], argument[1]) ||
        !parse_unsigned(&size, "size", argument[2]) || !all_rows(c))
        return NULL;
    if (!rows_unprefixed(c->rows, c->one.count, size)) {
        PyErr_Format(PyExc_ValueError, "a row has fewer than %llu bytes", (unsigned long long)size);
        return NULL;
    }
    return join_plain(c, c->one.count);
}

static bool copy_indices(row_call *c, rows_indices *x, PyObject *object)
{
    Py_buffer view;

    if (!PyObject_CheckBuffer(object))
        return wrong_type("indices", "a bytes-like object", object);
    if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) < 0)
        return false;
    const char *const format = view.format ? view.format : "B";
    const char *const code = own_format(format);
    if (!PyBuffer_IsContiguous(&view, 'C')) {
        PyErr_SetString(PyExc_BufferError, "indices must be C-contiguous");
    } else if (view.ndim != 1 || !code || !*code || code[1] || !strchr("bBhHiIlLqQ", *code)) {
        PyErr_Format(PyExc_TypeError,
                     "indices must be a one-dimensional buffer of integers, not of %d dimensions "
                     "and format '%s'",
                     view.ndim, format);
    } else if ((c->copy = reserve((size_t)view.len, 1))) {
        memcpy(c->copy, view.buf, c->copied = (size_t)view.len);
        *x = (rows_indices){c->copy, (size_t)(view.len / view.itemsize), (size_t)view.itemsize,
                            *code >= 'a'};
    }
    PyBuffer_Release(&view);
    return c->copy != NULL;
}

static PyObject *do_taken(row_call *c, PyObject *const *argument)
{
    rows_indices indices = {NULL, 0, 1, false};
    size_t n;

    if (!borrow_column(&c->one, "data", argument[0], argument[1]) ||
        !copy_indices(c, &indices, argument[2]) ||
        !copy_optional_validity(c, argument[3], argument[4], indices.count) ||
        !reserve_rows(c, indices.count))
        return NULL;
    const rijn_column view = column_view(&c->one);
    if (!rows_taken(c->rows, &n, &view, c->one.count, &indices, &c->validity)) {
        PyErr_Format(PyExc_ValueError, "indices lie outside the %zu rows", c->one.count);
        return NULL;
    }
    return join_plain(c, n);
}

static bool borrow_columns(row_call *c, PyObject *list)
{
    if (!take_items(c, "columns", list))
        return false;
    const size_t count = (size_t)PyTuple_Size(c->items);
    if (count > 256) {
        PyErr_Format(PyExc_ValueError, "columns must be at most 256, not %zu", count);
        return false;
    }
    if (!(c->columns = reserve(count, sizeof *c->columns)))
        return false;
    for (size_t i = 0; i < count; i++) {
        PyObject *const pair = PyTuple_GetItem(c->items, (Py_ssize_t)i);
        NO_COLUMN(c->columns[i]);
        c->n_columns = i + 1;
        if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2)
            return wrong_type("each of columns", "a tuple of data and offsets", pair);
        if (!borrow_column(&c->columns[i], "columns", PyTuple_GetItem(pair, 0),
                           PyTuple_GetItem(pair, 1)))
            return false;
    }
    return true;
}

static PyObject *do_merged(row_call *c, PyObject *const *argument)
{
    rijn_column views[256];
    size_t counts[256], next[256] = {0};

    if (!copy_buffer(c, "which", argument[0]) || !borrow_columns(c, argument[1]) ||
        !reserve_rows(c, c->copied))
        return NULL;
    for (size_t i = 0; i < c->n_columns; i++) {
        views[i] = column_view(&c->columns[i]);
        counts[i] = c->columns[i].count;
    }
    if (!rows_merged(c->rows, c->copy, c->copied, views, counts, next, c->n_columns)) {
        raise_value_error("which and columns have different numbers of rows");
        return NULL;
    }
    return join_plain(c, c->copied);
}

static PyObject *do_marked(row_call *c, PyObject *const *argument)
{
    if (!borrow_column(&c->one, "data", argument[0], argument[1]) ||
        !borrow_buffers(c, "prefixes", argument[2]))
        return NULL;
    if (c->n_spans > 255) {
        PyErr_Format(PyExc_ValueError, "prefixes must be at most 255, not %zu", c->n_spans);
        return NULL;
    }
    if (!fresh_output(&c->out, c->one.count))
        return NULL;
    const rijn_column view = column_view(&c->one);
    rows_mark(c->out.to.bytes, &view, c->one.count, c->strings, c->n_spans);
    return take_output(&c->out);
}

/* ---- Offsets -------------------------------------------------------------------------- */

static bool parse_count(size_t *count, PyObject *object)
{
    uint64_t n;

    if (!parse_unsigned(&n, "count", object))
        return false;
    if (n > PY_SSIZE_T_MAX / 8 - 1) {
        PyErr_Format(PyExc_OverflowError, "count must be at most %zd", PY_SSIZE_T_MAX / 8 - 1);
        return false;
    }
    *count = (size_t)n;
    return true;
}

static PyObject *do_spread(row_call *c, PyObject *const *argument)
{
    size_t count;

    if (!borrow_offsets(&c->one, "data", argument[0], PY_SSIZE_T_MAX) ||
        !parse_count(&count, argument[3]) || !copy_validity(c, argument[1], argument[2], count) ||
        !fresh_output(&c->offsets, 8 * (count + 1)))
        return NULL;
    rijn_column view = column_view(&c->one);
    if (!c->one.n_offsets)
        view.offsets32 = NULL, view.offsets64 = NULL;
    if (!rows_spread((int64_t *)(void *)c->offsets.to.bytes, &view, c->one.count, count,
                     &c->validity)) {
        PyErr_Format(PyExc_ValueError, "validity must have %zu rows set, as many as offsets",
                     c->one.count);
        return NULL;
    }
    return take_offsets(&c->offsets, 8);
}

static PyObject *do_spaced(row_call *c, PyObject *const *argument)
{
    uint64_t width;
    size_t count;

    if (!parse_unsigned(&width, "width", argument[0]) || !parse_count(&count, argument[1]))
        return NULL;
    if (width && count > PY_SSIZE_T_MAX / width) {
        PyErr_Format(PyExc_OverflowError, "the rows would have more than %zd bytes",
                     PY_SSIZE_T_MAX);
        return NULL;
    }
    if (!fresh_output(&c->offsets, 8 * (count + 1)))
        return NULL;
    int64_t *const offsets = (int64_t *)(void *)c->offsets.to.bytes;
    for (size_t i = 0; i <= count; i++)
        offsets[i] = (int64_t)(width * i);
    return take_offsets(&c->offsets, 8);
}

/* ---- The functions of the module ------------------------------------------------------ */

#define ROWS(name, count, ...) \
    static PyObject *call_##name(PyObject *module, PyObject *const *args, Py_ssize_t given) \
    { \
        static const signature s = {#name, count, count, {__VA_ARGS__}}; \
        PyObject *argument[MAX_ARGUMENTS], *result = NULL; \
        row_call c; \
        (void)module; \
        begin_call(&c); \
        if (parse(&s, args, given, NULL, argument)) \
            result = do_##name(&c, argument); \
        end_call(&c); \
        return result; \
    }
ROWS(prefixed, 4, "prefix", "data", "offsets", "lengths")
ROWS(padded, 3, "data", "offsets", "step")
ROWS(unpadded, 2, "data", "offsets")
ROWS(present, 4, "data", "offsets", "validity", "bit_offset")
ROWS(unprefixed, 3, "data", "offsets", "size")
ROWS(viewed, 4, "views", "buffers", "validity", "bit_offset")
ROWS(taken, 5, "data", "offsets", "indices", "validity", "bit_offset")
ROWS(merged, 2, "which", "columns")
ROWS(marked, 3, "data", "offsets", "prefixes")
ROWS(spread, 4, "offsets", "validity", "bit_offset", "count")
ROWS(spaced, 2, "width", "count")

#define ROW(name, arguments) \
    { \
#name, (PyCFunction)(void (*)(void))call_##name, METH_FASTCALL, \
            #name "(" arguments ", /)\n--\n\n" \
    }
static PyMethodDef functions[] = {
    ROW(prefixed, "prefix, data, offsets, lengths"),
    ROW(padded, "data, offsets, step"),
    ROW(unpadded, "data, offsets"),
    ROW(present, "data, offsets, validity, bit_offset"),
    ROW(unprefixed, "data, offsets, size"),
    ROW(viewed, "views, buffers, validity, bit_offset"),
    ROW(taken, "data, offsets, indices, validity, bit_offset"),
    ROW(merged, "which, columns"),
    ROW(marked, "data, offsets, prefixes"),
    ROW(spread, "offsets, validity, bit_offset, count"),
    ROW(spaced, "width, count"),
    {NULL, NULL, 0, NULL},
};

bool add_rows(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) == 0;
}
