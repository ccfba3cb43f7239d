/* The operations of AEGIS (aegis.h) for a kernel that has blocks in registers: one, or 2 or 4
 * side by side. Include after defining
 *
 *     block                                     16 bytes
 *     block read_block(const uint8_t *p)
 *     void write_block(uint8_t *p, block x)
 *     block pair_block(uint64_t a, uint64_t b)  LE64(a) || LE64(b)
 *     block xor_blocks(block x, block y)
 *     block and_blocks(block x, block y)
 *     block round_block(block x, block k)       AESRound(x, k): FIPS 197 section 5.1 but for
 *                                               AddRoundKey, then XOR k
 *     block xor3_blocks(block x, block y, block z)      x XOR y XOR z
 *     block xor_and_blocks(block x, block y, block z)   x XOR (y AND z)
 *     BLOCK_REGISTERS                           how many registers of state are handled together
 *                                               at most; 0 for those of one state
 *     BLOCK_TERNARY                             1 where a XOR of three is one operation
 *     LANES                                     blocks of a register, for this BLOCKS and DEGREE:
 *                                               1; 2 or 4 states, side by side; or 2 for
 *                                               one state that is folded: S_j beside S_j+4
 *
 * and, with BLOCK_INVERTED, where x XOR (y AND NOT z) is one operation and x XOR (y AND z) is two,
 *
 *     block round_inverted(block x, block k)    round_block of NOT x
 *     block invert_block(block x)               NOT x
 *
 * S3 and S7 of eight blocks, whose only other use is to be the source of a round, are kept
 * inverted then, and the z of xor_and_blocks is one of these.
 *
 * And with _2 and _4 behind each name the same for the registers of so many blocks that LANES
 * asks for, where beside it there is
 *
 *     block_4 spread_block_4(block x)           x in every lane
 *     block_2 join_blocks(block x, block y), block low_block(block_2 x),
 *     block high_block(block_2 x), block_2 turn_blocks(block_2 x)
 *                                               of the folded: x || y, its halves, and these
 *                                               exchanged
 *
 * and with AEGIS_ENDS
 *
 *     block read_end(const uint8_t *p, size_t size)
 *     void write_end(uint8_t *p, size_t size, block x)
 *     block clip_block(block x, size_t size)    read_block, write_block and x itself, of the first
 *                                               `size` bytes; zeros behind them
 *
 * and with AEGIS_PACKED (packed.h), which needs those of AEGIS_ENDS too, of the registers of four
 *
 *     block_4 gather_blocks_4(const block x[4]), void scatter_blocks_4(block x[4], block_4 y)
 *                                               x[i] in lane i, and back
 *     block_4 choose_blocks_4(unsigned lanes, block_4 x, block_4 y)
 *                                               y in the lanes whose bit is set, x in the others */
#ifndef RIJN_AEGIS_BLOCKS_H
#define RIJN_AEGIS_BLOCKS_H

#include "../scrub.h"
#include "kernel.h"

/* Before a loop over the blocks of a state: they are registers. */
#if AEGIS_SHARED
#define UNROLLED
#else
#define UNROLLED RIJN_UNROLL
#endif

/* A state that is folded fills half as many registers. Its update is 1.1 times as fast on long
 * messages, and has half of the operations; that of six blocks is not, since their unit is in
 * one half alone and its keystream meets across the halves. */
#define FOLDED (BLOCKS == 8 && DEGREE == 1 && LANES == 2)
#define REGISTERS (FOLDED ? BLOCKS / 2 : BLOCKS)
#define ABREAST (FOLDED ? 1 : LANES) /* states of a register */

/* Two states in flight hide each other's latency, if they fit. */
#define INFLIGHT (DEGREE > ABREAST && 2 * BLOCKS <= BLOCK_REGISTERS ? 2 : 1)
#define TOGETHER (INFLIGHT * ABREAST)
#define PARTS 1
#define ABSORBED (BLOCKS == 8 && !FOLDED ? 2 : 1) /* registers of a unit for each state */

/* Register n of a unit is read and written here, of those of the first state. */
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
#if defined(__clang__) && !AEGIS_SHARED /* it makes this of the loop, but too late for registers */
    *to = *from;
#else /* of which gcc makes `rep movs` */
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

/* What blocks j, and `other` where a state is folded, of every state are made of. */
RIJN_INLINE LANED(block) AEGIS(deal)(const uint8_t *const parts[][2], int j, int other)
{
    const block x = xor_blocks(read_block(parts[j][0]), read_block(parts[j][1]));

    (void)other;
#if !AEGIS_SHARED && FOLDED
    return join_blocks(x, xor_blocks(read_block(parts[other][0]), read_block(parts[other][1])));
#elif LANES > 1
    return LANED(spread_block)(x);
#else
    return x;
#endif
}

RIJN_INLINE void AEGIS(set)(AEGIS(part) * s, const uint8_t *const parts[][2] OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < REGISTERS * INFLIGHT; n++)
        s->blocks[n] = AEGIS(deal)(parts, n / INFLIGHT, n / INFLIGHT + REGISTERS);
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
        static const uint8_t numbers[4][16] = {{0}, {1}, {2}, {3}};
        const LANED(block) x =
            LANED(xor_blocks)(LANED(read_block)(numbers[first + i * LANES]),
                              LANED(spread_block)(pair_block((uint64_t)(DEGREE - 1) << 8, 0)));
#endif
        LANED(block) *const third = &s->blocks[3 * INFLIGHT + i],
                            *const last = &s->blocks[(BLOCKS - 1) * INFLIGHT + i];
        *third = LANED(xor_blocks)(*third, x);
        *last = LANED(xor_blocks)(*last, x);
    }
}

RIJN_INLINE void AEGIS(spread)(AEGIS(unit) * u, const uint8_t *const parts[][2] OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++)
        u->blocks[n] = AEGIS(deal)(parts, n / INFLIGHT, 1);
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
/* How many bytes of `size` lie behind the first `at`. */
RIJN_INLINE size_t AEGIS(behind)(size_t at, size_t size)
{
    return size > at ? size - at : 0;
}

RIJN_INLINE void AEGIS(load_end)(AEGIS(unit) * u, const uint8_t *p, size_t at, size_t size)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++)
        u->blocks[n] = LANED(read_end)(p + at + PLACE(n), AEGIS(behind)(at + PLACE(n), size));
}

RIJN_INLINE void AEGIS(store_end)(uint8_t *p, size_t at, size_t size, const AEGIS(unit) * u)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++)
        LANED(write_end)(p + at + PLACE(n), AEGIS(behind)(at + PLACE(n), size), u->blocks[n]);
}

RIJN_INLINE void AEGIS(clip)(AEGIS(unit) * u, size_t at, size_t size)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++)
        u->blocks[n] = LANED(clip_block)(u->blocks[n], AEGIS(behind)(at + PLACE(n), size));
}
#endif

/* Every block becomes AESRound(the block before it) XOR itself, from the last to the first
 * so that each is still there when the next one asks for it; S0, and S4 of eight, absorb m
 * in that sum. The order of its terms decides the speed: the chain from S0 to S0 is passed
 * through in every update, and a round next to an XOR there costs six cycles on recent Intel
 * CPUs (a bypass delay). So the round stands aside, and only XORs in the chain:
 *     m known early (seal)   AESRound(before, m) XOR S
 *     m known late (open)    AESRound(before, 0) XOR (S XOR m)
 * Measured at 16 KiB, against AESRound(before, S XOR m): seal 1.12 (128L) and 1.32 (256)
 * times as fast, open 1.15 and 1.21. Two states in flight wait for ports and not for the
 * chain: there the second line's one XOR more makes open 6 % slower, unless three terms are
 * one operation. Of a folded state the round before S0 and S4 comes out with these exchanged:
 *     AESRound(before, 0) turned XOR (S XOR m)
 * The rounds of the last block are begun first, when it is still there: a copy of it would take
 * its turn at the ports. */
#if !AEGIS_SHARED
/* Whether the rounds before S0 and S4 stand aside. */
#define ASIDE(late) (FOLDED || ((late) && (INFLIGHT == 1 || BLOCK_TERNARY)))

#undef SOURCE_ROUND
#if BLOCK_INVERTED && BLOCKS == 8
#define SOURCE_ROUND round_inverted
#else
#define SOURCE_ROUND LANED(round_block)
#endif

/* These rounds. */
RIJN_INLINE void AEGIS(begin)(AEGIS(unit) * into, const AEGIS(part) * s, const AEGIS(unit) * m,
                              bool late)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * INFLIGHT; n++) {
        const LANED(block) zero = LANED(xor_blocks)(s->blocks[0], s->blocks[0]);
        into->blocks[n] =
            SOURCE_ROUND(s->blocks[(n / INFLIGHT ? 3 : REGISTERS - 1) * INFLIGHT + n % INFLIGHT],
                         ASIDE(late) ? zero : m->blocks[n]);
#if FOLDED
        into->blocks[n] = turn_blocks(into->blocks[n]);
#endif
    }
}

/* And all else. */
RIJN_INLINE void AEGIS(advance)(AEGIS(part) * s, const AEGIS(unit) * into, const AEGIS(unit) * m,
                                bool late)
{
    UNROLLED
    for (int i = 0; i < INFLIGHT; i++) {
        UNROLLED
        for (int j = REGISTERS - 1; j >= 0; j--) {
            LANED(block) *const own = &s->blocks[j * INFLIGHT + i];
            const int n = j / 4 * INFLIGHT + i;
            if (j % 4 != 0 || j / 4 >= ABSORBED)
                *own = LANED(round_block)(s->blocks[(j - 1) * INFLIGHT + i], *own);
            else if (ASIDE(late))
                *own = LANED(xor3_blocks)(*own, into->blocks[n], m->blocks[n]);
            else
                *own = LANED(xor_blocks)(into->blocks[n], *own);
        }
    }
}

RIJN_INLINE void AEGIS(update)(AEGIS(part) * s, const AEGIS(unit) * m, bool late)
{
    AEGIS(unit) into;

    AEGIS(begin)(&into, s, m, late);
    AEGIS(advance)(s, &into, m, late);
}
#else
RIJN_APART static void AEGIS(update)(AEGIS(part) * s, const AEGIS(unit) * m, bool late OF_VARIANT)
{
    block next = s->blocks[BLOCKS - 1];

    (void)late, (void)DEGREE;
    next = round_block(next, xor_blocks(s->blocks[0], m->blocks[0]));
    for (int j = BLOCKS - 1; j > 0; j--)
        s->blocks[j] = round_block(s->blocks[j - 1], s->blocks[j]);
    s->blocks[0] = next;
    if (BLOCKS == 8)
        s->blocks[4] = xor_blocks(s->blocks[4], m->blocks[1]);
}
#endif

/* S1 and S5 come last: open waits for them, which are rounds of what absorbed the unit
 * before. */
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

/* Where m has its last use in the keystream, an operation that overwrites an operand takes it:
 * so the rounds that ask for m come first; but of 256X2, which is sealed in 0.88 of the time when
 * they do not. */
RIJN_INLINE void AEGIS(crypt)(AEGIS(unit) * z, AEGIS(part) * s, const AEGIS(unit) * m,
                              bool late OF_VARIANT)
{
#if AEGIS_SHARED
    AEGIS(keystream)(z, s, m THIS_VARIANT);
    AEGIS(update)(s, late ? z : m, late THIS_VARIANT);
#else
    const bool first = late ? ASIDE(late) : BLOCKS == 8 || LANES != 2;
    AEGIS(unit) into;

    if (first)
        AEGIS(begin)(&into, s, m, late);
    AEGIS(keystream)(z, s, m);
    if (!first)
        AEGIS(begin)(&into, s, late ? z : m, late);
    AEGIS(advance)(s, &into, late ? z : m, late);
#endif
}

RIJN_INLINE void AEGIS(closing)(AEGIS(unit) * t, const AEGIS(part) * s,
                                const uint64_t words[2] OF_VARIANT)
{
    const block sizes = pair_block(words[0], words[1]);
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

/* The XOR of registers from ... to - 1, of states i * ABREAST on. */
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
