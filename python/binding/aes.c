/* rijn._native.AES and AESXTS: the raw modes. Each method is one line with the description of
 * its mode. The shared code is in raw(). */
#include "binding.h"

/* ---- The modes ---------------------------------------------------------- */

#define IV_MAX 32u

/* A part of a CTR message, for one thread. */
typedef struct {
    rijn_ctr ctr;
    uint8_t *out;
    const uint8_t *in;
    size_t size;
    rijn_status status;
} ctr_part;

/* The options of ctr_encrypt: width, byteorder and threads. */
typedef struct {
    unsigned width;
    int little;
    size_t threads;
    ctr_part *parts; /* NULL for one thread */
} counting;

typedef rijn_status crypt_function(const rijn_key *key, uint8_t *iv, const counting *how,
                                   uint8_t *out, const uint8_t *in, size_t size);
typedef PyObject *padded_function(const rijn_key *key, uint8_t iv[16], const span *data);

typedef struct {
    signature arguments;     /* [iv or counter,] data [, pkcs7 | width, byteorder, threads] */
    crypt_function *crypt;   /* as many bytes out as in */
    padded_function *padded; /* with pkcs7=True */
    size_t iv_size;          /* 0 if the mode has no IV */
    bool whole_blocks;
    bool counts; /* width, byteorder and threads may follow */
} raw_mode;

#define IV_MODE(name, ...) \
    static rijn_status name(const rijn_key *key, uint8_t *iv, const counting *how, uint8_t *out, \
                            const uint8_t *in, size_t size) \
    { \
        (void)iv, (void)how; \
        return __VA_ARGS__; \
    }

IV_MODE(ecb_encrypt, rijn_ecb_encrypt(key, out, in, size))
IV_MODE(ecb_decrypt, rijn_ecb_decrypt(key, out, in, size))
IV_MODE(cbc_encrypt, rijn_cbc_encrypt(key, iv, out, in, size))
IV_MODE(cbc_decrypt, rijn_cbc_decrypt(key, iv, out, in, size))
IV_MODE(cfb_encrypt, rijn_cfb_encrypt(key, iv, NULL, out, in, size))
IV_MODE(cfb_decrypt, rijn_cfb_decrypt(key, iv, NULL, out, in, size))
IV_MODE(cfb8_encrypt, rijn_cfb8_encrypt(key, iv, out, in, size))
IV_MODE(cfb8_decrypt, rijn_cfb8_decrypt(key, iv, out, in, size))
IV_MODE(ofb_crypt, rijn_ofb_crypt(key, iv, NULL, out, in, size))
IV_MODE(ige_encrypt, rijn_ige_encrypt(key, iv, out, in, size))
IV_MODE(ige_decrypt, rijn_ige_decrypt(key, iv, out, in, size))
static void work_part(void *one)
{
    ctr_part *const p = one;
    p->status = rijn_ctr_update(&p->ctr, p->out, p->in, p->size);
}

/* Divides the blocks evenly among the threads. The last one also takes the rest. */
static rijn_status ctr_in_parts(const rijn_key *key, const uint8_t *iv, const counting *how,
                                uint8_t *out, const uint8_t *in, size_t size)
{
    ctr_part *const parts = how->parts;
    const size_t share = size / how->threads / 16 * 16;
    rijn_status status = RIJN_OK;

    for (size_t i = 0; i < how->threads && status == RIJN_OK; i++) {
        ctr_part *const p = &parts[i];
        p->out = out + i * share;
        p->in = in + i * share;
        p->size = i + 1 < how->threads ? share : size - i * share;
        status = rijn_ctr_start_width(&p->ctr, key, how->width, how->little, iv);
        if (status == RIJN_OK)
            status = rijn_ctr_skip(&p->ctr, i * share / 16);
    }
    if (status == RIJN_OK)
        at_once(work_part, parts, sizeof *parts, how->threads);
    for (size_t i = 0; i < how->threads && status == RIJN_OK; i++)
        status = parts[i].status;
    rijn_wipe(parts, how->threads * sizeof *parts);
    return status;
}

static rijn_status ctr_crypt(const rijn_key *key, uint8_t *iv, const counting *how, uint8_t *out,
                             const uint8_t *in, size_t size)
{
    if (how->parts)
        return ctr_in_parts(key, iv, how, out, in, size);
    return how->width == 128 && !how->little
               ? rijn_ctr_crypt(key, iv, out, in, size)
               : rijn_ctr_crypt_width(key, how->width, how->little, iv, out, in, size);
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

/* Decrypts the last block first, as a message whose IV is the block before it. This gives the size
 * of the result, so the bytes object is made once and never contains the padding. */
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

/* Converts the width and byteorder of a counter; NULL if missing. Raises ValueError if the counter
 * is too short for `size` bytes. */
static bool parse_counting(counting *how, PyObject *width, PyObject *byteorder, size_t size)
{
    uint64_t bits = 128;
    if (width && !parse_unsigned(&bits, "width", width)) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
            PyErr_Clear();
            PyErr_Format(PyExc_ValueError, "width must be 32, 64 or 128, not %S", width);
        }
        return false;
    }
    if (bits != 32 && bits != 64 && bits != 128) {
        PyErr_Format(PyExc_ValueError, "width must be 32, 64 or 128, not %llu",
                     (unsigned long long)bits);
        return false;
    }
    how->width = (unsigned)bits;
    how->little = 0;
    if (byteorder) {
        if (!PyUnicode_Check(byteorder))
            return wrong_type("byteorder", "a str", byteorder);
        how->little = PyUnicode_CompareWithASCIIString(byteorder, "little") == 0;
        if (!how->little && PyUnicode_CompareWithASCIIString(byteorder, "big") != 0) {
            PyErr_Format(PyExc_ValueError, "byteorder must be 'big' or 'little', not %R",
                         byteorder);
            return false;
        }
    }
    if (bits == 32 && (uint64_t)size > UINT64_C(16) << 32) {
        PyErr_SetString(PyExc_ValueError, "data is too long for a counter of 32 bits");
        return false;
    }
    return true;
}

/* Implements every method of AES. */
static PyObject *raw(const raw_mode *mode, PyObject *self, PyObject *const *args, Py_ssize_t given,
                     PyObject *keywords)
{
    const rijn_key *key = key_of(self);
    const Py_ssize_t place = mode->iv_size ? 1 : 0; /* of data */
    PyObject *argument[MAX_ARGUMENTS], *result = NULL;
    uint8_t iv[IV_MAX];
    counting how = {128, 0, 1, NULL};
    bool pad = false;
    span data;
    output out;

    if (!parse(&mode->arguments, args, given, keywords, argument))
        return NULL;
    if (mode->iv_size && !copy_exactly(iv, mode->iv_size, mode->arguments.names[0], argument[0]))
        return NULL;
    if (mode->padded && argument[place + 1] && !parse_flag(&pad, "pkcs7", argument[place + 1]))
        return NULL;

    NO_SPAN(data);
    NO_OUTPUT(out);
    if (!borrow(&data, "data", argument[place], PyBUF_SIMPLE))
        goto done;
    if (mode->counts &&
        (!parse_counting(&how, argument[place + 1], argument[place + 2], data.size) ||
         !parse_threads(&how.threads, argument[place + 3])))
        goto done;
    if (data.size % 16 && mode->whole_blocks && !(pad && mode->padded == cbc_encrypt_padded)) {
        wrong_size("data must be a multiple of 16 bytes", data.size);
        goto done;
    }
    if (pad) {
        result = mode->padded(key, iv, &data);
        goto done;
    }
    if (how.threads > 1 && data.size >= THREADED_SIZE &&
        !(how.parts = PyMem_Calloc(how.threads, sizeof *how.parts))) {
        PyErr_NoMemory();
        goto done;
    }
    if (!fresh_output(&out, data.size))
        goto done;
    PyThreadState *thread = unlock(data.size);
    const rijn_status status = mode->crypt(key, iv, &how, out.to.bytes, data.bytes, data.size);
    lock(thread);
    if (succeeded(status))
        result = take_output(&out);
done:
    PyMem_Free(how.parts);
    rijn_wipe(iv, sizeof iv); /* IGE, CFB, OFB and CBC leave text or keystream there */
    drop_output(&out);
    give_back(&data);
    return result;
}

#define RAW(name, arguments, ...) \
    static const raw_mode mode_##name = {arguments, __VA_ARGS__}; \
    METHOD(aes_##name, raw(&mode_##name, self, args, given, keywords))
#define BLOCKS(name) \
    { \
#name, 1, 1, \
        { \
            "data" \
        } \
    }
#define CHAIN(name) \
    { \
#name, 2, 2, \
        { \
            "iv", "data", "pkcs7" \
        } \
    }
#define STREAM(name) \
    { \
#name, 2, 2, \
        { \
            "iv", "data" \
        } \
    }
#define COUNTER(name) \
    { \
#name, 2, 2, \
        { \
            "counter", "data", "width", "byteorder", "threads" \
        } \
    }

RAW(ecb_encrypt, BLOCKS(ecb_encrypt), ecb_encrypt, NULL, 0, true, false)
RAW(ecb_decrypt, BLOCKS(ecb_decrypt), ecb_decrypt, NULL, 0, true, false)
RAW(cbc_encrypt, CHAIN(cbc_encrypt), cbc_encrypt, cbc_encrypt_padded, 16, true, false)
RAW(cbc_decrypt, CHAIN(cbc_decrypt), cbc_decrypt, cbc_decrypt_padded, 16, true, false)
RAW(cfb_encrypt, STREAM(cfb_encrypt), cfb_encrypt, NULL, 16, false, false)
RAW(cfb_decrypt, STREAM(cfb_decrypt), cfb_decrypt, NULL, 16, false, false)
RAW(cfb8_encrypt, STREAM(cfb8_encrypt), cfb8_encrypt, NULL, 16, false, false)
RAW(cfb8_decrypt, STREAM(cfb8_decrypt), cfb8_decrypt, NULL, 16, false, false)
RAW(ofb_encrypt, STREAM(ofb_encrypt), ofb_crypt, NULL, 16, false, false)
RAW(ofb_decrypt, STREAM(ofb_decrypt), ofb_crypt, NULL, 16, false, false)
RAW(ige_encrypt, STREAM(ige_encrypt), ige_encrypt, NULL, 32, true, false)
RAW(ige_decrypt, STREAM(ige_decrypt), ige_decrypt, NULL, 32, true, false)
RAW(ctr_encrypt, COUNTER(ctr_encrypt), ctr_crypt, NULL, 16, false, true)
RAW(ctr_decrypt, COUNTER(ctr_decrypt), ctr_crypt, NULL, 16, false, true)

static PyMethodDef aes_methods[] = {
    METHOD_ROW("ecb_encrypt", aes_ecb_encrypt, "ecb_encrypt($self, data)\n--\n\n"),
    METHOD_ROW("ecb_decrypt", aes_ecb_decrypt, "ecb_decrypt($self, data)\n--\n\n"),
    METHOD_ROW("cbc_encrypt", aes_cbc_encrypt,
               "cbc_encrypt($self, iv, data, *, pkcs7=False)\n--\n\n"),
    METHOD_ROW("cbc_decrypt", aes_cbc_decrypt,
               "cbc_decrypt($self, iv, data, *, pkcs7=False)\n--\n\n"),
    METHOD_ROW("cfb_encrypt", aes_cfb_encrypt, "cfb_encrypt($self, iv, data)\n--\n\n"),
    METHOD_ROW("cfb_decrypt", aes_cfb_decrypt, "cfb_decrypt($self, iv, data)\n--\n\n"),
    METHOD_ROW("cfb8_encrypt", aes_cfb8_encrypt, "cfb8_encrypt($self, iv, data)\n--\n\n"),
    METHOD_ROW("cfb8_decrypt", aes_cfb8_decrypt, "cfb8_decrypt($self, iv, data)\n--\n\n"),
    METHOD_ROW("ofb_encrypt", aes_ofb_encrypt, "ofb_encrypt($self, iv, data)\n--\n\n"),
    METHOD_ROW("ofb_decrypt", aes_ofb_decrypt, "ofb_decrypt($self, iv, data)\n--\n\n"),
    METHOD_ROW("ige_encrypt", aes_ige_encrypt, "ige_encrypt($self, iv, data)\n--\n\n"),
    METHOD_ROW("ige_decrypt", aes_ige_decrypt, "ige_decrypt($self, iv, data)\n--\n\n"),
    METHOD_ROW(
        "ctr_encrypt", aes_ctr_encrypt,
        "ctr_encrypt($self, counter, data, *, width=128, byteorder='big', threads=1)\n--\n\n"),
    METHOD_ROW(
        "ctr_decrypt", aes_ctr_decrypt,
        "ctr_decrypt($self, counter, data, *, width=128, byteorder='big', threads=1)\n--\n\n"),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot aes_slots[] = {
    {Py_tp_doc, "AES(key, backend)\n--\n\n"}, {Py_tp_new, keyed_new},
    {Py_tp_dealloc, keyed_dealloc},           {Py_tp_methods, aes_methods},
    {Py_tp_getset, keyed_properties},         {0, NULL},
};

static PyType_Spec aes_spec = {
    .name = "rijn._native.AES",
    .basicsize = sizeof(keyed),
    .flags = TYPE_FLAGS,
    .slots = aes_slots,
};

/* ---- AESXTS ------------------------------------------------------------- */

#define XTS_MAX ((size_t)1 << 24) /* 2^20 blocks, SP 800-38E section 4 */

typedef struct {
    PyObject ob_base;
    rijn_xts_key key;
} xts_object;

static PyObject *xts_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *argument[MAX_ARGUMENTS];
    const char *backend;
    xts_object *self = NULL;
    span bytes;

    if (!parse_new(&key_signature, args, keywords, argument) ||
        !(backend = parse_text("backend", argument[1])))
        return NULL;
    NO_SPAN(bytes);
    if (!borrow(&bytes, "key", argument[0], PyBUF_SIMPLE))
        return NULL;
    if (bytes.size != 32 && bytes.size != 64) {
        wrong_size("key must be 32 or 64 bytes", bytes.size);
        goto done;
    }
    self = (xts_object *)allocate(type);
    if (!self)
        goto done;
    const rijn_status status = rijn_xts_key_init(&self->key, bytes.bytes, bytes.size, backend);
    if (status == RIJN_OK)
        goto done;
    if (status == RIJN_ERR_EQUAL_HALVES)
        PyErr_SetString(PyExc_ValueError, "the two halves of an XTS key must differ");
    else
        raise_no_backend(backend);
    Py_CLEAR(self);
done:
    give_back(&bytes);
    return (PyObject *)self;
}

static void xts_dealloc(PyObject *self)
{
    rijn_xts_key_wipe(&((xts_object *)self)->key);
    release(self);
}

static PyObject *xts_backend(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(rijn_key_backend(&((const xts_object *)self)->key.data));
}

typedef rijn_status sector_function(const rijn_xts_key *key, const uint8_t tweak[16], size_t offset,
                                    uint8_t *out, const uint8_t *in, size_t size);

/* A part of a sector, for one thread. */
typedef struct {
    sector_function *crypt;
    const rijn_xts_key *key;
    const uint8_t *tweak;
    size_t offset;
    uint8_t *out;
    const uint8_t *in;
    size_t size;
    rijn_status status;
} sector_part;

static void work_sector_part(void *one)
{
    sector_part *const p = one;
    p->status = p->crypt(p->key, p->tweak, p->offset, p->out, p->in, p->size);
}

/* Divides the blocks evenly among the threads. The last one also takes the rest. */
static rijn_status sector_in_parts(sector_part *parts, size_t threads, const sector_part *whole)
{
    const size_t share = whole->size / threads / 16 * 16;
    rijn_status status = RIJN_OK;

    for (size_t i = 0; i < threads; i++) {
        sector_part *const p = &parts[i];
        *p = *whole;
        p->offset = i * share;
        p->out += p->offset;
        p->in += p->offset;
        p->size = i + 1 < threads ? share : whole->size - p->offset;
    }
    at_once(work_sector_part, parts, sizeof *parts, threads);
    for (size_t i = 0; i < threads && status == RIJN_OK; i++)
        status = parts[i].status;
    return status;
}

static PyObject *sector(const signature *s, sector_function *crypt, PyObject *self,
                        PyObject *const *args, Py_ssize_t given, PyObject *keywords)
{
    PyObject *argument[MAX_ARGUMENTS], *result = NULL;
    sector_part *parts = NULL;
    uint8_t tweak[16];
    size_t threads;
    span data;
    output out;

    if (!parse(s, args, given, keywords, argument) ||
        !copy_exactly(tweak, sizeof tweak, "tweak", argument[0]))
        return NULL;
    NO_SPAN(data);
    NO_OUTPUT(out);
    if (!borrow(&data, "data", argument[1], PyBUF_SIMPLE) || !parse_threads(&threads, argument[2]))
        goto done;
    if (data.size < 16 || data.size > XTS_MAX) {
        PyErr_Format(PyExc_ValueError, "data must be 16 to %zu bytes, not %zu", XTS_MAX, data.size);
        goto done;
    }
    if (threads > 1 && data.size >= THREADED_SIZE &&
        !(parts = PyMem_Calloc(threads, sizeof *parts))) {
        PyErr_NoMemory();
        goto done;
    }
    if (!fresh_output(&out, data.size))
        goto done;
    PyThreadState *thread = unlock(data.size);
    sector_part whole = {.crypt = crypt,
                         .key = &((const xts_object *)self)->key,
                         .tweak = tweak,
                         .out = out.to.bytes,
                         .in = data.bytes,
                         .size = data.size};
    if (parts)
        whole.status = sector_in_parts(parts, threads, &whole);
    else
        work_sector_part(&whole);
    lock(thread);
    if (succeeded(whole.status))
        result = take_output(&out);
done:
    PyMem_Free(parts);
    drop_output(&out);
    give_back(&data);
    return result;
}

static const signature xts_encrypt_signature = {"encrypt", 2, 2, {"tweak", "data", "threads"}};
static const signature xts_decrypt_signature = {"decrypt", 2, 2, {"tweak", "data", "threads"}};

METHOD(xts_encrypt,
       sector(&xts_encrypt_signature, rijn_xts_encrypt_part, self, args, given, keywords))
METHOD(xts_decrypt,
       sector(&xts_decrypt_signature, rijn_xts_decrypt_part, self, args, given, keywords))

static PyMethodDef xts_methods[] = {
    METHOD_ROW("encrypt", xts_encrypt, "encrypt($self, tweak, data, *, threads=1)\n--\n\n"),
    METHOD_ROW("decrypt", xts_decrypt, "decrypt($self, tweak, data, *, threads=1)\n--\n\n"),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef xts_properties[] = {
    {"backend", xts_backend, NULL, "The name of the backend that computes with this key.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot xts_slots[] = {
    {Py_tp_doc, "AESXTS(key, backend)\n--\n\n"},
    {Py_tp_new, xts_new},
    {Py_tp_dealloc, xts_dealloc},
    {Py_tp_methods, xts_methods},
    {Py_tp_getset, xts_properties},
    {0, NULL},
};

static PyType_Spec xts_spec = {
    .name = "rijn._native.AESXTS",
    .basicsize = sizeof(xts_object),
    .flags = TYPE_FLAGS,
    .slots = xts_slots,
};

bool add_aes(PyObject *module)
{
    return add_type(module, &aes_spec) && add_type(module, &xts_spec);
}
