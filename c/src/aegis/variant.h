/* AEGIS itself (aegis.h): once for all variants, or once for each.
 *
 * The states meet only in the tag. They are worked in groups, as many together as fit the
 * registers; the groups take turns, each working off a tile of the input before the next one
 * follows. The functions have their names in RFC 10032. */
#include AEGIS_OPERATIONS

#define RATE (16 * (size_t)(DEGREE) * (BLOCKS == 8 ? 2 : 1)) /* bytes of a unit */
#define GROUPS (DEGREE / TOGETHER)
#define GROUP(s, k) ((s) + (size_t)(k)*PARTS)

/* Before a loop over updates: two states in flight gain nothing when it is unrolled, and a
 * third of the code goes without. */
#define ROLLED
#if !AEGIS_SHARED
#if TOGETHER > 1
#undef ROLLED
#if defined(__clang__)
#define ROLLED _Pragma("clang loop unroll(disable)")
#else
#define ROLLED _Pragma("GCC unroll 1")
#endif
#endif
#endif

/* Before a loop over the phases of a round of Init, whose units are in registers: below -O2 clang
 * leaves them in memory unless it is told. */
#if defined(__clang__) && !AEGIS_SHARED && !AEGIS_ONCE
#define PHASES RIJN_UNROLL
#else
#define PHASES
#endif

#if !AEGIS_SHARED
enum { AEGIS(groups) = GROUPS };
#endif

/* Where the states stay while a group is worked on: in registers, for which a group that is
 * not alone or comes from memory is copied, or in memory. */
#if AEGIS_SHARED
#define COPIED false
#else
#define COPIED (GROUPS > 1 || AEGIS_MEMORY || AEGIS_ONCE)
#endif

/* Updates, each round of which absorbs the units m[0], m[1], …: of the states from `first` on,
 * behind the context separator if `separated`. */
AEGIS_STEPS void AEGIS(steps)(AEGIS(part) * stored, const AEGIS(unit) * m, int phases, int rounds,
                              bool separated, int first OF_VARIANT)
{
    AEGIS(part) local;
    AEGIS(part) *const t = COPIED ? &local : stored;

    if (COPIED)
        AEGIS(copy)(&local, stored THIS_VARIANT);
    ROLLED
    for (int r = 0; r < rounds; r++) {
        PHASES
        for (int phase = 0; phase < phases; phase++) {
            if (separated)
                AEGIS(separate)(t, first THIS_VARIANT);
            AEGIS(update)(t, &m[phase], false THIS_VARIANT);
        }
    }
    if (COPIED)
        AEGIS(copy)(stored, &local THIS_VARIANT);
}

/* ---- Init ---- */

RIJN_INLINE void AEGIS(init)(AEGIS(part) * s, const uint8_t *key, const uint8_t *nonce OF_VARIANT)
{
    const uint8_t *const source[SOURCES] = {
        [NONE] = aegis_c[2],   [KEY0] = key,      [KEY1] = key + 16, [NONCE0] = nonce,
        [NONCE1] = nonce + 16, [C0] = aegis_c[0], [C1] = aegis_c[1]};
#define PAIR(a, b) {source[a], source[b]},
    const uint8_t *const eight[8][2] = {BEGIN_8(PAIR)}, *const six[6][2] = {BEGIN_6(PAIR)};
    const uint8_t *const of_eight[2][2] = {PHASES_8(PAIR)}, *const of_six[4][2] = {PHASES_6(PAIR)};
#undef PAIR
    const int phases = AEGIS_PHASES(BLOCKS), rounds = AEGIS_ROUNDS(BLOCKS);
    AEGIS(unit) m[4];

    if (BLOCKS == 8) {
        AEGIS(spread)(&m[0], of_eight THIS_VARIANT);
    } else {
        PHASES
        for (int phase = 0; phase < 4; phase++)
            AEGIS(spread)(&m[phase], &of_six[phase] THIS_VARIANT);
    }
    for (int k = 0; k < GROUPS; k++) {
        AEGIS(set)(GROUP(s, k), BLOCKS == 8 ? eight : six THIS_VARIANT);
        AEGIS(steps)(GROUP(s, k), m, phases, rounds, DEGREE > 1, k * TOGETHER THIS_VARIANT);
    }
}

/* ---- Absorb, Enc, Dec ---- */

/* Whole units. */
RIJN_INLINE void AEGIS(run)(AEGIS(part) * s, int groups, task what, uint8_t *out, const uint8_t *in,
                            size_t units OF_VARIANT)
{
    const size_t rate = RATE, most = 4096 / rate; /* stays in any L1 cache */
    const size_t of_group = 16 * (size_t)TOGETHER;

    while (units) {
        const size_t tile = groups == 1 || units < most ? units : most;
        for (int k = 0; k < groups; k++) {
            const uint8_t *from = in + of_group * (size_t)k;
            uint8_t *to = what == ABSORB ? NULL : out + of_group * (size_t)k;
            AEGIS(part) local;
            AEGIS(part) *const stored = GROUP(s, k);
            AEGIS(part) *const t = COPIED ? &local : stored;
            if (COPIED)
                AEGIS(copy)(&local, stored THIS_VARIANT);
            for (size_t n = tile; n; n--, from += rate) {
                AEGIS(unit) m, z;
                AEGIS(load)(&m, from THIS_VARIANT);
#if AEGIS_ONCE
                if (what != ABSORB) {
                    AEGIS(keystream)(&z, t, &m);
                    AEGIS(store)(to, &z);
                    to += rate;
                    m = what == DEC ? z : m;
                }
                AEGIS(update)(t, &m, true);
                continue;
#endif
                if (what == ABSORB) {
                    AEGIS(update)(t, &m, false THIS_VARIANT);
                    continue;
                }
                AEGIS(crypt)(&z, t, &m, what == DEC THIS_VARIANT);
                AEGIS(store)(to, &z THIS_VARIANT);
                to += rate;
            }
            if (COPIED)
                AEGIS(copy)(stored, &local THIS_VARIANT);
        }
        units -= tile;
        in += tile * rate;
        if (what != ABSORB)
            out += tile * rate;
    }
}

/* The keystream for the unit that comes next. */
RIJN_INLINE void AEGIS(squeeze)(AEGIS(part) * s, uint8_t *out OF_VARIANT)
{
    static const uint8_t zeros[AEGIS_RATE(8, 4)] = {0};

    for (int k = 0; k < GROUPS; k++) {
        AEGIS(unit) m, z;
        AEGIS(load)(&m, zeros THIS_VARIANT);
        AEGIS(keystream)(&z, GROUP(s, k), &m THIS_VARIANT);
        AEGIS(store)(out + 16 * TOGETHER * k, &z THIS_VARIANT);
    }
}

#if AEGIS_ENDS
/* What does not fill a unit, 0 < size < RATE. */
RIJN_INLINE void AEGIS(end)(AEGIS(part) * s, int groups, task what, uint8_t *out, const uint8_t *in,
                            size_t size OF_VARIANT)
{
    for (int k = 0; k < groups; k++) {
        const size_t at = 16 * (size_t)TOGETHER * (size_t)k;
        AEGIS(part) *const t = GROUP(s, k);
        AEGIS(unit) m, z;
        AEGIS(load_end)(&m, in, at, size THIS_VARIANT);
        if (what != ABSORB) {
            AEGIS(keystream)(&z, t, &m THIS_VARIANT);
            AEGIS(store_end)(out, at, size, &z THIS_VARIANT);
        }
        if (what == DEC)
            AEGIS(clip)(&z, at, size THIS_VARIANT);
        AEGIS(update)(t, what == DEC ? &z : &m, what == DEC THIS_VARIANT);
    }
}
#endif

/* Any number of bytes; what does not fill a unit is padded with zeros (ZeroPad,
 * DecPartial), so it ends the associated data or the message. Without operations for such
 * ends it goes through the same loop; to be absorbed as zeros, the padding of a ciphertext is
 * keystream. */
AEGIS_LARGE void AEGIS(process)(AEGIS(part) * s, int groups, uint8_t *last, task what, uint8_t *out,
                                const uint8_t *in, size_t size OF_VARIANT)
{
    const size_t rate = RATE, rest = size & (rate - 1), whole = size - rest;

#if AEGIS_ENDS
    (void)last;
    AEGIS(run)(s, groups, what, out, in, whole / rate THIS_VARIANT);
    if (rest)
        AEGIS(end)
    (s, groups, what, what == ABSORB ? NULL : out + whole, in + whole, rest THIS_VARIANT);
#else
    const uint8_t *from = in;
    uint8_t *to = out;
    size_t units = whole / rate;

    for (bool ends = rest == 0;; ends = true) {
        AEGIS(run)(s, groups, what, to, from, units THIS_VARIANT);
        if (ends)
            break;
        if (what == DEC)
            AEGIS(squeeze)(s, last THIS_VARIANT);
        else
            wipe(last, rate);
        copy_blocks(last, in + whole, rest);
        from = to = last;
        units = 1;
    }
    if (what != ABSORB && rest)
        copy_blocks(out + whole, last, rest);
#endif
}

/* ---- Finalize ---- */

/* S_from XOR ... XOR S_to-1 of the states of group k to tags[half * DEGREE], one behind the other;
 * or their sum, which later groups join, to tags[half]. */
RIJN_INLINE void AEGIS(give)(uint8_t *tags, int half, bool each, int k, const AEGIS(part) * s,
                             int from, int to OF_VARIANT)
{
    uint8_t sums[16 * 4], *const sum = tags + 16 * half;

    if (DEGREE == 1 || each) {
        AEGIS(sum)(tags + 16 * (half * DEGREE + k * TOGETHER), s, from, to THIS_VARIANT);
        return;
    }
    AEGIS(sum)(sums, s, from, to THIS_VARIANT);
    if (k == 0)
        memcpy(sum, sums, 16);
    for (int i = k == 0; i < TOGETHER; i++)
        xor_bytes(sum, sum, sums + 16 * i, 16);
}

/* The updates that end a message, and its tag. */
RIJN_INLINE void AEGIS(finalize)(AEGIS(part) * s, int groups, const rijn_aegis_call *c OF_VARIANT)
{
    const bool each = c->each;

    for (int k = 0; k < groups; k++) {
        AEGIS(part) *const t = GROUP(s, k);
        AEGIS(unit) m;
        AEGIS(closing)(&m, t, c->closing THIS_VARIANT);
        AEGIS(steps)(t, &m, 1, CLOSING_ROUNDS, false, 0 THIS_VARIANT);
        if (c->tag_size == 16) {
            AEGIS(give)(c->tags, 0, each, k, t, 0, BLOCKS == 8 ? 7 : 6 THIS_VARIANT);
        } else {
            AEGIS(give)(c->tags, 0, each, k, t, 0, BLOCKS / 2 THIS_VARIANT);
            AEGIS(give)(c->tags, 1, each, k, t, BLOCKS / 2, BLOCKS THIS_VARIANT);
        }
    }
}

/* ---- A call ---- */

/* With room for the states and a unit. What a whole message does is expected: of 16 bytes that
 * is 2 % of the time. */
RIJN_INLINE void AEGIS(call)(const rijn_aegis_call *c, AEGIS(part) * s, uint8_t *last OF_VARIANT)
{
    const int all = GROUPS, groups = all > 1 && c->first_alone ? 1 : all;
    const size_t bytes = PARTS * sizeof(AEGIS(part));
    uint8_t *const memory = (uint8_t *)c->state;

    if (__builtin_expect(c->key != NULL, 1))
        AEGIS(init)(s, c->key, c->nonce THIS_VARIANT);
    else
        for (int k = 0; k < all; k++)
            AEGIS(get)(GROUP(s, k), memory + (size_t)k * bytes THIS_VARIANT);
    AEGIS(process)(s, groups, last, ABSORB, NULL, c->ad, c->ad_size THIS_VARIANT);
    if (c->decrypt)
        AEGIS(process)(s, groups, last, DEC, c->out, c->in, c->size THIS_VARIANT);
    else
        AEGIS(process)(s, groups, last, ENC, c->out, c->in, c->size THIS_VARIANT);
    if (__builtin_expect(c->tags != NULL, 1))
        AEGIS(finalize)(s, groups, c THIS_VARIANT);
    if (__builtin_expect(memory != NULL, 0))
        for (int k = 0; k < all; k++)
            AEGIS(put)(memory + (size_t)k * bytes, GROUP(s, k) THIS_VARIANT);
}

RIJN_INLINE void AEGIS(next)(const uint64_t *state, AEGIS(part) * s, uint8_t *out OF_VARIANT)
{
    const size_t bytes = PARTS * sizeof(AEGIS(part));

    for (int k = 0; k < GROUPS; k++)
        AEGIS(get)
    (GROUP(s, k), (const uint8_t *)state + (size_t)k * bytes THIS_VARIANT);
    AEGIS(squeeze)(s, out THIS_VARIANT);
}

#undef RATE
#undef GROUPS
#undef GROUP
#undef COPIED
#undef ROLLED
#undef PHASES
