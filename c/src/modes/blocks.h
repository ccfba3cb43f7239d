/* Operations of backend.h for the backends that do not define them. */

_Static_assert(FLIGHT <= 8, "IN_FLIGHTS knows 8");

/* Runs step(n) for n vecs at a time, and advances in, out and size, until less than a vec is left.
 * First n is `flight`, a power of two up to 8, as long as so many vecs are left, then half of that,
 * and so on. A processor that looks far enough ahead overlaps the steps. */
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

#if VEC_BLOCKS > 1 && !defined(NATIVE_VEC)

#include "../block.h" /* the cipher works on a vec, so a block may be two integers */

RIJN_INLINE void blocks_crypt(const context *c, block *b, int n, bool decrypting)
{
    for (; n > 0; n -= VEC_BLOCKS, b += VEC_BLOCKS) {
        const int m = n < VEC_BLOCKS ? n : VEC_BLOCKS;
        uint8_t bytes[VEC] = {0};
        vec v;

        for (int i = 0; i < m; i++)
            block_store(bytes + 16 * i, b[i]);
        v = vec_load(bytes);
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

RIJN_ONCE block block_load_part(const uint8_t *p, size_t size)
{
    uint64_t first, second;
    load_part(&first, &second, p, size);
    return block_pair(first, second);
}

#ifndef NATIVE_REGISTERS
RIJN_ONCE void block_store_part(uint8_t *p, block x, size_t size)
{
    uint8_t bytes[16];
    block_store(bytes, x);
    store_part(p, size, load_le64(bytes), load_le64(bytes + 8));
}
#endif

/* ---- A vec that is one block ---- */

#if VEC_BLOCKS == 1
typedef block vec;
#define vec_load block_load
#define vec_store block_store
#define vec_bypass block_bypass
#define vec_load_part block_load_part
#define vec_store_part block_store_part
#define vec_xor block_xor
#define aes_encrypt blocks_encrypt
#define aes_decrypt blocks_decrypt
#endif

/* ---- Both directions ---- */

/* Begins a function of a mode that takes a constant argument, such as the direction. It is inlined,
 * so each value of the argument gets its own copy. With CIPHER_APART, one copy serves all values. */
#ifdef CIPHER_APART
#define BOTH_WAYS RIJN_APART static
#else
#define BOTH_WAYS RIJN_INLINE
#endif

/* ---- The XORs around the cipher ---- */

#ifndef NATIVE_ROUNDS
RIJN_INLINE block block_begin(const context *c, block x, bool decrypting)
{
    (void)c, (void)decrypting;
    return x;
}

RIJN_INLINE void blocks_rounds(const context *c, block *b, int n, bool decrypting)
{
    if (decrypting)
        blocks_decrypt(c, b, n);
    else
        blocks_encrypt(c, b, n);
}

RIJN_INLINE block block_mask(const context *c, block onto, bool decrypting)
{
    (void)c, (void)decrypting;
    return onto;
}

RIJN_INLINE block block_end(block x, block mask, bool decrypting)
{
    (void)decrypting;
    return block_xor(x, mask);
}
#endif

#if VEC_BLOCKS == 1
#define vec_begin block_begin
#define aes_rounds blocks_rounds
#define vec_mask block_mask
#define vec_end block_end
#elif !defined(NATIVE_VEC_AES)
RIJN_INLINE vec vec_begin(const context *c, vec x, bool decrypting)
{
    (void)c, (void)decrypting;
    return x;
}

RIJN_INLINE void aes_rounds(const context *c, vec *v, int n, bool decrypting)
{
    if (decrypting)
        aes_decrypt(c, v, n);
    else
        aes_encrypt(c, v, n);
}

RIJN_INLINE vec vec_mask(const context *c, vec onto, bool decrypting)
{
    (void)c, (void)decrypting;
    return onto;
}

RIJN_INLINE vec vec_end(vec x, vec mask, bool decrypting)
{
    (void)decrypting;
    return vec_xor(x, mask);
}
#endif

/* Is block_begin, for chains. It is an XOR with something of the key. So it is its own inverse, and
 * whitening x XOR y is the same as whitening x and then XORing y. */
RIJN_INLINE block block_whiten(const context *c, block x)
{
    return block_begin(c, x, false);
}

/* Replaces b[i] = block_whiten(c, x) by E(x) XOR onto[i]. */
RIJN_INLINE void blocks_encrypt_onto(const context *c, block *b, const block *onto, int n)
{
    blocks_rounds(c, b, n, false);
    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        b[i] = block_end(b[i], block_mask(c, onto[i], false), false);
}

/* ---- Places of a vec ---- */

#if VEC_BLOCKS == 1
#define vec_broadcast(x) (x)
#define vec_last(x) (x)
#define vec_first(x) (x)
#define vec_sum(x) (x)
#elif !defined(NATIVE_VEC)
RIJN_INLINE vec vec_broadcast(block x)
{
    uint8_t bytes[VEC];
    for (int i = 0; i < VEC_BLOCKS; i++)
        block_store(bytes + 16 * i, x);
    return vec_load(bytes);
}

RIJN_INLINE vec vec_last(block x)
{
    uint8_t bytes[VEC] = {0};
    block_store(bytes + VEC - 16, x);
    return vec_load(bytes);
}

RIJN_INLINE block vec_first(vec v)
{
    uint8_t bytes[VEC];
    vec_store(bytes, v);
    return block_load(bytes);
}

RIJN_INLINE block vec_sum(vec v)
{
    uint8_t bytes[VEC];
    vec_store(bytes, v);
    block sum = block_load(bytes);
    for (int i = 1; i < VEC_BLOCKS; i++)
        sum = block_xor(sum, block_load(bytes + 16 * i));
    return sum;
}
#endif

#ifndef NATIVE_VEC
RIJN_INLINE vec vec_part(vec v, size_t size)
{
    uint8_t bytes[VEC];
    vec_store(bytes, v);
    return vec_load_part(bytes, size);
}

RIJN_INLINE vec vec_xor3(vec a, vec b, vec c)
{
    return vec_xor(vec_xor(a, b), c);
}

/* Has `before`, then all blocks of p[0..size) except the last. size is a multiple of 16, up to
 * VEC. */
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
#endif
