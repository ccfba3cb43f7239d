/* The modes that fuzz_modes.c does not cover: every backend against the oracle of tests/check (messages of up
 * to ORACLE_MOST bytes) and against the first backend (all messages), in both directions.
 *
 * Input: mode, flags, key size and key, 32 bytes of a second key, 32 bytes of IV, nonce size and nonce,
 * size of associated data, tag size, where to cut a message in pieces. The rest is the message; its
 * beginning is also the associated data. */
#include "fuzz.h"
#include "oracle_modes.h"

#define MOST 4096
#define ORACLE_MOST 400

enum { IN_PLACE = 1, FORGE = 2, LITTLE = 4, WIDTHS = 8 };
enum { CFB, CFB8, OFB, IGE, CTR, XTS, CMAC, KW, KWP, SIV, AEADS, MODES = AEADS + 5 };

typedef rijn_status seal_call(const rijn_key *, uint8_t *, uint8_t *, size_t, const uint8_t *,
                              size_t, const uint8_t *, size_t, const uint8_t *, size_t);
typedef rijn_status open_call(const rijn_key *, uint8_t *, const uint8_t *, size_t, const uint8_t *,
                              size_t, const uint8_t *, size_t, const uint8_t *, size_t);

static const struct {
    seal_call *seal;
    open_call *open;
    oracle_aead *oracle;
} aeads[MODES - AEADS] = {
    {rijn_gcm_siv_seal, rijn_gcm_siv_open, oracle_gcm_siv},
    {rijn_xaes_seal, rijn_xaes_open, oracle_xaes},
    {rijn_ccm_seal, rijn_ccm_open, oracle_ccm},
    {rijn_ocb_seal, rijn_ocb_open, oracle_ocb},
    {rijn_eax_seal, rijn_eax_open, oracle_eax},
};

typedef struct job {
    uint8_t mode, flags;
    uint8_t key[64], iv[32], nonce[40]; /* the second key follows the first at key_size */
    size_t key_size, nonce_size, ad_size, tag_size, cut, size;
    unsigned width;
    uint8_t message[MOST];
} job;

typedef struct answer {
    rijn_status sealed_status, opened_status;
    size_t sealed_size, opened_size;
    uint8_t iv[32], tag[16];
    uint8_t sealed[MOST + 16], opened[MOST + 16];
} answer;

static uint8_t memory[2][MOST + 16];

/* The associated strings of SIV. */
static void list_strings(const job *j, rijn_string strings[2])
{
    strings[0] = (rijn_string){j->message, j->ad_size};
    strings[1] = (rijn_string){j->nonce, j->nonce_size};
}

/* Runs a stream mode in two pieces, cut where the job says. */
static rijn_status in_pieces(const job *j, const rijn_key *key, uint8_t *iv, uint8_t *out,
                             const uint8_t *in, bool decrypt)
{
    const size_t first = j->cut < j->size ? j->cut : j->size;
    size_t used = 0;
    rijn_status status = RIJN_OK;

    for (int i = 0; i < 2 && status == RIJN_OK; i++) {
        const size_t at = i == 0 ? 0 : first, n = i == 0 ? first : j->size - first;
        if (j->mode == CFB)
            status = (decrypt ? rijn_cfb_decrypt : rijn_cfb_encrypt)(key, iv, &used, out + at,
                                                                     in + at, n);
        else if (j->mode == CFB8)
            status =
                (decrypt ? rijn_cfb8_decrypt : rijn_cfb8_encrypt)(key, iv, out + at, in + at, n);
        else
            status = rijn_ofb_crypt(key, iv, &used, out + at, in + at, n);
    }
    return status;
}

/* Seals or opens `in`. *size is the size of the input, then of the output. */
static rijn_status run(const job *j, const char *backend, uint8_t *iv, uint8_t *tag, uint8_t *out,
                       const uint8_t *in, size_t *size, bool decrypt)
{
    const size_t n = *size;
    rijn_string strings[2];
    rijn_key key;

    REQUIRE(rijn_key_init(&key, j->key, j->key_size, backend) == RIJN_OK, "%s", backend);
    REQUIRE(rijn_key_allow_short_tags(&key) == RIJN_OK, "%s", backend);
    switch (j->mode) {
    case CFB:
    case CFB8:
    case OFB:
        return in_pieces(j, &key, iv, out, in, decrypt);
    case IGE:
        return (decrypt ? rijn_ige_decrypt : rijn_ige_encrypt)(&key, iv, out, in, n);
    case CTR:
        return rijn_ctr_crypt_width(&key, j->width, (j->flags & LITTLE) != 0, iv, out, in, n);
    case XTS: { /* encrypts in one call, decrypts in two parts */
        const size_t first = j->cut / 16 * 16;
        rijn_xts_key xts;
        const rijn_status made = rijn_xts_key_init(&xts, j->key, 2 * j->key_size, backend);
        if (made != RIJN_OK)
            return made;
        if (decrypt && first >= 16 && first + 16 <= n) {
            REQUIRE(rijn_xts_decrypt_part(&xts, iv, 0, out, in, first) == RIJN_OK, "%s", backend);
            return rijn_xts_decrypt_part(&xts, iv, first, out + first, in + first, n - first);
        }
        return (decrypt ? rijn_xts_decrypt : rijn_xts_encrypt)(&xts, iv, out, in, n);
    }
    case CMAC: { /* in one call in one direction, in two pieces in the other */
        const size_t first = j->cut < n ? j->cut : n;
        rijn_cmac_state cmac;
        if (!decrypt) {
            memcpy(out, in, n);
            return rijn_cmac(&key, tag, j->tag_size, in, n);
        }
        REQUIRE(rijn_cmac_start(&cmac, &key) == RIJN_OK, "%s", backend);
        REQUIRE(rijn_cmac_update(&cmac, in, first) == RIJN_OK, "%s", backend);
        REQUIRE(rijn_cmac_update(&cmac, in + first, n - first) == RIJN_OK, "%s", backend);
        const rijn_status status = rijn_cmac_verify(&cmac, tag, j->tag_size);
        if (status == RIJN_OK)
            memmove(out, in, n);
        else
            memset(out, 0, n);
        return status;
    }
    case KW:
        *size = decrypt ? n - 8 : n + 8;
        return (decrypt ? rijn_kw_unwrap : rijn_kw_wrap)(&key, out, in, n);
    case KWP:
        if (decrypt)
            return rijn_kwp_unwrap(&key, out, size, in, n);
        *size = (n + 7) / 8 * 8 + 8;
        return rijn_kwp_wrap(&key, out, in, n);
    case SIV: {
        rijn_siv_key siv;
        REQUIRE(rijn_siv_key_init(&siv, j->key, 2 * j->key_size, backend) == RIJN_OK, "%s",
                backend);
        list_strings(j, strings);
        return decrypt ? rijn_siv_open(&siv, out, tag, strings, 2, in, n)
                       : rijn_siv_seal(&siv, out, tag, strings, 2, in, n);
    }
    default:
        return decrypt ? aeads[j->mode - AEADS].open(&key, out, tag, j->tag_size, j->nonce,
                                                     j->nonce_size, j->message, j->ad_size, in, n)
                       : aeads[j->mode - AEADS].seal(&key, out, tag, j->tag_size, j->nonce,
                                                     j->nonce_size, j->message, j->ad_size, in, n);
    }
}

static bool authentic(const job *j)
{
    return j->mode >= CMAC;
}

static void answer_job(const job *j, const char *backend, answer *a)
{
    uint8_t iv[32], tag[16];
    uint8_t *const in = memory[0], *const out = j->flags & IN_PLACE ? memory[0] : memory[1];
    const bool forge = j->flags & FORGE;

    memset(a, 0, sizeof *a);
    memcpy(a->iv, j->iv, 32);
    memcpy(in, j->message, j->size);
    a->sealed_size = j->size;
    a->sealed_status = run(j, backend, a->iv, a->tag, out, in, &a->sealed_size, false);
    if (a->sealed_status != RIJN_OK)
        return;
    memcpy(a->sealed, out, a->sealed_size);

    memcpy(in, a->sealed, a->sealed_size);
    memcpy(iv, j->iv, 32);
    memcpy(tag, a->tag, 16);
    if (forge && (a->sealed_size == 0 || j->cut % 2 != 0) && j->mode != KW && j->mode != KWP)
        tag[j->cut / 2 % j->tag_size] ^= 1;
    else if (forge)
        in[j->cut / 2 % a->sealed_size] ^= 0x80;
    a->opened_size = a->sealed_size;
    a->opened_status = run(j, backend, iv, tag, out, in, &a->opened_size, true);
    memcpy(a->opened, out, j->size);

    if (!authentic(j) || !forge) {
        REQUIRE(a->opened_status == RIJN_OK, "%s mode %d", backend, j->mode);
        REQUIRE(a->opened_size == j->size, "%s mode %d", backend, j->mode);
        if (!forge)
            REQUIRE(memcmp(a->opened, j->message, j->size) == 0, "%s mode %d", backend, j->mode);
    } else if (j->tag_size >= 8 || j->mode == KW ||
               j->mode == KWP) { /* shorter tags may match by chance */
        REQUIRE(a->opened_status == RIJN_ERR_TAG, "%s mode %d", backend, j->mode);
        for (size_t i = 0; i < j->size; i++)
            REQUIRE(a->opened[i] == 0, "%s mode %d byte %zu", backend, j->mode, i);
    }
}

static void check_oracle(const job *j, const answer *a)
{
    static uint8_t want[ORACLE_MOST + 16];
    uint8_t tag[16] = {0};
    rijn_string strings[2];
    oracle_key key;

    if (j->size > ORACLE_MOST || j->ad_size > ORACLE_MOST || a->sealed_status != RIJN_OK)
        return;
    oracle_init(&key, j->key, j->key_size);
    switch (j->mode) {
    case CFB:
    case CFB8:
        oracle_cfb(&key, false, j->mode == CFB ? 16 : 1, j->iv, want, j->message, j->size);
        break;
    case OFB:
        oracle_ofb(&key, j->iv, want, j->message, j->size);
        break;
    case IGE:
        oracle_ige(&key, false, j->iv, want, j->message, j->size);
        break;
    case CTR:
        oracle_ctr_width(&key, j->width, (j->flags & LITTLE) != 0, j->iv, want, j->message,
                         j->size);
        break;
    case XTS:
        oracle_xts(j->key, 2 * j->key_size, false, j->iv, want, j->message, j->size);
        break;
    case CMAC:
        memcpy(want, j->message, j->size);
        oracle_cmac(&key, tag, j->message, j->size);
        memset(tag + j->tag_size, 0, 16 - j->tag_size);
        break;
    case KW:
    case KWP:
        (j->mode == KW ? oracle_kw : oracle_kwp)(&key, want, j->message, j->size);
        break;
    case SIV:
        list_strings(j, strings);
        oracle_siv(j->key, 2 * j->key_size, want, tag, strings, 2, j->message, j->size);
        break;
    default:
        aeads[j->mode - AEADS].oracle(j->key, j->key_size, want, tag, j->tag_size, j->nonce,
                                      j->nonce_size, j->message, j->ad_size, j->message, j->size);
    }
    REQUIRE(memcmp(a->tag, tag, 16) == 0, "mode %d", j->mode);
    REQUIRE(memcmp(a->sealed, want, a->sealed_size) == 0, "mode %d", j->mode);
}

/* Changes the choices to ones that the mode accepts. */
static void restrict_job(job *j)
{
    static const size_t ccm_tags[] = {16, 4, 6, 8, 10, 12, 14};
    const size_t choice = j->tag_size;

    j->tag_size = j->mode == AEADS + 2 ? ccm_tags[choice % 7] : 16 - choice % 16;
    switch (j->mode) {
    case IGE:
        j->size -= j->size % 16;
        break;
    case XTS:
        if (j->key_size == 24)
            j->key_size = 16;
        j->key[j->key_size] = (uint8_t)~j->key[0]; /* so the halves differ */
        if (j->size < 16)
            j->size = 16;
        break;
    case KW:
        j->size = j->size < 16 ? 16 : j->size - j->size % 8;
        break;
    case KWP:
        if (j->size == 0)
            j->size = 1;
        break;
    case SIV:
        j->tag_size = 16;
        break;
    case AEADS: /* GCM-SIV */
        if (j->key_size == 24)
            j->key_size = 32;
        j->tag_size = 16;
        j->nonce_size = 12;
        break;
    case AEADS + 1: /* XAES */
        j->key_size = 32;
        j->tag_size = 16;
        j->nonce_size = 24;
        break;
    case AEADS + 2: /* CCM */
        j->nonce_size = 7 + j->nonce_size % 7;
        break;
    case AEADS + 3: /* OCB */
        j->nonce_size = 1 + j->nonce_size % 15;
        break;
    default:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned widths[] = {128, 64, 32};
    static job j;
    static answer first, other;
    const char *names[MOST_BACKENDS];
    const size_t backends = list_backends(names);
    choices c = {data, size};

    memset(&j, 0, sizeof j);
    j.mode = choose(&c) % MODES;
    j.flags = choose(&c);
    j.key_size = choose_key(&c, j.key);
    choose_bytes(&c, j.key + j.key_size, 32);
    choose_bytes(&c, j.iv, 32);
    j.nonce_size = choose(&c) % 41;
    choose_bytes(&c, j.nonce, sizeof j.nonce);
    j.ad_size = choose_16(&c) % MOST;
    j.tag_size = choose(&c);
    j.cut = choose_16(&c) % MOST;
    j.width = widths[j.flags / WIDTHS % 3];
    j.size = c.left < MOST - 16 ? c.left : MOST - 16;
    choose_bytes(&c, j.message, j.size);
    if (j.ad_size > ORACLE_MOST && j.size <= ORACLE_MOST)
        j.ad_size %= ORACLE_MOST;
    restrict_job(&j);

    for (size_t i = 0; i < backends; i++) {
        answer *a = i == 0 ? &first : &other;
        answer_job(&j, names[i], a);
        REQUIRE(a->sealed_status == RIJN_OK, "%s mode %d", names[i], j.mode);
        if (i == 0)
            check_oracle(&j, a);
        else
            REQUIRE(memcmp(&first, &other, sizeof first) == 0, "%s and %s, mode %d", names[0],
                    names[i], j.mode);
    }
    return 0;
}
