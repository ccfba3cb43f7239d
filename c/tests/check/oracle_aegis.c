#include "oracle_aegis.h"

#include <string.h>

#include "oracle.h"

static void add(uint8_t *to, const uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] ^= from[i];
}

static size_t rate(const oracle_aegis *v)
{
    return (size_t)v->degree * (v->blocks == 8 ? 32 : 16);
}

void oracle_aegis_update(oracle_aegis *v, const uint8_t *unit)
{
    for (int i = 0; i < v->degree; i++) {
        uint8_t old[8][16], key[8][16];
        memcpy(old, v->block[i], sizeof old);
        memcpy(key, old, sizeof key);
        add(key[0], unit + 16 * i, 16);
        if (v->blocks == 8)
            add(key[4], unit + 16 * (v->degree + i), 16);
        for (int j = 0; j < v->blocks; j++)
            oracle_round(v->block[i][j], old[(j + v->blocks - 1) % v->blocks], key[j]);
    }
}

/* Update with the same one or two blocks for every state. Adds ctx first. */
static void update_alike(oracle_aegis *v, const uint8_t *m0, const uint8_t *m1)
{
    uint8_t unit[ORACLE_RATE];
    const int degree = v->degree < 4 ? v->degree : 4; /* gcc must know that it is at most 4 */

    for (int i = 0; i < degree; i++) {
        memcpy(unit + 16 * i, m0, 16);
        if (v->blocks == 8)
            memcpy(unit + 16 * (v->degree + i), m1, 16);
        if (v->degree > 1) {
            v->block[i][3][0] ^= (uint8_t)i;
            v->block[i][3][1] ^= (uint8_t)(v->degree - 1);
            v->block[i][v->blocks - 1][0] ^= (uint8_t)i;
            v->block[i][v->blocks - 1][1] ^= (uint8_t)(v->degree - 1);
        }
    }
    oracle_aegis_update(v, unit);
}

/* Sets a block of every state to a XOR b. */
static void set(oracle_aegis *v, int j, const uint8_t *a, const uint8_t *b)
{
    for (int i = 0; i < v->degree; i++) {
        memcpy(v->block[i][j], a, 16);
        add(v->block[i][j], b, 16);
    }
}

static void init(oracle_aegis *v, rijn_aegis_variant variant, const uint8_t *key,
                 const uint8_t *nonce)
{
    static const uint8_t zero[16] = {0};
    uint8_t c[32] = {0, 1}; /* C0 and C1 */

    for (int i = 2; i < 32; i++)
        c[i] = (uint8_t)(c[i - 1] + c[i - 2]);
    v->blocks = variant < RIJN_AEGIS_256 ? 8 : 6;
    v->degree = 1 << variant % 3;
    if (v->blocks == 8) {
        set(v, 0, key, nonce);
        set(v, 1, c + 16, zero);
        set(v, 2, c, zero);
        set(v, 3, c + 16, zero);
        set(v, 4, key, nonce);
        set(v, 5, key, c);
        set(v, 6, key, c + 16);
        set(v, 7, key, c);
        for (int i = 0; i < 10; i++)
            update_alike(v, nonce, key);
    } else {
        uint8_t k_n[32];
        memcpy(k_n, key, 32);
        add(k_n, nonce, 32);
        set(v, 0, k_n, zero);
        set(v, 1, k_n + 16, zero);
        set(v, 2, c + 16, zero);
        set(v, 3, c, zero);
        set(v, 4, key, c);
        set(v, 5, key + 16, c + 16);
        for (int i = 0; i < 4; i++) {
            update_alike(v, key, NULL);
            update_alike(v, key + 16, NULL);
            update_alike(v, k_n, NULL);
            update_alike(v, k_n + 16, NULL);
        }
    }
}

/* Absorbs data, with the last unit padded with zeros. */
static void absorb(oracle_aegis *v, const uint8_t *in, size_t size)
{
    for (size_t at = 0; at < size; at += rate(v)) {
        uint8_t unit[ORACLE_RATE] = {0};
        memcpy(unit, in + at, size - at < rate(v) ? size - at : rate(v));
        oracle_aegis_update(v, unit);
    }
}

static void keystream(const oracle_aegis *v, uint8_t *z)
{
    for (int i = 0; i < v->degree; i++) {
        const uint8_t(*s)[16] = v->block[i];
        for (int b = 0; b < 16; b++) {
            if (v->blocks == 8) {
                z[16 * i + b] = (uint8_t)(s[6][b] ^ s[1][b] ^ (s[2][b] & s[3][b]));
                z[16 * (v->degree + i) + b] = (uint8_t)(s[2][b] ^ s[5][b] ^ (s[6][b] & s[7][b]));
            } else {
                z[16 * i + b] = (uint8_t)(s[1][b] ^ s[4][b] ^ s[5][b] ^ (s[2][b] & s[3][b]));
            }
        }
    }
    oracle_show(z, rate(v));
}

/* Repeat(7, Update(t)): t is S2 or S3 of each state XOR LE64(a) || LE64(b). */
static void close(oracle_aegis *v, uint64_t a, uint64_t b)
{
    uint8_t unit[ORACLE_RATE];

    for (int i = 0; i < v->degree; i++) {
        uint8_t *t = unit + 16 * i;
        memcpy(t, v->block[i][v->blocks == 8 ? 2 : 3], 16);
        for (int byte = 0; byte < 8; byte++) {
            t[byte] ^= (uint8_t)(a >> 8 * byte);
            t[8 + byte] ^= (uint8_t)(b >> 8 * byte);
        }
        if (v->blocks == 8)
            memcpy(unit + 16 * (v->degree + i), t, 16);
    }
    for (int i = 0; i < 7; i++)
        oracle_aegis_update(v, unit);
}

/* Computes the tag of one state. */
static void tag_of(const oracle_aegis *v, int i, uint8_t *tag, size_t tag_size)
{
    memset(tag, 0, tag_size);
    for (int j = 0; j < v->blocks; j++) {
        if (tag_size == 32)
            add(tag + (j < v->blocks / 2 ? 0 : 16), v->block[i][j], 16);
        else if (j < 7)
            add(tag, v->block[i][j], 16);
    }
}

void oracle_aegis_crypt(rijn_aegis_variant variant, bool decrypt, const uint8_t *key,
                        const uint8_t *nonce, const uint8_t *ad, size_t ad_size, uint8_t *out,
                        const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size)
{
    oracle_aegis_claimed(variant, decrypt, key, nonce, ad, ad_size, out, in, size, tag, tag_size,
                         ad_size, size);
}

void oracle_aegis_claimed(rijn_aegis_variant variant, bool decrypt, const uint8_t *key,
                          const uint8_t *nonce, const uint8_t *ad, size_t ad_size, uint8_t *out,
                          const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size,
                          uint64_t ad_claimed, uint64_t claimed)
{
    oracle_aegis v;
    uint8_t z[ORACLE_RATE], one[32];

    init(&v, variant, key, nonce);
    absorb(&v, ad, ad_size);
    for (size_t at = 0; at < size; at += rate(&v)) {
        const size_t n = size - at < rate(&v) ? size - at : rate(&v);
        keystream(&v, z);
        memcpy(out + at, in + at, n);
        add(out + at, z, n);
        absorb(&v, (decrypt ? out : in) + at, n);
    }
    close(&v, 8 * ad_claimed, 8 * claimed);
    memset(tag, 0, tag_size);
    for (int i = 0; i < v.degree; i++) {
        tag_of(&v, i, one, tag_size);
        add(tag, one, tag_size);
    }
}

void oracle_aegis_mac(rijn_aegis_variant variant, const uint8_t *key, const uint8_t *nonce,
                      const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size)
{
    oracle_aegis_mac_claimed(variant, key, nonce, in, size, tag, tag_size, size);
}

void oracle_aegis_mac_claimed(rijn_aegis_variant variant, const uint8_t *key, const uint8_t *nonce,
                              const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size,
                              uint64_t claimed)
{
    oracle_aegis v;

    init(&v, variant, key, nonce);
    absorb(&v, in, size);
    close(&v, 8 * claimed, 8 * (uint64_t)tag_size);
    if (v.degree > 1) {
        uint8_t tags[4 * 32];
        const size_t width = v.blocks == 8 ? 32 : 16;
        size_t count = 0;
        /* without the first state's own tag, except for 128X with tags of 16 bytes */
        for (int i = v.blocks == 8 && tag_size == 16 ? 0 : 1; i < v.degree; i++, count++)
            tag_of(&v, i, tags + count * tag_size, tag_size);
        for (size_t at = 0; at < count * tag_size; at += width) {
            uint8_t unit[ORACLE_RATE] = {0};
            memcpy(unit, tags + at, 16);
            if (width == 32)
                memcpy(unit + 16 * v.degree, tags + at + 16, 16);
            oracle_aegis_update(&v, unit);
        }
        const uint64_t degree = (uint64_t)v.degree;
        close(&v, degree, 8 * (uint64_t)tag_size);
    }
    tag_of(&v, 0, tag, tag_size);
}
