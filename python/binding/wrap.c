/* rijn._native.KeyWrap: KW and KWP. */
#include "binding.h"

/* Returns the size of the result for `size` bytes; 0 if that size is not allowed. */
typedef size_t size_function(size_t size);
typedef rijn_status wrap_function(const rijn_key *key, uint8_t *out, size_t *written,
                                  const uint8_t *in, size_t size);

typedef struct {
    signature arguments;
    size_function *result_size;
    const char *wants; /* the ValueError for a wrong size; NULL raises InvalidTag */
    wrap_function *operation;
} wrapping;

static size_t wrapped_size(size_t size)
{
    return size >= 16 && size % 8 == 0 ? size + 8 : 0;
}

static size_t unwrapped_size(size_t size)
{
    return size >= 24 && size % 8 == 0 ? size - 8 : 0;
}

static size_t padded_size(size_t size)
{
    return size >= 1 && (uint64_t)size <= UINT32_MAX ? (size + 7) / 8 * 8 + 8 : 0;
}

static size_t unpadded_size(size_t size)
{
    return size >= 16 && size % 8 == 0 ? size - 8 : 0;
}

static rijn_status whole_wrap(const rijn_key *key, uint8_t *out, size_t *written, const uint8_t *in,
                              size_t size)
{
    (void)written;
    return rijn_kw_wrap(key, out, in, size);
}

static rijn_status whole_unwrap(const rijn_key *key, uint8_t *out, size_t *written,
                                const uint8_t *in, size_t size)
{
    (void)written;
    return rijn_kw_unwrap(key, out, in, size);
}

static rijn_status padding_wrap(const rijn_key *key, uint8_t *out, size_t *written,
                                const uint8_t *in, size_t size)
{
    (void)written;
    return rijn_kwp_wrap(key, out, in, size);
}

/* Implements every method. It writes to temporary memory, because an unwrapped key may be shorter
 * than the written bytes, and its size is not known before. */
static PyObject *convert(const wrapping *w, PyObject *self, PyObject *const *args, Py_ssize_t given,
                         PyObject *keywords)
{
    PyObject *argument[MAX_ARGUMENTS], *result = NULL;
    uint8_t *out = NULL;
    span data;

    if (!parse(&w->arguments, args, given, keywords, argument))
        return NULL;
    NO_SPAN(data);
    if (!borrow(&data, "data", argument[0], PyBUF_SIMPLE))
        return NULL;
    const size_t size = w->result_size(data.size);
    size_t written = size;
    if (size == 0) {
        if (w->wants)
            wrong_size(w->wants, data.size);
        else
            raise_invalid_tag(NULL);
        goto done;
    }
    out = PyMem_Malloc(size);
    if (!out) {
        PyErr_NoMemory();
        goto done;
    }
    PyThreadState *thread = unlock(16 * data.size); /* it is slow */
    const rijn_status status = w->operation(key_of(self), out, &written, data.bytes, data.size);
    lock(thread);
    if (succeeded(status))
        result = PyBytes_FromStringAndSize((const char *)out, (Py_ssize_t)written);
done:
    if (out)
        rijn_wipe(out, size);
    PyMem_Free(out);
    give_back(&data);
    return result;
}

#define WRAP(name, ...) \
    static const wrapping wrapping_##name = {{#name, 1, 1, {"data"}}, __VA_ARGS__}; \
    METHOD(wrap_##name, convert(&wrapping_##name, self, args, given, keywords))

WRAP(wrap, wrapped_size, "data must be a multiple of 8 bytes, at least 16", whole_wrap)
WRAP(unwrap, unwrapped_size, NULL, whole_unwrap)
WRAP(wrap_padded, padded_size, "data must be 1 to 2^32 - 1 bytes", padding_wrap)
WRAP(unwrap_padded, unpadded_size, NULL, rijn_kwp_unwrap)

static PyMethodDef wrap_methods[] = {
    METHOD_ROW("wrap", wrap_wrap, "wrap($self, data)\n--\n\n"),
    METHOD_ROW("unwrap", wrap_unwrap, "unwrap($self, data)\n--\n\n"),
    METHOD_ROW("wrap_padded", wrap_wrap_padded, "wrap_padded($self, data)\n--\n\n"),
    METHOD_ROW("unwrap_padded", wrap_unwrap_padded, "unwrap_padded($self, data)\n--\n\n"),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot wrap_slots[] = {
    {Py_tp_doc, "KeyWrap(key, backend)\n--\n\n"},
    {Py_tp_new, keyed_new},
    {Py_tp_dealloc, keyed_dealloc},
    {Py_tp_methods, wrap_methods},
    {Py_tp_getset, keyed_properties},
    {0, NULL},
};

static PyType_Spec wrap_spec = {
    .name = "rijn._native.KeyWrap",
    .basicsize = sizeof(keyed),
    .flags = TYPE_FLAGS,
    .slots = wrap_slots,
};

bool add_wrap(PyObject *module)
{
    return add_type(module, &wrap_spec);
}
