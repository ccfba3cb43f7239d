/* The binding of librijn: _native.pyi says what every name does and raises.
 *
 * From top to bottom: errors, arguments, buffers in (span), bytes out (output),
 * the interpreter lock, keys, AES, AESGCM, the module. A method is one line
 * that names its record; all that methods share is written once, in raw(),
 * gcm() and chunks().
 *
 * An object never changes once it is made, so any number of threads may call
 * its methods at once. A bytearray (or the like) that another thread writes
 * during a call makes that call's result meaningless, but nothing worse: its
 * memory stays where it is and no size is read twice.
 *
 * The build defines Py_LIMITED_API as 3.11 for the abi3 wheel; without it the
 * same source makes a module for one Python (the free-threaded ones need that).
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <string.h>

#include "cpu.h"
#include "rijn.h"

/* Work on this many bytes or more runs without the interpreter lock. Measured
 * on two cores of a Xeon with aesni GCM, the fastest work there is: letting the
 * lock go and taking it back costs 30 ns when nobody waits for it, and when two
 * threads encrypt, a message takes them 1.47 us instead of 1.40 at 8 KiB, 1.9 to
 * 2.7 instead of 2.7 at 16 KiB, and 3.0 instead of 5.3 at 32 KiB. */
#define UNLOCKED_SIZE 16384

#define GCM_DATA_MAX ((UINT64_C(1) << 36) - 32) /* SP 800-38D section 5.2.1.1 */
#define GCM_CHUNK_NONCE 12u                     /* rijn_gcm_seal_chunks */

/* ---- Errors: each function sets one and returns false ------------------- */

static bool wrong_size(const char *what, size_t size)
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

static bool raise_invalid_tag(const uint64_t *chunk)
{
    return raise_ours("InvalidTag", rijn_status_text(RIJN_ERR_TAG), chunk);
}

static bool raise_no_backend(const char *name)
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

/* True for RIJN_OK. Sizes and overlaps are checked before the library is
 * called, so what is left is a refused tag or padding. */
static bool succeeded(rijn_status status)
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

#define MAX_ARGUMENTS 6

/* names[0..positional) may be given by place or by name, those after them by
 * name only; names[0..required) must be given. NULL ends the names. */
typedef struct {
    const char *method;
    Py_ssize_t required, positional;
    const char *names[MAX_ARGUMENTS + 1];
} signature;

/* Which of the names `keyword` is; -1 when it is none. */
static Py_ssize_t find_name(const signature *s, PyObject *keyword)
{
    for (Py_ssize_t i = 0; s->names[i]; i++)
        if (PyUnicode_CompareWithASCIIString(keyword, s->names[i]) == 0)
            return i;
    return -1;
}

/* Borrows the arguments of a METH_FASTCALL | METH_KEYWORDS call into `found`,
 * in the order of s->names, with NULL for those that were not given. */
static bool parse(const signature *s, PyObject *const *args, Py_ssize_t given, PyObject *keywords,
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

/* The bytes of an argument, for the length of one call. Start with NO_SPAN
 * and end with give_back. */
typedef struct {
    uint8_t *bytes;
    size_t size;
    Py_buffer view; /* .obj is NULL when there is nothing to give back */
} span;

#define NO_SPAN(s) ((s).bytes = NULL, (s).size = 0, (s).view.obj = NULL)

/* flags: PyBUF_SIMPLE to read, PyBUF_WRITABLE to write. The caller's reference
 * keeps a bytes object alive, and nothing can move it: it needs no view. */
static bool borrow(span *s, PyObject *object, int flags)
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
        return false;
    }
    s->bytes = s->view.buf;
    s->size = (size_t)s->view.len;
    return true;
}

static void give_back(span *s)
{
    if (s->view.obj)
        PyBuffer_Release(&s->view);
}

/* Copies an argument of exactly `size` bytes. */
static bool copy_exactly(uint8_t *bytes, size_t size, const char *name, PyObject *object)
{
    span s;
    NO_SPAN(s);
    if (!borrow(&s, object, PyBUF_SIMPLE))
        return false;
    const bool right = s.size == size;
    if (right)
        memcpy(bytes, s.bytes, size);
    else
        PyErr_Format(PyExc_ValueError, "%s must be %zu bytes, not %zu", name, size, s.size);
    give_back(&s);
    return right;
}

static bool overlap(const span *a, const span *b)
{
    const uintptr_t x = (uintptr_t)a->bytes, y = (uintptr_t)b->bytes;
    return a->size && b->size && (x < y ? y - x < a->size : x - y < b->size);
}

/* ---- Bytes out ---------------------------------------------------------- */

/* Where a call writes: a fresh bytes object, not zero-filled, or the caller's
 * own buffer. Start with NO_OUTPUT and end with drop_output. */
typedef struct {
    PyObject *fresh; /* NULL when `to` is the caller's */
    span to;
} output;

#define NO_OUTPUT(o) ((o).fresh = NULL, NO_SPAN((o).to))

static bool fresh_output(output *o, size_t size)
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

/* The argument buf, which has exactly `size` bytes and either lies apart from
 * data or, where in_place is allowed, begins where data begins. */
static bool given_output(output *o, PyObject *buf, size_t size, const span *data, bool in_place)
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

/* What the method returns: the fresh bytes, or how many were written. */
static PyObject *take_output(output *o)
{
    PyObject *result = o->fresh ? o->fresh : PyLong_FromSize_t(o->to.size);
    o->fresh = NULL;
    return result;
}

/* What take_output has not handed out holds zeros: the library leaves nothing
 * behind when it refuses a tag or a padding. */
static void drop_output(output *o)
{
    Py_XDECREF(o->fresh);
    give_back(&o->to);
}

/* ---- The interpreter lock ----------------------------------------------- */

/* Lets other threads run when the work is large. The answer goes to lock(). */
static PyThreadState *unlock(size_t work)
{
    return work >= UNLOCKED_SIZE ? PyEval_SaveThread() : NULL;
}

static void lock(PyThreadState *thread)
{
    if (thread)
        PyEval_RestoreThread(thread);
}

/* ---- Keys --------------------------------------------------------------- */

typedef struct {
    PyObject ob_base; /* PyObject_HEAD */
    rijn_key key;
    size_t tag_size; /* of an AESGCM */
} keyed;

static const rijn_key *key_of(PyObject *self)
{
    return &((const keyed *)self)->key;
}

static PyObject *new_keyed(PyTypeObject *type, PyObject *key, const char *backend, size_t tag_size)
{
    keyed *self = NULL;
    span bytes;
    NO_SPAN(bytes);
    if (!borrow(&bytes, key, PyBUF_SIMPLE))
        return NULL;
    if (bytes.size != 16 && bytes.size != 24 && bytes.size != 32) {
        wrong_size("key must be 16, 24 or 32 bytes", bytes.size);
        goto done;
    }
    self = (keyed *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self)
        goto done;
    self->tag_size = tag_size;
    const rijn_status status = rijn_key_init(&self->key, bytes.bytes, bytes.size, backend);
    if (status != RIJN_OK) { /* only the name is left to be wrong */
        raise_no_backend(backend);
        Py_CLEAR(self);
    }
done:
    give_back(&bytes);
    return (PyObject *)self;
}

static void keyed_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    rijn_key_wipe(&((keyed *)self)->key);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *keyed_backend(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(rijn_key_backend(key_of(self)));
}

/* A method's C function, and its row in a PyMethodDef table. */
#define METHOD(function, ...) \
    static PyObject *function(PyObject *self, PyObject *const *args, Py_ssize_t given, \
                              PyObject *keywords) \
    { \
        return __VA_ARGS__; \
    }
#define METHOD_ROW(name, function, text) \
    { \
        name, (PyCFunction)(void (*)(void))function, METH_FASTCALL | METH_KEYWORDS, text \
    }

/* ---- AES: raw modes ----------------------------------------------------- */

typedef rijn_status crypt_function(const rijn_key *key, uint8_t iv[16], uint8_t *out,
                                   const uint8_t *in, size_t size);
typedef PyObject *padded_function(const rijn_key *key, uint8_t iv[16], const span *data);

typedef struct {
    signature arguments;     /* [iv or counter,] data [, pkcs7] */
    crypt_function *crypt;   /* as many bytes out as in */
    padded_function *padded; /* with pkcs7=True */
    Py_ssize_t data;         /* the place of `data`: 0 when there is no iv */
    bool whole_blocks;
} raw_mode;

static rijn_status ecb_encrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                               size_t size)
{
    (void)iv;
    return rijn_ecb_encrypt(key, out, in, size);
}

static rijn_status ecb_decrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                               size_t size)
{
    (void)iv;
    return rijn_ecb_decrypt(key, out, in, size);
}

static rijn_status ctr_crypt(const rijn_key *key, uint8_t counter[16], uint8_t *out,
                             const uint8_t *in, size_t size)
{
    return rijn_ctr_crypt(key, counter, out, in, size);
}

static PyObject *cbc_encrypt_padded(const rijn_key *key, uint8_t iv[16], const span *data)
{
    output out;
    NO_OUTPUT(out);
    PyObject *result = NULL;
    if (fresh_output(&out, data->size / 16 * 16 + 16)) {
        PyThreadState *thread = unlock(data->size);
        const rijn_status status =
            rijn_cbc_encrypt_padded(key, iv, out.to.bytes, data->bytes, data->size);
        lock(thread);
        if (succeeded(status))
            result = take_output(&out);
    }
    drop_output(&out);
    return result;
}

/* The last block is a message of its own whose IV is the block before it.
 * Decrypted first, it tells the size of the result, so that the bytes object
 * is made once, of the right size, and never holds the padding. */
static PyObject *cbc_decrypt_padded(const rijn_key *key, uint8_t iv[16], const span *data)
{
    if (data->size == 0) {
        succeeded(RIJN_ERR_PADDING);
        return NULL;
    }
    const size_t body = data->size - 16;
    uint8_t tail[16];
    size_t tail_size;
    if (!succeeded(rijn_cbc_decrypt_padded(key, body ? data->bytes + body - 16 : iv, tail,
                                           &tail_size, data->bytes + body, 16)))
        return NULL;

    output out;
    NO_OUTPUT(out);
    PyObject *result = NULL;
    if (fresh_output(&out, body + tail_size)) {
        PyThreadState *thread = unlock(body);
        const rijn_status status = rijn_cbc_decrypt(key, iv, out.to.bytes, data->bytes, body);
        lock(thread);
        memcpy(out.to.bytes + body, tail, tail_size);
        if (succeeded(status))
            result = take_output(&out);
    }
    rijn_wipe(tail, sizeof tail);
    drop_output(&out);
    return result;
}

/* Every method of AES. */
static PyObject *raw(const raw_mode *mode, PyObject *self, PyObject *const *args, Py_ssize_t given,
                     PyObject *keywords)
{
    const rijn_key *key = key_of(self);
    PyObject *argument[MAX_ARGUMENTS], *result = NULL;
    uint8_t iv[16] = {0};
    span data;
    output out;

    if (!parse(&mode->arguments, args, given, keywords, argument))
        return NULL;
    if (mode->data > 0 && !copy_exactly(iv, sizeof iv, mode->arguments.names[0], argument[0]))
        return NULL;
    PyObject *pkcs7 = argument[mode->data + 1];
    const int pad = pkcs7 ? PyObject_IsTrue(pkcs7) : 0;
    if (pad < 0)
        return NULL;

    NO_SPAN(data);
    NO_OUTPUT(out);
    if (!borrow(&data, argument[mode->data], PyBUF_SIMPLE))
        goto done;
    if (data.size % 16 && mode->whole_blocks && !(pad && mode->padded == cbc_encrypt_padded)) {
        wrong_size("data must be a multiple of 16 bytes", data.size);
        goto done;
    }
    if (pad) {
        result = mode->padded(key, iv, &data);
        goto done;
    }
    if (!fresh_output(&out, data.size))
        goto done;
    PyThreadState *thread = unlock(data.size);
    const rijn_status status = mode->crypt(key, iv, out.to.bytes, data.bytes, data.size);
    lock(thread);
    if (succeeded(status))
        result = take_output(&out);
done:
    drop_output(&out);
    give_back(&data);
    return result;
}

#define RAW(name) METHOD(aes_##name, raw(&mode_##name, self, args, given, keywords))

static const raw_mode mode_ecb_encrypt = {
    {"ecb_encrypt", 1, 1, {"data"}}, ecb_encrypt, NULL, 0, true,
};
static const raw_mode mode_ecb_decrypt = {
    {"ecb_decrypt", 1, 1, {"data"}}, ecb_decrypt, NULL, 0, true,
};
static const raw_mode mode_cbc_encrypt = {
    {"cbc_encrypt", 2, 2, {"iv", "data", "pkcs7"}}, rijn_cbc_encrypt, cbc_encrypt_padded, 1, true,
};
static const raw_mode mode_cbc_decrypt = {
    {"cbc_decrypt", 2, 2, {"iv", "data", "pkcs7"}}, rijn_cbc_decrypt, cbc_decrypt_padded, 1, true,
};
static const raw_mode mode_ctr_encrypt = {
    {"ctr_encrypt", 2, 2, {"counter", "data"}}, ctr_crypt, NULL, 1, false,
};
static const raw_mode mode_ctr_decrypt = {
    {"ctr_decrypt", 2, 2, {"counter", "data"}}, ctr_crypt, NULL, 1, false,
};

RAW(ecb_encrypt)
RAW(ecb_decrypt)
RAW(cbc_encrypt)
RAW(cbc_decrypt)
RAW(ctr_encrypt)
RAW(ctr_decrypt)

static PyObject *aes_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"key", "backend", NULL};
    PyObject *key;
    const char *backend;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "Os:AES", names, &key, &backend))
        return NULL;
    return new_keyed(type, key, backend, 0);
}

static PyMethodDef aes_methods[] = {
    METHOD_ROW("ecb_encrypt", aes_ecb_encrypt,
               "ecb_encrypt($self, data)\n--\n\nEncrypt each 16-byte block of data by itself."),
    METHOD_ROW("ecb_decrypt", aes_ecb_decrypt, "ecb_decrypt($self, data)\n--\n\nUndo ecb_encrypt."),
    METHOD_ROW("cbc_encrypt", aes_cbc_encrypt,
               "cbc_encrypt($self, iv, data, *, pkcs7=False)\n--\n\n"
               "Encrypt whole blocks in CBC mode; with pkcs7=True any number of bytes."),
    METHOD_ROW("cbc_decrypt", aes_cbc_decrypt,
               "cbc_decrypt($self, iv, data, *, pkcs7=False)\n--\n\n"
               "Undo cbc_encrypt. Padding that is malformed is a ValueError."),
    METHOD_ROW("ctr_encrypt", aes_ctr_encrypt,
               "ctr_encrypt($self, counter, data)\n--\n\n"
               "XOR data with the keystream that starts at the 16-byte counter block."),
    METHOD_ROW("ctr_decrypt", aes_ctr_decrypt,
               "ctr_decrypt($self, counter, data)\n--\n\nThe same as ctr_encrypt."),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef aes_properties[] = {
    {"backend", keyed_backend, NULL, "The name of the backend that holds the key.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot aes_slots[] = {
    {Py_tp_doc, "AES(key, backend)\n--\n\nOne expanded AES key, and the raw modes."},
    {Py_tp_new, aes_new},
    {Py_tp_dealloc, keyed_dealloc},
    {Py_tp_methods, aes_methods},
    {Py_tp_getset, aes_properties},
    {0, NULL},
};

static PyType_Spec aes_spec = {
    .name = "rijn._native.AES",
    .basicsize = sizeof(keyed),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = aes_slots,
};

/* ---- AESGCM ------------------------------------------------------------- */

/* encrypt, decrypt and, when there is a fourth argument, their _into forms. */
static PyObject *gcm(const signature *s, bool opening, PyObject *self, PyObject *const *args,
                     Py_ssize_t given, PyObject *keywords)
{
    const rijn_key *key = key_of(self);
    const size_t tag = ((const keyed *)self)->tag_size;
    PyObject *argument[MAX_ARGUMENTS], *result = NULL;
    span nonce, data, ad;
    output out;

    if (!parse(s, args, given, keywords, argument))
        return NULL;
    PyObject *associated = argument[2], *buf = argument[3];
    NO_SPAN(nonce);
    NO_SPAN(data);
    NO_SPAN(ad);
    NO_OUTPUT(out);
    if (!borrow(&nonce, argument[0], PyBUF_SIMPLE) || !borrow(&data, argument[1], PyBUF_SIMPLE) ||
        (associated && associated != Py_None && !borrow(&ad, associated, PyBUF_SIMPLE)))
        goto done;

    if (nonce.size == 0) {
        PyErr_SetString(PyExc_ValueError, "nonce must not be empty");
        goto done;
    }
    if (opening && data.size < tag) {
        raise_invalid_tag(NULL);
        goto done;
    }
    const size_t text = opening ? data.size - tag : data.size;
    if ((uint64_t)text > GCM_DATA_MAX) {
        PyErr_SetString(PyExc_ValueError, "data is too long for GCM");
        goto done;
    }
    const size_t size = opening ? text : text + tag;
    if (!(buf ? given_output(&out, buf, size, &data, true) : fresh_output(&out, size)))
        goto done;

    PyThreadState *thread = unlock(text + ad.size);
    const rijn_status status =
        opening ? rijn_gcm_open(key, out.to.bytes, data.bytes + text, tag, nonce.bytes, nonce.size,
                                ad.bytes, ad.size, data.bytes, text)
                : rijn_gcm_seal(key, out.to.bytes, out.to.bytes + text, tag, nonce.bytes,
                                nonce.size, ad.bytes, ad.size, data.bytes, text);
    lock(thread);
    if (succeeded(status))
        result = take_output(&out);
done:
    drop_output(&out);
    give_back(&ad);
    give_back(&data);
    give_back(&nonce);
    return result;
}

static const signature encrypt_signature = {"encrypt", 2, 3, {"nonce", "data", "associated_data"}};
static const signature decrypt_signature = {"decrypt", 2, 3, {"nonce", "data", "associated_data"}};
static const signature encrypt_into_signature = {
    "encrypt_into", 4, 4, {"nonce", "data", "associated_data", "buf"}};
static const signature decrypt_into_signature = {
    "decrypt_into", 4, 4, {"nonce", "data", "associated_data", "buf"}};

METHOD(gcm_encrypt, gcm(&encrypt_signature, false, self, args, given, keywords))
METHOD(gcm_decrypt, gcm(&decrypt_signature, true, self, args, given, keywords))
METHOD(gcm_encrypt_into, gcm(&encrypt_into_signature, false, self, args, given, keywords))
METHOD(gcm_decrypt_into, gcm(&decrypt_into_signature, true, self, args, given, keywords))

/* The bytes that a run of chunks (rijn.h) turns into: *out for `size` bytes
 * in, which are chunks of `chunk` bytes of plaintext, and of 16 more where
 * `opening`. False when no run of chunks has that many. */
static bool run_size(size_t *out, bool opening, size_t chunk, bool last, size_t size)
{
    const size_t in = opening ? chunk + 16 : chunk;
    if (chunk == 0 || (uint64_t)chunk > GCM_DATA_MAX || in < chunk)
        return false;
    const size_t whole = size / in, rest = size % in;
    if (last ? opening && rest < 16 : rest != 0)
        return false;
    const size_t tags = (whole + last) * 16;
    if (!opening && tags > SIZE_MAX - size)
        return false;
    *out = opening ? size - tags : size + tags;
    return true;
}

/* seal_chunks and open_chunks. */
static PyObject *chunks(const signature *s, bool opening, PyObject *self, PyObject *const *args,
                        Py_ssize_t given, PyObject *keywords)
{
    const rijn_key *key = key_of(self);
    PyObject *argument[MAX_ARGUMENTS], *result = NULL;
    uint8_t nonce[GCM_CHUNK_NONCE];
    uint64_t bad = 0;
    size_t size;
    span data;
    output out;

    if (!parse(s, args, given, keywords, argument) ||
        !copy_exactly(nonce, sizeof nonce, "nonce", argument[0]))
        return NULL;
    const uint64_t first = PyLong_AsUnsignedLongLong(argument[1]);
    if (first == UINT64_MAX && PyErr_Occurred())
        return NULL;
    const size_t chunk = PyLong_AsSize_t(argument[2]);
    if (chunk == SIZE_MAX && PyErr_Occurred())
        return NULL;
    const int last = PyObject_IsTrue(argument[3]);
    if (last < 0)
        return NULL;
    if (((const keyed *)self)->tag_size != RIJN_GCM_TAG_MAX) {
        PyErr_Format(PyExc_ValueError, "%s needs a tag_length of 16", s->method);
        return NULL;
    }

    NO_SPAN(data);
    NO_OUTPUT(out);
    if (!borrow(&data, argument[4], PyBUF_SIMPLE))
        goto done;
    if (!run_size(&size, opening, chunk, last, data.size)) {
        PyErr_Format(PyExc_ValueError, "data of %zu bytes is no run of chunks of %zu bytes",
                     data.size, chunk);
        goto done;
    }
    if (!given_output(&out, argument[5], size, &data, false))
        goto done;

    PyThreadState *thread = unlock(data.size);
    const rijn_status status = opening ? rijn_gcm_open_chunks(key, out.to.bytes, &bad, nonce, first,
                                                              chunk, last, data.bytes, data.size)
                                       : rijn_gcm_seal_chunks(key, out.to.bytes, nonce, first,
                                                              chunk, last, data.bytes, data.size);
    lock(thread);
    if (status == RIJN_ERR_TAG ? raise_invalid_tag(&bad) : succeeded(status))
        result = take_output(&out);
done:
    drop_output(&out);
    give_back(&data);
    return result;
}

static const signature seal_chunks_signature = {
    "seal_chunks", 6, 6, {"nonce", "first", "chunk", "last", "data", "buf"}};
static const signature open_chunks_signature = {
    "open_chunks", 6, 6, {"nonce", "first", "chunk", "last", "data", "buf"}};

METHOD(gcm_seal_chunks, chunks(&seal_chunks_signature, false, self, args, given, keywords))
METHOD(gcm_open_chunks, chunks(&open_chunks_signature, true, self, args, given, keywords))

static PyObject *gcm_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"key", "backend", "tag_length", NULL};
    PyObject *key;
    const char *backend;
    Py_ssize_t tag = RIJN_GCM_TAG_MAX;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "Os|n:AESGCM", names, &key, &backend, &tag))
        return NULL;
    if (tag != 4 && tag != 8 && (tag < 12 || tag > 16)) {
        PyErr_Format(PyExc_ValueError, "tag_length must be 4, 8, 12, 13, 14, 15 or 16, not %zd",
                     tag);
        return NULL;
    }
    PyObject *self = new_keyed(type, key, backend, (size_t)tag);
    if (self && tag < 12) /* the caller has said so: _native is private */
        rijn_gcm_allow_short_tags(&((keyed *)self)->key);
    return self;
}

static PyObject *gcm_tag_length(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(((const keyed *)self)->tag_size);
}

static PyMethodDef gcm_methods[] = {
    METHOD_ROW("encrypt", gcm_encrypt,
               "encrypt($self, nonce, data, associated_data=None)\n--\n\n"
               "Return the ciphertext of data followed by its tag."),
    METHOD_ROW("decrypt", gcm_decrypt,
               "decrypt($self, nonce, data, associated_data=None)\n--\n\n"
               "Undo encrypt. Raises rijn.InvalidTag for anything that encrypt did not make."),
    METHOD_ROW("encrypt_into", gcm_encrypt_into,
               "encrypt_into($self, nonce, data, associated_data, buf)\n--\n\n"
               "As encrypt, but write to buf, of exactly len(data) + tag_length bytes; return\n"
               "that number. buf may begin where data begins or lie apart from it."),
    METHOD_ROW("decrypt_into", gcm_decrypt_into,
               "decrypt_into($self, nonce, data, associated_data, buf)\n--\n\n"
               "As decrypt, but write to buf, of exactly len(data) - tag_length bytes; return\n"
               "that number. buf may begin where data begins or lie apart from it, and is all\n"
               "zeros after rijn.InvalidTag."),
    METHOD_ROW("seal_chunks", gcm_seal_chunks,
               "seal_chunks($self, nonce, first, chunk, last, data, buf)\n--\n\n"
               "Seal a run of chunks of one long message into buf; return the bytes written."),
    METHOD_ROW("open_chunks", gcm_open_chunks,
               "open_chunks($self, nonce, first, chunk, last, data, buf)\n--\n\n"
               "Undo seal_chunks. The attribute chunk of rijn.InvalidTag is the number of the\n"
               "first bad chunk; buf is all zeros then."),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef gcm_properties[] = {
    {"backend", keyed_backend, NULL, "The name of the backend that holds the key.", NULL},
    {"tag_length", gcm_tag_length, NULL, "Bytes in a tag.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot gcm_slots[] = {
    {Py_tp_doc, "AESGCM(key, backend, tag_length=16)\n--\n\n"
                "One expanded AES key, and authenticated encryption."},
    {Py_tp_new, gcm_new},
    {Py_tp_dealloc, keyed_dealloc},
    {Py_tp_methods, gcm_methods},
    {Py_tp_getset, gcm_properties},
    {0, NULL},
};

static PyType_Spec gcm_spec = {
    .name = "rijn._native.AESGCM",
    .basicsize = sizeof(keyed),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = gcm_slots,
};

/* ---- The module --------------------------------------------------------- */

typedef struct {
    PyTypeObject *backend_info;
} module_state;

static PyStructSequence_Field backend_info_fields[] = {
    {"name", "as given to AES and AESGCM"},
    {"summary", "one line"},
    {"reason", "why it cannot run here; \"\" when it can"},
    {"available", "whether this machine can run it"},
    {"constant_time", "whether no branch or address depends on key or data"},
    {"automatic", "whether it may be chosen without being named"},
    {"blocks", "AES blocks in flight at full speed"},
    {NULL, NULL},
};

static PyStructSequence_Desc backend_info_desc = {
    "rijn._native.BackendInfo",
    "One C backend.",
    backend_info_fields,
    7,
};

static PyObject *describe_backend(PyTypeObject *type, const rijn_backend_info *info)
{
    PyObject *record = PyStructSequence_New(type);
    if (!record)
        return NULL;
    PyObject *values[] = {
        PyUnicode_FromString(info->name),      PyUnicode_FromString(info->summary),
        PyUnicode_FromString(info->reason),    PyBool_FromLong(info->available),
        PyBool_FromLong(info->constant_time),  PyBool_FromLong(info->automatic),
        PyLong_FromUnsignedLong(info->blocks),
    };
    for (Py_ssize_t i = 0; i < backend_info_desc.n_in_sequence; i++)
        PyStructSequence_SetItem(record, i, values[i]);
    if (PyErr_Occurred())
        Py_CLEAR(record);
    return record;
}

static PyObject *module_backends(PyObject *module, PyObject *nothing)
{
    (void)nothing;
    const module_state *state = PyModule_GetState(module);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < rijn_backend_count(); i++) {
        rijn_backend_info info;
        PyObject *record = rijn_backend_at(i, &info) == RIJN_OK
                               ? describe_backend(state->backend_info, &info)
                               : NULL;
        if (!record || PyList_Append(list, record) < 0)
            Py_CLEAR(list);
        Py_XDECREF(record);
    }
    return list;
}

static PyObject *module_limit_cpu(PyObject *module, PyObject *mask)
{
    (void)module;
    const unsigned long bits = PyLong_AsUnsignedLongMask(mask);
    if (PyErr_Occurred())
        return NULL;
    rijn_cpu_limit((uint32_t)bits);
    Py_RETURN_NONE;
}

static PyMethodDef module_functions[] = {
    {"backends", module_backends, METH_NOARGS,
     "backends()\n--\n\nThe C backends of this build, preferred first."},
    {"limit_cpu", module_limit_cpu, METH_O,
     "limit_cpu(mask)\n--\n\nFor tests: hide the CPU features whose bit is not in mask."},
    {NULL, NULL, 0, NULL},
};

static bool add_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    const bool added = type && PyModule_AddType(module, (PyTypeObject *)type) == 0;
    Py_XDECREF(type);
    return added;
}

static int module_exec(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    state->backend_info = PyStructSequence_NewType(&backend_info_desc);
    if (!state->backend_info || PyModule_AddType(module, state->backend_info) < 0 ||
        !add_type(module, &aes_spec) || !add_type(module, &gcm_spec) ||
        PyModule_AddStringConstant(module, "version", rijn_version()) < 0)
        return -1;
    return 0;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    const module_state *state = PyModule_GetState(module);
    Py_VISIT(state->backend_info);
    return 0;
}

static int module_clear(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    Py_CLEAR(state->backend_info);
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
}

/* The last two slots are newer than the limited API of 3.11, whose modules are
 * taken to need the interpreter lock. */
static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "rijn._native",
    .m_doc = "The binding of librijn. Private: use rijn.AES and rijn.AESGCM.",
    .m_size = sizeof(module_state),
    .m_methods = module_functions,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__native(void); /* the only symbol that is exported */

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&module_definition);
}
