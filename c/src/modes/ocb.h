/* OCB3: the beginning of a message, and the whole blocks of data and associated data (RFC 7253
 * sections 4.1 to 4.3). ocb.c has incomplete blocks and the tag.
 *
 * The mask of block i (from 1) is Offset_i = Offset_(i-1) XOR L_ntz(i). Batches of B = BATCH_BLOCKS
 * blocks, a power of two, begin after each multiple of B. In them
 *
 *     Offset_(B k + j) = Offset_(B k) XOR Delta_j,   Delta_j = L_ntz(1) XOR … XOR L_ntz(j)
 *
 * Delta_1 … Delta_(B-1) are the same in every batch. Only Delta_B = Delta_(B-1) XOR L_ntz(B k + B)
 * changes. The state has a table of the deltas, with Delta_(B-1) again as the last entry. Its
 * `offset` is always the offset of the last multiple of B. Block numbers are public. */

_Static_assert((BATCH_BLOCKS & (BATCH_BLOCKS - 1)) == 0, "OCB counts in powers of two");

/* Deltas are made so many at a time. Each time they take the same L, except for the last one. */
enum { OCB_STRIDE = BATCH_BLOCKS < 8 ? BATCH_BLOCKS : 8 };

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

/* Computes Offset_0 (section 4.2), L_*, and as many deltas as `blocks` blocks need. `nonce` is the
 * block of the nonce without its last six bits, which are `bottom`. They are public. */
RIJN_OPERATION void ocb_begin(const void *c, rijn_ocb *o, const uint8_t nonce[16], unsigned bottom,
                              uint64_t blocks)
{
    const int most = blocks < BATCH_BLOCKS ? (int)blocks : BATCH_BLOCKS;
    block b[2] = {block_load(nonce), block_pair(0, 0)}, delta = b[1], ls[6];
    uint8_t top[16];

    blocks_encrypt(c, b, 2);
    block_store(top, b[0]);
    block_store(o->l_star, b[1]);
    ocb_l l = ocb_load(o->l_star), t = ocb_load(top);
    const uint64_t third = t.high ^ (t.high << 8 | t.low >> 56);
    t.high = t.high << bottom | t.low >> 1 >> (63 - bottom);
    t.low = t.low << bottom | third >> 1 >> (63 - bottom);
    block_store(o->data.offset, ocb_block(t));

    l = ocb_double(l); /* L_$ */
    for (int n = 0; 1 << n < BATCH_BLOCKS; n++)
        ls[n] = ocb_block(l = ocb_double(l));
    block_store(o->l_batch, ocb_block(ocb_double(l)));
    for (int j = 0; j < most; j += OCB_STRIDE) {
        RIJN_UNROLL
        for (int i = 1; i < OCB_STRIDE; i++) {
            delta = block_xor(delta, ls[__builtin_ctz((unsigned)i)]);
            block_store(o->deltas + 16 * (j + i - 1), delta);
        }
        if (j + OCB_STRIDE < BATCH_BLOCKS)
            delta = block_xor(delta, ls[__builtin_ctz((unsigned)(j + OCB_STRIDE))]);
        block_store(o->deltas + 16 * (j + OCB_STRIDE - 1), delta);
    }
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

/* Processes whole blocks, `size` bytes, after block `at` of a batch. They do not reach its last
 * block. */
BOTH_WAYS void ocb_some(const context *c, const rijn_ocb *o, ocb_masks *m, size_t at, uint8_t *to,
                        const uint8_t *in, size_t size, ocb_purpose purpose)
{
    const uint8_t *deltas = o->deltas + 16 * at;
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

BOTH_WAYS void ocb_blocks(const context *c, const rijn_ocb *o, rijn_ocb_sum *s, uint8_t *out,
                          const uint8_t *in, size_t blocks, ocb_purpose purpose)
{
    size_t at = s->blocks % BATCH_BLOCKS;
    const vec highest = vec_broadcast(block_load(o->deltas + BATCH - 16));
    vec base = vec_broadcast(block_load(s->offset));
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
        ocb_l next = ocb_load(o->l_batch);
        l[0] = ocb_block(next);
        for (int i = 0; s->blocks / BATCH_BLOCKS >> i > 1; i++)
            l[i + 1] = ocb_block(next = ocb_double(next));
    }

    for (;;) {
        for (; !at && blocks >= BATCH_BLOCKS; blocks -= BATCH_BLOCKS, in += BATCH) {
            const block now = l[trailing_zeros(++batch)];
            const vec fresh = vec_last(now), step = vec_xor(highest, vec_broadcast(now));
            ocb_vecs(c, &m, o->deltas, &fresh, out, in, FLIGHT, purpose);
            base = vec_xor(base, step);
            m.before = vec_xor(m.before, step);
            if (purpose != OCB_HASH) { /* out is NULL */
                m.after = vec_xor(m.after, step);
                out += BATCH;
            }
        }
        const size_t room = BATCH_BLOCKS - 1 - at, n = blocks < room ? blocks : room;
        if (n)
            ocb_some(c, o, &m, at, out, in, 16 * n, purpose);
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
