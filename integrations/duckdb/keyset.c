#include "keyset.h"

#include <string.h>

#include "rijn.h"

/* Limits: nested objects and lists, bytes of a stored string, digits of a number. */
enum { DEPTH_MOST = 32, STRING_MOST = 255, DIGITS_MOST = 1000 };

/* GCM_KEYS and so on: bit n / 8 is set if keys of n bytes are allowed. */
enum {
#define RIJN_AES_AEAD(ID, id, Class, keys, ...) ID##_KEYS = (keys),
#define RIJN_SIV_AEAD(ID, id, Class, keys, ...) ID##_KEYS = (keys),
#define RIJN_AEGIS_AEAD(ID, Class, name, size, ...) ID##_KEYS = KEY(size),
#include "rijn_algorithms.def"
};

static const struct {
    const char *url;
    unsigned key_field; /* number of the key's field in the protocol buffer `value` */
    size_t salt_size;
    const char *salt; /* field 2 of that buffer, if salt_size > 0 */
    unsigned keys;
} algorithms[KEYSET_ALGORITHMS] = {
#define RIJN_COLUMN_ALGORITHM(ID, name, Class, url, field, salt, drawn) \
    [KEYSET_##ID] = {url, field, sizeof(salt) - 1, salt, ID##_KEYS},
#include "../../vectors/columns.def"
};

bool keyset_size_fits(keyset_algorithm algorithm, size_t size)
{
    return size % 8 == 0 && size <= KEYSET_SECRET_MOST &&
           algorithms[algorithm].keys >> size / 8 & 1;
}

/* ---- JSON ------------------------------------------------------------------------- */

typedef struct reader {
    const uint8_t *at, *end;
    bool bad; /* not JSON; `at` is at the end then */
} reader;

/* A string. Not `whole`, so equal to no text: longer than STRING_MOST, or not ASCII. Not `there`: no
 * string, or its name was repeated. */
typedef struct string {
    bool seen, there, whole;
    size_t size;
    char text[STRING_MOST + 1];
} string;

typedef struct number {
    bool seen;
    uint32_t id; /* 0: not an id */
} number;

static bool fail(reader *r)
{
    r->bad = true;
    r->at = r->end;
    return false;
}

static int peek(const reader *r)
{
    return r->at == r->end ? -1 : *r->at;
}

static void skip_space(reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r')
        r->at++;
}

/* Skips white space, and then the wanted character if it is next. */
static bool take(reader *r, char wanted)
{
    skip_space(r);
    if (peek(r) != wanted)
        return false;
    r->at++;
    return true;
}

static bool need(reader *r, char wanted)
{
    return take(r, wanted) || fail(r);
}

static int digit_of(int c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Reads an escape after its backslash. */
static int read_escape(reader *r)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const int c = peek(r);
    int code = 0;

    if (c <= 0) {
        fail(r);
        return 0;
    }
    r->at++;
    if (c != 'u') {
        const char *const found = strchr(names, c);
        if (!found)
            fail(r);
        return found ? meant[found - names] : 0;
    }
    for (int i = 0; i < 4; i++) {
        const int digit = digit_of(peek(r));
        if (digit < 0) {
            fail(r);
            return 0;
        }
        code = 16 * code + digit;
        r->at++;
    }
    return code;
}

static void read_string(reader *r, string *s)
{
    s->there = s->whole = true;
    s->size = 0;
    if (!need(r, '"'))
        return;
    for (;;) {
        int c = peek(r);
        if (c < ' ') { /* or -1, the end */
            fail(r);
            return;
        }
        r->at++;
        if (c == '"')
            break;
        if (c == '\\')
            c = read_escape(r);
        if (s->size < STRING_MOST && c > 0 && c < 0x80)
            s->text[s->size++] = (char)c;
        else
            s->whole = false;
    }
    s->text[s->size] = '\0';
}

static bool is(const string *s, const char *text)
{
    return s->there && s->whole && strcmp(s->text, text) == 0;
}

static size_t skip_digits(reader *r)
{
    const uint8_t *const begin = r->at;
    while (peek(r) >= '0' && peek(r) <= '9')
        r->at++;
    return (size_t)(r->at - begin);
}

/* Reads a number. *id is its value if that is an integer from 1 to 2^32 - 1, otherwise 0. */
static void read_number(reader *r, uint32_t *id)
{
    skip_space(r);
    bool whole = peek(r) != '-';

    if (!whole)
        r->at++;
    const uint8_t *const digits = r->at;
    const size_t count = skip_digits(r);
    size_t more = 0;
    if (!count || (*digits == '0' && count > 1)) {
        fail(r);
        return;
    }
    if (peek(r) == '.') {
        r->at++;
        whole = false;
        more = skip_digits(r);
        if (!more)
            fail(r);
    }
    if (peek(r) == 'e' || peek(r) == 'E') {
        r->at++;
        whole = false;
        if (peek(r) == '+' || peek(r) == '-')
            r->at++;
        const size_t exponent = skip_digits(r);
        more += exponent;
        if (!exponent)
            fail(r);
    }
    if (count + more > DIGITS_MOST)
        fail(r);
    uint64_t value = 0;
    for (size_t i = 0; i < count && count <= 10; i++)
        value = 10 * value + (uint64_t)(digits[i] - '0');
    *id = whole && !r->bad && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static void read_word(reader *r, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0)
        fail(r);
    else
        r->at += size;
}

/* Moves to the next member and reads its name, or to the next element if `name` is NULL. Returns
 * false at the end. *more is false before the first. */
static bool next_of(reader *r, char close, bool *more, string *name)
{
    if (r->bad || take(r, close) || (*more && !need(r, ',')))
        return false;
    *more = true;
    if (name) {
        read_string(r, name);
        need(r, ':');
    }
    return !r->bad;
}

/* Skips a value inside `depth` objects and lists. */
static void skip_value(reader *r, int depth)
{
    string name;
    uint32_t id;
    bool more = false;

    skip_space(r);
    const int first = peek(r);
    switch ((first == '{' || first == '[') && depth == DEPTH_MOST ? -1 : first) {
    case '{':
        r->at++;
        while (next_of(r, '}', &more, &name))
            skip_value(r, depth + 1);
        break;
    case '[':
        r->at++;
        while (next_of(r, ']', &more, NULL))
            skip_value(r, depth + 1);
        break;
    case '"':
        read_string(r, &name);
        rijn_wipe(&name, sizeof name);
        break;
    case 't':
        read_word(r, "true");
        break;
    case 'f':
        read_word(r, "false");
        break;
    case 'n':
        read_word(r, "null");
        break;
    case -1:
        fail(r);
        break;
    default:
        read_number(r, &id);
    }
}

/* Reads a value. If it is not a string, or its name was repeated, `there` is false. */
static void take_string(reader *r, string *s)
{
    const bool again = s->seen;

    s->seen = true;
    s->there = false;
    skip_space(r);
    if (!again && peek(r) == '"')
        read_string(r, s);
    else
        skip_value(r, 1);
}

static void take_id(reader *r, number *n)
{
    const bool again = n->seen;

    n->seen = true;
    n->id = 0;
    skip_space(r);
    if (!again && (peek(r) == '-' || (peek(r) >= '0' && peek(r) <= '9')))
        read_number(r, &n->id);
    else
        skip_value(r, 1);
}

/* ---- Keys ------------------------------------------------------------------------- */

static int base64_value(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *const found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* Decodes in place. Returns the number of bytes, or -1. */
static int from_base64(string *s)
{
    size_t size = s->size, out = 0;
    uint32_t bits = 0;

    if (!s->whole || size % 4)
        return -1;
    for (int i = 0; i < 2 && size && s->text[size - 1] == '='; i++)
        size--;
    for (size_t i = 0; i < size; i++) {
        const int value = base64_value(s->text[i]);
        if (value < 0)
            return -1;
        bits = bits << 6 | (uint32_t)value;
        if (i % 4)
            s->text[out++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
    }
    /* the unused bits of the last character must be zeros */
    if ((size % 4 == 2 && bits & 15) || (size % 4 == 3 && bits & 3))
        return -1;
    return (int)out;
}

static bool read_varint(const uint8_t *data, size_t size, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < size && shift < 63; shift += 7) {
        const uint8_t byte = data[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* Reads the key in a protocol buffer. Field 1 is the version, 0; field 2 the salt of XAES; field 2
 * or 3 the key. Each may occur once. */
static bool read_key(keyset_key *key, const uint8_t *data, size_t size)
{
    size_t at = 0;
    unsigned seen = 0;
    const size_t salt_size = algorithms[key->algorithm].salt_size;
    bool salted = salt_size == 0;

    key->size = 0;
    while (at < size) {
        uint64_t tag, value;
        if (!read_varint(data, size, &at, &tag) || !read_varint(data, size, &at, &value))
            return false;
        const uint64_t field = tag >> 3;
        if (field < 4 && seen >> field & 1)
            return false;
        seen |= field < 4 ? 1U << field : 0;
        if ((tag & 7) == 0) {
            if (field == algorithms[key->algorithm].key_field || (field == 1 && value != 0))
                return false;
            continue;
        }
        if ((tag & 7) != 2 || field == 1 || value > size - at)
            return false;
        if (field == algorithms[key->algorithm].key_field) {
            if (!keyset_size_fits(key->algorithm, (size_t)value))
                return false;
            key->size = (size_t)value;
            memcpy(key->secret, data + at, key->size);
        } else if (field == 2) {
            salted = salt_size == 0 ||
                     (value == salt_size &&
                      memcmp(data + at, algorithms[key->algorithm].salt, salt_size) == 0);
        }
        at += (size_t)value;
    }
    return key->size && salted;
}

typedef struct entry {
    number id;
    string status, prefix, url, value, material;
} entry;

static void read_entry(reader *r, entry *e)
{
    string name;
    bool more = false, data = false;

    if (!need(r, '{'))
        return;
    while (next_of(r, '}', &more, &name)) {
        if (is(&name, "keyId")) {
            take_id(r, &e->id);
        } else if (is(&name, "status")) {
            take_string(r, &e->status);
        } else if (is(&name, "outputPrefixType")) {
            take_string(r, &e->prefix);
        } else if (is(&name, "keyData") && (data || !take(r, '{'))) {
            data = true;
            e->material.there = false;
            skip_value(r, 1);
        } else if (is(&name, "keyData")) {
            bool another = false;
            data = true;
            while (next_of(r, '}', &another, &name)) {
                if (is(&name, "typeUrl"))
                    take_string(r, &e->url);
                else if (is(&name, "value"))
                    take_string(r, &e->value);
                else if (is(&name, "keyMaterialType"))
                    take_string(r, &e->material);
                else
                    skip_value(r, 1);
            }
        } else {
            skip_value(r, 1);
        }
    }
}

/* Adds an entry's key, unless the key is disabled or destroyed. Returns NULL or an error message. */
static const char *add_entry(keyset *found, entry *e, uint32_t primary)
{
    if (!e->id.id)
        return "a key has no 'keyId' from 1 to 2^32 - 1";
    if (is(&e->status, "DISABLED") || is(&e->status, "DESTROYED"))
        return e->id.id == primary ? "its primary key is disabled or destroyed" : NULL;
    if (!is(&e->status, "ENABLED"))
        return "the 'status' of a key is missing or unknown";
    if (!is(&e->prefix, "TINK") && !is(&e->prefix, "RAW"))
        return "the 'outputPrefixType' of a key is neither TINK nor RAW";
    if (!is(&e->material, "SYMMETRIC"))
        return "the 'keyData' of a key is missing or not symmetric";
    if (found->count == KEYSET_MOST)
        return "it has more than 254 keys";
    for (size_t i = 0; i < found->count; i++)
        if (found->keys[i].id == e->id.id)
            return "two keys have the same id";

    keyset_key *const key = &found->keys[found->count++];
    *key = (keyset_key){.id = e->id.id, .raw = is(&e->prefix, "RAW")};
    for (keyset_algorithm it = KEYSET_GCM; it < KEYSET_ALGORITHMS; it++)
        if (is(&e->url, algorithms[it].url))
            key->algorithm = it;
    if (key->algorithm == KEYSET_ANY || !e->value.there)
        return "the type of a key is unknown, or its value is missing";
    const int size = from_base64(&e->value);
    if (size < 0 || !read_key(key, (const uint8_t *)e->value.text, (size_t)size))
        return "the value of a key does not fit its type: wrong encoding, version or size";
    return NULL;
}

static const char *parse_json(keyset *found, const uint8_t *text, size_t size)
{
    reader r = {.at = text, .end = text + size};
    reader keys = {.bad = true};
    const char *wrong = NULL;
    number primary = {0};
    string name;
    bool more = false;

    need(&r, '{');
    while (next_of(&r, '}', &more, &name)) {
        if (is(&name, "primaryKeyId")) {
            take_id(&r, &primary);
        } else if (is(&name, "key")) {
            if (!keys.bad || !take(&r, '['))
                return "'key' is not a list of keys";
            keys = r;
            r.at--;
            skip_value(&r, 1);
        } else {
            skip_value(&r, 1);
        }
    }
    skip_space(&r);
    if (r.bad || r.at != r.end)
        return "it is not JSON";
    if (keys.bad)
        return "'key' is not a list of keys";

    more = false;
    while (!wrong && next_of(&keys, ']', &more, NULL)) {
        entry e = {0};
        read_entry(&keys, &e);
        wrong = keys.bad ? "'key' is not a list of keys" : add_entry(found, &e, primary.id);
        rijn_wipe(&e, sizeof e);
    }
    if (wrong)
        return wrong;
    for (size_t i = 0; i < found->count; i++) {
        if (found->keys[i].id == primary.id) {
            keyset_key first = found->keys[i];
            memmove(&found->keys[1], &found->keys[0], i * sizeof first);
            found->keys[0] = first;
            rijn_wipe(&first, sizeof first);
            return NULL;
        }
    }
    return "no key has the id 'primaryKeyId'";
}

/* Reads a line of a Rijn key file (docs/format.md), without white space around it. Returns NULL or
 * an error message. */
static const char *parse_line(keyset *found, const uint8_t *line, size_t size)
{
    static const char label[] = "rijn-key-v1 ";
    const size_t label_size = sizeof label - 1;

    if (!size || line[0] == '#')
        return NULL;
    if (found->count || size < label_size || memcmp(line, label, label_size) != 0)
        return found->count ? "after the line with its key it has a line that is not a comment"
                            : "it is neither a keyset in Tink's JSON nor a Rijn key file";
    const size_t digits = size - label_size;
    if (digits != 32 && digits != 64)
        return "its key must have 32 or 64 hexadecimal digits";
    keyset_key *const key = &found->keys[found->count++];
    *key = (keyset_key){.raw = true, .size = digits / 2};
    for (size_t i = 0; i < digits; i++) {
        const int digit = digit_of(line[label_size + i]);
        if (digit < 0)
            return "its key has a character that is not a hexadecimal digit";
        key->secret[i / 2] = (uint8_t)(key->secret[i / 2] << 4 | digit);
    }
    return NULL;
}

static const char *parse_key_file(keyset *found, const uint8_t *text, size_t size)
{
    for (size_t begin = 0; begin < size;) {
        size_t end = begin;
        while (end < size && text[end] != '\n')
            end++;
        size_t first = begin, last = end;
        begin = end + 1;
        if (last > first && end < size && text[last - 1] == '\r')
            last--;
        for (size_t i = first; i < last; i++)
            if ((text[i] < ' ' && text[i] != '\t') || text[i] == 0x7f)
                return "it contains a control character";
        while (first < last && (text[first] == ' ' || text[first] == '\t'))
            first++;
        while (last > first && (text[last - 1] == ' ' || text[last - 1] == '\t'))
            last--;
        const char *const wrong = parse_line(found, text + first, last - first);
        if (wrong)
            return wrong;
    }
    return found->count ? NULL : "it is neither a keyset in Tink's JSON nor a Rijn key file";
}

static bool is_utf8(const uint8_t *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        const uint8_t c = text[i++];
        size_t more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
        if ((c >= 0x80 && c < 0xc2) || c > 0xf4 || more > size - i)
            return false;
        /* no overlong encodings, no surrogates, nothing beyond U+10FFFF */
        if ((c == 0xe0 && text[i] < 0xa0) || (c == 0xed && text[i] > 0x9f) ||
            (c == 0xf0 && text[i] < 0x90) || (c == 0xf4 && text[i] > 0x8f))
            return false;
        for (; more; more--)
            if ((text[i++] & 0xc0) != 0x80)
                return false;
    }
    return true;
}

const char *keyset_parse(keyset *found, const uint8_t *text, size_t size)
{
    reader r = {.at = text, .end = text + size};

    memset(found, 0, sizeof *found);
    skip_space(&r);
    const char *const wrong = size > KEYSET_TEXT_MOST ? "it is longer than 1 MiB"
                              : !is_utf8(text, size)  ? "it is not UTF-8"
                              : peek(&r) == '{'       ? parse_json(found, text, size)
                                                      : parse_key_file(found, text, size);
    if (wrong)
        rijn_wipe(found, sizeof *found);
    return wrong;
}
