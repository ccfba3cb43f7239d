/* CTR, SP 800-38A section 6.5, and the keystream that GCM shares with it.
 *
 * A batch of counter blocks has one 12-byte prefix and consecutive low words.
 * GCM's counter is just that low word (inc32, SP 800-38D 6.2); CTR's counter is
 * the whole block, so a batch in which the low word would wrap is made block
 * by block instead. */

/* A counter block, its last four bytes as an integer. */
typedef struct {
    uint8_t prefix[16]; /* bytes 12 to 15 unused */
    uint32_t low;
    bool hidden;
} position;

static inline position position_load(const rijn_keystream *s)
{
    position at;
    memcpy(at.prefix, s->counter, 16);
    at.low = load_be32(s->counter + 12);
    at.hidden = s->hidden;
    return at;
}

static inline void position_store(uint8_t counter[16], const position *at)
{
    memcpy(counter, at->prefix, 12);
    store_be32(counter + 12, at->low);
}

/* Counter blocks of the next batch; moves *at behind them. */
RIJN_INLINE void next_counters(vec v[FLIGHT], position *at, bool carries)
{
    if (carries && at->low > UINT32_MAX - BATCH_BLOCKS) {
        uint8_t blocks[BATCH];
        for (int i = 0; i < BATCH_BLOCKS; i++) {
            position_store(blocks + 16 * i, at);
            at->low++;
            for (int j = 11, carry = at->low == 0; j >= 0 && carry; j--)
                carry = ++at->prefix[j] == 0;
        }
        for (int i = 0; i < FLIGHT; i++)
            v[i] = vec_load(blocks + VEC * i);
        return;
    }
    counters(v, FLIGHT, at->prefix, at->low, at->hidden);
    at->low += BATCH_BLOCKS;
}

static inline void xor_batch(uint8_t *out, const uint8_t *in, const vec v[FLIGHT])
{
    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        vec_store(out + VEC * i, vec_xor(v[i], vec_load(in + VEC * i)));
}

/* Fills the stream's buffer with the next batch of keystream. */
RIJN_INLINE void keystream_refill(const context *c, rijn_keystream *s, bool carries)
{
    position at = position_load(s);
    vec v[FLIGHT];

    next_counters(v, &at, carries);
    aes_encrypt(c, v, FLIGHT);
    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        vec_store(s->batch + VEC * i, v[i]);
    position_store(s->counter, &at);
    s->ready = BATCH;
}

/* XORs up to `size` buffered bytes of keystream; returns how many there were. */
static inline size_t keystream_use(rijn_keystream *s, uint8_t *out, const uint8_t *in, size_t size)
{
    const size_t n = size < s->ready ? size : s->ready;
    xor_bytes(out, in, s->batch + BATCH - s->ready, n);
    s->ready -= n;
    return n;
}

static void ctr_crypt(const void *context_, rijn_keystream *s, uint8_t *out, const uint8_t *in,
                      size_t size)
{
    const context *c = context_;
    const size_t buffered = keystream_use(s, out, in, size);
    position at = position_load(s);

    in += buffered, out += buffered, size -= buffered;
    for (; size >= BATCH; in += BATCH, out += BATCH, size -= BATCH) {
        vec v[FLIGHT];
        next_counters(v, &at, true);
        aes_encrypt(c, v, FLIGHT);
        xor_batch(out, in, v);
    }
    position_store(s->counter, &at);
    if (size) {
        keystream_refill(c, s, true);
        keystream_use(s, out, in, size);
    }
}
