/* ECB, CBC, XTS and key wrap with all secrets in registers: see registers.h. */
#ifdef NATIVE_REGISTERS

/* ---- ECB ---- */

RIJN_INLINE rijn_status ecb_register_crypt(const context *c, uint8_t *out, const uint8_t *in,
                                           size_t blocks, bool decrypting)
{
    if (blocks == 1) {
        const block x = block_rounds(c, block_begin(c, block_load(in), decrypting), decrypting);
        block_store(out, block_end(x, block_mask(c, block_pair(0, 0), decrypting), decrypting));
    } else {
        (decrypting ? ecb_decrypt : ecb_encrypt)(c, out, in, blocks);
    }
    return RIJN_OK;
}

RIJN_OPERATION rijn_status ecb_encrypt_in_registers(const void *c, uint8_t *out, const uint8_t *in,
                                                    size_t blocks)
{
    return ecb_register_crypt(c, out, in, blocks, false);
}

RIJN_OPERATION rijn_status ecb_decrypt_in_registers(const void *c, uint8_t *out, const uint8_t *in,
                                                    size_t blocks)
{
    return ecb_register_crypt(c, out, in, blocks, true);
}

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

/* ---- XTS ---- */

RIJN_INLINE void xts_register_blocks(const context *c, block first, uint8_t *out, const uint8_t *in,
                                     size_t blocks, bool decrypting)
{
    uint64_t low = block_half(first, 0), high = block_half(first, 1);

    for (; blocks; in += 16, out += 16, blocks--) {
        const block tweak = block_pair(low, high);
        block x = block_begin(c, block_xor(tweak, block_load(in)), decrypting);
        const uint64_t carry = 0x87 & ct_mask64(high >> 63);

        __asm__("" : : : "memory"); /* reload the round keys: they would not all fit registers */
        x = block_rounds(c, x, decrypting);
        block_store(out, block_end(x, block_mask(c, tweak, decrypting), decrypting));
        high = high << 1 | low >> 63;
        low = low << 1 ^ carry;
    }
}

#if defined(NATIVE_REGISTER_TWEAKS) && VEC_BLOCKS == 4

/* Processes n vecs, the last of which may be a part. */
RIJN_INLINE void xts_register_vecs(const context *c, block first, uint8_t *out, const uint8_t *in,
                                   size_t size, int n, bool decrypting)
{
    const size_t whole = VEC * (size_t)(n - 1);
    vec t[4], v[4];

    first_tweaks(t, first, n);
    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        v[i] = i < n - 1 ? vec_load(in + VEC * i) : vec_load_part(in + whole, size - whole);
        v[i] = vec_begin(c, vec_xor(t[i], v[i]), decrypting);
        t[i] = vec_mask(c, t[i], decrypting);
    }
    aes_rounds(c, v, n, decrypting);
    RIJN_UNROLL
    for (int i = 0; i < n - 1; i++)
        vec_store(out + VEC * i, vec_end(v[i], t[i], decrypting));
    vec_store_part(out + whole, vec_end(v[n - 1], t[n - 1], decrypting), size - whole);
}

/* For up to four vecs. */
RIJN_INLINE void xts_register_message(const context *c, block first, uint8_t *out,
                                      const uint8_t *in, size_t blocks, bool decrypting)
{
    if (blocks == 1) {
        xts_register_blocks(c, first, out, in, 1, decrypting);
        return;
    }
#define XTS_REGISTER_VECS(n) xts_register_vecs(c, first, out, in, 16 * blocks, n, decrypting)
    switch ((blocks - 1) / VEC_BLOCKS) {
    case 0:
        XTS_REGISTER_VECS(1);
        break;
    case 1:
        XTS_REGISTER_VECS(2);
        break;
    case 2:
        XTS_REGISTER_VECS(3);
        break;
    default:
        XTS_REGISTER_VECS(4);
    }
#undef XTS_REGISTER_VECS
}

#else

/* Processes block after block, because the processor overlaps them. */
#define xts_register_message xts_register_blocks

#endif

RIJN_OPERATION rijn_status xts_in_registers(const void *c, const void *of_tweak,
                                            const uint8_t tweak[16], uint8_t *out,
                                            const uint8_t *in, size_t blocks, bool decrypting)
{
    const context *const tweaks = of_tweak;
    const block x =
        block_rounds(tweaks, block_begin(tweaks, block_load_apart(tweak), false), false);
    const block first = block_end(x, block_mask(tweaks, block_pair(0, 0), false), false);

    if (decrypting)
        xts_register_message(c, first, out, in, blocks, true);
    else
        xts_register_message(c, first, out, in, blocks, false);
    return RIJN_OK;
}

/* ---- Key wrap ---- */

RIJN_OPERATION uint64_t wrap_in_registers(const void *memory, uint64_t a, uint8_t *r, size_t n)
{
    const context *const c = memory;

    for (uint64_t t = 1; t <= 6 * (uint64_t)n;) {
        for (uint8_t *at = r; at < r + 8 * n; at += 8, t++) {
            block x = block_whiten(c, block_pair(a, load_le64(at)));
            x = chain_step(c, x, block_pair(0, 0));
            a = block_half(x, 0) ^ swap64(t);
            store_le64(at, block_half(x, 1));
        }
    }
    return a;
}

RIJN_OPERATION uint64_t unwrap_in_registers(const void *memory, uint64_t a, uint8_t *r, size_t n)
{
    const context *const c = memory;

    for (uint64_t t = 6 * (uint64_t)n; t;) {
        for (uint8_t *at = r + 8 * n; at > r; t--) {
            at -= 8;
            block x = block_begin(c, block_pair(a ^ swap64(t), load_le64(at)), true);
            __asm__("" : : : "memory"); /* as in chain_step */
            x = block_rounds(c, x, true);
            x = block_end(x, block_mask(c, block_pair(0, 0), true), true);
            a = block_half(x, 0);
            store_le64(at, block_half(x, 1));
        }
    }
    return a;
}

RIJN_INLINE block register_encrypt(const context *c, block x)
{
    return chain_step(c, block_whiten(c, x), block_pair(0, 0));
}

#endif
