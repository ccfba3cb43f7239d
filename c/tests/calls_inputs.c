#include "calls.h"

#include <string.h>

#include "modes/message.h" /* rijn_bypass_size */

/* ---- Bytes ---- */

static uint32_t random_state;

/* Fills with a linear congruential generator (Knuth). */
static void fill(void *bytes, size_t size)
{
    uint8_t *const to = bytes;

    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)((random_state = random_state * 1664525 + 1013904223) >> 24);
}

static void invert(void *bytes, size_t size)
{
    uint8_t *const to = bytes;

    for (size_t i = 0; i < size; i++)
        to[i] ^= 0xff;
}

void calls_secrets(void (*apply)(void *part, size_t size))
{
    apply(given.key_bytes, sizeof given.key_bytes);
    apply(given.ad, given.ad_size);
    apply(given.plain, given.size);
    apply(given.forged, sizeof given.forged);
    apply(given.iv, sizeof given.iv);
}

void calls_draw(uint32_t seed, uint32_t secrets)
{
    random_state = seed;
    fill(given.nonce, sizeof given.nonce);
    random_state += secrets / 2 * 0x9e3779b9;
    calls_secrets(fill);
    if (secrets % 2)
        calls_secrets(invert);
    given.plain[given.size - 1] = 0x77; /* no padding */
}

/* ---- Calls ---- */

bool call_has_register_code(const call *c)
{
    static const char *const names[] = {
        "rijn_cbc_encrypt",
        "rijn_cbc_decrypt",
        "rijn_ctr_crypt",
        "rijn_ctr_crypt, which wraps",
        "rijn_gcm_seal",
        "rijn_gcm_open",
        "rijn_cmac",
        "rijn_gcm_open, refused",
        "rijn_aegis_seal",
        "rijn_aegis_open",
        "rijn_aegis_seal, tag of 16",
        "rijn_aegis_open, refused",
        "rijn_aegis_open, tag of 32, refused",
        "rijn_ccm_seal",
        "rijn_ccm_open",
        "rijn_ccm_open, refused",
        "rijn_eax_seal",
        "rijn_eax_open",
        "rijn_eax_open, refused",
        "rijn_gcm_siv_seal",
        "rijn_gcm_siv_open",
        "rijn_gcm_siv_open, refused",
        "rijn_ocb_seal",
        "rijn_ocb_open",
        "rijn_ocb_open, refused",
        "rijn_siv_seal",
        "rijn_siv_open",
        "rijn_siv_open, refused",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(c->name, names[i]) == 0)
            return true;
    return false;
}

bool call_has_bulk(const call *c)
{
    switch (c->family) {
    case OF_CTR:
    case OF_FEEDBACK:
    case OF_GCM:
    case OF_CHUNKS:
    case OF_GCM_SIV:
    case OF_XAES:
        return true;
    default:
        return false;
    }
}

/* Returns true if a row lists the size, or if it lists none and `usual` has the size. */
static bool lists(const uint8_t *sizes, const char *usual, uint8_t size)
{
    return sizes[0] ? memchr(sizes, size, strlen((const char *)sizes)) != NULL
                    : strchr(usual, size) != NULL;
}

void calls_of_aes(size_t size, size_t ad_size, bool (*wanted)(const call *),
                  void (*examine)(const call *))
{
    static const uint8_t keys[] = {16, 24, 32, 48, 64};

    given.ad_size = ad_size;
    for (size_t k = 0; k < sizeof keys; k++) {
        for (uint8_t nonce_size = 1; nonce_size <= MOST_NONCE; nonce_size++) {
            given.key_size = keys[k];
            given.nonce_size = nonce_size;
            for (const call *c = aes_calls; c < aes_calls + aes_call_count; c++) {
                given.size = c->flags & WHOLE ? size - size % 16 : size;
                if (lists(c->keys, "\020\030\040", keys[k]) &&
                    lists(c->nonces, "\020", nonce_size) && (!wanted || wanted(c)))
                    examine(c);
            }
        }
    }
}

void calls_of_aegis(size_t size, size_t ad_size, bool (*wanted)(const call *),
                    void (*examine)(const call *))
{
    given.size = size;
    given.ad_size = ad_size;
    given.key_size = given.nonce_size = rijn_aegis_key_size(given.variant);
    for (const call *c = aegis_calls; c < aegis_calls + aegis_call_count; c++)
        if (!wanted || wanted(c))
            examine(c);
}
