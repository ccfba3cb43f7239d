#include "plan.h"

#if RIJN_WITH_MANY

/* ---- Columns ---- */

/* Checks that offsets[0..count] lie between 0 and `size` and never decrease: no offset and no
 * difference is negative. Compilers turn the loop into vectors. `sign` is the type without one. */
#define MEASURE_OFFSETS(type, sign, offsets, count, least, size, extent) \
    do { \
        sign sizes = 0, ends = (sign)(offsets)[0], short_sizes = 0; \
        for (size_t i = 0; i < (count); i++) { \
            const sign n = (sign)(offsets)[i + 1] - (sign)(offsets)[i]; \
            sizes |= n; \
            ends |= (sign)(offsets)[i + 1]; \
            short_sizes |= n - (sign)(least); \
        } \
        REQUIRE((type)(sizes | ends) >= 0 && (uint64_t)(offsets)[count] <= (size), \
                RIJN_ERR_ARGUMENT); \
        (extent)->size_bound = sizes; \
        (extent)->any_short = (type)short_sizes < 0; \
    } while (0)

/* Checks that the column holds strings first..first + count. `least` is the smallest size that is
 * not short. */
static rijn_status measure_column(const rijn_column *column, rijn_layout layout, size_t first,
                                  size_t count, size_t least, rijn_extent *extent)
{
    *extent = (rijn_extent){.bytes = {NULL, 0}};
    if (layout == ONE_STRING) {
        extent->bytes = (rijn_string){column->data, column->size};
        extent->size_bound = column->size;
    } else if (count && layout == OFFSETS_32) {
        const int32_t *const offsets = column->offsets32 + first;
        MEASURE_OFFSETS(int32_t, uint32_t, offsets, count, least, column->size, extent);
        extent->bytes =
            (rijn_string){column->data + offsets[0], (size_t)(offsets[count] - offsets[0])};
    } else if (count && layout == OFFSETS_64) {
        const int64_t *const offsets = column->offsets64 + first;
        MEASURE_OFFSETS(int64_t, uint64_t, offsets, count, least, column->size, extent);
        extent->bytes =
            (rijn_string){column->data + offsets[0], (size_t)(offsets[count] - offsets[0])};
    } else if (layout == BUFFERS) {
        for (size_t i = first; i < first + count; i++) {
            const size_t size = column->sizes[i];
            REQUIRE(column->buffers[i] || !size, RIJN_ERR_ARGUMENT);
            extent->size_bound |= size;
            extent->any_short |= size < least;
        }
    }
    return RIJN_OK;
}

/* ---- Sizes ---- */

/* Adds up the results one by one, and refuses sizes beyond the limits of the mode. */
RIJN_INLINE rijn_status measure_messages(rijn_plan *plan, rijn_layout layout)
{
    const rijn_many *const many = plan->many;
    const uint64_t limit = plan->limits.data, addressable = SIZE_MAX - 64;
    const size_t overhead = plan->overhead;
    uint64_t total = 0;

    for (size_t i = many->first; i < many->first + many->count; i++) {
        const size_t size = rijn_string_at(&plan->in_column, layout, i).size;
        size_t result;
        if (rijn_result_size(plan, size, &result))
            REQUIRE(within(plan->opening ? size - overhead : size, limit), RIJN_ERR_SIZE);
        if (!plan->opening)
            REQUIRE(within(size, addressable) && !(plan->whole_blocks && size % 16), RIJN_ERR_SIZE);
        REQUIRE(result <= SIZE_MAX - total, RIJN_ERR_SIZE);
        total += result;
    }
    plan->results_size = (size_t)total;
    return RIJN_OK;
}

static rijn_status measure_ad(const rijn_plan *plan)
{
    const rijn_many *const many = plan->many;

    for (size_t i = many->first; i < many->first + many->count; i++)
        REQUIRE(within(rijn_string_at(&plan->ad_column, plan->ad_layout, i).size, plan->limits.ad),
                RIJN_ERR_SIZE);
    return RIJN_OK;
}

/* Measures a column with offsets by its ends: every result has the same overhead. */
static rijn_status measure_ends(rijn_plan *plan)
{
    const size_t size = plan->in_extent.bytes.size, count = plan->many->count;

    REQUIRE(count <= (SIZE_MAX - size) / (plan->overhead + 1), RIJN_ERR_SIZE);
    plan->results_size =
        plan->opening ? size - plan->overhead * count : size + plan->overhead * count;
    plan->regular = plan->results_size;
    return RIJN_OK;
}

rijn_status rijn_measure_call(rijn_plan *plan)
{
    const rijn_many *const many = plan->many;
    const rijn_extent *const in = &plan->in_extent, *const ad = &plan->ad_extent;
    const uint64_t largest_end = many->out_offsets32   ? INT32_MAX
                                 : many->out_offsets64 ? (uint64_t)INT64_MAX
                                                       : SIZE_MAX;

    TRY(measure_column(&plan->in_column, plan->in_layout, many->first, many->count,
                       plan->opening ? plan->overhead : 0, &plan->in_extent));
    TRY(measure_column(&plan->ad_column, plan->ad_layout, many->first, many->count, 0,
                       &plan->ad_extent));
    if (!within(ad->size_bound, plan->limits.ad))
        TRY(measure_ad(plan));
    plan->hashed_blocks = rijn_hashed_blocks((size_t)ad->size_bound, (size_t)in->size_bound);
    if (plan->fixed_overhead && (plan->in_layout == OFFSETS_32 || plan->in_layout == OFFSETS_64) &&
        !in->any_short && within(in->size_bound, plan->limits.data))
        TRY(measure_ends(plan));
    else if (plan->in_layout == OFFSETS_32)
        TRY(measure_messages(plan, OFFSETS_32));
    else if (plan->in_layout == OFFSETS_64)
        TRY(measure_messages(plan, OFFSETS_64));
    else
        TRY(measure_messages(plan, plan->in_layout));
    REQUIRE(within(many->out_start, largest_end) &&
                within(plan->results_size, largest_end - many->out_start),
            RIJN_ERR_SIZE);
    return RIJN_OK;
}

/* ---- Overlap ---- */

/* Returns whether a message and the text of its result may be one piece of memory. */
static bool may_be_in_place(const rijn_plan *plan)
{
    return !plan->opening || plan->mode == RIJN_MANY_CTR || plan->mode == RIJN_MANY_CBC_BLOCKS;
}

/* Checks that the messages lie apart from the results at `out`, or each in place. */
static rijn_status check_messages_apart(const rijn_plan *plan, const uint8_t *out)
{
    const rijn_many *const many = plan->many;
    const rijn_string *const column = &plan->in_extent.bytes;
    const bool in_place = may_be_in_place(plan);
    size_t start = 0;

    if (plan->in_layout == OFFSETS_32 || plan->in_layout == OFFSETS_64) {
        REQUIRE((in_place && !plan->head && plan->results_size == column->size &&
                 column->bytes == out) ||
                    rijn_disjoint(out, plan->results_size, column->bytes, column->size),
                RIJN_ERR_OVERLAP);
        return RIJN_OK;
    }
    if (plan->in_layout != BUFFERS)
        return RIJN_OK;
    for (size_t i = many->first; i < many->first + many->count; i++) {
        const rijn_string message = rijn_string_at(&plan->in_column, BUFFERS, i);
        size_t result;
        const bool fits = rijn_result_size(plan, message.size, &result);
        const size_t head = plan->opening ? 0 : plan->head;
        REQUIRE(rijn_disjoint(out, plan->results_size, message.bytes, message.size) ||
                    (in_place && fits &&
                     (uintptr_t)message.bytes == (uintptr_t)out + start + head &&
                     (!plan->opening || !plan->front)),
                RIJN_ERR_OVERLAP);
        start += result;
    }
    return RIJN_OK;
}

static bool apart_from(const rijn_string *written, rijn_string read)
{
    return rijn_disjoint(written->bytes, written->size, read.bytes, read.size);
}

/* Checks a column of buffers against one area that is written. */
static rijn_status check_buffers_apart(const rijn_plan *plan, const rijn_column *column,
                                       const rijn_string *written)
{
    const rijn_many *const many = plan->many;

    for (size_t i = many->first; written->size && i < many->first + many->count; i++)
        REQUIRE(apart_from(written, rijn_string_at(column, BUFFERS, i)), RIJN_ERR_OVERLAP);
    return RIJN_OK;
}

rijn_status rijn_check_overlap(const rijn_plan *plan)
{
    const rijn_many *const many = plan->many;
    const size_t end = many->first + many->count, width = many->out_offsets32 ? 4 : 8;
    const uint8_t *const offsets = many->out_offsets32 ? (const uint8_t *)many->out_offsets32
                                                       : (const uint8_t *)many->out_offsets64;
    const rijn_string written[] = {
        {plan->results_size ? many->out + many->out_start : NULL, plan->results_size},
        {offsets, offsets ? width * (end + 1) : 0},
        {many->failed, many->failed && plan->opening ? (end + 7) / 8 : 0},
        {many->room, many->room ? many->room_size : 0},
    };
    const rijn_string read[] = {
        plan->ad_extent.bytes,
        {many->nonces, many->nonces ? plan->nonce_size * end : 0},
        {many->base, many->base ? plan->nonce_size : 0},
        {(const uint8_t *)many->in.offsets32, many->in.offsets32 ? 4 * (end + 1) : 0},
        {(const uint8_t *)many->in.offsets64, many->in.offsets64 ? 8 * (end + 1) : 0},
        {(const uint8_t *)many->ad.offsets32, many->ad.offsets32 ? 4 * (end + 1) : 0},
        {(const uint8_t *)many->ad.offsets64, many->ad.offsets64 ? 8 * (end + 1) : 0},
        {(const uint8_t *)many->in.buffers, many->in.buffers ? sizeof(void *) * end : 0},
        {(const uint8_t *)many->in.sizes, many->in.sizes ? sizeof(size_t) * end : 0},
        {(const uint8_t *)many->ad.buffers, many->ad.buffers ? sizeof(void *) * end : 0},
        {(const uint8_t *)many->ad.sizes, many->ad.sizes ? sizeof(size_t) * end : 0},
    };

    for (size_t w = 0; w < sizeof written / sizeof written[0]; w++) {
        for (size_t r = 0; r < sizeof read / sizeof read[0]; r++)
            REQUIRE(apart_from(&written[w], read[r]), RIJN_ERR_OVERLAP);
        for (size_t other = 0; other < w; other++)
            REQUIRE(apart_from(&written[w], written[other]), RIJN_ERR_OVERLAP);
        if (w) /* results may lie where the messages are: check_messages_apart */
            REQUIRE(apart_from(&written[w], plan->in_extent.bytes), RIJN_ERR_OVERLAP);
        if (w && plan->in_layout == BUFFERS)
            TRY(check_buffers_apart(plan, &plan->in_column, &written[w]));
        if (plan->ad_layout == BUFFERS)
            TRY(check_buffers_apart(plan, &plan->ad_column, &written[w]));
    }
    return check_messages_apart(plan, written[0].bytes);
}

#endif
