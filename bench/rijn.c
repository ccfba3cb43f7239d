/* The backends of librijn, through rijn.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"
#include "rijn.h"

typedef struct {
    rijn_key key;
    const char *backend;
    algorithm what;
} state;

static bool rijn_rekey(void *memory, const uint8_t *key)
{
    state *s = memory;
    return rijn_key_init(&s->key, key, s->what.key_size, s->backend) == RIJN_OK;
}

static void *rijn_open(const char *name, const algorithm *what, const uint8_t *key)
{
    state *s = malloc(sizeof *s);

    if (!s)
        return NULL;
    s->backend = strchr(name, '/') + 1;
    s->what = *what;
    if (rijn_rekey(s, key))
        return s;
    free(s);
    return NULL;
}

static bool rijn_run(void *memory, const uint8_t nonce[16], uint8_t *out, const uint8_t *in,
                     size_t size)
{
    const state *s = memory;
    const bool decrypt = s->what.decrypt;
    uint8_t iv[16];

    switch (s->what.mode) {
    case ECB:
        return (decrypt ? rijn_ecb_decrypt : rijn_ecb_encrypt)(&s->key, out, in, size) == RIJN_OK;
    case CBC:
        memcpy(iv, nonce, sizeof iv);
        return (decrypt ? rijn_cbc_decrypt : rijn_cbc_encrypt)(&s->key, iv, out, in, size) ==
               RIJN_OK;
    case CTR:
        return rijn_ctr_crypt(&s->key, nonce, out, in, size) == RIJN_OK;
    case GCM:
        if (decrypt)
            return rijn_gcm_open(&s->key, out, in + size, 16, nonce, 12, NULL, 0, in, size) ==
                   RIJN_OK;
        return rijn_gcm_seal(&s->key, out, out + size, 16, nonce, 12, NULL, 0, in, size) ==
               RIJN_OK;
    }
    return false;
}

static void rijn_close(void *memory)
{
    state *s = memory;
    rijn_key_wipe(&s->key);
    free(s);
}

size_t rijn_contenders(contender *list, size_t room)
{
    size_t n = 0;

    for (size_t i = 0; i < rijn_backend_count() && n < room; i++) {
        rijn_backend_info info;
        char *name;
        if (rijn_backend_at(i, &info) != RIJN_OK || !info.available)
            continue;
        name = malloc(strlen(info.name) + sizeof "rijn/"); /* lives as long as the program */
        if (!name)
            break;
        sprintf(name, "rijn/%s", info.name);
        list[n++] = (contender){name, rijn_open, rijn_run, rijn_rekey, rijn_close};
    }
    return n;
}
