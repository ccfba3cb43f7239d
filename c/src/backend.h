/* The contract between the library and one rung of the ladder.
 *
 * A backend is one file, src/backends/NAME.c, of this shape:
 *
 *   1. the constants, types and operations listed below;
 *   2. #include "../modes/modes.h", which writes every mode once over them;
 *   3. `const rijn_backend rijn_backend_NAME = { …, RIJN_MODES };`, and where it has one,
 *      .gcm_many and .gcm_siv_many, written behind the templates (x86/vec_many.h,
 *      x86/siv_many.h)
 *
 * The backend then stands in the list of backends (backends.def) and nowhere else. What several
 * backends of one family do alike is a file of its own that they include: ../x86, ../circuits,
 * ../tables.
 *
 * Chains, key set-up and short ends work on a block, bulk on a vec: VEC_BLOCKS blocks side
 * by side, as they lie in memory. Several of either are in flight: n is a constant in all
 * that follows, so that RIJN_UNROLL loops do, up to 8.
 *
 * Constants, as macros
 *   VEC_BLOCKS      blocks in a vec. Where it is 1, only the operations on blocks are
 *                   written (blocks_encrypt for aes_encrypt), and a vec is a block.
 *   FLIGHT          vecs that are encrypted together at full speed: 1, 2, 4 or 8; short
 *                   ends are halves of it. A batch is so many vecs, up to 32 blocks, their
 *                   number a power of two.
 *   STACK           bytes of stack that a public call's work takes at most, whatever
 *                   compiler made it, beside the variables that the modes add (scrub.h):
 *                   measured by tests/unit/test_wipe.c, which prints them when it has a second
 *                   argument
 *   BLOCKS_STACK    where that is less, of ECB, CBC and IGE in place of STACK: of a message of a block
 *                   or two, overwriting what was not used would be most of the work
 *   FUSED_STACK     the same, in addition to it, where batches are encrypted and hashed at once
 *   GCM_STACKS      where that differs, of GCM messages in place of STACK: under a nonce of 12
 *                   bytes those of fewer than fused_blocks, those of more; under another nonce
 * Types
 *   context         the expanded key; at most sizeof rijn_key.context. Its last member is
 *                   `int rounds`, Nr of FIPS 197.
 *   block, vec      with VEC_BLOCKS of more than one, `block` only with NATIVE_BLOCKS. Each
 *                   has a size that the compiler knows.
 *   hash            a GHASH accumulator
 * Key set-up
 *   void aes_init(context *c, const uint8_t *key, size_t size)
 *         expands a key of 16, 24 or 32 bytes for encryption; what a smaller key leaves of
 *         its part of the context becomes zero, here and in the next
 *   void aes_decrypt_init(context *c)
 *         and, after that, for decryption
 *   void ghash_init(context *c, const uint8_t h[16], size_t blocks)
 *         prepares multiplication by H (SP 800-38D 6.3, 6.4), for messages that have up to so
 *         many blocks to be hashed, all in all: as many powers of H as help them
 * Operations (RIJN_INLINE)
 *   void aes_encrypt(const context *c, vec *v, int n)
 *   void aes_decrypt(const context *c, vec *v, int n)
 *         every block of v[0..n) through the cipher (FIPS 197 5.1, 5.3)
 *   vec  vec_load(const uint8_t *p)          16 * VEC_BLOCKS bytes
 *   void vec_store(uint8_t *p, vec v)        likewise
 *   vec  vec_load_part(const uint8_t *p, size_t size)
 *         the `size` bytes at p, fewer than that, and zeros behind them; reads no more
 *   void vec_store_part(uint8_t *p, vec v, size_t size)
 *         the first `size` bytes; writes no more
 *   vec  vec_xor(vec a, vec b)
 *   block_load, block_store, block_xor       the same of a block of 16 bytes
 *   block block_pair(uint64_t a, uint64_t b) LE64(a) || LE64(b)
 *   block block_halves(block a, block b)     the first eight bytes of each
 *   block block_and(block a, block b)
 *   hash hash_load(const uint8_t bytes[16])
 *   void hash_store(uint8_t bytes[16], hash y)
 *   hash ghash(const context *c, hash y, const uint8_t *p, size_t blocks)
 *         for each block X at p: y = (y XOR X) * H
 * Optional: without the macro, the templates do the same a byte or a word at a time
 *   #define NATIVE_BLOCKS, where VEC_BLOCKS is more than 1 and one block costs less than a
 *   vec, and block_load, block_store, block_xor, block_pair, and blocks_encrypt and
 *   blocks_decrypt, which are to block what aes_encrypt and aes_decrypt are to vec
 *   #define NATIVE_BEHIND and vec vec_behind(block before, const uint8_t *p, size_t size)
 *         `before` and behind it the first size - 16 of the `size` bytes at p, and whatever behind
 *         them; size is 16 n, up to that of a vec
 *   #define NATIVE_ROUNDS and block block_begin(const context *c, block x, bool decrypting)
 *   and void blocks_rounds(const context *c, block *b, int n, bool decrypting)
 *   and block block_mask(const context *c, block onto, bool decrypting)
 *   and block block_end(block x, block mask, bool decrypting)
 *         block_begin, blocks_rounds and block_end are the cipher of x, XOR onto where mask is
 *         block_mask(c, onto): for chains, in which neither XOR need wait for the block before, and
 *         for masks. block_begin and block_mask are an XOR with something of the key
 *   #define NATIVE_VEC_ROUNDS and vec_begin, aes_rounds, vec_mask, vec_end, the same of a vec
 *   #define NATIVE_PLACES and vec vec_broadcast(block x)  in every place of the vec
 *   and vec vec_last(block x)    in the last, zeros before it
 *   and block vec_first(vec v)   what is in the first
 *   and block vec_sum(vec v)     the XOR of all
 *   and vec vec_part(vec v, size_t size)    its first 16 n bytes, fewer than all, zeros behind
 *   and vec vec_xor3(vec a, vec b, vec c)
 *   #define NATIVE_COUNTERS and
 *   void counters(vec *v, int n, block fixed, uint32_t low, bool hidden)
 *         block i of v[0..n) becomes fixed[0..12) || BE32(low + i mod 2^32);
 *         when hidden (GCM's J0 from a nonce that is not 12 bytes), fixed and
 *         low are secrets, and 128 leaked bits of them give H away
 *   void little_counters(vec *v, int n, block fixed, uint32_t low)
 *         block i becomes LE32(low + i mod 2^32) || fixed[4..16)
 *   #define NATIVE_CTR and
 *   size_t native_ctr(const context *c, const uint8_t fixed[16], uint32_t low, uint8_t *out,
 *                     const uint8_t *in, size_t size)
 *         XORs the keystream of the counter blocks fixed[0..12) || BE32(low), low + 1 …, all of
 *         them public, from in to out; returns how many bytes it has done, whole blocks, all
 *         before low would become 0. It is where nothing runs beside the cipher
 *   #define NATIVE_BYPASS, void vec_bypass(uint8_t *p, vec v) (block_bypass where a vec is a
 *   block), which is vec_store to a multiple of its size, past the caches, and
 *   void bypass_end(void), behind which what was so stored is there for other threads as any
 *   store is: where memory is slower than the cipher
 *   #define FUSED and hash aes_encrypt_ghash(const context *c, vec *v, hash y, const uint8_t *p)
 *         aes_encrypt(c, v, FLIGHT) while y absorbs the batch of blocks at p
 *   #define NATIVE_GHASH_END and
 *   hash ghash_end(const context *c, hash y, const uint8_t *p, size_t size, uint64_t a, uint64_t b)
 *         ghash of the `size` bytes at p, zeros up to a whole block, and the block
 *         BE64(a) || BE64(b)
 *   #define NATIVE_POLYVAL and void polyval_init(context *c, const uint8_t h[16], size_t blocks)
 *         and hash polyval(const context *c, hash y, const uint8_t *p, size_t blocks)
 *         as ghash_init and ghash, of POLYVAL (RFC 8452 section 3); hash_load and
 *         hash_store are given and give its accumulator byte-reversed
 *   #define NATIVE_NEXT_TWEAKS and void first_tweaks(vec *t, const uint8_t first[16])
 *   and vec next_tweaks(vec t)
 *         where registers hold 2 * FLIGHT vecs and more: the tweaks of a batch, of XTS (IEEE 1619
 *         section 5.2), of the first one; t times x^BATCH_BLOCKS. Else, and optional as well:
 *   #define NATIVE_TWEAKS and type tweak_chain, tweak_chain tweak_load(const uint8_t first[16])
 *   and void tweaks(uint8_t *t, tweak_chain *next)
 *         the tweaks of a batch to t, of the first one to begin with, then of those behind
 *   #define NATIVE_FAR_TWEAKS and vec far_tweaks(vec t)
 *         every block of t times x^64 (XTS_FAR), as XTS multiplies (IEEE 1619 section 5.2)
 *   #define NATIVE_POLYVAL_TIMES and block polyval_times(block x, block h)
 *         what POLYVAL makes of x, with the key h
 *   #define NATIVE_POLYVAL_END and
 *   block polyval_end(const context *c, hash y, const uint8_t *p, size_t size, uint64_t a,
 *                     uint64_t b)
 *         polyval of the `size` bytes at p, zeros up to a whole block, and the block
 *         LE64(a) || LE64(b): what POLYVAL gives, as it is
 *   #define NATIVE_GCM_MESSAGE and
 *   block gcm_message(const context *c, const uint8_t *nonce, size_t nonce_size,
 *                     const uint8_t *ad, size_t ad_size, uint8_t *out, const uint8_t *in,
 *                     size_t size, bool decrypting)
 *         all of SP 800-38D section 7.1 or, but for step 8, of 7.2; gives the whole tag. And
 *         LONG_BLOCKS, fused_blocks of the record
 *   #define FUSED_POLYVAL and
 *   hash aes_encrypt_polyval(const context *c, vec *v, hash y, const uint8_t *p)
 *         as aes_encrypt_ghash, while y absorbs them as polyval does
 */
#ifndef RIJN_BACKEND_H
#define RIJN_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "build.h"
#include "batch.h"
#include "rijn.h"

/* A pragma whose text may have macros in it. */
#define RIJN_PRAGMA_TEXT(text) _Pragma(#text)
#define RIJN_PRAGMA(...) RIJN_PRAGMA_TEXT(__VA_ARGS__)

/* Before a loop over the vecs in flight: unroll it, they live in registers. Where code is to be
 * small, they do not. */
#if RIJN_WITH_SMALL_CODE
#define RIJN_UNROLL
#elif defined(__clang__)
#define RIJN_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RIJN_UNROLL _Pragma("GCC unroll 32")
#endif

/* Before code that was laid out register by register, at whatever level of optimisation: what
 * gcc 12 makes of it below -O3 has vecs on the stack, up to 2 KiB of them (it writes loops out too
 * late at -O1, and shares the ends of messages at -Os), which each call would have to scrub.
 * At no level (a debugger's build, sanitizers) there is no stack to be examined either. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define RIJN_AT_O3 _Pragma("GCC optimize(\"O3\")")
#else
#define RIJN_AT_O3
#endif

/* Before code whose registers are all taken, which gcc would not see: it begins all rounds before it
 * ends one, and has no registers for what they give. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define RIJN_AS_WRITTEN _Pragma("GCC optimize(\"no-schedule-insns\")")
#else
#define RIJN_AS_WRITTEN
#endif

#define RIJN_INLINE static inline __attribute__((always_inline))

/* Before a function that must stay itself. Modes differ at times only in which of two variables a
 * value goes to, and gcc 12 takes two such functions for one if sanitizers are on: a backend then had
 * OFB for CFB. Clang folds no functions. */
#ifdef __has_attribute
#if __has_attribute(no_icf)
#define RIJN_UNFOLDED __attribute__((no_icf))
#endif
#endif
#ifndef RIJN_UNFOLDED
#define RIJN_UNFOLDED
#endif

/* Before each function of a record. */
#define RIJN_OPERATION static RIJN_UNFOLDED

/* Before a function that is called, and not made part of its caller: work whose stack is
 * scrubbed (scrub.h), or what would only make its callers large. */
#if defined(__clang__)
#define RIJN_APART __attribute__((noinline))
#else
#define RIJN_APART __attribute__((noinline, noclone)) RIJN_UNFOLDED
#endif

/* Before what is made part of its callers where everything is built, and stands by itself, for all
 * of them, where a configuration cuts it. */
#if RIJN_WITH_ALL
#define RIJN_ONCE RIJN_INLINE
#else
#define RIJN_ONCE RIJN_APART __attribute__((unused)) static
#endif

/* The same of what stands by itself only where code is to be small. */
#if RIJN_WITH_SMALL_CODE
#define RIJN_ONCE_IF_SMALL RIJN_ONCE
#else
#define RIJN_ONCE_IF_SMALL RIJN_INLINE
#endif

/* Blocks from which XTS has a table of XTS_FAR tweaks, and not of two batches (modes/xts.h). */
enum { XTS_FAR = 64, XTS_MANY = 128 };

/* The table begins on a line of the cache, so that no vec is in two. */
enum { XTS_LINE = 64 };

/* How many L the list of OCB has for so many batches (modes/ocb.h). */
static inline unsigned rijn_ocb_list(uint64_t batches)
{
    return batches ? 64 - (unsigned)__builtin_clzll(batches) : 1;
}

/* How many blocks GHASH and POLYVAL take of a message: both parts and their lengths. */
static inline size_t rijn_hashed_blocks(size_t ad_size, size_t size)
{
    return ad_size / 16 + (ad_size % 16 != 0) + size / 16 + (size % 16 != 0) + 1;
}

/* What a key is for, besides encryption. */
enum { USE_DECRYPT = 1, USE_HASH = 2, USE_ALL = USE_DECRYPT | USE_HASH };

typedef struct rijn_backend {
    const char *name;
    const char *summary;
    uint64_t cpu;       /* the features that must all be there (rijn_machine.h) */
    uint64_t avoid;     /* chosen by name alone where the CPU has one of these features or quirks */
    bool constant_time; /* claimed, on the grounds of docs/claims.md */
    bool automatic;     /* else chosen by name alone; the registry's order is the preference */

    /* Below: filled by RIJN_MODES. `context` is rijn_key.context. Arguments are
     * checked; out == in or they are disjoint. */
    unsigned context_size;  /* bytes of it that are used */
    unsigned blocks;        /* FLIGHT * VEC_BLOCKS */
    unsigned stack;         /* STACK */
    unsigned blocks_stack;  /* BLOCKS_STACK */
    unsigned fused_blocks;  /* GCM messages of so many are worked on by batches */
    unsigned gcm_stacks[3]; /* GCM_STACKS */
    unsigned bypass_stack;  /* beside it, of those past the caches */
    unsigned xts_table;     /* tweaks XTS keeps in memory, of fewer blocks than XTS_MANY */
    /* For encryption, and for what else `uses` says: USE_DECRYPT; USE_HASH, of messages with up
     * to so many blocks to be hashed (ghash_init). */
    void (*key_init)(void *context, const uint8_t *key, size_t size, unsigned uses, size_t blocks);
    void (*encrypt_block)(const void *context, uint8_t out[16], const uint8_t in[16]);
    void (*decrypt_block)(const void *context, uint8_t out[16], const uint8_t in[16]);
    void (*ecb_encrypt)(const void *context, uint8_t *out, const uint8_t *in, size_t blocks);
    void (*ecb_decrypt)(const void *context, uint8_t *out, const uint8_t *in, size_t blocks);
    void (*cbc_encrypt)(const void *context, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*cbc_decrypt)(const void *context, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    /* chain = E(chain XOR block) for each block (SP 800-38B section 6.2, step 6) */
    void (*cbc_mac)(const void *context, uint8_t chain[16], const uint8_t *in, size_t blocks);
    /* So many chains, which are left at their ends. */
    void (*chains)(const void *context, rijn_chain *chain, size_t count);
    /* CTR of size bytes, at least one, with a counter of 128 bits, which may be a secret and
     * moves on; and cbc_mac of what goes in or what comes out, zeros behind its end. */
    void (*ctr_mac_in)(const void *context, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                       const uint8_t *in, size_t size);
    void (*ctr_mac_out)(const void *context, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                        const uint8_t *in, size_t size);
    void (*cfb_encrypt)(const void *context, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*cfb_decrypt)(const void *context, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*ofb_crypt)(const void *context, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                      size_t blocks);
    void (*ige_encrypt)(const void *context, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*ige_decrypt)(const void *context, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    /* tweak is encrypted already, and leaves as the one behind the last block's. */
    void (*xts_encrypt)(const void *context, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*xts_decrypt)(const void *context, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    /* Any size; *counter leaves as the one behind the last block of which it used a byte. */
    void (*ctr_crypt)(const void *context, rijn_counter *counter, uint8_t *out, const uint8_t *in,
                      size_t size);
    /* y = y XOR block, times H, for each block (SP 800-38D section 6.4) */
    void (*ghash)(const void *context, uint8_t y[16], const uint8_t *p, size_t blocks);
    /* CTR of the blocks while y absorbs the ciphertext as ghash does */
    void (*gcm_encrypt)(const void *context, rijn_counter *counter, uint8_t y[16], uint8_t *out,
                        const uint8_t *in, size_t blocks);
    void (*gcm_decrypt)(const void *context, rijn_counter *counter, uint8_t y[16], uint8_t *out,
                        const uint8_t *in, size_t blocks);
    /* As ctr_crypt, gcm_encrypt and gcm_decrypt, out of place and for what is larger than the
     * caches (rijn_bypass_size); with bypass_stack more on the stack. NULL: those do as well. */
    void (*ctr_bypass)(const void *context, rijn_counter *counter, uint8_t *out, const uint8_t *in,
                       size_t size);
    void (*gcm_bypass_encrypt)(const void *context, rijn_counter *counter, uint8_t y[16],
                               uint8_t *out, const uint8_t *in, size_t blocks);
    void (*gcm_bypass_decrypt)(const void *context, rijn_counter *counter, uint8_t y[16],
                               uint8_t *out, const uint8_t *in, size_t blocks);
    /* All of a message at once; open leaves it to its caller to compare the tag. */
    void (*gcm_seal)(const void *context, uint8_t *out, uint8_t *tag, size_t tag_size,
                     const uint8_t *nonce, size_t nonce_size, const uint8_t *ad, size_t ad_size,
                     const uint8_t *in, size_t size);
    void (*gcm_open)(const void *context, uint8_t *out, uint8_t tag[16], const uint8_t *nonce,
                     size_t nonce_size, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                     size_t size);
    /* `count` messages of GCM of a batch, from the first on, their whole tags to batch->tag[i], of
     * nonces of 12 bytes. NULL: one after the other is as fast. */
    void (*gcm_many)(const void *context, const rijn_batch *batch, size_t first, size_t count);
    /* All of a message at once (RFC 8452); open leaves it to its caller to compare the `full` tag.
     * They have a context of the message's own, context_size bytes, on the stack. */
    void (*gcm_siv_seal)(const void *context, uint8_t *out, uint8_t tag[16],
                         const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                         const uint8_t *in, size_t size);
    void (*gcm_siv_open)(const void *context, uint8_t *out, uint8_t full[16], const uint8_t tag[16],
                         const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                         const uint8_t *in, size_t size);
    /* All messages of a batch; of opened ones the given tags, of 16 bytes, are their counters. */
    void (*gcm_siv_many)(const void *context, const rijn_batch *batch);
    /* What RFC 7253 section 4.2 makes of the nonce, whose block this is but for its last six bits,
     * the number `bottom`; the table of deltas as far as a message with no more than so many blocks
     * of data or of associated data needs it (modes/ocb.h). */
    void (*ocb_begin)(const void *context, rijn_ocb *ocb, const uint8_t nonce[16], unsigned bottom,
                      uint64_t blocks);
    void (*ocb_encrypt)(const void *context, rijn_ocb *ocb, uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*ocb_decrypt)(const void *context, rijn_ocb *ocb, uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*ocb_hash)(const void *context, rijn_ocb *ocb, const uint8_t *ad, size_t blocks);
} rijn_backend;

/* Every backend of this build, preferred first (backends.c). */
extern const rijn_backend *const rijn_registry[];
extern const size_t rijn_registry_size;

/* What a record is on a CPU with these features (rijn_machine.h): available when it lacks nothing,
 * automatic when its record says so and there is nothing to avoid. */
void rijn_backend_describe(const rijn_backend *backend, uint64_t cpu, rijn_backend_info *info);

/* Of these records the one of that name, or, for NULL, the first that is automatic and available
 * on such a CPU. RIJN_OK, RIJN_ERR_BACKEND if none has that name, or RIJN_ERR_UNAVAILABLE. */
rijn_status rijn_backend_choose(const rijn_backend *const records[], size_t count, uint64_t cpu,
                                const char *name, const rijn_backend **found);

/* Finds the backend for a new key. name NULL: the process's choice or the best.
 * RIJN_OK, RIJN_ERR_BACKEND, RIJN_ERR_UNAVAILABLE or RIJN_ERR_ENVIRONMENT. */
rijn_status rijn_backend_find(const char *name, const rijn_backend **found);

#endif
