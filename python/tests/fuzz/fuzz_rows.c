/* Invalid rows: offsets, views, indices, bitmaps and marks of any values, through the binding's code
 * for Arrow's layouts (python/binding/layouts.h). Checks its verdict against a check of each row in
 * wide arithmetic, the rows that it returns, and the size of a frame around them against
 * rows_measure. (Sanitizers check that it reads and writes nothing outside a buffer.)
 *
 * Input: kind and flags, count, first bit, size of the buffer, then the numbers of that kind. */
#include "../../binding/layouts.h"

#include "fuzz.h"

enum { COLUMN, VIEWS, TAKEN, MERGED, KINDS };
enum { WIDE = 4, NULLS = 8, LENGTHS = 16, STEPS = 32, SMALL_STEPS = 64, TIGHT = 128 };
enum { MOST = 40, ROOM = 1024, OUT = 1 << 17 };

static uint8_t data[ROOM], out[OUT], bits[MOST / 8 + 3], views[VIEW_SIZE * MOST];
static int32_t narrow[MOST + 1];
static int64_t wide[MOST + 1], ends[MOST + 1];
static rijn_string rows[MOST], want[MOST];

static uint64_t choose_number(choices *c, size_t width)
{
    uint64_t x = 0;
    for (size_t i = 0; i < width; i++)
        x |= (uint64_t)choose(c) << 8 * i;
    return x;
}

/* Chooses a column of `count` rows over data[0..size). Returns whether its offsets are valid. */
static bool choose_column(choices *c, rijn_column *column, uint8_t flags, size_t count, size_t size)
{
    bool right = true;

    for (size_t i = 0; i <= count; i++) {
        uint64_t x = choose_number(c, flags & WIDE ? 8 : 4);
        if (flags & SMALL_STEPS)
            x = (i ? (uint64_t)wide[i - 1] : 0) + x % 24;
        wide[i] = flags & WIDE ? (int64_t)x : (int32_t)(uint32_t)x;
        narrow[i] = (int32_t)wide[i];
        right &= wide[i] >= (i ? wide[i - 1] : 0) && (uint64_t)(wide[i] < 0 ? 0 : wide[i]) <= size;
    }
    *column = (rijn_column){.data = data,
                            .size = size,
                            .offsets32 = flags & WIDE ? NULL : narrow,
                            .offsets64 = flags & WIDE ? wide : NULL};
    return right && wide[0] >= 0;
}

static bool wanted(const rows_bitmap *validity, size_t i)
{
    const size_t bit = validity->first + i;
    return !validity->bits || (validity->bits[bit / 8] & 1 << bit % 8);
}

static rijn_string row_of(size_t i)
{
    return (rijn_string){data + wide[i], (size_t)(wide[i + 1] - wide[i])};
}

/* Checks that `found` equals `n` and that the rows equal `want`. */
static void check_rows(size_t found, size_t n)
{
    REQUIRE(found == n, "%zu rows, not %zu", found, n);
    for (size_t i = 0; i < n; i++)
        REQUIRE(rows[i].size == want[i].size &&
                    (!rows[i].size || memcmp(rows[i].bytes, want[i].bytes, rows[i].size) == 0),
                "row %zu of %zu bytes", i, want[i].size);
}

static void check_frame(const rows_frame *f, size_t count, size_t most)
{
    size_t total = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t size = rows[i].size;
        total +=
            f->prefix.size + (f->lengths ? 8 : 0) + size + (f->step ? f->step - size % f->step : 0);
    }
    REQUIRE(rows_measure(ends, rows, count, f, most) == (total <= most), "%zu bytes of %zu", total,
            most);
    if (total > most || total > OUT)
        return;
    memset(out, 0xee, sizeof out);
    rows_join(out, ends, rows, count, f);
    const uint8_t *at = out;
    for (size_t i = 0; i < count; i++) {
        REQUIRE(at == out + ends[i], "offset %zu", i);
        REQUIRE(!f->prefix.size || memcmp(at, f->prefix.bytes, f->prefix.size) == 0, "prefix");
        at += f->prefix.size;
        if (f->lengths) {
            uint64_t length = 0;
            for (size_t j = 0; j < 8; j++)
                length = length << 8 | *at++;
            REQUIRE(length == rows[i].size, "length %zu", i);
        }
        REQUIRE(!rows[i].size || memcmp(at, rows[i].bytes, rows[i].size) == 0, "row %zu", i);
        at += rows[i].size;
        for (size_t j = 0; at < out + ends[i + 1]; j++, at++)
            REQUIRE(*at == (j ? 0 : 0x80), "padding of %zu", i);
    }
    REQUIRE(total == (size_t)(at - out), "%zu bytes", total);
    for (; at < out + OUT; at++)
        REQUIRE(*at == 0xee, "byte %zu", (size_t)(at - out));
    if (f->step && !f->prefix.size && !f->lengths) {
        static rijn_string padded[MOST];
        uint8_t bad[MOST / 8 + 1];
        for (size_t i = 0; i < count; i++)
            padded[i] = (rijn_string){out + ends[i], (size_t)(ends[i + 1] - ends[i])};
        REQUIRE(rows_unpad(padded, count, bad) == 0, "padding that was made");
        for (size_t i = 0; i < count; i++)
            REQUIRE(padded[i].size == rows[i].size, "row %zu unpadded", i);
    }
}

/* Checks the rows without their first bytes. A row that is too short refuses them all. */
static void check_behind(size_t count, size_t size)
{
    static rijn_string unprefixed[MOST];
    bool all = true;

    for (size_t i = 0; i < count; i++) {
        unprefixed[i] = rows[i];
        all &= rows[i].size >= size;
    }
    REQUIRE(rows_unprefixed(unprefixed, count, size) == all, "unprefixed %zu", size);
    for (size_t i = 0; all && i < count; i++)
        REQUIRE(unprefixed[i].size == rows[i].size - size &&
                    unprefixed[i].bytes == rows[i].bytes + size,
                "row %zu unprefixed %zu", i, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t input_size)
{
    choices c = {input, input_size};
    const uint8_t flags = choose(&c);
    const size_t count = choose(&c) % (MOST + 1), first = choose(&c) % 16;
    const size_t size = choose_16(&c) % (ROOM + 1), prefix = choose(&c) % 40;
    const size_t step = choose(&c);
    rijn_column column;
    size_t n = 0, found = 0;
    bool right = true, taken = true;

    for (size_t i = 0; i < ROOM; i++)
        data[i] = (uint8_t)(i * 37 + i / 256);
    choose_bytes(&c, bits, sizeof bits);
    const rows_bitmap validity = {flags & NULLS ? bits : NULL, first};

    switch (flags % KINDS) {
    case COLUMN: {
        const rows_bitmap all = {bits, 0};
        size_t set = 0;
        right = choose_column(&c, &column, flags, count, size);
        taken = rows_fit(&column, count + 1);
        for (size_t i = 0; right && i < count; i++)
            if (wanted(&validity, i))
                want[n++] = row_of(i);
        if (taken) {
            for (size_t i = 0; i < MOST; i++)
                set += bits[i / 8] >> i % 8 & 1;
            REQUIRE(rows_spread(ends, &column, count, MOST, &all) == (set == count), "%zu set",
                    set);
            REQUIRE(set != count || (ends[0] == wide[0] && ends[MOST] == wide[count]), "ends");
            found = rows_present(rows, &column, count, &validity);
            check_behind(found, prefix);
        }
        break;
    }
    case VIEWS: {
        const rijn_string buffers[] = {{data, size}, {data + size, ROOM - size}};
        for (size_t i = 0; i < count; i++) {
            const int64_t length =
                flags & SMALL_STEPS ? choose(&c) % 40 : (int32_t)(uint32_t)choose_number(&c, 4);
            const int32_t number = flags & SMALL_STEPS ? choose(&c) % 2 : (int8_t)choose(&c);
            const int64_t from = (int32_t)(uint32_t)choose_number(&c, flags & SMALL_STEPS ? 1 : 4);
            const int32_t cell[] = {(int32_t)length, 0, number, (int32_t)from};
            memcpy(views + VIEW_SIZE * i, cell, VIEW_SIZE);
            if (!wanted(&validity, i))
                continue;
            if (length >= 0 && length <= VIEW_INLINE) {
                want[n++] = (rijn_string){views + VIEW_SIZE * i + 4, (size_t)length};
            } else if (length > 0 && number >= 0 && number < 2 && from >= 0 &&
                       from + length <= (int64_t)buffers[number].size) {
                want[n++] = (rijn_string){buffers[number].bytes + from, (size_t)length};
            } else {
                right = false;
            }
        }
        taken = rows_viewed(rows, &found, views, count, buffers, 2, &validity);
        break;
    }
    case TAKEN: {
        uint8_t numbers[8 * MOST];
        const size_t width = (size_t)1 << first % 4;
        const rows_indices indices = {numbers, MOST, width, flags & LENGTHS};
        if (!choose_column(&c, &column, flags | SMALL_STEPS, count, ROOM))
            return 0;
        for (size_t i = 0; i < MOST; i++) {
            const uint64_t x = choose_number(&c, flags & TIGHT ? 1 : width);
            for (size_t j = 0; j < width; j++)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
                numbers[width * i + width - 1 - j] = (uint8_t)(x >> 8 * j);
#else
                numbers[width * i + j] = (uint8_t)(x >> 8 * j);
#endif
            if (!wanted(&validity, i))
                continue;
            if (x < count && !(flags & LENGTHS && x >> (8 * width - 1)))
                want[n++] = row_of((size_t)x);
            else
                right = false;
        }
        taken = rows_taken(rows, &found, &column, count, &indices, &validity);
        break;
    }
    default: {
        const size_t cut = count ? choose(&c) % (count + 1) : 0;
        size_t next[2] = {0}, at[2] = {0, cut};
        uint8_t which[MOST];
        if (!choose_column(&c, &column, flags | SMALL_STEPS, count, ROOM))
            return 0;
        rijn_column columns[] = {column, column};
        if (flags & WIDE)
            columns[1].offsets64 += cut;
        else
            columns[1].offsets32 += cut;
        for (size_t i = 0; i < count; i++) {
            which[i] = choose(&c) % 3;
            if (which[i] < 2 && at[which[i]] < (which[i] ? count : cut))
                want[n++] = row_of(at[which[i]]++);
            else
                right = false;
        }
        right &= at[0] == cut && at[1] == count;
        taken =
            rows_merged(rows, which, count, columns, (const size_t[]){cut, count - cut}, next, 2);
        found = count;
    }
    }
    REQUIRE(taken == right, "kind %d: %d, not %d", flags % KINDS, taken, right);
    if (!right)
        return 0;
    check_rows(found, n);
    const rows_frame frame = {{data, prefix}, flags & LENGTHS, flags & STEPS ? step : 0};
    const rows_frame padding = {{NULL, 0}, false, flags & STEPS ? step : 0};
    check_frame(&frame, n, flags & TIGHT ? 8 + 3 * size : OUT);
    check_frame(&padding, n, OUT);
    return 0;
}
