/* Many messages in one call. The result has the form of the argument: a column (data and offsets)
 * or a list. A `table` holds the borrowed Python objects. The library runs without the
 * interpreter lock, in the requested number of threads. */
#include "many.h"

#include "column.h"

/* ---- Buffers ------------------------------------------------------------------------ */

/* The library's form of an argument, and the objects that it points to. */
typedef struct {
    rijn_column column;
    column given;    /* its width is 0 for a list */
    PyObject *items; /* the items of a list, as a tuple */
    const uint8_t **buffers;
    size_t *sizes;
    Py_buffer *views; /* for items that are not bytes */
    size_t n_views;
    size_t count, total;
} table;

#define NO_TABLE(t) (memset(&(t), 0, sizeof(t)), NO_COLUMN((t).given))

static void drop_table(table *t)
{
    drop_column(&t->given);
    while (t->n_views)
        PyBuffer_Release(&t->views[--t->n_views]);
    PyMem_Free(t->views);
    PyMem_Free(t->buffers);
    PyMem_Free(t->sizes);
    Py_XDECREF(t->items);
}

#define NAME_SIZE 48u /* of an argument or an item */
#define NONCE_MOST 32u

/* Borrows item i of the argument `name`. */
static bool borrow_item(table *t, const char *name, size_t i, PyObject *item)
{
    char each[NAME_SIZE] = ""; /* bytes need no name, because they are never refused */
    span s;

    NO_SPAN(s);
    if (!PyBytes_CheckExact(item))
        PyOS_snprintf(each, sizeof each, "%s[%zu]", name, i);
    if (!borrow(&s, each, item, PyBUF_SIMPLE))
        return false;
    if (s.view.obj) {
        if (!t->views && !(t->views = reserve(t->count, sizeof *t->views))) {
            give_back(&s);
            return false;
        }
        t->views[t->n_views++] = s.view;
    }
    t->buffers[i] = s.bytes;
    t->sizes[i] = s.size;
    t->total += s.size;
    return true;
}

/* Returns true for a mapping. Mappings of Python classes look like sequences. */
static int is_mapping(PyObject *object)
{
    if (PyList_Check(object))
        return 0;
    PyObject *const module = PyImport_ImportModule("collections.abc");
    PyObject *const type = module ? PyObject_GetAttrString(module, "Mapping") : NULL;
    const int found = type ? PyObject_IsInstance(object, type) : -1;
    Py_XDECREF(type);
    Py_XDECREF(module);
    return found;
}

static bool borrow_list(table *t, const char *name, const char *wanted, PyObject *sequence)
{
    if (PyUnicode_Check(sequence) || !PySequence_Check(sequence))
        return wrong_type(name, wanted, sequence);
    const int mapping = is_mapping(sequence);
    if (mapping)
        return mapping < 0 ? false : wrong_type(name, wanted, sequence);
    t->items = PySequence_Tuple(sequence);
    if (!t->items)
        return false;
    t->count = (size_t)PyTuple_Size(t->items);
    t->buffers = reserve(t->count, sizeof *t->buffers);
    t->sizes = t->buffers ? reserve(t->count, sizeof *t->sizes) : NULL;
    if (!t->sizes)
        return false;
    for (size_t i = 0; i < t->count; i++)
        if (!borrow_item(t, name, i, PyTuple_GetItem(t->items, (Py_ssize_t)i)))
            return false;
    t->column = (rijn_column){.buffers = t->buffers, .sizes = t->sizes};
    return true;
}

#define MESSAGES_WANTED "a list of buffers, or a column: a tuple of data and offsets"

static bool is_column_or_list(PyObject *object)
{
    return PyTuple_Check(object) || !PyObject_CheckBuffer(object);
}

static bool borrow_pair(table *t, const char *name, PyObject *pair)
{
    if (PyTuple_Size(pair) != 2) {
        PyErr_Format(PyExc_TypeError,
                     "%s must be a tuple of data and offsets, or a list of "
                     "buffers, not a tuple of %zd",
                     name, PyTuple_Size(pair));
        return false;
    }
    if (!borrow_column(&t->given, name, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1)))
        return false;
    t->count = t->given.count;
    t->total = t->given.data.size;
    t->column = column_view(&t->given);
    return true;
}

static bool borrow_table(table *t, const char *name, const char *wanted, PyObject *object)
{
    if (!is_column_or_list(object))
        return wrong_type(name, wanted, object);
    return PyTuple_Check(object) ? borrow_pair(t, name, object)
                                 : borrow_list(t, name, wanted, object);
}

/* ---- The call ----------------------------------------------------------------------- */

typedef struct {
    const many_subject *subject;
    bool opening;
    rijn_many many;
    table data, ads;
    span ad, nonces, base;
    uint8_t *joined; /* the nonces, if they came as a list */
    size_t threads;
    PyObject *failed; /* the caller's list, borrowed; or NULL */
    /* Results */
    output out, offsets;
    void *room;  /* memory for results that become a list */
    void *order; /* rijn_many.room */
    uint8_t *bits;
    size_t failures;
} call;

static void drop_call(call *c)
{
    if (c->room) {
        rijn_wipe(c->many.out, c->many.out_size);
        PyMem_Free(c->room);
    }
    PyMem_Free(c->order);
    PyMem_Free(c->bits);
    PyMem_Free(c->joined);
    drop_output(&c->out);
    drop_output(&c->offsets);
    drop_table(&c->data);
    drop_table(&c->ads);
    give_back(&c->ad);
    give_back(&c->nonces);
    give_back(&c->base);
}

/* As nonce_fits, for many nonces: they have at most NONCE_MOST bytes. */
static bool nonce_size_fits(const call *c, const char *name, size_t size)
{
    nonce_sizes sizes = c->subject->nonces;
    sizes.most = sizes.most < NONCE_MOST ? sizes.most : NONCE_MOST;
    return nonce_fits(&sizes, name, size);
}

/* Borrows nonces in one buffer or in a list. In one buffer they must have the usual size, because
 * the total size does not show whether there are too few or they are too short. */
static bool borrow_nonces(call *c, PyObject *object)
{
    const size_t count = c->data.count, usual = c->subject->nonce_usual;

    if (is_column_or_list(object)) {
        table t;
        NO_TABLE(t);
        bool right = borrow_list(&t, "nonces", "a buffer or a list of buffers", object);
        if (right && t.count != count) {
            PyErr_Format(PyExc_ValueError, "%zu nonces for %zu messages", t.count, count);
            right = false;
        }
        for (size_t i = 1; right && i < count; i++)
            if (t.sizes[i] != t.sizes[0]) {
                PyErr_Format(PyExc_ValueError,
                             "nonces must be of one size: nonces[0] has %zu bytes, and "
                             "nonces[%zu] %zu",
                             t.sizes[0], i, t.sizes[i]);
                right = false;
            }
        const size_t size = right && count ? t.sizes[0] : 0;
        if (right && size <= 32 && (c->joined = reserve(count, 32)))
            for (size_t i = 0; i < count; i++)
                memcpy(c->joined + size * i, t.buffers[i], size);
        c->many.nonces = c->joined;
        c->many.nonce_size = size;
        drop_table(&t);
        return right && (!count || nonce_size_fits(c, "nonces[0]", size)) && c->joined;
    }
    if (!borrow(&c->nonces, "nonces", object, PyBUF_SIMPLE))
        return false;
    if (usual && (c->nonces.size % usual || c->nonces.size / usual != count)) {
        PyErr_Format(PyExc_ValueError, "nonces of %zu bytes are not %zu for each of %zu messages",
                     c->nonces.size, usual, count);
        return false;
    }
    if (count ? c->nonces.size % count : c->nonces.size) {
        PyErr_Format(PyExc_ValueError, "nonces of %zu bytes are not one for each of %zu messages",
                     c->nonces.size, count);
        return false;
    }
    if (!count)
        return true;
    c->many.nonces = c->nonces.bytes;
    c->many.nonce_size = c->nonces.size / count;
    return nonce_size_fits(c, "each of nonces", c->many.nonce_size);
}

/* Borrows the first of the counted nonces. */
static bool borrow_base(call *c, PyObject *object)
{
    const size_t count = c->data.count;
    uint64_t left = 0; /* nonces after the first */

    if (!borrow(&c->base, "first_nonce", object, PyBUF_SIMPLE) ||
        !nonce_size_fits(c, "first_nonce", c->base.size))
        return false;
    const size_t size = c->base.size;
    for (size_t i = size > 8 ? size - 8 : 0; i < size; i++)
        left = left << 8 | (uint8_t)~c->base.bytes[i];
    if (count && count - 1 > left) {
        PyErr_Format(PyExc_ValueError, "first_nonce would wrap before message %zu of %zu",
                     (size_t)left + 1, count);
        return false;
    }
    c->many.base = c->base.bytes;
    c->many.nonce_size = size;
    return true;
}

static bool borrow_ad(call *c, PyObject *object)
{
    if (!is_column_or_list(object)) {
        if (!borrow(&c->ad, "associated_data", object, PyBUF_SIMPLE))
            return false;
        c->many.ad = (rijn_column){.data = c->ad.bytes ? c->ad.bytes : (const uint8_t *)"",
                                   .size = c->ad.size};
        return true;
    }
    if (!borrow_table(&c->ads, "associated_data", "a buffer, " MESSAGES_WANTED, object))
        return false;
    if (c->ads.count != c->data.count) {
        PyErr_Format(PyExc_ValueError, "associated_data are of %zu messages, and data of %zu",
                     c->ads.count, c->data.count);
        return false;
    }
    c->many.ad = c->ads.column;
    return true;
}

static bool borrow_arguments(call *c, PyObject *const argument[MAX_ARGUMENTS])
{
    bool prepend = false;
    PyObject *const nonces = argument[1], *const base = argument[2], *const ad = argument[3];

    if (!borrow_table(&c->data, "data", MESSAGES_WANTED, argument[0]))
        return false;
    c->many.in = c->data.column;
    c->many.count = c->data.count;
    if (nonces && nonces != Py_None && base && base != Py_None) {
        PyErr_SetString(PyExc_ValueError, "nonces and first_nonce exclude each other");
        return false;
    }
    if (nonces && nonces != Py_None && !borrow_nonces(c, nonces))
        return false;
    if (base && base != Py_None && !borrow_base(c, base))
        return false;
    if (ad && ad != Py_None && !borrow_ad(c, ad))
        return false;
    if (c->opening) {
        c->failed = argument[4] && argument[4] != Py_None ? argument[4] : NULL;
        if (c->failed && !PyList_Check(c->failed))
            return wrong_type("failed", "a list", c->failed);
    } else if (argument[4] && !parse_flag(&prepend, "prepend_nonce", argument[4])) {
        return false;
    }
    const bool given = (nonces && nonces != Py_None) || c->many.base;
    if (prepend && !given && !c->subject->nonce_usual) {
        PyErr_SetString(PyExc_ValueError, "prepend_nonce needs nonces or first_nonce here");
        return false;
    }
    c->many.prepend_nonce = prepend && (c->many.nonces || c->many.base);
    return parse_threads(&c->threads, argument[5]);
}

/* Returns the size of the caller's message i. */
static uint64_t row_size(const rijn_column *in, size_t i)
{
    if (in->sizes)
        return in->sizes[i];
    return in->offsets32 ? (uint64_t)(in->offsets32[i + 1] - in->offsets32[i])
                         : (uint64_t)(in->offsets64[i + 1] - in->offsets64[i]);
}

/* Raises ValueError for a message that is too long, with the text for a single one. */
static bool too_long(const call *c)
{
    const size_t usual = c->subject->nonce_usual;
    const size_t nonce = c->many.nonce_size ? c->many.nonce_size : usual;
    const size_t front = c->many.nonces || c->many.base ? 0 : usual;
    const size_t more = c->opening ? front + c->many.tag_size : 0; /* added to its text */
    const uint64_t most =
        c->subject->data_max ? c->subject->data_max : (UINT64_C(1) << 8 * (15 - nonce) % 64) - 1;
    size_t i = 0;

    while (i + 1 < c->many.count && row_size(&c->many.in, i) <= most + more)
        i++;
    if (c->subject->data_max)
        PyErr_Format(PyExc_ValueError, "data[%zu] is too long: at most %llu bytes", i,
                     (unsigned long long)most);
    else
        PyErr_Format(PyExc_ValueError,
                     "data[%zu] is too long: at most %llu bytes with a nonce of %zu", i,
                     (unsigned long long)most, nonce);
    return false;
}

static bool many_succeeded(rijn_status status)
{
    if (status == RIJN_ERR_RANDOM) {
        PyErr_SetString(PyExc_OSError, rijn_status_text(status));
        return false;
    }
    return succeeded(status);
}

/* Returns the number of messages for each thread except the last one: a multiple of 8. */
static size_t share_of(const call *c)
{
    return ((c->many.count + c->threads - 1) / c->threads + 7) / 8 * 8;
}

/* Allocates memory for each thread, in which XAES groups messages by the start of their nonces. */
static bool make_order(call *c)
{
    enum { ENOUGH = 2048 }; /* for so many messages, the library has its own memory */
    const size_t share = share_of(c);

    if (c->many.mode != RIJN_MANY_XAES || share <= ENOUGH || (!c->opening && !c->many.nonces))
        return true;
    c->many.room_size = rijn_many_room(share);
    c->many.room = c->order = reserve(c->threads, c->many.room_size);
    return c->order != NULL;
}

static bool make_room(call *c)
{
    rijn_many *const many = &c->many;
    size_t size;
    const size_t offsets = (many->count + 1) * (c->data.given.width == 4 ? 4 : 8);

    const rijn_status status =
        c->opening ? rijn_open_many_size(many, &size) : rijn_seal_many_size(many, &size);
    if (status == RIJN_ERR_SIZE && many->mode != RIJN_MANY_SIV)
        return too_long(c);
    if (!many_succeeded(status))
        return false;
    if (c->data.given.width == 4 && size > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError,
                        "the results exceed 2^31 - 1 bytes: use offsets of 64 bits");
        return false;
    }
    if (c->data.given.width) {
        if (!fresh_output(&c->out, size) || !fresh_output(&c->offsets, offsets))
            return false;
        many->out = c->out.to.bytes;
        if (c->data.given.width == 4)
            many->out_offsets32 = (int32_t *)(void *)c->offsets.to.bytes;
        else
            many->out_offsets64 = (int64_t *)(void *)c->offsets.to.bytes;
    } else {
        if (size > PY_SSIZE_T_MAX - offsets - 64) {
            PyErr_NoMemory();
            return false;
        }
        c->room = PyMem_Malloc(offsets + size);
        if (!c->room) {
            PyErr_NoMemory();
            return false;
        }
        many->out_offsets64 = c->room;
        many->out = (uint8_t *)c->room + offsets;
    }
    many->out_size = size;
    if (c->opening && !(many->failed = c->bits = reserve(many->count / 8, 1)))
        return false;
    return make_order(c);
}

/* ---- Threads ------------------------------------------------------------------------ */

typedef struct {
    rijn_many many;
    bool opening;
    rijn_status status;
    size_t failures;
} part;

static void work_part(void *one)
{
    part *const p = one;
    p->status = p->opening ? rijn_open_many(&p->many, &p->failures) : rijn_seal_many(&p->many);
}

/* Divides the messages evenly among the threads, in multiples of 8. */
static rijn_status work_parts(const call *c, part *parts, size_t *failures)
{
    const size_t count = c->many.count, share = share_of(c);
    rijn_status status = RIJN_OK;
    size_t made = 0, size;
    rijn_many next = c->many;

    for (size_t first = 0; first < count; first += share) {
        next.first = first;
        next.count = count - first < share ? count - first : share;
        if (c->order)
            next.room = (uint8_t *)c->order + made * next.room_size;
        parts[made++] = (part){.many = next, .opening = c->opening};
        if (c->opening ? rijn_open_many_size(&next, &size) : rijn_seal_many_size(&next, &size))
            size = 0; /* the part reports the error itself */
        next.out_start += size;
    }
    at_once(work_part, parts, sizeof *parts, made);
    for (size_t i = 0; i < made; i++) {
        *failures += parts[i].failures;
        if (status == RIJN_OK || status == RIJN_ERR_TAG)
            status = parts[i].status != RIJN_OK ? parts[i].status : status;
    }
    return status;
}

static bool work(call *c)
{
    part *parts = NULL;
    rijn_status status;

    if (c->threads > 1 && c->many.count >= 16 &&
        !(parts = PyMem_Malloc(c->threads * sizeof *parts))) {
        PyErr_NoMemory();
        return false;
    }
    PyThreadState *const thread = unlock(c->data.total + 16 * c->many.count);
    if (parts)
        status = work_parts(c, parts, &c->failures);
    else
        status = c->opening ? rijn_open_many(&c->many, &c->failures) : rijn_seal_many(&c->many);
    lock(thread);
    PyMem_Free(parts);
    return status == RIJN_ERR_TAG || many_succeeded(status);
}

/* ---- Results ------------------------------------------------------------------------ */

/* Adds the numbers of all refused messages to the caller's list, or raises InvalidTag with them. */
static bool report_failures(call *c)
{
    PyObject *const list = c->failed ? c->failed : PyList_New(0);
    bool right = list != NULL;

    for (size_t i = 0; right && i < c->many.count; i++) {
        if (!(c->bits[i / 8] >> i % 8 & 1))
            continue;
        PyObject *const number = PyLong_FromSize_t(i);
        right = number && PyList_Append(list, number) == 0;
        Py_XDECREF(number);
    }
    if (!c->failed) {
        if (right)
            right = raise_invalid_tags(list, c->many.count);
        Py_XDECREF(list);
    }
    return right;
}

static PyObject *make_list(const call *c)
{
    const int64_t *const ends = c->many.out_offsets64;
    PyObject *list = PyList_New((Py_ssize_t)c->many.count);

    for (size_t i = 0; list && i < c->many.count; i++) {
        PyObject *const item = PyBytes_FromStringAndSize((const char *)c->many.out + ends[i],
                                                         (Py_ssize_t)(ends[i + 1] - ends[i]));
        if (item)
            PyList_SetItem(list, (Py_ssize_t)i, item);
        else
            Py_CLEAR(list);
    }
    return list;
}

static const signature encrypt_many_signature = {
    "encrypt_many",
    1,
    1,
    {"data", "nonces", "first_nonce", "associated_data", "prepend_nonce", "threads"}};
static const signature decrypt_many_signature = {
    "decrypt_many",
    1,
    1,
    {"data", "nonces", "first_nonce", "associated_data", "failed", "threads"}};

PyObject *many_messages(const many_subject *subject, bool opening, PyObject *const *args,
                        Py_ssize_t given, PyObject *keywords)
{
    PyObject *argument[MAX_ARGUMENTS], *result = NULL;
    call c = {.subject = subject, .opening = opening, .many = subject->many};

    if (!parse(opening ? &decrypt_many_signature : &encrypt_many_signature, args, given, keywords,
               argument))
        return NULL;
    NO_TABLE(c.data);
    NO_TABLE(c.ads);
    NO_SPAN(c.ad);
    NO_SPAN(c.nonces);
    NO_SPAN(c.base);
    NO_OUTPUT(c.out);
    NO_OUTPUT(c.offsets);
    if (borrow_arguments(&c, argument) && make_room(&c) && work(&c) &&
        (!c.failures || report_failures(&c)))
        result = c.data.given.width ? take_column(&c.out, &c.offsets, c.data.given.width)
                                    : make_list(&c);
    if (opening && c.out.fresh) /* plaintext that is not returned */
        rijn_wipe(c.out.to.bytes, c.out.to.size);
    drop_call(&c);
    return result;
}
