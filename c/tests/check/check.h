/* Functions for all C tests: checks that are counted and report their place, a runner for all
 * backends, and reproducible bytes.
 *
 * A test program is one file with a function `run(backend)` and
 *
 *     int main(int argc, char **argv) { return test_backends(argc, argv, run); }
 *
 * With the name of a backend as argument it tests that backend, and exits with 77 (ctest: skipped) if
 * this build or this machine does not have it. Without argument it tests all backends and prints which
 * it skipped. It fails if no build has a backend of that name, or if it has checked nothing on a
 * backend that runs here. */
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

/* Each of these counts one check, prints the note if it failed, and returns true if it passed. */
bool check_that(bool held, const char *file, int line, const char *what);
bool check_status(rijn_status got, rijn_status want, const char *file, int line, const char *what);
bool check_text(const char *got, const char *want, const char *file, int line, const char *what);
bool check_bytes(const uint8_t *got, const uint8_t *want, size_t size, const char *file, int line,
                 const char *what);
bool check_fill(const void *got, uint8_t byte, size_t size, const char *file, int line,
                const char *what);

/* Sets the note that later failures print: the current case. */
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

/* Runs the test for the backend named on the command line, or for all. */
int test_backends(int argc, char **argv, void (*run)(const rijn_backend_info *backend));

/* Runs the test once for each kernel of AEGIS that this backend has and this CPU can run. */
void each_aegis_kernel(const char *backend, void (*test)(const char *kernel));

/* Prints the count and returns the exit status of a test without backends. */
int test_result(const char *program);

/* Makes a key or ends the program, for tests of other things than keys. */
void make_key(rijn_key *key, const uint8_t *bytes, size_t size, const char *backend);

/* Reproducible bytes: splitmix64 (Steele, Lea, Flood 2014) from a fixed seed. */
uint64_t random_u64(void);
size_t random_below(size_t limit);
void random_bytes(uint8_t *out, size_t size);

/* Decodes hexadecimal text and ignores blanks. Returns the number of bytes. */
size_t from_hex(uint8_t *out, size_t room, const char *text);

#endif
