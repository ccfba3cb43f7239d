/* The six variants of AEGIS, RFC 10032: DEGREE states of BLOCKS blocks side
 * by side. 128L and 128X have 8 blocks and absorb two of them at a time into each state, 256
 * and 256X have 6 and absorb one; degree 1 is no special case. A kernel defines the macros, types
 * and operations below, includes this file and writes RIJN_AEGIS(its name).
 *
 * variant.h has the algorithm. Kernels with states in registers include it once per variant, with
 * BLOCKS and DEGREE as constants. Always-inlined functions with constant arguments would do for
 * gcc 12. clang 14 unrolls their loops only after it has given up on registers (AEGIS-128L,
 * 16 KiB: 3.6 to 4 times the time). Kernels with states in memory (AEGIS_SHARED) include it once,
 * and both are variables.
 *
 * Constants
 *   AEGIS_OPERATIONS   the file of the operations, in quotes
 *   AEGIS_SHARED   0: six copies, each with its states in registers; 1: one for all, where a
 *                  state lies in memory and the operations are large
 *   AEGIS_MEMORY   with six copies. 1: the states go through memory between the parts of a message,
 *                  for compilers that otherwise keep values of all parts in registers, which the
 *                  loops then lack
 *   AEGIS_ONCE     with six copies. 1: a round has so many operations that a call and a branch per
 *                  update cost nothing. Each variant then has its updates in two functions, not a
 *                  copy for every task. 0 or undefined: a copy for every task
 *   AEGIS_STACK(blocks, degree)
 *                  bytes of stack that a call takes at most, with any compiler (scrub.h)
 *   AEGIS_IN_REGISTERS(blocks, degree)
 *                  1: with any compiler, all secrets of a whole message are in registers, or in the
 *                  unit of variant.h that is wiped. 0 or undefined: not so
 *   AEGIS_ENDS     1: the kernel has the operations for partial units (below)
 *   AEGIS_PACKED   bytes of stack that packed.h takes at most, with any compiler. It packs a batch of
 *                  messages of 128L or 256 side by side like the states of X4. 0: the kernel does
 *                  not use packed.h
 *   TOGETHER       states of a group: 1, 2 or 4
 *   PARTS          parts of a group; the parts of all groups fit rijn_aegis.state
 * Types, AEGIS(part) and AEGIS(unit)
 *   part   an element of a group's states, in the kernel's own arrangement
 *   unit   one unit of input for each state of a group: M0 and M1 (8 blocks) or M (6)
 * Operations, named AEGIS(x). BLOCKS and DEGREE are their last arguments where these are variables
 * (OF_VARIANT). `s` points to the states of a group
 *   void copy(part *to, const part *from)
 *   void get(part *s, const uint8_t *p)
 *   void put(uint8_t *p, const part *s)
 *         load the states from memory and store them
 *   void set(part *s, const aegis_source parts[][2])
 *         block j of every state becomes parts[j][0] XOR parts[j][1]
 *   void separate(part *s, int first)
 *         XORs the context separator, the bytes (first + i, DEGREE - 1, 0 …), onto S3 and
 *         onto the last block of state i; not called where the degree is 1
 *   void spread(unit *u, const aegis_source parts[][2])
 *         block j for every state is parts[j][0] XOR parts[j][1]
 *   void load(unit *u, const uint8_t *p)
 *   void store(uint8_t *p, const unit *u)
 *         block j of state i stands at p + 16 * (j * DEGREE + i)
 *   void load_end(unit *u, const uint8_t *p, size_t at, size_t size)
 *   void store_end(uint8_t *p, size_t at, size_t size, const unit *u)
 *   void clip(unit *u, size_t at, size_t size)
 *         with AEGIS_ENDS, for a unit at p that has only `size` bytes of all states; the group's
 *         blocks begin at p + at. load_end fills the rest with zeros, store_end does not write it,
 *         clip sets it to zero in *u
 *   void update(part *s, const unit *m, bool late_input)
 *         Update of RFC 10032. late_input: m depends on the keystream of the same state, so kernels
 *         with registers had better use it last
 *   void keystream(unit *z, const part *s, const unit *m)
 *         z0 and z1, or z, of Enc, XOR m
 *   void crypt(unit *z, part *s, const unit *m, bool late_input)
 *         keystream, and then update with z (late_input) or m
 *   void closing(unit *t, const part *s, const uint64_t words[2])
 *         t of Finalize: LE64(words[0]) || LE64(words[1]) XOR S2 (8 blocks) or S3 of its
 *         state, as each of its blocks
 *   void sum(uint8_t *out, const part *s, int from, int to)
 *         S_from XOR … XOR S_to-1 of state i to out + 16 * i
 */
#ifndef RIJN_AEGIS_H
#define RIJN_AEGIS_H

#include "../bytes.h"
#include "../scrub.h"
#include "../wipe.h"
#include "kernel.h"
#include "message.h"

typedef enum { ABSORB, ENC, DEC } task;

/* The first blocks of a state, S0 first, and the units that a round of Init absorbs in its phases.
 * Each is the XOR of two sources. C0, C1: the Fibonacci numbers modulo 256. */
enum { NONE, KEY0, KEY1, NONCE0, NONCE1, C0, C1, SOURCES };
#define BEGIN_8(X) \
    X(KEY0, NONCE0) \
    X(C1, NONE) X(C0, NONE) X(C1, NONE) X(KEY0, NONCE0) X(KEY0, C0) X(KEY0, C1) X(KEY0, C0)
#define BEGIN_6(X) X(KEY0, NONCE0) X(KEY1, NONCE1) X(C1, NONE) X(C0, NONE) X(KEY0, C0) X(KEY1, C1)
#define PHASES_8(X) X(NONCE0, NONE) X(KEY0, NONE)
#define PHASES_6(X) X(KEY0, NONE) X(KEY1, NONE) X(KEY0, NONCE0) X(KEY1, NONCE1)
#define AEGIS_PHASES(blocks) ((blocks) == 8 ? 1 : 4)
#define AEGIS_ROUNDS(blocks) ((blocks) == 8 ? 10 : 4)
enum { CLOSING_ROUNDS = 7 };
static const uint8_t aegis_c[3][16] = {{0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d, 0x15, 0x22,
                                        0x37, 0x59, 0x90, 0xe9, 0x79, 0x62},
                                       {0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1, 0x20, 0x11,
                                        0x31, 0x42, 0x73, 0xb5, 0x28, 0xdd},
                                       {0}};

/* A source: its address, or the block. A nonce may have been stored a moment ago, as two halves. A load
 * of both would wait until they have left the store buffer. */
#if AEGIS_SHARED
typedef const uint8_t *aegis_source;
#define source_at(p) (p)
#define fresh_source_at(p) (p)
#define read_source read_block
#else
#ifndef read_apart
#define read_apart read_block
#endif
typedef block aegis_source;
#define source_at read_block
#define fresh_source_at read_apart
#define read_source(x) (x)
#endif

#define AEGIS_RATE(blocks, degree) (16 * (degree) * ((blocks) == 8 ? 2 : 1))

#ifndef AEGIS_ONCE
#define AEGIS_ONCE 0
#endif
#ifndef AEGIS_IN_REGISTERS
#define AEGIS_IN_REGISTERS(blocks, degree) 0
#endif
#if AEGIS_ONCE
#define AEGIS_STEPS RIJN_APART static
#else
#define AEGIS_STEPS RIJN_INLINE
#endif

#if AEGIS_SHARED

#define AEGIS_LARGE RIJN_APART static
#define AEGIS(name) aegis_##name
#define OF_VARIANT , int blocks, int degree
#define THIS_VARIANT , blocks, degree
#define BLOCKS blocks
#define DEGREE degree
#include "variant.h"

enum { AEGIS_STATE = sizeof((rijn_aegis *)0)->state };

RIJN_APART static void call_any(const rijn_aegis_call *c, int blocks, int degree)
{
    aegis_part s[AEGIS_STATE / sizeof(aegis_part)];
    uint8_t last[AEGIS_RATE(8, 4)];
    aegis_call(c, s, last, false, blocks, degree);
}

RIJN_APART static void next_any(const uint64_t *state, uint8_t *out, int blocks, int degree)
{
    aegis_part s[AEGIS_STATE / sizeof(aegis_part)];
    aegis_next(state, s, out, blocks, degree);
}

#define AEGIS_VARIANT(name, blocks, degree) \
    RIJN_OPERATION void call_##name(const rijn_aegis_call *c) \
    { \
        call_any(c, blocks, degree); \
    } \
    RIJN_OPERATION void next_##name(const uint64_t *state, uint8_t *out) \
    { \
        next_any(state, out, blocks, degree); \
    }

#else

#if AEGIS_ONCE
#define AEGIS_LARGE RIJN_APART static
#else
#define AEGIS_LARGE RIJN_INLINE
#endif
#define OF_VARIANT
#define THIS_VARIANT

#define BLOCKS 8
#define DEGREE 1
#define AEGIS(name) name##_in_128l
#include "variant.h"
#undef DEGREE
#undef AEGIS

#define DEGREE 2
#define AEGIS(name) name##_in_128x2
#include "variant.h"
#undef DEGREE
#undef AEGIS

#define DEGREE 4
#define AEGIS(name) name##_in_128x4
#include "variant.h"
#if AEGIS_PACKED
#define PACKED_ALONE call_128l
#include "packed.h"
#undef PACKED_ALONE
#endif
#undef DEGREE
#undef AEGIS
#undef BLOCKS

#define BLOCKS 6
#define DEGREE 1
#define AEGIS(name) name##_in_256
#include "variant.h"
#undef DEGREE
#undef AEGIS

#define DEGREE 2
#define AEGIS(name) name##_in_256x2
#include "variant.h"
#undef DEGREE
#undef AEGIS

#define DEGREE 4
#define AEGIS(name) name##_in_256x4
#include "variant.h"
#if AEGIS_PACKED
#define PACKED_ALONE call_256
#include "packed.h"
#undef PACKED_ALONE
#endif

#define AEGIS_VARIANT(name, blocks, degree) \
    RIJN_OPERATION void call_##name(const rijn_aegis_call *c) \
    { \
        part_in_##name s[groups_in_##name]; \
        uint8_t last[AEGIS_RATE(blocks, degree)]; \
        if (AEGIS_MEMORY) \
            __asm__("" : : "r"(s) : "memory"); /* as if code read it */ \
        call_in_##name(c, s, last, false); \
    } \
    RIJN_OPERATION void next_##name(const uint64_t *state, uint8_t *out) \
    { \
        part_in_##name s[groups_in_##name]; \
        next_in_##name(state, s, out); \
    }

#endif

/* Seals a whole message without a call in memory, with the rounds written out: for the states that fill the
 * widest registers. There, each instruction of a short message counts, and seals take 0.9 of the time. */
#ifdef AEGIS_WRITTEN
#define AEGIS_WHOLE(name) \
    RIJN_OPERATION rijn_status whole_##name(const rijn_aegis_key *key, uint8_t *out, uint8_t *tag, \
                                            size_t tag_size, const uint8_t *nonce, \
                                            size_t nonce_size, const uint8_t *ad, size_t ad_size, \
                                            const uint8_t *in, size_t size) \
    { \
        part_in_##name s[groups_in_##name]; \
        const rijn_aegis_call c = \
            rijn_aegis_whole_call(key, false, out, tag, tag_size, nonce, ad, ad_size, in, size); \
        (void)nonce_size; \
        call_in_##name(&c, s, NULL, true); \
        return RIJN_OK; \
    }
AEGIS_WHOLE(128x4)
AEGIS_WHOLE(256x4)
#define AEGIS_IF_WRITTEN(function) (VECS_IN_REGISTERS ? (function) : NULL)
#else
#define AEGIS_IF_WRITTEN(function) NULL
#endif

AEGIS_VARIANT(128l, 8, 1)
AEGIS_VARIANT(128x2, 8, 2)
AEGIS_VARIANT(128x4, 8, 4)
AEGIS_VARIANT(256, 6, 1)
AEGIS_VARIANT(256x2, 6, 2)
AEGIS_VARIANT(256x4, 6, 4)

#if AEGIS_PACKED
#define AEGIS_MANY(name) many_in_##name
#else
#define AEGIS_MANY(name) NULL
#endif

#define WITH_DEGREE(degree) (RIJN_WITH_AEGIS_X || (degree) == 1)
#define AEGIS_CODE(name, blocks, its_degree, its_whole, its_many) \
    { \
        .key_size = (blocks) == 8 ? 16 : 32, .rate = AEGIS_RATE(blocks, its_degree), \
        .degree = its_degree, .stack = AEGIS_STACK(blocks, its_degree), \
        .in_registers = AEGIS_IN_REGISTERS(blocks, its_degree), \
        .call = WITH_DEGREE(its_degree) ? call_##name : NULL, \
        .next = WITH_DEGREE(its_degree) ? next_##name : NULL, .whole = its_whole, \
        .many = its_many, .many_stack = AEGIS_PACKED \
    }

#define RIJN_AEGIS(kernel) \
    extern const rijn_aegis_code rijn_aegis_code_##kernel[RIJN_AEGIS_VARIANTS]; \
    const rijn_aegis_code rijn_aegis_code_##kernel[RIJN_AEGIS_VARIANTS] = { \
        [RIJN_AEGIS_128L] = AEGIS_CODE(128l, 8, 1, NULL, AEGIS_MANY(128x4)), \
        [RIJN_AEGIS_128X2] = AEGIS_CODE(128x2, 8, 2, NULL, NULL), \
        [RIJN_AEGIS_128X4] = AEGIS_CODE(128x4, 8, 4, AEGIS_IF_WRITTEN(whole_128x4), NULL), \
        [RIJN_AEGIS_256] = AEGIS_CODE(256, 6, 1, NULL, AEGIS_MANY(256x4)), \
        [RIJN_AEGIS_256X2] = AEGIS_CODE(256x2, 6, 2, NULL, NULL), \
        [RIJN_AEGIS_256X4] = AEGIS_CODE(256x4, 6, 4, AEGIS_IF_WRITTEN(whole_256x4), NULL), \
    }

#endif
