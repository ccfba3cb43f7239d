/* Gathers XAES messages by their prefixes. Messages that come in any order are sorted into groups
 * with one prefix each, so that the backend seals or opens a group with one derived key. */
#include "call.h"

#if RIJN_WITH_MANY

#include "../scrub.h"
#include "prefix_order.h"

/* ---- Windows: the messages that are gathered at once ---- */

/* The largest windows: on the stack, and in memory that the caller lends. The messages and results
 * of a lent window also take at most WINDOW_BYTES, so that caches hold them until they are used. */
enum { STACK_WINDOW = 2048, LENT_WINDOW = 32768, WINDOW_BYTES = 2 << 20 };

static size_t lent_window(size_t messages)
{
    return messages < LENT_WINDOW ? messages : LENT_WINDOW;
}

static size_t window_size(const rijn_plan *plan)
{
    const size_t result = plan->results_size / plan->many->count, overhead = plan->overhead;
    const size_t message = plan->opening ? result + overhead : result - overhead;
    const size_t fitting = WINDOW_BYTES / (message + result);

    return !plan->many->room || fitting < STACK_WINDOW ? STACK_WINDOW : lent_window(fitting);
}

/* The nonce of message i, which is long enough to have one. */
RIJN_INLINE const uint8_t *nonce_at(const rijn_plan *plan, size_t i)
{
    const rijn_column *const column = &plan->in_column;

    if (plan->nonce_source == NONCES_GIVEN)
        return plan->many->nonces + 24 * i;
    return plan->in_layout == BUFFERS
               ? column->buffers[i]
               : column->data + rijn_string_start(column, plan->in_layout, i);
}

RIJN_INLINE bool too_short(const rijn_plan *plan, size_t i)
{
    return plan->opening &&
           rijn_string_at(&plan->in_column, plan->in_layout, i).size < plan->overhead;
}

/* Counts how often a nonce of a window has another prefix than the nonce before it. */
static size_t count_changes(const rijn_plan *plan, size_t first, size_t count)
{
    size_t changes = 0;

    for (size_t i = first + 1; i < first + count; i++)
        if (!too_short(plan, i) && !too_short(plan, i - 1))
            changes += !rijn_same_prefix(rijn_prefix_of(nonce_at(plan, i)),
                                         rijn_prefix_of(nonce_at(plan, i - 1)));
    return changes;
}

/* Orders a window, computes where each result starts, and refuses messages that are too short.
 * Returns how many are left. Sets *changes as count_changes does. */
static size_t order_window(rijn_call *call, message_order *order, size_t first, size_t count,
                           size_t *changes)
{
    enum { AHEAD = 4096 };
    const rijn_plan *const plan = call->plan;
    const size_t overhead = plan->overhead;
    rijn_prefix last = {0, 0};
    size_t ordered = 0;

    *changes = 0;
    clear_order(order, count);
    for (size_t j = 0; j < count; j++) {
        if (too_short(plan, first + j))
            continue;
        const uint8_t *const nonce = nonce_at(plan, first + j);
        const rijn_prefix prefix = rijn_prefix_of(nonce);
        __builtin_prefetch((const void *)((uintptr_t)nonce + AHEAD));
        *changes += !rijn_same_prefix(prefix, last);
        last = prefix;
        join_group(order, j, prefix);
        ordered++;
    }
    arrange_groups(order);
    for (size_t j = 0; j < count; j++) {
        const size_t size = rijn_string_at(&plan->in_column, plan->in_layout, first + j).size;
        if (too_short(plan, first + j)) {
            rijn_refuse(call, first + j);
        } else {
            take_place(order, j, call->end);
            call->end += plan->opening ? size - overhead : size + overhead;
        }
        rijn_set_end(plan->many, first + j, call->end);
    }
    return ordered;
}

/* ---- Batches of a window ---- */

/* Prefetches the messages at `count` places. It does not prefetch their results: with them 64 bytes
 * from 16 senders took 34 ns a message, without them 31. */
static void prefetch_places(const rijn_plan *plan, const message_place *places, size_t first,
                            size_t count)
{
    enum { LINE = 64, FETCHED = 4 * LINE };

    for (size_t i = 0; i < count; i++) {
        const rijn_string message =
            rijn_string_at(&plan->in_column, plan->in_layout, first + places[i].number);
        for (size_t offset = 0; offset < message.size && offset < FETCHED; offset += LINE)
            __builtin_prefetch((const void *)((uintptr_t)message.bytes + offset));
    }
}

/* Fills in a batch with the messages at `count` places. */
static void load_places(rijn_call *call, const message_place *places, size_t first, size_t count)
{
    const rijn_plan *const plan = call->plan;
    const size_t overhead = plan->overhead;
    rijn_batch *const batch = &call->batch;

    batch->count = count;
    for (size_t i = 0; i < count; i++) {
        const rijn_string message =
            rijn_string_at(&plan->in_column, plan->in_layout, first + places[i].number);
        const size_t size = plan->opening ? message.size - overhead : message.size;
        uint8_t *const out = plan->many->out ? plan->many->out + places[i].start : NULL;
        batch->number[i] = places[i].number;
        batch->size[i] = size;
        if (plan->opening) {
            batch->in[i] = plan->head ? message.bytes + plan->head : message.bytes;
            batch->out[i] = out;
            batch->given[i] = batch->in[i] + size;
            batch->tag[i] = batch->tags + RIJN_TAG_MOST * i;
        } else {
            batch->in[i] = message.bytes;
            batch->out[i] = plan->head ? out + plan->head : out;
            batch->tag[i] = batch->out[i] + size;
        }
    }
    rijn_load_nonces(call, first);
    rijn_load_ad(call, first);
}

/* Returns how many of the places make a batch. A group that fits in a batch is not divided. */
static size_t places_in_batch(const message_place *places, size_t left)
{
    size_t n = RIJN_BATCH;

    if (left <= n)
        return left;
    while (n && places[n].group == places[n - 1].group)
        n--;
    return n ? n : RIJN_BATCH;
}

/* Runs a window in the order of its prefixes. Returns *changes of order_window. */
RIJN_APART static size_t run_window(rijn_call *call, message_order *order, size_t first,
                                    size_t count)
{
    const message_place *const places = order->places;
    size_t changes, prefetched = 0;
    const size_t ordered = order_window(call, order, first, count, &changes);

    for (size_t done = 0; done < ordered;) {
        const size_t messages = places_in_batch(places + done, ordered - done);
        const size_t next = done + messages;
        const size_t ahead = ordered - next < RIJN_BATCH ? ordered : next + RIJN_BATCH;
        prefetch_places(call->plan, places + prefetched, first, ahead - prefetched);
        prefetched = ahead;
        load_places(call, places + done, first, messages);
        rijn_run_loaded_batch(call, first);
        done = next;
    }
    return changes;
}

static size_t run_lent_window(rijn_call *call, size_t first, size_t count)
{
    const rijn_many *const many = call->plan->many;
    const size_t slots_size = slot_count(count) * sizeof(group_slot);
    uint8_t *const aligned = (uint8_t *)many->room + (-(uintptr_t)many->room & 7);
    message_order order = {.slots = (group_slot *)(void *)aligned};

    order.places = (message_place *)(void *)(aligned + slots_size);
    order.groups = (uint32_t *)(void *)(aligned + slots_size + count * sizeof(message_place));
    return run_window(call, &order, first, count);
}

enum { STACK_SLOTS = STACK_WINDOW / 2 + 1 };

RIJN_APART static size_t run_stack_window(rijn_call *call, size_t first, size_t count)
{
    group_slot slots[STACK_SLOTS];
    uint32_t groups[STACK_WINDOW];
    message_place places[STACK_WINDOW];
    message_order order = {slots, 0, groups, places};

    return run_window(call, &order, first, count);
}

size_t rijn_many_room(size_t count)
{
    const size_t window = lent_window(count);

    return slot_count(window) * sizeof(group_slot) +
           window * (sizeof(message_place) + sizeof(uint32_t)) + 7;
}

/* ---- A call ---- */

/* Returns how many derived keys the call keeps. Counted nonces have one prefix, and random prefixes
 * do not repeat. */
static size_t kept_keys(const rijn_plan *plan)
{
    return plan->nonce_source == NONCES_COUNTED || plan->nonce_source == NONCES_RANDOM ||
                   plan->many->count < 16
               ? 1
               : RIJN_XAES_KEYS;
}

RIJN_APART static void run_with_one_key(rijn_call *call)
{
    const rijn_many *const many = call->plan->many;
    rijn_xaes_key key;

    rijn_xaes_begin(&call->xaes, many->key, &key, 1);
    rijn_run_batches(call, many->first, many->count);
}

/* Runs batches in the order of the column until one batch derives two keys. Then gathers windows
 * until at most one nonce in 128 has another prefix than the nonce before it. */
RIJN_APART static void run_with_keys(rijn_call *call)
{
    const rijn_plan *const plan = call->plan;
    const size_t first = plan->many->first, count = plan->many->count;
    const size_t window = window_size(plan);
    bool gathers = count_changes(plan, first, count < RIJN_BATCH ? count : RIJN_BATCH) > 1;
    rijn_xaes_key keys[RIJN_XAES_KEYS];

    rijn_xaes_begin(&call->xaes, plan->many->key, keys, RIJN_XAES_KEYS);
    for (size_t done = 0, n; done < count; done += n) {
        const size_t most = gathers ? window : RIJN_BATCH, made = call->xaes.made;
        n = count - done < most ? count - done : most;
        if (gathers) {
            const size_t changes =
                (plan->many->room ? run_lent_window : run_stack_window)(call, first + done, n);
            gathers = changes > n / 128;
            call->gathered = true;
        } else {
            rijn_run_batch(call, first + done, n);
            gathers = call->xaes.made - made > 1;
        }
    }
}

void rijn_run_xaes(rijn_call *call)
{
    if (kept_keys(call->plan) == 1)
        run_with_one_key(call);
    else
        run_with_keys(call);
}

size_t rijn_xaes_depth(const rijn_plan *plan, bool gathered)
{
    const size_t keys = kept_keys(plan) * sizeof(rijn_xaes_key);
    const size_t window = STACK_SLOTS * sizeof(group_slot) +
                          STACK_WINDOW * (sizeof(message_place) + sizeof(uint32_t));

    if (!gathered)
        return keys;
    return keys + sizeof(message_order) + 3 * RIJN_FRAME + (plan->many->room ? 0 : window);
}

#endif
