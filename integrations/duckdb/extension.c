/* The SQL functions rijn_seal, rijn_open, rijn_try_open and rijn_backend, on DuckDB's C extension API.
 * Rows have the formats of rijn.columns (docs/columns.md). README.md describes the arguments.
 *
 * Each vector is one call of rijn_seal_many or rijn_open_many. Binding an expression reads the keys
 * into a column, which is constant, so threads can share it. The keys are wiped with the column.
 * No state is kept between calls, so no nonce repeats, not even in a forked process. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DUCKDB_EXTENSION_NAME rijn
#include "duckdb_extension.h"

DUCKDB_EXTENSION_EXTERN

/* the macro that defines this function does not declare it */
DUCKDB_CAPI_ENTRY_VISIBILITY bool rijn_init_c_api(duckdb_extension_info info,
                                                  struct duckdb_extension_access *access);

#include "keyset.h"
#include "rijn.h"
#include "rijn_machine.h"

_Static_assert(sizeof(size_t) == 8, "sums of a vector's lengths, below 2^32 each, fit a size_t");

enum { ID_SIZE = 5, MESSAGE = 512, REFERENCE = 200, LONGER = 64 };
enum { VALUE, KEYSET, CONTEXT, AAD, FORMAT };
typedef enum job { SEAL, OPEN, TRY_OPEN } job;

static const char *const names[] = {"rijn_seal", "rijn_open", "rijn_try_open"};
static job jobs[] = {SEAL, OPEN, TRY_OPEN}; /* the extra info of each function */

/* A format of rows. A key from a Rijn key file uses the first algorithm. */
typedef struct row_format {
    const char *name;
    keyset_algorithm algorithms[3];
    bool framed;   /* needs a context */
    bool prefixed; /* rows begin with the id of their key */
} row_format;

static const row_format formats[] = {
#define ALGORITHM(ID) KEYSET_##ID
#define RIJN_COLUMN_FORMAT(name, ID, context, prefix, ...) {name, {__VA_ARGS__}, context, prefix},
#include "../../vectors/columns.def"
};

static const rijn_many_mode modes[KEYSET_ALGORITHMS] = {
#define RIJN_MANY_AEGIS_256 RIJN_MANY_AEGIS
#define RIJN_MANY_AEGIS_128L RIJN_MANY_AEGIS
#define RIJN_COLUMN_ALGORITHM(ID, ...) [KEYSET_##ID] = RIJN_MANY_##ID,
#include "../../vectors/columns.def"
};

/* An expanded key, and the prefix of its rows. */
typedef struct worker {
    rijn_many_mode mode;
    size_t prefix_size;
    uint8_t prefix[ID_SIZE];
    union {
        rijn_key aes;
        rijn_siv_key siv;
        rijn_aegis_key aegis;
    } key;
} worker;

/* The bind data of an expression. */
typedef struct column {
    atomic_size_t owners; /* copies of a plan share the column */
    bool framed, prefixed;
    size_t frame_size;
    uint8_t *frame; /* if framed: BE64(len(context)) || context */
    size_t count;
    worker keys[];
} column;

/* ---- Columns ---------------------------------------------------------------------- */

static void *share(void *data)
{
    atomic_fetch_add(&((column *)data)->owners, 1);
    return data;
}

static void release(void *data)
{
    column *const c = data;
    if (!c || atomic_fetch_sub(&c->owners, 1) != 1)
        return;
    free(c->frame);
    rijn_wipe(c, sizeof *c + c->count * sizeof c->keys[0]);
    free(c);
}

static void put_be64(uint8_t *out, uint64_t x)
{
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(x >> (56 - 8 * i));
}

static rijn_status start(worker *w, const keyset_key *key, keyset_algorithm algorithm,
                         const row_format *format)
{
    w->mode = modes[algorithm];
    if (format->prefixed && !key->raw) {
        w->prefix_size = ID_SIZE;
        w->prefix[0] = 1;
        for (int i = 0; i < 4; i++)
            w->prefix[1 + i] = (uint8_t)(key->id >> (24 - 8 * i));
    }
    if (w->mode == RIJN_MANY_SIV)
        return rijn_siv_key_init(&w->key.siv, key->secret, key->size, NULL);
    if (w->mode == RIJN_MANY_AEGIS)
        return rijn_aegis_key_init(&w->key.aegis,
                                   algorithm == KEYSET_AEGIS_256 ? RIJN_AEGIS_256 : RIJN_AEGIS_128L,
                                   key->secret, key->size, NULL);
    return rijn_key_init(&w->key.aes, key->secret, key->size, NULL);
}

/* Returns the algorithm of a key in a format. On error, returns KEYSET_ANY and sets *wrong. */
static keyset_algorithm algorithm_of(const keyset_key *key, const row_format *format,
                                     const char **wrong)
{
    if (key->algorithm == KEYSET_ANY) {
        if (format->prefixed)
            *wrong = "format tink needs a keyset in Tink's JSON: a Rijn key file has no key id and "
                     "no key type";
        else if (!keyset_size_fits(format->algorithms[0], key->size))
            *wrong = "the format does not take a key of this size from a Rijn key file";
        else
            return format->algorithms[0];
        return KEYSET_ANY;
    }
    for (size_t i = 0; i < 3; i++)
        if (format->algorithms[i] == key->algorithm)
            return key->algorithm;
    *wrong = "a key of the keyset is for another format: give the format as the fifth argument";
    return KEYSET_ANY;
}

/* Makes a column. On error, returns NULL and sets *wrong. `context` may be NULL. */
static column *new_column(const keyset *keys, const row_format *format, const char *context,
                          const char **wrong)
{
    column *const c = calloc(1, sizeof *c + keys->count * sizeof c->keys[0]);
    *wrong = "out of memory";
    if (!c)
        return NULL;
    atomic_init(&c->owners, 1);
    c->count = keys->count;
    c->framed = context != NULL;
    c->prefixed = format->prefixed;
    c->frame_size = c->framed ? 8 + strlen(context) : 0;
    c->frame = malloc(c->frame_size + 1);
    if (!c->frame) {
        release(c);
        return NULL;
    }
    if (context) {
        put_be64(c->frame, strlen(context));
        memcpy(c->frame + 8, context, strlen(context));
    }
    for (size_t i = 0; i < keys->count; i++) {
        const keyset_algorithm algorithm = algorithm_of(&keys->keys[i], format, wrong);
        rijn_status status = RIJN_OK;
        if (algorithm != KEYSET_ANY) {
            status = start(&c->keys[i], &keys->keys[i], algorithm, format);
            *wrong = rijn_status_text(status);
        }
        if (algorithm == KEYSET_ANY || status != RIJN_OK) {
            release(c);
            return NULL;
        }
    }
    return c;
}

/* ---- Keysets by reference --------------------------------------------------------- */

/* Opens a file for reading. Returns NULL, or an error message. *exists: a file with that name was
 * found. *exposed: others than its owner have access. */
static const char *open_file(const char *path, int *file, bool *exposed, bool *exists)
{
    struct stat status;
    const char *wrong = NULL;

    /* O_NONBLOCK: otherwise a FIFO without a writer would block the statement */
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *exists = *file >= 0 || errno == EACCES;
    if (*file < 0)
        return strerror(errno);
    if (fstat(*file, &status) != 0)
        wrong = strerror(errno);
    else if (!S_ISREG(status.st_mode))
        wrong = "it is not a regular file";
    else
        *exposed = status.st_mode & 077;
    if (wrong)
        close(*file);
    return wrong;
}

/* Reads a whole file into `text` of KEYSET_TEXT_MOST + 1 bytes. Returns NULL or an error message. */
static const char *read_whole(int file, uint8_t *text, size_t *size)
{
    while (*size <= KEYSET_TEXT_MOST) {
        const ssize_t got = read(file, text + *size, KEYSET_TEXT_MOST + 1 - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? strerror(errno) : NULL;
        *size += (size_t)got;
    }
    return NULL;
}

/* Returns whether DuckDB opens a file for SQL. If not, *denied says whether its settings forbid it.
 * Without `reading`, DuckDB checks its settings and then fails without touching the file. */
static bool duckdb_opens(duckdb_client_context context, const char *path, bool reading,
                         bool *denied)
{
    duckdb_file_system files = duckdb_client_context_get_file_system(context);
    duckdb_file_open_options options = duckdb_create_file_open_options();
    duckdb_file_handle file = NULL;
    bool opened = false;

    *denied = !files;
    if (files && (!reading || duckdb_file_open_options_set_flag(options, DUCKDB_FILE_FLAG_READ,
                                                                true) == DuckDBSuccess)) {
        opened = duckdb_file_system_open(files, path, options, &file) == DuckDBSuccess;
        if (!opened) {
            duckdb_error_data error = duckdb_file_system_error_data(files);
            *denied = duckdb_error_data_error_type(error) == DUCKDB_ERROR_PERMISSION;
            duckdb_destroy_error_data(&error);
        }
    }
    duckdb_destroy_file_handle(&file);
    duckdb_destroy_file_open_options(&options);
    duckdb_destroy_file_system(&files);
    return opened;
}

static const char forbidden[] =
    "enable_external_access or disabled_filesystems forbids SQL to read the keyset's file";

/* Reads the keyset file at `path`. DuckDB's settings are checked before the file is touched, so a
 * refusal reveals nothing about the file. */
static const char *read_file(duckdb_client_context context, const char *path, uint8_t *text,
                             size_t *size, bool *exposed, bool *exists)
{
    /* DuckDB reads ~ as a home folder and x:// as another file system. After ./ both are names. */
    const bool literal = path[0] != '~' && !strchr(path, ':');
    const size_t name_size = strlen(path) + sizeof "./";
    char *const name = malloc(name_size);
    const char *wrong = "out of memory";
    bool denied;
    int file;

    if (!name)
        return wrong;
    snprintf(name, name_size, "%s%s", literal || path[0] == '/' ? "" : "./", path);
    duckdb_opens(context, name, false, &denied);
    wrong = denied ? forbidden : open_file(path, &file, exposed, exists);
    if (!wrong) {
        wrong =
            duckdb_opens(context, name, true, &denied) ? read_whole(file, text, size) : forbidden;
        close(file);
    }
    free(name);
    return wrong;
}

/* Returns whether SQL may not use the machine's files. */
static bool files_are_locked(duckdb_client_context context)
{
    duckdb_value value =
        duckdb_client_context_get_config_option(context, "enable_external_access", NULL);
    const bool locked = !value || !duckdb_get_bool(value);
    duckdb_destroy_value(&value);
    return locked;
}

/* Reads the keyset that a reference names. Returns NULL, or an error message. *exists: there is a
 * file or variable with this name, so the name is not a key. */
static const char *read_keyset(const char *reference, keyset *found, duckdb_client_context context,
                               bool *exists)
{
    uint8_t *const text = malloc(KEYSET_TEXT_MOST + 1);
    const bool variable = strncmp(reference, "env:", 4) == 0;
    const char *wrong = "out of memory";
    bool exposed = false;
    size_t size = 0;

    *exists = false;
    if (!text)
        return wrong;
    if (!variable) {
        wrong = read_file(context, reference + 5, text, &size, &exposed, exists);
    } else {
        const char *const value = getenv(reference + 4);
        wrong = value ? NULL : "no environment variable has that name";
        *exists = value;
        if (value) {
            size = strlen(value) <= KEYSET_TEXT_MOST ? strlen(value) : KEYSET_TEXT_MOST + 1;
            memcpy(text, value, size);
        }
    }
    if (!wrong)
        wrong = keyset_parse(found, text, size);
    if (!wrong && exposed)
        wrong = "other users have access to it: chmod 600";
    if (wrong && variable && files_are_locked(context)) {
        wrong = "no environment variable with that name contains a keyset";
        *exists = false;
    }
    rijn_wipe(text, size);
    free(text);
    return wrong;
}

/* ---- Binding ---------------------------------------------------------------------- */

static const char not_constant[] =
    "keyset, context and format must be constants, and keyset and format not NULL";

/* Returns whether a VARCHAR contains a NUL, which would end its text in C. */
static bool has_nul(duckdb_value text)
{
    duckdb_logical_type type = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_vector vector = duckdb_create_vector(type, 1);
    duckdb_vector_reference_value(vector, text);
    const duckdb_string_t *const string = duckdb_vector_get_data(vector);
    const uint32_t size = string->value.inlined.length;
    const char *const at = size <= sizeof string->value.inlined.inlined
                               ? string->value.inlined.inlined
                               : string->value.pointer.ptr;
    const bool found = memchr(at, 0, size) != NULL;
    duckdb_destroy_vector(&vector);
    duckdb_destroy_logical_type(&type);
    return found;
}

/* Returns an argument that is the same for all rows; free it with duckdb_free. Returns NULL if it is
 * null. On error, returns NULL and sets *wrong. */
static char *constant(duckdb_bind_info info, duckdb_client_context context, idx_t number,
                      const char **wrong)
{
    duckdb_expression argument = duckdb_scalar_function_bind_get_argument(info, number);
    duckdb_error_data error = NULL;
    duckdb_value value = NULL;
    char *text = NULL;

    if (argument && duckdb_expression_is_foldable(argument))
        error = duckdb_expression_fold(context, argument, &value);
    if (error || !value) {
        *wrong = not_constant;
    } else if (!duckdb_is_null_value(value)) {
        if (duckdb_get_type_id(duckdb_get_value_type(value)) == DUCKDB_TYPE_VARCHAR &&
            has_nul(value))
            *wrong = "keyset, context and format must not contain a NUL character";
        else
            text = duckdb_get_varchar(value);
    }
    duckdb_destroy_error_data(&error);
    duckdb_destroy_value(&value);
    duckdb_destroy_expression(&argument);
    return text;
}

static const row_format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

/* Writes the names of all formats into the message. */
static void name_formats(char *message)
{
    enum { FORMATS = sizeof formats / sizeof formats[0] };
    int end = snprintf(message, MESSAGE, "the format must be one of ");
    for (size_t i = 0; i < FORMATS; i++) {
        const char *const between = i == 0 ? "" : i < FORMATS - 1 ? ", " : " and ";
        end += snprintf(message + end, (size_t)(MESSAGE - end), "%s%s", between, formats[i].name);
    }
}

/* Returns how many bytes of a text to show: whole characters of UTF-8. */
static int shown_size(const char *text)
{
    size_t size = strlen(text);
    if (size > REFERENCE)
        for (size = REFERENCE; size && ((uint8_t)text[size] & 0xc0) == 0x80;)
            size--;
    return (int)size;
}

/* Makes the column of an expression. On error, returns NULL and writes `message`. */
static column *bind_column(const char *reference, const char *context, const char *name,
                           duckdb_client_context client, char *message)
{
    const row_format *const format = find_format(name);
    const char *wrong = NULL;
    column *found = NULL;
    bool exists = false;

    if (strncmp(reference, "file:", 5) != 0 && strncmp(reference, "env:", 4) != 0) {
        snprintf(message, MESSAGE,
                 "name the keyset as 'file:PATH' or 'env:NAME', and never write a key "
                 "into SQL");
        return NULL;
    }
    if (!format) {
        name_formats(message);
        return NULL;
    }
    if (!context && format->framed) {
        snprintf(message, MESSAGE, "format %s needs a context: the column's name", name);
        return NULL;
    }
    keyset *const keys = malloc(sizeof *keys);
    wrong = keys ? read_keyset(reference, keys, client, &exists) : "out of memory";
    if (!wrong)
        found = new_column(keys, format, context, &wrong);
    if (keys)
        rijn_wipe(keys, sizeof *keys);
    free(keys);
    if (!found && exists)
        snprintf(message, MESSAGE, "%s (keyset %.*s)", wrong, shown_size(reference), reference);
    else if (!found)
        snprintf(message, MESSAGE, "%s. The keyset's name is not shown: it may be a key", wrong);
    return found;
}

static void bind(duckdb_bind_info info)
{
    const job *const what = duckdb_scalar_function_bind_get_extra_info(info);
    const idx_t count = duckdb_scalar_function_bind_get_argument_count(info);
    char message[MESSAGE], error[MESSAGE + 32];
    const char *wrong = NULL;
    char *reference, *context_text, *name = NULL;
    duckdb_client_context context;
    column *found = NULL;

    duckdb_scalar_function_get_client_context(info, &context);
    reference = constant(info, context, KEYSET, &wrong);
    context_text = constant(info, context, CONTEXT, &wrong);
    if (count > FORMAT)
        name = constant(info, context, FORMAT, &wrong);
    if (!wrong && (!reference || (!name && count > FORMAT)))
        wrong = not_constant;
    if (wrong)
        snprintf(message, MESSAGE, "%s", wrong);
    else
        found = bind_column(reference, context_text, name ? name : "xaes", context, message);
    if (found) {
        duckdb_scalar_function_set_bind_data(info, found, release);
        duckdb_scalar_function_set_bind_data_copy(info, share);
    } else {
        snprintf(error, sizeof error, "%s: %s", names[*what], message);
        duckdb_scalar_function_bind_set_error(info, error);
    }
    duckdb_free(reference);
    duckdb_free(context_text);
    duckdb_free(name);
    duckdb_destroy_client_context(&context);
}

/* ---- Rows ------------------------------------------------------------------------- */

/* Strings, one for each row that is not null. */
typedef struct strings {
    const uint8_t **at;
    size_t *size;
} strings;

/* Memory for the time of one vector. It may hold plaintext, so it is wiped. */
typedef struct block {
    struct block *next;
    size_t size;
} block;

typedef struct rows {
    const column *column;
    size_t count;    /* rows that are not null */
    uint32_t *place; /* the position of each in its vector */
    strings in, ad, out;
    bool one_ad; /* all rows have the associated data of the first */
    block *blocks;
    char *message; /* the error, MESSAGE bytes */
} rows;

/* Allocates memory until the end of the vector. On error, returns NULL and writes the message. */
static void *allocate(rows *r, size_t size)
{
    block *const b = malloc(sizeof *b + size);
    if (!b) {
        snprintf(r->message, MESSAGE, "out of memory");
        return NULL;
    }
    *b = (block){.next = r->blocks, .size = size};
    r->blocks = b;
    return b + 1;
}

static bool make_strings(rows *r, strings *s, size_t count)
{
    s->at = allocate(r, count * sizeof *s->at);
    s->size = allocate(r, count * sizeof *s->size);
    return s->at && s->size;
}

/* Wipes and frees the blocks that were allocated after `last`, or all if it is NULL. */
static void free_blocks(rows *r, const block *last)
{
    while (r->blocks != last) {
        block *const b = r->blocks;
        r->blocks = b->next;
        rijn_wipe(b + 1, b->size);
        free(b);
    }
}

static bool is_valid(const uint64_t *validity, size_t row)
{
    return !validity || (validity[row / 64] >> row % 64 & 1);
}

/* Returns the size of a string of a vector, and its address in *at. Short strings are stored in the
 * vector itself. */
static size_t string_at(const duckdb_string_t *s, const uint8_t **at)
{
    const uint32_t size = s->value.inlined.length;
    *at = (const uint8_t *)(size <= sizeof s->value.inlined.inlined ? s->value.inlined.inlined
                                                                    : s->value.pointer.ptr);
    return size;
}

static bool take_values(rows *r, duckdb_vector vector, size_t count)
{
    const duckdb_string_t *const values = duckdb_vector_get_data(vector);
    const uint64_t *const validity = duckdb_vector_get_validity(vector);

    r->place = allocate(r, count * sizeof *r->place);
    if (!r->place || !make_strings(r, &r->in, count) || !make_strings(r, &r->out, count) ||
        !make_strings(r, &r->ad, count))
        return false;
    for (size_t row = 0; row < count; row++) {
        if (is_valid(validity, row)) {
            r->in.size[r->count] = string_at(&values[row], &r->in.at[r->count]);
            r->place[r->count++] = (uint32_t)row;
        }
    }
    return true;
}

/* Sets the associated data of each row. `vector` is NULL if there is no argument aad. */
static bool take_ads(rows *r, duckdb_vector vector, size_t count)
{
    const duckdb_string_t *const values = vector ? duckdb_vector_get_data(vector) : NULL;
    const uint64_t *const validity = vector ? duckdb_vector_get_validity(vector) : NULL;
    size_t missing = 0, total = 0, first = 0;

    r->one_ad = true;
    for (size_t i = 0; i < r->count; i++) {
        r->ad.at[i] = (const uint8_t *)"";
        r->ad.size[i] = 0;
        if (values && !is_valid(validity, r->place[i])) {
            first = missing++ ? first : r->place[i];
        } else if (values) {
            r->ad.size[i] = string_at(&values[r->place[i]], &r->ad.at[i]);
            r->one_ad = r->one_ad && r->ad.size[i] == r->ad.size[0] &&
                        memcmp(r->ad.at[i], r->ad.at[0], r->ad.size[0]) == 0;
        }
        total += r->ad.size[i];
    }
    if (missing) {
        snprintf(r->message, MESSAGE,
                 "aad is NULL beside a value in %zu of %zu rows of a vector. The first is row %zu, "
                 "from 0. Use '' for no associated data",
                 missing, count, first);
        return false;
    }
    if (!r->column->framed || !r->count)
        return true;
    const size_t head = r->column->frame_size + 8, framed = r->one_ad ? 1 : r->count;
    uint8_t *out = allocate(r, framed * head + (r->one_ad ? r->ad.size[0] : total));
    if (!out)
        return false;
    for (size_t i = 0; i < framed; i++) {
        uint8_t *const begin = out;
        memcpy(out, r->column->frame, r->column->frame_size);
        put_be64(out + r->column->frame_size, r->ad.size[i]);
        memcpy(out + head, r->ad.at[i], r->ad.size[i]);
        out += head + r->ad.size[i];
        r->ad.at[i] = begin;
        r->ad.size[i] += head;
    }
    return true;
}

/* Returns the arguments of a call for these rows under a key. Memory for the results is not set. */
static rijn_many call_for(const rows *r, const worker *w, const strings *in, const strings *ad,
                          size_t count)
{
    rijn_many many = {
        .mode = w->mode, .count = count, .in = {.buffers = in->at, .sizes = in->size}};

    if (w->mode == RIJN_MANY_SIV)
        many.siv_key = &w->key.siv;
    else if (w->mode == RIJN_MANY_AEGIS)
        many.aegis_key = &w->key.aegis;
    else
        many.key = &w->key.aes;
    if (r->one_ad)
        many.ad = (rijn_column){.data = r->ad.at[0], .size = r->ad.size[0]};
    else
        many.ad = (rijn_column){.buffers = ad->at, .sizes = ad->size};
    return many;
}

/* Returns whether the status is OK. If not, writes the message. */
static bool succeeded(rows *r, rijn_status status)
{
    if (status != RIJN_OK)
        snprintf(r->message, MESSAGE, "%s", rijn_status_text(status));
    return status == RIJN_OK;
}

static bool make_results(rows *r, rijn_many *many, size_t size)
{
    many->out_size = size;
    many->out = allocate(r, size);
    many->out_offsets64 = allocate(r, (many->count + 1) * sizeof *many->out_offsets64);
    return many->out && many->out_offsets64;
}

static bool seal(rows *r)
{
    const worker *const w = &r->column->keys[0];
    uint8_t base[24] = {0};
    size_t size;

    for (size_t i = 0; i < r->count; i++) {
        if (r->in.size[i] > UINT32_MAX - LONGER) {
            snprintf(r->message, MESSAGE,
                     "a value is too long: sealed, it would not fit into a DuckDB string");
            return false;
        }
    }
    rijn_many many = call_for(r, w, &r->in, &r->ad, r->count);
    if (w->mode == RIJN_MANY_XAES) {
        /* Nonce: 12 random bytes, which select the derived key of all rows, 4 random bytes, and
         * a count of 8 bytes. With the 4 bytes, calls that draw the same 12 still differ. */
        if (!succeeded(r, rijn_random(base, 16)))
            return false;
        many.base = base;
        many.prepend_nonce = 1;
    }
    if (!succeeded(r, rijn_seal_many_size(&many, &size)) || !make_results(r, &many, size) ||
        !succeeded(r, rijn_seal_many(&many)))
        return false;
    uint8_t *prefixed = w->prefix_size ? allocate(r, size + r->count * w->prefix_size) : NULL;
    if (w->prefix_size && !prefixed)
        return false;
    for (size_t i = 0; i < r->count; i++) {
        r->out.at[i] = many.out + many.out_offsets64[i];
        r->out.size[i] = (size_t)(many.out_offsets64[i + 1] - many.out_offsets64[i]);
        if (prefixed) {
            memcpy(prefixed, w->prefix, w->prefix_size);
            memcpy(prefixed + w->prefix_size, r->out.at[i], r->out.size[i]);
            r->out.at[i] = prefixed;
            r->out.size[i] += w->prefix_size;
            prefixed += r->out.size[i];
        }
    }
    return true;
}

/* Tries to open the *left rows in `pending` under one key. Rows that do not open stay in `pending`. */
static bool open_under(rows *r, const worker *w, uint32_t *pending, size_t *left)
{
    const block *const before = r->blocks;
    strings in, ad;
    size_t tried = 0, kept = 0, size;
    uint32_t *const numbers = allocate(r, *left * sizeof *numbers);
    uint8_t *const failed = allocate(r, *left / 8 + 1);

    if (!numbers || !failed || !make_strings(r, &in, *left) || !make_strings(r, &ad, *left))
        return false;
    for (size_t i = 0; i < *left; i++) {
        const uint32_t row = pending[i];
        if (r->in.size[row] < w->prefix_size ||
            memcmp(r->in.at[row], w->prefix, w->prefix_size) != 0) {
            pending[kept++] = row;
            continue;
        }
        in.at[tried] = r->in.at[row] + w->prefix_size;
        in.size[tried] = r->in.size[row] - w->prefix_size;
        ad.at[tried] = r->ad.at[row];
        ad.size[tried] = r->ad.size[row];
        numbers[tried++] = row;
    }
    if (tried) {
        rijn_many many = call_for(r, w, &in, &ad, tried);
        many.failed = failed;
        if (!succeeded(r, rijn_open_many_size(&many, &size)) || !make_results(r, &many, size))
            return false;
        const rijn_status status = rijn_open_many(&many, NULL);
        if (status != RIJN_ERR_TAG && !succeeded(r, status))
            return false;
        for (size_t i = 0; i < tried; i++) {
            if (failed[i / 8] >> i % 8 & 1) {
                pending[kept++] = numbers[i];
            } else {
                r->out.at[numbers[i]] = many.out + many.out_offsets64[i];
                r->out.size[numbers[i]] =
                    (size_t)(many.out_offsets64[i + 1] - many.out_offsets64[i]);
            }
        }
    }
    if (kept == *left) /* nothing opened: otherwise the memory would grow with each key */
        free_blocks(r, before);
    *left = kept;
    return true;
}

/* Returns whether a row begins with the id of a key that is not in the keyset. */
static bool has_unknown_key(const rows *r, size_t row, uint32_t *id)
{
    const uint8_t *const at = r->in.at[row];

    if (!r->column->prefixed || r->in.size[row] < ID_SIZE || at[0] != 1)
        return false;
    for (size_t k = 0; k < r->column->count; k++)
        if (r->column->keys[k].prefix_size && memcmp(r->column->keys[k].prefix, at, ID_SIZE) == 0)
            return false;
    *id = (uint32_t)at[1] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 8 | at[4];
    return true;
}

/* Opens all rows. With `nulls`, rows that do not open get no string; otherwise that is an error. */
static bool open_rows(rows *r, size_t count, bool nulls)
{
    uint32_t *const pending = allocate(r, r->count * sizeof *pending);
    size_t left = r->count, first = 0;
    char unknown[LONGER] = "";
    uint32_t id;

    if (!pending)
        return false;
    for (size_t i = 0; i < r->count; i++) {
        pending[i] = (uint32_t)i;
        r->out.at[i] = NULL;
    }
    for (size_t k = 0; k < r->column->count && left; k++)
        if (!open_under(r, &r->column->keys[k], pending, &left))
            return false;
    if (!left || nulls)
        return true;
    for (size_t i = 0; i < left; i++)
        first = pending[i] < pending[first] ? i : first;
    if (has_unknown_key(r, pending[first], &id))
        snprintf(unknown, sizeof unknown, ", of key %u, which is not in the keyset", (unsigned)id);
    snprintf(r->message, MESSAGE,
             "%zu of %zu rows of a vector are not genuine. The first is row %zu, from 0%s. Check "
             "keyset, context and aad, or use rijn_try_open, which returns NULL for such rows",
             left, count, (size_t)r->place[pending[first]], unknown);
    return false;
}

/* The function of rijn_seal, rijn_open and rijn_try_open. */
static void run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    const job *const what = duckdb_scalar_function_get_extra_info(info);
    const column *const c = duckdb_scalar_function_get_bind_data(info);
    const size_t count = duckdb_data_chunk_get_size(input);
    char message[MESSAGE] = "", error[MESSAGE + 32];
    rows r = {.column = c, .message = message};
    bool done = false;

    if (!count)
        return;
    if (take_values(&r, duckdb_data_chunk_get_vector(input, VALUE), count) &&
        take_ads(&r,
                 duckdb_data_chunk_get_column_count(input) > AAD
                     ? duckdb_data_chunk_get_vector(input, AAD)
                     : NULL,
                 count))
        done = !r.count || (*what == SEAL ? seal(&r) : open_rows(&r, count, *what == TRY_OPEN));
    if (done) {
        duckdb_vector_ensure_validity_writable(output);
        uint64_t *const validity = duckdb_vector_get_validity(output);
        for (size_t row = 0; row < count; row++)
            duckdb_validity_set_row_invalid(validity, row);
        for (size_t i = 0; i < r.count; i++) {
            if (r.out.at[i]) {
                duckdb_validity_set_row_valid(validity, r.place[i]);
                duckdb_vector_assign_string_element_len(output, r.place[i],
                                                        (const char *)r.out.at[i], r.out.size[i]);
            }
        }
    } else {
        snprintf(error, sizeof error, "%s: %s", names[*what], message);
        duckdb_scalar_function_set_error(info, error);
    }
    free_blocks(&r, NULL);
}

/* The function of rijn_backend: in each row, the backend of keys that name none. */
static void run_backend(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    static const uint8_t zeros[16];
    const size_t count = duckdb_data_chunk_get_size(input);
    rijn_key key;
    const rijn_status status = rijn_key_init(&key, zeros, sizeof zeros, NULL);

    if (status != RIJN_OK)
        duckdb_scalar_function_set_error(info, rijn_status_text(status));
    for (size_t row = 0; status == RIJN_OK && row < count; row++)
        duckdb_vector_assign_string_element(output, row, rijn_key_backend(&key));
    rijn_key_wipe(&key);
}

/* ---- Registration ----------------------------------------------------------------- */

/* Adds the overload with the first `count` parameters. */
static bool add_overload(duckdb_scalar_function_set set, job what, duckdb_type value,
                         duckdb_type aad, size_t count)
{
    const duckdb_type types[] = {value, DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR, aad,
                                 DUCKDB_TYPE_VARCHAR};
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_logical_type type = duckdb_create_logical_type(DUCKDB_TYPE_BLOB);

    duckdb_scalar_function_set_name(function, names[what]);
    duckdb_scalar_function_set_return_type(function, type);
    duckdb_destroy_logical_type(&type);
    for (size_t i = 0; i < count; i++) {
        type = duckdb_create_logical_type(types[i]);
        duckdb_scalar_function_add_parameter(function, type);
        duckdb_destroy_logical_type(&type);
    }
    duckdb_scalar_function_set_special_handling(function); /* run() handles nulls */
    /* Without this, DuckDB would open literals for the plan, which shows the result, and could
     * build an index of opened values. */
    duckdb_scalar_function_set_volatile(function);
    duckdb_scalar_function_set_extra_info(function, &jobs[what], NULL);
    duckdb_scalar_function_set_bind(function, bind);
    duckdb_scalar_function_set_function(function, run);
    const bool added = duckdb_add_scalar_function_to_set(set, function) == DuckDBSuccess;
    duckdb_destroy_scalar_function(&function);
    return added;
}

static bool add_all(duckdb_scalar_function_set set, job what)
{
    static const duckdb_type types[] = {DUCKDB_TYPE_BLOB, DUCKDB_TYPE_VARCHAR};
    const size_t values = what == SEAL ? 2 : 1;

    for (size_t v = 0; v < values; v++) {
        if (!add_overload(set, what, types[v], DUCKDB_TYPE_BLOB, CONTEXT + 1))
            return false;
        for (size_t a = 0; a < 2; a++)
            for (size_t count = AAD + 1; count <= FORMAT + 1; count++)
                if (!add_overload(set, what, types[v], types[a], count))
                    return false;
    }
    return true;
}

static bool register_rows(duckdb_connection connection, job what)
{
    duckdb_scalar_function_set set = duckdb_create_scalar_function_set(names[what]);
    const bool done =
        add_all(set, what) && duckdb_register_scalar_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_scalar_function_set(&set);
    return done;
}

static bool register_backend(duckdb_connection connection)
{
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_logical_type type = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);

    duckdb_scalar_function_set_name(function, "rijn_backend");
    duckdb_scalar_function_set_return_type(function, type);
    duckdb_scalar_function_set_function(function, run_backend);
    const bool done = duckdb_register_scalar_function(connection, function) == DuckDBSuccess;
    duckdb_destroy_logical_type(&type);
    duckdb_destroy_scalar_function(&function);
    return done;
}

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            struct duckdb_extension_access *access)
{
    bool done = register_backend(connection);

    for (job what = SEAL; done && what <= TRY_OPEN; what++)
        done = register_rows(connection, what);
    if (!done)
        access->set_error(info, "Rijn's functions cannot be registered");
    return done;
}
