/* SIV (RFC 5297): the tag is S2V of the whole message, and gives the first counter block of CTR. */
#include "../build.h"

#if RIJN_WITH_SIV

#include <string.h>

#include "../bytes.h"
#include "../ct.h"
#include "../double.h"
#include "../scrub.h"
#include "../wipe.h"
#include "cmac.h"
#include "message.h"

rijn_status rijn_siv_key_init(rijn_siv_key *key, const uint8_t *bytes, size_t size,
                              const char *backend)
{
    const rijn_backend *found;

    REQUIRE(key, RIJN_ERR_ARGUMENT);
    rijn_siv_key_wipe(key);
    REQUIRE(bytes, RIJN_ERR_ARGUMENT);
    REQUIRE(size == 32 || size == 48 || size == 64, RIJN_ERR_KEY_SIZE);
    TRY(rijn_backend_find(backend, &found));
    rijn_key_expand(&key->mac, found, bytes, size / 2, USE_MAC, 0);
    rijn_key_expand(&key->ctr, found, bytes + size / 2, size / 2, 0, 0);
    return rijn_scrub(RIJN_OK, rijn_depth(&key->mac, 0));
}

void rijn_siv_key_wipe(rijn_siv_key *key)
{
    if (key)
        wipe(key, sizeof *key);
}

/* Computes v = S2V (section 2.4) of the strings and the plaintext. */
static void s2v(const rijn_key *key, uint8_t v[16], const rijn_string *strings, size_t count,
                const uint8_t *in, size_t size)
{
    rijn_cmac_state before, cmac;
    uint8_t d[16] = {0}, mac[16];

    rijn_cmac_begin(&before, key);
    cmac = before;
    rijn_cmac_absorb(&cmac, d, 16);
    rijn_cmac_tag(&cmac, d);
    for (size_t i = 0; i < count; i++) {
        cmac = before;
        rijn_cmac_absorb(&cmac, strings[i].bytes, strings[i].size);
        rijn_cmac_tag(&cmac, mac);
        double_be(d, d);
        xor_bytes(d, d, mac, 16);
    }
    cmac = before;
    if (size >= 16) { /* xorend */
        rijn_cmac_absorb(&cmac, in, size - 16);
        xor_bytes(d, d, in + size - 16, 16);
    } else { /* dbl(D) XOR pad(Sn) */
        double_be(d, d);
        xor_bytes(d, d, in, size);
        d[size] ^= 0x80;
    }
    rijn_cmac_absorb(&cmac, d, 16);
    rijn_cmac_tag(&cmac, v);
}

/* Runs CTR from the tag with two bits cleared (section 2.5). The tag is public. */
static void crypt(const rijn_key *key, const uint8_t tag[16], uint8_t *out, const uint8_t *in,
                  size_t size)
{
    uint8_t counter[16];

    memcpy(counter, tag, 16);
    counter[8] &= 0x7f;
    counter[12] &= 0x7f;
    RIJN_PUBLIC(counter, sizeof counter);
    rijn_ctr_run(key, 128, 0, counter, out, in, size);
}

#if RIJN_WITH_ALL

/* Is crypt without a counter in memory. The last 32 bits of the counter are below 2^31, so they do
 * not wrap within rijn_bypass_size. */
static rijn_status crypt_in_registers(const rijn_key *key, const uint8_t tag[16], uint8_t *out,
                                      const uint8_t *in, size_t size)
{
    RIJN_PUBLIC(tag, 16);
    return rijn_ctr_of(key->backend)
        ->ctr_in_registers(key->context, load_le64(tag),
                           load_le64(tag + 8) & ~UINT64_C(0x8000000080), out, in, size);
}

#endif

static rijn_status check(const rijn_siv_key *key, const uint8_t *out, const uint8_t *tag,
                         const rijn_string *strings, size_t count, const uint8_t *in, size_t size)
{
    REQUIRE(key, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_part(&key->mac));
    TRY(rijn_check_part(&key->ctr));
    REQUIRE(tag && (strings || !count), RIJN_ERR_ARGUMENT);
    REQUIRE(count <= RIJN_SIV_STRINGS_MAX, RIJN_ERR_SIZE);
    for (size_t i = 0; i < count; i++)
        REQUIRE(strings[i].bytes || !strings[i].size, RIJN_ERR_ARGUMENT);
    for (size_t i = 0; i < count; i++)
        REQUIRE(rijn_disjoint(out, size, strings[i].bytes, strings[i].size), RIJN_ERR_OVERLAP);
    return rijn_check_apart(out, tag, 16, NULL, 0, NULL, 0, in, size);
}

/* The variables of s2v, and of the functions that it calls. */
enum { SIV_STACK = 2 * sizeof(rijn_cmac_state) + 2 * 16 + CTR_STACK + 2 * 16 };

RIJN_APART static void seal(const rijn_siv_key *key, uint8_t *out, uint8_t tag[16],
                            const rijn_string *strings, size_t count, const uint8_t *in,
                            size_t size)
{
    s2v(&key->mac, tag, strings, count, in, size);
    crypt(&key->ctr, tag, out, in, size);
}

RIJN_APART static rijn_status open(const rijn_siv_key *key, uint8_t *out, const uint8_t tag[16],
                                   const rijn_string *strings, size_t count, const uint8_t *in,
                                   size_t size)
{
    uint8_t full[16];

    crypt(&key->ctr, tag, out, in, size);
    s2v(&key->mac, full, strings, count, out, size);
    return rijn_check_tag(full, tag, 16, out, size);
}

rijn_status rijn_siv_seal(const rijn_siv_key *key, uint8_t *out, uint8_t tag[16],
                          const rijn_string *strings, size_t count, const uint8_t *in, size_t size)
{
    TRY(check(key, out, tag, strings, count, in, size));
#if RIJN_WITH_ALL
    const rijn_ctr_mac_table *const table = rijn_ctr_mac_of(key->mac.backend);
    if (table->s2v_in_registers && size < rijn_bypass_size) {
        const rijn_tag_words full =
            table->s2v_in_registers(key->mac.context, strings, count, in, size);
        rijn_store_words(tag, 16, full);
        return crypt_in_registers(&key->ctr, tag, out, in, size);
    }
#endif
    seal(key, out, tag, strings, count, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(&key->mac, SIV_STACK));
}

rijn_status rijn_siv_open(const rijn_siv_key *key, uint8_t *out, const uint8_t tag[16],
                          const rijn_string *strings, size_t count, const uint8_t *in, size_t size)
{
    TRY(check(key, out, tag, strings, count, in, size));
#if RIJN_WITH_ALL
    const rijn_ctr_mac_table *const table = rijn_ctr_mac_of(key->mac.backend);
    if (table->s2v_in_registers && size < rijn_bypass_size) {
        crypt_in_registers(&key->ctr, tag, out, in, size);
        return rijn_check_words(
            table->s2v_in_registers(key->mac.context, strings, count, out, size), tag, 16, out,
            size);
    }
#endif
    return rijn_scrub(open(key, out, tag, strings, count, in, size),
                      rijn_depth(&key->mac, SIV_STACK));
}

#endif
