/* The contract between the library and one rung of the ladder.
 *
 * A backend is one file, src/backends/NAME.c, of this shape:
 *
 *   1. the constants, types and operations listed below;
 *   2. #include "../modes/modes.h", which writes every mode once over them;
 *   3. `const rijn_backend rijn_backend_NAME = { …, RIJN_MODES };`
 *
 * The backend then stands in the registry (backends.c), with its kernels of AEGIS in that
 * of AEGIS (aegis/kernels.c), and nowhere else. What several backends of one family do
 * alike is a file of its own that they include: ../x86, ../circuits, ../tables.
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
 *   DECRYPT_FLIGHT, FUSED_FLIGHT  likewise, where decryption (but that of XTS and OCB,
 *                   which goes by FLIGHT) or aes_encrypt_ghash differ
 *   STACK           bytes of stack that a public call's work takes at most, whatever
 *                   compiler made it, beside the variables that the modes add (scrub.h):
 *                   measured by tests/c/test_wipe.c, which prints them when it has a second
 *                   argument
 *   FUSED_STACK     the same, in addition to it, of GCM messages from one batch on
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
 *   void ghash_init(context *c, const uint8_t h[16])
 *         prepares multiplication by H (SP 800-38D 6.3, 6.4)
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
 *   hash hash_load(const uint8_t bytes[16])
 *   void hash_store(uint8_t bytes[16], hash y)
 *   hash ghash(const context *c, hash y, const uint8_t *p, size_t blocks)
 *         for each block X at p: y = (y XOR X) * H
 * Optional: without the macro, the templates do the same a byte or a word at a time
 *   #define NATIVE_BLOCKS, where VEC_BLOCKS is more than 1 and one block costs less than a
 *   vec, and block_load, block_store, block_xor, block_pair, and blocks_encrypt and
 *   blocks_decrypt, which are to block what aes_encrypt and aes_decrypt are to vec
 *   #define NATIVE_WHITENING and block block_whiten(const context *c, block x)
 *   and void blocks_encrypt_onto(const context *c, block *b, const block *onto, int n)
 *         b[i] becomes E(x) XOR onto[i], where it was block_whiten(c, x): for chains, in
 *         which neither XOR need wait for the block before; block_whiten(c, x) is linear in
 *         x and its own inverse
 *   #define NATIVE_COUNTERS and
 *   void counters(vec *v, int n, block fixed, uint32_t low, bool hidden)
 *         block i of v[0..n) becomes fixed[0..12) || BE32(low + i mod 2^32);
 *         when hidden (GCM's J0 from a nonce that is not 12 bytes), fixed and
 *         low are secrets, and 128 leaked bits of them give H away
 *   void little_counters(vec *v, int n, block fixed, uint32_t low)
 *         block i becomes LE32(low + i mod 2^32) || fixed[4..16)
 *   #define FUSED and hash aes_encrypt_ghash(const context *c, vec *v, hash y, const uint8_t *p)
 *         aes_encrypt(c, v, FUSED_FLIGHT) while y absorbs the FUSED_FLIGHT * VEC_BLOCKS
 *         blocks at p
 *   #define NATIVE_GHASH_END and
 *   hash ghash_end(const context *c, hash y, const uint8_t *p, size_t size, uint64_t a, uint64_t b)
 *         ghash of the `size` bytes at p, zeros up to a whole block, and the block
 *         BE64(a) || BE64(b)
 *   #define NATIVE_POLYVAL and void polyval_init(context *c, const uint8_t h[16])
 *         and hash polyval(const context *c, hash y, const uint8_t *p, size_t blocks)
 *         as ghash_init and ghash, of POLYVAL (RFC 8452 section 3); hash_load and
 *         hash_store are given and give its accumulator byte-reversed
 */
#ifndef RIJN_BACKEND_H
#define RIJN_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rijn.h"

/* Before a loop over the vecs in flight: unroll it, they live in registers. */
#if defined(__clang__)
#define RIJN_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RIJN_UNROLL _Pragma("GCC unroll 32")
#endif

#define RIJN_INLINE static inline __attribute__((always_inline))

/* Before a function that is called, and not made part of its caller: work whose stack is
 * scrubbed (scrub.h), or what would only make its callers large. */
#if defined(__clang__)
#define RIJN_APART __attribute__((noinline))
#else
#define RIJN_APART __attribute__((noinline, noclone))
#endif

/* What a key is for, besides encryption. */
enum { USE_DECRYPT = 1, USE_HASH = 2, USE_ALL = USE_DECRYPT | USE_HASH };

typedef struct rijn_backend {
    const char *name;
    const char *summary;
    uint64_t cpu;       /* the features that must all be there (cpu.h) */
    uint64_t avoid;     /* chosen by name alone where the CPU has one of these features or quirks */
    bool constant_time; /* shown by tests/ct */
    bool automatic;     /* else chosen by name alone; the registry's order is the preference */

    /* Below: filled by RIJN_MODES. `context` is rijn_key.context. Arguments are
     * checked; out == in or they are disjoint. */
    unsigned context_size; /* bytes of it that are used */
    unsigned blocks;       /* FLIGHT * VEC_BLOCKS */
    unsigned stack;        /* STACK */
    unsigned fused_blocks; /* FUSED_FLIGHT * VEC_BLOCKS */
    unsigned fused_stack;  /* FUSED_STACK */
    /* For encryption, and for what else `uses` says: USE_DECRYPT, USE_HASH. */
    void (*key_init)(void *context, const uint8_t *key, size_t size, unsigned uses);
    /* In place of USE_HASH, with h as the key of polyval; the context is not for GCM. */
    void (*polyval_init)(void *context, const uint8_t h[16]);
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
    /* All of a message at once; open leaves it to its caller to compare the tag. */
    void (*gcm_seal)(const void *context, uint8_t *out, uint8_t *tag, size_t tag_size,
                     const uint8_t *nonce, size_t nonce_size, const uint8_t *ad, size_t ad_size,
                     const uint8_t *in, size_t size);
    void (*gcm_open)(const void *context, uint8_t *out, uint8_t tag[16], const uint8_t *nonce,
                     size_t nonce_size, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                     size_t size);
    /* y = y XOR block, times the hash key, for each block (RFC 8452 section 3) */
    void (*polyval)(const void *context, uint8_t y[16], const uint8_t *p, size_t blocks);
    void (*ocb_encrypt)(const void *context, rijn_ocb *ocb, uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*ocb_decrypt)(const void *context, rijn_ocb *ocb, uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*ocb_hash)(const void *context, rijn_ocb *ocb, const uint8_t *ad, size_t blocks);
} rijn_backend;

/* Every backend of this build, preferred first (backends.c). */
extern const rijn_backend *const rijn_registry[];
extern const size_t rijn_registry_size;

/* What a record is on a CPU with these features (cpu.h): available when it lacks nothing,
 * automatic when its record says so and there is nothing to avoid. */
void rijn_backend_describe(const rijn_backend *backend, uint64_t cpu, rijn_backend_info *info);

/* Of these records the one of that name, or, for NULL, the first that is automatic and available
 * on such a CPU. RIJN_OK, RIJN_ERR_BACKEND when there is none, or RIJN_ERR_UNAVAILABLE. */
rijn_status rijn_backend_choose(const rijn_backend *const records[], size_t count, uint64_t cpu,
                                const char *name, const rijn_backend **found);

/* Finds the backend for a new key. name NULL: the process's choice or the best.
 * RIJN_OK, RIJN_ERR_BACKEND, RIJN_ERR_UNAVAILABLE or RIJN_ERR_ENVIRONMENT. */
rijn_status rijn_backend_find(const char *name, const rijn_backend **found);

/* RIJN_BACKEND, read as glibc's secure_getenv does; "" when it is unset or not to be
 * heeded. Hosted systems only. */
const char *rijn_environment(void);

#endif
