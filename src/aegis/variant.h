/* One variant of AEGIS, draft-irtf-cfrg-aegis-aead: DEGREE states of BLOCKS blocks
 * side by side. 128L and 128X have 8 blocks and absorb two of them at a time into
 * each state, 256 and 256X have 6 and absorb one; degree 1 is no special case.
 * The functions are named after those of the draft.
 *
 * The states meet only in the tag. LANES of them make a strand, which is what fits
 * the registers; the strands take turns, each working off a tile of the input with
 * its state in registers before the next one follows. */
#include AEGIS_OPERATIONS

enum {
    AEGIS(STRANDS) = DEGREE / LANES,
    AEGIS(RATE) = 16 * DEGREE * (BLOCKS == 8 ? 2 : 1), /* bytes of a unit */
    AEGIS(KEY) = BLOCKS == 8 ? 16 : 32,                /* bytes of key and nonce */
    AEGIS(TILE) = 4096 / AEGIS(RATE),                  /* units; stays in any L1 cache */
    AEGIS(STACK) = AEGIS_STACK + 3 * AEGIS(STRANDS) * sizeof(AEGIS(state))
};

_Static_assert(AEGIS(STRANDS) * sizeof(AEGIS(state)) <= sizeof((rijn_aegis *)0)->state,
               "the states fit rijn_aegis");
_Static_assert((int)AEGIS(RATE) <= (int)sizeof((rijn_aegis *)0)->partial, "a unit fits rijn_aegis");

/* ---- Init ---- */

AEGIS_PART void AEGIS(init)(AEGIS(state) * states, const uint8_t *key, const uint8_t *nonce)
{
    /* C0, C1: the Fibonacci numbers modulo 256. */
    static const uint8_t c[2][16] = {{0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d, 0x15, 0x22,
                                      0x37, 0x59, 0x90, 0xe9, 0x79, 0x62},
                                     {0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1, 0x20, 0x11,
                                      0x31, 0x42, 0x73, 0xb5, 0x28, 0xdd}};
    enum { PHASES = BLOCKS == 8 ? 1 : 4, ROUNDS = BLOCKS == 8 ? 10 : 4 };
    uint8_t first[BLOCKS][16], unit[PHASES][AEGIS(RATE)];

#if BLOCKS == 8
    xor_bytes(first[0], key, nonce, 16);
    memcpy(first[1], c[1], 16);
    memcpy(first[2], c[0], 16);
    memcpy(first[3], c[1], 16);
    memcpy(first[4], first[0], 16);
    xor_bytes(first[5], key, c[0], 16);
    xor_bytes(first[6], key, c[1], 16);
    memcpy(first[7], first[5], 16);
    for (int i = 0; i < DEGREE; i++) {
        memcpy(unit[0] + 16 * i, nonce, 16);
        memcpy(unit[0] + 16 * (DEGREE + i), key, 16);
    }
#else
    xor_bytes(first[0], key, nonce, 16);
    xor_bytes(first[1], key + 16, nonce + 16, 16);
    memcpy(first[2], c[1], 16);
    memcpy(first[3], c[0], 16);
    xor_bytes(first[4], key, c[0], 16);
    xor_bytes(first[5], key + 16, c[1], 16);
    for (int i = 0; i < DEGREE; i++) {
        memcpy(unit[0] + 16 * i, key, 16);
        memcpy(unit[1] + 16 * i, key + 16, 16);
        memcpy(unit[2] + 16 * i, first[0], 16);
        memcpy(unit[3] + 16 * i, first[1], 16);
    }
#endif
    for (int k = 0; k < AEGIS(STRANDS); k++) {
        AEGIS(state) s;
        AEGIS(set)(&s, (const uint8_t(*)[16])first);
        for (int r = 0; r < ROUNDS; r++) {
            for (int phase = 0; phase < PHASES; phase++) {
                if (DEGREE > 1)
                    AEGIS(separate)(&s, k * LANES);
                AEGIS(update)(&s, AEGIS(load)(unit[phase] + 16 * LANES * k));
            }
        }
        states[k] = s;
    }
}

/* ---- Absorb, Enc, Dec ---- */

typedef enum { AEGIS(ABSORB), AEGIS(ENC), AEGIS(DEC) } AEGIS(task);

/* `units` whole units. */
AEGIS_INLINE void AEGIS(run)(AEGIS(state) * states, AEGIS(task) task, uint8_t *out,
                             const uint8_t *in, size_t units)
{
    while (units) {
        const size_t tile =
            AEGIS(STRANDS) == 1 || units < AEGIS(TILE) ? units : (size_t)AEGIS(TILE);
        for (int k = 0; k < AEGIS(STRANDS); k++) {
            const uint8_t *from = in + 16 * LANES * k;
            uint8_t *to = task == AEGIS(ABSORB) ? NULL : out + 16 * LANES * k;
            AEGIS(state) s = states[k];
            for (size_t n = tile; n; n--, from += AEGIS(RATE)) {
                const AEGIS(unit) t = AEGIS(load)(from);
                if (task == AEGIS(ABSORB)) {
                    AEGIS(update)(&s, t);
                } else {
                    const AEGIS(unit) z = AEGIS(keystream)(&s);
                    const AEGIS(unit) o = AEGIS(xor)(t, z);
                    AEGIS(store)(to, o);
                    if (task == AEGIS(ENC))
                        AEGIS(update)(&s, t);
                    else
                        AEGIS(update_late)(&s, o);
                    to += AEGIS(RATE);
                }
            }
            states[k] = s;
        }
        units -= tile;
        in += tile * AEGIS(RATE);
        if (task != AEGIS(ABSORB))
            out += tile * AEGIS(RATE);
    }
}

/* The keystream for the unit that comes next. */
AEGIS_INLINE void AEGIS(squeeze)(const AEGIS(state) * states, uint8_t *out)
{
    for (int k = 0; k < AEGIS(STRANDS); k++)
        AEGIS(store)(out + 16 * LANES * k, AEGIS(keystream)(&states[k]));
}

/* Any number of bytes; what does not fill a unit is padded with zeros (ZeroPad,
 * DecPartial), so it ends the associated data or the message. */
AEGIS_INLINE void AEGIS(process)(AEGIS(state) * states, AEGIS(task) task, uint8_t *out,
                                 const uint8_t *in, size_t size)
{
    const size_t rest = size % AEGIS(RATE), whole = size - rest;

    AEGIS(run)(states, task, out, in, size / AEGIS(RATE));
    if (rest) {
        uint8_t last[AEGIS(RATE)];
        wipe(last, sizeof last);
        copy_blocks(last, in + whole, rest);
        if (task == AEGIS(DEC)) {
            uint8_t z[AEGIS(RATE)];
            AEGIS(squeeze)(states, z);
            xor_bytes(last, last, z, rest);
            copy_blocks(out + whole, last, rest);
            AEGIS(run)(states, AEGIS(ABSORB), NULL, last, 1);
        } else {
            AEGIS(run)(states, task, last, last, 1);
            if (task == AEGIS(ENC))
                copy_blocks(out + whole, last, rest);
        }
    }
}

/* Process, once for each task. */

AEGIS_PART void AEGIS(take)(AEGIS(state) * states, const uint8_t *in, size_t size)
{
    AEGIS(process)(states, AEGIS(ABSORB), NULL, in, size);
}

AEGIS_PART void AEGIS(enc)(AEGIS(state) * states, uint8_t *out, const uint8_t *in, size_t size)
{
    AEGIS(process)(states, AEGIS(ENC), out, in, size);
}

AEGIS_PART void AEGIS(dec)(AEGIS(state) * states, uint8_t *out, const uint8_t *in, size_t size)
{
    AEGIS(process)(states, AEGIS(DEC), out, in, size);
}

/* ---- Finalize ---- */

/* The seven updates that end a message. */
AEGIS_INLINE void AEGIS(close)(AEGIS(state) * states, int strands, uint64_t a, uint64_t b)
{
    for (int k = 0; k < strands; k++) {
        AEGIS(state) s = states[k];
        const AEGIS(unit) t = AEGIS(closing)(&s, a, b);
        for (int i = 0; i < 7; i++)
            AEGIS(update)(&s, t);
        states[k] = s;
    }
}

/* The tag of every state by itself, or both halves of it, 16 bytes a state. */
AEGIS_INLINE void AEGIS(tags)(uint8_t part[2][16 * DEGREE], const AEGIS(state) * states,
                              size_t tag_size)
{
    for (int k = 0; k < AEGIS(STRANDS); k++) {
        const int at = 16 * LANES * k;
        if (tag_size == 16) {
            AEGIS(sums)(part[0] + at, &states[k], 0, BLOCKS == 8 ? 7 : 6);
        } else {
            AEGIS(sums)(part[0] + at, &states[k], 0, BLOCKS / 2);
            AEGIS(sums)(part[1] + at, &states[k], BLOCKS / 2, BLOCKS);
        }
    }
}

AEGIS_PART void AEGIS(finalize)(AEGIS(state) * states, uint64_t ad_size, uint64_t size,
                                uint8_t *tag, size_t tag_size)
{
    uint8_t part[2][16 * DEGREE];

    AEGIS(close)(states, AEGIS(STRANDS), ad_size * 8, size * 8);
    AEGIS(tags)(part, states, tag_size);
    for (size_t half = 0; half < 2; half++) {
        if (16 * half == tag_size)
            break;
        memcpy(tag + 16 * half, part[half], 16);
        for (int i = 1; i < DEGREE; i++)
            xor_bytes(tag + 16 * half, tag + 16 * half, part[half] + 16 * i, 16);
    }
}

/* FinalizeMac: the tags of all states are absorbed into the first, which alone
 * makes the last tag. Where each gives a tag of half a unit, the first state's
 * own fills the first unit; else it is left out. */
AEGIS_INLINE void AEGIS(finalize_mac)(AEGIS(state) * states, uint64_t size, uint8_t *tag,
                                      size_t tag_size)
{
    uint8_t part[2][16 * DEGREE];

    AEGIS(close)(states, AEGIS(STRANDS), size * 8, tag_size * 8);
    AEGIS(tags)(part, states, tag_size);
    if (DEGREE > 1) {
        enum { WIDTH = BLOCKS == 8 ? 2 : 1 }; /* blocks of a state's share of a unit */
        const int halves = (int)tag_size / 16;
        uint8_t unit[AEGIS(RATE)] = {0};
        for (int n = halves == WIDTH || WIDTH == 1 ? halves : 0; n < halves * DEGREE;) {
            for (int j = 0; j < WIDTH; j++, n++)
                memcpy(unit + 16 * DEGREE * j, part[n % halves] + 16 * (n / halves), 16);
            AEGIS(update)(&states[0], AEGIS(load)(unit));
        }
        AEGIS(close)(states, 1, DEGREE, tag_size * 8);
        AEGIS(tags)(part, states, tag_size);
    }
    memcpy(tag, part[0], 16);
    if (tag_size == 32)
        memcpy(tag + 16, part[1], 16);
}

/* ---- What the record of the variant names ---- */

static void AEGIS(start)(uint64_t *memory, const uint8_t *key, const uint8_t *nonce)
{
    AEGIS(state) s[AEGIS(STRANDS)];
    AEGIS(init)(s, key, nonce);
    memcpy(memory, s, sizeof s);
}

static void AEGIS(absorb)(uint64_t *memory, const uint8_t *in, size_t size)
{
    AEGIS(state) s[AEGIS(STRANDS)];
    memcpy(s, memory, sizeof s);
    AEGIS(take)(s, in, size);
    memcpy(memory, s, sizeof s);
}

static void AEGIS(encrypt)(uint64_t *memory, uint8_t *out, const uint8_t *in, size_t size)
{
    AEGIS(state) s[AEGIS(STRANDS)];
    memcpy(s, memory, sizeof s);
    AEGIS(enc)(s, out, in, size);
    memcpy(memory, s, sizeof s);
}

static void AEGIS(decrypt)(uint64_t *memory, uint8_t *out, const uint8_t *in, size_t size)
{
    AEGIS(state) s[AEGIS(STRANDS)];
    memcpy(s, memory, sizeof s);
    AEGIS(dec)(s, out, in, size);
    memcpy(memory, s, sizeof s);
}

static void AEGIS(next)(const uint64_t *memory, uint8_t *out)
{
    AEGIS(state) s[AEGIS(STRANDS)];
    memcpy(s, memory, sizeof s);
    AEGIS(squeeze)(s, out);
}

static void AEGIS(tag)(uint64_t *memory, uint64_t ad_size, uint64_t size, uint8_t *tag,
                       size_t tag_size)
{
    AEGIS(state) s[AEGIS(STRANDS)];
    memcpy(s, memory, sizeof s);
    AEGIS(finalize)(s, ad_size, size, tag, tag_size);
}

static void AEGIS(mac)(uint64_t *memory, uint64_t size, uint8_t *tag, size_t tag_size)
{
    AEGIS(state) s[AEGIS(STRANDS)];
    memcpy(s, memory, sizeof s);
    AEGIS(finalize_mac)(s, size, tag, tag_size);
}

AEGIS_INLINE void AEGIS(whole)(AEGIS(task) task, const uint8_t *key, const uint8_t *nonce,
                               const uint8_t *ad, size_t ad_size, uint8_t *out, const uint8_t *in,
                               size_t size, uint8_t *tag, size_t tag_size)
{
    AEGIS(state) s[AEGIS(STRANDS)];
    AEGIS(init)(s, key, nonce);
    AEGIS(take)(s, ad, ad_size);
    (task == AEGIS(ENC) ? AEGIS(enc) : AEGIS(dec))(s, out, in, size);
    AEGIS(finalize)(s, ad_size, size, tag, tag_size);
}

static void AEGIS(seal)(const uint8_t *key, const uint8_t *nonce, const uint8_t *ad, size_t ad_size,
                        uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size)
{
    AEGIS(whole)(AEGIS(ENC), key, nonce, ad, ad_size, out, in, size, tag, tag_size);
}

static void AEGIS(open)(const uint8_t *key, const uint8_t *nonce, const uint8_t *ad, size_t ad_size,
                        uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size)
{
    AEGIS(whole)(AEGIS(DEC), key, nonce, ad, ad_size, out, in, size, tag, tag_size);
}

#undef AEGIS
#undef DEGREE
#undef LANES
