#include "oracle_modes.h"

#include <stdlib.h>
#include <string.h>

static void add(uint8_t block[16], const uint8_t *other, size_t size)
{
    for (size_t i = 0; i < size; i++)
        block[i] ^= other[i];
    if (size == 16)
        oracle_show(block, 16);
}

/* ---- Streams ---- */

void oracle_cfb(const oracle_key *key, bool decrypt, size_t segment, const uint8_t iv[16],
                uint8_t *out, const uint8_t *in, size_t size)
{
    uint8_t input[16], output[16];

    memcpy(input, iv, 16);
    for (size_t at = 0; at < size; at += segment) {
        const size_t n = size - at < segment ? size - at : segment;
        oracle_encrypt(key, output, input);
        for (size_t i = 0; i < n; i++)
            out[at + i] = in[at + i] ^ output[i];
        if (n < segment)
            break;
        memmove(input, input + segment, 16 - segment);
        memcpy(input + 16 - segment, (decrypt ? in : out) + at, segment);
    }
}

void oracle_ofb(const oracle_key *key, const uint8_t iv[16], uint8_t *out, const uint8_t *in,
                size_t size)
{
    uint8_t output[16];

    memcpy(output, iv, 16);
    for (size_t i = 0; i < size; i++) {
        if (i % 16 == 0)
            oracle_encrypt(key, output, output);
        out[i] = in[i] ^ output[i % 16];
    }
}

void oracle_ige(const oracle_key *key, bool decrypt, const uint8_t iv[32], uint8_t *out,
                const uint8_t *in, size_t size)
{
    const uint8_t *before_out = decrypt ? iv + 16 : iv, *before_in = decrypt ? iv : iv + 16;

    for (size_t at = 0; at < size; at += 16) {
        uint8_t block[16];
        memcpy(block, in + at, 16);
        add(block, before_out, 16);
        (decrypt ? oracle_decrypt : oracle_encrypt)(key, out + at, block);
        add(out + at, before_in, 16);
        before_out = out + at;
        before_in = in + at;
    }
}

void oracle_ctr_width(const oracle_key *key, unsigned width, bool little, const uint8_t counter[16],
                      uint8_t *out, const uint8_t *in, size_t size)
{
    uint8_t block[16], keystream[16];

    memcpy(block, counter, 16);
    for (size_t i = 0; i < size; i++) {
        if (i % 16 == 0) {
            oracle_encrypt(key, keystream, block);
            for (unsigned j = 0; j < width / 8; j++)
                if (++block[little ? j : 15 - j] != 0)
                    break;
        }
        out[i] = in[i] ^ keystream[i % 16];
    }
}

/* ---- XTS ---- */

static void times_alpha(uint8_t tweak[16])
{
    uint8_t carry = 0;

    for (int i = 0; i < 16; i++) {
        const uint8_t out = tweak[i] >> 7;
        tweak[i] = (uint8_t)(tweak[i] << 1 | carry);
        carry = out;
    }
    if (carry)
        tweak[0] ^= 0x87;
    oracle_show(tweak, 16);
}

static void xts_block(const oracle_key *key, bool decrypt, const uint8_t tweak[16], uint8_t out[16],
                      const uint8_t in[16])
{
    uint8_t block[16];

    memcpy(block, in, 16);
    add(block, tweak, 16);
    (decrypt ? oracle_decrypt : oracle_encrypt)(key, out, block);
    add(out, tweak, 16);
}

void oracle_xts_part(const uint8_t *bytes, size_t key_size, bool decrypt, const uint8_t tweak[16],
                     size_t first, uint8_t *out, const uint8_t *in, size_t size)
{
    const size_t rest = size % 16, whole = size - rest;
    oracle_key data, tweaks;
    uint8_t t[16], before[16];

    oracle_init(&data, bytes, key_size / 2);
    oracle_init(&tweaks, bytes + key_size / 2, key_size / 2);
    oracle_encrypt(&tweaks, t, tweak);
    while (first-- > 0)
        times_alpha(t);
    for (size_t at = 0; at < whole; at += 16) {
        const bool last = rest != 0 && at + 16 == whole;
        memcpy(before, t, 16);
        times_alpha(t);
        xts_block(&data, decrypt, last && decrypt ? t : before, out + at, in + at);
    }
    if (rest != 0) {
        uint8_t *const end = out + whole, *const stolen = end - 16, block[16];
        memcpy(block, stolen, 16);
        memcpy(block, in + whole, rest);
        memcpy(end, stolen, rest);
        xts_block(&data, decrypt, decrypt ? before : t, stolen, block);
    }
}

void oracle_xts(const uint8_t *bytes, size_t key_size, bool decrypt, const uint8_t tweak[16],
                uint8_t *out, const uint8_t *in, size_t size)
{
    oracle_xts_part(bytes, key_size, decrypt, tweak, 0, out, in, size);
}

/* ---- CMAC, SIV and EAX ---- */

static void twice(uint8_t block[16])
{
    uint8_t carry = 0;

    for (int i = 15; i >= 0; i--) {
        const uint8_t out = block[i] >> 7;
        block[i] = (uint8_t)(block[i] << 1 | carry);
        carry = out;
    }
    if (carry)
        block[15] ^= 0x87;
    oracle_show(block, 16);
}

void oracle_cmac(const oracle_key *key, uint8_t tag[16], const uint8_t *in, size_t size)
{
    uint8_t subkey[16] = {0}, mac[16] = {0}, last[16] = {0};
    size_t at = 0;

    oracle_encrypt(key, subkey, subkey);
    twice(subkey);
    for (; size - at > 16; at += 16) {
        add(mac, in + at, 16);
        oracle_encrypt(key, mac, mac);
    }
    if (size != 0) /* in may be NULL */
        memcpy(last, in + at, size - at);
    if (size - at < 16) {
        last[size - at] = 0x80;
        twice(subkey);
    }
    add(mac, last, 16);
    add(mac, subkey, 16);
    oracle_encrypt(key, tag, mac);
}

void oracle_siv(const uint8_t *bytes, size_t key_size, uint8_t *out, uint8_t tag[16],
                const rijn_string *strings, size_t count, const uint8_t *in, size_t size)
{
    oracle_key mac_key, ctr_key;
    uint8_t d[16] = {0}, mac[16], counter[16];
    uint8_t *const end = malloc(size + 16);

    oracle_init(&mac_key, bytes, key_size / 2);
    oracle_init(&ctr_key, bytes + key_size / 2, key_size / 2);
    oracle_cmac(&mac_key, d, d, 16);
    for (size_t i = 0; i < count; i++) {
        oracle_cmac(&mac_key, mac, strings[i].bytes, strings[i].size);
        twice(d);
        add(d, mac, 16);
    }
    if (size >= 16) {
        memcpy(end, in, size);
        add(end + size - 16, d, 16);
        oracle_cmac(&mac_key, tag, end, size);
    } else {
        twice(d);
        add(d, in, size);
        d[size] ^= 0x80;
        oracle_cmac(&mac_key, tag, d, 16);
    }
    memcpy(counter, tag, 16);
    counter[8] &= 0x7f;
    counter[12] &= 0x7f;
    oracle_ctr(&ctr_key, counter, out, in, size);
    free(end);
}

/* Computes CMAC of [t]_16 || in. */
static void omac(const oracle_key *key, uint8_t t, uint8_t mac[16], const uint8_t *in, size_t size)
{
    uint8_t *const all = calloc(1, size + 16);

    all[15] = t;
    if (size != 0)
        memcpy(all + 16, in, size);
    oracle_cmac(key, mac, all, size + 16);
    free(all);
}

void oracle_eax(const uint8_t *bytes, size_t key_size, uint8_t *out, uint8_t *tag, size_t tag_size,
                const uint8_t *nonce, size_t nonce_size, const uint8_t *ad, size_t ad_size,
                const uint8_t *in, size_t size)
{
    oracle_key key;
    uint8_t full[16], mac[16];

    oracle_init(&key, bytes, key_size);
    omac(&key, 0, full, nonce, nonce_size);
    oracle_ctr(&key, full, out, in, size);
    omac(&key, 1, mac, ad, ad_size);
    add(full, mac, 16);
    omac(&key, 2, mac, out, size);
    add(full, mac, 16);
    memcpy(tag, full, tag_size);
}

void oracle_xaes(const uint8_t *bytes, size_t key_size, uint8_t *out, uint8_t *tag, size_t tag_size,
                 const uint8_t *nonce, size_t nonce_size, const uint8_t *ad, size_t ad_size,
                 const uint8_t *in, size_t size)
{
    oracle_key key;
    uint8_t block[16] = {0, 1, 'X', 0}, derived[32], full[16];

    oracle_init(&key, bytes, key_size);
    memcpy(block + 4, nonce, 12);
    oracle_cmac(&key, derived, block, 16);
    block[1] = 2;
    oracle_cmac(&key, derived + 16, block, 16);
    oracle_init(&key, derived, 32);
    oracle_gcm(&key, false, out, full, nonce + 12, nonce_size - 12, ad, ad_size, in, size);
    memcpy(tag, full, tag_size);
}

/* ---- GCM-SIV. Bit i of a block is bit i % 8 of byte i / 8 ---- */

static void little_endian(uint8_t *out, size_t size, uint64_t value)
{
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

/* Returns the integer in eight bytes. */
static uint64_t from_little_endian(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

/* dot(a, b) = a * b * x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1. */
static void dot(uint8_t a[16], const uint8_t b[16])
{
    const uint64_t low = from_little_endian(b), high = from_little_endian(b + 8);
    uint64_t sum[2] = {0, 0};

    oracle_show(b, 16);
    for (int i = 0; i < 128; i++) {
        const uint64_t chosen = a[i / 8] >> i % 8 & 1 ? ~UINT64_C(0) : 0;
        sum[0] ^= low & chosen;
        sum[1] ^= high & chosen;
        /* if odd, adding the modulus makes it divisible by x; the modulus over x has x^127, x^126,
         * x^125 and x^120 */
        const uint64_t over = sum[0] & 1 ? UINT64_C(0xe1) << 56 : 0;
        sum[0] = sum[0] >> 1 | sum[1] << 63;
        sum[1] = sum[1] >> 1 ^ over;
    }
    little_endian(a, 8, sum[0]);
    little_endian(a + 8, 8, sum[1]);
    oracle_show(a, 16);
}

static void polyval(uint8_t y[16], const uint8_t h[16], const uint8_t *in, size_t size)
{
    for (size_t at = 0; at < size; at += 16) {
        add(y, in + at, size - at < 16 ? size - at : 16);
        dot(y, h);
    }
}

void oracle_gcm_siv(const uint8_t *bytes, size_t key_size, uint8_t *out, uint8_t *tag,
                    size_t tag_size, const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                    size_t ad_size, const uint8_t *in, size_t size)
{
    oracle_key key;
    uint8_t block[16], derived[6 * 8], y[16] = {0};

    oracle_init(&key, bytes, key_size);
    for (uint8_t i = 0; i < 2 + key_size / 8; i++) {
        little_endian(block, 4, i);
        memcpy(block + 4, nonce, nonce_size);
        oracle_encrypt(&key, block, block);
        memcpy(derived + (size_t)8 * i, block, 8);
    }
    oracle_init(&key, derived + 16, key_size);
    polyval(y, derived, ad, ad_size);
    polyval(y, derived, in, size);
    little_endian(block, 8, (uint64_t)ad_size * 8);
    little_endian(block + 8, 8, (uint64_t)size * 8);
    polyval(y, derived, block, 16);
    add(y, nonce, 12);
    y[15] &= 0x7f;
    oracle_encrypt(&key, y, y);
    memcpy(tag, y, tag_size);
    y[15] |= 0x80;
    oracle_ctr_width(&key, 32, true, y, out, in, size);
}

/* ---- CCM ---- */

static void ccm_mac(const oracle_key *key, uint8_t mac[16], const uint8_t *in, size_t size)
{
    for (size_t at = 0; at < size; at += 16) {
        add(mac, in + at, size - at < 16 ? size - at : 16);
        oracle_encrypt(key, mac, mac);
    }
}

void oracle_ccm(const uint8_t *bytes, size_t key_size, uint8_t *out, uint8_t *tag, size_t tag_size,
                const uint8_t *nonce, size_t nonce_size, const uint8_t *ad, size_t ad_size,
                const uint8_t *in, size_t size)
{
    const size_t q = 15 - nonce_size;
    oracle_key key;
    uint8_t block[16] = {0}, mac[16] = {0}, mask[16] = {0};

    oracle_init(&key, bytes, key_size);
    block[0] = (uint8_t)((ad_size != 0 ? 64 : 0) + 8 * ((tag_size - 2) / 2) + (q - 1));
    memcpy(block + 1, nonce, nonce_size);
    for (size_t i = 0; i < q && i < 8; i++)
        block[15 - i] = (uint8_t)((uint64_t)size >> 8 * i);
    ccm_mac(&key, mac, block, 16);
    if (ad_size != 0) {
        const size_t prefix = ad_size < 0xff00 ? 2 : 6; /* no test has 4 GiB */
        uint8_t *const all = malloc(prefix + ad_size);
        all[0] = 0xff;
        all[1] = 0xfe;
        for (size_t i = 0; i < (prefix == 2 ? 2 : 4); i++)
            all[prefix - 1 - i] = (uint8_t)((uint64_t)ad_size >> 8 * i);
        memcpy(all + prefix, ad, ad_size);
        ccm_mac(&key, mac, all, prefix + ad_size);
        free(all);
    }
    ccm_mac(&key, mac, in, size);
    memset(block, 0, 16);
    block[0] = (uint8_t)(q - 1);
    memcpy(block + 1, nonce, nonce_size);
    oracle_encrypt(&key, mask, block);
    add(mac, mask, 16);
    memcpy(tag, mac, tag_size);
    block[15] = 1;
    oracle_ctr(&key, block, out, in, size);
}

/* ---- OCB3 ---- */

/* Adds L_i of section 4.1: L_* doubled 2 + i times, where i is the number of trailing zeros of n. */
static void add_l(uint8_t offset[16], const uint8_t l_star[16], uint64_t n)
{
    uint8_t l[16];

    memcpy(l, l_star, 16);
    twice(l);
    twice(l);
    for (; n % 2 == 0; n /= 2)
        twice(l);
    add(offset, l, 16);
}

void oracle_ocb_block(const oracle_key *key, const uint8_t l_star[16], uint8_t offset[16],
                      uint64_t number, uint8_t out[16], const uint8_t in[16])
{
    uint8_t block[16];

    add_l(offset, l_star, number);
    memcpy(block, in, 16);
    add(block, offset, 16);
    oracle_encrypt(key, out, block);
    add(out, offset, 16);
}

static void ocb_hash(const oracle_key *key, const uint8_t l_star[16], uint8_t sum[16],
                     const uint8_t *ad, size_t size)
{
    uint8_t offset[16] = {0}, block[16];

    for (size_t at = 0; at < size; at += 16) {
        const size_t n = size - at < 16 ? size - at : 16;
        memset(block, 0, 16);
        memcpy(block, ad + at, n);
        if (n < 16) {
            add(offset, l_star, 16);
            block[n] = 0x80;
        } else {
            add_l(offset, l_star, at / 16 + 1);
        }
        add(block, offset, 16);
        oracle_encrypt(key, block, block);
        add(sum, block, 16);
    }
}

void oracle_ocb(const uint8_t *bytes, size_t key_size, uint8_t *out, uint8_t *tag, size_t tag_size,
                const uint8_t *nonce, size_t nonce_size, const uint8_t *ad, size_t ad_size,
                const uint8_t *in, size_t size)
{
    oracle_key key;
    uint8_t l_star[16] = {0}, offset[16], checksum[16] = {0}, block[16] = {0}, stretch[24];

    oracle_init(&key, bytes, key_size);
    oracle_encrypt(&key, l_star, l_star);

    block[0] = (uint8_t)(tag_size * 8 % 128 << 1);
    block[15 - nonce_size] |= 1;
    memcpy(block + 16 - nonce_size, nonce, nonce_size);
    const unsigned bottom = block[15] % 64;
    block[15] = (uint8_t)(block[15] - bottom);
    oracle_encrypt(&key, stretch, block);
    for (int i = 0; i < 8; i++)
        stretch[16 + i] = stretch[i] ^ stretch[i + 1];
    memset(offset, 0, 16);
    for (unsigned i = 0; i < 128; i++) {
        const unsigned from = bottom + i;
        if (stretch[from / 8] >> (7 - from % 8) & 1)
            offset[i / 8] |= (uint8_t)(0x80 >> i % 8);
    }

    for (size_t at = 0; at < size; at += 16) {
        const size_t n = size - at < 16 ? size - at : 16;
        add(checksum, in + at, n);
        if (n < 16) {
            checksum[n] ^= 0x80;
            add(offset, l_star, 16);
            oracle_encrypt(&key, block, offset);
            for (size_t i = 0; i < n; i++)
                out[at + i] = in[at + i] ^ block[i];
        } else {
            oracle_ocb_block(&key, l_star, offset, at / 16 + 1, out + at, in + at);
        }
    }
    add(checksum, offset, 16);
    memcpy(block, l_star, 16);
    twice(block);
    add(checksum, block, 16);
    oracle_encrypt(&key, checksum, checksum);
    ocb_hash(&key, l_star, checksum, ad, ad_size);
    memcpy(tag, checksum, tag_size);
}

/* ---- Key wrap ---- */

void oracle_w(const oracle_key *key, uint8_t *s, size_t n)
{
    uint64_t t = 0;

    for (size_t round = 0; round < 6; round++) {
        for (size_t i = 1; i < n; i++) {
            uint8_t block[16];
            t++;
            memcpy(block, s, 8);
            memcpy(block + 8, s + 8 * i, 8);
            oracle_encrypt(key, block, block);
            for (int j = 0; j < 8; j++)
                block[j] ^= (uint8_t)(t >> (56 - 8 * j));
            memcpy(s, block, 8);
            memcpy(s + 8 * i, block + 8, 8);
        }
    }
}

size_t oracle_kw(const oracle_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    memset(out, 0xa6, 8);
    memcpy(out + 8, in, size);
    oracle_w(key, out, size / 8 + 1);
    return size + 8;
}

size_t oracle_kwp(const oracle_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    static const uint8_t icv[4] = {0xa6, 0x59, 0x59, 0xa6};
    const size_t padded = (size + 7) / 8 * 8;

    memset(out, 0, padded + 8);
    memcpy(out, icv, 4);
    for (int i = 0; i < 4; i++)
        out[7 - i] = (uint8_t)((uint64_t)size >> 8 * i);
    memcpy(out + 8, in, size);
    if (padded == 8)
        oracle_encrypt(key, out, out);
    else
        oracle_w(key, out, padded / 8 + 1);
    return padded + 8;
}
