/* Short messages of GCM and OCB3 in pieces, with all secrets in registers: see registers.h, gcm.c and
 * ocb.c. Each call of such a message would spend most of its time on overwriting its stack. */
#ifdef NATIVE_SIV_REGISTERS

/* ---- GCM ---- */

#ifndef NATIVE_GCM_FIRST
enum { GCM_FIRST_SIZE = 64 };

RIJN_OPERATION void gcm_first_in_registers(const void *c, rijn_gcm *gcm, uint8_t *out,
                                           const uint8_t *in, size_t size, bool decrypting)
{
    uint8_t *const counter = gcm->stream.next.block;
    const uint64_t one = (uint64_t)1 << 56, first = load_le64(counter);
    const block h = ghash_key(c);
    block y = byte_reverse(block_load_apart(gcm->hash));
    uint64_t second = load_le64(counter + 8);

    if (gcm->fill)
        y = polyval_times(y, h);
    block_store(gcm->mask, register_encrypt(c, block_pair(first, second)));
    for (;; in += 16, out += 16, size -= 16, y = polyval_times(y, h)) {
        second += one; /* from 1 to at most 6 */
        const block key = register_encrypt(c, block_pair(first, second));
        const block text = size < 16 ? block_part(in, size) : block_load(in);
        block x = block_xor(key, text);

        if (size < 16) {
            block_part_store(out, x, size);
            block_store(gcm->stream.ahead + sizeof gcm->stream.ahead - 16, key);
            x = block_keep(x, size);
        } else {
            block_store(out, x);
        }
        y = block_xor(y, byte_reverse(decrypting ? text : x));
        if (size <= 16)
            break;
    }
    hash_store(gcm->hash, y);
    store_le64(counter + 8, second + one);
    gcm->fill = (uint32_t)size;
    gcm->stream.ready = (uint8_t)(16 - size);
}
#endif

RIJN_OPERATION rijn_tag_words gcm_end_in_registers(const void *c, const rijn_gcm *gcm,
                                                   bool has_mask)
{
    const block h = ghash_key(c);
    uint64_t bits = gcm->size * 8, ad_bits = gcm->ad_size * 8;
    block y = byte_reverse(block_load_apart(gcm->hash));

    __asm__(""
            : "+r"(bits), "+r"(ad_bits)); /* gcc would store them, and a load of both would wait */
    const block lengths = block_pair(bits, ad_bits);
    if (gcm->fill) { /* a block waits */
#ifdef NATIVE_VEC_AES
        y = polyval_two(c, y, lengths);
#else
        y = polyval_times(block_xor(polyval_times(y, h), lengths), h);
#endif
    } else {
        y = polyval_times(block_xor(y, lengths), h);
    }
    return tag_words(block_xor(
        byte_reverse(y), has_mask ? block_load_apart(gcm->mask)
                                  : register_encrypt(c, block_load_apart(gcm->stream.next.block))));
}

/* ---- OCB3 ---- */

RIJN_INLINE void ocb_register_first(const context *c, rijn_ocb *o, uint8_t *out, const uint8_t *in,
                                    size_t size, bool decrypting)
{
    const uint64_t last = load_le64(o->data.offset + 8), bottom = (uint64_t)63 << 56;
    const block nonce = block_pair(load_le64(o->data.offset), last & ~bottom);
    const block star = ocb_register_star(c);
    block offset = block_stretch(register_encrypt(c, nonce), (unsigned)(last >> 56 & 63));
    block sum = block_pair(0, 0), x, plain;

    block_store(o->l_star, star);
    if (size >= 16) {
        offset = block_xor(offset, block_load(c->subkeys[1])); /* L_0 */
        plain = block_load(in);
        x = block_begin(c, block_xor(plain, offset), decrypting);
        __asm__("" : : : "memory"); /* as in chain_step */
        x = block_rounds(c, x, decrypting);
        x = block_end(x, block_mask(c, offset, decrypting), decrypting);
        block_store(out, x);
        sum = decrypting ? x : plain;
        in += 16, out += 16, size -= 16;
    }
    if (size) {
        offset = block_xor(offset, star);
        plain = block_part(in, size);
        x = block_xor(register_encrypt(c, offset), plain);
        block_part_store(out, x, size);
        if (decrypting)
            plain = block_keep(x, size);
        sum = block_xor(block_xor(sum, plain), block_up(block_pair(0x80, 0), size));
    }
    block_store(o->data.offset, offset);
    block_store(o->data.sum, sum);
}

RIJN_OPERATION void ocb_first_in_registers(const void *c, rijn_ocb *o, uint8_t *out,
                                           const uint8_t *in, size_t size, bool decrypting)
{
    if (decrypting)
        ocb_register_first(c, o, out, in, size, true);
    else
        ocb_register_first(c, o, out, in, size, false);
}

RIJN_OPERATION rijn_tag_words ocb_end_in_registers(const void *memory, const rijn_ocb *o)
{
    const context *const c = memory;
    const size_t fill = o->partial.fill;
    block tag = block_load_apart(o->ad.sum), x;

    if (fill) {
        block l = ocb_register_star(c);
        x = block_part(o->partial.block, fill);
        if (fill == 16) {
            l = block_load(c->subkeys[1]); /* L_0 */
            for (int n = trailing_zeros(o->ad.blocks + 1); n; n--)
                l = register_double(l);
        } else {
            x = block_xor(x, block_up(block_pair(0x80, 0), fill));
        }
        x = block_xor(x, block_xor(l, block_load_apart(o->ad.offset)));
        tag = block_xor(tag, register_encrypt(c, x));
    }
    x = block_xor(block_load_apart(o->data.sum), block_load_apart(o->data.offset));
    x = register_encrypt(c, block_xor(x, block_load(c->subkeys[0]))); /* L_$ */
    return tag_words(block_xor(tag, x));
}

#endif
