/* Errors, arguments and buffers: binding.h. */
#include "binding.h"

/* ---- Errors --------------------------------------------------------------------- */

bool wrong_size(const char *what, size_t size)
{
    PyErr_Format(PyExc_ValueError, "%s, not %zu", what, size);
    return false;
}

/* Raises rijn.errors.NAME(text). With chunk, its attribute `chunk` is that number. */
static bool raise_ours(const char *name, const char *text, const uint64_t *chunk)
{
    PyObject *module = PyImport_ImportModule("rijn.errors");
    PyObject *type = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *error = type ? PyObject_CallFunction(type, "s", text) : NULL;
    PyObject *number = error && chunk ? PyLong_FromUnsignedLongLong(*chunk) : NULL;
    if (error && (!chunk || (number && PyObject_SetAttrString(error, "chunk", number) == 0)))
        PyErr_SetObject(type, error);
    Py_XDECREF(number);
    Py_XDECREF(error);
    Py_XDECREF(type);
    Py_XDECREF(module);
    return false;
}

bool raise_invalid_tag(const uint64_t *chunk)
{
    return raise_ours("InvalidTag", rijn_status_text(RIJN_ERR_TAG), chunk);
}

bool raise_no_backend(const char *name)
{
    char names[1024] = "", text[1280];
    const char *reason = "there is none of that name";
    rijn_backend_info info;
    for (size_t i = 0; rijn_backend_at(i, &info) == RIJN_OK; i++)
        if (strcmp(info.name, name) == 0)
            reason = info.reason;
    rijn_backend_names(names, sizeof names);
    PyOS_snprintf(text, sizeof text, "backend '%.40s': %.100s; there are: %s", name, reason, names);
    return raise_ours("BackendError", text, NULL);
}

bool succeeded(rijn_status status)
{
    if (status == RIJN_OK)
        return true;
    if (status == RIJN_ERR_TAG)
        return raise_invalid_tag(NULL);
    PyErr_SetString(PyExc_ValueError,
                    status == RIJN_ERR_PADDING ? "invalid padding" : rijn_status_text(status));
    return false;
}

/* ---- Arguments ---------------------------------------------------------- */

/* Which of the names `keyword` is; -1 when it is none. */
static Py_ssize_t find_name(const signature *s, PyObject *keyword)
{
    for (Py_ssize_t i = 0; s->names[i]; i++)
        if (PyUnicode_CompareWithASCIIString(keyword, s->names[i]) == 0)
            return i;
    return -1;
}

bool parse(const signature *s, PyObject *const *args, Py_ssize_t given, PyObject *keywords,
           PyObject *found[MAX_ARGUMENTS])
{
    if (given > s->positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zd positional arguments (%zd given)",
                     s->method, s->positional, given);
        return false;
    }
    for (Py_ssize_t i = 0; i < MAX_ARGUMENTS; i++)
        found[i] = i < given ? args[i] : NULL;

    const Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t k = 0; k < named; k++) {
        PyObject *keyword = PyTuple_GetItem(keywords, k);
        const Py_ssize_t i = find_name(s, keyword);
        if (i < 0 || found[i]) {
            PyErr_Format(PyExc_TypeError, "%s() got %s argument '%U'", s->method,
                         i < 0 ? "an unexpected keyword" : "multiple values for", keyword);
            return false;
        }
        found[i] = args[given + k];
    }
    for (Py_ssize_t i = given; i < s->required; i++)
        if (!found[i]) {
            PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s'", s->method,
                         s->names[i]);
            return false;
        }
    return true;
}

/* ---- Buffers in --------------------------------------------------------- */

/* An object that has a buffer but not the one that was asked for says so in words of its
 * own, NumPy's with a ValueError. Here it is always BufferError, in the same words. */
static void explain_refusal(PyObject *object, int flags)
{
    PyObject *type, *error, *trace;
    const char *problem = NULL;
    Py_buffer view;

    PyErr_Fetch(&type, &error, &trace);
    if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) == 0) {
        if (flags == PyBUF_WRITABLE && view.readonly)
            problem = "the buffer is not writable";
        else if (!PyBuffer_IsContiguous(&view, 'C'))
            problem = "the buffer is not C-contiguous";
        PyBuffer_Release(&view);
    }
    if (!problem) {
        PyErr_Restore(type, error, trace);
        return;
    }
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    PyErr_SetString(PyExc_BufferError, problem);
}

bool borrow(span *s, PyObject *object, int flags)
{
    if (PyBytes_CheckExact(object) && flags == PyBUF_SIMPLE) {
        char *bytes;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(object, &bytes, &size) < 0)
            return false;
        s->bytes = (uint8_t *)bytes;
        s->size = (size_t)size;
        return true;
    }
    if (PyObject_GetBuffer(object, &s->view, flags) < 0) {
        s->view.obj = NULL;
        explain_refusal(object, flags);
        return false;
    }
    s->bytes = s->view.buf;
    s->size = (size_t)s->view.len;
    return true;
}

void give_back(span *s)
{
    if (s->view.obj)
        PyBuffer_Release(&s->view);
}

bool borrow_exactly(span *s, size_t size, const char *name, PyObject *object)
{
    if (!borrow(s, object, PyBUF_SIMPLE))
        return false;
    if (s->size == size)
        return true;
    PyErr_Format(PyExc_ValueError, "%s must be %zu bytes, not %zu", name, size, s->size);
    return false;
}

bool copy_exactly(uint8_t *bytes, size_t size, const char *name, PyObject *object)
{
    span s;
    NO_SPAN(s);
    const bool right = borrow_exactly(&s, size, name, object);
    if (right)
        memcpy(bytes, s.bytes, size);
    give_back(&s);
    return right;
}

/* ---- Numbers and flags in ------------------------------------------------ */

bool wrong_type(const char *name, const char *what, PyObject *object)
{
    PyObject *type = PyType_GetName(Py_TYPE(object));
    if (type)
        PyErr_Format(PyExc_TypeError, "%s must be %s, not %U", name, what, type);
    Py_XDECREF(type);
    return false;
}

bool parse_unsigned(uint64_t *number, const char *name, PyObject *object)
{
    if (PyBool_Check(object) || !PyIndex_Check(object))
        return wrong_type(name, "an integer", object);
    PyObject *found = PyNumber_Index(object);
    if (!found)
        return false;
    *number = PyLong_AsUnsignedLongLong(found);
    const bool right = *number != UINT64_MAX || !PyErr_Occurred();
    if (!right && PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_OverflowError, "%s must be 0 to 2^64 - 1, not %S", name, found);
    }
    Py_DECREF(found);
    return right;
}

bool parse_flag(bool *flag, const char *name, PyObject *object)
{
    if (object != Py_True && object != Py_False)
        return wrong_type(name, "True or False", object);
    *flag = object == Py_True;
    return true;
}

static bool overlap(const span *a, const span *b)
{
    const uintptr_t x = (uintptr_t)a->bytes, y = (uintptr_t)b->bytes;
    return a->size && b->size && (x < y ? y - x < a->size : x - y < b->size);
}

/* ---- Bytes out ---------------------------------------------------------- */

bool fresh_output(output *o, size_t size)
{
    if (size > PY_SSIZE_T_MAX) {
        PyErr_NoMemory();
        return false;
    }
    o->fresh = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (!o->fresh)
        return false;
    o->to.bytes = (uint8_t *)PyBytes_AsString(o->fresh);
    o->to.size = size;
    return true;
}

bool given_output(output *o, PyObject *buf, size_t size, const span *data, bool in_place)
{
    if (!borrow(&o->to, buf, PyBUF_WRITABLE))
        return false;
    if (o->to.size != size) {
        PyErr_Format(PyExc_ValueError, "buf must be exactly %zu bytes, not %zu", size, o->to.size);
        return false;
    }
    if (overlap(&o->to, data) && !(in_place && o->to.bytes == data->bytes)) {
        PyErr_SetString(PyExc_ValueError, "data and buf overlap");
        return false;
    }
    return true;
}

bool lies_apart(const output *o, const char *name, const span *other)
{
    if (!overlap(&o->to, other))
        return true;
    PyErr_Format(PyExc_ValueError, "%s and buf overlap", name);
    return false;
}

PyObject *take_output(output *o)
{
    PyObject *result = o->fresh ? o->fresh : PyLong_FromSize_t(o->to.size);
    o->fresh = NULL;
    return result;
}

void drop_output(output *o)
{
    Py_XDECREF(o->fresh);
    give_back(&o->to);
}

/* ---- Types -------------------------------------------------------------- */

PyObject *allocate(PyTypeObject *type)
{
    return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
}

void release(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

bool add_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    const bool added = type && PyModule_AddType(module, (PyTypeObject *)type) == 0;
    Py_XDECREF(type);
    return added;
}

bool take_turn(atomic_int *phase)
{
    int found = READY;
    if (atomic_compare_exchange_strong(phase, &found, BUSY))
        return true;
    PyErr_SetString(PyExc_RuntimeError, found == BUSY ? "another thread is at work with this object"
                                                      : "finalize or verify has been called");
    return false;
}

bool expand(rijn_key *key, PyObject *object, const char *backend)
{
    span bytes;
    NO_SPAN(bytes);
    if (!borrow(&bytes, object, PyBUF_SIMPLE))
        return false;
    bool expanded = false;
    if (bytes.size != 16 && bytes.size != 24 && bytes.size != 32)
        wrong_size("key must be 16, 24 or 32 bytes", bytes.size);
    else if (rijn_key_init(key, bytes.bytes, bytes.size, backend) != RIJN_OK)
        raise_no_backend(backend); /* only the name is left to be wrong */
    else
        expanded = true;
    give_back(&bytes);
    return expanded;
}

PyObject *keyed_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"key", "backend", NULL};
    PyObject *key;
    const char *backend;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "Os", names, &key, &backend))
        return NULL;
    keyed *self = (keyed *)allocate(type);
    if (self && !expand(&self->key, key, backend))
        Py_CLEAR(self);
    return (PyObject *)self;
}

void keyed_dealloc(PyObject *self)
{
    rijn_key_wipe(&((keyed *)self)->key);
    release(self);
}

static PyObject *keyed_backend(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(rijn_key_backend(key_of(self)));
}

PyGetSetDef keyed_properties[] = {
    {"backend", keyed_backend, NULL, "The name of the backend that holds the key.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
