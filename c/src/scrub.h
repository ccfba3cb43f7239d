/* What a call leaves of its secrets on the stack: nothing.
 *
 * A public function that handles secrets looks at its arguments, has the work done by
 * functions with frames of their own (RIJN_APART, a backend's operations, other files'),
 * and returns through rijn_scrub, which overwrites the stack from its own frame on
 * downwards: where the work had its frames. So whatever stood there is gone by whatever
 * name: variables, what the compiler spilled, arguments and vectors that were passed in
 * memory. No function of the work wipes variables of its own; what lies in the memory of
 * the library's caller (keys, states, output of refused messages) is wiped by wipe.h.
 *
 * How far down is said by the backend (rijn_backend.stack, rijn_aegis_code.stack) and by
 * the mode, which adds its variables; tests/unit/test_wipe.c measures it. */
#ifndef RIJN_SCRUB_H
#define RIJN_SCRUB_H

#include "backend.h"

/* Overwrites area[0..size), `size` bytes of its caller's stack. */
void rijn_scrub_area(void *area, size_t size);

/* What an ABI puts into each frame, for as many functions as call each other: on s390x 160
 * bytes in which callees save registers. */
#if defined(__s390x__)
enum { RIJN_ABI_STACK = 5 * 160 };
#else
enum { RIJN_ABI_STACK = 0 };
#endif

/* Overwrites `depth` bytes and a few of the stack below the frame of the public function
 * that calls it, and gives `status` back. */
RIJN_INLINE rijn_status rijn_scrub(rijn_status status, size_t depth)
{
    depth += RIJN_ABI_STACK;
    /* A block's size is rounded up to a multiple of 16, and what is over lies above it. On
     * x86-64 eight bytes must: there stood the work's return address. */
#if defined(__x86_64__)
    size_t size = ((depth + 7) & ~(size_t)15) + 8;
#else
    size_t size = (depth + 15) & ~(size_t)15;
#endif
    __asm__("" : "+r"(size)); /* a block of a known size may be part of the frame */
    rijn_scrub_area(__builtin_alloca(size), size);
    return status;
}

/* The depth of work with this key that has `own` bytes of variables beside those of the
 * backend's operations. */
static inline size_t rijn_depth(const rijn_key *key, size_t own)
{
    return own + key->backend->stack;
}

/* The same of whole blocks by ECB, CBC and IGE. */
static inline size_t rijn_blocks_depth(const rijn_key *key, size_t own)
{
    return own + key->backend->blocks_stack;
}

/* The same of a GCM message of so many bytes; with a nonce_size of 0, of any. */
static inline size_t rijn_gcm_depth(const rijn_key *key, size_t own, size_t nonce_size,
                                    size_t ad_size, size_t size)
{
    const rijn_backend *const backend = key->backend;
    const size_t blocks = (ad_size > size ? ad_size : size) / 16;

    return own + backend->gcm_stacks[nonce_size != 12 ? 2 : blocks >= backend->fused_blocks];
}

/* What one more function between the public one and the operations takes: saved
 * registers, arguments, alignment. */
enum { RIJN_FRAME = 96 };

#endif
