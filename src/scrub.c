#include "scrub.h"

#include <string.h>

/* By stores of 16 bytes (wipe.h says why): with a C library's memset, which takes those of
 * 64 bytes, a GCM message of 16 bytes takes 85 ns instead of 72. */
RIJN_APART void rijn_scrub_area(void *area, size_t size)
{
    uint8_t *p = area;

    for (; size >= 64; size -= 64, p += 64) {
        memset(p, 0, 16);
        memset(p + 16, 0, 16);
        memset(p + 32, 0, 16);
        memset(p + 48, 0, 16);
        __asm__ volatile("" : : "r"(p) : "memory");
    }
    for (; size >= 8; size -= 8, p += 8) {
        memset(p, 0, 8);
        __asm__ volatile("" : : "r"(p) : "memory");
    }
}
