/* OCB3 with all secrets in registers: see registers.h, ocb.h and ocb.c. */
#ifdef NATIVE_SIV_REGISTERS

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

#endif
