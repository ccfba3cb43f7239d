/* Every error of rijn.h: the status, and that a refused call wrote nothing.
 *
 * All buffers of a call are in one struct, which must be equal before and after the call. */
#include "check.h"

typedef struct memory {
    rijn_key key, wiped;
    rijn_ctr ctr;
    rijn_gcm gcm;
    uint8_t bytes[32], iv[16], nonce[64], ad[64], tag[24];
    uint8_t room[32], buffer[512], more[64];
    size_t plain_size;
    uint64_t bad;
} memory;

static memory m, before;
static uint8_t *const data = m.buffer + 64; /* 256 bytes with space on both sides */
static uint8_t *const other = m.buffer + 384;
static const rijn_backend_info *backend;

static void fresh(void)
{
    random_bytes((uint8_t *)&m, sizeof m);
    make_key(&m.key, m.bytes, 32, backend->name);
    rijn_key_wipe(&m.wiped);
    rijn_ctr_wipe(&m.ctr);
    rijn_gcm_wipe(&m.gcm);
}

/* Checks that `call` returns `status` and changes no byte of m. */
#define REFUSED(call, status) \
    do { \
        memcpy(&before, &m, sizeof m); \
        CHECK_STATUS(call, status); \
        CHECK(memcmp(&before, &m, sizeof m) == 0); \
    } while (0)

/* ---- Keys ---- */

static void test_key_init(void)
{
    static const size_t wrong[] = {0, 1, 15, 17, 23, 25, 31, 33, 128, SIZE_MAX};

    fresh();
    note("%s key_init", backend->name);
    CHECK_STATUS(rijn_key_init(NULL, m.bytes, 16, backend->name), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_key_init(&m.key, NULL, 16, backend->name), RIJN_ERR_ARGUMENT);
    CHECK_FILL(&m.key, 0, sizeof m.key);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        fresh();
        CHECK_STATUS(rijn_key_init(&m.key, m.bytes, wrong[i], backend->name), RIJN_ERR_KEY_SIZE);
        CHECK_FILL(&m.key, 0, sizeof m.key);
        CHECK_STATUS(rijn_ecb_encrypt(&m.key, data, data, 16), RIJN_ERR_STATE);
    }
    fresh();
    CHECK_STATUS(rijn_key_init(&m.key, m.bytes, 16, "rijndael"), RIJN_ERR_BACKEND);
    CHECK_FILL(&m.key, 0, sizeof m.key);
    CHECK_TEXT(rijn_key_backend(&m.key), "");
    fresh();
    CHECK_STATUS(rijn_key_init(&m.key, m.bytes, 16, ""), RIJN_ERR_BACKEND);
    CHECK_FILL(&m.key, 0, sizeof m.key);
    fresh();
    CHECK_TEXT(rijn_key_backend(&m.key), backend->name);
}

/* ---- Errors of one-shot calls in every mode ---- */

typedef rijn_status one_shot(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size);

static rijn_status cbc_encrypt(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_cbc_encrypt(key, m.iv, out, in, size);
}

static rijn_status cbc_decrypt(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_cbc_decrypt(key, m.iv, out, in, size);
}

static rijn_status cbc_decrypt_padded(const rijn_key *key, uint8_t *out, const uint8_t *in,
                                      size_t size)
{
    return rijn_cbc_decrypt_padded(key, m.iv, out, &m.plain_size, in, size);
}

static rijn_status cbc_encrypt_padded(const rijn_key *key, uint8_t *out, const uint8_t *in,
                                      size_t size)
{
    return rijn_cbc_encrypt_padded(key, m.iv, out, in, size);
}

static rijn_status ctr_crypt(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_ctr_crypt(key, m.iv, out, in, size);
}

static rijn_status gcm_seal(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_gcm_seal(key, out, m.tag, 16, m.nonce, 12, m.ad, 20, in, size);
}

static rijn_status gcm_open(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_gcm_open(key, out, m.tag, 16, m.nonce, 12, m.ad, 20, in, size);
}

static void test_buffers(const char *name, one_shot *call)
{
    static const size_t offsets[] = {1, 15, 16, 17, 127, 255};

    fresh();
    note("%s %s", backend->name, name);
    REFUSED(call(NULL, data, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(call(&m.key, NULL, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(call(&m.key, data, NULL, 16), RIJN_ERR_ARGUMENT);
    REFUSED(call(&m.wiped, other, data, 16), RIJN_ERR_STATE);
    rijn_key_wipe(&m.key);
    REFUSED(call(&m.key, other, data, 16), RIJN_ERR_STATE);
    fresh();
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        note("%s %s, shifted by %zu", backend->name, name, offsets[i]);
        REFUSED(call(&m.key, data + offsets[i], data, 256), RIJN_ERR_OVERLAP);
        if (offsets[i] < 64) /* the space before data */
            REFUSED(call(&m.key, data - offsets[i], data, 256), RIJN_ERR_OVERLAP);
    }
    note("%s %s, half over half", backend->name, name);
    REFUSED(call(&m.key, data + 16, data, 32), RIJN_ERR_OVERLAP);
    REFUSED(call(&m.key, data, data + 16, 32), RIJN_ERR_OVERLAP);
    note("%s %s, one buffer right after the other", backend->name, name);
    CHECK_STATUS(rijn_ctr_crypt(&m.key, m.iv, data + 32, data, 32), RIJN_OK);
    CHECK_STATUS(rijn_ctr_crypt(&m.key, m.iv, data, data + 32, 32), RIJN_OK);
}

static void test_blocks(const char *name, one_shot *call)
{
    static const size_t sizes[] = {1, 8, 15, 17, 31, 33, 255, SIZE_MAX, SIZE_MAX / 2};

    fresh();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        note("%s %s, %zu bytes", backend->name, name, sizes[i]);
        REFUSED(call(&m.key, data, data, sizes[i]), RIJN_ERR_SIZE);
    }
}

static void test_cbc(void)
{
    fresh();
    note("%s cbc", backend->name);
    REFUSED(rijn_cbc_encrypt(&m.key, NULL, data, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_cbc_decrypt(&m.key, NULL, data, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_cbc_encrypt_padded(&m.key, NULL, data, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_cbc_encrypt_padded(&m.key, m.iv, NULL, NULL, 0), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_cbc_decrypt_padded(&m.key, NULL, data, &m.plain_size, data, 16),
            RIJN_ERR_ARGUMENT);
    REFUSED(rijn_cbc_decrypt_padded(&m.key, m.iv, data, NULL, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_cbc_decrypt_padded(&m.key, m.iv, data, &m.plain_size, data, 0), RIJN_ERR_SIZE);
    /* the output is longer than the input; its last block counts as overlap too */
    REFUSED(rijn_cbc_encrypt_padded(&m.key, m.iv, data, data + 32, 32), RIJN_ERR_OVERLAP);
    REFUSED(rijn_cbc_encrypt_padded(&m.key, m.iv, data, data + 47, 32), RIJN_ERR_OVERLAP);
    CHECK_STATUS(rijn_cbc_encrypt_padded(&m.key, m.iv, data, data + 48, 32), RIJN_OK);
    /* empty data does not overlap */
    CHECK_STATUS(rijn_cbc_encrypt_padded(&m.key, m.iv, data, data + 5, 0), RIJN_OK);
    CHECK_STATUS(rijn_cbc_encrypt_padded(&m.key, m.iv, data, data - 5, 0), RIJN_OK);
    /* the size of the output would exceed SIZE_MAX */
    REFUSED(rijn_cbc_encrypt_padded(&m.key, m.iv, data, data, SIZE_MAX), RIJN_ERR_SIZE);
    REFUSED(rijn_cbc_encrypt_padded(&m.key, m.iv, data, data, SIZE_MAX - 15), RIJN_ERR_SIZE);
}

/* Wrong paddings (RFC 5652 section 6.3): all except 1 to 16 equal bytes of that number. */
static void test_padding(void)
{
    for (unsigned last = 0; last < 256; last++) {
        const bool proper = last >= 1 && last <= 16;

        /* `last` repeats `last` times, or 47 times if no padding is so long. Unless `wrong` is 0, the
         * byte at this distance from the end differs. */
        const size_t count = proper ? last : 47;
        for (size_t wrong = 0; wrong < (proper ? count : 2); wrong++) {
            const bool good = proper && wrong == 0;
            uint8_t plain[48], cipher[48], iv[16];

            note("%s, padding %u, wrong byte %zu", backend->name, last, wrong);
            fresh();
            random_bytes(plain, sizeof plain);
            plain[47 - count] = (uint8_t)~last;
            for (size_t i = 0; i < count; i++)
                plain[47 - i] = (uint8_t)last;
            if (wrong != 0)
                plain[47 - wrong] ^= (uint8_t)(1 << random_below(8));
            memcpy(iv, m.iv, 16);
            CHECK_STATUS(rijn_cbc_encrypt(&m.key, iv, cipher, plain, 48), RIJN_OK);

            memcpy(&before, &m, sizeof m);
            CHECK_STATUS(rijn_cbc_decrypt_padded(&m.key, m.iv, data, &m.plain_size, cipher, 48),
                         good ? RIJN_OK : RIJN_ERR_PADDING);
            CHECK(m.plain_size == (good ? 48 - last : 0));
            if (good)
                CHECK_BYTES(data, plain, 48 - last);
            else
                CHECK_FILL(data, 0, 48);
            /* nothing else changed */
            memcpy(data, before.buffer + 64, 48);
            m.plain_size = before.plain_size;
            CHECK(memcmp(&before, &m, sizeof m) == 0);

            if (!good) { /* in place */
                memcpy(data, cipher, 48);
                CHECK_STATUS(rijn_cbc_decrypt_padded(&m.key, m.iv, data, &m.plain_size, data, 48),
                             RIJN_ERR_PADDING);
                CHECK_FILL(data, 0, 48);
            }
        }
    }
}

static void test_ctr(void)
{
    fresh();
    note("%s ctr", backend->name);
    REFUSED(rijn_ctr_crypt(&m.key, NULL, data, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_ctr_start(NULL, &m.key, m.iv), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_ctr_start(&m.ctr, NULL, m.iv), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_ctr_start(&m.ctr, &m.key, NULL), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_ctr_start(&m.ctr, &m.wiped, m.iv), RIJN_ERR_STATE);
    REFUSED(rijn_ctr_update(&m.ctr, data, data, 16), RIJN_ERR_STATE); /* not started */

    CHECK_STATUS(rijn_ctr_start(&m.ctr, &m.key, m.iv), RIJN_OK);
    REFUSED(rijn_ctr_update(NULL, data, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_ctr_update(&m.ctr, NULL, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_ctr_update(&m.ctr, data, NULL, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_ctr_update(&m.ctr, data + 1, data, 16), RIJN_ERR_OVERLAP);
    REFUSED(rijn_ctr_update(&m.ctr, data, data + 15, 16), RIJN_ERR_OVERLAP);
    REFUSED(rijn_ctr_update(&m.ctr, NULL, NULL, 0), RIJN_OK);
    /* a counter of 32 bits; the state has the remaining blocks */
    CHECK_STATUS(rijn_ctr_start_width(&m.ctr, &m.key, 32, 0, m.iv), RIJN_OK);
    REFUSED(rijn_ctr_update(&m.ctr, NULL, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_ctr_update(&m.ctr, data + 1, data, 16), RIJN_ERR_OVERLAP);
    REFUSED(rijn_ctr_update(&m.ctr, NULL, NULL, 0), RIJN_OK);
    rijn_key_wipe(&m.key);
    REFUSED(rijn_ctr_update(&m.ctr, data, data, 16), RIJN_ERR_STATE);
    rijn_ctr_wipe(&m.ctr);
    REFUSED(rijn_ctr_update(&m.ctr, data, data, 16), RIJN_ERR_STATE);
}

/* ---- GCM ---- */

static const size_t wrong_tag_sizes[] = {0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 17, 32, SIZE_MAX};
#define WRONG_TAG_SIZES (sizeof wrong_tag_sizes / sizeof wrong_tag_sizes[0])

static void test_gcm(void)
{
    fresh();
    note("%s gcm", backend->name);
    CHECK_STATUS(rijn_key_allow_short_tags(&m.key), RIJN_OK);
    for (size_t i = 0; i < WRONG_TAG_SIZES; i++) {
        const size_t n = wrong_tag_sizes[i];
        REFUSED(rijn_gcm_seal(&m.key, data, m.tag, n, m.nonce, 12, m.ad, 20, data, 16),
                RIJN_ERR_TAG_SIZE);
        REFUSED(rijn_gcm_open(&m.key, data, m.tag, n, m.nonce, 12, m.ad, 20, data, 16),
                RIJN_ERR_TAG_SIZE);
        REFUSED(rijn_gcm_tag(&m.key, m.tag, n, m.nonce, 12, m.ad, 20, data, 16), RIJN_ERR_TAG_SIZE);
    }
    fresh();
    REFUSED(rijn_key_allow_short_tags(NULL), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_key_allow_short_tags(&m.wiped), RIJN_ERR_STATE);
    for (size_t n = 4; n <= 8; n += 4) { /* not without permission */
        REFUSED(rijn_gcm_seal(&m.key, data, m.tag, n, m.nonce, 12, m.ad, 20, data, 16),
                RIJN_ERR_TAG_SIZE);
        REFUSED(rijn_gcm_open(&m.key, data, m.tag, n, m.nonce, 12, m.ad, 20, data, 16),
                RIJN_ERR_TAG_SIZE);
        REFUSED(rijn_gcm_tag(&m.key, m.tag, n, m.nonce, 12, m.ad, 20, data, 16), RIJN_ERR_TAG_SIZE);
        CHECK_STATUS(rijn_gcm_start(&m.gcm, &m.key, m.nonce, 12), RIJN_OK);
        REFUSED(rijn_gcm_finish(&m.gcm, m.tag, n), RIJN_ERR_TAG_SIZE);
        REFUSED(rijn_gcm_verify(&m.gcm, m.tag, n), RIJN_ERR_TAG_SIZE);
        CHECK_STATUS(rijn_key_allow_short_tags(&m.key), RIJN_OK);
        CHECK_STATUS(rijn_gcm_finish(&m.gcm, m.tag, n), RIJN_OK);
        CHECK_STATUS(rijn_gcm_seal(&m.key, data, m.tag, n, m.nonce, 12, m.ad, 20, data, 16),
                     RIJN_OK);
        CHECK_STATUS(rijn_gcm_open(&m.key, data, m.tag, n, m.nonce, 12, m.ad, 20, data, 16),
                     RIJN_OK);
        CHECK_STATUS(rijn_gcm_tag(&m.key, m.tag, n, m.nonce, 12, m.ad, 20, data, 16), RIJN_OK);
        fresh();
    }
    REFUSED(rijn_gcm_seal(&m.key, data, NULL, 16, m.nonce, 12, m.ad, 20, data, 16),
            RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_open(&m.key, data, NULL, 16, m.nonce, 12, m.ad, 20, data, 16),
            RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_seal(&m.key, data, m.tag, 16, NULL, 12, m.ad, 20, data, 16),
            RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_open(&m.key, data, m.tag, 16, NULL, 12, m.ad, 20, data, 16),
            RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_seal(&m.key, data, m.tag, 16, m.nonce, 12, NULL, 1, data, 16),
            RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_open(&m.key, data, m.tag, 16, m.nonce, 12, NULL, 1, data, 16),
            RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_seal(&m.key, data, m.tag, 16, m.nonce, 0, m.ad, 20, data, 16),
            RIJN_ERR_NONCE_SIZE);
    REFUSED(rijn_gcm_open(&m.key, data, m.tag, 16, m.nonce, 0, m.ad, 20, data, 16),
            RIJN_ERR_NONCE_SIZE);
    REFUSED(rijn_gcm_start(&m.gcm, &m.key, m.nonce, 0), RIJN_ERR_NONCE_SIZE);
    REFUSED(rijn_gcm_start(NULL, &m.key, m.nonce, 12), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_start(&m.gcm, NULL, m.nonce, 12), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_start(&m.gcm, &m.key, NULL, 12), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_start(&m.gcm, &m.wiped, m.nonce, 12), RIJN_ERR_STATE);
}

static void test_gcm_tag(void)
{
    fresh();
    note("%s gcm_tag", backend->name);
    REFUSED(rijn_gcm_tag(NULL, m.tag, 16, m.nonce, 12, m.ad, 20, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_tag(&m.wiped, m.tag, 16, m.nonce, 12, m.ad, 20, data, 16), RIJN_ERR_STATE);
    REFUSED(rijn_gcm_tag(&m.key, NULL, 16, m.nonce, 12, m.ad, 20, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_tag(&m.key, m.tag, 16, NULL, 12, m.ad, 20, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_tag(&m.key, m.tag, 16, m.nonce, 12, NULL, 1, data, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_tag(&m.key, m.tag, 16, m.nonce, 12, m.ad, 20, NULL, 1), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_tag(&m.key, m.tag, 16, m.nonce, 0, m.ad, 20, data, 16), RIJN_ERR_NONCE_SIZE);
    CHECK_STATUS(rijn_gcm_tag(&m.key, m.tag, 16, m.nonce, 12, NULL, 0, NULL, 0), RIJN_OK);
}

/* The arguments of a message, as offsets in one buffer. */
typedef struct {
    size_t out, tag, nonce, ad, in;
} places;

static void check_places(const places *at, size_t ad_size, rijn_status want)
{
    static uint8_t room[256], kept[256];

    random_bytes(room, sizeof room);
    memcpy(kept, room, sizeof room);
    note("%s gcm: out %zu, tag %zu, nonce %zu, ad %zu, in %zu", backend->name, at->out, at->tag,
         at->nonce, at->ad, at->in);
    CHECK_STATUS(rijn_gcm_seal(&m.key, room + at->out, room + at->tag, 16, room + at->nonce, 12,
                               room + at->ad, ad_size, room + at->in, 32),
                 want);
    if (want != RIJN_OK)
        CHECK_BYTES(room, kept, sizeof room);
    CHECK_STATUS(rijn_gcm_open(&m.key, room + at->out, room + at->tag, 16, room + at->nonce, 12,
                               room + at->ad, ad_size, room + at->in, 32),
                 want != RIJN_OK     ? want
                 : at->out == at->in ? RIJN_OK
                                     : RIJN_ERR_TAG);
}

/* No argument may share a byte with the output, except an equal input. The input may not share one
 * with the tag. Short messages with little associated data are checked in another way. */
static void test_gcm_places(void)
{
    static const size_t ad_sizes[] = {0, 1, 13, 16, 20};

    fresh();
    for (size_t i = 0; i < sizeof ad_sizes / sizeof ad_sizes[0]; i++) {
        const size_t n = ad_sizes[i];
        const places apart = {.nonce = 0, .ad = 12, .in = 32, .out = 64, .tag = 96};
        places at = apart;
        check_places(&at, n, RIJN_OK);
        at.out = at.in; /* in place */
        check_places(&at, n, RIJN_OK);
        at = apart, at.out = 33;
        check_places(&at, n, RIJN_ERR_OVERLAP);
        at = apart, at.in = 95, at.tag = 200;
        check_places(&at, n, RIJN_ERR_OVERLAP);
        at = apart, at.tag = 95;
        check_places(&at, n, RIJN_ERR_OVERLAP);
        at = apart, at.tag = 49, at.in = 150; /* its last byte is the output's first */
        check_places(&at, n, RIJN_ERR_OVERLAP);
        at = apart, at.tag = 63, at.out = 150;
        check_places(&at, n, RIJN_ERR_OVERLAP);
        at = apart, at.tag = 17, at.ad = 200;
        check_places(&at, n, RIJN_ERR_OVERLAP);
        at = apart, at.nonce = 53, at.in = 150;
        check_places(&at, n, RIJN_ERR_OVERLAP);
        at = apart, at.nonce = 95, at.tag = 150;
        check_places(&at, n, RIJN_ERR_OVERLAP);
        REFUSED(rijn_gcm_seal(&m.key, NULL, m.tag, 16, m.nonce, 12, m.ad, n, data, 32),
                RIJN_ERR_ARGUMENT);
        REFUSED(rijn_gcm_seal(&m.key, data, NULL, 16, m.nonce, 12, m.ad, n, data, 32),
                RIJN_ERR_ARGUMENT);
        REFUSED(rijn_gcm_seal(&m.key, data, m.tag, 16, NULL, 12, m.ad, n, data, 32),
                RIJN_ERR_ARGUMENT);
        REFUSED(rijn_gcm_seal(&m.key, data, m.tag, 16, m.nonce, 12, m.ad, n, NULL, 32),
                RIJN_ERR_ARGUMENT);
        if (!n)
            continue;
        at = apart, at.ad = 65 - n, at.in = 150;
        check_places(&at, n, RIJN_ERR_OVERLAP);
        at = apart, at.ad = 95, at.tag = 150;
        check_places(&at, n, RIJN_ERR_OVERLAP);
    }
}

/* The limits of SP 800-38D section 5.2.1.1, which are checked before any access to the data. */
static void test_gcm_limits(void)
{
#if SIZE_MAX > UINT32_MAX
    const size_t data_limit = ((size_t)1 << 36) - 32, ad_limit = ((size_t)1 << 61) - 1;
    const size_t sizes[] = {data_limit + 1, data_limit + 32, (size_t)1 << 60, SIZE_MAX - 31,
                            SIZE_MAX};
    const size_t ad_sizes[] = {ad_limit + 1, (size_t)1 << 62, SIZE_MAX};

    fresh();
    note("%s gcm limits", backend->name);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        REFUSED(gcm_seal(&m.key, data, data, sizes[i]), RIJN_ERR_SIZE);
        REFUSED(gcm_open(&m.key, data, data, sizes[i]), RIJN_ERR_SIZE);
        REFUSED(rijn_gcm_tag(&m.key, m.tag, 16, m.nonce, 12, m.ad, 20, data, sizes[i]),
                RIJN_ERR_SIZE);
    }
    for (size_t i = 0; i < sizeof ad_sizes / sizeof ad_sizes[0]; i++) {
        const size_t n = ad_sizes[i];
        REFUSED(rijn_gcm_seal(&m.key, data, m.tag, 16, m.nonce, 12, m.ad, n, data, 16),
                RIJN_ERR_SIZE);
        REFUSED(rijn_gcm_open(&m.key, data, m.tag, 16, m.nonce, 12, m.ad, n, data, 16),
                RIJN_ERR_SIZE);
        REFUSED(rijn_gcm_tag(&m.key, m.tag, 16, m.nonce, 12, m.ad, n, data, 16), RIJN_ERR_SIZE);
        REFUSED(rijn_gcm_seal(&m.key, data, m.tag, 16, m.nonce, n, m.ad, 20, data, 16),
                RIJN_ERR_NONCE_SIZE);
        REFUSED(rijn_gcm_open(&m.key, data, m.tag, 16, m.nonce, n, m.ad, 20, data, 16),
                RIJN_ERR_NONCE_SIZE);
        REFUSED(rijn_gcm_tag(&m.key, m.tag, 16, m.nonce, n, m.ad, 20, data, 16),
                RIJN_ERR_NONCE_SIZE);
        REFUSED(rijn_gcm_start(&m.gcm, &m.key, m.nonce, n), RIJN_ERR_NONCE_SIZE);

        CHECK_STATUS(rijn_gcm_start(&m.gcm, &m.key, m.nonce, 12), RIJN_OK);
        REFUSED(rijn_gcm_ad(&m.gcm, m.ad, n), RIJN_ERR_SIZE);
        CHECK_STATUS(rijn_gcm_ad(&m.gcm, m.ad, 20), RIJN_OK);
        REFUSED(rijn_gcm_ad(&m.gcm, m.ad, ad_limit - 19), RIJN_ERR_SIZE);
        REFUSED(rijn_gcm_ad(&m.gcm, m.ad, n), RIJN_ERR_SIZE);
        rijn_gcm_wipe(&m.gcm);
    }
#endif
    /* the sum of all pieces; the state is set near 64 GiB instead of encrypting so much */
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        rijn_status (*const crypt)(rijn_gcm *, uint8_t *, const uint8_t *, size_t) =
            decrypt ? rijn_gcm_decrypt : rijn_gcm_encrypt;
        fresh();
        note("%s gcm limit of the sum", backend->name);
        CHECK_STATUS(rijn_gcm_start(&m.gcm, &m.key, m.nonce, 12), RIJN_OK);
        CHECK_STATUS(crypt(&m.gcm, data, data, 16), RIJN_OK);
        m.gcm.size = (UINT64_C(1) << 36) - 32 - 20;
        REFUSED(crypt(&m.gcm, data, data, 21), RIJN_ERR_SIZE);
        REFUSED(crypt(&m.gcm, data, data, SIZE_MAX), RIJN_ERR_SIZE);
        CHECK_STATUS(crypt(&m.gcm, data, data, 20), RIJN_OK);
        REFUSED(crypt(&m.gcm, data, data, 1), RIJN_ERR_SIZE);

        CHECK_STATUS(rijn_gcm_start(&m.gcm, &m.key, m.nonce, 12), RIJN_OK);
        m.gcm.ad_size = (UINT64_C(1) << 61) - 1 - 20;
        REFUSED(rijn_gcm_ad(&m.gcm, m.ad, 21), RIJN_ERR_SIZE);
        CHECK_STATUS(rijn_gcm_ad(&m.gcm, m.ad, 20), RIJN_OK);
        REFUSED(rijn_gcm_ad(&m.gcm, m.ad, 1), RIJN_ERR_SIZE);
    }
}

/* Only the order start, ad …, encrypt … | decrypt …, finish | verify is allowed. */
static void test_gcm_order(void)
{
    uint8_t tag[16];

    fresh();
    note("%s gcm, not started", backend->name);
    for (int finished = 0; finished < 3; finished++) {
        REFUSED(rijn_gcm_ad(&m.gcm, m.ad, 1), RIJN_ERR_STATE);
        REFUSED(rijn_gcm_encrypt(&m.gcm, data, data, 1), RIJN_ERR_STATE);
        REFUSED(rijn_gcm_decrypt(&m.gcm, data, data, 1), RIJN_ERR_STATE);
        REFUSED(rijn_gcm_finish(&m.gcm, m.tag, 16), RIJN_ERR_STATE);
        REFUSED(rijn_gcm_verify(&m.gcm, m.tag, 16), RIJN_ERR_STATE);
        CHECK_STATUS(rijn_gcm_start(&m.gcm, &m.key, m.nonce, 12), RIJN_OK);
        if (finished == 0) {
            note("%s gcm, finished", backend->name);
            CHECK_STATUS(rijn_gcm_finish(&m.gcm, m.tag, 16), RIJN_OK);
        } else {
            note("%s gcm, verified", backend->name);
            CHECK_STATUS(rijn_gcm_verify(&m.gcm, m.tag, 16), RIJN_OK); /* the same message */
        }
        CHECK_FILL(&m.gcm, 0, sizeof m.gcm);
    }

    note("%s gcm, encrypting", backend->name);
    CHECK_STATUS(rijn_gcm_start(&m.gcm, &m.key, m.nonce, 12), RIJN_OK);
    REFUSED(rijn_gcm_ad(NULL, m.ad, 1), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_ad(&m.gcm, NULL, 1), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_encrypt(NULL, data, data, 1), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_decrypt(NULL, data, data, 1), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_finish(NULL, m.tag, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_verify(NULL, m.tag, 16), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_encrypt(&m.gcm, NULL, data, 1), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_encrypt(&m.gcm, data, NULL, 1), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_gcm_encrypt(&m.gcm, data, data, 21), RIJN_OK);
    REFUSED(rijn_gcm_ad(&m.gcm, m.ad, 1), RIJN_ERR_STATE);
    REFUSED(rijn_gcm_decrypt(&m.gcm, data, data, 1), RIJN_ERR_STATE);
    REFUSED(rijn_gcm_verify(&m.gcm, m.tag, 16), RIJN_ERR_STATE);
    REFUSED(rijn_gcm_encrypt(&m.gcm, data + 1, data, 16), RIJN_ERR_OVERLAP);
    REFUSED(rijn_gcm_encrypt(&m.gcm, data, data + 15, 16), RIJN_ERR_OVERLAP);
    REFUSED(rijn_gcm_finish(&m.gcm, NULL, 16), RIJN_ERR_ARGUMENT);
    for (size_t i = 0; i < WRONG_TAG_SIZES; i++)
        REFUSED(rijn_gcm_finish(&m.gcm, m.tag, wrong_tag_sizes[i]), RIJN_ERR_TAG_SIZE);
    CHECK_STATUS(rijn_gcm_finish(&m.gcm, tag, 16), RIJN_OK); /* the refusals changed nothing */

    note("%s gcm, decrypting", backend->name);
    for (int altered = 0; altered < 2; altered++) {
        CHECK_STATUS(rijn_gcm_start(&m.gcm, &m.key, m.nonce, 12), RIJN_OK);
        CHECK_STATUS(rijn_gcm_decrypt(&m.gcm, other, data, 21), RIJN_OK);
        REFUSED(rijn_gcm_ad(&m.gcm, m.ad, 1), RIJN_ERR_STATE);
        REFUSED(rijn_gcm_encrypt(&m.gcm, data, data, 1), RIJN_ERR_STATE);
        REFUSED(rijn_gcm_finish(&m.gcm, m.tag, 16), RIJN_ERR_STATE);
        REFUSED(rijn_gcm_verify(&m.gcm, NULL, 16), RIJN_ERR_ARGUMENT);
        for (size_t i = 0; i < WRONG_TAG_SIZES; i++)
            REFUSED(rijn_gcm_verify(&m.gcm, m.tag, wrong_tag_sizes[i]), RIJN_ERR_TAG_SIZE);
        tag[15] ^= (uint8_t)altered;
        CHECK_STATUS(rijn_gcm_verify(&m.gcm, tag, 16), altered ? RIJN_ERR_TAG : RIJN_OK);
        CHECK_FILL(&m.gcm, 0, sizeof m.gcm);
    }

    note("%s gcm, its key wiped", backend->name);
    CHECK_STATUS(rijn_gcm_start(&m.gcm, &m.key, m.nonce, 12), RIJN_OK);
    rijn_key_wipe(&m.key);
    REFUSED(rijn_gcm_ad(&m.gcm, m.ad, 1), RIJN_ERR_STATE);
    REFUSED(rijn_gcm_encrypt(&m.gcm, data, data, 1), RIJN_ERR_STATE);
    REFUSED(rijn_gcm_decrypt(&m.gcm, data, data, 1), RIJN_ERR_STATE);
    REFUSED(rijn_gcm_finish(&m.gcm, m.tag, 16), RIJN_ERR_STATE);
    REFUSED(rijn_gcm_verify(&m.gcm, m.tag, 16), RIJN_ERR_STATE);
}

/* ---- Runs of chunks ---- */

static void test_chunks(void)
{
    const uint64_t most = UINT64_MAX;

    fresh();
    note("%s chunks", backend->name);
    REFUSED(rijn_gcm_seal_chunks(NULL, data, m.nonce, 0, 16, 1, other, 20), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_seal_chunks(&m.key, NULL, m.nonce, 0, 16, 1, other, 20), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_seal_chunks(&m.key, data, NULL, 0, 16, 1, other, 20), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_seal_chunks(&m.key, data, m.nonce, 0, 16, 1, NULL, 20), RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_seal_chunks(&m.wiped, data, m.nonce, 0, 16, 1, other, 20), RIJN_ERR_STATE);
    REFUSED(rijn_gcm_seal_chunks(&m.key, data, m.nonce, 0, 0, 1, other, 20), RIJN_ERR_SIZE);
    REFUSED(rijn_gcm_seal_chunks(&m.key, data, m.nonce, 0, 16, 0, other, 20), RIJN_ERR_SIZE);
    REFUSED(rijn_gcm_seal_chunks(&m.key, data, m.nonce, 0, 1, 0, other, SIZE_MAX), RIJN_ERR_SIZE);
    REFUSED(rijn_gcm_seal_chunks(&m.key, data, m.nonce, 0, 16, 1, other, SIZE_MAX), RIJN_ERR_SIZE);
    REFUSED(rijn_gcm_open_chunks(NULL, data, &m.bad, m.nonce, 0, 16, 1, other, 40),
            RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_open_chunks(&m.key, NULL, &m.bad, m.nonce, 0, 16, 1, other, 50),
            RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_open_chunks(&m.key, data, &m.bad, NULL, 0, 16, 1, other, 50),
            RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_open_chunks(&m.key, data, &m.bad, m.nonce, 0, 16, 1, NULL, 50),
            RIJN_ERR_ARGUMENT);
    REFUSED(rijn_gcm_open_chunks(&m.wiped, data, &m.bad, m.nonce, 0, 16, 1, other, 50),
            RIJN_ERR_STATE);
    REFUSED(rijn_gcm_open_chunks(&m.key, data, &m.bad, m.nonce, 0, 0, 1, other, 50), RIJN_ERR_SIZE);
    /* the last chunk has 16 to chunk + 15 bytes, the others chunk + 16 */
    static const size_t wrong[] = {0, 1, 15, 32, 33, 47, 64, 79};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        REFUSED(rijn_gcm_open_chunks(&m.key, data, &m.bad, m.nonce, 0, 16, 1, other, wrong[i]),
                RIJN_ERR_SIZE);
    REFUSED(rijn_gcm_open_chunks(&m.key, data, &m.bad, m.nonce, 0, 16, 0, other, 48),
            RIJN_ERR_SIZE);
    REFUSED(rijn_gcm_open_chunks(&m.key, data, &m.bad, m.nonce, 0, SIZE_MAX, 1, other, 48),
            RIJN_ERR_SIZE);
    REFUSED(rijn_gcm_open_chunks(&m.key, data, &m.bad, m.nonce, 0, SIZE_MAX - 15, 1, other, 48),
            RIJN_ERR_SIZE);

    note("%s chunks, numbers past 2^64 - 1", backend->name);
    REFUSED(rijn_gcm_seal_chunks(&m.key, data, m.nonce, most, 16, 1, other, 20), RIJN_ERR_SIZE);
    REFUSED(rijn_gcm_seal_chunks(&m.key, data, m.nonce, most, 16, 0, other, 32), RIJN_ERR_SIZE);
    REFUSED(rijn_gcm_open_chunks(&m.key, data, &m.bad, m.nonce, most, 16, 0, other, 64),
            RIJN_ERR_SIZE);
    CHECK_STATUS(rijn_gcm_seal_chunks(&m.key, data, m.nonce, most, 16, 0, other, 16), RIJN_OK);

    note("%s chunks, overlap", backend->name);
    fresh();
    CHECK_STATUS(rijn_gcm_seal_chunks(&m.key, data, m.nonce, 0, 16, 1, data + 5, 0), RIJN_OK);
    CHECK_STATUS(rijn_gcm_open_chunks(&m.key, data + 5, &m.bad, m.nonce, 0, 16, 1, data, 16),
                 RIJN_OK);
    fresh();
    REFUSED(rijn_gcm_seal_chunks(&m.key, data, m.nonce, 0, 16, 0, data, 32), RIJN_ERR_OVERLAP);
    REFUSED(rijn_gcm_seal_chunks(&m.key, data + 31, m.nonce, 0, 16, 0, data, 32), RIJN_ERR_OVERLAP);
    REFUSED(rijn_gcm_seal_chunks(&m.key, data, m.nonce, 0, 16, 0, data + 63, 32), RIJN_ERR_OVERLAP);
    REFUSED(rijn_gcm_seal_chunks(&m.key, data, data + 63, 0, 16, 0, data + 80, 32),
            RIJN_ERR_OVERLAP);
    REFUSED(rijn_gcm_open_chunks(&m.key, data, &m.bad, data + 31, 0, 16, 0, data + 64, 64),
            RIJN_ERR_OVERLAP);
    CHECK_STATUS(rijn_gcm_seal_chunks(&m.key, data, m.nonce, 0, 16, 0, data + 64, 32), RIJN_OK);
    REFUSED(rijn_gcm_open_chunks(&m.key, data, &m.bad, m.nonce, 0, 16, 0, data, 64),
            RIJN_ERR_OVERLAP);
    REFUSED(rijn_gcm_open_chunks(&m.key, data + 63, &m.bad, m.nonce, 0, 16, 0, data, 64),
            RIJN_ERR_OVERLAP);
    REFUSED(rijn_gcm_open_chunks(&m.key, data, &m.bad, m.nonce, 0, 16, 0, data + 31, 64),
            RIJN_ERR_OVERLAP);
    CHECK_STATUS(rijn_gcm_open_chunks(&m.key, data + 64, &m.bad, m.nonce, 0, 16, 0, data, 64),
                 RIJN_OK);
}

/* The keys inside the keys of XTS and SIV are expanded only for these modes, and other functions refuse
 * them: GCM would give all messages with a nonce one tag. */
static void test_parts(void)
{
    static const uint8_t bytes[64] = {1, 2, 3};
    uint8_t text[32] = {0}, tag[16], iv[16] = {0};
    rijn_xts_key xts;
    rijn_siv_key siv;

    note("%s, parts of keys", backend->name);
    CHECK_STATUS(rijn_xts_key_init(&xts, bytes, 64, backend->name), RIJN_OK);
    CHECK_STATUS(rijn_siv_key_init(&siv, bytes, 64, backend->name), RIJN_OK);
    const rijn_key *const parts[] = {&xts.data, &xts.tweak, &siv.mac, &siv.ctr};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        CHECK_STATUS(rijn_gcm_seal(parts[i], text, tag, 16, iv, 12, NULL, 0, text, 32),
                     RIJN_ERR_STATE);
        CHECK_STATUS(rijn_gcm_tag(parts[i], tag, 16, iv, 12, NULL, 0, text, 32), RIJN_ERR_STATE);
        CHECK_STATUS(rijn_ecb_decrypt(parts[i], text, text, 32), RIJN_ERR_STATE);
        CHECK_STATUS(rijn_ctr_crypt(parts[i], iv, text, text, 32), RIJN_ERR_STATE);
        CHECK_FILL(text, 0, sizeof text);
    }
}

static void run(const rijn_backend_info *info)
{
    static const struct {
        const char *name;
        one_shot *call;
        bool whole_blocks;
    } calls[] = {
        {"ecb_encrypt", rijn_ecb_encrypt, true},
        {"ecb_decrypt", rijn_ecb_decrypt, true},
        {"cbc_encrypt", cbc_encrypt, true},
        {"cbc_decrypt", cbc_decrypt, true},
        {"cbc_encrypt_padded", cbc_encrypt_padded, false},
        {"cbc_decrypt_padded", cbc_decrypt_padded, true},
        {"ctr_crypt", ctr_crypt, false},
        {"gcm_seal", gcm_seal, false},
        {"gcm_open", gcm_open, false},
    };

    backend = info;
    test_key_init();
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        test_buffers(calls[i].name, calls[i].call);
        if (calls[i].whole_blocks)
            test_blocks(calls[i].name, calls[i].call);
    }
    test_cbc();
    test_padding();
    test_ctr();
    test_gcm();
    test_gcm_tag();
    test_gcm_places();
    test_gcm_limits();
    test_gcm_order();
    test_chunks();
    test_parts();
}

int main(int argc, char **argv)
{
    return test_backends(argc, argv, run);
}
