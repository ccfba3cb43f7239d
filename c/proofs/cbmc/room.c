/* The memory that a caller lends to a call with many XAES messages: c/src/batch/gather.c.
 *
 * Assumptions: none. */
#include "contract.h"

void prove_many_room(void)
{
    const size_t count = nondet_size(), size = rijn_many_room(count);

    __CPROVER_assert(size <= 917527, "at most 917,527 bytes");
    if (size == 917527)
        REACHED("the most");
}
