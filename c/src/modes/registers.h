/* Whole messages with all secrets in registers (NATIVE_REGISTERS of backend.h). The functions store
 * their results and nothing else, so their callers need not scrub.
 * GCM-SIV and OCB3 keep a few keys on the stack, and wipe them. tests/unit/test_wipe.c runs each
 * function twice, with other secrets, and compares the stack.
 *
 * Short messages are bound by the number of instructions: the calls overlap in the processor. So one
 * block has its own code, and so has each number of vecs of a rest. */
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

/* Processes block after block, because the processor overlaps them. */
RIJN_OPERATION rijn_status xts_in_registers(const void *c, const void *of_tweak,
                                            const uint8_t tweak[16], uint8_t *out,
                                            const uint8_t *in, size_t blocks, bool decrypting)
{
    const context *const tweaks = of_tweak;
    const block x =
        block_rounds(tweaks, block_begin(tweaks, block_load_apart(tweak), false), false);
    const block first = block_end(x, block_mask(tweaks, block_pair(0, 0), false), false);

    if (decrypting)
        xts_register_blocks(c, first, out, in, blocks, true);
    else
        xts_register_blocks(c, first, out, in, blocks, false);
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
    return ctr_mac_register(c, block_xor(first, block_pair(0, (uint64_t)1 << 56)), x, mask, out, in,
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
            return ctr_mac_register(c, x, block_pair(0, (uint64_t)2 << 56), block_xor(sum, x), out,
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

#ifdef NATIVE_SIV_REGISTERS

/* ---- GCM-SIV ---- */

/* Returns the first halves of blocks i and i + 1 of v. */
RIJN_INLINE block vec_first_halves_at(const vec *v, int i)
{
#if VEC_BLOCKS == 1
    return block_halves(v[i], v[i + 1]);
#else
    return vec_packed_halves(v[i / VEC_BLOCKS], i % VEC_BLOCKS);
#endif
}

/* Encrypts n vecs of blocks LE32(from) || nonce and so on. */
RIJN_INLINE void gcm_siv_derive(const context *c, vec *v, int n, block first, uint32_t from)
{
    little_counters(v, n, first, from);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_begin(c, v[i], false);
#if VEC_BLOCKS == 1
    blocks_written_rounds(c, v, n, false);
#else
    aes_rounds(c, v, n, false);
#endif
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_end(v[i], vec_mask(c, vec_broadcast(block_pair(0, 0)), false), false);
}

/* Returns POLYVAL of a message. Up to 64 bytes, computing powers of H would take longer. */
RIJN_INLINE block polyval_register(block h, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                   size_t size)
{
    const block lengths = block_pair((uint64_t)ad_size * 8, (uint64_t)size * 8);
    block y = block_pair(0, 0);
    bool text = false;

    for (;;) {
        if (ad_size) { /* later the text */
            const size_t n = ad_size < 16 ? ad_size : 16;
            y = block_xor(y, n == 16 ? block_load(ad) : block_part(ad, n));
            ad += n, ad_size -= n;
        } else if (!text) {
            if (size > 64)
                return polyval_short(h, y, in, size, lengths);
            text = true, ad = in, ad_size = size;
            continue;
        } else {
            return polyval_times(block_xor(y, lengths), h);
        }
        y = polyval_times(y, h);
    }
}

/* Is gcm_siv_keys, but stores the POLYVAL key in derived->decrypt. */
RIJN_INLINE void gcm_siv_register_keys(context *derived, const context *c, const uint8_t nonce[12])
{
    const block first = gcm_siv_nonce_block(0, nonce);
    const bool two = c->rounds == rounds_for(32);
    vec v[4], more[2];
    block end = block_pair(0, 0);

#define VECS(blocks) (((blocks) + VEC_BLOCKS - 1) / VEC_BLOCKS)
    gcm_siv_derive(c, v, VECS(4), first, 0);
    if (two) {
        gcm_siv_derive(c, more, VECS(2), first, 4);
        end = vec_first_halves_at(more, 0);
    }
#undef VECS
    block_store(derived->decrypt, vec_first_halves_at(v, 0));
    aes_expand(derived, vec_first_halves_at(v, 2), end, two ? 32 : 16);
}

/* Runs CTR with a tag, vec after vec, because the processor overlaps them. */
RIJN_APART static void gcm_siv_register_crypt(const context *derived, block tag, uint8_t *out,
                                              const uint8_t *in, size_t size)
{
    const block low_bits = block_pair(~(uint64_t)0, ~(uint64_t)0 >> 1);
    const block first = block_xor(block_and(tag, low_bits), block_pair(0, (uint64_t)1 << 63));
    uint32_t low = (uint32_t)block_half(tag, 0);

    if (size <= 16) {
        if (size)
            ctr_register_block(derived, first, out, in, size);
        return;
    }
    for (;; in += VEC, out += VEC, size -= VEC, low += VEC_BLOCKS) {
        vec v;

        __asm__("" : : "x"(first) : "memory"); /* as in ctr_register_vecs */
        little_counters(&v, 1, first, low);
        v = vec_begin(derived, v, false);
#if VEC_BLOCKS == 1
        v = block_rounds(derived, v, false);
#else
        aes_rounds(derived, &v, 1, false);
#endif
        v = vec_end(v, vec_mask(derived, vec_broadcast(block_pair(0, 0)), false), false);
        if (size <= VEC) {
            if (size == VEC)
                vec_store(out, vec_xor(v, vec_load(in)));
            else
                vec_store_part(out, vec_xor(v, vec_load_part(in, size)), size);
            return;
        }
        vec_store(out, vec_xor(v, vec_load(in)));
    }
}

/* The keys of the message are in memory, where they outlive calls, and are wiped. All other secrets stay
 * in registers. */
RIJN_OPERATION rijn_tag_words gcm_siv_in_registers(const void *c, uint8_t *tag,
                                                   const uint8_t *given, const uint8_t nonce[12],
                                                   const uint8_t *ad, size_t ad_size, uint8_t *out,
                                                   const uint8_t *in, size_t size)
{
    _Alignas(64) context derived; /* only the round keys for encryption, and their number */
    block x;

    gcm_siv_register_keys(&derived, c, nonce);
    if (given) {
        gcm_siv_register_crypt(&derived, block_load_apart(given), out, in, size);
        in = out;
    }
    __asm__("" : : : "memory"); /* the compiler must load the key here */
    x = polyval_register(block_load(derived.decrypt), ad, ad_size, in, size);
    x = block_xor(x, block_pair(load_le64(nonce), load_le32(nonce + 8)));
    x = register_encrypt(&derived, block_and(x, block_pair(~(uint64_t)0, ~(uint64_t)0 >> 1)));
    if (!given) {
        block_store(tag, x);
        RIJN_PUBLIC(tag, 16);
        gcm_siv_register_crypt(&derived, x, out, in, size);
        x = block_pair(0, 0);
    }
    wipe(derived.encrypt, sizeof derived.encrypt);
    wipe(derived.decrypt, 16);
    return tag_words(x);
}

/* ---- OCB3: see ocb.h and ocb.c ---- */

/* L_0 to L_4, which 31 blocks need. */
enum { OCB_REGISTER_LS = 5 };

/* L_0 and so on, and the deltas of a vec as in ocb.h. */
typedef struct {
    uint8_t l[OCB_REGISTER_LS][16];
    uint8_t deltas[VEC];
} ocb_register_table;

/* The offset of the last block, and the XOR of the blocks. */
typedef struct {
    block offset, sum;
} ocb_register_state;

/* Returns L_*, of which K1 of CMAC is the double. */
RIJN_INLINE block ocb_register_star(const context *c)
{
    const ocb_l x = ocb_load(c->subkeys[0]);
    const uint64_t carry = x.low & 1, low = x.low ^ (0x87 & ct_mask64(carry));

    return ocb_block((ocb_l){.high = x.high >> 1 | carry << 63, .low = low >> 1 | x.high << 63});
}

/* Returns the block of the nonce without its last six bits. */
RIJN_INLINE block ocb_register_nonce(size_t tag_size, const uint8_t nonce[12])
{
    return block_pair((uint64_t)load_le32(nonce) << 32 | (uint64_t)1 << 24 | tag_size % 16 << 4,
                      load_le64(nonce + 4) & (~(uint64_t)0 >> 8 | (uint64_t)0xc0 << 56));
}

/* Processes whole vecs, then whole blocks, one after the other, because the processor overlaps them. */
RIJN_INLINE ocb_register_state ocb_register_blocks(const context *c, const ocb_register_table *t,
                                                   ocb_register_state s, uint8_t *out,
                                                   const uint8_t *in, size_t size,
                                                   ocb_purpose purpose)
{
    const bool decrypting = purpose == OCB_DECRYPT;
    unsigned i = 1;

#if VEC_BLOCKS > 1
    if (purpose != OCB_HASH && size >= VEC) {
        const block all = block_load(t->deltas + VEC - 16);
        vec sum = vec_broadcast(block_pair(0, 0));

        for (; size >= VEC; i += VEC_BLOCKS, in += VEC, out += VEC, size -= VEC) {
            const block fresh = block_load(t->l[trailing_zeros(i + VEC_BLOCKS - 1)]);
            const vec offsets =
                vec_xor3(vec_broadcast(s.offset), vec_load(t->deltas), vec_last(fresh));
            const vec x = vec_load(in);
            vec v = vec_begin(c, vec_xor(x, offsets), decrypting);

            __asm__(""
                    :
                    :
                    : "memory"); /* reload the round keys: they would not all fit registers */
            aes_rounds(c, &v, 1, decrypting);
            v = vec_end(v, vec_mask(c, offsets, decrypting), decrypting);
            sum = vec_xor(sum, decrypting ? v : x);
            vec_store(out, v);
            s.offset = block_xor(block_xor(s.offset, all), fresh);
        }
        s.sum = vec_sum(sum);
    }
#endif
    RIJN_ROLLED
    for (; size >= 16; i++, in += 16, size -= 16) {
        block x = block_load(in);

        s.offset = block_xor(s.offset, block_load(t->l[trailing_zeros(i)]));
        if (purpose == OCB_ENCRYPT)
            s.sum = block_xor(s.sum, x);
        x = block_begin(c, block_xor(x, s.offset), decrypting);
        __asm__("" : : : "memory");
        x = block_rounds(c, x, decrypting);
        x = block_end(x,
                      block_mask(c, purpose == OCB_HASH ? block_pair(0, 0) : s.offset, decrypting),
                      decrypting);
        if (purpose != OCB_ENCRYPT)
            s.sum = block_xor(s.sum, x);
        if (purpose != OCB_HASH) {
            block_store(out, x);
            out += 16;
        }
    }
    return s;
}

/* The L and the deltas are in memory and are wiped. All other secrets stay in registers. */
RIJN_OPERATION rijn_tag_words ocb_in_registers(const void *memory, size_t tag_size,
                                               const uint8_t nonce[12], const uint8_t *ad,
                                               size_t ad_size, uint8_t *out, const uint8_t *in,
                                               size_t size, bool decrypting)
{
    const context *const c = memory;
    const size_t rest = size % 16, ad_rest = ad_size % 16;
    ocb_register_table t;
    ocb_register_state of_ad = {block_pair(0, 0), block_pair(0, 0)}, text = of_ad;
    enum { OF_AD, OF_NONCE, OF_REST, OF_TAG };
    unsigned step = OF_NONCE; /* which block is encrypted */
    block x = block_load(c->subkeys[1]);

    block_store(t.l[0], x);
    for (int n = 1; (size | ad_size) >> (4 + n); n++)
        block_store(t.l[n], x = register_double(x));
    if (VEC_BLOCKS > 1 && size >= VEC) {
        block delta = block_pair(0, 0);
        RIJN_UNROLL
        for (int i = 1; i < VEC_BLOCKS; i++) {
            delta = block_xor(delta, block_load(t.l[__builtin_ctz((unsigned)i)]));
            block_store(t.deltas + 16 * (i - 1), delta);
        }
        block_store(t.deltas + VEC - 16, delta);
    }
    of_ad = ocb_register_blocks(c, &t, of_ad, NULL, ad, ad_size, OCB_HASH);
    x = ocb_register_nonce(tag_size, nonce);
    if (ad_rest) {
        x = block_xor(block_part(ad + ad_size - ad_rest, ad_rest),
                      block_up(block_pair(0x80, 0), ad_rest));
        x = block_xor(block_xor(x, of_ad.offset), ocb_register_star(c));
        step = OF_AD;
    }
    for (;;) { /* one copy of the cipher, as for CCM */
        __asm__("" : "+r"(step));
        x = register_encrypt(c, x);
        if (step == OF_TAG)
            return tag_words(block_xor(x, of_ad.sum));
        if (step == OF_AD) {
            of_ad.sum = block_xor(of_ad.sum, x);
            x = ocb_register_nonce(tag_size, nonce);
            step = OF_NONCE;
            continue;
        }
        if (step == OF_NONCE) {
            text.offset = block_stretch(x, nonce[11] & 63);
            if (decrypting)
                text = ocb_register_blocks(c, &t, text, out, in, size, OCB_DECRYPT);
            else
                text = ocb_register_blocks(c, &t, text, out, in, size, OCB_ENCRYPT);
            wipe(&t, sizeof t);
            if (rest) {
                x = text.offset = block_xor(text.offset, ocb_register_star(c));
                step = OF_REST;
                continue;
            }
        } else {
            block plain = block_part(in + size - rest, rest);
            x = block_xor(x, plain);
            block_part_store(out + size - rest, x, rest);
            if (decrypting)
                plain = block_keep(x, rest);
            text.sum = block_xor(block_xor(text.sum, plain), block_up(block_pair(0x80, 0), rest));
        }
        x = block_xor(block_xor(text.sum, text.offset), block_load(c->subkeys[0])); /* L_$ */
        step = OF_TAG;
    }
}

#define IF_SIV_REGISTERS(function) function
#endif

#define IF_REGISTERS(function) function
#else
#define IF_REGISTERS(function) NULL
#endif

#ifndef IF_SIV_REGISTERS
#define IF_SIV_REGISTERS(function) NULL
#endif
