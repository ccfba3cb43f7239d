/* Rijn: AES at the speed of whatever it runs on.
 *
 * This header is the manual of the C library. It needs nothing but <stddef.h>
 * and <stdint.h>; the library behind it needs nothing but the C library's
 * memcpy, memset, strcmp and (hosted) getenv, and never allocates.
 *
 * Conventions, true of every function unless its comment says otherwise
 *   Sizes      are in bytes.
 *   Pointers   must not be NULL, but a buffer of size 0 may be.
 *   Overlap    `out` and `in` are the same pointer or do not overlap at all;
 *              anything between is refused with RIJN_ERR_OVERLAP. No other two
 *              arguments may overlap.
 *   Alignment  none is asked of any buffer.
 *   Errors     every call checks its arguments before it writes. A call that
 *              fails has written nothing, except that one which refuses a tag
 *              or a padding has set `out` to zeros.
 *   Threads    a rijn_key may be used by any number of threads at once once
 *              rijn_key_init has returned. Incremental states (rijn_ctr,
 *              rijn_gcm) belong to one thread at a time.
 *   Secrets    live only in rijn_key, rijn_ctr, rijn_gcm and your own buffers;
 *              a buffer of secrets on a call's stack is wiped before it returns
 *              (registers and what the compiler spills are not). Wipe states with
 *              their *_wipe functions; rijn_gcm_finish and rijn_gcm_verify
 *              wipe theirs themselves.
 *
 * Standards: FIPS 197 (AES), NIST SP 800-38A (ECB, CBC, CTR), NIST SP 800-38D
 * (GCM), RFC 5652 section 6.3 (PKCS #7 padding).
 */
#ifndef RIJN_H
#define RIJN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RIJN_VERSION "0.1.0"

#if defined(RIJN_SHARED) && defined(_WIN32)
#  ifdef RIJN_BUILDING
#    define RIJN_API __declspec(dllexport)
#  else
#    define RIJN_API __declspec(dllimport)
#  endif
#elif defined(__GNUC__)
#  define RIJN_API __attribute__((visibility("default")))
#else
#  define RIJN_API
#endif

#define RIJN_BLOCK_SIZE 16u    /* AES block, IV of CBC, counter block of CTR */
#define RIJN_GCM_TAG_MAX 16u   /* full GCM tag */

/* What every call that can fail returns. */
typedef enum rijn_status {
    RIJN_OK = 0,
    RIJN_ERR_ARGUMENT,    /* a NULL pointer with a size, or where one is required */
    RIJN_ERR_KEY_SIZE,    /* key is not 16, 24 or 32 bytes */
    RIJN_ERR_NONCE_SIZE,  /* nonce is empty or too long for the mode */
    RIJN_ERR_TAG_SIZE,    /* tag is not 4, 8, 12, 13, 14, 15 or 16 bytes */
    RIJN_ERR_SIZE,        /* data is no whole number of blocks, or beyond the mode's limit */
    RIJN_ERR_OVERLAP,     /* out and in overlap without being the same pointer */
    RIJN_ERR_PADDING,     /* PKCS #7 padding is malformed */
    RIJN_ERR_TAG,         /* authentication failed: altered data, or another key or nonce */
    RIJN_ERR_BACKEND,     /* no backend has that name */
    RIJN_ERR_UNAVAILABLE, /* that backend cannot run on this machine */
    RIJN_ERR_STATE        /* key not initialised, or calls of a state out of order */
} rijn_status;

/* A sentence for a status, without a final period. Never NULL. */
RIJN_API const char *rijn_status_text(rijn_status status);

/* The version of the library that is linked, "major.minor.patch". */
RIJN_API const char *rijn_version(void);

/* ---- Backends ---------------------------------------------------------- */

/* One rung of the ladder: one implementation of everything below. */
typedef struct rijn_backend_info {
    const char *name;     /* as given to rijn_key_init and RIJN_BACKEND */
    const char *summary;  /* one line */
    const char *reason;   /* why it cannot run here; "" when it can */
    int available;        /* 1: this CPU and operating system can run it */
    int constant_time;    /* 1: no branch or address depends on key or data */
    int automatic;        /* 1: may be chosen without being named */
    unsigned blocks;      /* AES blocks in flight at full speed */
} rijn_backend_info;

/* The number of backends compiled in, available or not. */
RIJN_API size_t rijn_backend_count(void);

/* Describes backend `index` (0 is the one preferred most).
 * Errors: RIJN_ERR_ARGUMENT when index >= rijn_backend_count(). */
RIJN_API rijn_status rijn_backend_at(size_t index, rijn_backend_info *info);

/* Writes the names of all backends, separated by single spaces and ended by a
 * NUL, into names[0..size): those that cannot run here stand in parentheses.
 * Made for error messages: "unknown backend; there are: aesni fixslice64 asm table".
 * Returns the size needed, NUL included; writes nothing if that exceeds size. */
RIJN_API size_t rijn_backend_names(char *names, size_t size);

/* Sets the backend of keys that are made later with backend == NULL, for the
 * whole process; NULL goes back to the automatic choice. It wins over the
 * environment variable RIJN_BACKEND, which is read once, at first need, and is
 * otherwise treated the same.
 * Errors: RIJN_ERR_BACKEND, RIJN_ERR_UNAVAILABLE. */
RIJN_API rijn_status rijn_use_backend(const char *name);

/* ---- Keys --------------------------------------------------------------- */

/* An expanded key with the backend that expanded it; 2 KiB. The caller owns
 * the memory. Its contents are private; it may be copied with memcpy. */
typedef struct rijn_key {
    const struct rijn_backend *backend; /* NULL until initialised and after wiping */
    uint64_t context[255];
} rijn_key;

/* Expands an AES key of `size` bytes (16, 24 or 32; FIPS 197 section 5.2).
 * backend: a name, or NULL for rijn_use_backend's or RIJN_BACKEND's choice, or
 * failing those the fastest constant-time backend that this machine can run.
 * On error *key is left as rijn_key_wipe leaves it, so that using it gives RIJN_ERR_STATE.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_KEY_SIZE, RIJN_ERR_BACKEND (RIJN_BACKEND
 * may be the one that is misspelt), RIJN_ERR_UNAVAILABLE. */
RIJN_API rijn_status rijn_key_init(rijn_key *key, const uint8_t *bytes, size_t size,
                                   const char *backend);

/* The name of the backend that the key uses; "" when not initialised. */
RIJN_API const char *rijn_key_backend(const rijn_key *key);

/* Overwrites the key with zeros, by stores that the compiler keeps. */
RIJN_API void rijn_key_wipe(rijn_key *key);

/* Overwrites any memory with zeros, by stores that the compiler keeps. */
RIJN_API void rijn_wipe(void *memory, size_t size);

/* ---- ECB and CBC (SP 800-38A sections 6.1, 6.2) ------------------------- *
 * size is a multiple of 16, else RIJN_ERR_SIZE. All give RIJN_ERR_ARGUMENT,
 * RIJN_ERR_OVERLAP and RIJN_ERR_STATE too. Neither mode authenticates. ECB is
 * a building block: equal blocks encrypt equally. */

RIJN_API rijn_status rijn_ecb_encrypt(const rijn_key *key, uint8_t *out,
                                      const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_ecb_decrypt(const rijn_key *key, uint8_t *out,
                                      const uint8_t *in, size_t size);

/* iv: 16 bytes, replaced by the last ciphertext block (left alone when size is
 * 0), so that consecutive calls continue one message. */
RIJN_API rijn_status rijn_cbc_encrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out,
                                      const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_cbc_decrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out,
                                      const uint8_t *in, size_t size);

/* CBC of a message of any size with PKCS #7 padding: writes
 * size / 16 * 16 + 16 bytes to out. iv is not changed. */
RIJN_API rijn_status rijn_cbc_encrypt_padded(const rijn_key *key, const uint8_t iv[16],
                                             uint8_t *out, const uint8_t *in, size_t size);

/* Inverse: size is a positive multiple of 16; out has room for `size` bytes;
 * *plain_size is set to size - 1 down to size - 16. The padding is examined in
 * constant time, but the answer itself tells an attacker who may ask often
 * enough everything (a padding oracle): authenticate first.
 * Errors: also RIJN_ERR_PADDING (out is zeroed, *plain_size is 0). */
RIJN_API rijn_status rijn_cbc_decrypt_padded(const rijn_key *key, const uint8_t iv[16],
                                             uint8_t *out, size_t *plain_size,
                                             const uint8_t *in, size_t size);

/* ---- CTR (SP 800-38A section 6.5) --------------------------------------- *
 * The counter block is one 128-bit big-endian integer that grows by one a
 * block and wraps to zero. Encryption and decryption are the same call. */

/* One message from its first counter block. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_ctr_crypt(const rijn_key *key, const uint8_t counter[16],
                                    uint8_t *out, const uint8_t *in, size_t size);

/* Where a keystream stands. Private; treat as opaque. */
typedef struct rijn_keystream {
    uint8_t counter[16];   /* the counter block to encrypt next */
    int hidden;            /* 1: the counter came from the key, so it is a secret too */
    size_t ready;          /* bytes at the end of the batch not yet used */
    uint8_t batch[512];    /* keystream of one batch; a backend uses the first blocks * 16 bytes */
} rijn_keystream;

typedef struct rijn_ctr {
    const rijn_key *key;
    rijn_keystream stream;
} rijn_ctr;

/* Starts a message; the key must outlive the state. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_ctr_start(rijn_ctr *ctr, const rijn_key *key, const uint8_t counter[16]);

/* Continues it with any number of bytes. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_ctr_update(rijn_ctr *ctr, uint8_t *out, const uint8_t *in, size_t size);
RIJN_API void rijn_ctr_wipe(rijn_ctr *ctr);

/* ---- GCM (SP 800-38D) --------------------------------------------------- *
 * nonce ("IV" in the standard): 1 to 2^61 - 1 bytes; use 12 unless a protocol
 * says otherwise, and never the same nonce twice under one key: two messages
 * under one nonce give away their difference and the authentication key.
 * tag: 16 bytes, or 4, 8, 12, 13, 14, 15 (short tags invite forgery: read
 * SP 800-38D appendix C). Data: at most 2^36 - 32 bytes. Associated data: at
 * most 2^61 - 1 bytes. */

/* Encrypts `size` bytes from in to out and writes tag_size bytes to tag.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_TAG_SIZE,
 * RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_gcm_seal(const rijn_key *key, uint8_t *out,
                                   uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* Decrypts and verifies. Errors: as above, and RIJN_ERR_TAG: the size bytes of
 * out are zero then (in place, the ciphertext is gone too). */
RIJN_API rijn_status rijn_gcm_open(const rijn_key *key, uint8_t *out,
                                   const uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* A message in pieces: start, ad any number of times, then encrypt any number
 * of times (or decrypt any number of times), then finish (or verify). The
 * pieces may have any sizes. Private; treat as opaque. */
typedef struct rijn_gcm {
    const rijn_key *key;
    rijn_keystream stream;
    uint8_t mask[16];      /* E(K, J0), XORed onto the hash to make the tag */
    uint8_t hash[16];      /* GHASH of all whole blocks so far */
    uint8_t partial[16];   /* the bytes of the block not yet hashed */
    size_t fill;           /* how many */
    uint64_t ad_size;
    uint64_t size;
    int phase;             /* 0: idle, 1: associated data, 2: encrypting, 3: decrypting */
} rijn_gcm;

/* The key must outlive the state. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_NONCE_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_gcm_start(rijn_gcm *gcm, const rijn_key *key,
                                    const uint8_t *nonce, size_t nonce_size);

/* Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_STATE (after data). */
RIJN_API rijn_status rijn_gcm_ad(rijn_gcm *gcm, const uint8_t *ad, size_t size);

/* Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, RIJN_ERR_STATE
 * (not started, finished, or decrypting). */
RIJN_API rijn_status rijn_gcm_encrypt(rijn_gcm *gcm, uint8_t *out, const uint8_t *in, size_t size);

/* As rijn_gcm_encrypt. What it writes is NOT authenticated until
 * rijn_gcm_verify has said RIJN_OK: keep it to yourself, and destroy it when
 * that fails. Prefer rijn_gcm_open. */
RIJN_API rijn_status rijn_gcm_decrypt(rijn_gcm *gcm, uint8_t *out, const uint8_t *in, size_t size);

/* Writes the tag and wipes the state. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE (not started, or decrypting). */
RIJN_API rijn_status rijn_gcm_finish(rijn_gcm *gcm, uint8_t *tag, size_t tag_size);

/* Compares the tag in constant time and wipes the state. Errors:
 * RIJN_ERR_TAG, RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE (not
 * started, or encrypting). */
RIJN_API rijn_status rijn_gcm_verify(rijn_gcm *gcm, const uint8_t *tag, size_t tag_size);

/* Gives up a message. */
RIJN_API void rijn_gcm_wipe(rijn_gcm *gcm);

/* ---- Runs of chunks (C2SP chunked encryption, c2sp.org/chunked-encryption) *
 * Chunk number i of a long message is sealed on its own, with GCM, empty
 * associated data, a 16-byte tag behind its ciphertext, and the nonce
 * `nonce XOR i` (i as a big-endian integer as wide as the nonce). One call
 * handles the chunks number first, first + 1, ... of a run.
 *   chunk   plaintext bytes of a whole chunk, not 0 (C2SP: 16384)
 *   last    0: `size` is a multiple of whole chunks.
 *           1: the run ends the message: after the whole chunks comes one
 *              that is shorter, possibly empty. */

/* Writes size + 16 * chunks bytes to out; out and in must not overlap at all.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE (also when a number passes 2^64 - 1),
 * RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_gcm_seal_chunks(const rijn_key *key, uint8_t *out,
                                          const uint8_t nonce[12], uint64_t first,
                                          size_t chunk, int last,
                                          const uint8_t *in, size_t size);

/* Inverse: `size` counts ciphertext with its tags, so a whole chunk has
 * chunk + 16 bytes and the last one 16 to chunk + 15. Writes size - 16 * chunks
 * bytes to out; out and in must not overlap at all.
 * Errors: as above, and RIJN_ERR_TAG: the whole of out is zeroed then, and
 * *bad (unless bad is NULL) is the number of the first chunk that failed. */
RIJN_API rijn_status rijn_gcm_open_chunks(const rijn_key *key, uint8_t *out, uint64_t *bad,
                                          const uint8_t nonce[12], uint64_t first,
                                          size_t chunk, int last,
                                          const uint8_t *in, size_t size);

#ifdef __cplusplus
}
#endif
#endif
