/* Names the backends of all builds. Test programs take one of these names as argument. */
#ifndef BACKEND_NAMES_H
#define BACKEND_NAMES_H

#include <stdbool.h>
#include <string.h>

/* Returns true if any build of the library has a backend of that name. RIJN_TESTED_BACKENDS lists them
 * all, with single spaces between them. Any other name is a mistake, and its test must fail. */
static inline bool is_a_backend(const char *name)
{
    static const char names[] = " " RIJN_TESTED_BACKENDS " ";
    const size_t size = strlen(name);

    for (const char *at = strchr(names, ' '); at[1] != '\0'; at = strchr(at + 1, ' '))
        if (strncmp(at + 1, name, size) == 0 && at[1 + size] == ' ')
            return size != 0 && strchr(name, ' ') == NULL;
    return false;
}

#endif
