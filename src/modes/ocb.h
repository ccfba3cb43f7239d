/* The whole blocks of OCB3, RFC 7253 sections 4.1 to 4.3: of data and of associated
 * data. (What is not whole, the nonce and the tag are in ocb.c.)
 *
 * Block i (from 1) is masked by Offset_i = Offset_(i-1) XOR L_ntz(i). In batches
 * that begin behind a multiple of B = BATCH_BLOCKS, a power of two,
 *
 *     Offset_(B k + j) = Offset_(B k) XOR Delta_j,   Delta_j = L_ntz(1) XOR … XOR L_ntz(j)
 *
 * with the same Delta_1 … Delta_(B-1) every time; only Delta_B = Delta_(B-1) XOR
 * L_ntz(B k + B) changes. The state has these as a table, and in `offset` always
 * that of the last multiple of B. Block numbers are public. */

_Static_assert((BATCH_BLOCKS & (BATCH_BLOCKS - 1)) == 0, "OCB counts in powers of two");

typedef enum { OCB_ENCRYPT, OCB_DECRYPT, OCB_HASH } ocb_purpose;

/* Delta_B of the batch that ends with block i, a multiple of B, into the table. */
static inline void ocb_last_delta(rijn_ocb *o, uint64_t i)
{
    uint8_t l[16], *const last = o->deltas + BATCH - 16;

    memcpy(l, o->l_batch, 16);
    for (i /= BATCH_BLOCKS; i % 2 == 0; i /= 2)
        double_be(l, l);
    if (BATCH_BLOCKS > 1)
        xor_bytes(l, l, last - 16, 16);
    memcpy(last, l, 16);
}

/* Fewer blocks than a batch, or not at the beginning of one. */
static inline void ocb_some(const context *c, rijn_ocb *o, rijn_ocb_sum *s, uint8_t *out,
                            const uint8_t *in, size_t blocks, ocb_purpose purpose)
{
    uint8_t offset[BATCH], data[BATCH] = {0};

    for (size_t i = 0; i < blocks; i++) {
        const size_t j = ++s->blocks % BATCH_BLOCKS;
        if (j == 0)
            ocb_last_delta(o, s->blocks);
        xor_bytes(offset + 16 * i, s->offset, o->deltas + (j ? 16 * (j - 1) : BATCH - 16), 16);
        if (j == 0)
            memcpy(s->offset, offset + 16 * i, 16);
        if (purpose == OCB_ENCRYPT)
            xor_bytes(s->sum, s->sum, in + 16 * i, 16);
    }
    xor_bytes(data, in, offset, 16 * blocks);
    ecb_batch(c, data, data, purpose == OCB_DECRYPT);
    if (purpose != OCB_HASH)
        xor_bytes(data, data, offset, 16 * blocks);
    for (size_t i = 0; i < blocks && purpose != OCB_ENCRYPT; i++)
        xor_bytes(s->sum, s->sum, data + 16 * i, 16);
    if (purpose != OCB_HASH)
        memcpy(out, data, 16 * blocks);
    wipe(data, sizeof data);
}

static inline vec vec_spread(const uint8_t block[16])
{
    uint8_t all[VEC];
    for (int i = 0; i < VEC_BLOCKS; i++)
        memcpy(all + 16 * i, block, 16);
    return vec_load(all);
}

static inline void ocb_batches(const context *c, rijn_ocb *o, rijn_ocb_sum *s, uint8_t *out,
                               const uint8_t *in, size_t batches, ocb_purpose purpose)
{
    uint8_t sums[VEC] = {0};
    vec base = vec_spread(s->offset), sum = vec_load(sums);

    for (; batches; batches--, in += BATCH) {
        vec offset[FLIGHT], v[FLIGHT];

        s->blocks += BATCH_BLOCKS;
        ocb_last_delta(o, s->blocks);
        RIJN_UNROLL
        for (int i = 0; i < FLIGHT; i++) {
            offset[i] = vec_xor(base, vec_load(o->deltas + VEC * i));
            v[i] = vec_load(in + VEC * i);
            if (purpose == OCB_ENCRYPT)
                sum = vec_xor(sum, v[i]);
            v[i] = vec_xor(v[i], offset[i]);
        }
        base = vec_xor(base, vec_spread(o->deltas + BATCH - 16));
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
    vec_store_block(s->offset, base);
    vec_store(sums, sum);
    for (int i = 0; i < VEC_BLOCKS; i++)
        xor_bytes(s->sum, s->sum, sums + 16 * i, 16);
    wipe(sums, sizeof sums);
}

RIJN_INLINE void ocb_blocks(const context *c, rijn_ocb *o, rijn_ocb_sum *s, uint8_t *out,
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
