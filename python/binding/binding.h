/* Shared by the files of the binding: errors, arguments, input buffers (span),
 * output bytes (output), the interpreter lock, types. _native.pyi documents the
 * names that Python sees.
 *
 * A key never changes after its creation, so any number of threads may call its
 * methods at once. A state (mac.c, stream.c) refuses a second thread. If another
 * thread writes a bytearray during a call, the call's result has no meaning, but
 * nothing worse happens: the memory does not move, and no size is read twice.
 *
 * The build defines Py_LIMITED_API as 3.11 for the abi3 wheel; without it the
 * same source makes a module for one Python (the free-threaded ones need that). */
#ifndef RIJN_BINDING_H
#define RIJN_BINDING_H

#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "rijn.h"

/* Calls for this many bytes or more release the interpreter lock. Measured on two
 * cores of a Xeon with aesni GCM: without other threads, to release and take the
 * lock costs 30 ns. When two threads encrypt, a message takes 1.47 us instead of
 * 1.40 at 8 KiB, 1.9 to 2.7 instead of 2.7 at 16 KiB, and 3.0 instead of 5.3 at
 * 32 KiB. */
#define UNLOCKED_SIZE 16384

/* ---- Errors: each function sets an exception and returns false ---------- */

/* ValueError: "WHAT, not SIZE". */
bool wrong_size(const char *what, size_t size);

/* rijn.errors.InvalidTag. `chunk` becomes its attribute, unless it is NULL. */
bool raise_invalid_tag(const uint64_t *chunk);

/* rijn.errors.InvalidTag for `count` messages. The list `failed` has the numbers of those that
 * failed, and becomes its attribute, as a tuple. */
bool raise_invalid_tags(PyObject *failed, size_t count);

/* rijn.errors.BackendError, which lists the backends of this build. */
bool raise_no_backend(const char *name);

/* Returns true for RIJN_OK. Sizes and overlaps are checked before each call of the
 * library, so the other results are a refused tag or padding. */
bool succeeded(rijn_status status);

/* ---- Arguments ---------------------------------------------------------- */

#define MAX_ARGUMENTS 6

/* names[0..positional) may be positional or keywords; the others are keywords only.
 * names[0..required) must be given. NULL ends the names. */
typedef struct {
    const char *method;
    Py_ssize_t required, positional;
    const char *names[MAX_ARGUMENTS + 1];
} signature;

/* Borrows the arguments of a METH_FASTCALL | METH_KEYWORDS call into `found`,
 * in the order of s->names, with NULL for missing ones. */
bool parse(const signature *s, PyObject *const *args, Py_ssize_t given, PyObject *keywords,
           PyObject *found[MAX_ARGUMENTS]);

/* As parse, for the arguments of a type's tp_new. */
bool parse_new(const signature *s, PyObject *args, PyObject *keywords,
               PyObject *found[MAX_ARGUMENTS]);

/* The signature of a type that needs only a key: key, backend. */
extern const signature key_signature;

/* ---- Buffers in --------------------------------------------------------- */

/* The bytes of an argument, during one call. Start with NO_SPAN and end with give_back. */
typedef struct {
    uint8_t *bytes;
    size_t size;
    Py_buffer view; /* .obj is NULL if it needs no release */
} span;

#define NO_SPAN(s) ((s).bytes = NULL, (s).size = 0, (s).view.obj = NULL)

/* Borrows an argument's bytes. Raises TypeError, also for a buffer of Python objects, and
 * BufferError; both call the argument `name`. flags: PyBUF_SIMPLE to read, PyBUF_WRITABLE to
 * write. A bytes object needs no view: the caller's reference keeps it alive, and it never moves. */
bool borrow(span *s, const char *name, PyObject *object, int flags);
void give_back(span *s);

/* Borrows an argument of exactly `size` bytes, to read it. */
bool borrow_exactly(span *s, size_t size, const char *name, PyObject *object);

/* Copies an argument of exactly `size` bytes. */
bool copy_exactly(uint8_t *bytes, size_t size, const char *name, PyObject *object);

/* Bytes in a nonce. */
typedef struct {
    size_t least, most; /* most: SIZE_MAX if there is no limit */
    bool shorter;       /* nonces of 1 to least - 1 bytes are allowed with short_nonces=True */
} nonce_sizes;

/* Raises ValueError for a nonce of another size, and calls the argument `name`. */
bool nonce_fits(const nonce_sizes *sizes, const char *name, size_t size);

/* ---- Numbers and flags in ------------------------------------------------ */

/* Converts an object with __index__, except a bool. Raises TypeError, and OverflowError outside 0
 * to 2^64 - 1. */
bool parse_unsigned(uint64_t *number, const char *name, PyObject *object);

#define MAX_THREADS 1024

/* Converts `threads`; NULL gives 1. Raises TypeError and ValueError. */
bool parse_threads(size_t *threads, PyObject *object);

/* Returns the UTF-8 text of a str, which owns it. It has no null characters. Returns NULL with
 * TypeError or ValueError. */
const char *parse_text(const char *name, PyObject *object);

/* TypeError: "NAME must be WHAT, not TYPE". */
bool wrong_type(const char *name, const char *what, PyObject *object);

/* True or False; else TypeError. */
bool parse_flag(bool *flag, const char *name, PyObject *object);

/* ---- Bytes out ---------------------------------------------------------- */

/* The result of a call: a new bytes object, not zero-filled, or the caller's buffer.
 * Start with NO_OUTPUT and end with drop_output. */
typedef struct {
    PyObject *fresh; /* NULL if `to` is the caller's */
    span to;
} output;

#define NO_OUTPUT(o) ((o).fresh = NULL, NO_SPAN((o).to))

bool fresh_output(output *o, size_t size);

/* Takes the argument buf, of exactly `size` bytes. It must not overlap data or, if in_place is
 * allowed, may begin where data begins. */
bool given_output(output *o, PyObject *buf, size_t size, const span *data, bool in_place);

/* Raises ValueError if buf overlaps another argument. */
bool lies_apart(const output *o, const char *name, const span *other);

/* Returns the result of the method: the new bytes, or the number of bytes written. */
PyObject *take_output(output *o);

/* Releases the output. After a refused tag or padding, its bytes are zeros: the library
 * erases them. */
void drop_output(output *o);

/* ---- The interpreter lock ----------------------------------------------- */

/* Releases the interpreter lock for large work. Pass the result to lock(). */
static inline PyThreadState *unlock(size_t work)
{
    return work >= UNLOCKED_SIZE ? PyEval_SaveThread() : NULL;
}

static inline void lock(PyThreadState *thread)
{
    if (thread)
        PyEval_RestoreThread(thread);
}

/* ---- Several threads ---------------------------------------------------- */

/* Runs work(part) for each element of an array: `count` parts of `size` bytes, at most MAX_THREADS.
 * The parts run at the same time, except those for which no thread starts. Returns when all are
 * done. Call it without the interpreter lock. */
void at_once(void (*work)(void *part), void *parts, size_t size, size_t count);

/* Messages of this size or more use several threads: to start a thread and wait for it takes 30 to
 * 60 us, enough time for one thread to encrypt about 500 KiB. */
#define THREADED_SIZE (2u << 20)

/* ---- Types -------------------------------------------------------------- */

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

/* Returns a new object, zero-filled. */
PyObject *allocate(PyTypeObject *type);

/* Ends a deallocator, after the secrets are wiped. */
void release(PyObject *self);

#define TYPE_FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE)

/* An object with one AES key: AES, KeyWrap. */
typedef struct {
    PyObject ob_base; /* PyObject_HEAD */
    rijn_key key;
} keyed;

static inline const rijn_key *key_of(PyObject *self)
{
    return &((const keyed *)self)->key;
}

PyObject *keyed_new(PyTypeObject *type, PyObject *args, PyObject *keywords);
void keyed_dealloc(PyObject *self);
extern PyGetSetDef keyed_properties[]; /* backend */

/* Expands an AES key from an argument: 16, 24 or 32 bytes. */
bool expand(rijn_key *key, PyObject *bytes, const char *backend);

/* The phase of an object that serves one thread at a time. */
enum { READY, BUSY, FINISHED };

/* Reserves such an object for this call: it is BUSY until the caller stores another phase.
 * Raises RuntimeError if another thread uses it, or it is FINISHED. */
bool take_turn(atomic_int *phase);

/* The state of one interpreter's module. */
typedef struct {
    PyTypeObject *backend_info;
    PyTypeObject *stream; /* for methods of other types, which make streams */
} module_state;

/* Adds a type to the module. */
bool add_type(PyObject *module, PyType_Spec *spec);

/* Each adds the types or functions of a file. */
bool add_aes(PyObject *module);
bool add_aeads(PyObject *module);
bool add_macs(PyObject *module);
bool add_wrap(PyObject *module);
bool add_rows(PyObject *module);

#endif
