/* CTR and GCM for messages that no cache holds, if they are not in place. The output bypasses the
 * caches, so no line of it is read before it is written. The input is prefetched.
 *
 * A batch of output is put together on the stack, in the L1 cache, and leaves it in whole cache
 * lines. So the output may begin at any address, and GCM hashes the batch from the L1 cache. The
 * input SOON bytes ahead is prefetched into the L1 cache, and the input LATER bytes ahead into the
 * L2 cache. docs/x86.md lists the alternatives that were tried. */
#ifdef NATIVE_BYPASS

enum {
    LINE = 64,
    SOON = 512,
    LATER = 4096,
    BYPASS_STACK = 2 * LINE + 3 * BATCH + 384 /* clang keeps more than the batch there */
};

/* The last batch of output, at bytes[LINE]. Before it stand the last `kept` bytes of the batch
 * before it, which did not fill a line. */
typedef struct {
    _Alignas(LINE) uint8_t bytes[LINE + BATCH];
    uint8_t *out; /* where the next batch goes */
    size_t kept;
    bool begun;
} stage;

RIJN_INLINE void stage_begin(stage *s, uint8_t *out)
{
    s->out = out;
    s->kept = (uintptr_t)out % LINE;
    s->begun = false;
}

/* Prefetches input. The addresses may be invalid: a prefetch does not fault. */
RIJN_INLINE void fetch(uintptr_t address)
{
    __builtin_prefetch((const void *)(address + SOON), 0, 3);
    __builtin_prefetch((const void *)(address + LATER), 0, 2);
}

/* Outputs v XOR the text at `in`: n vecs, which are whole lines. */
RIJN_INLINE void stage_batch(stage *s, const uint8_t *in, const vec *v, int n)
{
    const size_t kept = s->kept, lines = (size_t)n * VEC / LINE;
    const uint8_t *const from = s->bytes + LINE - kept;
    size_t i = 0;

    for (size_t at = 0; at < lines * LINE; at += LINE)
        fetch((uintptr_t)in + at);
    xor_vecs(s->bytes + LINE, in, v, n);
    if (!s->begun && kept) { /* the first line begins with bytes before the output */
        memcpy(s->out, s->bytes + LINE, LINE - kept);
        i = 1;
    }
    for (; i < lines; i++)
        for (size_t at = LINE * i; at < LINE * (i + 1); at += VEC)
            vec_bypass(s->out + at - kept, vec_load(from + at));
    memcpy(s->bytes, s->bytes + LINE * lines, LINE);
    s->out += LINE * lines;
    s->begun = true;
}

RIJN_INLINE void stage_end(stage *s)
{
    if (s->begun)
        memcpy(s->out - s->kept, s->bytes + LINE - s->kept, s->kept);
    bypass_end();
}

RIJN_OPERATION void ctr_bypass(const void *c, rijn_counter *counter, uint8_t *out,
                               const uint8_t *in, size_t size)
{
    position at = position_load(counter, counter->little);
    vec v[FLIGHT];
    stage s;

    stage_begin(&s, out);
    for (; size >= BATCH; in += BATCH, size -= BATCH) {
        next_counters(v, FLIGHT, &at, BATCH_BLOCKS, true);
        aes_encrypt(c, v, FLIGHT);
        stage_batch(&s, in, v, FLIGHT);
    }
    stage_end(&s);
    position_store(counter->block, &at);
    ctr_crypt(c, counter, s.out, in, size);
}

RIJN_OPERATION void gcm_bypass(const void *c, rijn_counter *counter, uint8_t sum[16], uint8_t *out,
                               const uint8_t *in, size_t blocks, bool decrypting)
{
    position at = position_load(counter, false);
    hash y = hash_load(sum);
    size_t size = 16 * blocks;
    vec v[FLIGHT];
    stage s;

    stage_begin(&s, out);
    memset(s.bytes + LINE, 0, BATCH);
    for (; size >= BATCH; in += BATCH, size -= BATCH) {
        next_counters(v, FLIGHT, &at, BATCH_BLOCKS, false);
        const hash next = aes_encrypt_ghash(c, v, y, decrypting ? in : s.bytes + LINE);
        if (decrypting || s.begun) /* else no batch has been encrypted yet */
            y = next;
        stage_batch(&s, in, v, FLIGHT);
    }
    if (!decrypting && s.begun)
        y = ghash(c, y, s.bytes + LINE, BATCH_BLOCKS);
    stage_end(&s);
    hash_store(sum, y);
    position_store(counter->block, &at);
    gcm_crypt(c, counter, sum, s.out, in, size / 16, decrypting);
}

#define IF_BYPASS(function) (function)

#else
enum { BYPASS_STACK = 0 };
#define IF_BYPASS(function) NULL
#endif
