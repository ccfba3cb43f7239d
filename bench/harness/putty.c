/* PuTTY's AES through its own interfaces: its portable code, its code for AES-NI and CLMUL, and the
 * replacement for the latter in integrations/putty. PuTTY works in place, so other tasks copy the
 * message first. */
#include <stdlib.h>
#include <string.h>

#include "contender.h"
#include "putty_code.h"

typedef struct {
    const putty_code *code;
    void *cipher;
    bool decrypt;
} state;

static const struct {
    const char *name;
    const putty_code *code;
    putty_kind kind;
} kinds[] = {
    {"putty/software", &putty_original, PUTTY_SOFTWARE},
    {"putty/aesni", &putty_original, PUTTY_HARDWARE},
    {"putty/rijn", &putty_rijn, PUTTY_HARDWARE},
};

static bool putty_rekey(void *memory, const uint8_t *key)
{
    state *s = memory;
    s->code->rekey(s->cipher, key);
    return true;
}

static void putty_close(void *memory)
{
    state *s = memory;
    s->code->close(s->cipher);
    free(s);
}

static void *putty_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    const putty_mode mode = what->mode == CBC   ? PUTTY_CBC
                            : what->mode == CTR ? PUTTY_SDCTR
                            : what->mode == GCM ? PUTTY_GCM
                                                : PUTTY_MODES;
    state *s;

    if (mode == PUTTY_MODES || !(s = calloc(1, sizeof *s)))
        return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(self->name, kinds[i].name) == 0) {
            s->code = kinds[i].code;
            s->cipher = s->code->open(kinds[i].kind, mode, what->key_size);
        }
    if (!s->cipher) {
        free(s);
        return NULL;
    }
    s->decrypt = what->decrypt;
    putty_rekey(s, key);
    return s;
}

static bool putty_run(void *memory, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                      size_t size)
{
    const state *s = memory;

    if (out != in)
        memcpy(out, in, size);
    return s->decrypt ? s->code->decrypt(s->cipher, nonce, out, size, in + size)
                      : s->code->encrypt(s->cipher, nonce, out, size, out + size);
}

size_t putty_contenders(contender *list)
{
    const size_t n = sizeof kinds / sizeof *kinds;

    for (size_t i = 0; i < n; i++) {
        void *cipher = kinds[i].code->open(kinds[i].kind, PUTTY_GCM, 16);
        if (cipher)
            kinds[i].code->close(cipher);
        list[i] = (contender){
            .name = kinds[i].name,
            .version = kinds[i].code->version,
            .reason = cipher ? "" : "PuTTY reports that this CPU cannot run it",
            .linked = true,
            .constant_time = -1,
            .open = putty_open,
            .run = putty_run,
            .rekey = putty_rekey,
            .close = putty_close,
        };
    }
    return n;
}
