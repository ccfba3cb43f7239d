/* rijn._native's authenticated ciphers: a description of each algorithm, and the shared methods:
 * message(), chunks() and siv(). */
#include "many.h"
#include "stream.h"

#define CHUNK_TAG 16u

/* ---- The algorithms ----------------------------------------------------- */

/* The functions that start messages in pieces. */
#define START_GCM start_gcm
#define START_GCM_SIV NULL
#define START_XAES start_xaes
#define START_CCM NULL
#define START_OCB start_ocb
#define START_EAX start_eax

/* Error messages name no limit for nonces of any size. */
#define NONCE_MOST(n) ((n) > NONCE_MAX ? SIZE_MAX : (size_t)(n))

/* AESGCM_algorithm and so on. Python needs a nonce of a byte or more. */
#define RIJN_AES_AEAD(ID, id, Class, keys, least, most, usual, asked, tags, short_tags, data, ad, \
                      ...) \
    static const aead_algorithm Class##_algorithm = { \
        .key_sizes = (keys), \
        .nonce_least = (least) ? (least) : 1, \
        .nonce_most = NONCE_MOST(most), \
        .nonce_unasked = (asked), \
        .nonce_usual = (usual), \
        .tag_sizes = (tags) | (short_tags), \
        .data_max = (data) == BY_NONCE ? 0 : (data), \
        .many = RIJN_MANY_##ID, \
        .seal = rijn_##id##_seal, \
        .open = rijn_##id##_open, \
        .start = START_##ID, \
    };
#define RIJN_AEGIS_AEAD(ID, Class, name, size, ...) \
    static const aead_algorithm Class##_algorithm = { \
        .key_sizes = KEY(size), \
        .nonce_least = (size), \
        .nonce_most = (size), \
        .nonce_usual = (size), \
        .tag_sizes = RIJN_AEGIS_TAGS, \
        .data_max = RIJN_AEGIS_MAX, \
        .variant = RIJN_##ID, \
        .many = RIJN_MANY_AEGIS, \
        .start = start_aegis, \
    };
#define RIJN_SIV_AEAD(ID, id, Class, keys, ...) enum { SIV_KEYS = (keys) };
#include "rijn_algorithms.def"

/* Raises ValueError: `what` must have one of the sizes, such as "16, 24 or 32". Bit n of `sizes`
 * stands for n * unit bytes. */
static void raise_not_one_of(const char *what, uint64_t sizes, unsigned unit, const char *bytes,
                             uint64_t given)
{
    char text[64] = "";
    size_t end = 0;
    for (unsigned n = 0; n < 64 && sizes >> n; n++) {
        const char *const between = !end ? "" : sizes >> n == 1 ? " or " : ", ";
        if (sizes >> n & 1)
            end += (size_t)PyOS_snprintf(text + end, sizeof text - end, "%s%u", between, n * unit);
    }
    PyErr_Format(PyExc_ValueError, "%s must be %s%s, not %llu", what, text, bytes,
                 (unsigned long long)given);
}

/* Raises ValueError for a key of another size. */
static bool key_fits(uint64_t sizes, size_t size)
{
    if (size % 8 == 0 && size < 8 * 64 && sizes >> size / 8 & 1)
        return true;
    raise_not_one_of("key", sizes, 8, " bytes", size);
    return false;
}

/* ---- Keys --------------------------------------------------------------- */

#define SEALER_SIZE(member) (offsetof(sealer, key) + sizeof((sealer *)0)->key.member)

static PyObject *sealer_new(const aead_algorithm *algorithm, PyTypeObject *type, PyObject *args,
                            PyObject *keywords)
{
    static const signature plain = {"__new__", 2, 3, {"key", "backend", "tag_length"}};
    static const signature asking = {
        "__new__", 2, 4, {"key", "backend", "tag_length", "short_nonces"}};
    PyObject *argument[MAX_ARGUMENTS];
    const char *backend;
    uint64_t tag = 16;
    bool short_nonces = false;
    sealer *self = NULL;
    span bytes;

    if (!parse_new(algorithm->nonce_unasked ? &asking : &plain, args, keywords, argument) ||
        !(backend = parse_text("backend", argument[1])) ||
        (argument[2] && !parse_unsigned(&tag, "tag_length", argument[2])) ||
        (algorithm->nonce_unasked && argument[3] &&
         !parse_flag(&short_nonces, "short_nonces", argument[3])))
        return NULL;
    if (tag >= 64 || !(algorithm->tag_sizes >> tag & 1)) {
        raise_not_one_of("tag_length", algorithm->tag_sizes, 1, "", tag);
        return NULL;
    }
    NO_SPAN(bytes);
    if (!borrow(&bytes, "key", argument[0], PyBUF_SIMPLE))
        return NULL;
    if (!key_fits(algorithm->key_sizes, bytes.size))
        goto done;
    self = (sealer *)allocate(type);
    if (!self)
        goto done;
    self->algorithm = algorithm;
    self->nonces = (nonce_sizes){
        .least = algorithm->nonce_unasked && !short_nonces ? algorithm->nonce_unasked
                                                           : algorithm->nonce_least,
        .most = algorithm->nonce_most,
        .shorter = algorithm->nonce_unasked && !short_nonces,
    };
    self->tag_size = (size_t)tag;
    rijn_status status = algorithm->seal
                             ? rijn_key_init(&self->key.aes, bytes.bytes, bytes.size, backend)
                             : rijn_aegis_key_init(&self->key.aegis, algorithm->variant,
                                                   bytes.bytes, bytes.size, backend);
    if (status == RIJN_OK && algorithm->seal) /* rijn.aead checks short_tags */
        status = rijn_key_allow_short_tags(&self->key.aes);
    if (status != RIJN_OK) { /* only the name can be wrong here */
        raise_no_backend(backend);
        Py_CLEAR(self);
    }
done:
    give_back(&bytes);
    return (PyObject *)self;
}

static void sealer_dealloc(PyObject *object)
{
    sealer *self = (sealer *)object;
    if (self->algorithm && self->algorithm->seal)
        rijn_key_wipe(&self->key.aes);
    else
        rijn_aegis_key_wipe(&self->key.aegis);
    release(object);
}

static PyObject *sealer_backend(PyObject *object, void *closure)
{
    const sealer *self = (const sealer *)object;
    (void)closure;
    return PyUnicode_FromString(self->algorithm->seal ? rijn_key_backend(&self->key.aes)
                                                      : rijn_aegis_key_backend(&self->key.aegis));
}

static PyObject *sealer_kernel(PyObject *object, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(rijn_aegis_key_kernel(&((const sealer *)object)->key.aegis));
}

static PyObject *sealer_tag_length(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(((const sealer *)self)->tag_size);
}

/* ---- Messages ----------------------------------------------------------- */

/* Raises ValueError for too much data. CCM with a nonce of n bytes stores the size in 15 - n. */
static bool check_size(const aead_algorithm *algorithm, size_t nonce, size_t size)
{
    const uint64_t most =
        algorithm->data_max ? algorithm->data_max : (UINT64_C(1) << 8 * (15 - nonce) % 64) - 1;
    if ((uint64_t)size <= most || (!algorithm->data_max && nonce == 7))
        return true;
    if (algorithm->data_max)
        PyErr_Format(PyExc_ValueError, "data is too long: at most %llu bytes",
                     (unsigned long long)most);
    else
        PyErr_Format(PyExc_ValueError, "data is too long: at most %llu bytes with a nonce of %zu",
                     (unsigned long long)most, nonce);
    return false;
}

/* A part of a GCM message, for one thread. */
typedef struct {
    rijn_gcm gcm;
    bool opening;
    uint8_t *to;
    const uint8_t *from;
    size_t size;
    rijn_status status;
} gcm_part;

static void work_part(void *one)
{
    gcm_part *const p = one;
    p->status =
        (p->opening ? rijn_gcm_decrypt : rijn_gcm_encrypt)(&p->gcm, p->to, p->from, p->size);
}

/* Seals or opens a GCM message in several threads, with at least a block for each. `made` receives
 * the tag, or `given` is the tag to compare. */
static rijn_status gcm_in_parts(const sealer *self, gcm_part *parts, size_t threads, bool opening,
                                uint8_t *to, uint8_t *made, const uint8_t *given, const span *nonce,
                                const span *ad, const uint8_t *from, size_t size)
{
    const size_t share = size / threads / 16 * 16;
    rijn_gcm *const gcm = &parts[0].gcm;
    rijn_status status = rijn_gcm_start(gcm, &self->key.aes, nonce->bytes, nonce->size);

    if (status == RIJN_OK)
        status = rijn_gcm_ad(gcm, ad->bytes, ad->size);
    for (size_t i = 0; i < threads; i++) {
        gcm_part *const p = &parts[i];
        p->opening = opening;
        p->to = to + i * share;
        p->from = from + i * share;
        p->size = i + 1 < threads ? share : size - i * share;
        if (i && status == RIJN_OK)
            status = rijn_gcm_part(&p->gcm, gcm, i * share);
    }
    if (status == RIJN_OK)
        at_once(work_part, parts, sizeof *parts, threads);
    for (size_t i = 0; i < threads && status == RIJN_OK; i++) {
        status = parts[i].status;
        if (i && status == RIJN_OK)
            status = rijn_gcm_join(gcm, &parts[i].gcm);
    }
    if (status == RIJN_OK && opening)
        status = rijn_gcm_verify(gcm, given, self->tag_size);
    else if (status == RIJN_OK)
        status = rijn_gcm_finish(gcm, made, self->tag_size);
    if (status != RIJN_OK)
        rijn_wipe(to, size);
    rijn_wipe(parts, threads * sizeof *parts);
    return status;
}

/* The forms of a method: encrypt, encrypt_into, encrypt_detached, and their inverses. */
typedef enum { JOINED, INTO, DETACHED } form;

/* Returns the pair for encrypt_detached. NULL with an exception. */
static PyObject *with_tag(output *ciphertext, const uint8_t *tag, size_t size)
{
    PyObject *second = PyBytes_FromStringAndSize((const char *)tag, (Py_ssize_t)size);
    if (!second)
        return NULL;
    PyObject *first = take_output(ciphertext);
    PyObject *pair = first ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_DECREF(second);
    return pair;
}

static PyObject *message(const signature *s, bool opening, form how, PyObject *object,
                         PyObject *const *args, Py_ssize_t given, PyObject *keywords)
{
    const sealer *self = (const sealer *)object;
    const aead_algorithm *algorithm = self->algorithm;
    const size_t tag = self->tag_size;
    const bool detached = how == DETACHED;
    PyObject *argument[MAX_ARGUMENTS], *result = NULL;
    span nonce, data, ad, apart;
    uint8_t fresh_tag[32];
    output out;

    if (!parse(s, args, given, keywords, argument))
        return NULL;
    PyObject *tag_object = opening && detached ? argument[2] : NULL;
    PyObject *const *rest = argument + (tag_object ? 3 : 2);
    PyObject *associated = *rest++, *buf = how == INTO ? *rest++ : NULL;
    gcm_part *parts = NULL;
    size_t threads;
    NO_SPAN(nonce);
    NO_SPAN(data);
    NO_SPAN(ad);
    NO_SPAN(apart);
    NO_OUTPUT(out);
    if (!borrow(&nonce, "nonce", argument[0], PyBUF_SIMPLE) ||
        !borrow(&data, "data", argument[1], PyBUF_SIMPLE) ||
        (tag_object && !borrow(&apart, "tag", tag_object, PyBUF_SIMPLE)) ||
        (associated && associated != Py_None &&
         !borrow(&ad, "associated_data", associated, PyBUF_SIMPLE)) ||
        !nonce_fits(&self->nonces, "nonce", nonce.size) || !parse_threads(&threads, *rest))
        goto done;
    if (opening && (detached ? apart.size != tag : data.size < tag)) {
        raise_invalid_tag(NULL);
        goto done;
    }
    const size_t text = opening && !detached ? data.size - tag : data.size;
    if (!check_size(algorithm, nonce.size, text))
        goto done;
    const size_t size = opening || detached ? text : text + tag;
    if (!(buf ? given_output(&out, buf, size, &data, true) && lies_apart(&out, "nonce", &nonce) &&
                    lies_apart(&out, "associated_data", &ad)
              : fresh_output(&out, size)))
        goto done;
    if (threads > 1 && text >= THREADED_SIZE && !(parts = PyMem_Calloc(threads, sizeof *parts))) {
        PyErr_NoMemory();
        goto done;
    }

    PyThreadState *thread = unlock(text + ad.size);
    uint8_t *const to = out.to.bytes;
    const uint8_t *const from = data.bytes;
    const uint8_t *const claimed = detached ? apart.bytes : opening ? from + text : NULL;
    uint8_t *const made = detached ? fresh_tag : opening ? NULL : to + text;
    rijn_status status;
    if (parts)
        status =
            gcm_in_parts(self, parts, threads, opening, to, made, claimed, &nonce, &ad, from, text);
    else if (algorithm->seal)
        status = opening ? algorithm->open(&self->key.aes, to, claimed, tag, nonce.bytes,
                                           nonce.size, ad.bytes, ad.size, from, text)
                         : algorithm->seal(&self->key.aes, to, made, tag, nonce.bytes, nonce.size,
                                           ad.bytes, ad.size, from, text);
    else
        status = opening ? rijn_aegis_open(&self->key.aegis, to, claimed, tag, nonce.bytes,
                                           nonce.size, ad.bytes, ad.size, from, text)
                         : rijn_aegis_seal(&self->key.aegis, to, made, tag, nonce.bytes, nonce.size,
                                           ad.bytes, ad.size, from, text);
    lock(thread);
    if (succeeded(status))
        result = detached && !opening ? with_tag(&out, fresh_tag, tag) : take_output(&out);
done:
    PyMem_Free(parts);
    drop_output(&out);
    give_back(&ad);
    give_back(&apart);
    give_back(&data);
    give_back(&nonce);
    return result;
}

/* Methods in one thread. The prefix avoids `encrypt`, which musl declares in unistd.h. */
static const signature single_encrypt_signature = {
    "encrypt", 2, 3, {"nonce", "data", "associated_data"}};
static const signature single_decrypt_signature = {
    "decrypt", 2, 3, {"nonce", "data", "associated_data"}};
static const signature single_encrypt_into_signature = {
    "encrypt_into", 4, 4, {"nonce", "data", "associated_data", "buf"}};
static const signature single_decrypt_into_signature = {
    "decrypt_into", 4, 4, {"nonce", "data", "associated_data", "buf"}};
static const signature single_encrypt_detached_signature = {
    "encrypt_detached", 2, 3, {"nonce", "data", "associated_data"}};
static const signature single_decrypt_detached_signature = {
    "decrypt_detached", 3, 4, {"nonce", "data", "tag", "associated_data"}};

METHOD(single_encrypt,
       message(&single_encrypt_signature, false, JOINED, self, args, given, keywords))
METHOD(single_decrypt,
       message(&single_decrypt_signature, true, JOINED, self, args, given, keywords))
METHOD(single_encrypt_into,
       message(&single_encrypt_into_signature, false, INTO, self, args, given, keywords))
METHOD(single_decrypt_into,
       message(&single_decrypt_into_signature, true, INTO, self, args, given, keywords))
METHOD(single_encrypt_detached,
       message(&single_encrypt_detached_signature, false, DETACHED, self, args, given, keywords))
METHOD(single_decrypt_detached,
       message(&single_decrypt_detached_signature, true, DETACHED, self, args, given, keywords))

/* Methods of GCM, which take `threads`. */
static const signature threaded_encrypt_signature = {
    "encrypt", 2, 3, {"nonce", "data", "associated_data", "threads"}};
static const signature threaded_decrypt_signature = {
    "decrypt", 2, 3, {"nonce", "data", "associated_data", "threads"}};
static const signature threaded_encrypt_into_signature = {
    "encrypt_into", 4, 4, {"nonce", "data", "associated_data", "buf", "threads"}};
static const signature threaded_decrypt_into_signature = {
    "decrypt_into", 4, 4, {"nonce", "data", "associated_data", "buf", "threads"}};
static const signature threaded_encrypt_detached_signature = {
    "encrypt_detached", 2, 3, {"nonce", "data", "associated_data", "threads"}};
static const signature threaded_decrypt_detached_signature = {
    "decrypt_detached", 3, 4, {"nonce", "data", "tag", "associated_data", "threads"}};

METHOD(threaded_encrypt,
       message(&threaded_encrypt_signature, false, JOINED, self, args, given, keywords))
METHOD(threaded_decrypt,
       message(&threaded_decrypt_signature, true, JOINED, self, args, given, keywords))
METHOD(threaded_encrypt_into,
       message(&threaded_encrypt_into_signature, false, INTO, self, args, given, keywords))
METHOD(threaded_decrypt_into,
       message(&threaded_decrypt_into_signature, true, INTO, self, args, given, keywords))
METHOD(threaded_encrypt_detached,
       message(&threaded_encrypt_detached_signature, false, DETACHED, self, args, given, keywords))
METHOD(threaded_decrypt_detached,
       message(&threaded_decrypt_detached_signature, true, DETACHED, self, args, given, keywords))

/* encrypt_many and decrypt_many. */
static PyObject *messages(bool opening, PyObject *object, PyObject *const *args, Py_ssize_t given,
                          PyObject *keywords)
{
    const sealer *self = (const sealer *)object;
    const aead_algorithm *algorithm = self->algorithm;
    const many_subject subject = {.many = {.mode = algorithm->many,
                                           .key = &self->key.aes,
                                           .aegis_key = &self->key.aegis,
                                           .tag_size = self->tag_size},
                                  .nonces = self->nonces,
                                  .nonce_usual = algorithm->nonce_usual,
                                  .data_max = algorithm->data_max};
    return many_messages(&subject, opening, args, given, keywords);
}

METHOD(encrypt_many, messages(false, self, args, given, keywords))
METHOD(decrypt_many, messages(true, self, args, given, keywords))

/* Computes the output size of a run of chunks (rijn.h) of `size` bytes. Whole chunks have `chunk`
 * bytes of plaintext; sealed chunks, if `opening`, have 16 more. Returns false if no run of chunks
 * has this size. */
static bool run_size(size_t *out, bool opening, uint64_t most, size_t chunk, bool last, size_t size)
{
    const size_t in = opening ? chunk + CHUNK_TAG : chunk;
    if (chunk == 0 || (uint64_t)chunk > most || in < chunk)
        return false;
    const size_t whole = size / in, rest = size % in;
    if (last ? opening && rest < CHUNK_TAG : rest != 0)
        return false;
    const size_t tags = (whole + last) * CHUNK_TAG;
    if (!opening && tags > SIZE_MAX - size)
        return false;
    *out = opening ? size - tags : size + tags;
    return true;
}

/* seal_chunks and open_chunks. */
static PyObject *chunks(const signature *s, bool opening, PyObject *object, PyObject *const *args,
                        Py_ssize_t given, PyObject *keywords)
{
    const sealer *self = (const sealer *)object;
    const aead_algorithm *algorithm = self->algorithm;
    PyObject *argument[MAX_ARGUMENTS], *result = NULL;
    uint64_t first, chunk_size, bad = 0;
    bool last;
    size_t size;
    span nonce, data;
    output out;

    if (!parse(s, args, given, keywords, argument))
        return NULL;
    NO_SPAN(nonce);
    NO_SPAN(data);
    NO_OUTPUT(out);
    if (!borrow_exactly(&nonce, algorithm->nonce_usual, "nonce", argument[0]) ||
        !parse_unsigned(&first, "first", argument[1]) ||
        !parse_unsigned(&chunk_size, "chunk", argument[2]) ||
        !parse_flag(&last, "last", argument[3]))
        goto done;
    if (self->tag_size != CHUNK_TAG) {
        PyErr_Format(PyExc_ValueError, "%s needs a tag_length of 16", s->method);
        goto done;
    }
    if (!borrow(&data, "data", argument[4], PyBUF_SIMPLE))
        goto done;
    const size_t chunk = chunk_size > SIZE_MAX ? SIZE_MAX : (size_t)chunk_size;
    if (!run_size(&size, opening, algorithm->data_max, chunk, last, data.size)) {
        PyErr_Format(PyExc_ValueError, "data of %zu bytes is not a run of chunks of %llu bytes",
                     data.size, (unsigned long long)chunk_size);
        goto done;
    }
    if (!given_output(&out, argument[5], size, &data, false) || !lies_apart(&out, "nonce", &nonce))
        goto done;
    const size_t count = (opening ? data.size - size : size - data.size) / CHUNK_TAG;
    if (count && count - 1 > UINT64_MAX - first) {
        PyErr_Format(PyExc_OverflowError,
                     "chunk numbers end at 2^64 - 1: no %zu chunks from number %llu on", count,
                     (unsigned long long)first);
        goto done;
    }

    PyThreadState *thread = unlock(data.size);
    uint8_t *const to = out.to.bytes;
    rijn_status status;
    if (algorithm->seal)
        status = opening ? rijn_gcm_open_chunks(&self->key.aes, to, &bad, nonce.bytes, first, chunk,
                                                last, data.bytes, data.size)
                         : rijn_gcm_seal_chunks(&self->key.aes, to, nonce.bytes, first, chunk, last,
                                                data.bytes, data.size);
    else
        status = opening ? rijn_aegis_open_chunks(&self->key.aegis, to, &bad, nonce.bytes, first,
                                                  chunk, last, data.bytes, data.size)
                         : rijn_aegis_seal_chunks(&self->key.aegis, to, nonce.bytes, first, chunk,
                                                  last, data.bytes, data.size);
    lock(thread);
    if (status == RIJN_ERR_TAG ? raise_invalid_tag(&bad) : succeeded(status))
        result = take_output(&out);
done:
    drop_output(&out);
    give_back(&data);
    give_back(&nonce);
    return result;
}

static const signature seal_chunks_signature = {
    "seal_chunks", 6, 6, {"nonce", "first", "chunk", "last", "data", "buf"}};
static const signature open_chunks_signature = {
    "open_chunks", 6, 6, {"nonce", "first", "chunk", "last", "data", "buf"}};

METHOD(seal_chunks, chunks(&seal_chunks_signature, false, self, args, given, keywords))
METHOD(open_chunks, chunks(&open_chunks_signature, true, self, args, given, keywords))

static const signature keystream_signature = {"unauthenticated_keystream", 2, 2, {"nonce", "size"}};

static PyObject *sealer_keystream(PyObject *object, PyObject *const *args, Py_ssize_t given,
                                  PyObject *keywords)
{
    const sealer *self = (const sealer *)object;
    PyObject *argument[MAX_ARGUMENTS], *result = NULL;
    uint8_t nonce[NONCE_MAX];
    uint64_t size;
    output out;

    if (!parse(&keystream_signature, args, given, keywords, argument) ||
        !copy_exactly(nonce, self->algorithm->nonce_least, "nonce", argument[0]) ||
        !parse_unsigned(&size, "size", argument[1]))
        return NULL;
    if (size > SIZE_MAX) {
        PyErr_NoMemory();
        return NULL;
    }
    NO_OUTPUT(out);
    if (fresh_output(&out, (size_t)size)) {
        PyThreadState *thread = unlock(out.to.size);
        const rijn_status status = rijn_aegis_unauthenticated_keystream(
            &self->key.aegis, out.to.bytes, out.to.size, nonce, self->algorithm->nonce_least);
        lock(thread);
        if (succeeded(status))
            result = take_output(&out);
    }
    drop_output(&out);
    return result;
}

/* ---- Their types -------------------------------------------------------- */

/* kind: the prefix of the functions; more: additional parameters. */
#define MESSAGE_ROWS(kind, more) \
    METHOD_ROW("encrypt", kind##encrypt, \
               "encrypt($self, nonce, data, associated_data=None" more ")\n--\n\n"), \
        METHOD_ROW("decrypt", kind##decrypt, \
                   "decrypt($self, nonce, data, associated_data=None" more ")\n--\n\n"), \
        METHOD_ROW("encrypt_into", kind##encrypt_into, \
                   "encrypt_into($self, nonce, data, associated_data, buf" more ")\n--\n\n"), \
        METHOD_ROW("decrypt_into", kind##decrypt_into, \
                   "decrypt_into($self, nonce, data, associated_data, buf" more ")\n--\n\n"), \
        METHOD_ROW("encrypt_detached", kind##encrypt_detached, \
                   "encrypt_detached($self, nonce, data, associated_data=None" more ")\n--\n\n"), \
        METHOD_ROW("decrypt_detached", kind##decrypt_detached, \
                   "decrypt_detached($self, nonce, data, tag, associated_data=None" more \
                   ")\n--\n\n"), \
        MANY_ROWS(encrypt_many, decrypt_many)
#define CHUNK_ROWS \
    METHOD_ROW("seal_chunks", seal_chunks, \
               "seal_chunks($self, nonce, first, chunk, last, data, buf)\n--\n\n"), \
        METHOD_ROW("open_chunks", open_chunks, \
                   "open_chunks($self, nonce, first, chunk, last, data, buf)\n--\n\n")

#define STREAM_ROW \
    { \
        "_stream", (PyCFunction)(void (*)(void))new_stream, \
            METH_METHOD | METH_FASTCALL | METH_KEYWORDS, \
            "_stream($self, nonce, associated_data, opening)\n--\n\n" \
    }

static PyMethodDef message_methods[] = {MESSAGE_ROWS(single_, ""), {NULL, NULL, 0, NULL}};
static PyMethodDef online_methods[] = {
    MESSAGE_ROWS(single_, ""), STREAM_ROW, {NULL, NULL, 0, NULL}};
static PyMethodDef gcm_methods[] = {
    MESSAGE_ROWS(threaded_, ", *, threads=1"), STREAM_ROW, CHUNK_ROWS, {NULL, NULL, 0, NULL}};
static PyMethodDef aegis_methods[] = {
    MESSAGE_ROWS(single_, ""),
    STREAM_ROW,
    CHUNK_ROWS,
    METHOD_ROW("unauthenticated_keystream", sealer_keystream,
               "unauthenticated_keystream($self, nonce, size)\n--\n\n"),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef sealer_properties[] = {
    {"backend", sealer_backend, NULL, "The name of the backend that computes with this key.", NULL},
    {"tag_length", sealer_tag_length, NULL, "Bytes in a tag.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyGetSetDef aegis_properties[] = {
    {"backend", sealer_backend, NULL, "The name of the backend that computes with this key.", NULL},
    {"kernel", sealer_kernel, NULL,
     "The name of the kernel in use (see `rijn.aegis_kernels()`). For a backend in Python, its\n"
     "own name.",
     NULL},
    {"tag_length", sealer_tag_length, NULL, "Bytes in a tag.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* more: additional parameters of the constructor. */
#define SEALER(Name, more, methods, properties, member) \
    static PyObject *new_##Name(PyTypeObject *type, PyObject *args, PyObject *keywords) \
    { \
        return sealer_new(&Name##_algorithm, type, args, keywords); \
    } \
    static PyType_Slot Name##_slots[] = { \
        {Py_tp_doc, #Name "(key, backend, tag_length=16" more ")\n--\n\n"}, \
        {Py_tp_new, new_##Name}, \
        {Py_tp_dealloc, sealer_dealloc}, \
        {Py_tp_methods, methods}, \
        {Py_tp_getset, properties}, \
        {0, NULL}, \
    }; \
    static PyType_Spec Name##_spec = { \
        .name = "rijn._native." #Name, \
        .basicsize = SEALER_SIZE(member), \
        .flags = TYPE_FLAGS, \
        .slots = Name##_slots, \
    };

SEALER(AESGCM, ", short_nonces=False", gcm_methods, sealer_properties, aes)
SEALER(AESGCMSIV, "", message_methods, sealer_properties, aes)
SEALER(XAES256GCM, "", online_methods, sealer_properties, aes)
SEALER(AESCCM, "", message_methods, sealer_properties, aes)
SEALER(AESOCB3, ", short_nonces=False", online_methods, sealer_properties, aes)
SEALER(AESEAX, ", short_nonces=False", online_methods, sealer_properties, aes)
SEALER(AEGIS128L, "", aegis_methods, aegis_properties, aegis)
SEALER(AEGIS128X2, "", aegis_methods, aegis_properties, aegis)
SEALER(AEGIS128X4, "", aegis_methods, aegis_properties, aegis)
SEALER(AEGIS256, "", aegis_methods, aegis_properties, aegis)
SEALER(AEGIS256X2, "", aegis_methods, aegis_properties, aegis)
SEALER(AEGIS256X4, "", aegis_methods, aegis_properties, aegis)

/* ---- AESSIV ------------------------------------------------------------- */

typedef struct {
    PyObject ob_base;
    rijn_siv_key key;
} siv_object;

static PyObject *siv_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *argument[MAX_ARGUMENTS];
    const char *backend;
    siv_object *self = NULL;
    span bytes;

    if (!parse_new(&key_signature, args, keywords, argument) ||
        !(backend = parse_text("backend", argument[1])))
        return NULL;
    NO_SPAN(bytes);
    if (!borrow(&bytes, "key", argument[0], PyBUF_SIMPLE))
        return NULL;
    if (!key_fits(SIV_KEYS, bytes.size))
        goto done;
    self = (siv_object *)allocate(type);
    if (self && rijn_siv_key_init(&self->key, bytes.bytes, bytes.size, backend) != RIJN_OK) {
        raise_no_backend(backend);
        Py_CLEAR(self);
    }
done:
    give_back(&bytes);
    return (PyObject *)self;
}

static void siv_dealloc(PyObject *self)
{
    rijn_siv_key_wipe(&((siv_object *)self)->key);
    release(self);
}

static PyObject *siv_backend(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(rijn_key_backend(&((const siv_object *)self)->key.mac));
}

/* The associated strings, during one call. */
typedef struct {
    size_t count;
    span span[RIJN_SIV_STRINGS_MAX];
    rijn_string string[RIJN_SIV_STRINGS_MAX];
    PyObject *items; /* keeps them */
} strings;

/* Returns true for an iterable that is not a text or a single buffer of bytes. */
static bool is_list(PyObject *object)
{
    if (PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object) ||
        PyMemoryView_Check(object))
        return false;
    PyObject *const iterator = PyObject_GetIter(object);
    if (!iterator)
        PyErr_Clear();
    Py_XDECREF(iterator);
    return iterator != NULL;
}

/* Borrows a list of buffers, or None. */
static bool borrow_strings(strings *s, PyObject *sequence)
{
    if (!sequence || sequence == Py_None)
        return true;
    if (!is_list(sequence))
        return wrong_type("associated_data", "a list of bytes-like objects", sequence);
    s->items = PySequence_Tuple(sequence);
    if (!s->items)
        return false;
    const Py_ssize_t count = PyTuple_Size(s->items);
    if (count > (Py_ssize_t)RIJN_SIV_STRINGS_MAX) {
        PyErr_Format(PyExc_ValueError, "at most %u associated strings, not %zd",
                     RIJN_SIV_STRINGS_MAX, count);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        span *one = &s->span[s->count];
        char name[32];
        NO_SPAN(*one);
        PyOS_snprintf(name, sizeof name, "associated_data[%d]", (int)i);
        if (!borrow(one, name, PyTuple_GetItem(s->items, i), PyBUF_SIMPLE))
            return false;
        s->string[s->count++] = (rijn_string){one->bytes, one->size};
    }
    return true;
}

static void give_back_strings(strings *s)
{
    while (s->count)
        give_back(&s->span[--s->count]);
    Py_XDECREF(s->items);
}

/* As message(), with the tag before the ciphertext:
 *
 *     plaintext   | text             |
 *     sealed      | tag | ciphertext |
 *
 * In place, both begin at the same byte, so the text is moved first. */
static PyObject *siv(const signature *s, bool opening, form how, PyObject *object,
                     PyObject *const *args, Py_ssize_t given, PyObject *keywords)
{
    const rijn_siv_key *key = &((const siv_object *)object)->key;
    const bool detached = how == DETACHED;
    PyObject *argument[MAX_ARGUMENTS], *result = NULL;
    strings associated;
    span data, apart;
    uint8_t fresh_tag[16], moved_tag[16];
    output out;

    if (!parse(s, args, given, keywords, argument))
        return NULL;
    PyObject *tag_object = opening && detached ? argument[1] : NULL;
    PyObject *buf = how == INTO ? argument[2] : NULL;
    NO_SPAN(data);
    NO_SPAN(apart);
    NO_OUTPUT(out);
    associated.count = 0;
    associated.items = NULL;
    if (!borrow(&data, "data", argument[0], PyBUF_SIMPLE) ||
        (tag_object && !borrow(&apart, "tag", tag_object, PyBUF_SIMPLE)) ||
        !borrow_strings(&associated, argument[tag_object ? 2 : 1]))
        goto done;
    if (opening && (detached ? apart.size != 16 : data.size < 16)) {
        raise_invalid_tag(NULL);
        goto done;
    }
    const size_t head = detached ? 0 : 16; /* size of the tag before the ciphertext */
    const size_t text = opening ? data.size - head : data.size;
    const size_t size = opening ? text : text + head;
    if (!(buf ? given_output(&out, buf, size, &data, true) : fresh_output(&out, size)))
        goto done;
    for (size_t i = 0; buf && i < associated.count; i++)
        if (!lies_apart(&out, "associated_data", &associated.span[i]))
            goto done;
    PyThreadState *thread = unlock(text);
    uint8_t *const to = out.to.bytes;
    const uint8_t *claimed = detached ? apart.bytes : data.bytes;
    const uint8_t *from = opening && head ? data.bytes + head : data.bytes;
    if (buf && data.size && to == data.bytes) {
        if (opening)
            claimed = memcpy(moved_tag, claimed, sizeof moved_tag);
        if (text)
            from = memmove(opening ? to : to + head, from, text);
    }
    const rijn_status status =
        opening ? rijn_siv_open(key, to, claimed, associated.string, associated.count, from, text)
                : rijn_siv_seal(key, to + head, detached ? fresh_tag : to, associated.string,
                                associated.count, from, text);
    lock(thread);
    if (succeeded(status))
        result =
            detached && !opening ? with_tag(&out, fresh_tag, sizeof fresh_tag) : take_output(&out);
done:
    drop_output(&out);
    give_back_strings(&associated);
    give_back(&apart);
    give_back(&data);
    return result;
}

static const signature siv_encrypt_signature = {"encrypt", 1, 2, {"data", "associated_data"}};
static const signature siv_decrypt_signature = {"decrypt", 1, 2, {"data", "associated_data"}};

static const signature siv_encrypt_into_signature = {
    "encrypt_into", 3, 3, {"data", "associated_data", "buf"}};
static const signature siv_decrypt_into_signature = {
    "decrypt_into", 3, 3, {"data", "associated_data", "buf"}};

static const signature siv_encrypt_detached_signature = {
    "encrypt_detached", 1, 2, {"data", "associated_data"}};
static const signature siv_decrypt_detached_signature = {
    "decrypt_detached", 2, 3, {"data", "tag", "associated_data"}};

METHOD(siv_encrypt_detached,
       siv(&siv_encrypt_detached_signature, false, DETACHED, self, args, given, keywords))
METHOD(siv_decrypt_detached,
       siv(&siv_decrypt_detached_signature, true, DETACHED, self, args, given, keywords))
METHOD(siv_encrypt_into, siv(&siv_encrypt_into_signature, false, INTO, self, args, given, keywords))
METHOD(siv_decrypt_into, siv(&siv_decrypt_into_signature, true, INTO, self, args, given, keywords))
METHOD(siv_encrypt, siv(&siv_encrypt_signature, false, JOINED, self, args, given, keywords))
METHOD(siv_decrypt, siv(&siv_decrypt_signature, true, JOINED, self, args, given, keywords))

static PyObject *siv_messages(bool opening, PyObject *object, PyObject *const *args,
                              Py_ssize_t given, PyObject *keywords)
{
    const many_subject subject = {
        .many = {.mode = RIJN_MANY_SIV, .siv_key = &((const siv_object *)object)->key},
        .nonces = {.least = 1, .most = SIZE_MAX}};
    return many_messages(&subject, opening, args, given, keywords);
}

METHOD(siv_encrypt_many, siv_messages(false, self, args, given, keywords))
METHOD(siv_decrypt_many, siv_messages(true, self, args, given, keywords))

static PyMethodDef siv_methods[] = {
    MANY_ROWS(siv_encrypt_many, siv_decrypt_many),
    METHOD_ROW("encrypt", siv_encrypt, "encrypt($self, data, associated_data=None)\n--\n\n"),
    METHOD_ROW("decrypt", siv_decrypt, "decrypt($self, data, associated_data=None)\n--\n\n"),
    METHOD_ROW("encrypt_into", siv_encrypt_into,
               "encrypt_into($self, data, associated_data, buf)\n--\n\n"),
    METHOD_ROW("decrypt_into", siv_decrypt_into,
               "decrypt_into($self, data, associated_data, buf)\n--\n\n"),
    METHOD_ROW("encrypt_detached", siv_encrypt_detached,
               "encrypt_detached($self, data, associated_data=None)\n--\n\n"),
    METHOD_ROW("decrypt_detached", siv_decrypt_detached,
               "decrypt_detached($self, data, tag, associated_data=None)\n--\n\n"),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef siv_properties[] = {
    {"backend", siv_backend, NULL, "The name of the backend that computes with this key.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot siv_slots[] = {
    {Py_tp_doc, "AESSIV(key, backend)\n--\n\n"},
    {Py_tp_new, siv_new},
    {Py_tp_dealloc, siv_dealloc},
    {Py_tp_methods, siv_methods},
    {Py_tp_getset, siv_properties},
    {0, NULL},
};

static PyType_Spec AESSIV_spec = {
    .name = "rijn._native.AESSIV",
    .basicsize = sizeof(siv_object),
    .flags = TYPE_FLAGS,
    .slots = siv_slots,
};

bool add_aeads(PyObject *module)
{
    PyType_Spec *const specs[] = {
#define RIJN_AES_AEAD(ID, id, Class, ...) &Class##_spec,
#define RIJN_SIV_AEAD(ID, id, Class, ...) &Class##_spec,
#define RIJN_AEGIS_AEAD(ID, Class, ...) &Class##_spec,
#include "rijn_algorithms.def"
    };
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        if (!add_type(module, specs[i]))
            return false;
    return add_streams(module);
}
