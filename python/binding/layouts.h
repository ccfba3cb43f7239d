/* Rows of columns as strings, whatever layout they lie in, and strings one behind the other again.
 * Without Python, so that python/tests/fuzz/fuzz_rows.c has it too.
 *
 * What says where rows lie (offsets, views, indices, bitmaps) is the caller's own copy, which nobody
 * changes between the look at it and its use; only the bytes of rows may change meanwhile. A
 * function that returns false has seen it lie. */
#ifndef RIJN_BINDING_LAYOUTS_H
#define RIJN_BINDING_LAYOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rijn.h"

/* Which rows are there: bit first + i says it of row i, least significant first; all, where `bits`
 * is NULL. */
typedef struct {
    const uint8_t *bits;
    size_t first;
} rows_bitmap;

/* BE64(size), in front of a row. */
static inline void row_put_size(uint8_t to[8], uint64_t size)
{
    for (int i = 8; i--; size >>= 8)
        to[i] = (uint8_t)size;
}

static inline bool row_is_there(const rows_bitmap *b, size_t i)
{
    return !b->bits || b->bits[(b->first + i) / 8] >> (b->first + i) % 8 & 1;
}

static inline int64_t row_offset(const rijn_column *c, size_t i)
{
    return c->offsets32 ? c->offsets32[i] : c->offsets64[i];
}

static inline rijn_string row_at(const rijn_column *c, size_t i)
{
    const int64_t from = row_offset(c, i);
    return (rijn_string){c->data + from, (size_t)(row_offset(c, i + 1) - from)};
}

/* Whether so many offsets, one more than there are rows or none, lie between 0 and c->size and
 * never decrease. */
static inline bool rows_fit(const rijn_column *c, size_t n_offsets)
{
    uint64_t signs = 0; /* of all offsets, and of how much each is more than the one before */

    if (!n_offsets)
        return true;
    if (c->offsets32)
        for (size_t i = 1; i < n_offsets; i++) {
            const uint32_t at = (uint32_t)c->offsets32[i];
            signs |= (uint64_t)(at | (at - (uint32_t)c->offsets32[i - 1])) << 32;
        }
    else
        for (size_t i = 1; i < n_offsets; i++) {
            const uint64_t at = (uint64_t)c->offsets64[i];
            signs |= at | (at - (uint64_t)c->offsets64[i - 1]);
        }
    signs |= (uint64_t)row_offset(c, 0);
    return !(signs >> 63) && (uint64_t)row_offset(c, n_offsets - 1) <= c->size;
}

/* ---- Rows ---- */

/* Those of a column's `count` rows that are there; returns how many. */
static inline size_t rows_present(rijn_string *rows, const rijn_column *c, size_t count,
                                  const rows_bitmap *validity)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (row_is_there(validity, i))
            rows[n++] = row_at(c, i);
    return n;
}

enum { VIEW_SIZE = 16, VIEW_INLINE = 12 };

/* The same of Arrow's views, VIEW_SIZE bytes each in the machine's order: a size of 32 bits, then up to
 * VIEW_INLINE bytes themselves; or the first four of them, the number of their buffer and
 * where they begin in it. */
static inline bool rows_viewed(rijn_string *rows, size_t *found, const uint8_t *views, size_t count,
                               const rijn_string *buffers, size_t n_buffers,
                               const rows_bitmap *validity)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *const view = views + VIEW_SIZE * i;
        int32_t size, number, from;
        if (!row_is_there(validity, i))
            continue;
        memcpy(&size, view, 4);
        memcpy(&number, view + 8, 4);
        memcpy(&from, view + 12, 4);
        if (size < 0)
            return false;
        if (size <= VIEW_INLINE) {
            rows[n++] = (rijn_string){view + 4, (size_t)size};
            continue;
        }
        if (number < 0 || (size_t)number >= n_buffers || from < 0 ||
            (size_t)from > buffers[number].size ||
            (size_t)size > buffers[number].size - (size_t)from)
            return false;
        rows[n++] = (rijn_string){buffers[number].bytes + from, (size_t)size};
    }
    *found = n;
    return true;
}

/* Integers of 1, 2, 4 or 8 bytes, in the machine's order. */
typedef struct {
    const uint8_t *bytes;
    size_t count, width;
    bool negatives; /* they have a sign */
} rows_indices;

/* A negative one is larger than any other. */
static inline uint64_t row_index(const rows_indices *x, size_t i)
{
    const uint8_t *const at = x->bytes + x->width * i;
    uint64_t wide;
    uint32_t half;
    uint16_t quarter;

    switch (x->width) {
    case 1:
        return x->negatives ? (uint64_t)(int64_t)(int8_t)*at : *at;
    case 2:
        memcpy(&quarter, at, sizeof quarter);
        return x->negatives ? (uint64_t)(int64_t)(int16_t)quarter : quarter;
    case 4:
        memcpy(&half, at, sizeof half);
        return x->negatives ? (uint64_t)(int64_t)(int32_t)half : half;
    default:
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
}

/* The rows of these numbers, of a column of `count`; bit i of the bitmap is index i's. */
static inline bool rows_taken(rijn_string *rows, size_t *found, const rijn_column *c, size_t count,
                              const rows_indices *indices, const rows_bitmap *validity)
{
    size_t n = 0;
    for (size_t i = 0; i < indices->count; i++) {
        if (!row_is_there(validity, i))
            continue;
        const uint64_t index = row_index(indices, i);
        if (index >= count)
            return false;
        rows[n++] = row_at(c, (size_t)index);
    }
    *found = n;
    return true;
}

/* Row i is the next of column which[i], of n_columns with counts[] rows; next[] are zeros at first. All
 * are used up. */
static inline bool rows_merged(rijn_string *rows, const uint8_t *which, size_t count,
                               const rijn_column *columns, const size_t *counts, size_t *next,
                               size_t n_columns)
{
    for (size_t i = 0; i < count; i++) {
        const size_t from = which[i];
        if (from >= n_columns || next[from] == counts[from])
            return false;
        rows[i] = row_at(&columns[from], next[from]++);
    }
    for (size_t i = 0; i < n_columns; i++)
        if (next[i] != counts[i])
            return false;
    return true;
}

/* Takes 0x80 and the zeros behind it off the end of each row (ISO/IEC 7816-4). One that has
 * none gets no bytes and its bit in `bad`; returns how many these are. */
static inline size_t rows_unpad(rijn_string *rows, size_t count, uint8_t *bad)
{
    size_t n = 0;
    memset(bad, 0, (count + 7) / 8);
    for (size_t i = 0; i < count; i++) {
        size_t size = rows[i].size;
        while (size && rows[i].bytes[size - 1] == 0)
            size--;
        const bool right = size && rows[i].bytes[size - 1] == 0x80;
        rows[i].size = right ? size - 1 : 0;
        bad[i / 8] |= (uint8_t)(!right << i % 8);
        n += !right;
    }
    return n;
}

/* Takes the first `size` bytes off each row; false where one has fewer. */
static inline bool rows_behind(rijn_string *rows, size_t count, uint64_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].size < size)
            return false;
        rows[i].bytes += size;
        rows[i].size -= (size_t)size;
    }
    return true;
}

/* ---- A column of them ---- */

/* What stands around each row: `prefix`, its length in 8 bytes, big-endian, if `lengths`, the row,
 * and, unless `step` is 0, 0x80 and zeros up to a multiple of `step` for the row and those. */
typedef struct {
    rijn_string prefix;
    bool lengths;
    size_t step;
} rows_frame;

/* Their offsets, count + 1 of them; false where the rows have more than `most` bytes in all,
 * which is PTRDIFF_MAX at the most. */
static inline bool rows_measure(int64_t *offsets, const rijn_string *rows, size_t count,
                                const rows_frame *f, size_t most)
{
    const size_t front = f->lengths ? 8 : 0;
    size_t at = 0;

    offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t size = rows[i].size, padding = f->step ? f->step - size % f->step : 0;
        size_t left = most - at;
        if (f->prefix.size + front > left || size > (left -= f->prefix.size + front) ||
            padding > left - size)
            return false;
        at = most - (left - size - padding);
        offsets[i + 1] = (int64_t)at;
    }
    return true;
}

/* To out[offsets[0]..offsets[count]), as rows_measure has measured. */
static inline void rows_join(uint8_t *out, const int64_t *offsets, const rijn_string *rows,
                             size_t count, const rows_frame *f)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t *to = out + offsets[i], *const end = out + offsets[i + 1];
        const size_t size = rows[i].size;
        if (f->prefix.size) {
            memcpy(to, f->prefix.bytes, f->prefix.size);
            to += f->prefix.size;
        }
        if (f->lengths) {
            row_put_size(to, size);
            to += 8;
        }
        if (size)
            memcpy(to, rows[i].bytes, size);
        to += size;
        if (to != end) {
            *to++ = 0x80;
            memset(to, 0, (size_t)(end - to));
        }
    }
}

/* ---- Offsets and marks ---- */

/* The offsets of a column of `there` rows as those of `count`, of which as many are there; the others
 * have no bytes. */
static inline bool rows_spread(int64_t *offsets, const rijn_column *c, size_t there, size_t count,
                               const rows_bitmap *validity)
{
    size_t n = 0;
    int64_t at = c->offsets32 || c->offsets64 ? row_offset(c, 0) : 0;

    offsets[0] = at;
    for (size_t i = 0; i < count; i++) {
        if (row_is_there(validity, i)) {
            if (n == there)
                return false;
            at = row_offset(c, ++n);
        }
        offsets[i + 1] = at;
    }
    return n == there;
}

/* For each row the number of the first of at most 255 prefixes that it begins with, else 255. */
static inline void rows_mark(uint8_t *marks, const rijn_column *c, size_t count,
                             const rijn_string *prefixes, size_t n_prefixes)
{
    for (size_t i = 0; i < count; i++) {
        const rijn_string row = row_at(c, i);
        size_t n = 0;
        while (n < n_prefixes &&
               (row.size < prefixes[n].size ||
                (prefixes[n].size && memcmp(row.bytes, prefixes[n].bytes, prefixes[n].size))))
            n++;
        marks[i] = n < n_prefixes ? (uint8_t)n : 255;
    }
}

#endif
