/* What the harness measures: one algorithm by one implementation. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TAG = 16, NONCE = 32, KEY = 64 };

/* From GCM on: AEADs. The variants of AEGIS stand in rijn.h's order. */
typedef enum mode {
    ECB, CBC, CTR, CFB, CFB8, OFB, IGE, XTS, CMAC,
    GCM, GCM_SIV, XAES, CCM, OCB, EAX, SIV,
    AEGIS_128L, AEGIS_128X2, AEGIS_128X4, AEGIS_256, AEGIS_256X2, AEGIS_256X4
} mode;

typedef struct algorithm {
    char name[16]; /* "aes-128-gcm" */
    mode mode;
    size_t key_size; /* of XTS and SIV that of both keys */
    bool decrypt;
    bool tagged; /* an AEAD: TAG bytes stand behind the ciphertext */
} algorithm;

typedef struct contender contender;
struct contender {
    const char *name;    /* "rijn/aesni", "openssl", or of a ceiling "aesenc/zmm" */
    const char *version; /* of the library that is linked; "" when none is */
    const char *reason;  /* why it cannot run here; "" when it can */
    bool linked;
    bool in_full; /* takes part only where its whole name is asked for */
    int constant_time; /* 1 or 0 as it is claimed; -1: no claim known to us */
    bool ceiling;      /* no cipher: always from buffer to buffer, and its output is nobody's */
    size_t span;       /* a ceiling's bytes a run, whatever the message; 0: the message's */
    size_t blocks;     /* of 16 bytes in a register of a ceiling */

    /* The state for an algorithm under a key; NULL where it is not offered.
     * States are used by one thread each. */
    void *(*open)(const contender *self, const algorithm *what, const uint8_t *key);

    /* One message under its own nonce, which is the beginning of the bytes given:
     *   12   GCM, GCM-SIV, CCM, OCB3
     *   16   IV or counter of CBC, CTR, CFB, OFB; tweak of XTS; EAX, AEGIS-128
     *   24   XAES-256-GCM
     *   32   IGE, AEGIS-256
     *    0   ECB, CMAC, SIV
     * Writes `size` bytes to out, which is `in` or apart from it, and behind them
     * the tag of a sealed message; CMAC writes its tag to out and nothing else.
     * To open, the tag stands behind `in` and must be verified. False when the
     * library refuses. */
    bool (*run)(void *state, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                size_t size);

    /* NULL, or so many messages of `size` bytes each by one call: message i lies at in + i * size,
     * goes with its tag to out + i * (size + TAG), and its nonce is i: zeros, and its last 8 bytes
     * are i, big-endian (many_nonce). Of other sizes where `sizes` is not NULL, which has
     * MANY_MESSAGES and stays as it is: then one lies behind the other. */
    bool (*run_many)(void *state, uint8_t *out, const uint8_t *in, size_t size,
                     const uint16_t *sizes, size_t count);

    /* The key set-up again; NULL for a ceiling. */
    bool (*rekey)(void *state, const uint8_t *key);
    void (*close)(void *state);
};

/* The bytes of an AEAD's nonce; those of SIV have none. */
static inline size_t nonce_size(const algorithm *what)
{
    return what->mode >= AEGIS_128L ? what->key_size
           : what->mode == XAES     ? 24
           : what->mode == EAX      ? 16
                                    : 12;
}

/* Makes the nonce that of message i of many, where it was another's or zeros. */
static inline void many_nonce(uint8_t nonce[NONCE], size_t size, uint64_t i)
{
    const uint64_t big_endian = __builtin_bswap64(i);
    memcpy(nonce + size - 8, &big_endian, 8);
}

enum { MAX_CONTENDERS = 48 };

/* Each writes its contenders to list, ready or not, and returns how many. */
size_t rijn_contenders(contender *list);
size_t openssl_contenders(contender *list);
size_t ipsec_mb_contenders(contender *list);
size_t bearssl_contenders(contender *list);
size_t libsodium_contenders(contender *list);
size_t libaegis_contenders(contender *list);
size_t aws_lc_contenders(contender *list);
size_t boringssl_contenders(contender *list);
size_t boringssl_avx2_contenders(contender *list);
size_t putty_contenders(contender *list);

/* All of the above; a peer that was not linked has one entry that says so. */
size_t all_contenders(contender *list);

/* The ceilings of this machine (ceilings.c). */
size_t all_ceilings(contender *list);

#endif
