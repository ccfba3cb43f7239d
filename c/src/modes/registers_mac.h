/* CMAC, CCM, EAX and S2V with all secrets in registers: see registers.h. */
#ifdef NATIVE_REGISTERS

/* ---- CMAC (SP 800-38B section 6.2) ---- */

/* Returns the last block of a CMAC: the `size` bytes of x, 0 to 16, with padding and a subkey. The
 * rest of x is zero. */
RIJN_INLINE block cmac_pad(const context *c, block x, size_t size)
{
    if (size == 16)
        return block_xor(x, block_load(c->subkeys[0]));
    return block_xor(block_xor(x, block_load(c->subkeys[1])), block_up(block_pair(0x80, 0), size));
}

RIJN_INLINE block cmac_last(const context *c, const uint8_t *in, size_t size)
{
    return cmac_pad(c, size ? block_part(in, size) : block_pair(0, 0), size);
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

RIJN_INLINE rijn_tag_words tag_words(block x)
{
    return (rijn_tag_words){block_half(x, 0), block_half(x, 1)};
}

/* ---- CTR with CBC-MAC, for CCM and EAX ---- */

/* Returns the first `size` bytes of x, up to 16, then zeros. */
RIJN_INLINE block block_keep(block x, size_t size)
{
    return block_down(block_up(x, 16 - size), 16 - size);
}

/* Runs CTR from `counter`, all of whose bits count, and continues the chain of a MAC: of the output
 * with MAC_OUT, else of the input. Encrypts the block `chain` first, unless MAC_BEGUN says that it is
 * encrypted. Pads the last block as CMAC does with MAC_PADDED, else with zeros. Returns the MAC XOR
 * `onto`. The chain waits for each of its blocks, and the processor encrypts the counters
 * meanwhile. */
RIJN_APART static rijn_tag_words ctr_mac_register(const context *c, block counter, block chain,
                                                  block onto, uint8_t *out, const uint8_t *in,
                                                  size_t size, int flags)
{
    uint64_t high = swap64(block_half(counter, 0)), low = swap64(block_half(counter, 1));

    chain = block_whiten(c, chain);
    for (;; in += 16, out += 16, size = size > 16 ? size - 16 : 0) {
        const bool end = !size;
        block next = onto;

        if (!end) {
            const size_t n = size < 16 ? size : 16;
            const block text = block_part(in, n);
            block result =
                block_xor(text, register_encrypt(c, block_pair(swap64(high), swap64(low))));
            const counter128 following = counter_next((counter128){high, low});

            high = following.high, low = following.low;
            if (n == 16) {
                block_store(out, result);
            } else {
                block_part_store(out, result, n);
                result = block_keep(result, n);
            }
            next = flags & MAC_OUT ? result : text;
            if (size <= 16 && flags & MAC_PADDED)
                next = cmac_pad(c, next, n);
            if (flags & MAC_BEGUN) {
                flags &= ~MAC_BEGUN;
                chain = block_xor(chain, next);
                continue;
            }
            next = block_whiten(c, next);
        }
        chain = chain_step(c, chain, next);
        if (end)
            return tag_words(chain);
    }
}

#ifdef NATIVE_SIV_REGISTERS

enum { CTR_MAC_LONG = 128 }; /* bytes from which on ctr_mac_long is faster */

/* Is ctr_mac_register without MAC_BEGUN. A block of keystream and a block of the chain go through each
 * round together. In the code of ctr_mac_register their rounds get in each other's way on Ice Lake:
 * 16 KiB take 14 us in most runs, 9 in some, and 10 by this loop in all. */
RIJN_APART static rijn_tag_words ctr_mac_long(const context *c, block counter, block chain,
                                              block onto, uint8_t *out, const uint8_t *in,
                                              size_t size, int flags)
{
    uint64_t high = swap64(block_half(counter, 0)), low = swap64(block_half(counter, 1));
    block stream = register_encrypt(c, counter);

    chain = block_whiten(c, chain);
    for (; size > 16; in += 16, out += 16, size -= 16) {
        const block text = block_load(in), result = block_xor(text, stream);
        const block next = block_whiten(c, flags & MAC_OUT ? result : text);

        block_store(out, result);
        const counter128 following = counter_next((counter128){high, low});
        high = following.high, low = following.low;
        block b[2] = {block_whiten(c, block_pair(swap64(high), swap64(low))), chain};
        __asm__("" : : : "memory"); /* as in chain_step */
        blocks_written_rounds(c, b, 2, false);
        stream = block_end(b[0], block_mask(c, block_pair(0, 0), false), false);
        chain = block_end(b[1], block_mask(c, next, false), false);
    }
    /* `chain` is whitened: whitening is its own inverse. */
    return ctr_mac_register(c, block_pair(swap64(high), swap64(low)), block_whiten(c, chain), onto,
                            out, in, size, flags);
}

#endif

/* Is ctr_mac_register by the faster code for the size. */
RIJN_INLINE rijn_tag_words ctr_mac_message(const context *c, block counter, block chain, block onto,
                                           uint8_t *out, const uint8_t *in, size_t size, int flags)
{
#ifdef NATIVE_SIV_REGISTERS
    if (size >= CTR_MAC_LONG)
        return ctr_mac_long(c, counter, chain, onto, out, in, size, flags);
#endif
    return ctr_mac_register(c, counter, chain, onto, out, in, size, flags);
}

/* The same operations without a tag, for messages in pieces. */
RIJN_INLINE void ctr_mac_piece(const context *c, uint8_t counter[16], uint8_t chain[16],
                               uint8_t *out, const uint8_t *in, size_t size, int flags)
{
    const rijn_tag_words mac =
        ctr_mac_register(c, block_load_apart(counter), block_load_apart(chain), block_pair(0, 0),
                         out, in, size, flags | MAC_BEGUN);

    store_le64(chain, mac.first);
    store_le64(chain + 8, mac.second);
    counter_store(counter, counter_add(counter_load(counter), (size + 15) / 16));
}

RIJN_OPERATION void ctr_mac_in(const void *c, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                               const uint8_t *in, size_t size)
{
    ctr_mac_piece(c, counter, chain, out, in, size, 0);
}

RIJN_OPERATION void ctr_mac_out(const void *c, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                                const uint8_t *in, size_t size)
{
    ctr_mac_piece(c, counter, chain, out, in, size, MAC_OUT);
}

/* In each function below, one copy of the cipher serves all blocks of a loop, and an empty statement
 * keeps the compiler from copying it for the first of them. */

/* SP 800-38C with the formatting of its appendix A: see ccm.c. */
RIJN_OPERATION rijn_tag_words ccm_in_registers(const void *c, size_t tag_size, const uint8_t *nonce,
                                               size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                               uint8_t *out, const uint8_t *in, size_t size,
                                               int flags)
{
    const block given = nonce_size == 12 ? block_pair(load_le64(nonce), load_le32(nonce + 8))
                                         : block_part(nonce, nonce_size);
    const block first = block_xor(block_up(given, 1), block_pair(14 - nonce_size, 0));
    const uint64_t kinds = (ad_size ? 0x40 : 0) | (tag_size - 2) / 2 << 3;
    block mask = block_pair(0, 0), x = first;
    size_t begun = 16; /* bytes of the block before associated data; 16 is for the mask */

    for (;;) {
        __asm__("" : "+r"(begun));
        x = register_encrypt(c, x);
        if (begun == 16) {
            mask = x;
            x = block_xor(first, block_pair(kinds, swap64(size))); /* B0 */
            begun = 2;
        } else {
            const size_t n = ad_size < 16 - begun ? ad_size : 16 - begun;
            x = block_xor(x, block_up(block_part(ad, n), begun));
            if (begun) /* the size in big-endian order */
                x = block_xor(x, block_pair(ad_size >> 8 | (ad_size & 0xff) << 8, 0));
            ad += n, ad_size -= n, begun = 0;
        }
        if (!ad_size)
            break;
    }
    return ctr_mac_message(c, block_xor(first, block_pair(0, (uint64_t)1 << 56)), x, mask, out, in,
                           size, flags);
}

/* EAX: see eax.c. Its OMAC^t begins with the block t. */
RIJN_OPERATION rijn_tag_words eax_in_registers(const void *memory, const uint8_t *nonce,
                                               size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                               uint8_t *out, const uint8_t *in, size_t size,
                                               int flags)
{
    const context *const c = memory;
    block sum = block_pair(0, 0), x = block_pair(0, (uint64_t)1 << 56);
    uint64_t t = 1; /* first 1, the associated data, then 0, the nonce */

    if (!ad_size)
        x = block_xor(x, block_load(c->subkeys[0]));
    for (;;) {
        __asm__("" : "+r"(t));
        x = register_encrypt(c, x);
        if (ad_size) {
            x = block_xor(x, ad_size > 16 ? block_load(ad) : cmac_last(c, ad, ad_size));
            ad += 16, ad_size = ad_size > 16 ? ad_size - 16 : 0;
        } else if (t) {
            sum = x;
            x = block_pair(0, 0);
            ad = nonce, ad_size = nonce_size, t = 0;
            if (!ad_size)
                x = block_load(c->subkeys[0]);
        } else {
            return ctr_mac_message(c, x, block_pair(0, (uint64_t)2 << 56), block_xor(sum, x), out,
                                   in, size, flags | MAC_PADDED);
        }
    }
}

RIJN_INLINE block register_double(block x)
{
    const uint64_t high = swap64(block_half(x, 0)), low = swap64(block_half(x, 1));

    return block_pair(swap64(high << 1 | low >> 63),
                      swap64(low << 1 ^ (0x87 & ct_mask64(high >> 63))));
}

/* S2V (RFC 5297 section 2.4), with D in d. D begins as if a string of 16 zeros came first. The last
 * 16 bytes of a text are XORed with D; they are in one block, or in two. A shorter text becomes the
 * chain before a block of zeros. */
RIJN_OPERATION rijn_tag_words s2v_in_registers(const void *memory, const rijn_string *strings,
                                               size_t count, const uint8_t *in, size_t size)
{
    static const uint8_t zero[16];
    const context *const c = memory;
    const uint8_t *p = zero;
    size_t left = 16;
    bool text = false, begun = false, end = false;
    block d = block_pair(0, 0), x = d;

    for (;;) {
        block next = block_pair(0, 0);

        if (!end) {
            if (left)
                next = block_part(p, left < 16 ? left : 16);
            if (text && left < 32)
                next =
                    block_xor(next, left < 16 ? block_down(d, 16 - left) : block_up(d, left - 16));
            if (left <= 16)
                next = cmac_pad(c, next, left);
            next = block_whiten(c, next);
        }
        x = begun ? chain_step(c, x, next) : block_xor(x, next);
        if (!end) {
            begun = true, end = left <= 16;
            if (!end)
                p += 16, left -= 16;
            continue;
        }
        if (text)
            return tag_words(x);
        d = block_xor(register_double(d), x);
        x = block_pair(0, 0);
        begun = end = false;
        if (count) {
            p = strings->bytes, left = strings->size;
            strings++, count--;
            continue;
        }
        text = true, p = in, left = size;
        if (size < 16) {
            x = block_xor(register_double(d), block_up(block_pair(0x80, 0), size));
            if (size)
                x = block_xor(x, block_part(in, size));
            d = block_pair(0, 0);
            p = zero, left = 16;
        }
    }
}

#endif
