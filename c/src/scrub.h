/* Scrubbing: a call leaves no secrets on the stack.
 *
 * A public function that handles secrets checks its arguments. Then it calls inner functions with
 * frames of their own (RIJN_APART, functions of function tables, or functions of other files) that
 * do the work. It returns through rijn_scrub, which overwrites the stack below the public
 * function's frame, where the inner functions had their frames. This removes variables, registers
 * that the compiler spilled, and arguments and vectors that were passed in memory. Inner functions
 * do not wipe their own variables. Memory of the library's caller (keys, states, output of refused
 * messages) is wiped by wipe.h.
 *
 * A function of a table that keeps all secrets in registers needs no scrub (modes/registers.h).
 *
 * The depth is the backend's (rijn_backend.stack, rijn_aegis_code.stack) and the variables of the
 * mode. tests/unit/test_wipe.c measures it. */
#ifndef RIJN_SCRUB_H
#define RIJN_SCRUB_H

#include "backend.h"

/* Overwrites area[0..size), which is on its caller's stack. */
void rijn_scrub_area(void *area, size_t size);

/* Bytes that the ABI adds to the frames of all functions that call each other. On s390x each frame
 * has 160 bytes in which callees save registers. */
#if defined(__s390x__)
enum { RIJN_ABI_STACK = 5 * 160 };
#else
enum { RIJN_ABI_STACK = 0 };
#endif

/* Overwrites `depth` bytes, and a few more, of the stack below the frame of the public function
 * that calls it. Returns `status`. */
RIJN_INLINE rijn_status rijn_scrub(rijn_status status, size_t depth)
{
    depth += RIJN_ABI_STACK;
    /* alloca rounds the size of a block up to a multiple of 16, and the added bytes lie above the
     * block. On x86-64 eight bytes must be added: the return address of the inner function was
     * there. */
#if defined(__x86_64__)
    size_t size = ((depth + 7) & ~(size_t)15) + 8;
#else
    size_t size = (depth + 15) & ~(size_t)15;
#endif
    __asm__("" : "+r"(size)); /* unknown, or the compiler may make the block a part of the frame */
    rijn_scrub_area(__builtin_alloca(size), size);
    return status;
}

/* Returns the depth for inner functions that use this key and have `own` bytes of variables beside
 * the backend's. */
static inline size_t rijn_depth(const rijn_key *key, size_t own)
{
    return own + key->backend->stack;
}

/* Returns the depth for whole blocks of ECB, CBC and IGE. */
static inline size_t rijn_blocks_depth(const rijn_key *key, size_t own)
{
    return own + key->backend->blocks_stack;
}

/* Returns the depth for a GCM message of these sizes; if nonce_size is 0, for any message. */
static inline size_t rijn_gcm_depth(const rijn_key *key, size_t own, size_t nonce_size,
                                    size_t ad_size, size_t size)
{
    const rijn_backend *const backend = key->backend;
    const size_t blocks = (ad_size > size ? ad_size : size) / 16;

    return own + backend->gcm_stacks[nonce_size != 12 ? 2 : blocks >= backend->fused_blocks];
}

/* Stack of one more function between the public function and the backend: saved registers,
 * arguments and alignment. */
enum { RIJN_FRAME = 96 };

#endif
