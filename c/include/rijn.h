/* Rijn: fast AES and AEGIS on any CPU.
 * SPDX-License-Identifier: MIT
 *
 * This header is the manual of the C library. It includes only <stddef.h> and <stdint.h>. The
 * library needs a few functions of the C library, which docs/c.md lists. It never allocates memory.
 *
 * Conventions. They hold for every function unless its comment says otherwise.
 *   Sizes      All sizes are in bytes.
 *   Pointers   A pointer must not be NULL. A buffer of size 0 may be NULL.
 *   Overlap    `out` and `in` must be the same pointer or share no byte. In a seal or an open,
 *              also of chunks, `out` must share no byte with tag, nonce or associated data, and
 *              `tag` must share none with `in`. Calls that break these rules return
 *              RIJN_ERR_OVERLAP. Other arguments that are written must overlap none; the library
 *              does not check this. Arguments that are only read may overlap.
 *   Alignment  Buffers may have any alignment.
 *   Errors     Every call checks its arguments before it writes. A call that fails has written
 *              nothing, with these exceptions: if it refuses a tag or a padding, it fills `out`
 *              with zeros; an *_init that fails wipes the key or state; comments name others.
 *              rijn_status below explains the errors. The comment of a function explains an
 *              error again if it has a special cause there.
 *   Threads    Any number of threads may use one key (rijn_key, rijn_xts_key and others) at once
 *              between its *_init and its *_wipe. Functions without a key may run in any threads
 *              at once. An incremental state (rijn_ctr, rijn_gcm, ...) belongs to one thread at a
 *              time.
 *   Secrets    Secrets stay in keys, in incremental states and in your own buffers. Before a
 *              call returns, it overwrites the stack that it used, with the values that the
 *              compiler spilled there. Calls that keep all secrets in registers have nothing to
 *              overwrite. No call clears registers. This is true of a library
 *              that gcc or clang compiled with optimization; docs/claims.md lists the tested ones.
 *              Wipe states with their *_wipe functions. *_finish and *_verify wipe the state
 *              themselves, also on RIJN_ERR_TAG. On another error the state stays as it was.
 *
 * Standards: FIPS 197 (AES); NIST SP 800-38A (ECB, CBC, CFB, OFB, CTR), 38B (CMAC), 38C (CCM),
 * 38D (GCM), 38E and IEEE 1619 (XTS), 38F with RFC 3394 and RFC 5649 (KW, KWP);
 * RFC 8452 (GCM-SIV); RFC 5297 (SIV); RFC 7253 (OCB3); RFC 5652 section 6.3 (PKCS #7 padding);
 * c2sp.org/XAES-256-GCM; RFC 10032 (AEGIS).
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

/* The caller owns the memory of the structs below, and each minor version before 1.0 may change
 * them. So *_key_init, *_at, *_many and *_many_size have the version in the name of their symbol:
 * rijn_key_init_0_1. A program that was compiled with the header of another minor version does
 * not link with the static library. It does not start with the shared library. Callers that do
 * not use this header must look up those names, and lay out the structs as here. */
#define RIJN_STRUCTS "_0_1"

#define RIJN_STRING_(x) #x
#define RIJN_STRING(x) RIJN_STRING_(x)
#define RIJN_WITH_STRUCTS(name) __asm__(RIJN_STRING(__USER_LABEL_PREFIX__) #name RIJN_STRUCTS)

#if !defined(_WIN32)
#  define RIJN_EXPORT __attribute__((visibility("default")))
#elif !defined(RIJN_SHARED) || defined(RIJN_BUILDING) || defined(__i386__)
#  define RIJN_EXPORT /* gcc imports renamed functions only on 64-bit x86 */
#else
#  define RIJN_EXPORT __declspec(dllimport)
#endif

/* On 32-bit x86 a caller may align the stack to 4 bytes only: on Windows, in code of old
 * compilers, or with -mpreferred-stack-boundary=2. The functions below save registers of 16
 * bytes there, so they align the stack to 16. */
#ifdef __i386__
#  define RIJN_REALIGN __attribute__((force_align_arg_pointer))
#else
#  define RIJN_REALIGN
#endif

/* Compilers warn if a call's result is not used. A caller that ignores the status of an open
 * accepts every forgery. A caller that ignores the status of a seal sends the old contents of the
 * buffer. To get no warnings, define RIJN_CHECKED as nothing before you include this header. */
#ifndef RIJN_CHECKED
#  define RIJN_CHECKED __attribute__((warn_unused_result))
#endif

#define RIJN_API RIJN_EXPORT RIJN_REALIGN RIJN_CHECKED
#define RIJN_API_VOID RIJN_EXPORT RIJN_REALIGN void

/* ---- Configurations ---------------------------------------------------- *
 * For small machines. Without a configuration the library contains everything. A configuration
 * is a header of yours that selects parts. Its quoted name is the macro RIJN_CONFIG_FILE:
 * -DRIJN_CONFIG_FILE='"my_config.h"'. Define this macro wherever you compile the library's
 * sources or code that includes this header, because it makes the structs smaller. The
 * configuration defines each part that you want as 1. It may define the others as 0.
 *
 *   RIJN_WITH_ECB, _CBC, _CTR, _GCM, _GCM_SIV, _XAES, _CCM, _OCB, _EAX, _SIV, _CMAC, _XTS,
 *   _KEYWRAP         the modes with these names. Some modes use others. If one is missing, the
 *                    compiler asks for it
 *   RIJN_WITH_GCM_PIECES   rijn_gcm_tag, and rijn_gcm: GCM messages in pieces and in parts
 *   RIJN_WITH_FEEDBACK     CFB, OFB and IGE
 *   RIJN_WITH_CHUNKS       runs of chunks
 *   RIJN_WITH_AEGIS        AEGIS-128L and AEGIS-256
 *   RIJN_WITH_AEGIS_X      the four X variants. A missing variant returns RIJN_ERR_UNAVAILABLE
 *   RIJN_WITH_FIXSLICE32, _FIXSLICE64, _TABLE   the backends; at least one. A key that
 *                    names none gets the first constant-time one. If `table` is the only
 *                    backend, keys must name it
 *   RIJN_WITH_SMALL_KEYS   smaller keys in fixslice32 and fixslice64: round keys of 16 bytes,
 *                    so an AES-256 key has 240 bytes, not 512. Adding them takes longer
 *   RIJN_WITH_SMALL_CODE   less code for the same result: each circuit once, no unrolled loops.
 *                    Meant for fixslice32; `table` takes three times as long with it
 *   RIJN_THUMB2      if 0: fixslice32 without src/arm/thumb2.S, the assembly that it otherwise
 *                    uses on Cortex-M3 and later
 *
 * Functions of missing parts do not link. Batches of messages (rijn_many) are always missing. */
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
#define RIJN_GCM_TAG_MAX 16u   /* a full GCM tag */
#define RIJN_XAES_NONCE_SIZE 24u
#define RIJN_SIV_STRINGS_MAX 126u /* associated strings of SIV, RFC 5297 section 2.6 */

/* The result of every call that can fail. */
typedef enum rijn_status {
    RIJN_OK = 0,
    RIJN_ERR_ARGUMENT,    /* a pointer is NULL although the call needs it, or a
                             parameter has none of the listed values */
    RIJN_ERR_KEY_SIZE,    /* not a key size of AES, or not of this mode */
    RIJN_ERR_NONCE_SIZE,  /* the nonce is too short or too long for the mode */
    RIJN_ERR_TAG_SIZE,    /* not a tag size of this mode, or a short tag without
                             rijn_key_allow_short_tags */
    RIJN_ERR_SIZE,        /* not a whole number of blocks, or beyond the mode's limits */
    RIJN_ERR_OVERLAP,     /* out and in overlap but are different pointers, or out
                             overlaps another argument */
    RIJN_ERR_PADDING,     /* the PKCS #7 padding is malformed */
    RIJN_ERR_TAG,         /* authentication failed: altered data, wrong key or nonce */
    RIJN_ERR_BACKEND,     /* no backend has this name */
    RIJN_ERR_UNAVAILABLE, /* the backend, or every automatic one, cannot run on
                             this machine */
    RIJN_ERR_STATE,       /* the key is not initialized, or calls are out of order */
    RIJN_ERR_EQUAL_HALVES, /* the two halves of an XTS key are equal */
    RIJN_ERR_ENVIRONMENT, /* RIJN_BACKEND names a backend that is not constant-time */
    RIJN_ERR_RANDOM       /* no random bytes from the operating system, or none exists */
} rijn_status;

/* Returns a phrase that describes a status, without a final period. Never NULL. */
RIJN_API const char *rijn_status_text(rijn_status status);

/* Returns the version of the linked library, "major.minor.patch". */
RIJN_API const char *rijn_version(void);

/* ---- Backends ---------------------------------------------------------- */

/* Describes one backend: one implementation of all functions below. */
typedef struct rijn_backend_info {
    const char *name;     /* the name for rijn_key_init */
    const char *summary;  /* one line */
    const char *reason;   /* why it cannot run here; "" when it can */
    int available;        /* 1: this CPU and operating system can run it */
    int constant_time;    /* 1: no branch and no address depends on key or data. The
                             grounds are in docs/claims.md */
    int automatic;        /* 1: a key without a name may get it on this machine */
    unsigned blocks;      /* AES blocks that it processes at once at full speed */
} rijn_backend_info;

/* Returns the number of backends in this build, available or not. */
RIJN_API size_t rijn_backend_count(void);

/* Describes backend `index`. Backend 0 is preferred most.
 * Errors: RIJN_ERR_ARGUMENT (also if index >= rijn_backend_count()). */
RIJN_API rijn_status rijn_backend_at(size_t index, rijn_backend_info *info)
    RIJN_WITH_STRUCTS(rijn_backend_at);

/* Writes the names of all backends, for an error message such as
 * "unknown backend; there are: vaes512 vaes256 (aesni-avx) ...".
 *   names, size   a buffer of `size` bytes. NULL: writes nothing
 * Single spaces separate the names, and a NUL ends them. Parentheses mark backends that cannot
 * run here. Returns the size that is needed, with the NUL. If this exceeds `size`, nothing is
 * written. */
RIJN_API size_t rijn_backend_names(char *names, size_t size);

/* Sets the default backend of this process, for later keys whose `backend` is NULL.
 *   name   a backend. NULL: as if this was never called, so RIJN_BACKEND counts again
 * Errors: RIJN_ERR_BACKEND, RIJN_ERR_UNAVAILABLE.
 *
 * This call takes precedence over the environment variable RIJN_BACKEND. The library reads the
 * variable once, when it first needs it. The variable may name constant-time backends only: a
 * program must ask for other backends in a call. An empty variable counts as unset. The variable
 * is ignored in a process that has more rights than the user who started it (setuid, setgid, file
 * capabilities), and in a library that was built for a system without an environment. */
RIJN_API rijn_status rijn_use_backend(const char *name);

/* ---- Keys --------------------------------------------------------------- */

/* An expanded key and its backend. It has 1.3 KB, or 280 to 1,072 bytes with a configuration
 * (sizeof). The caller owns the memory. The contents are private. memcpy may copy it. */
typedef struct rijn_key {
    const struct rijn_backend *backend; /* NULL before rijn_key_init and after wiping */
    uint16_t size;                      /* 16, 24 or 32 */
    uint16_t short_tags;                /* 1: rijn_key_allow_short_tags was called */
    uint32_t uses;                      /* its purposes besides encryption */
    uint64_t context[RIJN_KEY_WORDS];
} rijn_key;

/* Expands an AES key (FIPS 197 section 5.2).
 *   bytes     the key, `size` bytes: 16, 24 or 32
 *   backend   a name. NULL: the choice of rijn_use_backend, else of RIJN_BACKEND, else the
 *             fastest constant-time backend that this machine can run
 * A build with all backends has a constant-time backend for every machine. A build with some of
 * them (RIJN_BACKENDS of CMake) may have none.
 * On error *key is wiped as by rijn_key_wipe. Calls with it return RIJN_ERR_STATE.
 * Errors:
 *   RIJN_ERR_ARGUMENT
 *   RIJN_ERR_KEY_SIZE
 *   RIJN_ERR_BACKEND       no backend has this name; it may be the name in RIJN_BACKEND
 *   RIJN_ERR_UNAVAILABLE   this backend, or every automatic one, cannot run here
 *   RIJN_ERR_ENVIRONMENT */
RIJN_API rijn_status rijn_key_init(rijn_key *key, const uint8_t *bytes, size_t size,
                                   const char *backend) RIJN_WITH_STRUCTS(rijn_key_init);

/* Returns the name of the key's backend, or "" if the key is not initialized. */
RIJN_API const char *rijn_key_backend(const rijn_key *key);

/* Allows short tags for this key. Without it they return RIJN_ERR_TAG_SIZE.
 *
 *                   always allowed            with this permission also
 *     GCM           12, 13, 14, 15, 16        4, 8
 *     CCM           8, 10, 12, 14, 16         4, 6
 *     OCB3          8 to 16                   1 to 7
 *     EAX, CMAC     8 to 16                   1 to 7
 *
 * One of 2^(8 n) attempts forges a tag of n bytes. In GCM this chance applies to each block
 * of the message, and each forgery reveals something about the hash key. First read SP 800-38D
 * appendix C, SP 800-38C appendix B.2 or SP 800-38B appendix A, and keep to their limits.
 * Call this function before threads share the key.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_key_allow_short_tags(rijn_key *key);

/* Overwrites the key with zeros. The compiler cannot remove these stores. */
RIJN_API_VOID rijn_key_wipe(rijn_key *key);

/* Overwrites `size` bytes of any memory with zeros. The compiler cannot remove these stores. */
RIJN_API_VOID rijn_wipe(void *memory, size_t size);

/* ---- ECB and CBC (SP 800-38A sections 6.1, 6.2) ------------------------- *
 * Neither mode authenticates. ECB is a building block: equal blocks have equal ciphertext. */

/* Encrypts whole blocks with ECB.
 *   out, in   `size` bytes each; `size` is a multiple of 16
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_SIZE   `size` is not a multiple of 16 */
RIJN_API rijn_status rijn_ecb_encrypt(const rijn_key *key, uint8_t *out,
                                      const uint8_t *in, size_t size);

/* Decrypts whole blocks with ECB. Parameters and errors: as rijn_ecb_encrypt. */
RIJN_API rijn_status rijn_ecb_decrypt(const rijn_key *key, uint8_t *out,
                                      const uint8_t *in, size_t size);

/* Encrypts whole blocks with CBC. Consecutive calls continue one message.
 *   iv        16 bytes. The call replaces it with the last ciphertext block, unless `size` is 0
 *   out, in   `size` bytes each; `size` is a multiple of 16
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_SIZE   `size` is not a multiple of 16 */
RIJN_API rijn_status rijn_cbc_encrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out,
                                      const uint8_t *in, size_t size);

/* Decrypts whole blocks with CBC. Parameters and errors: as rijn_cbc_encrypt. */
RIJN_API rijn_status rijn_cbc_decrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out,
                                      const uint8_t *in, size_t size);

/* Encrypts a message of any size with CBC and PKCS #7 padding (RFC 5652 section 6.3).
 *   iv    16 bytes. It is not changed
 *   out   size / 16 * 16 + 16 bytes
 *   in    `size` bytes
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_SIZE   the result does not fit a size_t */
RIJN_API rijn_status rijn_cbc_encrypt_padded(const rijn_key *key, const uint8_t iv[16],
                                             uint8_t *out, const uint8_t *in, size_t size);

/* Decrypts CBC and removes PKCS #7 padding (RFC 5652 section 6.3).
 *   iv           16 bytes. It is not changed
 *   out          room for `size` bytes
 *   plain_size   receives the size of the message, size - 16 to size - 1
 *   in           `size` bytes, a positive multiple of 16
 * The call examines the padding in constant time. But the answer itself is dangerous (a padding
 * oracle): with enough questions, an attacker learns the whole message. Authenticate first.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_SIZE      `size` is 0 or not a multiple of 16
 *   RIJN_ERR_PADDING   the padding is malformed. `out` is filled with zeros, *plain_size is 0 */
RIJN_API rijn_status rijn_cbc_decrypt_padded(const rijn_key *key, const uint8_t iv[16],
                                             uint8_t *out, size_t *plain_size,
                                             const uint8_t *in, size_t size);

/* ---- CTR (SP 800-38A section 6.5) --------------------------------------- *
 * The counter block is one 128-bit big-endian integer. It grows by one per block and wraps to
 * zero. The same call encrypts and decrypts. CTR does not authenticate. */

/* Encrypts or decrypts one message with CTR.
 *   counter   16 bytes, the first counter block
 *   out, in   `size` bytes each
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_ctr_crypt(const rijn_key *key, const uint8_t counter[16],
                                    uint8_t *out, const uint8_t *in, size_t size);

/* Does the same with a counter of `width` bits, for formats that have one. The counter wraps to
 * zero, and the other bits of the block do not change.
 *   width     128, 64 or 32
 *   little    0: the counter is the last bits of the block, a big-endian integer
 *             1: the counter is the first bits of the block, a little-endian integer
 *   counter   16 bytes, the first counter block
 *   out, in   `size` bytes each
 * Errors: RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_ARGUMENT   also for another `width`
 *   RIJN_ERR_SIZE       more than 2^width blocks */
RIJN_API rijn_status rijn_ctr_crypt_width(const rijn_key *key, unsigned width, int little,
                                          const uint8_t counter[16],
                                          uint8_t *out, const uint8_t *in, size_t size);

/* The unfinished block of a message in pieces. Private; treat as opaque. */
typedef struct rijn_partial {
    uint8_t block[16];
    size_t fill;           /* how many of its bytes are filled */
} rijn_partial;

/* A counter block and how it counts. Private; treat as opaque. */
typedef struct rijn_counter {
    uint8_t block[16];     /* the next block to encrypt */
    uint8_t hidden;        /* 1: it is derived from the key, so it is secret too */
    uint8_t width;         /* bytes of the counter: 4, 8 or 16 */
    uint8_t little;        /* 1: the first bytes count, little-endian */
} rijn_counter;

/* A position in a keystream. Private; treat as opaque. */
typedef struct rijn_keystream {
    rijn_counter next;
    uint8_t ready;         /* unused bytes at the end of `ahead` */
    uint8_t ahead[RIJN_AHEAD]; /* keystream of the blocks before `next` */
} rijn_keystream;

typedef struct rijn_ctr {
    const rijn_key *key;
    uint64_t left;         /* bytes until a 32-bit counter is used up */
    rijn_keystream stream;
} rijn_ctr;

/* Starts a CTR message in pieces.
 *   key       must outlive the state
 *   counter   16 bytes, the first counter block
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_ctr_start(rijn_ctr *ctr, const rijn_key *key, const uint8_t counter[16]);

/* Starts a CTR message in pieces, with a counter as in rijn_ctr_crypt_width.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_ctr_start_width(rijn_ctr *ctr, const rijn_key *key,
                                          unsigned width, int little, const uint8_t counter[16]);

/* Encrypts or decrypts the next piece.
 *   out, in   `size` bytes each, of any size
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_SIZE   the message exceeds the 2^32 blocks (64 GiB) of a 32-bit counter, after which
 *                   the keystream would repeat. Wider counters have no such limit: they count for
 *                   centuries */
RIJN_API rijn_status rijn_ctr_update(rijn_ctr *ctr, uint8_t *out, const uint8_t *in, size_t size);

/* Skips `blocks` blocks of 16 bytes. For a message in several threads: each thread has a state,
 * and skips the blocks of the others.
 * Errors: RIJN_ERR_ARGUMENT, and
 *   RIJN_ERR_SIZE    as rijn_ctr_update
 *   RIJN_ERR_STATE   also if the data so far is not a multiple of 16 bytes */
RIJN_API rijn_status rijn_ctr_skip(rijn_ctr *ctr, uint64_t blocks);

/* Copies a message in pieces. Both go on from the same point, each by its own calls. Of two messages
 * that differ after that point, only one may be encrypted: they have the same keystream.
 *   to     the new state. It may be `from`, which then continues with the other key
 *   from   a started message. It does not change
 *   key    the key of `from`, or a copy of this key by memcpy. It must outlive `to`
 * Errors: RIJN_ERR_ARGUMENT, and
 *   RIJN_ERR_STATE   `from` is not started, or `key` is another key */
RIJN_API rijn_status rijn_ctr_copy(rijn_ctr *to, const rijn_ctr *from, const rijn_key *key);

/* Wipes the state. */
RIJN_API_VOID rijn_ctr_wipe(rijn_ctr *ctr);

/* ---- GCM (SP 800-38D) --------------------------------------------------- *
 *   nonce             1 to 2^61 - 1 bytes ("IV" in the standard). Use 12 unless a protocol says
 *                     otherwise
 *   tag               12, 13, 14, 15 or 16 bytes; with rijn_key_allow_short_tags also 4 or 8
 *   data              at most 2^36 - 32 bytes
 *   associated data   at most 2^61 - 1 bytes
 *
 * Never use a nonce twice under one key. Two messages under one nonce reveal their difference and
 * the authentication key. Random nonces of 12 bytes are safe for at most 2^32 messages under a key
 * (SP 800-38D section 8.3). */

/* Encrypts and authenticates a message (SP 800-38D section 7.1).
 *   out, in             `size` bytes each
 *   tag, tag_size       the tag is written here
 *   nonce, nonce_size   new for every message
 *   ad, ad_size         associated data: authenticated, not encrypted
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_TAG_SIZE, RIJN_ERR_SIZE,
 *   RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_gcm_seal(const rijn_key *key, uint8_t *out,
                                   uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* Decrypts and verifies a message (SP 800-38D section 7.2).
 * Parameters: as rijn_gcm_seal, but the call reads the tag.
 * Errors: as rijn_gcm_seal, and
 *   RIJN_ERR_TAG   the message is not authentic. The `size` bytes of `out` are zeros. In place, the
 *                  ciphertext is lost too */
RIJN_API rijn_status rijn_gcm_open(const rijn_key *key, uint8_t *out,
                                   const uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* Computes the tag of a ciphertext, and decrypts nothing (SP 800-38D section 7.2 without steps 4
 * and 8). Use it for protocols that verify a message before they decrypt it.
 *   tag, tag_size   the tag is written here. Compare it in constant time. If the message has another
 *                   tag, keep the computed one secret: it would make the message valid
 *   in              the ciphertext, `size` bytes, only read
 * Other parameters: as rijn_gcm_open. If the nonce has 12 bytes, decrypt with rijn_ctr_crypt_width:
 * width 32, big-endian, counter nonce || 0, 0, 0, 2.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_TAG_SIZE, RIJN_ERR_SIZE,
 *   RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_gcm_tag(const rijn_key *key,
                                  uint8_t *tag, size_t tag_size,
                                  const uint8_t *nonce, size_t nonce_size,
                                  const uint8_t *ad, size_t ad_size,
                                  const uint8_t *in, size_t size);

/* A GCM message in pieces of any size. Call rijn_gcm_start, then rijn_gcm_ad any number of times.
 * Then call rijn_gcm_encrypt any number of times and rijn_gcm_finish, or rijn_gcm_decrypt any
 * number of times and rijn_gcm_verify. Private; treat as opaque. */
typedef struct rijn_gcm {
    const rijn_key *key;
    rijn_keystream stream;
    uint8_t mask[16];      /* E(K, J0), from the first data on; XORed with the hash, it is the tag */
    uint8_t hash[16];      /* GHASH of all whole blocks, XORed with the unfinished block */
    uint64_t ad_size;
    uint64_t size;
    uint64_t first;        /* in a part: its offset in the message; else 0 */
    uint32_t fill;         /* how many bytes of the unfinished block there are, up to 16 */
    int phase;             /* 0: idle */
} rijn_gcm;

/* Starts a message.
 *   key                 must outlive the state
 *   nonce, nonce_size   as for rijn_gcm_seal
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_gcm_start(rijn_gcm *gcm, const rijn_key *key,
                                    const uint8_t *nonce, size_t nonce_size);

/* Adds `size` bytes of associated data.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, and
 *   RIJN_ERR_STATE   not started, after data, or a part */
RIJN_API rijn_status rijn_gcm_ad(rijn_gcm *gcm, const uint8_t *ad, size_t size);

/* Encrypts the next piece.
 *   out, in   `size` bytes each
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, and
 *   RIJN_ERR_STATE   not started, finished, or after rijn_gcm_decrypt or rijn_gcm_hash */
RIJN_API rijn_status rijn_gcm_encrypt(rijn_gcm *gcm, uint8_t *out, const uint8_t *in, size_t size);

/* Decrypts the next piece. Its output is NOT authenticated until rijn_gcm_verify has returned
 * RIJN_OK. Do not release it before, and destroy it if rijn_gcm_verify fails. Prefer rijn_gcm_open.
 *   out, in   `size` bytes each
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, and
 *   RIJN_ERR_STATE   not started, finished, or after rijn_gcm_encrypt or rijn_gcm_hash */
RIJN_API rijn_status rijn_gcm_decrypt(rijn_gcm *gcm, uint8_t *out, const uint8_t *in, size_t size);

/* Authenticates the next piece of ciphertext, and decrypts nothing: rijn_gcm_tag in pieces. Use it
 * instead of rijn_gcm_encrypt and rijn_gcm_decrypt. rijn_gcm_finish or rijn_gcm_verify follows.
 *   in   `size` bytes, only read
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, and
 *   RIJN_ERR_STATE   not started, finished, encrypting, decrypting, or a part */
RIJN_API rijn_status rijn_gcm_hash(rijn_gcm *gcm, const uint8_t *in, size_t size);

/* Ends a message after rijn_gcm_encrypt or rijn_gcm_hash: writes the tag of tag_size bytes, and
 * wipes the state.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, and
 *   RIJN_ERR_STATE   not started, decrypting, or a part */
RIJN_API rijn_status rijn_gcm_finish(rijn_gcm *gcm, uint8_t *tag, size_t tag_size);

/* Ends a message after rijn_gcm_decrypt or rijn_gcm_hash: compares the tag of tag_size bytes in
 * constant time, and wipes the state.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, and
 *   RIJN_ERR_TAG     the message is not authentic
 *   RIJN_ERR_STATE   not started, encrypting, or a part */
RIJN_API rijn_status rijn_gcm_verify(rijn_gcm *gcm, const uint8_t *tag, size_t tag_size);

/* Copies a message in pieces: see rijn_ctr_copy. */
RIJN_API rijn_status rijn_gcm_copy(rijn_gcm *to, const rijn_gcm *from, const rijn_key *key);

/* Abandons a message: wipes the state. */
RIJN_API_VOID rijn_gcm_wipe(rijn_gcm *gcm);

/* Starts a part of a message, so that several threads can process one message.
 *   part     the new state, for the bytes from `offset` on. Only rijn_gcm_encrypt or
 *            rijn_gcm_decrypt may continue it, at the same time as *gcm and other parts. Join it
 *            when *gcm has reached `offset`
 *   gcm      a message that is started, has all its associated data, and has no data yet
 *   offset   a multiple of 16, not 0
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_gcm_part(rijn_gcm *part, const rijn_gcm *gcm, uint64_t offset);

/* Appends a part to *gcm, and wipes the part. *gcm then continues after the end of the part.
 * On error both states are unchanged.
 * Errors: RIJN_ERR_ARGUMENT, and
 *   RIJN_ERR_STATE   `part` is not a part, belongs to another key, or does not begin where *gcm
 *                    ends; or one of the two is encrypted and the other is decrypted */
RIJN_API rijn_status rijn_gcm_join(rijn_gcm *gcm, rijn_gcm *part);

/* ---- Runs of chunks (C2SP chunked encryption, c2sp.org/chunked-encryption) *
 * A long message is a sequence of chunks, and GCM seals each one separately. Chunk number i
 * has empty associated data, a tag of 16 bytes after its ciphertext, and the nonce
 * `nonce XOR i`, where i is a big-endian integer as wide as the nonce. One call processes a run:
 * the chunks number first, first + 1, ...
 * Use a new key for each message, as C2SP does: nonces of two messages under one key could collide.
 *   chunk   plaintext bytes of a whole chunk, at least 1 (C2SP: 16384)
 *   last    0: `size` is a multiple of whole chunks
 *           1: the run ends the message. One shorter chunk, possibly empty, follows the whole
 *              chunks */

/* Seals a run of chunks.
 *   out         size + 16 * chunks bytes. `out` and `in` share no byte: not in place
 *   nonce       12 bytes, common to all chunks of the message
 *   in          `size` bytes of plaintext
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_SIZE   `chunk` is 0 or too large for GCM, `size` does not fit `chunk` and `last`, or
 *                   a chunk number exceeds 2^64 - 1 */
RIJN_API rijn_status rijn_gcm_seal_chunks(const rijn_key *key, uint8_t *out,
                                          const uint8_t nonce[12], uint64_t first,
                                          size_t chunk, int last,
                                          const uint8_t *in, size_t size);

/* Opens a run of chunks.
 *   out    size - 16 * chunks bytes. `out` and `in` share no byte: not in place
 *   bad    NULL, or receives the number of the first chunk that failed
 *   nonce  12 bytes, as for sealing
 *   in     `size` bytes: ciphertext with tags. A whole chunk has chunk + 16 bytes, the last one
 *          has 16 to chunk + 15
 * Errors: as rijn_gcm_seal_chunks, and
 *   RIJN_ERR_TAG   a chunk is not authentic. The whole of `out` is filled with zeros, and *bad is
 *                  set */
RIJN_API rijn_status rijn_gcm_open_chunks(const rijn_key *key, uint8_t *out, uint64_t *bad,
                                          const uint8_t nonce[12], uint64_t first,
                                          size_t chunk, int last,
                                          const uint8_t *in, size_t size);

/* ---- CFB and OFB (SP 800-38A sections 6.3, 6.4) -------------------------- *
 * For data of any size. Neither mode authenticates. Never use an IV twice under one key.
 *   iv     16 bytes. The call replaces it with the state for the next call
 *   used   the number of bytes of the last block that are done already, 0 to 15. For a message in
 *          pieces of any size, start with *used = 0, and pass `iv` and `used` on.
 *          NULL: the call starts at a block. You can pass `iv` on if `size` is a multiple of 16
 * While *used is not 0, `iv` holds keystream: keep it secret, and wipe it. */

/* Encrypts with CFB in segments of 128 bits. The last segment may be shorter.
 *   iv, used   as above
 *   out, in    `size` bytes each
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, and
 *   RIJN_ERR_STATE   the key is not initialized, or *used > 15 */
RIJN_API rijn_status rijn_cfb_encrypt(const rijn_key *key, uint8_t iv[16], size_t *used,
                                      uint8_t *out, const uint8_t *in, size_t size);

/* Decrypts CFB. Parameters and errors: as rijn_cfb_encrypt. */
RIJN_API rijn_status rijn_cfb_decrypt(const rijn_key *key, uint8_t iv[16], size_t *used,
                                      uint8_t *out, const uint8_t *in, size_t size);

/* Encrypts or decrypts with OFB. Parameters and errors: as rijn_cfb_encrypt. */
RIJN_API rijn_status rijn_ofb_crypt(const rijn_key *key, uint8_t iv[16], size_t *used,
                                    uint8_t *out, const uint8_t *in, size_t size);

/* Encrypts with CFB in segments of 8 bits. It runs the cipher once for every byte.
 *   iv        16 bytes. The call replaces it with the last 16 bytes of iv || ciphertext, so
 *             consecutive calls of any size continue one message
 *   out, in   `size` bytes each
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_cfb8_encrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out,
                                       const uint8_t *in, size_t size);

/* Decrypts CFB in segments of 8 bits. Parameters and errors: as rijn_cfb8_encrypt. */
RIJN_API rijn_status rijn_cfb8_decrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out,
                                       const uint8_t *in, size_t size);

/* ---- IGE (Infinite Garble Extension, as in OpenSSL and Telegram) --------- *
 * C[i] = E(P[i] ^ C[i-1]) ^ P[i-1]. It does not authenticate. */

/* Encrypts whole blocks with IGE. Consecutive calls continue one message.
 *   iv        32 bytes, C[-1] || P[-1]. The call replaces it with the last blocks of ciphertext and
 *             plaintext, unless `size` is 0
 *   out, in   `size` bytes each; `size` is a multiple of 16
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_SIZE   `size` is not a multiple of 16 */
RIJN_API rijn_status rijn_ige_encrypt(const rijn_key *key, uint8_t iv[32], uint8_t *out,
                                      const uint8_t *in, size_t size);

/* Decrypts whole blocks with IGE. Parameters and errors: as rijn_ige_encrypt. */
RIJN_API rijn_status rijn_ige_decrypt(const rijn_key *key, uint8_t iv[32], uint8_t *out,
                                      const uint8_t *in, size_t size);

/* ---- XTS (IEEE 1619, SP 800-38E) ----------------------------------------- *
 * For the sectors of a disk. The result is as long as the data, so XTS does not authenticate. */

/* The two keys of XTS. Private, as rijn_key. memcpy may copy it. */
typedef struct rijn_xts_key {
    rijn_key data;
    rijn_key tweak;
} rijn_xts_key;

/* Expands an XTS key.
 *   bytes     `size` bytes, 32 or 64: the key for the data, then the key for the tweak, each for
 *             AES-128 or AES-256. The two must differ (FIPS 140-3 implementation guidance C.I).
 *             They are compared in constant time
 *   backend   as for rijn_key_init
 * On error *key is wiped.
 * Errors: as rijn_key_init, and RIJN_ERR_EQUAL_HALVES. */
RIJN_API rijn_status rijn_xts_key_init(rijn_xts_key *key, const uint8_t *bytes, size_t size,
                                       const char *backend) RIJN_WITH_STRUCTS(rijn_xts_key_init);

/* Overwrites the key with zeros, as rijn_key_wipe. */
RIJN_API_VOID rijn_xts_key_wipe(rijn_xts_key *key);

/* Encrypts one data unit (sector).
 *   tweak     16 bytes, usually the number of the unit as a little-endian integer
 *   out, in   `size` bytes each, 16 to 2^24. If `size` is not a multiple of 16, the last two
 *             blocks share bytes (ciphertext stealing)
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_SIZE   `size` is out of range */
RIJN_API rijn_status rijn_xts_encrypt(const rijn_xts_key *key, const uint8_t tweak[16],
                                      uint8_t *out, const uint8_t *in, size_t size);

/* Decrypts one data unit. Parameters and errors: as rijn_xts_encrypt. */
RIJN_API rijn_status rijn_xts_decrypt(const rijn_xts_key *key, const uint8_t tweak[16],
                                      uint8_t *out, const uint8_t *in, size_t size);

/* Encrypts a part of a data unit, so that several threads can process one unit. Use large parts:
 * the start at an offset may take 10 microseconds.
 *   tweak     as for rijn_xts_encrypt
 *   offset    where the part begins in the unit, a multiple of 16
 *   out, in   `size` bytes each, of this part. A part whose size is not a multiple of 16 is the end
 *             of the unit
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_SIZE   `offset` is not a multiple of 16, `size` is less than 16, or offset + size
 *                   exceeds 2^24 */
RIJN_API rijn_status rijn_xts_encrypt_part(const rijn_xts_key *key, const uint8_t tweak[16],
                                           size_t offset, uint8_t *out, const uint8_t *in,
                                           size_t size);

/* Decrypts a part of a data unit. Parameters and errors: as rijn_xts_encrypt_part. */
RIJN_API rijn_status rijn_xts_decrypt_part(const rijn_xts_key *key, const uint8_t tweak[16],
                                           size_t offset, uint8_t *out, const uint8_t *in,
                                           size_t size);

/* ---- CMAC (SP 800-38B, RFC 4493) ----------------------------------------- *
 * A tag has 8 to 16 bytes, or 1 to 16 with rijn_key_allow_short_tags. A shorter tag is the
 * beginning of a longer one. */

/* Computes the tag of a message.
 *   tag   tag_size bytes
 *   in    `size` bytes
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_cmac(const rijn_key *key, uint8_t *tag, size_t tag_size,
                               const uint8_t *in, size_t size);

/* A message in pieces of any size. Private; treat as opaque. */
typedef struct rijn_cmac_state {
    const rijn_key *key;
    uint8_t zero[16];      /* E(K, 0^128). The subkeys are multiples of it */
    uint8_t chain[16];     /* CBC-MAC of all blocks before `last` */
    rijn_partial last;     /* the last block so far, complete or not */
} rijn_cmac_state;

/* Starts a message. `key` must outlive the state.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_cmac_start(rijn_cmac_state *cmac, const rijn_key *key);

/* Adds the next piece, `size` bytes at `in`.
 * Errors: RIJN_ERR_ARGUMENT, and
 *   RIJN_ERR_STATE   not started, or finished */
RIJN_API rijn_status rijn_cmac_update(rijn_cmac_state *cmac, const uint8_t *in, size_t size);

/* Writes the tag of tag_size bytes, and wipes the state.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_cmac_finish(rijn_cmac_state *cmac, uint8_t *tag, size_t tag_size);

/* Compares the tag of tag_size bytes in constant time, and wipes the state.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE, and
 *   RIJN_ERR_TAG   the message is not authentic */
RIJN_API rijn_status rijn_cmac_verify(rijn_cmac_state *cmac, const uint8_t *tag, size_t tag_size);

/* Copies a message in pieces: see rijn_ctr_copy. */
RIJN_API rijn_status rijn_cmac_copy(rijn_cmac_state *to, const rijn_cmac_state *from,
                                    const rijn_key *key);

/* Abandons a message: wipes the state. */
RIJN_API_VOID rijn_cmac_wipe(rijn_cmac_state *cmac);

/* ---- Authenticated encryption: common rules ------------------------------ *
 * The functions NAME_seal and NAME_open below have the parameters of rijn_gcm_seal and
 * rijn_gcm_open. Each section lists the sizes of its algorithm.
 *   NAME_seal   encrypts `size` bytes from `in` to `out`, and writes a tag of tag_size bytes.
 *               Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_TAG_SIZE, RIJN_ERR_SIZE,
 *                 RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *                 RIJN_ERR_KEY_SIZE   the algorithm has no keys of this size
 *   NAME_open   decrypts and verifies.
 *               Errors: as NAME_seal, and
 *                 RIJN_ERR_TAG   the message is not authentic. The `size` bytes of `out` are zeros.
 *                                In place, the ciphertext is lost too
 *
 * Never use a nonce twice under one key. SIV and GCM-SIV tolerate it: a repeated nonce reveals
 * only that two messages are equal. */

/* ---- GCM-SIV (RFC 8452) --------------------------------------------------- *
 *   key                     16 or 32 bytes, the key-generating key
 *   nonce                   12 bytes
 *   tag                     16 bytes
 *   data, associated data   at most 2^36 bytes each */

/* Encrypts and authenticates: see "common rules". */
RIJN_API rijn_status rijn_gcm_siv_seal(const rijn_key *key, uint8_t *out,
                                       uint8_t *tag, size_t tag_size,
                                       const uint8_t *nonce, size_t nonce_size,
                                       const uint8_t *ad, size_t ad_size,
                                       const uint8_t *in, size_t size);

/* Decrypts and verifies: see "common rules". */
RIJN_API rijn_status rijn_gcm_siv_open(const rijn_key *key, uint8_t *out,
                                       const uint8_t *tag, size_t tag_size,
                                       const uint8_t *nonce, size_t nonce_size,
                                       const uint8_t *ad, size_t ad_size,
                                       const uint8_t *in, size_t size);

/* ---- XAES-256-GCM (c2sp.org/XAES-256-GCM) --------------------------------- *
 * GCM with a nonce of 24 bytes. Random nonces are safe for 2^80 messages.
 *   key                     32 bytes
 *   nonce                   24 bytes
 *   tag                     16 bytes
 *   data, associated data   as GCM
 * It does not commit to the key: it does not write the optional key commitment. */

/* Encrypts and authenticates: see "common rules". */
RIJN_API rijn_status rijn_xaes_seal(const rijn_key *key, uint8_t *out,
                                    uint8_t *tag, size_t tag_size,
                                    const uint8_t *nonce, size_t nonce_size,
                                    const uint8_t *ad, size_t ad_size,
                                    const uint8_t *in, size_t size);

/* Decrypts and verifies: see "common rules". */
RIJN_API rijn_status rijn_xaes_open(const rijn_key *key, uint8_t *out,
                                    const uint8_t *tag, size_t tag_size,
                                    const uint8_t *nonce, size_t nonce_size,
                                    const uint8_t *ad, size_t ad_size,
                                    const uint8_t *in, size_t size);

/* Derives the AES-256-GCM key that belongs to a nonce. For a message in pieces, use this key with
 * rijn_gcm_start and the 12 bytes at nonce + 12. Then wipe it with rijn_key_wipe.
 *   derived   receives the key. On error it is wiped
 *   key       32 bytes
 *   nonce     24 bytes
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_KEY_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_xaes_derive(rijn_key *derived, const rijn_key *key,
                                      const uint8_t nonce[24]);

/* ---- SIV (RFC 5297) ------------------------------------------------------- *
 * Deterministic: the same message with the same associated strings has the same ciphertext. To
 * use a nonce, pass it as the last string (section 3). */

/* The two keys of SIV. Private, as rijn_key. memcpy may copy it. */
typedef struct rijn_siv_key {
    rijn_key mac;
    rijn_key ctr;
} rijn_siv_key;

/* Expands a SIV key.
 *   bytes     `size` bytes, 32, 48 or 64: the key for CMAC, then the key for CTR
 *   backend   as for rijn_key_init
 * On error *key is wiped.
 * Errors: as rijn_key_init. */
RIJN_API rijn_status rijn_siv_key_init(rijn_siv_key *key, const uint8_t *bytes, size_t size,
                                       const char *backend) RIJN_WITH_STRUCTS(rijn_siv_key_init);

/* Overwrites the key with zeros, as rijn_key_wipe. */
RIJN_API_VOID rijn_siv_key_wipe(rijn_siv_key *key);

/* One associated string. */
typedef struct rijn_string {
    const uint8_t *bytes;
    size_t size;
} rijn_string;

/* Encrypts and authenticates a message (RFC 5297 section 2.6).
 *   out, in   `size` bytes each
 *   tag       16 bytes, the synthetic IV. The RFC's ciphertext is tag || out
 *   strings   `count` associated strings of any size, at most 126 (RIJN_SIV_STRINGS_MAX). No string
 *             and one empty string have different results
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_SIZE   more than 126 strings */
RIJN_API rijn_status rijn_siv_seal(const rijn_siv_key *key, uint8_t *out, uint8_t tag[16],
                                   const rijn_string *strings, size_t count,
                                   const uint8_t *in, size_t size);

/* Decrypts and verifies a message (RFC 5297 section 2.7). Parameters: as rijn_siv_seal.
 * Errors: as rijn_siv_seal, and
 *   RIJN_ERR_TAG   the message is not authentic. The `size` bytes of `out` are zeros */
RIJN_API rijn_status rijn_siv_open(const rijn_siv_key *key, uint8_t *out, const uint8_t tag[16],
                                   const rijn_string *strings, size_t count,
                                   const uint8_t *in, size_t size);

/* ---- CCM (SP 800-38C, RFC 3610) ------------------------------------------- *
 *   nonce             n = 7 to 13 bytes
 *   tag               8, 10, 12, 14 or 16 bytes; with rijn_key_allow_short_tags also 4 or 6
 *   data              fewer than 2^(8 * (15 - n)) bytes
 *   associated data   at most 2^61 - 1 bytes */

/* Encrypts and authenticates: see "common rules". */
RIJN_API rijn_status rijn_ccm_seal(const rijn_key *key, uint8_t *out,
                                   uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* Decrypts and verifies: see "common rules". */
RIJN_API rijn_status rijn_ccm_open(const rijn_key *key, uint8_t *out,
                                   const uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* ---- OCB3 (RFC 7253) ------------------------------------------------------ *
 *   nonce                   1 to 15 bytes
 *   tag                     8 to 16 bytes (the RFC names 8, 12 and 16); with
 *                           rijn_key_allow_short_tags 1 to 16
 *   data, associated data   at most 2^36 bytes each
 * The tag size acts as a part of the nonce: a shorter tag is not the beginning of a longer one.
 * Change the key after 2^48 blocks (RFC 7253 section 5.1). */

/* Encrypts and authenticates: see "common rules". */
RIJN_API rijn_status rijn_ocb_seal(const rijn_key *key, uint8_t *out,
                                   uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* Decrypts and verifies: see "common rules". */
RIJN_API rijn_status rijn_ocb_open(const rijn_key *key, uint8_t *out,
                                   const uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* A chain of offsets, and the sum over its blocks. Private; treat as opaque. */
typedef struct rijn_ocb_sum {
    uint8_t offset[16];    /* of the last block so far */
    uint8_t sum[16];       /* of the plaintext, or of the encrypted associated data */
    uint64_t blocks;
} rijn_ocb_sum;

/* An OCB3 message in pieces, in the order of calls of rijn_gcm. Pieces of associated data may have
 * any size. Pieces of data are multiples of 16 bytes, except the last one.
 * Private; treat as opaque. */
typedef struct rijn_ocb {
    const rijn_key *key;
    uint8_t l_star[16];    /* L_* of RFC 7253 section 4.1, if begun */
    rijn_ocb_sum ad;
    rijn_ocb_sum data;     /* its offset is the block of the nonce until the message is begun */
    rijn_partial partial;  /* associated data that do not fill a block yet */
    size_t tag_size;
    int phase;             /* as rijn_gcm's */
    int begun;             /* 1: the secrets of the message are there */
} rijn_ocb;

/* Starts a message.
 *   key                 must outlive the state
 *   tag_size            the size of the tag, which rijn_ocb_finish and rijn_ocb_verify use
 *   nonce, nonce_size   1 to 15 bytes
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_TAG_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_ocb_start(rijn_ocb *ocb, const rijn_key *key, size_t tag_size,
                                    const uint8_t *nonce, size_t nonce_size);

/* Adds `size` bytes of associated data.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, and
 *   RIJN_ERR_STATE   not started, or after data */
RIJN_API rijn_status rijn_ocb_ad(rijn_ocb *ocb, const uint8_t *ad, size_t size);

/* Encrypts the next piece.
 *   out, in   `size` bytes each; a multiple of 16, except in the last piece
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, and
 *   RIJN_ERR_STATE   not started, finished, decrypting, or after a piece that was not a multiple
 *                    of 16 */
RIJN_API rijn_status rijn_ocb_encrypt(rijn_ocb *ocb, uint8_t *out, const uint8_t *in, size_t size);

/* Decrypts the next piece. Its output is NOT authenticated: see rijn_gcm_decrypt.
 * Parameters and errors: as rijn_ocb_encrypt, but RIJN_ERR_STATE if encrypting. */
RIJN_API rijn_status rijn_ocb_decrypt(rijn_ocb *ocb, uint8_t *out, const uint8_t *in, size_t size);

/* Writes the tag, of the size given to rijn_ocb_start, and wipes the state.
 * Errors: RIJN_ERR_ARGUMENT, and
 *   RIJN_ERR_STATE   not started, or decrypting */
RIJN_API rijn_status rijn_ocb_finish(rijn_ocb *ocb, uint8_t *tag);

/* Compares the tag, of the size given to rijn_ocb_start, in constant time, and wipes the state.
 * Errors: RIJN_ERR_ARGUMENT, and
 *   RIJN_ERR_TAG     the message is not authentic
 *   RIJN_ERR_STATE   not started, or encrypting */
RIJN_API rijn_status rijn_ocb_verify(rijn_ocb *ocb, const uint8_t *tag);

/* Copies a message in pieces: see rijn_ctr_copy. */
RIJN_API rijn_status rijn_ocb_copy(rijn_ocb *to, const rijn_ocb *from, const rijn_key *key);

/* Abandons a message: wipes the state. */
RIJN_API_VOID rijn_ocb_wipe(rijn_ocb *ocb);

/* ---- EAX (Bellare, Rogaway and Wagner, FSE 2004) -------------------------- *
 *   nonce                   0 to 2^61 - 1 bytes
 *   tag                     8 to 16 bytes; with rijn_key_allow_short_tags 1 to 16. A shorter tag is
 *                           the beginning of a longer one
 *   data, associated data   at most 2^61 - 1 bytes each */

/* Encrypts and authenticates: see "common rules". */
RIJN_API rijn_status rijn_eax_seal(const rijn_key *key, uint8_t *out,
                                   uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* Decrypts and verifies: see "common rules". */
RIJN_API rijn_status rijn_eax_open(const rijn_key *key, uint8_t *out,
                                   const uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size,
                                   const uint8_t *in, size_t size);

/* An EAX message in pieces of any size, in the order of calls of rijn_gcm. Private; treat as
 * opaque. */
typedef struct rijn_eax {
    rijn_cmac_state ad;    /* OMAC^1 of the associated data */
    rijn_cmac_state data;  /* OMAC^2 of the ciphertext */
    uint8_t nonce[16];     /* OMAC^0 of the nonce */
    uint8_t counter[16];   /* the next counter block to encrypt */
    uint8_t keystream[16]; /* of the unfinished block */
    uint64_t ad_size;
    uint64_t size;
    int phase;             /* as rijn_gcm's */
} rijn_eax;

/* Starts a message.
 *   key                 must outlive the state
 *   nonce, nonce_size   0 to 2^61 - 1 bytes
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_eax_start(rijn_eax *eax, const rijn_key *key,
                                    const uint8_t *nonce, size_t nonce_size);

/* Adds `size` bytes of associated data.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, and
 *   RIJN_ERR_STATE   not started, or after data */
RIJN_API rijn_status rijn_eax_ad(rijn_eax *eax, const uint8_t *ad, size_t size);

/* Encrypts the next piece.
 *   out, in   `size` bytes each
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, and
 *   RIJN_ERR_STATE   not started, finished, or decrypting */
RIJN_API rijn_status rijn_eax_encrypt(rijn_eax *eax, uint8_t *out, const uint8_t *in, size_t size);

/* Decrypts the next piece. Its output is NOT authenticated: see rijn_gcm_decrypt.
 * Parameters and errors: as rijn_eax_encrypt, but RIJN_ERR_STATE if encrypting. */
RIJN_API rijn_status rijn_eax_decrypt(rijn_eax *eax, uint8_t *out, const uint8_t *in, size_t size);

/* Writes the tag of tag_size bytes, and wipes the state.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, and
 *   RIJN_ERR_STATE   not started, or decrypting */
RIJN_API rijn_status rijn_eax_finish(rijn_eax *eax, uint8_t *tag, size_t tag_size);

/* Compares the tag of tag_size bytes in constant time, and wipes the state.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, and
 *   RIJN_ERR_TAG     the message is not authentic
 *   RIJN_ERR_STATE   not started, or encrypting */
RIJN_API rijn_status rijn_eax_verify(rijn_eax *eax, const uint8_t *tag, size_t tag_size);

/* Copies a message in pieces: see rijn_ctr_copy. */
RIJN_API rijn_status rijn_eax_copy(rijn_eax *to, const rijn_eax *from, const rijn_key *key);

/* Abandons a message: wipes the state. */
RIJN_API_VOID rijn_eax_wipe(rijn_eax *eax);

/* ---- Key wrap (SP 800-38F sections 6.2, 6.3; RFC 3394, RFC 5649) ---------- *
 * For keys and other short data: it runs the cipher six times for every 8 bytes, in sequence. It
 * uses the default initial values of the RFCs. The overlap rule covers all bytes that are written,
 * also where these are more than `size`. */

/* Wraps a key with KW.
 *   out   size + 8 bytes
 *   in    `size` bytes: a multiple of 8, at least 16, less than 2^57
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_kw_wrap(const rijn_key *key, uint8_t *out,
                                  const uint8_t *in, size_t size);

/* Unwraps a key with KW.
 *   out   size - 8 bytes
 *   in    `size` bytes: a multiple of 8, at least 24
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_TAG   the wrapped key is not authentic. `out` is zeros */
RIJN_API rijn_status rijn_kw_unwrap(const rijn_key *key, uint8_t *out,
                                    const uint8_t *in, size_t size);

/* Wraps a key with KWP, which pads it.
 *   out   `size` rounded up to a multiple of 8, plus 8 bytes
 *   in    `size` bytes, 1 to 2^32 - 1
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_kwp_wrap(const rijn_key *key, uint8_t *out,
                                   const uint8_t *in, size_t size);

/* Unwraps a key with KWP. The call examines the padding in constant time.
 *   out          size - 8 bytes: the key in the first *plain_size bytes, then zeros
 *   plain_size   receives the size of the key
 *   in           `size` bytes: a multiple of 8, at least 16, at most 2^32 + 8
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, RIJN_ERR_STATE, and
 *   RIJN_ERR_TAG   the wrapped key is not authentic. `out` is zeros, and *plain_size is 0 */
RIJN_API rijn_status rijn_kwp_unwrap(const rijn_key *key, uint8_t *out, size_t *plain_size,
                                     const uint8_t *in, size_t size);

/* ---- AEGIS (RFC 10032) --------------------------------------------------- *
 * Authenticated encryption from single AES rounds. It has a large state instead of a key schedule,
 * needs one pass, and has no separate hash. There are six variants. 128 and 256 are the key size
 * in bits. 128X2, 128X4, 256X2 and 256X4 run 2 or 4 states side by side, for wide registers. No
 * variant can read the messages of another.
 *
 *                  128L, 128X2, 128X4          256, 256X2, 256X4
 *     key, nonce   16 bytes each               32 bytes each
 *     tag          16 or 32 bytes, of every variant
 *     data         at most 2^61 - 1 bytes, the same for associated data
 *
 * Never use a nonce twice under one key, whatever the tag size. Two messages under one nonce
 * reveal their difference immediately, and finally the state. Random nonces are safe for 2^48
 * messages under a 128-bit key, and without practical limit under a 256-bit key (RFC 10032, section
 * "Key and Nonce Selection"). A tag of 32 bytes commits to the key better than a tag of 16, and is
 * as fast. Use 128L, or 256 for random nonces. If both sides agree on X2 or X4, these are faster on
 * machines with AES instructions of 256 or 512 bits. */

typedef enum rijn_aegis_variant {
    RIJN_AEGIS_128L = 0,
    RIJN_AEGIS_128X2,
    RIJN_AEGIS_128X4,
    RIJN_AEGIS_256,
    RIJN_AEGIS_256X2,
    RIJN_AEGIS_256X4
} rijn_aegis_variant;

#define RIJN_AEGIS_VARIANTS 6u    /* numbered from 0 */
#define RIJN_AEGIS_KEY_MAX 32u    /* bytes of the longest key and nonce */
#define RIJN_AEGIS_TAG_MAX 32u

/* Returns the name in RFC 10032, "AEGIS-128L" to "AEGIS-256X4"; "" for any other value. */
RIJN_API const char *rijn_aegis_name(rijn_aegis_variant variant);

/* Returns the size of a key and of a nonce, 16 or 32 bytes; 0 for any other value. */
RIJN_API size_t rijn_aegis_key_size(rijn_aegis_variant variant);

/* Describes a kernel: one implementation of the six variants. A backend may have several, for CPUs
 * with more features than the backend needs. */
typedef struct rijn_aegis_kernel_info {
    const char *name;     /* the name for rijn_aegis_key_init, such as "aesni-avx128" */
    const char *backend;  /* its backend, such as "aesni" */
    const char *summary;  /* one line */
    const char *reason;   /* why it cannot run here; "" when it can */
    int available;        /* 1: this CPU and operating system can run it */
} rijn_aegis_kernel_info;

/* Returns the number of kernels in this build, available or not. */
RIJN_API size_t rijn_aegis_kernel_count(void);

/* Describes kernel `index`. The kernels of one backend come in the order of preference: a key gets
 * the first available one.
 * Errors: RIJN_ERR_ARGUMENT (also if index >= rijn_aegis_kernel_count()). */
RIJN_API rijn_status rijn_aegis_kernel_at(size_t index, rijn_aegis_kernel_info *info)
    RIJN_WITH_STRUCTS(rijn_aegis_kernel_at);

/* A key with its variant and its kernel, 48 bytes. The caller owns the memory. The contents are
 * private. memcpy may copy it. Any number of threads may use it at once after rijn_aegis_key_init
 * has returned. */
typedef struct rijn_aegis_key {
    const struct rijn_aegis_kernel *kernel; /* NULL before rijn_aegis_key_init and after wiping */
    const struct rijn_aegis_code *code;     /* the variant in this kernel */
    uint8_t bytes[32];
} rijn_aegis_key;

/* Makes an AEGIS key.
 *   bytes     `size` bytes; `size` must be rijn_aegis_key_size(variant)
 *   backend   as for rijn_key_init, or the name of a kernel. If a backend and a kernel have the
 *             same name, it means the backend
 * On error *key is wiped as by rijn_aegis_key_wipe.
 * Errors: RIJN_ERR_KEY_SIZE, RIJN_ERR_BACKEND, RIJN_ERR_ENVIRONMENT, and
 *   RIJN_ERR_ARGUMENT      also for an unknown variant
 *   RIJN_ERR_UNAVAILABLE   also for a variant that this build does not have */
RIJN_API rijn_status rijn_aegis_key_init(rijn_aegis_key *key, rijn_aegis_variant variant,
                                         const uint8_t *bytes, size_t size,
                                         const char *backend)
    RIJN_WITH_STRUCTS(rijn_aegis_key_init);

/* Returns the name of the key's backend, or "" if the key is not initialized. */
RIJN_API const char *rijn_aegis_key_backend(const rijn_aegis_key *key);

/* Returns the name of the key's kernel, or "" if the key is not initialized. */
RIJN_API const char *rijn_aegis_key_kernel(const rijn_aegis_key *key);

/* Overwrites the key with zeros. The compiler cannot remove these stores. */
RIJN_API_VOID rijn_aegis_key_wipe(rijn_aegis_key *key);

/* Encrypts and authenticates a message.
 *   out, in             `size` bytes each
 *   tag, tag_size       16 or 32 bytes
 *   nonce, nonce_size   as long as the key, 16 or 32 bytes
 *   ad, ad_size         associated data: authenticated, not encrypted
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_TAG_SIZE, RIJN_ERR_SIZE,
 *   RIJN_ERR_OVERLAP, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_aegis_seal(const rijn_aegis_key *key, uint8_t *out,
                                     uint8_t *tag, size_t tag_size,
                                     const uint8_t *nonce, size_t nonce_size,
                                     const uint8_t *ad, size_t ad_size,
                                     const uint8_t *in, size_t size);

/* Decrypts and verifies a message.
 * Parameters: as rijn_aegis_seal, but the call reads the tag.
 * Errors: as rijn_aegis_seal, and
 *   RIJN_ERR_TAG   the message is not authentic. The `size` bytes of `out` are zeros. In place, the
 *                  ciphertext is lost too */
RIJN_API rijn_status rijn_aegis_open(const rijn_aegis_key *key, uint8_t *out,
                                     const uint8_t *tag, size_t tag_size,
                                     const uint8_t *nonce, size_t nonce_size,
                                     const uint8_t *ad, size_t ad_size,
                                     const uint8_t *in, size_t size);

/* An AEGIS message in pieces of any size. Call rijn_aegis_start, then rijn_aegis_ad any number of
 * times. Then call rijn_aegis_encrypt any number of times and rijn_aegis_finish, or
 * rijn_aegis_decrypt any number of times and rijn_aegis_verify. Each piece yields as many bytes as
 * it has. Only rijn_aegis_start needs the key. memcpy may copy a state, and both copies continue
 * from the same point. Private; treat as opaque; 672 bytes. */
typedef struct rijn_aegis {
    const struct rijn_aegis_code *code;
    uint64_t ad_size;
    uint64_t size;
    int phase;             /* as rijn_gcm's */
    uint64_t state[16 * RIJN_AEGIS_STATES]; /* the blocks, in the backend's order */
    uint8_t partial[32 * RIJN_AEGIS_STATES]; /* input that does not fill a unit yet */
} rijn_aegis;

/* Starts a message.
 *   nonce, nonce_size   as long as the key
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_aegis_start(rijn_aegis *aegis, const rijn_aegis_key *key,
                                      const uint8_t *nonce, size_t nonce_size);

/* Adds `size` bytes of associated data.
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, and
 *   RIJN_ERR_STATE   not started, after data, or a MAC */
RIJN_API rijn_status rijn_aegis_ad(rijn_aegis *aegis, const uint8_t *ad, size_t size);

/* Encrypts the next piece.
 *   out, in   `size` bytes each
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_SIZE, RIJN_ERR_OVERLAP, and
 *   RIJN_ERR_STATE   not started, finished, decrypting, or a MAC */
RIJN_API rijn_status rijn_aegis_encrypt(rijn_aegis *aegis, uint8_t *out, const uint8_t *in,
                                        size_t size);

/* Decrypts the next piece. Its output is NOT authenticated until rijn_aegis_verify has returned
 * RIJN_OK. Do not release it before, and destroy it if rijn_aegis_verify fails. Prefer
 * rijn_aegis_open.
 * Parameters and errors: as rijn_aegis_encrypt, but RIJN_ERR_STATE if encrypting. */
RIJN_API rijn_status rijn_aegis_decrypt(rijn_aegis *aegis, uint8_t *out, const uint8_t *in,
                                        size_t size);

/* Writes the tag, and wipes the state.
 *   tag, tag_size   16 or 32 bytes
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, and
 *   RIJN_ERR_STATE   not started, decrypting, or a MAC */
RIJN_API rijn_status rijn_aegis_finish(rijn_aegis *aegis, uint8_t *tag, size_t tag_size);

/* Compares the tag in constant time, and wipes the state.
 *   tag, tag_size   16 or 32 bytes
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_TAG_SIZE, and
 *   RIJN_ERR_TAG     the message is not authentic
 *   RIJN_ERR_STATE   not started, encrypting, or a MAC */
RIJN_API rijn_status rijn_aegis_verify(rijn_aegis *aegis, const uint8_t *tag, size_t tag_size);

/* Abandons a message or a MAC: wipes the state. */
RIJN_API_VOID rijn_aegis_wipe(rijn_aegis *aegis);

/* Computes the AEGISMAC tag of data that is not encrypted (RFC 10032, section "AEGIS as a Message
 * Authentication Code"). Only here, one nonce may serve many messages under one key. But use this
 * key for nothing else. The tag is not a hash, so derive nothing from it: an attacker who knows
 * the key finds collisions.
 *   tag, tag_size       16 or 32 bytes
 *   nonce, nonce_size   as long as the key
 *   in                  `size` bytes
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_TAG_SIZE, RIJN_ERR_SIZE,
 *   RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_aegis_mac(const rijn_aegis_key *key, uint8_t *tag, size_t tag_size,
                                    const uint8_t *nonce, size_t nonce_size,
                                    const uint8_t *in, size_t size);

/* Computes an AEGISMAC tag in pieces, in a rijn_aegis of its own. Call rijn_aegis_mac_start, then
 * rijn_aegis_mac_update any number of times, then rijn_aegis_mac_finish or rijn_aegis_mac_verify.
 * A copy of the state after rijn_aegis_mac_start saves the start of every further message.
 * Errors: as rijn_aegis_start, rijn_aegis_ad, rijn_aegis_finish and rijn_aegis_verify. Calls for
 * messages return RIJN_ERR_STATE for the state of a MAC, and the reverse. */
RIJN_API rijn_status rijn_aegis_mac_start(rijn_aegis *mac, const rijn_aegis_key *key,
                                          const uint8_t *nonce, size_t nonce_size);
RIJN_API rijn_status rijn_aegis_mac_update(rijn_aegis *mac, const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_aegis_mac_finish(rijn_aegis *mac, uint8_t *tag, size_t tag_size);
RIJN_API rijn_status rijn_aegis_mac_verify(rijn_aegis *mac, const uint8_t *tag,
                                           size_t tag_size);

/* Writes the first `size` bytes of the keystream of (key, nonce): `size` zeros, encrypted without
 * associated data (RFC 10032, section "AEGIS as a Stream Cipher"). It gives no protection against
 * alteration. rijn_aegis_seal uses the same keystream under the same nonce. So use this function as
 * a generator, under a key of its own.
 *   out                 `size` bytes
 *   nonce, nonce_size   as long as the key
 * Errors: RIJN_ERR_ARGUMENT, RIJN_ERR_NONCE_SIZE, RIJN_ERR_SIZE, RIJN_ERR_STATE. */
RIJN_API rijn_status rijn_aegis_unauthenticated_keystream(const rijn_aegis_key *key,
                                                          uint8_t *out, size_t size,
                                                          const uint8_t *nonce,
                                                          size_t nonce_size);

/* Seals or opens a run of chunks, as rijn_gcm_seal_chunks and rijn_gcm_open_chunks. Each chunk has
 * empty associated data, a tag of 16 bytes and the nonce `nonce XOR i`. The nonce is as long as the
 * key. Errors: as there. */
RIJN_API rijn_status rijn_aegis_seal_chunks(const rijn_aegis_key *key, uint8_t *out,
                                            const uint8_t *nonce, uint64_t first,
                                            size_t chunk, int last,
                                            const uint8_t *in, size_t size);
RIJN_API rijn_status rijn_aegis_open_chunks(const rijn_aegis_key *key, uint8_t *out,
                                            uint64_t *bad, const uint8_t *nonce,
                                            uint64_t first, size_t chunk, int last,
                                            const uint8_t *in, size_t size);

/* ---- Many messages, one call ---------------------------------------------- *
 * Seals or opens a column of messages under one key with one call. For tables, batches of records
 * and queues. Each result is the same as from the function for one message, which can also open it.
 * Messages may have any sizes. A refused message does not affect the others. One call saves the
 * cost of many calls. On backends with wide vectors it also processes several short messages at
 * once (docs/many.md).
 *
 *     rijn_many many = {.key = &key, .count = n,
 *                       .in = {.data = text, .size = text_size, .offsets32 = begins}};
 *     size_t size;
 *     rijn_seal_many_size(&many, &size);
 *     many.out_size = size;
 *     many.out = malloc(many.out_size);
 *     many.out_offsets32 = malloc((n + 1) * sizeof *many.out_offsets32);
 *     rijn_seal_many(&many);
 *
 * seals with GCM, tags of 16 bytes and random nonces: result i is nonce || ciphertext || tag. To
 * open these results:
 *
 *     rijn_many open = {.key = &key, .count = n, .failed = bits,    (n + 7) / 8 bytes
 *                       .in = {.data = many.out, .size = many.out_size,
 *                              .offsets32 = many.out_offsets32}};
 *     rijn_open_many_size(&open, &size);
 *     open.out_size = size;
 *     open.out = malloc(open.out_size);
 *     open.out_offsets32 = malloc((n + 1) * sizeof *open.out_offsets32);
 *     rijn_open_many(&open, &failures);
 *
 * A field that is zero has its default. c/examples/many.c is the whole program, with all checks.
 *
 * Results follow each other in `out`, from byte out_start on. The offsets say where each result
 * begins and where the last one ends. Each result is:
 *
 *     GCM, GCM_SIV, XAES, CCM, OCB, EAX, AEGIS   [nonce ||] ciphertext || tag
 *     SIV                                        [nonce ||] tag || ciphertext
 *     CBC, CBC_BLOCKS, CTR                       [nonce ||] ciphertext
 *     CMAC                                       tag
 *
 * Modes with special rules
 *   CBC         with PKCS #7 padding, as databases use it. The nonce is the IV. Each answer
 *               about a padding helps an attacker, and enough answers reveal the whole message:
 *               authenticate the data before you decrypt it.
 *   CBC_BLOCKS  without padding: every message is a multiple of 16 bytes.
 *   CTR         the first counter block is the nonce, filled with zeros to 16 bytes. If the nonce
 *               has n < 16 bytes, a message has at most 16 * 2^(8 * (16 - n)) bytes.
 *   SIV         associated data, if there are any, is one string. A nonce, if nonce_size is not 0,
 *               is the last string.
 *   CMAC        the messages are in `ad`, authenticated and not encrypted. Sealing writes the tags,
 *               and `in` stays zero. Opening compares the tags in `in`, and its results are empty.
 *
 * Nonces of n bytes each
 *   given       `nonces`: message i has the n bytes at nonces + n * i.
 *   counted     `base`, n bytes: message i has the base plus i. The sum is in the last 8 bytes, a
 *               big-endian integer (in all bytes if n < 8). If the last nonce would wrap, the call
 *               returns RIJN_ERR_SIZE before it writes anything. CBC needs unpredictable IVs, and
 *               in CTR with n = 16 neighbors would share keystream. Both return RIJN_ERR_ARGUMENT.
 *   random      `nonces` and `base` are NULL: sealing draws random nonces, and writes each before
 *               its message. Opening reads them there. Each sealing call takes 32 bytes from the
 *               operating system. It stretches them with AES-256 in counter mode, as SP 800-90A
 *               does, under a key that it then forgets. Without an operating system, it returns
 *               RIJN_ERR_RANDOM.
 *   prepend_nonce   given and counted nonces, too, stand before the sealed messages. Opening reads
 *               them there if `nonces` and `base` are NULL.
 *
 * XAES derives one key for all messages whose nonces begin with the same 12 bytes, as counted
 * nonces do. If such messages are out of order, the call groups them by key, 2,048 at a time. It
 * takes up to 88 KiB of stack for this (32 KiB if they are in order). With memory from the caller,
 * `room` (rijn_many_room), it groups up to 32,768 at a time.
 *
 * Overlap
 *   A message may be in place: exactly where its text stands in its own result.
 *     Sealing allows this for messages in buffers. In a column it allows this for CTR and
 *     CBC_BLOCKS without nonces before the messages, because these results are not longer.
 *     Opening allows this for these two modes only, under the same condition.
 *   Otherwise no input shares a byte with anything that the call writes. It writes only `out`, the
 *   offsets of the results, `failed`, `room`, and the target of its second argument.
 *
 * Threads
 *   The library starts no threads. Any number of threads may share the work, with one key. For each
 *   part, copy the rijn_many. Set `first` to a multiple of 8, set `count`, and set out_start to the
 *   end of the parts before it (rijn_seal_many_size of each of these). Parts share no byte that is
 *   written. This does not work for opening CBC, because the size of a part is known only after it
 *   is opened. */

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

/* Byte strings, in one of two layouts. All zeros: no strings. */
typedef struct rijn_column {
    /* Layout 1, one buffer (Apache Arrow's binary and large_binary). String i is
     * data[offsets[i] .. offsets[i + 1]). Set one of the two offsets. Offsets never decrease, are
     * not negative, and do not exceed `size`, else RIJN_ERR_ARGUMENT. The first need not be 0. */
    const uint8_t *data;
    size_t size;
    const int32_t *offsets32;
    const int64_t *offsets64;
    /* Layout 2, a buffer for each string. It may be NULL if its size is 0. */
    const uint8_t *const *buffers;
    const size_t *sizes;
} rijn_column;

typedef struct rijn_many {
    rijn_many_mode mode;
    const rijn_key *key;             /* for every mode except SIV and AEGIS */
    const rijn_siv_key *siv_key;     /* for SIV */
    const rijn_aegis_key *aegis_key; /* for AEGIS */
    size_t tag_size;                 /* as the mode's function takes it; 0: 16 */
    size_t first, count;             /* process messages first, first + 1, ... of all columns,
                                        nonces, offsets and bits below */
    rijn_column in;
    rijn_column ad;                  /* associated data for each message; or, without offsets and
                                        buffers, `size` bytes at `data` for all of them */
    const uint8_t *nonces;           /* see "Nonces" above */
    const uint8_t *base;
    size_t nonce_size;               /* 0: the default: XAES 24, EAX, CBC and CTR 16, AEGIS as the
                                        key, SIV and CMAC no nonce, others 12. At most 32 */
    int prepend_nonce;
    uint8_t *out;
    size_t out_size;                 /* bytes at `out`; RIJN_ERR_SIZE if results need more */
    size_t out_start;
    int32_t *out_offsets32;          /* at most one of them. Message i sets entry i + 1, */
    int64_t *out_offsets64;          /* and the call sets entry 0 if `first` is 0 */
    uint8_t *failed;                 /* NULL, or a bitmap. If opening refuses message i, it sets bit
                                        i % 8 of byte i / 8, else it clears the bit. In the last
                                        byte it clears the bits after the last message */
    void *room;                      /* NULL, or working memory for XAES (rijn_many_room) */
    size_t room_size;                /* bytes at `room`; RIJN_ERR_SIZE if they are too few */
} rijn_many;

/* Returns the size of `room` for a call of `count` messages, at most 917,527 bytes. It helps XAES
 * messages whose nonces begin in many ways: a thousand ways among some ten thousand messages. Each
 * thread needs a room of its own. `room` overlaps nothing else, and may have any alignment. The
 * bytes that the call leaves there depend on nonces and sizes only. */
RIJN_API size_t rijn_many_room(size_t count);

/* Computes the size of the results in `out`, without out_start. For opening CBC it is the largest
 * possible size. It checks everything that the call itself checks, except `out`, `failed`,
 * `room`, their sizes and overlap, so you need not set these fields yet. On error *size is 0.
 * Errors: RIJN_ERR_STATE, RIJN_ERR_KEY_SIZE, RIJN_ERR_NONCE_SIZE, RIJN_ERR_TAG_SIZE, and
 *   RIJN_ERR_ARGUMENT   also for an unknown mode or invalid offsets
 *   RIJN_ERR_SIZE       a message is beyond the limits of its mode; a message to seal with
 *                       CBC_BLOCKS is not a multiple of 16; results exceed 2^31 - 1 bytes with
 *                       out_offsets32; counted nonces would wrap */
RIJN_API rijn_status rijn_seal_many_size(const rijn_many *many, size_t *size)
    RIJN_WITH_STRUCTS(rijn_seal_many_size);
RIJN_API rijn_status rijn_open_many_size(const rijn_many *many, size_t *size)
    RIJN_WITH_STRUCTS(rijn_open_many_size);

/* Encrypts and authenticates the messages.
 * Errors: as rijn_seal_many_size, and RIJN_ERR_OVERLAP, RIJN_ERR_RANDOM, and
 *   RIJN_ERR_SIZE   also if `out` or `room` is too small */
RIJN_API rijn_status rijn_seal_many(const rijn_many *many) RIJN_WITH_STRUCTS(rijn_seal_many);

/* Decrypts and verifies the messages. All accepted messages are in `out`. In a mode
 * that authenticates, they are authentic.
 *   failures   NULL, or receives the number of refused messages. `failed` says which they are
 * The result of a refused message is zeros, or empty for CBC. A message is refused, with an empty
 * result, if it is too short. The same holds in CBC and CBC_BLOCKS if it is not whole blocks.
 * Errors: as rijn_open_many_size, RIJN_ERR_OVERLAP, and
 *   RIJN_ERR_SIZE      also if `out` or `room` is too small
 *   RIJN_ERR_TAG       one message or more were refused
 *   RIJN_ERR_PADDING   the same, for CBC */
RIJN_API rijn_status rijn_open_many(const rijn_many *many, size_t *failures)
    RIJN_WITH_STRUCTS(rijn_open_many);

#ifdef __cplusplus
}
#endif
#endif
