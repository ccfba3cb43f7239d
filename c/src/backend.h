/* The contract between the library and one backend.
 *
 * A backend is one file, src/backends/NAME.c, of this shape:
 *
 *   1. the constants, types and operations listed below;
 *   2. #include "../modes/modes.h", which writes every mode once over them;
 *   3. optional: functions for batches of GCM and GCM-SIV (x86/vec_many.h, x86/siv_many.h);
 *   4. RIJN_MODES(NAME), the function tables of the modes, and
 *      `const rijn_backend rijn_backend_NAME = { …, RIJN_CORE(NAME) };`.
 *
 * Only the list of backends (backends.def) names it. Backends of one family include the same files:
 * ../x86, ../circuits, ../tables.
 *
 * A vec is VEC_BLOCKS blocks side by side, as they lie in memory. Chains, key set-up and short ends
 * work on blocks, and bulk works on vecs. Several of either are in flight: below, n is a constant
 * of up to 8, so that RIJN_UNROLL unrolls the loops.
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
 *   PIECE_STACK     optional: replaces STACK for pieces of GCM messages that are shorter than a batch
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
 *   block polyval_two(const context *c, block y, block last)
 *         returns y * H * H XOR last * H
 *   LONG_BLOCKS
 *         a constant: fused_blocks of the function table
 *
 * NATIVE_REGISTERS: compilers keep all secrets of a call in registers, so the call needs no scrub
 * (modes/registers.h). The context has another member,
 *   uint8_t subkeys[2][16]
 *         CMAC's K1 and K2. key_init makes them
 *   block block_rounds(const context *c, block x, bool decrypting)
 *         is blocks_rounds for one block, without a loop
 *   block block_load_apart(const uint8_t *p)
 *         is block_load for bytes that were stored a moment ago as two halves: one load of both
 *         would wait until they have left the store buffer
 *   uint64_t block_half(block x, int i)
 *         returns a of block_pair(a, b) if i is 0, and b if it is 1
 *   block block_part(const uint8_t *p, size_t size)
 *         loads the `size` bytes at p, 1 to 16, then zeros, and takes few registers
 *   void block_part_store(uint8_t *p, block x, size_t size)
 *         is block_store_part with few registers
 *   block block_stretch(block top, unsigned bottom)
 *         returns Offset_0 of OCB3 (RFC 7253 section 4.2) if Ktop is `top`. `bottom` is public
 *   block polyval_short(block h, block y, const uint8_t *p, size_t size, block last)
 *         is polyval_end for the key h, without its powers in memory, and more than 64 bytes
 *   void block_store_part(uint8_t *p, block x, size_t size)
 *         stores the first `size` bytes, 0 < size < 16, and nothing on the stack
 *   block block_up(block x, size_t by)
 *   block block_down(block x, size_t by)
 *         move the bytes of x `by` places, up to 16, towards the last or the first byte. Zeros
 *         replace them
 *
 * NATIVE_SIV_REGISTERS, only with NATIVE_REGISTERS: they also keep the secrets of short messages of
 * GCM-SIV and OCB3 in registers, except for keys that the code wipes, and two blocks of CCM and EAX.
 *   void aes_expand(context *c, block a, block b, size_t size)
 *         stores the round keys of the key a, for 24 and 32 bytes with its end b, and their number
 *   block ghash_key(const context *c)
 *         returns H as a key of POLYVAL
 *   block byte_reverse(block x)
 *         returns the bytes of x, the last one first
 *   void blocks_written_rounds(const context *c, block *b, int n, bool decrypting)
 *         is blocks_rounds without a loop
 *   block vec_packed_halves(vec v, int i)
 *         returns the first halves of blocks i and i + 1. i is even. Only with VEC_BLOCKS above 1
 *
 * NATIVE_GCM_REGISTERS: the same for short messages of GCM. The backend has the functions
 * gcm_seal_in_registers and gcm_open_in_registers of its table, and
 *   GCM_REGISTER_SIZE
 *         a constant: bytes of the longest such message
 *
 * NATIVE_GCM_FIRST: the backend also has gcm_first_in_registers, instead of the one of
 * modes/registers_pieces.h, and
 *   GCM_FIRST_SIZE
 *         a constant: bytes of its longest piece
 *
 * CIPHER_APART: the cipher is a function that is not inlined, and takes most of the time. In a build
 * with everything, modes then share code that other backends have in several copies.
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
 *   void first_tweaks(vec *t, block first, int n)
 *         makes the tweaks of n vecs, beginning with `first`
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

/* A pragma. Macros in its text are expanded. */
#define RIJN_PRAGMA_TEXT(text) _Pragma(#text)
#define RIJN_PRAGMA(...) RIJN_PRAGMA_TEXT(__VA_ARGS__)

/* Unrolls the loop that follows, over vecs in flight, so that they stay in registers. In builds
 * with small code, loops stay loops. */
#if RIJN_WITH_SMALL_CODE
#define RIJN_UNROLL
#elif defined(__clang__)
#define RIJN_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RIJN_UNROLL _Pragma("GCC unroll 32")
#endif

/* Keeps the loop that follows a loop, where unrolling would only add code. */
#if defined(__clang__)
#define RIJN_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define RIJN_ROLLED _Pragma("GCC unroll 1")
#endif

/* Compiles the code that follows with -O3 at every level of optimisation. Such code was laid out
 * register by register. Below -O3, gcc 12 puts up to 2 KiB of vecs on the stack, and each call
 * would have to scrub them: at -O1 it unrolls loops too late, and at -Os it merges the ends of
 * messages. Builds without optimisation (debugging, sanitizers) need no -O3: nothing measures their
 * stack. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define RIJN_AT_O3 _Pragma("GCC optimize(\"O3\")")
#else
#define RIJN_AT_O3
#endif

/* Keeps the order of the code that follows, which needs all registers. gcc would start all rounds
 * before it ends one, and have no registers for their results. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define RIJN_AS_WRITTEN _Pragma("GCC optimize(\"no-schedule-insns\")")
#else
#define RIJN_AS_WRITTEN
#endif

#define RIJN_INLINE static inline __attribute__((always_inline))

/* Keeps a function from being merged with another one. Some modes differ only in the variable that
 * a value goes to. With sanitizers, gcc 12 merged two such functions, and a backend computed OFB in
 * place of CFB. Clang merges no functions. */
#ifdef __has_attribute
#if __has_attribute(no_icf)
#define RIJN_UNFOLDED __attribute__((no_icf))
#endif
#endif
#ifndef RIJN_UNFOLDED
#define RIJN_UNFOLDED
#endif

/* Begins each function of a function table. */
#define RIJN_OPERATION static RIJN_UNFOLDED

/* Keeps a function out of line: the caller scrubs its stack (scrub.h), or inlining would only make
 * its callers large. */
#if defined(__clang__)
#define RIJN_APART __attribute__((noinline))
#else
#define RIJN_APART __attribute__((noinline, noclone)) RIJN_UNFOLDED
#endif

/* Inlines a function if everything is built. A configuration gets one copy for all callers. */
#if RIJN_WITH_ALL
#define RIJN_ONCE RIJN_INLINE
#else
#define RIJN_ONCE RIJN_APART __attribute__((unused)) static
#endif

/* Inlines a function unless the build has small code: then there is one copy for all callers. */
#if RIJN_WITH_SMALL_CODE
#define RIJN_ONCE_IF_SMALL RIJN_ONCE
#else
#define RIJN_ONCE_IF_SMALL RIJN_INLINE
#endif

/* From XTS_MANY blocks on, the table of XTS has XTS_FAR tweaks. For fewer blocks it has two batches
 * of tweaks (modes/xts.h). */
enum { XTS_FAR = 64, XTS_MANY = 128 };

/* The table is aligned to a cache line, so that no vec crosses two lines. */
enum { XTS_LINE = 64 };

/* Returns the number of entries of OCB's list of L for this many batches (modes/ocb.h). */
static inline unsigned rijn_ocb_list(uint64_t batches)
{
    return batches ? 64 - (unsigned)__builtin_clzll(batches) : 1;
}

/* Returns the number of blocks of a message that GHASH or POLYVAL hashes: associated data, data,
 * and the block of their lengths. */
static inline size_t rijn_hashed_blocks(size_t ad_size, size_t size)
{
    return ad_size / 16 + (ad_size % 16 != 0) + size / 16 + (size % 16 != 0) + 1;
}

/* The uses of a key besides encryption. */
enum { USE_DECRYPT = 1, USE_HASH = 2, USE_MAC = 4, USE_ALL = USE_DECRYPT | USE_HASH | USE_MAC };

/* The function tables. In all of them
 *   context     is rijn_key.context
 *   blocks      is a number of blocks of 16 bytes, 0 allowed
 *   iv, chain, counter, tweak, y
 *               are updated, so that the next call continues the message
 *   out and in  are the same buffer or disjoint
 * Callers have checked all arguments, and scrub the stack afterwards (scrub.h). */

/* A backend: its name, its sizes, and the functions that every mode uses. RIJN_CORE fills in the
 * members from `name` on, the first three from the backend's line in backends.def. */
typedef struct rijn_backend {
    const char *summary;
    uint64_t cpu;   /* required features of the CPU (rijn_machine.h) */
    uint64_t avoid; /* on a CPU with one of these features or quirks, chosen only by name */
    const char *name;
    bool constant_time; /* docs/claims.md has the grounds of this claim */
    bool automatic;     /* may be chosen without its name, in the order of the registry */

#if RIJN_WITH_ALL
    unsigned gcm_register_size; /* bytes of the longest message of gcm_seal_in_registers, or 0 */
    unsigned gcm_first_size;    /* bytes of the longest piece of gcm_first_in_registers, or 0 */
#endif
    unsigned index;         /* in the registry, and in the arrays of tables (tables.c) */
    unsigned context_size;  /* bytes of rijn_key.context that the backend uses */
    unsigned blocks;        /* blocks of a batch: FLIGHT * VEC_BLOCKS */
    unsigned stack;         /* STACK */
    unsigned blocks_stack;  /* BLOCKS_STACK */
    unsigned piece_stack;   /* PIECE_STACK */
    unsigned fused_blocks;  /* GCM processes messages of at least this many blocks by batches */
    unsigned gcm_stacks[3]; /* GCM_STACKS */
    unsigned bypass_stack;  /* additional stack of ctr_bypass and the like; 0 if they are NULL */
    unsigned xts_table;     /* tweaks in memory while XTS works on fewer than XTS_MANY blocks */
    /* Expands a key of `size` bytes for encryption and for `uses`. With USE_HASH, `blocks` is the
     * largest number of hashed blocks of a message, as for ghash_init. */
    void (*key_init)(void *context, const uint8_t *key, size_t size, unsigned uses, size_t blocks);
    void (*encrypt_block)(const void *context, uint8_t out[16], const uint8_t in[16]);
} rijn_backend;

/* Below are the tables of the modes. RIJN_MODES fills them in. Only the public functions of a mode
 * refer to its tables, so a linker that collects sections leaves out the modes that a program does
 * not call. */

typedef struct rijn_ecb_table {
    void (*ecb_encrypt)(const void *context, uint8_t *out, const uint8_t *in, size_t blocks);
    void (*ecb_decrypt)(const void *context, uint8_t *out, const uint8_t *in, size_t blocks);
    void (*decrypt_block)(const void *context, uint8_t out[16], const uint8_t in[16]);
#if RIJN_WITH_ALL
    /* Are ecb_encrypt and ecb_decrypt. For the rest see cmac_in_registers. */
    rijn_status (*ecb_encrypt_in_registers)(const void *context, uint8_t *out, const uint8_t *in,
                                            size_t blocks);
    rijn_status (*ecb_decrypt_in_registers)(const void *context, uint8_t *out, const uint8_t *in,
                                            size_t blocks);
    /* Compute W and its inverse (modes/keywrap.c) of A = LE64(a) and R[1..n] at r. They replace R and
     * return the new A. */
    uint64_t (*wrap_in_registers)(const void *context, uint64_t a, uint8_t *r, size_t n);
    uint64_t (*unwrap_in_registers)(const void *context, uint64_t a, uint8_t *r, size_t n);
#endif
} rijn_ecb_table;

typedef struct rijn_cbc_table {
    void (*cbc_encrypt)(const void *context, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*cbc_decrypt)(const void *context, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    /* Computes chain = E(chain XOR block) for each block (SP 800-38B section 6.2, step 6). */
    void (*cbc_mac)(const void *context, uint8_t chain[16], const uint8_t *in, size_t blocks);
#if RIJN_WITH_ALL
    /* Computes a CMAC of a whole message, and leaves no secret on the stack: its caller does not
     * scrub. Returns RIJN_OK, so that the caller ends with a jump. NULL if the compiler would use
     * the stack. */
    rijn_status (*cmac_in_registers)(const void *context, uint8_t *tag, size_t tag_size,
                                     const uint8_t *in, size_t size);
    /* Are cbc_encrypt and cbc_decrypt. For the rest see cmac_in_registers. */
    rijn_status (*cbc_encrypt_in_registers)(const void *context, uint8_t iv[16], uint8_t *out,
                                            const uint8_t *in, size_t blocks);
    rijn_status (*cbc_decrypt_in_registers)(const void *context, uint8_t iv[16], uint8_t *out,
                                            const uint8_t *in, size_t blocks);
#endif
} rijn_cbc_table;

typedef struct rijn_ctr_table {
    /* Encrypts or decrypts `size` bytes. On return, *counter is the next unused counter block. A
     * block that was used in part counts as used. */
    void (*ctr_crypt)(const void *context, rijn_counter *counter, uint8_t *out, const uint8_t *in,
                      size_t size);
    /* Is ctr_crypt for output that no cache holds (from rijn_bypass_size bytes on) and that is not
     * in place. Takes bypass_stack more bytes of stack, and is NULL if bypass_stack is 0. */
    void (*ctr_bypass)(const void *context, rijn_counter *counter, uint8_t *out, const uint8_t *in,
                       size_t size);
#if RIJN_WITH_ALL
    /* Is ctr_crypt for the big-endian counter LE64(first) || LE64(second), whose last four bytes do
     * not wrap within the message. It comes as words, because one load of a counter that was stored
     * by halves would wait for both. For the rest see cmac_in_registers. */
    rijn_status (*ctr_in_registers)(const void *context, uint64_t first, uint64_t second,
                                    uint8_t *out, const uint8_t *in, size_t size);
#endif
} rijn_ctr_table;

/* A tag in two registers: LE64(first) || LE64(second). check.h stores and compares it. */
typedef struct {
    uint64_t first, second;
} rijn_tag_words;

/* Bytes of the longest data and associated data of gcm_siv_in_registers and ocb_in_registers. */
enum { RIJN_REGISTER_SIZE = 256 };

static inline bool rijn_fits_registers(size_t ad_size, size_t size)
{
    return size <= RIJN_REGISTER_SIZE && ad_size <= RIJN_REGISTER_SIZE;
}

/* Flags of ccm_in_registers and eax_in_registers. All but MAC_OUT are for their own use. */
enum { MAC_OUT = 1, MAC_PADDED = 2, MAC_BEGUN = 4 };

/* For CCM, EAX and SIV. */
typedef struct rijn_ctr_mac_table {
    /* Run CTR over `size` bytes, at least one, and cbc_mac over `in` (ctr_mac_in) or `out`
     * (ctr_mac_out), padded with zeros. The counter is all 128 bits of its block. It may be a
     * secret. */
    void (*ctr_mac_in)(const void *context, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                       const uint8_t *in, size_t size);
    void (*ctr_mac_out)(const void *context, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                        const uint8_t *in, size_t size);
#if RIJN_WITH_ALL
    /* Encrypt or decrypt a message of at least one byte, and return its tag. `flags` has MAC_OUT, as
     * ctr_mac_out, or not. CCM's associated data are shorter than 0xff00 bytes. For the rest see
     * cmac_in_registers. */
    rijn_tag_words (*ccm_in_registers)(const void *context, size_t tag_size, const uint8_t *nonce,
                                       size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                       uint8_t *out, const uint8_t *in, size_t size, int flags);
    rijn_tag_words (*eax_in_registers)(const void *context, const uint8_t *nonce, size_t nonce_size,
                                       const uint8_t *ad, size_t ad_size, uint8_t *out,
                                       const uint8_t *in, size_t size, int flags);
    /* Returns SIV's tag of the strings and the text. The context was expanded for USE_MAC. */
    rijn_tag_words (*s2v_in_registers)(const void *context, const rijn_string *strings,
                                       size_t count, const uint8_t *in, size_t size);
#endif
} rijn_ctr_mac_table;

/* `iv` of IGE: the ciphertext block before the first one, then the plaintext block before it. */
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
    /* `tweak` is already encrypted. On return, it is the tweak of the block after the last one. */
    void (*xts_encrypt)(const void *context, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*xts_decrypt)(const void *context, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                        size_t blocks);
#if RIJN_WITH_ALL
    /* Encrypts the tweak with the context `of_tweak`, then encrypts or decrypts a few blocks. For
     * the rest see cmac_in_registers. */
    rijn_status (*xts_in_registers)(const void *context, const void *of_tweak,
                                    const uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                                    size_t blocks, bool decrypting);
#endif
} rijn_xts_table;

typedef struct rijn_gcm_table {
    /* Computes y = (y XOR block) * H for each block at p (SP 800-38D section 6.4). */
    void (*ghash)(const void *context, uint8_t y[16], const uint8_t *p, size_t blocks);
    /* Runs CTR over whole blocks, and ghash over their ciphertext. */
    void (*gcm_crypt)(const void *context, rijn_counter *counter, uint8_t y[16], uint8_t *out,
                      const uint8_t *in, size_t blocks, bool decrypting);
    /* Is gcm_crypt for output that no cache holds: see ctr_bypass. */
    void (*gcm_bypass)(const void *context, rijn_counter *counter, uint8_t y[16], uint8_t *out,
                       const uint8_t *in, size_t blocks, bool decrypting);
    /* Seal or open a whole message. gcm_open stores the computed tag; its caller compares it. */
    void (*gcm_seal)(const void *context, uint8_t *out, uint8_t *tag, size_t tag_size,
                     const uint8_t *nonce, size_t nonce_size, const uint8_t *ad, size_t ad_size,
                     const uint8_t *in, size_t size);
    void (*gcm_open)(const void *context, uint8_t *out, uint8_t tag[16], const uint8_t *nonce,
                     size_t nonce_size, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                     size_t size);
    /* Computes the tag of a ciphertext, and decrypts nothing. */
    void (*gcm_tag)(const void *context, uint8_t *tag, size_t tag_size, const uint8_t *nonce,
                    size_t nonce_size, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                    size_t size);
#if RIJN_WITH_ALL
    /* Seal or open a message with a nonce of 12 bytes, a tag of 16, up to 16 bytes of associated
     * data, and 1 to gcm_register_size bytes. They have the arguments of the public functions, which
     * end with a jump, and return their status. They leave no secret on the stack: nobody scrubs. */
    rijn_status (*gcm_seal_in_registers)(const void *context, uint8_t *out, uint8_t *tag,
                                         size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                         const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                         size_t size);
    rijn_status (*gcm_open_in_registers)(const void *context, uint8_t *out, const uint8_t *tag,
                                         size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                         const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                         size_t size);
    /* Processes the first 1 to gcm_first_size bytes of a message in pieces, whose next counter is J0 of
     * a nonce of 12 bytes. Sets the mask, the hash, `fill` and the keystream. For the rest see
     * cmac_in_registers. */
    void (*gcm_first_in_registers)(const void *context, rijn_gcm *gcm, uint8_t *out,
                                   const uint8_t *in, size_t size, bool decrypting);
    /* Returns the tag of a message in pieces. If it has no mask, its next counter is J0. */
    rijn_tag_words (*gcm_end_in_registers)(const void *context, const rijn_gcm *gcm, bool has_mask);
#endif
} rijn_gcm_table;

typedef struct rijn_gcm_siv_table {
    /* Seal or open a whole message (RFC 8452). gcm_siv_open stores the computed tag in `full`; its
     * caller compares it with `tag`. Both keep the context of the message's own key on the stack:
     * context_size bytes. */
    void (*gcm_siv_seal)(const void *context, uint8_t *out, uint8_t tag[16],
                         const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                         const uint8_t *in, size_t size);
    void (*gcm_siv_open)(const void *context, uint8_t *out, uint8_t full[16], const uint8_t tag[16],
                         const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                         const uint8_t *in, size_t size);
#if RIJN_WITH_ALL
    /* Seals a message for which rijn_fits_registers is true, and stores its tag. Or opens such a message
     * if a tag is given, and returns its right tag. For the rest see cmac_in_registers. */
    rijn_tag_words (*gcm_siv_in_registers)(const void *context, uint8_t tag[16],
                                           const uint8_t *given, const uint8_t nonce[12],
                                           const uint8_t *ad, size_t ad_size, uint8_t *out,
                                           const uint8_t *in, size_t size);
#endif
} rijn_gcm_siv_table;

typedef struct rijn_ocb_table {
    /* Computes the secrets of a message, Offset_0 and L_* (RFC 7253 section 4.2). data.offset is the
     * block of the nonce, and becomes Offset_0. */
    void (*ocb_begin)(const void *context, rijn_ocb *ocb);
    void (*ocb_encrypt)(const void *context, rijn_ocb *ocb, uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*ocb_decrypt)(const void *context, rijn_ocb *ocb, uint8_t *out, const uint8_t *in,
                        size_t blocks);
    void (*ocb_hash)(const void *context, rijn_ocb *ocb, const uint8_t *ad, size_t blocks);
#if RIJN_WITH_ALL
    /* Encrypts or decrypts such a message, and returns its tag. For the rest see
     * cmac_in_registers. */
    rijn_tag_words (*ocb_in_registers)(const void *context, size_t tag_size,
                                       const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                                       uint8_t *out, const uint8_t *in, size_t size,
                                       bool decrypting);
    /* Begins a message in pieces, and processes its first 1 to 31 bytes. Sets L_*, and the offset and
     * the sum of the data. */
    void (*ocb_first_in_registers)(const void *context, rijn_ocb *ocb, uint8_t *out,
                                   const uint8_t *in, size_t size, bool decrypting);
    /* Returns the tag of a message in pieces that is begun. */
    rijn_tag_words (*ocb_end_in_registers)(const void *context, const rijn_ocb *ocb);
#endif
} rijn_ocb_table;

/* Functions for several messages at once. gcm_many and gcm_siv_many are NULL if the backend is as
 * fast with one message after the other. */
typedef struct rijn_many_table {
    /* Runs `count` chains to their ends. */
    void (*chains)(const void *context, rijn_chain *chain, size_t count);
    /* Seals or opens messages first to first + count - 1 of a batch with GCM. Nonces have 12 bytes.
     * Stores the computed tag, 16 bytes, at batch->tag[i]; the caller compares it. */
    void (*gcm_many)(const void *context, const rijn_batch *batch, size_t first, size_t count);
    /* Does the same for all messages of a batch with GCM-SIV. Opening, it reads 16 bytes at
     * batch->given[i], because the first counter block is the tag. */
    void (*gcm_siv_many)(const void *context, const rijn_batch *batch);
} rijn_many_table;

/* Expands X(mode, arg) for each mode that has a table. */
#define RIJN_TABLES(X, arg) \
    X(ecb, arg) \
    X(cbc, arg) \
    X(ctr, arg) \
    X(ctr_mac, arg) \
    X(feedback, arg) \
    X(xts, arg) \
    X(gcm, arg) \
    X(gcm_siv, arg) \
    X(ocb, arg) \
    X(many, arg)

/* Declares rijn_gcm_tables (tables.c) and so on, and rijn_gcm_of(backend), which returns the table
 * of one backend. */
#define RIJN_TABLES_OF(mode, _) \
    extern const rijn_##mode##_table *const rijn_##mode##_tables[]; \
    static inline const rijn_##mode##_table *rijn_##mode##_of(const rijn_backend *backend) \
    { \
        return rijn_##mode##_tables[backend->index]; \
    }
RIJN_TABLES(RIJN_TABLES_OF, )
#undef RIJN_TABLES_OF

/* The registry: every backend of this build, in order of preference (backends.c). */
extern const rijn_backend *const rijn_registry[];
extern const size_t rijn_registry_size;

/* Describes a backend on a CPU with the features `cpu` (rijn_machine.h): available if the CPU has
 * all required features, and automatic if it is so in its table and the CPU has nothing to avoid. */
void rijn_backend_describe(const rijn_backend *backend, uint64_t cpu, rijn_backend_info *info);

/* Finds the backend with this name among `count` backends. If `name` is NULL, finds the first one
 * that is automatic and available on such a CPU. Returns RIJN_OK, RIJN_ERR_BACKEND for an unknown
 * name, or RIJN_ERR_UNAVAILABLE. */
rijn_status rijn_backend_choose(const rijn_backend *const backends[], size_t count, uint64_t cpu,
                                const char *name, const rijn_backend **found);

/* Finds the backend for a new key. If `name` is NULL, finds the backend of rijn_use_backend, or
 * else of the environment, or else the best one. Returns RIJN_OK, RIJN_ERR_BACKEND,
 * RIJN_ERR_UNAVAILABLE or RIJN_ERR_ENVIRONMENT. */
rijn_status rijn_backend_find(const char *name, const rijn_backend **found);

#endif
