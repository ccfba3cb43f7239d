/* Calls in an order that programs get wrong: the provider must refuse them, and never give a tag, a text or a
 * "well done" that hides the fault. Other tests compare right calls with OpenSSL's.
 *
 *   faults RIJN.SO
 *
 * It prints "PASSED name" or "FAILED name: what was not true" for each test. */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef EVP_CIPH_GCM_SIV_MODE /* since 3.2 */
#define EVP_CIPH_GCM_SIV_MODE 0x10005
#endif

enum { ROOM = 512, TAG = 16 };

static uint8_t key[64], iv[32], plain[ROOM];
static const char *running;
static int faults, all_faults;

static void check(int condition, int line, const char *text, const char *cipher)
{
    if (!condition && faults++ == 0)
        printf("FAILED %s: %s, line %d: not true: %s\n", running, cipher, line, text);
}
#define CHECK(condition) check(condition, __LINE__, #condition, name)

static EVP_CIPHER *get(const char *name)
{
    return EVP_CIPHER_fetch(NULL, name, "provider=rijn");
}

/* A context with a key and an IV. CCM gets the sizes of the others. */
static EVP_CIPHER_CTX *start(const char *name, int encrypt, const uint8_t *tag)
{
    EVP_CIPHER *cipher = get(name);
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

    EVP_CIPHER_CTX_set_flags(c, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    CHECK(EVP_CipherInit_ex2(c, cipher, NULL, NULL, encrypt, NULL) == 1);
    if (EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE) {
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) == 1);
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, TAG, NULL) == 1);
    }
    if (tag)
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, TAG, (void *)(uintptr_t)tag) == 1);
    CHECK(EVP_CipherInit_ex2(c, NULL, key, iv, encrypt, NULL) == 1);
    EVP_CIPHER_free(cipher);
    return c;
}

static int update(EVP_CIPHER_CTX *c, uint8_t *out, const uint8_t *in, int size)
{
    int written;

    return EVP_CipherUpdate(c, out, &written, in, size);
}

static int final(EVP_CIPHER_CTX *c)
{
    uint8_t rest[32];
    int written;

    return EVP_CipherFinal_ex(c, rest, &written);
}

static int get_tag(EVP_CIPHER_CTX *c, uint8_t *tag)
{
    return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, TAG, tag);
}

/* Calls a test for each cipher of the provider. */
typedef void cipher_test(const char *name, EVP_CIPHER *cipher);
static int ciphers_seen;

static void pass_on(EVP_CIPHER *cipher, void *test)
{
    const char *name = EVP_CIPHER_get0_name(cipher), *owner;

    owner = OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher));
    if (strcmp(owner, "default") == 0)
        return;
    ciphers_seen++;
    (*(cipher_test **)test)(name, cipher);
    ERR_clear_error();
}

static void each(cipher_test *test)
{
    const char *name = "the list";

    ciphers_seen = 0;
    EVP_CIPHER_do_all_provided(NULL, pass_on, &test);
    CHECK(ciphers_seen > 50);
}

static int is_aead(EVP_CIPHER *cipher)
{
    return (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
}

/* ---- The end fails after a piece that failed ---- */

static void refused_piece(const char *name, EVP_CIPHER *cipher)
{
    uint8_t data[ROOM], tag[TAG];
    EVP_CIPHER_CTX *c;

    if (EVP_CIPHER_get_mode(cipher) == EVP_CIPH_WRAP_MODE)
        return; /* its buffers may overlap */
    for (int encrypt = 0; encrypt < 2; encrypt++) {
        c = start(name, encrypt, is_aead(cipher) && !encrypt ? plain : NULL);
        memcpy(data, plain, sizeof data);
        CHECK(update(c, data + 1, data, 64) == 0);
        CHECK(final(c) == 0);
        CHECK(!is_aead(cipher) || get_tag(c, tag) != 1);
        CHECK(EVP_CipherInit_ex2(c, NULL, key, iv, 1, NULL) == 1);
        CHECK(update(c, data, plain, 64) == 1);
        CHECK(final(c) == 1);
        EVP_CIPHER_CTX_free(c);
    }
}

static void failed_pieces(void)
{
    each(refused_piece);
}

/* The first piece is good. */
static void late_failed_pieces(void)
{
    static const char *const names[] = {"AES-128-GCM", "AES-128-OCB", "AEGIS-128L",  "XAES-256-GCM",
                                        "AES-128-CTR", "AES-128-CBC", "AES-128-CFB1"};
    uint8_t data[ROOM];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int first = 16; first <= 37; first += 21) {
            const char *name = names[i];
            EVP_CIPHER_CTX *c = start(name, 1, NULL);

            CHECK(update(c, data, plain, first) == 1);
            memcpy(data, plain, sizeof data);
            CHECK(update(c, data + 1, data, 64) == 0);
            CHECK(final(c) == 0);
            EVP_CIPHER_CTX_free(c);
        }
}

static void data_first(const char *name, EVP_CIPHER *cipher)
{
    uint8_t data[ROOM], tag[TAG];
    EVP_CIPHER_CTX *c;

    if (!is_aead(cipher))
        return;
    c = start(name, 1, NULL);
    CHECK(update(c, data, plain, 32) == 1);
    CHECK(update(c, NULL, plain, 5) == 0);
    CHECK(final(c) == 0);
    CHECK(get_tag(c, tag) != 1);
    EVP_CIPHER_CTX_free(c);
}

static void associated_data_after_data(void)
{
    each(data_first);
}

static void forged(const char *name, EVP_CIPHER *cipher)
{
    int wrap = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_WRAP_MODE;
    uint8_t data[ROOM];
    EVP_CIPHER_CTX *c;

    if (!is_aead(cipher) && !wrap)
        return;
    c = start(name, 0, wrap ? NULL : plain);
    update(c, data, plain, 64); /* reports it now, or at the end */
    CHECK(final(c) == 0);
    CHECK(final(c) == 0);
    EVP_CIPHER_CTX_free(c);
}

static void forged_messages(void)
{
    each(forged);
}

/* ---- Associated data are never lost in silence ---- */

static const char *const whole[] = {"AES-128-CCM", "AES-128-GCM-SIV", "AES-128-SIV"};

static void associated_data_before_the_iv(void)
{
    static const char *const names[] = {"AES-128-CCM", "AES-128-GCM-SIV", "AES-128-OCB",
                                        "AEGIS-128L", "XAES-256-GCM"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = names[i];
        EVP_CIPHER *cipher = get(name);
        EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

        CHECK(EVP_EncryptInit_ex2(c, cipher, key, NULL, NULL) == 1);
        CHECK(update(c, NULL, plain, 5) == 0);
        EVP_CIPHER_CTX_free(c);
        EVP_CIPHER_free(cipher);
    }
}

static void associated_data_then_an_empty_start(void)
{
    uint8_t data[ROOM], tags[2][TAG];

    for (size_t i = 0; i < 3; i++) {
        const char *name = whole[i];

        for (int again = 0; again < 2; again++) {
            EVP_CIPHER_CTX *c = start(name, 1, NULL);

            CHECK(update(c, NULL, plain, 5) == 1);
            if (again)
                CHECK(EVP_EncryptInit_ex2(c, NULL, NULL, NULL, NULL) == 1);
            CHECK(update(c, data, plain, 32) == 1);
            CHECK(final(c) == 1);
            CHECK(get_tag(c, tags[again]) == 1);
            EVP_CIPHER_CTX_free(c);
        }
        CHECK(memcmp(tags[0], tags[1], TAG) == 0);
    }
}

static void associated_data_then_a_new_key(void)
{
    static const char *const names[] = {"AES-128-CCM", "AES-128-GCM-SIV", "AES-128-GCM",
                                        "AES-128-OCB", "AEGIS-128L"};
    uint8_t data[ROOM];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = names[i];
        EVP_CIPHER_CTX *c = start(name, 1, NULL);

        CHECK(update(c, NULL, plain, 5) == 1);
        CHECK(EVP_EncryptInit_ex2(c, NULL, key + 1, NULL, NULL) == 1);
        CHECK(update(c, data, plain, 32) == 0);
        EVP_CIPHER_CTX_free(c);
    }
}

/* The tag of a message is not the one of the message before. */
static void stale(const char *name, EVP_CIPHER *cipher)
{
    uint8_t data[ROOM], tag[TAG];
    EVP_CIPHER_CTX *c;

    if (!is_aead(cipher) || EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE ||
        EVP_CIPHER_get_mode(cipher) == EVP_CIPH_SIV_MODE ||
        EVP_CIPHER_get_mode(cipher) == EVP_CIPH_GCM_SIV_MODE)
        return;
    c = start(name, 1, NULL);
    CHECK(update(c, data, plain, 32) == 1);
    CHECK(final(c) == 1);
    CHECK(get_tag(c, tag) == 1);
    CHECK(EVP_EncryptInit_ex2(c, NULL, NULL, iv, NULL) == 1);
    CHECK(update(c, NULL, plain, 5) == 1);
    CHECK(get_tag(c, tag) != 1);
    EVP_CIPHER_CTX_free(c);
}

static void tags_of_the_message_before(void)
{
    each(stale);
}

/* ---- No nonce serves twice ---- */

static void ccm_with_speed(void)
{
    const char *name = "AES-128-CCM";
    EVP_CIPHER_CTX *c = start(name, 1, NULL);
    uint8_t data[ROOM];

    EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_SET_SPEED, 1, NULL);
    CHECK(update(c, data, plain, 32) == 1);
    CHECK(update(c, data, plain, 32) == 0);
    EVP_CIPHER_CTX_free(c);
}

static const uint8_t tls_aad[13] = {0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, 0, 40};

/* Announces the next record. */
static int announce(EVP_CIPHER_CTX *c)
{
    uint8_t aad[sizeof tls_aad];

    memcpy(aad, tls_aad, sizeof aad);
    return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, sizeof aad, aad);
}

static int fix_iv(EVP_CIPHER_CTX *c, int size)
{
    return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_IV_FIXED, size,
                               iv); /* CCM's has the same number */
}

static void ccm_records(void)
{
    const char *name = "AES-128-CCM";
    EVP_CIPHER_CTX *c = start(name, 1, NULL);
    uint8_t record[64] = {0}, data[ROOM];

    CHECK(fix_iv(c, 4) == 1);
    CHECK(announce(c) == TAG);
    CHECK(EVP_Cipher(c, record, record, 64) == 64);
    CHECK(EVP_Cipher(c, record, record, 64) != 64);
    EVP_CIPHER_CTX_free(c);

    c = start(name, 1, NULL);
    CHECK(fix_iv(c, 4) == 1);
    CHECK(announce(c) == TAG);
    CHECK(EVP_Cipher(c, record, record, 64) == 64);
    CHECK(update(c, data, plain, 32) == 0); /* the record has taken the IV */
    EVP_CIPHER_CTX_free(c);
}

static void records_that_did_not_come(void)
{
    static const char *const names[] = {"AES-128-GCM", "AES-128-CCM"};

    for (size_t i = 0; i < 2; i++) {
        const char *name = names[i];
        uint8_t data[ROOM], expected[ROOM];
        EVP_CIPHER_CTX *c = start(name, 1, NULL);

        CHECK(update(c, expected, plain, 64) == 1);
        EVP_CIPHER_CTX_free(c);
        c = start(name, 1, NULL);
        CHECK(fix_iv(c, 4) == 1);
        CHECK(announce(c) == TAG);
        CHECK(EVP_EncryptInit_ex2(c, NULL, key, iv, NULL) == 1);
        memcpy(data, plain, 64);
        CHECK(update(c, data, data, 64) == 1);
        CHECK(memcmp(data, expected, 64) == 0);
        EVP_CIPHER_CTX_free(c);
    }
}

static void gcm_counted_iv(void)
{
    const char *name = "AES-128-GCM";
    uint8_t texts[3][64], given[2][12], record[88] = {0};

    for (int one_call = 0; one_call < 2; one_call++) {
        EVP_CIPHER_CTX *c = start(name, 1, NULL);

        CHECK(fix_iv(c, -1) == 1);
        if (!one_call)
            CHECK(update(c, texts[0], plain + 64, 1) == 1);
        CHECK(update(c, texts[0] + !one_call, plain + !one_call, 64 - !one_call) == 1);
        CHECK(final(c) == 1);
        for (int i = 0; i < 2; i++) {
            CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_IV_GEN, 12, given[i]) == 1);
            CHECK(update(c, texts[1 + i], plain, 64) == 1);
            CHECK(final(c) == 1);
        }
        CHECK(memcmp(texts[0] + 1, texts[1] + 1, 63) != 0);
        CHECK(memcmp(texts[1], texts[2], 64) != 0);
        CHECK(given[1][11] == given[0][11] + 1 && memcmp(given[0], given[1], 11) == 0);
        EVP_CIPHER_CTX_free(c);
    }
    EVP_CIPHER_CTX *c = start(name, 1, NULL);
    CHECK(fix_iv(c, -1) == 1);
    CHECK(update(c, texts[0], plain, 64) == 1);
    CHECK(final(c) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, sizeof tls_aad,
                              (void *)(uintptr_t)tls_aad) == TAG);
    CHECK(EVP_Cipher(c, record, record, 64) == 64);
    CHECK(record[7] == iv[11] + 1);
    EVP_CIPHER_CTX_free(c);
}

/* The counter is 8 bytes of the IV, so a shorter IV has none. */
static void gcm_counter_outside_the_iv(void)
{
    const char *name = "AES-128-GCM";

    for (int size = 1; size <= 13; size += 6) {
        EVP_CIPHER_CTX *c = start(name, 1, NULL);
        uint8_t record[64] = {0}, zeros[64] = {0}, generated[16];

        CHECK(fix_iv(c, 4) == 1);
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, size, NULL) == 1);
        CHECK(announce(c) == TAG);
        CHECK(EVP_Cipher(c, record, record, 64) != 64);
        CHECK(memcmp(record, zeros, 64) == 0);
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_IV_GEN, 1, generated) != 1);
        EVP_CIPHER_CTX_free(c);
    }
}

static void xts_with_equal_halves(void)
{
    static const uint8_t equal[64];
    static const char *const names[] = {"AES-128-XTS", "AES-256-XTS"};
    uint8_t data[ROOM];

    for (size_t i = 0; i < 2; i++) {
        const char *name = names[i];
        EVP_CIPHER_CTX *c = start(name, 0, NULL);

        CHECK(EVP_DecryptInit_ex2(c, NULL, equal, iv, NULL) == 1);
        CHECK(update(c, data, plain, 64) == 1);
        CHECK(EVP_EncryptInit_ex2(c, NULL, NULL, iv, NULL) == 0);
        CHECK(update(c, data, plain, 64) == 0);
        CHECK(EVP_EncryptInit_ex2(c, NULL, key, iv, NULL) == 1);
        CHECK(EVP_EncryptInit_ex2(c, NULL, NULL, iv, NULL) == 1);
        CHECK(update(c, data, plain, 64) == 1);
        EVP_CIPHER_CTX_free(c);
    }
}

/* ---- Buffers ---- */

/* Output before input is right, or refused with the input unchanged. */
static void overlapping(const char *name, EVP_CIPHER *cipher)
{
    uint8_t expected[ROOM], data[ROOM], out[ROOM];
    int mode = EVP_CIPHER_get_mode(cipher);

    if (mode == EVP_CIPH_WRAP_MODE || mode == EVP_CIPH_XTS_MODE || mode == EVP_CIPH_CCM_MODE ||
        mode == EVP_CIPH_SIV_MODE || mode == EVP_CIPH_GCM_SIV_MODE ||
        (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_CTS))
        return; /* one call a message */
    for (int encrypt = 0; encrypt < 2; encrypt++) {
        EVP_CIPHER_CTX *c = start(name, encrypt, NULL);

        for (int first = 1; first <= 32; first += first == 16 ? 16 : 5)
            for (int before = -18; before <= 18; before += before == 15 || before == -1 ? 1 : 2)
                for (int size = 1; size < 80; size += 26) {
                    uint8_t *in = data + 64, *to = in - before;
                    int written, wanted, good;

                    memcpy(data, plain, sizeof data);
                    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, encrypt, NULL) == 1);
                    CHECK(update(c, out, plain + 200, first) == 1);
                    CHECK(EVP_CipherUpdate(c, expected, &wanted, in, size) == 1);
                    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, encrypt, NULL) == 1);
                    CHECK(update(c, out, plain + 200, first) == 1);
                    good = EVP_CipherUpdate(c, to, &written, in, size);
                    CHECK(good == 0 ||
                          (written == wanted && memcmp(to, expected, (size_t)wanted) == 0));
                    CHECK(good == 1 || memcmp(data, plain, sizeof data) == 0);
                    CHECK(good == 1 || before < 16);
                }
        EVP_CIPHER_CTX_free(c);
    }
}

static void overlapping_pieces(void)
{
    each(overlapping);
}

static void no_buffers(const char *name, EVP_CIPHER *cipher)
{
    static const int firsts[] = {0, 5, 16};
    uint8_t data[ROOM];

    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
        for (int encrypt = 0; encrypt < 2; encrypt++)
            for (int which = 0; which < 3; which++) {
                EVP_CIPHER_CTX *c =
                    start(name, encrypt, is_aead(cipher) && !encrypt ? plain : NULL);
                int good;

                if (firsts[i])
                    update(c, data, plain, firsts[i]);
                good = update(c, which == 0 ? data : NULL, which == 1 ? plain : NULL, 40);
                CHECK(which != 0 || good == 0);
                CHECK(which != 0 || final(c) == 0);
                EVP_CIPHER_CTX_free(c);
            }
}

static void missing_buffers(void)
{
    static const char *const macs[] = {"CMAC", "GMAC"};

    each(no_buffers);
    for (size_t i = 0; i < 2; i++) {
        const char *name = macs[i];
        EVP_MAC *mac = EVP_MAC_fetch(NULL, name, "provider=rijn");
        EVP_MAC_CTX *c = EVP_MAC_CTX_new(mac);
        OSSL_PARAM params[] = {
            OSSL_PARAM_construct_utf8_string(
                "cipher", (char *)(uintptr_t)(i ? "AES-128-GCM" : "AES-128-CBC"), 0),
            i ? OSSL_PARAM_construct_octet_string("iv", iv, 12) : OSSL_PARAM_construct_end(),
            OSSL_PARAM_construct_end()};
        uint8_t tag[TAG];
        size_t size;

        CHECK(EVP_MAC_init(c, key, 16, params) == 1);
        CHECK(EVP_MAC_update(c, plain, 5) == 1);
        CHECK(EVP_MAC_update(c, NULL, 5) == 0);
        CHECK(EVP_MAC_final(c, tag, &size, TAG) == 0);
        CHECK(EVP_MAC_init(c, key, 16, params) == 1);
        CHECK(EVP_MAC_update(c, plain, 5) == 1);
        CHECK(EVP_MAC_final(c, tag, &size, TAG) == 1);
        EVP_MAC_CTX_free(c);
        EVP_MAC_free(mac);
    }
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
#define TEST(function) {#function, function}
        TEST(failed_pieces),
        TEST(late_failed_pieces),
        TEST(associated_data_after_data),
        TEST(forged_messages),
        TEST(associated_data_before_the_iv),
        TEST(associated_data_then_an_empty_start),
        TEST(associated_data_then_a_new_key),
        TEST(tags_of_the_message_before),
        TEST(ccm_with_speed),
        TEST(ccm_records),
        TEST(records_that_did_not_come),
        TEST(gcm_counted_iv),
        TEST(gcm_counter_outside_the_iv),
        TEST(xts_with_equal_halves),
        TEST(overlapping_pieces),
        TEST(missing_buffers),
    };

    if (count != 2 || !OSSL_PROVIDER_load(NULL, "default") || !OSSL_PROVIDER_load(NULL, words[1])) {
        ERR_print_errors_fp(stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)(7 * i + 1);
    memset(iv, 9, sizeof iv);
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (uint8_t)(3 * i + i / 251);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        running = tests[i].name;
        faults = 0;
        tests[i].run();
        if (faults == 0)
            printf("PASSED %s\n", running);
        fflush(stdout);
        all_faults += faults;
        ERR_clear_error();
    }
    return all_faults != 0;
}
