/* AES on blocks, for backends with instructions or functions for a round of one register. Include
 * where the target has ssse3, after the rounds that aes_rounds.h lists and after defining `context`
 * with
 *
 *     uint8_t encrypt[15 * 16];   round keys, FIPS 197 section 5.2
 *     uint8_t decrypt[15 * 16];   of the equivalent inverse cipher, section 5.3.5
 *     int rounds;
 *
 * and, from the included rounds,
 *
 *     block round_block(block x, block k), block last_round_block(block x, block k),
 *     block inverse_round_block(block x, block k), block last_inverse_round_block(block x, block k),
 *     block unmix_block(block x)
 */
#ifndef RIJN_X86_AES_H
#define RIJN_X86_AES_H

#include "../rounds.h"
#include "block.h"

/* ---- Round keys ---- */

/* Replaces word i by the XOR of the words 0 to i. */
RIJN_INLINE __m128i running_xor(__m128i k)
{
    k = _mm_xor_si128(k, _mm_slli_si128(k, 4));
    return _mm_xor_si128(k, _mm_slli_si128(k, 8));
}

/* Returns SubWord of a word, XOR constant, in all four words. The bytes of `from` are the positions of
 * the word's bytes. The last round computes it, because ShiftRows does not change four equal columns.
 * (AESKEYGENASSIST takes four times as long on recent CPUs.) */
RIJN_INLINE __m128i sub_word(__m128i k, int from, uint32_t constant)
{
    return last_round_block(_mm_shuffle_epi8(k, _mm_set1_epi32(from)),
                            _mm_set1_epi32((int)constant));
}

/* Positions of the bytes of word 1 or 3, unchanged or after RotWord. */
enum { WORD_3 = 0x0f0e0d0c, ROTATED_3 = 0x0c0f0e0d, ROTATED_1 = 0x04070605 };

/* Returns the next Rcon (FIPS 197 table 5). */
RIJN_INLINE uint32_t next_rcon(uint32_t rcon)
{
    return (rcon << 1 ^ (rcon >> 7) * 0x11b) & 0xff;
}

/* Stores the round keys of the key `a`, for 24 and 32 bytes with its end b, and nothing else. Not inlined:
 * GCM-SIV expands a key for each message. */
RIJN_APART static void aes_expand(context *c, __m128i a, __m128i b, size_t size)
{
    uint8_t *to = c->encrypt;
    uint32_t rcon = 1;

    c->rounds = rounds_for(size);
    block_store(to, a);
    if (size == 16) {
        for (int i = 1; i <= 10; i++, rcon = next_rcon(rcon)) {
            a = _mm_xor_si128(running_xor(a), sub_word(a, ROTATED_3, rcon));
            block_store(to += 16, a);
        }
    } else if (size == 24) { /* six words a step: a, and two of b */
        for (int i = 1;; i++, rcon = next_rcon(rcon)) {
            _mm_storel_epi64((__m128i *)(void *)(to + 16), b);
            a = _mm_xor_si128(running_xor(a), sub_word(b, ROTATED_1, rcon));
            block_store(to += 24, a);
            if (i == 8)
                break;
            b = _mm_xor_si128(running_xor(b), _mm_shuffle_epi32(a, 0xff));
        }
    } else { /* eight words a step: a and b */
        for (int i = 1;; i++, rcon = next_rcon(rcon)) {
            block_store(to += 16, b);
            a = _mm_xor_si128(running_xor(a), sub_word(b, ROTATED_3, rcon));
            block_store(to += 16, a);
            if (i == 7)
                break;
            b = _mm_xor_si128(running_xor(b), sub_word(a, WORD_3, 0));
        }
    }
}

RIJN_INLINE void aes_init(context *c, const uint8_t *key, size_t size)
{
    const __m128i end = size == 32   ? block_load(key + 16)
                        : size == 24 ? _mm_loadl_epi64((const __m128i *)(const void *)(key + 16))
                                     : _mm_setzero_si128();

    aes_expand(c, block_load(key), end, size);
    for (int r = c->rounds + 1; r <= MAX_ROUNDS; r++)
        block_store(c->encrypt + 16 * r, _mm_setzero_si128());
}

RIJN_INLINE void aes_decrypt_init(context *c)
{
    const int rounds = c->rounds;

    block_store(c->decrypt, block_load(c->encrypt + 16 * rounds));
    for (int r = 1; r < rounds; r++)
        block_store(c->decrypt + 16 * r, unmix_block(block_load(c->encrypt + 16 * (rounds - r))));
    block_store(c->decrypt + 16 * rounds, block_load(c->encrypt));
    for (int r = rounds + 1; r <= MAX_ROUNDS; r++)
        block_store(c->decrypt + 16 * r, _mm_setzero_si128());
}

/* ---- The cipher, n blocks side by side ---- */

RIJN_INLINE void add_round_key(const uint8_t *k, __m128i *v, int n)
{
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = _mm_xor_si128(v[i], block_load(k));
}

RIJN_INLINE void encrypt_round(const uint8_t *k, __m128i *v, int n)
{
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = round_block(v[i], block_load(k));
}

RIJN_INLINE void encrypt_last(const uint8_t *k, __m128i *v, int n)
{
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = last_round_block(v[i], block_load(k));
}

RIJN_INLINE void blocks_all_encrypt(const context *c, __m128i *v, int n)
{
    add_round_key(c->encrypt, v, n);
    for (int r = 1; r < c->rounds; r++)
        encrypt_round(c->encrypt + 16 * r, v, n);
    encrypt_last(c->encrypt + 16 * c->rounds, v, n);
}

RIJN_INLINE void decrypt_round(const uint8_t *k, __m128i *v, int n)
{
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = inverse_round_block(v[i], block_load(k));
}

RIJN_INLINE void blocks_all_decrypt(const context *c, __m128i *v, int n)
{
    add_round_key(c->decrypt, v, n);
    for (int r = 1; r < c->rounds; r++)
        decrypt_round(c->decrypt + 16 * r, v, n);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = last_inverse_round_block(v[i], block_load(c->decrypt + 16 * c->rounds));
}

#ifdef ROUNDS_APART

/* The rounds take so long that a call costs little. Arguments and results that may belong to a chain,
 * one block or the second of two, stay in registers. */
RIJN_APART static __m128i encrypt_one(const context *c, __m128i x)
{
    blocks_all_encrypt(c, &x, 1);
    return x;
}

RIJN_APART static __m128i decrypt_one(const context *c, __m128i x)
{
    blocks_all_decrypt(c, &x, 1);
    return x;
}

RIJN_APART static __m128i encrypt_two(const context *c, __m128i x, __m128i y, __m128i *first)
{
    __m128i v[2] = {x, y};

    blocks_all_encrypt(c, v, 2);
    *first = v[0];
    return v[1];
}

/* Processes n blocks, up to `most`. */
#define APART(crypt, most) \
    RIJN_APART static void crypt##_up_to_##most(const context *c, __m128i *p, int n) \
    { \
        __m128i v[most]; \
        for (int i = 0; i < (most); i++) \
            v[i] = i < n ? p[i] : _mm_setzero_si128(); \
        blocks_all_##crypt(c, v, most); \
        for (int i = 0; i < n; i++) \
            p[i] = v[i]; \
    }
APART(encrypt, 4)
APART(encrypt, 8)
APART(decrypt, 4)
#undef APART

RIJN_INLINE void blocks_encrypt(const context *c, __m128i *v, int n)
{
    if (n == 1)
        v[0] = encrypt_one(c, v[0]);
    else if (n == 2)
        v[1] = encrypt_two(c, v[0], v[1], &v[0]);
    else
        (n <= 4 ? encrypt_up_to_4 : encrypt_up_to_8)(c, v, n);
}

RIJN_INLINE void blocks_decrypt(const context *c, __m128i *v, int n)
{
    if (n == 1)
        v[0] = decrypt_one(c, v[0]);
    else
        decrypt_up_to_4(c, v, n);
}

#else

RIJN_INLINE void blocks_encrypt(const context *c, __m128i *v, int n)
{
    blocks_all_encrypt(c, v, n);
}

RIJN_INLINE void blocks_decrypt(const context *c, __m128i *v, int n)
{
    blocks_all_decrypt(c, v, n);
}

/* Combines the first and the last round key with other blocks that are XORed there. So a chain waits
 * only for the rounds, and a mask costs one operation less. */
#define NATIVE_ROUNDS
RIJN_INLINE __m128i block_begin(const context *c, __m128i x, bool decrypting)
{
    return _mm_xor_si128(x, block_load(decrypting ? c->decrypt : c->encrypt));
}

RIJN_INLINE void blocks_rounds(const context *c, __m128i *b, int n, bool decrypting)
{
    for (int r = 1; r < c->rounds; r++) {
        if (decrypting)
            decrypt_round(c->decrypt + 16 * r, b, n);
        else
            encrypt_round(c->encrypt + 16 * r, b, n);
    }
}

/* Is blocks_rounds, written out: for one block, a loop would take four times as many instructions. */
RIJN_INLINE void blocks_written_rounds(const context *c, __m128i *b, int n, bool decrypting)
{
#define ROUND(r) \
    (decrypting ? decrypt_round(c->decrypt + 16 * (r), b, n) \
                : encrypt_round(c->encrypt + 16 * (r), b, n))
    RIJN_UNROLL
    for (int r = 1; r < 10; r++)
        ROUND(r);
    if (c->rounds > 10) {
        ROUND(10), ROUND(11);
        if (c->rounds > 12)
            ROUND(12), ROUND(13);
    }
#undef ROUND
}

RIJN_INLINE __m128i block_rounds(const context *c, __m128i x, bool decrypting)
{
    blocks_written_rounds(c, &x, 1, decrypting);
    return x;
}

RIJN_INLINE __m128i block_mask(const context *c, __m128i onto, bool decrypting)
{
    return _mm_xor_si128(onto, block_load((decrypting ? c->decrypt : c->encrypt) + 16 * c->rounds));
}

RIJN_INLINE __m128i block_end(__m128i x, __m128i mask, bool decrypting)
{
    return decrypting ? last_inverse_round_block(x, mask) : last_round_block(x, mask);
}

#endif

#endif
