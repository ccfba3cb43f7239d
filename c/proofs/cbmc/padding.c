/* The padding of CBC: padding_of in c/src/modes/cbc.c, for every block.
 *
 * Assumptions: none. */
#include "modes/cbc.c"

#include "contract.h"

void prove_cbc_padding(void)
{
    uint8_t block[16];
    const size_t found = padding_of(block), last = block[15];
    bool right = last >= 1 && last <= 16;

    for (size_t i = 0; i < 16; i++)
        right = right && (i + last < 16 || block[i] == last);
    __CPROVER_assert(found == (right ? last : 0), "exactly the paddings of PKCS #7");
    if (found)
        REACHED("a right padding");
    else
        REACHED("a bad padding");
}
