#include "reference.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rijn.h"

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

const char *read_keyset(const char *reference, keyset *found, duckdb_client_context context,
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
