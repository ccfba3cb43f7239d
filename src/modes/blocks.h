/* What of backend.h's operations a backend leaves to the templates. */

enum { VEC = 16 * VEC_BLOCKS, BATCH_BLOCKS = FLIGHT * VEC_BLOCKS, BATCH = FLIGHT * VEC };

#ifndef DECRYPT_FLIGHT
#define DECRYPT_FLIGHT FLIGHT
#endif

#ifndef FUSED_FLIGHT
#define FUSED_FLIGHT FLIGHT
#endif

enum { MOST_FLIGHT = FLIGHT > DECRYPT_FLIGHT ? FLIGHT : DECRYPT_FLIGHT };

_Static_assert(FLIGHT <= 8 && DECRYPT_FLIGHT <= 8 && FUSED_FLIGHT <= 8, "IN_FLIGHTS knows 8");

/* Does step(n) for n vecs at a time and moves in, out and size on, until less than one vec
 * is left: as many as `flight`, a power of two up to 8, as long as they last, then half
 * as many. A processor that looks far enough ahead has all of those in flight. */
#define IN_FLIGHTS(flight, step) \
    do { \
        while (size >= VEC * (size_t)(flight)) \
            IN_FLIGHT(flight, step); \
        if ((flight) > 4 && size >= VEC * 4) \
            IN_FLIGHT((flight) > 4 ? 4 : 1, step); \
        if ((flight) > 2 && size >= VEC * 2) \
            IN_FLIGHT((flight) > 2 ? 2 : 1, step); \
        if ((flight) > 1 && size >= VEC) \
            IN_FLIGHT(1, step); \
    } while (0)
#define IN_FLIGHT(n, step) \
    do { \
        step(n); \
        in += VEC * (n), out += VEC * (n), size -= VEC * (size_t)(n); \
    } while (0)

/* ---- One block ---- */

#if VEC_BLOCKS > 1 && !defined(NATIVE_BLOCKS)

#include "../block.h" /* it meets its like in a vec */

RIJN_INLINE void blocks_crypt(const context *c, block *b, int n, bool decrypting)
{
    for (; n > 0; n -= VEC_BLOCKS, b += VEC_BLOCKS) {
        const int m = n < VEC_BLOCKS ? n : VEC_BLOCKS;
        uint8_t bytes[VEC];
        vec v;

        for (int i = 0; i < m; i++)
            block_store(bytes + 16 * i, b[i]);
        v = m < VEC_BLOCKS ? vec_load_part(bytes, 16 * (size_t)m) : vec_load(bytes);
        if (decrypting)
            aes_decrypt(c, &v, 1);
        else
            aes_encrypt(c, &v, 1);
        vec_store(bytes, v);
        for (int i = 0; i < m; i++)
            b[i] = block_load(bytes + 16 * i);
    }
}

RIJN_INLINE void blocks_encrypt(const context *c, block *b, int n)
{
    blocks_crypt(c, b, n, false);
}

RIJN_INLINE void blocks_decrypt(const context *c, block *b, int n)
{
    blocks_crypt(c, b, n, true);
}

#endif

RIJN_INLINE block block_load_part(const uint8_t *p, size_t size)
{
    uint64_t first, second;
    load_part(&first, &second, p, size);
    return block_pair(first, second);
}

RIJN_INLINE void block_store_part(uint8_t *p, block x, size_t size)
{
    uint8_t bytes[16];
    block_store(bytes, x);
    store_part(p, size, load_le64(bytes), load_le64(bytes + 8));
}

/* ---- A vec that is one block ---- */

#if VEC_BLOCKS == 1
typedef block vec;
#define vec_load block_load
#define vec_store block_store
#define vec_load_part block_load_part
#define vec_store_part block_store_part
#define vec_xor block_xor
#define aes_encrypt blocks_encrypt
#define aes_decrypt blocks_decrypt
#endif

/* ---- Blocks with the XORs around the cipher ---- */

#ifndef NATIVE_WHITENING
RIJN_INLINE block block_whiten(const context *c, block x)
{
    (void)c;
    return x;
}

RIJN_INLINE void blocks_encrypt_onto(const context *c, block *b, const block *onto, int n)
{
    blocks_encrypt(c, b, n);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        b[i] = block_xor(b[i], onto[i]);
}
#endif

/* `before`, then the blocks at p but for the last: of size bytes, whole blocks, up to VEC. */
RIJN_INLINE vec vec_behind(block before, const uint8_t *p, size_t size)
{
#if VEC_BLOCKS == 1
    (void)p, (void)size;
    return before;
#else
    uint8_t bytes[VEC] = {0};
    block_store(bytes, before);
    memcpy(bytes + 16, p, size - 16);
    return vec_load(bytes);
#endif
}
