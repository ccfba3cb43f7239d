/* CTR (SP 800-38A section 6.5), and the counters that GCM and GCM-SIV share with it.
 *
 * Counter blocks in flight differ in one word of 32 bits, which counts: their last four bytes,
 * big-endian, or their first four, little-endian. GCM (inc32, SP 800-38D section 6.2) and GCM-SIV
 * count in this word alone. A wider counter makes its blocks one by one if the word would wrap. */

/* A counter block, with its counting word in a variable of its own. */
typedef struct {
    block fixed;  /* the other bytes; the word in it may be anything */
    uint32_t low; /* the counting word */
    bool hidden, little;
    uint8_t width; /* bytes of the counter: 4, 8 or 16 */
} position;

RIJN_INLINE position position_load(const rijn_counter *counter, bool little)
{
    return (position){.fixed = block_load(counter->block),
                      .low = little ? load_le32(counter->block) : load_be32(counter->block + 12),
                      .hidden = counter->hidden,
                      .little = little,
                      .width = counter->width};
}

RIJN_INLINE void position_store(uint8_t to[16], const position *at)
{
    block_store(to, at->fixed);
    if (at->little)
        store_le32(to, at->low);
    else
        store_be32(to + 12, at->low);
}

#ifndef NATIVE_COUNTERS
/* Makes blocks from whole integers, because a load of bytes from several recent stores waits until
 * all of these are done. */
RIJN_INLINE void count(vec *v, int n, block fixed, uint32_t low, bool little)
{
    uint8_t bytes[16], blocks[VEC];
    uint64_t first, second;

    block_store(bytes, fixed);
    first = load_le64(bytes) & (little ? ~(uint64_t)UINT32_MAX : ~(uint64_t)0);
    second = load_le64(bytes + 8) & (little ? ~(uint64_t)0 : UINT32_MAX);
    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        RIJN_UNROLL
        for (int j = 0; j < VEC_BLOCKS; j++, low++) {
            store_le64(blocks + 16 * j, little ? first | low : first);
            store_le64(blocks + 16 * j + 8, little ? second : second | (uint64_t)swap32(low) << 32);
        }
        v[i] = vec_load(blocks);
    }
}

RIJN_INLINE void counters(vec *v, int n, block fixed, uint32_t low, bool hidden)
{
    (void)hidden;
    count(v, n, fixed, low, false);
}

RIJN_INLINE void little_counters(vec *v, int n, block fixed, uint32_t low)
{
    count(v, n, fixed, low, true);
}
#endif

/* Makes n + 1 counter blocks from *at on, with all carries, and moves *at to block `used` of them.
 * at->width is 8 or 16, so the counter is public: only counters of 4 bytes can be hidden. */
RIJN_APART static void count_wide(uint8_t *blocks, position *at, uint32_t n, size_t used)
{
    uint8_t first[16];

    position_store(first, at);
    for (uint32_t i = 0; i <= n; i++) {
        uint8_t *const to = blocks + 16 * i;
        const uint64_t before = at->little ? load_le64(first) : load_be64(first + 8);
        const uint64_t low = before + i;
        const uint64_t carry = low < before && at->width == 16;
        if (at->little) {
            store_le64(to, low);
            store_le64(to + 8, load_le64(first + 8) + carry);
        } else {
            store_be64(to, load_be64(first) + carry);
            store_be64(to + 8, low);
        }
    }
    blocks += 16 * used;
    at->fixed = block_load(blocks);
    at->low = at->little ? load_le32(blocks) : load_be32(blocks + 12);
}

/* Makes n vecs of counter blocks, and moves *at to block `used` of them. carries: at->width may be
 * more than 4. */
RIJN_INLINE void next_counters(vec *v, int n, position *at, size_t used, bool carries)
{
    if (carries && at->width > 4 && at->low > UINT32_MAX - BATCH_BLOCKS) {
        uint8_t blocks[BATCH + 16];
        count_wide(blocks, at, (uint32_t)n * VEC_BLOCKS, used);
        RIJN_UNROLL
        for (int i = 0; i < n; i++)
            v[i] = vec_load(blocks + VEC * i);
        return;
    }
    if ((RIJN_WITH_CTR || RIJN_WITH_GCM_SIV) && at->little)
        little_counters(v, n, at->fixed, at->low);
    else
        counters(v, n, at->fixed, at->low, at->hidden);
    at->low += (uint32_t)used;
}

RIJN_INLINE void xor_vecs(uint8_t *out, const uint8_t *in, const vec *v, int n)
{
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        vec_store(out + VEC * i, vec_xor(v[i], vec_load(in + VEC * i)));
}

RIJN_INLINE void ctr_vecs(const context *c, position *at, uint8_t *out, const uint8_t *in, int n,
                          bool carries)
{
    vec v[FLIGHT];

    next_counters(v, n, at, (size_t)n * VEC_BLOCKS, carries);
    aes_encrypt(c, v, n);
    xor_vecs(out, in, v, n);
}

/* Processes up to a vec. */
RIJN_INLINE void ctr_part(const context *c, position *at, uint8_t *out, const uint8_t *in,
                          size_t size, bool carries)
{
    vec v;

    next_counters(&v, 1, at, (size + 15) / 16, carries);
    aes_encrypt(c, &v, 1);
    vec_store_part(out, vec_xor(v, vec_load_part(in, size)), size);
}

/* Processes any number of bytes. On return, *at is the next unused counter block. */
RIJN_INLINE void ctr_loop(const context *c, position *at, uint8_t *out, const uint8_t *in,
                          size_t size)
{
    const bool carries = RIJN_WITH_CTR; /* no other mode has counters of more than 4 bytes */

#ifdef NATIVE_CTR
    if (size && !at->hidden && !at->little) {
        uint8_t fixed[16];
        block_store(fixed, at->fixed);
        const size_t done = native_ctr(c, fixed, at->low, out, in, size);
        at->low += (uint32_t)(done / 16);
        in += done, out += done, size -= done;
    }
#endif
#if RIJN_WITH_SMALL_CODE
    while (size) {
        const size_t n = size < VEC ? size : VEC;
        ctr_part(c, at, out, in, n, carries);
        in += n, out += n, size -= n;
    }
#else
#define CTR_STEP(n) ctr_vecs(c, at, out, in, n, carries)
    IN_FLIGHTS(FLIGHT, CTR_STEP);
    if (size)
        ctr_part(c, at, out, in, size, carries);
#endif
}

/* Is ctr_loop as one function that all modes call. */
RIJN_APART static void ctr_bytes(const context *c, position *at, uint8_t *out, const uint8_t *in,
                                 size_t size)
{
    ctr_loop(c, at, out, in, size);
}

RIJN_APART static void ctr_either(const context *c, rijn_counter *counter, uint8_t *out,
                                  const uint8_t *in, size_t size)
{
    position at = position_load(counter, RIJN_WITH_CTR && counter->little);

    ctr_bytes(c, &at, out, in, size);
    position_store(counter->block, &at);
}

#ifdef NATIVE_REGISTERS
RIJN_OPERATION rijn_status ctr_in_registers(const void *c, uint64_t first, uint64_t second,
                                            uint8_t *out, const uint8_t *in,
                                            size_t size); /* registers_ctr.h */

RIJN_OPERATION void ctr_crypt(const void *c, rijn_counter *counter, uint8_t *out, const uint8_t *in,
                              size_t size)
{
    const uint32_t low = load_be32(counter->block + 12);
    const size_t blocks = size / 16 + (size % 16 != 0);

    if (counter->little || counter->hidden || blocks > UINT32_MAX - low) {
        ctr_either(c, counter, out, in, size);
    } else {
        ctr_in_registers(c, load_le64(counter->block), load_le64(counter->block + 8), out, in,
                         size);
        store_be32(counter->block + 12, low + (uint32_t)blocks);
    }
}

#else

/* Is for big-endian counters, which most counters are. A loop for them alone takes 5 % less time for
 * a block, unless the cipher takes most of the time. */
#ifdef CIPHER_APART
#define ctr_big_endian ctr_either
#else
RIJN_APART static void ctr_big_endian(const context *c, rijn_counter *counter, uint8_t *out,
                                      const uint8_t *in, size_t size)
{
    position at = position_load(counter, false);

    ctr_loop(c, &at, out, in, size);
    position_store(counter->block, &at);
}
#endif

RIJN_OPERATION void ctr_crypt(const void *c, rijn_counter *counter, uint8_t *out, const uint8_t *in,
                              size_t size)
{
    if (RIJN_WITH_SMALL_CODE || (RIJN_WITH_CTR && counter->little))
        ctr_either(c, counter, out, in, size);
    else
        ctr_big_endian(c, counter, out, in, size);
}

#endif
