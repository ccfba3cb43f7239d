/* One-shot calls: every backend against the oracle of tests/check (messages of up to ORACLE_MOST bytes)
 * and against the first backend (all messages).
 *
 * Input: mode, flags, key size and key, 16 bytes of IV or counter, nonce size and nonce, size of
 * associated data, tag size, chunk. The rest is the message; its beginning is also the associated
 * data. */
#include "fuzz.h"
#include "oracle.h"

#define MOST 8192
#define ORACLE_MOST 400

enum { IN_PLACE = 1, MISALIGN = 2, FORGE = 4, LAST = 8 };
enum { ECB, CBC, CBC_PADDED, CTR, GCM, CHUNKS, MODES };

typedef struct job {
    uint8_t mode, flags;
    uint8_t key[32], iv[16], nonce[64];
    size_t key_size, nonce_size, ad_size, tag_size, chunk, size;
    uint8_t message[MOST];
} job;

/* The results of a job: both directions and the statuses. */
typedef struct answer {
    rijn_status sealed_status, opened_status;
    size_t sealed_size, opened_size;
    uint64_t bad;
    uint8_t iv[16], tag[16];
    uint8_t sealed[2 * MOST + 64], opened[2 * MOST + 64];
} answer;

static uint8_t memory[2 * (2 * MOST + 128)];

/* The input and the output of a call: separate, or the same buffer where the mode allows it. */
static uint8_t *source(const job *j)
{
    return memory + (j->flags & MISALIGN ? 3 : 0);
}

static uint8_t *target(const job *j)
{
    return j->flags & IN_PLACE && j->mode != CHUNKS
               ? source(j)
               : memory + sizeof memory / 2 + (j->flags & MISALIGN ? 9 : 0);
}

static void seal(const job *j, const rijn_key *key, answer *a)
{
    uint8_t *out = target(j), *in = source(j), tag[16];

    memcpy(in, j->message, j->size);
    memcpy(a->iv, j->iv, 16);
    a->sealed_size = j->size;
    switch (j->mode) {
    case ECB:
        a->sealed_status = rijn_ecb_encrypt(key, out, in, j->size);
        break;
    case CBC:
        a->sealed_status = rijn_cbc_encrypt(key, a->iv, out, in, j->size);
        break;
    case CBC_PADDED:
        a->sealed_size = j->size / 16 * 16 + 16;
        a->sealed_status = rijn_cbc_encrypt_padded(key, j->iv, out, in, j->size);
        break;
    case CTR:
        a->sealed_status = rijn_ctr_crypt(key, j->iv, out, in, j->size);
        break;
    case GCM:
        a->sealed_status = rijn_gcm_seal(key, out, a->tag, j->tag_size, j->nonce, j->nonce_size,
                                         j->message, j->ad_size, in, j->size);
        REQUIRE(rijn_gcm_tag(key, tag, j->tag_size, j->nonce, j->nonce_size, j->message, j->ad_size,
                             out, j->size) == a->sealed_status &&
                    memcmp(tag, a->tag, j->tag_size) == 0,
                "%s", rijn_key_backend(key));
        break;
    default: {
        const size_t last = (j->flags & LAST) != 0;
        a->sealed_size += 16 * (j->size / j->chunk + last);
        a->sealed_status = rijn_gcm_seal_chunks(key, out, j->nonce, j->nonce_size, j->chunk,
                                                (int)last, in, j->size);
    }
    }
    if (a->sealed_status == RIJN_OK)
        memcpy(a->sealed, out, a->sealed_size);
    else
        a->sealed_size = 0;
}

/* Opens the sealed message, which may be altered. */
static void open(const job *j, const rijn_key *key, answer *a)
{
    uint8_t *out = target(j), *in = source(j), iv[16], tag[16];
    const size_t size = a->sealed_size;

    if (a->sealed_status != RIJN_OK)
        return;
    memcpy(in, a->sealed, size);
    memcpy(iv, j->iv, 16);
    memcpy(tag, a->tag, 16);
    if (j->flags & FORGE) {
        if (size != 0)
            in[j->ad_size % size] ^= 0x80;
        else
            tag[0] ^= 0x80;
    }
    a->opened_size = size;
    switch (j->mode) {
    case ECB:
        a->opened_status = rijn_ecb_decrypt(key, out, in, size);
        break;
    case CBC:
        a->opened_status = rijn_cbc_decrypt(key, iv, out, in, size);
        break;
    case CBC_PADDED:
        a->opened_status = rijn_cbc_decrypt_padded(key, iv, out, &a->opened_size, in, size);
        break;
    case CTR:
        a->opened_status = rijn_ctr_crypt(key, iv, out, in, size);
        break;
    case GCM:
        a->opened_status = rijn_gcm_open(key, out, tag, j->tag_size, j->nonce, j->nonce_size,
                                         j->message, j->ad_size, in, size);
        break;
    default:
        a->opened_size = j->size;
        a->opened_status = rijn_gcm_open_chunks(key, out, &a->bad, j->nonce, j->nonce_size,
                                                j->chunk, (j->flags & LAST) != 0, in, size);
    }
    memcpy(a->opened, out, a->opened_size);
}

/* Checks that apply to every backend. */
static void check_answer(const job *j, const answer *a, const char *name)
{
    const bool authentic = j->mode == GCM || j->mode == CHUNKS;
    const bool whole = j->mode != ECB && j->mode != CBC ? true : j->size % 16 == 0;

    if (j->mode == CHUNKS && !(j->flags & LAST) && j->size % j->chunk != 0) {
        REQUIRE(a->sealed_status == RIJN_ERR_SIZE, "%s", name);
        return;
    }
    REQUIRE(a->sealed_status == (whole ? RIJN_OK : RIJN_ERR_SIZE), "%s mode %d", name, j->mode);
    if (!whole)
        return;
    if (!(j->flags & FORGE) || (j->mode != GCM && a->sealed_size == 0)) {
        REQUIRE(a->opened_status == RIJN_OK, "%s mode %d", name, j->mode);
        REQUIRE(a->opened_size == j->size, "%s mode %d", name, j->mode);
        REQUIRE(memcmp(a->opened, j->message, j->size) == 0, "%s mode %d", name, j->mode);
    } else if (authentic) {
        REQUIRE(a->opened_status == RIJN_ERR_TAG, "%s mode %d", name, j->mode);
        for (size_t i = 0; i < j->size; i++)
            REQUIRE(a->opened[i] == 0, "%s mode %d byte %zu", name, j->mode, i);
    }
}

static void check_oracle(const job *j, const answer *a)
{
    static uint8_t want[ORACLE_MOST + 16];
    uint8_t padded[ORACLE_MOST + 16], tag[16];
    oracle_key key;

    if (j->size > ORACLE_MOST || a->sealed_status != RIJN_OK || j->mode == CHUNKS)
        return;
    oracle_init(&key, j->key, j->key_size);
    switch (j->mode) {
    case ECB:
        oracle_ecb(&key, false, want, j->message, j->size);
        break;
    case CBC:
        oracle_cbc(&key, false, j->iv, want, j->message, j->size);
        break;
    case CBC_PADDED:
        memcpy(padded, j->message, j->size);
        memset(padded + j->size, (int)(a->sealed_size - j->size), a->sealed_size - j->size);
        oracle_cbc(&key, false, j->iv, want, padded, a->sealed_size);
        break;
    case CTR:
        oracle_ctr(&key, j->iv, want, j->message, j->size);
        break;
    default:
        oracle_gcm(&key, false, want, tag, j->nonce, j->nonce_size, j->message, j->ad_size,
                   j->message, j->size);
        REQUIRE(memcmp(a->tag, tag, j->tag_size) == 0, "tag");
    }
    REQUIRE(memcmp(a->sealed, want, a->sealed_size) == 0, "mode %d", j->mode);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t tag_sizes[] = {16, 4, 8, 12, 13, 14, 15};
    static job j;
    static answer first, other;
    const char *names[MOST_BACKENDS];
    const size_t backends = list_backends(names);
    choices c = {data, size};

    memset(&j, 0, sizeof j);
    j.mode = choose(&c) % MODES;
    j.flags = choose(&c);
    j.key_size = choose_key(&c, j.key);
    choose_bytes(&c, j.iv, 16);
    j.nonce_size = 1 + choose(&c) % 64;
    choose_bytes(&c, j.nonce, sizeof j.nonce);
    j.ad_size = choose_16(&c) % MOST;
    j.tag_size = tag_sizes[choose(&c) % sizeof tag_sizes];
    j.chunk = 1 + choose_16(&c) % 600;
    j.size = c.left < MOST ? c.left : MOST;
    if (j.mode == CHUNKS && j.size / j.chunk > MOST / 16 / 2)
        j.size = j.chunk * (MOST / 16 / 2); /* so that tags fit too */
    choose_bytes(&c, j.message, j.size);
    if (j.ad_size > ORACLE_MOST && j.size <= ORACLE_MOST)
        j.ad_size %= ORACLE_MOST;

    for (size_t i = 0; i < backends; i++) {
        answer *a = i == 0 ? &first : &other;
        rijn_key key;
        memset(a, 0, sizeof *a);
        REQUIRE(rijn_key_init(&key, j.key, j.key_size, names[i]) == RIJN_OK, "%s", names[i]);
        REQUIRE(rijn_key_allow_short_tags(&key) == RIJN_OK, "%s", names[i]);
        seal(&j, &key, a);
        open(&j, &key, a);
        check_answer(&j, a, names[i]);
        if (i == 0)
            check_oracle(&j, a);
        else
            REQUIRE(memcmp(&first, &other, sizeof first) == 0, "%s and %s, mode %d", names[0],
                    names[i], j.mode);
    }
    return 0;
}
