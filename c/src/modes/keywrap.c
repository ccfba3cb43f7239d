/* KW and KWP, SP 800-38F sections 6.2 and 6.3 (RFC 3394, RFC 5649). */
#include "../build.h"

#if RIJN_WITH_KEYWRAP

#include <string.h>

#include "../api.h"
#include "../bytes.h"
#include "../ct.h"
#include "../scrub.h"
#include "../wipe.h"

#define KW_MAX ((UINT64_C(1) << 57) - 8) /* 2^54 - 1 semiblocks, section 5.3.1 */

static const uint8_t icv1[8] = {0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6};
static const uint8_t icv2[4] = {0xa6, 0x59, 0x59, 0xa6};

/* Returns true if W leaves nothing on the stack. */
static bool in_registers(const rijn_key *key)
{
#if RIJN_WITH_ALL
    return rijn_ecb_of(key->backend)->wrap_in_registers != NULL;
#else
    (void)key;
    return false;
#endif
}

/* Computes the function W (section 6.1) of A || R[1..n], in place. */
RIJN_APART static void wrap(const rijn_key *key, uint8_t *a, size_t n)
{
#if RIJN_WITH_ALL
    if (in_registers(key)) {
        store_le64(
            a, rijn_ecb_of(key->backend)->wrap_in_registers(key->context, load_le64(a), a + 8, n));
        return;
    }
#endif
    uint8_t block[16];
    uint64_t t = 1;

    memcpy(block, a, 8);
    for (int j = 0; j < 6; j++) {
        for (size_t i = 1; i <= n; i++, t++) {
            memcpy(block + 8, a + 8 * i, 8);
            key->backend->encrypt_block(key->context, block, block);
            store_be64(block, load_be64(block) ^ t);
            memcpy(a + 8 * i, block + 8, 8);
        }
    }
    memcpy(a, block, 8);
}

/* Computes the inverse of W in place: a is A, and r[0..8 n) is R[1..n]. */
RIJN_APART static void unwrap(const rijn_key *key, uint8_t a[8], uint8_t *r, size_t n)
{
#if RIJN_WITH_ALL
    if (in_registers(key)) {
        store_le64(
            a, rijn_ecb_of(key->backend)->unwrap_in_registers(key->context, load_le64(a), r, n));
        return;
    }
#endif
    uint8_t block[16];
    uint64_t t = 6 * (uint64_t)n;

    memcpy(block, a, 8);
    for (int j = 0; j < 6; j++) {
        for (size_t i = n; i > 0; i--, t--) {
            store_be64(block, load_be64(block) ^ t);
            memcpy(block + 8, r + 8 * (i - 1), 8);
            rijn_ecb_of(key->backend)->decrypt_block(key->context, block, block);
            memcpy(r + 8 * (i - 1), block + 8, 8);
        }
    }
    memcpy(a, block, 8);
}

static rijn_status check(const rijn_key *key, const uint8_t *out, size_t out_size,
                         const uint8_t *in, size_t size)
{
    TRY(rijn_check_key(key));
    REQUIRE(out && in, RIJN_ERR_ARGUMENT);
    return out == in || rijn_disjoint(out, out_size, in, size) ? RIJN_OK : RIJN_ERR_OVERLAP;
}

rijn_status rijn_kw_wrap(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    REQUIRE(size >= 16 && size % 8 == 0 && size <= SIZE_MAX - 8 && within(size, KW_MAX),
            RIJN_ERR_SIZE);
    TRY(check(key, out, size + 8, in, size));
    memmove(out + 8, in, size);
    memcpy(out, icv1, 8);
    wrap(key, out, size / 8);
    return in_registers(key) ? RIJN_OK : rijn_scrub(RIJN_OK, rijn_depth(key, 16));
}

/* Returns how much stack kw_unwrap and kwp_unwrap take for size bytes. A is there even if W takes
 * none. One block, from kwp_wrap, is decrypted without W. */
static size_t depth(const rijn_key *key, size_t size)
{
    return size > 16 && in_registers(key) ? 2 * 16 + 4 * RIJN_FRAME : rijn_depth(key, 2 * 16);
}

RIJN_APART static rijn_status kw_unwrap(const rijn_key *key, uint8_t *out, const uint8_t *in,
                                        size_t size)
{
    uint8_t a[8];

    memcpy(a, in, 8);
    memmove(out, in + 8, size - 8);
    unwrap(key, a, out, size / 8 - 1);
    return rijn_check_tag(a, icv1, 8, out, size - 8);
}

rijn_status rijn_kw_unwrap(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    REQUIRE(size >= 24 && size % 8 == 0 && within(size - 8, KW_MAX), RIJN_ERR_SIZE);
    TRY(check(key, out, size - 8, in, size));
    return rijn_scrub(kw_unwrap(key, out, in, size), depth(key, size));
}

rijn_status rijn_kwp_wrap(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    REQUIRE(size >= 1 && within(size, UINT32_MAX) && size <= SIZE_MAX - 15, RIJN_ERR_SIZE);
    const size_t padded = (size + 7) / 8 * 8;
    TRY(check(key, out, padded + 8, in, size));
    memmove(out + 8, in, size);
    memset(out + 8 + size, 0, padded - size);
    memcpy(out, icv2, 4);
    store_be32(out + 4, (uint32_t)size);
    if (padded == 8)
        key->backend->encrypt_block(key->context, out, out);
    else
        wrap(key, out, padded / 8);
    return rijn_scrub(RIJN_OK, rijn_depth(key, 16));
}

/* Returns 0 if a is ICV2 and a size, and this size leaves 0 to 7 bytes of out[0..padded) as
 * padding, all zeros (section 6.3, algorithm 6, steps 5 to 10). No branch and no address depends on
 * these bytes. */
static uint64_t malformed(const uint8_t a[8], const uint8_t *out, size_t padded)
{
    const uint64_t padding = (uint64_t)padded - load_be32(a + 4);
    const uint32_t few = (uint32_t)padding; /* if more than 7, bad is already not 0 */
    uint64_t bad = (load_be32(a) ^ load_be32(icv2)) | (padding & ~UINT64_C(7));

    for (uint32_t i = 0; i < 8; i++) {
        /* All ones if i < few <= 7. Opaque each time, or gcc -Os would count `i - few`. */
        const uint32_t inside = ct_mask32((i - ct_opaque(few)) >> 31);
        bad |= inside & out[padded - 1 - i];
    }
    return bad;
}

RIJN_APART static rijn_status kwp_unwrap(const rijn_key *key, uint8_t *out, size_t *plain_size,
                                         const uint8_t *in, size_t size)
{
    const size_t padded = size - 8;
    uint8_t block[16];

    if (size == 16) {
        rijn_ecb_of(key->backend)->decrypt_block(key->context, block, in);
        memcpy(out, block + 8, 8);
    } else {
        memcpy(block, in, 8);
        memmove(out, in + 8, padded);
        unwrap(key, block, out, padded / 8);
    }
    uint64_t bad = malformed(block, out, padded);
    uint32_t found = load_be32(block + 4);
    RIJN_PUBLIC(&bad, sizeof bad);
    if (bad) {
        wipe(out, padded);
        *plain_size = 0;
        return RIJN_ERR_TAG;
    }
    RIJN_PUBLIC(&found, sizeof found);
    *plain_size = found;
    return RIJN_OK;
}

rijn_status rijn_kwp_unwrap(const rijn_key *key, uint8_t *out, size_t *plain_size,
                            const uint8_t *in, size_t size)
{
    REQUIRE(plain_size, RIJN_ERR_ARGUMENT);
    REQUIRE(size >= 16 && size % 8 == 0 && within(size, (UINT64_C(1) << 32) + 8), RIJN_ERR_SIZE);
    TRY(check(key, out, size - 8, in, size));
    return rijn_scrub(kwp_unwrap(key, out, plain_size, in, size), depth(key, size));
}

#endif
