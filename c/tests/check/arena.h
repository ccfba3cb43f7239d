/* Memory between two pages that cannot be touched. */
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct arena {
    uint8_t *start, *end;
} arena;

/* At least `size` bytes; ends the program where the system refuses. */
arena new_arena(size_t size);

/* `size` bytes of it that end at the page behind it, or begin at the one before it. */
uint8_t *arena_place(const arena *a, size_t size, bool at_end);

/* That many bytes of zeros, of which only what is touched costs memory, and the first ones may
 * be written; NULL where sizes have 32 bits or the system refuses. */
uint8_t *arena_reserve(uint64_t size, size_t writable);
void arena_release(uint8_t *memory, uint64_t size);

/* Makes it read-only, or writable again. */
void arena_protect(const arena *a, bool writable);

#endif
