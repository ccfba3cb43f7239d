/* The rounds of AES in constant time on a register of blocks, where a machine inverts bytes in the
 * field of AES and maps their bits: GF2P8AFFINEINVQB and GF2P8AFFINEQB of x86. SubBytes, and what
 * MixColumns multiplies it by, are one instruction each, and the permutations that bring those
 * together do ShiftRows too.
 *
 * Include after defining
 *
 *     word                            a vector of whole blocks, of gcc's and clang's
 *     AFFINE(name)                    what the functions of that word are called
 *     permute(x, index)               byte i is that of x, in the same block, whose number index[i] is
 *     every(bytes)                    in each block the 16 bytes at `bytes`
 *     map(x, matrix, constant)        each byte times the matrix, whose byte 7 - i is the row of bit
 *                                     i, XOR the constant
 *     map_inverse(x, matrix, constant)  the same of 1/x, FIPS 197 section 5.1.1; of 0 it is 0
 *
 * which are undefined at its end. Its functions are those of x86/aes_rounds.h. */
#ifndef RIJN_AFFINE_H
#define RIJN_AFFINE_H

#include "../backend.h"
#include "positions.h"

/* The affine map of section 5.1.1 but for its constant, that times 2 and times 3 in GF(2^8), and
 * its inverse. */
static const uint64_t affine_sub[4] = {0, 0xf1e3c78f1f3e7cf8, 0xf809e33f771f3e7c,
                                       0x09ea24b068214284};
static const uint64_t affine_inverse_sub = 0xa44992254a942952;

/* Times 1, and times what InvMixColumns (section 5.3.3) has: that of row r to the byte r rows up. */
static const uint64_t affine_one = 0x0102040810204080;
static const uint64_t affine_unmix[4] = {0xe02143672e5cb870, 0xa1e3c62dfaf4e8d0, 0x61a245ebb66cd8b0,
                                         0x2162c4a972e4c890};

#endif

RIJN_INLINE word AFFINE(round_block)(word x, word k)
{
    const word once = map_inverse(x, affine_sub[1], 0);
    const word twice = map_inverse(x, affine_sub[2], 0x63); /* of all four makes 0x63 again */
    const word thrice = map_inverse(x, affine_sub[3], 0);

    return (permute(twice, every(mixed_bytes[0])) ^ permute(thrice, every(mixed_bytes[1])) ^ k) ^
           permute(once, every(mixed_bytes[2])) ^ permute(once, every(mixed_bytes[3]));
}

RIJN_INLINE word AFFINE(last_round_block)(word x, word k)
{
    return permute(map_inverse(x, affine_sub[1], 0x63), every(shifted_bytes[1])) ^ k;
}

/* InvSubBytes: 0x05 is what the inverse map makes of 0x63. */
RIJN_INLINE word AFFINE(unmapped)(word x)
{
    return map(x, affine_inverse_sub, 0x05);
}

RIJN_INLINE word AFFINE(last_inverse_round_block)(word x, word k)
{
    return permute(map_inverse(AFFINE(unmapped)(x), affine_one, 0), every(shifted_bytes[3])) ^ k;
}

RIJN_INLINE word AFFINE(inverse_round_block)(word x, word k)
{
    const word y = permute(AFFINE(unmapped)(x), every(shifted_bytes[3]));

    return (map_inverse(y, affine_unmix[0], 0) ^ k ^
            permute(map_inverse(y, affine_unmix[1], 0), every(moved_bytes[1][0]))) ^
           permute(map_inverse(y, affine_unmix[2], 0), every(moved_bytes[2][0])) ^
           permute(map_inverse(y, affine_unmix[3], 0), every(moved_bytes[3][0]));
}

RIJN_INLINE word AFFINE(unmix_block)(word x)
{
    return (map(x, affine_unmix[0], 0) ^
            permute(map(x, affine_unmix[1], 0), every(moved_bytes[1][0]))) ^
           permute(map(x, affine_unmix[2], 0), every(moved_bytes[2][0])) ^
           permute(map(x, affine_unmix[3], 0), every(moved_bytes[3][0]));
}

#undef word
#undef AFFINE
#undef permute
#undef every
#undef map
#undef map_inverse
