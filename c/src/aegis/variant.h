/* The algorithm of AEGIS (aegis.h): included once for all variants, or once for each.
 *
 * The states meet only in the tag. A group has as many states as fit the registers. Each group
 * processes a tile of the input, then the next group processes the same tile. Functions have the
 * names of RFC 10032. */
#include AEGIS_OPERATIONS

#define RATE (16 * (size_t)(DEGREE) * (BLOCKS == 8 ? 2 : 1)) /* bytes of a unit */
#define GROUPS (DEGREE / TOGETHER)
#define GROUP(s, k) ((s) + (size_t)(k)*PARTS)

/* Before a loop over updates. Two states in flight gain nothing from unrolling, and the code is a
 * third smaller without. */
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

/* Before a loop over the phases of a round of Init, which has its units in registers. Below -O2 clang
 * leaves them in memory otherwise. */
#if defined(__clang__) && !AEGIS_SHARED && !AEGIS_ONCE
#define PHASES RIJN_UNROLL
#else
#define PHASES
#endif

#if !AEGIS_SHARED
enum { AEGIS(groups) = GROUPS };
#endif

/* True if a group is copied to local variables, which are registers, while it is processed: it is one
 * of several or comes from memory. */
#if AEGIS_SHARED
#define COPIED false
#else
#define COPIED (GROUPS > 1 || AEGIS_MEMORY || AEGIS_ONCE)
#endif

/* For the compiler, may have changed the states. Without it, gcc copies every register of two or four
 * states in a loop. */
RIJN_INLINE void AEGIS(keep)(AEGIS(part) * t)
{
#ifdef KEEP_REGISTER
    if (!FOLDED && LANES > 1) {
        UNROLLED
        for (int n = 0; n < REGISTERS * INFLIGHT; n++)
            KEEP_REGISTER(t->blocks[n]);
    }
#else
    (void)t;
#endif
}

/* A round of updates: absorbs the units m[0], m[1], …, each after the context separator if
 * `separated`. */
RIJN_INLINE void AEGIS(round)(AEGIS(part) * t, const AEGIS(unit) * m, int phases, bool separated,
                              int first, bool ordered OF_VARIANT)
{
    PHASES
    for (int phase = 0; phase < phases; phase++) {
        if (separated)
            AEGIS(separate)(t, first THIS_VARIANT);
#ifdef KEEP_REGISTER
        AEGIS(update_in_order)(t, &m[phase], false, ordered);
#else
        (void)ordered;
        AEGIS(update)(t, &m[phase], false THIS_VARIANT);
#endif
    }
}

/* Runs `rounds` rounds on the states from `first` on. `written`: writes them out. */
AEGIS_STEPS void AEGIS(steps)(AEGIS(part) * stored, const AEGIS(unit) * m, int phases, int rounds,
                              bool separated, int first, bool written OF_VARIANT)
{
    AEGIS(part) local;
    AEGIS(part) *const t = COPIED ? &local : stored;

    if (COPIED)
        AEGIS(copy)(&local, stored THIS_VARIANT);
#ifdef AEGIS_WRITTEN
    if (written) {
        RIJN_UNROLL
        for (int r = 0; r < rounds; r++)
            AEGIS(round)(t, m, phases, separated, first, false THIS_VARIANT);
        rounds = 0;
    }
#else
    (void)written;
#endif
    ROLLED
    for (int r = 0; r < rounds; r++) {
        AEGIS(round)(t, m, phases, separated, first, true THIS_VARIANT);
        AEGIS(keep)(t);
    }
    if (COPIED)
        AEGIS(copy)(stored, &local THIS_VARIANT);
}

/* ---- Init ---- */

RIJN_INLINE void AEGIS(init)(AEGIS(part) * s, const uint8_t *key, const uint8_t *nonce,
                             bool written OF_VARIANT)
{
    const size_t second = BLOCKS == 8 ? 0 : 16;
    const aegis_source source[SOURCES] = {[NONE] = source_at(aegis_c[2]),
                                          [KEY0] = source_at(key),
                                          [KEY1] = source_at(key + second),
                                          [NONCE0] = fresh_source_at(nonce),
                                          [NONCE1] = fresh_source_at(nonce + second),
                                          [C0] = source_at(aegis_c[0]),
                                          [C1] = source_at(aegis_c[1])};
#define PAIR(a, b) {source[a], source[b]},
    const aegis_source eight[8][2] = {BEGIN_8(PAIR)}, six[6][2] = {BEGIN_6(PAIR)};
    const aegis_source of_eight[2][2] = {PHASES_8(PAIR)}, of_six[4][2] = {PHASES_6(PAIR)};
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
        AEGIS(steps)
        (GROUP(s, k), m, phases, rounds, DEGREE > 1, k * TOGETHER, written THIS_VARIANT);
    }
}

/* ---- Absorb, Enc, Dec ---- */

/* Processes whole units. */
RIJN_INLINE void AEGIS(run)(AEGIS(part) * s, int groups, task job, uint8_t *out, const uint8_t *in,
                            size_t units OF_VARIANT)
{
    const size_t rate = RATE, most = 4096 / rate; /* stays in any L1 cache */
    const size_t of_group = 16 * (size_t)TOGETHER;

    while (units) {
        const size_t tile = groups == 1 || units < most ? units : most;
        for (int k = 0; k < groups; k++) {
            const uint8_t *from = in + of_group * (size_t)k;
            uint8_t *to = job == ABSORB ? NULL : out + of_group * (size_t)k;
            AEGIS(part) local;
            AEGIS(part) *const stored = GROUP(s, k);
            AEGIS(part) *const t = COPIED ? &local : stored;
            if (COPIED)
                AEGIS(copy)(&local, stored THIS_VARIANT);
            for (size_t n = tile; n; n--, from += rate) {
                AEGIS(unit) m, z;
                AEGIS(load)(&m, from THIS_VARIANT);
#if AEGIS_ONCE
                if (job != ABSORB) {
                    AEGIS(keystream)(&z, t, &m);
                    AEGIS(store)(to, &z);
                    to += rate;
                    m = job == DEC ? z : m;
                }
                AEGIS(update)(t, &m, true);
                continue;
#endif
                if (job == ABSORB) {
                    AEGIS(update)(t, &m, false THIS_VARIANT);
                    continue;
                }
                AEGIS(crypt)(&z, t, &m, job == DEC THIS_VARIANT);
                AEGIS(store)(to, &z THIS_VARIANT);
                to += rate;
#ifdef AEGIS_WRITTEN
                if (DEGREE == 4)
                    AEGIS(keep)(t);
#endif
            }
            if (COPIED)
                AEGIS(copy)(stored, &local THIS_VARIANT);
        }
        units -= tile;
        in += tile * rate;
        if (job != ABSORB)
            out += tile * rate;
    }
}

/* Writes the keystream of the next unit. */
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
/* Processes a partial unit, 0 < size < RATE. */
RIJN_INLINE void AEGIS(end)(AEGIS(part) * s, int groups, task job, uint8_t *out, const uint8_t *in,
                            size_t size OF_VARIANT)
{
    for (int k = 0; k < groups; k++) {
        const size_t at = 16 * (size_t)TOGETHER * (size_t)k;
        AEGIS(part) *const t = GROUP(s, k);
        AEGIS(unit) m, z;
        AEGIS(load_end)(&m, in, at, size THIS_VARIANT);
        if (job != ABSORB) {
            AEGIS(keystream)(&z, t, &m THIS_VARIANT);
            AEGIS(store_end)(out, at, size, &z THIS_VARIANT);
        }
        if (job == DEC)
            AEGIS(clip)(&z, at, size THIS_VARIANT);
        AEGIS(update)(t, job == DEC ? &z : &m, job == DEC THIS_VARIANT);
    }
}
#endif

/* Processes any number of bytes. Pads a partial unit with zeros (ZeroPad, DecPartial), so it must be
 * the last of the associated data or the message. Without AEGIS_ENDS the partial unit goes through
 * the same loop as whole ones; a ciphertext is then padded with keystream, so that the padding of its
 * plaintext is zero. */
AEGIS_LARGE void AEGIS(process)(AEGIS(part) * s, int groups, uint8_t *last, task job, uint8_t *out,
                                const uint8_t *in, size_t size OF_VARIANT)
{
    const size_t rate = RATE, rest = size & (rate - 1), whole = size - rest;

#if AEGIS_ENDS
    (void)last;
    AEGIS(run)(s, groups, job, out, in, whole / rate THIS_VARIANT);
    if (rest)
        AEGIS(end)
    (s, groups, job, job == ABSORB ? NULL : out + whole, in + whole, rest THIS_VARIANT);
#else
    const uint8_t *from = in;
    uint8_t *to = out;
    size_t units = whole / rate;

    for (bool ends = rest == 0;; ends = true) {
        AEGIS(run)(s, groups, job, to, from, units THIS_VARIANT);
        if (ends)
            break;
        if (job == DEC)
            AEGIS(squeeze)(s, last THIS_VARIANT);
        else
            wipe(last, rate);
        copy_blocks(last, in + whole, rest);
        from = to = last;
        units = 1;
    }
    if (job != ABSORB && rest)
        copy_blocks(out + whole, last, rest);
#endif
}

/* ---- Finalize ---- */

/* Computes S_from XOR ... XOR S_to-1 of each state of group k, and writes them one after the other
 * from tags[half * DEGREE] on (counted in blocks); or XORs them together, with those of other
 * groups, into tags[half]. */
RIJN_INLINE void AEGIS(write_tags)(uint8_t *tags, int half, bool separate, int k,
                                   const AEGIS(part) * s, int from, int to OF_VARIANT)
{
    uint8_t sums[16 * 4], *const sum = tags + 16 * half;

    if (DEGREE == 1 || separate) {
        AEGIS(sum)(tags + 16 * (half * DEGREE + k * TOGETHER), s, from, to THIS_VARIANT);
        return;
    }
    AEGIS(sum)(sums, s, from, to THIS_VARIANT);
    if (k == 0)
        memcpy(sum, sums, 16);
    for (int i = k == 0; i < TOGETHER; i++)
        xor_bytes(sum, sum, sums + 16 * i, 16);
}

/* Runs the updates that end a message and writes its tag. */
RIJN_INLINE void AEGIS(finalize)(AEGIS(part) * s, int groups, const rijn_aegis_call *c,
                                 bool written OF_VARIANT)
{
    const bool separate = c->separate_tags;
    const uint64_t sizes[2] = {(uint64_t)c->ad_size * 8, (uint64_t)c->size * 8};

    for (int k = 0; k < groups; k++) {
        AEGIS(part) *const t = GROUP(s, k);
        AEGIS(unit) m;
        AEGIS(closing)(&m, t, written ? sizes : c->closing THIS_VARIANT);
        AEGIS(steps)(t, &m, 1, CLOSING_ROUNDS, false, 0, written THIS_VARIANT);
        if (c->tag_size == 16) {
            AEGIS(write_tags)(c->tags, 0, separate, k, t, 0, BLOCKS == 8 ? 7 : 6 THIS_VARIANT);
        } else {
            AEGIS(write_tags)(c->tags, 0, separate, k, t, 0, BLOCKS / 2 THIS_VARIANT);
            AEGIS(write_tags)(c->tags, 1, separate, k, t, BLOCKS / 2, BLOCKS THIS_VARIANT);
        }
    }
}

/* ---- A call ---- */

/* Runs a call (kernel.h). `s` and `last` have room for the states and a unit. `written`: writes out the
 * rounds. Branches expect a whole message, which saves 2 % of the time of 16 bytes. */
RIJN_INLINE void AEGIS(call)(const rijn_aegis_call *c, AEGIS(part) * s, uint8_t *last,
                             bool written OF_VARIANT)
{
    const int all = GROUPS, groups = all > 1 && c->first_alone ? 1 : all;
    const size_t bytes = PARTS * sizeof(AEGIS(part));
    uint8_t *const memory = (uint8_t *)c->state;

    if (written || __builtin_expect(c->key != NULL, 1))
        AEGIS(init)(s, c->key, c->nonce, written THIS_VARIANT);
    else
        for (int k = 0; k < all; k++)
            AEGIS(get)(GROUP(s, k), memory + (size_t)k * bytes THIS_VARIANT);
    if (c->ad_size)
        AEGIS(process)(s, groups, last, ABSORB, NULL, c->ad, c->ad_size THIS_VARIANT);
    if (c->decrypt)
        AEGIS(process)(s, groups, last, DEC, c->out, c->in, c->size THIS_VARIANT);
    else
        AEGIS(process)(s, groups, last, ENC, c->out, c->in, c->size THIS_VARIANT);
    if (written || __builtin_expect(c->tags != NULL, 1))
        AEGIS(finalize)(s, groups, c, written THIS_VARIANT);
#if !AEGIS_ENDS
    if (AEGIS_IN_REGISTERS(BLOCKS, DEGREE) && (c->ad_size | c->size) % RATE)
        wipe(last, RATE);
#endif
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
