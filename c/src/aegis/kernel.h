/* The registry of AEGIS kernels. A kernel is one implementation of the six variants. Each backend has
 * a kernel that runs wherever the backend does, and may have others that require more CPU features.
 * Backends may share code. Only kernels.c lists kernels. */
#ifndef RIJN_AEGIS_KERNEL_H
#define RIJN_AEGIS_KERNEL_H

#include <stdbool.h>

#include "../backend.h"

/* The steps of a kernel on the states of a message, in this order. Steps with empty or NULL arguments
 * are left out. If the size of `ad` or `in` is not a multiple of the rate, the last unit is padded
 * with zeros, so these are the last bytes of the associated data or the message. */
typedef struct rijn_aegis_call {
    const uint8_t *key, *nonce; /* Init; if NULL, the states come from `state` */
    const uint8_t *ad;          /* Absorb */
    size_t ad_size;
    const uint8_t *in; /* Enc or Dec; out == in or they are disjoint */
    uint8_t *out;
    size_t size;
    bool decrypt;
    uint64_t closing[2]; /* Finalize absorbs these words */
    size_t tag_size;     /* 16 or 32 */
    uint8_t *tags;       /* output, apart from all inputs: the XOR of the tags of all states */
    bool separate_tags; /* `tags` gets the tags of state 0, 1, … instead: 16 bytes or the first half
                            of each, then all second halves */
    bool first_alone;   /* only the first state is still needed */
    uint64_t *state;    /* rijn_aegis.state: keeps the states; NULL: this is a whole message */
} rijn_aegis_call;

/* Seals, and returns RIJN_OK. The arguments of rijn_aegis_seal stay where they are. */
typedef rijn_status rijn_aegis_whole(const rijn_aegis_key *key, uint8_t *out, uint8_t *tag,
                                     size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                     const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                     size_t size);

/* One variant of AEGIS by one kernel (aegis.h). */
typedef struct rijn_aegis_code {
    size_t key_size;   /* 16 or 32; the nonce has the same size */
    size_t rate;       /* bytes of a unit, 16 to 128 */
    size_t degree;     /* states side by side */
    size_t stack;      /* bytes of stack that `call` and `next` use at most (scrub.h) */
    bool in_registers; /* whole messages leave no secret on the stack, and need no scrub */
    void (*call)(const rijn_aegis_call *call);
    rijn_aegis_whole *whole; /* seals in registers, faster than `call`; or NULL */
    void (*next)(const uint64_t *state, uint8_t *out); /* keystream of the next unit */
    /* Processes a batch and writes tags of batch->tag_size bytes to batch->tag[i]. NULL if one message
     * after the other is as fast. */
    void (*many)(const uint8_t *key, const rijn_batch *batch);
    size_t many_stack; /* bytes of stack that `many` uses at most */
} rijn_aegis_code;

typedef struct rijn_aegis_kernel {
    const char *name;
    const rijn_backend *backend; /* the backend that it belongs to */
    const char *summary;
    uint64_t cpu;   /* required features in addition to the backend's (rijn_machine.h) */
    uint64_t avoid; /* on a CPU with one of these features or quirks: only chosen by name */
    const rijn_aegis_code *code; /* of the six variants, by rijn_aegis_variant */
} rijn_aegis_kernel;

/* All kernels of this build. The kernels of one backend are in order of preference. */
extern const rijn_aegis_kernel rijn_aegis_kernels[];
extern const size_t rijn_aegis_kernels_size;

/* Returns the first of these kernels that belongs to `backend`, has all features that it requires and
 * has nothing to avoid on a CPU with the features `cpu`; NULL if no kernel qualifies. In
 * rijn_aegis_kernels, each backend has a kernel that requires no more than the backend and avoids
 * nothing. */
const rijn_aegis_kernel *rijn_aegis_kernel_best(const rijn_aegis_kernel kernels[], size_t count,
                                                const rijn_backend *backend, uint64_t cpu);

/* Finds the kernel for a new key. `name` is a kernel, or a backend or NULL as for rijn_backend_find,
 * for the best kernel of that backend on this CPU. Returns RIJN_OK or an error of
 * rijn_backend_find; RIJN_ERR_UNAVAILABLE also if that backend has no kernel. */
rijn_status rijn_aegis_kernel_find(const char *name, const rijn_aegis_kernel **found);

#endif
