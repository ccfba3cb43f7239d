/* The AES S-box and its inverse as circuits of XOR and AND gates on bit planes.
 *
 * Include after defining `word` and SLICED (lane.h). Every bit position of a word is a separate S-box.
 * w[i] holds bit i of the bytes (bit 0 is the least significant, FIPS 197 section 3.1).
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
 * The circuits omit the complements. The affine map of FIPS 197 (5.2) ends with an XOR of 0x63, which
 * has bits 0, 1, 5 and 6 set. Here
 *
 *     sbox(x) = SubBytes(x) XOR 0x63,   inverse_sbox(y XOR 0x63) = InvSubBytes(y),
 *
 * so XORing 0x63 to every byte of the round keys 1 to Nr fixes both directions: each of these keys is
 * added between an S-box and the state, and MixColumns and its inverse map a column of 0x63 to itself.
 *
 * The order of the gates, found by simulated annealing, needs few values at once, so that 15 registers
 * spill little. Names:
 *   u  input         a  linear in the input    b  inversion in GF(2^4)
 *   c  18 products   d  sums of products       s  output */
#include "../backend.h"

RIJN_ONCE_IF_SMALL void SLICED(sbox)(word w[8])
{
    const word u0 = w[0], u1 = w[1], u2 = w[2], u3 = w[3];
    const word u4 = w[4], u5 = w[5], u6 = w[6], u7 = w[7];

    const word a1 = u6 ^ u5, a2 = u4 ^ u2, a3 = u7 ^ u1, a4 = a1 ^ u0, a5 = a3 ^ a2;
    const word a6 = a4 ^ u1, a7 = u3 ^ a5, a8 = a7 ^ u6, a9 = a7 ^ u2, b1 = a5 & a9;
    const word a10 = u7 ^ u2, a11 = a9 ^ u0, a12 = a6 ^ a10, a13 = a4 ^ u4, a14 = a9 ^ a1;
    const word b2 = a13 & u0, b3 = a12 & a11, b4 = b3 ^ b1, b5 = b2 ^ b1, b6 = b4 ^ a8;
    const word a15 = u7 ^ u4, a16 = a8 ^ a15, a17 = a14 ^ a16, b7 = a15 & a16, b8 = a2 & a17;
    const word b9 = a10 & a14, b10 = b8 ^ b7, b11 = b9 ^ b7, b12 = b5 ^ b11, b13 = a6 & a4;
    const word a18 = a1 ^ a16, a19 = a14 ^ a10, b14 = a3 & a18, b15 = b13 ^ b14, a20 = u7 ^ a18;
    const word b16 = b12 ^ a19, a21 = a4 ^ u7, b17 = b6 ^ b10, b18 = b15 ^ b10, a22 = u0 ^ a16;
    const word b19 = a21 & a22, b20 = b19 ^ b14, b21 = b20 ^ b11, b22 = b17 ^ b16, a23 = a3 ^ a18;
    const word b23 = b18 ^ a23, b24 = b17 & b23, b25 = b21 ^ a20, b26 = b16 ^ b24, b27 = b25 ^ b24;
    const word b28 = b23 ^ b25, b29 = b26 & b28, b30 = b22 & b27, b31 = b30 ^ b16, b32 = b29 ^ b25;
    const word c1 = b31 & a22, b33 = b27 ^ b32, b34 = b23 ^ b32, c2 = b31 & a21, b35 = b25 & b33;
    const word b36 = b35 ^ b34, b37 = b27 ^ b35, b38 = b31 & b37, b39 = b32 ^ b36, b40 = b22 ^ b38;
    const word b41 = b31 ^ b40, c3 = b41 & a18, c4 = b40 & a4, c5 = b41 & a3, c6 = b32 & u0;
    const word b42 = b31 ^ b32, d1 = c3 ^ c1, c7 = b39 & a9, d2 = c7 ^ c6, c8 = b42 & a16;
    const word c9 = b36 & a12, c10 = b36 & a11, b43 = b40 ^ b36, d3 = c3 ^ c4, d4 = c10 ^ c7;
    const word c11 = b43 & a10, b44 = b42 ^ b43, d5 = d2 ^ d1, c12 = b43 & a14, d6 = c5 ^ d2;
    const word d7 = c12 ^ d6, c13 = b44 & a2, c14 = b44 & a17, c15 = b32 & a13, c16 = b40 & a6;
    const word d8 = c14 ^ d3, c17 = b42 & a15, d9 = c17 ^ c13, c18 = b39 & a5, d10 = c16 ^ d9;
    const word d11 = d10 ^ d5, d12 = d8 ^ d7, d13 = c9 ^ d9, d14 = d13 ^ c15, d15 = c18 ^ d13;
    const word d16 = c8 ^ d8, d17 = d3 ^ d4, d18 = c2 ^ d12, d19 = c17 ^ d16, d20 = d18 ^ d19;
    const word s5 = d20 ^ c11, s4 = d15 ^ d17, s1 = d12 ^ d11, s7 = d15 ^ d16, s6 = s4 ^ d16;
    const word s2 = d14 ^ d18, s0 = c5 ^ d11, s3 = d5 ^ s4;

    w[0] = s0;
    w[1] = s1;
    w[2] = s2;
    w[3] = s3;
    w[4] = s4;
    w[5] = s5;
    w[6] = s6;
    w[7] = s7;
}

RIJN_ONCE_IF_SMALL void SLICED(inverse_sbox)(word w[8])
{
    const word u0 = w[0], u1 = w[1], u2 = w[2], u3 = w[3];
    const word u4 = w[4], u5 = w[5], u6 = w[6], u7 = w[7];

    const word a1 = u6 ^ u4, a2 = u4 ^ u3, a3 = u1 ^ u0, a4 = a1 ^ a3, a5 = u7 ^ a1;
    const word a6 = u7 ^ u4, a7 = u7 ^ u5, a8 = u0 ^ a2, a9 = u2 ^ a7, a10 = a6 ^ a1;
    const word a11 = u5 ^ a4, a12 = a4 ^ a2, a13 = a8 ^ a11, b1 = a1 & a8, a14 = a5 ^ a9;
    const word b2 = a6 & a5, a15 = a5 ^ a8, a16 = a6 ^ a4, a17 = a1 ^ a12, a18 = a4 ^ a12;
    const word b3 = a16 & a14, b4 = a17 & a13, a19 = a9 ^ a11, a20 = a17 ^ a13, b5 = a4 & a9;
    const word a21 = a18 ^ a19, b6 = a20 ^ b4, b7 = a21 ^ b3, b8 = b5 ^ b3, a22 = a10 ^ a15;
    const word b9 = b6 ^ b1, b10 = b8 ^ a22, b11 = a12 & a11, b12 = b7 ^ b2, b13 = a18 & a19;
    const word b14 = b11 ^ b4, a23 = a18 ^ a10, a24 = a19 ^ a15, b15 = a10 & a15, b16 = b15 ^ b13;
    const word b17 = a23 & a24, b18 = b17 ^ b13, b19 = b12 ^ b18, b20 = b10 ^ b16, a25 = a12 ^ a11;
    const word b21 = b14 ^ b16, b22 = b21 ^ a25, b23 = b19 ^ b20, b24 = b9 ^ b18, b25 = b19 & b22;
    const word b26 = b24 & b19, b27 = b23 & b25, b28 = b22 ^ b26, b29 = b28 & b23, b30 = b20 ^ b29;
    const word b31 = b23 ^ b26, b32 = b27 ^ b31, c1 = b30 & a12, b33 = b20 & b24, c2 = b32 & a1;
    const word b34 = b20 ^ b26, b35 = b24 ^ b22, b36 = b34 & b35, b37 = b35 ^ b26, b38 = b22 ^ b36;
    const word b39 = b30 ^ b32, b40 = b35 & b33, b41 = b40 ^ b37, c3 = b39 & a17, c4 = b30 & a11;
    const word b42 = b32 ^ b41, d1 = c2 ^ c3, c5 = b32 & a8, b43 = b30 ^ b38, d2 = c1 ^ c3;
    const word b44 = b38 ^ b41, c6 = b43 & a18, c7 = b43 & a19, c8 = b39 & a13, d3 = c5 ^ c8;
    const word c9 = b42 & a10, b45 = b43 ^ b42, d4 = c9 ^ c6, d5 = c4 ^ c8, c10 = b45 & a24;
    const word c11 = b42 & a15, d6 = c11 ^ c7, c12 = b41 & a6, c13 = b38 & a9, d7 = c10 ^ c7;
    const word c14 = b44 & a14, c15 = b45 & a23, c16 = b44 & a16, d8 = d2 ^ d4, c17 = b41 & a5;
    const word d9 = c13 ^ c14, d10 = c17 ^ c14, c18 = b38 & a4, d11 = d3 ^ d7, d12 = c18 ^ c16;
    const word d13 = c15 ^ c6, d14 = d5 ^ d6, d15 = d1 ^ d13, d16 = d10 ^ d7, d17 = c12 ^ c16;
    const word d18 = d17 ^ d13, d19 = d18 ^ d8, d20 = d9 ^ d6, d21 = d16 ^ d18, d22 = d16 ^ d11;
    const word s7 = d14 ^ d15, s0 = d12 ^ d4, d23 = d22 ^ d19, s2 = s7 ^ d22, s1 = d11 ^ d15;
    const word s4 = d20 ^ d15, d24 = d20 ^ s0, d25 = s2 ^ d24, s5 = d23 ^ d24, s3 = d21 ^ d25;
    const word s6 = s4 ^ d23;

    w[0] = s0;
    w[1] = s1;
    w[2] = s2;
    w[3] = s3;
    w[4] = s4;
    w[5] = s5;
    w[6] = s6;
    w[7] = s7;
}
