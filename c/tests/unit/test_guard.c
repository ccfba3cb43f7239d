/* Checks that no byte outside a buffer is accessed. Every argument is next to a page that cannot be read or
 * written, once with its end and once with its beginning. Inputs cannot be written. */
#include "arena.h"
#include "check.h"
#include "oracle.h"
#include "oracle_aegis.h"

static bool at_end; /* buffers are next to the second guard page */

static uint8_t *place(const arena *a, size_t size)
{
    return arena_place(a, size, at_end);
}

/* Inputs: plaintext, ciphertext, associated data, nonce, tag, key, iv. */
static arena in, sealed, ads, nonces, tags, keys, ivs;
/* Outputs. */
static arena out, tag_out, chain;
static arena states; /* rijn_ctr, rijn_gcm and rijn_aegis themselves */

static const rijn_backend_info *backend;
static const char *kernel; /* of AEGIS */
static oracle_key oracle;
static const rijn_key *key;
static uint8_t want[2 * 4096], want_tag[16]; /* the largest buffer, and so an arena's size */

static void copy_chain(const uint8_t *iv)
{
    memcpy(place(&chain, 16), iv, 16);
}

static void check_block_modes(size_t size)
{
    const uint8_t *from = place(&in, size), *iv = place(&ivs, 16);
    uint8_t *to = place(&out, size), *chained = place(&chain, 16);

    oracle_ecb(&oracle, false, want, from, size);
    CHECK_STATUS(rijn_ecb_encrypt(key, to, from, size), RIJN_OK);
    CHECK_BYTES(to, want, size);
    CHECK_STATUS(rijn_ecb_decrypt(key, to, to, size), RIJN_OK);
    CHECK_BYTES(to, from, size);

    oracle_cbc(&oracle, false, iv, want, from, size);
    copy_chain(iv);
    CHECK_STATUS(rijn_cbc_encrypt(key, chained, to, from, size), RIJN_OK);
    CHECK_BYTES(to, want, size);
    copy_chain(iv);
    CHECK_STATUS(rijn_cbc_decrypt(key, chained, to, to, size), RIJN_OK);
    CHECK_BYTES(to, from, size);
}

static void check_padded(size_t size)
{
    const size_t whole = size / 16 * 16 + 16;
    const uint8_t *from = place(&in, size), *iv = place(&ivs, 16);
    uint8_t *to = place(&out, whole);
    uint8_t *ciphertext = place(&sealed, whole);
    size_t plain_size = 0;

    CHECK_STATUS(rijn_cbc_encrypt_padded(key, iv, to, from, size), RIJN_OK);
    arena_protect(&sealed, true);
    memcpy(ciphertext, to, whole);
    arena_protect(&sealed, false);
    CHECK_STATUS(rijn_cbc_decrypt_padded(key, iv, to, &plain_size, ciphertext, whole), RIJN_OK);
    CHECK(plain_size == size);
    CHECK_BYTES(to, from, size);
}

static void check_ctr(size_t size)
{
    const uint8_t *from = place(&in, size), *iv = place(&ivs, 16);
    uint8_t *to = place(&out, size);
    rijn_ctr *ctr = (rijn_ctr *)(void *)place(&states, sizeof *ctr);

    oracle_ctr(&oracle, iv, want, from, size);
    CHECK_STATUS(rijn_ctr_crypt(key, iv, to, from, size), RIJN_OK);
    CHECK_BYTES(to, want, size);
    CHECK_STATUS(rijn_ctr_crypt(key, iv, to, to, size), RIJN_OK);
    CHECK_BYTES(to, from, size);

    CHECK_STATUS(rijn_ctr_start(ctr, key, iv), RIJN_OK);
    CHECK_STATUS(rijn_ctr_update(ctr, to, from, size), RIJN_OK);
    CHECK_BYTES(to, want, size);
    rijn_ctr_wipe(ctr);
}

static void check_gcm(size_t size, size_t ad_size, size_t nonce_size, size_t tag_size)
{
    const uint8_t *from = place(&in, size), *ad = place(&ads, ad_size);
    const uint8_t *nonce = place(&nonces, nonce_size);
    uint8_t *to = place(&out, size), *tag = place(&tag_out, tag_size);
    rijn_gcm *gcm = (rijn_gcm *)(void *)place(&states, sizeof *gcm);

    oracle_gcm(&oracle, false, want, want_tag, nonce, nonce_size, ad, ad_size, from, size);
    CHECK_STATUS(rijn_gcm_seal(key, to, tag, tag_size, nonce, nonce_size, ad, ad_size, from, size),
                 RIJN_OK);
    CHECK_BYTES(to, want, size);
    CHECK_BYTES(tag, want_tag, tag_size);

    arena_protect(&sealed, true);
    arena_protect(&tags, true);
    memcpy(place(&sealed, size), to, size);
    memcpy(place(&tags, tag_size), tag, tag_size);
    arena_protect(&sealed, false);
    arena_protect(&tags, false);
    CHECK_STATUS(rijn_gcm_open(key, to, place(&tags, tag_size), tag_size, nonce, nonce_size, ad,
                               ad_size, place(&sealed, size), size),
                 RIJN_OK);
    CHECK_BYTES(to, from, size);
    memset(tag, 0, tag_size);
    CHECK_STATUS(rijn_gcm_tag(key, tag, tag_size, nonce, nonce_size, ad, ad_size,
                              place(&sealed, size), size),
                 RIJN_OK);
    CHECK_BYTES(tag, want_tag, tag_size);

    /* in pieces; the first ends in the middle of a block */
    const size_t first = size < 5 ? size : 5;
    CHECK_STATUS(rijn_gcm_start(gcm, key, nonce, nonce_size), RIJN_OK);
    CHECK_STATUS(rijn_gcm_ad(gcm, ad, ad_size), RIJN_OK);
    CHECK_STATUS(rijn_gcm_encrypt(gcm, to, from, first), RIJN_OK);
    CHECK_STATUS(rijn_gcm_encrypt(gcm, to + first, from + first, size - first), RIJN_OK);
    CHECK_BYTES(to, want, size);
    CHECK_STATUS(rijn_gcm_finish(gcm, tag, tag_size), RIJN_OK);
    CHECK_BYTES(tag, want_tag, tag_size);

    /* a refusal only zeroes the output */
    arena_protect(&tags, true);
    place(&tags, tag_size)[0] ^= 1;
    arena_protect(&tags, false);
    CHECK_STATUS(rijn_gcm_open(key, to, place(&tags, tag_size), tag_size, nonce, nonce_size, ad,
                               ad_size, place(&sealed, size), size),
                 RIJN_ERR_TAG);
    CHECK_FILL(to, 0, size);
}

/* Three whole chunks and a shorter one. */
static void check_chunks(size_t chunk)
{
    const size_t size = 3 * chunk + chunk / 2, all = size + 4 * 16;
    const uint8_t *from = place(&in, size), *nonce = place(&nonces, 12);
    uint8_t *to = place(&out, all);

    CHECK_STATUS(rijn_gcm_seal_chunks(key, to, nonce, 0, chunk, 1, from, size), RIJN_OK);
    arena_protect(&sealed, true);
    memcpy(place(&sealed, all), to, all);
    arena_protect(&sealed, false);
    to = place(&out, size);
    CHECK_STATUS(rijn_gcm_open_chunks(key, to, NULL, nonce, 0, chunk, 1, place(&sealed, all), all),
                 RIJN_OK);
    CHECK_BYTES(to, from, size);
}

/* ---- AEGIS ---- */

static void check_aegis(rijn_aegis_variant variant, size_t size, size_t ad_size, size_t tag_size)
{
    const size_t key_size = rijn_aegis_key_size(variant), first = size < 5 ? size : 5;
    const uint8_t *bytes = place(&ivs, key_size), *nonce = place(&nonces, key_size);
    const uint8_t *from = place(&in, size), *ad = place(&ads, ad_size);
    uint8_t *to = place(&out, size), *tag = place(&tag_out, tag_size);
    uint8_t *given = place(&tags, tag_size), *ciphertext = place(&sealed, size), want_tag32[32];
    rijn_aegis_key *made = (rijn_aegis_key *)(void *)place(&keys, sizeof *made);
    rijn_aegis *aegis = (rijn_aegis *)(void *)place(&states, sizeof *aegis);

    arena_protect(&keys, true);
    CHECK_STATUS(rijn_aegis_key_init(made, variant, bytes, key_size, kernel), RIJN_OK);
    arena_protect(&keys, false);
    oracle_aegis_crypt(variant, false, bytes, nonce, ad, ad_size, want, from, size, want_tag32,
                       tag_size);
    CHECK_STATUS(rijn_aegis_seal(made, to, tag, tag_size, nonce, key_size, ad, ad_size, from, size),
                 RIJN_OK);
    CHECK_BYTES(to, want, size);
    CHECK_BYTES(tag, want_tag32, tag_size);

    arena_protect(&sealed, true);
    arena_protect(&tags, true);
    memcpy(ciphertext, to, size);
    memcpy(given, tag, tag_size);
    arena_protect(&sealed, false);
    arena_protect(&tags, false);
    CHECK_STATUS(
        rijn_aegis_open(made, to, given, tag_size, nonce, key_size, ad, ad_size, ciphertext, size),
        RIJN_OK);
    CHECK_BYTES(to, from, size);

    /* in pieces; the first ends in the middle of a unit */
    CHECK_STATUS(rijn_aegis_start(aegis, made, nonce, key_size), RIJN_OK);
    CHECK_STATUS(rijn_aegis_ad(aegis, ad, ad_size), RIJN_OK);
    CHECK_STATUS(rijn_aegis_decrypt(aegis, to, ciphertext, first), RIJN_OK);
    CHECK_STATUS(rijn_aegis_decrypt(aegis, to + first, ciphertext + first, size - first), RIJN_OK);
    CHECK_BYTES(to, from, size);
    CHECK_STATUS(rijn_aegis_verify(aegis, given, tag_size), RIJN_OK);

    oracle_aegis_mac(variant, bytes, nonce, from, size, want_tag32, tag_size);
    CHECK_STATUS(rijn_aegis_mac(made, tag, tag_size, nonce, key_size, from, size), RIJN_OK);
    CHECK_BYTES(tag, want_tag32, tag_size);
    CHECK_STATUS(rijn_aegis_unauthenticated_keystream(made, to, size, nonce, key_size), RIJN_OK);

    /* a refusal only zeroes the output */
    arena_protect(&tags, true);
    given[0] ^= 1;
    arena_protect(&tags, false);
    CHECK_STATUS(
        rijn_aegis_open(made, to, given, tag_size, nonce, key_size, ad, ad_size, ciphertext, size),
        RIJN_ERR_TAG);
    CHECK_FILL(to, 0, size);
}

static void check_aegis_sizes(const char *name)
{
    kernel = name;
    for (int i = 0; i < (int)RIJN_AEGIS_VARIANTS; i++) {
        const rijn_aegis_variant variant = (rijn_aegis_variant)i;
        note("%s, %s, %s", kernel, rijn_aegis_name(variant),
             at_end ? "ending at a page" : "beginning at it");
        for (size_t size = 0; size <= 2 * 128 + 1; size++)
            check_aegis(variant, size, size * 5 % 131, 16 + size % 2 * 16);
        for (size_t ad_size = 0; ad_size <= 128; ad_size += 1 + ad_size / 9)
            check_aegis(variant, 16, ad_size, 32);
    }
}

static void check_size(size_t size)
{
    static const size_t nonce_sizes[] = {12, 1, 15, 16, 17, 33};
    static const size_t tag_sizes[] = {16, 4, 13, 12, 8, 14, 15};

    note("%s, %zu bytes, %s", backend->name, size, at_end ? "ending at a page" : "beginning at it");
    if (size % 16 == 0)
        check_block_modes(size);
    check_padded(size);
    check_ctr(size);
    check_gcm(size, size, nonce_sizes[size % 6], tag_sizes[size % 7]);
    check_gcm(size, 0, 12, 16);
    if (size != 0)
        check_chunks(size);
}

static void run(const rijn_backend_info *info)
{
    const size_t batch = 16 * (size_t)info->blocks;

    backend = info;
    for (int side = 0; side < 2; side++) {
        at_end = side;
        each_aegis_kernel(info->name, check_aegis_sizes);
        for (size_t key_size = 16; key_size <= 32; key_size += 8) {
            /* the bytes of the key and the key itself at the page */
            rijn_key *made = (rijn_key *)(void *)place(&keys, sizeof *made);
            const uint8_t *bytes = place(&nonces, key_size);

            arena_protect(&keys, true);
            make_key(made, bytes, key_size, info->name);
            CHECK_STATUS(rijn_key_allow_short_tags(made), RIJN_OK);
            arena_protect(&keys, false);
            key = made;
            oracle_init(&oracle, bytes, key_size);
            if (key_size == 16)
                for (size_t size = 0; size <= 2 * batch + 33; size++)
                    check_size(size);
            else
                for (size_t size = 0; size <= 4 * batch + 33; size += 1 + random_below(40))
                    check_size(size);
        }
    }
}

int main(int argc, char **argv)
{
    arena *const read_only[] = {&in, &sealed, &ads, &nonces, &tags, &keys, &ivs};
    arena *const writable[] = {&out, &tag_out, &chain, &states};

    for (size_t i = 0; i < sizeof read_only / sizeof read_only[0]; i++) {
        *read_only[i] = new_arena(sizeof want);
        random_bytes(read_only[i]->start, (size_t)(read_only[i]->end - read_only[i]->start));
        arena_protect(read_only[i], false);
    }
    for (size_t i = 0; i < sizeof writable / sizeof writable[0]; i++)
        *writable[i] = new_arena(sizeof want);
    return test_backends(argc, argv, run);
}
