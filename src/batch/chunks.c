/* Runs of chunks of C2SP chunked encryption, one call for many. */
#include <string.h>

#include "../api.h"
#include "../bytes.h"

enum { TAG = 16, NONCE = 12 };

/* nonce XOR number, the number as a big-endian integer of 96 bits. */
static void chunk_nonce(uint8_t out[NONCE], const uint8_t nonce[NONCE], uint64_t number)
{
    memcpy(out, nonce, NONCE);
    store_be64(out + 4, load_be64(out + 4) ^ number);
}

/* What both directions check. A whole chunk measures `whole` bytes of `in`, the
 * last one at least `least`; *chunks becomes their number. */
static rijn_status check_run(const rijn_key *key, const uint8_t *nonce, uint64_t first,
                             size_t whole, size_t least, int last, const uint8_t *in, size_t size,
                             size_t *chunks)
{
    TRY(rijn_check_key(key));
    REQUIRE(nonce && (in || !size), RIJN_ERR_ARGUMENT);
    REQUIRE(last ? size % whole >= least : size % whole == 0, RIJN_ERR_SIZE);
    *chunks = size / whole + (last ? 1 : 0);
    REQUIRE(*chunks == 0 || *chunks - 1 <= UINT64_MAX - first, RIJN_ERR_SIZE);
    return RIJN_OK;
}

rijn_status rijn_gcm_seal_chunks(const rijn_key *key, uint8_t *out, const uint8_t nonce[12],
                                 uint64_t first, size_t chunk, int last, const uint8_t *in,
                                 size_t size)
{
    uint8_t number_nonce[NONCE];
    size_t chunks;

    REQUIRE(chunk && within(chunk, GCM_MAX_DATA), RIJN_ERR_SIZE);
    TRY(check_run(key, nonce, first, chunk, 0, last, in, size, &chunks));
    REQUIRE(chunks <= (SIZE_MAX - size) / TAG, RIJN_ERR_SIZE);
    REQUIRE(out || !chunks, RIJN_ERR_ARGUMENT);
    REQUIRE(rijn_disjoint(out, size + TAG * chunks, in, size), RIJN_ERR_OVERLAP);

    for (size_t i = 0; i < chunks; i++) {
        const size_t n = size < chunk ? size : chunk;
        chunk_nonce(number_nonce, nonce, first + i);
        TRY(rijn_gcm_seal(key, out, out + n, TAG, number_nonce, NONCE, NULL, 0, in, n));
        out += n + TAG;
        if (n) /* in may be NULL when there is nothing at it */
            in += n, size -= n;
    }
    return RIJN_OK;
}

rijn_status rijn_gcm_open_chunks(const rijn_key *key, uint8_t *out, uint64_t *bad,
                                 const uint8_t nonce[12], uint64_t first, size_t chunk, int last,
                                 const uint8_t *in, size_t size)
{
    uint8_t number_nonce[NONCE], *to = out;
    size_t chunks;

    REQUIRE(chunk && within(chunk, GCM_MAX_DATA) && chunk <= SIZE_MAX - TAG, RIJN_ERR_SIZE);
    TRY(check_run(key, nonce, first, chunk + TAG, TAG, last, in, size, &chunks));
    const size_t plain = size - TAG * chunks;
    REQUIRE(out || !plain, RIJN_ERR_ARGUMENT);
    REQUIRE(rijn_disjoint(out, plain, in, size), RIJN_ERR_OVERLAP);

    for (size_t i = 0; i < chunks; i++) {
        const size_t n = size - TAG < chunk ? size - TAG : chunk;
        chunk_nonce(number_nonce, nonce, first + i);
        const rijn_status status =
            rijn_gcm_open(key, to, in + n, TAG, number_nonce, NONCE, NULL, 0, in, n);
        if (status != RIJN_OK) {
            rijn_wipe(out, plain);
            if (bad)
                *bad = first + i;
            return status;
        }
        in += n + TAG, size -= n + TAG;
        if (n) /* out may be NULL when there is nothing to write */
            to += n;
    }
    return RIJN_OK;
}
