/* Names the rounds of a vec: the rounds of a register with as many blocks (x86/aes_rounds.h).
 * Include after defining VEC_BLOCKS. */
#ifndef RIJN_VEC_ROUNDS_H
#define RIJN_VEC_ROUNDS_H

#if VEC_BLOCKS == 4
#define vec_round round_block_4
#define vec_last_round last_round_block_4
#define vec_inverse_round inverse_round_block_4
#define vec_last_inverse_round last_inverse_round_block_4
#elif VEC_BLOCKS == 2
#define vec_round round_block_2
#define vec_last_round last_round_block_2
#define vec_inverse_round inverse_round_block_2
#define vec_last_inverse_round last_inverse_round_block_2
#else
#define vec_round round_block
#define vec_last_round last_round_block
#define vec_inverse_round inverse_round_block
#define vec_last_inverse_round last_inverse_round_block
#endif

#endif
