/* The templates of src/modes without any optional operation, on vecs of one, two and four blocks (plain.c).
 * Every mode must give the same bytes as the preferred backend, which other tests compare with standards
 * and oracles. */
#include "check.h"
#include "plain.h"

#include "api.h"

bool plain_deaf;
uint8_t plain_last_hashed[16];

enum { MOST = 1300 };

static uint8_t nonce[16], ad[300], data[MOST], out[2][MOST], tags[2][16];

/* One key under both: [0] is plain. */
typedef struct {
    rijn_key key, other;
} pair_key;
static pair_key keys[2];

static void make_keys(const rijn_backend *plain, size_t size)
{
    uint8_t bytes[2][32];

    random_bytes(bytes[0], sizeof bytes);
    for (int i = 0; i < 2; i++) {
        make_key(&keys[i].key, bytes[0], size, NULL);
        make_key(&keys[i].other, bytes[1], size, NULL);
    }
    rijn_key_expand(&keys[0].key, plain, bytes[0], size, USE_ALL, SIZE_MAX);
    rijn_key_expand(&keys[0].other, plain, bytes[1], size, USE_ALL, SIZE_MAX);
}

typedef rijn_status seal_function(const rijn_key *, uint8_t *, uint8_t *, size_t, const uint8_t *,
                                  size_t, const uint8_t *, size_t, const uint8_t *, size_t);
typedef rijn_status open_function(const rijn_key *, uint8_t *, const uint8_t *, size_t,
                                  const uint8_t *, size_t, const uint8_t *, size_t, const uint8_t *,
                                  size_t);
static const struct {
    const char *name;
    seal_function *seal;
    open_function *open;
    size_t nonce_size, keys; /* bit n: 8 n bytes */
} aeads[] = {
    {"gcm", rijn_gcm_seal, rijn_gcm_open, 12, ALL_KEYS},
    {"gcm_siv", rijn_gcm_siv_seal, rijn_gcm_siv_open, 12, 1 << 2 | 1 << 4},
    {"ccm", rijn_ccm_seal, rijn_ccm_open, 11, ALL_KEYS},
    {"ocb", rijn_ocb_seal, rijn_ocb_open, 15, ALL_KEYS},
    {"eax", rijn_eax_seal, rijn_eax_open, 16, ALL_KEYS},
};

static void test_aeads(size_t key_size, size_t size, size_t ad_size)
{
    for (size_t a = 0; a < sizeof aeads / sizeof aeads[0]; a++) {
        const size_t n = aeads[a].nonce_size;
        if (!(aeads[a].keys >> key_size / 8 & 1))
            continue;
        note("%s, %zu blocks a vec, key of %zu, ad %zu, %zu bytes", aeads[a].name,
             (size_t)keys[0].key.backend->blocks, key_size, ad_size, size);
        for (int i = 0; i < 2; i++)
            CHECK_STATUS(
                aeads[a].seal(&keys[i].key, out[i], tags[i], 16, nonce, n, ad, ad_size, data, size),
                RIJN_OK);
        CHECK_BYTES(out[0], out[1], size);
        CHECK_BYTES(tags[0], tags[1], 16);
        CHECK_STATUS(
            aeads[a].open(&keys[0].key, out[0], tags[0], 16, nonce, n, ad, ad_size, out[0], size),
            RIJN_OK);
        CHECK_BYTES(out[0], data, size);
        tags[0][size % 16] ^= 1;
        CHECK_STATUS(
            aeads[a].open(&keys[0].key, out[0], tags[0], 16, nonce, n, ad, ad_size, out[1], size),
            RIJN_ERR_TAG);
    }
}

typedef rijn_status chain_function(const rijn_key *, uint8_t *, uint8_t *, const uint8_t *, size_t);

static rijn_status ecb_encrypt(const rijn_key *key, uint8_t *iv, uint8_t *to, const uint8_t *from,
                               size_t size)
{
    (void)iv;
    return rijn_ecb_encrypt(key, to, from, size);
}

static rijn_status ecb_decrypt(const rijn_key *key, uint8_t *iv, uint8_t *to, const uint8_t *from,
                               size_t size)
{
    (void)iv;
    return rijn_ecb_decrypt(key, to, from, size);
}

static void test_blocks(size_t size)
{
    static chain_function *const chains[] = {ecb_encrypt,      ecb_decrypt,      rijn_cbc_encrypt,
                                             rijn_cbc_decrypt, rijn_ige_encrypt, rijn_ige_decrypt};
    uint8_t iv[2][32];

    for (size_t f = 0; f < sizeof chains / sizeof chains[0]; f++) {
        note("chain %zu, %zu blocks a vec, %zu bytes", f, (size_t)keys[0].key.backend->blocks,
             size);
        for (int i = 0; i < 2; i++) {
            memcpy(iv[i], ad, 32);
            CHECK_STATUS(chains[f](&keys[i].key, iv[i], out[i], data, size / 16 * 16), RIJN_OK);
        }
        CHECK_BYTES(out[0], out[1], size / 16 * 16);
        CHECK_BYTES(iv[0], iv[1], 32);
    }
}

static void test_sectors(size_t size)
{
    for (int decrypt = 0; decrypt < 2 && size >= 16; decrypt++) {
        note("xts, %zu blocks a vec, %zu bytes", (size_t)keys[0].key.backend->blocks, size);
        for (int i = 0; i < 2; i++) {
            const rijn_xts_key key = {keys[i].key, keys[i].other};
            CHECK_STATUS(
                (decrypt ? rijn_xts_decrypt : rijn_xts_encrypt)(&key, nonce, out[i], data, size),
                RIJN_OK);
        }
        CHECK_BYTES(out[0], out[1], size);
    }
}

static void test_others(size_t size, size_t ad_size)
{
    const rijn_string string = {ad, ad_size};
    uint8_t counter[16];

    memset(counter, 0xff, 16);
    for (unsigned width = 32; width <= 128; width *= 2) {
        for (int little = 0; little < 2; little++) {
            note("ctr %u %d, %zu bytes", width, little, size);
            for (int i = 0; i < 2; i++)
                CHECK_STATUS(
                    rijn_ctr_crypt_width(&keys[i].key, width, little, counter, out[i], data, size),
                    RIJN_OK);
            CHECK_BYTES(out[0], out[1], size);
        }
    }
    note("siv, ad %zu, %zu bytes", ad_size, size);
    for (int i = 0; i < 2; i++) {
        const rijn_siv_key key = {keys[i].key, keys[i].other};
        CHECK_STATUS(rijn_siv_seal(&key, out[i], tags[i], &string, 1, data, size), RIJN_OK);
    }
    CHECK_BYTES(out[0], out[1], size);
    CHECK_BYTES(tags[0], tags[1], 16);
}

/* RFC 8452 section 4: both sizes in bits, little-endian, also 2^32 bits and more. */
static void test_long_ad(void)
{
    const size_t size = ((size_t)1 << 29) + 32;
    uint8_t *const zeros = calloc(1, size), want[16], reversed[16];
    const rijn_key *const key = &keys[0].key;

    if (zeros == NULL)
        return;
    from_hex(want, 16, "0001000001000000 0801000000000000");
    for (size_t i = 0; i < 16; i++)
        reversed[i] = want[15 - i];
    plain_deaf = true;
    note("gcm_siv, seal, ad of 512 MiB");
    rijn_gcm_siv_of(key->backend)
        ->gcm_siv_seal(key->context, out[0], tags[0], nonce, zeros, size, data, 33);
    CHECK_BYTES(plain_last_hashed, reversed, 16);
    memset(plain_last_hashed, 0, 16);
    note("gcm_siv, open, ad of 512 MiB");
    rijn_gcm_siv_of(key->backend)
        ->gcm_siv_open(key->context, out[0], tags[0], tags[1], nonce, zeros, size, data, 33);
    CHECK_BYTES(plain_last_hashed, reversed, 16);
    plain_deaf = false;
    free(zeros);
}

int main(void)
{
    static const rijn_backend *const backends[] = {&plain_1, &plain_2, &plain_4};
    const size_t whole[] = {0, 16, 48, 64, 128, 512, 528, 1024, 1296};

    for (size_t r = 0; r < sizeof backends / sizeof backends[0]; r++) {
        for (size_t key_size = 16; key_size <= 32; key_size += 8) {
            make_keys(backends[r], key_size);
            random_bytes(nonce, sizeof nonce);
            random_bytes(ad, sizeof ad);
            random_bytes(data, sizeof data);
            for (size_t i = 0; i < 18; i++) {
                const size_t size = i < 9 ? whole[i] : random_below(i < 14 ? 200 : MOST + 1);
                const size_t ad_size = i % 3 ? random_below(sizeof ad + 1) : 0;
                test_aeads(key_size, size, ad_size);
                test_blocks(size);
                test_sectors(size);
                test_others(size, ad_size);
            }
        }
    }
    test_long_ad();
    return test_result("test_templates");
}
