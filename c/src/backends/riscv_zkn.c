/* RISC-V's scalar AES instructions, and carry-less products of 64 bits (Zkn). On a CPU with Zkt,
 * their time does not depend on their operands. A register holds half a block, and an instruction
 * makes half of the next state from both halves. Four blocks in flight take sixteen of the 31
 * registers, and are enough for a latency of four rounds. */
#include "../build.h"

#if RIJN_WITH_RISCV64

#include "../backend.h"

RIJN_AT_O3

#include "../cpu.h"
#include "../riscv/zkn.h"
#include "../rounds.h"

#define VEC_BLOCKS 1
#define FLIGHT 4
#define POWERS 4
#define STACK 1280
#define BLOCKS_STACK STACK
#define FUSED_STACK 768

typedef struct {
    block encrypt[15]; /* round keys, FIPS 197 section 5.2 */
    block decrypt[15]; /* the same for the equivalent inverse cipher, section 5.3.5 */
    uint8_t power[POWERS * 16];
    uint8_t fold[POWERS * 8];
    int rounds;
} context;

typedef block vec;

/* ---- Round keys ---- */

RIJN_INLINE uint64_t *half_key(context *c, int i)
{
    block *const k = &c->encrypt[i / 2];
    return i % 2 ? &k->second : &k->first;
}

/* Expands two words at a time: w[2 i] and w[2 i + 1] of FIPS 197. */
RIJN_INLINE void aes_init(context *c, const uint8_t *key, size_t size)
{
    const int first = (int)size / 8, all = 2 * (rounds_for(size) + 1);
    uint32_t rcon = 1;

    c->rounds = rounds_for(size);
    for (int i = 0; i < first; i++)
        *half_key(c, i) = load_le64(key + 8 * i);
    for (int i = first; i < all; i++) {
        uint64_t before = *half_key(c, i - 1);
        if (i % first == 0) { /* RotWord, in the upper word */
            const uint64_t word = before >> 32;
            before = zkn_sub_word(word << 56 | (word >> 8) << 32) ^ (uint64_t)rcon << 32;
            rcon = (rcon << 1 ^ (rcon >> 7) * 0x11b) & 0xff;
        } else if (first == 4 && i % 4 == 2) {
            before = zkn_sub_word(before);
        }
        *half_key(c, i) = zkn_key_words(before, *half_key(c, i - first));
    }
    for (int i = all; i < 2 * (MAX_ROUNDS + 1); i++)
        *half_key(c, i) = 0;
}

RIJN_INLINE void aes_decrypt_init(context *c)
{
    const int rounds = c->rounds;

    for (int r = 0; r <= rounds; r++) {
        const block k = c->encrypt[rounds - r];
        const bool inner = r != 0 && r != rounds;
        c->decrypt[r] = inner ? (block){zkn_inverse_mix(k.first), zkn_inverse_mix(k.second)} : k;
    }
    for (int r = rounds + 1; r <= MAX_ROUNDS; r++)
        c->decrypt[r] = (block){0, 0};
}

/* ---- The cipher, n blocks side by side ---- */

RIJN_INLINE void add_key(block k, block *b, int n)
{
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        b[i] = block_xor(b[i], k);
}

RIJN_INLINE void next_round(block k, block *b, int n, bool decrypting)
{
    RIJN_UNROLL
    for (int i = 0; i < n; i++) {
        const block x = b[i];
        if (decrypting)
            b[i] = (block){zkn_inverse_round(x.first, x.second) ^ k.first,
                           zkn_inverse_round(x.second, x.first) ^ k.second};
        else
            b[i] = zkn_block_round(x, k);
    }
}

RIJN_INLINE block last_round(block x, block k, bool decrypting)
{
    if (decrypting)
        return (block){zkn_last_inverse_round(x.first, x.second) ^ k.first,
                       zkn_last_inverse_round(x.second, x.first) ^ k.second};
    return (block){zkn_last_round(x.first, x.second) ^ k.first,
                   zkn_last_round(x.second, x.first) ^ k.second};
}

/* The first and the last round key join the other XORs there. */
#define NATIVE_ROUNDS
RIJN_INLINE block block_begin(const context *c, block x, bool decrypting)
{
    return block_xor(x, (decrypting ? c->decrypt : c->encrypt)[0]);
}

RIJN_INLINE void blocks_rounds(const context *c, block *b, int n, bool decrypting)
{
    const block *const k = decrypting ? c->decrypt : c->encrypt;

    for (int r = 1; r < c->rounds; r++)
        next_round(k[r], b, n, decrypting);
}

RIJN_INLINE block block_mask(const context *c, block onto, bool decrypting)
{
    return block_xor(onto, (decrypting ? c->decrypt : c->encrypt)[c->rounds]);
}

RIJN_INLINE block block_end(block x, block mask, bool decrypting)
{
    return last_round(x, mask, decrypting);
}

RIJN_INLINE void whole_cipher(const context *c, block *b, int n, bool decrypting)
{
    const block *const k = decrypting ? c->decrypt : c->encrypt;

    add_key(k[0], b, n);
    blocks_rounds(c, b, n, decrypting);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        b[i] = last_round(b[i], k[c->rounds], decrypting);
}

RIJN_INLINE void blocks_encrypt(const context *c, block *b, int n)
{
    whole_cipher(c, b, n, false);
}

RIJN_INLINE void blocks_decrypt(const context *c, block *b, int n)
{
    whole_cipher(c, b, n, true);
}

/* ---- GHASH ---- */

#include "../carryless/block.h"

#include "../carryless/ghash.h"

/* Encrypts first and then hashes: a round of four blocks and a product do not fit in the
 * registers. */
RIJN_INLINE block encrypt_hash(const context *c, vec *v, block y, const uint8_t *p, bool reversed)
{
    blocks_encrypt(c, v, FLIGHT);
    return hash_group(c, y, p, reversed);
}

/* ---- Counters ---- */

#define NATIVE_COUNTERS
/* zkn_swap reverses the bytes of the counting word, and puts them in the upper half. */
RIJN_INLINE void counters(vec *v, int n, block fixed, uint32_t low, bool hidden)
{
    const uint64_t stays = fixed.second & UINT32_MAX;

    (void)hidden; /* no branch depends on the counter */
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = (block){fixed.first, stays | zkn_swap((uint32_t)(low + (uint32_t)i))};
}

RIJN_INLINE void little_counters(vec *v, int n, block fixed, uint32_t low)
{
    const uint64_t stays = fixed.first & ~(uint64_t)UINT32_MAX;

    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = (block){stays | (uint32_t)(low + (uint32_t)i), fixed.second};
}

#include "../modes/modes.h"

RIJN_MODES(riscv_zkn)

const rijn_backend rijn_backend_riscv_zkn = {
    .summary = "RISC-V's scalar AES and carry-less products, four blocks in flight",
    .cpu = RIJN_CPU(ZKNE) | RIJN_CPU(ZKND) | RIJN_CPU(ZBKB) | RIJN_CPU(ZBKC) | RIJN_CPU(ZKT),
    RIJN_CORE(riscv_zkn),
};

#else
typedef int rijn_no_riscv_zkn_here; /* ISO C wants a declaration in every file */
#endif
