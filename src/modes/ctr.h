/* CTR, SP 800-38A section 6.5, and the keystream that GCM shares with it.
 *
 * A batch of counter blocks has twelve bytes that stay and a word of 32 bits that
 * counts: the last four bytes, big-endian, or the first four, little-endian.
 * GCM's counter is just that word (inc32, SP 800-38D 6.2), and so is GCM-SIV's; a
 * wider counter has its batch made block by block when that word would wrap. */

/* A counter block, its counting word apart. */
typedef struct {
    uint8_t block[16];
    uint32_t low; /* in place of that word in block */
    bool hidden, little;
    uint8_t width; /* how many bytes count: 4, 8 or 16 */
} position;

static inline position position_load(const rijn_keystream *s)
{
    position at = {.hidden = s->hidden, .little = s->little, .width = s->width};
    memcpy(at.block, s->counter, 16);
    at.low = s->little ? load_le32(s->counter) : load_be32(s->counter + 12);
    return at;
}

static inline void position_store(uint8_t counter[16], const position *at)
{
    memcpy(counter, at->block, 16);
    if (at->little)
        store_le32(counter, at->low);
    else
        store_be32(counter + 12, at->low);
}

/* BATCH_BLOCKS + 1 counter blocks from `first` on, whatever carries; the last begins
 * the next batch. width is 8 or 16; no branch asks what the counter is. */
static inline void count_wide(uint8_t *blocks, const uint8_t first[16], unsigned width, bool little)
{
    for (uint32_t i = 0; i <= BATCH_BLOCKS; i++, blocks += 16) {
        const uint64_t before = little ? load_le64(first) : load_be64(first + 8);
        const uint64_t low = before + i; /* i is small: what carries loses its highest bit */
        const uint64_t carry = ct_opaque((uint32_t)((before & ~low) >> 63)) & width >> 4;
        if (little) {
            store_le64(blocks, low);
            store_le64(blocks + 8, load_le64(first + 8) + carry);
        } else {
            store_be64(blocks, load_be64(first) + carry);
            store_be64(blocks + 8, low);
        }
    }
}

#ifndef LITTLE_COUNTERS
/* Block i of v[0..FLIGHT) becomes LE32(low + i mod 2^32) || block[4..16). */
static inline void little_counters(vec v[FLIGHT], const uint8_t block[16], uint32_t low)
{
    uint8_t blocks[BATCH];

    for (uint32_t i = 0; i < BATCH_BLOCKS; i++) {
        memcpy(blocks + 16 * i, block, 16);
        store_le32(blocks + 16 * i, low + i);
    }
    for (int i = 0; i < FLIGHT; i++)
        v[i] = vec_load(blocks + VEC * i);
}
#endif

/* Counter blocks of the next batch; moves *at behind them. carries: at->width may
 * be more than 4. */
RIJN_INLINE void next_counters(vec v[FLIGHT], position *at, bool carries, bool little)
{
    if (carries && at->width > 4 &&
        ct_unless_hidden(at->low, at->hidden) > UINT32_MAX - BATCH_BLOCKS) {
        uint8_t first[16], blocks[BATCH + 16];
        position_store(first, at);
        count_wide(blocks, first, at->width, little);
        for (int i = 0; i < FLIGHT; i++)
            v[i] = vec_load(blocks + VEC * i);
        memcpy(at->block, blocks + BATCH, 16);
        at->low = little ? load_le32(at->block) : load_be32(at->block + 12);
        return;
    }
    if (little)
        little_counters(v, at->block, at->low);
    else
        counters(v, FLIGHT, at->block, at->low, at->hidden);
    at->low += BATCH_BLOCKS;
}

static inline void xor_batch(uint8_t *out, const uint8_t *in, const vec v[FLIGHT])
{
    RIJN_UNROLL
    for (int i = 0; i < FLIGHT; i++)
        vec_store(out + VEC * i, vec_xor(v[i], vec_load(in + VEC * i)));
}

/* Fills the stream's buffer with the next batch of keystream. */
RIJN_INLINE void keystream_refill(const context *c, rijn_keystream *s, bool carries, bool little)
{
    position at = position_load(s);
    vec v[FLIGHT];

    next_counters(v, &at, carries, little);
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

RIJN_INLINE void ctr_order(const context *c, rijn_keystream *s, uint8_t *out, const uint8_t *in,
                           size_t size, bool little)
{
    const size_t buffered = keystream_use(s, out, in, size);
    position at = position_load(s);

    in += buffered, out += buffered, size -= buffered;
    for (; size >= BATCH; in += BATCH, out += BATCH, size -= BATCH) {
        vec v[FLIGHT];
        next_counters(v, &at, true, little);
        aes_encrypt(c, v, FLIGHT);
        xor_batch(out, in, v);
    }
    position_store(s->counter, &at);
    if (size) {
        keystream_refill(c, s, true, little);
        keystream_use(s, out, in, size);
    }
}

static void ctr_crypt(const void *c, rijn_keystream *s, uint8_t *out, const uint8_t *in,
                      size_t size)
{
    if (s->little)
        ctr_order(c, s, out, in, size, true);
    else
        ctr_order(c, s, out, in, size, false);
}
