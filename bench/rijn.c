/* The backends of librijn, through rijn.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"
#include "rijn.h"

typedef struct {
    rijn_key key;
    rijn_aegis_key aegis_key;
    const char *backend;
    algorithm what;
} state;

static bool rijn_rekey(void *memory, const uint8_t *key)
{
    state *s = memory;
    if (s->what.mode == AEGIS)
        return rijn_aegis_key_init(&s->aegis_key, (rijn_aegis_variant)s->what.variant, key,
                                   s->what.key_size, s->backend) == RIJN_OK;
    return rijn_key_init(&s->key, key, s->what.key_size, s->backend) == RIJN_OK;
}

static void *rijn_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    state *s = malloc(sizeof *s);

    if (!s)
        return NULL;
    s->backend = strchr(self->name, '/') + 1;
    s->what = *what;
    if (rijn_rekey(s, key))
        return s;
    free(s);
    return NULL;
}

static bool rijn_run(void *memory, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                     size_t size)
{
    const state *s = memory;
    const rijn_key *key = &s->key;
    const rijn_aegis_key *aegis = &s->aegis_key;
    const bool decrypt = s->what.decrypt;
    uint8_t iv[16];

    switch (s->what.mode) {
    case ECB:
        return (decrypt ? rijn_ecb_decrypt : rijn_ecb_encrypt)(key, out, in, size) == RIJN_OK;
    case CBC:
        memcpy(iv, nonce, sizeof iv);
        return (decrypt ? rijn_cbc_decrypt : rijn_cbc_encrypt)(key, iv, out, in, size) == RIJN_OK;
    case CTR:
        return rijn_ctr_crypt(key, nonce, out, in, size) == RIJN_OK;
    case GCM:
        if (decrypt)
            return rijn_gcm_open(key, out, in + size, TAG, nonce, 12, NULL, 0, in, size) == RIJN_OK;
        return rijn_gcm_seal(key, out, out + size, TAG, nonce, 12, NULL, 0, in, size) == RIJN_OK;
    case AEGIS:
        if (decrypt)
            return rijn_aegis_open(aegis, out, in + size, TAG, nonce, s->what.key_size, NULL, 0, in,
                                   size) == RIJN_OK;
        return rijn_aegis_seal(aegis, out, out + size, TAG, nonce, s->what.key_size, NULL, 0, in,
                               size) == RIJN_OK;
    }
    return false;
}

static void rijn_close(void *memory)
{
    state *s = memory;
    rijn_key_wipe(&s->key);
    rijn_aegis_key_wipe(&s->aegis_key);
    free(s);
}

size_t rijn_contenders(contender *list)
{
    enum { MAX_BACKENDS = 24 };
    static char names[MAX_BACKENDS][32];
    size_t n = 0;

    for (size_t i = 0; i < rijn_backend_count() && n < MAX_BACKENDS; i++) {
        rijn_backend_info info;
        if (rijn_backend_at(i, &info) != RIJN_OK)
            continue;
        snprintf(names[n], sizeof names[n], "rijn/%s", info.name);
        list[n] = (contender){
            .name = names[n],
            .version = rijn_version(),
            .reason = info.reason,
            .linked = true,
            .constant_time = info.constant_time,
            .open = rijn_open,
            .run = rijn_run,
            .rekey = rijn_rekey,
            .close = rijn_close,
        };
        n++;
    }
    return n;
}
