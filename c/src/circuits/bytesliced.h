/* A whole backend for machines without AES instructions that can permute the bytes of a register of 16.
 * Eight blocks become bit planes of bytes. Fewer blocks, the key schedule and the hash of many blocks
 * use permutations (flights.h). No branch and no address depends on key or data.
 *
 * Include after block.h and after defining
 *
 *     block permute_block(block x, block index)    `permute` of permuted.h
 *     block constant_block(const uint8_t *p)       `every` of permuted.h, for constants
 *
 * and STACK, BLOCKS_STACK and GCM_STACKS. */
#include "../rounds.h"
#include "../scrub.h"
#include "ghash.h"

#define VEC_BLOCKS 1
#define FLIGHT 8

typedef struct {
    uint8_t encrypt[15 * 16]; /* round keys, FIPS 197 section 5.2 */
    uint8_t decrypt[15 * 16]; /* of the equivalent inverse cipher, section 5.3.5 */
    hash h;
    int rounds;
} context;

typedef block vec;
#define vec_load block_load
#define vec_store block_store
#define vec_xor block_xor
#define vec_load_broadcast constant_block
#define vec_shuffle permute_block
#define aes_encrypt blocks_encrypt
#define aes_decrypt blocks_decrypt

#define word block
#define PERMUTED(name) name
#define permute permute_block
#define every constant_block
#include "permuted.h"

/* ---- Round keys ---- */

/* ShiftRows does not change four equal columns. */
RIJN_INLINE uint32_t sub_word(uint32_t x)
{
    const block columns = (block)(block_words){x, x, x, x};
    return ((block_words)last_round_block(columns, columns ^ columns))[0];
}

#include "../key_schedule.h"

#include "../block_keys.h"

#include "../inverse_keys.h"

/* ---- Counters ---- */

#define NATIVE_COUNTERS
RIJN_INLINE void counters(vec *v, int n, block fixed, uint32_t low, bool hidden)
{
    (void)hidden;
    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        block_words x = (block_words)fixed;
        x[3] = swap32(low + (uint32_t)i);
        v[i] = (block)x;
    }
}

RIJN_INLINE void little_counters(vec *v, int n, block fixed, uint32_t low)
{
    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        block_words x = (block_words)fixed;
        x[0] = low + (uint32_t)i;
        v[i] = (block)x;
    }
}

/* ---- The cipher and the hash ---- */

#include "flights.h"

#define word block
#define PERMUTED(name) name##_together
#define permute permute_block
#define every block_load
#define interleave_low block_interleave_low
#define interleave_high block_interleave_high
#include "permuted_hash.h"

#define hash_together multiply_blocks_together
enum { TOGETHER = 16, TOGETHER_LEAST = 2 * TOGETHER };
#define HASHES_TOGETHER
#include "hash.h"
