/* Seals and opens runs of chunks of C2SP chunked encryption, many chunks in one call. */
#include "../build.h"

#if RIJN_WITH_CHUNKS

#include <string.h>

#include "../aegis/message.h"
#include "../api.h"
#include "../bytes.h"
#include "../modes/message.h"
#include "../scrub.h"

enum { TAG = 16, NONCE_MAX = 32 };

/* The AEAD of a run. One of the two keys is NULL. */
typedef struct {
    const rijn_key *gcm;
    const rijn_aegis_key *aegis;
    size_t nonce_size;
} run_cipher;

static void seal_chunk(const run_cipher *cipher, uint8_t *out, const uint8_t *nonce,
                       const uint8_t *in, size_t size)
{
    uint8_t *const tag = out + size;
    if (cipher->gcm)
        rijn_gcm_of(cipher->gcm->backend)
            ->gcm_seal(cipher->gcm->context, out, tag, TAG, nonce, cipher->nonce_size, NULL, 0, in,
                       size);
    else
        rijn_aegis_seal_message(cipher->aegis, out, tag, TAG, nonce, NULL, 0, in, size);
}

static rijn_status open_chunk(const run_cipher *cipher, uint8_t *out, const uint8_t *nonce,
                              const uint8_t *in, size_t size)
{
    const uint8_t *const tag = in + size;
    return cipher->gcm
               ? rijn_gcm_open_message(cipher->gcm, out, tag, TAG, nonce, cipher->nonce_size, NULL,
                                       0, in, size)
               : rijn_aegis_open_message(cipher->aegis, out, tag, TAG, nonce, NULL, 0, in, size);
}

static size_t chunk_depth(const run_cipher *cipher)
{
    return NONCE_MAX + 2 * RIJN_FRAME +
           (cipher->aegis ? rijn_aegis_depth(cipher->aegis->code)
                          : rijn_gcm_depth(cipher->gcm, GCM_STACK, 12, 0, SIZE_MAX));
}

/* Stores the nonce XOR the number of the chunk, a big-endian integer as wide as the nonce. */
static void chunk_nonce(const run_cipher *cipher, uint8_t out[NONCE_MAX], const uint8_t *nonce,
                        uint64_t number)
{
    uint8_t *const low = out + cipher->nonce_size - 8;
    memcpy(out, nonce, cipher->nonce_size);
    store_be64(low, load_be64(low) ^ number);
}

/* Checks the arguments of both directions, and sets *chunks to their number. A whole chunk has `whole`
 * bytes of `in`, and the last one at least `least`. */
static rijn_status check_run(const uint8_t *nonce, uint64_t first, size_t whole, size_t least,
                             int last, const uint8_t *in, size_t size, size_t *chunks)
{
    REQUIRE(nonce && (in || !size), RIJN_ERR_ARGUMENT);
    REQUIRE(last ? size % whole >= least : size % whole == 0, RIJN_ERR_SIZE);
    *chunks = size / whole + (last ? 1 : 0);
    REQUIRE(*chunks == 0 || *chunks - 1 <= UINT64_MAX - first, RIJN_ERR_SIZE);
    return RIJN_OK;
}

RIJN_APART static void seal_run(const run_cipher *cipher, uint8_t *out, const uint8_t *nonce,
                                uint64_t first, size_t chunk, size_t chunks, const uint8_t *in,
                                size_t size)
{
    uint8_t number_nonce[NONCE_MAX];

    for (size_t i = 0; i < chunks; i++) {
        const size_t n = size < chunk ? size : chunk;
        chunk_nonce(cipher, number_nonce, nonce, first + i);
        seal_chunk(cipher, out, number_nonce, in, n);
        out += n + TAG;
        if (n) /* in may be NULL if it is empty */
            in += n, size -= n;
    }
}

static rijn_status seal_chunks(const run_cipher *cipher, uint8_t *out, const uint8_t *nonce,
                               uint64_t first, size_t chunk, int last, const uint8_t *in,
                               size_t size)
{
    size_t chunks;

    TRY(check_run(nonce, first, chunk, 0, last, in, size, &chunks));
    REQUIRE(chunks <= (SIZE_MAX - size) / TAG, RIJN_ERR_SIZE);
    REQUIRE(out || !chunks, RIJN_ERR_ARGUMENT);
    REQUIRE(rijn_disjoint(out, size + TAG * chunks, in, size), RIJN_ERR_OVERLAP);
    REQUIRE(rijn_disjoint(out, size + TAG * chunks, nonce, cipher->nonce_size), RIJN_ERR_OVERLAP);
    seal_run(cipher, out, nonce, first, chunk, chunks, in, size);
    return rijn_scrub(RIJN_OK, chunk_depth(cipher));
}

/* Returns the number of the first chunk that is refused, or `chunks`. */
RIJN_APART static size_t open_run(const run_cipher *cipher, uint8_t *out, const uint8_t *nonce,
                                  uint64_t first, size_t chunk, size_t chunks, const uint8_t *in,
                                  size_t size)
{
    uint8_t number_nonce[NONCE_MAX];

    for (size_t i = 0; i < chunks; i++) {
        const size_t n = size - TAG < chunk ? size - TAG : chunk;
        chunk_nonce(cipher, number_nonce, nonce, first + i);
        if (open_chunk(cipher, out, number_nonce, in, n) != RIJN_OK)
            return i;
        in += n + TAG, size -= n + TAG;
        if (n) /* out may be NULL if nothing is written */
            out += n;
    }
    return chunks;
}

static rijn_status open_chunks(const run_cipher *cipher, uint8_t *out, uint64_t *bad,
                               const uint8_t *nonce, uint64_t first, size_t chunk, int last,
                               const uint8_t *in, size_t size)
{
    size_t chunks;

    REQUIRE(chunk <= SIZE_MAX - TAG, RIJN_ERR_SIZE);
    TRY(check_run(nonce, first, chunk + TAG, TAG, last, in, size, &chunks));
    const size_t plain = size - TAG * chunks;
    REQUIRE(out || !plain, RIJN_ERR_ARGUMENT);
    REQUIRE(rijn_disjoint(out, plain, in, size), RIJN_ERR_OVERLAP);
    REQUIRE(rijn_disjoint(out, plain, nonce, cipher->nonce_size), RIJN_ERR_OVERLAP);

    const size_t opened = open_run(cipher, out, nonce, first, chunk, chunks, in, size);
    if (opened == chunks)
        return rijn_scrub(RIJN_OK, chunk_depth(cipher));
    rijn_wipe(out, plain);
    if (bad)
        *bad = first + opened;
    return rijn_scrub(RIJN_ERR_TAG, chunk_depth(cipher));
}

/* ---- GCM ---- */

static rijn_status check_gcm(const rijn_key *key, size_t chunk)
{
    TRY(rijn_check_key(key));
    return chunk && within(chunk, gcm_limits.data) ? RIJN_OK : RIJN_ERR_SIZE;
}

rijn_status rijn_gcm_seal_chunks(const rijn_key *key, uint8_t *out, const uint8_t nonce[12],
                                 uint64_t first, size_t chunk, int last, const uint8_t *in,
                                 size_t size)
{
    const run_cipher cipher = {.gcm = key, .nonce_size = 12};
    TRY(check_gcm(key, chunk));
    return seal_chunks(&cipher, out, nonce, first, chunk, last, in, size);
}

rijn_status rijn_gcm_open_chunks(const rijn_key *key, uint8_t *out, uint64_t *bad,
                                 const uint8_t nonce[12], uint64_t first, size_t chunk, int last,
                                 const uint8_t *in, size_t size)
{
    const run_cipher cipher = {.gcm = key, .nonce_size = 12};
    TRY(check_gcm(key, chunk));
    return open_chunks(&cipher, out, bad, nonce, first, chunk, last, in, size);
}

/* ---- AEGIS ---- */

static rijn_status check_aegis(run_cipher *cipher, const rijn_aegis_key *key, size_t chunk)
{
    REQUIRE(key, RIJN_ERR_ARGUMENT);
    REQUIRE(key->code, RIJN_ERR_STATE);
    *cipher = (run_cipher){.aegis = key, .nonce_size = key->code->key_size};
    return chunk && within(chunk, (UINT64_C(1) << 61) - 1) ? RIJN_OK : RIJN_ERR_SIZE;
}

rijn_status rijn_aegis_seal_chunks(const rijn_aegis_key *key, uint8_t *out, const uint8_t *nonce,
                                   uint64_t first, size_t chunk, int last, const uint8_t *in,
                                   size_t size)
{
    run_cipher cipher;
    TRY(check_aegis(&cipher, key, chunk));
    return seal_chunks(&cipher, out, nonce, first, chunk, last, in, size);
}

rijn_status rijn_aegis_open_chunks(const rijn_aegis_key *key, uint8_t *out, uint64_t *bad,
                                   const uint8_t *nonce, uint64_t first, size_t chunk, int last,
                                   const uint8_t *in, size_t size)
{
    run_cipher cipher;
    TRY(check_aegis(&cipher, key, chunk));
    return open_chunks(&cipher, out, bad, nonce, first, chunk, last, in, size);
}

#endif
