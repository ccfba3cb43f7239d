/* An object with the key of an authenticated cipher, and the description of its algorithm. */
#ifndef RIJN_BINDING_SEALER_H
#define RIJN_BINDING_SEALER_H

#include "binding.h"

#define NONCE_MAX 32u /* of algorithms with one nonce size */

typedef rijn_status seal_function(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                                  const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                                  size_t ad_size, const uint8_t *in, size_t size);
typedef rijn_status open_function(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                  size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                  const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                  size_t size);

typedef struct stream stream;
typedef rijn_status start_function(stream *s, const span *nonce, const span *ad);

typedef struct {
    uint64_t key_sizes; /* bit n / 8 for n bytes */
    size_t nonce_least, nonce_most;
    size_t nonce_unasked;       /* shorter nonces need short_nonces=True; 0: none do */
    size_t nonce_usual;         /* size of drawn nonces, and of a run of chunks */
    uint64_t tag_sizes;         /* bit n for n bytes */
    uint64_t data_max;          /* 0 for CCM, where the nonce size decides */
    rijn_aegis_variant variant; /* if `seal` is NULL */
    rijn_many_mode many;        /* many messages in one call */
    seal_function *seal;        /* NULL for AEGIS */
    open_function *open;
    start_function *start; /* starts a stream; NULL if messages cannot come in pieces */
} aead_algorithm;

/* An object is only as large as the member of `key` that its algorithm needs. */
typedef struct {
    PyObject ob_base; /* PyObject_HEAD */
    const aead_algorithm *algorithm;
    size_t tag_size;
    nonce_sizes nonces;
    union {
        rijn_key aes;
        rijn_aegis_key aegis;
    } key;
} sealer;

#endif
