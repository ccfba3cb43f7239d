/* GCM-SIV, XAES-256-GCM, CCM, OCB3, EAX and SIV against the oracle, on every backend: lengths around the
 * batch width, in place and not, in pieces, altered in every bit, and refused. All buffers are next to
 * pages that cannot be accessed. */
#include "arena.h"
#include "backend.h"
#include "check.h"
#include "mock.h"
#include "oracle_modes.h"

#define MOST 8192 /* longer than the longest message of run */
#define MAX_OF_AD ((UINT64_C(1) << 61) - 1)
#define PAGE 65536 /* one or several pages */
#define RESERVED ((UINT64_C(1) << 32) + 2 * PAGE)

/* rijn.h writes this size of the list again. */
enum {
#define RIJN_AES_AEAD(ID, id, Class, keys, least, most, usual, ...) ID##_NONCE = (usual),
#include "rijn_algorithms.def"
};
_Static_assert(RIJN_XAES_NONCE_SIZE == XAES_NONCE, "the list has another size");

typedef rijn_status seal_call(const rijn_key *, uint8_t *, uint8_t *, size_t, const uint8_t *,
                              size_t, const uint8_t *, size_t, const uint8_t *, size_t);
typedef rijn_status open_call(const rijn_key *, uint8_t *, const uint8_t *, size_t, const uint8_t *,
                              size_t, const uint8_t *, size_t, const uint8_t *, size_t);

/* Messages in pieces, for the algorithms that have them. */
typedef struct pieces {
    size_t state_size, unit; /* unit: all data pieces but the last are multiples of it */
    rijn_status (*start)(void *state, const rijn_key *key, size_t tag_size, const uint8_t *nonce,
                         size_t nonce_size);
    rijn_status (*ad)(void *state, const uint8_t *ad, size_t size);
    rijn_status (*encrypt)(void *state, uint8_t *out, const uint8_t *in, size_t size);
    rijn_status (*decrypt)(void *state, uint8_t *out, const uint8_t *in, size_t size);
    rijn_status (*finish)(void *state, uint8_t *tag, size_t tag_size);
    rijn_status (*verify)(void *state, const uint8_t *tag, size_t tag_size);
    void (*wipe)(void *state);
} pieces;

typedef struct algorithm {
    const char *name;
    seal_call *seal;
    open_call *open;
    oracle_aead *oracle;
    const pieces *pieces;
    uint32_t tags, keys; /* bit n is set: n bytes, 8 n bytes; tags below 8 need permission */
    size_t nonce_least, nonce_most;
} algorithm;

/* ---- OCB and EAX, in pieces ---- */

static rijn_status ocb_start(void *s, const rijn_key *key, size_t tag_size, const uint8_t *nonce,
                             size_t nonce_size)
{
    return rijn_ocb_start(s, key, tag_size, nonce, nonce_size);
}

static rijn_status ocb_ad(void *s, const uint8_t *ad, size_t size)
{
    return rijn_ocb_ad(s, ad, size);
}

static rijn_status ocb_encrypt(void *s, uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_ocb_encrypt(s, out, in, size);
}

static rijn_status ocb_decrypt(void *s, uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_ocb_decrypt(s, out, in, size);
}

static rijn_status ocb_finish(void *s, uint8_t *tag, size_t tag_size)
{
    (void)tag_size;
    return rijn_ocb_finish(s, tag);
}

static rijn_status ocb_verify(void *s, const uint8_t *tag, size_t tag_size)
{
    (void)tag_size;
    return rijn_ocb_verify(s, tag);
}

static void ocb_wipe(void *s)
{
    rijn_ocb_wipe(s);
}

static rijn_status eax_start(void *s, const rijn_key *key, size_t tag_size, const uint8_t *nonce,
                             size_t nonce_size)
{
    (void)tag_size;
    return rijn_eax_start(s, key, nonce, nonce_size);
}

static rijn_status eax_ad(void *s, const uint8_t *ad, size_t size)
{
    return rijn_eax_ad(s, ad, size);
}

static rijn_status eax_encrypt(void *s, uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_eax_encrypt(s, out, in, size);
}

static rijn_status eax_decrypt(void *s, uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_eax_decrypt(s, out, in, size);
}

static rijn_status eax_finish(void *s, uint8_t *tag, size_t tag_size)
{
    return rijn_eax_finish(s, tag, tag_size);
}

static rijn_status eax_verify(void *s, const uint8_t *tag, size_t tag_size)
{
    return rijn_eax_verify(s, tag, tag_size);
}

static void eax_wipe(void *s)
{
    rijn_eax_wipe(s);
}

static const pieces ocb_pieces = {sizeof(rijn_ocb), 16,         ocb_start,  ocb_ad,  ocb_encrypt,
                                  ocb_decrypt,      ocb_finish, ocb_verify, ocb_wipe};
static const pieces eax_pieces = {sizeof(rijn_eax), 1,          eax_start,  eax_ad,  eax_encrypt,
                                  eax_decrypt,      eax_finish, eax_verify, eax_wipe};

#define ALL_TAGS 0x1fffe
#define CCM_TAGS (1 << 4 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 12 | 1 << 14 | 1 << 16)
#define ALL_KEYS (1 << 2 | 1 << 3 | 1 << 4)

static const algorithm algorithms[] = {
    {"gcm_siv", rijn_gcm_siv_seal, rijn_gcm_siv_open, oracle_gcm_siv, NULL, 1 << 16,
     1 << 2 | 1 << 4, 12, 12},
    {"xaes", rijn_xaes_seal, rijn_xaes_open, oracle_xaes, NULL, 1 << 16, 1 << 4, 24, 24},
    {"ccm", rijn_ccm_seal, rijn_ccm_open, oracle_ccm, NULL, CCM_TAGS, ALL_KEYS, 7, 13},
    {"ocb", rijn_ocb_seal, rijn_ocb_open, oracle_ocb, &ocb_pieces, ALL_TAGS, ALL_KEYS, 1, 15},
    {"eax", rijn_eax_seal, rijn_eax_open, oracle_eax, &eax_pieces, ALL_TAGS, ALL_KEYS, 0, 40},
};
#define ALGORITHMS (sizeof algorithms / sizeof algorithms[0])

/* ---- Memory ---- */

static arena in, out, ads, nonces, tags, states;
static uint8_t plain[MOST], ad[MOST], nonce[40], cipher[MOST], tag[16], key_bytes[32];
static size_t key_size;
static rijn_key key;

/* Copies bytes next to a guard page, at the end or the beginning of an arena, chosen at random. */
static uint8_t *put(const arena *a, const void *bytes, size_t size)
{
    uint8_t *const at = arena_place(a, size, random_below(2) != 0);
    memcpy(at, bytes, size);
    return at;
}

static uint8_t *room(const arena *a, size_t size)
{
    memset(a->start, 0xa5, (size_t)(a->end - a->start));
    return arena_place(a, size, random_below(2) != 0);
}

static void new_key(const rijn_backend_info *backend, size_t size)
{
    key_size = size;
    random_bytes(key_bytes, size);
    make_key(&key, key_bytes, size, backend->name);
    CHECK_STATUS(rijn_key_allow_short_tags(&key), RIJN_OK);
}

/* ---- Whole messages ---- */

static size_t nonce_size_for(const algorithm *a, size_t i)
{
    return a->nonce_least + i % (a->nonce_most - a->nonce_least + 1);
}

static size_t tag_size_for(const algorithm *a, size_t i)
{
    size_t size = i % 3 == 0 ? 16 : 1 + i % 16;
    while (!(a->tags >> size & 1))
        size = size % 16 + 1;
    return size;
}

static void check_opens(const algorithm *a, const uint8_t *its_tag, size_t tag_size,
                        size_t nonce_size, size_t ad_size, size_t size, rijn_status want)
{
    static const uint8_t zeros[MOST];

    for (int in_place = 0; in_place < 2; in_place++) {
        const uint8_t *from = put(&in, cipher, size);
        uint8_t *to = room(&out, size);
        if (in_place) {
            memcpy(to, cipher, size);
            from = to;
        }
        CHECK_STATUS(a->open(&key, to, put(&tags, its_tag, tag_size), tag_size,
                             put(&nonces, nonce, nonce_size), nonce_size, put(&ads, ad, ad_size),
                             ad_size, from, size),
                     want);
        CHECK_BYTES(to, want == RIJN_OK ? plain : zeros, size);
    }
}

static void check_pieces(const algorithm *a, const uint8_t *its_tag, size_t tag_size,
                         size_t nonce_size, size_t ad_size, size_t size)
{
    const pieces *const p = a->pieces;

    for (int decrypt = 0; decrypt < 2; decrypt++) {
        const bool in_place = random_below(2) != 0;
        const uint8_t *from = put(&in, decrypt ? cipher : plain, size);
        uint8_t *to = room(&out, size);
        void *const state = arena_place(&states, p->state_size, random_below(2) != 0);

        if (in_place) {
            memcpy(to, from, size);
            from = to;
        }
        memset(state, 0xa5, p->state_size);
        CHECK_STATUS(p->start(state, &key, tag_size, put(&nonces, nonce, nonce_size), nonce_size),
                     RIJN_OK);
        for (size_t at = 0, n; at < ad_size; at += n) {
            n = random_below(3) == 0 ? 1 + random_below(5) : 1 + random_below(ad_size);
            n = n < ad_size - at ? n : ad_size - at;
            CHECK_STATUS(p->ad(state, put(&ads, ad + at, n), n), RIJN_OK);
        }
        for (size_t at = 0, n; at < size; at += n) {
            n = random_below(3) == 0 ? random_below(3) : random_below(size / p->unit + 1);
            n = n * p->unit < size - at ? n * p->unit : size - at;
            CHECK_STATUS((decrypt ? p->decrypt : p->encrypt)(state, to + at, from + at, n),
                         RIJN_OK);
        }
        CHECK_BYTES(to, decrypt ? plain : cipher, size);
        if (decrypt) {
            CHECK_STATUS(p->verify(state, put(&tags, its_tag, tag_size), tag_size), RIJN_OK);
        } else {
            uint8_t *const got = room(&tags, tag_size);
            CHECK_STATUS(p->finish(state, got, tag_size), RIJN_OK);
            CHECK_BYTES(got, its_tag, tag_size);
        }
        CHECK_FILL(state, 0, p->state_size);
    }
}

static void check_message(const algorithm *a, size_t tag_size, size_t nonce_size, size_t ad_size,
                          size_t size)
{
    uint8_t forged[16];

    note("%s %s, AES-%zu, %zu bytes, ad %zu, nonce %zu, tag %zu", rijn_key_backend(&key), a->name,
         key_size * 8, size, ad_size, nonce_size, tag_size);
    random_bytes(nonce, nonce_size);
    a->oracle(key_bytes, key_size, cipher, tag, tag_size, nonce, nonce_size, ad, ad_size, plain,
              size);
    for (int in_place = 0; in_place < 2; in_place++) {
        const uint8_t *from = put(&in, plain, size);
        uint8_t *to = room(&out, size), *its_tag = room(&tags, tag_size);
        if (in_place) {
            memcpy(to, plain, size);
            from = to;
        }
        CHECK_STATUS(a->seal(&key, to, its_tag, tag_size, put(&nonces, nonce, nonce_size),
                             nonce_size, put(&ads, ad, ad_size), ad_size, from, size),
                     RIJN_OK);
        CHECK_BYTES(to, cipher, size);
        CHECK_BYTES(its_tag, tag, tag_size);
    }
    check_opens(a, tag, tag_size, nonce_size, ad_size, size, RIJN_OK);
    memcpy(forged, tag, tag_size);
    forged[random_below(tag_size)] ^= (uint8_t)(1 << random_below(8));
    check_opens(a, forged, tag_size, nonce_size, ad_size, size, RIJN_ERR_TAG);
    if (a->pieces != NULL)
        check_pieces(a, tag, tag_size, nonce_size, ad_size, size);
}

/* Every bit and every size of a short message counts. */
static void test_forgeries(const algorithm *a)
{
    const size_t size = 19, ad_size = 5, tag_size = 16;
    const size_t nonce_size = a->nonce_least < 12 ? 12 : a->nonce_least;
    struct {
        uint8_t *at;
        size_t size;
    } parts[] = {{cipher, size}, {tag, tag_size}, {nonce, nonce_size}, {ad, ad_size}};

    check_message(a, tag_size, nonce_size, ad_size, size);
    for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++) {
        for (size_t bit = 0; bit < 8 * parts[part].size; bit++) {
            note("%s %s, part %zu, bit %zu", rijn_key_backend(&key), a->name, part, bit);
            parts[part].at[bit / 8] ^= (uint8_t)(1 << bit % 8);
            check_opens(a, tag, tag_size, nonce_size, ad_size, size, RIJN_ERR_TAG);
            parts[part].at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    check_opens(a, tag, tag_size, nonce_size, ad_size - 1, size, RIJN_ERR_TAG);
    check_opens(a, tag, tag_size, nonce_size, ad_size, size - 1, RIJN_ERR_TAG);
    check_opens(a, tag, tag_size, nonce_size, ad_size, size, RIJN_OK);
}

/* ---- Refusals, which write nothing ---- */

static void test_errors(const algorithm *a, const rijn_backend_info *backend)
{
    const size_t n = a->nonce_least < 12 ? 12 : a->nonce_least;
    uint8_t *const to = room(&out, 64), *const t = room(&tags, 16);
    rijn_key blank;

    rijn_key_wipe(&blank);
    note("%s %s, errors", backend->name, a->name);
#define REFUSED(want, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size) \
    do { \
        CHECK_STATUS(a->seal(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size), \
                     want); \
        CHECK_STATUS(a->open(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size), \
                     want); \
    } while (0)
    REFUSED(RIJN_ERR_ARGUMENT, NULL, to, t, 16, nonce, n, ad, 3, plain, 20);
    REFUSED(RIJN_ERR_ARGUMENT, &key, NULL, t, 16, nonce, n, ad, 3, plain, 20);
    REFUSED(RIJN_ERR_ARGUMENT, &key, to, NULL, 16, nonce, n, ad, 3, plain, 20);
    REFUSED(RIJN_ERR_ARGUMENT, &key, to, t, 16, NULL, n, ad, 3, plain, 20);
    REFUSED(RIJN_ERR_ARGUMENT, &key, to, t, 16, nonce, n, NULL, 3, plain, 20);
    REFUSED(RIJN_ERR_ARGUMENT, &key, to, t, 16, nonce, n, ad, 3, NULL, 20);
    REFUSED(RIJN_ERR_STATE, &blank, to, t, 16, nonce, n, ad, 3, plain, 20);
    REFUSED(RIJN_ERR_OVERLAP, &key, to + 1, t, 16, nonce, n, ad, 3, to, 20);
    REFUSED(RIJN_ERR_OVERLAP, &key, to, t, 16, nonce, n, ad, 3, to + 19, 20);
    for (size_t by = 0; by < 20; by++) {
        REFUSED(RIJN_ERR_OVERLAP, &key, to, t, 16, to + by, n, ad, 3, plain, 20);
        REFUSED(RIJN_ERR_OVERLAP, &key, to, t, 16, nonce, n, to + by, 1, plain, 20);
        REFUSED(RIJN_ERR_OVERLAP, &key, to, to + by, 16, nonce, n, ad, 3, plain, 20);
        REFUSED(RIJN_ERR_OVERLAP, &key, to, to + 20 + by, 16, nonce, n, ad, 3, to + 20, 20);
    }
    REFUSED(RIJN_ERR_OVERLAP, &key, to + 15, to, 16, nonce, n, ad, 3, plain, 20);
    REFUSED(RIJN_ERR_OVERLAP, &key, to + n - 1, t, 16, to, n, ad, 3, plain, 20);
    REFUSED(RIJN_ERR_OVERLAP, &key, to + 2, t, 16, nonce, n, to, 3, plain, 20);
    for (size_t size = 0; size <= 18; size++)
        if (!(a->tags >> size & 1))
            REFUSED(RIJN_ERR_TAG_SIZE, &key, to, t, size, nonce, n, ad, 3, plain, 20);
    REFUSED(RIJN_ERR_TAG_SIZE, &key, to, t, SIZE_MAX, nonce, n, ad, 3, plain, 20);
    if (a->nonce_least != 0)
        REFUSED(RIJN_ERR_NONCE_SIZE, &key, to, t, 16, nonce, a->nonce_least - 1, ad, 3, plain, 20);
    if (a->nonce_most != 40)
        REFUSED(RIJN_ERR_NONCE_SIZE, &key, to, t, 16, nonce, a->nonce_most + 1, ad, 3, plain, 20);
    if (sizeof(size_t) == 8) {
        REFUSED(RIJN_ERR_NONCE_SIZE, &key, to, t, 16, nonce, SIZE_MAX, ad, 3, plain, 20);
        REFUSED(RIJN_ERR_SIZE, &key, to, t, 16, nonce, n, ad, SIZE_MAX, plain, 20);
        REFUSED(RIJN_ERR_SIZE, &key, to, t, 16, nonce, n, ad, 3, to, SIZE_MAX);
    }
    CHECK_FILL(out.start, 0xa5, (size_t)(out.end - out.start));
    CHECK_FILL(tags.start, 0xa5, (size_t)(tags.end - tags.start));

    for (size_t size = 16; size <= 32; size += 8) {
        if (a->keys >> size / 8 & 1)
            continue;
        rijn_key wrong;
        make_key(&wrong, key_bytes, size, backend->name);
        REFUSED(RIJN_ERR_KEY_SIZE, &wrong, to, t, 16, nonce, n, ad, 3, plain, 20);
    }
#undef REFUSED
    /* NULL is allowed with a size of 0 */
    CHECK_STATUS(a->seal(&key, NULL, t, 16, nonce, n, NULL, 0, NULL, 0), RIJN_OK);
    CHECK_STATUS(a->open(&key, NULL, t, 16, nonce, n, NULL, 0, NULL, 0), RIJN_OK);
    t[0] ^= 1;
    CHECK_STATUS(a->open(&key, NULL, t, 16, nonce, n, NULL, 0, NULL, 0), RIJN_ERR_TAG);
}

/* Tags of fewer than 8 bytes: a key refuses them unless it has permission. */
static void test_short_tags(const algorithm *a, const rijn_backend_info *backend)
{
    const size_t n = a->nonce_least < 12 ? 12 : a->nonce_least;
    uint8_t t[16], text[20], opened[20];
    rijn_key fresh;

    for (size_t size = 0; size <= 16; size++) {
        const bool any = a->tags >> size & 1, leave = any && size < 8;
        void *const state = a->pieces ? arena_place(&states, a->pieces->state_size, true) : NULL;

        note("%s %s, a tag of %zu bytes", backend->name, a->name, size);
        make_key(&fresh, key_bytes, key_size, backend->name);
        for (int allowed = 0; allowed < 2; allowed++) {
            const rijn_status want = any && (allowed || !leave) ? RIJN_OK : RIJN_ERR_TAG_SIZE;
            memset(t, 0xa5, sizeof t);
            CHECK_STATUS(a->seal(&fresh, text, t, size, nonce, n, ad, 3, plain, 20), want);
            if (want == RIJN_OK)
                CHECK_STATUS(a->open(&fresh, opened, t, size, nonce, n, ad, 3, text, 20), RIJN_OK);
            else
                CHECK_FILL(t, 0xa5, sizeof t);
            t[0] ^= 1; /* another message's tag could have the same byte by chance */
            CHECK_STATUS(a->open(&fresh, opened, t, size, nonce, n, ad, 3, text, 20),
                         want == RIJN_OK ? RIJN_ERR_TAG : want);
            if (state != NULL) { /* OCB checks the size at the start, EAX at the end */
                const rijn_status start = a->pieces->start(state, &fresh, size, nonce, n);
                if (start == RIJN_OK) {
                    CHECK_STATUS(a->pieces->finish(state, t, size), want);
                    t[0] ^= 1;
                    CHECK_STATUS(a->pieces->start(state, &fresh, size, nonce, n), RIJN_OK);
                    CHECK_STATUS(a->pieces->verify(state, t, size),
                                 want == RIJN_OK ? RIJN_ERR_TAG : want);
                } else {
                    CHECK_STATUS(start, want);
                }
                a->pieces->wipe(state);
            }
            CHECK_STATUS(rijn_key_allow_short_tags(&fresh), RIJN_OK);
        }
    }
}

/* SP 800-38C: the size must fit the 15 - n bytes that the nonce leaves. */
static void test_ccm_sizes(void)
{
    static uint8_t data[65536];
    uint8_t t[16];

    note("%s ccm, sizes", rijn_key_backend(&key));
    memset(data, 0, sizeof data);
    CHECK_STATUS(rijn_ccm_seal(&key, data, t, 16, nonce, 13, NULL, 0, data, 65536), RIJN_ERR_SIZE);
    CHECK_STATUS(rijn_ccm_open(&key, data, t, 16, nonce, 13, NULL, 0, data, 65536), RIJN_ERR_SIZE);
    CHECK_FILL(data, 0, sizeof data);
    CHECK_STATUS(rijn_ccm_seal(&key, data, t, 16, nonce, 13, NULL, 0, data, 65535), RIJN_OK);
    CHECK_STATUS(rijn_ccm_seal(&key, data, t, 16, nonce, 12, NULL, 0, data, 65536), RIJN_OK);
    /* associated data on both sides of the encodings of 2 and 6 bytes (appendix A.2.2) */
    for (size_t size = 0xff00 - 1; size <= 0xff00 + 1; size++) {
        uint8_t want[16];
        oracle_ccm(key_bytes, key_size, cipher, want, 16, nonce, 12, data, size, plain, 5);
        CHECK_STATUS(rijn_ccm_seal(&key, plain, t, 16, nonce, 12, data, size, plain, 0), RIJN_OK);
        CHECK_STATUS(rijn_ccm_seal(&key, cipher + 16, t, 16, nonce, 12, data, size, plain, 5),
                     RIJN_OK);
        CHECK_BYTES(t, want, 16);
        CHECK_BYTES(cipher + 16, cipher, 5);
    }
}

/* ---- Limits: sizes that no test can process ---- */

/* A backend that neither reads nor writes data, and notes the first hashed blocks. */
static uint8_t hashed[2][16];
static size_t hash_calls;

static void deaf_ctr(const void *context, rijn_counter *counter, uint8_t *to, const uint8_t *from,
                     size_t size)
{
    (void)context, (void)counter, (void)to, (void)from, (void)size;
}

/* CCM encrypts the first block of its chain together with the first counter block. */
static void deaf_ecb(const void *context, uint8_t *to, const uint8_t *from, size_t blocks)
{
    (void)context, (void)to, (void)blocks;
    if (hash_calls < 2)
        memcpy(hashed[hash_calls++], from, 16);
}

static void deaf_ctr_mac(const void *context, uint8_t counter[16], uint8_t chain[16], uint8_t *to,
                         const uint8_t *from, size_t size)
{
    (void)context, (void)counter, (void)chain, (void)to, (void)from, (void)size;
}

static void deaf_mac(const void *context, uint8_t chain[16], const uint8_t *from, size_t blocks)
{
    (void)context, (void)chain;
    if (blocks == 1 && hash_calls < 2)
        memcpy(hashed[hash_calls++], from, 16);
}

static void deaf_gcm_siv_seal(const void *context, uint8_t *to, uint8_t tag_out[16],
                              const uint8_t with[12], const uint8_t *from_ad, size_t ad_size,
                              const uint8_t *from, size_t size)
{
    (void)context, (void)to, (void)with, (void)from_ad, (void)ad_size, (void)from, (void)size;
    memset(tag_out, 0, 16);
}

static void deaf_gcm_seal(const void *context, uint8_t *to, uint8_t *tag_out, size_t tag_size,
                          const uint8_t *with, size_t nonce_size, const uint8_t *from_ad,
                          size_t ad_size, const uint8_t *from, size_t size)
{
    (void)context, (void)to, (void)with, (void)nonce_size, (void)from_ad, (void)ad_size;
    (void)from, (void)size;
    memset(tag_out, 0, tag_size);
}

static void deaf_gcm_open(const void *context, uint8_t *to, uint8_t tag_out[16],
                          const uint8_t *with, size_t nonce_size, const uint8_t *from_ad,
                          size_t ad_size, const uint8_t *from, size_t size)
{
    deaf_gcm_seal(context, to, tag_out, 16, with, nonce_size, from_ad, ad_size, from, size);
}

static void deaf_ocb(const void *context, rijn_ocb *ocb, uint8_t *to, const uint8_t *from,
                     size_t blocks)
{
    (void)context, (void)ocb, (void)to, (void)from, (void)blocks;
}

static void deaf_ocb_hash(const void *context, rijn_ocb *ocb, const uint8_t *from, size_t blocks)
{
    (void)context, (void)ocb, (void)from, (void)blocks;
}

/* Checks that `a` seals or refuses a message with these sizes of data and associated data. The tag and
 * the nonce are in the first page of `memory`, so that no size reaches them. Data and associated data
 * follow; nothing accesses their whole blocks. */
static void check_limit(const algorithm *a, const rijn_key *deaf, uint8_t *memory,
                        size_t nonce_size, uint64_t most_ad, uint64_t size, rijn_status want)
{
    uint8_t *const number = memory + 64, *const data = memory + PAGE;

    if (size > SIZE_MAX || most_ad > SIZE_MAX)
        return;
    note("%s %s, nonce %zu, ad %llu, %llu bytes", rijn_key_backend(&key), a->name, nonce_size,
         (unsigned long long)most_ad, (unsigned long long)size);
    memcpy(number, nonce, nonce_size);
    hash_calls = 0;
    CHECK_STATUS(a->seal(deaf, data, memory, 16, number, nonce_size, most_ad ? data + size : data,
                         (size_t)most_ad, data, (size_t)size),
                 want);
}

/* Checks the largest sizes of rijn.h, one byte more, and the encodings of large sizes. */
static void test_limits(const rijn_backend_info *backend)
{
    const uint64_t gib64 = UINT64_C(1) << 36, most_ad = MAX_OF_AD;
    const algorithm *const gcm_siv = &algorithms[0], *const xaes = &algorithms[1],
                           *const ccm = &algorithms[2], *const ocb = &algorithms[3],
                           *const eax = &algorithms[4];
    uint8_t *const memory = arena_reserve(RESERVED, PAGE);
    rijn_key deaf;

    if (memory == NULL) /* sizes have 32 bits */
        return;
    new_key(backend, 32);
    make_mock(key.backend);
    mock_ctr.ctr_crypt = deaf_ctr;
    mock_ecb.ecb_encrypt = deaf_ecb;
    mock_ctr_mac.ctr_mac_in = mock_ctr_mac.ctr_mac_out = deaf_ctr_mac;
    mock_ctr_mac.ccm_in_registers = NULL;
    mock_ctr_mac.eax_in_registers = NULL;
    mock_cbc.cbc_mac = deaf_mac;
    mock_gcm_siv.gcm_siv_seal = deaf_gcm_siv_seal;
    mock_gcm.gcm_seal = deaf_gcm_seal;
    mock_gcm.gcm_open = deaf_gcm_open;
    mock_ocb.ocb_encrypt = mock_ocb.ocb_decrypt = deaf_ocb;
    mock_ocb.ocb_hash = deaf_ocb_hash;
    deaf = key;
    deaf.backend = &mock;

    check_limit(gcm_siv, &deaf, memory, 12, 0, gib64, RIJN_OK);
    check_limit(gcm_siv, &deaf, memory, 12, 0, gib64 + 1, RIJN_ERR_SIZE);
    check_limit(gcm_siv, &deaf, memory, 12, gib64, 0, RIJN_OK);
    check_limit(gcm_siv, &deaf, memory, 12, gib64 + 1, 0, RIJN_ERR_SIZE);
    check_limit(xaes, &deaf, memory, 24, 0, gib64 - 32, RIJN_OK);
    check_limit(xaes, &deaf, memory, 24, 0, gib64 - 31, RIJN_ERR_SIZE);
    check_limit(xaes, &deaf, memory, 24, most_ad, 0, RIJN_OK);
    check_limit(xaes, &deaf, memory, 24, most_ad + 1, 0, RIJN_ERR_SIZE);
    check_limit(ocb, &deaf, memory, 12, 0, gib64, RIJN_OK);
    check_limit(ocb, &deaf, memory, 12, 0, gib64 + 1, RIJN_ERR_SIZE);
    check_limit(ocb, &deaf, memory, 12, gib64, 0, RIJN_OK);
    check_limit(ocb, &deaf, memory, 12, gib64 + 1, 0, RIJN_ERR_SIZE);
    check_limit(eax, &deaf, memory, 12, 0, most_ad + 1, RIJN_ERR_SIZE);
    check_limit(eax, &deaf, memory, 12, most_ad + 1, 0, RIJN_ERR_SIZE);
    check_limit(ccm, &deaf, memory, 12, most_ad + 1, 0, RIJN_ERR_SIZE);
    for (size_t q = 2; q < 8; q++) {
        const uint64_t end = UINT64_C(1) << 8 * q;
        check_limit(ccm, &deaf, memory, 15 - q, 0, end, RIJN_ERR_SIZE);
        check_limit(ccm, &deaf, memory, 15 - q, 0, end - 1, RIJN_OK);
    }
    check_limit(ccm, &deaf, memory, 7, 0, UINT64_C(1) << 60, RIJN_OK);

    /* SP 800-38C appendix A.2: the size of the data is in B0, the size of the associated data in
     * 2, 6 or 10 bytes. */
    static const struct {
        uint64_t size;
        const char *head;
    } heads[] = {
        {1, "0001"},
        {0xff00 - 1, "feff"},
        {0xff00, "fffe0000ff00"},
        {UINT64_C(0x012345678), "fffe12345678"},
        {UINT32_MAX, "fffeffffffff"},
        {UINT64_C(1) << 32, "ffff0000000100000000"},
        {(UINT64_C(1) << 32) + 4000, "ffff0000000100000fa0"},
        {UINT64_C(0x0123456789abcdef) / 16 * 16 + 6, "ffff0123456789abcde6"},
    };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        uint8_t want[16] = {0};
        from_hex(want, 16, heads[i].head);
        check_limit(ccm, &deaf, memory, 7, heads[i].size, 0, RIJN_OK);
        CHECK(hash_calls == 2);
        CHECK_BYTES(hashed[1], want, 16);
    }
    uint8_t size[8];
    from_hex(size, 8, "0023456789abcde0");
    check_limit(ccm, &deaf, memory, 7, 0, UINT64_C(0x0023456789abcde0), RIJN_OK);
    CHECK_BYTES(hashed[0] + 8, size, 8);
    arena_release(memory, RESERVED);
}

/* Checks that a state `back` bytes before its limit accepts these bytes and no more, and that refusals
 * change nothing. */
static void check_sum(const algorithm *a, void *state, bool decrypt, bool in_ad, size_t back)
{
    const pieces *const p = a->pieces;
    uint8_t data[64] = {0}, saved[sizeof(rijn_ocb) + sizeof(rijn_eax)];

    note("%s %s, %zu bytes before the limit of %s", rijn_key_backend(&key), a->name, back,
         in_ad ? "associated data" : "data");
    for (int ended = 0; ended < 2; ended++) {
        const size_t left = ended ? 0 : back;
        const size_t more[] = {left + 1, left + 17, SIZE_MAX - 15, SIZE_MAX};
        for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
            memcpy(saved, state, p->state_size);
            CHECK_STATUS(in_ad ? p->ad(state, data, more[i])
                               : (decrypt ? p->decrypt : p->encrypt)(state, data, data, more[i]),
                         RIJN_ERR_SIZE);
            CHECK(memcmp(saved, state, p->state_size) == 0);
            CHECK_FILL(data, 0, sizeof data);
        }
        CHECK_STATUS(in_ad ? p->ad(state, ad, left)
                           : (decrypt ? p->decrypt : p->encrypt)(state, data, data, left),
                     RIJN_OK);
        memset(data, 0, sizeof data);
    }
}

/* The limit of the sum of all pieces. The test sets the state near it instead of encrypting so much. */
static void test_sums(void)
{
    const algorithm *const a_ocb = &algorithms[3], *const a_eax = &algorithms[4];
    const uint64_t blocks = UINT64_C(1) << 32; /* the limit of OCB */
    rijn_ocb ocb;
    rijn_eax eax;

    random_bytes(nonce, 12);
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        CHECK_STATUS(rijn_ocb_start(&ocb, &key, 16, nonce, 12), RIJN_OK);
        CHECK_STATUS(rijn_ocb_ad(&ocb, ad, 10), RIJN_OK);
        ocb.ad.blocks = blocks - 2; /* ten bytes follow */
        check_sum(a_ocb, &ocb, decrypt, true, 22);
        ocb.data.blocks = blocks - 2;
        check_sum(a_ocb, &ocb, decrypt, false, 32);

        memset(&eax, 0xa5, sizeof eax); /* a state may begin with any bytes */
        CHECK_STATUS(rijn_eax_start(&eax, &key, nonce, 12), RIJN_OK);
        CHECK_STATUS(rijn_eax_ad(&eax, ad, 10), RIJN_OK);
        CHECK(eax.ad_size == 10);
        eax.ad_size = MAX_OF_AD - 21;
        check_sum(a_eax, &eax, decrypt, true, 21);
        CHECK_STATUS((decrypt ? rijn_eax_decrypt : rijn_eax_encrypt)(&eax, out.start, plain, 9),
                     RIJN_OK);
        CHECK(eax.size == 9);
        eax.size = MAX_OF_AD - 33;
        check_sum(a_eax, &eax, decrypt, false, 33);
    }
}

/* Checks OCB's offsets at block numbers that end in up to 32 zeros (RFC 7253 section 4.1, L_i), from any
 * block on, in pieces. */
static void test_ocb_far(size_t width)
{
    const size_t most = 3 * width + 5;
    uint8_t l_star[16] = {0}, start[16], offset[16], sum[16];
    oracle_key oracle;
    rijn_ocb ocb;

    oracle_init(&oracle, key_bytes, key_size);
    oracle_encrypt(&oracle, l_star, l_star);
    for (int zeros = 0; zeros <= 32; zeros++) {
        for (int way = 0; way < 3; way++) { /* encrypt, decrypt, associated data */
            const uint64_t end = UINT64_C(1) << 32, near = UINT64_C(1) << zeros;
            const uint64_t base = (near - 1) / width * width, first = base + random_below(width);
            const size_t blocks = end - first < most ? (size_t)(end - first) : most;
            rijn_ocb_sum *const chain = way == 2 ? &ocb.ad : &ocb.data;
            const uint8_t *const from = put(&in, way == 2 ? ad : plain, 16 * blocks);
            uint8_t *const to = room(&out, 16 * blocks);

            note("%s ocb, block %llu and on, way %d", rijn_key_backend(&key),
                 (unsigned long long)first, way);
            random_bytes(offset, 16);
            memset(sum, 0, 16);
            for (uint64_t n = base + 1; n <= first; n++)
                oracle_ocb_block(&oracle, l_star, offset, n, cipher, cipher);
            memcpy(start, offset, 16);
            for (size_t i = 0; i < blocks; i++) {
                uint8_t *const at = cipher + 16 * i;
                oracle_ocb_block(&oracle, l_star, offset, first + 1 + i, at, from + 16 * i);
                for (size_t j = 0; way == 2 && j < 16; j++)
                    at[j] ^= offset[j]; /* HASH does not add the second offset */
            }

            CHECK_STATUS(rijn_ocb_start(&ocb, &key, 16, nonce, 12), RIJN_OK);
            memcpy(ocb.l_star, l_star, 16);
            ocb.begun = 1;
            memcpy(chain->offset, start, 16);
            chain->blocks = first;
            for (size_t at = 0, n; at < blocks; at += n) {
                n = random_below(3) == 0 ? 1 + random_below(most) : 1 + random_below(3);
                n = n < blocks - at ? n : blocks - at;
                if (way == 2)
                    CHECK_STATUS(rijn_ocb_ad(&ocb, from + 16 * at, 16 * n), RIJN_OK);
                else
                    CHECK_STATUS((way ? rijn_ocb_decrypt : rijn_ocb_encrypt)(
                                     &ocb, to + 16 * at, (way ? cipher : from) + 16 * at, 16 * n),
                                 RIJN_OK);
            }
            if (way != 2)
                CHECK_BYTES(to, way ? from : cipher, 16 * blocks);
            CHECK(chain->blocks + ocb.partial.fill / 16 == first + blocks);
            for (size_t i = 0; i < 16 * (size_t)(chain->blocks - first); i++)
                sum[i % 16] ^= (way == 2 ? cipher : from)[i];
            CHECK_BYTES(chain->sum, sum, 16);
            rijn_ocb_wipe(&ocb);
        }
    }
}

/* Checks CTR together with the CBC-MAC chain of input or output, directly: counters that no message of
 * EAX or CCM reaches carry at every byte. */
static void check_ctr_mac(const uint8_t counter[16], size_t size, bool of_out)
{
    uint8_t end[16], at_counter[16], chain[16], before[16], last[16] = {0};
    const uint8_t *const text = of_out ? cipher : plain;
    oracle_key oracle;

    note("%s, chain of the %s, %zu bytes", rijn_key_backend(&key), of_out ? "output" : "input",
         size);
    oracle_init(&oracle, key_bytes, key_size);
    oracle_ctr(&oracle, counter, cipher, plain, size);
    memcpy(end, counter, 16);
    for (size_t i = 0; i < size; i += 16) {
        int at = 15;
        while (++end[at] == 0 && at > 0)
            at--;
    }
    random_bytes(chain, 16);
    memcpy(before, chain, 16);
    memcpy(last, text + (size - size % 16), size % 16);
    for (size_t i = 0; i < size; i += 16) {
        const uint8_t *const from = size - i < 16 ? last : text + i;
        for (int j = 0; j < 16; j++)
            chain[j] ^= from[j];
        oracle_encrypt(&oracle, chain, chain);
    }

    for (int in_place = 0; in_place < 2; in_place++) {
        const uint8_t *const from = put(&in, plain, size);
        const rijn_ctr_mac_table *const macs = rijn_ctr_mac_of(key.backend);
        uint8_t *const to = in_place ? put(&out, plain, size) : room(&out, size), ours[16];
        memcpy(ours, before, 16);
        memcpy(at_counter, counter, 16);
        (of_out ? macs->ctr_mac_out : macs->ctr_mac_in)(key.context, at_counter, ours, to,
                                                        in_place ? to : from, size);
        CHECK_BYTES(to, cipher, size);
        CHECK_BYTES(ours, chain, 16);
        CHECK_BYTES(at_counter, end, 16);
    }
}

static void test_ctr_mac(void)
{
    uint8_t counter[16];

    for (size_t size = 1; size <= 80; size++) {
        const size_t ones = random_below(17); /* at the end, all but the last few of 16 blocks */
        random_bytes(counter, 16);
        memset(counter + 16 - ones, 0xff, ones);
        if (ones)
            counter[15] = (uint8_t)(0xff - random_below(6));
        for (int of_out = 0; of_out < 2; of_out++)
            check_ctr_mac(counter, size, of_out);
    }
}

/* The order start, ad …, encrypt … | decrypt …, finish | verify is required. */
static void test_order(const algorithm *a)
{
    const pieces *const p = a->pieces;
    void *const state = arena_place(&states, p->state_size, true);
    uint8_t data[64] = {0}, t[16] = {0};
    rijn_key blank;

    note("%s, order", a->name);
    rijn_key_wipe(&blank);
    CHECK_STATUS(p->start(NULL, &key, 16, nonce, 12), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(p->start(state, NULL, 16, nonce, 12), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(p->start(state, &key, 16, NULL, 12), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(p->start(state, &blank, 16, nonce, 12), RIJN_ERR_STATE);
    CHECK_STATUS(p->ad(NULL, ad, 1), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(p->encrypt(NULL, data, data, 16), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(p->decrypt(NULL, data, data, 16), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(p->finish(NULL, t, 16), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(p->verify(NULL, t, 16), RIJN_ERR_ARGUMENT);
    for (int ended = 0; ended < 3; ended++) {
        p->wipe(state);
        if (ended) {
            CHECK_STATUS(p->start(state, &key, 16, nonce, 12), RIJN_OK);
            CHECK_STATUS(ended == 1 ? p->finish(state, t, 16) : p->verify(state, data, 16),
                         ended == 1 ? RIJN_OK : RIJN_ERR_TAG);
        }
        CHECK_STATUS(p->ad(state, ad, 1), RIJN_ERR_STATE);
        CHECK_STATUS(p->encrypt(state, data, data, 16), RIJN_ERR_STATE);
        CHECK_STATUS(p->decrypt(state, data, data, 16), RIJN_ERR_STATE);
        CHECK_STATUS(p->finish(state, t, 16), RIJN_ERR_STATE);
        CHECK_STATUS(p->verify(state, t, 16), RIJN_ERR_STATE);
    }
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        CHECK_STATUS(p->start(state, &key, 16, nonce, 12), RIJN_OK);
        CHECK_STATUS(p->ad(state, NULL, 1), RIJN_ERR_ARGUMENT);
        CHECK_STATUS((decrypt ? p->decrypt : p->encrypt)(state, NULL, data, 16), RIJN_ERR_ARGUMENT);
        CHECK_STATUS((decrypt ? p->decrypt : p->encrypt)(state, data + 1, data, 16),
                     RIJN_ERR_OVERLAP);
        CHECK_STATUS(p->ad(state, ad, 3), RIJN_OK); /* refused calls did not count as data */
        CHECK_STATUS((decrypt ? p->decrypt : p->encrypt)(state, data, data, 16), RIJN_OK);
        CHECK_STATUS(p->ad(state, ad, 1), RIJN_ERR_STATE);
        CHECK_STATUS((decrypt ? p->encrypt : p->decrypt)(state, data, data, 16), RIJN_ERR_STATE);
        CHECK_STATUS(decrypt ? p->finish(state, t, 16) : p->verify(state, t, 16), RIJN_ERR_STATE);
        CHECK_STATUS(decrypt ? p->verify(state, NULL, 16) : p->finish(state, NULL, 16),
                     RIJN_ERR_ARGUMENT);
        CHECK_STATUS((decrypt ? p->decrypt : p->encrypt)(state, data, data, 5), RIJN_OK);
        if (p->unit > 1) /* a partial unit was the last piece */
            CHECK_STATUS((decrypt ? p->decrypt : p->encrypt)(state, data, data, 16),
                         RIJN_ERR_STATE);
        p->wipe(state);
        CHECK_FILL(state, 0, p->state_size);
    }
    p->wipe(NULL);

    /* its key wiped */
    blank = key;
    CHECK_STATUS(p->start(state, &blank, 16, nonce, 12), RIJN_OK);
    rijn_key_wipe(&blank);
    CHECK_STATUS(p->ad(state, ad, 1), RIJN_ERR_STATE);
    CHECK_STATUS(p->encrypt(state, data, data, 16), RIJN_ERR_STATE);
    CHECK_STATUS(p->decrypt(state, data, data, 16), RIJN_ERR_STATE);
    CHECK_STATUS(p->finish(state, t, 16), RIJN_ERR_STATE);
    CHECK_STATUS(p->verify(state, t, 16), RIJN_ERR_STATE);
    p->wipe(state);
}

/* A message in pieces with the derived key is XAES, too. */
static void test_xaes_derive(const rijn_backend_info *backend)
{
    rijn_key derived, small;
    rijn_gcm gcm;
    uint8_t t[16];

    new_key(backend, 32);
    random_bytes(nonce, 24);
    oracle_xaes(key_bytes, 32, cipher, tag, 16, nonce, 24, ad, 7, plain, 100);
    CHECK_STATUS(rijn_xaes_derive(&derived, &key, nonce), RIJN_OK);
    CHECK_TEXT(rijn_key_backend(&derived), backend->name);
    CHECK_STATUS(rijn_gcm_start(&gcm, &derived, nonce + 12, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_ad(&gcm, ad, 7), RIJN_OK);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, out.start, plain, 100), RIJN_OK);
    CHECK_STATUS(rijn_gcm_finish(&gcm, t, 16), RIJN_OK);
    CHECK_BYTES(out.start, cipher, 100);
    CHECK_BYTES(t, tag, 16);

    CHECK_STATUS(rijn_xaes_derive(NULL, &key, nonce), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_xaes_derive(&derived, &key, NULL), RIJN_ERR_ARGUMENT);
    CHECK_FILL(&derived, 0, sizeof derived);
    CHECK_STATUS(rijn_xaes_derive(&derived, NULL, nonce), RIJN_ERR_ARGUMENT);
    make_key(&small, key_bytes, 16, backend->name);
    CHECK_STATUS(rijn_xaes_derive(&derived, &small, nonce), RIJN_ERR_KEY_SIZE);
    rijn_key_wipe(&small);
    CHECK_STATUS(rijn_xaes_derive(&derived, &small, nonce), RIJN_ERR_STATE);
}

/* ---- SIV ---- */

static void check_siv(const rijn_backend_info *backend, size_t size, size_t count)
{
    uint8_t bytes[64], forged[16];
    const size_t bytes_size = 32 + 16 * random_below(3);
    rijn_string strings[RIJN_SIV_STRINGS_MAX];
    rijn_siv_key siv;

    note("%s siv, %zu bytes, %zu strings", backend->name, size, count);
    random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < count; i++) {
        const size_t n = random_below(3) == 0 ? 16 * random_below(4) : random_below(70);
        strings[i] = (rijn_string){n == 0 ? NULL : ad + random_below(MOST - 70), n};
    }
    CHECK_STATUS(rijn_siv_key_init(&siv, bytes, bytes_size, backend->name), RIJN_OK);
    oracle_siv(bytes, bytes_size, cipher, tag, strings, count, plain, size);

    for (int in_place = 0; in_place < 2; in_place++) {
        const uint8_t *from = put(&in, plain, size);
        uint8_t *to = room(&out, size), *its_tag = room(&tags, 16);
        if (in_place) {
            memcpy(to, plain, size);
            from = to;
        }
        CHECK_STATUS(rijn_siv_seal(&siv, to, its_tag, strings, count, from, size), RIJN_OK);
        CHECK_BYTES(to, cipher, size);
        CHECK_BYTES(its_tag, tag, 16);
        CHECK_STATUS(rijn_siv_open(&siv, to, its_tag, strings, count, in_place ? to : cipher, size),
                     RIJN_OK);
        CHECK_BYTES(to, plain, size);
        memcpy(forged, tag, 16);
        forged[random_below(16)] ^= (uint8_t)(1 << random_below(8));
        memcpy(to, cipher, size);
        CHECK_STATUS(rijn_siv_open(&siv, to, forged, strings, count, in_place ? to : cipher, size),
                     RIJN_ERR_TAG);
        CHECK_FILL(to, 0, size);
        if (count != 0) { /* one string fewer */
            CHECK_STATUS(rijn_siv_open(&siv, to, tag, strings, count - 1, cipher, size),
                         RIJN_ERR_TAG);
            CHECK_FILL(to, 0, size);
        }
    }
    rijn_siv_key_wipe(&siv);
    CHECK_FILL(&siv, 0, sizeof siv);
}

static void test_siv_errors(const rijn_backend_info *backend)
{
    rijn_string strings[RIJN_SIV_STRINGS_MAX + 1] = {{NULL, 0}};
    rijn_siv_key siv, blank;
    uint8_t bytes[64] = {1}, t[16], data[64];

    note("%s siv, errors", backend->name);
    for (size_t size = 0; size <= 66; size++) {
        if (size == 32 || size == 48 || size == 64)
            continue;
        CHECK_STATUS(rijn_siv_key_init(&siv, bytes, size, backend->name), RIJN_ERR_KEY_SIZE);
        CHECK_FILL(&siv, 0, sizeof siv);
    }
    CHECK_STATUS(rijn_siv_key_init(NULL, bytes, 32, backend->name), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_siv_key_init(&siv, NULL, 32, backend->name), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_siv_key_init(&siv, bytes, 32, "rijndael"), RIJN_ERR_BACKEND);
    CHECK_FILL(&siv, 0, sizeof siv);
    rijn_siv_key_wipe(NULL);
    rijn_siv_key_wipe(&blank);
    CHECK_STATUS(rijn_siv_key_init(&siv, bytes, 32, backend->name), RIJN_OK);
    for (int open = 0; open < 2; open++) {
#define CALL(k, out, tag, strings, count, in, size) \
    (open ? rijn_siv_open(k, out, tag, strings, count, in, size) \
          : rijn_siv_seal(k, out, tag, strings, count, in, size))
        CHECK_STATUS(CALL(NULL, data, t, strings, 0, data, 20), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(CALL(&siv, NULL, t, strings, 0, data, 20), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(CALL(&siv, data, NULL, strings, 0, data, 20), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(CALL(&siv, data, t, NULL, 1, data, 20), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(CALL(&siv, data, t, strings, 0, NULL, 20), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(CALL(&siv, data, t, strings, 127, data, 20), RIJN_ERR_SIZE);
        CHECK_STATUS(CALL(&siv, data, t, strings, 0, data + 1, 20), RIJN_ERR_OVERLAP);
        CHECK_STATUS(CALL(&siv, data, data + 19, strings, 0, data, 20), RIJN_ERR_OVERLAP);
        CHECK_STATUS(CALL(&siv, data, t, strings, 0, t, 16), RIJN_ERR_OVERLAP);
        {
            const rijn_string inside[2] = {{NULL, 0}, {data + 19, 1}};
            CHECK_STATUS(CALL(&siv, data, t, inside, 2, data, 20), RIJN_ERR_OVERLAP);
        }
        CHECK_STATUS(CALL(&blank, data, t, strings, 0, data, 20), RIJN_ERR_STATE);
        rijn_siv_key half = siv;
        half.mac.backend = NULL;
        CHECK_STATUS(CALL(&half, data, t, strings, 0, data, 20), RIJN_ERR_STATE);
        half = siv;
        half.ctr.backend = NULL;
        CHECK_STATUS(CALL(&half, data, t, strings, 0, data, 20), RIJN_ERR_STATE);
        strings[3].size = 1;
        CHECK_STATUS(CALL(&siv, data, t, strings, 4, data, 20), RIJN_ERR_ARGUMENT);
        strings[3].size = 0;
#undef CALL
    }
}

/* ---- All tests, for one backend ---- */

static void run(const rijn_backend_info *backend)
{
    const size_t batch = 16 * (size_t)backend->blocks;
    size_t turn = 0;

    random_bytes(plain, MOST);
    random_bytes(ad, MOST);
    for (size_t i = 0; i < ALGORITHMS; i++) {
        const algorithm *const a = &algorithms[i];
        for (size_t size = 16; size <= 32; size += 8) {
            if (!(a->keys >> size / 8 & 1))
                continue;
            new_key(backend, size);
            /* From 8 batches on some backends hash many blocks together (circuits/permuted_hash.h). */
            for (size_t batches = 0; batches <= 10; batches += batches < 4 ? 1 : 3) {
                static const int around[] = {-17, -16, -1, 0, 1, 15, 16, 17, 33};
                for (size_t j = 0; j < sizeof around / sizeof around[0]; j++, turn++) {
                    if (around[j] < 0 && batches * batch < (size_t)-around[j])
                        continue;
                    const size_t n = batches * batch + (size_t)around[j];
                    check_message(a, tag_size_for(a, turn), nonce_size_for(a, turn),
                                  turn % 3 == 0 ? 0 : random_below(100), n);
                    check_message(a, 16, nonce_size_for(a, turn), n, random_below(40));
                }
            }
            test_forgeries(a);
            test_errors(a, backend);
            test_short_tags(a, backend);
            if (a->pieces != NULL)
                test_order(a);
        }
        new_key(backend, a->keys >> 2 & 1 ? 16 : 32);
        for (size_t size = 0; size <= 2 * batch + 40; size++, turn++)
            check_message(a, tag_size_for(a, turn), nonce_size_for(a, turn), turn % 37, size);
    }
    test_limits(backend);
    new_key(backend, 16);
    test_ccm_sizes();
    test_sums();
    test_ctr_mac();
    for (int i = 0; i < 4; i++)
        test_ocb_far(backend->blocks);
    test_xaes_derive(backend);
    for (size_t size = 0; size <= batch + 40; size++)
        check_siv(backend, size, size % 5);
    check_siv(backend, 3 * batch + 7, RIJN_SIV_STRINGS_MAX);
    test_siv_errors(backend);
}

int main(int argc, char **argv)
{
    arena *const all[] = {&in, &out, &ads, &nonces, &tags, &states};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        *all[i] = new_arena(MOST);
    return test_backends(argc, argv, run);
}
