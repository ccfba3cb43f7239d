/* CFB, OFB, CFB8 and IGE: the public functions. CFB and OFB take any number of bytes; feedback.h
 * and cfb.h process whole blocks. */
#include "../build.h"

#if RIJN_WITH_FEEDBACK

#include <string.h>

#include "../api.h"
#include "../bytes.h"
#include "../scrub.h"

/* ---- CFB and OFB ----
 *
 * Between calls, if used is not 0, iv[used..16) is unused keystream, and iv[0..used) is the
 * feedback of the current block: ciphertext in CFB, keystream in OFB. */

typedef enum { CFB_ENCRYPT, CFB_DECRYPT, OFB } feedback;

/* Processes n bytes of one block, from byte *used on. */
static void crypt_part(feedback mode, uint8_t iv[16], size_t *used, uint8_t *out, const uint8_t *in,
                       size_t n)
{
    uint8_t fed[16];

    memcpy(fed, mode == CFB_DECRYPT ? in : iv + *used, n);
    xor_bytes(out, in, iv + *used, n);
    memcpy(iv + *used, mode == CFB_ENCRYPT ? out : fed, n);
    *used = (*used + n) % 16;
}

RIJN_APART static void crypt_all(feedback mode, const rijn_key *key, uint8_t iv[16], size_t *used,
                                 uint8_t *out, const uint8_t *in, size_t size)
{
    size_t n;

    if (*used && size) {
        n = size < 16 - *used ? size : 16 - *used;
        crypt_part(mode, iv, used, out, in, n);
        in += n, out += n, size -= n;
    }
    n = size - size % 16;
    if (n) {
        const rijn_feedback_table *const table = rijn_feedback_of(key->backend);
        (mode == OFB           ? table->ofb_crypt
         : mode == CFB_ENCRYPT ? table->cfb_encrypt
                               : table->cfb_decrypt)(key->context, iv, out, in, n / 16);
        in += n, out += n, size -= n;
    }
    if (size) {
        key->backend->encrypt_block(key->context, iv, iv);
        crypt_part(mode, iv, used, out, in, size);
    }
}

static rijn_status crypt(feedback mode, const rijn_key *key, uint8_t iv[16], size_t *used,
                         uint8_t *out, const uint8_t *in, size_t size)
{
    size_t none_used = 0;

    TRY(rijn_check_key(key));
    REQUIRE(iv, RIJN_ERR_ARGUMENT);
    if (!used)
        used = &none_used;
    REQUIRE(*used < 16, RIJN_ERR_STATE);
    TRY(rijn_check_buffers(out, in, size));
    crypt_all(mode, key, iv, used, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, 16));
}

rijn_status rijn_cfb_encrypt(const rijn_key *key, uint8_t iv[16], size_t *used, uint8_t *out,
                             const uint8_t *in, size_t size)
{
    return crypt(CFB_ENCRYPT, key, iv, used, out, in, size);
}

rijn_status rijn_cfb_decrypt(const rijn_key *key, uint8_t iv[16], size_t *used, uint8_t *out,
                             const uint8_t *in, size_t size)
{
    return crypt(CFB_DECRYPT, key, iv, used, out, in, size);
}

rijn_status rijn_ofb_crypt(const rijn_key *key, uint8_t iv[16], size_t *used, uint8_t *out,
                           const uint8_t *in, size_t size)
{
    return crypt(OFB, key, iv, used, out, in, size);
}

/* ---- CFB8 (SP 800-38A section 6.3, s = 8) ---- */

RIJN_APART static void cfb8_encrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out,
                                    const uint8_t *in, size_t size)
{
    uint8_t block[16];

    for (size_t i = 0; i < size; i++) {
        key->backend->encrypt_block(key->context, block, iv);
        out[i] = in[i] ^ block[0];
        memmove(iv, iv + 1, 15);
        iv[15] = out[i];
    }
}

rijn_status rijn_cfb8_encrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                              size_t size)
{
    TRY(rijn_check_key(key));
    REQUIRE(iv, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_buffers(out, in, size));
    cfb8_encrypt(key, iv, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, 16));
}

enum { WINDOWS = 32 };

/* Encrypts all windows of 16 bytes of iv || in, many at a time. */
RIJN_APART static void cfb8_decrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out,
                                    const uint8_t *in, size_t size)
{
    uint8_t windows[16 * WINDOWS];

    while (size) {
        const size_t n = size < WINDOWS ? size : WINDOWS;
        for (size_t i = 0; i < n; i++) {
            memcpy(windows + 16 * i, iv, 16);
            memmove(iv, iv + 1, 15);
            iv[15] = in[i];
        }
        rijn_ecb_of(key->backend)->ecb_encrypt(key->context, windows, windows, n);
        for (size_t i = 0; i < n; i++)
            out[i] = in[i] ^ windows[16 * i];
        in += n, out += n, size -= n;
    }
}

rijn_status rijn_cfb8_decrypt(const rijn_key *key, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                              size_t size)
{
    TRY(rijn_check_key(key));
    REQUIRE(iv, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_buffers(out, in, size));
    cfb8_decrypt(key, iv, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, 16 * WINDOWS));
}

/* ---- IGE ---- */

static rijn_status check_ige(const rijn_key *key, const uint8_t *iv, const uint8_t *out,
                             const uint8_t *in, size_t size)
{
    TRY(rijn_check_key(key));
    REQUIRE(iv, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_buffers(out, in, size));
    return size % 16 == 0 ? RIJN_OK : RIJN_ERR_SIZE;
}

rijn_status rijn_ige_encrypt(const rijn_key *key, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                             size_t size)
{
    TRY(check_ige(key, iv, out, in, size));
    rijn_feedback_of(key->backend)->ige_encrypt(key->context, iv, out, in, size / 16);
    return rijn_scrub(RIJN_OK, rijn_blocks_depth(key, 0));
}

rijn_status rijn_ige_decrypt(const rijn_key *key, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                             size_t size)
{
    TRY(check_ige(key, iv, out, in, size));
    rijn_feedback_of(key->backend)->ige_decrypt(key->context, iv, out, in, size / 16);
    return rijn_scrub(RIJN_OK, rijn_blocks_depth(key, 0));
}

#endif
