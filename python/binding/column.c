/* Columns in Arrow's layout. */
#include "column.h"

#include "layouts.h"

void drop_column(column *c)
{
    give_back(&c->data);
    PyMem_Free(c->offsets);
}

void *reserve(size_t count, size_t size)
{
    void *const memory =
        count <= PY_SSIZE_T_MAX / size - 1 ? PyMem_Malloc((count + 1) * size) : NULL;
    if (!memory)
        PyErr_NoMemory();
    return memory;
}

#define OFFSETS_WANTED \
    "the offsets of %s must be a one-dimensional buffer of integers of 32 or 64 bits, as of " \
    "memoryview(...).cast('i') or cast('q'), not "
#define OFFSETS_HINT " (put single messages in a list, not a tuple)"

const char *own_format(const char *format)
{
    const char other = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? '<' : '>';
    if (*format == '@' || *format == '=' || *format == '<' || *format == '>' || *format == '!')
        return *format == other || *format == '!' ? NULL : format + 1;
    return format;
}

/* Copies the integers of an offsets buffer: 32 or 64 bits each, in the machine's byte order. */
static bool copy_offsets(column *c, const char *name, PyObject *object)
{
    Py_buffer view;

    if (!PyObject_CheckBuffer(object)) {
        PyObject *const type = PyType_GetName(Py_TYPE(object));
        if (type)
            PyErr_Format(PyExc_TypeError, OFFSETS_WANTED "%U" OFFSETS_HINT, name, type);
        Py_XDECREF(type);
        return false;
    }
    if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) < 0)
        return false;
    const char *const format = view.format ? view.format : "B";
    const char *const code = own_format(format);
    const bool integers = code && *code && !code[1] && strchr("ilqnILQN", *code);
    bool right = false;
    if (!PyBuffer_IsContiguous(&view, 'C')) {
        PyErr_Format(PyExc_BufferError, "the offsets of %s must be C-contiguous", name);
    } else if (view.ndim != 1 || !integers || (view.itemsize != 4 && view.itemsize != 8)) {
        PyErr_Format(PyExc_TypeError,
                     OFFSETS_WANTED "of %d dimensions and format '%s'" OFFSETS_HINT, name,
                     view.ndim, format);
    } else if ((c->offsets = reserve((size_t)view.len, 1))) {
        memcpy(c->offsets, view.buf, (size_t)view.len);
        c->width = (size_t)view.itemsize;
        c->n_offsets = (size_t)(view.len / view.itemsize);
        c->count = c->n_offsets ? c->n_offsets - 1 : 0; /* Arrow allows no offsets for no rows */
        right = true;
    }
    PyBuffer_Release(&view);
    return right;
}

rijn_column column_view(const column *c)
{
    rijn_column view = {.data = c->data.bytes ? c->data.bytes : (const uint8_t *)"",
                        .size = c->data.size};
    if (c->width == 4)
        view.offsets32 = c->offsets;
    else
        view.offsets64 = c->offsets;
    return view;
}

bool borrow_offsets(column *c, const char *name, PyObject *offsets, size_t size)
{
    if (!copy_offsets(c, name, offsets))
        return false;
    rijn_column view = column_view(c);
    view.size = size;
    if (rows_fit(&view, c->n_offsets))
        return true;
    PyErr_Format(PyExc_ValueError,
                 "the offsets of %s must not decrease, nor lie outside its %zu bytes", name, size);
    return false;
}

bool borrow_column(column *c, const char *name, PyObject *data, PyObject *offsets)
{
    char whole[40];

    PyOS_snprintf(whole, sizeof whole, "the data of %s", name);
    return borrow(&c->data, whole, data, PyBUF_SIMPLE) &&
           borrow_offsets(c, name, offsets, c->data.size);
}

PyObject *take_offsets(output *offsets, size_t width)
{
    PyObject *const plain = take_output(offsets);
    PyObject *const view = plain ? PyMemoryView_FromObject(plain) : NULL;
    PyObject *const integers =
        view ? PyObject_CallMethod(view, "cast", "s", width == 4 ? "i" : "q") : NULL;
    Py_XDECREF(view);
    Py_XDECREF(plain);
    return integers;
}

PyObject *take_column(output *data, output *offsets, size_t width)
{
    PyObject *const integers = take_offsets(offsets, width);
    PyObject *const bytes = integers ? take_output(data) : NULL;
    PyObject *const pair = bytes ? PyTuple_Pack(2, bytes, integers) : NULL;
    Py_XDECREF(bytes);
    Py_XDECREF(integers);
    return pair;
}
