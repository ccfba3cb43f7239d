/* A vec of two blocks in a ymm register or of four in a zmm register, and operations other than the
 * cipher on all its blocks at once. Include where the target has avx2 and, for four blocks, avx512f,
 * avx512bw and avx512vl, after defining
 *     VEC_BLOCKS      4 or 2
 *     VEC_MULTIPLIES  1 where the target has vpclmulqdq, else 0 */
#ifndef RIJN_X86_VEC_H
#define RIJN_X86_VEC_H

#include <immintrin.h>

#include "../bytes.h"
#include "../sizes.h"
#include "block.h"

#define NATIVE_VEC /* with block.h and aes.h */

#if VEC_BLOCKS == 4
typedef __m512i vec;
#define vec_xor _mm512_xor_si512
#define vec_and _mm512_and_si512
#define vec_add32 _mm512_add_epi32
#define vec_shuffle _mm512_shuffle_epi8
#define vec_shift_up _mm512_bslli_epi128 /* by bytes, within each block */
#define vec_shift_down _mm512_bsrli_epi128
#define vec_swap_halves(x) _mm512_shuffle_epi32(x, (_MM_PERM_ENUM)0x4e)
#define vec_halves _mm512_set1_epi64
#define vec_halves_up _mm512_sllv_epi64 /* by bits; 64 bits give zero */
#define vec_halves_down _mm512_srlv_epi64
#define vec_zero _mm512_setzero_si512
#define vec_multiply _mm512_clmulepi64_epi128 /* halves of 64 bits, carry-less */
#else
typedef __m256i vec;
#define vec_xor _mm256_xor_si256
#define vec_and _mm256_and_si256
#define vec_add32 _mm256_add_epi32
#define vec_shuffle _mm256_shuffle_epi8
#define vec_shift_up _mm256_bslli_epi128
#define vec_shift_down _mm256_bsrli_epi128
#define vec_swap_halves(x) _mm256_shuffle_epi32(x, 0x4e)
#define vec_halves _mm256_set1_epi64x
#define vec_halves_up _mm256_sllv_epi64
#define vec_halves_down _mm256_srlv_epi64
#define vec_zero _mm256_setzero_si256
#define vec_multiply _mm256_clmulepi64_epi128
#endif

RIJN_INLINE vec vec_load(const uint8_t *p)
{
#if VEC_BLOCKS == 4
    return _mm512_loadu_si512(p);
#else
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
#endif
}

RIJN_INLINE void vec_store(uint8_t *p, vec x)
{
#if VEC_BLOCKS == 4
    _mm512_storeu_si512(p, x);
#else
    _mm256_storeu_si256((__m256i *)(void *)p, x);
#endif
}

/* Returns the block in every place. */
RIJN_INLINE vec vec_broadcast(__m128i x)
{
#if VEC_BLOCKS == 4
    return _mm512_broadcast_i32x4(x);
#else
    return _mm256_broadcastsi128_si256(x);
#endif
}

/* Returns a constant block in every place, without an operation. */
RIJN_INLINE vec vec_constant(uint64_t first, uint64_t second)
{
#if VEC_BLOCKS == 4
    return _mm512_set_epi64((int64_t)second, (int64_t)first, (int64_t)second, (int64_t)first,
                            (int64_t)second, (int64_t)first, (int64_t)second, (int64_t)first);
#else
    return vec_broadcast(_mm_set_epi64x((int64_t)second, (int64_t)first));
#endif
}

/* Returns the word as the last of every block, after zeros. */
RIJN_INLINE vec vec_last_words(uint32_t x)
{
#if VEC_BLOCKS == 4
    return _mm512_maskz_set1_epi32(0x8888, (int)x);
#else
    return vec_broadcast(_mm_insert_epi32(_mm_setzero_si128(), (int)x, 3));
#endif
}

RIJN_INLINE __m128i vec_first(vec x)
{
#if VEC_BLOCKS == 4
    return _mm512_castsi512_si128(x);
#else
    return _mm256_castsi256_si128(x);
#endif
}

RIJN_INLINE vec vec_load_broadcast(const uint8_t *p)
{
    return vec_broadcast(block_load(p));
}

/* Returns the block as the first of the vec, followed by zeros. */
RIJN_INLINE vec vec_only(__m128i x)
{
#if VEC_BLOCKS == 4
    return _mm512_zextsi128_si512(x);
#else
    return _mm256_zextsi128_si256(x);
#endif
}

/* Returns the XOR of the vec's blocks. */
RIJN_INLINE __m128i vec_sum(vec x)
{
#if VEC_BLOCKS == 4
    const __m256i half =
        _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
#else
    const __m256i half = x;
#endif
    return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

RIJN_INLINE vec vec_xor3(vec a, vec b, vec c)
{
#if VEC_BLOCKS == 4
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
#else
    return vec_xor(vec_xor(a, b), c);
#endif
}

#if VEC_BLOCKS == 4
/* Returns a mask with bit i set for from <= i < to <= 64. */
RIJN_INLINE __mmask64 bytes_mask(size_t from, size_t to)
{
    return (__mmask64)(~(uint64_t)0 << from & ~(uint64_t)0 >> (64 - to));
}
#endif

RIJN_INLINE vec vec_load_part(const uint8_t *p, size_t size)
{
#if VEC_BLOCKS == 4
    return _mm512_maskz_loadu_epi8(bytes_mask(0, size), p);
#else
    __m128i first, second = _mm_setzero_si128();
    uint64_t low, high;

    if (size >= 16) {
        first = block_load(p);
        if (size > 16) {
            load_part(&low, &high, p + 16, size - 16);
            second = block_pair(low, high);
        }
    } else {
        load_part(&low, &high, p, size);
        first = block_pair(low, high);
    }
    return _mm256_set_m128i(second, first);
#endif
}

RIJN_INLINE void vec_store_part(uint8_t *p, vec x, size_t size)
{
#if VEC_BLOCKS == 4
    _mm512_mask_storeu_epi8(p, bytes_mask(0, size), x);
#else
    __m128i last = _mm256_castsi256_si128(x);

    if (size >= 16) {
        block_store(p, last);
        p += 16, size -= 16;
        last = _mm256_extracti128_si256(x, 1);
    }
    if (size)
        store_part(p, size, (uint64_t)_mm_cvtsi128_si64(last),
                   (uint64_t)_mm_extract_epi64(last, 1));
#endif
}

RIJN_INLINE vec vec_behind(__m128i before, const uint8_t *p, size_t size)
{
#if VEC_BLOCKS == 4
    const vec x = size == VEC ? vec_load(p) : vec_load_part(p, size);
    return _mm512_alignr_epi64(x, vec_broadcast(before), 6);
#else
    return size == VEC ? _mm256_set_m128i(block_load(p), before) : vec_only(before);
#endif
}

/* Returns zeros and then the n blocks at p, at least one and fewer than a vec has, the first XOR y. */
RIJN_INLINE vec vec_end_with(__m128i y, const uint8_t *p, size_t n)
{
#if VEC_BLOCKS == 4
    const void *const start = (const void *)((uintptr_t)p + 16 * n - VEC);
    return vec_xor(_mm512_maskz_loadu_epi32((__mmask16)(0xffff0000 >> 4 * n), start),
                   _mm512_maskz_broadcast_i32x4((__mmask16)(0xf0000 >> 4 * n), y));
#else
    (void)n;
    return _mm256_set_m128i(_mm_xor_si128(block_load(p), y), _mm_setzero_si128());
#endif
}

/* Returns the first halves of blocks i and i + 1 of x. i is even. */
RIJN_INLINE __m128i vec_packed_halves(vec x, int i)
{
#if VEC_BLOCKS == 4
    const vec order = _mm512_set_epi64(0, 0, 0, 0, 6, 4, 2, 0);
    const __m256i halves = _mm512_castsi512_si256(_mm512_permutexvar_epi64(order, x));
#else
    const __m256i halves = _mm256_permute4x64_epi64(x, 0x08);
#endif
    return i ? _mm256_extracti128_si256(halves, 1) : _mm256_castsi256_si128(halves);
}

/* ---- The beginning and the end of a message ----
 *
 * A span is the bytes from..to of a vec, from = 0 or 32. Bytes outside the span are neither read nor
 * written in memory, and zero in a loaded vec. */

RIJN_INLINE vec vec_load_span(const uint8_t *p, size_t from, size_t to)
{
#if VEC_BLOCKS == 4
    return _mm512_maskz_loadu_epi8(bytes_mask(from, to), p);
#else
    return from ? vec_zero() : to == VEC ? vec_load(p) : vec_load_part(p, to);
#endif
}

RIJN_INLINE void vec_store_span(uint8_t *p, vec x, size_t from, size_t to)
{
#if VEC_BLOCKS == 4
    _mm512_mask_storeu_epi8(p, bytes_mask(from, to), x);
#else
    if (from)
        return;
    if (to == VEC)
        vec_store(p, x);
    else
        vec_store_part(p, x, to);
#endif
}

/* Returns x with zeros outside the span. */
RIJN_INLINE vec vec_keep(vec x, size_t from, size_t to)
{
#if VEC_BLOCKS == 4
    return _mm512_maskz_mov_epi8(bytes_mask(from, to), x);
#else
    static const uint64_t ones[8] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
    return from ? vec_zero() : vec_and(x, vec_load((const uint8_t *)ones + 32 - to));
#endif
}

/* Returns the block in place `i`, with zeros elsewhere. */
RIJN_INLINE vec vec_place(__m128i x, size_t i)
{
#if VEC_BLOCKS == 4
    return _mm512_maskz_broadcast_i32x4((__mmask16)(0xf << 4 * i), x);
#else
    return i ? _mm256_set_m128i(x, _mm_setzero_si128()) : vec_only(x);
#endif
}

/* Returns two blocks, with zeros behind them. */
RIJN_INLINE vec vec_pair(__m128i first, __m128i second)
{
#if VEC_BLOCKS == 4
    return _mm512_zextsi256_si512(_mm256_set_m128i(second, first));
#else
    return _mm256_set_m128i(second, first);
#endif
}

RIJN_INLINE vec vec_last(__m128i x)
{
    return vec_place(x, VEC_BLOCKS - 1);
}

RIJN_INLINE vec vec_part(vec x, size_t size)
{
    return vec_keep(x, 0, size);
}

#if VEC_BLOCKS == 4
/* Returns the first n blocks, with zeros behind them. */
RIJN_INLINE vec vec_first_blocks(vec x, size_t n)
{
    return _mm512_maskz_mov_epi64((__mmask8)((1u << 2 * n) - 1), x);
}

/* Returns the block in place `i`, or zeros for i = 4. */
RIJN_INLINE __m128i vec_block(vec x, size_t i)
{
    return _mm512_castsi512_si128(_mm512_maskz_compress_epi64((__mmask8)(3u << 2 * i), x));
}
#endif

/* Returns the block in place 1. */
RIJN_INLINE __m128i vec_second(vec x)
{
#if VEC_BLOCKS == 4
    return _mm512_extracti32x4_epi32(x, 1);
#else
    return _mm256_extracti128_si256(x, 1);
#endif
}

/* ---- Tweaks of XTS ---- */

/* Returns, for every block, its lower half times x^128 = x^7 + x^2 + x + 1. Without VEC_MULTIPLIES it
 * also multiplies the upper half, and drops bits that a product has beyond its half. */
RIJN_INLINE vec tweak_fold_low(vec fallen)
{
#if VEC_MULTIPLIES
    return vec_multiply(fallen, vec_broadcast(_mm_set_epi32(0, 0, 0, 0x87)), 0x00);
#else
    return vec_xor(vec_xor3(fallen, vec_halves_up(fallen, vec_halves(1)),
                            vec_halves_up(fallen, vec_halves(2))),
                   vec_halves_up(fallen, vec_halves(7)));
#endif
}

/* The same for the upper half, which holds the bits shifted out of it. */
RIJN_INLINE vec tweak_fold(vec fallen)
{
#if VEC_MULTIPLIES
    return vec_multiply(fallen, vec_broadcast(_mm_set_epi32(0, 0, 0, 0x87)), 0x01);
#else
    return tweak_fold_low(vec_shift_down(fallen, 8));
#endif
}

/* Returns every block of t times x^k. `left` has k and `right` has 64 - k in both halves. */
RIJN_INLINE vec tweak_shift(vec t, vec left, vec right)
{
    const vec fallen = vec_halves_down(t, right);
    return vec_xor3(vec_halves_up(t, left), vec_shift_up(fallen, 8), tweak_fold(fallen));
}

RIJN_INLINE vec tweak_times(vec t, int k)
{
    return tweak_shift(t, vec_halves(k), vec_halves(64 - k));
}

/* Returns a vec of successive tweaks, beginning with `first`. */
RIJN_INLINE vec tweaks_from(__m128i first)
{
#if VEC_BLOCKS == 4
    const vec left = _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0);
    const vec right = _mm512_sub_epi64(vec_halves(64), left);
#else
    const vec left = _mm256_set_epi64x(1, 1, 0, 0);
    const vec right = _mm256_sub_epi64(vec_halves(64), left);
#endif
    return tweak_shift(vec_broadcast(first), left, right);
}

#if VEC_BLOCKS == 4

#define NATIVE_REGISTER_TWEAKS
RIJN_INLINE void first_tweaks(vec *t, __m128i first, int n)
{
    t[0] = tweaks_from(first);
    RIJN_UNROLL
    for (int i = 1; i < n; i++)
        t[i] = tweak_times(t[0], VEC_BLOCKS * i);
}

/* Multiplies by x^32: shifts by four bytes and reduces the bytes shifted out. */
_Static_assert(BATCH_BLOCKS == 32, "tweaks move by four bytes");
RIJN_INLINE vec next_tweaks(vec t)
{
    return vec_xor(vec_shift_up(t, 4), tweak_fold_low(vec_shift_down(t, 12)));
}

#else

#define NATIVE_TABLE_TWEAKS
typedef struct {
    vec next;
} tweak_chain;

RIJN_INLINE tweak_chain tweak_load(const uint8_t first[16])
{
    return (tweak_chain){tweaks_from(block_load(first))};
}

RIJN_INLINE void tweaks(uint8_t *t, tweak_chain *chain)
{
    const vec first = chain->next;

    vec_store(t, first);
    RIJN_UNROLL
    for (int i = 1; i < FLIGHT; i++)
        vec_store(t + VEC * i, tweak_times(first, VEC_BLOCKS * i));
    chain->next = tweak_times(first, BATCH_BLOCKS);
}

RIJN_INLINE vec far_tweaks(vec t)
{
#if VEC_MULTIPLIES
    return vec_xor(vec_shift_up(t, 8), tweak_fold(t));
#else
    /* The product of the upper half with x^7 + x^2 + x + 1 is longer than a half. */
    const vec high = vec_shift_down(t, 8);
    const vec over =
        vec_xor3(vec_halves_down(high, vec_halves(63)), vec_halves_down(high, vec_halves(62)),
                 vec_halves_down(high, vec_halves(57)));
    return vec_xor(vec_shift_up(vec_xor(t, over), 8), tweak_fold_low(high));
#endif
}

#endif

/* ---- Counters ---- */

/* Returns a vec whose block j has the number first + j in its counter word: the last word in big-endian
 * order, or the first in little-endian order. */
RIJN_INLINE vec vec_steps(int first, bool big_endian)
{
    const int up = big_endian ? 24 : 0;
#if VEC_BLOCKS == 4
    return big_endian ? _mm512_set_epi32((first + 3) << up, 0, 0, 0, (first + 2) << up, 0, 0, 0,
                                         (first + 1) << up, 0, 0, 0, first << up, 0, 0, 0)
                      : _mm512_set_epi32(0, 0, 0, first + 3, 0, 0, 0, first + 2, 0, 0, 0, first + 1,
                                         0, 0, 0, first);
#else
    return big_endian ? _mm256_set_epi32((first + 1) << up, 0, 0, 0, first << up, 0, 0, 0)
                      : _mm256_set_epi32(0, 0, 0, first + 1, 0, 0, 0, first);
#endif
}

/* Like the counters of one block (aesni.h): in place while the last byte does not wrap. */
#define NATIVE_COUNTERS
RIJN_INLINE void counters(vec *v, int n, __m128i fixed, uint32_t low, bool hidden)
{
    const __m128i reversed = _mm_insert_epi32(byte_reverse(fixed), (int)low, 0);

    if ((ct_unless_hidden(low, hidden) & 0xff) + (uint32_t)n * VEC_BLOCKS <= 0x100) {
        const vec first = vec_broadcast(byte_reverse(reversed));
        RIJN_UNROLL
        for (int i = 0; i < n; i++)
            v[i] = vec_add32(first, vec_steps(VEC_BLOCKS * i, true));
    } else {
        const vec first = vec_broadcast(reversed), turn = vec_broadcast(reverse_order());
        RIJN_UNROLL
        for (int i = 0; i < n; i++)
            v[i] = vec_shuffle(vec_add32(first, vec_steps(VEC_BLOCKS * i, false)), turn);
    }
}

RIJN_INLINE void little_counters(vec *v, int n, __m128i fixed, uint32_t low)
{
    const vec first = vec_broadcast(_mm_insert_epi32(fixed, (int)low, 0));

    RIJN_UNROLL
    for (int i = 0; i < n; i++)
        v[i] = vec_add32(first, vec_steps(VEC_BLOCKS * i, false));
}

#endif
