/* AEADs that take a message in pieces: the context, and what each algorithm does with it. */
#ifndef RIJN_OPENSSL_PIECES_H
#define RIJN_OPENSSL_PIECES_H

#include "params.h"
#include "provider.h"

enum {
    IV_MAX = 128, /* as OpenSSL's */
    TAG_MAX = RIJN_AEGIS_TAG_MAX,
    AD_KEPT = 64,
    TEXT_KEPT = 1536, /* a packet of a network; longer messages gain little */
};

typedef enum iv_state {
    IV_MISSING = 0,
    IV_GIVEN,   /* no call used it yet */
    IV_STARTED, /* the message has begun, in `state` */
    IV_SEALED,  /* its first piece was a message for one call, and is in `kept` */
    IV_USED     /* the message has ended or failed, or the size changed: a new IV is needed */
} iv_state;

typedef struct pieces_context {
    base base;
    union {
        rijn_key aes;
        rijn_aegis_key aegis;
    } key;
    uint8_t iv[IV_MAX];
    size_t iv_size;
    uint8_t tag[TAG_MAX];
    size_t tag_size;
    uint8_t has_tag;   /* decryption: `tag` was given */
    uint8_t tag_spent; /* decryption: a message has been compared with it */
    uint8_t tag_ready; /* encryption has ended, and `tag` is its tag */
    uint8_t iv_counts; /* the IV was given by tlsivfixed, so its last 8 bytes count records */
    uint8_t iv_spent;  /* a message has got the IV, and it was not counted since */
    uint8_t iv_random; /* bytes of an IV were random: GCM tells this, as OpenSSL's since 3.4 */
    uint8_t has_tls_aad;
    uint8_t tls_aad[TLS_AAD];
    iv_state iv_state;
    uint8_t sealed_encrypt; /* the direction of IV_SEALED */
    struct {
        size_t ad_size, text_size;
        uint8_t ad[AD_KEPT];     /* that no state has got */
        uint8_t text[TEXT_KEPT]; /* the input of the first piece */
    } kept;
    union {
        rijn_gcm gcm;
        struct {
            rijn_gcm gcm; /* first, as in the union */
            rijn_key derived;
        } xaes;
        struct {
            rijn_ocb ocb;
            uint8_t buffer[BLOCK]; /* data that wait for the rest of their block */
            size_t buffered;
        } ocb;
        rijn_aegis aegis;
    } state; /* last: contexts are only as long as their algorithm needs */
} pieces_context;

/* ---- pieces_state.c ---- */

/* Returns the size of the context of an algorithm. */
size_t pieces_size(int kind);

/* Expands a key. */
rijn_status pieces_set_key(pieces_context *context, const uint8_t *bytes, size_t size);

/* Makes the state of a copied context independent of the original. */
rijn_status pieces_copy(pieces_context *to, const pieces_context *from);

/* Starts a message with the IV of the context. */
rijn_status pieces_start(pieces_context *context);

rijn_status pieces_ad(pieces_context *context, const uint8_t *ad, size_t size);

/* Encrypts or decrypts: a step_function. OCB: whole blocks, except at the end. */
rijn_status pieces_crypt(void *context, uint8_t *out, const uint8_t *in, size_t size);

/* Ends a message: writes the tag into the context, or compares it. */
rijn_status pieces_finish(pieces_context *context);

/* Seals, or opens, the whole message in one call, with the kept associated data. The tag is in the context. */
rijn_status pieces_whole(pieces_context *context, uint8_t *out, const uint8_t *in, size_t size);

/* ---- one_call.c: short messages in one call of librijn, which is faster than a state ---- */

/* Keeps associated data for one call. Returns 0 if they are too long for that, or come too late. */
int keep_ad(pieces_context *context, const uint8_t *ad, size_t size);

/* Encrypts or decrypts the next piece. The first one is processed as the whole message, if it can be, and its
 * input is kept in case that more follows. */
int pieces_data(pieces_context *context, uint8_t *out, const uint8_t *in, size_t size);

/* Starts the state of a message if it has none yet, with all that was kept. Returns 0 after an error. */
int pieces_stream(pieces_context *context);

/* Wipes all that was kept. */
void pieces_forget(pieces_context *context);

/* ---- pieces.c ---- */

/* Starts a message with the IV of the context. Returns 0 after an error. */
int pieces_begin(pieces_context *context);

/* Fills the IV with random bytes from byte `from` on. */
int pieces_random_iv(pieces_context *context, size_t from);

/* ---- records.c: OpenSSL's calls for TLS 1.2 and SSH, of GCM alone ---- */

/* tlsivfixed: sets the first bytes of the IV, which stay. The rest is random and then counts, or comes
 * with each record. A size of SIZE_MAX sets the whole IV. */
int set_fixed_iv(pieces_context *context, const uint8_t *fixed, size_t size);

/* tlsivgen: starts a message with the counted IV and writes its last bytes. */
int generate_iv(pieces_context *context, uint8_t *out, size_t size);

/* tlsivinv: starts a message with the given last bytes of the IV. */
int accept_iv(pieces_context *context, const uint8_t *in, size_t size);

/* tlsaad: keeps the associated data of the next record. */
int set_tls_aad(pieces_context *context, const uint8_t *aad, size_t size);

/* Seals or opens a record in place with one call of librijn: explicit nonce || text || tag. A record that
 * is not authentic becomes zeros. */
int crypt_record(pieces_context *context, uint8_t *out, size_t *out_size, const uint8_t *in,
                 size_t size);

enum { RECORD_TAG = 16 };

#endif
