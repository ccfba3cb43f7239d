/* Rijn: AES at the speed of whatever it runs on.
 * SPDX-License-Identifier: MIT
 *
 * This header is the manual of the C library. It needs nothing but <stddef.h>
 * and <stdint.h>; the library behind it needs nothing but the C library's
 * memcpy, memset, strcmp and (hosted) getenv, and never allocates.
 *
 * Conventions, true of every function unless its comment says otherwise
 *   Sizes      are in bytes.
 *   Pointers   must not be NULL, but a buffer of size 0 may be.
 *   Overlap    `out` and `in` are the same pointer or do not overlap at all;
 *              anything between is refused with RIJN_ERR_OVERLAP. Every seal and
 *              open, runs of chunks too, refuses in the same way an `out` that
 *              shares a byte with tag, nonce or associated data, and a tag that
 *              shares one with `in`. No other two arguments may overlap.
 *   Alignment  none is asked of any buffer.
 *   Errors     every call checks its arguments before it writes. A call that
 *              fails has written nothing, except that one which refuses a tag
 *              or a padding has set `out` to zeros.
 *   Threads    a rijn_key may be used by any number of threads at once once
 *              rijn_key_init has returned. Incremental states (rijn_ctr,
 *              rijn_gcm, ...) belong to one thread at a time.
 *   Secrets    live only in keys, in incremental states and in your own buffers.
 *              A call overwrites the stack that its work used before it returns,
 *              with what the compiler spilled there; registers it does not. (True
 *              of a library that was compiled with optimisation, by gcc or clang.)
 *              Wipe states with their *_wipe functions; their *_finish and
 *              *_verify functions wipe them themselves.
 *
 * Standards: FIPS 197 (AES), NIST SP 800-38A (ECB, CBC, CFB, OFB, CTR), 38B
 * (CMAC), 38C (CCM), 38D (GCM), 38E and IEEE 1619 (XTS), 38F with RFC 3394 and
 * RFC 5649 (KW, KWP), RFC 8452 (GCM-SIV), RFC 5297 (SIV), RFC 7253 (OCB3),
 * RFC 5652 section 6.3 (PKCS #7 padding), c2sp.org/XAES-256-GCM,
 * RFC 10032 (AEGIS).
 */
#ifndef RIJN_H
#define RIJN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef __GNUC__
#  error "Rijn needs gcc or clang, on Windows mingw-w64 or zig cc; MSVC and clang-cl are not supported"
#endif

#define RIJN_VERSION "0.1.0"

/* The structs below, whose memory is the caller's, may change with every minor
 * version before 1.0. So the functions that see them first are called, in the
 * library's symbol table, by their name and this: rijn_key_init_0_1. A program
 * that was compiled with the header of another minor version is not linked, with
 * the static library neither, and the shared one of another minor version does
 * not start it. Who calls without this header, and so lays the structs out
 * otherwise, looks for those names too. */
#define RIJN_STRUCTS "_0_1"

#define RIJN_STRING_(x) #x
#define RIJN_STRING(x) RIJN_STRING_(x)
#define RIJN_WITH_STRUCTS(name) __asm__(RIJN_STRING(__USER_LABEL_PREFIX__) #name RIJN_STRUCTS)

#if !defined(_WIN32)
#  define RIJN_EXPORT __attribute__((visibility("default")))
#elif !defined(RIJN_SHARED) || defined(RIJN_BUILDING) || defined(__i386__)
#  define RIJN_EXPORT /* gcc imports functions that have names of their own only on 64-bit x86 */
#else
#  define RIJN_EXPORT __declspec(dllimport)
#endif

/* Callers on 32-bit x86 may align the stack to 4 bytes only: on Windows, from code of old
 * compilers, or with -mpreferred-stack-boundary=2. The functions below align it to 16, as
 * registers of 16 bytes are saved there. */
#ifdef __i386__
#  define RIJN_REALIGN __attribute__((force_align_arg_pointer))
#else
#  define RIJN_REALIGN
#endif

/* Compilers warn of a call whose result is not used: whoever ignores the status of an open takes
 * every forgery, and whoever ignores the status of a seal sends what the buffer held before. A
 * program may define RIJN_CHECKED as nothing before it includes this header, and gets no warnings. */
#ifndef RIJN_CHECKED
#  define RIJN_CHECKED __attribute__((warn_unused_result))
#endif

#define RIJN_API RIJN_EXPORT RIJN_REALIGN RIJN_CHECKED
#define RIJN_API_VOID RIJN_EXPORT RIJN_REALIGN void

/* ---- Configurations ---------------------------------------------------- *
 * For small machines. Without one, everything is in the library. With one, only what it
 * asks for: a header of the builder's, whose name, quoted, is the macro RIJN_CONFIG_FILE
 * wherever the library's sources and those who include this header are compiled
 * (-DRIJN_CONFIG_FILE='"my_config.h"'); structs are smaller with it. It defines as 1 what
 * is to be there, and may define the rest as 0:
 *
 *   RIJN_WITH_ECB, _CBC, _CTR, _GCM, _GCM_SIV, _XAES, _CCM, _OCB, _EAX, _SIV, _CMAC, _XTS,
 *   _KEYWRAP   the modes of those names; _GCM_PIECES: rijn_gcm, GCM's messages in pieces and
 *              parts; _FEEDBACK: CFB, OFB and IGE; _CHUNKS: runs of chunks.
 *              Some are made of others, which the compiler asks for where they are missing
 *   RIJN_WITH_AEGIS, _AEGIS_X   AEGIS-128L and AEGIS-256, and the four X variants; one that is
 *              not there is RIJN_ERR_UNAVAILABLE
 *   RIJN_WITH_FIXSLICE32, _FIXSLICE64, _TABLE   the backends, of which it needs one. The
 *              first that is constant time is that of keys that name none; where there is but
 *              `table`, a key has to name it
 *   RIJN_WITH_SMALL_KEYS   round keys of 16 bytes in fixslice32 and fixslice64, 240 of an
 *              AES-256 key in place of 512, which take longer to be added
 *   RIJN_WITH_SMALL_CODE   the same bytes from code that has its circuits once and no loop
 *              written out: for fixslice32, as `table` then takes three times as long
 *   RIJN_THUMB2   as 0: fixslice32 without src/arm/thumb2.S, assembly which it is otherwise
 *              linked with on Cortex-M3 and later
 *
 * A function of what is left out is not linked. There are no messages by the batch. */
#ifdef RIJN_CONFIG_FILE
#  include RIJN_CONFIG_FILE
#  if defined(RIJN_WITH_FIXSLICE64) && RIJN_WITH_FIXSLICE64 && \
      !(defined(RIJN_WITH_SMALL_KEYS) && RIJN_WITH_SMALL_KEYS)
#    define RIJN_KEY_WORDS 132u
#  elif defined(RIJN_WITH_TABLE) && RIJN_WITH_TABLE
#    define RIJN_KEY_WORDS 93u
#  elif !(defined(RIJN_WITH_SMALL_KEYS) && RIJN_WITH_SMALL_KEYS)
#    define RIJN_KEY_WORDS 67u
#  else
#    define RIJN_KEY_WORDS 33u
#  endif
#  if defined(RIJN_WITH_FIXSLICE64) && RIJN_WITH_FIXSLICE64
#    define RIJN_AHEAD 64u
#  else
#    define RIJN_AHEAD 32u
#  endif
#  if defined(RIJN_WITH_AEGIS_X) && RIJN_WITH_AEGIS_X
#    define RIJN_AEGIS_STATES 4u
#  else
#    define RIJN_AEGIS_STATES 1u
#  endif
#else
#  define RIJN_KEY_WORDS 160u
#  define RIJN_AHEAD 128u
#  define RIJN_AEGIS_STATES 4u
#endif

#define RIJN_BLOCK_SIZE 16u    /* AES block, IV of CBC, counter block of CTR */
#define RIJN_GCM_TAG_MAX 16u   /* full GCM tag */
#define RIJN_XAES_NONCE_SIZE 24u
#define RIJN_SIV_STRINGS_MAX 126u /* associated strings of SIV, RFC 5297 section 2.6 */

/* What every call that can fail returns. */
typedef enum rijn_status {
    RIJN_OK = 0,
    RIJN_ERR_ARGUMENT,    /* a NULL pointer with a size, or where one is required; a value that
                             is none of those listed */
    RIJN_ERR_KEY_SIZE,    /* key has not one of the sizes of AES, or of the mode */
    RIJN_ERR_NONCE_SIZE,  /* nonce is shorter or longer than the mode allows */
    RIJN_ERR_TAG_SIZE,    /* tag has not one of the mode's sizes, or is short without leave */
    RIJN_ERR_SIZE,        /* data is no whole number of blocks, or beyond the mode's limits */
    RIJN_ERR_OVERLAP,     /* out and in overlap without being the same pointer, or out
                             and another argument at all */
    RIJN_ERR_PADDING,     /* PKCS #7 padding is malformed */
    RIJN_ERR_TAG,         /* authentication failed: altered data, or another key or nonce */
    RIJN_ERR_BACKEND,     /* no backend has that name */
    RIJN_ERR_UNAVAILABLE, /* that backend cannot run on this machine; or none of this build can */
    RIJN_ERR_STATE,       /* key not initialised, or calls of a state out of order */
    RIJN_ERR_EQUAL_HALVES, /* the two halves of an XTS key are equal */
    RIJN_ERR_ENVIRONMENT, /* RIJN_BACKEND names a backend that is not constant time */
    RIJN_ERR_RANDOM       /* the operating system gives no random bytes, or there is none */
} rijn_status;

/* A sentence for a status, without a final period. Never NULL. */
RIJN_API const char *rijn_status_text(rijn_status status);

/* The version of the library that is linked, "major.minor.patch". */
RIJN_API const char *rijn_version(void);

/* ---- Backends ---------------------------------------------------------- */

/* One backend of the ladder: one implementation of everything below. */
typedef struct rijn_backend_info {
    const char *name;     /* as given to rijn_key_init */
    const char *summary;  /* one line */
    const char *reason;   /* why it cannot run here; "" when it can */
    int available;        /* 1: this CPU and operating system can run it */
    int constant_time;    /* 1: no branch or address depends on key or data (docs/claims.md: on what grounds) */
    int automatic;        /* 1: may be chosen here without being named */
    unsigned blocks;      /* AES blocks in flight at full speed */
} rijn_backend_info;

/* The number of backends compiled in, available or not. */
RIJN_API size_t rijn_backend_count(void);

/* Describes backend `index` (0 is the one preferred most).
 * Errors: RIJN_ERR_ARGUMENT when index >= rijn_backend_count(). */
RIJN_API rijn_status rijn_backend_at(size_t index, rijn_backend_info *info)
    RIJN_WITH_STRUCTS(rijn_backend_at);

/* Writes the names of all backends, separated by single spaces and ended by a
 * NUL, into names[0..size): those that cannot run here stand in parentheses.
 * Made for error messages: "unknown backend; there are: vaes512 vaes256 (aesni-avx) ...".
 * Returns the size needed, NUL included; writes nothing if that exceeds size. */
RIJN_API size_t rijn_backend_names(char *names, size_t size);

/* Sets the backend of keys that are made later with backend == NULL, for the
 * whole process; NULL goes back to the automatic choice.
 * Errors: RIJN_ERR_BACKEND, RIJN_ERR_UNAVAILABLE.
 *
 * It wins over the environment variable RIJN_BACKEND, which is read once, at first
 * need, and may name constant-time backends only: what leaks is asked for in a call,
 * by the program itself. Empty is unset. It is not heeded in a process that has more
 * rights than whoever started it (setuid, setgid, file capabilities), nor by a
 * library built for a system without an environment. */
RIJN_API rijn_status rijn_use_backend(const char *name);

/* ---- Keys --------------------------------------------------------------- */

/* An expanded key with the backend that expanded it; 1.3 KB, with a configuration
 * 280 to 1,072 bytes (sizeof). The caller owns the memory. Its contents are private; it may be copied with memcpy. */
typedef struct rijn_key {
    const struct rijn_backend *backend; /* NULL until initialised and after wiping */
    uint16_t size;                      /* 16, 24 or 32 */
    uint16_t short_tags;                /* 1: rijn_key_allow_short_tags was called */
    uint32_t uses;                      /* what it was expanded for besides encryption */
    uint64_t context[RIJN_KEY_WORDS];
} rijn_key;

/* Expands an AES key of `size` bytes (16, 24 or 32; FIPS 197 section 5.2).
 * backend: a name, or NULL for rijn_use_backend's or RIJN_BACKEND's choice, or
 * failing those the fastest constant-time backend that this machine can run. A build with all
 * backends has one for every machine; a build with some (CMake's RIJN_BACKENDS) may have none, which
 * is RIJN_ERR_UNAVAILABLE.
 * On error *key is left as rijn_key_wipe leaves it, so that using it gives RIJN_ERR_STATE.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_KEY_SIZE, RIJN_ERR_BACKEND (RIJN_BACKEND
 * may be the one that is misspelt), RIJN_ERR_UNAVAILABLE, RIJN_ERR_ENVIRONMENT. */
RIJN_API rijn_status rijn_key_init(rijn_key *key, const uint8_t *bytes, size_t size,
                                   const char *backend) RIJN_WITH_STRUCTS(rijn_key_init);

/* The name of the backend that the key uses; "" when not initialised. */
RIJN_API const char *rijn_key_backend(const rijn_key *key);

/* Lets this key have short tags, which are RIJN_ERR_TAG_SIZE otherwise:
 *
 *                   without leave             with leave also
 *     GCM           12, 13, 14, 15, 16        4, 8
 *     CCM           8, 10, 12, 14, 16         4, 6
 *     OCB3          8 to 16                   1 to 7
 *     EAX, CMAC     8 to 16                   1 to 7
 *
 * A tag of n bytes is forged by one attempt in 2^(8 n); in GCM by one in 2^(8 n)
 * for each block of the message, and each that succeeds tells about the hash key.
 * Read SP 800-38D appendix C, SP 800-38C appendix B.2 or SP 800-38B appendix A
 * first, and keep to their limits. Call it before the key is shared by threads.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_key_allow_short_tags(rijn_key *key);

/* Overwrites the key with zeros, by stores that the compiler keeps. */
RIJN_API_VOID rijn_key_wipe(rijn_key *key);

/* Overwrites any memory with zeros, by stores that the compiler keeps. */
RIJN_API_VOID rijn_wipe(void *memory, size_t size);

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

/* The same with another counter, for formats that have one. Only `width` bits of
 * the block count, and wrap to zero; the others stay as they are.
 *   width    128, 64 or 32
 *   little   0: they are the last ones, a big-endian integer; 1: they are the
 *            first ones, a little-endian integer
 * Errors: as rijn_ctr_crypt; RIJN_ERR_ARGUMENT also for another width, and
 * RIJN_ERR_SIZE for more than 2^width blocks. */
RIJN_API rijn_status rijn_ctr_crypt_width(const rijn_key *key, unsigned width, int little,
                                          const uint8_t counter[16],
                                          uint8_t *out, const uint8_t *in, size_t size);

/* The block that the pieces of a message have begun. Private; treat as opaque. */
typedef struct rijn_partial {
    uint8_t block[16];
    size_t fill;           /* how many bytes of it there are */
} rijn_partial;

/* A counter block and how it counts. Private; treat as opaque. */
typedef struct rijn_counter {
    uint8_t block[16];     /* the next one to encrypt */
    uint8_t hidden;        /* 1: it came from the key, so it is a secret too */
    uint8_t width;         /* how many bytes of it count: 4, 8 or 16 */
    uint8_t little;        /* 1: the first ones, little-endian */
} rijn_counter;

/* Where a keystream stands. Private; treat as opaque. */
typedef struct rijn_keystream {
    rijn_counter next;
    uint8_t ready;         /* bytes at the end of `ahead` not yet used */
    uint8_t ahead[RIJN_AHEAD]; /* keystream of the blocks before `next`, made together */
} rijn_keystream;

typedef struct rijn_ctr {
    const rijn_key *key;
    uint64_t left;         /* bytes until a counter of 32 bits has counted through */
    rijn_keystream stream;
} rijn_ctr;

/* Starts a message; the key must outlive the state. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_ctr_start(rijn_ctr *ctr, const rijn_key *key, const uint8_t counter[16]);

/* The same with a counter as in rijn_ctr_crypt_width. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_ctr_start_width(rijn_ctr *ctr, const rijn_key *key,
                                          unsigned width, int little, const uint8_t counter[16]);

/* Continues it with any number of bytes. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_SIZE (with what came before, more than the 2^32 blocks of a counter of
 * 32 bits, 64 GiB, after which the keystream would come again; wider ones count
 * for centuries), RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_ctr_update(rijn_ctr *ctr, uint8_t *out, const uint8_t *in, size_t size);

/* Goes on so many blocks further on, as for a part of a message that is encrypted in
 * several threads: each has a state, and has skipped what the others do. Errors:
 * RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE (as rijn_ctr_update), RIJN_ERR_STATE (what came
 * before was no multiple of 16 bytes, too). */
RIJN_API rijn_status rijn_ctr_skip(rijn_ctr *ctr, uint64_t blocks);
RIJN_API_VOID rijn_ctr_wipe(rijn_ctr *ctr);

/* ---- GCM (SP 800-38D) --------------------------------------------------- *
 * nonce ("IV" in the standard): 1 to 2^61 - 1 bytes; use 12 unless a protocol
 * says otherwise, and never the same nonce twice under one key: two messages
 * under one nonce give away their difference and the authentication key.
 * tag: 12, 13, 14, 15 or 16 bytes; also 4 or 8 with rijn_key_allow_short_tags.
 * Data: at most 2^36 - 32 bytes. Associated data: at most 2^61 - 1 bytes. */

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
    uint8_t hash[16];      /* GHASH of all whole blocks so far; XORed onto it, the one begun */
    uint64_t ad_size;
    uint64_t size;
    uint64_t first;        /* of a part: where in its message it begins; else 0 */
    uint32_t fill;         /* how many bytes of that block there are */
    int phase;             /* 0: idle */
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

/* In place of rijn_gcm_encrypt and rijn_gcm_decrypt: takes `size` bytes of ciphertext into
 * the tag, and decrypts nothing. For protocols that know a message to be genuine before
 * any of it is decrypted (with 12 bytes of nonce, by rijn_ctr_crypt_width from the counter
 * nonce || 0, 0, 0, 2, of 32 bits, big-endian). Both rijn_gcm_finish and rijn_gcm_verify
 * may follow. `in` is only read. Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_STATE
 * (not started, finished, encrypting, decrypting, or a part). */
RIJN_API rijn_status rijn_gcm_hash(rijn_gcm *gcm, const uint8_t *in, size_t size);

/* Writes the tag and wipes the state. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE (not started, or decrypting). */
RIJN_API rijn_status rijn_gcm_finish(rijn_gcm *gcm, uint8_t *tag, size_t tag_size);

/* Compares the tag in constant time and wipes the state. Errors:
 * RIJN_ERR_TAG, RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE (not
 * started, or encrypting). */
RIJN_API rijn_status rijn_gcm_verify(rijn_gcm *gcm, const uint8_t *tag, size_t tag_size);

/* Gives up a message. */
RIJN_API_VOID rijn_gcm_wipe(rijn_gcm *gcm);

/* For one message in several threads: a state for those bytes of *gcm's message that begin
 * at `offset`, a multiple of 16 and not 0. *gcm has been started and has had its
 * associated data, and no data yet. The part is continued with rijn_gcm_encrypt or
 * rijn_gcm_decrypt alone, at the same time as *gcm and other parts, and joined to *gcm
 * when that has come to its offset. Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE,
 * RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_gcm_part(rijn_gcm *part, const rijn_gcm *gcm, uint64_t offset);

/* *gcm goes on behind the part, which is wiped. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_STATE (no part, one that begins elsewhere than *gcm ends, one of another key,
 * or one that was encrypted where *gcm is decrypted or the other way round); with an error
 * both stay as they are. */
RIJN_API rijn_status rijn_gcm_join(rijn_gcm *gcm, rijn_gcm *part);

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

/* ---- CFB and OFB (SP 800-38A sections 6.3, 6.4) -------------------------- *
 * Any size. Neither mode authenticates; an IV must never come twice under one
 * key. Messages in pieces go through iv and used:
 *   iv      16 bytes, replaced by what the next call needs
 *   used    NULL, or where the number of bytes of the last block that are done
 *           already (0 to 15) is kept. Start with 0 there, pass both on, and
 *           pieces of any sizes make one message. With NULL the call starts at a
 *           block, and iv can be passed on when size is a multiple of 16.
 * While *used is not 0, iv holds keystream: keep it secret, and wipe it.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE (key not
 * initialised, or *used > 15). */

/* CFB with segments of 128 bits, the last one as short as need be. */
RIJN_API rijn_status rijn_cfb_encrypt(const rijn_key *key, uint8_t iv[16], size_t *used,
                                      uint8_t *out, const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_cfb_decrypt(const rijn_key *key, uint8_t iv[16], size_t *used,
                                      uint8_t *out, const uint8_t *in, size_t size);

/* Encryption and decryption are the same call. */
RIJN_API rijn_status rijn_ofb_crypt(const rijn_key *key, uint8_t iv[16], size_t *used,
                                    uint8_t *out, const uint8_t *in, size_t size);

/* CFB with segments of 8 bits: one run of the cipher for every byte. iv: 16
 * bytes, replaced by the last 16 bytes of iv || ciphertext, so that consecutive
 * calls of any sizes continue one message. */
RIJN_API rijn_status rijn_cfb8_encrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out,
                                       const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_cfb8_decrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out,
                                       const uint8_t *in, size_t size);

/* ---- IGE (Infinite Garble Extension; as OpenSSL and Telegram have it) ---- *
 * C[i] = E(P[i] ^ C[i-1]) ^ P[i-1]. size is a multiple of 16, else RIJN_ERR_SIZE.
 * iv: 32 bytes, C[-1] || P[-1], replaced by the last blocks of both (left alone
 * when size is 0), so that consecutive calls continue one message. It does not
 * authenticate. Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE too. */

RIJN_API rijn_status rijn_ige_encrypt(const rijn_key *key, uint8_t iv[32], uint8_t *out,
                                      const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_ige_decrypt(const rijn_key *key, uint8_t iv[32], uint8_t *out,
                                      const uint8_t *in, size_t size);

/* ---- XTS (IEEE 1619, SP 800-38E) ----------------------------------------- *
 * For the sectors of a disk: as many bytes out as in, and no authentication. */

/* Private, as rijn_key; it may be copied with memcpy. */
typedef struct rijn_xts_key {
    rijn_key data;
    rijn_key tweak;
} rijn_xts_key;

/* bytes: 32 or 64, the key for the data and then the one for the tweak, each for
 * AES-128 or AES-256; they must differ (FIPS 140-3 implementation guidance
 * C.I; compared in constant time). backend: as for rijn_key_init. On error *key is
 * left wiped. Errors: those of rijn_key_init, and RIJN_ERR_EQUAL_HALVES. */
RIJN_API rijn_status rijn_xts_key_init(rijn_xts_key *key, const uint8_t *bytes, size_t size,
                                       const char *backend) RIJN_WITH_STRUCTS(rijn_xts_key_init);
RIJN_API_VOID rijn_xts_key_wipe(rijn_xts_key *key);

/* One data unit (sector). tweak: 16 bytes, as a rule the number of the unit as a
 * little-endian integer. size: 16 to 2^24, else RIJN_ERR_SIZE; when it is no
 * multiple of 16, the last two blocks share bytes (ciphertext stealing). Errors:
 * RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE too. */
RIJN_API rijn_status rijn_xts_encrypt(const rijn_xts_key *key, const uint8_t tweak[16],
                                      uint8_t *out, const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_xts_decrypt(const rijn_xts_key *key, const uint8_t tweak[16],
                                      uint8_t *out, const uint8_t *in, size_t size);

/* A part of a data unit, for one unit in several threads: the `size` bytes of it that begin at
 * `offset`, a multiple of 16; in and out point at the part. A size that is no multiple of 16
 * is the end of the unit. Large parts: an offset may take 10 microseconds by itself. Errors: as
 * above; RIJN_ERR_SIZE is for offset + size over 2^24 too. */
RIJN_API rijn_status rijn_xts_encrypt_part(const rijn_xts_key *key, const uint8_t tweak[16],
                                           size_t offset, uint8_t *out, const uint8_t *in,
                                           size_t size);
RIJN_API rijn_status rijn_xts_decrypt_part(const rijn_xts_key *key, const uint8_t tweak[16],
                                           size_t offset, uint8_t *out, const uint8_t *in,
                                           size_t size);

/* ---- CMAC (SP 800-38B, RFC 4493) ----------------------------------------- *
 * Tags have 8 to 16 bytes, or 1 to 16 with rijn_key_allow_short_tags, else
 * RIJN_ERR_TAG_SIZE; shorter ones are beginnings of longer ones. */

/* Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_cmac(const rijn_key *key, uint8_t *tag, size_t tag_size,
                               const uint8_t *in, size_t size);

/* A message in pieces of any sizes. Private; it may be copied with memcpy. */
typedef struct rijn_cmac_state {
    const rijn_key *key;
    uint8_t zero[16];      /* E(K, 0^128), of which the subkeys are multiples */
    uint8_t chain[16];     /* CBC-MAC of all blocks before the last one so far */
    rijn_partial last;     /* the last block so far, whole or not */
} rijn_cmac_state;

/* The key must outlive the state. Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_cmac_start(rijn_cmac_state *cmac, const rijn_key *key);

/* Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_STATE (not started, or finished). */
RIJN_API rijn_status rijn_cmac_update(rijn_cmac_state *cmac, const uint8_t *in, size_t size);

/* Writes the tag and wipes the state. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_cmac_finish(rijn_cmac_state *cmac, uint8_t *tag, size_t tag_size);

/* Compares the tag in constant time and wipes the state. Errors: RIJN_ERR_TAG,
 * RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_cmac_verify(rijn_cmac_state *cmac, const uint8_t *tag, size_t tag_size);

/* Gives up a message. */
RIJN_API_VOID rijn_cmac_wipe(rijn_cmac_state *cmac);

/* ---- Authenticated encryption: what the algorithms below share ----------- *
 *   NAME_seal   encrypts `size` bytes from in to out and writes tag_size bytes to
 *               tag. Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_KEY_SIZE (the mode is
 *               not for such keys), RIJN_ERR_NONCE_SIZE, RIJN_ERR_TAG_SIZE,
 *               RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, RIJN_ERR_STATE.
 *   NAME_open   decrypts and verifies. Errors: as above, and RIJN_ERR_TAG: the
 *               size bytes of out are zero then (in place, the ciphertext is
 *               gone too).
 * Their arguments are those of rijn_gcm_seal and rijn_gcm_open. A nonce must
 * never come twice under one key, but for SIV and GCM-SIV, where no more is given
 * away by it than that two messages are the same. */

/* ---- GCM-SIV (RFC 8452) --------------------------------------------------- *
 * key: the key-generating key, 16 or 32 bytes. nonce: 12 bytes. tag: 16 bytes.
 * Data and associated data: at most 2^36 bytes each. */

RIJN_API rijn_status rijn_gcm_siv_seal(const rijn_key *key, uint8_t *out,
                                       uint8_t *tag, size_t tag_size,
                                       const uint8_t *nonce, size_t nonce_size,
                                       const uint8_t *ad, size_t ad_size,
                                       const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_gcm_siv_open(const rijn_key *key, uint8_t *out,
                                       const uint8_t *tag, size_t tag_size,
                                       const uint8_t *nonce, size_t nonce_size,
                                       const uint8_t *ad, size_t ad_size,
                                       const uint8_t *in, size_t size);

/* ---- XAES-256-GCM (c2sp.org/XAES-256-GCM) --------------------------------- *
 * GCM with a nonce of 24 bytes, which may be drawn at random for 2^80 messages.
 * key: 32 bytes. tag: 16 bytes. Data and associated data: as GCM. It does not
 * commit to the key (the optional key commitment is not written). */

RIJN_API rijn_status rijn_xaes_seal(const rijn_key *key, uint8_t *out,
                                    uint8_t *tag, size_t tag_size,
                                    const uint8_t *nonce, size_t nonce_size,
                                    const uint8_t *ad, size_t ad_size,
                                    const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_xaes_open(const rijn_key *key, uint8_t *out,
                                    const uint8_t *tag, size_t tag_size,
                                    const uint8_t *nonce, size_t nonce_size,
                                    const uint8_t *ad, size_t ad_size,
                                    const uint8_t *in, size_t size);

/* The AES-256-GCM key that belongs to a nonce. A message in pieces is made with
 * this key, rijn_gcm_start and the 12 bytes at nonce + 12; wipe the key with
 * rijn_key_wipe. Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_KEY_SIZE, RIJN_ERR_STATE;
 * *derived is left wiped then. */
RIJN_API rijn_status rijn_xaes_derive(rijn_key *derived, const rijn_key *key,
                                      const uint8_t nonce[24]);

/* ---- SIV (RFC 5297) ------------------------------------------------------- *
 * Deterministic: the same message with the same associated strings gives the
 * same ciphertext. For a nonce, make it the last of the strings (section 3). */

/* Private, as rijn_key; it may be copied with memcpy. */
typedef struct rijn_siv_key {
    rijn_key mac;
    rijn_key ctr;
} rijn_siv_key;

/* bytes: 32, 48 or 64, the key for CMAC and then the one for CTR. backend: as for
 * rijn_key_init, whose errors these are. On error *key is left wiped. */
RIJN_API rijn_status rijn_siv_key_init(rijn_siv_key *key, const uint8_t *bytes, size_t size,
                                       const char *backend) RIJN_WITH_STRUCTS(rijn_siv_key_init);
RIJN_API_VOID rijn_siv_key_wipe(rijn_siv_key *key);

/* One of the associated strings. */
typedef struct rijn_string {
    const uint8_t *bytes;
    size_t size;
} rijn_string;

/* strings: `count` of them, at most 126 (RIJN_SIV_STRINGS_MAX), each of any size;
 * none and one empty one are not the same. tag: 16 bytes, the synthetic IV; the
 * ciphertext of the RFC is tag || out. Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE,
 * RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_siv_seal(const rijn_siv_key *key, uint8_t *out, uint8_t tag[16],
                                   const rijn_string *strings, size_t count,
                                   const uint8_t *in, size_t size);

/* Inverse. Errors: as above, and RIJN_ERR_TAG: the size bytes of out are zero. */
RIJN_API rijn_status rijn_siv_open(const rijn_siv_key *key, uint8_t *out, const uint8_t tag[16],
                                   const rijn_string *strings, size_t count,
                                   const uint8_t *in, size_t size);

/* ---- CCM (SP 800-38C, RFC 3610) ------------------------------------------- *
 * nonce: n = 7 to 13 bytes. tag: 8, 10, 12, 14 or 16 bytes; also 4 or 6 with
 * rijn_key_allow_short_tags. Data: fewer than 2^(8 * (15 - n)) bytes. Associated
 * data: at most 2^61 - 1 bytes. */

RIJN_API rijn_status rijn_ccm_seal(const rijn_key *key, uint8_t *out,
                                   uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_ccm_open(const rijn_key *key, uint8_t *out,
                                   const uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* ---- OCB3 (RFC 7253) ------------------------------------------------------ *
 * nonce: 1 to 15 bytes. tag: 8 to 16 bytes, of which the RFC names 8, 12 and 16;
 * 1 to 16 with rijn_key_allow_short_tags. The size of the tag is part of the nonce,
 * so to say: a shorter tag is not the beginning of a longer one. Data and associated
 * data: at most 2^36 bytes each. RFC 7253 section 5.1 asks for another key after 2^48
 * blocks. */

RIJN_API rijn_status rijn_ocb_seal(const rijn_key *key, uint8_t *out,
                                   uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_ocb_open(const rijn_key *key, uint8_t *out,
                                   const uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* How far a chain of offsets has come, and what was summed up on the way. */
typedef struct rijn_ocb_sum {
    uint8_t offset[16];
    uint8_t sum[16];       /* of the plaintext, or of what associated data became */
    uint64_t blocks;
} rijn_ocb_sum;

/* A message in pieces, as with rijn_gcm. Pieces of associated data may have any
 * sizes; pieces of data are multiples of 16 bytes, but for the last one.
 * Private; treat as opaque. */
typedef struct rijn_ocb {
    uint8_t deltas[512];   /* of the offsets in a batch; a backend uses the first blocks * 16 */
    const rijn_key *key;
    uint8_t l_star[16];    /* L_* of RFC 7253 section 4.1 */
    uint8_t l_batch[16];   /* L_i there, where 2^i blocks are a batch */
    rijn_ocb_sum ad;
    rijn_ocb_sum data;
    rijn_partial partial;  /* associated data that are no whole block yet */
    size_t tag_size;
    int phase;             /* as rijn_gcm's */
} rijn_ocb;

/* The key must outlive the state. The size of the tag is chosen here. Errors:
 * RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_ocb_start(rijn_ocb *ocb, const rijn_key *key, size_t tag_size,
                                    const uint8_t *nonce, size_t nonce_size);

/* Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_STATE (after data). */
RIJN_API rijn_status rijn_ocb_ad(rijn_ocb *ocb, const uint8_t *ad, size_t size);

/* Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, RIJN_ERR_STATE
 * (not started, finished, decrypting, or after a piece that was no multiple of
 * 16). */
RIJN_API rijn_status rijn_ocb_encrypt(rijn_ocb *ocb, uint8_t *out, const uint8_t *in, size_t size);

/* As rijn_ocb_encrypt; what it writes is NOT authenticated: see rijn_gcm_decrypt. */
RIJN_API rijn_status rijn_ocb_decrypt(rijn_ocb *ocb, uint8_t *out, const uint8_t *in, size_t size);

/* Writes the tag, of the size given to rijn_ocb_start, and wipes the state.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_STATE (not started, or decrypting). */
RIJN_API rijn_status rijn_ocb_finish(rijn_ocb *ocb, uint8_t *tag);

/* Compares the tag in constant time and wipes the state. Errors: RIJN_ERR_TAG,
 * RIJN_ERR_ARGUMENT, RIJN_ERR_STATE (not started, or encrypting). */
RIJN_API rijn_status rijn_ocb_verify(rijn_ocb *ocb, const uint8_t *tag);

/* Gives up a message. */
RIJN_API_VOID rijn_ocb_wipe(rijn_ocb *ocb);

/* ---- EAX (Bellare, Rogaway and Wagner, FSE 2004) -------------------------- *
 * nonce: 0 to 2^61 - 1 bytes. tag: 8 to 16 bytes, or 1 to 16 with
 * rijn_key_allow_short_tags; shorter ones are beginnings of longer ones. Data and
 * associated data: at most 2^61 - 1 bytes each. */

RIJN_API rijn_status rijn_eax_seal(const rijn_key *key, uint8_t *out,
                                   uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_eax_open(const rijn_key *key, uint8_t *out,
                                   const uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* A message in pieces of any sizes, as with rijn_gcm. Private; treat as opaque. */
typedef struct rijn_eax {
    rijn_cmac_state ad;    /* OMAC^1 of the associated data */
    rijn_cmac_state data;  /* OMAC^2 of the ciphertext */
    uint8_t nonce[16];     /* OMAC^0 of the nonce */
    uint8_t counter[16];   /* the counter block to encrypt next */
    uint8_t keystream[16]; /* of the block that the data have begun */
    uint64_t ad_size;
    uint64_t size;
    int phase;             /* as rijn_gcm's */
} rijn_eax;

/* The key must outlive the state. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_NONCE_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_eax_start(rijn_eax *eax, const rijn_key *key,
                                    const uint8_t *nonce, size_t nonce_size);

/* Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_STATE (after data). */
RIJN_API rijn_status rijn_eax_ad(rijn_eax *eax, const uint8_t *ad, size_t size);

/* Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, RIJN_ERR_STATE
 * (not started, finished, or decrypting). */
RIJN_API rijn_status rijn_eax_encrypt(rijn_eax *eax, uint8_t *out, const uint8_t *in, size_t size);

/* As rijn_eax_encrypt; what it writes is NOT authenticated: see rijn_gcm_decrypt. */
RIJN_API rijn_status rijn_eax_decrypt(rijn_eax *eax, uint8_t *out, const uint8_t *in, size_t size);

/* Writes the tag and wipes the state. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE (not started, or decrypting). */
RIJN_API rijn_status rijn_eax_finish(rijn_eax *eax, uint8_t *tag, size_t tag_size);

/* Compares the tag in constant time and wipes the state. Errors:
 * RIJN_ERR_TAG, RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE (not
 * started, or encrypting). */
RIJN_API rijn_status rijn_eax_verify(rijn_eax *eax, const uint8_t *tag, size_t tag_size);

/* Gives up a message. */
RIJN_API_VOID rijn_eax_wipe(rijn_eax *eax);

/* ---- Key wrap (SP 800-38F sections 6.2, 6.3; RFC 3394, RFC 5649) ---------- *
 * For keys, and for little else: six runs of the cipher for every 8 bytes, one
 * after the other. The default initial values of the RFCs. Errors of all four:
 * RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, RIJN_ERR_STATE. Where more
 * bytes are written than read, those count for the overlap too. */

/* KW. size: a multiple of 8, at least 16 (and below 2^57). Writes size + 8 bytes
 * to out. */
RIJN_API rijn_status rijn_kw_wrap(const rijn_key *key, uint8_t *out,
                                  const uint8_t *in, size_t size);

/* Inverse. size: a multiple of 8, at least 24. Writes size - 8 bytes to out.
 * Errors: also RIJN_ERR_TAG (out is zeroed). */
RIJN_API rijn_status rijn_kw_unwrap(const rijn_key *key, uint8_t *out,
                                    const uint8_t *in, size_t size);

/* KWP. size: 1 to 2^32 - 1. Writes the next multiple of 8, and 8 more bytes, to
 * out. */
RIJN_API rijn_status rijn_kwp_wrap(const rijn_key *key, uint8_t *out,
                                   const uint8_t *in, size_t size);

/* Inverse. size: a multiple of 8, at least 16 (and at most 2^32 + 8). Writes
 * size - 8 bytes to out, of which the first *plain_size are the key and the others
 * zero. The padding is examined in constant time. Errors: also RIJN_ERR_TAG
 * (out is zeroed, *plain_size is 0). */
RIJN_API rijn_status rijn_kwp_unwrap(const rijn_key *key, uint8_t *out, size_t *plain_size,
                                     const uint8_t *in, size_t size);

/* ---- AEGIS (RFC 10032) --------------------------------------------------- *
 * Authenticated encryption out of single AES rounds: a large state instead of a
 * key schedule, one pass, no hash of its own. Six variants: 128 or 256 is the
 * key size in bits; 128X2, 128X4, 256X2 and 256X4 are 2 or 4 states side by side
 * for wide registers. The variants do not read each other's messages.
 *
 *                  128L, 128X2, 128X4          256, 256X2, 256X4
 *     key, nonce   16 bytes each               32 bytes each
 *     tag          16 or 32 bytes, of every variant
 *     data         at most 2^61 - 1 bytes, associated data likewise
 *
 * Never the same nonce twice under one key, whatever the size of the tag: two
 * messages under one nonce give away their difference at once and the state in
 * the end. Nonces made at random do for 2^48 messages under a 128-bit key, and
 * without practical limit under a 256-bit key (section "Key and Nonce
 * Selection" of RFC 10032). A tag of 32 bytes commits to the key better than one
 * of 16 and is as fast. Take 128L, or 256 for nonces at random; X2 and X4 are
 * faster where AES instructions are 256 or 512 bits wide, for those who agree. */

typedef enum rijn_aegis_variant {
    RIJN_AEGIS_128L = 0,
    RIJN_AEGIS_128X2,
    RIJN_AEGIS_128X4,
    RIJN_AEGIS_256,
    RIJN_AEGIS_256X2,
    RIJN_AEGIS_256X4
} rijn_aegis_variant;

#define RIJN_AEGIS_VARIANTS 6u    /* they are numbered from 0 */
#define RIJN_AEGIS_KEY_MAX 32u    /* bytes of the longest key and nonce */
#define RIJN_AEGIS_TAG_MAX 32u

/* The name in RFC 10032, "AEGIS-128L" to "AEGIS-256X4"; "" for any other value. */
RIJN_API const char *rijn_aegis_name(rijn_aegis_variant variant);

/* The bytes of a key and of a nonce, 16 or 32; 0 for any other value. */
RIJN_API size_t rijn_aegis_key_size(rijn_aegis_variant variant);

/* A kernel: one implementation of the six variants. A backend may have several, for CPUs
 * that can do more than it asks for. */
typedef struct rijn_aegis_kernel_info {
    const char *name;     /* as given to rijn_aegis_key_init, "aesni-avx128" */
    const char *backend;  /* whose it is, "aesni" */
    const char *summary;  /* one line */
    const char *reason;   /* why it cannot run here; "" when it can */
    int available;        /* 1: this CPU and operating system can run it */
} rijn_aegis_kernel_info;

/* The number of kernels compiled in, available or not. */
RIJN_API size_t rijn_aegis_kernel_count(void);

/* Describes kernel `index`. Those of one backend stand in the order in which they are
 * preferred: its keys get the first that is available.
 * Errors: RIJN_ERR_ARGUMENT when index >= rijn_aegis_kernel_count(). */
RIJN_API rijn_status rijn_aegis_kernel_at(size_t index, rijn_aegis_kernel_info *info)
    RIJN_WITH_STRUCTS(rijn_aegis_kernel_at);

/* A key with its variant and its kernel; 48 bytes. The caller owns the memory.
 * Its contents are private; it may be copied with memcpy, and used by any number
 * of threads at once once rijn_aegis_key_init has returned. */
typedef struct rijn_aegis_key {
    const struct rijn_aegis_kernel *kernel; /* NULL until initialised and after wiping */
    const struct rijn_aegis_code *code;     /* the variant, by that kernel */
    uint8_t bytes[32];
} rijn_aegis_key;

/* bytes: `size` of them, which must be rijn_aegis_key_size(variant).
 * backend: as for rijn_key_init, or the name of a kernel. A name that both a backend
 * and a kernel have is the backend's.
 * On error *key is left as rijn_aegis_key_wipe leaves it.
 * Errors: RIJN_ERR_ARGUMENT (also: no such variant), RIJN_ERR_KEY_SIZE,
 * RIJN_ERR_BACKEND, RIJN_ERR_UNAVAILABLE, RIJN_ERR_ENVIRONMENT. */
RIJN_API rijn_status rijn_aegis_key_init(rijn_aegis_key *key, rijn_aegis_variant variant,
                                         const uint8_t *bytes, size_t size,
                                         const char *backend)
    RIJN_WITH_STRUCTS(rijn_aegis_key_init);

/* The name of the backend that the key uses; "" when not initialised. */
RIJN_API const char *rijn_aegis_key_backend(const rijn_aegis_key *key);

/* The name of the kernel that the key uses; "" when not initialised. */
RIJN_API const char *rijn_aegis_key_kernel(const rijn_aegis_key *key);

/* Overwrites the key with zeros, by stores that the compiler keeps. */
RIJN_API_VOID rijn_aegis_key_wipe(rijn_aegis_key *key);

/* Encrypts `size` bytes from in to out and writes tag_size bytes, 16 or 32, to
 * tag. nonce_size is the size of the key.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_TAG_SIZE,
 * RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_aegis_seal(const rijn_aegis_key *key, uint8_t *out,
                                     uint8_t *tag, size_t tag_size,
                                     const uint8_t *nonce, size_t nonce_size,
                                     const uint8_t *ad, size_t ad_size,
                                     const uint8_t *in, size_t size);

/* Decrypts and verifies. Errors: as above, and RIJN_ERR_TAG: the size bytes of
 * out are zero then (in place, the ciphertext is gone too). */
RIJN_API rijn_status rijn_aegis_open(const rijn_aegis_key *key, uint8_t *out,
                                     const uint8_t *tag, size_t tag_size,
                                     const uint8_t *nonce, size_t nonce_size,
                                     const uint8_t *ad, size_t ad_size,
                                     const uint8_t *in, size_t size);

/* A message in pieces: start, ad any number of times, then encrypt any number
 * of times (or decrypt any number of times), then finish (or verify). The pieces
 * may have any sizes, and each is answered with as many bytes. The key is needed
 * by start alone. A state may be copied with memcpy: both copies continue from
 * where it stood. Private; treat as opaque; 672 bytes. */
typedef struct rijn_aegis {
    const struct rijn_aegis_code *code;
    uint64_t ad_size;
    uint64_t size;
    int phase;             /* as rijn_gcm's */
    uint64_t state[16 * RIJN_AEGIS_STATES]; /* the blocks, as the backend arranges them */
    uint8_t partial[32 * RIJN_AEGIS_STATES]; /* the input that does not yet fill a unit of the variant */
} rijn_aegis;

/* Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_aegis_start(rijn_aegis *aegis, const rijn_aegis_key *key,
                                      const uint8_t *nonce, size_t nonce_size);

/* Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_STATE (after data). */
RIJN_API rijn_status rijn_aegis_ad(rijn_aegis *aegis, const uint8_t *ad, size_t size);

/* Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, RIJN_ERR_STATE
 * (not started, finished, decrypting, or a MAC). */
RIJN_API rijn_status rijn_aegis_encrypt(rijn_aegis *aegis, uint8_t *out, const uint8_t *in,
                                        size_t size);

/* As rijn_aegis_encrypt. What it writes is NOT authenticated until
 * rijn_aegis_verify has said RIJN_OK: keep it to yourself, and destroy it when
 * that fails. Prefer rijn_aegis_open. */
RIJN_API rijn_status rijn_aegis_decrypt(rijn_aegis *aegis, uint8_t *out, const uint8_t *in,
                                        size_t size);

/* Writes the tag and wipes the state. Errors: RIJN_ERR_ARGUMENT,
 * RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE (not started, decrypting, or a MAC). */
RIJN_API rijn_status rijn_aegis_finish(rijn_aegis *aegis, uint8_t *tag, size_t tag_size);

/* Compares the tag in constant time and wipes the state. Errors:
 * RIJN_ERR_TAG, RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE (not
 * started, encrypting, or a MAC). */
RIJN_API rijn_status rijn_aegis_verify(rijn_aegis *aegis, const uint8_t *tag, size_t tag_size);

/* Gives up a message or a MAC. */
RIJN_API_VOID rijn_aegis_wipe(rijn_aegis *aegis);

/* AEGISMAC: a tag of data that stays as it is (section "AEGIS as a Message
 * Authentication Code" of RFC 10032). Here, and only here, one nonce may serve
 * many messages under one key; but use that key for nothing else. The tag is no
 * hash to be derived from: whoever knows the key finds collisions.
 * tag: 16 or 32 bytes. Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE,
 * RIJN_ERR_TAG_SIZE, RIJN_ERR_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_aegis_mac(const rijn_aegis_key *key, uint8_t *tag, size_t tag_size,
                                    const uint8_t *nonce, size_t nonce_size,
                                    const uint8_t *in, size_t size);

/* The same in pieces, in a rijn_aegis of its own (copied after mac_start, it
 * begins many messages at the price of one): mac_start, mac_update any number of
 * times, then mac_finish or mac_verify. Errors: as rijn_aegis_start, _ad,
 * _finish and _verify; the calls of a message and those of a MAC refuse each
 * other's states with RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_aegis_mac_start(rijn_aegis *mac, const rijn_aegis_key *key,
                                          const uint8_t *nonce, size_t nonce_size);
RIJN_API rijn_status rijn_aegis_mac_update(rijn_aegis *mac, const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_aegis_mac_finish(rijn_aegis *mac, uint8_t *tag, size_t tag_size);
RIJN_API rijn_status rijn_aegis_mac_verify(rijn_aegis *mac, const uint8_t *tag,
                                           size_t tag_size);

/* The first `size` bytes of the keystream of (key, nonce): `size` zeros
 * encrypted without associated data (section "AEGIS as a Stream Cipher"). It
 * protects nothing against alteration, and it is the start of what
 * rijn_aegis_seal would use under the same nonce: use it as a generator, under a
 * key of its own. Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE,
 * RIJN_ERR_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_aegis_unauthenticated_keystream(const rijn_aegis_key *key,
                                                          uint8_t *out, size_t size,
                                                          const uint8_t *nonce,
                                                          size_t nonce_size);

/* Runs of chunks, as rijn_gcm_seal_chunks and rijn_gcm_open_chunks: each chunk is
 * sealed with empty associated data, a tag of 16 bytes and the nonce `nonce XOR
 * i`, which is as long as the key. Errors: as there. */
RIJN_API rijn_status rijn_aegis_seal_chunks(const rijn_aegis_key *key, uint8_t *out,
                                            const uint8_t *nonce, uint64_t first,
                                            size_t chunk, int last,
                                            const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_aegis_open_chunks(const rijn_aegis_key *key, uint8_t *out,
                                            uint64_t *bad, const uint8_t *nonce,
                                            uint64_t first, size_t chunk, int last,
                                            const uint8_t *in, size_t size);

/* ---- Many messages, one call ---------------------------------------------- *
 * A column of messages under one key, sealed or opened by one call: for tables,
 * batches of records, queues. Each message is by itself what the one-message
 * function makes of it, and may be opened by that; messages have any sizes, and one
 * that is refused changes nothing for the others. What one call saves is the calls, and on
 * most machines the waiting of short messages for themselves: several are under way
 * at once, in the lanes of one vector where it has them.
 *
 *     rijn_many many = {.key = &key, .count = n,
 *                       .in = {.data = text, .size = text_size, .offsets32 = begins}};
 *     rijn_seal_many_size(&many, &many.out_size);
 *     many.out = malloc(many.out_size);
 *     many.out_offsets32 = malloc((n + 1) * sizeof *many.out_offsets32);
 *     rijn_seal_many(&many);
 *
 * seals with GCM, tags of 16 bytes and random nonces: result i is nonce || ciphertext
 * || tag. To open, `in` is those results:
 *
 *     rijn_many open = {.key = &key, .count = n, .failed = bits,    (n + 7) / 8 bytes
 *                       .in = {.data = many.out, .size = many.out_size,
 *                              .offsets32 = many.out_offsets32}};
 *     rijn_open_many_size(&open, &open.out_size);
 *     open.out = malloc(open.out_size);
 *     open.out_offsets32 = malloc((n + 1) * sizeof *open.out_offsets32);
 *     rijn_open_many(&open, &failures);
 *
 * What is left zero in a rijn_many is as one wants it as a rule. examples/many.c is the
 * whole program.
 *
 * Results stand one behind the other in `out`, from byte out_start on, and the offsets
 * say where each begins and the last one ends:
 *
 *     GCM, GCM_SIV, XAES, CCM, OCB, EAX, AEGIS   [nonce ||] ciphertext || tag
 *     SIV                                        [nonce ||] tag || ciphertext
 *     CBC, CBC_BLOCKS, CTR                       [nonce ||] ciphertext
 *     CMAC                                       tag
 *
 * Modes
 *   CBC         with PKCS #7 padding, as databases have it; the nonce is the IV. Whether a
 *               padding was right tells an attacker who may ask often enough everything:
 *               authenticate what you decrypt.
 *   CBC_BLOCKS  without: every message is a multiple of 16 bytes.
 *   CTR         the nonce, and zeros up to 16 bytes, is the first counter block. Of n < 16
 *               bytes, a message has at most 16 * 2^(8 * (16 - n)) bytes.
 *   SIV         associated data, unless there are none, are one string, and a nonce, if
 *               nonce_size is not 0, is the last string.
 *   CMAC        the messages are `ad`, which is authenticated and not encrypted. Sealing
 *               makes the tags, and `in` is left zero; opening compares those that are
 *               `in`, and has results of no bytes.
 *
 * Nonces of n bytes each
 *   given       `nonces`: message i has the n bytes at nonces + n * i.
 *   counted     `base`, n bytes: message i has the base with i added to its last 8 bytes, a
 *               big-endian integer (to all of it, where n < 8); the call is refused with
 *               RIJN_ERR_SIZE, before anything is written, if the last message's would wrap.
 *               Not for CBC, whose IV must not be foreseen, nor for CTR with n = 16, where
 *               neighbours would share keystream: RIJN_ERR_ARGUMENT.
 *   random      neither: sealed messages have nonces drawn at random and in front of them;
 *               opened ones have theirs in front. Each call takes 32 bytes of the operating
 *               system and stretches them by AES-256 in counter mode (SP 800-90A's way), under
 *               a key that it forgets. RIJN_ERR_RANDOM where there is no operating system.
 *   prepend_nonce: those given or counted too stand in front of the sealed messages, from
 *               where opening reads them when `nonces` and `base` are NULL.
 *
 * XAES derives one key for all messages whose nonces begin with the same 12 bytes, as counted ones
 * do. Messages in another order are gathered by their keys, 2,048 at a time on the stack, of which
 * such a call takes up to 88 KiB (32 where they are in order); or up to 32,768 at a time, 2 MiB with
 * their results, in memory that the caller lends, `room` (docs/many.md).
 *
 * Overlap: a message may lie exactly where its text stands in its own result (in place: in
 * buffers, or in the column itself for CTR and CBC_BLOCKS, which are no longer than what they
 * are made of), when sealing, and for those two when opening; else it lies apart from all
 * results, and so does everything that is only read. Nothing but `out`, the offsets of the
 * results, `failed`, `room` and what the second argument points at is written.
 *
 * Threads: the library has none of its own. Any number of threads may each do a part of the
 * messages, with one key: in a copy of the rijn_many set `first` to a multiple of 8, `count`,
 * and out_start to where the parts before it end (rijn_seal_many_size of each of these).
 * Parts share no byte that is written. (Not of CBC when opening, where only the work says
 * where a part ends.) */

typedef enum rijn_many_mode {
    RIJN_MANY_GCM = 0,
    RIJN_MANY_GCM_SIV,
    RIJN_MANY_XAES,
    RIJN_MANY_CCM,
    RIJN_MANY_OCB,
    RIJN_MANY_EAX,
    RIJN_MANY_SIV,
    RIJN_MANY_AEGIS,
    RIJN_MANY_CMAC,
    RIJN_MANY_CBC,
    RIJN_MANY_CBC_BLOCKS,
    RIJN_MANY_CTR
} rijn_many_mode;

/* Strings of bytes, in one of two layouts. Zeros alone: none. */
typedef struct rijn_column {
    /* One behind the other (Apache Arrow's binary and large_binary): string i is
     * data[offsets[i] .. offsets[i + 1]). One of the two is there; they never decrease, the
     * first need not be 0, and none is negative or beyond `size`: else RIJN_ERR_ARGUMENT. */
    const uint8_t *data;
    size_t size;
    const int32_t *offsets32;
    const int64_t *offsets64;
    /* Or each in a buffer of its own, which may be NULL where its size is 0. */
    const uint8_t *const *buffers;
    const size_t *sizes;
} rijn_column;

typedef struct rijn_many {
    rijn_many_mode mode;
    const rijn_key *key;             /* of every mode but */
    const rijn_siv_key *siv_key;     /* SIV and */
    const rijn_aegis_key *aegis_key; /* AEGIS */
    size_t tag_size;                 /* as the mode's function takes it; 0: 16 */
    size_t first, count;             /* messages number first, first + 1, …: of all columns,
                                        nonces, offsets and bits below */
    rijn_column in;
    rijn_column ad;                  /* associated data of each; or, with neither offsets nor
                                        buffers, `size` bytes at `data` for all of them */
    const uint8_t *nonces;           /* see above */
    const uint8_t *base;
    size_t nonce_size;               /* 0: 12, or what the mode has: XAES 24, EAX, CBC and CTR
                                        16, AEGIS that of the key, SIV and CMAC none. At most 32 */
    int prepend_nonce;
    uint8_t *out;
    size_t out_size;                 /* bytes at `out`; RIJN_ERR_SIZE where results need more */
    size_t out_start;
    int32_t *out_offsets32;          /* one of them, or none if not asked for: entry i + 1 */
    int64_t *out_offsets64;          /* is written for message i, and entry 0 if `first` is 0 */
    uint8_t *failed;                 /* NULL, or where opening sets bit i % 8 of byte i / 8 if
                                        message i was refused, and clears it if it was not; bits
                                        of the last byte behind the last message are cleared */
    void *room;                      /* NULL, or memory to work in (rijn_many_room), which
                                        XAES uses */
    size_t room_size;                /* bytes at `room`; RIJN_ERR_SIZE where they are too few */
} rijn_many;

/* The bytes that `room` must have for a call of `count` messages, at most 917,527: it is for those of XAES
 * whose nonces begin in many ways, a thousand among some ten thousand messages. A caller with several
 * threads lends each a room of its own. It lies apart from all else, is aligned or not, and what
 * stands there afterwards was made of nonces and sizes alone. */
RIJN_API size_t rijn_many_room(size_t count);

/* The bytes that the results of these messages take in `out`, behind out_start; when opening
 * CBC, at most. Everything is checked that the call itself checks, but for `out`, `room` and
 * their sizes, so these may be left out. Errors: RIJN_ERR_ARGUMENT (no such mode, offsets that lie), RIJN_ERR_STATE,
 * RIJN_ERR_KEY_SIZE, RIJN_ERR_NONCE_SIZE, RIJN_ERR_TAG_SIZE, RIJN_ERR_SIZE (a message beyond the
 * limits of its mode; one that is to be sealed with CBC_BLOCKS and is no multiple of 16; results
 * beyond 2^31 - 1 bytes with out_offsets32; counted nonces that would wrap). */
RIJN_API rijn_status rijn_seal_many_size(const rijn_many *many, size_t *size)
    RIJN_WITH_STRUCTS(rijn_seal_many_size);
RIJN_API rijn_status rijn_open_many_size(const rijn_many *many, size_t *size)
    RIJN_WITH_STRUCTS(rijn_open_many_size);

/* Encrypts. Errors: as above, and RIJN_ERR_OVERLAP, RIJN_ERR_RANDOM; RIJN_ERR_SIZE also for an
 * `out` that is too small. */
RIJN_API rijn_status rijn_seal_many(const rijn_many *many) RIJN_WITH_STRUCTS(rijn_seal_many);

/* Decrypts and verifies. Errors: as above, and RIJN_ERR_TAG when any message was refused
 * (RIJN_ERR_PADDING, of CBC): *failures (unless that is NULL) is how many were, `failed` says
 * which, and their results are zeros (of CBC, empty). All others are there, and genuine. A message
 * that is too short to be one, or of CBC or CBC_BLOCKS no whole number of blocks, is refused as
 * one that is altered, with an empty result. */
RIJN_API rijn_status rijn_open_many(const rijn_many *many, size_t *failures)
    RIJN_WITH_STRUCTS(rijn_open_many);

#ifdef __cplusplus
}
#endif
#endif
