/* CFB, CFB8, OFB, IGE, CTR of every width, XTS, CMAC, KW and KWP against the oracle, on every backend:
 * lengths around the batch width, in place and not, in pieces, altered, and refused. All buffers are
 * next to pages that cannot be accessed. */
#include "arena.h"
#include "backend.h"
#include "check.h"
#include "mock.h"
#include "oracle_modes.h"

#define MOST 2048

static arena in, out, ivs;
static uint8_t plain[MOST], cipher[MOST + 16], key_bytes[64], iv[32];
static rijn_key key;
static rijn_xts_key xts;
static oracle_key oracle;
static const char *backend;
static size_t key_size;

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

/* Checks that nothing was written around the output: the arena is full of 0xa5. */
static void check_around(const uint8_t *to, size_t size)
{
    CHECK_FILL(out.start, 0xa5, (size_t)(to - out.start));
    CHECK_FILL(to + size, 0xa5, (size_t)(out.end - to) - size);
}

/* ---- CFB, OFB, IGE and CTR: calls of the same form ---- */

/* Processes one piece of a message. `state` is the IV; some modes also have `used`. */
typedef rijn_status piece(uint8_t *state, size_t *used, uint8_t *to, const uint8_t *from,
                          size_t size);

static unsigned width;
static bool little;

static rijn_status cfb_encrypt(uint8_t *s, size_t *used, uint8_t *to, const uint8_t *from,
                               size_t size)
{
    return rijn_cfb_encrypt(&key, s, used, to, from, size);
}

static rijn_status cfb_decrypt(uint8_t *s, size_t *used, uint8_t *to, const uint8_t *from,
                               size_t size)
{
    return rijn_cfb_decrypt(&key, s, used, to, from, size);
}

static rijn_status ofb_crypt(uint8_t *s, size_t *used, uint8_t *to, const uint8_t *from,
                             size_t size)
{
    return rijn_ofb_crypt(&key, s, used, to, from, size);
}

static rijn_status cfb8_encrypt(uint8_t *s, size_t *used, uint8_t *to, const uint8_t *from,
                                size_t size)
{
    (void)used;
    return rijn_cfb8_encrypt(&key, s, to, from, size);
}

static rijn_status cfb8_decrypt(uint8_t *s, size_t *used, uint8_t *to, const uint8_t *from,
                                size_t size)
{
    (void)used;
    return rijn_cfb8_decrypt(&key, s, to, from, size);
}

static rijn_status ige_encrypt(uint8_t *s, size_t *used, uint8_t *to, const uint8_t *from,
                               size_t size)
{
    (void)used;
    return rijn_ige_encrypt(&key, s, to, from, size);
}

static rijn_status ige_decrypt(uint8_t *s, size_t *used, uint8_t *to, const uint8_t *from,
                               size_t size)
{
    (void)used;
    return rijn_ige_decrypt(&key, s, to, from, size);
}

static rijn_status ctr_crypt(uint8_t *s, size_t *used, uint8_t *to, const uint8_t *from,
                             size_t size)
{
    (void)used;
    return rijn_ctr_crypt_width(&key, width, little, s, to, from, size);
}

/* Checks one call, and pieces that are multiples of `unit` (0: only one call). */
static void check_call(const char *name, piece *call, size_t unit, const uint8_t *source,
                       const uint8_t *want, size_t size)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        for (int in_pieces = 0; in_pieces < (unit != 0 ? 2 : 1); in_pieces++) {
            const uint8_t *from = put(&in, source, size);
            uint8_t *to = room(&out, size), *const state = put(&ivs, iv, 32);
            size_t used = 0;

            note("%s %s, AES-%zu, %zu bytes%s%s", backend, name, key_size * 8, size,
                 in_place ? ", in place" : "", in_pieces ? ", in pieces" : "");
            if (in_place) {
                memcpy(to, source, size);
                from = to;
            }
            if (!in_pieces)
                CHECK_STATUS(call(state, NULL, to, from, size), RIJN_OK);
            for (size_t at = 0, n; in_pieces && at < size; at += n) {
                n = unit * (random_below(2) == 0 ? random_below(4) : random_below(size / unit + 1));
                n = n < size - at ? n : size - at;
                CHECK_STATUS(call(state, &used, to + at, from + at, n), RIJN_OK);
            }
            CHECK_BYTES(to, want, size);
            check_around(to, size);
        }
    }
}

static void check_streams(size_t size)
{
    random_bytes(iv, 32);
    oracle_cfb(&oracle, false, 16, iv, cipher, plain, size);
    check_call("cfb_encrypt", cfb_encrypt, 1, plain, cipher, size);
    check_call("cfb_decrypt", cfb_decrypt, 1, cipher, plain, size);
    oracle_cfb(&oracle, false, 1, iv, cipher, plain, size);
    check_call("cfb8_encrypt", cfb8_encrypt, 1, plain, cipher, size);
    check_call("cfb8_decrypt", cfb8_decrypt, 1, cipher, plain, size);
    oracle_ofb(&oracle, iv, cipher, plain, size);
    check_call("ofb_crypt", ofb_crypt, 1, plain, cipher, size);
    if (size % 16 == 0) {
        uint8_t chain[32];
        oracle_ige(&oracle, false, iv, cipher, plain, size);
        check_call("ige_encrypt", ige_encrypt, 16, plain, cipher, size);
        check_call("ige_decrypt", ige_decrypt, 16, cipher, plain, size);
        memcpy(chain, iv, 32);
        CHECK_STATUS(rijn_ige_encrypt(&key, chain, out.start, plain, size), RIJN_OK);
        CHECK_BYTES(chain, size != 0 ? cipher + size - 16 : iv, 16);
        CHECK_BYTES(chain + 16, size != 0 ? plain + size - 16 : iv + 16, 16);
    }
}

static void check_ctr(size_t size)
{
    rijn_ctr ctr;

    oracle_ctr_width(&oracle, width, little, iv, cipher, plain, size);
    check_call(little ? "ctr, little-endian" : "ctr, big-endian", ctr_crypt, 0, plain, cipher,
               size);
    memset(&ctr, 0xa5, sizeof ctr);
    CHECK_STATUS(rijn_ctr_start_width(&ctr, &key, width, little, iv), RIJN_OK);
    for (size_t at = 0, n; at < size; at += n) {
        n = 1 + random_below(size);
        n = n < size - at ? n : size - at;
        CHECK_STATUS(rijn_ctr_update(&ctr, out.start + at, plain + at, n), RIJN_OK);
    }
    CHECK_BYTES(out.start, cipher, size);
    rijn_ctr_wipe(&ctr);
}

/* Checks counters of every width a few blocks before each carry, and before the end. */
static void test_counters(size_t batch)
{
    static const unsigned widths[] = {32, 64, 128};
    static const unsigned powers[] = {8, 32, 64, 128};

    for (size_t w = 0; w < 3; w++) {
        for (int order = 0; order < 2; order++) {
            width = widths[w];
            little = order != 0;
            for (size_t p = 0; p < 4; p++) {
                for (unsigned back = 1; back <= 2 * batch / 16 + 2; back += 1 + back / 8) {
                    random_bytes(iv, 16);
                    for (unsigned i = 0; i < powers[p] / 8; i++)
                        iv[little ? i : 15 - i] = 0xff;
                    iv[little ? 0 : 15] = (uint8_t)(0u - back);
                    check_ctr(2 * batch + 37);
                }
            }
            random_bytes(iv, 16);
            for (size_t size = 0; size < 2 * batch + 20; size += 1 + size / 7)
                check_ctr(size);
        }
    }
}

#if SIZE_MAX > UINT32_MAX
static void deaf_ctr(const void *context, rijn_counter *counter, uint8_t *to, const uint8_t *from,
                     size_t size)
{
    (void)context, (void)counter, (void)to, (void)from, (void)size;
}
#endif

static void test_stream_errors(void)
{
    static const struct {
        const char *name;
        piece *call;
    } calls[] = {
        {"cfb_encrypt", cfb_encrypt},   {"cfb_decrypt", cfb_decrypt},
        {"ofb_crypt", ofb_crypt},       {"cfb8_encrypt", cfb8_encrypt},
        {"cfb8_decrypt", cfb8_decrypt}, {"ige_encrypt", ige_encrypt},
        {"ige_decrypt", ige_decrypt},   {"ctr_crypt_width", ctr_crypt},
    };
    const rijn_key saved = key;
    uint8_t *const to = room(&out, 64);
    uint8_t state[32];
    rijn_ctr ctr;

    width = 64;
    memcpy(state, iv, 32);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        size_t used = 16;
        note("%s %s, errors", backend, calls[i].name);
        CHECK_STATUS(calls[i].call(NULL, NULL, to, plain, 32), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(calls[i].call(state, NULL, NULL, plain, 32), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(calls[i].call(state, NULL, to, NULL, 32), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(calls[i].call(state, NULL, to + 16, to, 32), RIJN_ERR_OVERLAP);
        CHECK_STATUS(calls[i].call(state, NULL, to, to + 1, 32), RIJN_ERR_OVERLAP);
        CHECK_STATUS(calls[i].call(state, NULL, NULL, NULL, 0), RIJN_OK);
        if (i < 3) {
            CHECK_STATUS(calls[i].call(state, &used, to, plain, 32), RIJN_ERR_STATE);
            CHECK(used == 16);
        }
        rijn_key_wipe(&key);
        CHECK_STATUS(calls[i].call(state, NULL, to, plain, 32), RIJN_ERR_STATE);
        key = saved;
    }
    for (size_t size = 1; size < 16; size++) {
        CHECK_STATUS(rijn_ige_encrypt(&key, state, to, plain, size), RIJN_ERR_SIZE);
        CHECK_STATUS(rijn_ige_decrypt(&key, state, to, plain, 16 + size), RIJN_ERR_SIZE);
    }
    note("%s ctr, widths", backend);
    for (unsigned bits = 0; bits <= 256; bits += 8) {
        const rijn_status want =
            bits == 32 || bits == 64 || bits == 128 ? RIJN_OK : RIJN_ERR_ARGUMENT;
        CHECK_STATUS(rijn_ctr_crypt_width(&key, bits, 0, state, NULL, NULL, 0), want);
        CHECK_STATUS(rijn_ctr_start_width(&ctr, &key, bits, 1, state), want);
    }
    CHECK_STATUS(rijn_ctr_start_width(NULL, &key, 64, 0, state), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_ctr_start_width(&ctr, NULL, 64, 0, state), RIJN_ERR_ARGUMENT);
#if SIZE_MAX > UINT32_MAX
    CHECK_STATUS(rijn_ctr_start_width(&ctr, &key, 32, 0, state), RIJN_OK);
    CHECK_STATUS(rijn_ctr_update(&ctr, to, to, ((size_t)1 << 36) + 1), RIJN_ERR_SIZE);
    /* A backend that accesses no data: 2^32 blocks are allowed. */
    rijn_key deaf = key;
    make_mock(key.backend);
    mock_ctr.ctr_crypt = deaf_ctr;
    deaf.backend = &mock;
    for (int order = 0; order < 2; order++) {
        const size_t most = (size_t)1 << 36;
        CHECK_STATUS(rijn_ctr_crypt_width(&deaf, 32, order, state, to, to, most), RIJN_OK);
        CHECK_STATUS(rijn_ctr_crypt_width(&deaf, 32, order, state, to, to, most + 1),
                     RIJN_ERR_SIZE);
        CHECK_STATUS(rijn_ctr_crypt_width(&deaf, 64, order, state, to, to, most + 1), RIJN_OK);
    }
#endif
    CHECK_BYTES(state, iv, 32);
    check_around(out.end, 0);
}

/* A counter of 32 bits gives 2^32 blocks and not a byte more; wider ones continue. The test sets the state
 * near the end, because 64 GiB take too long. */
static void test_ctr_limit(void)
{
    static const unsigned widths[] = {32, 64, 128};
    uint8_t *const to = room(&out, 64), want[64];
    rijn_ctr ctr;

    for (size_t i = 0; i < 2 * sizeof widths / sizeof widths[0]; i++) {
        const unsigned bits = widths[i / 2];
        const int order = i % 2;
        const rijn_status at_end = bits == 32 ? RIJN_ERR_SIZE : RIJN_OK;

        note("%s ctr, the end of a counter of %u bits, order %d", backend, bits, order);
        random_bytes(iv, 16);
        oracle_ctr_width(&oracle, bits, order, iv, want, plain, 64);
        CHECK_STATUS(rijn_ctr_start_width(&ctr, &key, bits, order, iv), RIJN_OK);
        CHECK(bits != 32 || ctr.left == UINT64_C(1) << 36);
        ctr.left = 40;
        CHECK_STATUS(rijn_ctr_update(&ctr, to, plain, 17), RIJN_OK);
        if (bits == 32) {
            CHECK_STATUS(rijn_ctr_update(&ctr, to + 17, plain + 17, 24), RIJN_ERR_SIZE);
            CHECK_FILL(to + 17, 0xa5, 47); /* which changes nothing */
        }
        CHECK_STATUS(rijn_ctr_update(&ctr, to + 17, plain + 17, 23), RIJN_OK);
        CHECK_BYTES(to, want, 40);
        CHECK_STATUS(rijn_ctr_update(&ctr, to + 40, plain + 40, 1), at_end);
        CHECK_STATUS(rijn_ctr_update(&ctr, NULL, NULL, 0), RIJN_OK);
        if (bits == 32)
            CHECK_FILL(to + 40, 0xa5, 24);
        memset(to, 0xa5, 64);
    }
}

/* ---- XTS ---- */

static void check_xts(size_t size)
{
    random_bytes(iv, 16);
    oracle_xts(key_bytes, 2 * key_size, false, iv, cipher, plain, size);
    for (int in_place = 0; in_place < 2; in_place++) {
        const uint8_t *from = put(&in, plain, size), *const tweak = put(&ivs, iv, 16);
        uint8_t *to = room(&out, size);

        note("%s xts, AES-%zu, %zu bytes%s", backend, key_size * 8, size,
             in_place ? ", in place" : "");
        if (in_place) {
            memcpy(to, plain, size);
            from = to;
        }
        CHECK_STATUS(rijn_xts_encrypt(&xts, tweak, to, from, size), RIJN_OK);
        CHECK_BYTES(to, cipher, size);
        check_around(to, size);
        from = in_place ? to : put(&in, cipher, size);
        CHECK_STATUS(rijn_xts_decrypt(&xts, tweak, to, from, size), RIJN_OK);
        CHECK_BYTES(to, plain, size);
        check_around(to, size);
    }
}

/* Checks XTS with the stack `depth` bytes deeper. XTS aligns a table on the stack itself; writes beside
 * the table would change its own variables. */
static void check_xts_deeper(size_t depth, size_t size)
{
    uint8_t *const volatile room = __builtin_alloca(depth);

    room[0] = 0;
    check_xts(size);
}

static void test_xts(size_t batch)
{
    for (key_size = 16; key_size <= 32; key_size += 16) {
        random_bytes(key_bytes, 2 * key_size);
        CHECK_STATUS(rijn_xts_key_init(&xts, key_bytes, 2 * key_size, backend), RIJN_OK);
        for (size_t size = 16; size <= 2 * batch + 40; size++)
            check_xts(size);
        for (size_t size = 3 * batch - 17; size <= 3 * batch + 17; size += 3)
            check_xts(size);
        for (size_t depth = 8; depth <= 64; depth += 8)
            check_xts_deeper(depth, 2 * batch + 16);
    }
}

static void test_xts_errors(void)
{
    uint8_t *const to = room(&out, 64);
    rijn_xts_key blank, made;

    note("%s xts, errors", backend);
    rijn_xts_key_wipe(NULL);
    CHECK_STATUS(rijn_xts_key_init(NULL, key_bytes, 32, backend), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_xts_key_init(&made, NULL, 32, backend), RIJN_ERR_ARGUMENT);
    for (size_t size = 0; size <= 65; size++) {
        if (size == 32 || size == 64)
            continue;
        CHECK_STATUS(rijn_xts_key_init(&made, key_bytes, size, backend), RIJN_ERR_KEY_SIZE);
        CHECK_FILL(&made, 0, sizeof made);
    }
    CHECK_STATUS(rijn_xts_key_init(&made, key_bytes, 32, "rijndael"), RIJN_ERR_BACKEND);
    CHECK_FILL(&made, 0, sizeof made);
    for (size_t size = 32; size <= 64; size += 32) {
        uint8_t equal[64];
        memcpy(equal, key_bytes, size / 2);
        memcpy(equal + size / 2, key_bytes, size / 2);
        CHECK_STATUS(rijn_xts_key_init(&made, equal, size, backend), RIJN_ERR_EQUAL_HALVES);
        CHECK_FILL(&made, 0, sizeof made);
        equal[size - 1] ^= 1;
        CHECK_STATUS(rijn_xts_key_init(&made, equal, size, backend), RIJN_OK);
    }
    rijn_xts_key_wipe(&made);
    CHECK_FILL(&made, 0, sizeof made);

    rijn_xts_key_wipe(&blank);
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        rijn_status (*const call)(const rijn_xts_key *, const uint8_t *, uint8_t *, const uint8_t *,
                                  size_t) = decrypt ? rijn_xts_decrypt : rijn_xts_encrypt;
        CHECK_STATUS(call(NULL, iv, to, plain, 32), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(call(&blank, iv, to, plain, 32), RIJN_ERR_STATE);
        CHECK_STATUS(call(&xts, NULL, to, plain, 32), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(call(&xts, iv, NULL, plain, 32), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(call(&xts, iv, to, NULL, 32), RIJN_ERR_ARGUMENT);
        CHECK_STATUS(call(&xts, iv, to + 31, to, 32), RIJN_ERR_OVERLAP);
        for (size_t size = 0; size < 16; size++)
            CHECK_STATUS(call(&xts, iv, to, plain, size), RIJN_ERR_SIZE);
        CHECK_STATUS(call(&xts, iv, to, to, ((size_t)1 << 24) + 1), RIJN_ERR_SIZE);
        CHECK_STATUS(call(&xts, iv, to, to, SIZE_MAX), RIJN_ERR_SIZE);
    }
    check_around(out.end, 0);
}

/* ---- CMAC ---- */

static void check_cmac(size_t size)
{
    const size_t tag_size = size % 3 == 0 ? 16 : 1 + size % 16;
    const uint8_t *const from = put(&in, plain, size);
    uint8_t want[16], *const tag = room(&out, tag_size);
    rijn_cmac_state cmac, copy;

    note("%s cmac, AES-%zu, %zu bytes", backend, key_size * 8, size);
    oracle_cmac(&oracle, want, plain, size);
    CHECK_STATUS(rijn_cmac(&key, tag, tag_size, from, size), RIJN_OK);
    CHECK_BYTES(tag, want, tag_size);
    check_around(tag, tag_size);

    memset(&cmac, 0xa5, sizeof cmac);
    CHECK_STATUS(rijn_cmac_start(&cmac, &key), RIJN_OK);
    for (size_t at = 0, n; at < size; at += n) {
        n = random_below(2) == 0 ? random_below(20) : random_below(size + 1);
        n = n < size - at ? n : size - at;
        CHECK_STATUS(rijn_cmac_update(&cmac, from + at, n), RIJN_OK);
    }
    copy = cmac;
    CHECK_STATUS(rijn_cmac_finish(&cmac, tag, tag_size), RIJN_OK);
    CHECK_BYTES(tag, want, tag_size);
    CHECK_FILL(&cmac, 0, sizeof cmac);
    cmac = copy;
    CHECK_STATUS(rijn_cmac_verify(&cmac, want, tag_size), RIJN_OK);
    CHECK_FILL(&cmac, 0, sizeof cmac);
    want[random_below(tag_size)] ^= (uint8_t)(1 << random_below(8));
    CHECK_STATUS(rijn_cmac_verify(&copy, want, tag_size), RIJN_ERR_TAG);
    CHECK_FILL(&copy, 0, sizeof copy);
}

static void test_cmac_errors(void)
{
    uint8_t tag[16] = {0};
    rijn_cmac_state cmac;
    rijn_key blank;

    note("%s cmac, errors", backend);
    rijn_key_wipe(&blank);
    rijn_cmac_wipe(NULL);
    CHECK_STATUS(rijn_cmac(NULL, tag, 16, plain, 5), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_cmac(&key, NULL, 16, plain, 5), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_cmac(&key, tag, 16, NULL, 5), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_cmac(&key, tag, 0, plain, 5), RIJN_ERR_TAG_SIZE);
    CHECK_STATUS(rijn_cmac(&key, tag, 17, plain, 5), RIJN_ERR_TAG_SIZE);
    CHECK_STATUS(rijn_cmac(&blank, tag, 16, plain, 5), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_cmac_start(NULL, &key), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_cmac_start(&cmac, NULL), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_cmac_start(&cmac, &blank), RIJN_ERR_STATE);
    rijn_cmac_wipe(&cmac);
    CHECK_STATUS(rijn_cmac_update(&cmac, plain, 5), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_cmac_finish(&cmac, tag, 16), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_cmac_verify(&cmac, tag, 16), RIJN_ERR_STATE);
    CHECK_STATUS(rijn_cmac_start(&cmac, &key), RIJN_OK);
    CHECK_STATUS(rijn_cmac_update(NULL, plain, 5), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_cmac_update(&cmac, NULL, 5), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_cmac_finish(&cmac, NULL, 16), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_cmac_finish(&cmac, tag, 17), RIJN_ERR_TAG_SIZE);
    CHECK_STATUS(rijn_cmac_verify(&cmac, tag, 0), RIJN_ERR_TAG_SIZE);
    CHECK_FILL(tag, 0, 16);

    for (size_t size = 1; size <= 16; size++) { /* fewer than 8 bytes need permission */
        const rijn_status want = size < 8 ? RIJN_ERR_TAG_SIZE : RIJN_OK;
        rijn_key fresh;
        note("%s cmac, a tag of %zu bytes", backend, size);
        make_key(&fresh, key_bytes, key_size, backend);
        CHECK_STATUS(rijn_cmac(&fresh, tag, size, plain, 5), want);
        CHECK_STATUS(rijn_cmac_start(&cmac, &fresh), RIJN_OK);
        CHECK_STATUS(rijn_cmac_finish(&cmac, tag, size), want);
        CHECK_STATUS(rijn_cmac_start(&cmac, &fresh), RIJN_OK);
        CHECK_STATUS(rijn_cmac_verify(&cmac, tag, size), want);
        CHECK_STATUS(rijn_key_allow_short_tags(&fresh), RIJN_OK);
        CHECK_STATUS(rijn_cmac(&fresh, tag, size, plain, 0), RIJN_OK);
        CHECK_STATUS(rijn_cmac_start(&cmac, &fresh), RIJN_OK);
        CHECK_STATUS(rijn_cmac_verify(&cmac, tag, size), RIJN_OK);
    }
}

/* ---- Key wrap ---- */

static void check_wrap(size_t size, bool padded)
{
    const size_t wrapped = (padded ? oracle_kwp : oracle_kw)(&oracle, cipher, plain, size);
    rijn_status (*const wrap)(const rijn_key *, uint8_t *, const uint8_t *, size_t) =
        padded ? rijn_kwp_wrap : rijn_kw_wrap;

    for (int in_place = 0; in_place < 2; in_place++) {
        const uint8_t *from = put(&in, plain, size);
        uint8_t *to = room(&out, wrapped);
        size_t plain_size = size;

        note("%s %s, AES-%zu, %zu bytes%s", backend, padded ? "kwp" : "kw", key_size * 8, size,
             in_place ? ", in place" : "");
        if (in_place) {
            memcpy(to, plain, size);
            from = to;
        }
        CHECK_STATUS(wrap(&key, to, from, size), RIJN_OK);
        CHECK_BYTES(to, cipher, wrapped);
        check_around(to, wrapped);

        for (int forged = 0; forged < 2; forged++) {
            to = room(&out, in_place ? wrapped : wrapped - 8);
            from = put(&in, cipher, wrapped);
            if (in_place) {
                memcpy(to, cipher, wrapped);
                from = to;
            }
            if (forged)
                *(in_place ? to + random_below(wrapped)
                           : in.start + (from - in.start) + random_below(wrapped)) ^= 0x20;
            const rijn_status status = padded
                                           ? rijn_kwp_unwrap(&key, to, &plain_size, from, wrapped)
                                           : rijn_kw_unwrap(&key, to, from, wrapped);
            CHECK_STATUS(status, forged ? RIJN_ERR_TAG : RIJN_OK);
            CHECK(plain_size == (forged && padded ? 0 : size));
            CHECK_BYTES(to, plain, forged ? 0 : size);
            CHECK_FILL(to + (forged ? 0 : size), 0, wrapped - 8 - (forged ? 0 : size));
        }
    }
}

/* Checks texts that unwrap to a wrong constant, size or padding, one at a time. */
static void test_kwp_padding(void)
{
    for (size_t semiblocks = 1; semiblocks <= 3; semiblocks++) {
        const size_t padded = 8 * semiblocks;
        for (uint32_t size = 0; size <= 40; size++) {
            /* distance of a wrong byte from the end; 0: all zeros */
            for (size_t other = 0; other <= 8; other++) {
                uint8_t text[32] = {0xa6, 0x59, 0x59, 0xa6}, wrapped[32], got[24];
                const bool good =
                    size <= padded && size + 8 > padded && (other == 0 || padded - other < size);
                size_t plain_size = 77;

                text[7] = (uint8_t)size;
                if (other != 0)
                    text[8 + padded - other] = (uint8_t)(1 << other % 8);
                if (semiblocks == 1) {
                    oracle_encrypt(&oracle, wrapped, text);
                } else {
                    oracle_w(&oracle, text, semiblocks + 1);
                    memcpy(wrapped, text, padded + 8);
                }
                note("%s kwp, %zu semiblocks, size %u, byte %zu from the end set", backend,
                     semiblocks, (unsigned)size, other);
                CHECK_STATUS(rijn_kwp_unwrap(&key, got, &plain_size, wrapped, padded + 8),
                             good ? RIJN_OK : RIJN_ERR_TAG);
                CHECK(plain_size == (good ? size : 0));
                if (!good)
                    CHECK_FILL(got, 0, padded);
            }
        }
    }
}

static void test_wrap_errors(void)
{
    uint8_t *const to = room(&out, 128);
    size_t plain_size = 5;
    rijn_key blank;

    note("%s key wrap, errors", backend);
    rijn_key_wipe(&blank);
    for (size_t size = 0; size < 40; size++) {
        if (size < 16 || size % 8 != 0)
            CHECK_STATUS(rijn_kw_wrap(&key, to, plain, size), RIJN_ERR_SIZE);
        if (size < 24 || size % 8 != 0)
            CHECK_STATUS(rijn_kw_unwrap(&key, to, plain, size), RIJN_ERR_SIZE);
        if (size < 16 || size % 8 != 0)
            CHECK_STATUS(rijn_kwp_unwrap(&key, to, &plain_size, plain, size), RIJN_ERR_SIZE);
    }
    CHECK_STATUS(rijn_kwp_wrap(&key, to, plain, 0), RIJN_ERR_SIZE);
    CHECK_STATUS(rijn_kw_wrap(&key, to, to, SIZE_MAX - 7), RIJN_ERR_SIZE);
#if SIZE_MAX > UINT32_MAX
    CHECK_STATUS(rijn_kw_unwrap(&key, to, to, SIZE_MAX - 7), RIJN_ERR_SIZE);
    CHECK_STATUS(rijn_kwp_wrap(&key, to, to, (size_t)1 << 32), RIJN_ERR_SIZE);
    CHECK_STATUS(rijn_kwp_unwrap(&key, to, &plain_size, to, ((size_t)1 << 32) + 16), RIJN_ERR_SIZE);
#endif
    CHECK_STATUS(rijn_kwp_unwrap(&key, to, NULL, plain, 24), RIJN_ERR_ARGUMENT);
#define REFUSED(want, key, to, from) \
    do { \
        CHECK_STATUS(rijn_kw_wrap(key, to, from, 24), want); \
        CHECK_STATUS(rijn_kw_unwrap(key, to, from, 24), want); \
        CHECK_STATUS(rijn_kwp_wrap(key, to, from, 24), want); \
        CHECK_STATUS(rijn_kwp_unwrap(key, to, &plain_size, from, 24), want); \
    } while (0)
    REFUSED(RIJN_ERR_ARGUMENT, NULL, to, plain);
    REFUSED(RIJN_ERR_ARGUMENT, &key, NULL, plain);
    REFUSED(RIJN_ERR_ARGUMENT, &key, to, NULL);
    REFUSED(RIJN_ERR_STATE, &blank, to, plain);
    REFUSED(RIJN_ERR_OVERLAP, &key, to, to + 1);
    REFUSED(RIJN_ERR_OVERLAP, &key, to + 8, to);
#undef REFUSED
    CHECK_STATUS(rijn_kw_wrap(&key, to, to + 31, 24), RIJN_ERR_OVERLAP);
    CHECK_STATUS(rijn_kwp_wrap(&key, to, to + 31, 24), RIJN_ERR_OVERLAP);
    CHECK(plain_size == 5);
    check_around(out.end, 0);
}

/* ---- All tests, for one backend ---- */

static void run(const rijn_backend_info *info)
{
    const size_t batch = 16 * (size_t)info->blocks;

    backend = info->name;
    random_bytes(plain, MOST);
    for (key_size = 16; key_size <= 32; key_size += 8) {
        random_bytes(key_bytes, key_size);
        make_key(&key, key_bytes, key_size, backend);
        CHECK_STATUS(rijn_key_allow_short_tags(&key), RIJN_OK);
        oracle_init(&oracle, key_bytes, key_size);
        for (size_t size = 0; size <= batch + 34; size++) {
            check_streams(size);
            check_cmac(size);
        }
        for (size_t size = 2 * batch - 16; size <= 3 * batch + 33; size += 1 + random_below(23))
            check_streams(size);
        test_counters(batch);
        test_stream_errors();
        test_ctr_limit();
        test_cmac_errors();
        for (size_t size = 1; size <= 70; size++) {
            check_wrap(size, true);
            if (size % 8 == 0 && size > 8)
                check_wrap(size, false);
        }
        test_kwp_padding();
        test_wrap_errors();
    }
    test_xts(batch);
    test_xts_errors();
}

int main(int argc, char **argv)
{
    arena *const all[] = {&in, &out, &ivs};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        *all[i] = new_arena(MOST);
    return test_backends(argc, argv, run);
}
