/* Fuzzes the keyset parser of the DuckDB extension (integrations/duckdb/keyset.h). Input: the text.
 *
 * An accepted keyset has keys with valid sizes and different ids. Written again in Tink's JSON (or
 * as a Rijn key file), it parses to the same keys. A refusal leaves zeros. Sanitizers check that the
 * parser reads nothing outside the text. */
#include "../keyset.c"

#include "fuzz.h"

enum { ROOM = KEYSET_MOST * 512 };

static size_t write_base64(char *out, const uint8_t *in, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;

    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = 0;
        for (size_t j = 0; j < 3; j++)
            bits = bits << 8 | (i + j < size ? in[i + j] : 0);
        for (size_t j = 0; j < 4; j++)
            out[n++] = i + j > size ? '=' : digits[bits >> (18 - 6 * j) & 63];
    }
    return n;
}

static size_t write_key(char *out, const keyset_key *key)
{
    const size_t salt_size = algorithms[key->algorithm].salt_size;
    uint8_t message[KEYSET_SECRET_MOST + 8];
    size_t size = 0;

    if (salt_size) {
        message[size++] = 2 << 3 | 2;
        message[size++] = (uint8_t)salt_size;
        memcpy(message + size, algorithms[key->algorithm].salt, salt_size);
        size += salt_size;
    }
    message[size++] = (uint8_t)(algorithms[key->algorithm].key_field << 3 | 2);
    message[size++] = (uint8_t)key->size;
    memcpy(message + size, key->secret, key->size);
    size += key->size;
    size_t n = (size_t)sprintf(out,
                               "{\"keyData\": {\"typeUrl\": \"%s\", \"keyMaterialType\": "
                               "\"SYMMETRIC\", \"value\": \"",
                               algorithms[key->algorithm].url);
    n += write_base64(out + n, message, size);
    return n + (size_t)sprintf(out + n,
                               "\"}, \"status\": \"ENABLED\", \"keyId\": %u, "
                               "\"outputPrefixType\": \"%s\"}",
                               (unsigned)key->id, key->raw ? "RAW" : "TINK");
}

static size_t write_keyset(char *out, const keyset *keys)
{
    size_t n;

    if (keys->keys[0].algorithm == KEYSET_ANY) {
        n = (size_t)sprintf(out, "rijn-key-v1 ");
        for (size_t i = 0; i < keys->keys[0].size; i++)
            n += (size_t)sprintf(out + n, "%02x", keys->keys[0].secret[i]);
        return n;
    }
    n = (size_t)sprintf(out, "{\"primaryKeyId\": %u, \"key\": [", (unsigned)keys->keys[0].id);
    for (size_t i = 0; i < keys->count; i++) {
        n += i ? (size_t)sprintf(out + n, ", ") : 0;
        n += write_key(out + n, &keys->keys[i]);
    }
    return n + (size_t)sprintf(out + n, "]}");
}

static bool same(const keyset_key *a, const keyset_key *b)
{
    return a->id == b->id && a->algorithm == b->algorithm && a->raw == b->raw &&
           a->size == b->size && memcmp(a->secret, b->secret, a->size) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static keyset found, again, nothing;
    static char text[ROOM];
    uint8_t *const exact = malloc(size + !size); /* a read beyond the text is an error */

    if (size != 0)
        memcpy(exact, data, size);
    const char *const wrong = keyset_parse(&found, exact, size);
    free(exact);
    if (wrong) {
        REQUIRE(memcmp(&found, &nothing, sizeof found) == 0, "%s", wrong);
        return 0;
    }
    REQUIRE(found.count > 0 && found.count <= KEYSET_MOST, "%zu keys", found.count);
    for (size_t i = 0; i < found.count; i++) {
        const keyset_key *const key = &found.keys[i];
        if (key->algorithm == KEYSET_ANY) {
            REQUIRE(found.count == 1 && !key->id && (key->size == 16 || key->size == 32), "%zu",
                    key->size);
            continue;
        }
        REQUIRE(key->id && keyset_size_fits(key->algorithm, key->size), "key %zu", i);
        for (size_t j = 0; j < i; j++)
            REQUIRE(found.keys[j].id != key->id, "keys %zu and %zu", i, j);
    }
    const size_t written = write_keyset(text, &found);
    const char *const now = keyset_parse(&again, (const uint8_t *)text, written);
    REQUIRE(!now && again.count == found.count, "%s", now ? now : text);
    for (size_t i = 0; i < found.count; i++)
        REQUIRE(same(&again.keys[i], &found.keys[i]), "key %zu", i);
    return 0;
}
