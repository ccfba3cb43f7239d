/* RISC-V's vector AES and GHASH instructions (Zvkned, Zvkg). By definition, their time does not
 * depend on their operands; Zvkt and Zkt promise it for the other instructions. One round key
 * serves a group of registers with eight blocks, for registers of any length. One instruction
 * hashes one block. */
#include "../build.h"

#if RIJN_WITH_RISCV64

#include "../backend.h"

RIJN_AT_O3

#include "../cpu.h"
#include "../riscv/zvk.h"
#include "../rounds.h"

#define VEC_BLOCKS 1
#define FLIGHT 8
#define STACK 960
#define FUSED_STACK 0
#define BLOCKS_STACK 384

typedef struct {
    _Alignas(8) uint8_t encrypt[15 * 16]; /* round keys, FIPS 197 section 5.2 */
    uint8_t h[16];
    int rounds;
} context;

typedef block vec;
typedef block hash;

/* ---- Round keys ---- */

/* Puts x in all four columns, because ShiftRows does not change equal columns. */
RIJN_INLINE uint32_t sub_word(uint32_t x)
{
    const uint64_t columns = x | (uint64_t)x << 32;
    return (uint32_t)zvk_last_round((block){columns, columns}, (block){0, 0}).first;
}

#include "../key_schedule.h"

#include "../block_keys.h"

/* Does nothing: decryption takes the same keys in reverse order. */
RIJN_INLINE void aes_decrypt_init(context *c)
{
    (void)c;
}

/* ---- The cipher ---- */

RIJN_INLINE void blocks_encrypt(const context *c, block *b, int n)
{
    zvk_encrypt(b, n, c->encrypt, 16, c->rounds);
}

RIJN_INLINE void blocks_decrypt(const context *c, block *b, int n)
{
    zvk_decrypt(b, n, c->encrypt + 16 * c->rounds, -16, c->rounds);
}

/* ---- GHASH ---- */

#define hash_load block_load
#define hash_store block_store

RIJN_INLINE void ghash_init(context *c, const uint8_t h[16], size_t blocks)
{
    (void)blocks;
    block_store(c->h, block_load(h));
}

RIJN_INLINE hash ghash(const context *c, hash y, const uint8_t *p, size_t blocks)
{
    if (blocks)
        zvk_hash(&y, c->h, p, blocks);
    return y;
}

#include "../polyval_by_ghash.h"

#include "../modes/modes.h"

RIJN_MODES(riscv_zvkned)

const rijn_backend rijn_backend_riscv_zvkned = {
    .summary = "RISC-V's vector AES and GHASH, eight blocks in flight",
    .cpu = RIJN_CPU(RVV) | RIJN_CPU(ZVKNED) | RIJN_CPU(ZVKG) | RIJN_CPU(ZVKT) | RIJN_CPU(ZKT),
    RIJN_CORE(riscv_zvkned),
};

#else
typedef int rijn_no_riscv_zvkned_here; /* ISO C wants a declaration in every file */
#endif
