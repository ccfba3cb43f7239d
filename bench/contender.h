/* What the harness measures: one algorithm by one implementation. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum mode { ECB, CBC, CTR, GCM } mode;

typedef struct algorithm {
    const char *name; /* "aes-128-gcm" */
    mode mode;
    size_t key_size;
    bool decrypt;
} algorithm;

/* Messages share one key. Each run gets its own nonce (12 bytes for GCM, 16 of
 * IV or counter for CBC and CTR, none for ECB) and writes `size` bytes to out,
 * which is never `in`, and GCM's 16-byte tag behind them. A GCM decryption gets
 * the tag behind `in` and must verify it. */
typedef struct contender {
    const char *name; /* "rijn/aesni", "openssl" */

    /* The state for an algorithm under a key; NULL where it is not offered. */
    void *(*open)(const char *name, const algorithm *what, const uint8_t *key);

    /* One message; false when the library refuses, which ends the measurement. */
    bool (*run)(void *state, const uint8_t nonce[16], uint8_t *out, const uint8_t *in, size_t size);

    /* The key set-up again, for the price of a fresh key. */
    bool (*rekey)(void *state, const uint8_t *key);
    void (*close)(void *state);
} contender;

extern const contender openssl_contender, bearssl_contender;

/* The version of the library that is linked, for the report. */
const char *openssl_version(void);

/* rijn's backends, one contender each; returns how many, at most `room`. */
size_t rijn_contenders(contender *list, size_t room);

#endif
