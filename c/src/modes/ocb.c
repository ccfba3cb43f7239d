/* OCB3 (RFC 7253): the public functions, the nonce, incomplete blocks, and the tag. ocb.h processes
 * whole blocks, and explains the table of offsets. */
#include "../build.h"

#if RIJN_WITH_OCB

#include <string.h>

#include "../api.h"
#include "../bytes.h"
#include "../double.h"
#include "../scrub.h"
#include "../wipe.h"
#include "message.h"
#include "partial.h"

const rijn_limits *const rijn_ocb_limits = &ocb_limits;

/* Makes the block of the nonce (section 4.2). */
static void nonce_block(uint8_t block[16], size_t tag_size, const uint8_t *nonce, size_t size)
{
    if (size == 12) {
        store_le64(block,
                   (uint64_t)load_le32(nonce) << 32 | (uint64_t)1 << 24 | tag_size % 16 << 4);
        store_le64(block + 8, load_le64(nonce + 4));
        return;
    }
    memset(block, 0, 16);
    block[0] = (uint8_t)(tag_size % 16 << 4);
    block[15 - size] |= 1;
    memcpy(block + 16 - size, nonce, size);
}

/* Starts a message. All of it is public. */
static void start(rijn_ocb *ocb, const rijn_key *key, size_t tag_size, const uint8_t *nonce,
                  size_t nonce_size)
{
    memset(&ocb->data, 0, sizeof ocb->data);
    memset(&ocb->ad, 0, sizeof ocb->ad);
    ocb->partial.fill = 0;
    ocb->key = key;
    ocb->tag_size = tag_size;
    nonce_block(ocb->data.offset, tag_size, nonce, nonce_size);
    ocb->begun = 0;
    ocb->phase = PHASE_AD;
}

/* Makes the secrets of a message, before its first whole block or its tag. */
static void begin(rijn_ocb *ocb)
{
    if (!ocb->begun)
        rijn_ocb_of(ocb->key->backend)->ocb_begin(ocb->key->context, ocb);
    ocb->begun = 1;
}

/* Returns how much stack a message takes without its rijn_ocb: mostly the deltas and the list of L in
 * ocb.h. Neither the data nor the associated data have more than `size` bytes. */
static size_t depth_of(const rijn_key *key, uint64_t size)
{
    const size_t batch = key->backend->blocks;
    return rijn_depth(key, 16 * (15 + batch + rijn_ocb_list(size / 16 / batch)));
}

rijn_status rijn_ocb_start(rijn_ocb *ocb, const rijn_key *key, size_t tag_size,
                           const uint8_t *nonce, size_t nonce_size)
{
    REQUIRE(ocb, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_key(key));
    TRY(rijn_check_nonce(&ocb_limits, nonce, nonce_size));
    TRY(rijn_check_tag_size(&ocb_limits, key, tag_size));
    start(ocb, key, tag_size, nonce, nonce_size);
    return RIJN_OK;
}

static rijn_status check_phase(const rijn_ocb *ocb, int phases)
{
    REQUIRE(ocb, RIJN_ERR_ARGUMENT);
    return rijn_check_phase(ocb->phase, phases, ocb->key);
}

static void hash(rijn_ocb *ocb, const uint8_t *blocks, size_t n)
{
    begin(ocb);
    rijn_ocb_of(ocb->key->backend)->ocb_hash(ocb->key->context, ocb, blocks, n);
}

/* The last block waits even if it is whole: most associated data fit one block, and the tag needs the
 * backend anyway. */
RIJN_APART static void absorb(rijn_ocb *ocb, const uint8_t *ad, size_t size)
{
    const uint8_t *blocks;
    size_t n;

    while ((n = partial_blocks(&ocb->partial, size <= 16, &blocks, &ad, &size)))
        hash(ocb, blocks, n);
}

rijn_status rijn_ocb_copy(rijn_ocb *to, const rijn_ocb *from, const rijn_key *key)
{
    REQUIRE(to, RIJN_ERR_ARGUMENT);
    TRY(check_phase(from, PHASE_STARTED));
    TRY(rijn_check_copy(key, from->key));
    *to = *from;
    to->key = key;
    return rijn_scrub(RIJN_OK, 2 * RIJN_FRAME);
}

rijn_status rijn_ocb_ad(rijn_ocb *ocb, const uint8_t *ad, size_t size)
{
    TRY(check_phase(ocb, PHASE_AD));
    REQUIRE(ad || !size, RIJN_ERR_ARGUMENT);
    REQUIRE(within(size, ocb_limits.ad - (16 * ocb->ad.blocks + ocb->partial.fill)), RIJN_ERR_SIZE);
    if (size <= 16 - ocb->partial.fill) { /* the backend has nothing to do */
        if (size)                         /* ad may be NULL */
            memcpy(ocb->partial.block + ocb->partial.fill, ad, size);
        ocb->partial.fill += size;
        return RIJN_OK;
    }
    absorb(ocb, ad, size);
    return rijn_scrub(RIJN_OK, depth_of(ocb->key, 16 * ocb->ad.blocks));
}

/* Processes the last bytes of the data if they are no whole block (section 4.2, P_*). */
static void crypt_rest(rijn_ocb *ocb, uint8_t *out, const uint8_t *in, size_t size, bool decrypting)
{
    uint8_t pad[16], plain[16] = {0};

    xor_bytes(ocb->data.offset, ocb->data.offset, ocb->l_star, 16);
    ocb->key->backend->encrypt_block(ocb->key->context, pad, ocb->data.offset);
    if (!decrypting)
        memcpy(plain, in, size);
    xor_bytes(out, in, pad, size);
    if (decrypting)
        memcpy(plain, out, size);
    plain[size] = 0x80;
    xor_bytes(ocb->data.sum, ocb->data.sum, plain, 16);
}

RIJN_APART static void crypt_piece(rijn_ocb *ocb, int phase, uint8_t *out, const uint8_t *in,
                                   size_t size)
{
    const bool decrypting = phase == PHASE_DECRYPT;
    const size_t rest = size % 16, whole = size - rest;
    const rijn_key *const key = ocb->key;
    const rijn_ocb_table *const table = rijn_ocb_of(key->backend);

    ocb->phase = phase;
    if (size)
        begin(ocb);
    if (whole)
        (decrypting ? table->ocb_decrypt : table->ocb_encrypt)(key->context, ocb, out, in,
                                                               whole / 16);
    if (rest) {
        crypt_rest(ocb, out + whole, in + whole, rest, decrypting);
        ocb->phase = decrypting ? PHASE_DECRYPTED : PHASE_ENCRYPTED;
    }
}

static rijn_status crypt(rijn_ocb *ocb, int phase, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(check_phase(ocb, PHASE_AD | phase));
    REQUIRE(within(size, ocb_limits.data - 16 * ocb->data.blocks), RIJN_ERR_SIZE);
    TRY(rijn_check_buffers(out, in, size));
#if RIJN_WITH_ALL
    const rijn_ocb_table *const table = rijn_ocb_of(ocb->key->backend);
    if (table->ocb_first_in_registers && !ocb->begun && size - 1 < 31) {
        ocb->begun = 1;
        ocb->phase = size % 16 == 0           ? phase
                     : phase == PHASE_DECRYPT ? PHASE_DECRYPTED
                                              : PHASE_ENCRYPTED;
        ocb->data.blocks = size / 16;
        table->ocb_first_in_registers(ocb->key->context, ocb, out, in, size,
                                      phase == PHASE_DECRYPT);
        return RIJN_OK;
    }
#endif
    const uint64_t end = 16 * ocb->data.blocks + size;
    crypt_piece(ocb, phase, out, in, size);
    return rijn_scrub(RIJN_OK, depth_of(ocb->key, end));
}

rijn_status rijn_ocb_encrypt(rijn_ocb *ocb, uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt(ocb, PHASE_ENCRYPT, out, in, size);
}

rijn_status rijn_ocb_decrypt(rijn_ocb *ocb, uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt(ocb, PHASE_DECRYPT, out, in, size);
}

/* Computes the whole tag: E(Checksum XOR Offset XOR L_$) XOR HASH(K, A) (sections 4.1, 4.2). */
static void sum(rijn_ocb *ocb, uint8_t full[16])
{
    const rijn_key *const key = ocb->key;
    uint8_t block[16];

    begin(ocb);
    if (ocb->partial.fill == 16) {
        hash(ocb, ocb->partial.block, 1);
    } else if (ocb->partial.fill) { /* A_* */
        partial_pad(&ocb->partial, 0x80);
        xor_bytes(block, ocb->ad.offset, ocb->l_star, 16);
        xor_bytes(block, block, ocb->partial.block, 16);
        key->backend->encrypt_block(key->context, block, block);
        xor_bytes(ocb->ad.sum, ocb->ad.sum, block, 16);
    }
    xor_bytes(full, ocb->data.offset, ocb->data.sum, 16);
    double_be(ocb->l_star, ocb->l_star); /* L_$ */
    xor_bytes(full, full, ocb->l_star, 16);
    key->backend->encrypt_block(key->context, full, full);
    xor_bytes(full, full, ocb->ad.sum, 16);
}

RIJN_APART static void finish(rijn_ocb *ocb, uint8_t *tag)
{
    uint8_t full[16];

    sum(ocb, full);
    memcpy(tag, full, ocb->tag_size);
}

rijn_status rijn_ocb_finish(rijn_ocb *ocb, uint8_t *tag)
{
    TRY(check_phase(ocb, PHASE_AD | PHASE_ENCRYPT | PHASE_ENCRYPTED));
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
#if RIJN_WITH_ALL
    const rijn_ocb_table *const table = rijn_ocb_of(ocb->key->backend);
    if (table->ocb_end_in_registers && ocb->begun) {
        rijn_store_words(tag, ocb->tag_size, table->ocb_end_in_registers(ocb->key->context, ocb));
        wipe(ocb, sizeof *ocb);
        return RIJN_OK;
    }
#endif
    const size_t depth = depth_of(ocb->key, 0);
    finish(ocb, tag);
    rijn_ocb_wipe(ocb);
    return rijn_scrub(RIJN_OK, depth);
}

/* Compares the tag. Zeroes out[0..size) if it is wrong. */
RIJN_APART static rijn_status verify(rijn_ocb *ocb, const uint8_t *tag, uint8_t *out, size_t size)
{
    uint8_t full[16];

    sum(ocb, full);
    return rijn_check_tag(full, tag, ocb->tag_size, out, size);
}

rijn_status rijn_ocb_verify(rijn_ocb *ocb, const uint8_t *tag)
{
    TRY(check_phase(ocb, PHASE_AD | PHASE_DECRYPT | PHASE_DECRYPTED));
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
#if RIJN_WITH_ALL
    const rijn_ocb_table *const table = rijn_ocb_of(ocb->key->backend);
    if (table->ocb_end_in_registers && ocb->begun) {
        const rijn_status checked = rijn_check_words(
            table->ocb_end_in_registers(ocb->key->context, ocb), tag, ocb->tag_size, NULL, 0);
        wipe(ocb, sizeof *ocb);
        return checked;
    }
#endif
    const size_t depth = depth_of(ocb->key, 0);
    const rijn_status status = verify(ocb, tag, NULL, 0);
    rijn_ocb_wipe(ocb);
    return rijn_scrub(status, depth);
}

void rijn_ocb_wipe(rijn_ocb *ocb)
{
    if (ocb)
        wipe(ocb, sizeof *ocb);
}

RIJN_APART static void seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                            const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                            size_t ad_size, const uint8_t *in, size_t size)
{
    rijn_ocb ocb;

    start(&ocb, key, tag_size, nonce, nonce_size);
    absorb(&ocb, ad, ad_size);
    crypt_piece(&ocb, PHASE_ENCRYPT, out, in, size);
    finish(&ocb, tag);
}

RIJN_APART static rijn_status open(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                   size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                   size_t size)
{
    rijn_ocb ocb;

    start(&ocb, key, tag_size, nonce, nonce_size);
    absorb(&ocb, ad, ad_size);
    crypt_piece(&ocb, PHASE_DECRYPT, out, in, size);
    return verify(&ocb, tag, out, size);
}

rijn_status rijn_ocb_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&ocb_limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
#if RIJN_WITH_ALL
    const rijn_ocb_table *const table = rijn_ocb_of(key->backend);
    if (table->ocb_in_registers && nonce_size == 12 && rijn_fits_registers(ad_size, size)) {
        rijn_store_words(tag, tag_size,
                         table->ocb_in_registers(key->context, tag_size, nonce, ad, ad_size, out,
                                                 in, size, false));
        return RIJN_OK;
    }
#endif
    seal(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    return rijn_scrub(RIJN_OK,
                      sizeof(rijn_ocb) + 48 + depth_of(key, size > ad_size ? size : ad_size));
}

rijn_status rijn_ocb_open(const rijn_key *key, uint8_t *out, const uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&ocb_limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
#if RIJN_WITH_ALL
    const rijn_ocb_table *const table = rijn_ocb_of(key->backend);
    if (table->ocb_in_registers && nonce_size == 12 && rijn_fits_registers(ad_size, size))
        return rijn_check_words(table->ocb_in_registers(key->context, tag_size, nonce, ad, ad_size,
                                                        out, in, size, true),
                                tag, tag_size, out, size);
#endif
    return rijn_scrub(open(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size),
                      sizeof(rijn_ocb) + 48 + depth_of(key, size > ad_size ? size : ad_size));
}

#endif
