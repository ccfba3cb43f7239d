/* The functions that JavaScript calls. JavaScript manages the memory (npm/memory.js): each key has
 * a slot. A message follows the last slot, with the other arguments of its call after it, and is
 * processed in place. */
#include "rijn.h"

#define EXPORT(name) __attribute__((export_name(#name))) js_##name

/* The numbers in npm/ciphers.js. AEGIS variants start at AEGIS, in the order of rijn.h. */
enum {
#define RIJN_AES_AEAD(ID, ...) ID,
#include "rijn_algorithms.def"
    AEGIS
};
enum { TAG = 16 };

typedef struct slot {
    uint32_t algorithm;
    union {
        rijn_key aes;
        rijn_aegis_key aegis;
    };
} slot;

typedef rijn_status sealing(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                            const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                            size_t ad_size, const uint8_t *in, size_t size);
typedef rijn_status opening(const rijn_key *key, uint8_t *out, const uint8_t *tag, size_t tag_size,
                            const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                            size_t ad_size, const uint8_t *in, size_t size);

static sealing *const seals[AEGIS] = {
#define RIJN_AES_AEAD(ID, id, ...) [ID] = rijn_##id##_seal,
#include "rijn_algorithms.def"
};
static opening *const opens[AEGIS] = {
#define RIJN_AES_AEAD(ID, id, ...) [ID] = rijn_##id##_open,
#include "rijn_algorithms.def"
};

size_t EXPORT(slot_size)(void)
{
    return sizeof(slot);
}

/* Expands a key of `size` bytes. backend: a name, or NULL for the default. */
rijn_status EXPORT(key_init)(slot *to, uint32_t algorithm, const uint8_t *bytes, size_t size,
                             const char *backend)
{
    to->algorithm = algorithm;
    if (algorithm < AEGIS)
        return rijn_key_init(&to->aes, bytes, size, backend);
    return rijn_aegis_key_init(&to->aegis, (rijn_aegis_variant)(algorithm - AEGIS), bytes, size,
                               backend);
}

const char *EXPORT(key_backend)(const slot *key)
{
    return key->algorithm < AEGIS ? rijn_key_backend(&key->aes)
                                  : rijn_aegis_key_backend(&key->aegis);
}

/* Seals in place. Layout at `text`: text[size], tag[TAG], nonce[nonce_size], ad[ad_size]. */
rijn_status EXPORT(seal)(const slot *key, uint8_t *text, size_t size, size_t nonce_size,
                         size_t ad_size)
{
    uint8_t *const tag = text + size, *const nonce = tag + TAG, *const ad = nonce + nonce_size;

    if (key->algorithm < AEGIS)
        return seals[key->algorithm](&key->aes, text, tag, TAG, nonce, nonce_size, ad, ad_size,
                                     text, size);
    return rijn_aegis_seal(&key->aegis, text, tag, TAG, nonce, nonce_size, ad, ad_size, text, size);
}

/* Opens in place, with the same layout. */
rijn_status EXPORT(open)(const slot *key, uint8_t *text, size_t size, size_t nonce_size,
                         size_t ad_size)
{
    uint8_t *const tag = text + size, *const nonce = tag + TAG, *const ad = nonce + nonce_size;

    if (key->algorithm < AEGIS)
        return opens[key->algorithm](&key->aes, text, tag, TAG, nonce, nonce_size, ad, ad_size,
                                     text, size);
    return rijn_aegis_open(&key->aegis, text, tag, TAG, nonce, nonce_size, ad, ad_size, text, size);
}

/* Encrypts or decrypts in place. Layout: text[size], counter[16]. */
rijn_status EXPORT(ctr)(const slot *key, uint8_t *text, size_t size)
{
    return rijn_ctr_crypt(&key->aes, text + size, text, text, size);
}

/* Writes the tag. Layout: text[size], tag[TAG]. */
rijn_status EXPORT(cmac)(const slot *key, uint8_t *text, size_t size)
{
    return rijn_cmac(&key->aes, text + size, TAG, text, size);
}

/* Compares the tag, with the same layout. */
rijn_status EXPORT(cmac_verify)(const slot *key, const uint8_t *text, size_t size)
{
    rijn_cmac_state state;

    rijn_status status = rijn_cmac_start(&state, &key->aes);
    if (status == RIJN_OK)
        status = rijn_cmac_update(&state, text, size);
    return status == RIJN_OK ? rijn_cmac_verify(&state, text + size, TAG) : status;
}

/* Seals or opens a run of C2SP chunks from in[size] to out. Its first chunk has number `first`. */
enum { CHUNK = 16384 };

rijn_status EXPORT(seal_chunks)(const slot *key, uint8_t *out, const uint8_t *nonce, uint64_t first,
                                int last, const uint8_t *in, size_t size)
{
    if (key->algorithm < AEGIS)
        return rijn_gcm_seal_chunks(&key->aes, out, nonce, first, CHUNK, last, in, size);
    return rijn_aegis_seal_chunks(&key->aegis, out, nonce, first, CHUNK, last, in, size);
}

rijn_status EXPORT(open_chunks)(const slot *key, uint8_t *out, uint64_t *bad, const uint8_t *nonce,
                                uint64_t first, int last, const uint8_t *in, size_t size)
{
    if (key->algorithm < AEGIS)
        return rijn_gcm_open_chunks(&key->aes, out, bad, nonce, first, CHUNK, last, in, size);
    return rijn_aegis_open_chunks(&key->aegis, out, bad, nonce, first, CHUNK, last, in, size);
}

size_t EXPORT(backend_count)(void)
{
    return rijn_backend_count();
}

/* npm/index.js reads the fields of the result as 32-bit words. */
const rijn_backend_info *EXPORT(backend_at)(size_t index)
{
    static rijn_backend_info info;
    return rijn_backend_at(index, &info) == RIJN_OK ? &info : NULL;
}

const char *EXPORT(status_text)(rijn_status status)
{
    return rijn_status_text(status);
}
