#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rijn_machine.h"

_Static_assert(sizeof(size_t) == 8, "sums of a vector's lengths, below 2^32 each, fit a size_t");

enum { LONGER = 64 }; /* more than a sealed row is longer than its value */

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

    if (!r->column->prefixed || r->in.size[row] < KEY_ID_SIZE || at[0] != 1)
        return false;
    for (size_t k = 0; k < r->column->count; k++)
        if (r->column->keys[k].prefix_size &&
            memcmp(r->column->keys[k].prefix, at, KEY_ID_SIZE) == 0)
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

/* Assigns the results, and NULL to all other rows. */
static void assign_results(const rows *r, size_t count, duckdb_vector output)
{
    duckdb_vector_ensure_validity_writable(output);
    uint64_t *const validity = duckdb_vector_get_validity(output);
    for (size_t row = 0; row < count; row++)
        duckdb_validity_set_row_invalid(validity, row);
    for (size_t i = 0; i < r->count; i++) {
        if (r->out.at[i]) {
            duckdb_validity_set_row_valid(validity, r->place[i]);
            duckdb_vector_assign_string_element_len(output, r->place[i], (const char *)r->out.at[i],
                                                    r->out.size[i]);
        }
    }
}

bool process_rows(job what, const column *keys, duckdb_vector values, duckdb_vector ads,
                  size_t count, duckdb_vector output, char *message)
{
    rows r = {.column = keys, .message = message};
    bool done = take_values(&r, values, count) && take_ads(&r, ads, count);

    if (done && r.count)
        done = what == SEAL ? seal(&r) : open_rows(&r, count, what == TRY_OPEN);
    if (done)
        assign_results(&r, count, output);
    free_blocks(&r, NULL);
    return done;
}
