/* GCM-SIV with all secrets in registers: see registers.h. */
#ifdef NATIVE_SIV_REGISTERS

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

#endif
