/* The multiplication of a tweak: advance in c/src/modes/xts.c, which xts.c takes by its contract, and
 * multiply, which advance takes by its contract.
 *
 * Assumptions: the caller keeps the contract, which xts.c proves. */
#include "modes/xts.c"

#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

/* The product may be one of its factors. */
void prove_xts_multiply(void)
{
    uint8_t x[16], y[16], z[16];
    const size_t at = nondet_size();
    uint8_t *const out = nondet_bool() ? x : nondet_bool() ? y : z;

    __CPROVER_assume(at < 16);
    const uint8_t before = y[at];
    multiply(out, x, y);
    ASSERT(out == y || y[at] == before, "only the product changes");
    REACHED("the end");
}

void contract_xts_multiply(uint8_t out[16], const uint8_t t[16], const uint8_t factor[16])
{
    ASSERT(__CPROVER_r_ok(t, 16) && __CPROVER_r_ok(factor, 16), "bytes that are read exist");
    ASSERT(__CPROVER_w_ok(out, 16), "bytes that are written exist");
    __CPROVER_havoc_slice(out, 16);
}

void prove_xts_advance(void)
{
    uint8_t tweak[16];
    const uint32_t blocks = nondet_unsigned();

    __CPROVER_assume(blocks <= 1 << 20);
    advance(tweak, blocks);
    REACHED("the end");
}
