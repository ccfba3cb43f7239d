/* A batch of AEGIS messages (batch.h). LANES messages are side by side in a state like a state of X2
 * or X4. Each has its own nonce, size and buffers. Include after the variant that supplies the
 * registers, the update and the keystream, with its BLOCKS, DEGREE == LANES and AEGIS, and after
 * defining PACKED_ALONE, the call function of the one-state variant, which processes long messages.
 * Defines many(key, batch). blocks.h lists the operations that it requires (AEGIS_PACKED).
 *
 * Messages of a row have nearly the same number of units. As long as all lanes have a whole unit
 * left, each only needs its own loads and stores. When some lanes have ended, the update leaves their
 * blocks unchanged. */

#ifndef RIJN_AEGIS_PACKED_H
#define RIJN_AEGIS_PACKED_H

/* Longer messages are processed alone: a row takes as long as its longest message. */
enum { PACKED_MOST = 8192, ALONE = 255 };

/* This many bytes of each message are prefetched two rows ahead. The hardware does not prefetch so far
 * ahead. */
enum { FETCHED = 512 };

/* Writes to `order` the numbers of the messages to be packed, sorted by their units: messages with
 * equal or nearly equal numbers of units are next to each other, the shortest first. Returns how many
 * there are. Longer messages are left out. */
RIJN_APART static size_t sort_by_units(uint8_t order[RIJN_BATCH], const rijn_batch *b, size_t unit)
{
    enum { FINE = 32, BUCKETS = FINE + PACKED_MOST / 16 / FINE + 1 };
    uint8_t bucket[RIJN_BATCH] = {0}, next[BUCKETS + 1] = {0};
    size_t packed = 0;
    unsigned differ = 0;

    for (size_t i = 0; i < b->count; i++) {
        const size_t units = (b->size[i] + unit - 1) / unit;
        const size_t ad_size = b->has_ad ? b->ad_size[b->one_ad ? 0 : i] : 0;
        const bool alone = b->size[i] > PACKED_MOST || ad_size > PACKED_MOST;
        bucket[i] = alone ? ALONE : (uint8_t)(units < FINE ? units : FINE + units / FINE);
        differ |= bucket[i] ^ (unsigned)bucket[0];
    }
    if (!differ && bucket[0] != ALONE) {
        for (size_t i = 0; i < RIJN_BATCH; i++)
            order[i] = (uint8_t)i;
        return b->count;
    }
    for (size_t i = 0; i < b->count; i++)
        if (bucket[i] != ALONE)
            next[bucket[i] + 1]++, packed++;
    for (size_t i = 1; i < BUCKETS; i++)
        next[i] = (uint8_t)(next[i] + next[i - 1]);
    for (size_t i = 0; i < b->count; i++)
        if (bucket[i] != ALONE)
            order[next[bucket[i]]++] = (uint8_t)i;
    return packed;
}

#endif

enum { AEGIS(unit_size) = AEGIS_RATE(BLOCKS, 1) };

/* A row of messages: the remaining data of each lane. */
typedef struct {
    const uint8_t *from[LANES];
    uint8_t *to[LANES];
    size_t left[LANES];
} AEGIS(row);

RIJN_INLINE LANED(block) AEGIS(gather)(const uint8_t *const from[LANES], size_t at)
{
    block x[LANES];

    UNROLLED
    for (int i = 0; i < LANES; i++)
        x[i] = read_block(from[i] + at);
    return LANED(gather_blocks)(x);
}

/* Processes whole units of all lanes. */
RIJN_INLINE void AEGIS(run_row)(AEGIS(part) * s, task job, AEGIS(row) * r, size_t units)
{
    for (size_t at = 0; at < units * AEGIS(unit_size); at += AEGIS(unit_size)) {
        AEGIS(unit) m, z = {0};
        UNROLLED
        for (int n = 0; n < ABSORBED; n++)
            m.blocks[n] = AEGIS(gather)(r->from, at + 16 * (size_t)n);
        if (job != ABSORB) {
#if AEGIS_ONCE
            AEGIS(keystream)(&z, s, &m);
#else
            AEGIS(crypt)(&z, s, &m, job == DEC);
#endif
            UNROLLED
            for (int n = 0; n < ABSORBED; n++) {
                block x[LANES];
                LANED(scatter_blocks)(x, z.blocks[n]);
                UNROLLED
                for (int i = 0; i < LANES; i++)
                    write_block(r->to[i] + at + 16 * (size_t)n, x[i]);
            }
        }
        if (AEGIS_ONCE)
            AEGIS(update)(s, job == DEC ? &z : &m, true);
        else if (job == ABSORB)
            AEGIS(update)(s, &m, false);
    }
    UNROLLED
    for (int i = 0; i < LANES; i++) {
        r->from[i] += units * AEGIS(unit_size);
        r->left[i] -= units * AEGIS(unit_size);
        if (job != ABSORB)
            r->to[i] += units * AEGIS(unit_size);
    }
}

/* Processes one whole or partial unit of every lane that has bytes left. */
RIJN_INLINE void AEGIS(end_row)(AEGIS(part) * s, task job, AEGIS(row) * r)
{
    AEGIS(part) next = *s;
    AEGIS(unit) m, z;
    unsigned busy = 0;

    UNROLLED
    for (int i = 0; i < LANES; i++)
        busy |= (unsigned)(r->left[i] > 0) << i;
    UNROLLED
    for (int n = 0; n < ABSORBED; n++) {
        block x[LANES];
        UNROLLED
        for (int i = 0; i < LANES; i++)
            x[i] = read_end(r->from[i] + 16 * n, AEGIS(bytes_after)(16 * (size_t)n, r->left[i]));
        m.blocks[n] = LANED(gather_blocks)(x);
    }
    if (job != ABSORB) {
        AEGIS(keystream)(&z, s, &m);
        UNROLLED
        for (int n = 0; n < ABSORBED; n++) {
            block x[LANES];
            LANED(scatter_blocks)(x, z.blocks[n]);
            UNROLLED
            for (int i = 0; i < LANES; i++) {
                const size_t size = AEGIS(bytes_after)(16 * (size_t)n, r->left[i]);
                write_end(r->to[i] + 16 * n, size, x[i]);
                x[i] = clip_block(x[i], size);
            }
            if (job == DEC)
                z.blocks[n] = LANED(gather_blocks)(x);
        }
    }
    AEGIS(update)(&next, job == DEC ? &z : &m, job == DEC);
    UNROLLED
    for (int n = 0; n < BLOCKS; n++)
        s->blocks[n] = LANED(choose_blocks)(busy, s->blocks[n], next.blocks[n]);
    UNROLLED
    for (int i = 0; i < LANES; i++) {
        const size_t taken = r->left[i] < AEGIS(unit_size) ? r->left[i] : AEGIS(unit_size);
        r->left[i] -= taken;
        r->from[i] += taken;
        if (job != ABSORB)
            r->to[i] += taken;
    }
}

AEGIS_STEPS void AEGIS(run_lanes)(AEGIS(part) * stored, task job, AEGIS(row) * r)
{
    size_t least = r->left[0];
    AEGIS(part) local;
    AEGIS(part) *const s = AEGIS_ONCE ? &local : stored;

    if (AEGIS_ONCE)
        local = *stored;

    UNROLLED
    for (int i = 1; i < LANES; i++)
        least = r->left[i] < least ? r->left[i] : least;
    AEGIS(run_row)(s, job, r, least / AEGIS(unit_size));
    for (bool unfinished = true; unfinished;) {
        unfinished = false;
        UNROLLED
        for (int i = 0; i < LANES; i++)
            unfinished = unfinished || r->left[i];
        if (unfinished)
            AEGIS(end_row)(s, job, r);
    }
    if (AEGIS_ONCE)
        *stored = local;
}

/* Processes the LANES messages with the numbers in `index`, or only the first `lanes` of them. */
RIJN_INLINE void AEGIS(process_row)(const uint8_t *key, const rijn_batch *b, const uint8_t *index,
                                    int lanes)
{
    static const uint8_t zeros[32] = {0};
    uint8_t discarded[32];
    AEGIS(row) text, ad;
    block nonces[2][LANES], x[LANES];
    AEGIS(part) s;
    AEGIS(unit) m, absorbed[4];

    for (int i = 0; i < LANES; i++) {
        const size_t k = index[i < lanes ? i : 0];
        const uint8_t *const nonce = b->nonces + b->nonce_step * k;
        nonces[0][i] = read_block(nonce);
        nonces[1][i] = read_block(nonce + (BLOCKS == 8 ? 0 : 16));
        text.left[i] = i < lanes ? b->size[k] : 0;
        text.from[i] = text.left[i] ? b->in[k] : zeros;
        text.to[i] = text.left[i] ? b->out[k] : discarded;
        ad.left[i] = 0;
        ad.from[i] = zeros;
        if (b->has_ad) {
            const size_t ad_index = b->one_ad ? 0 : k;
            ad.left[i] = b->ad_size[ad_index];
            if (ad.left[i])
                ad.from[i] = b->ad[ad_index];
        }
        x[i] = pair_block((uint64_t)ad.left[i] * 8, (uint64_t)text.left[i] * 8);
    }
    const LANED(block) sizes = LANED(gather_blocks)(x);
    const LANED(block)
        source[SOURCES] = {[NONE] = LANED(spread_block)(pair_block(0, 0)),
                           [KEY0] = LANED(spread_block)(read_block(key)),
                           [KEY1] = LANED(spread_block)(read_block(key + (BLOCKS == 8 ? 0 : 16))),
                           [NONCE0] = LANED(gather_blocks)(nonces[0]),
                           [NONCE1] = LANED(gather_blocks)(nonces[1]),
                           [C0] = LANED(spread_block)(read_block(aegis_c[0])),
                           [C1] = LANED(spread_block)(read_block(aegis_c[1]))};
#define SUM(a, b) LANED(xor_blocks)(source[a], source[b]),
#if BLOCKS == 8
    const LANED(block) begin[] = {BEGIN_8(SUM)}, phases[] = {PHASES_8(SUM)};
#else
    const LANED(block) begin[] = {BEGIN_6(SUM)}, phases[] = {PHASES_6(SUM)};
#endif
#undef SUM
    UNROLLED
    for (int n = 0; n < BLOCKS; n++)
        s.blocks[n] = begin[n];
    UNROLLED
    for (int phase = 0; phase < AEGIS_PHASES(BLOCKS); phase++) {
        UNROLLED
        for (int n = 0; n < ABSORBED; n++)
            absorbed[phase].blocks[n] = phases[phase + n];
    }
    AEGIS(steps)(&s, absorbed, AEGIS_PHASES(BLOCKS), AEGIS_ROUNDS(BLOCKS), false, 0, false);
    if (b->has_ad)
        AEGIS(run_lanes)(&s, ABSORB, &ad);
    if (b->opening)
        AEGIS(run_lanes)(&s, DEC, &text);
    else
        AEGIS(run_lanes)(&s, ENC, &text);
    UNROLLED
    for (int n = 0; n < ABSORBED; n++)
        m.blocks[n] = LANED(xor_blocks)(s.blocks[BLOCKS == 8 ? 2 : 3], sizes);
    AEGIS(steps)(&s, &m, 1, CLOSING_ROUNDS, false, 0, false);
    if (b->tag_size == 16) {
        LANED(scatter_blocks)(x, AEGIS(sum_of)(&s, 0, 0, BLOCKS == 8 ? 7 : 6));
        for (int i = 0; i < lanes; i++)
            write_block(b->tag[index[i]], x[i]);
        return;
    }
    for (int half = 0; half < 2; half++) {
        LANED(scatter_blocks)
        (x, half ? AEGIS(sum_of)(&s, 0, BLOCKS / 2, BLOCKS) : AEGIS(sum_of)(&s, 0, 0, BLOCKS / 2));
        for (int i = 0; i < lanes; i++)
            write_block(b->tag[index[i]] + 16 * half, x[i]);
    }
}

static void PACKED_ALONE(const rijn_aegis_call *c);

RIJN_OPERATION void AEGIS(many)(const uint8_t *key, const rijn_batch *b)
{
    uint8_t order[RIJN_BATCH];
    const size_t packed = sort_by_units(order, b, AEGIS(unit_size));

    for (size_t i = 0; i < packed; i += LANES) {
        for (size_t j = i + 2 * LANES; j < i + 3 * LANES && j < packed; j++) {
            for (size_t at = 0; at < b->size[order[j]] && at < FETCHED; at += 64) {
                __builtin_prefetch(b->in[order[j]] + at);
                __builtin_prefetch(b->out[order[j]] + at, 1);
            }
        }
        AEGIS(process_row)
        (key, b, order + i, packed - i < LANES ? (int)(packed - i) : LANES);
    }
    for (size_t i = 0; packed < b->count && i < b->count; i++) {
        const size_t ad_index = b->one_ad ? 0 : i, ad_size = b->has_ad ? b->ad_size[ad_index] : 0;
        if (b->size[i] <= PACKED_MOST && ad_size <= PACKED_MOST)
            continue;
        PACKED_ALONE(
            &(rijn_aegis_call){.key = key,
                               .nonce = b->nonces + b->nonce_step * i,
                               .ad = b->has_ad ? b->ad[ad_index] : NULL,
                               .ad_size = ad_size,
                               .in = b->in[i],
                               .out = b->out[i],
                               .size = b->size[i],
                               .decrypt = b->opening,
                               .closing = {(uint64_t)ad_size * 8, (uint64_t)b->size[i] * 8},
                               .tag_size = b->tag_size,
                               .tags = b->tag[i]});
    }
}
