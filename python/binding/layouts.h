/* Reads the rows of columns in each layout as strings, and joins strings to columns. It does not
 * use Python, so that python/tests/fuzz/fuzz_rows.c can include it.
 *
 * Offsets, views, indices and bitmaps are the caller's own copies, so nobody changes them between
 * a check and their use. Only the bytes of rows may change during a call. Functions return false
 * if an offset, view or index is not valid. */
#ifndef RIJN_BINDING_LAYOUTS_H
#define RIJN_BINDING_LAYOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rijn.h"

/* Marks the rows that are present: row i is present if bit first + i is set, least significant bit
 * first. If `bits` is NULL, all rows are present. */
typedef struct {
    const uint8_t *bits;
    size_t first;
} rows_bitmap;

/* Writes BE64(size), which comes before a row. */
static inline void row_put_size(uint8_t to[8], uint64_t size)
{
    for (int i = 8; i--; size >>= 8)
        to[i] = (uint8_t)size;
}

static inline bool row_is_present(const rows_bitmap *b, size_t i)
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

/* Returns true if the offsets lie between 0 and c->size and never decrease. There is one more of
 * them than rows, or none. */
static inline bool rows_fit(const rijn_column *c, size_t n_offsets)
{
    uint64_t signs = 0; /* the sign bits of all offsets and of their differences */

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

/* Takes the present ones of a column's `count` rows. Returns their number. */
static inline size_t rows_present(rijn_string *rows, const rijn_column *c, size_t count,
                                  const rows_bitmap *validity)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (row_is_present(validity, i))
            rows[n++] = row_at(c, i);
    return n;
}

enum { VIEW_SIZE = 16, VIEW_INLINE = 12 };

/* Takes the present rows of Arrow's views. A view has VIEW_SIZE bytes, in the machine's byte order:
 * a size of 32 bits, and then the row, if it has at most VIEW_INLINE bytes; or else its first four
 * bytes, the number of its buffer and its position there. */
static inline bool rows_viewed(rijn_string *rows, size_t *found, const uint8_t *views, size_t count,
                               const rijn_string *buffers, size_t n_buffers,
                               const rows_bitmap *validity)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *const view = views + VIEW_SIZE * i;
        int32_t size, number, from;
        if (!row_is_present(validity, i))
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
    bool negatives; /* true for signed integers */
} rows_indices;

/* Returns index i. A negative one becomes larger than all others. */
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

/* Takes rows of a column of `count` by their indices. Bit i of the bitmap belongs to index i. */
static inline bool rows_taken(rijn_string *rows, size_t *found, const rijn_column *c, size_t count,
                              const rows_indices *indices, const rows_bitmap *validity)
{
    size_t n = 0;
    for (size_t i = 0; i < indices->count; i++) {
        if (!row_is_present(validity, i))
            continue;
        const uint64_t index = row_index(indices, i);
        if (index >= count)
            return false;
        rows[n++] = row_at(c, (size_t)index);
    }
    *found = n;
    return true;
}

/* Merges n_columns columns of counts[] rows: row i is the next unused one of column which[i]. All
 * rows must be used. The caller sets next[] to zeros. */
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

/* Removes 0x80 and the zeros after it from the end of each row (ISO/IEC 7816-4). A row without
 * this padding becomes empty, and its bit in `bad` is set. Returns the number of such rows. */
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

/* Removes the first `size` bytes of each row. Returns false if a row is shorter. */
static inline bool rows_unprefixed(rijn_string *rows, size_t count, uint64_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].size < size)
            return false;
        rows[i].bytes += size;
        rows[i].size -= (size_t)size;
    }
    return true;
}

/* ---- Columns ---- */

/* The frame of each row: `prefix`; with `lengths`, the row's size in 8 bytes, big-endian; the row;
 * and unless `step` is 0, the padding 0x80 and zeros, so that row and padding together are a
 * multiple of `step` bytes. */
typedef struct {
    rijn_string prefix;
    bool lengths;
    size_t step;
} rows_frame;

/* Computes the count + 1 offsets of the framed rows. Returns false if the rows have more than
 * `most` bytes in total. `most` is at most PTRDIFF_MAX. */
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

/* Writes the framed rows to out[offsets[0]..offsets[count]), with the offsets of rows_measure. */
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

/* Converts the offsets of `n_present` rows to the offsets of `count` rows, where as many are present.
 * The other rows are empty. */
static inline bool rows_spread(int64_t *offsets, const rijn_column *c, size_t n_present,
                               size_t count, const rows_bitmap *validity)
{
    size_t n = 0;
    int64_t at = c->offsets32 || c->offsets64 ? row_offset(c, 0) : 0;

    offsets[0] = at;
    for (size_t i = 0; i < count; i++) {
        if (row_is_present(validity, i)) {
            if (n == n_present)
                return false;
            at = row_offset(c, ++n);
        }
        offsets[i + 1] = at;
    }
    return n == n_present;
}

/* Writes for each row the number of the first prefix that it begins with, of at most 255, or 255. */
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
