/* CTR (SP 800-38A section 6.5): the public functions. ctr.h makes the keystream. */
#include "../build.h"

#if RIJN_BUILD_CTR

#include <string.h>

#include "../api.h"
#include "../bytes.h"
#include "../scrub.h"
#include "../wipe.h"
#include "message.h"

/* Bypassing the caches gains from 8 MiB on if the output is fresh or cold. If it is warm, bypassing
 * loses nothing at 16 MiB, but readers of the output must fetch it again. */
size_t rijn_bypass_size = (size_t)16 << 20;

void rijn_counter_set(rijn_counter *counter, unsigned width, int little, const uint8_t block[16])
{
    memcpy(counter->block, block, 16);
    counter->hidden = 0;
    counter->width = (uint8_t)(width / 8);
    counter->little = little != 0;
}

void rijn_stream_start(rijn_keystream *stream, unsigned width, int little,
                       const uint8_t counter[16])
{
    rijn_counter_set(&stream->next, width, little, counter);
    stream->ready = 0;
}

RIJN_APART size_t rijn_stream_use(rijn_keystream *stream, uint8_t *out, const uint8_t *in,
                                  size_t size)
{
    const size_t n = size < stream->ready ? size : stream->ready;

    xor_bytes(out, in, stream->ahead + sizeof stream->ahead - stream->ready, n);
    stream->ready = (uint8_t)(stream->ready - n);
    return n;
}

size_t rijn_stream_most(const rijn_key *key)
{
    const size_t most = sizeof((rijn_keystream *)0)->ahead, batch = 16 * key->backend->blocks;
    return batch < most ? batch : most;
}

void rijn_stream_refill(const rijn_key *key, rijn_keystream *stream, size_t size, bool first)
{
    const size_t most = rijn_stream_most(key);
    const size_t n = !first || size > most / 2 ? most : (size + 15) & ~(size_t)15;
    uint8_t *const ahead = stream->ahead + sizeof stream->ahead - n;

    memset(ahead, 0, n);
    rijn_ctr_of(key->backend)->ctr_crypt(key->context, &stream->next, ahead, ahead, n);
    stream->ready = (uint8_t)n;
}

static void run(const rijn_key *key, rijn_counter *counter, uint8_t *out, const uint8_t *in,
                size_t size)
{
    const rijn_ctr_table *const table = rijn_ctr_of(key->backend);
    (rijn_bypasses(key, out, in, size) ? table->ctr_bypass
                                       : table->ctr_crypt)(key->context, counter, out, in, size);
}

RIJN_APART static void crypt_stream(const rijn_key *key, rijn_keystream *stream, bool first,
                                    uint8_t *out, const uint8_t *in, size_t size)
{
    size_t used, direct;

    if (!size) /* out and in may be NULL */
        return;
    used = rijn_stream_use(stream, out, in, size);
    in += used, out += used, size -= used;
    direct = size & ~(rijn_stream_most(key) - 1);
    if (direct)
        run(key, &stream->next, out, in, direct);
    in += direct, out += direct, size -= direct;
    if (size) {
        rijn_stream_refill(key, stream, size, first);
        rijn_stream_use(stream, out, in, size);
    }
}

static rijn_status check_width(const rijn_key *key, unsigned width, const uint8_t *counter)
{
    TRY(rijn_check_key(key));
    REQUIRE(counter && (width == 32 || width == 64 || width == 128), RIJN_ERR_ARGUMENT);
    return RIJN_OK;
}

RIJN_APART void rijn_ctr_run(const rijn_key *key, unsigned width, int little,
                             const uint8_t counter[16], uint8_t *out, const uint8_t *in,
                             size_t size)
{
    rijn_counter first;

    rijn_counter_set(&first, width, little, counter);
    if (size)
        run(key, &first, out, in, size);
}

rijn_status rijn_ctr_crypt_width(const rijn_key *key, unsigned width, int little,
                                 const uint8_t counter[16], uint8_t *out, const uint8_t *in,
                                 size_t size)
{
    TRY(check_width(key, width, counter));
    REQUIRE(width > 32 || within(size, CTR_32_MAX), RIJN_ERR_SIZE);
    TRY(rijn_check_buffers(out, in, size));
#if RIJN_WITH_ALL
    const rijn_ctr_table *const table = rijn_ctr_of(key->backend);
    if (table->ctr_in_registers && !little && size < rijn_bypass_size &&
        within(size / 16, UINT32_MAX - load_be32(counter + 12)))
        return table->ctr_in_registers(key->context, load_le64(counter), load_le64(counter + 8),
                                       out, in, size);
#endif
    rijn_ctr_run(key, width, little, counter, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, CTR_STACK) + rijn_bypass_depth(key, out, in, size));
}

rijn_status rijn_ctr_crypt(const rijn_key *key, const uint8_t counter[16], uint8_t *out,
                           const uint8_t *in, size_t size)
{
    return rijn_ctr_crypt_width(key, 128, 0, counter, out, in, size);
}

rijn_status rijn_ctr_start_width(rijn_ctr *ctr, const rijn_key *key, unsigned width, int little,
                                 const uint8_t counter[16])
{
    REQUIRE(ctr, RIJN_ERR_ARGUMENT);
    TRY(check_width(key, width, counter));
    ctr->key = key;
    ctr->left = CTR_32_MAX;
    rijn_stream_start(&ctr->stream, width, little, counter);
    return RIJN_OK;
}

rijn_status rijn_ctr_start(rijn_ctr *ctr, const rijn_key *key, const uint8_t counter[16])
{
    return rijn_ctr_start_width(ctr, key, 128, 0, counter);
}

static rijn_status check_started(const rijn_ctr *ctr)
{
    REQUIRE(ctr, RIJN_ERR_ARGUMENT);
    return ctr->key && ctr->key->backend ? RIJN_OK : RIJN_ERR_STATE;
}

rijn_status rijn_ctr_copy(rijn_ctr *to, const rijn_ctr *from, const rijn_key *key)
{
    REQUIRE(to, RIJN_ERR_ARGUMENT);
    TRY(check_started(from));
    TRY(rijn_check_copy(key, from->key));
    *to = *from;
    to->key = key;
    return rijn_scrub(RIJN_OK, 2 * RIJN_FRAME);
}

rijn_status rijn_ctr_update(rijn_ctr *ctr, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(check_started(ctr));
    const bool narrow = ctr->stream.next.width == 4;
    REQUIRE(!narrow || within(size, ctr->left), RIJN_ERR_SIZE);
    TRY(rijn_check_buffers(out, in, size));
    const bool first = ctr->left == CTR_32_MAX;
    ctr->left -= size;
    /* Keystream that is ready needs no operation of the backend. */
    const size_t depth = size <= ctr->stream.ready ? STREAM_STACK + 3 * RIJN_FRAME
                                                   : rijn_depth(ctr->key, STREAM_STACK) +
                                                         rijn_bypass_depth(ctr->key, out, in, size);
    crypt_stream(ctr->key, &ctr->stream, first, out, in, size);
    return rijn_scrub(RIJN_OK, depth);
}

/* Adds `blocks` to the counter. */
static void count_on(rijn_counter *counter, uint64_t blocks)
{
    uint8_t *const low = counter->block + (counter->little ? 0 : 8);
    uint8_t *const high = counter->block + (counter->little ? 8 : 0);

    if (counter->width == 4 && counter->little) {
        store_le32(low, load_le32(low) + (uint32_t)blocks);
    } else if (counter->width == 4) {
        store_be32(low + 4, load_be32(low + 4) + (uint32_t)blocks);
    } else {
        const uint64_t sum = (counter->little ? load_le64(low) : load_be64(low)) + blocks;
        const uint64_t carry = sum < blocks && counter->width == 16;
        if (counter->little) {
            store_le64(low, sum);
            store_le64(high, load_le64(high) + carry);
        } else {
            store_be64(low, sum);
            store_be64(high, load_be64(high) + carry);
        }
    }
}

RIJN_APART static void stream_skip(rijn_keystream *stream, uint64_t blocks)
{
    const size_t ready = stream->ready;

    if (blocks < ready / 16) {
        stream->ready = (uint8_t)(ready - 16 * (size_t)blocks);
    } else {
        stream->ready = 0;
        count_on(&stream->next, blocks - ready / 16);
    }
}

rijn_status rijn_ctr_skip(rijn_ctr *ctr, uint64_t blocks)
{
    TRY(check_started(ctr));
    const bool narrow = ctr->stream.next.width == 4;
    REQUIRE(ctr->stream.ready % 16 == 0, RIJN_ERR_STATE);
    REQUIRE(!narrow || blocks <= ctr->left / 16, RIJN_ERR_SIZE);
    ctr->left -= 16 * blocks;
    stream_skip(&ctr->stream, blocks);
    return rijn_scrub(RIJN_OK, 2 * RIJN_FRAME);
}

void rijn_ctr_wipe(rijn_ctr *ctr)
{
    if (ctr)
        wipe(ctr, sizeof *ctr);
}

#endif
