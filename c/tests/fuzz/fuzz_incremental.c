/* Any sequence of incremental calls, in and out of order, on every backend at once. The statuses must
 * follow the order of calls in rijn.h. The bytes must equal the result of one call with all pieces.
 *
 * Input: key size and key, flags, nonce size and nonce, counter; then calls of three bytes each: which
 * call, and the size of its piece. The pieces come from a fixed message, so an input consists only of
 * decisions. */
#include "fuzz.h"

#define MOST 6000

enum { IN_PLACE = 1 };
enum { AD, ENCRYPT, DECRYPT, CTR, FINISH, VERIFY, HASH, RESTART, CALLS };
enum { IDLE, HEADER, ENCRYPTING, DECRYPTING, HASHING };

/* The expected state after the calls so far. */
typedef struct model {
    int phase;
    size_t ad_size, size, stream_size;
} model;

/* A backend with its states and its output. */
typedef struct machine {
    const char *name;
    rijn_key key;
    rijn_gcm gcm;
    rijn_ctr ctr;
    uint8_t out[MOST], stream[MOST];
} machine;

static machine machines[MOST_BACKENDS];
static uint8_t text[MOST], nonce[64], counter[16];
static size_t nonce_size;
static bool in_place;

static rijn_status crypt(rijn_status (*update)(rijn_gcm *, uint8_t *, const uint8_t *, size_t),
                         machine *m, size_t at, size_t size)
{
    if (!in_place)
        return update(&m->gcm, m->out + at, text + at, size);
    uint8_t before[MOST];
    memcpy(before, m->out + at, size);
    memcpy(m->out + at, text + at, size);
    const rijn_status status = update(&m->gcm, m->out + at, m->out + at, size);
    if (status != RIJN_OK)
        memcpy(m->out + at, before, size);
    return status;
}

/* Checks the output with one call for the whole message, and computes its tag. */
static void one_shot(const machine *m, const model *so_far, uint8_t tag[16])
{
    static uint8_t out[MOST];

    if (so_far->phase == DECRYPTING) {
        /* text is the ciphertext: sealing the decrypted plaintext must give text */
        REQUIRE(rijn_gcm_seal(&m->key, out, tag, 16, nonce, nonce_size, text, so_far->ad_size,
                              m->out, so_far->size) == RIJN_OK,
                "%s", m->name);
        REQUIRE(memcmp(out, text, so_far->size) == 0, "%s decrypting", m->name);
    } else if (so_far->phase == HASHING) {
        /* text is the ciphertext again; sealing twice gives it back */
        for (int i = 0; i < 2; i++)
            REQUIRE(rijn_gcm_seal(&m->key, out, tag, 16, nonce, nonce_size, text, so_far->ad_size,
                                  i ? out : text, so_far->size) == RIJN_OK,
                    "%s", m->name);
        REQUIRE(memcmp(out, text, so_far->size) == 0, "%s hashing", m->name);
    } else {
        REQUIRE(rijn_gcm_seal(&m->key, out, tag, 16, nonce, nonce_size, text, so_far->ad_size, text,
                              so_far->size) == RIJN_OK,
                "%s", m->name);
        REQUIRE(memcmp(out, m->out, so_far->size) == 0, "%s encrypting", m->name);
    }
}

static void check_idle(const machine *m)
{
    const uint8_t *bytes = (const uint8_t *)&m->gcm;
    for (size_t i = 0; i < sizeof m->gcm; i++)
        REQUIRE(bytes[i] == 0, "%s: byte %zu of the state", m->name, i);
}

/* Makes one call on one machine. The model before it decides the expected answer. */
static void step(machine *m, const model *so_far, int which, size_t size)
{
    const bool data_may_come = so_far->size + size <= MOST;
    uint8_t tag[16], want[16];
    rijn_status status;

    switch (which) {
    case AD:
        status = rijn_gcm_ad(&m->gcm, text + so_far->ad_size, size);
        REQUIRE(status == (so_far->phase == HEADER ? RIJN_OK : RIJN_ERR_STATE), "%s", m->name);
        break;
    case ENCRYPT:
    case DECRYPT: {
        const int phase = which == ENCRYPT ? ENCRYPTING : DECRYPTING;
        const bool right = so_far->phase == HEADER || so_far->phase == phase;
        if (!data_may_come)
            break;
        status =
            crypt(which == ENCRYPT ? rijn_gcm_encrypt : rijn_gcm_decrypt, m, so_far->size, size);
        REQUIRE(status == (right ? RIJN_OK : RIJN_ERR_STATE), "%s", m->name);
        break;
    }
    case HASH:
        if (!data_may_come)
            break;
        status = rijn_gcm_hash(&m->gcm, text + so_far->size, size);
        REQUIRE(status == (so_far->phase == HEADER || so_far->phase == HASHING ? RIJN_OK
                                                                               : RIJN_ERR_STATE),
                "%s", m->name);
        break;
    case CTR:
        status = rijn_ctr_update(&m->ctr, m->stream + so_far->stream_size,
                                 text + so_far->stream_size, size);
        REQUIRE(status == RIJN_OK, "%s", m->name);
        break;
    case FINISH:
        if (so_far->phase != IDLE && so_far->phase != DECRYPTING) {
            one_shot(m, so_far, want);
            REQUIRE(rijn_gcm_finish(&m->gcm, tag, 16) == RIJN_OK, "%s", m->name);
            REQUIRE(memcmp(tag, want, 16) == 0, "%s", m->name);
            check_idle(m);
        } else {
            REQUIRE(rijn_gcm_finish(&m->gcm, tag, 16) == RIJN_ERR_STATE, "%s", m->name);
        }
        break;
    case VERIFY:
        if (so_far->phase != IDLE && so_far->phase != ENCRYPTING) {
            one_shot(m, so_far, want);
            want[0] ^= (uint8_t)(size & 1);
            REQUIRE(rijn_gcm_verify(&m->gcm, want, 16) == (size & 1 ? RIJN_ERR_TAG : RIJN_OK), "%s",
                    m->name);
            check_idle(m);
        } else {
            REQUIRE(rijn_gcm_verify(&m->gcm, nonce, 16) == RIJN_ERR_STATE, "%s", m->name);
        }
        break;
    default:
        REQUIRE(rijn_gcm_start(&m->gcm, &m->key, nonce, nonce_size) == RIJN_OK, "%s", m->name);
        break;
    }
}

/* Updates the model after every machine has made the call. */
static void advance(model *so_far, int which, size_t size)
{
    switch (which) {
    case AD:
        if (so_far->phase == HEADER)
            so_far->ad_size += size;
        break;
    case ENCRYPT:
    case DECRYPT:
    case HASH: {
        const int phase = which == ENCRYPT ? ENCRYPTING : which == DECRYPT ? DECRYPTING : HASHING;
        if (so_far->size + size <= MOST && (so_far->phase == HEADER || so_far->phase == phase)) {
            so_far->phase = phase;
            so_far->size += size;
        }
        break;
    }
    case CTR:
        so_far->stream_size += size;
        break;
    case FINISH:
        if (so_far->phase != DECRYPTING)
            so_far->phase = IDLE;
        break;
    case VERIFY:
        if (so_far->phase != ENCRYPTING)
            so_far->phase = IDLE;
        break;
    default:
        so_far->phase = HEADER;
        so_far->ad_size = so_far->size = 0;
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t stream[MOST];
    const char *names[MOST_BACKENDS];
    const size_t backends = list_backends(names);
    choices c = {data, size};
    uint8_t key[32];
    const size_t key_size = choose_key(&c, key);
    model so_far = {HEADER, 0, 0, 0};

    in_place = choose(&c) & IN_PLACE;
    nonce_size = 1 + choose(&c) % sizeof nonce;
    choose_bytes(&c, nonce, sizeof nonce);
    choose_bytes(&c, counter, 16);
    for (size_t i = 0; i < MOST; i++)
        text[i] = (uint8_t)(i * 167 + (i >> 8));

    for (size_t i = 0; i < backends; i++) {
        machine *m = &machines[i];
        memset(m, 0, sizeof *m);
        m->name = names[i];
        REQUIRE(rijn_key_init(&m->key, key, key_size, m->name) == RIJN_OK, "%s", m->name);
        REQUIRE(rijn_gcm_start(&m->gcm, &m->key, nonce, nonce_size) == RIJN_OK, "%s", m->name);
        REQUIRE(rijn_ctr_start(&m->ctr, &m->key, counter) == RIJN_OK, "%s", m->name);
    }
    while (c.left != 0) {
        const int which = choose(&c) % CALLS;
        size_t piece = choose_16(&c) % 700;
        if (which == AD && so_far.ad_size + piece > MOST)
            piece = 0;
        if (which == CTR && so_far.stream_size + piece > MOST)
            piece = 0;
        for (size_t i = 0; i < backends; i++)
            step(&machines[i], &so_far, which, piece);
        advance(&so_far, which, piece);
        for (size_t i = 1; i < backends; i++)
            REQUIRE(memcmp(machines[0].out, machines[i].out, MOST) == 0, "%s and %s",
                    machines[0].name, machines[i].name);
    }
    for (size_t i = 0; i < backends; i++) {
        REQUIRE(rijn_ctr_crypt(&machines[i].key, counter, stream, text, so_far.stream_size) ==
                    RIJN_OK,
                "%s", machines[i].name);
        REQUIRE(memcmp(stream, machines[i].stream, so_far.stream_size) == 0, "%s",
                machines[i].name);
    }
    return 0;
}
