/* What the C tests share: checks that count and name their place, a runner
 * that walks over the backends, and reproducible bytes.
 *
 * A test program is one file with a function `run(backend)` and
 *
 *     int main(int argc, char **argv) { return test_backends(argc, argv, run); }
 *
 * With a backend's name as argument it tests that one, and exits with 77
 * (ctest: skipped) where this build or this machine lacks it; without, it
 * tests all and names those it skipped. It fails if no build has a backend of
 * that name, and if it has checked nothing of a backend that runs here. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rijn.h"

#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition)
#define CHECK_STATUS(call, want) check_status((call), (want), __FILE__, __LINE__, #call)
#define CHECK_TEXT(got, want) check_text((got), (want), __FILE__, __LINE__, #got)
#define CHECK_BYTES(got, want, size) check_bytes((got), (want), (size), __FILE__, __LINE__, #got)
#define CHECK_FILL(got, byte, size) check_fill((got), (byte), (size), __FILE__, __LINE__, #got)

/* Each counts one check; a failed one is printed with the note. All return whether it held. */
bool check_that(bool held, const char *file, int line, const char *what);
bool check_status(rijn_status got, rijn_status want, const char *file, int line, const char *what);
bool check_text(const char *got, const char *want, const char *file, int line, const char *what);
bool check_bytes(const uint8_t *got, const uint8_t *want, size_t size, const char *file, int line,
                 const char *what);
bool check_fill(const void *got, uint8_t byte, size_t size, const char *file, int line,
                const char *what);

/* Sets what is printed with every failure from here on: the case at hand. */
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

/* Runs the test for the backend named on the command line, or for all. */
int test_backends(int argc, char **argv, void (*run)(const rijn_backend_info *backend));

/* Runs the test once for each kernel of AEGIS that this backend has and this CPU can run. */
void each_aegis_kernel(const char *backend, void (*test)(const char *kernel));

/* The exit status of a test without backends, with the count printed. */
int test_result(const char *program);

/* Makes a key or ends the program: for tests of something else than keys. */
void make_key(rijn_key *key, const uint8_t *bytes, size_t size, const char *backend);

/* Reproducible bytes: splitmix64 (Steele, Lea, Flood 2014) from a fixed seed. */
uint64_t random_u64(void);
size_t random_below(size_t limit);
void random_bytes(uint8_t *out, size_t size);

/* Decodes hexadecimal text, blanks ignored; returns the number of bytes. */
size_t from_hex(uint8_t *out, size_t room, const char *text);

#endif
