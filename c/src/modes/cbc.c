/* CBC (SP 800-38A section 6.2) and its padding (PKCS #7, RFC 5652 section 6.3): the public
 * functions. cbc.h processes the blocks. */
#include "../build.h"

#if RIJN_WITH_CBC

#include <string.h>

#include "../api.h"
#include "../ct.h"
#include "../scrub.h"
#include "../wipe.h"

rijn_status rijn_cbc_encrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                             size_t size)
{
    REQUIRE(iv, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_blocks(key, out, in, size));
#if RIJN_WITH_ALL
    const rijn_cbc_table *const table = rijn_cbc_of(key->backend);
    if (table->cbc_encrypt_in_registers)
        return table->cbc_encrypt_in_registers(key->context, iv, out, in, size / 16);
#endif
    rijn_cbc_of(key->backend)->cbc_encrypt(key->context, iv, out, in, size / 16);
    return rijn_scrub(RIJN_OK, rijn_blocks_depth(key, 0));
}

rijn_status rijn_cbc_decrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                             size_t size)
{
    REQUIRE(iv, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_blocks(key, out, in, size));
#if RIJN_WITH_ALL
    const rijn_cbc_table *const table = rijn_cbc_of(key->backend);
    if (table->cbc_decrypt_in_registers)
        return table->cbc_decrypt_in_registers(key->context, iv, out, in, size / 16);
#endif
    rijn_cbc_of(key->backend)->cbc_decrypt(key->context, iv, out, in, size / 16);
    return rijn_scrub(RIJN_OK, rijn_blocks_depth(key, 0));
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
    rijn_cbc_of(key->backend)->cbc_encrypt(key->context, chain, out, in, whole / 16);
    rijn_cbc_of(key->backend)->cbc_encrypt(key->context, chain, out + whole, last, 1);
}

rijn_status rijn_cbc_encrypt_padded(const rijn_key *key, const uint8_t iv[16], uint8_t *out,
                                    const uint8_t *in, size_t size)
{
    TRY(rijn_check_key(key));
    REQUIRE(iv && out && (in || !size), RIJN_ERR_ARGUMENT);
    REQUIRE(size <= SIZE_MAX - 16, RIJN_ERR_SIZE);
    REQUIRE(out == in || rijn_disjoint(out, size - size % 16 + 16, in, size), RIJN_ERR_OVERLAP);
    encrypt_padded(key, iv, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_blocks_depth(key, 2 * 16 + RIJN_FRAME));
}

/* Returns the number of padding bytes at the end of a block, 1 to 16, or 0 if they are malformed.
 * No branch and no address depends on the block. */
static size_t padding_of(const uint8_t block[16])
{
    const uint32_t pad = ct_opaque(block[15]);
    uint32_t bad = (pad - 1) & ~UINT32_C(15); /* 0 if 1 <= pad <= 16 */

    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t inside = ct_mask32((15 - i - pad) >> 31); /* where 16 - i <= pad */
        bad |= inside & (block[i] ^ pad);
    }
    /* The bit is 1 if bad is 0. Else it is 0: bad is below 2^31, or pad was 0 and bad has its top
     * bit. */
    return pad & ct_mask32((~bad & (bad - 1)) >> 31);
}

RIJN_APART static rijn_status decrypt_padded(const rijn_key *key, const uint8_t iv[16],
                                             uint8_t *out, size_t *plain_size, const uint8_t *in,
                                             size_t size)
{
    uint8_t chain[16];
    size_t padding;

    memcpy(chain, iv, 16);
    rijn_cbc_of(key->backend)->cbc_decrypt(key->context, chain, out, in, size / 16);
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
    TRY(rijn_check_blocks(key, out, in, size));
    REQUIRE(size, RIJN_ERR_SIZE);
    return rijn_scrub(decrypt_padded(key, iv, out, plain_size, in, size),
                      rijn_blocks_depth(key, 16 + RIJN_FRAME));
}

#endif
