/* Portable constant-time AES on 64-bit words: four blocks as eight bit planes.
 * The rounds are in circuits/fixslice.h; this file packs bytes into planes,
 * makes the round keys, and has nothing but XOR, AND, shifts and (for GHASH)
 * multiplications do the work: no branch and no address depends on key or data. */
#include "../backend.h"
#include "../bytes.h"
#include "../wipe.h"

enum { VEC_BLOCKS = 4, FLIGHT = 1 };

typedef uint64_t word;
#define LANE_BITS 64

RIJN_INLINE word ror(word x, int n)
{
    return x >> n | x << (64 - n);
}

#include "../circuits/fixslice.h"
#include "../circuits/ghash.h"

/* Four blocks as they lie in memory: block b is w[2b], w[2b+1]. */
typedef struct {
    uint64_t w[8];
} vec;

/* round_key[r] is for all four blocks at once. Sixteen of them, though no key
 * has more than fifteen: they are made four at a time. */
typedef struct {
    word round_key[16][8];
    hash h;
    int rounds;
} context;

/* ---- Bytes to planes ----
 *
 * Each of the 512 bits of four blocks has a number of nine binary digits:
 * b1 b0 its block, c1 c0 its column, r1 r0 its row, p2 p1 p0 its place in the
 * byte. Read little-endian, half h of block b into word 4h + b, it stands in
 *
 *             word        bit of the word
 *     bytes   c1 b1 b0    c0 r1 r0 p2 p1 p0
 *
 * and it shall stand in
 *
 *     planes  p2 p1 p0    r1 r0 c1 c0 b1 b0
 *
 * Exchanging one digit of the word number with one digit of the bit number
 * takes six operations on two words. Six exchanges do it:
 *
 *             c1 b1 b0    c0 r1 r0 p2 p1 p0
 *     8       r0 b1 b0    c0 r1 c1 p2 p1 p0
 *     16      r1 b1 b0    c0 r0 c1 p2 p1 p0
 *     32      c0 b1 b0    r1 r0 c1 p2 p1 p0
 *     4       p2 b1 b0    r1 r0 c1 c0 p1 p0
 *     2       p2 p1 b0    r1 r0 c1 c0 b1 p0
 *     1       p2 p1 p0    r1 r0 c1 c0 b1 b0
 *
 * After the first of them the words 4 to 7 hold the rows 1 and 3 and nothing
 * else: there a displacement of those rows by two columns, as AES-128 and
 * AES-256 end with (fixslice.h), is an exchange of neighbouring bytes. */

/* Exchanges the digit of the bit number that is worth `weight` with the digit
 * of the word number that is worth `words`. */
RIJN_INLINE void exchange(word w[8], int words, int weight)
{
    const word even = UINT64_MAX / (((word)1 << weight) + 1); /* the digit is 0 */

    RIJN_UNROLL
    for (int i = 0; i < 8; i++) {
        if (i & words)
            continue;
        const word t = (w[i] >> weight ^ w[i + words]) & even;
        w[i] ^= t << weight;
        w[i + words] ^= t;
    }
}

RIJN_INLINE void displace_odd_rows(word w[8])
{
    const word even = 0x00ff00ff00ff00ff;

    RIJN_UNROLL
    for (int i = 4; i < 8; i++)
        w[i] = (w[i] >> 8 & even) | (w[i] & even) << 8;
}

RIJN_INLINE void pack(word w[8], const vec *v, bool displaced)
{
    RIJN_UNROLL
    for (int i = 0; i < 8; i++)
        w[i % 2 * 4 + i / 2] = load_le64((const uint8_t *)&v->w[i]);
    exchange(w, 4, 8);
    if (displaced)
        displace_odd_rows(w);
    exchange(w, 4, 16);
    exchange(w, 4, 32);
    exchange(w, 4, 4);
    exchange(w, 2, 2);
    exchange(w, 1, 1);
}

RIJN_INLINE void unpack(vec *v, word w[8], bool displaced)
{
    exchange(w, 1, 1);
    exchange(w, 2, 2);
    exchange(w, 4, 4);
    exchange(w, 4, 32);
    exchange(w, 4, 16);
    if (displaced)
        displace_odd_rows(w);
    exchange(w, 4, 8);
    RIJN_UNROLL
    for (int i = 0; i < 8; i++)
        store_le64((uint8_t *)&v->w[i], w[i % 2 * 4 + i / 2]);
}

/* ---- Round keys ---- */

static uint32_t sub_word(uint32_t x)
{
    word w[8];
    uint32_t y = 0;

    RIJN_UNROLL
    for (int p = 0; p < 8; p++)
        w[p] = x >> p & 0x01010101;
    sbox(w);
    RIJN_UNROLL
    for (int p = 0; p < 8; p++)
        y |= (uint32_t)w[p] << p;
    return y ^ 0x63636363;
}

#include "../key_schedule.h"

static void aes_init(context *c, const uint8_t *key, size_t size)
{
    uint8_t bytes[16 * 16] = {0};

    c->rounds = rounds_for(size);
    expand_key(bytes, key, size);
    for (int first = 0; first <= c->rounds; first += 4) {
        /* Four round keys as four blocks, each moved as the state will be after
         * first + b rounds, that is b (mod 4). */
        uint8_t moved_bytes[64];
        word w[8];
        vec v;
        for (int b = 0; b < 4; b++) {
            RIJN_UNROLL
            for (int i = 0; i < 16; i++) {
                const int row = i % 4, column = (i / 4 + 4 * row - b * row) % 4;
                moved_bytes[16 * b + i] = bytes[16 * (first + b) + 4 * column + row];
            }
        }
        memcpy(&v, moved_bytes, sizeof v);
        pack(w, &v, false);
        for (int b = 0; b < 4; b++) {
            RIJN_UNROLL
            for (int p = 0; p < 8; p++) {
                const word lowest = 0x1111111111111111;
                const word of_all_blocks = (w[p] >> b & lowest) * 15;
                const bool complement = first + b > 0 && (0x63 >> p & 1);
                c->round_key[first + b][p] = complement ? ~of_all_blocks : of_all_blocks;
            }
        }
        wipe(moved_bytes, sizeof moved_bytes);
        wipe(w, sizeof w);
        wipe(&v, sizeof v);
    }
    wipe(bytes, sizeof bytes);
}

/* ---- The operations of backend.h ---- */

/* Nr is 10 or 14: what ShiftRows would have done does not add up to nothing. */
RIJN_INLINE bool displaces(const context *c)
{
    return c->rounds % 4 != 0;
}

static void aes_encrypt(const context *c, vec *v, int n)
{
    word w[8];

    (void)n; /* FLIGHT is 1 */
    pack(w, v, false);
    encrypt_rounds(w, c->round_key, c->rounds);
    unpack(v, w, displaces(c));
}

static void aes_decrypt(const context *c, vec *v, int n)
{
    word w[8];

    (void)n;
    pack(w, v, displaces(c));
    decrypt_rounds(w, c->round_key, c->rounds);
    unpack(v, w, false);
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

RIJN_INLINE vec vec_load_block(const uint8_t *p)
{
    vec v = {{0}};
    memcpy(&v, p, 16);
    return v;
}

RIJN_INLINE void vec_store_block(uint8_t *p, vec v)
{
    memcpy(p, &v, 16);
}

RIJN_INLINE vec vec_xor(vec a, vec b)
{
    RIJN_UNROLL
    for (int i = 0; i < 8; i++)
        a.w[i] ^= b.w[i];
    return a;
}

/* Built as whole words: pack() loads whole words, and a load that takes bytes of
 * several recent stores waits until those are done (a twentieth of CTR's time). */
RIJN_INLINE void counters(vec *v, int n, const uint8_t prefix[16], uint32_t low, bool hidden)
{
    const uint64_t fixed = load_le32(prefix + 8);
    uint64_t first;

    (void)n, (void)hidden;
    memcpy(&first, prefix, 8);
    RIJN_UNROLL
    for (int b = 0; b < 4; b++) {
        uint8_t counter[4];
        store_be32(counter, low + (uint32_t)b);
        v->w[2 * b] = first;
        store_le64((uint8_t *)&v->w[2 * b + 1], fixed | (uint64_t)load_le32(counter) << 32);
    }
}

RIJN_INLINE void ghash_init(context *c, const uint8_t h[16])
{
    c->h = ghash_key(h);
}

static hash ghash(const context *c, hash y, const uint8_t *p, size_t blocks)
{
    return ghash_blocks(c->h, y, p, blocks);
}

#include "../modes/modes.h"

const rijn_backend rijn_backend_fixslice64 = {
    .name = "fixslice64",
    .summary = "bit-sliced on 64-bit words, four blocks at once, portable C",
    .cpu = 0,
    .constant_time = true,
    .automatic = true,
    RIJN_MODES,
};
