/* Pages of fresh memory. */
#ifndef RIJN_BINDING_PAGES_H
#define RIJN_BINDING_PAGES_H

#include <stddef.h>

/* New results of this size or more are prepared, because their memory usually has no pages yet:
 * glibc maps each block of 128 KiB or more separately, until the first one is freed. */
#define PREPARED_SIZE 131072

/* Asks the system for the pages of new memory before it is written, on Linux: huge pages where
 * they fit, and the others in one call. Filling new memory in C then takes 0.28 ms instead of 0.44
 * for 1 MiB, 0.23 instead of 1.2 for 4 MiB, and 54 instead of 110 for 256 MiB. Failures are
 * ignored: then the pages come at their first use. */
void prepare_pages(void *memory, size_t size);

#endif
