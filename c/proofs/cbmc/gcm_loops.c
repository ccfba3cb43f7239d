/* Two loops of GCM in pieces, begin_block and multiply in c/src/modes/gcm.c, which gcm_pieces.c takes by
 * their contracts.
 *
 * Assumptions: the caller keeps the contract, which gcm_pieces.c proves. */
#include "modes/gcm.c"

#include "contract.h"

void prove_gcm_begin_block(void)
{
    rijn_gcm gcm;
    uint8_t bytes[16];
    const size_t size = nondet_size(), at = nondet_size();

    __CPROVER_assume(size <= 16 && gcm.fill <= 16 - size && at < 16);
    const uint32_t fill = gcm.fill;
    const uint8_t before = gcm.hash[at];
    begin_block(&gcm, bytes, size);
    __CPROVER_assert(gcm.fill == fill + size, "the bytes are counted");
    __CPROVER_assert(gcm.hash[at] ==
                         (at >= fill && at - fill < size ? before ^ bytes[at - fill] : before),
                     "the XOR, and no other byte");
    REACHED("the end");
}

/* A square has the same element twice. */
void prove_gcm_multiply(void)
{
    element x, y;
    const element before = y;

    multiply(&x, nondet_bool() ? &y : &x);
    __CPROVER_assert(y.high == before.high && y.low == before.low, "only the product changes");
    REACHED("the end");
}
