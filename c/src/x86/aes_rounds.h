/* The rounds of AES (FIPS 197 section 5) on the blocks of a register, with AES-NI or VAES. Include
 * where the target has aes; registers of 256 bits also need vaes, of 512 bits vaes and avx512f.
 *
 *     round_block(x, k)               SubBytes, ShiftRows, MixColumns, XOR k
 *     last_round_block(x, k)          without MixColumns
 *     inverse_round_block(x, k)       of the equivalent inverse cipher (section 5.3.5)
 *     last_inverse_round_block(x, k)
 *     unmix_block(x)                  InvMixColumns
 *
 * and the same functions for registers of two and four blocks, with the suffixes _2 and _4. */
#ifndef RIJN_X86_AES_ROUNDS_H
#define RIJN_X86_AES_ROUNDS_H

#include <wmmintrin.h>

#define round_block _mm_aesenc_si128
#define last_round_block _mm_aesenclast_si128
#define inverse_round_block _mm_aesdec_si128
#define last_inverse_round_block _mm_aesdeclast_si128
#define unmix_block _mm_aesimc_si128

#define round_block_2 _mm256_aesenc_epi128
#define last_round_block_2 _mm256_aesenclast_epi128
#define inverse_round_block_2 _mm256_aesdec_epi128
#define last_inverse_round_block_2 _mm256_aesdeclast_epi128

#define round_block_4 _mm512_aesenc_epi128
#define last_round_block_4 _mm512_aesenclast_epi128
#define inverse_round_block_4 _mm512_aesdec_epi128
#define last_inverse_round_block_4 _mm512_aesdeclast_epi128

#endif
