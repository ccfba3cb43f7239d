/* The AES S-box and its inverse as circuits of XOR and AND gates on bit planes.
 *
 * Include after defining `word`: an unsigned integer type or a GCC vector of
 * them; every bit position of a word is an S-box of its own. w[i] holds bit i
 * of the bytes (bit 0 the least significant, FIPS 197 section 3.1).
 *
 * Sources
 *   S-box    113 gates, SLP_AES_113 of the Circuit Minimization Team at Yale;
 *            the method: Boyar and Peralta, "A new combinational logic
 *            minimization technique with applications to cryptology",
 *            IACR ePrint 2009/191, improved with Çalık.
 *   Inverse  121 gates, Boyar and Peralta, "A depth-16 circuit for the AES
 *            S-box", IACR ePrint 2011/332, and its straight-line program
 *            Sinv of the same team.
 *
 * The complements are missing. The affine map of FIPS 197 (5.2) ends with an
 * XOR of 0x63: bits 0, 1, 5 and 6. Here
 *
 *     sbox(x) = SubBytes(x) XOR 0x63,   inverse_sbox(y XOR 0x63) = InvSubBytes(y),
 *
 * so one change, XOR 0x63 on every byte of the round keys 1 to Nr, mends both
 * directions: each of them is added between an S-box and the state, and
 * MixColumns and its inverse map a column of 0x63 to itself.
 *
 * Gates stand in an order in which few values are alive at once: with 15
 * registers about 16 of them go to memory (found by simulated annealing). Names:
 *   u  input         a  linear in the input    b  inversion in GF(2^4)
 *   c  18 products   d  sums of products       s  output */
#ifndef RIJN_SBOX_H
#define RIJN_SBOX_H

#include "../backend.h"

RIJN_INLINE void sbox(word w[8])
{
    const word u0 = w[0], u1 = w[1], u2 = w[2], u3 = w[3];
    const word u4 = w[4], u5 = w[5], u6 = w[6], u7 = w[7];

    const word a1 = u6 ^ u5, a2 = u4 ^ u2, a3 = u7 ^ u1, a4 = a3 ^ a2, a5 = a1 ^ u0;
    const word a6 = u3 ^ a4, a7 = a5 ^ u4, a8 = a6 ^ u6, a9 = u7 ^ u4, a10 = a6 ^ u2;
    const word b1 = a4 & a10, b2 = a7 & u0, a11 = a5 ^ u1, a12 = u7 ^ u2, a13 = a10 ^ a1;
    const word a14 = a11 ^ a12, a15 = a10 ^ u0, b3 = a14 & a15, b4 = b3 ^ b1, b5 = b2 ^ b1;
    const word b6 = b4 ^ a8, a16 = a8 ^ a9, a17 = a1 ^ a16, b7 = a9 & a16, a18 = a13 ^ a16;
    const word b8 = a2 & a18, b9 = a12 & a13, a19 = a13 ^ a12, b10 = b9 ^ b7, b11 = b8 ^ b7;
    const word b12 = a11 & a5, b13 = a3 & a17, b14 = b6 ^ b11, b15 = b5 ^ b10, b16 = b15 ^ a19;
    const word a20 = a5 ^ u7, b17 = b12 ^ b13, b18 = b17 ^ b11, a21 = u0 ^ a16, a22 = a3 ^ a17;
    const word b19 = b18 ^ a22, b20 = a20 & a21, b21 = b20 ^ b13, b22 = b14 & b19, a23 = u7 ^ a17;
    const word b23 = b21 ^ b10, b24 = b23 ^ a23, b25 = b16 ^ b22, b26 = b19 ^ b24, b27 = b14 ^ b16;
    const word b28 = b25 & b26, b29 = b24 ^ b22, b30 = b28 ^ b24, b31 = b27 & b29, b32 = b31 ^ b16;
    const word c1 = b30 & u0, b33 = b19 ^ b30, b34 = b29 ^ b30, b35 = b24 & b34, b36 = b29 ^ b35;
    const word b37 = b35 ^ b33, b38 = b32 & b36, b39 = b27 ^ b38, c2 = b32 & a20, b40 = b30 ^ b37;
    const word b41 = b32 ^ b39, c3 = b40 & a10, c4 = b37 & a14, c5 = b39 & a11, c6 = b39 & a5;
    const word b42 = b39 ^ b37, c7 = b37 & a15, c8 = b41 & a17, c9 = b32 & a21, d1 = c8 ^ c9;
    const word d2 = c3 ^ c1, b43 = b32 ^ b30, d3 = c7 ^ c3, b44 = b43 ^ b42, c10 = b43 & a16;
    const word c11 = b43 & a9, d4 = d2 ^ d1, c12 = b41 & a3, d5 = c8 ^ c6, d6 = c12 ^ d2;
    const word c13 = b30 & a7, c14 = b44 & a18, c15 = b44 & a2, d7 = c14 ^ d5, d8 = c11 ^ c15;
    const word d9 = d5 ^ d3, c16 = b42 & a13, d10 = c10 ^ d7, d11 = c5 ^ d8, d12 = c11 ^ d10;
    const word d13 = c4 ^ d8, c17 = b40 & a4, d14 = c16 ^ d6, d15 = d7 ^ d14, d16 = c17 ^ d13;
    const word d17 = c2 ^ d15, s4 = d16 ^ d9, d18 = d11 ^ d4, d19 = d13 ^ c13, s0 = c12 ^ d18;
    const word s1 = d15 ^ d18, d20 = d17 ^ d12, s2 = d19 ^ d17, s7 = d16 ^ d10, s6 = s4 ^ d10;
    const word c18 = b42 & a12, s3 = d4 ^ s4, s5 = d20 ^ c18;

    w[0] = s0, w[1] = s1, w[2] = s2, w[3] = s3, w[4] = s4, w[5] = s5, w[6] = s6, w[7] = s7;
}

RIJN_INLINE void inverse_sbox(word w[8])
{
    const word u0 = w[0], u1 = w[1], u2 = w[2], u3 = w[3];
    const word u4 = w[4], u5 = w[5], u6 = w[6], u7 = w[7];

    const word a1 = u1 ^ u0, a2 = u4 ^ u3, a3 = u6 ^ u4, a4 = u7 ^ u4, a5 = u7 ^ u5;
    const word a6 = u0 ^ a2, a7 = a3 ^ a1, a8 = a7 ^ a2, a9 = u7 ^ a3, a10 = a4 ^ a3;
    const word a11 = u2 ^ a5, a12 = a9 ^ a11, a13 = a7 ^ a8, a14 = a9 ^ a6, a15 = a4 ^ a7;
    const word a16 = u5 ^ a7, b1 = a7 & a11, b2 = a15 & a12, a17 = a11 ^ a16, b3 = a13 & a17;
    const word a18 = a17 ^ a14, b4 = b1 ^ b2, a19 = a10 ^ a14, a20 = a13 ^ a17, b5 = a20 ^ b2;
    const word b6 = a4 & a9, b7 = b5 ^ b6, b8 = b4 ^ a19, a21 = a3 ^ a8, b9 = a10 & a14;
    const word a22 = a13 ^ a10, b10 = a22 & a18, b11 = b9 ^ b3, b12 = b8 ^ b11, a23 = a6 ^ a16;
    const word b13 = a21 & a23, b14 = b10 ^ b3, a24 = a21 ^ a23, b15 = b7 ^ b14, b16 = a8 & a16;
    const word b17 = b16 ^ b13, b18 = a24 ^ b13, b19 = a3 & a6, b20 = b18 ^ b19, b21 = b20 ^ b14;
    const word b22 = b17 ^ b11, a25 = a8 ^ a16, b23 = b22 ^ a25, b24 = b15 ^ b12, b25 = b21 & b15;
    const word b26 = b15 & b23, b27 = b24 & b26, b28 = b23 ^ b25, b29 = b28 & b24, b30 = b12 ^ b29;
    const word b31 = b24 ^ b25, b32 = b27 ^ b31, b33 = b21 ^ b23, b34 = b12 & b21, b35 = b12 ^ b25;
    const word b36 = b33 & b34, b37 = b35 & b33, b38 = b23 ^ b37, c1 = b30 & a8, b39 = b33 ^ b25;
    const word b40 = b30 ^ b38, b41 = b36 ^ b39, c2 = b32 & a6, c3 = b30 & a16, c4 = b32 & a3;
    const word b42 = b30 ^ b32, c5 = b42 & a23, b43 = b32 ^ b41, b44 = b38 ^ b41, c6 = b43 & a14;
    const word c7 = b43 & a10, c8 = b40 & a13, d1 = c7 ^ c8, c9 = b42 & a21, b45 = b40 ^ b43;
    const word d2 = c4 ^ c9, d3 = c1 ^ c9, c10 = b44 & a12, c11 = b45 & a22, d4 = c11 ^ c8;
    const word c12 = b41 & a4, c13 = b40 & a17, c14 = b45 & a18, d5 = c2 ^ c5, c15 = b41 & a9;
    const word c16 = b44 & a15, d6 = c12 ^ c16, d7 = d2 ^ d4, d8 = c6 ^ c13, d9 = c14 ^ c13;
    const word c17 = b38 & a7, d10 = d5 ^ d9, c18 = b38 & a11, d11 = c17 ^ c16, d12 = c3 ^ c5;
    const word d13 = c18 ^ c10, d14 = d13 ^ d8, d15 = d6 ^ d4, d16 = c15 ^ c10, d17 = d3 ^ d1;
    const word d18 = d15 ^ d17, d19 = d12 ^ d8, d20 = d16 ^ d9, d21 = d20 ^ d15, d22 = d20 ^ d10;
    const word d23 = d22 ^ d18, s0 = d11 ^ d1, s7 = d19 ^ d7, s1 = d10 ^ d7, s2 = s7 ^ d22;
    const word s4 = d14 ^ d7, d24 = d14 ^ s0, s5 = d23 ^ d24, s6 = s4 ^ d23, d25 = s2 ^ d24;
    const word s3 = d21 ^ d25;

    w[0] = s0, w[1] = s1, w[2] = s2, w[3] = s3, w[4] = s4, w[5] = s5, w[6] = s6, w[7] = s7;
}

#endif
