/* CMAC (SP 800-38B). */
#include "../build.h"

#if RIJN_WITH_CMAC

#include "cmac.h"

#include <string.h>

#include "../bytes.h"
#include "../double.h"
#include "../scrub.h"
#include "../wipe.h"
#include "message.h"
#include "partial.h"

static const rijn_limits limits = {
    .tags = SIZES(8, 16), .short_tags = SIZES(1, 7), .keys = ALL_KEYS};
const rijn_limits *const rijn_cmac_limits = &limits;

RIJN_APART void rijn_cmac_begin(rijn_cmac_state *cmac, const rijn_key *key)
{
    memset(cmac, 0, sizeof *cmac);
    cmac->key = key;
    key->backend->encrypt_block(key->context, cmac->zero, cmac->zero);
}

/* Keeps the last block, whole or not: rijn_cmac_end XORs a subkey to it. */
RIJN_APART void rijn_cmac_absorb(rijn_cmac_state *cmac, const uint8_t *in, size_t size)
{
    const rijn_key *const key = cmac->key;
    const uint8_t *blocks;
    size_t n;

    while ((n = partial_blocks(&cmac->last, true, &blocks, &in, &size)))
        rijn_cbc_of(key->backend)->cbc_mac(key->context, cmac->chain, blocks, n);
}

void rijn_cmac_end(rijn_cmac_state *cmac, uint8_t block[16])
{
    double_be(cmac->zero, cmac->zero); /* K1 */
    if (cmac->last.fill < 16) {
        double_be(cmac->zero, cmac->zero); /* K2 */
        partial_pad(&cmac->last, 0x80);
    }
    xor_bytes(block, cmac->last.block, cmac->zero, 16);
    xor_bytes(block, block, cmac->chain, 16);
}

RIJN_APART void rijn_cmac_tag(rijn_cmac_state *cmac, uint8_t tag[16])
{
    rijn_cmac_end(cmac, tag);
    cmac->key->backend->encrypt_block(cmac->key->context, tag, tag);
}

/* Computes the whole tag, and wipes the state. */
static void end(rijn_cmac_state *cmac, uint8_t full[16])
{
    rijn_cmac_tag(cmac, full);
    rijn_cmac_wipe(cmac);
}

RIJN_APART static void one_piece(const rijn_key *key, uint8_t *tag, size_t tag_size,
                                 const uint8_t *in, size_t size)
{
    rijn_cmac_state cmac;
    uint8_t full[16];

    rijn_cmac_begin(&cmac, key);
    rijn_cmac_absorb(&cmac, in, size);
    rijn_cmac_tag(&cmac, full);
    memcpy(tag, full, tag_size);
}

rijn_status rijn_cmac(const rijn_key *key, uint8_t *tag, size_t tag_size, const uint8_t *in,
                      size_t size)
{
    REQUIRE(tag && (in || !size), RIJN_ERR_ARGUMENT);
    TRY(rijn_check_key(key));
    TRY(rijn_check_tag_size(&limits, key, tag_size));
#if RIJN_WITH_ALL
    const rijn_cbc_table *const table = rijn_cbc_of(key->backend);
    if (table->cmac_in_registers)
        return table->cmac_in_registers(key->context, tag, tag_size, in, size);
#endif
    one_piece(key, tag, tag_size, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, CMAC_STACK));
}

rijn_status rijn_cmac_start(rijn_cmac_state *cmac, const rijn_key *key)
{
    REQUIRE(cmac, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_key(key));
    rijn_cmac_begin(cmac, key);
    return rijn_scrub(RIJN_OK, rijn_depth(key, CMAC_STACK));
}

static rijn_status check_started(const rijn_cmac_state *cmac)
{
    REQUIRE(cmac, RIJN_ERR_ARGUMENT);
    return cmac->key && cmac->key->backend ? RIJN_OK : RIJN_ERR_STATE;
}

rijn_status rijn_cmac_copy(rijn_cmac_state *to, const rijn_cmac_state *from, const rijn_key *key)
{
    REQUIRE(to, RIJN_ERR_ARGUMENT);
    TRY(check_started(from));
    TRY(rijn_check_copy(key, from->key));
    *to = *from;
    to->key = key;
    return rijn_scrub(RIJN_OK, 2 * RIJN_FRAME);
}

rijn_status rijn_cmac_update(rijn_cmac_state *cmac, const uint8_t *in, size_t size)
{
    TRY(check_started(cmac));
    REQUIRE(in || !size, RIJN_ERR_ARGUMENT);
    rijn_cmac_absorb(cmac, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(cmac->key, CMAC_STACK));
}

RIJN_APART static void finish(rijn_cmac_state *cmac, uint8_t *tag, size_t tag_size)
{
    uint8_t full[16];

    end(cmac, full);
    memcpy(tag, full, tag_size);
}

rijn_status rijn_cmac_finish(rijn_cmac_state *cmac, uint8_t *tag, size_t tag_size)
{
    TRY(check_started(cmac));
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&limits, cmac->key, tag_size));
    const size_t depth = rijn_depth(cmac->key, CMAC_STACK);
    finish(cmac, tag, tag_size);
    return rijn_scrub(RIJN_OK, depth);
}

RIJN_APART static rijn_status verify(rijn_cmac_state *cmac, const uint8_t *tag, size_t tag_size)
{
    uint8_t full[16];

    end(cmac, full);
    return rijn_check_tag(full, tag, tag_size, NULL, 0);
}

rijn_status rijn_cmac_verify(rijn_cmac_state *cmac, const uint8_t *tag, size_t tag_size)
{
    TRY(check_started(cmac));
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&limits, cmac->key, tag_size));
    const size_t depth = rijn_depth(cmac->key, CMAC_STACK);
    return rijn_scrub(verify(cmac, tag, tag_size), depth);
}

void rijn_cmac_wipe(rijn_cmac_state *cmac)
{
    if (cmac)
        wipe(cmac, sizeof *cmac);
}

#endif
