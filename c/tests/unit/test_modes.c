/* Every mode of a backend against the oracle: all key sizes, lengths around the batch width, any alignment,
 * in place and not, counters near their carries, messages in pieces. */
#include "check.h"
#include "oracle.h"

#define MOST 4096 /* bytes of the longest message; set_lengths stays below */
#define MISALIGNED 16

static const size_t key_sizes[] = {16, 24, 32};
#define KEY_SIZES (sizeof key_sizes / sizeof key_sizes[0])

/* One message and its results. */
static uint8_t plain[MOST], cipher[MOST], opened[MOST], ad[MOST], want_tag[16];
static uint8_t memory[MOST + 2 * MISALIGNED + 32];

static rijn_key key;
static oracle_key oracle;

static void new_key(const rijn_backend_info *backend, size_t size)
{
    uint8_t bytes[32];
    random_bytes(bytes, size);
    make_key(&key, bytes, size, backend->name);
    oracle_init(&oracle, bytes, size);
}

/* ---- Lengths ---- */

static size_t lengths[128], length_count;

static void add_length(size_t length)
{
    for (size_t i = 0; i < length_count; i++)
        if (lengths[i] == length)
            return;
    if (length <= MOST - 32 && length_count < sizeof lengths / sizeof lengths[0])
        lengths[length_count++] = length;
}

/* Lists 0, 1, 15 … 17 bytes, and lengths around 1, 2, 3 and 4 batches of `width` blocks: one byte or one
 * block more or less, also with partial blocks. */
static void set_lengths(unsigned width)
{
    static const size_t small[] = {0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 49};
    length_count = 0;
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        add_length(small[i]);
    for (size_t batches = 1; batches <= 4; batches++) {
        const size_t whole = 16 * (size_t)width * batches;
        static const int around[] = {-32, -17, -16, -15, -1, 0, 1, 15, 16, 17, 32, 37};
        for (size_t i = 0; i < sizeof around / sizeof around[0]; i++)
            if (around[i] >= 0 || whole >= (size_t)-around[i])
                add_length(whole + (size_t)around[i]);
    }
}

/* ---- A call out of place and in place, at every kind of misalignment ---- */

typedef struct call {
    const char *name;
    rijn_status (*run)(uint8_t *out, const uint8_t *in, size_t size);
} call;

/* Runs the call on `in` and compares with `want`. Bytes around the output must not change. */
static void check_call(const call *it, const uint8_t *in, const uint8_t *want, size_t size)
{
    static uint8_t source[MOST + MISALIGNED];

    for (int in_place = 0; in_place < 2; in_place++) {
        const size_t out_shift = random_below(MISALIGNED), in_shift = random_below(MISALIGNED);
        uint8_t *out = memory + MISALIGNED + out_shift;
        uint8_t *from = in_place ? out : source + in_shift;
        note("%s %s, key %d, %zu bytes, out + %zu, in + %zu%s", rijn_key_backend(&key), it->name,
             oracle.rounds * 32 - 192, size, out_shift, in_shift, in_place ? ", in place" : "");

        memset(memory, 0xa5, sizeof memory);
        memcpy(from, in, size);
        CHECK_STATUS(it->run(out, from, size), RIJN_OK);
        CHECK_BYTES(out, want, size);
        CHECK_FILL(memory, 0xa5, MISALIGNED + out_shift);
        CHECK_FILL(out + size, 0xa5, (size_t)(memory + sizeof memory - out) - size);
        if (!in_place)
            CHECK_BYTES(from, in, size);
    }
}

static uint8_t iv[16], counter[16], nonce[64];
static size_t nonce_size, ad_size;

static rijn_status run_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_ecb_encrypt(&key, out, in, size);
}

static rijn_status run_ecb_decrypt(uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_ecb_decrypt(&key, out, in, size);
}

static rijn_status run_cbc_encrypt(uint8_t *out, const uint8_t *in, size_t size)
{
    uint8_t chain[16];
    memcpy(chain, iv, 16);
    const rijn_status status = rijn_cbc_encrypt(&key, chain, out, in, size);
    CHECK_BYTES(chain, size == 0 ? iv : cipher + size - 16, 16);
    return status;
}

static rijn_status run_cbc_decrypt(uint8_t *out, const uint8_t *in, size_t size)
{
    uint8_t chain[16];
    memcpy(chain, iv, 16);
    const rijn_status status = rijn_cbc_decrypt(&key, chain, out, in, size);
    CHECK_BYTES(chain, size == 0 ? iv : cipher + size - 16, 16);
    return status;
}

static rijn_status run_ctr(uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_ctr_crypt(&key, counter, out, in, size);
}

static rijn_status run_seal(uint8_t *out, const uint8_t *in, size_t size)
{
    uint8_t tag[17];
    tag[16] = 0xa5;
    const rijn_status status =
        rijn_gcm_seal(&key, out, tag, 16, nonce, nonce_size, ad, ad_size, in, size);
    CHECK_BYTES(tag, want_tag, 16);
    CHECK(tag[16] == 0xa5);
    return status;
}

static rijn_status run_open(uint8_t *out, const uint8_t *in, size_t size)
{
    return rijn_gcm_open(&key, out, want_tag, 16, nonce, nonce_size, ad, ad_size, in, size);
}

static const call ecb_encrypt = {"ecb_encrypt", run_ecb_encrypt};
static const call ecb_decrypt = {"ecb_decrypt", run_ecb_decrypt};
static const call cbc_encrypt = {"cbc_encrypt", run_cbc_encrypt};
static const call cbc_decrypt = {"cbc_decrypt", run_cbc_decrypt};
static const call ctr_crypt = {"ctr_crypt", run_ctr};
static const call gcm_seal = {"gcm_seal", run_seal};
static const call gcm_open = {"gcm_open", run_open};

/* ---- One message of a given size ---- */

static void check_ecb(size_t size)
{
    oracle_ecb(&oracle, false, cipher, plain, size);
    check_call(&ecb_encrypt, plain, cipher, size);
    oracle_ecb(&oracle, true, opened, plain, size); /* any bytes are a ciphertext */
    check_call(&ecb_decrypt, plain, opened, size);
}

static void check_cbc(size_t size)
{
    random_bytes(iv, 16);
    oracle_cbc(&oracle, false, iv, cipher, plain, size);
    check_call(&cbc_encrypt, plain, cipher, size);
    check_call(&cbc_decrypt, cipher, plain, size);
}

/* PKCS #7 (RFC 5652 section 6.3), in place and not. */
static void check_cbc_padded(size_t size)
{
    uint8_t padded[MOST];
    const size_t whole = size / 16 * 16 + 16;

    random_bytes(iv, 16);
    memcpy(padded, plain, size);
    memset(padded + size, (int)(whole - size), whole - size);
    oracle_cbc(&oracle, false, iv, cipher, padded, whole);

    for (int in_place = 0; in_place < 2; in_place++) {
        uint8_t *out = memory + random_below(MISALIGNED);
        size_t plain_size = 999;
        note("%s cbc_padded, %zu bytes%s", rijn_key_backend(&key), size,
             in_place ? ", in place" : "");

        memset(memory, 0xa5, sizeof memory);
        memcpy(out, plain, in_place ? size : 0);
        CHECK_STATUS(rijn_cbc_encrypt_padded(&key, iv, out, in_place ? out : plain, size), RIJN_OK);
        CHECK_BYTES(out, cipher, whole);
        CHECK_FILL(out + whole, 0xa5, 32);

        memset(memory, 0xa5, sizeof memory);
        memcpy(out, cipher, in_place ? whole : 0);
        CHECK_STATUS(
            rijn_cbc_decrypt_padded(&key, iv, out, &plain_size, in_place ? out : cipher, whole),
            RIJN_OK);
        CHECK(plain_size == size);
        CHECK_BYTES(out, plain, size);
        CHECK_FILL(out + whole, 0xa5, 32);
    }
}

static void check_ctr(size_t size)
{
    oracle_ctr(&oracle, counter, cipher, plain, size);
    check_call(&ctr_crypt, plain, cipher, size);
}

/* Computes the tag of the ciphertext, at any address. */
static void check_gcm_tag(size_t size)
{
    uint8_t tag[17], *const in = memory + random_below(MISALIGNED);

    note("%s gcm_tag, %zu bytes", rijn_key_backend(&key), size);
    memcpy(in, cipher, size);
    tag[16] = 0xa5;
    CHECK_STATUS(rijn_gcm_tag(&key, tag, 16, nonce, nonce_size, ad, ad_size, in, size), RIJN_OK);
    CHECK_BYTES(tag, want_tag, 16);
    CHECK(tag[16] == 0xa5);
    CHECK_BYTES(in, cipher, size);
}

static void check_gcm(size_t size)
{
    uint8_t tag[16];

    oracle_gcm(&oracle, false, cipher, want_tag, nonce, nonce_size, ad, ad_size, plain, size);
    check_call(&gcm_seal, plain, cipher, size);
    check_call(&gcm_open, cipher, plain, size);
    check_gcm_tag(size);

    /* one wrong bit anywhere in the tag: no output, in place or not */
    memcpy(tag, want_tag, 16);
    tag[random_below(16)] ^= (uint8_t)(1 << random_below(8));
    for (int in_place = 0; in_place < 2; in_place++) {
        memset(memory, 0xa5, sizeof memory);
        memcpy(memory, cipher, in_place ? size : 0);
        CHECK_STATUS(rijn_gcm_open(&key, memory, tag, 16, nonce, nonce_size, ad, ad_size,
                                   in_place ? memory : cipher, size),
                     RIJN_ERR_TAG);
        CHECK_FILL(memory, 0, size);
        CHECK_FILL(memory + size, 0xa5, 32);
    }
}

/* Every tag size is a prefix of the full tag. */
static void test_tag_sizes(void)
{
    static const size_t sizes[] = {4, 8, 12, 13, 14, 15, 16};
    const size_t size = 53;

    nonce_size = 12;
    ad_size = 20;
    random_bytes(nonce, 12);
    CHECK_STATUS(rijn_key_allow_short_tags(&key), RIJN_OK);
    oracle_gcm(&oracle, false, cipher, want_tag, nonce, nonce_size, ad, ad_size, plain, size);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t tag[17];
        memset(tag, 0xa5, sizeof tag);
        note("%s, tag of %zu bytes", rijn_key_backend(&key), sizes[i]);
        CHECK_STATUS(
            rijn_gcm_seal(&key, opened, tag, sizes[i], nonce, 12, ad, ad_size, plain, size),
            RIJN_OK);
        CHECK_BYTES(tag, want_tag, sizes[i]);
        CHECK_FILL(tag + sizes[i], 0xa5, sizeof tag - sizes[i]);
        CHECK_STATUS(
            rijn_gcm_open(&key, opened, tag, sizes[i], nonce, 12, ad, ad_size, cipher, size),
            RIJN_OK);
        CHECK_BYTES(opened, plain, size);
        memset(tag, 0xa5, sizeof tag);
        CHECK_STATUS(rijn_gcm_tag(&key, tag, sizes[i], nonce, 12, ad, ad_size, cipher, size),
                     RIJN_OK);
        CHECK_BYTES(tag, want_tag, sizes[i]);
        CHECK_FILL(tag + sizes[i], 0xa5, sizeof tag - sizes[i]);
        tag[sizes[i] - 1] ^= 1; /* the last byte counts */
        CHECK_STATUS(
            rijn_gcm_open(&key, opened, tag, sizes[i], nonce, 12, ad, ad_size, cipher, size),
            RIJN_ERR_TAG);
    }
}

/* Every change of authenticated data is detected. */
static void test_forgeries(void)
{
    const size_t size = 37;
    uint8_t tag[16];

    nonce_size = 12;
    ad_size = 21;
    random_bytes(nonce, 12);
    CHECK_STATUS(rijn_gcm_seal(&key, cipher, tag, 16, nonce, 12, ad, ad_size, plain, size),
                 RIJN_OK);
    struct {
        uint8_t *at;
        size_t size;
    } parts[] = {{cipher, size}, {tag, 16}, {nonce, 12}, {ad, ad_size}};
    for (size_t part = 0; part < 4; part++) {
        for (size_t i = 0; i < parts[part].size; i++) {
            note("%s, part %zu changed at byte %zu", rijn_key_backend(&key), part, i);
            parts[part].at[i] ^= 0x10;
            CHECK_STATUS(rijn_gcm_open(&key, opened, tag, 16, nonce, 12, ad, ad_size, cipher, size),
                         RIJN_ERR_TAG);
            CHECK_FILL(opened, 0, size);
            parts[part].at[i] ^= 0x10;
        }
    }
    note("%s, sizes moved between ad and data", rijn_key_backend(&key));
    CHECK_STATUS(rijn_gcm_open(&key, opened, tag, 16, nonce, 12, ad, ad_size - 1, cipher, size),
                 RIJN_ERR_TAG);
    CHECK_STATUS(rijn_gcm_open(&key, opened, tag, 16, nonce, 12, ad, ad_size, cipher, size - 1),
                 RIJN_ERR_TAG);
    CHECK_STATUS(rijn_gcm_open(&key, opened, tag, 16, nonce, 12, ad, ad_size, cipher, size),
                 RIJN_OK);
}

/* ---- Counters near their carries ---- */

/* Sets `block` to 2^power - back, with zeros or random bits above. */
static void near_carry(uint8_t block[16], int power, unsigned back)
{
    random_bytes(block, 16);
    for (int i = 0; i < power / 8; i++)
        block[15 - i] = 0xff;
    block[15] = (uint8_t)(block[15] - (back - 1)); /* back <= 256 */
}

static void test_ctr_carries(unsigned width)
{
    static const int powers[] = {8, 16, 32, 64, 96, 128};
    const size_t size = 16 * (size_t)(2 * width + 1) + 5;

    for (size_t p = 0; p < sizeof powers / sizeof powers[0]; p++) {
        for (unsigned back = 1; back <= 2 * width + 2 && back <= 256; back++) {
            near_carry(counter, powers[p], back);
            check_ctr(size);
        }
    }
    memset(counter, 0, 16);
    check_ctr(size);
}

static void test_gcm_carries(unsigned width)
{
    static const int powers[] = {8, 32, 128};
    const size_t size = 16 * (size_t)(2 * width + 1) + 5;

    nonce_size = 16;
    ad_size = 3;
    for (size_t p = 0; p < sizeof powers / sizeof powers[0]; p++) {
        for (unsigned back = 1; back <= 2 * width + 3 && back <= 256; back++) {
            uint8_t j0[16];
            near_carry(j0, powers[p], back);
            oracle_nonce_for(&oracle, nonce, j0);
            check_gcm(size);
        }
    }
}

/* ---- Messages in pieces ---- */

/* Returns the size of the next piece: 0, a few bytes, whole blocks, whole batches, or all. */
static size_t next_piece(size_t left, unsigned width)
{
    size_t piece;
    switch (random_below(6)) {
    case 0:
        piece = 0;
        break;
    case 1:
        piece = random_below(16);
        break;
    case 2:
        piece = 16 * random_below(4);
        break;
    case 3:
        piece = 16 * (size_t)width;
        break;
    case 4:
        piece = random_below(16 * (size_t)width * 2 + 1);
        break;
    default:
        piece = random_below(left + 1);
        break;
    }
    return piece < left ? piece : left;
}

/* Returns the size of the piece at `at`: cuts the message in two at `cut`, or uses next_piece if
 * cut > size. */
static size_t piece_at(size_t at, size_t size, size_t cut, unsigned width)
{
    if (cut > size)
        return next_piece(size - at, width);
    return at < cut ? cut - at : size - at;
}

static void ctr_in_pieces(size_t size, size_t cut, unsigned width, bool in_place)
{
    rijn_ctr ctr;
    size_t at = 0;

    note("%s ctr in pieces, %zu bytes, cut %zu%s", rijn_key_backend(&key), size, cut,
         in_place ? ", in place" : "");
    memcpy(opened, plain, in_place ? size : 0);
    memset(&ctr, 0xa5, sizeof ctr);
    CHECK_STATUS(rijn_ctr_start(&ctr, &key, counter), RIJN_OK);
    while (at < size) {
        const size_t piece = piece_at(at, size, cut, width);
        CHECK_STATUS(rijn_ctr_update(&ctr, opened + at, (in_place ? opened : plain) + at, piece),
                     RIJN_OK);
        at += piece;
    }
    CHECK_BYTES(opened, cipher, size);
    rijn_ctr_wipe(&ctr);
}

static void gcm_in_pieces(bool decrypt, size_t size, size_t cut, unsigned width, bool in_place)
{
    const uint8_t *from = decrypt ? cipher : plain;
    rijn_gcm gcm;
    uint8_t tag[16];

    note("%s gcm in pieces, %zu and %zu bytes, cut %zu%s%s", rijn_key_backend(&key), ad_size, size,
         cut, decrypt ? ", decrypting" : "", in_place ? ", in place" : "");
    memcpy(opened, from, in_place ? size : 0);
    memset(&gcm, 0xa5, sizeof gcm);
    CHECK_STATUS(rijn_gcm_start(&gcm, &key, nonce, nonce_size), RIJN_OK);
    for (size_t at = 0; at < ad_size;) {
        const size_t piece = next_piece(ad_size - at, width);
        CHECK_STATUS(rijn_gcm_ad(&gcm, ad + at, piece), RIJN_OK);
        at += piece;
    }
    for (size_t at = 0; at < size;) {
        const size_t piece = piece_at(at, size, cut, width);
        CHECK_STATUS((decrypt ? rijn_gcm_decrypt : rijn_gcm_encrypt)(
                         &gcm, opened + at, (in_place ? opened : from) + at, piece),
                     RIJN_OK);
        at += piece;
    }
    CHECK_BYTES(opened, decrypt ? plain : cipher, size);
    if (decrypt && size != 0) {
        CHECK_STATUS(rijn_gcm_verify(&gcm, want_tag, 16), RIJN_OK);
    } else {
        CHECK_STATUS(rijn_gcm_finish(&gcm, tag, 16), RIJN_OK);
        CHECK_BYTES(tag, want_tag, 16);
    }
}

static void cbc_in_pieces(size_t size, unsigned width)
{
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        uint8_t chain[16];
        note("%s cbc in pieces, %zu bytes%s", rijn_key_backend(&key), size,
             decrypt ? ", decrypting" : "");
        memcpy(chain, iv, 16);
        for (size_t at = 0; at < size;) {
            const size_t piece = next_piece(size - at, width) / 16 * 16;
            CHECK_STATUS((decrypt ? rijn_cbc_decrypt : rijn_cbc_encrypt)(
                             &key, chain, opened + at, (decrypt ? cipher : plain) + at, piece),
                         RIJN_OK);
            at += piece;
        }
        CHECK_BYTES(opened, decrypt ? plain : cipher, size);
    }
}

static void test_pieces(unsigned width)
{
    const size_t batch = 16 * (size_t)width, size = 2 * batch + 21;

    near_carry(counter, 64, 3);
    oracle_ctr(&oracle, counter, cipher, plain, size);
    for (size_t cut = 0; cut <= size; cut++)
        ctr_in_pieces(size, cut, width, cut % 2);
    for (int i = 0; i < 60; i++)
        ctr_in_pieces(size, size + 1, width, i % 2);

    nonce_size = 16;
    ad_size = 45;
    uint8_t j0[16];
    near_carry(j0, 32, width);
    oracle_nonce_for(&oracle, nonce, j0);
    oracle_gcm(&oracle, false, cipher, want_tag, nonce, nonce_size, ad, ad_size, plain, size);
    for (size_t cut = 0; cut <= size; cut++) {
        gcm_in_pieces(false, size, cut, width, cut % 2);
        gcm_in_pieces(true, size, cut, width, cut % 2);
    }
    for (size_t i = 0; i < 120; i++) {
        const size_t any = i < 8 ? i % 4 : random_below(4 * batch + 40);
        ad_size = i % 3 == 0 ? 0 : random_below(2 * batch + 40);
        nonce_size = i % 2 == 0 ? 12 : 1 + random_below(40);
        random_bytes(nonce, nonce_size);
        oracle_gcm(&oracle, false, cipher, want_tag, nonce, nonce_size, ad, ad_size, plain, any);
        gcm_in_pieces(false, any, any + 1, width, i % 2);
        gcm_in_pieces(true, any, any + 1, width, i % 2);
    }

    random_bytes(iv, 16);
    oracle_cbc(&oracle, false, iv, cipher, plain, 3 * batch + 16);
    for (int i = 0; i < 30; i++)
        cbc_in_pieces(3 * batch + 16, width);
}

/* The tag of an empty message authenticates the associated data, and verifies without a data call. */
static void test_empty(void)
{
    static const size_t sizes[] = {0, 1, 16, 33};

    nonce_size = 12;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        rijn_gcm gcm;
        uint8_t tag[16];
        ad_size = sizes[i];
        note("%s, empty message, ad %zu", rijn_key_backend(&key), ad_size);
        oracle_gcm(&oracle, false, cipher, want_tag, nonce, 12, ad, ad_size, plain, 0);
        CHECK_STATUS(
            rijn_gcm_seal(&key, NULL, tag, 16, nonce, 12, ad_size ? ad : NULL, ad_size, NULL, 0),
            RIJN_OK);
        CHECK_BYTES(tag, want_tag, 16);
        CHECK_STATUS(
            rijn_gcm_open(&key, NULL, tag, 16, nonce, 12, ad_size ? ad : NULL, ad_size, NULL, 0),
            RIJN_OK);
        CHECK_STATUS(rijn_gcm_start(&gcm, &key, nonce, 12), RIJN_OK);
        CHECK_STATUS(rijn_gcm_ad(&gcm, ad, ad_size), RIJN_OK);
        CHECK_STATUS(rijn_gcm_verify(&gcm, want_tag, 16), RIJN_OK);
    }
}

/* The sizes in the last block have 64 bits (SP 800-38D section 7.1, step 5). No test can process so much
 * data, so this one changes the sizes in the state. */
static void test_sizes_in_tag(void)
{
    static const uint64_t more[][2] = {
        {1, 0},
        {UINT64_C(1) << 29, 0},
        {UINT64_C(1) << 32, 0},
        {(UINT64_C(1) << 61) - 100, 0},
        {0, UINT64_C(1) << 29},
        {0, UINT64_C(1) << 32},
        {UINT64_C(0x123456789a), 0xabcdef123},
    };
    const size_t size = 37;

    nonce_size = 12;
    ad_size = 20;
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        const uint64_t sizes[2] = {ad_size, size};
        const uint64_t claimed[2] = {ad_size + more[i][0], size + more[i][1]};
        rijn_gcm gcm;
        uint8_t tag[16];

        note("%s, sizes in the tag: %llu and %llu", rijn_key_backend(&key),
             (unsigned long long)claimed[0], (unsigned long long)claimed[1]);
        oracle_gcm(&oracle, false, cipher, want_tag, nonce, nonce_size, ad, ad_size, plain, size);
        oracle_gcm_resize(&oracle, want_tag, sizes, claimed);
        CHECK_STATUS(rijn_gcm_start(&gcm, &key, nonce, nonce_size), RIJN_OK);
        CHECK_STATUS(rijn_gcm_ad(&gcm, ad, ad_size), RIJN_OK);
        CHECK_STATUS(rijn_gcm_encrypt(&gcm, opened, plain, size), RIJN_OK);
        CHECK(gcm.ad_size == sizes[0] && gcm.size == sizes[1]);
        gcm.ad_size = claimed[0];
        gcm.size = claimed[1];
        CHECK_STATUS(rijn_gcm_finish(&gcm, tag, 16), RIJN_OK);
        CHECK_BYTES(tag, want_tag, 16);
    }
}

/* A key may be copied with memcpy, and the original wiped. */
static void test_key_copy(void)
{
    const size_t size = 333;
    rijn_key moved, home = key;

    memcpy(&moved, &home, sizeof moved);
    rijn_key_wipe(&home);
    nonce_size = 12;
    ad_size = 20;
    note("%s, a copied key", rijn_key_backend(&moved));
    CHECK_TEXT(rijn_key_backend(&moved), rijn_key_backend(&key));
    oracle_gcm(&oracle, false, cipher, want_tag, nonce, nonce_size, ad, ad_size, plain, size);
    CHECK_STATUS(rijn_gcm_open(&moved, opened, want_tag, 16, nonce, 12, ad, ad_size, cipher, size),
                 RIJN_OK);
    CHECK_BYTES(opened, plain, size);
}

/* ---- Runs of chunks: each chunk is a GCM message of its own ---- */

static void test_chunks(unsigned width)
{
    const size_t batch = 16 * (size_t)width;
    const size_t chunk_sizes[] = {1, 15, 16, 17, batch - 1, batch, batch + 1};
    static const uint64_t firsts[] = {0, 1, 0xff, 0xfffffffe, 0xfffffffffffffff0};

    for (size_t c = 0; c < sizeof chunk_sizes / sizeof chunk_sizes[0]; c++) {
        const size_t chunk = chunk_sizes[c];
        for (size_t f = 0; f < 5 * 6; f++) {
            const uint64_t first = firsts[f % 5];
            const size_t whole = f / 5, chunks_before_last = whole % 4;
            const bool last = whole % 2;
            const size_t tail = last ? random_below(chunk) : 0;
            const size_t size = chunks_before_last * chunk + tail;
            const size_t chunks = chunks_before_last + last, sealed = size + 16 * chunks;
            uint8_t want[MOST];
            uint64_t bad = 77;

            if (sealed > MOST)
                continue;
            note("%s chunks of %zu, first %llu, %zu bytes, last %d", rijn_key_backend(&key), chunk,
                 (unsigned long long)first, size, last);
            random_bytes(nonce, 12);
            for (size_t i = 0; i < chunks; i++) {
                uint8_t chunk_nonce[12];
                const size_t n = i < chunks_before_last ? chunk : tail;
                uint8_t *at = want + i * (chunk + 16);
                memcpy(chunk_nonce, nonce, 12);
                for (int j = 0; j < 8; j++)
                    chunk_nonce[11 - j] ^= (uint8_t)((first + i) >> 8 * j);
                oracle_gcm(&oracle, false, at, at + n, chunk_nonce, 12, NULL, 0, plain + i * chunk,
                           n);
            }
            memset(memory, 0xa5, sizeof memory);
            CHECK_STATUS(rijn_gcm_seal_chunks(&key, memory, nonce, first, chunk, last, plain, size),
                         RIJN_OK);
            CHECK_BYTES(memory, want, sealed);
            CHECK_FILL(memory + sealed, 0xa5, 32);

            memset(opened, 0xa5, sizeof opened);
            CHECK_STATUS(
                rijn_gcm_open_chunks(&key, opened, &bad, nonce, first, chunk, last, want, sealed),
                RIJN_OK);
            CHECK_BYTES(opened, plain, size);
            CHECK_FILL(opened + size, 0xa5, MOST - size < 32 ? MOST - size : 32);
            if (chunks == 0)
                continue;

            /* one chunk altered, in its data or its tag: the whole output is zero */
            const size_t victim = random_below(chunks);
            const size_t n = victim < chunks_before_last ? chunk : tail;
            want[victim * (chunk + 16) + random_below(n + 16)] ^= 1;
            memset(opened, 0xa5, sizeof opened);
            CHECK_STATUS(
                rijn_gcm_open_chunks(&key, opened, &bad, nonce, first, chunk, last, want, sealed),
                RIJN_ERR_TAG);
            CHECK(bad == first + victim);
            CHECK_FILL(opened, 0, size);
            CHECK_FILL(opened + size, 0xa5, MOST - size < 32 ? MOST - size : 32);
            CHECK_STATUS(
                rijn_gcm_open_chunks(&key, opened, NULL, nonce, first, chunk, last, want, sealed),
                RIJN_ERR_TAG);
        }
    }
}

/* ---- All tests, for one backend ---- */

static void run(const rijn_backend_info *backend)
{
    const unsigned width = backend->blocks;

    random_bytes(plain, MOST);
    random_bytes(ad, MOST);
    set_lengths(width);
    for (size_t k = 0; k < KEY_SIZES; k++) {
        new_key(backend, key_sizes[k]);
        for (size_t i = 0; i < length_count; i++) {
            const size_t size = lengths[i];
            if (size % 16 == 0) {
                check_ecb(size);
                check_cbc(size);
            }
            check_cbc_padded(size);
            random_bytes(counter, 16);
            check_ctr(size);
            nonce_size = i % 2 == 0 ? 12 : 1 + random_below(64);
            ad_size = i % 3 == 0 ? 0 : lengths[random_below(length_count)];
            random_bytes(nonce, nonce_size);
            check_gcm(size);
        }
        /* long associated data and every nonce size, with a little plaintext */
        for (size_t i = 0; i < length_count; i++) {
            nonce_size = 1 + i % 64;
            ad_size = lengths[i];
            random_bytes(nonce, nonce_size);
            check_gcm(i % 34);
        }
        test_ctr_carries(width);
        test_gcm_carries(width);
        test_pieces(width);
        test_tag_sizes();
        test_forgeries();
        test_empty();
        test_sizes_in_tag();
        test_key_copy();
        test_chunks(width);
    }
    /* every size between one block and three batches */
    new_key(backend, 16);
    nonce_size = 12;
    ad_size = 0;
    for (size_t size = 0; size <= 16 * 3 * (size_t)width && size <= MOST - 32; size++) {
        check_ctr(size);
        check_gcm(size);
    }
}

int main(int argc, char **argv)
{
    return test_backends(argc, argv, run);
}
