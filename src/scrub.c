#include "scrub.h"

#include "wipe.h"

RIJN_APART void rijn_scrub_area(void *area, size_t size)
{
    wipe(area, size);
}

#if !defined(__GNUC__)
/* Without alloca: in steps, each a frame below the last. What is between them stays. */
rijn_status rijn_scrub(rijn_status status, size_t depth)
{
    volatile uint64_t step[32];

    for (size_t i = 0; i < sizeof step / sizeof step[0]; i++)
        step[i] = 0;
    if (depth > sizeof step)
        status = rijn_scrub(status, depth - sizeof step);
    return step[0] == 0 ? status : RIJN_ERR_STATE; /* so that this is no tail call */
}
#endif
