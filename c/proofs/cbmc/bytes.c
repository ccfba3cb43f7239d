/* The loops over bytes of c/src/bytes.h and wipe.h, for which the other proofs have contracts.
 *
 * Assumptions: at most 40 bytes; wipe: 98. So each loop of these functions runs several times. */
#include "bytes.h"
#include "double.h"
#include "wipe.h"

#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

enum { BYTES = 40 };

void prove_wipe(void)
{
    enum { MOST_WIPED = 98 };
    uint8_t memory[MOST_WIPED + 2];
    const size_t size = nondet_size(), at = nondet_size();
    const bool shared = nondet_bool();

    __CPROVER_assume(size <= MOST_WIPED && at < sizeof memory);
    const uint8_t before = memory[at];
    for (size_t n = 0; n <= MOST_WIPED; n++) { /* sizes that CBMC knows take less */
        if (n != size)
            continue;
        if (shared)
            rijn_wipe(memory + 1, n);
        else
            wipe(memory + 1, n);
    }
    ASSERT(memory[at] == (at >= 1 && at - 1 < size ? 0 : before), "these bytes, and no others");
    REACHED("the end");
}

void prove_xor_bytes(void)
{
    uint8_t x[BYTES], y[BYTES], apart_from[BYTES];
    const size_t size = nondet_size(), at = nondet_size();
    uint8_t *const out = nondet_bool() ? apart_from : nondet_bool() ? x : y;

    __CPROVER_assume(size <= BYTES && at < BYTES);
    const uint8_t expected = at < size ? x[at] ^ y[at] : out[at];
    xor_bytes(out, x, y, size);
    ASSERT(out[at] == expected, "the XOR, and no other byte");
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
