/* Fills in the messages of a batch: pointers and sizes, for any layout of the columns. */
#include "call.h"

#if RIJN_WITH_MANY

/* Loads messages of any layout, and refuses those that are too short. Values that do not change are
 * copied to variables: a compiler must assume that each store changes memory behind pointers, and
 * would load them again. */
static void load_messages(rijn_call *call, size_t first, size_t count)
{
    const rijn_plan *const plan = call->plan;
    const rijn_many *const many = plan->many;
    const rijn_column column = plan->in_column;
    const rijn_layout layout = plan->in_layout;
    const bool opening = plan->opening, fixed_overhead = plan->fixed_overhead;
    const bool tag_first = plan->mode == RIJN_MANY_SIV;
    const size_t front = plan->front, head = plan->head, tail = plan->tail;
    const size_t overhead = head + tail;
    int32_t *const ends32 = many->out_offsets32;
    int64_t *const ends64 = many->out_offsets64;
    rijn_batch *const batch = &call->batch;
    uint8_t *out = many->out ? many->out + call->end : NULL;
    size_t loaded = 0, end = call->end;

    for (size_t j = 0; j < count; j++) {
        const rijn_string message = rijn_string_at(&column, layout, first + j);
        size_t result = opening ? message.size - overhead : message.size + overhead, size;
        if (fixed_overhead ? opening && message.size < overhead
                           : !rijn_result_size(plan, message.size, &result)) {
            result = 0;
            rijn_refuse(call, first + j);
        } else {
            size = opening ? result : message.size;
            batch->number[loaded] = (uint32_t)j;
            batch->size[loaded] = size;
            batch->in[loaded] = opening && head ? message.bytes + head : message.bytes;
            batch->out[loaded] = !opening && head ? out + head : out;
            if (opening) {
                batch->given[loaded] = tail        ? batch->in[loaded] + size
                                       : tag_first ? message.bytes + front
                                                   : NULL;
                batch->tag[loaded] = batch->tags + RIJN_TAG_MOST * loaded;
            } else {
                batch->tag[loaded] = tail ? out + (result - tail) : tag_first ? out + front : NULL;
            }
            loaded++;
        }
        if (result) { /* out may be NULL if nothing is written */
            out += result;
            end += result;
        }
        if (ends32)
            ends32[first + j + 1] = (int32_t)end;
        else if (ends64)
            ends64[first + j + 1] = (int64_t)end;
    }
    batch->count = loaded;
    call->end = end;
}

/* Loads messages of a regular call (plan.h). The offsets alone say where each message and its
 * result lie. Compilers turn each of these loops into vectors. */
static void load_regular(rijn_call *call, size_t first, size_t count)
{
    const rijn_plan *const plan = call->plan;
    const rijn_many *const many = plan->many;
    const rijn_column column = plan->in_column;
    const rijn_layout layout = plan->in_layout;
    const bool opening = plan->opening;
    const size_t overhead = plan->overhead, start = rijn_string_start(&column, layout, first);
    const size_t change = opening ? -overhead : 0; /* of a text over its message */
    const size_t tag_first = plan->mode == RIJN_MANY_SIV ? plan->tag_size : 0;
    const size_t growth = opening ? -overhead : overhead; /* of a result over its message */
    int32_t *const ends32 = many->out_offsets32 ? many->out_offsets32 + first : NULL;
    int64_t *const ends64 = many->out_offsets64 ? many->out_offsets64 + first : NULL;
    const uint8_t *const in = column.data + start + (opening ? plan->head : 0);
    uint8_t *const out = many->out + call->end + (opening ? 0 : plan->head);
    rijn_batch *const batch = &call->batch;
    size_t starts[RIJN_BATCH + 1]; /* counted from the first message */

    for (size_t j = 0; layout == OFFSETS_32 && j <= count; j++)
        starts[j] = rijn_string_start(&column, OFFSETS_32, first + j) - start;
    for (size_t j = 0; layout != OFFSETS_32 && j <= count; j++)
        starts[j] = rijn_string_start(&column, OFFSETS_64, first + j) - start;
    for (size_t j = 0; j < count; j++)
        batch->number[j] = (uint32_t)j;
    for (size_t j = 0; j < count; j++)
        batch->size[j] = starts[j + 1] - starts[j] + change;
    for (size_t j = 0; j < count; j++)
        batch->in[j] = in + starts[j];
    for (size_t j = 0; j < count; j++)
        batch->out[j] = out + (starts[j] + growth * j);
    for (size_t j = 0; opening && j < count; j++)
        batch->given[j] = tag_first ? batch->in[j] - tag_first : batch->in[j] + batch->size[j];
    for (size_t j = 0; opening && j < count; j++)
        batch->tag[j] = batch->tags + RIJN_TAG_MOST * j;
    for (size_t j = 0; !opening && j < count; j++)
        batch->tag[j] = tag_first ? batch->out[j] - tag_first : batch->out[j] + batch->size[j];
    for (size_t j = 1; ends32 && j <= count; j++)
        ends32[j] = (int32_t)(call->end + starts[j] + growth * j);
    for (size_t j = 1; ends64 && j <= count; j++)
        ends64[j] = (int64_t)(call->end + starts[j] + growth * j);
    batch->count = count;
    call->end += starts[count] + growth * count;
}

RIJN_INLINE void load_ad(rijn_call *call, size_t first, rijn_layout layout)
{
    rijn_batch *const batch = &call->batch;

    for (size_t i = 0; i < batch->count; i++) {
        const rijn_string ad =
            rijn_string_at(&call->plan->ad_column, layout, first + batch->number[i]);
        batch->ad[i] = ad.bytes;
        batch->ad_size[i] = ad.size;
    }
}

void rijn_load_ad(rijn_call *call, size_t first)
{
    const rijn_layout layout = call->plan->ad_layout;

    if (layout == OFFSETS_32)
        load_ad(call, first, OFFSETS_32);
    else if (layout != NO_STRINGS)
        load_ad(call, first, layout);
}

void rijn_load_batch(rijn_call *call, size_t first, size_t count)
{
    const rijn_plan *const plan = call->plan;

    if (!plan->regular)
        load_messages(call, first, count);
    else
        load_regular(call, first, count);
    rijn_load_nonces(call, first);
    rijn_load_ad(call, first);
}

#endif
