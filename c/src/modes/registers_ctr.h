/* CTR with all secrets in registers: see registers.h. */
#ifdef NATIVE_REGISTERS

/* Processes n vecs, or all but the last one if `whole` is false. Then it returns the keystream of that
 * one. `low` is the counting word. */
RIJN_INLINE vec ctr_register_vecs(const context *c, block fixed, uint32_t low, uint8_t *out,
                                  const uint8_t *in, int n, bool whole)
{
    vec v[FLIGHT], mask;

    /* Reload round keys, and keep `fixed`: clang would put them on the stack. */
    __asm__("" : : "x"(fixed) : "memory");
    counters(v, n, fixed, low, false);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_begin(c, v[i], false);
    aes_rounds(c, v, n, false);
    mask = vec_mask(c, vec_broadcast(block_pair(0, 0)), false);
    RIJN_UNROLL
    for (int i = 0; i < n - !whole; i++)
        vec_store(out + VEC * i, vec_end(v[i], vec_xor(mask, vec_load(in + VEC * i)), false));
    return whole ? v[0] : vec_end(v[n - 1], mask, false);
}

/* Processes 1 to 16 bytes. */
RIJN_INLINE void ctr_register_block(const context *c, block counter, uint8_t *out,
                                    const uint8_t *in, size_t size)
{
    const block x = block_rounds(c, block_begin(c, counter, false), false);

    if (size == 16)
        block_store(out, block_end(x, block_mask(c, block_load(in), false), false));
    else
        block_store_part(out, block_end(x, block_mask(c, block_load_part(in, size), false), false),
                         size);
}

/* Vecs of the rest after whole batches. Half a batch and a rest take 5 % longer on vaes512. */
enum { CTR_REGISTER_MOST = VEC_BLOCKS == 4 ? FLIGHT : FLIGHT / 2 };

/* Apart from ctr_in_registers, which saves no register of its caller. */
RIJN_APART static rijn_status ctr_register_message(const context *c, uint64_t first,
                                                   uint64_t second, uint8_t *out, const uint8_t *in,
                                                   size_t size)
{
    uint32_t low = (uint32_t)swap64(second);
    size_t whole;
    vec last;

/* SIV's counter depends on the text. Its words stay in registers of words; compilers would put it on
 * the stack as a block. */
#define CTR_REGISTER_RUN(n, is_whole) \
    __asm__("" : "+r"(first), "+r"(second), "+r"(low)); \
    last = ctr_register_vecs(c, block_pair(first, second), low, out, in, n, is_whole)
    for (; size >= BATCH; size -= BATCH, in += BATCH, out += BATCH, low += BATCH_BLOCKS) {
        CTR_REGISTER_RUN(FLIGHT, true);
    }
    if (CTR_REGISTER_MOST < FLIGHT && size >= BATCH / 2) {
        CTR_REGISTER_RUN(FLIGHT / 2, true);
        size -= BATCH / 2, in += BATCH / 2, out += BATCH / 2, low += BATCH_BLOCKS / 2;
    }
#define CTR_REGISTER_VECS(n) \
    case n: \
        CTR_REGISTER_RUN(n, false); \
        break
    switch ((size + VEC - 1) / VEC) {
    case 0:
        return RIJN_OK;
        CTR_REGISTER_VECS(1);
        CTR_REGISTER_VECS(2);
        CTR_REGISTER_VECS(3);
#if VEC_BLOCKS == 4
        CTR_REGISTER_VECS(4);
        CTR_REGISTER_VECS(5);
        CTR_REGISTER_VECS(6);
        CTR_REGISTER_VECS(7);
#endif
    default:
        CTR_REGISTER_RUN(CTR_REGISTER_MOST, false);
    }
#undef CTR_REGISTER_VECS
#undef CTR_REGISTER_RUN
    whole = (size - 1) / VEC * VEC;
    in += whole, out += whole, size -= whole;
    if (size == VEC)
        vec_store(out, vec_xor(last, vec_load(in)));
    else
        vec_store_part(out, vec_xor(last, vec_load_part(in, size)), size);
    return RIJN_OK;
}

RIJN_OPERATION rijn_status ctr_in_registers(const void *c, uint64_t first, uint64_t second,
                                            uint8_t *out, const uint8_t *in, size_t size)
{
    if (size > 16)
        return ctr_register_message(c, first, second, out, in, size);
    if (size)
        ctr_register_block(c, block_pair(first, second), out, in, size);
    return RIJN_OK;
}

_Static_assert(FLIGHT == 8, "the switch has a case for each number of vecs of the rest");

#endif
