/* GCM (SP 800-38D): the public functions. They check the order of a message in pieces. gcm.h
 * encrypts and hashes. */
#include "../build.h"

#if RIJN_WITH_GCM

#include <string.h>

#include "../api.h"
#include "../bytes.h"
#include "../ct.h"
#include "../scrub.h"
#include "../wipe.h"
#include "message.h"

const rijn_limits *const rijn_gcm_limits = &gcm_limits;

#if RIJN_WITH_GCM_PIECES

/* ---- The work of pieces ---- */

/* The variables of its functions on the stack, without the backend's. */
enum { PIECES_STACK = STREAM_STACK + 64 + RIJN_FRAME };

static const uint8_t zero_block[16];

static void absorb_blocks(rijn_gcm *gcm, const uint8_t *p, size_t blocks)
{
    rijn_gcm_of(gcm->key->backend)->ghash(gcm->key->context, gcm->hash, p, blocks);
}

/* Ends the waiting block, as if zeros followed: XORing zeros would change nothing. */
static void pad(rijn_gcm *gcm)
{
    if (gcm->fill) {
        absorb_blocks(gcm, zero_block, 1);
        gcm->fill = 0;
    }
}

/* XORs `size` bytes into the waiting block, at most up to its end. */
static void begin_block(rijn_gcm *gcm, const uint8_t *p, size_t size)
{
    uint8_t *to = gcm->hash + gcm->fill;

    gcm->fill += (uint32_t)size;
    if (size == 16) {
        xor_bytes(gcm->hash, gcm->hash, p, 16);
        return;
    }
    if (size >= 8) {
        xor_bytes(to, to, p, 8);
        to += 8, p += 8;
    }
    for (size %= 8; size; size--)
        *to++ ^= *p++;
}

/* A block waits, even if it is whole, until more bytes come: the call after it may hash it with other
 * blocks. */
static void absorb(rijn_gcm *gcm, const uint8_t *p, size_t size)
{
    const size_t room = 16 - gcm->fill;

    if (gcm->fill && size > room) {
        begin_block(gcm, p, room);
        pad(gcm);
        p += room, size -= room;
    }
    if (size > 16) {
        absorb_blocks(gcm, p, size / 16);
        p += size / 16 * 16, size %= 16;
    }
    if (size) /* p may be NULL */
        begin_block(gcm, p, size);
}

/* Ends the hash: pads it, and absorbs [8 a]64 || [8 b]64. a and b are numbers of bytes, at most
 * 2^61 - 1. */
static void end_hash(rijn_gcm *gcm, uint64_t a, uint64_t b)
{
    uint8_t blocks[32] = {0};
    const size_t begun = gcm->fill != 0; /* then the first block ends the waiting one */

    store_be64(blocks + 16, a * 8);
    store_be64(blocks + 24, b * 8);
    absorb_blocks(gcm, blocks + 16 - 16 * begun, 1 + begun);
    gcm->fill = 0;
}

/* Computes J0 (section 7.1, step 2), as the first counter. Encrypts nothing. */
RIJN_APART static void start(rijn_gcm *gcm, const rijn_key *key, const uint8_t *nonce, size_t size)
{
    uint8_t *const counter = gcm->stream.next.block;
    uint8_t j0[16] = {0};

    gcm->key = key;
    memset(gcm->hash, 0, 16);
    gcm->ad_size = gcm->size = gcm->first = 0;
    gcm->fill = 0;
    gcm->phase = PHASE_AD;

    if (size != 12) {
        absorb(gcm, nonce, size);
        end_hash(gcm, 0, size);
        memcpy(j0, gcm->hash, 16);
        memset(gcm->hash, 0, 16);
    }
    rijn_stream_start(&gcm->stream, 32, 0, j0);
    if (size == 12) { /* not in j0: a copy of two halves would wait until they are stored */
        store_le64(counter, load_le64(nonce));
        store_le64(counter + 8, load_le32(nonce + 8) | (uint64_t)1 << 56);
    }
    gcm->stream.next.hidden = size != 12;
}

/* Returns whether the mask of the tag, E(J0), is known. Until then, the next counter is J0. A part of a
 * message needs no mask. */
static bool has_mask(const rijn_gcm *gcm)
{
    return gcm->first || (gcm->size && gcm->phase != PHASE_HASH);
}

/* Makes the mask beside the keystream of the first `size` bytes, if these are few: several blocks take
 * about as long as one. */
static void make_mask(rijn_gcm *gcm, size_t size)
{
    const bool few = size <= rijn_stream_most(gcm->key) - 16;

    rijn_stream_refill(gcm->key, &gcm->stream, few ? 16 + size : 16, true);
    rijn_stream_use(&gcm->stream, gcm->mask, zero_block, 16);
}

/* Processes the first bytes of a piece, for which there is keystream ahead. Returns how many. */
static size_t crypt_ahead(rijn_gcm *gcm, uint8_t *out, const uint8_t *in, size_t size)
{
    const size_t n = size < gcm->stream.ready ? size : gcm->stream.ready;

    if (gcm->phase == PHASE_DECRYPT)
        absorb(gcm, in, n);
    rijn_stream_use(&gcm->stream, out, in, n);
    if (gcm->phase == PHASE_ENCRYPT)
        absorb(gcm, out, n);
    return n;
}

/* Processes a piece of the data. Keystream ahead is made in whole blocks. So when there is none
 * ahead, the data processed so far are whole blocks. */
RIJN_APART static void crypt_piece(rijn_gcm *gcm, int phase, uint8_t *out, const uint8_t *in,
                                   size_t size)
{
    const rijn_gcm_table *const table = rijn_gcm_of(gcm->key->backend);
    const bool first = gcm->size == 0;
    size_t n;

    gcm->phase = phase;
    if (!size) /* out and in may be NULL */
        return;
    if (first)
        pad(gcm); /* the associated data end here */
    if (!has_mask(gcm))
        make_mask(gcm, size);
    gcm->size += size;
    n = crypt_ahead(gcm, out, in, size);
    in += n, out += n, size -= n;
    n = size & ~(rijn_stream_most(gcm->key) - 1);
    if (n) {
        pad(gcm);
        (rijn_bypasses(gcm->key, out, in, n) ? table->gcm_bypass : table->gcm_crypt)(
            gcm->key->context, &gcm->stream.next, gcm->hash, out, in, n / 16,
            phase == PHASE_DECRYPT);
    }
    in += n, out += n, size -= n;
    if (size) {
        rijn_stream_refill(gcm->key, &gcm->stream, size, first);
        crypt_ahead(gcm, out, in, size);
    }
}

/* Computes the whole tag (section 7.1, steps 5 and 6). */
static void full_tag(rijn_gcm *gcm, uint8_t full[16])
{
    const rijn_key *const key = gcm->key;

    if (!has_mask(gcm))
        key->backend->encrypt_block(key->context, gcm->mask, gcm->stream.next.block);
    end_hash(gcm, gcm->ad_size, gcm->size);
    xor_bytes(full, gcm->hash, gcm->mask, 16);
}

/* ---- In pieces ---- */

/* Returns the depth of a call for less than rijn_stream_most bytes, whose counters are public and do not
 * wrap. */
static size_t short_depth(const rijn_key *key)
{
    return PIECES_STACK + key->backend->piece_stack;
}

/* Returns the depth of a call that processes `size` bytes. Call it before. */
static size_t gcm_piece_depth(const rijn_gcm *gcm, size_t size)
{
    const rijn_counter *const next = &gcm->stream.next;
    const uint32_t low = ct_unless_hidden(load_be32(next->block + 12), next->hidden);

    if (size < rijn_stream_most(gcm->key) && low <= UINT32_MAX - 2 * RIJN_AHEAD / 16)
        return short_depth(gcm->key);
    return rijn_gcm_depth(gcm->key, PIECES_STACK, 0, 0, 0);
}

/* Returns the depth of a call that ends a message. Call it before. */
static size_t end_depth(const rijn_gcm *gcm)
{
    return has_mask(gcm) ? short_depth(gcm->key) : rijn_depth(gcm->key, PIECES_STACK);
}

rijn_status rijn_gcm_start(rijn_gcm *gcm, const rijn_key *key, const uint8_t *nonce,
                           size_t nonce_size)
{
    REQUIRE(gcm, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_key(key));
    TRY(rijn_check_nonce(&gcm_limits, nonce, nonce_size));
    start(gcm, key, nonce, nonce_size);
    if (nonce_size == 12) /* no secret yet */
        return RIJN_OK;
    return rijn_scrub(RIJN_OK, rijn_gcm_depth(key, PIECES_STACK, 0, 0, 0));
}

static rijn_status check_phase(const rijn_gcm *gcm, int phases)
{
    REQUIRE(gcm, RIJN_ERR_ARGUMENT);
    return rijn_check_phase(gcm->phase, phases, gcm->key);
}

rijn_status rijn_gcm_copy(rijn_gcm *to, const rijn_gcm *from, const rijn_key *key)
{
    REQUIRE(to, RIJN_ERR_ARGUMENT);
    TRY(check_phase(from, PHASE_STARTED));
    TRY(rijn_check_copy(key, from->key));
    *to = *from;
    to->key = key;
    return rijn_scrub(RIJN_OK, 2 * RIJN_FRAME);
}

rijn_status rijn_gcm_ad(rijn_gcm *gcm, const uint8_t *ad, size_t size)
{
    TRY(check_phase(gcm, PHASE_AD));
    REQUIRE(!gcm->first, RIJN_ERR_STATE);
    REQUIRE(ad || !size, RIJN_ERR_ARGUMENT);
    REQUIRE(within(size, gcm_limits.ad - gcm->ad_size), RIJN_ERR_SIZE);
    gcm->ad_size += size;
    if (size <= 16 - gcm->fill) { /* the backend has nothing to do */
        begin_block(gcm, ad, size);
        return RIJN_OK;
    }
    const size_t depth = gcm_piece_depth(gcm, size);
    absorb(gcm, ad, size);
    return rijn_scrub(RIJN_OK, depth);
}

static rijn_status crypt(rijn_gcm *gcm, int phase, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(check_phase(gcm, PHASE_AD | phase));
    REQUIRE(within(size, gcm_limits.data - gcm->first - gcm->size), RIJN_ERR_SIZE);
    TRY(rijn_check_buffers(out, in, size));
#if RIJN_WITH_ALL
    const rijn_gcm_table *const table = rijn_gcm_of(gcm->key->backend);
    if (size - 1 < gcm->key->backend->gcm_first_size &&
        !(gcm->size | gcm->first | gcm->stream.next.hidden)) {
        gcm->phase = phase;
        gcm->size = size;
        table->gcm_first_in_registers(gcm->key->context, gcm, out, in, size,
                                      phase == PHASE_DECRYPT);
        return RIJN_OK;
    }
#endif
    const size_t depth = gcm_piece_depth(gcm, size) + rijn_bypass_depth(gcm->key, out, in, size);
    crypt_piece(gcm, phase, out, in, size);
    return rijn_scrub(RIJN_OK, depth);
}

rijn_status rijn_gcm_encrypt(rijn_gcm *gcm, uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt(gcm, PHASE_ENCRYPT, out, in, size);
}

rijn_status rijn_gcm_decrypt(rijn_gcm *gcm, uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt(gcm, PHASE_DECRYPT, out, in, size);
}

rijn_status rijn_gcm_hash(rijn_gcm *gcm, const uint8_t *in, size_t size)
{
    TRY(check_phase(gcm, PHASE_AD | PHASE_HASH));
    REQUIRE(!gcm->first, RIJN_ERR_STATE);
    REQUIRE(in || !size, RIJN_ERR_ARGUMENT);
    REQUIRE(within(size, gcm_limits.data - gcm->size), RIJN_ERR_SIZE);
    if (gcm->size == 0 && size)
        pad(gcm); /* the associated data end here */
    gcm->phase = PHASE_HASH;
    gcm->size += size;
    const size_t depth = gcm_piece_depth(gcm, size);
    absorb(gcm, in, size);
    return rijn_scrub(RIJN_OK, depth);
}

RIJN_APART static void finish(rijn_gcm *gcm, uint8_t *tag, size_t tag_size)
{
    uint8_t full[16];

    full_tag(gcm, full);
    memcpy(tag, full, tag_size);
    rijn_gcm_wipe(gcm);
}

rijn_status rijn_gcm_finish(rijn_gcm *gcm, uint8_t *tag, size_t tag_size)
{
    TRY(check_phase(gcm, PHASE_AD | PHASE_ENCRYPT | PHASE_HASH));
    REQUIRE(!gcm->first, RIJN_ERR_STATE);
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&gcm_limits, gcm->key, tag_size));
#if RIJN_WITH_ALL
    const rijn_gcm_table *const table = rijn_gcm_of(gcm->key->backend);
    if (table->gcm_end_in_registers) {
        rijn_store_words(tag, tag_size,
                         table->gcm_end_in_registers(gcm->key->context, gcm, has_mask(gcm)));
        wipe(gcm, sizeof *gcm);
        return RIJN_OK;
    }
#endif
    const size_t depth = end_depth(gcm);
    finish(gcm, tag, tag_size);
    return rijn_scrub(RIJN_OK, depth);
}

RIJN_APART static rijn_status verify(rijn_gcm *gcm, const uint8_t *tag, size_t tag_size)
{
    uint8_t full[16];

    full_tag(gcm, full);
    rijn_gcm_wipe(gcm);
    return rijn_check_tag(full, tag, tag_size, NULL, 0);
}

rijn_status rijn_gcm_verify(rijn_gcm *gcm, const uint8_t *tag, size_t tag_size)
{
    TRY(check_phase(gcm, PHASE_AD | PHASE_DECRYPT | PHASE_HASH));
    REQUIRE(!gcm->first, RIJN_ERR_STATE);
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&gcm_limits, gcm->key, tag_size));
#if RIJN_WITH_ALL
    const rijn_gcm_table *const table = rijn_gcm_of(gcm->key->backend);
    if (table->gcm_end_in_registers) {
        const rijn_status status =
            rijn_check_words(table->gcm_end_in_registers(gcm->key->context, gcm, has_mask(gcm)),
                             tag, tag_size, NULL, 0);
        wipe(gcm, sizeof *gcm);
        return status;
    }
#endif
    const size_t depth = end_depth(gcm);
    return rijn_scrub(verify(gcm, tag, tag_size), depth);
}

void rijn_gcm_wipe(rijn_gcm *gcm)
{
    if (gcm)
        wipe(gcm, sizeof *gcm);
}

/* ---- In parts ---- */

RIJN_APART static void begin_part(rijn_gcm *part, const rijn_gcm *gcm, uint64_t offset)
{
    uint8_t *const counter = part->stream.next.block + 12;

    rijn_gcm_wipe(part);
    part->key = gcm->key;
    part->first = offset;
    part->stream = gcm->stream;
    store_be32(counter, load_be32(counter) + 1 + (uint32_t)(offset / 16));
    part->phase = PHASE_AD;
}

rijn_status rijn_gcm_part(rijn_gcm *part, const rijn_gcm *gcm, uint64_t offset)
{
    REQUIRE(part && part != gcm, RIJN_ERR_ARGUMENT);
    TRY(check_phase(gcm, PHASE_AD));
    REQUIRE(!gcm->first, RIJN_ERR_STATE);
    REQUIRE(offset && offset % 16 == 0 && offset <= gcm_limits.data, RIJN_ERR_SIZE);
    begin_part(part, gcm, offset);
    return rijn_scrub(RIJN_OK, 2 * RIJN_FRAME);
}

/* An element of GHASH's field, SP 800-38D section 6.3: the first bit is the highest. */
typedef struct {
    uint64_t high, low;
} element;

/* Computes x = x * y (algorithm 1). */
static void multiply(element *x, const element *y)
{
    element z = {0, 0}, v = *y, bits = *x;

    for (int i = 0; i < 128; i++) {
        const uint64_t every = ct_mask64(bits.high >> 63);
        const uint64_t carries = ct_mask64(v.low & 1);
        bits.high = bits.high << 1 | bits.low >> 63;
        bits.low <<= 1;
        z.high ^= v.high & every;
        z.low ^= v.low & every;
        v.low = v.low >> 1 | v.high << 63;
        v.high = v.high >> 1 ^ (UINT64_C(0xe1) << 56 & carries);
    }
    *x = z;
}

/* Joins a part in which n blocks are hashed. The hash becomes (hash of everything before the part) *
 * H^n XOR (hash of the part): the hash of both in one go. This takes about 50 multiplications for any
 * n. */
RIJN_APART static void join(rijn_gcm *gcm, rijn_gcm *part)
{
    uint8_t h[16];
    element y, power;

    pad(gcm);
    y = (element){load_be64(gcm->hash), load_be64(gcm->hash + 8)};
    gcm->key->backend->encrypt_block(gcm->key->context, h, zero_block);
    power = (element){load_be64(h), load_be64(h + 8)};
    for (uint64_t n = (part->size - part->fill) / 16; n; n >>= 1) {
        if (n & 1)
            multiply(&y, &power);
        multiply(&power, &power);
    }
    store_be64(gcm->hash, y.high ^ load_be64(part->hash));
    store_be64(gcm->hash + 8, y.low ^ load_be64(part->hash + 8));
    gcm->stream = part->stream;
    gcm->fill = part->fill;
    gcm->size += part->size;
    rijn_gcm_wipe(part);
}

rijn_status rijn_gcm_join(rijn_gcm *gcm, rijn_gcm *part)
{
    REQUIRE(part != gcm, RIJN_ERR_ARGUMENT);
    TRY(check_phase(gcm, PHASE_ENCRYPT | PHASE_DECRYPT));
    TRY(check_phase(part, PHASE_AD | gcm->phase));
    REQUIRE(gcm->key == part->key && !gcm->first && part->first && part->first == gcm->size,
            RIJN_ERR_STATE);
    const size_t depth = rijn_depth(gcm->key, 8 * 16 + 2 * RIJN_FRAME);
    join(gcm, part);
    return rijn_scrub(RIJN_OK, depth);
}

#endif

/* ---- A message at once ---- */

RIJN_APART rijn_status rijn_gcm_open_message(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                             size_t tag_size, const uint8_t *nonce,
                                             size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                             const uint8_t *in, size_t size)
{
    uint8_t full[16];

    rijn_gcm_of(key->backend)
        ->gcm_open(key->context, out, full, nonce, nonce_size, ad, ad_size, in, size);
    return rijn_check_tag(full, tag, tag_size, out, size);
}

#if RIJN_WITH_ALL /* else no message bypasses the caches */

/* Processes a message that bypasses the caches, as one piece. Stores the whole tag. */
RIJN_APART static void crypt_huge(const rijn_key *key, int phase, uint8_t *out, uint8_t full[16],
                                  const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                                  size_t ad_size, const uint8_t *in, size_t size)
{
    rijn_gcm gcm;

    start(&gcm, key, nonce, nonce_size);
    gcm.ad_size = ad_size;
    absorb(&gcm, ad, ad_size);
    crypt_piece(&gcm, phase, out, in, size);
    full_tag(&gcm, full);
}

RIJN_APART static void seal_huge(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                                 const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                                 size_t ad_size, const uint8_t *in, size_t size)
{
    uint8_t full[16];

    crypt_huge(key, PHASE_ENCRYPT, out, full, nonce, nonce_size, ad, ad_size, in, size);
    memcpy(tag, full, tag_size);
}

RIJN_APART static rijn_status open_huge(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                        size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                        const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                        size_t size)
{
    uint8_t full[16];

    crypt_huge(key, PHASE_DECRYPT, out, full, nonce, nonce_size, ad, ad_size, in, size);
    return rijn_check_tag(full, tag, tag_size, out, size);
}

/* Returns how much stack seal_huge or open_huge takes. */
static size_t huge_depth(const rijn_key *key, size_t nonce_size, size_t ad_size, size_t size)
{
    return rijn_gcm_depth(key, PIECES_STACK + sizeof(rijn_gcm) + 3 * RIJN_FRAME, nonce_size,
                          ad_size, size) +
           key->backend->bypass_stack;
}

#endif

#if RIJN_WITH_ALL

/* Returns a number whose highest bit is set if x is 0, or in the upper half of all numbers. */
RIJN_INLINE uintptr_t zero_sign(uintptr_t x)
{
    return x - 1;
}

/* Returns true if gcm_seal_in_registers can process a message that passes all checks. Has few
 * branches, because it does not say which check failed. Buffers in the upper half of all memory, where
 * programs have none, do not fit. */
RIJN_INLINE bool fits_registers(const rijn_key *key, const uint8_t *out, const uint8_t *tag,
                                size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                const uint8_t *ad, size_t ad_size, const uint8_t *in, size_t size)
{
    if (!key || !key->backend || size - 1 >= key->backend->gcm_register_size)
        return false;
    if ((key->uses ^ USE_ALL) | (tag_size ^ 16) | (nonce_size ^ 12) | (ad_size > 16))
        return false;
    if ((intptr_t)(zero_sign((uintptr_t)out) | zero_sign((uintptr_t)tag) |
                   zero_sign((uintptr_t)nonce) | zero_sign((uintptr_t)in) |
                   (zero_sign((uintptr_t)ad) & -(uintptr_t)ad_size)) < 0)
        return false;
    return ((out == in) | disjoint(out, size, in, size)) & disjoint(out, size, tag, 16) &
           disjoint(in, size, tag, 16) & disjoint(out, size, nonce, 12) &
           ((ad_size == 0) | disjoint(out, size, ad, ad_size));
}

#endif

rijn_status rijn_gcm_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
#if RIJN_WITH_ALL
    if (fits_registers(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size))
        return rijn_gcm_of(key->backend)
            ->gcm_seal_in_registers(key->context, out, tag, tag_size, nonce, nonce_size, ad,
                                    ad_size, in, size);
#endif
    TRY(rijn_check_message(&gcm_limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
#if RIJN_WITH_ALL
    if (rijn_bypasses(key, out, in, size)) {
        seal_huge(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
        return rijn_scrub(RIJN_OK, huge_depth(key, nonce_size, ad_size, size));
    }
#endif
    rijn_gcm_of(key->backend)
        ->gcm_seal(key->context, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    return rijn_scrub(RIJN_OK, rijn_gcm_depth(key, 0, nonce_size, ad_size, size));
}

rijn_status rijn_gcm_open(const rijn_key *key, uint8_t *out, const uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
#if RIJN_WITH_ALL
    if (fits_registers(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size))
        return rijn_gcm_of(key->backend)
            ->gcm_open_in_registers(key->context, out, tag, tag_size, nonce, nonce_size, ad,
                                    ad_size, in, size);
#endif
    TRY(rijn_check_message(&gcm_limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
#if RIJN_WITH_ALL
    if (rijn_bypasses(key, out, in, size))
        return rijn_scrub(
            open_huge(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size),
            huge_depth(key, nonce_size, ad_size, size));
#endif
    return rijn_scrub(
        rijn_gcm_open_message(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size),
        rijn_gcm_depth(key, GCM_STACK, nonce_size, ad_size, size));
}

#if RIJN_WITH_GCM_PIECES

rijn_status rijn_gcm_tag(const rijn_key *key, uint8_t *tag, size_t tag_size, const uint8_t *nonce,
                         size_t nonce_size, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                         size_t size)
{
    TRY(rijn_check_key(key));
    REQUIRE(tag && (ad || !ad_size) && (in || !size), RIJN_ERR_ARGUMENT);
    TRY(rijn_check_nonce(&gcm_limits, nonce, nonce_size));
    TRY(rijn_check_tag_size(&gcm_limits, key, tag_size));
    REQUIRE(within(size, gcm_limits.data) && within(ad_size, gcm_limits.ad), RIJN_ERR_SIZE);
    rijn_gcm_of(key->backend)
        ->gcm_tag(key->context, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    return rijn_scrub(RIJN_OK, rijn_gcm_depth(key, RIJN_FRAME, nonce_size, ad_size, size));
}

#endif

#endif
