#define RIJN_WIPE_HERE
#include "wipe.h"

void rijn_wipe(void *memory, size_t size)
{
    if (size)
        wipe(memory, size);
}
