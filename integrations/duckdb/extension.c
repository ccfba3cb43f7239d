/* The SQL functions rijn_seal, rijn_open, rijn_try_open and rijn_backend, on DuckDB's C extension API.
 * Rows have the formats of rijn.columns (docs/columns.md). README.md describes the arguments.
 *
 * Each vector is one call of rijn_seal_many or rijn_open_many (rows.h). Binding an expression reads the
 * keys (reference.h) into a column (column.h), which is constant, so threads can share it. The keys are
 * wiped with the column. No state is kept between calls, so no nonce repeats, not even in a forked
 * process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column.h"
#include "duckdb_api.h"
#include "reference.h"
#include "rijn.h"
#include "rows.h"

/* the macro that defines this function does not declare it */
DUCKDB_CAPI_ENTRY_VISIBILITY bool rijn_init_c_api(duckdb_extension_info info,
                                                  struct duckdb_extension_access *access);

enum { VALUE, KEYSET, CONTEXT, AAD, FORMAT }; /* the arguments */
enum { REFERENCE = 200 };                     /* bytes of a reference that messages show */

static const char *const names[] = {"rijn_seal", "rijn_open", "rijn_try_open"};
static job jobs[] = {SEAL, OPEN, TRY_OPEN}; /* the extra info of each function */

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
        found = column_new(keys, format, context, &wrong);
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
        duckdb_scalar_function_set_bind_data(info, found, column_release);
        duckdb_scalar_function_set_bind_data_copy(info, column_share);
    } else {
        snprintf(error, sizeof error, "%s: %s", names[*what], message);
        duckdb_scalar_function_bind_set_error(info, error);
    }
    duckdb_free(reference);
    duckdb_free(context_text);
    duckdb_free(name);
    duckdb_destroy_client_context(&context);
}

/* ---- Running ---------------------------------------------------------------------- */

/* The function of rijn_seal, rijn_open and rijn_try_open. */
static void run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    const job *const what = duckdb_scalar_function_get_extra_info(info);
    const column *const keys = duckdb_scalar_function_get_bind_data(info);
    const size_t count = duckdb_data_chunk_get_size(input);
    const bool has_ads = duckdb_data_chunk_get_column_count(input) > AAD;
    char message[MESSAGE] = "", error[MESSAGE + 32];

    if (count && !process_rows(*what, keys, duckdb_data_chunk_get_vector(input, VALUE),
                               has_ads ? duckdb_data_chunk_get_vector(input, AAD) : NULL, count,
                               output, message)) {
        snprintf(error, sizeof error, "%s: %s", names[*what], message);
        duckdb_scalar_function_set_error(info, error);
    }
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
