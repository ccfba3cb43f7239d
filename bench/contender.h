/* What the harness measures: one algorithm by one implementation. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TAG = 16, NONCE = 32, KEY = 32 };

typedef enum mode { ECB, CBC, CTR, GCM, AEGIS } mode;

typedef struct algorithm {
    char name[16]; /* "aes-128-gcm" */
    mode mode;
    int variant; /* of AEGIS: a rijn_aegis_variant */
    size_t key_size;
    bool decrypt;
    bool tagged; /* an AEAD: TAG bytes stand behind the ciphertext */
} algorithm;

typedef struct contender contender;
struct contender {
    const char *name;    /* "rijn/aesni", "openssl", or of a ceiling "aesenc/zmm" */
    const char *version; /* of the library that is linked; "" when none is */
    const char *reason;  /* why it cannot run here; "" when it can */
    bool linked;
    int constant_time; /* 1 or 0 as it is claimed; -1: no claim known to us */
    bool ceiling;      /* no cipher: always from buffer to buffer, and its output is nobody's */
    size_t span;       /* a ceiling's bytes a run, whatever the message; 0: the message's */

    /* The state for an algorithm under a key; NULL where it is not offered.
     * States are used by one thread each. */
    void *(*open)(const contender *self, const algorithm *what, const uint8_t *key);

    /* One message under its own nonce (12 bytes for GCM, key_size for AEGIS, 16
     * of IV or counter for CBC and CTR, none for ECB). Writes `size` bytes to out, which is
     * `in` or apart from it, and behind them the tag of a sealed message. To
     * open, the tag stands behind `in` and must be verified. False when the
     * library refuses. */
    bool (*run)(void *state, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                size_t size);

    /* The key set-up again; NULL for a ceiling. */
    bool (*rekey)(void *state, const uint8_t *key);
    void (*close)(void *state);
};

enum { MAX_CONTENDERS = 48 };

/* Each writes its contenders to list, ready or not, and returns how many. */
size_t rijn_contenders(contender *list);
size_t openssl_contenders(contender *list);
size_t ipsec_mb_contenders(contender *list);
size_t bearssl_contenders(contender *list);
size_t libsodium_contenders(contender *list);

/* All of the above; a peer that was not linked has one entry that says so. */
size_t all_contenders(contender *list);

/* The ceilings of this machine (ceilings.c). */
size_t all_ceilings(contender *list);

#endif
