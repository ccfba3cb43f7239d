/* The registry of AEGIS: a kernel is one implementation of the six variants. A backend has
 * one that runs wherever the backend does, and may have others that ask for more of the
 * CPU; backends may share code. Kernels stand in kernels.c, and nowhere else. */
#ifndef RIJN_AEGIS_KERNEL_H
#define RIJN_AEGIS_KERNEL_H

#include "../backend.h"

/* One variant of AEGIS by one kernel, filled by variant.h. `state` is rijn_aegis.state. A
 * size that is no multiple of `rate` ends what it belongs to: the unit is filled with
 * zeros. out == in or they are disjoint. */
typedef struct rijn_aegis_code {
    size_t key_size; /* 16 or 32; that of the nonce too */
    size_t rate;     /* bytes of a unit, 16 to 128 */
    size_t stack;    /* bytes of stack that a public call's work takes at most (scrub.h) */
    void (*start)(uint64_t *state, const uint8_t *key, const uint8_t *nonce);
    void (*absorb)(uint64_t *state, const uint8_t *in, size_t size);
    void (*encrypt)(uint64_t *state, uint8_t *out, const uint8_t *in, size_t size);
    void (*decrypt)(uint64_t *state, uint8_t *out, const uint8_t *in, size_t size);
    void (*next)(const uint64_t *state, uint8_t *out); /* keystream of the unit to come */
    void (*tag)(uint64_t *state, uint64_t ad_size, uint64_t size, uint8_t *tag, size_t tag_size);
    void (*mac)(uint64_t *state, uint64_t size, uint8_t *tag, size_t tag_size);
    /* All of it at once; open leaves it to its caller to compare the tag. */
    void (*seal)(const uint8_t *key, const uint8_t *nonce, const uint8_t *ad, size_t ad_size,
                 uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size);
    void (*open)(const uint8_t *key, const uint8_t *nonce, const uint8_t *ad, size_t ad_size,
                 uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size);
} rijn_aegis_code;

typedef struct rijn_aegis_kernel {
    const char *name;
    const rijn_backend *backend; /* whose AEGIS it is */
    const char *summary;
    uint64_t cpu;   /* the features that must all be there beside the backend's (cpu.h) */
    uint64_t avoid; /* chosen by name alone where the CPU has one of these features or quirks */
    const rijn_aegis_code *code; /* of the six variants, by rijn_aegis_variant */
} rijn_aegis_kernel;

/* Every kernel of this build, those of one backend preferred first. */
extern const rijn_aegis_kernel rijn_aegis_kernels[];
extern const size_t rijn_aegis_kernels_size;

/* The one that a backend gets of these kernels on a CPU with these features: its first that
 * lacks nothing and has nothing to avoid. There is one: a kernel that asks for no more than the
 * backend and avoids nothing. */
const rijn_aegis_kernel *rijn_aegis_kernel_best(const rijn_aegis_kernel *kernels,
                                                const rijn_backend *backend, uint64_t cpu);

/* Finds the kernel for a new key. name: a kernel's; or, as for rijn_backend_find, a
 * backend's or NULL, for the best of that backend's kernels here. RIJN_OK, or
 * an error of rijn_backend_find. */
rijn_status rijn_aegis_kernel_find(const char *name, const rijn_aegis_kernel **found);

#endif
