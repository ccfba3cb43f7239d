/* The operations of AEGIS (aegis.h) for a kernel that has one block in a value, a register
 * as a rule. Include after defining
 *
 *     block                                     16 bytes
 *     block read_block(const uint8_t *p)
 *     void write_block(uint8_t *p, block x)
 *     block pair_block(uint64_t a, uint64_t b)  LE64(a) || LE64(b)
 *     block xor_blocks(block x, block y)
 *     block and_blocks(block x, block y)
 *     block round_block(block x, block k)       AESRound(x, k): FIPS 197 section 5.1 but for
 *                                               AddRoundKey, then XOR k
 *     BLOCK_REGISTERS                           how many blocks of state are handled together
 *                                               at most; 0 for those of one state
 *     BLOCK_TERNARY                             1 where a XOR of three is one operation */
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

/* Two states in flight hide each other's latency, if they fit. */
#define TOGETHER (DEGREE > 1 && 2 * BLOCKS <= BLOCK_REGISTERS ? 2 : 1)
#define PARTS 1
#define ABSORBED (BLOCKS == 8 ? 2 : 1) /* blocks of a unit for each state */

#endif

#if AEGIS_SHARED
typedef block AEGIS(blocks)[8], AEGIS(unit_blocks)[2];
#else
typedef block AEGIS(blocks)[BLOCKS * TOGETHER], AEGIS(unit_blocks)[ABSORBED * TOGETHER];
#endif

/* Block j of state i is number j * TOGETHER + i. */
typedef struct {
    AEGIS(blocks) of;
} AEGIS(part);

typedef struct {
    AEGIS(unit_blocks) of;
} AEGIS(unit);

RIJN_INLINE void AEGIS(copy)(AEGIS(part) * to, const AEGIS(part) * from OF_VARIANT)
{
#if defined(__clang__) && !AEGIS_SHARED /* it makes this of the loop, but too late for registers */
    *to = *from;
#else /* of which gcc makes `rep movs` */
    UNROLLED
    for (int n = 0; n < BLOCKS * TOGETHER; n++)
        to->of[n] = from->of[n];
#endif
}

RIJN_INLINE void AEGIS(get)(AEGIS(part) * s, const uint8_t *p OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < BLOCKS * TOGETHER; n++)
        s->of[n] = read_block(p + 16 * n);
}

RIJN_INLINE void AEGIS(put)(uint8_t *p, const AEGIS(part) * s OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < BLOCKS * TOGETHER; n++)
        write_block(p + 16 * n, s->of[n]);
}

RIJN_INLINE void AEGIS(set)(AEGIS(part) * s, const uint8_t *const parts[][2] OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < BLOCKS * TOGETHER; n++)
        s->of[n] =
            xor_blocks(read_block(parts[n / TOGETHER][0]), read_block(parts[n / TOGETHER][1]));
}

RIJN_INLINE void AEGIS(separate)(AEGIS(part) * s, int first OF_VARIANT)
{
    UNROLLED
    for (int i = 0; i < TOGETHER; i++) {
        const block x = pair_block((uint64_t)(first + i) | (uint64_t)(DEGREE - 1) << 8, 0);
        block *const third = &s->of[3 * TOGETHER + i], *const last =
                                                           &s->of[(BLOCKS - 1) * TOGETHER + i];
        *third = xor_blocks(*third, x);
        *last = xor_blocks(*last, x);
    }
}

RIJN_INLINE void AEGIS(spread)(AEGIS(unit) * u, const uint8_t *const parts[][2] OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * TOGETHER; n++)
        u->of[n] =
            xor_blocks(read_block(parts[n / TOGETHER][0]), read_block(parts[n / TOGETHER][1]));
}

RIJN_INLINE void AEGIS(load)(AEGIS(unit) * u, const uint8_t *p OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * TOGETHER; n++)
        u->of[n] = read_block(p + 16 * (n / TOGETHER * DEGREE + n % TOGETHER));
}

RIJN_INLINE void AEGIS(store)(uint8_t *p, const AEGIS(unit) * u OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * TOGETHER; n++)
        write_block(p + 16 * (n / TOGETHER * DEGREE + n % TOGETHER), u->of[n]);
}

RIJN_INLINE void AEGIS (xor)(AEGIS(unit) * to, const AEGIS(unit) * a,
                             const AEGIS(unit) * b OF_VARIANT)
{
    UNROLLED
    for (int n = 0; n < ABSORBED * TOGETHER; n++)
        to->of[n] = xor_blocks(a->of[n], b->of[n]);
}

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
 * one operation. */
#if !AEGIS_SHARED
RIJN_INLINE void AEGIS(update)(AEGIS(part) * s, const AEGIS(unit) * m, bool late OF_VARIANT)
{
    UNROLLED
    for (int i = 0; i < TOGETHER; i++) {
        const block last = s->of[(BLOCKS - 1) * TOGETHER + i];
        UNROLLED
        for (int j = BLOCKS - 1; j >= 0; j--) {
            const block before = j == 0 ? last : s->of[(j - 1) * TOGETHER + i];
            block *const own = &s->of[j * TOGETHER + i];
            if (j % 4 != 0 || j / 4 >= ABSORBED)
                *own = round_block(before, *own);
            else if (late && (TOGETHER == 1 || BLOCK_TERNARY))
                *own = xor_blocks(round_block(before, xor_blocks(*own, *own)),
                                  xor_blocks(*own, m->of[j / 4 * TOGETHER + i]));
            else
                *own = xor_blocks(round_block(before, m->of[j / 4 * TOGETHER + i]), *own);
        }
    }
}
#else
RIJN_APART static void AEGIS(update)(AEGIS(part) * s, const AEGIS(unit) * m, bool late OF_VARIANT)
{
    block next = s->of[BLOCKS - 1];

    (void)late, (void)DEGREE;
    next = round_block(next, xor_blocks(s->of[0], m->of[0]));
    for (int j = BLOCKS - 1; j > 0; j--)
        s->of[j] = round_block(s->of[j - 1], s->of[j]);
    s->of[0] = next;
    if (BLOCKS == 8)
        s->of[4] = xor_blocks(s->of[4], m->of[1]);
}
#endif

/* S1 and S5 come last: open waits for them, which are rounds of what absorbed the unit
 * before. */
RIJN_INLINE void AEGIS(keystream)(AEGIS(unit) * z, const AEGIS(part) * s OF_VARIANT)
{
    const int t = TOGETHER;
    UNROLLED
    for (int i = 0; i < t; i++) {
        const block *const b = &s->of[i];
        const block both = and_blocks(b[2 * t], b[3 * t]);
        if (BLOCKS == 8) {
            z->of[i] = xor_blocks(b[t], xor_blocks(b[6 * t], both));
            z->of[t + i] =
                xor_blocks(b[5 * t], xor_blocks(b[2 * t], and_blocks(b[6 * t], b[7 * t])));
        } else {
            z->of[i] = xor_blocks(b[t], xor_blocks(xor_blocks(b[4 * t], b[5 * t]), both));
        }
    }
}

RIJN_INLINE void AEGIS(closing)(AEGIS(unit) * t, const AEGIS(part) * s,
                                const uint64_t words[2] OF_VARIANT)
{
    const block sizes = pair_block(words[0], words[1]);
    UNROLLED
    for (int n = 0; n < ABSORBED * TOGETHER; n++)
        t->of[n] = xor_blocks(s->of[(BLOCKS == 8 ? 2 : 3) * TOGETHER + n % TOGETHER], sizes);
}

RIJN_INLINE void AEGIS(sum)(uint8_t *out, const AEGIS(part) * s, int from, int to OF_VARIANT)
{
    UNROLLED
    for (int i = 0; i < TOGETHER; i++) {
        block sum = s->of[from * TOGETHER + i];
        UNROLLED
        for (int j = from + 1; j < to; j++)
            sum = xor_blocks(sum, s->of[j * TOGETHER + i]);
        write_block(out + 16 * i, sum);
    }
}
