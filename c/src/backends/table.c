/* AES with 32-bit tables (Daemen and Rijmen, "AES Proposal: Rijndael", section 5.2.1), and GHASH
 * with a table of the products of H and all values of four bits (Shoup). Most software without AES
 * instructions still ships this. It reads the tables at addresses that depend on key and data, so
 * cache timing gives the key away. It is here for comparison, and Rijn never chooses it without its
 * name. */
#include "../build.h"

#if RIJN_WITH_TABLE

#include "../backend.h"
#include "../block.h"
#include "../bytes.h"
#include "../tables/columns.h"
#include "../tables/context.h"

#define VEC_BLOCKS 1
#define FLIGHT 1
#define STACK 1088
#define FUSED_STACK 0

/* ---- Tables ---- */

#define BYTE(s) s,

static const uint8_t s_box[256] = {S_BOX(BYTE)};
static const uint8_t inverse_s_box[256] = {INVERSE_S_BOX(BYTE)};

/* (Inv)SubBytes and (Inv)MixColumns of a byte, by its row. On x86-64 four tables were a tenth
 * faster than one table with rotated entries. */
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

/* Returns column c of the next state, without the round key. ShiftRows moves row r to the left by r
 * columns, and its inverse to the right: step is 1 or 3. */
RIJN_INLINE uint32_t mixed_column(const uint32_t table[4][256], const uint32_t s[4], int c,
                                  int step)
{
    uint32_t t = 0;

    RIJN_UNROLL
    for (int r = 0; r < 4; r++)
        t ^= table[r][byte_of(s[(c + r * step) % 4], r)];
    return t;
}

/* Does the same without MixColumns, for the last round. */
RIJN_INLINE uint32_t last_column(const uint8_t box[256], const uint32_t s[4], int c, int step)
{
    uint32_t t = 0;

    RIJN_UNROLL
    for (int r = 0; r < 4; r++)
        t |= (uint32_t)box[byte_of(s[(c + r * step) % 4], r)] << 8 * r;
    return t;
}

RIJN_INLINE void run_rounds(block *b, const uint32_t *k, int rounds, const uint32_t table[4][256],
                            const uint8_t box[256], int step)
{
    uint32_t s[4], t[4];

    RIJN_UNROLL
    for (int c = 0; c < 4; c++)
        s[c] = (uint32_t)((c < 2 ? b->first : b->second) >> 32 * (c % 2)) ^ k[c];
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
        t[c] = last_column(box, s, c, step) ^ k[c];
    b->first = t[0] | (uint64_t)t[1] << 32;
    b->second = t[2] | (uint64_t)t[3] << 32;
}

static void blocks_encrypt(const context *c, block *b, int n)
{
    for (int i = 0; i < n; i++)
        run_rounds(&b[i], c->encrypt, c->rounds, mixed, s_box, 1);
}

static void blocks_decrypt(const context *c, block *b, int n)
{
    for (int i = 0; i < n; i++)
        run_rounds(&b[i], c->decrypt, c->rounds, unmixed, inverse_s_box, 3);
}

static uint32_t sub_word(uint32_t w)
{
    const uint32_t column[4] = {w, w, w, w};
    return last_column(s_box, column, 0, 1);
}

RIJN_INLINE uint32_t unmix_word(uint32_t w)
{
    /* SubBytes undoes the table's InvSubBytes. */
    const uint32_t s[4] = {sub_word(w), sub_word(w), sub_word(w), sub_word(w)};
    return mixed_column(unmixed, s, 0, 1);
}

static uint32_t schedule_word(const context *c, int i)
{
    return c->encrypt[i];
}

#include "../tables/keys.h"

#define aes_init expand_encrypt
#define aes_decrypt_init expand_decrypt

#include "../tables/ghash.h"

#include "../modes/modes.h"

RIJN_MODES(table)

const rijn_backend rijn_backend_table = {
    .summary = "32-bit tables, portable C; leaks keys through cache timing",
    .cpu = 0,
    RIJN_CORE(table),
};

#endif
