/* rijn._native.CMAC and AEGISMAC: one message each, for one thread at a time. A call raises
 * RuntimeError during another thread's call, and after the end of the message. */
#include "binding.h"

typedef struct {
    PyObject ob_base; /* PyObject_HEAD */
    atomic_int phase;
    bool aegis; /* which of the two */
    size_t tag_size;
    union {
        struct {
            rijn_key key; /* the state points to it */
            rijn_cmac_state state;
        } cmac;
        struct {
            rijn_aegis_key key; /* for its backend's name */
            rijn_aegis state;
        } aegis;
    } of;
} mac_object;

static PyObject *cmac_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *argument[MAX_ARGUMENTS];
    const char *backend;

    if (!parse_new(&key_signature, args, keywords, argument) ||
        !(backend = parse_text("backend", argument[1])))
        return NULL;
    mac_object *self = (mac_object *)allocate(type);
    if (!self)
        return NULL;
    self->tag_size = 16;
    if (!expand(&self->of.cmac.key, argument[0], backend) ||
        !succeeded(rijn_cmac_start(&self->of.cmac.state, &self->of.cmac.key)))
        Py_CLEAR(self);
    return (PyObject *)self;
}

static bool find_variant(rijn_aegis_variant *variant, const char *name)
{
    for (unsigned i = 0; i < RIJN_AEGIS_VARIANTS; i++) {
        *variant = (rijn_aegis_variant)i;
        if (strcmp(rijn_aegis_name(*variant), name) == 0)
            return true;
    }
    PyErr_Format(PyExc_ValueError,
                 "algorithm must be one of AEGIS-128L, AEGIS-128X2, AEGIS-128X4, AEGIS-256, "
                 "AEGIS-256X2, AEGIS-256X4, not '%.40s'",
                 name);
    return false;
}

static PyObject *aegismac_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static const signature s = {
        "__new__", 5, 5, {"key", "backend", "nonce", "algorithm", "tag_length"}};
    PyObject *argument[MAX_ARGUMENTS];
    const char *backend, *algorithm;
    uint64_t tag_size;
    rijn_aegis_variant variant;
    mac_object *self = NULL;
    span key, nonce;

    if (!parse_new(&s, args, keywords, argument) ||
        !(backend = parse_text("backend", argument[1])) ||
        !(algorithm = parse_text("algorithm", argument[3])) ||
        !parse_unsigned(&tag_size, "tag_length", argument[4]) || !find_variant(&variant, algorithm))
        return NULL;
    const size_t size = rijn_aegis_key_size(variant);
    NO_SPAN(key);
    NO_SPAN(nonce);
    if (!borrow(&key, "key", argument[0], PyBUF_SIMPLE) ||
        !borrow(&nonce, "nonce", argument[2], PyBUF_SIMPLE))
        goto done;
    if (key.size != size || nonce.size != size) {
        PyErr_Format(PyExc_ValueError, "%s must be %zu bytes, not %zu",
                     key.size != size ? "key" : "nonce", size,
                     key.size != size ? key.size : nonce.size);
        goto done;
    }
    if (tag_size != 16 && tag_size != 32) {
        PyErr_Format(PyExc_ValueError, "tag_length must be 16 or 32, not %llu",
                     (unsigned long long)tag_size);
        goto done;
    }
    self = (mac_object *)allocate(type);
    if (!self)
        goto done;
    self->aegis = true;
    self->tag_size = (size_t)tag_size;
    if (rijn_aegis_key_init(&self->of.aegis.key, variant, key.bytes, size, backend) != RIJN_OK) {
        raise_no_backend(backend);
        Py_CLEAR(self);
    } else if (!succeeded(rijn_aegis_mac_start(&self->of.aegis.state, &self->of.aegis.key,
                                               nonce.bytes, size))) {
        Py_CLEAR(self);
    }
done:
    give_back(&nonce);
    give_back(&key);
    return (PyObject *)self;
}

static void mac_dealloc(PyObject *object)
{
    mac_object *self = (mac_object *)object;
    rijn_wipe(&self->of, sizeof self->of);
    release(object);
}

static PyObject *mac_backend(PyObject *object, void *closure)
{
    const mac_object *self = (const mac_object *)object;
    (void)closure;
    return PyUnicode_FromString(self->aegis ? rijn_aegis_key_backend(&self->of.aegis.key)
                                            : rijn_key_backend(&self->of.cmac.key));
}

static PyObject *mac_kernel(PyObject *object, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(rijn_aegis_key_kernel(&((const mac_object *)object)->of.aegis.key));
}

static PyObject *mac_update(PyObject *object, PyObject *data_object)
{
    mac_object *self = (mac_object *)object;
    PyObject *result = NULL;
    span data;

    NO_SPAN(data);
    if (!borrow(&data, "data", data_object, PyBUF_SIMPLE))
        return NULL;
    if (take_turn(&self->phase)) {
        PyThreadState *thread = unlock(data.size);
        const rijn_status status =
            self->aegis ? rijn_aegis_mac_update(&self->of.aegis.state, data.bytes, data.size)
                        : rijn_cmac_update(&self->of.cmac.state, data.bytes, data.size);
        lock(thread);
        atomic_store(&self->phase, READY);
        if (succeeded(status))
            result = Py_NewRef(Py_None);
    }
    give_back(&data);
    return result;
}

static PyObject *mac_finalize(PyObject *object, PyObject *nothing)
{
    mac_object *self = (mac_object *)object;
    uint8_t tag[32];

    (void)nothing;
    if (!take_turn(&self->phase))
        return NULL;
    const rijn_status status =
        self->aegis ? rijn_aegis_mac_finish(&self->of.aegis.state, tag, self->tag_size)
                    : rijn_cmac_finish(&self->of.cmac.state, tag, self->tag_size);
    atomic_store(&self->phase, FINISHED);
    if (!succeeded(status))
        return NULL;
    return PyBytes_FromStringAndSize((const char *)tag, (Py_ssize_t)self->tag_size);
}

static PyObject *mac_verify(PyObject *object, PyObject *tag_object)
{
    mac_object *self = (mac_object *)object;
    PyObject *result = NULL;
    span tag;

    NO_SPAN(tag);
    if (!borrow(&tag, "tag", tag_object, PyBUF_SIMPLE))
        return NULL;
    if (take_turn(&self->phase)) {
        /* A tag of another size is wrong too. The library needs a tag of the right size to wipe
         * the state. */
        static const uint8_t zeros[32];
        const bool whole = tag.size == self->tag_size;
        const uint8_t *given = whole ? tag.bytes : zeros;
        rijn_status status =
            self->aegis ? rijn_aegis_mac_verify(&self->of.aegis.state, given, self->tag_size)
                        : rijn_cmac_verify(&self->of.cmac.state, given, self->tag_size);
        atomic_store(&self->phase, FINISHED);
        if (succeeded(whole ? status : RIJN_ERR_TAG))
            result = Py_NewRef(Py_None);
    }
    give_back(&tag);
    return result;
}

static PyObject *mac_copy(PyObject *object, PyObject *nothing)
{
    mac_object *self = (mac_object *)object;

    (void)nothing;
    if (!take_turn(&self->phase))
        return NULL;
    mac_object *other = (mac_object *)allocate(Py_TYPE(object));
    if (other) {
        other->aegis = self->aegis;
        other->tag_size = self->tag_size;
        memcpy(&other->of, &self->of, sizeof self->of);
        if (!other->aegis && !succeeded(rijn_cmac_copy(&other->of.cmac.state, &self->of.cmac.state,
                                                       &other->of.cmac.key)))
            Py_CLEAR(other);
    }
    atomic_store(&self->phase, READY);
    return (PyObject *)other;
}

static PyMethodDef mac_methods[] = {
    {"update", mac_update, METH_O, "update($self, data, /)\n--\n\n"},
    {"finalize", mac_finalize, METH_NOARGS, "finalize($self)\n--\n\n"},
    {"verify", mac_verify, METH_O, "verify($self, tag, /)\n--\n\n"},
    {"copy", mac_copy, METH_NOARGS, "copy($self)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef mac_properties[] = {
    {"backend", mac_backend, NULL, "The name of the backend that computes with this key.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyGetSetDef aegismac_properties[] = {
    {"backend", mac_backend, NULL, "The name of the backend that computes with this key.", NULL},
    {"kernel", mac_kernel, NULL,
     "The name of the kernel in use (see `rijn.aegis_kernels()`). For a backend in Python, its\n"
     "own name.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot cmac_slots[] = {
    {Py_tp_doc, "CMAC(key, backend)\n--\n\n"},
    {Py_tp_new, cmac_new},
    {Py_tp_dealloc, mac_dealloc},
    {Py_tp_methods, mac_methods},
    {Py_tp_getset, mac_properties},
    {0, NULL},
};

static PyType_Slot aegismac_slots[] = {
    {Py_tp_doc, "AEGISMAC(key, backend, nonce, algorithm, tag_length)\n--\n\n"},
    {Py_tp_new, aegismac_new},
    {Py_tp_dealloc, mac_dealloc},
    {Py_tp_methods, mac_methods},
    {Py_tp_getset, aegismac_properties},
    {0, NULL},
};

static PyType_Spec cmac_spec = {
    .name = "rijn._native.CMAC",
    .basicsize = sizeof(mac_object),
    .flags = TYPE_FLAGS,
    .slots = cmac_slots,
};

static PyType_Spec aegismac_spec = {
    .name = "rijn._native.AEGISMAC",
    .basicsize = sizeof(mac_object),
    .flags = TYPE_FLAGS,
    .slots = aegismac_slots,
};

bool add_macs(PyObject *module)
{
    return add_type(module, &cmac_spec) && add_type(module, &aegismac_spec);
}
