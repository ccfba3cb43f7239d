/* A contender: an implementation of algorithms that the harness measures. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TAG = 16, NONCE = 32, KEY = 64 };

/* AEADs start at GCM. The AEGIS variants have the order of rijn.h. */
typedef enum mode {
    ECB, CBC, CTR, CFB, CFB8, OFB, IGE, XTS, CMAC,
    GCM, GCM_SIV, XAES, CCM, OCB, EAX, SIV,
    AEGIS_128L, AEGIS_128X2, AEGIS_128X4, AEGIS_256, AEGIS_256X2, AEGIS_256X4
} mode;

typedef struct algorithm {
    char name[16]; /* "aes-128-gcm" */
    mode mode;
    size_t key_size; /* for XTS and SIV the size of both keys */
    bool decrypt;
    bool tagged; /* an AEAD: TAG bytes follow the ciphertext */
} algorithm;

typedef struct contender contender;
struct contender {
    const char *name;    /* "rijn/aesni", "openssl"; for a ceiling "aesenc/zmm" */
    const char *version; /* of the linked library; "" if none is linked */
    const char *reason;  /* why it cannot run on this machine, or "" */
    bool linked;
    bool in_full; /* takes part only if --contender has its whole name */
    int constant_time; /* 1 or 0: the library's claim; -1: no known claim */
    bool ceiling;      /* not a cipher: its input and output are always separate, and not checked */
    size_t span;       /* bytes of a ceiling's run; 0: the size of the message */
    size_t blocks;     /* 16-byte blocks in a register of a ceiling */

    /* Returns the state for an algorithm and a key, or NULL if the contender does not offer the
     * algorithm. Each thread has its own state. */
    void *(*open)(const contender *self, const algorithm *what, const uint8_t *key);

    /* Processes a message. The nonce is the start of the given bytes; its size is
     *   12   GCM, GCM-SIV, CCM, OCB3
     *   16   IV or counter of CBC, CTR, CFB, OFB; tweak of XTS; EAX, AEGIS-128
     *   24   XAES-256-GCM
     *   32   IGE, AEGIS-256
     *    0   ECB, CMAC, SIV
     * Writes `size` bytes to out, which is either `in` or does not overlap it. When sealing, the tag
     * follows. CMAC writes only its tag. When opening, the tag follows `in` and must be verified.
     * Returns false if the library refuses. */
    bool (*run)(void *state, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                size_t size);

    /* Seals `count` messages by one call; may be NULL. Message i is at in + i * size, and is sealed
     * with its tag to out + i * (size + TAG). Its nonce is zeros, with i in the last 8 bytes,
     * big-endian (many_nonce). If `sizes` is not NULL, it has the sizes of MANY_MESSAGES messages,
     * which follow each other without gaps; its contents never change. */
    bool (*run_many)(void *state, uint8_t *out, const uint8_t *in, size_t size,
                     const uint16_t *sizes, size_t count);

    /* Sets another key; NULL for a ceiling. */
    bool (*rekey)(void *state, const uint8_t *key);
    void (*close)(void *state);
};

/* Makes the nonce of message i of many. Before, it must be zeros or the nonce of another message. */
static inline void many_nonce(uint8_t nonce[NONCE], size_t size, uint64_t i)
{
    const uint64_t big_endian = __builtin_bswap64(i);
    memcpy(nonce + size - 8, &big_endian, 8);
}

enum { MAX_CONTENDERS = 48 };

/* Each function writes its contenders to list, ready or not, and returns how many. */
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

/* Writes all of the above. A library that is not linked has one entry with linked = false. */
size_t all_contenders(contender *list);

/* Writes the ceilings of this machine (ceilings.c). */
size_t all_ceilings(contender *list);

/* Copies a nonce of `size` bytes, a multiple of 8, for calls that change it. The harness stored eight
 * of its bytes a moment ago: a load of more than these waits until they have left the store buffer. */
static inline void copy_nonce(uint8_t *to, const uint8_t *nonce, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t part;
        memcpy(&part, nonce + i, 8);
        __asm__("" : "+r"(part)); /* compilers merge neighbouring loads */
        memcpy(to + i, &part, 8);
    }
}

#endif
