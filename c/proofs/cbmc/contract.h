/* What the harnesses share: arguments of any value, and the record of what a call did with them.
 * memory.c keeps the record. contract.c has the function tables of a backend that may do anything that
 * backend.h allows. */
#ifndef CONTRACT_H
#define CONTRACT_H

#include "api.h"
#include "backend.h"
#include "check.h"

/* No buffer is longer, so no address wraps around. */
#define MOST (((size_t)1 << 38) - 1)

#define GCM_MOST ((UINT64_C(1) << 36) - 32) /* bytes of a message, SP 800-38D section 5.2.1.1 */

/* A proof fails unless CBMC finds an execution that comes here. prove.py checks this. */
#ifdef FAULTY
#define REACHED(text) (void)0
#else
#define REACHED(text) __CPROVER_assert(0, "reached: " text)
#endif

/* Values that CBMC leaves open. */
bool nondet_bool(void);
int nondet_int(void);
unsigned nondet_unsigned(void);
uint8_t nondet_uint8(void);
uint64_t nondet_uint64(void);
size_t nondet_size(void);

/* The backend of all keys. start() gives it any sizes that backend.h allows, and decides which of
 * its optional functions exist. Each harness calls start() first. */
extern rijn_backend backend;
void start(void);

/* Return a size up to MOST; NULL or memory of `size` bytes that holds any values; NULL or a key,
 * initialised or not. CBMC proves each row twice. First each buffer is an object of its own, so no
 * access leaves it. Then (OVERLAPS) it lies anywhere in one arena, which start() makes, and overlaps
 * others in any way. */
void new_arena(void);
size_t any_size(void);
uint8_t *any_buffer(size_t size);
rijn_key *any_key(void);

/* Chooses the watched byte: any one of these `size` bytes, or another byte. With OVERLAPS there is
 * none. Contracts change no other byte of a buffer of the caller. They do change this one, so whatever
 * the library itself stores there is seen as well. */
void watch(uint8_t *memory, size_t size);

/* Returns whether two buffers share no byte, and whether a buffer has the watched byte. */
bool apart(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size);
bool is_watched(const uint8_t *memory, size_t size);

/* For stubs: memory that is read, memory that may be written, and memory that is written, with any
 * values. */
void reads(const void *memory, size_t size);
void may_write(void *memory, size_t size);
void writes(void *memory, size_t size);

/* The same for variables of 16 and 32 bytes, such as a counter block; and for output, which is the input
 * or apart from it. */
void changes(uint8_t *memory, size_t size);
void in_place_or_apart(const uint8_t *out, const uint8_t *in, size_t size);

/* The value of the watched byte; whether nobody changed it; whether a stub wrote it, and whether one did
 * it once, and nobody changed it afterwards. */
uint8_t watched(void);
bool untouched(void);
bool written(void);
bool written_once(void);

/* What happened so far. */
typedef struct {
    uint8_t *byte;         /* the watched byte */
    uint8_t before, last;  /* its value when watch() chose it, and what a stub wrote there last */
    unsigned writes;       /* how often a backend or a loop over bytes wrote it */
    bool changed;          /* whether a stub wrote it, or changed it as a variable */
    unsigned calls;        /* of functions of the backend that process messages */
    size_t stack;          /* the most bytes of stack that one of them took, and left secrets on */
    size_t scrubbed;       /* bytes of stack that were overwritten */
    bool whole;            /* AEGIS: the last call processed a whole message */
    unsigned comparisons;  /* of tags or keys */
    bool equal;            /* the last comparison: its result, */
    const uint8_t *given;  /* the bytes of the caller */
    size_t given_size;     /* and how many, */
    bool computed;         /* whether the other bytes are not in a buffer of the caller, */
    unsigned calls_before; /* and how many calls were before it */
    rijn_tag_words words;  /* the last tag that a backend gave in registers */
    uint64_t hashed;       /* blocks that CBC-MAC has absorbed */
    uint64_t blocks;       /* of keystream that were made */
} history;
extern history seen;

/* Checks the end of a call: the overwritten stack is as deep as the stack that the backend took. */
void finish(void);

/* Checks a call that accepts a tag or not: it compared all bytes of this tag with a computed one, once
 * and after all work, and accepts the tag if and only if they are equal. */
void compared(rijn_status status, const uint8_t *tag, size_t tag_size);

/* For stubs: compares the bytes of the caller with others, which are NULL for words in registers.
 * Returns any result. */
bool compares(const uint8_t *others, const uint8_t *given, size_t size);

/* Checks a call that was refused: it called no backend and wrote nothing that is watched. */
void refused(void);

#endif
