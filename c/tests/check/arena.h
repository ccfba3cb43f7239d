/* Memory between two pages that cannot be accessed. */
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct arena {
    uint8_t *start, *end;
} arena;

/* Returns an arena of at least `size` bytes. Ends the program if the system refuses it. */
arena new_arena(size_t size);

/* Returns the last or the first `size` bytes of the arena, next to a guard page. */
uint8_t *arena_place(const arena *a, size_t size, bool at_end);

/* Returns `size` bytes of zeros. The first `writable` bytes may be written. Only accessed pages cost
 * memory. Returns NULL if sizes have 32 bits or the system refuses. */
uint8_t *arena_reserve(uint64_t size, size_t writable);
void arena_release(uint8_t *memory, uint64_t size);

/* Makes the arena read-only, or writable again. */
void arena_protect(const arena *a, bool writable);

#endif
