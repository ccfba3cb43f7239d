/* The operations of AEGIS (aegis.h) for kernels with blocks in registers: one block, or 2 or 4 side
 * by side. Include after defining
 *
 *     block                                     16 bytes
 *     block read_block(const uint8_t *p)
 *     void write_block(uint8_t *p, block x)
 *     block pair_block(uint64_t a, uint64_t b)  LE64(a) || LE64(b)
 *     block read_apart(const uint8_t *p)        optional: read_block for bytes that may have been
 *                                               stored a moment ago as two halves
 *     block xor_blocks(block x, block y)
 *     block and_blocks(block x, block y)
 *     block round_block(block x, block k)       AESRound(x, k): a round of FIPS 197 section 5.1
 *                                               with k as round key
 *     block xor3_blocks(block x, block y, block z)      x XOR y XOR z
 *     block xor_and_blocks(block x, block y, block z)   x XOR (y AND z)
 *     KEEP_REGISTER(x)                          optional: a statement that may have changed x, for the
 *                                               compiler. Then gcc does not copy all registers of
 *                                               two or four states in a loop over updates
 *     BLOCK_REGISTERS                           registers of state in flight at most; 0: one state
 *                                               at a time
 *     BLOCK_TERNARY                             1 if an XOR of three is one operation
 *     LANES                                     blocks of a register, for this BLOCKS and DEGREE:
 *                                               1; 2 or 4 states, side by side; or 2 for
 *                                               one folded state: S_j beside S_j+4
 *
 * With BLOCK_INVERTED, where x XOR (y AND NOT z) is one operation and x XOR (y AND z) is two, also
 *
 *     block round_inverted(block x, block k)    round_block of NOT x
 *     block invert_block(block x)               NOT x
 *
 * Then S3 and S7 of eight blocks are kept inverted, and the z of xor_and_blocks is one of them. Their
 * only other use is as the source of a round.
 *
 * For LANES of 2 or 4, define the same names with the suffix _2 or _4 for registers of so many
 * blocks, and also
 *
 *     block_4 spread_block_4(block x)           x in every lane
 *     block_2 join_blocks(block x, block y), block low_block(block_2 x),
 *     block high_block(block_2 x), block_2 turn_blocks(block_2 x)
 *                                               for folded states: x || y, its halves, and both
 *                                               halves exchanged
 *
 * With AEGIS_ENDS also
 *
 *     block read_end(const uint8_t *p, size_t size)
 *     void write_end(uint8_t *p, size_t size, block x)
 *     block clip_block(block x, size_t size)    read, write or keep only the first `size` bytes;
 *                                               other bytes of a result are zero
 *
 * With AEGIS_PACKED (packed.h), which requires AEGIS_ENDS, also for registers of four blocks
 *
 *     block_4 gather_blocks_4(const block x[4]), void scatter_blocks_4(block x[4], block_4 y)
 *                                               x[i] in lane i, and back
 *     block_4 choose_blocks_4(unsigned lanes, block_4 x, block_4 y)
 *                                               y in lanes with a set bit, x in the others */
#ifndef RIJN_AEGIS_BLOCKS_H
#define RIJN_AEGIS_BLOCKS_H

#include "../scrub.h"
#include "kernel.h"

/* Before a loop over the blocks of a state, which are registers. */
#if AEGIS_SHARED
#define UNROLLED
#else
#define UNROLLED RIJN_UNROLL
#endif

/* A folded state fills half as many registers. Its update has half the operations and is 1.1 times as
 * fast on long messages. Folding states of six blocks gains nothing: their unit is in one half alone
 * and their keystream needs blocks of both halves. */
#define FOLDED (BLOCKS == 8 && DEGREE == 1 && LANES == 2)
#define REGISTERS (FOLDED ? BLOCKS / 2 : BLOCKS)
#define ABREAST (FOLDED ? 1 : LANES) /* states of a register */

/* Two states in flight hide each other's latency, if they fit. */
#define INFLIGHT (DEGREE > ABREAST && 2 * BLOCKS <= BLOCK_REGISTERS ? 2 : 1)
#define TOGETHER (INFLIGHT * ABREAST)
#define PARTS 1
#define ABSORBED (BLOCKS == 8 && !FOLDED ? 2 : 1) /* registers of a unit for each state */

/* Offset of register n in a unit, counted from the first register of the group. */
#define PLACE(n) (16 * (size_t)((n) / INFLIGHT * DEGREE + (n) % INFLIGHT * ABREAST))

#endif

#ifndef BLOCK_INVERTED
#define BLOCK_INVERTED 0
#endif

#undef LANED
#if LANES == 1
#define LANED(name) name
#elif LANES == 2
#define LANED(name) name##_2
#else
#define LANED(name) name##_4
#endif

#if AEGIS_SHARED
typedef block AEGIS(blocks)[8], AEGIS(unit_blocks)[2];
#else
typedef LANED(block) AEGIS(blocks)[REGISTERS * INFLIGHT], AEGIS(unit_blocks)[ABSORBED * INFLIGHT];
#endif

/* Block j of state i, or of the states from i * ABREAST on, is number j * INFLIGHT + i. */
typedef struct {
    AEGIS(blocks) blocks;
} AEGIS(part);

typedef struct {
    AEGIS(unit_blocks) blocks;
} AEGIS(unit);

RIJN_INLINE void AEGIS(copy)(AEGIS(part) * to, const AEGIS(part) * from OF_VARIANT)
{
#if defined(__clang__) && !AEGIS_SHARED /* it finds this for the loop too late to use registers */
    *to = *from;
#else /* gcc would compile *to = *from to `rep movs` */
    UNROLLED
    for (int n = 0; n < REGISTERS * INFLIGHT; n++)
        to->blocks[n] = from->blocks[n];
#endif
}

RIJN_INLINE void AEGIS(get)(AEGIS(part) * s, const uint8_t *p OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < REGISTERS * INFLIGHT; n++)
        s->blocks[n] = LANED(read_block)(p + 16 * LANES * n);
}

RIJN_INLINE void AEGIS(put)(uint8_t *p, const AEGIS(part) * s OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < REGISTERS * INFLIGHT; n++)
        LANED(write_block)(p + 16 * LANES * n, s->blocks[n]);
}

/* Returns the XOR of the two parts of block j in every lane. Folded states have the same of block
 * `other` in the second lane. */
RIJN_INLINE LANED(block) AEGIS(sum_parts)(const aegis_source parts[][2], int j, int other)
{
    (void)other;
#if !AEGIS_SHARED && FOLDED
    const block x = xor_blocks(read_source(parts[j][0]), read_source(parts[j][1]));
    return join_blocks(x, xor_blocks(read_source(parts[other][0]), read_source(parts[other][1])));
#elif LANES > 1
    return LANED(xor_blocks)(LANED(spread_block)(read_source(parts[j][0])),
                             LANED(spread_block)(read_source(parts[j][1])));
#else
    return xor_blocks(read_source(parts[j][0]), read_source(parts[j][1]));
#endif
}

RIJN_INLINE void AEGIS(set)(AEGIS(part) * s, const aegis_source parts[][2] OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < REGISTERS * INFLIGHT; n++)
        s->blocks[n] = AEGIS(sum_parts)(parts, n / INFLIGHT, n / INFLIGHT + REGISTERS);
#if BLOCK_INVERTED && BLOCKS == 8
    UNROLLED
    for (int i = 0; i < INFLIGHT; i++) {
        s->blocks[3 * INFLIGHT + i] = invert_block(s->blocks[3 * INFLIGHT + i]);
        s->blocks[7 * INFLIGHT + i] = invert_block(s->blocks[7 * INFLIGHT + i]);
    }
#endif
}

RIJN_INLINE void AEGIS(separate)(AEGIS(part) * s, int first OF_VARIANT)
{
    UNROLLED
    for (int i = 0; i < INFLIGHT; i++) {
#if LANES == 1
        const block x = pair_block((uint64_t)(first + i) | (uint64_t)(DEGREE - 1) << 8, 0);
#else
#define SEPARATOR(i) \
    { \
        i, DEGREE - 1 \
    }
        static const uint8_t separators[4][16] = {SEPARATOR(0), SEPARATOR(1), SEPARATOR(2),
                                                  SEPARATOR(3)};
#undef SEPARATOR
        const LANED(block) x = LANED(read_block)(separators[first + i * LANES]);
#endif
        LANED(block) *const third = &s->blocks[3 * INFLIGHT + i],
                            *const last = &s->blocks[(BLOCKS - 1) * INFLIGHT + i];
        *third = LANED(xor_blocks)(*third, x);
        *last = LANED(xor_blocks)(*last, x);
    }
}

RIJN_INLINE void AEGIS(spread)(AEGIS(unit) * u, const aegis_source parts[][2] OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++)
        u->blocks[n] = AEGIS(sum_parts)(parts, n / INFLIGHT, 1);
}

RIJN_INLINE void AEGIS(load)(AEGIS(unit) * u, const uint8_t *p OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++)
        u->blocks[n] = LANED(read_block)(p + PLACE(n));
}

RIJN_INLINE void AEGIS(store)(uint8_t *p, const AEGIS(unit) * u OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++)
        LANED(write_block)(p + PLACE(n), u->blocks[n]);
}

#if AEGIS_ENDS
/* Returns how many of `size` bytes come after the first `at`. */
RIJN_INLINE size_t AEGIS(bytes_after)(size_t at, size_t size)
{
    return size > at ? size - at : 0;
}

RIJN_INLINE void AEGIS(load_end)(AEGIS(unit) * u, const uint8_t *p, size_t at, size_t size)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++)
        u->blocks[n] = LANED(read_end)(p + at + PLACE(n), AEGIS(bytes_after)(at + PLACE(n), size));
}

RIJN_INLINE void AEGIS(store_end)(uint8_t *p, size_t at, size_t size, const AEGIS(unit) * u)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++)
        LANED(write_end)(p + at + PLACE(n), AEGIS(bytes_after)(at + PLACE(n), size), u->blocks[n]);
}

RIJN_INLINE void AEGIS(clip)(AEGIS(unit) * u, size_t at, size_t size)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++)
        u->blocks[n] = LANED(clip_block)(u->blocks[n], AEGIS(bytes_after)(at + PLACE(n), size));
}
#endif

/* Every block becomes AESRound(the block before it) XOR itself. The loop runs from the last block to
 * the first, so each step still finds the old block before it. S0, and S4 of eight blocks, absorb m
 * in that sum.
 *
 * The order of the terms decides the speed. Every update goes through the chain from S0 to S0. A
 * round next to an XOR in this chain costs six cycles on recent Intel CPUs (a bypass delay). So the
 * round is computed outside the chain, and the chain has only XORs:
 *     m known early (seal)   AESRound(before, m) XOR S
 *     m known late (open)    AESRound(before, 0) XOR (S XOR m)
 * At 16 KiB, compared with AESRound(before, S XOR m), seal is 1.12 (128L) and 1.32 (256) times as
 * fast, open 1.15 and 1.21. Two states in flight wait for ports, not for the chain. For them the
 * additional XOR of the second line makes open 6 % slower, unless an XOR of three is one operation.
 *
 * In a folded state the rounds before S0 and S4 give these two blocks exchanged:
 *     AESRound(before, 0) with halves exchanged XOR (S XOR m)
 *
 * The rounds of the last block come first, while its old value is still in place: a copy would need
 * the ports. */
#if !AEGIS_SHARED
/* True if the rounds before S0 and S4 use a key of zeros, so that m is added later. */
#define ZERO_KEY_ROUND(late_input) (FOLDED || ((late_input) && (INFLIGHT == 1 || BLOCK_TERNARY)))

#undef SOURCE_ROUND
#if BLOCK_INVERTED && BLOCKS == 8
#define SOURCE_ROUND round_inverted
#else
#define SOURCE_ROUND LANED(round_block)
#endif

/* Computes the rounds that end in S0 and S4. */
RIJN_INLINE void AEGIS(begin)(AEGIS(unit) * into, const AEGIS(part) * s, const AEGIS(unit) * m,
                              bool late_input)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++) {
        const LANED(block) zero = LANED(xor_blocks)(s->blocks[0], s->blocks[0]);
        into->blocks[n] =
            SOURCE_ROUND(s->blocks[(n / INFLIGHT ? 3 : REGISTERS - 1) * INFLIGHT + n % INFLIGHT],
                         ZERO_KEY_ROUND(late_input) ? zero : m->blocks[n]);
#if FOLDED
        into->blocks[n] = turn_blocks(into->blocks[n]);
#endif
    }
}

/* Computes all other rounds and completes the update. If `ordered`, gcc does not move the XOR of a block
 * before the last use of its old value, which would cost a copy of each in a loop. */
RIJN_INLINE void AEGIS(advance)(AEGIS(part) * s, const AEGIS(unit) * into, const AEGIS(unit) * m,
                                bool late_input, bool ordered)
{
    UNROLLED
    for (int i = 0; i < INFLIGHT; i++) {
        UNROLLED
        for (int j = REGISTERS - 1; j >= 0; j--) {
            LANED(block) *const own = &s->blocks[j * INFLIGHT + i];
            const int n = j / 4 * INFLIGHT + i;
#ifdef KEEP_REGISTER
            if (ordered && !FOLDED && LANES > 1 && j % 4 == 0 && j + 1 < REGISTERS)
                AFTER_REGISTER(*own, s->blocks[(j + 1) * INFLIGHT + i]);
#else
            (void)ordered;
#endif
            if (j % 4 != 0 || j / 4 >= ABSORBED)
                *own = LANED(round_block)(s->blocks[(j - 1) * INFLIGHT + i], *own);
            else if (ZERO_KEY_ROUND(late_input))
                *own = LANED(xor3_blocks)(*own, into->blocks[n], m->blocks[n]);
            else
                *own = LANED(xor_blocks)(into->blocks[n], *own);
        }
    }
}

RIJN_INLINE void AEGIS(update_in_order)(AEGIS(part) * s, const AEGIS(unit) * m, bool late_input,
                                        bool ordered)
{
    AEGIS(unit) into;

    AEGIS(begin)(&into, s, m, late_input);
    AEGIS(advance)(s, &into, m, late_input, ordered);
}

RIJN_INLINE void AEGIS(update)(AEGIS(part) * s, const AEGIS(unit) * m, bool late_input)
{
    AEGIS(update_in_order)(s, m, late_input, false);
}
#else
RIJN_APART static void AEGIS(update)(AEGIS(part) * s, const AEGIS(unit) * m,
                                     bool late_input OF_VARIANT)
{
    block next = s->blocks[BLOCKS - 1];

    (void)late_input, (void)DEGREE;
    next = round_block(next, xor_blocks(s->blocks[0], m->blocks[0]));
    for (int j = BLOCKS - 1; j > 0; j--)
        s->blocks[j] = round_block(s->blocks[j - 1], s->blocks[j]);
    s->blocks[0] = next;
    if (BLOCKS == 8)
        s->blocks[4] = xor_blocks(s->blocks[4], m->blocks[1]);
}
#endif

/* S1 and S5 come last: they are rounds of blocks that absorbed the previous unit, so open waits for
 * them. */
RIJN_INLINE void AEGIS(keystream)(AEGIS(unit) * z, const AEGIS(part) * s,
                                  const AEGIS(unit) * m OF_VARIANT)
{
    const int t = INFLIGHT;
    UNROLLED
    for (int i = 0; i < t; i++) {
        const LANED(block) *const b = &s->blocks[i];
#if !AEGIS_SHARED && FOLDED
        z->blocks[i] = xor3_blocks_2(xor_and_blocks_2(m->blocks[i], b[2 * t], b[3 * t]),
                                     turn_blocks(b[2 * t]), b[t]);
#else
        if (BLOCKS == 8) {
            z->blocks[i] = LANED(xor3_blocks)(
                LANED(xor_and_blocks)(m->blocks[i], b[2 * t], b[3 * t]), b[6 * t], b[t]);
            z->blocks[t + i] = LANED(xor3_blocks)(
                LANED(xor_and_blocks)(m->blocks[t + i], b[6 * t], b[7 * t]), b[2 * t], b[5 * t]);
        } else {
            z->blocks[i] = LANED(xor3_blocks)(LANED(xor3_blocks)(m->blocks[i], b[4 * t], b[5 * t]),
                                              LANED(and_blocks)(b[2 * t], b[3 * t]), b[t]);
        }
#endif
    }
}

/* If the keystream is the last use of m, an instruction that overwrites an operand can overwrite m.
 * So the rounds that need m come first. Not for 256X2: it seals in 0.88 of the time when they come
 * later. */
RIJN_INLINE void AEGIS(crypt)(AEGIS(unit) * z, AEGIS(part) * s, const AEGIS(unit) * m,
                              bool late_input OF_VARIANT)
{
#if AEGIS_SHARED
    AEGIS(keystream)(z, s, m THIS_VARIANT);
    AEGIS(update)(s, late_input ? z : m, late_input THIS_VARIANT);
#else
    const bool first = late_input ? ZERO_KEY_ROUND(late_input) : BLOCKS == 8 || LANES != 2;
    AEGIS(unit) into;

    if (first)
        AEGIS(begin)(&into, s, m, late_input);
    AEGIS(keystream)(z, s, m);
    if (!first)
        AEGIS(begin)(&into, s, late_input ? z : m, late_input);
    AEGIS(advance)(s, &into, late_input ? z : m, late_input, false);
#endif
}

RIJN_INLINE void AEGIS(closing)(AEGIS(unit) * t, const AEGIS(part) * s,
                                const uint64_t words[2] OF_VARIANT)
{
    uint64_t first = words[0];
    __asm__("" : "+r"(first)); /* a load of both words would wait for two stores */
    const block sizes = pair_block(first, words[1]);
#if !AEGIS_SHARED && FOLDED
    const block x = xor_blocks(low_block(s->blocks[2]), sizes);
    t->blocks[0] = join_blocks(x, x);
#else
#if LANES > 1
    const LANED(block) x = LANED(spread_block)(sizes);
#else
    const block x = sizes;
#endif
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++)
        t->blocks[n] =
            LANED(xor_blocks)(s->blocks[(BLOCKS == 8 ? 2 : 3) * INFLIGHT + n % INFLIGHT], x);
#endif
}

/* Returns the XOR of registers from ... to - 1, of the states from i * ABREAST on. */
RIJN_INLINE LANED(block) AEGIS(sum_of)(const AEGIS(part) * s, int i, int from, int to OF_VARIANT)
{
    LANED(block) sum = s->blocks[from * INFLIGHT + i];

    UNROLLED
    for (int j = from + 1; j < to; j++)
        sum = LANED(xor_blocks)(sum, s->blocks[j * INFLIGHT + i]);
#if BLOCK_INVERTED && BLOCKS == 8
    if ((from <= 3 && 3 < to) != (from <= 7 && 7 < to))
        sum = invert_block(sum);
#endif
    return sum;
}

RIJN_INLINE void AEGIS(sum)(uint8_t *out, const AEGIS(part) * s, int from, int to OF_VARIANT)
{
#if !AEGIS_SHARED && FOLDED
    const int half = REGISTERS, lower = to < half ? to : half;
    block sum = pair_block(0, 0);

    if (from < half)
        sum = low_block(AEGIS(sum_of)(s, 0, from, lower));
    if (to > half)
        sum = xor_blocks(sum,
                         high_block(AEGIS(sum_of)(s, 0, from < half ? 0 : from - half, to - half)));
    write_block(out, sum);
#else
    UNROLLED
    for (int i = 0; i < INFLIGHT; i++)
        LANED(write_block)(out + 16 * ABREAST * i, AEGIS(sum_of)(s, i, from, to THIS_VARIANT));
#endif
}
