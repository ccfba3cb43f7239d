/* One message in several states, as with several threads: the same ciphertext and the same tag for every
 * cut, and only whole parts in their order. */
#include "check.h"
#include "oracle_modes.h"

enum { MOST = 3000, PARTS = 5 };

static rijn_key key;
static rijn_xts_key xts;
static uint8_t plain[MOST], want[MOST], got[MOST], tag[16], got_tag[16], nonce[17], ad[21];
static size_t cut[PARTS + 1];

/* Draws the beginnings of the parts, ascending multiples of 16, and the end. Returns the number of
 * parts. */
static size_t draw_cuts(size_t size)
{
    size_t parts = 1;

    cut[0] = 0;
    while (parts < PARTS && cut[parts - 1] + 16 <= size) {
        cut[parts] = cut[parts - 1] + 16 * (1 + random_below((size - cut[parts - 1]) / 16));
        parts++;
    }
    cut[parts] = size;
    return parts;
}

/* Encrypts or decrypts a part in pieces of any sizes. */
static void crypt_part(rijn_gcm *gcm, const uint8_t *from, size_t at, size_t end, bool decrypting)
{
    for (size_t n; at < end; at += n) {
        n = 1 + random_below(end - at);
        CHECK_STATUS(
            (decrypting ? rijn_gcm_decrypt : rijn_gcm_encrypt)(gcm, got + at, from + at, n),
            RIJN_OK);
    }
}

static void check_gcm(size_t size, size_t nonce_size, size_t ad_size, bool decrypting)
{
    const uint8_t *const from = decrypting ? want : plain;
    rijn_gcm gcm, part[PARTS];
    const size_t parts = draw_cuts(size);

    note("GCM, %zu bytes in %zu parts, decrypting %d", size, parts, decrypting);
    CHECK_STATUS(rijn_gcm_seal(&key, want, tag, 16, nonce, nonce_size, ad, ad_size, plain, size),
                 RIJN_OK);
    CHECK_STATUS(rijn_gcm_start(&gcm, &key, nonce, nonce_size), RIJN_OK);
    CHECK_STATUS(rijn_gcm_ad(&gcm, ad, ad_size), RIJN_OK);
    for (size_t i = 1; i < parts; i++)
        CHECK_STATUS(rijn_gcm_part(&part[i], &gcm, cut[i]), RIJN_OK);
    memset(got, 0, sizeof got);
    for (size_t i = parts; --i > 0;)
        crypt_part(&part[i], from, cut[i], cut[i + 1], decrypting);
    crypt_part(&gcm, from, 0, cut[1], decrypting);
    if (parts > 2) { /* too early */
        const rijn_gcm before = gcm, other = part[2];
        CHECK_STATUS(rijn_gcm_join(&gcm, &part[2]), RIJN_ERR_STATE);
        CHECK(memcmp(&before, &gcm, sizeof gcm) == 0 && memcmp(&other, &part[2], sizeof gcm) == 0);
    }
    for (size_t i = 1; i < parts; i++) {
        CHECK_STATUS(rijn_gcm_join(&gcm, &part[i]), RIJN_OK);
        CHECK_FILL(&part[i], 0, sizeof part[i]);
    }
    CHECK_BYTES(got, decrypting ? plain : want, size);
    if (!decrypting) {
        CHECK_STATUS(rijn_gcm_finish(&gcm, got_tag, 16), RIJN_OK);
        CHECK_BYTES(got_tag, tag, 16);
        return;
    }
    if (size % 2)
        tag[size % 16] ^= 4;
    CHECK_STATUS(rijn_gcm_verify(&gcm, tag, 16), size % 2 ? RIJN_ERR_TAG : RIJN_OK);
}

/* Checks that hashing ciphertext alone, in any pieces, gives the tag of its message. Then only finish and
 * verify are allowed, not encryption or decryption. */
static void check_hash(size_t size, size_t nonce_size, size_t ad_size)
{
    rijn_gcm gcm, other;

    note("GCM, %zu bytes hashed", size);
    CHECK_STATUS(rijn_gcm_seal(&key, want, tag, 16, nonce, nonce_size, ad, ad_size, plain, size),
                 RIJN_OK);
    CHECK_STATUS(rijn_gcm_start(&gcm, &key, nonce, nonce_size), RIJN_OK);
    CHECK_STATUS(rijn_gcm_ad(&gcm, ad, ad_size), RIJN_OK);
    CHECK_STATUS(rijn_gcm_hash(&gcm, NULL, 0), RIJN_OK);
    for (size_t n, at = 0; at < size; at += n) {
        n = 1 + random_below(size - at);
        CHECK_STATUS(rijn_gcm_hash(&gcm, want + at, n), RIJN_OK);
    }
    CHECK_STATUS(rijn_gcm_ad(&gcm, ad, 1), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, got, plain, 1), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_gcm_decrypt(&gcm, got, plain, 1), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_gcm_part(&other, &gcm, 16), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_gcm_hash(&gcm, NULL, 1), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_gcm_hash(NULL, want, 1), RIJN_ERR_ARGUMENT);
#if SIZE_MAX > UINT32_MAX
    CHECK_STATUS(rijn_gcm_hash(&gcm, want, ((size_t)1 << 36) - 31 - size), RIJN_ERR_SIZE);
#endif
    other = gcm;
    CHECK_STATUS(rijn_gcm_finish(&other, got_tag, 16), RIJN_OK);
    CHECK_BYTES(got_tag, tag, 16);
    if (size % 2)
        tag[size % 16] ^= 4;
    CHECK_STATUS(rijn_gcm_verify(&gcm, tag, 16), size % 2 ? RIJN_ERR_TAG : RIJN_OK);
    CHECK_STATUS(rijn_gcm_hash(&gcm, want, size), RIJN_ERR_STATE);

    CHECK_STATUS(rijn_gcm_start(&gcm, &key, nonce, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_part(&other, &gcm, 16), RIJN_OK);
    CHECK_STATUS(rijn_gcm_hash(&other, want, 16), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, got, plain, 16), RIJN_OK);
    CHECK_STATUS(rijn_gcm_hash(&gcm, want, 16), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_gcm_start(&gcm, &key, nonce, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_decrypt(&gcm, got, plain, 16), RIJN_OK);
    CHECK_STATUS(rijn_gcm_hash(&gcm, want, 16), RIJN_ERR_STATE);
    rijn_gcm_wipe(&gcm);
    rijn_gcm_wipe(&other);
}

/* Checks that the message can continue after the last part. */
static void check_continued(void)
{
    rijn_gcm gcm, part;

    note("GCM, after its parts");
    CHECK_STATUS(rijn_gcm_seal(&key, want, tag, 16, nonce, 12, NULL, 0, plain, 1000), RIJN_OK);
    CHECK_STATUS(rijn_gcm_start(&gcm, &key, nonce, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_part(&part, &gcm, 320), RIJN_OK);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, got, plain, 320), RIJN_OK);
    CHECK_STATUS(rijn_gcm_encrypt(&part, got + 320, plain + 320, 333), RIJN_OK);
    CHECK_STATUS(rijn_gcm_join(&gcm, &part), RIJN_OK);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, got + 653, plain + 653, 347), RIJN_OK);
    CHECK_STATUS(rijn_gcm_finish(&gcm, got_tag, 16), RIJN_OK);
    CHECK_BYTES(got, want, 1000);
    CHECK_BYTES(got_tag, tag, 16);
}

static void check_refusals(void)
{
    rijn_key other_key;
    rijn_gcm gcm, part, other;

    note("GCM in parts, out of order");
    random_bytes(got, 32);
    make_key(&other_key, got, 16, rijn_key_backend(&key));
    CHECK_STATUS(rijn_gcm_start(&gcm, &key, nonce, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_part(NULL, &gcm, 16), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_gcm_part(&part, NULL, 16), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_gcm_part(&gcm, &gcm, 16), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_gcm_part(&part, &gcm, 0), RIJN_ERR_SIZE);
    CHECK_STATUS(rijn_gcm_part(&part, &gcm, 24), RIJN_ERR_SIZE);
    CHECK_STATUS(rijn_gcm_part(&part, &gcm, UINT64_C(1) << 36), RIJN_ERR_SIZE);
    CHECK_STATUS(rijn_gcm_part(&part, &gcm, (UINT64_C(1) << 36) - 32), RIJN_OK);
    CHECK_STATUS(rijn_gcm_encrypt(&part, got, plain, 1), RIJN_ERR_SIZE);
    CHECK_STATUS(rijn_gcm_part(&part, &gcm, 16), RIJN_OK);
    CHECK_STATUS(rijn_gcm_part(&other, &part, 32), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_gcm_ad(&part, ad, 1), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_gcm_finish(&part, tag, 16), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_gcm_verify(&part, tag, 16), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_gcm_join(&gcm, &part), RIJN_ERR_STATE); /* without data */
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, got, plain, 16), RIJN_OK);
    CHECK_STATUS(rijn_gcm_part(&other, &gcm, 32), RIJN_ERR_STATE); /* with data */
    CHECK_STATUS(rijn_gcm_join(NULL, &part), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_gcm_join(&gcm, NULL), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_gcm_join(&gcm, &gcm), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_gcm_decrypt(&part, got, plain, 16), RIJN_OK);
    CHECK_STATUS(rijn_gcm_join(&gcm, &part), RIJN_ERR_STATE); /* the other direction */
    CHECK_STATUS(rijn_gcm_start(&other, &other_key, nonce, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_part(&part, &other, 16), RIJN_OK);
    CHECK_STATUS(rijn_gcm_join(&gcm, &part), RIJN_ERR_STATE);  /* another key */
    CHECK_STATUS(rijn_gcm_join(&gcm, &other), RIJN_ERR_STATE); /* no part */
    CHECK_STATUS(rijn_gcm_start(&other, &key, nonce, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_part(&part, &other, 16), RIJN_OK);
    CHECK_STATUS(rijn_gcm_join(&gcm, &part), RIJN_OK); /* a part without data */
    CHECK_STATUS(rijn_gcm_finish(&gcm, tag, 16), RIJN_OK);
    rijn_gcm_wipe(&other);
    rijn_key_wipe(&other_key);
}

static void check_ctr(unsigned width, int little, size_t size)
{
    uint8_t counter[16];
    const size_t parts = draw_cuts(size);
    rijn_ctr ctr;

    note("CTR of %u bits, order %d, %zu bytes in %zu parts", width, little, size, parts);
    random_bytes(counter, 16);
    memset(counter, 0xff, size % 16); /* carries */
    memset(counter + 15 - size / 16 % 15, 0xff, 1 + size / 16 % 15);
    CHECK_STATUS(rijn_ctr_crypt_width(&key, width, little, counter, want, plain, size), RIJN_OK);
    for (size_t i = 0; i < parts; i++) {
        const size_t half = cut[i] / 2 / 16;
        CHECK_STATUS(rijn_ctr_start_width(&ctr, &key, width, little, counter), RIJN_OK);
        CHECK_STATUS(rijn_ctr_skip(&ctr, half), RIJN_OK);
        CHECK_STATUS(rijn_ctr_skip(&ctr, cut[i] / 16 - half), RIJN_OK);
        CHECK_STATUS(rijn_ctr_update(&ctr, got + cut[i], plain + cut[i], cut[i + 1] - cut[i]),
                     RIJN_OK);
    }
    CHECK_BYTES(got, want, size);
    if (size < 160)
        return;
    /* Skips within the keystream that was computed ahead, and beyond it. */
    CHECK_STATUS(rijn_ctr_start_width(&ctr, &key, width, little, counter), RIJN_OK);
    CHECK_STATUS(rijn_ctr_update(&ctr, got, plain, 16), RIJN_OK);
    CHECK_STATUS(rijn_ctr_skip(&ctr, 1), RIJN_OK);
    CHECK_STATUS(rijn_ctr_update(&ctr, got, plain + 32, 16), RIJN_OK);
    CHECK_BYTES(got, want + 32, 16);
    CHECK_STATUS(rijn_ctr_skip(&ctr, size / 16 - 4), RIJN_OK);
    CHECK_STATUS(rijn_ctr_update(&ctr, got, plain + size / 16 * 16 - 16, 16), RIJN_OK);
    CHECK_BYTES(got, want + size / 16 * 16 - 16, 16);
}

static void check_ctr_refusals(void)
{
    rijn_ctr ctr;

    note("CTR in parts, out of order");
    CHECK_STATUS(rijn_ctr_skip(NULL, 1), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_ctr_start_width(&ctr, &key, 32, 0, nonce), RIJN_OK);
    CHECK_STATUS(rijn_ctr_skip(&ctr, (UINT64_C(1) << 32) + 1), RIJN_ERR_SIZE);
    CHECK_STATUS(rijn_ctr_skip(&ctr, (UINT64_C(1) << 32) - 1), RIJN_OK);
    CHECK_STATUS(rijn_ctr_update(&ctr, got, plain, 5), RIJN_OK);
    CHECK_STATUS(rijn_ctr_skip(&ctr, 1), RIJN_ERR_STATE); /* within a block */
    CHECK_STATUS(rijn_ctr_update(&ctr, got, plain, 12), RIJN_ERR_SIZE);
    rijn_ctr_wipe(&ctr);
    CHECK_STATUS(rijn_ctr_skip(&ctr, 1), RIJN_ERR_STATE);
}

typedef rijn_status xts_part(const rijn_xts_key *key, const uint8_t tweak[16], size_t offset,
                             uint8_t *out, const uint8_t *in, size_t size);

/* Checks a data unit in parts, out of place and in place. */
static void check_xts(const uint8_t *bytes, size_t key_size, size_t size, bool decrypting)
{
    xts_part *const crypt = decrypting ? rijn_xts_decrypt_part : rijn_xts_encrypt_part;
    size_t parts = draw_cuts(size);

    if (parts > 1 && cut[parts] - cut[parts - 1] < 16) /* stealing needs a whole block */
        cut[--parts] = size;
    note("XTS, %zu bytes in %zu parts, decrypting %d", size, parts, decrypting);
    oracle_xts(bytes, key_size, decrypting, nonce, want, plain, size);
    for (size_t i = parts; i-- > 0;)
        CHECK_STATUS(crypt(&xts, nonce, cut[i], got + cut[i], plain + cut[i], cut[i + 1] - cut[i]),
                     RIJN_OK);
    CHECK_BYTES(got, want, size);
    memcpy(got, plain, size);
    for (size_t i = 0; i < parts; i++)
        CHECK_STATUS(crypt(&xts, nonce, cut[i], got + cut[i], got + cut[i], cut[i + 1] - cut[i]),
                     RIJN_OK);
    CHECK_BYTES(got, want, size);
}

/* Checks parts far into a data unit, up to its largest size. */
static void check_xts_far(const uint8_t *bytes, size_t key_size)
{
    static const struct {
        size_t first, size; /* in blocks; in bytes */
    } far[] = {{1, 16},       {2, 33},       {127, 64},     {128, 16},
               {129, 31},     {0x1234, 40},  {0xffff, 80},  {0x80001, 47},
               {0xfffff, 16}, {0xffffe, 32}, {0xffff0, 255}};

    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        for (int decrypting = 0; decrypting < 2; decrypting++) {
            const size_t size = far[i].size;
            note("XTS, %zu bytes after %zu blocks, decrypting %d", size, far[i].first, decrypting);
            oracle_xts_part(bytes, key_size, decrypting, nonce, far[i].first, want, plain, size);
            CHECK_STATUS((decrypting ? rijn_xts_decrypt_part : rijn_xts_encrypt_part)(
                             &xts, nonce, 16 * far[i].first, got, plain, size),
                         RIJN_OK);
            CHECK_BYTES(got, want, size);
        }
}

static void check_xts_refusals(void)
{
    enum { UNIT = 1 << 24 };

    note("XTS, invalid parts");
    memset(got, 0xa5, sizeof got);
    for (int decrypting = 0; decrypting < 2; decrypting++) {
        xts_part *const crypt = decrypting ? rijn_xts_decrypt_part : rijn_xts_encrypt_part;
        rijn_xts_key blank;
        rijn_xts_key_wipe(&blank);
        CHECK_STATUS(crypt(NULL, nonce, 16, got, plain, 32), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(crypt(&blank, nonce, 16, got, plain, 32), RIJN_ERR_STATE);
        CHECK_STATUS(crypt(&xts, NULL, 16, got, plain, 32), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(crypt(&xts, nonce, 16, NULL, plain, 32), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(crypt(&xts, nonce, 16, got, NULL, 32), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(crypt(&xts, nonce, 16, got, got + 1, 32), RIJN_ERR_OVERLAP);
        for (size_t wrong = 1; wrong < 16; wrong++) {
            CHECK_STATUS(crypt(&xts, nonce, 32 + wrong, got, plain, 32), RIJN_ERR_SIZE);
            CHECK_STATUS(crypt(&xts, nonce, 32, got, plain, wrong), RIJN_ERR_SIZE);
        }
        CHECK_STATUS(crypt(&xts, nonce, 16, got, plain, 0), RIJN_ERR_SIZE);
        CHECK_STATUS(crypt(&xts, nonce, UNIT - 16, got, plain, 17), RIJN_ERR_SIZE);
        CHECK_STATUS(crypt(&xts, nonce, UNIT, got, plain, 16), RIJN_ERR_SIZE);
        CHECK_STATUS(crypt(&xts, nonce, UNIT + 16, got, plain, 16), RIJN_ERR_SIZE);
        CHECK_STATUS(crypt(&xts, nonce, SIZE_MAX - 15, got, plain, 32), RIJN_ERR_SIZE);
        CHECK_STATUS(crypt(&xts, nonce, 16, got, plain, SIZE_MAX - 15), RIJN_ERR_SIZE);
    }
    CHECK_FILL(got, 0xa5, sizeof got);
}

static void run(const rijn_backend_info *info)
{
    uint8_t bytes[64];

    for (size_t key_size = 16; key_size <= 32; key_size += 8) {
        random_bytes(bytes, sizeof bytes);
        random_bytes(plain, sizeof plain);
        random_bytes(nonce, sizeof nonce);
        random_bytes(ad, sizeof ad);
        make_key(&key, bytes, key_size, info->name);
        for (int i = 0; i < 60; i++) {
            const size_t size = 1 + random_below(i % 2 ? MOST : 100);
            check_gcm(size, i % 3 ? 12 : sizeof nonce, i % 4 ? sizeof ad : 0, i % 5 > 2);
            check_hash(size, i % 3 ? 12 : sizeof nonce, i % 4 ? sizeof ad : 0);
            check_ctr(i % 3 == 0 ? 32 : i % 3 == 1 ? 64 : 128, i % 2, size);
        }
        check_continued();
        check_refusals();
        check_ctr_refusals();
    }
    for (size_t key_size = 32; key_size <= 64; key_size += 32) {
        random_bytes(bytes, sizeof bytes);
        CHECK_STATUS(rijn_xts_key_init(&xts, bytes, key_size, info->name), RIJN_OK);
        for (int i = 0; i < 60; i++)
            check_xts(bytes, key_size, 16 + random_below(i % 2 ? MOST - 16 : 100), i % 4 > 1);
        check_xts_far(bytes, key_size);
        check_xts_refusals();
    }
}

int main(int argc, char **argv)
{
    return test_backends(argc, argv, run);
}
