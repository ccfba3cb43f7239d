/* A whole backend on bit slices. It uses only XOR, AND, shifts and (for GHASH) multiplications. No
 * branch and no address depends on key or data.
 *
 * Include after defining
 *     LANE_BITS     64 or 32 (lane.h)
 * and, for backends with words of several lanes,
 *     WIDE_LANES    a macro: the number of lanes
 *     wide          a type: a vector of so many lanes
 *
 * The blocks of a lane are a vec, and the lanes of a word are the vecs in flight. A single vec or a
 * chain of blocks uses a word of one lane, which is faster than a wide word that is almost empty. So
 * do the key schedule and AEGIS. */
#include "../rounds.h"
#include "../scrub.h"
#include "ghash.h"

#define word lane
#define WORD_LANES 1
#define SLICED(name) lane_##name
#include "cipher.h"

#ifdef WIDE_LANES
#define word wide
#define WORD_LANES WIDE_LANES
#define SLICED(name) wide_##name
#include "cipher.h"
#define flight_encrypt wide_encrypt
#define flight_decrypt wide_decrypt
#else
#define WIDE_LANES 1
#define flight_encrypt lane_encrypt
#define flight_decrypt lane_decrypt
#endif

/* 32-bit x86 has seven registers. gcc 12 spills more there at -O1 and -O2 than at -O3. */
#if defined(__i386__)
#define FEW_REGISTERS_STACK 256
#else
#define FEW_REGISTERS_STACK 0
#endif

/* 32-bit machines use two registers per word of 64 bits and spill them all. With lanes of 64 bits, the
 * shared functions of CIPHER_APART need more than the copies for lanes of 32 bits. */
#define STACK \
    ((LANE_BITS > RIJN_WORD_BITS ? 2848 \
      : LANE_BITS == 64          ? 1632 \
                                 : 1536) + \
     192 * (WIDE_LANES - 1) + FEW_REGISTERS_STACK)
#define FUSED_STACK 0

#define VEC_BLOCKS (LANE_BITS / 16)
#define FLIGHT WIDE_LANES

/* round_key[r] serves all blocks of a lane at once. */
typedef struct {
    sliced_key round_key[MAX_ROUNDS + 1];
    hash h;
    int rounds;
} context;

/* The blocks of a lane as bytes, one after the other. */
typedef struct {
    lane w[BLOCK_LANES * VEC_BLOCKS];
} vec;

/* ---- Round keys ---- */

static uint32_t sub_word(uint32_t x)
{
    lane w[8];
    uint32_t y = 0;

    RIJN_UNROLL
    for (int p = 0; p < 8; p++)
        w[p] = x >> p & 0x01010101;
#if LANE_BITS == 32 && RIJN_THUMB2 && RIJN_WITH_SMALL_CODE
    rijn_thumb2_sub_bytes(w);
#else
    lane_sbox(w);
#endif
    RIJN_UNROLL
    for (int p = 0; p < 8; p++)
        y |= (uint32_t)w[p] << p;
    return y ^ 0x63636363;
}

#include "../key_schedule.h"

static void aes_init(context *c, const uint8_t *key, size_t size)
{
    uint8_t bytes[16 * 16] = {0};

    int first = 0;

    c->rounds = rounds_for(size);
    expand_key(bytes, key, size);
    for (; first <= c->rounds; first += CELL) {
        /* Packs as many round keys as a lane has blocks. Round key r is displaced like the state
         * after r rounds. */
        uint8_t moved_bytes[16 * CELL];
        lane w[8];
        for (int b = 0; b < CELL; b++) {
            const int r = first + b;
            RIJN_UNROLL
            for (int i = 0; i < 16; i++) {
                const int row = i % 4, column = (i / 4 + 16 * row - r * row) % 4;
                moved_bytes[16 * b + i] = bytes[16 * r + 4 * column + row];
            }
        }
        lane_pack(w, moved_bytes, false);
        for (int b = 0; b < CELL && first + b <= MAX_ROUNDS; b++) {
            lane *const key_lanes = c->round_key[first + b];
            memset(key_lanes, 0, sizeof c->round_key[0]);
            RIJN_UNROLL
            for (int p = 0; p < 8; p++) {
                const lane every = (1u << CELL) - 1, lowest = (lane)-1 / every;
                const bool complement = first + b > 0 && (0x63 >> p & 1);
                const lane bits = (complement ? ~w[p] : w[p]) >> b & lowest;
                if (KEY_LANES == 8)
                    key_lanes[p] = bits * every;
                else
                    key_lanes[p / CELL] |= bits << p % CELL;
            }
        }
    }
    for (; first <= MAX_ROUNDS; first++)
        memset(c->round_key[first], 0, sizeof c->round_key[0]);
}

/* ---- The operations of backend.h ---- */

#if RIJN_WITH_ALL /* a configuration has few modes, and needs little stack */
#define CIPHER_APART
#endif
RIJN_INLINE void aes_encrypt(const context *c, vec *v, int n)
{
    if (n == FLIGHT)
        flight_encrypt((uint8_t *)v, c->round_key, c->rounds);
    else
        for (int i = 0; i < n; i++)
            lane_encrypt((uint8_t *)&v[i], c->round_key, c->rounds);
}

RIJN_INLINE void aes_decrypt(const context *c, vec *v, int n)
{
    if (n == FLIGHT)
        flight_decrypt((uint8_t *)v, c->round_key, c->rounds);
    else
        for (int i = 0; i < n; i++)
            lane_decrypt((uint8_t *)&v[i], c->round_key, c->rounds);
}

RIJN_INLINE vec vec_load(const uint8_t *p)
{
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

RIJN_INLINE void vec_store(uint8_t *p, vec v)
{
    memcpy(p, &v, sizeof v);
}

RIJN_INLINE vec vec_load_part(const uint8_t *p, size_t size)
{
    vec v = {{0}};
    copy_blocks((uint8_t *)&v, p, size);
    return v;
}

RIJN_INLINE void vec_store_part(uint8_t *p, vec v, size_t size)
{
    copy_blocks(p, (const uint8_t *)&v, size);
}

RIJN_INLINE vec vec_xor(vec a, vec b)
{
    RIJN_UNROLL
    for (int i = 0; i < BLOCK_LANES * VEC_BLOCKS; i++)
        a.w[i] ^= b.w[i];
    return a;
}

#if LANE_BITS == 32 && RIJN_THUMB2 && !RIJN_WITH_SMALL_CODE

#define NATIVE_CTR

/* Processes a run of counter blocks that begins with an even counter and whose blocks differ only in the
 * last byte. Returns how many of `size` bytes it has processed. */
RIJN_APART static size_t ctr_run(const context *c, const uint8_t fixed[16], uint32_t low,
                                 uint8_t *out, const uint8_t *in, size_t size)
{
    const size_t most = (256 - (low & 255)) / 2, pairs = size / 32 < most ? size / 32 : most;
    rijn_thumb2_job job = {.count = low & 255,
                           .keys = &c->round_key[0][0],
                           .rounds = c->rounds,
                           .pairs = pairs,
                           .in = in,
                           .out = out};
    uint8_t first[32];

    memcpy(first, fixed, 12);
    store_be32(first + 12, low & ~(uint32_t)255);
    memcpy(first + 16, first, 16);
    first[31] = 1;
    lane_pack(job.planes, first, false);
    lane_add_round_key(job.planes, c->round_key, 0);
    rijn_thumb2_ctr(&job);
    return 32 * pairs;
}

/* For fewer bytes than CTR_LEAST, preparing a run takes longer than it saves. Counters from ctr_most on
 * may carry out of 32 bits; they are left to the caller, which knows the width of the counter. */
enum { CTR_LEAST = 128 };
static const uint32_t ctr_most = UINT32_MAX - 255;

RIJN_APART static size_t native_ctr(const context *c, const uint8_t fixed[16], uint32_t low,
                                    uint8_t *out, const uint8_t *in, size_t size)
{
    size_t done = 0;

    if (size < CTR_LEAST || low >= ctr_most)
        return 0;
    if (low & 1) {
        uint8_t block[32] = {0};
        memcpy(block, fixed, 12);
        store_be32(block + 12, low++);
        vec v = vec_load(block);
        lane_encrypt((uint8_t *)&v, c->round_key, c->rounds);
        xor_bytes(out, in, (const uint8_t *)&v, 16);
        done = 16;
    }
    while (size - done >= 32 && low < ctr_most) {
        const size_t n = ctr_run(c, fixed, low, out + done, in + done, size - done);
        low += (uint32_t)(n / 16);
        done += n;
    }
    return done;
}

#endif

/* Both directions use the same key schedule. */
RIJN_INLINE void aes_decrypt_init(context *c)
{
    (void)c;
}

#include "hash.h"
