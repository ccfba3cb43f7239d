/* Errors, arguments and buffers: binding.h. */
#include "binding.h"

#include "pages.h"

/* ---- Errors --------------------------------------------------------------------- */

bool wrong_size(const char *what, size_t size)
{
    PyErr_Format(PyExc_ValueError, "%s, not %zu", what, size);
    return false;
}

/* Raises rijn.errors.NAME(text). Sets its attribute to `value`, unless `attribute` is NULL. */
static bool raise_ours(const char *name, const char *text, const char *attribute, PyObject *value)
{
    PyObject *module = PyImport_ImportModule("rijn.errors");
    PyObject *type = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *error = type ? PyObject_CallFunction(type, "s", text) : NULL;
    if (error && (!attribute || (value && PyObject_SetAttrString(error, attribute, value) == 0)))
        PyErr_SetObject(type, error);
    Py_XDECREF(error);
    Py_XDECREF(type);
    Py_XDECREF(module);
    return false;
}

bool raise_invalid_tag(const uint64_t *chunk)
{
    PyObject *const number = chunk ? PyLong_FromUnsignedLongLong(*chunk) : NULL;
    raise_ours("InvalidTag", rijn_status_text(RIJN_ERR_TAG), chunk ? "chunk" : NULL, number);
    Py_XDECREF(number);
    return false;
}

bool raise_invalid_tags(PyObject *failed, size_t count)
{
    PyObject *const numbers = PyList_AsTuple(failed);
    char text[120];
    PyOS_snprintf(text, sizeof text, "%s: %zu of %zu messages", rijn_status_text(RIJN_ERR_TAG),
                  (size_t)PyList_Size(failed), count);
    raise_ours("InvalidTag", text, "failed", numbers);
    Py_XDECREF(numbers);
    return false;
}

bool raise_no_backend(const char *name)
{
    char names[1024] = "", text[1280];
    const char *reason = "it does not exist";
    rijn_backend_info info;
    for (size_t i = 0; rijn_backend_at(i, &info) == RIJN_OK; i++)
        if (strcmp(info.name, name) == 0)
            reason = info.reason;
    if (rijn_backend_names(names, sizeof names) > sizeof names)
        names[0] = '\0';
    PyOS_snprintf(text, sizeof text, "backend '%.40s': %.100s; there are: %s", name, reason, names);
    return raise_ours("BackendError", text, NULL, NULL);
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

/* Returns the index of the keyword's name, or -1. */
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

bool parse_new(const signature *s, PyObject *args, PyObject *keywords,
               PyObject *found[MAX_ARGUMENTS])
{
    const Py_ssize_t given = PyTuple_Size(args);
    const Py_ssize_t named = keywords ? PyDict_Size(keywords) : 0;
    PyObject *all[MAX_ARGUMENTS] = {NULL}, *names = NULL, *name, *value;
    Py_ssize_t at = 0;

    if (given + named > MAX_ARGUMENTS) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zd arguments (%zd given)", s->method,
                     s->positional, given + named);
        return false;
    }
    for (Py_ssize_t i = 0; i < given; i++)
        all[i] = PyTuple_GetItem(args, i);
    if (named && !(names = PyTuple_New(named)))
        return false;
    for (Py_ssize_t i = 0; i < named && PyDict_Next(keywords, &at, &name, &value); i++) {
        Py_INCREF(name);
        PyTuple_SetItem(names, i, name);
        all[given + i] = value;
    }
    const bool right = parse(s, all, given, names, found);
    Py_XDECREF(names);
    return right;
}

/* ---- Buffers in --------------------------------------------------------- */

/* Replaces the exception of an object whose buffer does not fit: objects have their own messages,
 * and NumPy raises ValueError. Here it is always BufferError with the same message. */
static void explain_refusal(const char *name, PyObject *object, int flags)
{
    PyObject *type, *error, *trace;
    const char *problem = NULL;
    Py_buffer view;

    PyErr_Fetch(&type, &error, &trace);
    if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) == 0) {
        if (flags == PyBUF_WRITABLE && view.readonly)
            problem = "writable";
        else if (!PyBuffer_IsContiguous(&view, 'C'))
            problem = "C-contiguous";
        PyBuffer_Release(&view);
    }
    if (!problem) {
        PyErr_Restore(type, error, trace);
        return;
    }
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    PyErr_Format(PyExc_BufferError, "%s must be %s", name, problem);
}

/* Returns true if items of this format (PEP 3118) contain references to Python objects: an 'O'
 * outside the names of fields, which are between colons. */
static bool holds_objects(const char *format)
{
    bool named = false;
    for (; *format; format++) {
        if (*format == ':')
            named = !named;
        else if (*format == 'O' && !named)
            return true;
    }
    return false;
}

bool borrow(span *s, const char *name, PyObject *object, int flags)
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
    if (!PyObject_CheckBuffer(object))
        return wrong_type(name, "a bytes-like object", object);
    /* Without PyBUF_ND a memoryview does not provide its format. */
    if (PyObject_GetBuffer(object, &s->view, flags | PyBUF_ND | PyBUF_FORMAT) < 0) {
        s->view.obj = NULL;
        explain_refusal(name, object, flags);
        return false;
    }
    if (s->view.format && holds_objects(s->view.format)) {
        give_back(s);
        PyErr_Format(PyExc_TypeError,
                     "%s must be a bytes-like object, not a buffer of Python objects", name);
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
    if (!borrow(s, name, object, PyBUF_SIMPLE))
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

bool nonce_fits(const nonce_sizes *sizes, const char *name, size_t size)
{
    const size_t least = sizes->least, most = sizes->most;
    const char *const hint =
        sizes->shorter && size && size < least ? ": ask for it with short_nonces=True" : "";

    if (least <= size && size <= most)
        return true;
    if (most == SIZE_MAX && !size)
        PyErr_Format(PyExc_ValueError, "%s must not be empty", name);
    else if (most == SIZE_MAX)
        PyErr_Format(PyExc_ValueError, "%s must be %zu bytes or more, not %zu%s", name, least, size,
                     hint);
    else if (least == most)
        PyErr_Format(PyExc_ValueError, "%s must be %zu bytes, not %zu", name, least, size);
    else
        PyErr_Format(PyExc_ValueError, "%s must be %zu to %zu bytes, not %zu%s", name, least, most,
                     size, hint);
    return false;
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
    if (PyLong_CheckExact(object)) { /* the common case */
        *number = PyLong_AsUnsignedLongLong(object);
        if (*number != UINT64_MAX || !PyErr_Occurred())
            return true;
        PyErr_Clear();
    }
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

bool parse_threads(size_t *threads, PyObject *object)
{
    uint64_t number = 1;
    if (object && !parse_unsigned(&number, "threads", object)) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError))
            return false;
        PyErr_Clear();
        number = 0; /* too large or negative: refused below, with this range's message */
    }
    *threads = (size_t)number;
    if (number && number <= MAX_THREADS)
        return true;
    PyObject *const found = PyNumber_Index(object);
    if (found)
        PyErr_Format(PyExc_ValueError, "threads must be 1 to %u, not %S", MAX_THREADS, found);
    Py_XDECREF(found);
    return false;
}

const char *parse_text(const char *name, PyObject *object)
{
    Py_ssize_t size;
    if (!PyUnicode_Check(object)) {
        wrong_type(name, "a str", object);
        return NULL;
    }
    const char *const text = PyUnicode_AsUTF8AndSize(object, &size);
    if (!text || strlen(text) == (size_t)size)
        return text;
    PyErr_Format(PyExc_ValueError, "%s must not have a null character", name);
    return NULL;
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
    if (size >= PREPARED_SIZE) {
        PyThreadState *thread = unlock(size);
        prepare_pages(o->to.bytes, size);
        lock(thread);
    }
    return true;
}

bool given_output(output *o, PyObject *buf, size_t size, const span *data, bool in_place)
{
    if (!borrow(&o->to, "buf", buf, PyBUF_WRITABLE))
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

/* ---- Several threads ---------------------------------------------------- */

typedef struct {
    void (*work)(void *part);
    void *part;
    PyThread_type_lock done;
} helper;

static void run_helper(void *argument)
{
    helper *const h = argument;
    h->work(h->part);
    PyThread_release_lock(h->done);
}

void at_once(void (*work)(void *part), void *parts, size_t size, size_t count)
{
    helper helpers[MAX_THREADS];
    size_t started = 0;

    for (size_t i = 0; i < count; i++) {
        helper *const h = &helpers[started];
        *h = (helper){.work = work, .part = (char *)parts + i * size};
        if (i + 1 < count && (h->done = PyThread_allocate_lock())) {
            PyThread_acquire_lock(h->done, WAIT_LOCK);
            if (PyThread_start_new_thread(run_helper, h) != (unsigned long)-1) {
                started++;
                continue;
            }
            PyThread_release_lock(h->done);
            PyThread_free_lock(h->done);
        }
        work(h->part);
    }
    while (started) {
        helper *const h = &helpers[--started];
        PyThread_acquire_lock(h->done, WAIT_LOCK);
        PyThread_release_lock(h->done);
        PyThread_free_lock(h->done);
    }
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

const signature key_signature = {"__new__", 2, 2, {"key", "backend"}};

bool expand(rijn_key *key, PyObject *object, const char *backend)
{
    span bytes;
    NO_SPAN(bytes);
    if (!borrow(&bytes, "key", object, PyBUF_SIMPLE))
        return false;
    bool expanded = false;
    if (bytes.size != 16 && bytes.size != 24 && bytes.size != 32)
        wrong_size("key must be 16, 24 or 32 bytes", bytes.size);
    else if (rijn_key_init(key, bytes.bytes, bytes.size, backend) != RIJN_OK)
        raise_no_backend(backend); /* only the name can be wrong here */
    else
        expanded = true;
    give_back(&bytes);
    return expanded;
}

PyObject *keyed_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *argument[MAX_ARGUMENTS];
    const char *backend;

    if (!parse_new(&key_signature, args, keywords, argument) ||
        !(backend = parse_text("backend", argument[1])))
        return NULL;
    keyed *self = (keyed *)allocate(type);
    if (self && !expand(&self->key, argument[0], backend))
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
    {"backend", keyed_backend, NULL, "The name of the backend that computes with this key.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
