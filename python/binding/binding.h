/* What the files of the binding share: errors, arguments, buffers in (span),
 * bytes out (output), the interpreter lock, types. _native.pyi says what every
 * name that Python sees does and raises.
 *
 * A key never changes once it is made, so any number of threads may call its
 * methods at once; a state (mac.c, pieces.c) refuses a second thread. A bytearray
 * (or the like) that another thread writes during a call makes that call's result
 * meaningless, but nothing worse: its memory stays where it is and no size is read
 * twice.
 *
 * The build defines Py_LIMITED_API as 3.11 for the abi3 wheel; without it the
 * same source makes a module for one Python (the free-threaded ones need that). */
#ifndef RIJN_BINDING_H
#define RIJN_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "rijn.h"

/* Work on this many bytes or more runs without the interpreter lock. Measured
 * on two cores of a Xeon with aesni GCM, the fastest work there is: letting the
 * lock go and taking it back costs 30 ns when nobody waits for it, and when two
 * threads encrypt, a message takes them 1.47 us instead of 1.40 at 8 KiB, 1.9 to
 * 2.7 instead of 2.7 at 16 KiB, and 3.0 instead of 5.3 at 32 KiB. */
#define UNLOCKED_SIZE 16384

/* ---- Errors: each function sets one and returns false ------------------- */

/* ValueError: "WHAT, not SIZE". */
bool wrong_size(const char *what, size_t size);

/* rijn.errors.InvalidTag. With chunk, its attribute `chunk` is that number. */
bool raise_invalid_tag(const uint64_t *chunk);

/* The same of many messages, `count` in all: its attribute `failed` are the numbers in `failed`, a
 * list, as a tuple. */
bool raise_invalid_tags(PyObject *failed, size_t count);

/* rijn.errors.BackendError, which lists the backends there are. */
bool raise_no_backend(const char *name);

/* True for RIJN_OK. Sizes and overlaps are checked before the library is
 * called, so what is left is a refused tag or padding. */
bool succeeded(rijn_status status);

/* ---- Arguments ---------------------------------------------------------- */

#define MAX_ARGUMENTS 6

/* names[0..positional) may be given by place or by name, those after them by
 * name only; names[0..required) must be given. NULL ends the names. */
typedef struct {
    const char *method;
    Py_ssize_t required, positional;
    const char *names[MAX_ARGUMENTS + 1];
} signature;

/* Borrows the arguments of a METH_FASTCALL | METH_KEYWORDS call into `found`,
 * in the order of s->names, with NULL for those that were not given. */
bool parse(const signature *s, PyObject *const *args, Py_ssize_t given, PyObject *keywords,
           PyObject *found[MAX_ARGUMENTS]);

/* As parse, of what a type's tp_new gets. */
bool parse_new(const signature *s, PyObject *args, PyObject *keywords,
               PyObject *found[MAX_ARGUMENTS]);

/* The signature of a type that has a key and nothing else: key, backend. */
extern const signature key_signature;

/* ---- Buffers in --------------------------------------------------------- */

/* The bytes of an argument, for the length of one call. Start with NO_SPAN
 * and end with give_back. */
typedef struct {
    uint8_t *bytes;
    size_t size;
    Py_buffer view; /* .obj is NULL when there is nothing to give back */
} span;

#define NO_SPAN(s) ((s).bytes = NULL, (s).size = 0, (s).view.obj = NULL)

/* name: what TypeError and BufferError call the argument; TypeError is for a buffer of Python
 * objects, too. flags: PyBUF_SIMPLE to read, PyBUF_WRITABLE to write. The caller's reference
 * keeps a bytes object alive, and nothing can move it: it needs no view. */
bool borrow(span *s, const char *name, PyObject *object, int flags);
void give_back(span *s);

/* Borrows an argument that is to be read and has exactly `size` bytes. */
bool borrow_exactly(span *s, size_t size, const char *name, PyObject *object);

/* Copies an argument of exactly `size` bytes. */
bool copy_exactly(uint8_t *bytes, size_t size, const char *name, PyObject *object);

/* Bytes in a nonce. */
typedef struct {
    size_t least, most; /* most: SIZE_MAX where nothing limits it */
    bool shorter;       /* nonces of 1 to least - 1 bytes are allowed with short_nonces=True */
} nonce_sizes;

/* ValueError for a nonce of another size. name: what the caller calls it. */
bool nonce_fits(const nonce_sizes *sizes, const char *name, size_t size);

/* ---- Numbers and flags in ------------------------------------------------ */

/* What has __index__ and is no bool, from 0 to 2^64 - 1: else TypeError or
 * OverflowError. */
bool parse_unsigned(uint64_t *number, const char *name, PyObject *object);

/* 1 where `object` is NULL; else TypeError or ValueError. */
#define MAX_THREADS 1024
bool parse_threads(size_t *threads, PyObject *object);

/* A str without null characters, as the str keeps it; NULL with TypeError or ValueError. */
const char *parse_text(const char *name, PyObject *object);

/* TypeError: "NAME must be WHAT, not TYPE". */
bool wrong_type(const char *name, const char *what, PyObject *object);

/* True or False; else TypeError. */
bool parse_flag(bool *flag, const char *name, PyObject *object);

/* ---- Bytes out ---------------------------------------------------------- */

/* Where a call writes: a fresh bytes object, not zero-filled, or the caller's
 * own buffer. Start with NO_OUTPUT and end with drop_output. */
typedef struct {
    PyObject *fresh; /* NULL when `to` is the caller's */
    span to;
} output;

#define NO_OUTPUT(o) ((o).fresh = NULL, NO_SPAN((o).to))

bool fresh_output(output *o, size_t size);

/* The argument buf, which has exactly `size` bytes and either lies apart from
 * data or, where in_place is allowed, begins where data begins. */
bool given_output(output *o, PyObject *buf, size_t size, const span *data, bool in_place);

/* ValueError unless buf lies apart from another argument too. */
bool lies_apart(const output *o, const char *name, const span *other);

/* What the method returns: the fresh bytes, or how many were written. */
PyObject *take_output(output *o);

/* What take_output has not handed out holds zeros: the library leaves nothing
 * behind when it refuses a tag or a padding. */
void drop_output(output *o);

/* ---- The interpreter lock ----------------------------------------------- */

/* Lets other threads run when the work is large. The answer goes to lock(). */
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

/* Does work(part) for `count` parts of `size` bytes each, one behind the other, at most
 * MAX_THREADS of them: at once, but for those that get no thread. Returns when all is done; to be
 * called without the interpreter lock. */
void at_once(void (*work)(void *part), void *parts, size_t size, size_t count);

/* From this size on a message is worth several threads: to start one and wait for it takes
 * 30 to 60 us, in which one thread encrypts some 500 KiB. */
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

/* A fresh object of a type of ours, zero-filled. */
PyObject *allocate(PyTypeObject *type);

/* What a deallocator does when the secrets are wiped. */
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

/* Where an object stands that belongs to one thread at a time. */
enum { READY, BUSY, FINISHED };

/* Takes such an object for this call, BUSY until the caller stores another phase;
 * RuntimeError when another thread has it, or when it is FINISHED. */
bool take_turn(atomic_int *phase);

/* What belongs to one interpreter's module. */
typedef struct {
    PyTypeObject *backend_info;
    PyTypeObject *stream; /* which other types' methods make */
} module_state;

/* Adds a type to the module. */
bool add_type(PyObject *module, PyType_Spec *spec);

/* What each file adds. */
bool add_aes(PyObject *module);
bool add_aeads(PyObject *module);
bool add_macs(PyObject *module);
bool add_wrap(PyObject *module);
bool add_rows(PyObject *module);

#endif
