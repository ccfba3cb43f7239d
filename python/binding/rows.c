/* What rijn.columns needs of Arrow's layouts beside encrypt_many and decrypt_many, so that nothing
 * there is done a row at a time in Python. python/rijn/columns/rows_pure.py does the same, and says
 * what each function takes, gives and raises. */
#include "column.h" /* Python.h goes first */

#include "layouts.h"

/* ---- What a call has in hand ---------------------------------------------------------- */

typedef struct {
    column one;
    span prefix;
    PyObject *items; /* a tuple, of a list of buffers or of columns */
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
} hand;

static void take_up(hand *h)
{
    memset(h, 0, sizeof *h);
    NO_COLUMN(h->one);
    NO_SPAN(h->prefix);
    NO_OUTPUT(h->out);
    NO_OUTPUT(h->offsets);
}

static void put_down(hand *h)
{
    drop_column(&h->one);
    give_back(&h->prefix);
    for (size_t i = 0; i < h->n_spans; i++)
        give_back(&h->spans[i]);
    for (size_t i = 0; i < h->n_columns; i++)
        drop_column(&h->columns[i]);
    PyMem_Free(h->spans);
    PyMem_Free(h->strings);
    PyMem_Free(h->columns);
    Py_XDECREF(h->items);
    if (h->copy)
        rijn_wipe(h->copy, h->copied); /* short rows stand in their views */
    PyMem_Free(h->copy);
    PyMem_Free(h->bits);
    PyMem_Free(h->rows);
    if (h->out.fresh)
        rijn_wipe(h->out.to.bytes, h->out.to.size);
    drop_output(&h->out);
    drop_output(&h->offsets);
}

/* Whatever a buffer holds, so that nobody changes it. */
static bool copy_buffer(hand *h, const char *name, PyObject *object)
{
    span s;

    NO_SPAN(s);
    if (!borrow(&s, name, object, PyBUF_SIMPLE))
        return false;
    if ((h->copy = reserve(s.size, 1)))
        memcpy(h->copy, s.size ? s.bytes : (const uint8_t *)"", h->copied = s.size);
    give_back(&s);
    return h->copy != NULL;
}

/* The bits of `count` rows, from number `first` on. */
static bool copy_validity(hand *h, PyObject *object, PyObject *first, size_t count)
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
    } else if ((h->bits = reserve(n, 1))) {
        if (n)
            memcpy(h->bits, s.bytes + bit / 8, n);
        h->validity = (rows_bitmap){h->bits, bit % 8};
    }
    give_back(&s);
    return h->bits != NULL;
}

/* None: all are there. */
static bool copy_if_any(hand *h, PyObject *object, PyObject *first, size_t count)
{
    uint64_t bit;
    return object == Py_None ? parse_unsigned(&bit, "bit_offset", first)
                             : copy_validity(h, object, first, count);
}

static bool take_items(hand *h, const char *name, PyObject *list)
{
    if (!PyList_Check(list) && !PyTuple_Check(list))
        return wrong_type(name, "a list", list);
    h->items = PySequence_Tuple(list);
    return h->items != NULL;
}

static bool borrow_buffers(hand *h, const char *name, PyObject *list)
{
    if (!take_items(h, name, list))
        return false;
    const size_t count = (size_t)PyTuple_Size(h->items);
    char each[40];
    PyOS_snprintf(each, sizeof each, "each of %s", name);
    h->spans = reserve(count, sizeof *h->spans);
    h->strings = h->spans ? reserve(count, sizeof *h->strings) : NULL;
    for (size_t i = 0; h->strings && i < count; i++) {
        span *const s = &h->spans[i];
        NO_SPAN(*s);
        h->n_spans = i + 1;
        if (!borrow(s, each, PyTuple_GetItem(h->items, (Py_ssize_t)i), PyBUF_SIMPLE))
            return false;
        h->strings[i] = (rijn_string){s->bytes, s->size};
    }
    return h->strings != NULL;
}

static bool reserve_rows(hand *h, size_t count)
{
    return (h->rows = reserve(count, sizeof *h->rows)) != NULL;
}

static bool lies(const char *what)
{
    PyErr_SetString(PyExc_ValueError, what);
    return false;
}

/* ---- Columns of rows ------------------------------------------------------------------ */

static bool join_rows(hand *h, size_t count, const rows_frame *frame)
{
    if (count > PY_SSIZE_T_MAX / 8 - 1) {
        PyErr_NoMemory();
        return false;
    }
    if (!fresh_output(&h->offsets, 8 * (count + 1)))
        return false;
    int64_t *const offsets = (int64_t *)(void *)h->offsets.to.bytes;
    if (!rows_measure(offsets, h->rows, count, frame, PY_SSIZE_T_MAX)) {
        PyErr_Format(PyExc_OverflowError, "the rows would have more than %zd bytes",
                     PY_SSIZE_T_MAX);
        return false;
    }
    const size_t size = (size_t)offsets[count];
    if (!fresh_output(&h->out, size))
        return false;
    PyThreadState *const thread = unlock(size + 16 * count);
    rows_join(h->out.to.bytes, offsets, h->rows, count, frame);
    lock(thread);
    return true;
}

static PyObject *join_plain(hand *h, size_t count)
{
    const rows_frame plain = {{NULL, 0}, false, 0};
    return join_rows(h, count, &plain) ? take_column(&h->out, &h->offsets, 8) : NULL;
}

/* All rows of the column in hand. */
static bool all_rows(hand *h)
{
    const rijn_column view = column_view(&h->one);
    if (!reserve_rows(h, h->one.count))
        return false;
    rows_present(h->rows, &view, h->one.count, &h->validity);
    return true;
}

static PyObject *do_prefixed(hand *h, PyObject *const *argument)
{
    rows_frame frame = {{NULL, 0}, false, 0};

    if (!borrow(&h->prefix, "prefix", argument[0], PyBUF_SIMPLE) ||
        !borrow_column(&h->one, "data", argument[1], argument[2]) ||
        !parse_flag(&frame.lengths, "lengths", argument[3]) || !all_rows(h))
        return NULL;
    frame.prefix = (rijn_string){h->prefix.bytes, h->prefix.size};
    return join_rows(h, h->one.count, &frame) ? take_column(&h->out, &h->offsets, 8) : NULL;
}

static PyObject *do_padded(hand *h, PyObject *const *argument)
{
    uint64_t step;

    if (!borrow_column(&h->one, "data", argument[0], argument[1]) ||
        !parse_unsigned(&step, "step", argument[2]))
        return NULL;
    if (!step || step > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "step must be 1 to 2147483647, not %llu",
                     (unsigned long long)step);
        return NULL;
    }
    const rows_frame frame = {{NULL, 0}, false, (size_t)step};
    return all_rows(h) && join_rows(h, h->one.count, &frame) ? take_column(&h->out, &h->offsets, 8)
                                                             : NULL;
}

/* The numbers of the set bits. */
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

static PyObject *do_unpadded(hand *h, PyObject *const *argument)
{
    const rows_frame plain = {{NULL, 0}, false, 0};

    if (!borrow_column(&h->one, "data", argument[0], argument[1]) || !all_rows(h) ||
        !(h->bits = reserve(h->one.count / 8, 1)))
        return NULL;
    PyThreadState *const thread = unlock(h->one.data.size);
    const size_t n = rows_unpad(h->rows, h->one.count, h->bits);
    lock(thread);
    if (!join_rows(h, h->one.count, &plain))
        return NULL;
    PyObject *const bad = list_bits(h->bits, n ? h->one.count : 0);
    PyObject *const pair = bad ? take_column(&h->out, &h->offsets, 8) : NULL;
    PyObject *const three =
        pair ? PyTuple_Pack(3, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1), bad) : NULL;
    Py_XDECREF(pair);
    Py_XDECREF(bad);
    return three;
}

static PyObject *do_present(hand *h, PyObject *const *argument)
{
    if (!borrow_column(&h->one, "data", argument[0], argument[1]) ||
        !copy_validity(h, argument[2], argument[3], h->one.count) || !reserve_rows(h, h->one.count))
        return NULL;
    const rijn_column view = column_view(&h->one);
    return join_plain(h, rows_present(h->rows, &view, h->one.count, &h->validity));
}

static PyObject *do_viewed(hand *h, PyObject *const *argument)
{
    size_t n;

    if (!copy_buffer(h, "views", argument[0]) || !borrow_buffers(h, "buffers", argument[1]))
        return NULL;
    const size_t count = h->copied / VIEW_SIZE;
    if (h->copied % VIEW_SIZE) {
        PyErr_Format(PyExc_ValueError, "views of %zu bytes are not %d bytes each", h->copied,
                     VIEW_SIZE);
        return NULL;
    }
    if (!copy_if_any(h, argument[2], argument[3], count) || !reserve_rows(h, count))
        return NULL;
    if (!rows_viewed(h->rows, &n, h->copy, count, h->strings, h->n_spans, &h->validity)) {
        lies("views lie outside their buffers");
        return NULL;
    }
    return join_plain(h, n);
}

static PyObject *do_behind(hand *h, PyObject *const *argument)
{
    uint64_t size;

    if (!borrow_column(&h->one, "data", argument[0], argument[1]) ||
        !parse_unsigned(&size, "size", argument[2]) || !all_rows(h))
        return NULL;
    if (!rows_behind(h->rows, h->one.count, size)) {
        PyErr_Format(PyExc_ValueError, "a row has fewer than %llu bytes", (unsigned long long)size);
        return NULL;
    }
    return join_plain(h, h->one.count);
}

static bool copy_indices(hand *h, rows_indices *x, PyObject *object)
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
    } else if ((h->copy = reserve((size_t)view.len, 1))) {
        memcpy(h->copy, view.buf, h->copied = (size_t)view.len);
        *x = (rows_indices){h->copy, (size_t)(view.len / view.itemsize), (size_t)view.itemsize,
                            *code >= 'a'};
    }
    PyBuffer_Release(&view);
    return h->copy != NULL;
}

static PyObject *do_taken(hand *h, PyObject *const *argument)
{
    rows_indices indices = {NULL, 0, 1, false};
    size_t n;

    if (!borrow_column(&h->one, "data", argument[0], argument[1]) ||
        !copy_indices(h, &indices, argument[2]) ||
        !copy_if_any(h, argument[3], argument[4], indices.count) || !reserve_rows(h, indices.count))
        return NULL;
    const rijn_column view = column_view(&h->one);
    if (!rows_taken(h->rows, &n, &view, h->one.count, &indices, &h->validity)) {
        PyErr_Format(PyExc_ValueError, "indices lie outside the %zu rows", h->one.count);
        return NULL;
    }
    return join_plain(h, n);
}

static bool borrow_columns(hand *h, PyObject *list)
{
    if (!take_items(h, "columns", list))
        return false;
    const size_t count = (size_t)PyTuple_Size(h->items);
    if (count > 256) {
        PyErr_Format(PyExc_ValueError, "columns must be at most 256, not %zu", count);
        return false;
    }
    if (!(h->columns = reserve(count, sizeof *h->columns)))
        return false;
    for (size_t i = 0; i < count; i++) {
        PyObject *const pair = PyTuple_GetItem(h->items, (Py_ssize_t)i);
        NO_COLUMN(h->columns[i]);
        h->n_columns = i + 1;
        if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2)
            return wrong_type("each of columns", "a tuple of data and offsets", pair);
        if (!borrow_column(&h->columns[i], "columns", PyTuple_GetItem(pair, 0),
                           PyTuple_GetItem(pair, 1)))
            return false;
    }
    return true;
}

static PyObject *do_merged(hand *h, PyObject *const *argument)
{
    rijn_column views[256];
    size_t counts[256], next[256] = {0};

    if (!copy_buffer(h, "which", argument[0]) || !borrow_columns(h, argument[1]) ||
        !reserve_rows(h, h->copied))
        return NULL;
    for (size_t i = 0; i < h->n_columns; i++) {
        views[i] = column_view(&h->columns[i]);
        counts[i] = h->columns[i].count;
    }
    if (!rows_merged(h->rows, h->copy, h->copied, views, counts, next, h->n_columns)) {
        lies("which and columns have different numbers of rows");
        return NULL;
    }
    return join_plain(h, h->copied);
}

static PyObject *do_marked(hand *h, PyObject *const *argument)
{
    if (!borrow_column(&h->one, "data", argument[0], argument[1]) ||
        !borrow_buffers(h, "prefixes", argument[2]))
        return NULL;
    if (h->n_spans > 255) {
        PyErr_Format(PyExc_ValueError, "prefixes must be at most 255, not %zu", h->n_spans);
        return NULL;
    }
    if (!fresh_output(&h->out, h->one.count))
        return NULL;
    const rijn_column view = column_view(&h->one);
    rows_mark(h->out.to.bytes, &view, h->one.count, h->strings, h->n_spans);
    return take_output(&h->out);
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

static PyObject *do_spread(hand *h, PyObject *const *argument)
{
    size_t count;

    if (!borrow_offsets(&h->one, "data", argument[0], PY_SSIZE_T_MAX) ||
        !parse_count(&count, argument[3]) || !copy_validity(h, argument[1], argument[2], count) ||
        !fresh_output(&h->offsets, 8 * (count + 1)))
        return NULL;
    rijn_column view = column_view(&h->one);
    if (!h->one.n_offsets)
        view.offsets32 = NULL, view.offsets64 = NULL;
    if (!rows_spread((int64_t *)(void *)h->offsets.to.bytes, &view, h->one.count, count,
                     &h->validity)) {
        PyErr_Format(PyExc_ValueError, "validity must have %zu rows set, as many as offsets",
                     h->one.count);
        return NULL;
    }
    return take_offsets(&h->offsets, 8);
}

static PyObject *do_spaced(hand *h, PyObject *const *argument)
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
    if (!fresh_output(&h->offsets, 8 * (count + 1)))
        return NULL;
    int64_t *const offsets = (int64_t *)(void *)h->offsets.to.bytes;
    for (size_t i = 0; i <= count; i++)
        offsets[i] = (int64_t)(width * i);
    return take_offsets(&h->offsets, 8);
}

/* ---- The module's --------------------------------------------------------------------- */

#define ROWS(name, count, ...) \
    static PyObject *call_##name(PyObject *module, PyObject *const *args, Py_ssize_t given) \
    { \
        static const signature s = {#name, count, count, {__VA_ARGS__}}; \
        PyObject *argument[MAX_ARGUMENTS], *result = NULL; \
        hand h; \
        (void)module; \
        take_up(&h); \
        if (parse(&s, args, given, NULL, argument)) \
            result = do_##name(&h, argument); \
        put_down(&h); \
        return result; \
    }
ROWS(prefixed, 4, "prefix", "data", "offsets", "lengths")
ROWS(padded, 3, "data", "offsets", "step")
ROWS(unpadded, 2, "data", "offsets")
ROWS(present, 4, "data", "offsets", "validity", "bit_offset")
ROWS(behind, 3, "data", "offsets", "size")
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
    ROW(behind, "data, offsets, size"),
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
