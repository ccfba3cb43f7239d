/* The contract between the library and one backend.
 *
 * A backend is one file, src/backends/NAME.c, of this shape:
 *
 *   1. the constants, types and operations listed below;
 *   2. #include "../modes/modes.h", which writes every mode once over them;
 *   3. RIJN_MODES(NAME), the function tables of the modes, and
 *      `const rijn_backend rijn_backend_NAME = { …, RIJN_CORE(NAME) };`. Before them may stand batches
 *      of GCM and GCM-SIV (x86/vec_many.h, x86/siv_many.h).
 *
 * The list of backends names it (backends.def), and no other place does. Backends of one family share
 * files that they include: ../x86, ../circuits, ../tables.
 *
 * A vec is VEC_BLOCKS blocks side by side, as they lie in memory. Chains, key set-up and short ends
 * work on blocks, and bulk works on vecs. Several of either are in flight: below, n is a constant of
 * up to 8, so that RIJN_UNROLL unrolls the loops.
 *
 * Constants, as macros
 *   VEC_BLOCKS      blocks in a vec. If it is 1, a vec is a block, and the backend has only the
 *                   operations on blocks (blocks_encrypt for aes_encrypt).
 *   FLIGHT          vecs that are encrypted together at full speed: 1, 2, 4 or 8. Short ends use half
 *                   of it, and so on. A batch is FLIGHT vecs: a power of two of blocks, up to 32.
 *   STACK           bytes of stack that the work of a public call takes at most, by any compiler,
 *                   without the variables that the modes add (scrub.h). tests/unit/test_wipe.c measures
 *                   it, and prints it when called with a second argument.
 *   BLOCKS_STACK    optional: replaces STACK for ECB, CBC and IGE where these take less. Overwriting
 *                   unused stack would be most of the work for a message of a block or two.
 *   FUSED_STACK     bytes of stack beside STACK while a batch is encrypted and hashed at once
 *   GCM_STACKS      optional: replaces STACK for GCM messages. The first two are for nonces of 12
 *                   bytes and messages of fewer than fused_blocks, or more. The third is for other
 *                   nonces.
 * Types
 *   context         the expanded key: at most sizeof rijn_key.context. Its last member is
 *                   `int rounds`, Nr of FIPS 197.
 *   block, vec      Each has a size that the compiler knows. A backend whose VEC_BLOCKS is 1 has only
 *                   `block`. Others have `vec`, and with NATIVE_VEC both.
 *   hash            a GHASH accumulator
 * Key set-up
 *   void aes_init(context *c, const uint8_t *key, size_t size)
 *         expands a key of 16, 24 or 32 bytes for encryption. The part of the context that a smaller
 *         key leaves unused becomes zero, here and in aes_decrypt_init
 *   void aes_decrypt_init(context *c)
 *         then prepares decryption
 *   void ghash_init(context *c, const uint8_t h[16], size_t blocks)
 *         prepares multiplication by H (SP 800-38D 6.3, 6.4): as many powers of H as help a message
 *         whose parts have `blocks` blocks to be hashed
 * Operations (RIJN_INLINE)
 *   void aes_encrypt(const context *c, vec *v, int n)
 *   void aes_decrypt(const context *c, vec *v, int n)
 *         send every block of v[0..n) through the cipher (FIPS 197 5.1, 5.3)
 *   vec vec_load(const uint8_t *p)
 *   void vec_store(uint8_t *p, vec v)
 *         load and store 16 * VEC_BLOCKS bytes
 *   vec vec_load_part(const uint8_t *p, size_t size)
 *         loads the `size` bytes at p, fewer than a vec has, then zeros. It reads no more
 *   void vec_store_part(uint8_t *p, vec v, size_t size)
 *         stores the first `size` bytes. It writes no more
 *   vec vec_xor(vec a, vec b)
 *   block_load, block_store, block_xor
 *         are the same operations for a block of 16 bytes
 *   block block_pair(uint64_t a, uint64_t b)
 *         returns LE64(a) || LE64(b)
 *   block block_halves(block a, block b)
 *         returns the first eight bytes of a, then the first eight of b
 *   block block_and(block a, block b)
 *   hash hash_load(const uint8_t bytes[16])
 *   void hash_store(uint8_t bytes[16], hash y)
 *   hash ghash(const context *c, hash y, const uint8_t *p, size_t blocks)
 *         computes y = (y XOR X) * H for each block X at p
 *   void polyval_init(context *c, const uint8_t h[16], size_t blocks)
 *   hash polyval(const context *c, hash y, const uint8_t *p, size_t blocks)
 *         are ghash_init and ghash for POLYVAL (RFC 8452 section 3). hash_load and hash_store read and
 *         write its accumulator with the bytes reversed. polyval_by_ghash.h has both operations
 *         for backends without faster ones.
 *
 * Optional groups. A backend that defines the macro of a group defines every member. Without the
 * macro, templates do the same work by the operations above, or a byte or a word at a time.
 *
 * NATIVE_VEC: VEC_BLOCKS is more than 1, and one block costs less than a vec. The backend has the
 * types vec and block, the operations of both, and
 *   void blocks_encrypt(const context *c, block *b, int n)
 *   void blocks_decrypt(const context *c, block *b, int n)
 *         are aes_encrypt and aes_decrypt for blocks
 *   vec vec_broadcast(block x)
 *         has x in every place
 *   vec vec_last(block x)
 *         has x in the last place, and zeros before it
 *   block vec_first(vec v)
 *         returns the block in the first place
 *   block vec_sum(vec v)
 *         returns the XOR of all blocks
 *   vec vec_part(vec v, size_t size)
 *         keeps the first `size` bytes, then has zeros. size is a multiple of 16 and less than a vec
 *   vec vec_xor3(vec a, vec b, vec c)
 *         returns a XOR b XOR c
 *   vec vec_behind(block before, const uint8_t *p, size_t size)
 *         has `before`, then the first size - 16 bytes at p. The rest may be anything. size is a
 *         multiple of 16, up to a vec
 *
 * NATIVE_ROUNDS: the XORs before and after the cipher join its first and last round keys. A chain
 * then waits for the rounds alone, and a mask costs one operation less.
 *   block block_begin(const context *c, block x, bool decrypting)
 *         starts the cipher of x. It is an XOR with something of the key
 *   void blocks_rounds(const context *c, block *b, int n, bool decrypting)
 *         runs the rounds on n blocks
 *   block block_mask(const context *c, block onto, bool decrypting)
 *         prepares `onto` for block_end. It is an XOR with something of the key, too
 *   block block_end(block x, block mask, bool decrypting)
 *         ends the cipher and XORs `onto`, when mask is block_mask(c, onto)
 *
 * NATIVE_VEC_AES: instructions for AES work on a whole vec.
 *   vec_begin(c, x, decrypting), aes_rounds(c, v, n, decrypting), vec_mask(c, onto, decrypting) and
 *   vec_end(x, mask, decrypting)
 *         are the operations of NATIVE_ROUNDS for vecs
 *   block gcm_message(const context *c, const uint8_t *nonce, size_t nonce_size,
 *                     const uint8_t *ad, size_t ad_size, uint8_t *out, const uint8_t *in,
 *                     size_t size, bool decrypting)
 *         does all of SP 800-38D section 7.1, or section 7.2 without step 8. Returns the whole tag
 *   LONG_BLOCKS
 *         a constant: fused_blocks of the function table
 *
 * CIPHER_APART: the cipher is a function that is called, and takes most of the time. The modes then
 * share code that they have several times elsewhere.
 *
 * NATIVE_COUNTERS
 *   void counters(vec *v, int n, block fixed, uint32_t low, bool hidden)
 *         makes block i of v[0..n) fixed[0..12) || BE32(low + i mod 2^32). `hidden` is set for GCM's
 *         J0 when the nonce is not 12 bytes. fixed and low are secrets then: 128 leaked bits of them
 *         give H away
 *   void little_counters(vec *v, int n, block fixed, uint32_t low)
 *         makes block i LE32(low + i mod 2^32) || fixed[4..16)
 *
 * NATIVE_CTR: a faster CTR while no hash runs beside the cipher.
 *   size_t native_ctr(const context *c, const uint8_t fixed[16], uint32_t low, uint8_t *out,
 *                     const uint8_t *in, size_t size)
 *         XORs the keystream of the counter blocks fixed[0..12) || BE32(low), low + 1 … from in to
 *         out. The counters are public. Returns how many bytes it has done: whole blocks, all before
 *         low would become 0
 *
 * NATIVE_BYPASS, only with NATIVE_CARRYLESS: memory is slower than the cipher.
 *   void vec_bypass(uint8_t *p, vec v), named block_bypass where a vec is a block
 *         is vec_store past the caches. p is a multiple of the size
 *   void bypass_end(void)
 *         orders those stores before later ones, for other threads
 *
 * NATIVE_CARRYLESS: hashes by carry-less products. carryless/hash.h has most of it.
 *   hash aes_encrypt_ghash(const context *c, vec *v, hash y, const uint8_t *p)
 *   hash aes_encrypt_polyval(const context *c, vec *v, hash y, const uint8_t *p)
 *         are aes_encrypt(c, v, FLIGHT) while y absorbs the batch of blocks at p
 *   hash ghash_end(const context *c, hash y, const uint8_t *p, size_t size, uint64_t a, uint64_t b)
 *         absorbs the `size` bytes at p, zeros up to a whole block, and BE64(a) || BE64(b)
 *   block polyval_end(const context *c, hash y, const uint8_t *p, size_t size, uint64_t a,
 *                     uint64_t b)
 *         does the same with LE64(a) || LE64(b), and returns POLYVAL's result
 *   block polyval_times(block x, block h)
 *         returns POLYVAL's product of x and the key h
 *
 * NATIVE_REGISTER_TWEAKS: registers hold 2 * FLIGHT vecs, and XTS keeps the tweaks of a batch in
 * them (IEEE 1619 section 5.2).
 *   void first_tweaks(vec *t, const uint8_t first[16])
 *         makes the tweaks of a batch, beginning with `first`
 *   vec next_tweaks(vec t)
 *         returns t times x^BATCH_BLOCKS
 *
 * NATIVE_TABLE_TWEAKS: or XTS keeps them in memory.
 *   tweak_chain
 *         a type: the next tweak. tweak_chain.h has one, with the next two operations
 *   tweak_chain tweak_load(const uint8_t first[16])
 *         begins with `first`
 *   void tweaks(uint8_t *t, tweak_chain *next)
 *         writes the tweaks of a batch to t, and moves on to the next batch
 *   vec far_tweaks(vec t)
 *         returns every block of t times x^64 (XTS_FAR)
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

    /* Below, and in the tables of the modes: filled by RIJN_CORE and RIJN_MODES. `context` is
     * rijn_key.context. Arguments are checked; out == in or they are disjoint. */
    unsigned index;         /* its place in the registry, and its tables' in theirs */
    unsigned context_size;  /* bytes of it that are used */
    unsigned blocks;        /* FLIGHT * VEC_BLOCKS */
    unsigned stack;         /* STACK */
    unsigned blocks_stack;  /* BLOCKS_STACK */
    unsigned fused_blocks;  /* GCM messages of so many are worked on by batches */
    unsigned gcm_stacks[3]; /* GCM_STACKS */
    unsigned bypass_stack;  /* beside it, of those past the caches; 0: there are none */
    unsigned xts_table;     /* tweaks XTS keeps in memory, of fewer blocks than XTS_MANY */
    /* For encryption, and for what else `uses` says: USE_DECRYPT; USE_HASH, of messages with up
     * to so many blocks to be hashed (ghash_init). */
    void (*key_init)(void *context, const uint8_t *key, size_t size, unsigned uses, size_t blocks);
    void (*encrypt_block)(const void *context, uint8_t out[16], const uint8_t in[16]);
} rijn_backend;

/* The function tables of the modes. Only the public functions of a mode refer to its tables, so a
 * linker that collects sections leaves out the modes that a program does not call. */

typedef struct rijn_ecb_table {
    void (*ecb_encrypt)(const void *context, uint8_t *out, const uint8_t *in, size_t blocks);
    void (*ecb_decrypt)(const void *context, uint8_t *out, const uint8_t *in, size_t blocks);
    void (*decrypt_block)(const void *context, uint8_t out[16], const uint8_t in[16]);
} rijn_ecb_table;

typedef struct rijn_cbc_table {
    void (*cbc_encrypt)(const void *context, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*cbc_decrypt)(const void *context, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    /* chain = E(chain XOR block) for each block (SP 800-38B section 6.2, step 6) */
    void (*cbc_mac)(const void *context, uint8_t chain[16], const uint8_t *in, size_t blocks);
} rijn_cbc_table;

typedef struct rijn_ctr_table {
    /* Any size; *counter leaves as the one behind the last block of which it used a byte. */
    void (*ctr_crypt)(const void *context, rijn_counter *counter, uint8_t *out, const uint8_t *in,
                      size_t size);
    /* As ctr_crypt, gcm_encrypt and gcm_decrypt, out of place and for what is larger than the
     * caches (rijn_bypass_size); with bypass_stack more on the stack. NULL if that is 0. */
    void (*ctr_bypass)(const void *context, rijn_counter *counter, uint8_t *out, const uint8_t *in,
                       size_t size);
} rijn_ctr_table;

typedef struct rijn_ctr_mac_table {
    /* CTR of size bytes, at least one, with a counter of 128 bits, which may be a secret and
     * moves on; and cbc_mac of what goes in or what comes out, zeros behind its end. */
    void (*ctr_mac_in)(const void *context, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                       const uint8_t *in, size_t size);
    void (*ctr_mac_out)(const void *context, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                        const uint8_t *in, size_t size);
} rijn_ctr_mac_table;

typedef struct rijn_feedback_table {
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
} rijn_feedback_table;

typedef struct rijn_xts_table {
    /* tweak is encrypted already, and leaves as the one behind the last block's. */
    void (*xts_encrypt)(const void *context, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*xts_decrypt)(const void *context, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
} rijn_xts_table;

typedef struct rijn_gcm_table {
    /* y = y XOR block, times H, for each block (SP 800-38D section 6.4) */
    void (*ghash)(const void *context, uint8_t y[16], const uint8_t *p, size_t blocks);
    /* CTR of the blocks while y absorbs the ciphertext as ghash does */
    void (*gcm_encrypt)(const void *context, rijn_counter *counter, uint8_t y[16], uint8_t *out,
                        const uint8_t *in, size_t blocks);
    void (*gcm_decrypt)(const void *context, rijn_counter *counter, uint8_t y[16], uint8_t *out,
                        const uint8_t *in, size_t blocks);
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
} rijn_gcm_table;

typedef struct rijn_gcm_siv_table {
    /* All of a message at once (RFC 8452); open leaves it to its caller to compare the `full` tag.
     * They have a context of the message's own, context_size bytes, on the stack. */
    void (*gcm_siv_seal)(const void *context, uint8_t *out, uint8_t tag[16],
                         const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                         const uint8_t *in, size_t size);
    void (*gcm_siv_open)(const void *context, uint8_t *out, uint8_t full[16], const uint8_t tag[16],
                         const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                         const uint8_t *in, size_t size);
} rijn_gcm_siv_table;

typedef struct rijn_ocb_table {
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
} rijn_ocb_table;

typedef struct rijn_many_table {
    /* So many chains, which are left at their ends. */
    void (*chains)(const void *context, rijn_chain *chain, size_t count);
    /* `count` messages of GCM of a batch, from the first on, their whole tags to batch->tag[i], of
     * nonces of 12 bytes. NULL: one after the other is as fast. */
    void (*gcm_many)(const void *context, const rijn_batch *batch, size_t first, size_t count);
    /* All messages of a batch; of opened ones the given tags, of 16 bytes, are their counters. */
    void (*gcm_siv_many)(const void *context, const rijn_batch *batch);
} rijn_many_table;

/* X(mode, it) for each of them. */
#define RIJN_TABLES(X, it) \
    X(ecb, it) \
    X(cbc, it) X(ctr, it) X(ctr_mac, it) X(feedback, it) X(xts, it) X(gcm, it) X(gcm_siv, it) \
        X(ocb, it) X(many, it)

/* rijn_gcm_tables[backend->index], and so on (tables.c): rijn_gcm_of(backend) is that table. */
#define RIJN_TABLES_OF(mode, _) \
    extern const rijn_##mode##_table *const rijn_##mode##_tables[]; \
    static inline const rijn_##mode##_table *rijn_##mode##_of(const rijn_backend *backend) \
    { \
        return rijn_##mode##_tables[backend->index]; \
    }
RIJN_TABLES(RIJN_TABLES_OF, )
#undef RIJN_TABLES_OF

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
