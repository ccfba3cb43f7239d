/* Records which public functions a test has called, so that the test cannot forget a new one.
 *
 * CMake makes the list from include/rijn.h when it configures (rijn_public_functions in
 * cmake/RijnPublicFunctions.cmake). Include after rijn.h and before the test's own code. Every public
 * function's name becomes a macro that records the function when the name is evaluated, in a call or
 * as a value, while `public_recording` is true. A constant initializer cannot evaluate the name, so
 * tables of functions are filled by code, or hold functions of the test that call them.
 *
 * Only one file of a program may include it. */
#ifndef PUBLIC_H
#define PUBLIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "rijn.h"

#define RIJN_RECORD(name) (public_note(PUBLIC_##name), name)

#define PUBLIC_INDEX(name) PUBLIC_##name,
#define PUBLIC_NAME(name) #name,

#include "rijn_public_functions.h"

enum { RIJN_PUBLIC_FUNCTIONS(PUBLIC_INDEX) PUBLIC_FUNCTIONS };

static const char *const public_names[PUBLIC_FUNCTIONS] = {RIJN_PUBLIC_FUNCTIONS(PUBLIC_NAME)};
static bool public_called[PUBLIC_FUNCTIONS];
static bool public_recording = true;

static inline void public_note(int function)
{
    if (public_recording)
        public_called[function] = true;
}

/* A function that the test does not have to call, and the reason. */
typedef struct public_exemption {
    const char *name;
    const char *reason;
} public_exemption;

/* Prints each public function that was neither called nor exempt, and each exemption for a function that
 * was called or does not exist. Returns the number of both. */
static inline size_t public_forgotten(const public_exemption *exempt, size_t count)
{
    bool excused[PUBLIC_FUNCTIONS] = {false};
    size_t bad = 0;

    for (size_t i = 0; i < count; i++) {
        size_t f = 0;
        while (f < PUBLIC_FUNCTIONS && strcmp(public_names[f], exempt[i].name) != 0)
            f++;
        if (f == PUBLIC_FUNCTIONS) {
            printf("%s: exempt, but no public function\n", exempt[i].name);
            bad++;
        } else {
            excused[f] = true;
        }
    }
    for (size_t f = 0; f < PUBLIC_FUNCTIONS; f++) {
        if (public_called[f] == excused[f]) {
            printf("%s: %s\n", public_names[f],
                   excused[f] ? "exempt, but called" : "neither called nor exempt");
            bad++;
        }
    }
    return bad;
}

#endif
