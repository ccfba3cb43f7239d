/* OCB3: the beginning of a message, and the whole blocks of data and associated data (RFC 7253
 * sections 4.1 to 4.3). ocb.c has incomplete blocks and the tag.
 *
 * The mask of block i (from 1) is Offset_i = Offset_(i-1) XOR L_ntz(i). Batches of B = BATCH_BLOCKS
 * blocks, a power of two, begin after each multiple of B. In them
 *
 *     Offset_(B k + j) = Offset_(B k) XOR Delta_j,   Delta_j = L_ntz(1) XOR … XOR L_ntz(j)
 *
 * Delta_1 … Delta_(B-1) are the same in every batch. Only Delta_B = Delta_(B-1) XOR L_ntz(B k + B)
 * changes. Each call makes the deltas that it needs on its stack, with Delta_(B-1) again as the last
 * entry. Block numbers are public. */

_Static_assert((BATCH_BLOCKS & (BATCH_BLOCKS - 1)) == 0, "OCB counts in powers of two");

static inline int trailing_zeros(uint64_t n)
{
    return __builtin_ctzll(n);
}

/* ---- The beginning of a message ---- */

/* A block as a big-endian integer, as in section 2. */
typedef struct {
    uint64_t high, low;
} ocb_l;

RIJN_INLINE block ocb_block(ocb_l x)
{
    return block_pair(swap64(x.high), swap64(x.low));
}

RIJN_INLINE ocb_l ocb_double(ocb_l x)
{
    return (ocb_l){.high = x.high << 1 | x.low >> 63,
                   .low = x.low << 1 ^ (0x87 & ct_mask64(x.high >> 63))};
}

static ocb_l ocb_load(const uint8_t p[16])
{
    return (ocb_l){.high = load_be64(p), .low = load_be64(p + 8)};
}

/* Computes Offset_0 (section 4.2) from the block of the nonce, whose last six bits are `bottom`, and
 * L_*. The nonce is public. */
RIJN_OPERATION void ocb_begin(const void *c, rijn_ocb *o)
{
    const unsigned bottom = o->data.offset[15] & 63;
    block b[2] = {block_load(o->data.offset), block_pair(0, 0)};
    uint8_t top[16];

    b[0] = block_and(b[0], block_pair(~(uint64_t)0, ~((uint64_t)63 << 56)));
    blocks_encrypt(c, b, 2);
    block_store(top, b[0]);
    block_store(o->l_star, b[1]);
    ocb_l t = ocb_load(top);
    const uint64_t third = t.high ^ (t.high << 8 | t.low >> 56);
    t.high = t.high << bottom | t.low >> 1 >> (63 - bottom);
    t.low = t.low << bottom | third >> 1 >> (63 - bottom);
    block_store(o->data.offset, ocb_block(t));
}

/* Stores the deltas of at least the first n blocks of a batch, in whole vecs. Returns L_(log2 B). */
RIJN_INLINE ocb_l ocb_deltas(uint8_t *deltas, const uint8_t l_star[16], size_t n)
{
    const block zero = block_pair(0, 0);
    block ls[6], delta = zero, all = zero;  /* all: Delta_(VEC_BLOCKS - 1) */
    ocb_l l = ocb_double(ocb_load(l_star)); /* L_$ */

    for (int i = 0; 1 << i < BATCH_BLOCKS; i++)
        ls[i] = ocb_block(l = ocb_double(l));
    for (int i = 1; i < VEC_BLOCKS; i++) {
        all = block_xor(all, ls[__builtin_ctz((unsigned)i)]);
        block_store(deltas + 16 * (i - 1), all);
    }
    block_store(deltas + VEC - 16, all);
    const vec within = vec_load(deltas);
    RIJN_UNROLL
    for (int i = 1; i <= FLIGHT; i++) {
        const unsigned end = (unsigned)i * VEC_BLOCKS;
        const block fresh = end < BATCH_BLOCKS ? ls[__builtin_ctz(end)] : zero;
        vec_store(deltas + VEC * (i - 1), vec_xor3(within, vec_broadcast(delta), vec_last(fresh)));
        delta = block_xor(delta, block_xor(all, fresh));
        if (end >= n)
            break;
    }
    return ocb_double(l);
}

/* ---- Whole blocks ---- */

typedef enum { OCB_ENCRYPT, OCB_DECRYPT, OCB_HASH } ocb_purpose;

/* before: the offset of the last multiple of B in all places of a vec, prepared for the input of
 * the cipher. after: the same for its output; nothing is XORed there for a hash. sum: the XOR of
 * the blocks, place by place. */
typedef struct {
    vec before, after, sum;
} ocb_masks;

/* Processes n vecs. `deltas` holds their deltas. `fresh`, unless NULL, is XORed to the last vec of
 * them. */
RIJN_INLINE void ocb_vecs(const context *c, ocb_masks *m, const uint8_t *deltas, const vec *fresh,
                          uint8_t *out, const uint8_t *in, int n, ocb_purpose purpose)
{
    vec v[FLIGHT];

    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        const vec x = vec_load(in + VEC * i);
        if (purpose == OCB_ENCRYPT)
            m->sum = vec_xor(m->sum, x);
        v[i] = vec_xor3(x, m->before, vec_load(deltas + VEC * i));
    }
    if (fresh)
        v[n - 1] = vec_xor(v[n - 1], *fresh);
    aes_rounds(c, v, n, purpose == OCB_DECRYPT);
    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        vec mask = m->after;
        if (purpose != OCB_HASH)
            mask = vec_xor(mask, vec_load(deltas + VEC * i));
        if (purpose != OCB_HASH && fresh && i == n - 1)
            mask = vec_xor(mask, *fresh);
        v[i] = vec_end(v[i], mask, purpose == OCB_DECRYPT);
        if (purpose != OCB_HASH)
            vec_store(out + VEC * i, v[i]);
        if (purpose != OCB_ENCRYPT)
            m->sum = vec_xor(m->sum, v[i]);
    }
}

RIJN_INLINE block ocb_cipher(const context *c, block x, ocb_purpose purpose)
{
    if (purpose == OCB_DECRYPT)
        blocks_decrypt(c, &x, 1);
    else
        blocks_encrypt(c, &x, 1);
    return x;
}

/* Processes the last block of a batch that comes in several calls. */
RIJN_INLINE void ocb_last(const context *c, ocb_masks *m, block mask, uint8_t *out,
                          const uint8_t *in, ocb_purpose purpose)
{
    const block x = block_load(in);
    block y = ocb_cipher(c, block_xor(x, mask), purpose);

    if (purpose != OCB_HASH) {
        y = block_xor(y, mask);
        block_store(out, y);
    }
    m->sum = vec_xor(m->sum, vec_last(purpose == OCB_ENCRYPT ? x : y));
}

/* Sets the masks of m for the offset `base`. */
RIJN_INLINE void ocb_move(const context *c, ocb_masks *m, vec base, ocb_purpose purpose)
{
    m->before = vec_begin(c, base, purpose == OCB_DECRYPT);
    m->after = vec_mask(c, purpose == OCB_HASH ? vec_broadcast(block_pair(0, 0)) : base,
                        purpose == OCB_DECRYPT);
}

/* Processes whole blocks, `size` bytes, of one batch, with their deltas. They do not reach its last
 * block. */
BOTH_WAYS void ocb_some(const context *c, const uint8_t *deltas, ocb_masks *m, uint8_t *to,
                        const uint8_t *in, size_t size, ocb_purpose purpose)
{
    size_t out = 0; /* an offset in `to`, which is NULL for a hash */

#define OCB_STEP(n) \
    do { \
        ocb_vecs(c, m, deltas, NULL, (uint8_t *)((uintptr_t)to + out), in, n, purpose); \
        deltas += VEC * (n); \
    } while (0)
    IN_FLIGHTS(FLIGHT, OCB_STEP);
    if (VEC_BLOCKS > 1 && size) {
        const vec x = vec_load_part(in, size), delta = vec_load_part(deltas, size);
        vec v = vec_xor3(x, m->before, delta);
        aes_rounds(c, &v, 1, purpose == OCB_DECRYPT);
        v = vec_end(v, purpose == OCB_HASH ? m->after : vec_xor(m->after, delta),
                    purpose == OCB_DECRYPT);
        if (purpose != OCB_HASH)
            vec_store_part(to + out, v, size);
        m->sum = vec_xor(m->sum, purpose == OCB_ENCRYPT ? x : vec_part(v, size));
    }
}

/* Returns an offset XOR the delta of block `at` of a batch, or XOR nothing for 0. */
RIJN_INLINE block ocb_moved(const uint8_t offset[16], const uint8_t *deltas, size_t at)
{
    const block x = block_load(offset);
    return at ? block_xor(x, block_load(deltas + 16 * (at - 1))) : x;
}

BOTH_WAYS void ocb_blocks(const context *c, const rijn_ocb *o, rijn_ocb_sum *s, uint8_t *out,
                          const uint8_t *in, size_t blocks, ocb_purpose purpose)
{
    _Alignas(VEC) uint8_t deltas[BATCH];
    size_t at = s->blocks % BATCH_BLOCKS;
    const size_t needed = blocks < BATCH_BLOCKS - at ? at + blocks : BATCH_BLOCKS;
    ocb_l next = ocb_deltas(deltas, o->l_star, needed);
    __asm__("" : : "r"(deltas) : "memory"); /* gcc warns of deltas that are not needed */
    const block end = needed < BATCH_BLOCKS ? block_pair(0, 0) : block_load(deltas + BATCH - 16);
    const vec highest = vec_broadcast(end);
    vec base = vec_broadcast(ocb_moved(s->offset, deltas, at));
    uint64_t batch = s->blocks / BATCH_BLOCKS;
    /* L_(log2 B) and all later L that are needed. They are computed before the loop: else each
     * batch would load an L that has just been stored, and wait for the batch before it. The limit
     * is 2^36 bytes (ocb.c). */
    block *const l =
        __builtin_alloca(sizeof *l * rijn_ocb_list((s->blocks + blocks) / BATCH_BLOCKS));
    ocb_masks m;

    ocb_move(c, &m, base, purpose);
    m.sum = vec_last(block_load(s->sum));
    s->blocks += blocks;
    if (s->blocks / BATCH_BLOCKS > batch) {
        l[0] = ocb_block(next);
        for (int i = 0; s->blocks / BATCH_BLOCKS >> i > 1; i++)
            l[i + 1] = ocb_block(next = ocb_double(next));
    }

    for (;;) {
        for (; !at && blocks >= BATCH_BLOCKS; blocks -= BATCH_BLOCKS, in += BATCH) {
            const block now = l[trailing_zeros(++batch)];
            const vec fresh = vec_last(now), step = vec_xor(highest, vec_broadcast(now));
            ocb_vecs(c, &m, deltas, &fresh, out, in, FLIGHT, purpose);
            base = vec_xor(base, step);
            m.before = vec_xor(m.before, step);
            if (purpose != OCB_HASH) { /* out is NULL */
                m.after = vec_xor(m.after, step);
                out += BATCH;
            }
        }
        const size_t room = BATCH_BLOCKS - 1 - at, n = blocks < room ? blocks : room;
        if (n)
            ocb_some(c, deltas + 16 * at, &m, out, in, 16 * n, purpose);
        if (blocks == n)
            break;
        in += 16 * n, blocks -= n + 1;
        if (purpose != OCB_HASH)
            out += 16 * n;
        base = vec_xor3(base, highest, vec_broadcast(l[trailing_zeros(++batch)]));
        ocb_last(c, &m, vec_first(base), out, in, purpose);
        in += 16;
        if (purpose != OCB_HASH)
            out += 16;
        ocb_move(c, &m, base, purpose);
        at = 0;
    }
    block_store(s->offset, vec_first(base));
    block_store(s->offset, ocb_moved(s->offset, deltas, s->blocks % BATCH_BLOCKS));
    block_store(s->sum, vec_sum(m.sum));
}

RIJN_OPERATION void ocb_encrypt(const void *c, rijn_ocb *o, uint8_t *out, const uint8_t *in,
                                size_t blocks)
{
    ocb_blocks(c, o, &o->data, out, in, blocks, OCB_ENCRYPT);
}

RIJN_OPERATION void ocb_decrypt(const void *c, rijn_ocb *o, uint8_t *out, const uint8_t *in,
                                size_t blocks)
{
    ocb_blocks(c, o, &o->data, out, in, blocks, OCB_DECRYPT);
}

RIJN_OPERATION void ocb_hash(const void *c, rijn_ocb *o, const uint8_t *ad, size_t blocks)
{
    ocb_blocks(c, o, &o->ad, NULL, ad, blocks, OCB_HASH);
}
