/* AEGIS: the vectors of RFC 10032 on the oracle and on every kernel, random messages against the oracle,
 * messages in pieces, altered messages, every error. */
#include "aegis/kernel.h"
#include "aegis_vectors.h"
#include "check.h"
#include "oracle.h"
#include "oracle_aegis.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { MOST = 10000 };

/* rijn.h writes this part of the list again. */
enum {
#define RIJN_AEGIS_AEAD(ID, ...) LISTED_##ID,
#include "rijn_algorithms.def"
    LISTED
};
#define RIJN_AEGIS_AEAD(ID, Class, name, size, ...) \
    _Static_assert((int)LISTED_##ID == (int)RIJN_##ID, "the list has another order"); \
    _Static_assert((size) <= RIJN_AEGIS_KEY_MAX, "the list has longer keys");
#include "rijn_algorithms.def"
_Static_assert(LISTED == RIJN_AEGIS_VARIANTS, "the list has another length");
_Static_assert(RIJN_AEGIS_TAGS >> RIJN_AEGIS_TAG_MAX == 1, "the list has other tags");

static const rijn_backend_info *backend;
static const char *kernel;
static uint8_t key_bytes[32], nonce[32], ad[MOST], plain[MOST], cipher[MOST], tag[32];
static uint8_t out[MOST + 64], got[32];
static rijn_aegis_key key;

static size_t init_key(rijn_aegis_variant variant, const uint8_t *bytes)
{
    const size_t size = rijn_aegis_key_size(variant);
    CHECK_STATUS(rijn_aegis_key_init(&key, variant, bytes, size, kernel), RIJN_OK);
    return size;
}

/* ---- Vectors ---- */

static void test_rounds(void)
{
    uint8_t in[16], round_key[16], want[16], blocks[128];
    oracle_aegis v = {.blocks = 8, .degree = 1};

    note("oracle, AESRound and Update");
    from_hex(in, 16, aes_round[0]);
    from_hex(round_key, 16, aes_round[1]);
    from_hex(want, 16, aes_round[2]);
    oracle_round(in, in, round_key);
    CHECK_BYTES(in, want, 16);

    from_hex(v.block[0][0], 128, update_128l[0]);
    from_hex(blocks, 32, update_128l[1]);
    oracle_aegis_update(&v, blocks);
    from_hex(blocks, 128, update_128l[2]);
    CHECK_BYTES(v.block[0][0], blocks, 128);

    v.blocks = 6;
    from_hex(v.block[0][0], 96, update_256[0]);
    from_hex(blocks, 16, update_256[1]);
    oracle_aegis_update(&v, blocks);
    from_hex(blocks, 96, update_256[2]);
    CHECK_BYTES(v.block[0][0], blocks, 96);
}

static void test_oracle(void)
{
    test_rounds();
    for (size_t i = 0; i < COUNT(aegis_cases); i++) {
        const rijn_aegis_variant variant = aegis_cases[i].variant;
        from_hex(key_bytes, 32, aegis_cases[i].key);
        from_hex(nonce, 32, aegis_cases[i].nonce);
        const size_t ad_size = from_hex(ad, MOST, aegis_cases[i].ad);
        const size_t size = from_hex(cipher, MOST, aegis_cases[i].cipher);
        for (size_t tag_size = 16; tag_size <= 32; tag_size += 16) {
            note("oracle, %s, case %zu, tag of %zu", rijn_aegis_name(variant), i, tag_size);
            from_hex(tag, 32, tag_size == 16 ? aegis_cases[i].tag16 : aegis_cases[i].tag32);
            oracle_aegis_crypt(variant, true, key_bytes, nonce, ad, ad_size, out, cipher, size, got,
                               tag_size);
            if (aegis_cases[i].plain != NULL) {
                from_hex(plain, MOST, aegis_cases[i].plain);
                CHECK_BYTES(out, plain, size);
                CHECK_BYTES(got, tag, tag_size);
                oracle_aegis_crypt(variant, false, key_bytes, nonce, ad, ad_size, out, plain, size,
                                   got, tag_size);
                CHECK_BYTES(out, cipher, size);
                CHECK_BYTES(got, tag, tag_size);
            } else {
                CHECK(memcmp(got, tag, tag_size) != 0);
            }
        }
    }
    for (size_t i = 0; i < COUNT(aegismac_cases); i++) {
        from_hex(key_bytes, 32, aegismac_cases[i].key);
        from_hex(nonce, 32, aegismac_cases[i].nonce);
        const size_t size = from_hex(plain, MOST, aegismac_cases[i].data);
        for (size_t tag_size = 16; tag_size <= 32; tag_size += 16) {
            note("oracle, MAC case %zu, tag of %zu", i, tag_size);
            from_hex(tag, 32, tag_size == 16 ? aegismac_cases[i].tag16 : aegismac_cases[i].tag32);
            oracle_aegis_mac(aegismac_cases[i].variant, key_bytes, nonce, plain, size, got,
                             tag_size);
            CHECK_BYTES(got, tag, tag_size);
        }
    }
}

static void test_vectors(void)
{
    for (size_t i = 0; i < COUNT(aegis_cases); i++) {
        from_hex(key_bytes, 32, aegis_cases[i].key);
        const size_t nonce_size = from_hex(nonce, 32, aegis_cases[i].nonce);
        const size_t ad_size = from_hex(ad, MOST, aegis_cases[i].ad);
        const size_t size = from_hex(cipher, MOST, aegis_cases[i].cipher);
        init_key(aegis_cases[i].variant, key_bytes);
        for (size_t tag_size = 16; tag_size <= 32; tag_size += 16) {
            note("%s, vector %zu, tag of %zu", kernel, i, tag_size);
            from_hex(tag, 32, tag_size == 16 ? aegis_cases[i].tag16 : aegis_cases[i].tag32);
            const rijn_status opened = rijn_aegis_open(&key, out, tag, tag_size, nonce, nonce_size,
                                                       ad, ad_size, cipher, size);
            if (aegis_cases[i].plain == NULL) {
                CHECK(opened == RIJN_ERR_TAG);
                CHECK_FILL(out, 0, size);
                continue;
            }
            CHECK(opened == RIJN_OK);
            from_hex(plain, MOST, aegis_cases[i].plain);
            CHECK_BYTES(out, plain, size);
            CHECK_STATUS(rijn_aegis_seal(&key, out, got, tag_size, nonce, nonce_size, ad, ad_size,
                                         plain, size),
                         RIJN_OK);
            CHECK_BYTES(out, cipher, size);
            CHECK_BYTES(got, tag, tag_size);
        }
    }
    for (size_t i = 0; i < COUNT(aegismac_cases); i++) {
        from_hex(key_bytes, 32, aegismac_cases[i].key);
        const size_t nonce_size = from_hex(nonce, 32, aegismac_cases[i].nonce);
        const size_t size = from_hex(plain, MOST, aegismac_cases[i].data);
        init_key(aegismac_cases[i].variant, key_bytes);
        for (size_t tag_size = 16; tag_size <= 32; tag_size += 16) {
            note("%s, MAC vector %zu, tag of %zu", kernel, i, tag_size);
            from_hex(tag, 32, tag_size == 16 ? aegismac_cases[i].tag16 : aegismac_cases[i].tag32);
            CHECK_STATUS(rijn_aegis_mac(&key, got, tag_size, nonce, nonce_size, plain, size),
                         RIJN_OK);
            CHECK_BYTES(got, tag, tag_size);
        }
    }
}

/* ---- Random messages ---- */

static void check_message(rijn_aegis_variant variant, size_t ad_size, size_t size)
{
    const size_t tag_size = 16 + 16 * random_below(2);

    random_bytes(key_bytes, sizeof key_bytes);
    random_bytes(nonce, sizeof nonce);
    random_bytes(ad, ad_size);
    random_bytes(plain, size);
    note("%s, %s, %zu bytes, %zu of associated data, tag of %zu", kernel, rijn_aegis_name(variant),
         size, ad_size, tag_size);
    const size_t nonce_size = init_key(variant, key_bytes);
    oracle_aegis_crypt(variant, false, key_bytes, nonce, ad, ad_size, cipher, plain, size, tag,
                       tag_size);

    memset(out, 0xa5, size + 1);
    CHECK_STATUS(
        rijn_aegis_seal(&key, out, got, tag_size, nonce, nonce_size, ad, ad_size, plain, size),
        RIJN_OK);
    CHECK_BYTES(out, cipher, size);
    CHECK_BYTES(got, tag, tag_size);
    CHECK_FILL(out + size, 0xa5, 1);
    CHECK_STATUS(
        rijn_aegis_open(&key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, out, size),
        RIJN_OK);
    CHECK_BYTES(out, plain, size);
    CHECK_STATUS(
        rijn_aegis_seal(&key, out, got, tag_size, nonce, nonce_size, ad, ad_size, out, size),
        RIJN_OK);
    CHECK_BYTES(out, cipher, size);
    CHECK_BYTES(got, tag, tag_size);

    oracle_aegis_mac(variant, key_bytes, nonce, plain, size, tag, tag_size);
    CHECK_STATUS(rijn_aegis_mac(&key, got, tag_size, nonce, nonce_size, plain, size), RIJN_OK);
    CHECK_BYTES(got, tag, tag_size);
}

static void check_keystream(rijn_aegis_variant variant, size_t size)
{
    note("%s, %s, %zu bytes of keystream", kernel, rijn_aegis_name(variant), size);
    const size_t nonce_size = init_key(variant, key_bytes);
    memset(plain, 0, size);
    memset(out, 0xa5, size + 1);
    CHECK_STATUS(rijn_aegis_seal(&key, cipher, got, 16, nonce, nonce_size, NULL, 0, plain, size),
                 RIJN_OK);
    CHECK_STATUS(rijn_aegis_unauthenticated_keystream(&key, out, size, nonce, nonce_size), RIJN_OK);
    CHECK_BYTES(out, cipher, size);
    CHECK_FILL(out + size, 0xa5, 1);
}

static void test_sizes(rijn_aegis_variant variant)
{
    const size_t rate = (variant < RIJN_AEGIS_256 ? 32u : 16u) << variant % 3;
    static const size_t long_sizes[] = {4095, 4096, 4097, 8192 + 21, MOST};

    for (size_t size = 0; size <= 2 * rate + 1; size++) {
        check_message(variant, random_below(2 * rate + 2), size);
        check_keystream(variant, size);
    }
    for (size_t ad_size = 0; ad_size <= 2 * rate + 1; ad_size += 1 + ad_size / 17)
        check_message(variant, ad_size, random_below(rate));
    for (size_t i = 0; i < COUNT(long_sizes); i++)
        check_message(variant, long_sizes[COUNT(long_sizes) - 1 - i], long_sizes[i]);
}

/* ---- In pieces ---- */

typedef rijn_status crypt_call(rijn_aegis *aegis, uint8_t *out, const uint8_t *in, size_t size);
typedef rijn_status absorb_call(rijn_aegis *aegis, const uint8_t *in, size_t size);

/* Absorbs pieces of random sizes below `most`, some empty. */
static void absorb_pieces(rijn_aegis *aegis, absorb_call *call, const uint8_t *in, size_t size,
                          size_t most)
{
    for (size_t at = 0, n; at < size; at += n) {
        n = random_below(most);
        if (n > size - at)
            n = size - at;
        CHECK_STATUS(call(aegis, in + at, n), RIJN_OK);
    }
}

static void crypt_pieces(rijn_aegis *aegis, crypt_call *call, const uint8_t *in, size_t size,
                         size_t most)
{
    for (size_t at = 0, n; at < size; at += n) {
        n = random_below(most);
        if (n > size - at)
            n = size - at;
        const uint8_t *from = in + at;
        if (random_below(2) == 0) {
            memcpy(out + at, in + at, n);
            from = out + at;
        }
        CHECK_STATUS(call(aegis, out + at, from, n), RIJN_OK);
    }
}

static void check_pieces(rijn_aegis_variant variant, size_t ad_size, size_t size, size_t most)
{
    static rijn_aegis aegis, copy;
    const size_t nonce_size = init_key(variant, key_bytes);
    const size_t tag_size = 16 + 16 * random_below(2);

    note("%s, %s, %zu bytes and %zu of associated data in pieces below %zu", kernel,
         rijn_aegis_name(variant), size, ad_size, most);
    random_bytes(plain, size);
    random_bytes(ad, ad_size);
    CHECK_STATUS(
        rijn_aegis_seal(&key, cipher, tag, tag_size, nonce, nonce_size, ad, ad_size, plain, size),
        RIJN_OK);

    memset(&aegis, 0xa5, sizeof aegis);
    CHECK_STATUS(rijn_aegis_start(&aegis, &key, nonce, nonce_size), RIJN_OK);
    absorb_pieces(&aegis, rijn_aegis_ad, ad, ad_size, most);
    memcpy(&copy, &aegis, sizeof copy);
    crypt_pieces(&aegis, rijn_aegis_encrypt, plain, size, most);
    CHECK_BYTES(out, cipher, size);
    CHECK_STATUS(rijn_aegis_finish(&aegis, got, tag_size), RIJN_OK);
    CHECK_BYTES(got, tag, tag_size);
    CHECK_FILL(&aegis, 0, sizeof aegis);

    crypt_pieces(&copy, rijn_aegis_decrypt, cipher, size, most);
    CHECK_BYTES(out, plain, size);
    memcpy(&aegis, &copy, sizeof copy);
    CHECK_STATUS(rijn_aegis_verify(&copy, tag, tag_size), RIJN_OK);
    CHECK_FILL(&copy, 0, sizeof copy);
    tag[random_below(tag_size)] ^= (uint8_t)(1 << random_below(8));
    CHECK_STATUS(rijn_aegis_verify(&aegis, tag, tag_size), RIJN_ERR_TAG);
    CHECK_FILL(&aegis, 0, sizeof aegis);

    CHECK_STATUS(rijn_aegis_mac(&key, tag, tag_size, nonce, nonce_size, plain, size), RIJN_OK);
    memset(&aegis, 0xa5, sizeof aegis);
    CHECK_STATUS(rijn_aegis_mac_start(&aegis, &key, nonce, nonce_size), RIJN_OK);
    absorb_pieces(&aegis, rijn_aegis_mac_update, plain, size, most);
    memcpy(&copy, &aegis, sizeof copy);
    CHECK_STATUS(rijn_aegis_mac_finish(&aegis, got, tag_size), RIJN_OK);
    CHECK_BYTES(got, tag, tag_size);
    CHECK_FILL(&aegis, 0, sizeof aegis);
    memcpy(&aegis, &copy, sizeof copy);
    CHECK_STATUS(rijn_aegis_mac_verify(&copy, tag, tag_size), RIJN_OK);
    tag[random_below(tag_size)] ^= (uint8_t)(1 << random_below(8));
    CHECK_STATUS(rijn_aegis_mac_verify(&aegis, tag, tag_size), RIJN_ERR_TAG);
    CHECK_FILL(&aegis, 0, sizeof aegis);
}

static void test_pieces(rijn_aegis_variant variant)
{
    static const size_t most[] = {2, 17, 40, 130, 500};

    for (int i = 0; i < 60; i++)
        check_pieces(variant, random_below(300), random_below(700), most[i % 5]);
    check_pieces(variant, 0, 0, 2);
    check_pieces(variant, MOST, MOST, MOST);
    /* ended before any data */
    rijn_aegis aegis;
    const size_t nonce_size = init_key(variant, key_bytes);
    CHECK_STATUS(rijn_aegis_seal(&key, NULL, tag, 32, nonce, nonce_size, ad, 21, NULL, 0), RIJN_OK);
    for (int verify = 0; verify < 2; verify++) {
        CHECK_STATUS(rijn_aegis_start(&aegis, &key, nonce, nonce_size), RIJN_OK);
        CHECK_STATUS(rijn_aegis_ad(&aegis, ad, 21), RIJN_OK);
        if (verify)
            CHECK_STATUS(rijn_aegis_verify(&aegis, tag, 32), RIJN_OK);
        else
            CHECK_STATUS(rijn_aegis_finish(&aegis, got, 32), RIJN_OK);
    }
    CHECK_BYTES(got, tag, 32);
}

/* The sizes in the tag have 64 bits. No test can process so much data, so this one adds whole units to
 * the sizes in the state. */
static void test_sizes_in_tag(rijn_aegis_variant variant)
{
    static const uint64_t more[][2] = {{UINT64_C(1) << 29, 0},
                                       {UINT64_C(1) << 32, 0},
                                       {0, UINT64_C(1) << 29},
                                       {0, UINT64_C(1) << 32},
                                       {UINT64_C(0x123456789a00), UINT64_C(0xfedcba9876500)}};
    const size_t nonce_size = init_key(variant, key_bytes), ad_size = 21, size = 150;
    static rijn_aegis aegis;

    for (size_t i = 0; i < COUNT(more); i++) {
        const uint64_t ad_claimed = ad_size + more[i][0], claimed = size + more[i][1];
        note("%s, %s, sizes in the tag: %llu and %llu", kernel, rijn_aegis_name(variant),
             (unsigned long long)ad_claimed, (unsigned long long)claimed);
        oracle_aegis_claimed(variant, false, key_bytes, nonce, ad, ad_size, cipher, plain, size,
                             tag, 32, ad_claimed, claimed);
        CHECK_STATUS(rijn_aegis_start(&aegis, &key, nonce, nonce_size), RIJN_OK);
        CHECK_STATUS(rijn_aegis_ad(&aegis, ad, ad_size), RIJN_OK);
        aegis.ad_size += more[i][0];
        CHECK_STATUS(rijn_aegis_encrypt(&aegis, out, plain, size), RIJN_OK);
        aegis.size += more[i][1];
        CHECK_STATUS(rijn_aegis_finish(&aegis, got, 32), RIJN_OK);
        CHECK_BYTES(got, tag, 32);

        oracle_aegis_mac_claimed(variant, key_bytes, nonce, plain, size, tag, 32, claimed);
        CHECK_STATUS(rijn_aegis_mac_start(&aegis, &key, nonce, nonce_size), RIJN_OK);
        CHECK_STATUS(rijn_aegis_mac_update(&aegis, plain, size), RIJN_OK);
        aegis.size += more[i][1];
        CHECK_STATUS(rijn_aegis_mac_finish(&aegis, got, 32), RIJN_OK);
        CHECK_BYTES(got, tag, 32);
    }
}

/* ---- Batches: several messages at once ---- */

enum { LONG = 9000, SLOT = LONG + 48 };

static rijn_batch batch;
static uint8_t batch_in[RIJN_BATCH][SLOT], batch_out[RIJN_BATCH][SLOT], batch_ad[RIJN_BATCH][600];

/* Returns a size of one kind: the same for all, a few units, any size, or sometimes so long that the
 * kernel processes the message alone. */
static size_t batch_size(int kind, size_t same)
{
    switch (kind) {
    case 0:
        return same;
    case 1:
        return random_below(70);
    case 2:
        return random_below(1500);
    default:
        return random_below(4) ? random_below(300) : LONG - random_below(1200);
    }
}

static void check_batch(rijn_aegis_variant variant, int kind, int ads, size_t tag_size)
{
    const size_t nonce_size = init_key(variant, key_bytes), same = random_below(200);
    const bool in_place = random_below(2) == 0;

    batch.count = 1 + random_below(RIJN_BATCH);
    batch.nonce_size = batch.nonce_step = nonce_size;
    batch.tag_size = tag_size;
    batch.has_ad = ads > 0;
    batch.one_ad = ads == 1;
    note("%s, %s, a batch of %zu, sizes of kind %d, associated data of kind %d, tag of %zu", kernel,
         rijn_aegis_name(variant), batch.count, kind, ads, tag_size);
    random_bytes(batch.nonces, sizeof batch.nonces);
    for (size_t i = 0; i < batch.count; i++) {
        batch.size[i] = batch_size(kind, same);
        batch.ad_size[i] = ads ? random_below(sizeof batch_ad[i] / (ads == 3 ? 1 : 9)) : 0;
        random_bytes(batch_ad[i], batch.ad_size[i]);
        random_bytes(batch_in[i], batch.size[i]);
        batch.ad[i] = batch.ad_size[i] ? batch_ad[i] : NULL;
    }
    for (int opening = 0; opening < 2; opening++) {
        batch.opening = opening != 0;
        for (size_t i = 0; i < batch.count; i++) {
            if (opening) /* the sealed messages */
                memcpy(batch_in[i], batch_out[i], batch.size[i]);
            memset(batch_out[i], 0xa5, SLOT);
            if (in_place)
                memcpy(batch_out[i], batch_in[i], batch.size[i]);
            batch.in[i] = in_place ? batch_out[i] : batch_in[i];
            batch.out[i] = batch_out[i];
            batch.tag[i] = batch_out[i] + batch.size[i] + 1;
        }
        key.code->many(key.bytes, &batch);
        for (size_t i = 0; i < batch.count; i++) {
            const size_t of = batch.one_ad ? 0 : i, size = batch.size[i];
            const uint8_t *const its_ad = batch.has_ad ? batch.ad[of] : NULL;
            const size_t its_size = batch.has_ad ? batch.ad_size[of] : 0;
            uint8_t *const its_nonce = batch.nonces + nonce_size * i;
            if (opening) {
                CHECK_STATUS(rijn_aegis_open(&key, out, batch.tag[i], tag_size, its_nonce,
                                             nonce_size, its_ad, its_size, batch_in[i], size),
                             RIJN_OK);
            } else {
                CHECK_STATUS(rijn_aegis_seal(&key, out, got, tag_size, its_nonce, nonce_size,
                                             its_ad, its_size, batch_in[i], size),
                             RIJN_OK);
                CHECK_BYTES(batch.tag[i], got, tag_size);
            }
            CHECK_BYTES(batch.out[i], out, size);
            CHECK_FILL(batch.out[i] + size, 0xa5, 1);
            CHECK_FILL(batch.tag[i] + tag_size, 0xa5, 1);
        }
    }
}

static void test_batches(rijn_aegis_variant variant)
{
    init_key(variant, key_bytes);
    if (!key.code->many)
        return;
    for (int kind = 0; kind < 4; kind++)
        for (int ads = 0; ads < 4; ads++)
            check_batch(variant, kind, ads, 16 + 16 * random_below(2));
}

/* ---- Altered messages: every bit of a short message, its tag, nonce, associated data ---- */

static void check_refused(size_t nonce_size, size_t tag_size, size_t ad_size, size_t size)
{
    static rijn_aegis aegis;

    memset(out, 0xa5, size + 1);
    CHECK_STATUS(
        rijn_aegis_open(&key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, cipher, size),
        RIJN_ERR_TAG);
    CHECK_FILL(out, 0, size);
    CHECK_FILL(out + size, 0xa5, 1);
    CHECK_STATUS(rijn_aegis_start(&aegis, &key, nonce, nonce_size), RIJN_OK);
    CHECK_STATUS(rijn_aegis_ad(&aegis, ad, ad_size), RIJN_OK);
    CHECK_STATUS(rijn_aegis_decrypt(&aegis, out, cipher, size), RIJN_OK);
    CHECK_STATUS(rijn_aegis_verify(&aegis, tag, tag_size), RIJN_ERR_TAG);
}

static void test_tampering(rijn_aegis_variant variant)
{
    const size_t nonce_size = init_key(variant, key_bytes), ad_size = 5, size = 23;

    note("%s, %s, tampering", kernel, rijn_aegis_name(variant));
    for (size_t tag_size = 16; tag_size <= 32; tag_size += 16) {
        const struct {
            uint8_t *at;
            size_t size;
        } parts[] = {{cipher, size}, {tag, tag_size}, {nonce, nonce_size}, {ad, ad_size}};

        CHECK_STATUS(rijn_aegis_seal(&key, cipher, tag, tag_size, nonce, nonce_size, ad, ad_size,
                                     plain, size),
                     RIJN_OK);
        for (size_t i = 0; i < COUNT(parts); i++) {
            for (size_t bit = 0; bit < 8 * parts[i].size; bit++) {
                parts[i].at[bit / 8] ^= (uint8_t)(1 << bit % 8);
                check_refused(nonce_size, tag_size, ad_size, size);
                parts[i].at[bit / 8] ^= (uint8_t)(1 << bit % 8);
            }
        }
        check_refused(nonce_size, tag_size, ad_size - 1, size);
        check_refused(nonce_size, tag_size, ad_size, size - 1);
    }
}

/* ---- Errors: the status, and no byte written ---- */

typedef struct memory {
    rijn_aegis_key key, wiped;
    rijn_aegis aegis;
    uint8_t bytes[32], nonce[32], ad[64], tag[32], data[512];
} memory;

static memory m, before;

#define REFUSED(call, status) \
    do { \
        memcpy(&before, &m, sizeof m); \
        CHECK_STATUS(call, status); \
        CHECK(memcmp(&before, &m, sizeof m) == 0); \
    } while (0)

static size_t fresh(rijn_aegis_variant variant)
{
    const size_t size = rijn_aegis_key_size(variant);
    random_bytes((uint8_t *)&m, sizeof m);
    CHECK_STATUS(rijn_aegis_key_init(&m.key, variant, m.bytes, size, kernel), RIJN_OK);
    rijn_aegis_key_wipe(&m.wiped);
    rijn_aegis_wipe(&m.aegis);
    return size;
}

static void test_keys(rijn_aegis_variant variant)
{
    const size_t right = fresh(variant);

    note("%s, %s, keys", kernel, rijn_aegis_name(variant));
    CHECK_TEXT(rijn_aegis_key_backend(&m.key), backend->name);
    CHECK_TEXT(rijn_aegis_key_kernel(&m.key), kernel);
    CHECK_TEXT(rijn_aegis_key_kernel(&m.wiped), "");
    CHECK_TEXT(rijn_aegis_key_kernel(NULL), "");
    CHECK_TEXT(rijn_aegis_key_backend(&m.wiped), "");
    CHECK_TEXT(rijn_aegis_key_backend(NULL), "");
    CHECK_STATUS(rijn_aegis_key_init(NULL, variant, m.bytes, right, kernel), RIJN_ERR_ARGUMENT);
    for (size_t size = 0; size <= 33; size++) {
        if (size == right)
            continue;
        CHECK_STATUS(rijn_aegis_key_init(&m.key, variant, m.bytes, size, kernel),
                     RIJN_ERR_KEY_SIZE);
        CHECK_FILL(&m.key, 0, sizeof m.key);
    }
    fresh(variant);
    CHECK_STATUS(rijn_aegis_key_init(&m.key, variant, NULL, right, kernel), RIJN_ERR_ARGUMENT);
    CHECK_FILL(&m.key, 0, sizeof m.key);
    fresh(variant);
    CHECK_STATUS(rijn_aegis_key_init(&m.key, (rijn_aegis_variant)RIJN_AEGIS_VARIANTS, m.bytes,
                                     right, kernel),
                 RIJN_ERR_ARGUMENT);
    CHECK_FILL(&m.key, 0, sizeof m.key);
    fresh(variant);
    CHECK_STATUS(rijn_aegis_key_init(&m.key, variant, m.bytes, right, "aegis"), RIJN_ERR_BACKEND);
    CHECK_FILL(&m.key, 0, sizeof m.key);
    fresh(variant);
    rijn_aegis_key_wipe(&m.key);
    CHECK_FILL(&m.key, 0, sizeof m.key);
    rijn_aegis_key_wipe(NULL);
    rijn_aegis_wipe(NULL);
}

static void test_whole_errors(rijn_aegis_variant variant)
{
    static const size_t wrong_tags[] = {0, 1, 8, 15, 17, 31, 33, SIZE_MAX};
    const size_t n = fresh(variant);
    uint8_t *const d = m.data;

    note("%s, %s, errors", kernel, rijn_aegis_name(variant));
    for (int open = 0; open < 2; open++) {
#define CALL(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size) \
    (open ? rijn_aegis_open(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size) \
          : rijn_aegis_seal(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size))
        REFUSED(CALL(NULL, d, m.tag, 16, m.nonce, n, m.ad, 9, d, 64), RIJN_ERR_ARGUMENT);
        REFUSED(CALL(&m.wiped, d, m.tag, 16, m.nonce, n, m.ad, 9, d, 64), RIJN_ERR_STATE);
        REFUSED(CALL(&m.key, NULL, m.tag, 16, m.nonce, n, m.ad, 9, d, 64), RIJN_ERR_ARGUMENT);
        REFUSED(CALL(&m.key, d, NULL, 16, m.nonce, n, m.ad, 9, d, 64), RIJN_ERR_ARGUMENT);
        REFUSED(CALL(&m.key, d, m.tag, 16, NULL, n, m.ad, 9, d, 64), RIJN_ERR_ARGUMENT);
        REFUSED(CALL(&m.key, d, m.tag, 16, m.nonce, n, NULL, 9, d, 64), RIJN_ERR_ARGUMENT);
        REFUSED(CALL(&m.key, d, m.tag, 16, m.nonce, n, m.ad, 9, NULL, 64), RIJN_ERR_ARGUMENT);
        for (size_t i = 0; i < COUNT(wrong_tags); i++)
            REFUSED(CALL(&m.key, d, m.tag, wrong_tags[i], m.nonce, n, m.ad, 9, d, 64),
                    RIJN_ERR_TAG_SIZE);
        for (size_t size = 0; size <= 33; size++)
            if (size != n)
                REFUSED(CALL(&m.key, d, m.tag, 16, m.nonce, size, m.ad, 9, d, 64),
                        RIJN_ERR_NONCE_SIZE);
        for (size_t by = 1; by < 64; by += 9) {
            REFUSED(CALL(&m.key, d + by, m.tag, 16, m.nonce, n, m.ad, 9, d, 64), RIJN_ERR_OVERLAP);
            REFUSED(CALL(&m.key, d, m.tag, 16, m.nonce, n, m.ad, 9, d + by, 64), RIJN_ERR_OVERLAP);
            REFUSED(CALL(&m.key, d, d + by, 16, m.nonce, n, m.ad, 9, d, 64), RIJN_ERR_OVERLAP);
            REFUSED(CALL(&m.key, d, m.tag, 16, d + by, n, m.ad, 9, d, 64), RIJN_ERR_OVERLAP);
            REFUSED(CALL(&m.key, d, m.tag, 16, m.nonce, n, d + by, 1, d, 64), RIJN_ERR_OVERLAP);
        }
#if SIZE_MAX > UINT32_MAX
        REFUSED(rijn_aegis_mac(&m.key, m.tag, 16, m.nonce, n, d, (size_t)1 << 61), RIJN_ERR_SIZE);
        REFUSED(rijn_aegis_unauthenticated_keystream(&m.key, d, (size_t)1 << 61, m.nonce, n),
                RIJN_ERR_SIZE);
        REFUSED(CALL(&m.key, d, m.tag, 16, m.nonce, n, m.ad, 9, d, (size_t)1 << 61), RIJN_ERR_SIZE);
        REFUSED(CALL(&m.key, d, m.tag, 16, m.nonce, n, m.ad, (size_t)1 << 61, d, 64),
                RIJN_ERR_SIZE);
#endif
#undef CALL
    }
    REFUSED(rijn_aegis_mac(NULL, m.tag, 16, m.nonce, n, d, 64), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_mac(&m.wiped, m.tag, 16, m.nonce, n, d, 64), RIJN_ERR_STATE);
    REFUSED(rijn_aegis_mac(&m.key, NULL, 16, m.nonce, n, d, 64), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_mac(&m.key, m.tag, 12, m.nonce, n, d, 64), RIJN_ERR_TAG_SIZE);
    REFUSED(rijn_aegis_mac(&m.key, m.tag, 16, NULL, n, d, 64), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_mac(&m.key, m.tag, 16, m.nonce, n - 1, d, 64), RIJN_ERR_NONCE_SIZE);
    REFUSED(rijn_aegis_mac(&m.key, m.tag, 16, m.nonce, n, NULL, 64), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_unauthenticated_keystream(NULL, d, 64, m.nonce, n), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_unauthenticated_keystream(&m.wiped, d, 64, m.nonce, n), RIJN_ERR_STATE);
    REFUSED(rijn_aegis_unauthenticated_keystream(&m.key, NULL, 64, m.nonce, n), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_unauthenticated_keystream(&m.key, d, 64, NULL, n), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_unauthenticated_keystream(&m.key, d, 64, m.nonce, n + 1),
            RIJN_ERR_NONCE_SIZE);
}

/* ---- Runs of chunks: each chunk is a separate message ---- */

static void test_chunks(rijn_aegis_variant variant)
{
    static const size_t chunk_sizes[] = {1, 16, 33, 128, 200};
    static const uint64_t firsts[] = {0, 0xff, 0xfffffffe, 0xfffffffffffffff0};
    const size_t n = init_key(variant, key_bytes);

    for (size_t c = 0; c < COUNT(chunk_sizes); c++) {
        for (size_t turn = 0; turn < 4 * COUNT(firsts); turn++) {
            const size_t chunk = chunk_sizes[c], whole = turn / 4 % 4;
            const bool last = turn % 2;
            const size_t tail = last ? random_below(chunk) : 0, size = whole * chunk + tail;
            const size_t chunks = whole + last, sealed = size + 16 * chunks;
            const uint64_t first = firsts[turn % COUNT(firsts)];
            uint64_t bad = 77;

            note("%s, %s, chunks of %zu, first %llu, %zu bytes, last %d", kernel,
                 rijn_aegis_name(variant), chunk, (unsigned long long)first, size, last);
            for (size_t i = 0; i < chunks; i++) {
                const size_t text = i < whole ? chunk : tail;
                uint8_t *const at = cipher + i * (chunk + 16), number[32];
                memcpy(number, nonce, n);
                for (size_t j = 0; j < 8; j++)
                    number[n - 1 - j] ^= (uint8_t)((first + i) >> 8 * j);
                oracle_aegis_crypt(variant, false, key_bytes, number, NULL, 0, at,
                                   plain + i * chunk, text, at + text, 16);
            }
            memset(out, 0xa5, sealed + 16);
            CHECK_STATUS(rijn_aegis_seal_chunks(&key, out, nonce, first, chunk, last, plain, size),
                         RIJN_OK);
            CHECK_BYTES(out, cipher, sealed);
            CHECK_FILL(out + sealed, 0xa5, 16);
            memset(out, 0xa5, sealed + 16);
            CHECK_STATUS(
                rijn_aegis_open_chunks(&key, out, &bad, nonce, first, chunk, last, cipher, sealed),
                RIJN_OK);
            CHECK_BYTES(out, plain, size);
            CHECK_FILL(out + size, 0xa5, 16);
            CHECK(bad == 77);
            if (chunks == 0)
                continue;
            const size_t victim = random_below(chunks);
            cipher[victim * (chunk + 16) + random_below(victim < whole ? chunk + 16 : tail + 16)] ^=
                1;
            CHECK_STATUS(
                rijn_aegis_open_chunks(&key, out, &bad, nonce, first, chunk, last, cipher, sealed),
                RIJN_ERR_TAG);
            CHECK(bad == first + victim);
            CHECK_FILL(out, 0, size);
            CHECK_FILL(out + size, 0xa5, 16);
        }
    }
}

static void test_chunk_errors(rijn_aegis_variant variant)
{
    uint8_t *const d = m.data, *const o = m.data + 64;
    uint64_t bad = 77;

    fresh(variant);
    note("%s, %s, chunks, errors", kernel, rijn_aegis_name(variant));
#define SEAL(key, out, nonce, first, chunk, last, in, size) \
    rijn_aegis_seal_chunks(key, out, nonce, first, chunk, last, in, size)
#define OPEN(key, out, nonce, first, chunk, last, in, size) \
    rijn_aegis_open_chunks(key, out, &bad, nonce, first, chunk, last, in, size)
    REFUSED(SEAL(NULL, d, m.nonce, 0, 16, 1, o, 20), RIJN_ERR_ARGUMENT);
    REFUSED(OPEN(NULL, d, m.nonce, 0, 16, 1, o, 50), RIJN_ERR_ARGUMENT);
    REFUSED(SEAL(&m.wiped, d, m.nonce, 0, 16, 1, o, 20), RIJN_ERR_STATE);
    REFUSED(OPEN(&m.wiped, d, m.nonce, 0, 16, 1, o, 50), RIJN_ERR_STATE);
    REFUSED(SEAL(&m.key, NULL, m.nonce, 0, 16, 1, o, 20), RIJN_ERR_ARGUMENT);
    REFUSED(OPEN(&m.key, NULL, m.nonce, 0, 16, 1, o, 50), RIJN_ERR_ARGUMENT);
    REFUSED(SEAL(&m.key, d, NULL, 0, 16, 1, o, 20), RIJN_ERR_ARGUMENT);
    REFUSED(OPEN(&m.key, d, NULL, 0, 16, 1, o, 50), RIJN_ERR_ARGUMENT);
    REFUSED(SEAL(&m.key, d, m.nonce, 0, 16, 1, NULL, 20), RIJN_ERR_ARGUMENT);
    REFUSED(OPEN(&m.key, d, m.nonce, 0, 16, 1, NULL, 50), RIJN_ERR_ARGUMENT);
    REFUSED(SEAL(&m.key, d, m.nonce, 0, 0, 1, o, 20), RIJN_ERR_SIZE);
    REFUSED(OPEN(&m.key, d, m.nonce, 0, 0, 1, o, 50), RIJN_ERR_SIZE);
    REFUSED(SEAL(&m.key, d, m.nonce, 0, 16, 0, o, 20), RIJN_ERR_SIZE);
    REFUSED(OPEN(&m.key, d, m.nonce, 0, 16, 0, o, 50), RIJN_ERR_SIZE);
    REFUSED(OPEN(&m.key, d, m.nonce, 0, 16, 1, o, 47), RIJN_ERR_SIZE);
    REFUSED(SEAL(&m.key, d, m.nonce, UINT64_MAX, 16, 1, o, 20), RIJN_ERR_SIZE);
    REFUSED(OPEN(&m.key, d, m.nonce, UINT64_MAX, 16, 1, o, 50), RIJN_ERR_SIZE);
    REFUSED(SEAL(&m.key, d, m.nonce, 0, 16, 0, d + 31, 16), RIJN_ERR_OVERLAP);
    REFUSED(OPEN(&m.key, d, m.nonce, 0, 16, 0, d + 15, 32), RIJN_ERR_OVERLAP);
#if SIZE_MAX > UINT32_MAX
    const size_t most = ((size_t)1 << 61) - 1; /* of a chunk */
    REFUSED(SEAL(&m.key, d, m.nonce, 0, most + 1, 1, o, 20), RIJN_ERR_SIZE);
    REFUSED(OPEN(&m.key, d, m.nonce, 0, most + 1, 1, o, 50), RIJN_ERR_SIZE);
    CHECK_STATUS(SEAL(&m.key, d, m.nonce, 0, most, 1, o, 20), RIJN_OK);
    CHECK_STATUS(OPEN(&m.key, o, m.nonce, 0, most, 1, d, 36), RIJN_OK);
#endif
#undef SEAL
#undef OPEN
    CHECK(bad == 77);
}

/* Every call in every phase: IDLE, AD, ENCRYPTING, DECRYPTING, MAC. */
enum { CALLS = 8 };

static rijn_status call_number(int which)
{
    switch (which) {
    case 0:
        return rijn_aegis_ad(&m.aegis, m.ad, 7);
    case 1:
        return rijn_aegis_encrypt(&m.aegis, m.data, m.data, 40);
    case 2:
        return rijn_aegis_decrypt(&m.aegis, m.data, m.data, 40);
    case 3:
        return rijn_aegis_finish(&m.aegis, m.tag, 16);
    case 4:
        return rijn_aegis_verify(&m.aegis, m.tag, 16);
    case 5:
        return rijn_aegis_mac_update(&m.aegis, m.data, 40);
    case 6:
        return rijn_aegis_mac_finish(&m.aegis, m.tag, 32);
    default:
        return rijn_aegis_mac_verify(&m.aegis, m.tag, 32);
    }
}

static void test_order(rijn_aegis_variant variant)
{
    static const bool allowed[5][CALLS] = {{false, false, false, false, false, false, false, false},
                                           {true, true, true, true, true, false, false, false},
                                           {false, true, false, true, false, false, false, false},
                                           {false, false, true, false, true, false, false, false},
                                           {false, false, false, false, false, true, true, true}};
    size_t n;

    for (int phase = 0; phase < 5; phase++) {
        for (int which = 0; which < CALLS; which++) {
            n = fresh(variant);
            note("%s, %s, call %d in phase %d", kernel, rijn_aegis_name(variant), which, phase);
            if (phase == 4)
                CHECK_STATUS(rijn_aegis_mac_start(&m.aegis, &m.key, m.nonce, n), RIJN_OK);
            else if (phase != 0)
                CHECK_STATUS(rijn_aegis_start(&m.aegis, &m.key, m.nonce, n), RIJN_OK);
            rijn_aegis_key_wipe(&m.key); /* no longer needed */
            if (phase == 2 || phase == 3)
                CHECK_STATUS(call_number(phase - 1), RIJN_OK);
            if (allowed[phase][which]) {
                const rijn_status status = call_number(which);
                CHECK(status == (which == 4 || which == 7 ? RIJN_ERR_TAG : RIJN_OK));
            } else {
                REFUSED(call_number(which), RIJN_ERR_STATE);
            }
        }
    }
}

static void test_pieces_errors(rijn_aegis_variant variant)
{
    const size_t n = fresh(variant);
    uint8_t *const d = m.data;

    note("%s, %s, errors in pieces", kernel, rijn_aegis_name(variant));
    CHECK_STATUS(rijn_aegis_start(NULL, &m.key, m.nonce, n), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_aegis_mac_start(NULL, &m.key, m.nonce, n), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_start(&m.aegis, NULL, m.nonce, n), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_start(&m.aegis, &m.wiped, m.nonce, n), RIJN_ERR_STATE);
    REFUSED(rijn_aegis_start(&m.aegis, &m.key, NULL, n), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_start(&m.aegis, &m.key, m.nonce, n - 1), RIJN_ERR_NONCE_SIZE);
    CHECK_STATUS(rijn_aegis_ad(NULL, m.ad, 1), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_aegis_encrypt(NULL, d, d, 1), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_aegis_decrypt(NULL, d, d, 1), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_aegis_finish(NULL, m.tag, 16), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_aegis_verify(NULL, m.tag, 16), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_aegis_mac_update(NULL, d, 1), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_aegis_mac_finish(NULL, m.tag, 16), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_aegis_mac_verify(NULL, m.tag, 16), RIJN_ERR_ARGUMENT);

    CHECK_STATUS(rijn_aegis_start(&m.aegis, &m.key, m.nonce, n), RIJN_OK);
    REFUSED(rijn_aegis_ad(&m.aegis, NULL, 1), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_aegis_ad(&m.aegis, m.ad, 3), RIJN_OK);
#if SIZE_MAX > UINT32_MAX
    REFUSED(rijn_aegis_ad(&m.aegis, m.ad, ((size_t)1 << 61) - 3), RIJN_ERR_SIZE);
    REFUSED(rijn_aegis_encrypt(&m.aegis, d, d, (size_t)1 << 61), RIJN_ERR_SIZE);
#endif
    REFUSED(rijn_aegis_encrypt(&m.aegis, NULL, d, 1), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_encrypt(&m.aegis, d, NULL, 1), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_encrypt(&m.aegis, d + 1, d, 40), RIJN_ERR_OVERLAP);
    REFUSED(rijn_aegis_decrypt(&m.aegis, d, d + 39, 40), RIJN_ERR_OVERLAP);
    REFUSED(rijn_aegis_finish(&m.aegis, NULL, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_aegis_finish(&m.aegis, m.tag, 15), RIJN_ERR_TAG_SIZE);
    REFUSED(rijn_aegis_verify(&m.aegis, m.tag, 17), RIJN_ERR_TAG_SIZE);
    /* after all these it is still a message with three bytes of associated data */
    CHECK_STATUS(rijn_aegis_seal(&m.key, d, got, 32, m.nonce, n, m.ad, 3, d, 0), RIJN_OK);
    CHECK_STATUS(rijn_aegis_finish(&m.aegis, m.tag, 32), RIJN_OK);
    CHECK_BYTES(m.tag, got, 32);
}

/* The sum of all pieces is at most 2^61 - 1 bytes. The test sets the state near the limit. */
static void test_sums(rijn_aegis_variant variant)
{
    const size_t n = fresh(variant);

    for (int which = 0; which < 4; which++) { /* ad, encrypt, decrypt, a MAC's update */
        static const int calls[] = {0, 1, 2, 5};
        uint64_t *const so_far = which == 0 ? &m.aegis.ad_size : &m.aegis.size;

        note("%s, %s, sum of pieces, call %d", kernel, rijn_aegis_name(variant), calls[which]);
        CHECK_STATUS(which == 3 ? rijn_aegis_mac_start(&m.aegis, &m.key, m.nonce, n)
                                : rijn_aegis_start(&m.aegis, &m.key, m.nonce, n),
                     RIJN_OK);
        CHECK_STATUS(call_number(calls[which]), RIJN_OK);
        const uint64_t step = *so_far;
        CHECK(step > 1);
        *so_far = (UINT64_C(1) << 61) - step;
        REFUSED(call_number(calls[which]), RIJN_ERR_SIZE);
        *so_far -= 1;
        CHECK_STATUS(call_number(calls[which]), RIJN_OK);
        REFUSED(call_number(calls[which]), RIJN_ERR_SIZE);
    }
}

static void test_names(void)
{
    static const char *const names[] = {"AEGIS-128L", "AEGIS-128X2", "AEGIS-128X4",
                                        "AEGIS-256",  "AEGIS-256X2", "AEGIS-256X4"};

    for (int i = 0; i < (int)RIJN_AEGIS_VARIANTS; i++) {
        CHECK_TEXT(rijn_aegis_name((rijn_aegis_variant)i), names[i]);
        CHECK(rijn_aegis_key_size((rijn_aegis_variant)i) == (i < 3 ? 16 : 32));
    }
    CHECK_TEXT(rijn_aegis_name((rijn_aegis_variant)RIJN_AEGIS_VARIANTS), "");
    CHECK(rijn_aegis_key_size((rijn_aegis_variant)RIJN_AEGIS_VARIANTS) == 0);
}

static void test_kernel(const char *name)
{
    kernel = name;
    test_vectors();
    for (int i = 0; i < (int)RIJN_AEGIS_VARIANTS; i++) {
        const rijn_aegis_variant variant = (rijn_aegis_variant)i;
        test_sizes(variant);
        test_batches(variant);
        test_pieces(variant);
        test_sizes_in_tag(variant);
        test_tampering(variant);
        test_keys(variant);
        test_whole_errors(variant);
        test_order(variant);
        test_pieces_errors(variant);
        test_sums(variant);
        test_chunks(variant);
        test_chunk_errors(variant);
    }
}

static void run(const rijn_backend_info *info)
{
    backend = info;
    each_aegis_kernel(info->name, test_kernel);
}

int main(int argc, char **argv)
{
    test_names();
    test_oracle();
    return test_backends(argc, argv, run);
}
