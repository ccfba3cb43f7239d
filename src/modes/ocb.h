/* The whole blocks of OCB3, RFC 7253 sections 4.1 to 4.3: of data and of associated
 * data. (What is not whole, the nonce and the tag are in ocb.c.)
 *
 * Block i (from 1) is masked by Offset_i = Offset_(i-1) XOR L_ntz(i). In batches
 * that begin behind a multiple of B = BATCH_BLOCKS, a power of two,
 *
 *     Offset_(B k + j) = Offset_(B k) XOR Delta_j,   Delta_j = L_ntz(1) XOR … XOR L_ntz(j)
 *
 * with the same Delta_1 … Delta_(B-1) every time; only Delta_B = Delta_(B-1) XOR
 * L_ntz(B k + B) changes. The state has a table of them, with Delta_(B-1) once
 * more as the last entry, and in `offset` always that of the last multiple of B.
 * Block numbers are public. */

_Static_assert((BATCH_BLOCKS & (BATCH_BLOCKS - 1)) == 0, "OCB counts in powers of two");

typedef enum { OCB_ENCRYPT, OCB_DECRYPT, OCB_HASH } ocb_purpose;

static inline int trailing_zeros(uint64_t n)
{
    return __builtin_ctzll(n);
}

/* Fewer blocks than a batch, or not at the beginning of one. */
static inline void ocb_some(const context *c, const rijn_ocb *o, rijn_ocb_sum *s, uint8_t *out,
                            const uint8_t *in, size_t blocks, ocb_purpose purpose)
{
    uint8_t offset[BATCH], data[BATCH] = {0};

    for (size_t i = 0; i < blocks; i++) {
        const size_t j = ++s->blocks % BATCH_BLOCKS;
        uint8_t *const here = offset + 16 * i;
        xor_bytes(here, s->offset, o->deltas + 16 * ((j ? j : BATCH_BLOCKS) - 1), 16);
        if (j == 0) { /* Delta_B lacks L_ntz */
            uint8_t l[16];
            memcpy(l, o->l_batch, 16);
            for (int n = trailing_zeros(s->blocks / BATCH_BLOCKS); n; n--)
                double_be(l, l);
            xor_bytes(here, here, l, 16);
            memcpy(s->offset, here, 16);
        }
        if (purpose == OCB_ENCRYPT)
            xor_bytes(s->sum, s->sum, in + 16 * i, 16);
    }
    xor_bytes(data, in, offset, 16 * blocks);
    if (purpose == OCB_DECRYPT)
        ecb_decrypt(c, data, data, blocks);
    else
        ecb_encrypt(c, data, data, blocks);
    if (purpose != OCB_HASH)
        xor_bytes(data, data, offset, 16 * blocks);
    for (size_t i = 0; i < blocks && purpose != OCB_ENCRYPT; i++)
        xor_bytes(s->sum, s->sum, data + 16 * i, 16);
    if (purpose != OCB_HASH)
        memcpy(out, data, 16 * blocks);
}

/* The block in all places, or in the last one with zeros before it. */
static inline vec vec_spread(const uint8_t from[16], bool last)
{
    uint8_t all[VEC] = {0};
    for (int i = last ? VEC_BLOCKS - 1 : 0; i < VEC_BLOCKS; i++)
        memcpy(all + 16 * i, from, 16);
    return vec_load(all);
}

static inline void ocb_batches(const context *c, const rijn_ocb *o, rijn_ocb_sum *s, uint8_t *out,
                               const uint8_t *in, size_t batches, ocb_purpose purpose)
{
    /* L_(log2 B) and those after it, as far as needed: computed here, for a load
     * that waited for the stores of a fresh L would make each batch wait for the
     * one before it. 2^36 bytes are the limit (ocb.c). */
    uint8_t l[33][16], sums[VEC] = {0};
    vec base = vec_spread(s->offset, false), sum = vec_load(sums);

    memcpy(l[0], o->l_batch, 16);
    for (int i = 0; (s->blocks / BATCH_BLOCKS + batches) >> i > 1; i++)
        double_be(l[i + 1], l[i]);

    for (; batches; batches--, in += BATCH) {
        vec offset[FLIGHT], v[FLIGHT];

        s->blocks += BATCH_BLOCKS;
        const uint8_t *const fresh = l[trailing_zeros(s->blocks / BATCH_BLOCKS)];
        RIJN_UNROLL
        for (int i = 0; i < FLIGHT; i++)
            offset[i] = vec_xor(base, vec_load(o->deltas + VEC * i));
        offset[FLIGHT - 1] = vec_xor(offset[FLIGHT - 1], vec_spread(fresh, true));
        base = vec_xor(
            base, vec_xor(vec_spread(o->deltas + BATCH - 16, false), vec_spread(fresh, false)));
        RIJN_UNROLL
        for (int i = 0; i < FLIGHT; i++) {
            v[i] = vec_load(in + VEC * i);
            if (purpose == OCB_ENCRYPT)
                sum = vec_xor(sum, v[i]);
            v[i] = vec_xor(v[i], offset[i]);
        }
        if (purpose == OCB_DECRYPT)
            aes_decrypt(c, v, FLIGHT);
        else
            aes_encrypt(c, v, FLIGHT);
        RIJN_UNROLL
        for (int i = 0; i < FLIGHT; i++) {
            if (purpose != OCB_HASH) {
                v[i] = vec_xor(v[i], offset[i]);
                vec_store(out + VEC * i, v[i]);
            }
            if (purpose != OCB_ENCRYPT)
                sum = vec_xor(sum, v[i]);
        }
        if (purpose != OCB_HASH) /* out is NULL */
            out += BATCH;
    }
    vec_store(sums, base);
    memcpy(s->offset, sums, 16);
    vec_store(sums, sum);
    for (int i = 0; i < VEC_BLOCKS; i++)
        xor_bytes(s->sum, s->sum, sums + 16 * i, 16);
}

RIJN_INLINE void ocb_blocks(const context *c, const rijn_ocb *o, rijn_ocb_sum *s, uint8_t *out,
                            const uint8_t *in, size_t blocks, ocb_purpose purpose)
{
    const size_t to_batch = (0 - s->blocks) % BATCH_BLOCKS;
    size_t n = blocks < to_batch ? blocks : to_batch;

    if (n)
        ocb_some(c, o, s, out, in, n, purpose);
    in += 16 * n, blocks -= n;
    if (purpose != OCB_HASH)
        out += 16 * n;
    n = blocks - blocks % BATCH_BLOCKS;
    if (n)
        ocb_batches(c, o, s, out, in, n / BATCH_BLOCKS, purpose);
    in += 16 * n, blocks -= n;
    if (purpose != OCB_HASH)
        out += 16 * n;
    if (blocks)
        ocb_some(c, o, s, out, in, blocks, purpose);
}

static void ocb_encrypt(const void *c, rijn_ocb *o, uint8_t *out, const uint8_t *in, size_t blocks)
{
    ocb_blocks(c, o, &o->data, out, in, blocks, OCB_ENCRYPT);
}

static void ocb_decrypt(const void *c, rijn_ocb *o, uint8_t *out, const uint8_t *in, size_t blocks)
{
    ocb_blocks(c, o, &o->data, out, in, blocks, OCB_DECRYPT);
}

static void ocb_hash(const void *c, rijn_ocb *o, const uint8_t *ad, size_t blocks)
{
    ocb_blocks(c, o, &o->ad, NULL, ad, blocks, OCB_HASH);
}
