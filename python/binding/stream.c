/* rijn._native.Stream: a message of an authenticated cipher in pieces, for one thread at a time.
 * Its plaintext is not authenticated until the tag has been verified. rijn.incremental keeps the
 * plaintext until then, or returns it from a method whose name says that it is unverified. */
#include "stream.h"

#include "forks.h"

struct stream {
    PyObject ob_base; /* PyObject_HEAD */
    sealer *from;     /* keeps the key */
    atomic_int phase;
    bool opening;
    process owner;    /* the process that made it */
    rijn_key derived; /* for XAES-256-GCM */
    union {
        rijn_gcm gcm;
        rijn_ocb ocb;
        rijn_eax eax;
        rijn_aegis aegis;
    } state;
};

/* ---- The algorithms ------------------------------------------------------ */

rijn_status start_gcm(stream *s, const span *nonce, const span *ad)
{
    const rijn_status status =
        rijn_gcm_start(&s->state.gcm, &s->from->key.aes, nonce->bytes, nonce->size);
    return status == RIJN_OK ? rijn_gcm_ad(&s->state.gcm, ad->bytes, ad->size) : status;
}

rijn_status start_xaes(stream *s, const span *nonce, const span *ad)
{
    rijn_status status = rijn_xaes_derive(&s->derived, &s->from->key.aes, nonce->bytes);
    if (status == RIJN_OK)
        status = rijn_gcm_start(&s->state.gcm, &s->derived, nonce->bytes + 12, 12);
    return status == RIJN_OK ? rijn_gcm_ad(&s->state.gcm, ad->bytes, ad->size) : status;
}

rijn_status start_ocb(stream *s, const span *nonce, const span *ad)
{
    const rijn_status status = rijn_ocb_start(&s->state.ocb, &s->from->key.aes, s->from->tag_size,
                                              nonce->bytes, nonce->size);
    return status == RIJN_OK ? rijn_ocb_ad(&s->state.ocb, ad->bytes, ad->size) : status;
}

rijn_status start_eax(stream *s, const span *nonce, const span *ad)
{
    const rijn_status status =
        rijn_eax_start(&s->state.eax, &s->from->key.aes, nonce->bytes, nonce->size);
    return status == RIJN_OK ? rijn_eax_ad(&s->state.eax, ad->bytes, ad->size) : status;
}

rijn_status start_aegis(stream *s, const span *nonce, const span *ad)
{
    const rijn_status status =
        rijn_aegis_start(&s->state.aegis, &s->from->key.aegis, nonce->bytes, nonce->size);
    return status == RIJN_OK ? rijn_aegis_ad(&s->state.aegis, ad->bytes, ad->size) : status;
}

static rijn_status continue_(stream *s, uint8_t *out, const uint8_t *in, size_t size)
{
    start_function *const start = s->from->algorithm->start;
    if (start == start_ocb)
        return s->opening ? rijn_ocb_decrypt(&s->state.ocb, out, in, size)
                          : rijn_ocb_encrypt(&s->state.ocb, out, in, size);
    if (start == start_eax)
        return s->opening ? rijn_eax_decrypt(&s->state.eax, out, in, size)
                          : rijn_eax_encrypt(&s->state.eax, out, in, size);
    if (start == start_aegis)
        return s->opening ? rijn_aegis_decrypt(&s->state.aegis, out, in, size)
                          : rijn_aegis_encrypt(&s->state.aegis, out, in, size);
    return s->opening ? rijn_gcm_decrypt(&s->state.gcm, out, in, size)
                      : rijn_gcm_encrypt(&s->state.gcm, out, in, size);
}

static rijn_status finish_message(stream *s, uint8_t *tag)
{
    start_function *const start = s->from->algorithm->start;
    const size_t size = s->from->tag_size;
    if (start == start_ocb)
        return rijn_ocb_finish(&s->state.ocb, tag);
    if (start == start_eax)
        return rijn_eax_finish(&s->state.eax, tag, size);
    if (start == start_aegis)
        return rijn_aegis_finish(&s->state.aegis, tag, size);
    return rijn_gcm_finish(&s->state.gcm, tag, size);
}

static rijn_status verify_message(stream *s, const uint8_t *tag)
{
    start_function *const start = s->from->algorithm->start;
    const size_t size = s->from->tag_size;
    if (start == start_ocb)
        return rijn_ocb_verify(&s->state.ocb, tag);
    if (start == start_eax)
        return rijn_eax_verify(&s->state.eax, tag, size);
    if (start == start_aegis)
        return rijn_aegis_verify(&s->state.aegis, tag, size);
    return rijn_gcm_verify(&s->state.gcm, tag, size);
}

/* ---- The object ---------------------------------------------------------- */

/* As _check_process of rijn._uncopyable: raises RuntimeError in a forked process. */
static bool stay(const stream *self)
{
    if (is_this_process(self->owner))
        return true;
    PyErr_SetString(PyExc_RuntimeError,
                    "rijn.Stream belongs to the process that made it, from which this one was "
                    "forked; another process could not go on from the same place without "
                    "repeating nonces or keystream: begin a message in this one");
    return false;
}

/* As __reduce__ of rijn._uncopyable. */
static PyObject *stream_reduce(PyObject *object, PyObject *nothing)
{
    (void)object, (void)nothing;
    PyErr_SetString(PyExc_TypeError, "rijn.Stream is not copied or pickled: it holds a key or a "
                                     "place in a message");
    return NULL;
}

/* crypt; with buf, crypt_into. */
static PyObject *piece(PyObject *object, PyObject *data_object, PyObject *buf)
{
    stream *self = (stream *)object;
    PyObject *result = NULL;
    span data;
    output out;

    NO_SPAN(data);
    NO_OUTPUT(out);
    if (!borrow(&data, "data", data_object, PyBUF_SIMPLE) ||
        !(buf ? given_output(&out, buf, data.size, &data, true) : fresh_output(&out, data.size)))
        goto done;
    if (stay(self) && take_turn(&self->phase)) {
        PyThreadState *thread = unlock(data.size);
        const rijn_status status = continue_(self, out.to.bytes, data.bytes, data.size);
        lock(thread);
        atomic_store(&self->phase, READY);
        if (succeeded(status))
            result = take_output(&out);
    }
done:
    drop_output(&out);
    give_back(&data);
    return result;
}

static PyObject *stream_crypt(PyObject *object, PyObject *data)
{
    return piece(object, data, NULL);
}

static const signature into_signature = {"crypt_into", 2, 2, {"data", "buf"}};

static PyObject *stream_crypt_into(PyObject *object, PyObject *const *args, Py_ssize_t given,
                                   PyObject *keywords)
{
    PyObject *argument[MAX_ARGUMENTS];
    return parse(&into_signature, args, given, keywords, argument)
               ? piece(object, argument[0], argument[1])
               : NULL;
}

static PyObject *stream_tag(PyObject *object, PyObject *nothing)
{
    stream *self = (stream *)object;
    uint8_t tag[32];

    (void)nothing;
    if (!stay(self) || !take_turn(&self->phase))
        return NULL;
    const rijn_status status = finish_message(self, tag);
    atomic_store(&self->phase, FINISHED);
    if (!succeeded(status))
        return NULL;
    return PyBytes_FromStringAndSize((const char *)tag, (Py_ssize_t)self->from->tag_size);
}

static PyObject *stream_verify(PyObject *object, PyObject *tag_object)
{
    stream *self = (stream *)object;
    PyObject *result = NULL;
    span tag;

    NO_SPAN(tag);
    if (!borrow(&tag, "tag", tag_object, PyBUF_SIMPLE))
        return NULL;
    if (stay(self) && take_turn(&self->phase)) {
        if (tag.size != self->from->tag_size)
            raise_invalid_tag(NULL);
        else if (succeeded(verify_message(self, tag.bytes)))
            result = Py_NewRef(Py_None);
        atomic_store(&self->phase, FINISHED);
    }
    give_back(&tag);
    return result;
}

static void stream_dealloc(PyObject *object)
{
    stream *self = (stream *)object;
    rijn_key_wipe(&self->derived);
    rijn_wipe(&self->state, sizeof self->state);
    Py_XDECREF((PyObject *)self->from);
    release(object);
}

static PyMethodDef stream_methods[] = {
    {"crypt", stream_crypt, METH_O,
     "crypt($self, data, /)\n--\n\nReturns the next piece. Pieces of AESOCB3 are whole blocks, "
     "except the last one."},
    METHOD_ROW("crypt_into", stream_crypt_into,
               "crypt_into($self, data, buf)\n--\n\nWrites the next piece to buf, and returns its "
               "size."),
    {"tag", stream_tag, METH_NOARGS, "tag($self)\n--\n\nEnds encryption and returns the tag."},
    {"__reduce__", stream_reduce, METH_NOARGS, "__reduce__($self)\n--\n\nRaises TypeError."},
    {"verify", stream_verify, METH_O,
     "verify($self, tag, /)\n--\n\nEnds decryption. Raises rijn.InvalidTag for another tag."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot stream_slots[] = {
    {Py_tp_doc, "A message in pieces."},
    {Py_tp_dealloc, stream_dealloc},
    {Py_tp_methods, stream_methods},
    {0, NULL},
};

static PyType_Spec stream_spec = {
    .name = "rijn._native.Stream",
    .basicsize = sizeof(stream),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = stream_slots,
};

static const signature stream_signature = {
    "_stream", 3, 3, {"nonce", "associated_data", "opening"}};

PyObject *new_stream(PyObject *object, PyTypeObject *class, PyObject *const *args, Py_ssize_t given,
                     PyObject *keywords)
{
    const module_state *module = PyType_GetModuleState(class);
    sealer *from = (sealer *)object;
    PyObject *argument[MAX_ARGUMENTS];
    stream *self = NULL;
    bool opening;
    span nonce, ad;

    if (!parse(&stream_signature, args, given, keywords, argument))
        return NULL;
    NO_SPAN(nonce);
    NO_SPAN(ad);
    if (!borrow(&nonce, "nonce", argument[0], PyBUF_SIMPLE) ||
        (argument[1] != Py_None && !borrow(&ad, "associated_data", argument[1], PyBUF_SIMPLE)) ||
        !nonce_fits(&from->nonces, "nonce", nonce.size) ||
        !parse_flag(&opening, "opening", argument[2]))
        goto done;
    self = (stream *)allocate(module->stream);
    if (!self)
        goto done;
    self->from = (sealer *)Py_NewRef(object);
    self->opening = opening;
    self->owner = this_process();
    if (!succeeded(from->algorithm->start(self, &nonce, &ad)))
        Py_CLEAR(self);
done:
    give_back(&ad);
    give_back(&nonce);
    return (PyObject *)self;
}

bool add_streams(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    state->stream = (PyTypeObject *)PyType_FromModuleAndSpec(module, &stream_spec, NULL);
    return state->stream && PyModule_AddType(module, state->stream) == 0;
}
