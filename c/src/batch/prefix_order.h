/* Sorts messages into groups with one prefix each. First each message joins its group. Then the
 * groups get ranges of places. Then each message takes a place in the range of its group.
 *
 * A hash table finds the group of a prefix: its slot is the one that the prefix is mixed to, or one
 * of the next. If others use PROBES slots, the message joins the group of single messages, so no
 * choice of nonces makes the search slow. */
#ifndef RIJN_BATCH_PREFIX_ORDER_H
#define RIJN_BATCH_PREFIX_ORDER_H

#include "../build.h"

#if RIJN_WITH_MANY

#include <string.h>

#include "xaes.h"

enum { PROBES = 8 };

/* `next` is first the number of messages in the group, and later the place of its next message. */
typedef struct {
    uint64_t head;
    uint32_t tail, next;
} group_slot;

typedef struct {
    size_t start; /* of the result in `out` */
    uint32_t number, group;
} message_place;

typedef struct {
    group_slot *slots; /* mask + 1 slots, a power of two, and the slot of single messages */
    size_t mask;
    uint32_t *groups; /* the slot of each message */
    message_place *places;
} message_order;

/* Returns the number of slots for `messages`: enough if each prefix comes twice. */
static inline size_t slot_count(size_t messages)
{
    size_t n = 1;

    while (n < messages / 2)
        n *= 2;
    return n + 1;
}

static inline void clear_order(message_order *order, size_t messages)
{
    const size_t slots = slot_count(messages);

    memset(order->slots, 0, slots * sizeof *order->slots);
    order->mask = slots - 2;
}

RIJN_INLINE void join_group(message_order *order, size_t number, rijn_prefix prefix)
{
    const uint64_t mixed =
        (prefix.head ^ (uint64_t)prefix.tail << 32) * UINT64_C(0x9e3779b97f4a7c15);
    size_t found = order->mask + 1;

    for (size_t i = 0; i < PROBES; i++) {
        const size_t index = ((size_t)(mixed >> 32) + i) & order->mask;
        group_slot *const slot = &order->slots[index];
        if (!slot->next)
            *slot = (group_slot){prefix.head, prefix.tail, 0};
        else if (!rijn_same_prefix((rijn_prefix){slot->head, slot->tail}, prefix))
            continue;
        found = index;
        break;
    }
    order->slots[found].next++;
    order->groups[number] = (uint32_t)found;
}

/* Gives each group its range of places, after all messages have joined. */
static inline void arrange_groups(message_order *order)
{
    uint32_t place = 0;

    for (size_t i = 0; i <= order->mask + 1; i++) {
        const uint32_t messages = order->slots[i].next;
        order->slots[i].next = place;
        place += messages;
    }
}

RIJN_INLINE void take_place(message_order *order, size_t number, size_t start)
{
    const uint32_t group = order->groups[number];

    order->places[order->slots[group].next++] = (message_place){start, (uint32_t)number, group};
}

#endif
#endif
