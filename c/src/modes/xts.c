/* XTS: its two keys, and ciphertext stealing (IEEE 1619 sections 5.3.2, 5.4.2). */
#include "../build.h"

#if RIJN_WITH_XTS

#include <string.h>

#include "../api.h"
#include "../bytes.h"
#include "../double.h"
#include "../scrub.h"
#include "../wipe.h"

#define XTS_MAX (UINT64_C(1) << 24) /* 2^20 blocks, SP 800-38E section 4 */

rijn_status rijn_xts_key_init(rijn_xts_key *key, const uint8_t *bytes, size_t size,
                              const char *backend)
{
    const rijn_backend *found;

    REQUIRE(key, RIJN_ERR_ARGUMENT);
    rijn_xts_key_wipe(key);
    REQUIRE(bytes, RIJN_ERR_ARGUMENT);
    REQUIRE(size == 32 || size == 64, RIJN_ERR_KEY_SIZE);
    if (rijn_tags_equal(bytes, bytes + size / 2, size / 2))
        return rijn_scrub(RIJN_ERR_EQUAL_HALVES, 2 * RIJN_FRAME);
    TRY(rijn_backend_find(backend, &found));
    rijn_key_expand(&key->data, found, bytes, size / 2, USE_DECRYPT, 0);
    rijn_key_expand(&key->tweak, found, bytes + size / 2, size / 2, 0, 0);
    return rijn_scrub(RIJN_OK, rijn_depth(&key->data, 0));
}

void rijn_xts_key_wipe(rijn_xts_key *key)
{
    if (key)
        wipe(key, sizeof *key);
}

/* Computes out = t * factor, in the field of double_le. `factor` is public. out may be t or
 * factor. */
static inline void multiply(uint8_t out[16], const uint8_t t[16], const uint8_t factor[16])
{
    uint8_t sum[16] = {0};

    for (int i = 127; i >= 0; i--) {
        double_le(sum, sum);
        if (factor[i / 8] >> i % 8 & 1)
            xor_bytes(sum, sum, t, 16);
    }
    memcpy(out, sum, 16);
}

/* Moves the tweak on by `blocks` blocks: multiplies it by x^blocks, with a square for each bit of
 * `blocks`. */
static inline void advance(uint8_t tweak[16], uint32_t blocks)
{
    uint8_t power[16] = {1};

    if (!blocks)
        return;
    for (int i = 31 - __builtin_clz(blocks); i >= 0; i--) {
        multiply(power, power, power);
        if (blocks >> i & 1)
            double_le(power, power);
    }
    multiply(tweak, tweak, power);
}

RIJN_APART static void crypt_part(const rijn_xts_key *key, const uint8_t tweak[16], size_t offset,
                                  uint8_t *out, const uint8_t *in, size_t size, bool decrypting)
{
    const rijn_xts_table *const table = rijn_xts_of(key->data.backend);
    void (*const run)(const void *, uint8_t *, uint8_t *, const uint8_t *, size_t) =
        decrypting ? table->xts_decrypt : table->xts_encrypt;
    const size_t rest = size % 16;
    const size_t blocks = size / 16 - (rest != 0); /* with a rest, all but the last whole one */
    uint8_t tweaks[2][16], stolen[16], last[16];

    key->tweak.backend->encrypt_block(key->tweak.context, tweaks[0], tweak);
    advance(tweaks[0], (uint32_t)(offset / 16));
    run(key->data.context, tweaks[0], out, in, blocks);
    if (rest) {
        /* The last whole block of input becomes `stolen`. Its first `rest` bytes are the short
         * block of output. Its other bytes complete the short block of input, which becomes the
         * last whole block of output. Encryption takes the tweaks in this order; decryption takes
         * the later one first. */
        in += 16 * blocks, out += 16 * blocks;
        double_le(tweaks[1], tweaks[0]);
        run(key->data.context, tweaks[decrypting], stolen, in, 1);
        memcpy(last, in + 16, rest);
        memcpy(last + rest, stolen + rest, 16 - rest);
        memcpy(out + 16, stolen, rest);
        run(key->data.context, tweaks[!decrypting], out, last, 1);
    }
}

/* Up to here, working on one block after the other is faster than preparing vecs of tweaks. */
enum { SHORT_UNIT = 256 };

static rijn_status crypt(const rijn_xts_key *key, const uint8_t tweak[16], size_t offset,
                         uint8_t *out, const uint8_t *in, size_t size, bool decrypting)
{
    REQUIRE(key, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_part(&key->data));
    TRY(rijn_check_part(&key->tweak));
    REQUIRE(tweak, RIJN_ERR_ARGUMENT);
    REQUIRE(offset % 16 == 0 && within(offset, XTS_MAX), RIJN_ERR_SIZE);
    REQUIRE(size >= 16 && within(size, XTS_MAX - offset), RIJN_ERR_SIZE);
    TRY(rijn_check_buffers(out, in, size));
#if RIJN_WITH_ALL
    const rijn_xts_table *const table = rijn_xts_of(key->data.backend);
    if (table->xts_in_registers && !offset && size <= SHORT_UNIT && size % 16 == 0)
        return table->xts_in_registers(key->data.context, key->tweak.context, tweak, out, in,
                                       size / 16, decrypting);
#endif
    crypt_part(key, tweak, offset, out, in, size, decrypting);
    /* The table of xts.h with its alignment, and here five blocks: two tweaks, `stolen` and `last`,
     * and a product. */
    size_t tweaks = size < 32 ? 0 : key->data.backend->xts_table;
    if (tweaks && size >= 16 * XTS_MANY)
        tweaks = XTS_FAR;
    return rijn_scrub(RIJN_OK,
                      rijn_depth(&key->data, 16 * tweaks + XTS_LINE + 5 * 16 + RIJN_FRAME));
}

rijn_status rijn_xts_encrypt(const rijn_xts_key *key, const uint8_t tweak[16], uint8_t *out,
                             const uint8_t *in, size_t size)
{
    return crypt(key, tweak, 0, out, in, size, false);
}

rijn_status rijn_xts_decrypt(const rijn_xts_key *key, const uint8_t tweak[16], uint8_t *out,
                             const uint8_t *in, size_t size)
{
    return crypt(key, tweak, 0, out, in, size, true);
}

rijn_status rijn_xts_encrypt_part(const rijn_xts_key *key, const uint8_t tweak[16], size_t offset,
                                  uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt(key, tweak, offset, out, in, size, false);
}

rijn_status rijn_xts_decrypt_part(const rijn_xts_key *key, const uint8_t tweak[16], size_t offset,
                                  uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt(key, tweak, offset, out, in, size, true);
}

#endif
