/* One table of calls: how to call each public function with secrets. The test of wiping
 * (unit/test_wipe.c) and the test of constant time (ct/ct.c) both run it and add their own checks.
 * The table is compiled into each of them (public.h). */
#ifndef CALLS_H
#define CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rijn.h"

enum {
    MESSAGES = 20, /* in one call: more than any backend packs side by side */
    LONGEST = 4229,
    MOST_NONCE = 60,
    SEALED = LONGEST + MESSAGES * 64
};

/* The inputs of a call. The programs set the sizes and names, calls_draw the bytes. */
typedef struct call_inputs {
    const char *backend, *kernel; /* the kernel of AEGIS, or the backend */
    rijn_aegis_variant variant;
    size_t key_size, nonce_size, ad_size, size;
    uint8_t nonce[MESSAGES * 24]; /* public, like all sizes */
    /* Secret: */
    uint8_t key_bytes[64], ad[LONGEST], plain[LONGEST], forged[32], iv[32];
} call_inputs;

extern call_inputs given;

/* A counter that wraps from 2^128 - 1 to 0 within a message; public. */
extern const uint8_t wrapping_counter[16];

/* The results of a call. Tests compare two runs by them. */
extern uint8_t call_out[SEALED], call_tag[32];

/* The strings that SIV authenticates. */
extern const rijn_string siv_strings[3];

/* The algorithm of a call. An oracle computes its values. */
typedef enum call_family {
    OF_KEY,
    OF_BLOCKS,
    OF_CTR,
    OF_FEEDBACK,
    OF_GCM,
    OF_CHUNKS,
    OF_GCM_SIV,
    OF_XAES,
    OF_CCM,
    OF_OCB,
    OF_EAX,
    OF_CMAC,
    OF_SIV,
    OF_XTS,
    OF_WRAP,
    OF_AEGIS
} call_family;

enum {
    WHOLE = 1,   /* data are whole blocks */
    PLAIN = 2,   /* handles no secret on its stack, and does not scrub it */
    REFUSES = 4, /* call_out is zeros afterwards, except for at most 16 bytes */
    SEVERAL = 8, /* calls several functions, or one function several times */
    NO_AES = 16, /* reaches no table of a leaky backend */
    DISCLOSES =
        32, /* its branches depend on a tag of SIV, or on nonces drawn: public, but new in each run */
    SLOW = 64,    /* a block cipher call for each byte, or several */
    MANY = 128,   /* many messages in one call; with the flags below: */
    ALIKE = 256,  /* all nonces have one prefix */
    LENT = 512,   /* the caller lends memory */
    EQUAL = 1024, /* all messages have one size */
    DRAWN = 2048  /* no nonces are given */
};

typedef rijn_status call_function(void);

typedef struct call {
    const char *name; /* a public function; after a comma, the case */
    call_family family;
    call_function *run;
    call_function *before[5]; /* each must return RIJN_OK */
    rijn_status want;
    unsigned flags;
    rijn_many_mode mode; /* of many messages */
    uint8_t keys[4];     /* their sizes, then a 0; none: 16, 24 and 32 */
    uint8_t nonces[4];   /* the same; none: 16 */
    void *wiped;         /* zeros afterwards */
    size_t wiped_size;
} call;

extern const call aes_calls[], aegis_calls[];
extern const size_t aes_call_count, aegis_call_count;

/* Draws new bytes. The secret bytes depend on `secrets`, the public bytes only on `seed`. An odd
 * `secrets` inverts every bit of the even number before. */
void calls_draw(uint32_t seed, uint32_t secrets);

/* Applies a function to each part of the inputs that is secret. */
void calls_secrets(void (*apply)(void *part, size_t size));

/* Runs the preparation of a call. Returns false if a part of it fails. */
bool call_prepare(const call *c);

/* Runs the prepared call, and notes which public functions it calls. */
rijn_status call_run(void);

/* Examines every call of AES with each of its sizes of keys and nonces: all calls with one pair of
 * sizes, then all with the next. `wanted` chooses the calls; NULL: all. */
void calls_of_aes(size_t size, size_t ad_size, bool (*wanted)(const call *),
                  void (*examine)(const call *));

/* Examines every call of AEGIS that is `wanted`, with the kernel and the variant in `given`. */
void calls_of_aegis(size_t size, size_t ad_size, bool (*wanted)(const call *),
                    void (*examine)(const call *));

/* Returns true if the call processes long messages in special loops. */
bool call_has_bulk(const call *c);

/* Returns true if some backends keep the secrets of the call in registers. They have separate code for
 * each number of vecs. */
bool call_has_register_code(const call *c);

/* Lets an oracle compute a call's message and show every intermediate value (calls_oracle.c). */
void calls_show(const call *c);

/* The size of a chunk, and of all chunks sealed. */
size_t chunk_size(void);
size_t sealed_chunks_size(void);

/* The tag size of OCB. */
size_t ocb_tag_size(void);

/* The beginning of message i of many, and its nonce of n bytes. */
size_t many_begin(const call *c, size_t i);
const uint8_t *many_nonce(const call *c, size_t i, size_t n);

/* Prints each public function that no call ran and no exemption lists. Returns their number. */
size_t calls_forgotten(void);

/* Returns true if calls_forgotten notices one omission. Call this before any other function. */
bool calls_notice_omission(void);

#endif
