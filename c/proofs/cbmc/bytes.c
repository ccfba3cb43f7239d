/* The loops over bytes of c/src/bytes.h and wipe.h, for which the other proofs have contracts.
 *
 * Assumptions: at most 100 bytes, so each loop of these functions runs several times. */
#define RIJN_WIPE_HERE
#include "bytes.h"
#include "double.h"
#include "wipe.h"

#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

enum { BYTES = 100 };

void prove_wipe(void)
{
    uint8_t memory[BYTES];
    const size_t from = nondet_size(), size = nondet_size(), at = nondet_size();

    __CPROVER_assume(from <= BYTES && size <= BYTES - from && at < BYTES);
    const uint8_t before = memory[at];
    wipe(memory + from, size);
    ASSERT(memory[at] == (at >= from && at - from < size ? 0 : before), "these bytes, and no others");
    REACHED("the end");
}

void prove_xor_bytes(void)
{
    uint8_t memory[3][BYTES];
    const size_t size = nondet_size(), at = nondet_size();
    const unsigned a = nondet_unsigned(), b = nondet_unsigned();

    __CPROVER_assume(size <= BYTES && at < BYTES && a < 3 && b < 3);
    const uint8_t before = memory[0][at], x = memory[a][at], y = memory[b][at];
    xor_bytes(memory[0], memory[a], memory[b], size);
    ASSERT(memory[0][at] == (at < size ? (uint8_t)(x ^ y) : before), "the XOR, and no other bytes");
    REACHED("the end");
}

/* Both doublings, by their definition: x times the block in GF(2^128). */
void prove_double(void)
{
    uint8_t in[16], be[16], le[16];
    const unsigned n = nondet_unsigned();

    __CPROVER_assume(n < 128);
    double_be(be, in);
    double_le(le, in);
    const bool low = n == 0 || n == 1 || n == 2 || n == 7; /* x^128 = x^7 + x^2 + x + 1 */
    const bool below_be = n ? in[15 - (n - 1) / 8] >> (n - 1) % 8 & 1 : 0;
    const bool below_le = n ? in[(n - 1) / 8] >> (n - 1) % 8 & 1 : 0;
    ASSERT((be[15 - n / 8] >> n % 8 & 1) == (below_be ^ (low && in[0] >> 7)), "double_be");
    ASSERT((le[n / 8] >> n % 8 & 1) == (below_le ^ (low && in[15] >> 7)), "double_le");
    REACHED("the end");
}
