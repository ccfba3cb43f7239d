/* AES with tables, in hand-written x86-64 assembly (asm_x86_64.S explains it). It shares key
 * schedules and GHASH with `table`, and is the assembly to compare with it. Like `table` it reads
 * at addresses that depend on key and data. So cache timing gives the key away, and Rijn never
 * chooses it without its name. */
#include "../backend.h"

#if defined(RIJN_ASM) && RIJN_WITH_ALL /* the build has that file */

/* gcc would join the halves of a block in a vector register, through the stack. That makes CBC
 * encryption a seventh slower. */
#if !defined(__clang__)
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include "../block.h"
#include "../bytes.h"
#include "../tables/columns.h"
#include "../tables/context.h"

#define VEC_BLOCKS 1
#define FLIGHT 1
#define STACK 832
#define FUSED_STACK 0

/* ---- Tables ---- */

/* Every column is in the table twice. The columns of rows 1, 2 and 3 are the column of row 0,
 * rotated by 1, 2 and 3 bytes. So they are the four bytes from offset 3, 2 and 1 on, and one table
 * of 2 KiB serves all rows. From LAST on there is a second table for the last round, without
 * (Inv)MixColumns. */
enum { LAST = 2 * 256 };

#define TWICE(entry) entry entry
#define MIXED(s) TWICE(MIX0(s))
#define UNMIXED(s) TWICE(UNMIX0(s))
#define ALONE(s) TWICE(COLUMN(s, 0, 0, 0))

typedef const uint32_t table[2 * LAST];

_Alignas(64) static table mixed = {S_BOX(MIXED) S_BOX(ALONE)};
_Alignas(64) static table unmixed = {INVERSE_S_BOX(UNMIXED) INVERSE_S_BOX(ALONE)};

/* ---- AES ---- */

/* Return the block after 10, 12 or 14 rounds. System V passes and returns a block in a pair of
 * registers, so a chain does not wait for memory. `keys` is the key schedule of the direction. */
block rijn_asm_encrypt(block b, const uint32_t *keys, int rounds, table t);
block rijn_asm_decrypt(block b, const uint32_t *keys, int rounds, table t);

#define CIPHER_APART
RIJN_INLINE void blocks_encrypt(const context *c, block *b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = rijn_asm_encrypt(b[i], c->encrypt, c->rounds, mixed);
}

RIJN_INLINE void blocks_decrypt(const context *c, block *b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = rijn_asm_decrypt(b[i], c->decrypt, c->rounds, unmixed);
}

static uint32_t rotate_left(uint32_t w, int bytes)
{
    return (uint32_t)(w * UINT64_C(0x100000001) >> (32 - 8 * bytes));
}

static uint32_t sub_word(uint32_t w)
{
    uint32_t t = 0;

    for (int i = 0; i < 32; i += 8)
        t |= mixed[LAST + 2 * (w >> i & 0xff)] << i;
    return t;
}

static uint32_t unmix_word(uint32_t w)
{
    const uint32_t s = sub_word(w); /* undoes the table's InvSubBytes */
    uint32_t t = 0;

    for (int r = 0; r < 4; r++)
        t ^= rotate_left(unmixed[2 * (s >> 8 * r & 0xff)], r);
    return t;
}

/* Between rounds, the assembly keeps word c rotated to the left by step * c bytes (modulo 4). Round
 * keys 1 to Nr - 1 must be rotated in the same way. */
static void rotate_keys(uint32_t *keys, int rounds, int step)
{
    for (int i = 4; i < 4 * rounds; i++)
        keys[i] = rotate_left(keys[i], step * i % 4);
}

enum { ENCRYPT_STEP = 3, DECRYPT_STEP = 1 };

static uint32_t schedule_word(const context *c, int i)
{
    const bool rotated = 4 <= i && i < 4 * c->rounds;
    return rotate_left(c->encrypt[i], rotated ? (4 - ENCRYPT_STEP) * i % 4 : 0);
}

#include "../tables/keys.h"

static void aes_init(context *c, const uint8_t *key, size_t size)
{
    expand_encrypt(c, key, size);
    rotate_keys(c->encrypt, c->rounds, ENCRYPT_STEP);
}

static void aes_decrypt_init(context *c)
{
    expand_decrypt(c);
    rotate_keys(c->decrypt, c->rounds, DECRYPT_STEP);
}

#include "../tables/ghash.h"

#include "../modes/modes.h"

RIJN_MODES(asm)

const rijn_backend rijn_backend_asm = {
    .summary = "32-bit tables, x86-64 assembly; leaks keys through cache timing",
    .cpu = 0,
    RIJN_CORE(asm),
};

#else

typedef int rijn_no_asm_here; /* ISO C wants a declaration in every file */

#endif
