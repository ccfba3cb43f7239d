/* The operations of AEGIS (backend.h) for a backend that has one block in a value,
 * a register as a rule. Include through variant.h after defining
 *
 *     lane                                   one block
 *     lane lane_load(const uint8_t *p)
 *     void lane_store(uint8_t *p, lane x)
 *     lane lane_pair(uint64_t a, uint64_t b)  LE64(a) || LE64(b)
 *     lane lane_xor(lane x, lane y)
 *     lane lane_and(lane x, lane y)
 *     lane lane_round(lane x, lane k)        AESRound(x, k): FIPS 197 section 5.1
 *                                            but for AddRoundKey, then XOR k
 *     LANE_REGISTERS                         how many blocks of state are handled
 *                                            together at most
 *     LANE_TERNARY                           1 where a XOR of three is one operation
 */

/* Two states in flight hide each other's latency, if they fit. */
#define LANES (DEGREE > 1 && 2 * BLOCKS <= LANE_REGISTERS ? 2 : 1)

typedef struct {
    lane block[BLOCKS][LANES];
} AEGIS(state);

typedef struct {
    lane block[BLOCKS == 8 ? 2 : 1][LANES];
} AEGIS(unit);

enum { AEGIS(WIDTH) = BLOCKS == 8 ? 2 : 1 };

AEGIS_INLINE AEGIS(unit) AEGIS(load)(const uint8_t *p)
{
    AEGIS(unit) u;
    RIJN_UNROLL
    for (int j = 0; j < AEGIS(WIDTH); j++)
        RIJN_UNROLL
    for (int i = 0; i < LANES; i++)
        u.block[j][i] = lane_load(p + 16 * (DEGREE * j + i));
    return u;
}

AEGIS_INLINE void AEGIS(store)(uint8_t *p, AEGIS(unit) u)
{
    RIJN_UNROLL
    for (int j = 0; j < AEGIS(WIDTH); j++)
        RIJN_UNROLL
    for (int i = 0; i < LANES; i++)
        lane_store(p + 16 * (DEGREE * j + i), u.block[j][i]);
}

AEGIS_INLINE AEGIS(unit) AEGIS (xor)(AEGIS(unit) a, AEGIS(unit) b)
{
    RIJN_UNROLL
    for (int j = 0; j < AEGIS(WIDTH); j++)
        RIJN_UNROLL
    for (int i = 0; i < LANES; i++)
        a.block[j][i] = lane_xor(a.block[j][i], b.block[j][i]);
    return a;
}

AEGIS_INLINE void AEGIS(set)(AEGIS(state) * s, const uint8_t blocks[BLOCKS][16])
{
    RIJN_UNROLL
    for (int j = 0; j < BLOCKS; j++)
        RIJN_UNROLL
    for (int i = 0; i < LANES; i++)
        s->block[j][i] = lane_load(blocks[j]);
}

AEGIS_INLINE void AEGIS(separate)(AEGIS(state) * s, int first)
{
    static const uint8_t separators[DEGREE][16] = {
        {0, DEGREE - 1},
#if DEGREE > 1
        {1, DEGREE - 1},
#endif
#if DEGREE > 2
        {2, DEGREE - 1},
        {3, DEGREE - 1},
#endif
    };
    RIJN_UNROLL
    for (int i = 0; i < LANES; i++) {
        const lane x = lane_load(separators[first + i]);
        s->block[3][i] = lane_xor(s->block[3][i], x);
        s->block[BLOCKS - 1][i] = lane_xor(s->block[BLOCKS - 1][i], x);
    }
}

/* Every block becomes AESRound(the block before it) XOR itself, from the last to
 * the first so that each is still there when the next one asks for it; S0, and S4
 * of eight, absorb m in that sum. The order of its terms decides the speed: the
 * chain from S0 to S0 is passed through in every update, and a round next to an
 * XOR there costs six cycles on recent Intel CPUs (a bypass delay). So the round
 * stands aside, and only XORs in the chain:
 *     m known early (seal)   AESRound(before, m) XOR S
 *     m known late (open)    AESRound(before, 0) XOR (S XOR m)
 * Measured at 16 KiB, against AESRound(before, S XOR m): seal 1.12 (128L) and 1.32
 * (256) times as fast, open 1.15 and 1.21. Two states in flight wait for ports and
 * not for the chain: there the second line's one XOR more makes open 6 % slower,
 * unless three terms are one operation. */
AEGIS_INLINE void AEGIS(step)(AEGIS(state) * s, AEGIS(unit) m, bool late)
{
    RIJN_UNROLL
    for (int i = 0; i < LANES; i++) {
        const lane last = s->block[BLOCKS - 1][i];
        RIJN_UNROLL
        for (int j = BLOCKS - 1; j >= 0; j--) {
            const lane before = j == 0 ? last : s->block[j - 1][i], own = s->block[j][i];
            if (j % 4 != 0 || j / 4 >= AEGIS(WIDTH))
                s->block[j][i] = lane_round(before, own);
            else if (late && (LANES == 1 || LANE_TERNARY))
                s->block[j][i] = lane_xor(lane_round(before, lane_xor(own, own)),
                                          lane_xor(own, m.block[j / 4][i]));
            else
                s->block[j][i] = lane_xor(lane_round(before, m.block[j / 4][i]), own);
        }
    }
}

AEGIS_INLINE void AEGIS(update)(AEGIS(state) * s, AEGIS(unit) m)
{
    AEGIS(step)(s, m, false);
}

AEGIS_INLINE void AEGIS(update_late)(AEGIS(state) * s, AEGIS(unit) m)
{
    AEGIS(step)(s, m, true);
}

/* S1 and S5 come last: open waits for them, which are rounds of what absorbed the
 * unit before. */
AEGIS_INLINE AEGIS(unit) AEGIS(keystream)(const AEGIS(state) * s)
{
    AEGIS(unit) z;
    RIJN_UNROLL
    for (int i = 0; i < LANES; i++) {
        const lane both = lane_and(s->block[2][i], s->block[3][i]);
#if BLOCKS == 8
        z.block[0][i] = lane_xor(s->block[1][i], lane_xor(s->block[6][i], both));
        z.block[1][i] = lane_xor(
            s->block[5][i], lane_xor(s->block[2][i], lane_and(s->block[6][i], s->block[7][i])));
#else
        z.block[0][i] =
            lane_xor(s->block[1][i], lane_xor(lane_xor(s->block[4][i], s->block[5][i]), both));
#endif
    }
    return z;
}

AEGIS_INLINE AEGIS(unit) AEGIS(closing)(const AEGIS(state) * s, uint64_t a, uint64_t b)
{
    const lane l = lane_pair(a, b);
    AEGIS(unit) u;
    RIJN_UNROLL
    for (int j = 0; j < AEGIS(WIDTH); j++)
        RIJN_UNROLL
    for (int i = 0; i < LANES; i++)
        u.block[j][i] = lane_xor(s->block[BLOCKS == 8 ? 2 : 3][i], l);
    return u;
}

RIJN_INLINE void AEGIS(sums)(uint8_t *out, const AEGIS(state) * s, int from, int to)
{
    RIJN_UNROLL
    for (int i = 0; i < LANES; i++) {
        lane sum = s->block[from][i];
        RIJN_UNROLL
        for (int j = from + 1; j < to; j++)
            sum = lane_xor(sum, s->block[j][i]);
        lane_store(out + 16 * i, sum);
    }
}
