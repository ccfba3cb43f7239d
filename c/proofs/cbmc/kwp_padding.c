/* The padding of KWP: malformed in c/src/modes/keywrap.c.
 *
 * Assumptions: keys of at most 40 bytes. The function reads the last 8 bytes of a longer one. */
#include "modes/keywrap.c"

#include "contract.h"

void prove_kwp_padding(void)
{
    uint8_t a[8], out[40];
    const size_t padded = nondet_size();

    __CPROVER_assume(padded >= 8 && padded <= 40 && padded % 8 == 0);
    const uint32_t size = load_be32(a + 4);
    bool right = load_be32(a) == 0xa65959a6 && size <= padded && padded - size < 8;
    for (size_t i = 0; i < 40; i++)
        right = right && (i < size || i >= padded || !out[i]);
    __CPROVER_assert(!malformed(a, out, padded) == right, "exactly the keys of SP 800-38F");
    if (right)
        REACHED("a right padding");
    else
        REACHED("a bad padding");
}
