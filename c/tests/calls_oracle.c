#include "calls.h"

#include <string.h>

#include "oracle_aegis.h"
#include "oracle_modes.h"

static oracle_key key;
static uint8_t result[LONGEST + 16], result_tag[32];

static void show_key(void)
{
    oracle_init(&key, given.key_bytes, given.key_size);
    oracle_show_powers(&key, 8);
}

static void show_blocks(void)
{
    show_key();
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        oracle_ecb(&key, decrypt, result, given.plain, given.size);
        oracle_cbc(&key, decrypt, given.iv, result, given.plain, given.size);
        oracle_ige(&key, decrypt, given.iv, result, given.plain, given.size);
    }
}

static void show_ctr(void)
{
    show_key();
    oracle_ctr(&key, given.nonce, result, given.plain, given.size);
    oracle_ctr(&key, wrapping_counter, result, given.plain, given.size);
    oracle_ctr_width(&key, 64, true, given.nonce, result, given.plain, given.size);
    oracle_ctr_width(&key, 64, true, wrapping_counter, result, given.plain, given.size);
}

static void show_feedback(void)
{
    show_key();
    oracle_ofb(&key, given.iv, result, given.plain, given.size);
    for (size_t segment = 1; segment <= 16; segment += 15)
        for (int decrypt = 0; decrypt < 2; decrypt++)
            oracle_cfb(&key, decrypt, segment, given.iv, result, given.plain, given.size);
}

static void show_gcm(void)
{
    show_key();
    for (int decrypt = 0; decrypt < 2; decrypt++)
        oracle_gcm(&key, decrypt, result, result_tag, given.nonce, given.nonce_size, given.ad,
                   given.ad_size, given.plain, given.size);
}

/* Shows chunk 3 and later ones. */
static void show_chunks(void)
{
    const size_t chunk = chunk_size();

    show_key();
    for (size_t at = 0, i = 3; at <= given.size; at += chunk, i++) {
        const size_t n = given.size - at < chunk ? given.size - at : chunk;
        uint8_t chunk_nonce[12];
        memcpy(chunk_nonce, given.nonce, 12);
        chunk_nonce[11] ^= (uint8_t)i;
        oracle_gcm(&key, false, result, result_tag, chunk_nonce, 12, NULL, 0, given.plain + at, n);
    }
}

static void show_aead(oracle_aead *aead, size_t tag_size)
{
    aead(given.key_bytes, given.key_size, result, result_tag, tag_size, given.nonce,
         given.nonce_size, given.ad, given.ad_size, given.plain, given.size);
}

static void show_cmac(void)
{
    show_key();
    oracle_cmac(&key, result_tag, given.plain, given.size);
}

static void show_siv(void)
{
    for (size_t count = 2; count <= 3; count++)
        oracle_siv(given.key_bytes, given.key_size, result, result_tag, siv_strings, count,
                   given.plain, given.size);
}

static void show_xts(void)
{
    for (size_t first = 0; first <= 5; first += 5) {
        for (int decrypt = 0; decrypt < 2; decrypt++)
            oracle_xts_part(given.key_bytes, given.key_size, decrypt, given.iv, first, result,
                            given.plain, given.size);
    }
}

static void show_wrap(void)
{
    show_key();
    oracle_kw(&key, result, given.plain, given.size);
    oracle_kwp(&key, result, given.plain, given.size - 3);
    oracle_kwp(&key, result, given.plain, 5);
}

static void show_aegis(void)
{
    oracle_show(given.key_bytes, given.key_size);
    for (size_t tag_size = 16; tag_size <= 32; tag_size += 16) {
        for (int decrypt = 0; decrypt < 2; decrypt++) {
            oracle_aegis_crypt(given.variant, decrypt, given.key_bytes, given.nonce, given.ad,
                               given.ad_size, result, given.plain, given.size, result_tag,
                               tag_size);
            oracle_show(result_tag, tag_size);
        }
        oracle_aegis_mac(given.variant, given.key_bytes, given.nonce, given.plain, given.size,
                         result_tag, tag_size);
        oracle_show(result_tag, tag_size);
    }
}

static void show_one(const call *c)
{
    switch (c->family) {
    case OF_KEY:
        show_key();
        break;
    case OF_BLOCKS:
        show_blocks();
        break;
    case OF_CTR:
        show_ctr();
        break;
    case OF_FEEDBACK:
        show_feedback();
        break;
    case OF_GCM:
        show_gcm();
        break;
    case OF_CHUNKS:
        show_chunks();
        break;
    case OF_GCM_SIV:
        show_aead(oracle_gcm_siv, 16);
        break;
    case OF_XAES:
        show_aead(oracle_xaes, 16);
        break;
    case OF_CCM:
        show_aead(oracle_ccm, 16);
        break;
    case OF_OCB:
        show_aead(oracle_ocb, ocb_tag_size());
        break;
    case OF_EAX:
        show_aead(oracle_eax, 16);
        break;
    case OF_CMAC:
        show_cmac();
        break;
    case OF_SIV:
        show_siv();
        break;
    case OF_XTS:
        show_xts();
        break;
    case OF_WRAP:
        show_wrap();
        break;
    case OF_AEGIS:
        show_aegis();
        break;
    }
}

/* Shows message `in` of many, with a nonce of n bytes. */
static void show_message(call_family family, const uint8_t *nonce, size_t n, const uint8_t *in,
                         size_t size)
{
    static oracle_aead *const aeads[] = {[OF_GCM_SIV] = oracle_gcm_siv,
                                         [OF_XAES] = oracle_xaes,
                                         [OF_CCM] = oracle_ccm,
                                         [OF_OCB] = oracle_ocb,
                                         [OF_EAX] = oracle_eax};
    const rijn_string pair[] = {{given.ad, given.ad_size}, {nonce, n}};

    switch (family) {
    case OF_GCM:
        oracle_gcm(&key, false, result, result_tag, nonce, n, given.ad, given.ad_size, in, size);
        break;
    case OF_BLOCKS:
        oracle_cbc(&key, false, nonce, result, in, size / 16 * 16);
        break;
    case OF_CTR: {
        uint8_t counter[16] = {0};
        memcpy(counter, nonce, n);
        oracle_ctr(&key, counter, result, in, size);
        break;
    }
    case OF_CMAC:
        oracle_cmac(&key, result_tag, in, size);
        break;
    case OF_SIV:
        oracle_siv(given.key_bytes, given.key_size, result, result_tag, pair, 2, in, size);
        break;
    case OF_AEGIS:
        oracle_aegis_crypt(given.variant, false, given.key_bytes, nonce, given.ad, given.ad_size,
                           result, in, size, result_tag, 16);
        oracle_show(result_tag, 16);
        break;
    default:
        aeads[family](given.key_bytes, given.key_size, result, result_tag, 16, nonce, n, given.ad,
                      given.ad_size, in, size);
    }
}

void calls_show(const call *c)
{
    const bool without_aes = c->family == OF_SIV || c->family == OF_AEGIS;

    if (!(c->flags & MANY)) {
        show_one(c);
        return;
    }
    if (!without_aes)
        show_key();
    if (c->flags & DRAWN && c->family != OF_CMAC)
        return; /* its nonces are not known in advance */
    for (size_t i = 0; i < MESSAGES; i++) {
        const size_t begin = many_begin(c, i);
        show_message(c->family, many_nonce(c, i, given.nonce_size), given.nonce_size,
                     given.plain + begin, many_begin(c, i + 1) - begin);
    }
}
