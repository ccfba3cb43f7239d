#include "column.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const row_format formats[] = {
#define ALGORITHM(ID) KEYSET_##ID
#define RIJN_COLUMN_FORMAT(name, ID, context, prefix, ...) {name, {__VA_ARGS__}, context, prefix},
#include "../../vectors/columns.def"
};

static const rijn_many_mode modes[KEYSET_ALGORITHMS] = {
#define RIJN_MANY_AEGIS_256 RIJN_MANY_AEGIS
#define RIJN_MANY_AEGIS_128L RIJN_MANY_AEGIS
#define RIJN_COLUMN_ALGORITHM(ID, ...) [KEYSET_##ID] = RIJN_MANY_##ID,
#include "../../vectors/columns.def"
};

const row_format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

void name_formats(char *message)
{
    enum { FORMATS = sizeof formats / sizeof formats[0] };
    int end = snprintf(message, MESSAGE, "the format must be one of ");
    for (size_t i = 0; i < FORMATS; i++) {
        const char *const between = i == 0 ? "" : i < FORMATS - 1 ? ", " : " and ";
        end += snprintf(message + end, (size_t)(MESSAGE - end), "%s%s", between, formats[i].name);
    }
}

void *column_share(void *data)
{
    atomic_fetch_add(&((column *)data)->owners, 1);
    return data;
}

void column_release(void *data)
{
    column *const c = data;
    if (!c || atomic_fetch_sub(&c->owners, 1) != 1)
        return;
    free(c->frame);
    rijn_wipe(c, sizeof *c + c->count * sizeof c->keys[0]);
    free(c);
}

void put_be64(uint8_t *out, uint64_t x)
{
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(x >> (56 - 8 * i));
}

static rijn_status start(worker *w, const keyset_key *key, keyset_algorithm algorithm,
                         const row_format *format)
{
    w->mode = modes[algorithm];
    if (format->prefixed && !key->raw) {
        w->prefix_size = KEY_ID_SIZE;
        w->prefix[0] = 1;
        for (int i = 0; i < 4; i++)
            w->prefix[1 + i] = (uint8_t)(key->id >> (24 - 8 * i));
    }
    if (w->mode == RIJN_MANY_SIV)
        return rijn_siv_key_init(&w->key.siv, key->secret, key->size, NULL);
    if (w->mode == RIJN_MANY_AEGIS)
        return rijn_aegis_key_init(&w->key.aegis,
                                   algorithm == KEYSET_AEGIS_256 ? RIJN_AEGIS_256 : RIJN_AEGIS_128L,
                                   key->secret, key->size, NULL);
    return rijn_key_init(&w->key.aes, key->secret, key->size, NULL);
}

/* Returns the algorithm of a key in a format. On error, returns KEYSET_ANY and sets *wrong. */
static keyset_algorithm algorithm_of(const keyset_key *key, const row_format *format,
                                     const char **wrong)
{
    if (key->algorithm == KEYSET_ANY) {
        if (format->prefixed)
            *wrong = "format tink needs a keyset in Tink's JSON: a Rijn key file has no key id and "
                     "no key type";
        else if (!keyset_size_fits(format->algorithms[0], key->size))
            *wrong = "the format does not take a key of this size from a Rijn key file";
        else
            return format->algorithms[0];
        return KEYSET_ANY;
    }
    for (size_t i = 0; i < 3; i++)
        if (format->algorithms[i] == key->algorithm)
            return key->algorithm;
    *wrong = "a key of the keyset is for another format: give the format as the fifth argument";
    return KEYSET_ANY;
}

column *column_new(const keyset *keys, const row_format *format, const char *context,
                   const char **wrong)
{
    column *const c = calloc(1, sizeof *c + keys->count * sizeof c->keys[0]);
    *wrong = "out of memory";
    if (!c)
        return NULL;
    atomic_init(&c->owners, 1);
    c->count = keys->count;
    c->framed = context != NULL;
    c->prefixed = format->prefixed;
    c->frame_size = c->framed ? 8 + strlen(context) : 0;
    c->frame = malloc(c->frame_size + 1);
    if (!c->frame) {
        column_release(c);
        return NULL;
    }
    if (context) {
        put_be64(c->frame, strlen(context));
        memcpy(c->frame + 8, context, strlen(context));
    }
    for (size_t i = 0; i < keys->count; i++) {
        const keyset_algorithm algorithm = algorithm_of(&keys->keys[i], format, wrong);
        rijn_status status = RIJN_OK;
        if (algorithm != KEYSET_ANY) {
            status = start(&c->keys[i], &keys->keys[i], algorithm, format);
            *wrong = rijn_status_text(status);
        }
        if (algorithm == KEYSET_ANY || status != RIJN_OK) {
            column_release(c);
            return NULL;
        }
    }
    return c;
}
