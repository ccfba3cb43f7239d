/* AES by 32-bit tables (Daemen and Rijmen, "AES Proposal: Rijndael", section
 * 5.2.1), and GHASH by a table of the multiples of H by four bits (Shoup): what
 * most software without AES instructions still ships. The tables are read at
 * addresses that depend on key and data, so cache timing gives the key away; it
 * is here to be compared with, and is never chosen unnamed. */
#include "../backend.h"
#include "../bytes.h"
#include "../wipe.h"

enum { VEC_BLOCKS = 1, FLIGHT = 1 };

/* A block as it lies in memory. */
typedef struct {
    uint8_t byte[16];
} vec;

/* A block as two big-endian integers: the highest bit is the coefficient of x^0
 * (SP 800-38D section 6.3). */
typedef struct {
    uint64_t high, low;
} hash;

typedef struct {
    uint32_t encrypt[4 * 15]; /* round keys, words little-endian */
    uint32_t decrypt[4 * 15]; /* of the equivalent inverse cipher, FIPS 197 5.3.5 */
    hash multiple[16];        /* n * H, the highest of the four bits of n being x^0 */
    int rounds;
} context;

/* ---- Tables ---- */

/* FIPS 197 tables 4 and 6 (S-box and inverse S-box), row by row. */
/* clang-format off */
#define S_BOX(F) \
    F(0x63) F(0x7c) F(0x77) F(0x7b) F(0xf2) F(0x6b) F(0x6f) F(0xc5) \
    F(0x30) F(0x01) F(0x67) F(0x2b) F(0xfe) F(0xd7) F(0xab) F(0x76) \
    F(0xca) F(0x82) F(0xc9) F(0x7d) F(0xfa) F(0x59) F(0x47) F(0xf0) \
    F(0xad) F(0xd4) F(0xa2) F(0xaf) F(0x9c) F(0xa4) F(0x72) F(0xc0) \
    F(0xb7) F(0xfd) F(0x93) F(0x26) F(0x36) F(0x3f) F(0xf7) F(0xcc) \
    F(0x34) F(0xa5) F(0xe5) F(0xf1) F(0x71) F(0xd8) F(0x31) F(0x15) \
    F(0x04) F(0xc7) F(0x23) F(0xc3) F(0x18) F(0x96) F(0x05) F(0x9a) \
    F(0x07) F(0x12) F(0x80) F(0xe2) F(0xeb) F(0x27) F(0xb2) F(0x75) \
    F(0x09) F(0x83) F(0x2c) F(0x1a) F(0x1b) F(0x6e) F(0x5a) F(0xa0) \
    F(0x52) F(0x3b) F(0xd6) F(0xb3) F(0x29) F(0xe3) F(0x2f) F(0x84) \
    F(0x53) F(0xd1) F(0x00) F(0xed) F(0x20) F(0xfc) F(0xb1) F(0x5b) \
    F(0x6a) F(0xcb) F(0xbe) F(0x39) F(0x4a) F(0x4c) F(0x58) F(0xcf) \
    F(0xd0) F(0xef) F(0xaa) F(0xfb) F(0x43) F(0x4d) F(0x33) F(0x85) \
    F(0x45) F(0xf9) F(0x02) F(0x7f) F(0x50) F(0x3c) F(0x9f) F(0xa8) \
    F(0x51) F(0xa3) F(0x40) F(0x8f) F(0x92) F(0x9d) F(0x38) F(0xf5) \
    F(0xbc) F(0xb6) F(0xda) F(0x21) F(0x10) F(0xff) F(0xf3) F(0xd2) \
    F(0xcd) F(0x0c) F(0x13) F(0xec) F(0x5f) F(0x97) F(0x44) F(0x17) \
    F(0xc4) F(0xa7) F(0x7e) F(0x3d) F(0x64) F(0x5d) F(0x19) F(0x73) \
    F(0x60) F(0x81) F(0x4f) F(0xdc) F(0x22) F(0x2a) F(0x90) F(0x88) \
    F(0x46) F(0xee) F(0xb8) F(0x14) F(0xde) F(0x5e) F(0x0b) F(0xdb) \
    F(0xe0) F(0x32) F(0x3a) F(0x0a) F(0x49) F(0x06) F(0x24) F(0x5c) \
    F(0xc2) F(0xd3) F(0xac) F(0x62) F(0x91) F(0x95) F(0xe4) F(0x79) \
    F(0xe7) F(0xc8) F(0x37) F(0x6d) F(0x8d) F(0xd5) F(0x4e) F(0xa9) \
    F(0x6c) F(0x56) F(0xf4) F(0xea) F(0x65) F(0x7a) F(0xae) F(0x08) \
    F(0xba) F(0x78) F(0x25) F(0x2e) F(0x1c) F(0xa6) F(0xb4) F(0xc6) \
    F(0xe8) F(0xdd) F(0x74) F(0x1f) F(0x4b) F(0xbd) F(0x8b) F(0x8a) \
    F(0x70) F(0x3e) F(0xb5) F(0x66) F(0x48) F(0x03) F(0xf6) F(0x0e) \
    F(0x61) F(0x35) F(0x57) F(0xb9) F(0x86) F(0xc1) F(0x1d) F(0x9e) \
    F(0xe1) F(0xf8) F(0x98) F(0x11) F(0x69) F(0xd9) F(0x8e) F(0x94) \
    F(0x9b) F(0x1e) F(0x87) F(0xe9) F(0xce) F(0x55) F(0x28) F(0xdf) \
    F(0x8c) F(0xa1) F(0x89) F(0x0d) F(0xbf) F(0xe6) F(0x42) F(0x68) \
    F(0x41) F(0x99) F(0x2d) F(0x0f) F(0xb0) F(0x54) F(0xbb) F(0x16)

#define INVERSE_S_BOX(F) \
    F(0x52) F(0x09) F(0x6a) F(0xd5) F(0x30) F(0x36) F(0xa5) F(0x38) \
    F(0xbf) F(0x40) F(0xa3) F(0x9e) F(0x81) F(0xf3) F(0xd7) F(0xfb) \
    F(0x7c) F(0xe3) F(0x39) F(0x82) F(0x9b) F(0x2f) F(0xff) F(0x87) \
    F(0x34) F(0x8e) F(0x43) F(0x44) F(0xc4) F(0xde) F(0xe9) F(0xcb) \
    F(0x54) F(0x7b) F(0x94) F(0x32) F(0xa6) F(0xc2) F(0x23) F(0x3d) \
    F(0xee) F(0x4c) F(0x95) F(0x0b) F(0x42) F(0xfa) F(0xc3) F(0x4e) \
    F(0x08) F(0x2e) F(0xa1) F(0x66) F(0x28) F(0xd9) F(0x24) F(0xb2) \
    F(0x76) F(0x5b) F(0xa2) F(0x49) F(0x6d) F(0x8b) F(0xd1) F(0x25) \
    F(0x72) F(0xf8) F(0xf6) F(0x64) F(0x86) F(0x68) F(0x98) F(0x16) \
    F(0xd4) F(0xa4) F(0x5c) F(0xcc) F(0x5d) F(0x65) F(0xb6) F(0x92) \
    F(0x6c) F(0x70) F(0x48) F(0x50) F(0xfd) F(0xed) F(0xb9) F(0xda) \
    F(0x5e) F(0x15) F(0x46) F(0x57) F(0xa7) F(0x8d) F(0x9d) F(0x84) \
    F(0x90) F(0xd8) F(0xab) F(0x00) F(0x8c) F(0xbc) F(0xd3) F(0x0a) \
    F(0xf7) F(0xe4) F(0x58) F(0x05) F(0xb8) F(0xb3) F(0x45) F(0x06) \
    F(0xd0) F(0x2c) F(0x1e) F(0x8f) F(0xca) F(0x3f) F(0x0f) F(0x02) \
    F(0xc1) F(0xaf) F(0xbd) F(0x03) F(0x01) F(0x13) F(0x8a) F(0x6b) \
    F(0x3a) F(0x91) F(0x11) F(0x41) F(0x4f) F(0x67) F(0xdc) F(0xea) \
    F(0x97) F(0xf2) F(0xcf) F(0xce) F(0xf0) F(0xb4) F(0xe6) F(0x73) \
    F(0x96) F(0xac) F(0x74) F(0x22) F(0xe7) F(0xad) F(0x35) F(0x85) \
    F(0xe2) F(0xf9) F(0x37) F(0xe8) F(0x1c) F(0x75) F(0xdf) F(0x6e) \
    F(0x47) F(0xf1) F(0x1a) F(0x71) F(0x1d) F(0x29) F(0xc5) F(0x89) \
    F(0x6f) F(0xb7) F(0x62) F(0x0e) F(0xaa) F(0x18) F(0xbe) F(0x1b) \
    F(0xfc) F(0x56) F(0x3e) F(0x4b) F(0xc6) F(0xd2) F(0x79) F(0x20) \
    F(0x9a) F(0xdb) F(0xc0) F(0xfe) F(0x78) F(0xcd) F(0x5a) F(0xf4) \
    F(0x1f) F(0xdd) F(0xa8) F(0x33) F(0x88) F(0x07) F(0xc7) F(0x31) \
    F(0xb1) F(0x12) F(0x10) F(0x59) F(0x27) F(0x80) F(0xec) F(0x5f) \
    F(0x60) F(0x51) F(0x7f) F(0xa9) F(0x19) F(0xb5) F(0x4a) F(0x0d) \
    F(0x2d) F(0xe5) F(0x7a) F(0x9f) F(0x93) F(0xc9) F(0x9c) F(0xef) \
    F(0xa0) F(0xe0) F(0x3b) F(0x4d) F(0xae) F(0x2a) F(0xf5) F(0xb0) \
    F(0xc8) F(0xeb) F(0xbb) F(0x3c) F(0x83) F(0x53) F(0x99) F(0x61) \
    F(0x17) F(0x2b) F(0x04) F(0x7e) F(0xba) F(0x77) F(0xd6) F(0x26) \
    F(0xe1) F(0x69) F(0x14) F(0x63) F(0x55) F(0x21) F(0x0c) F(0x7d)
/* clang-format on */

/* Multiples of x in GF(2^8) (FIPS 197 section 4.2). */
#define X2(x) (((x) << 1 ^ ((x) >> 7) * 0x11bu) & 0xff)
#define X3(x) (X2(x) ^ (x))
#define X4(x) X2(X2(x))
#define X8(x) X2(X4(x))
#define X9(x) (X8(x) ^ (x))
#define X11(x) (X8(x) ^ X3(x))
#define X13(x) (X9(x) ^ X4(x))
#define X14(x) (X8(x) ^ X4(x) ^ X2(x))

/* What byte s of rows 0 to 3 gives to a column: the columns of the matrices of
 * MixColumns and InvMixColumns (FIPS 197 sections 5.1.3, 5.3.3). */
#define COLUMN(a, b, c, d) (uint32_t)((a) | (b) << 8 | (c) << 16 | (uint32_t)(d) << 24),
#define MIX0(s) COLUMN(X2(s), s, s, X3(s))
#define MIX1(s) COLUMN(X3(s), X2(s), s, s)
#define MIX2(s) COLUMN(s, X3(s), X2(s), s)
#define MIX3(s) COLUMN(s, s, X3(s), X2(s))
#define UNMIX0(s) COLUMN(X14(s), X9(s), X13(s), X11(s))
#define UNMIX1(s) COLUMN(X11(s), X14(s), X9(s), X13(s))
#define UNMIX2(s) COLUMN(X13(s), X11(s), X14(s), X9(s))
#define UNMIX3(s) COLUMN(X9(s), X13(s), X11(s), X14(s))
#define BYTE(s) s,

static const uint8_t s_box[256] = {S_BOX(BYTE)};
static const uint8_t inverse_s_box[256] = {INVERSE_S_BOX(BYTE)};

/* (Inv)SubBytes and (Inv)MixColumns of a byte, by its row. Four tables were a
 * tenth faster on x86-64 than one whose entries are rotated. */
static const uint32_t mixed[4][256] = {{S_BOX(MIX0)}, {S_BOX(MIX1)}, {S_BOX(MIX2)}, {S_BOX(MIX3)}};
static const uint32_t unmixed[4][256] = {{INVERSE_S_BOX(UNMIX0)},
                                         {INVERSE_S_BOX(UNMIX1)},
                                         {INVERSE_S_BOX(UNMIX2)},
                                         {INVERSE_S_BOX(UNMIX3)}};

/* ---- AES ---- */

RIJN_INLINE uint32_t byte_of(uint32_t column, int row)
{
    return column >> 8 * row & 0xff;
}

/* Column c of the next state. ShiftRows moves row r to the left by r columns,
 * its inverse to the right: step is 1 or 3. */
RIJN_INLINE uint32_t mixed_column(const uint32_t table[4][256], const uint32_t s[4], int c,
                                  int step)
{
    uint32_t t = 0;

    RIJN_UNROLL
    for (int r = 0; r < 4; r++)
        t ^= table[r][byte_of(s[(c + r * step) % 4], r)];
    return t;
}

/* The same without MixColumns, for the last round. */
RIJN_INLINE uint32_t last_column(const uint8_t box[256], const uint32_t s[4], int c, int step)
{
    uint32_t t = 0;

    RIJN_UNROLL
    for (int r = 0; r < 4; r++)
        t |= (uint32_t)box[byte_of(s[(c + r * step) % 4], r)] << 8 * r;
    return t;
}

RIJN_INLINE void crypt(vec *v, const uint32_t *k, int rounds, const uint32_t table[4][256],
                       const uint8_t box[256], int step)
{
    uint32_t s[4], t[4];

    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        s[c] = load_le32(v->byte + 4 * c) ^ k[c];
    for (int i = 1; i < rounds; i++) {
        k += 4;
        RIJN_UNROLL
        for (int c = 0; c < 4; c++)
            t[c] = mixed_column(table, s, c, step) ^ k[c];
        RIJN_UNROLL
        for (int c = 0; c < 4; c++)
            s[c] = t[c];
    }
    k += 4;
    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        store_le32(v->byte + 4 * c, last_column(box, s, c, step) ^ k[c]);
}

static void aes_encrypt(const context *c, vec *v, int n)
{
    (void)n; /* FLIGHT is 1 */
    crypt(v, c->encrypt, c->rounds, mixed, s_box, 1);
}

static void aes_decrypt(const context *c, vec *v, int n)
{
    (void)n;
    crypt(v, c->decrypt, c->rounds, unmixed, inverse_s_box, 3);
}

static uint32_t sub_word(uint32_t w)
{
    const uint32_t column[4] = {w, w, w, w};
    return last_column(s_box, column, 0, 1);
}

#include "../key_schedule.h"

static void aes_init(context *c, const uint8_t *key, size_t size)
{
    uint8_t bytes[16 * (MAX_ROUNDS + 1)];
    const int rounds = rounds_for(size);

    c->rounds = rounds;
    expand_key(bytes, key, size);
    for (int i = 0; i < 4 * (rounds + 1); i++)
        c->encrypt[i] = load_le32(bytes + 4 * i);
    wipe(bytes, sizeof bytes);
    for (int i = 0; i <= rounds; i++) {
        for (int j = 0; j < 4; j++) {
            const uint32_t w = c->encrypt[4 * (rounds - i) + j];
            /* InvMixColumns of w: the table's InvSubBytes is undone by SubBytes. */
            const uint32_t s[4] = {sub_word(w), sub_word(w), sub_word(w), sub_word(w)};
            c->decrypt[4 * i + j] = i == 0 || i == rounds ? w : mixed_column(unmixed, s, 0, 1);
        }
    }
}

/* ---- Blocks ---- */

RIJN_INLINE vec vec_load(const uint8_t *p)
{
    vec v;
    memcpy(v.byte, p, 16);
    return v;
}

RIJN_INLINE void vec_store(uint8_t *p, vec v)
{
    memcpy(p, v.byte, 16);
}

#define vec_load_block vec_load
#define vec_store_block vec_store

RIJN_INLINE vec vec_xor(vec a, vec b)
{
    xor_bytes(a.byte, a.byte, b.byte, 16);
    return a;
}

RIJN_INLINE void counters(vec *v, int n, const uint8_t prefix[16], uint32_t low, bool hidden)
{
    (void)n, (void)hidden;
    memcpy(v->byte, prefix, 12);
    store_be32(v->byte + 12, low);
}

/* ---- GHASH ---- */

RIJN_INLINE hash hash_load(const uint8_t bytes[16])
{
    return (hash){.high = load_be64(bytes), .low = load_be64(bytes + 8)};
}

RIJN_INLINE void hash_store(uint8_t bytes[16], hash y)
{
    store_be64(bytes, y.high);
    store_be64(bytes + 8, y.low);
}

RIJN_INLINE hash hash_xor(hash a, hash b)
{
    return (hash){.high = a.high ^ b.high, .low = a.low ^ b.low};
}

/* x * a: what falls out at x^128 is x^7 + x^2 + x + 1, the bits 0xe1 at the top. */
RIJN_INLINE hash times_x(hash a)
{
    return (hash){.high = a.high >> 1 ^ ((a.low & 1) * 0xe1) << 56,
                  .low = a.low >> 1 | a.high << 63};
}

static void ghash_init(context *c, const uint8_t h[16])
{
    hash *const m = c->multiple;

    m[0] = (hash){0, 0};
    m[8] = hash_load(h);
    for (int n = 4; n > 0; n /= 2)
        m[n] = times_x(m[2 * n]);
    for (int n = 2; n < 16; n *= 2)
        for (int i = 1; i < n; i++)
            m[n + i] = hash_xor(m[n], m[i]);
}

/* Multiplication by x^4 moves the coefficients of x^124 to x^127, the low four
 * bits n, to x^128 and beyond; x^128 = 1 + x + x^2 + x^7 brings them back as the
 * top 16 bits FALLEN(n). */
#define FALLEN(n) \
    ((n & 1) * (0xe100 >> 3) ^ (n >> 1 & 1) * (0xe100 >> 2) ^ (n >> 2 & 1) * (0xe100 >> 1) ^ \
     (n >> 3) * 0xe100)
static const uint16_t fallen[16] = {
    FALLEN(0), FALLEN(1), FALLEN(2),  FALLEN(3),  FALLEN(4),  FALLEN(5),  FALLEN(6),  FALLEN(7),
    FALLEN(8), FALLEN(9), FALLEN(10), FALLEN(11), FALLEN(12), FALLEN(13), FALLEN(14), FALLEN(15)};

/* Horner's rule on the 32 groups of four bits, highest powers of x first. */
static hash ghash(const context *c, hash y, const uint8_t *p, size_t blocks)
{
    for (; blocks; blocks--, p += 16) {
        const hash x = hash_xor(y, hash_load(p));
        y = (hash){0, 0};
        for (int i = 0; i < 128; i += 4) {
            const uint64_t n = (i < 64 ? x.low >> i : x.high >> (i - 64)) & 15;
            const uint64_t top = fallen[y.low & 15];
            y.low = y.low >> 4 | y.high << 60;
            y.high = y.high >> 4 ^ top << 48;
            y = hash_xor(y, c->multiple[n]);
        }
    }
    return y;
}

#include "../modes/modes.h"

const rijn_backend rijn_backend_table = {
    .name = "table",
    .summary = "32-bit tables, portable C; leaks keys through cache timing",
    .cpu = 0,
    .constant_time = false,
    .automatic = false,
    RIJN_MODES,
};
