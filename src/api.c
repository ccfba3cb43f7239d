/* The public functions: arguments are checked here, then the key's backend
 * does the work. What may be asked and what is refused is said in rijn.h. */
#include "rijn.h"

#include <stdbool.h>
#include <string.h>

#include "api.h"
#include "backend.h"
#include "bytes.h"
#include "ct.h"
#include "scrub.h"
#include "wipe.h"

const char *rijn_version(void)
{
    return RIJN_VERSION;
}

const char *rijn_status_text(rijn_status status)
{
    static const char *const texts[] = {
        [RIJN_OK] = "success",
        [RIJN_ERR_ARGUMENT] = "a required pointer is NULL, or a parameter has no such value",
        [RIJN_ERR_KEY_SIZE] = "the key has not one of the sizes of the mode",
        [RIJN_ERR_NONCE_SIZE] = "the nonce is too short or too long for the mode",
        [RIJN_ERR_TAG_SIZE] =
            "the tag has not one of the sizes of the mode, or is short without leave",
        [RIJN_ERR_SIZE] = "the data are no whole number of blocks, or too long for the mode",
        [RIJN_ERR_OVERLAP] = "buffers overlap that must lie apart",
        [RIJN_ERR_PADDING] = "the padding is malformed",
        [RIJN_ERR_TAG] = "authentication failed",
        [RIJN_ERR_BACKEND] = "no backend has that name",
        [RIJN_ERR_UNAVAILABLE] = "that backend cannot run on this machine",
        [RIJN_ERR_STATE] = "the key or state is not initialised, or the calls are out of order",
        [RIJN_ERR_EQUAL_HALVES] = "the two halves of the key are equal",
        [RIJN_ERR_ENVIRONMENT] =
            "RIJN_BACKEND names a backend that is not constant time: ask for it in the call",
    };
    const size_t index = (size_t)status;
    return index < sizeof texts / sizeof texts[0] ? texts[index] : "unknown status";
}

void rijn_wipe(void *memory, size_t size)
{
    if (size)
        wipe(memory, size);
}

/* ---- Checks ---- */

bool rijn_disjoint(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return !a_size || !b_size || (x < y ? y - x >= a_size : x - y >= b_size);
}

bool rijn_tags_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    unsigned difference = 0;

    for (size_t i = 0; i < size; i++)
        difference |= (unsigned)(a[i] ^ b[i]);
    RIJN_PUBLIC(&difference, sizeof difference);
    return difference == 0;
}

rijn_status rijn_judge(const uint8_t *got, const uint8_t *tag, size_t tag_size, uint8_t *out,
                       size_t size)
{
    if (rijn_tags_equal(got, tag, tag_size))
        return RIJN_OK;
    rijn_wipe(out, size);
    return RIJN_ERR_TAG;
}

rijn_status rijn_check_key(const rijn_key *key)
{
    if (!key)
        return RIJN_ERR_ARGUMENT;
    return key->backend ? RIJN_OK : RIJN_ERR_STATE;
}

rijn_status rijn_check_buffers(const uint8_t *out, const uint8_t *in, size_t size)
{
    if (size && (!out || !in))
        return RIJN_ERR_ARGUMENT;
    return out == in || rijn_disjoint(out, size, in, size) ? RIJN_OK : RIJN_ERR_OVERLAP;
}

rijn_status rijn_check_nonce(const rijn_limits *limits, const uint8_t *nonce, size_t size)
{
    REQUIRE(size >= limits->nonce_least && within(size, limits->nonce_most), RIJN_ERR_NONCE_SIZE);
    return nonce || !size ? RIJN_OK : RIJN_ERR_ARGUMENT;
}

rijn_status rijn_check_tag_size(const rijn_limits *limits, const rijn_key *key, size_t size)
{
    const uint32_t tags = limits->tags | (key->short_tags ? limits->short_tags : 0);
    return size <= 16 && tags >> size & 1 ? RIJN_OK : RIJN_ERR_TAG_SIZE;
}

rijn_status rijn_check_message(const rijn_limits *limits, const rijn_key *key, const uint8_t *out,
                               const uint8_t *tag, size_t tag_size, const uint8_t *nonce,
                               size_t nonce_size, const uint8_t *ad, size_t ad_size,
                               const uint8_t *in, size_t size)
{
    TRY(rijn_check_key(key));
    REQUIRE(limits->keys >> key->size / 8 & 1, RIJN_ERR_KEY_SIZE);
    REQUIRE(tag && (ad || !ad_size), RIJN_ERR_ARGUMENT);
    TRY(rijn_check_nonce(limits, nonce, nonce_size));
    TRY(rijn_check_tag_size(limits, key, tag_size));
    REQUIRE(within(size, limits->data) && within(ad_size, limits->ad), RIJN_ERR_SIZE);
    return rijn_check_apart(out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
}

/* ---- Keys ---- */

rijn_status rijn_key_init(rijn_key *key, const uint8_t *bytes, size_t size, const char *backend)
{
    const rijn_backend *found;

    REQUIRE(key, RIJN_ERR_ARGUMENT);
    rijn_key_wipe(key);
    REQUIRE(bytes, RIJN_ERR_ARGUMENT);
    REQUIRE(size == 16 || size == 24 || size == 32, RIJN_ERR_KEY_SIZE);
    TRY(rijn_backend_find(backend, &found));
    rijn_key_expand(key, found, bytes, size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, 0));
}

void rijn_key_expand(rijn_key *key, const rijn_backend *backend, const uint8_t *bytes, size_t size)
{
    backend->key_init(key->context, bytes, size);
    key->backend = backend;
    key->size = (uint16_t)size;
}

const char *rijn_key_backend(const rijn_key *key)
{
    return key && key->backend ? key->backend->name : "";
}

rijn_status rijn_key_allow_short_tags(rijn_key *key)
{
    TRY(rijn_check_key(key));
    key->short_tags = 1;
    return RIJN_OK;
}

void rijn_key_wipe(rijn_key *key)
{
    if (key)
        wipe(key, sizeof *key);
}

/* ---- ECB and CBC ---- */

static rijn_status check_blocks(const rijn_key *key, const uint8_t *out, const uint8_t *in,
                                size_t size)
{
    TRY(rijn_check_key(key));
    TRY(rijn_check_buffers(out, in, size));
    return size % 16 == 0 ? RIJN_OK : RIJN_ERR_SIZE;
}

rijn_status rijn_ecb_encrypt(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(check_blocks(key, out, in, size));
    key->backend->ecb_encrypt(key->context, out, in, size / 16);
    return rijn_scrub(RIJN_OK, rijn_depth(key, 0));
}

rijn_status rijn_ecb_decrypt(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(check_blocks(key, out, in, size));
    key->backend->ecb_decrypt(key->context, out, in, size / 16);
    return rijn_scrub(RIJN_OK, rijn_depth(key, 0));
}

rijn_status rijn_cbc_encrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                             size_t size)
{
    REQUIRE(iv, RIJN_ERR_ARGUMENT);
    TRY(check_blocks(key, out, in, size));
    key->backend->cbc_encrypt(key->context, iv, out, in, size / 16);
    return rijn_scrub(RIJN_OK, rijn_depth(key, 0));
}

rijn_status rijn_cbc_decrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                             size_t size)
{
    REQUIRE(iv, RIJN_ERR_ARGUMENT);
    TRY(check_blocks(key, out, in, size));
    key->backend->cbc_decrypt(key->context, iv, out, in, size / 16);
    return rijn_scrub(RIJN_OK, rijn_depth(key, 0));
}

RIJN_APART static void encrypt_padded(const rijn_key *key, const uint8_t iv[16], uint8_t *out,
                                      const uint8_t *in, size_t size)
{
    const size_t whole = size - size % 16, rest = size % 16;
    uint8_t chain[16], last[16];

    memcpy(chain, iv, 16);
    if (rest)
        memcpy(last, in + whole, rest);
    memset(last + rest, (int)(16 - rest), 16 - rest);
    key->backend->cbc_encrypt(key->context, chain, out, in, whole / 16);
    key->backend->cbc_encrypt(key->context, chain, out + whole, last, 1);
}

rijn_status rijn_cbc_encrypt_padded(const rijn_key *key, const uint8_t iv[16], uint8_t *out,
                                    const uint8_t *in, size_t size)
{
    TRY(rijn_check_key(key));
    REQUIRE(iv && out && (in || !size), RIJN_ERR_ARGUMENT);
    REQUIRE(size <= SIZE_MAX - 16, RIJN_ERR_SIZE);
    REQUIRE(out == in || rijn_disjoint(out, size - size % 16 + 16, in, size), RIJN_ERR_OVERLAP);
    encrypt_padded(key, iv, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, 2 * 16));
}

/* The number of padding bytes at the end of a block, 1 to 16, or 0 when they
 * are malformed; no branch and no address depends on the block. */
static size_t padding_of(const uint8_t block[16])
{
    const uint32_t pad = ct_opaque(block[15]);
    uint32_t bad = (pad - 1) & ~UINT32_C(15); /* not 0 unless 1 <= pad <= 16 */

    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t inside = ct_mask32((15 - i - pad) >> 31); /* where 16 - i <= pad */
        bad |= inside & (block[i] ^ pad);
    }
    /* 1 when bad is 0, else 0: bad is below 2^31, or pad was 0 and its top bit is set. */
    return pad & ct_mask32((~bad & (bad - 1)) >> 31);
}

RIJN_APART static rijn_status decrypt_padded(const rijn_key *key, const uint8_t iv[16],
                                             uint8_t *out, size_t *plain_size, const uint8_t *in,
                                             size_t size)
{
    uint8_t chain[16];
    size_t padding;

    memcpy(chain, iv, 16);
    key->backend->cbc_decrypt(key->context, chain, out, in, size / 16);
    padding = padding_of(out + size - 16);
    RIJN_PUBLIC(&padding, sizeof padding);
    *plain_size = padding ? size - padding : 0;
    if (!padding)
        wipe(out, size);
    return padding ? RIJN_OK : RIJN_ERR_PADDING;
}

rijn_status rijn_cbc_decrypt_padded(const rijn_key *key, const uint8_t iv[16], uint8_t *out,
                                    size_t *plain_size, const uint8_t *in, size_t size)
{
    REQUIRE(iv && plain_size, RIJN_ERR_ARGUMENT);
    TRY(check_blocks(key, out, in, size));
    REQUIRE(size, RIJN_ERR_SIZE);
    return rijn_scrub(decrypt_padded(key, iv, out, plain_size, in, size), rijn_depth(key, 16));
}

/* ---- CTR ---- */

void rijn_stream_start(rijn_keystream *stream, unsigned width, int little,
                       const uint8_t counter[16])
{
    memcpy(stream->counter, counter, 16);
    stream->hidden = 0;
    stream->width = (uint8_t)(width / 8);
    stream->little = little != 0;
    stream->ready = 0;
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
    rijn_keystream stream;

    rijn_stream_start(&stream, width, little, counter);
    if (size)
        key->backend->ctr_crypt(key->context, &stream, out, in, size);
}

rijn_status rijn_ctr_crypt_width(const rijn_key *key, unsigned width, int little,
                                 const uint8_t counter[16], uint8_t *out, const uint8_t *in,
                                 size_t size)
{
    TRY(check_width(key, width, counter));
    REQUIRE(width > 32 || within(size, CTR_32_MAX), RIJN_ERR_SIZE);
    TRY(rijn_check_buffers(out, in, size));
    rijn_ctr_run(key, width, little, counter, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_ctr_depth(key, CTR_STACK));
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
    rijn_ctr_wipe(ctr);
    ctr->key = key;
    ctr->left = CTR_32_MAX;
    rijn_stream_start(&ctr->stream, width, little, counter);
    return RIJN_OK;
}

rijn_status rijn_ctr_start(rijn_ctr *ctr, const rijn_key *key, const uint8_t counter[16])
{
    return rijn_ctr_start_width(ctr, key, 128, 0, counter);
}

rijn_status rijn_ctr_update(rijn_ctr *ctr, uint8_t *out, const uint8_t *in, size_t size)
{
    REQUIRE(ctr, RIJN_ERR_ARGUMENT);
    REQUIRE(ctr->key && ctr->key->backend, RIJN_ERR_STATE);
    const bool narrow = ctr->stream.width == 4;
    REQUIRE(!narrow || within(size, ctr->left), RIJN_ERR_SIZE);
    TRY(rijn_check_buffers(out, in, size));
    if (narrow)
        ctr->left -= size;
    if (size)
        ctr->key->backend->ctr_crypt(ctr->key->context, &ctr->stream, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_ctr_depth(ctr->key, 0));
}

void rijn_ctr_wipe(rijn_ctr *ctr)
{
    if (ctr)
        wipe(ctr, sizeof *ctr);
}

/* ---- GCM ---- */

static const rijn_limits gcm_limits = {.nonce_least = 1,
                                       .nonce_most = MAX_AD,
                                       .data = GCM_MAX_DATA,
                                       .ad = MAX_AD,
                                       .tags = SIZES(12, 16),
                                       .short_tags = SIZES(4, 4) | SIZES(8, 8),
                                       .keys = ALL_KEYS};

RIJN_APART void rijn_gcm_seal_message(const rijn_key *key, uint8_t *out, uint8_t *tag,
                                      size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                      const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                      size_t size)
{
    uint8_t full[16];
    rijn_gcm gcm;

    key->backend->gcm_start(key->context, &gcm, nonce, nonce_size);
    if (ad_size)
        key->backend->gcm_ad(key->context, &gcm, ad, ad_size);
    if (size)
        key->backend->gcm_encrypt(key->context, &gcm, out, in, size);
    key->backend->gcm_tag(key->context, &gcm, full);
    memcpy(tag, full, tag_size);
}

RIJN_APART rijn_status rijn_gcm_open_message(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                             size_t tag_size, const uint8_t *nonce,
                                             size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                             const uint8_t *in, size_t size)
{
    uint8_t full[16];
    rijn_gcm gcm;

    key->backend->gcm_start(key->context, &gcm, nonce, nonce_size);
    if (ad_size)
        key->backend->gcm_ad(key->context, &gcm, ad, ad_size);
    if (size)
        key->backend->gcm_decrypt(key->context, &gcm, out, in, size);
    key->backend->gcm_tag(key->context, &gcm, full);
    return rijn_judge(full, tag, tag_size, out, size);
}

rijn_status rijn_gcm_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&gcm_limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
    rijn_gcm_seal_message(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, GCM_STACK));
}

rijn_status rijn_gcm_open(const rijn_key *key, uint8_t *out, const uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&gcm_limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
    return rijn_scrub(
        rijn_gcm_open_message(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size),
        rijn_depth(key, GCM_STACK));
}

rijn_status rijn_gcm_start(rijn_gcm *gcm, const rijn_key *key, const uint8_t *nonce,
                           size_t nonce_size)
{
    REQUIRE(gcm, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_key(key));
    TRY(rijn_check_nonce(&gcm_limits, nonce, nonce_size));
    rijn_gcm_wipe(gcm);
    key->backend->gcm_start(key->context, gcm, nonce, nonce_size);
    gcm->key = key;
    gcm->phase = PHASE_AD;
    return rijn_scrub(RIJN_OK, rijn_depth(key, 0));
}

static rijn_status check_started(const rijn_gcm *gcm)
{
    REQUIRE(gcm, RIJN_ERR_ARGUMENT);
    REQUIRE(gcm->phase != PHASE_IDLE && gcm->key && gcm->key->backend, RIJN_ERR_STATE);
    return RIJN_OK;
}

rijn_status rijn_gcm_ad(rijn_gcm *gcm, const uint8_t *ad, size_t size)
{
    TRY(check_started(gcm));
    REQUIRE(gcm->phase == PHASE_AD, RIJN_ERR_STATE);
    REQUIRE(ad || !size, RIJN_ERR_ARGUMENT);
    REQUIRE(within(size, MAX_AD - gcm->ad_size), RIJN_ERR_SIZE);
    if (size)
        gcm->key->backend->gcm_ad(gcm->key->context, gcm, ad, size);
    return rijn_scrub(RIJN_OK, rijn_depth(gcm->key, 0));
}

/* The checks that both directions share; moves the state into `phase`. */
static rijn_status enter(rijn_gcm *gcm, int phase, const uint8_t *out, const uint8_t *in,
                         size_t size)
{
    TRY(check_started(gcm));
    REQUIRE(gcm->phase == PHASE_AD || gcm->phase == phase, RIJN_ERR_STATE);
    REQUIRE(within(size, GCM_MAX_DATA - gcm->size), RIJN_ERR_SIZE);
    TRY(rijn_check_buffers(out, in, size));
    gcm->phase = phase;
    return RIJN_OK;
}

rijn_status rijn_gcm_encrypt(rijn_gcm *gcm, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(enter(gcm, PHASE_ENCRYPT, out, in, size));
    if (size)
        gcm->key->backend->gcm_encrypt(gcm->key->context, gcm, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(gcm->key, 0));
}

rijn_status rijn_gcm_decrypt(rijn_gcm *gcm, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(enter(gcm, PHASE_DECRYPT, out, in, size));
    if (size)
        gcm->key->backend->gcm_decrypt(gcm->key->context, gcm, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(gcm->key, 0));
}

RIJN_APART static void finish(rijn_gcm *gcm, uint8_t *tag, size_t tag_size)
{
    uint8_t full[16];

    gcm->key->backend->gcm_tag(gcm->key->context, gcm, full);
    memcpy(tag, full, tag_size);
    rijn_gcm_wipe(gcm);
}

rijn_status rijn_gcm_finish(rijn_gcm *gcm, uint8_t *tag, size_t tag_size)
{
    TRY(check_started(gcm));
    REQUIRE(gcm->phase != PHASE_DECRYPT, RIJN_ERR_STATE);
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&gcm_limits, gcm->key, tag_size));
    const size_t depth = rijn_depth(gcm->key, 16);
    finish(gcm, tag, tag_size);
    return rijn_scrub(RIJN_OK, depth);
}

RIJN_APART static rijn_status verify(rijn_gcm *gcm, const uint8_t *tag, size_t tag_size)
{
    uint8_t full[16];

    gcm->key->backend->gcm_tag(gcm->key->context, gcm, full);
    rijn_gcm_wipe(gcm);
    return rijn_judge(full, tag, tag_size, NULL, 0);
}

rijn_status rijn_gcm_verify(rijn_gcm *gcm, const uint8_t *tag, size_t tag_size)
{
    TRY(check_started(gcm));
    REQUIRE(gcm->phase != PHASE_ENCRYPT, RIJN_ERR_STATE);
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&gcm_limits, gcm->key, tag_size));
    const size_t depth = rijn_depth(gcm->key, 16);
    return rijn_scrub(verify(gcm, tag, tag_size), depth);
}

void rijn_gcm_wipe(rijn_gcm *gcm)
{
    if (gcm)
        wipe(gcm, sizeof *gcm);
}
