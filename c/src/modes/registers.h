/* CTR, CBC and CMAC of whole messages, with all secrets in registers (NATIVE_REGISTERS of backend.h). The
 * functions store their results and nothing else, so their callers need not scrub.
 * tests/unit/test_wipe.c runs each twice, with other secrets, and compares the stack.
 *
 * Short messages are bound by the number of instructions: the calls overlap in the processor. So one
 * block has its own code, and so has each number of vecs up to half of FLIGHT. */
#ifdef NATIVE_REGISTERS

/* ---- CTR ---- */

/* Processes n vecs, or all but the last one if `whole` is false. Then it returns the keystream of that
 * one. `low` is the counting word. */
RIJN_INLINE vec ctr_register_vecs(const context *c, block fixed, uint32_t low, uint8_t *out,
                                  const uint8_t *in, int n, bool whole)
{
    vec v[FLIGHT];

    /* Reload round keys, and keep `fixed`: clang would put them on the stack. */
    __asm__("" : : "x"(fixed) : "memory");
    counters(v, n, fixed, low, false);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_begin(c, v[i], false);
    aes_rounds(c, v, n, false);
    RIJN_UNROLL
    for (int i = 0; i < n - !whole; i++)
        vec_store(out + VEC * i, vec_end(v[i], vec_mask(c, vec_load(in + VEC * i), false), false));
    return whole ? v[0]
                 : vec_end(v[n - 1], vec_mask(c, vec_broadcast(block_pair(0, 0)), false), false);
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

/* Apart from ctr_in_registers, which saves no register of its caller. */
RIJN_APART static rijn_status ctr_register_message(const context *c, const uint8_t counter[16],
                                                   uint8_t *out, const uint8_t *in, size_t size)
{
    const block fixed = block_load_apart(counter);
    uint32_t low = load_be32(counter + 12);

    size_t whole;
    vec last;

    for (; size >= BATCH; size -= BATCH, in += BATCH, out += BATCH, low += BATCH_BLOCKS)
        ctr_register_vecs(c, fixed, low, out, in, FLIGHT, true);
    if (size >= BATCH / 2) {
        ctr_register_vecs(c, fixed, low, out, in, FLIGHT / 2, true);
        size -= BATCH / 2, in += BATCH / 2, out += BATCH / 2, low += BATCH_BLOCKS / 2;
    }
#define CTR_REGISTER_VECS(n) \
    case n: \
        last = ctr_register_vecs(c, fixed, low, out, in, n, false); \
        break
    switch ((size + VEC - 1) / VEC) {
    case 0:
        return RIJN_OK;
        CTR_REGISTER_VECS(1);
        CTR_REGISTER_VECS(2);
        CTR_REGISTER_VECS(3);
    default:
        last = ctr_register_vecs(c, fixed, low, out, in, FLIGHT / 2, false);
    }
#undef CTR_REGISTER_VECS
    whole = (size - 1) / VEC * VEC;
    in += whole, out += whole, size -= whole;
    if (size == VEC)
        vec_store(out, vec_xor(last, vec_load(in)));
    else
        vec_store_part(out, vec_xor(last, vec_load_part(in, size)), size);
    return RIJN_OK;
}

RIJN_OPERATION rijn_status ctr_in_registers(const void *c, const uint8_t counter[16], uint8_t *out,
                                            const uint8_t *in, size_t size)
{
    if (size > 16)
        return ctr_register_message(c, counter, out, in, size);
    if (size)
        ctr_register_block(c, block_load_apart(counter), out, in, size);
    return RIJN_OK;
}

_Static_assert(FLIGHT == 8, "the switch has a case for each number of vecs below half of it");

/* ---- CBC ---- */

/* Replaces x = block_whiten(c, y) by E(y) XOR next. */
RIJN_INLINE block chain_step(const context *c, block x, block next)
{
    __asm__("" : : : "memory"); /* reload the round keys: they would not all fit registers */
    return block_end(block_rounds(c, x, false), block_mask(c, next, false), false);
}

/* Is cbc_chain with the rounds of each block written out. */
RIJN_OPERATION rijn_status cbc_encrypt_in_registers(const void *memory, uint8_t iv[16],
                                                    uint8_t *out, const uint8_t *in, size_t blocks)
{
    const context *const c = memory;
    block x, next;

    if (!blocks)
        return RIJN_OK;
    x = block_whiten(c, block_xor(block_load_apart(iv), block_load(in)));
    for (; blocks > 1; blocks--) {
        next = block_whiten(c, block_load(in += 16));
        x = chain_step(c, x, next);
        block_store(out, block_xor(x, next));
        out += 16;
    }
    x = chain_step(c, x, block_pair(0, 0));
    block_store(out, x);
    block_store(iv, x);
    return RIJN_OK;
}

RIJN_OPERATION rijn_status cbc_decrypt_in_registers(const void *memory, uint8_t iv[16],
                                                    uint8_t *out, const uint8_t *in, size_t blocks)
{
    const context *const c = memory;
    block x, before, text;

    if (blocks != 1) {
        cbc_decrypt(c, iv, out, in, blocks);
        return RIJN_OK;
    }
    before = block_load_apart(iv);
    text = block_load(in);
    x = block_rounds(c, block_begin(c, text, true), true);
    block_store(out, block_end(x, block_mask(c, before, true), true));
    block_store(iv, text);
    return RIJN_OK;
}

/* ---- CMAC (SP 800-38B section 6.2) ---- */

/* Returns the last block, 0 to 16 bytes, with its padding and the XOR of its subkey. */
RIJN_INLINE block cmac_last(const context *c, const uint8_t *in, size_t size)
{
    uint64_t first = 0, second = 0;

    if (size == 16)
        return block_xor(block_load(in), block_load(c->subkeys[0]));
    if (size)
        load_part(&first, &second, in, size);
    if (size < 8)
        first |= (uint64_t)0x80 << 8 * size;
    else
        second |= (uint64_t)0x80 << 8 * (size - 8);
    return block_xor(block_pair(first, second), block_load(c->subkeys[1]));
}

RIJN_OPERATION rijn_status cmac_in_registers(const void *memory, uint8_t *tag, size_t tag_size,
                                             const uint8_t *in, size_t size)
{
    const context *const c = memory;
    block x;

    if (size <= 16) {
        x = block_whiten(c, cmac_last(c, in, size));
    } else {
        x = block_whiten(c, block_load(in));
        for (in += 16, size -= 16; size > 16; in += 16, size -= 16)
            x = chain_step(c, x, block_whiten(c, block_load(in)));
        x = chain_step(c, x, block_whiten(c, cmac_last(c, in, size)));
    }
    x = chain_step(c, x, block_pair(0, 0));
    if (tag_size == 16)
        block_store(tag, x);
    else
        block_store_part(tag, x, tag_size);
    return RIJN_OK;
}

#define IF_REGISTERS(function) function
#else
#define IF_REGISTERS(function) NULL
#endif
