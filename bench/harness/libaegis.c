/* Three builds of libaegis: with its own choice of code, limited to AES-NI, and limited to its portable
 * code. libaegis has no key set-up: a key stays bytes. */
#include <stdlib.h>
#include <string.h>

#include "contender.h"
#include "../../c/tests/ct/libaegis_code.h"

typedef struct {
    const libaegis_code *code;
    algorithm what;
    uint8_t key[KEY];
} state;

static const struct {
    const char *name;
    const libaegis_code *code;
} builds[] = {
    {"libaegis", &libaegis},
    {"libaegis/aesni", &libaegis_aesni},
    {"libaegis/soft", &libaegis_soft},
};

static bool libaegis_rekey(void *memory, const uint8_t *key)
{
    state *s = memory;
    memcpy(s->key, key, s->what.key_size);
    return true;
}

static void *libaegis_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    state *s;

    if (what->mode < AEGIS_128L || !(s = malloc(sizeof *s)))
        return NULL;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        if (strcmp(self->name, builds[i].name) == 0)
            s->code = builds[i].code;
    s->what = *what;
    libaegis_rekey(s, key);
    return s;
}

static bool libaegis_run(void *memory, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                         size_t size)
{
    const state *s = memory;
    const unsigned variant = s->what.mode - AEGIS_128L;

    if (s->what.decrypt)
        return s->code->variants[variant].open(out, in, size, in + size, TAG, NULL, 0, nonce,
                                               s->key) == 0;
    return s->code->variants[variant].seal(out, out + size, TAG, in, size, NULL, 0, nonce,
                                           s->key) == 0;
}

size_t libaegis_contenders(contender *list)
{
    const size_t n = sizeof builds / sizeof *builds;

    for (size_t i = 0; i < n; i++)
        list[i] = (contender){
            .name = builds[i].name,
            .version = builds[i].code->version,
            .reason = builds[i].code->init() == 0 ? "" : "its initialization failed",
            .linked = true,
            .constant_time = -1,
            .open = libaegis_open,
            .run = libaegis_run,
            .rekey = libaegis_rekey,
            .close = free,
        };
    return n;
}
