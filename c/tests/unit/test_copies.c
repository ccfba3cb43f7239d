/* Messages in pieces that are copied at every byte: the copy and the original end as the message in one
 * piece does, under the same key and under a copy of it, and neither changes the other. */
#include "check.h"

enum { AD = 21, MOST = 150, STATE = 1024 };

static rijn_key key, twin, other_key;
static uint8_t nonce[16], ad[AD], plain[MOST], want[MOST], tag[16];

/* A mode. Its functions take any state; `seal` makes the message in one piece. MAC and CTR have no
 * associated data, CTR has no tag, and the MAC writes no data. */
typedef struct mode {
    const char *name;
    size_t size, ad; /* of the state, of the associated data */
    size_t unit;     /* the sizes of all pieces but the last are multiples of it */
    rijn_status (*whole)(size_t size);
    rijn_status (*start)(void *state, const rijn_key *key);
    rijn_status (*more_ad)(void *state, const uint8_t *ad, size_t size);
    rijn_status (*data)(void *state, uint8_t *out, const uint8_t *in, size_t size);
    rijn_status (*copy)(void *to, const void *from, const rijn_key *key);
    rijn_status (*finish)(void *state, uint8_t *tag);
    void (*wipe)(void *state);
} mode;

#define COMMON(mode, start_call, data_call, finish_call) \
    static rijn_status mode##_start(void *state, const rijn_key *with) \
    { \
        return start_call; \
    } \
    static rijn_status mode##_data(void *state, uint8_t *out, const uint8_t *in, size_t size) \
    { \
        return data_call; \
    } \
    static rijn_status mode##_copy(void *to, const void *from, const rijn_key *with) \
    { \
        return rijn_##mode##_copy(to, from, with); \
    } \
    static rijn_status mode##_finish(void *state, uint8_t *out_tag) \
    { \
        return finish_call; \
    } \
    static void mode##_wipe(void *state) \
    { \
        rijn_##mode##_wipe(state); \
    }
#define AEAD(mode, start_call, finish_call) \
    COMMON(mode, start_call, rijn_##mode##_encrypt(state, out, in, size), finish_call) \
    static rijn_status mode##_whole(size_t size) \
    { \
        return rijn_##mode##_seal(&key, want, tag, 16, nonce, 12, ad, AD, plain, size); \
    } \
    static rijn_status mode##_ad(void *state, const uint8_t *bytes, size_t size) \
    { \
        return rijn_##mode##_ad(state, bytes, size); \
    }
#define ROW(mode, type, ad_size, its_ad, unit) \
    { \
#mode, sizeof(type), ad_size, unit, mode##_whole, mode##_start, its_ad, mode##_data, \
            mode##_copy, mode##_finish, mode##_wipe \
    }

AEAD(gcm, rijn_gcm_start(state, with, nonce, 12), rijn_gcm_finish(state, out_tag, 16))
AEAD(ocb, rijn_ocb_start(state, with, 16, nonce, 12), rijn_ocb_finish(state, out_tag))
AEAD(eax, rijn_eax_start(state, with, nonce, 12), rijn_eax_finish(state, out_tag, 16))
COMMON(ctr, rijn_ctr_start(state, with, nonce), rijn_ctr_update(state, out, in, size),
       (rijn_ctr_wipe(state), memset(out_tag, 0, 16), RIJN_OK))
COMMON(cmac, rijn_cmac_start(state, with),
       (memset(out, 0, size), rijn_cmac_update(state, in, size)),
       rijn_cmac_finish(state, out_tag, 16))

static rijn_status ctr_whole(size_t size)
{
    memset(tag, 0, 16);
    return rijn_ctr_crypt(&key, nonce, want, plain, size);
}

static rijn_status cmac_whole(size_t size)
{
    memset(want, 0, size);
    return rijn_cmac(&key, tag, 16, plain, size);
}

static const mode modes[] = {
    ROW(gcm, rijn_gcm, AD, gcm_ad, 1),      ROW(ocb, rijn_ocb, AD, ocb_ad, 16),
    ROW(eax, rijn_eax, AD, eax_ad, 1),      ROW(ctr, rijn_ctr, 0, NULL, 1),
    ROW(cmac, rijn_cmac_state, 0, NULL, 1),
};

/* Continues a message that has its first `at` bytes, of the associated data and then of the data, and
 * checks the rest and the tag. */
static void check_end(const mode *m, void *state, size_t at, size_t size)
{
    uint8_t out[MOST], got[16];
    const size_t begun = at > m->ad ? at - m->ad : 0;

    if (at < m->ad)
        CHECK_STATUS(m->more_ad(state, ad + at, m->ad - at), RIJN_OK);
    CHECK_STATUS(m->data(state, out, plain + begun, size - begun), RIJN_OK);
    CHECK_BYTES(out, want + begun, size - begun);
    CHECK_STATUS(m->finish(state, got), RIJN_OK);
    CHECK_BYTES(got, tag, 16);
    CHECK_FILL(state, 0, m->size);
}

static void check_copies(const mode *m, size_t size)
{
    static _Alignas(64) uint8_t original[STATE], copy[STATE], before[STATE];
    uint8_t out[MOST];

    CHECK_STATUS(m->whole(size), RIJN_OK);
    for (size_t at = 0; at <= m->ad + size; at++) {
        const size_t begun = at > m->ad ? at - m->ad : 0;
        if (begun % m->unit)
            continue;
        note("%s %s of %zu bytes, copied after %zu", rijn_key_backend(&key), m->name, size, at);
        CHECK_STATUS(m->start(original, &key), RIJN_OK);
        if (m->ad)
            CHECK_STATUS(m->more_ad(original, ad, at < m->ad ? at : m->ad), RIJN_OK);
        if (begun)
            CHECK_STATUS(m->data(original, out, plain, begun), RIJN_OK);
        memcpy(before, original, m->size);
        memset(copy, 0xa5, m->size);
        twin = key;
        CHECK_STATUS(m->copy(copy, original, at % 2 ? &key : &twin), RIJN_OK);
        CHECK_BYTES(original, before, m->size);
        check_end(m, at % 3 ? original : copy, at, size);
        check_end(m, at % 3 ? copy : original, at, size);

        memcpy(original, before, m->size); /* its key moves */
        CHECK_STATUS(m->copy(original, original, &twin), RIJN_OK);
        rijn_key moved = key;
        rijn_key_wipe(&key);
        check_end(m, original, at, size);
        key = moved;
        rijn_key_wipe(&moved);
    }
}

static void check_refused(const mode *m)
{
    static _Alignas(64) uint8_t from[STATE], to[STATE], before[STATE];
    rijn_key blank;

    note("%s %s, copies that are refused", rijn_key_backend(&key), m->name);
    rijn_key_wipe(&blank);
    memset(to, 0xa5, STATE);
    CHECK_STATUS(m->start(from, &key), RIJN_OK);
    memcpy(before, from, STATE);
    CHECK_STATUS(m->copy(NULL, from, &key), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(m->copy(to, NULL, &key), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(m->copy(to, from, NULL), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(m->copy(to, from, &blank), RIJN_ERR_STATE);
    CHECK_STATUS(m->copy(to, from, &other_key), RIJN_ERR_STATE);
    CHECK_BYTES(from, before, STATE);
    m->wipe(from);
    CHECK_STATUS(m->copy(to, from, &key), RIJN_ERR_STATE);
    blank = key;
    CHECK_STATUS(m->start(from, &blank), RIJN_OK);
    rijn_key_wipe(&blank);
    CHECK_STATUS(m->copy(to, from, &key), RIJN_ERR_STATE);
    m->wipe(from);
    CHECK_FILL(to, 0xa5, STATE);
}

/* A key of another size, of other bytes, or of another backend is another key. */
static void check_other_keys(const uint8_t bytes[32], const char *backend)
{
    uint8_t changed[32];
    rijn_backend_info info;

    memcpy(changed, bytes, 32);
    changed[0] ^= 1;
    make_key(&key, bytes, 32, backend);
    make_key(&other_key, changed, 32, backend);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        check_refused(&modes[i]);
    make_key(&other_key, bytes, 16, backend);
    check_refused(&modes[0]);
    for (size_t b = 0; b < rijn_backend_count(); b++) {
        CHECK_STATUS(rijn_backend_at(b, &info), RIJN_OK);
        if (info.available && strcmp(info.name, backend) != 0) {
            make_key(&other_key, bytes, 32, info.name);
            check_refused(&modes[0]);
        }
    }
}

static void run(const rijn_backend_info *backend)
{
    uint8_t bytes[32];

    random_bytes(nonce, sizeof nonce);
    random_bytes(ad, sizeof ad);
    random_bytes(plain, sizeof plain);
    for (size_t size = 16; size <= 32; size += 8) {
        random_bytes(bytes, 32);
        make_key(&key, bytes, size, backend->name);
        for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
            check_copies(&modes[i], MOST);
            check_copies(&modes[i], 5);
        }
    }
    check_other_keys(bytes, backend->name);
}

int main(int argc, char **argv)
{
    return test_backends(argc, argv, run);
}
