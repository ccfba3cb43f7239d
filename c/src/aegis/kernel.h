/* The registry of AEGIS: a kernel is one implementation of the six variants. A backend has
 * one that runs wherever the backend does, and may have others that ask for more of the
 * CPU; backends may share code. Kernels stand in kernels.c, and nowhere else. */
#ifndef RIJN_AEGIS_KERNEL_H
#define RIJN_AEGIS_KERNEL_H

#include <stdbool.h>

#include "../backend.h"

/* What a kernel is to do with the states of a message, in this order. Whatever is empty or
 * NULL is left out; a size of `ad` or `in` that is no multiple of the rate ends what it
 * belongs to: the unit is filled with zeros. */
typedef struct rijn_aegis_call {
    const uint8_t *key, *nonce; /* Init; without, the states come from `state` */
    const uint8_t *ad;          /* Absorb */
    size_t ad_size;
    const uint8_t *in; /* Enc or Dec; out == in or they are disjoint */
    uint8_t *out;
    size_t size;
    bool decrypt;
    uint64_t closing[2]; /* Finalize: the words that it absorbs, */
    size_t tag_size;     /* 16 or 32 bytes of a tag, */
    uint8_t *tags;       /* and where it goes, which no input is: the sum of those of all states; */
    bool each;           /* or those of state 0, 1 … one behind the other, 16 bytes or a first
                            half each, then all the second halves */
    bool first_alone;    /* of the states none but the first counts any more */
    uint64_t *state;     /* rijn_aegis.state, where they stay; NULL: this is a whole message */
} rijn_aegis_call;

/* One variant of AEGIS by one kernel (aegis.h). */
typedef struct rijn_aegis_code {
    size_t key_size; /* 16 or 32; that of the nonce too */
    size_t rate;     /* bytes of a unit, 16 to 128 */
    size_t degree;   /* states side by side */
    size_t stack;    /* bytes of stack that `call` and `next` take at most (scrub.h) */
    void (*call)(const rijn_aegis_call *call);
    void (*next)(const uint64_t *state, uint8_t *out); /* keystream of the unit to come */
    /* Messages by the batch, their tags of batch->tag_size bytes to batch->tag[i]. NULL: one after
     * the other is as fast. */
    void (*many)(const uint8_t *key, const rijn_batch *batch);
    size_t many_stack; /* bytes of stack that it takes at most */
} rijn_aegis_code;

typedef struct rijn_aegis_kernel {
    const char *name;
    const rijn_backend *backend; /* whose AEGIS it is */
    const char *summary;
    uint64_t cpu;   /* the features that must all be there beside the backend's (rijn_machine.h) */
    uint64_t avoid; /* chosen by name alone where the CPU has one of these features or quirks */
    const rijn_aegis_code *code; /* of the six variants, by rijn_aegis_variant */
} rijn_aegis_kernel;

/* Every kernel of this build, those of one backend preferred first. */
extern const rijn_aegis_kernel rijn_aegis_kernels[];
extern const size_t rijn_aegis_kernels_size;

/* Returns the kernel that a backend gets of these on a CPU with these features: its first that
 * lacks nothing and has nothing to avoid. NULL if there is none. Of this build's kernels each
 * backend has one that asks for no more than the backend and avoids nothing. */
const rijn_aegis_kernel *rijn_aegis_kernel_best(const rijn_aegis_kernel kernels[], size_t count,
                                                const rijn_backend *backend, uint64_t cpu);

/* Finds the kernel for a new key. name: a kernel's; or, as for rijn_backend_find, a
 * backend's or NULL, for the best of that backend's kernels here. RIJN_OK, or
 * an error of rijn_backend_find; RIJN_ERR_UNAVAILABLE also if that backend has no kernel. */
rijn_status rijn_aegis_kernel_find(const char *name, const rijn_aegis_kernel **found);

#endif
