/* A checked call of rijn_seal_many or rijn_open_many: its arguments (plan.c), and the sizes of its
 * messages and results (measure.c). Both files run before the first byte is written. */
#ifndef RIJN_BATCH_PLAN_H
#define RIJN_BATCH_PLAN_H

#include "../build.h"

#if RIJN_WITH_MANY

#include "../backend.h"
#include "../batch.h"
#include "../check.h"

/* The layouts of a column. All after ONE_STRING have a string for each message. */
typedef enum { NO_STRINGS, ONE_STRING, OFFSETS_32, OFFSETS_64, BUFFERS } rijn_layout;

typedef enum {
    NO_NONCES,
    NONCES_GIVEN,
    NONCES_COUNTED,
    NONCES_RANDOM,
    NONCES_IN_FRONT
} rijn_nonce_source;

typedef struct {
    rijn_string bytes;   /* from the first string to the last one, if the column is one piece */
    uint64_t size_bound; /* no string is longer; may be nearly twice the longest size */
    bool any_short;      /* a string is too short to be a sealed message */
} rijn_extent;

typedef struct {
    const rijn_many *many; /* the caller's arguments */
    const rijn_backend *backend;
    rijn_limits limits;
    rijn_many_mode mode;
    rijn_column in_column, ad_column; /* `data` is not NULL if there are offsets */
    rijn_layout in_layout, ad_layout;
    rijn_extent in_extent, ad_extent;
    rijn_nonce_source nonce_source;
    bool opening;
    bool padded;         /* CBC with padding */
    bool whole_blocks;   /* `in` holds whole blocks */
    bool textless;       /* CMAC: `in` holds tags alone */
    bool fixed_overhead; /* every result is `overhead` bytes longer (opening: shorter) */
    bool regular;        /* `in` has offsets, no message is too short, and there are results */
    size_t nonce_size, tag_size;
    size_t front;      /* bytes of the nonce in front of a sealed message, or 0 */
    size_t head, tail; /* bytes before and after the text of a sealed message */
    size_t overhead;   /* head + tail */
    size_t results_size;
    size_t hashed_blocks; /* an upper bound for each message, as rijn_key_expand takes it */
} rijn_plan;

/* Checks everything that does not depend on the messages, and fills in `plan` but for its sizes. */
rijn_status rijn_plan_call(rijn_plan *plan, const rijn_many *many, bool opening);

/* Checks the offsets and sizes of all messages, and adds up their results. */
rijn_status rijn_measure_call(rijn_plan *plan);

/* Returns RIJN_ERR_OVERLAP if the call would write over memory that it reads, unless it works in
 * place. */
rijn_status rijn_check_overlap(const rijn_plan *plan);

/* Returns the start of string i in a column with offsets. */
RIJN_INLINE size_t rijn_string_start(const rijn_column *column, rijn_layout layout, size_t i)
{
    return layout == OFFSETS_32 ? (size_t)column->offsets32[i] : (size_t)column->offsets64[i];
}

RIJN_INLINE rijn_string rijn_string_at(const rijn_column *column, rijn_layout layout, size_t i)
{
    switch (layout) {
    case OFFSETS_32:
        return (rijn_string){column->data + column->offsets32[i],
                             (size_t)(column->offsets32[i + 1] - column->offsets32[i])};
    case OFFSETS_64:
        return (rijn_string){column->data + column->offsets64[i],
                             (size_t)(column->offsets64[i + 1] - column->offsets64[i])};
    case BUFFERS:
        return (rijn_string){column->buffers[i], column->sizes[i]};
    case ONE_STRING:
        return (rijn_string){column->data, column->size};
    default:
        return (rijn_string){NULL, 0};
    }
}

/* Sets *result to the size of the result of a message of `size` bytes; opening CBC, to its upper
 * bound. Returns false, and a size of 0, if no sealed message has this size. */
RIJN_INLINE bool rijn_result_size(const rijn_plan *plan, size_t size, size_t *result)
{
    const size_t overhead = plan->overhead;

    if (!plan->opening) {
        *result = (plan->padded ? size - size % 16 + 16 : size) + overhead;
        return true;
    }
    const size_t text = size - overhead;
    *result = text;
    if (size >= overhead && !(plan->whole_blocks && (text % 16 || (plan->padded && !text))) &&
        !(plan->textless && text))
        return true;
    *result = 0;
    return false;
}

/* A counted nonce counts in its last bytes, at most 8. */
static inline size_t rijn_counter_size(size_t nonce_size)
{
    return nonce_size < 8 ? nonce_size : 8;
}

static inline uint64_t rijn_nonce_counter(const uint8_t *nonce, size_t nonce_size)
{
    uint64_t counter = 0;

    for (size_t i = nonce_size - rijn_counter_size(nonce_size); i < nonce_size; i++)
        counter = counter << 8 | nonce[i];
    return counter;
}

#endif
#endif
