/* The loops over blocks of a key: wrap and unwrap in c/src/modes/keywrap.c, which keywrap.c takes by
 * their contracts.
 *
 * Assumptions, besides those of contract.c
 *   - Keys of 16, 24 and 32 bytes, so each loop runs several times.
 *   - The caller keeps the contract, which keywrap.c proves. */
#include "modes/keywrap.c"

#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

enum { MOST_BLOCKS = 4 };

/* Checks the calls and the stack, as the contract tells them to its callers. */
static void check_calls(const rijn_key *key, size_t n)
{
    ASSERT(seen.calls == (in_registers(key) ? 1 : 6 * n), "each step is one call");
    ASSERT(seen.stack <= (in_registers(key) ? 0 : backend.stack), "the stack of one block");
    if (in_registers(key))
        REACHED("a key in registers");
    else
        REACHED("a key in memory");
}

/* A key of n blocks ends where the memory ends. */
static void wrap_blocks(const rijn_key *key, size_t n)
{
    uint8_t memory[8 * MOST_BLOCKS + 8];

    wrap(key, memory + 8 * (MOST_BLOCKS - n), n);
    check_calls(key, n);
}

static void unwrap_blocks(const rijn_key *key, size_t n)
{
    uint8_t a[8], memory[8 * MOST_BLOCKS];

    unwrap(key, a, memory + 8 * (MOST_BLOCKS - n), n);
    check_calls(key, n);
}

static void prove_loop(void (*work)(const rijn_key *, size_t))
{
    start();
    const rijn_key *const key = any_key();
    __CPROVER_assume(key && key->backend && key->uses == USE_ALL);
    watch(NULL, 0);
    const unsigned n = nondet_unsigned();
    if (n == 2)
        work(key, 2);
    else if (n == 3)
        work(key, 3);
    else
        work(key, MOST_BLOCKS);
}

void prove_kw_wrap_loop(void)
{
    prove_loop(wrap_blocks);
}

void prove_kw_unwrap_loop(void)
{
    prove_loop(unwrap_blocks);
}
