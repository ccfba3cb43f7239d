/* Measures the backends of librijn, through rijn.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "rijn.h"

typedef struct {
    union {
        rijn_key aes;
        rijn_xts_key xts;
        rijn_siv_key siv;
        rijn_aegis_key aegis;
    } key;
    const char *backend;
    algorithm what;
    /* Offsets of many messages and of their results, for messages of `spaced` bytes or of `sizes`. */
    int32_t *offsets, *results;
    size_t spaced;
    const uint16_t *sizes;
} state;

typedef rijn_status sealing(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                            const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                            size_t ad_size, const uint8_t *in, size_t size);
typedef rijn_status opening(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                            size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                            const uint8_t *ad, size_t ad_size, const uint8_t *in, size_t size);

/* The AEADs that take a rijn_key. */
static const struct {
    sealing *seal;
    opening *open;
    size_t nonce_size;
} aeads[] = {
    [GCM] = {rijn_gcm_seal, rijn_gcm_open, 12},
    [GCM_SIV] = {rijn_gcm_siv_seal, rijn_gcm_siv_open, 12},
    [XAES] = {rijn_xaes_seal, rijn_xaes_open, 24},
    [CCM] = {rijn_ccm_seal, rijn_ccm_open, 12},
    [OCB] = {rijn_ocb_seal, rijn_ocb_open, 12},
    [EAX] = {rijn_eax_seal, rijn_eax_open, 16},
};

/* An AEGIS kernel has only AEGIS, so rijn_key_init does not know its name. */
static bool rijn_rekey(void *memory, const uint8_t *key)
{
    state *s = memory;
    const size_t size = s->what.key_size;
    const mode m = s->what.mode;
    rijn_status status;

    if (m >= AEGIS_128L)
        status = rijn_aegis_key_init(&s->key.aegis, (rijn_aegis_variant)(m - AEGIS_128L), key, size,
                                     s->backend);
    else if (m == XTS)
        status = rijn_xts_key_init(&s->key.xts, key, size, s->backend);
    else if (m == SIV)
        status = rijn_siv_key_init(&s->key.siv, key, size, s->backend);
    else
        status = rijn_key_init(&s->key.aes, key, size, s->backend);
    return status == RIJN_OK;
}

static void *rijn_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    state *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->backend = strchr(self->name, '/') + 1;
    s->what = *what;
    if (rijn_rekey(s, key))
        return s;
    free(s);
    return NULL;
}

static rijn_status run_aead(const state *s, const uint8_t *nonce, uint8_t *out, const uint8_t *in,
                            size_t size)
{
    const mode m = s->what.mode;

    if (m >= AEGIS_128L) {
        const rijn_aegis_key *key = &s->key.aegis;
        const size_t nonce_size = s->what.key_size;
        if (s->what.decrypt)
            return rijn_aegis_open(key, out, in + size, TAG, nonce, nonce_size, NULL, 0, in, size);
        return rijn_aegis_seal(key, out, out + size, TAG, nonce, nonce_size, NULL, 0, in, size);
    }
    if (m == SIV && s->what.decrypt)
        return rijn_siv_open(&s->key.siv, out, in + size, NULL, 0, in, size);
    if (m == SIV)
        return rijn_siv_seal(&s->key.siv, out, out + size, NULL, 0, in, size);
    if (s->what.decrypt)
        return aeads[m].open(&s->key.aes, out, in + size, TAG, nonce, aeads[m].nonce_size, NULL, 0,
                             in, size);
    return aeads[m].seal(&s->key.aes, out, out + size, TAG, nonce, aeads[m].nonce_size, NULL, 0, in,
                         size);
}

static bool rijn_run(void *memory, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                     size_t size)
{
    const state *s = memory;
    const rijn_key *key = &s->key.aes;
    const bool decrypt = s->what.decrypt;
    uint8_t iv[32];
    rijn_status status;

    if (s->what.mode < XTS && s->what.mode != CTR) /* calls that change the IV */
        copy_nonce(iv, nonce, sizeof iv);
    switch (s->what.mode) {
    case ECB:
        status = (decrypt ? rijn_ecb_decrypt : rijn_ecb_encrypt)(key, out, in, size);
        break;
    case CBC:
        status = (decrypt ? rijn_cbc_decrypt : rijn_cbc_encrypt)(key, iv, out, in, size);
        break;
    case CTR:
        status = rijn_ctr_crypt(key, nonce, out, in, size);
        break;
    case CFB:
        status = (decrypt ? rijn_cfb_decrypt : rijn_cfb_encrypt)(key, iv, NULL, out, in, size);
        break;
    case CFB8:
        status = (decrypt ? rijn_cfb8_decrypt : rijn_cfb8_encrypt)(key, iv, out, in, size);
        break;
    case OFB:
        status = rijn_ofb_crypt(key, iv, NULL, out, in, size);
        break;
    case IGE:
        status = (decrypt ? rijn_ige_decrypt : rijn_ige_encrypt)(key, iv, out, in, size);
        break;
    case XTS:
        status =
            (decrypt ? rijn_xts_decrypt : rijn_xts_encrypt)(&s->key.xts, nonce, out, in, size);
        break;
    case CMAC:
        status = rijn_cmac(key, out, TAG, in, size);
        break;
    default:
        status = run_aead(s, nonce, out, in, size);
    }
    return status == RIJN_OK;
}

/* Computes the offsets of messages of `size` bytes, or of `sizes`. */
static bool lay_out(state *s, size_t size, const uint16_t *sizes)
{
    if (!s->offsets) {
        s->offsets = malloc((MANY_MESSAGES + 1) * sizeof *s->offsets);
        s->results = malloc((MANY_MESSAGES + 1) * sizeof *s->results);
    }
    if (!s->offsets || !s->results)
        return false;
    s->offsets[0] = 0;
    for (size_t i = 0; i < MANY_MESSAGES; i++)
        s->offsets[i + 1] = s->offsets[i] + (int32_t)(sizes ? sizes[i] : size);
    s->spaced = size;
    s->sizes = sizes;
    return true;
}

static bool rijn_run_many(void *memory, uint8_t *out, const uint8_t *in, size_t size,
                          const uint16_t *sizes, size_t count)
{
    static const rijn_many_mode modes[] = {
        [GCM] = RIJN_MANY_GCM, [GCM_SIV] = RIJN_MANY_GCM_SIV, [XAES] = RIJN_MANY_XAES,
        [CCM] = RIJN_MANY_CCM, [OCB] = RIJN_MANY_OCB,         [EAX] = RIJN_MANY_EAX,
    };
    state *s = memory;
    const mode m = s->what.mode;

    static const uint8_t zeros[NONCE];

    if (m == SIV) { /* rijn_seal_many puts SIV's tag before the ciphertext */
        for (size_t i = 0; i < count; i++) {
            const size_t one = sizes ? sizes[i] : size;
            if (!rijn_run(s, zeros, out, in, one))
                return false;
            in += one;
            out += one + TAG;
        }
        return true;
    }
    if ((!s->offsets || s->spaced != size || s->sizes != sizes) && !lay_out(s, size, sizes))
        return false;
    const rijn_many many = {
        .mode = m >= AEGIS_128L ? RIJN_MANY_AEGIS : modes[m],
        .key = &s->key.aes,
        .aegis_key = &s->key.aegis,
        .count = count,
        .in = {.data = in, .size = (size_t)s->offsets[count], .offsets32 = s->offsets},
        .base = zeros,
        .nonce_size = nonce_size(&s->what),
        .out = out,
        .out_size = (size_t)s->offsets[count] + count * TAG,
        .out_offsets32 = s->results,
    };
    return rijn_seal_many(&many) == RIJN_OK;
}

static void rijn_close(void *memory)
{
    state *s = memory;
    free(s->offsets);
    free(s->results);
    rijn_wipe(s, sizeof *s);
    free(s);
}

static contender one_contender(const char *name, const char *reason, bool constant_time)
{
    enum { MAX_NAMES = 40 };
    static char names[MAX_NAMES][32];
    static size_t used;
    char *const full = names[used++ % MAX_NAMES];

    snprintf(full, sizeof names[0], "rijn/%s", name);
    return (contender){
        .name = full,
        .version = rijn_version(),
        .reason = reason,
        .linked = true,
        .constant_time = constant_time,
        .open = rijn_open,
        .run = rijn_run,
        .run_many = rijn_run_many,
        .rekey = rijn_rekey,
        .close = rijn_close,
    };
}

/* Lists the backends, and the AEGIS kernels with their own names. */
size_t rijn_contenders(contender *list)
{
    const size_t room = MAX_CONTENDERS / 2;
    size_t backends = 0, n;

    for (size_t i = 0; i < rijn_backend_count() && backends < room; i++) {
        rijn_backend_info info;
        if (rijn_backend_at(i, &info) == RIJN_OK)
            list[backends++] = one_contender(info.name, info.reason, info.constant_time);
    }
    n = backends;
    for (size_t i = 0; i < rijn_aegis_kernel_count() && n < room; i++) {
        rijn_aegis_kernel_info info;
        if (rijn_aegis_kernel_at(i, &info) != RIJN_OK || strcmp(info.name, info.backend) == 0)
            continue;
        for (size_t j = 0; j < backends; j++) {
            if (strcmp(strchr(list[j].name, '/') + 1, info.backend) == 0) {
                list[n] = one_contender(info.name, info.reason, list[j].constant_time);
                list[n++].in_full = true;
            }
        }
    }
    return n;
}
