#include "wipe.h"

#include "rijn.h"

void rijn_wipe(void *memory, size_t size)
{
    if (size)
        wipe(memory, size);
}
