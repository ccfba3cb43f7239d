/* Fuzzes the OpenSSL provider through EVP. Input: a cipher or a MAC, and the calls that its context gets, in any
 * order: initializations, data, associated data, ends, copies, and parameters.
 *
 * OpenSSL's default provider gets the same calls while they are valid, and must give the same results. Parameters
 * with any name, type and size go to Rijn alone. Afterwards a new key and IV must bring both together again. Each
 * buffer has exactly the size that its caller tells, so that AddressSanitizer finds accesses outside. */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "../../../c/tests/fuzz/fuzz.h"
#include "../params.h"

#ifndef EVP_CIPH_GCM_SIV_MODE /* since OpenSSL 3.2 */
#define EVP_CIPH_GCM_SIV_MODE 0x10005
#endif

enum { MOST_CIPHERS = 100, MOST_CALLS = 64, IV_ROOM = 128, TEXT_ROOM = 2100, THEIRS = 0, OURS = 1 };

OSSL_provider_init_fn OSSL_provider_init;

typedef struct pair {
    EVP_CIPHER *of[2]; /* THEIRS may be NULL */
} pair;

typedef struct fuzzed {
    const pair *cipher;
    EVP_CIPHER_CTX *context[2];
    int mode, encrypt;
    bool compared;  /* both contexts got the same calls, and none failed */
    bool has_key;   /* otherwise some of the modes of default crash */
    bool has_iv;    /* otherwise GCM draws one */
    bool lags;      /* some data wait for the rest of their block */
    bool begun;     /* the current IV has been used */
    bool has_data;  /* of the current message */
    bool tag_given; /* to decrypt */
    bool is_new;    /* it got its key and its IV, and nothing else than associated data */
    bool has_tag;   /* encryption has ended */
    uint8_t last[TEXT_ROOM + 32]; /* the last output, and the last tag: to decrypt them */
    size_t last_size;
    uint8_t tag[16];
} fuzzed;

static OSSL_LIB_CTX *library;
static pair ciphers[MOST_CIPHERS];
static size_t cipher_count;

static void add_cipher(EVP_CIPHER *cipher, void *unused)
{
    const char *name = EVP_CIPHER_get0_name(cipher);

    (void)unused;
    if (strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), "rijn") != 0)
        return;
    REQUIRE(cipher_count < MOST_CIPHERS, "MOST_CIPHERS is too small");
    ciphers[cipher_count].of[OURS] = EVP_CIPHER_fetch(library, name, "provider=rijn");
    ciphers[cipher_count].of[THEIRS] = EVP_CIPHER_fetch(library, name, "provider=default");
    cipher_count++;
}

static void load(void)
{
    if (library != NULL)
        return;
    library = OSSL_LIB_CTX_new();
    REQUIRE(OSSL_PROVIDER_add_builtin(library, "rijn", OSSL_provider_init), "no memory");
    REQUIRE(OSSL_PROVIDER_load(library, "rijn") && OSSL_PROVIDER_load(library, "default"),
            "a provider is missing");
    EVP_CIPHER_do_all_provided(library, add_cipher, NULL);
    REQUIRE(cipher_count != 0, "no cipher");
    ERR_clear_error();
}

/* Returns a buffer that must be freed. Accesses outside of it are errors. */
static uint8_t *exactly(size_t size)
{
    uint8_t *made = malloc(size + !size);

    REQUIRE(made != NULL, "no memory");
    memset(made, 0xa5, size + !size);
    return made;
}

/* Bytes of a key or of data hardly matter, so one choice gives all of them. */
static void fill(choices *c, uint8_t *to, size_t size)
{
    const uint8_t first = choose(c);

    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(first + i * first);
}

static uint8_t *filled(choices *c, size_t size)
{
    uint8_t *made = exactly(size);

    fill(c, made, size);
    return made;
}

/* ---- Parameters of any kind, for Rijn alone ---- */

#define NAME_OF(id, name) name,
static const char *const names[] = {EACH_PARAMETER(NAME_OF) "", "properties"};
#undef NAME_OF
enum { NAMES = sizeof names / sizeof names[0], MOST_PARAMETERS = 4 };

typedef struct wild {
    OSSL_PARAM list[MOST_PARAMETERS + 1];
    char *name[MOST_PARAMETERS];
    uint8_t *data[MOST_PARAMETERS];
    size_t count;
} wild;

static void choose_parameters(choices *c, wild *made)
{
    static const char *const texts[] = {"CS1", "CS2", "cs3", "AES-128-CBC", "AES-256-GCM"};
    static uint8_t pointed[64];

    memset(made, 0, sizeof *made);
    made->count = 1 + choose(c) % MOST_PARAMETERS;
    for (size_t i = 0; i < made->count; i++) {
        const uint8_t which = choose(c), type = choose(c) % 9, kind = choose(c);
        const char *name = names[which % NAMES];
        size_t size = choose(c) % 70, room = size;

        made->name[i] = (char *)exactly(strlen(name) + 1);
        memcpy(made->name[i], name, strlen(name) + 1);
        if (which >= 2 * NAMES &&
            *name != 0) /* a name that differs in one letter, or ends earlier */
            made->name[i][kind % strlen(name)] = (char)(which & 1 ? 0 : kind);
        if (kind % 8 == 1)
            size = room = sizeof(uint32_t) << (kind / 8 % 2);
        if (type == OSSL_PARAM_UTF8_PTR || type == OSSL_PARAM_OCTET_PTR)
            room = sizeof(void *); /* whatever their size is, they are pointers */
        if (kind % 8 == 2 && strcmp(name, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED) == 0) {
            size = SIZE_MAX; /* stands for the whole IV */
            room = IV_ROOM;
        }
        if (kind % 8 != 0)
            made->data[i] = filled(c, room);
        if (kind % 8 == 3 && room >= sizeof(uint64_t)) /* an integer that is small */
            memset(made->data[i] + 1, 0, room - 1);
        if (kind % 8 == 4 && type == OSSL_PARAM_UTF8_STRING) { /* without a 0 at its end */
            const char *text = texts[kind / 8 % 5];

            free(made->data[i]);
            size = strlen(text);
            made->data[i] = exactly(size);
            memcpy(made->data[i], text, size);
        }
        if (made->data[i] != NULL && room == sizeof(void *) &&
            (type == OSSL_PARAM_UTF8_PTR || type == OSSL_PARAM_OCTET_PTR)) {
            const void *to = pointed;
            memcpy(made->data[i], &to, sizeof to);
        }
        made->list[i] =
            (OSSL_PARAM){made->name[i], type, made->data[i], size, OSSL_PARAM_UNMODIFIED};
    }
}

/* Checks the sizes that a call which read parameters reported. */
static void check_sizes(const wild *read)
{
    for (size_t i = 0; i < read->count; i++) {
        const OSSL_PARAM *p = &read->list[i];
        const bool string =
            p->data_type == OSSL_PARAM_OCTET_STRING || p->data_type == OSSL_PARAM_UTF8_STRING;
        const bool number =
            p->data_type == OSSL_PARAM_INTEGER || p->data_type == OSSL_PARAM_UNSIGNED_INTEGER;

        if (p->return_size == OSSL_PARAM_UNMODIFIED || p->data == NULL)
            continue;
        REQUIRE(!string || p->return_size <= p->data_size, "%s: %zu of %zu bytes", p->key,
                p->return_size, p->data_size);
        REQUIRE(!number || p->return_size == p->data_size, "%s: %zu of %zu bytes", p->key,
                p->return_size, p->data_size);
    }
}

static void forget_parameters(wild *made)
{
    for (size_t i = 0; i < made->count; i++) {
        free(made->name[i]);
        free(made->data[i]);
    }
}

/* ---- Calls that both sides get ---- */

static const char *name_of(const fuzzed *f)
{
    return EVP_CIPHER_get0_name(f->cipher->of[OURS]);
}

/* Returns whether a message is one call. */
static bool is_whole(const fuzzed *f)
{
    return f->mode == EVP_CIPH_CCM_MODE || f->mode == EVP_CIPH_SIV_MODE ||
           f->mode == EVP_CIPH_GCM_SIV_MODE;
}

static bool is_aead(const fuzzed *f)
{
    return EVP_CIPHER_get_flags(f->cipher->of[OURS]) & EVP_CIPH_FLAG_AEAD_CIPHER;
}

/* Compares the results of a call that both sides got. A call that default refuses ends the comparison: Rijn may
 * take it. But what default does not authenticate, Rijn must not. */
static void agree(fuzzed *f, const char *call, const int result[2], uint8_t *const out[2],
                  const int size[2])
{
    if (!f->compared)
        return;
    REQUIRE(result[THEIRS] <= 0 || result[OURS] > 0, "%s of %s: default returns %d, Rijn %d", call,
            name_of(f), result[THEIRS], result[OURS]);
    REQUIRE(result[THEIRS] > 0 || result[OURS] <= 0 || f->encrypt || strcmp(call, "final") != 0,
            "%s: Rijn accepts a message that default refuses", name_of(f));
    if (result[THEIRS] <= 0) {
        f->compared = false;
        return;
    }
    if (size == NULL)
        return;
    REQUIRE(size[THEIRS] == size[OURS], "%s of %s: default gives %d bytes, Rijn %d", call,
            name_of(f), size[THEIRS], size[OURS]);
    REQUIRE(out[OURS] == NULL || size[OURS] <= 0 ||
                memcmp(out[THEIRS], out[OURS], (size_t)size[OURS]) == 0,
            "%s of %s: other bytes", call, name_of(f));
}

/* Returns the sides that a call is for: THEIRS is left out from its first difference on. */
static int first_side(const fuzzed *f)
{
    return f->compared ? THEIRS : OURS;
}

/* Gives both sides a new context of the cipher. */
static void begin(fuzzed *f, int encrypt)
{
    int result[2];

    f->compared = f->cipher->of[THEIRS] != NULL;
    for (int s = first_side(f); s <= OURS; s++)
        result[s] = EVP_CipherInit_ex2(f->context[s], f->cipher->of[s], NULL, NULL, encrypt, NULL);
    agree(f, "the cipher", result, NULL, NULL);
    f->encrypt = encrypt;
    f->has_key = f->has_iv = f->lags = f->has_data = f->has_tag = f->is_new = f->begun =
        f->tag_given = false;
}

static void initialize(choices *c, fuzzed *f, bool with_key, bool with_iv, int encrypt)
{
    const size_t iv_size = (size_t)EVP_CIPHER_CTX_get_iv_length(f->context[OURS]);
    uint8_t *key = filled(c, (size_t)EVP_CIPHER_get_key_length(f->cipher->of[OURS]));
    uint8_t *iv = filled(c, iv_size);
    int result[2];

    if (f->mode == EVP_CIPH_OCB_MODE && f->lags && !with_key && !with_iv)
        f->compared = false; /* default loses the data that wait */
    if (with_key && !with_iv && f->begun && is_aead(f))
        f->compared = false; /* Rijn ends the message */
    if (!with_key && encrypt != f->encrypt)
        f->compared = false; /* default's key is for one direction */
    for (int s = first_side(f); s <= OURS; s++)
        result[s] = EVP_CipherInit_ex2(f->context[s], NULL, with_key ? key : NULL,
                                       with_iv ? iv : NULL, encrypt, NULL);
    agree(f, "initialization", result, NULL, NULL);
    f->encrypt = encrypt;
    f->begun &= !with_iv;
    f->is_new = with_key && with_iv;
    f->lags = f->has_tag = false;
    f->has_data &= !with_iv && !is_whole(f);
    f->has_key |= with_key;
    f->has_iv |= with_iv;
    free(key);
    free(iv);
}

/* Returns whether both sides promise the same for the next data. */
static bool comparable(const fuzzed *f, size_t size, size_t block, bool with_out, bool direct)
{
    if (!with_out && !is_aead(f))
        return false; /* default writes to NULL */
    if (!f->is_new && is_whole(f))
        return false; /* the IV had its message, which default repeats */
    if (!with_out && f->has_data && f->mode == EVP_CIPH_OCB_MODE)
        return false; /* Rijn refuses late associated data */
    if (!direct)
        return true;
    /* EVP_Cipher: default does not steal ciphertext, and its key wrap returns other sizes */
    return size % block == 0 && f->mode != EVP_CIPH_WRAP_MODE && strstr(name_of(f), "CTS") == NULL;
}

/* Data, or associated data if there is no output. */
static void update(choices *c, fuzzed *f, bool with_out, bool direct)
{
    const uint8_t kind = choose(c) % 8;
    const bool again = kind == 1 && with_out;
    const size_t size = again       ? f->last_size
                        : kind == 0 ? choose_16(c) % TEXT_ROOM
                        : kind == 2 ? choose(c) % 5 * 16
                                    : choose(c) % 80;
    const size_t block = (size_t)EVP_CIPHER_get_block_size(f->cipher->of[OURS]);
    /* Rijn refuses output that covers input not yet read. */
    const bool in_place =
        with_out && choose(c) % 2 == 0 && (!f->compared || block == 1 || (f->encrypt && !f->lags));
    uint8_t *in = filled(c, size), *out[2] = {NULL, NULL};
    int result[2], given[2] = {0, 0};

    f->lags |= size % block != 0;
    if (again)
        memcpy(in, f->last, size);
    if (!comparable(f, size, block, with_out, direct))
        f->compared = false;
    f->begun = true;
    f->has_data |= with_out;
    f->is_new &= !with_out;
    f->has_tag = false;
    for (int s = first_side(f); s <= OURS; s++) {
        if (with_out) {
            /* a wrapped key, rounded up, has two blocks more */
            out[s] = exactly(size + (block == 1 ? 0 : block == 8 ? 16 : block));
            if (in_place)
                memcpy(out[s], in, size);
        }
        result[s] = direct
                        ? EVP_Cipher(f->context[s], out[s], in_place ? out[s] : in, (unsigned)size)
                        : EVP_CipherUpdate(f->context[s], out[s], &given[s], in_place ? out[s] : in,
                                           (int)size);
        if (direct && result[s] >= 0) { /* it returns the size, and 0 is none */
            given[s] = result[s];
            result[s] = 1;
        }
    }
    agree(f,
          direct     ? "EVP_Cipher"
          : with_out ? "update"
                     : "associated data",
          result, out, with_out || direct ? given : NULL);
    if (with_out && result[OURS] > 0 && given[OURS] > 0) {
        f->last_size = (size_t)given[OURS];
        memcpy(f->last, out[OURS], f->last_size);
    }
    free(in);
    free(out[THEIRS]);
    free(out[OURS]);
}

static void final(fuzzed *f)
{
    const size_t block = (size_t)EVP_CIPHER_get_block_size(f->cipher->of[OURS]);
    uint8_t *out[2] = {NULL, NULL};
    int result[2], given[2] = {0, 0};

    if (is_whole(f) && !f->has_data)
        f->compared = false; /* an empty message, which default forgets */
    f->is_new = false;
    if (is_aead(f) && !f->encrypt && !f->tag_given)
        f->compared = false; /* default finds the tag that it made last */
    for (int s = first_side(f); s <= OURS; s++) {
        out[s] = exactly(block == 1 ? 0 : block);
        result[s] = EVP_CipherFinal_ex(f->context[s], out[s], &given[s]);
    }
    agree(f, "final", result, out, given);
    f->tag_given &= !f->encrypt;
    f->has_tag = f->encrypt && result[OURS] > 0;
    free(out[THEIRS]);
    free(out[OURS]);
}

/* Continues in copies. The originals are freed, sometimes after other data. */
static void copy(choices *c, fuzzed *f)
{
    const bool more = choose(c) % 2 == 0;
    int result[2];

    if (f->mode == EVP_CIPH_SIV_MODE && !f->has_key)
        f->compared = false; /* default's copy fails, and leaks */
    for (int s = first_side(f); s <= OURS; s++) {
        EVP_CIPHER_CTX *old = f->context[s], *new = EVP_CIPHER_CTX_new();
        uint8_t block[16] = {0}, sink[48];
        int size;

        result[s] = EVP_CIPHER_CTX_copy(new, old);
        if (result[s] == 1) {
            f->context[s] = new;
            new = old;
            if (more && (s == OURS || f->has_key))
                (void)EVP_CipherUpdate(old, sink, &size, block, sizeof block);
        }
        EVP_CIPHER_CTX_free(new);
    }
    agree(f, "copy", result, NULL, NULL);
}

/* Sets a parameter to a value that programs set. */
static void set_one(choices *c, fuzzed *f)
{
    static char modes[3][4] = {"CS1", "CS2", "CS3"};
    static const uint8_t of_gcm[] = {4, 8, 12, 13, 14, 15, 16}; /* default checks any size */
    const uint8_t which = choose(c) % 6;
    size_t number = choose(c);
    unsigned flag = number % 2;
    const size_t size = f->mode == EVP_CIPH_SIV_MODE   ? 16
                        : f->mode == EVP_CIPH_GCM_MODE ? of_gcm[number % sizeof of_gcm]
                                                       : 1 + number % 16;
    OSSL_PARAM list[2] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
    int result[2];

    if (which == 0) {
        list[0] = OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &flag);
    } else if (which == 1) {
        number %= 20;
        list[0] = OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, &number);
    } else if (which == 2) {
        list[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, f->tag, size);
    } else if (which == 3) {
        list[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, size);
    } else if (which == 4) {
        list[0] =
            OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, modes[number % 3], 0);
    } else {
        number = (size_t)EVP_CIPHER_get_key_length(f->cipher->of[OURS]);
        list[0] = OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, &number);
    }
    /* Default's SIV ignores the size of an IV, and crashes at a tag without bytes or without a key. */
    if (f->mode == EVP_CIPH_SIV_MODE && (which == 1 || which == 3 || !f->has_key))
        f->compared = false;
    if (f->mode == EVP_CIPH_OCB_MODE && f->begun && (which == 2 || which == 3))
        f->compared = false; /* Rijn refuses another size of the tag within a message */
    for (int s = first_side(f); s <= OURS; s++)
        result[s] = EVP_CIPHER_CTX_set_params(f->context[s], list);
    agree(f, list[0].key, result, NULL, NULL);
    f->tag_given |= which == 2 && result[OURS] > 0;
}

/* Reads the tag, with any of its sizes. */
static void get_tag(choices *c, fuzzed *f)
{
    const size_t size = 1 + choose(c) % 16;
    uint8_t *tag[2] = {NULL, NULL};
    int result[2], given[2] = {(int)size, (int)size};

    /* Default's OCB gives one before the end, too. */
    for (int s = f->has_tag ? first_side(f) : OURS; s <= OURS; s++) {
        OSSL_PARAM list[2] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};

        tag[s] = exactly(size);
        list[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag[s], size);
        result[s] = EVP_CIPHER_CTX_get_params(f->context[s], list);
    }
    if (f->has_tag)
        agree(f, "reading the tag", result, tag, given);
    if (result[OURS] == 1)
        memcpy(f->tag, tag[OURS], size);
    free(tag[THEIRS]);
    free(tag[OURS]);
}

/* Brings both sides together again: a new context of the default provider gets the sizes that Rijn's context
 * has after all its calls, and both get a key and an IV. */
static void rejoin(choices *c, fuzzed *f, int encrypt)
{
    size_t zero = 0, iv_size = 0;
    unsigned padding = 1, none = 0;
    OSSL_PARAM back[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &zero),
                         OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &none),
                         OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_USE_BITS, &none),
                         OSSL_PARAM_construct_end()};
    OSSL_PARAM read[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, &iv_size),
                         OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
                         OSSL_PARAM_construct_end()};
    OSSL_PARAM same[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
                         OSSL_PARAM_construct_end()};

    if (f->mode != EVP_CIPH_CTR_MODE && f->mode != EVP_CIPH_CBC_MODE &&
        f->mode != EVP_CIPH_CFB_MODE && f->mode != EVP_CIPH_OFB_MODE &&
        f->mode != EVP_CIPH_ECB_MODE && f->mode != EVP_CIPH_GCM_MODE)
        return;
    if (f->cipher->of[THEIRS] == NULL || strstr(name_of(f), "CTS") != NULL)
        return;
    REQUIRE(EVP_CIPHER_CTX_set_params(f->context[OURS], back) == 1, "%s", name_of(f));
    REQUIRE(EVP_CIPHER_CTX_get_params(f->context[OURS], read) == 1, "%s", name_of(f));
    EVP_CIPHER_CTX_reset(f->context[THEIRS]);
    REQUIRE(EVP_CipherInit_ex2(f->context[THEIRS], f->cipher->of[THEIRS], NULL, NULL, encrypt,
                               NULL) == 1,
            "%s", name_of(f));
    REQUIRE(EVP_CIPHER_CTX_set_params(f->context[THEIRS], same) == 1, "%s", name_of(f));
    if (f->mode == EVP_CIPH_GCM_MODE)
        REQUIRE(EVP_CIPHER_CTX_ctrl(f->context[THEIRS], EVP_CTRL_AEAD_SET_IVLEN, (int)iv_size,
                                    NULL) == 1,
                "%zu", iv_size);
    f->compared = true;
    f->tag_given = false;
    f->encrypt = encrypt;
    initialize(c, f, true, true, encrypt);
}

static void fuzz_cipher(choices *c)
{
    fuzzed f = {.cipher = &ciphers[choose(c) % cipher_count]};
    wild parameters;

    f.mode = EVP_CIPHER_get_mode(f.cipher->of[OURS]);
    for (int s = THEIRS; s <= OURS; s++) {
        f.context[s] = EVP_CIPHER_CTX_new();
        EVP_CIPHER_CTX_set_flags(f.context[s], EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    }
    begin(&f, choose(c) % 2);
    for (size_t calls = 0; calls < MOST_CALLS && c->left != 0; calls++) {
        const uint8_t call = choose(c);

        /* Data without a key or, for GCM, without an IV, which is random then. */
        if (call % 16 >= 4 && call % 16 <= 8 &&
            (!f.has_key || (!f.has_iv && f.mode == EVP_CIPH_GCM_MODE)))
            f.compared = false;
        switch (call % 16) {
        case 0:
            begin(&f, call & 128 ? !f.encrypt : f.encrypt);
            break;
        case 1:
            initialize(c, &f, call & 16, call & 32, call & 128 ? !f.encrypt : f.encrypt);
            break;
        case 2:
            initialize(c, &f, true, true, call & 128 ? !f.encrypt : f.encrypt);
            break;
        case 3:
            set_one(c, &f);
            break;
        case 4:
        case 5:
            update(c, &f, true, false);
            break;
        case 6:
            update(c, &f, false, false);
            break;
        case 7:
            update(c, &f, true, true);
            break;
        case 8:
            final(&f);
            break;
        case 9:
            copy(c, &f);
            break;
        case 10:
            get_tag(c, &f);
            break;
        case 11:
            rejoin(c, &f, f.encrypt);
            break;
        case 12:
        case 13:
            f.compared = false;
            choose_parameters(c, &parameters);
            (void)EVP_CIPHER_CTX_set_params(f.context[OURS], parameters.list);
            forget_parameters(&parameters);
            break;
        case 14:
            f.compared = false; /* reading may generate an IV */
            choose_parameters(c, &parameters);
            if (EVP_CIPHER_CTX_get_params(f.context[OURS], parameters.list) == 1)
                check_sizes(&parameters);
            forget_parameters(&parameters);
            break;
        default:
            choose_parameters(c, &parameters);
            if (EVP_CIPHER_get_params(f.cipher->of[OURS], parameters.list) == 1)
                check_sizes(&parameters);
            forget_parameters(&parameters);
            break;
        }
    }
    EVP_CIPHER_CTX_free(f.context[THEIRS]);
    EVP_CIPHER_CTX_free(f.context[OURS]);
}

/* ---- MACs ---- */

/* Computes a MAC in a context. Returns its size, or 0. */
static size_t mac_of(EVP_MAC_CTX *context, bool gmac, const uint8_t *key, uint8_t *iv,
                     const uint8_t *text, size_t size, uint8_t mac[16])
{
    static char cbc[] = "AES-128-CBC", gcm[] = "AES-128-GCM";
    OSSL_PARAM list[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, gmac ? gcm : cbc, 0),
        gmac ? OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, iv, 12)
             : OSSL_PARAM_construct_end(),
        OSSL_PARAM_construct_end()};
    size_t given = 0;

    if (EVP_MAC_init(context, key, 16, list) != 1 || EVP_MAC_update(context, text, size) != 1 ||
        EVP_MAC_final(context, mac, &given, 16) != 1)
        return 0;
    return given;
}

static void fuzz_mac(choices *c)
{
    const bool gmac = choose(c) % 2 == 0;
    const char *name = gmac ? "GMAC" : "CMAC";
    EVP_MAC *mac[2] = {EVP_MAC_fetch(library, name, "provider=default"),
                       EVP_MAC_fetch(library, name, "provider=rijn")};
    EVP_MAC_CTX *context[2] = {EVP_MAC_CTX_new(mac[THEIRS]), EVP_MAC_CTX_new(mac[OURS])};
    EVP_MAC_CTX *other;
    uint8_t key[16], iv[12], text[40], result[2][16], *exact;
    size_t size, room;
    wild parameters;

    for (size_t calls = 0; calls < MOST_CALLS && c->left != 0; calls++) {
        const uint8_t call = choose(c) % 8;

        if (call <= 2)
            choose_parameters(c, &parameters);
        if (call == 0) {
            (void)EVP_MAC_CTX_set_params(context[OURS], parameters.list);
        } else if (call == 1) {
            size = choose(c) % 40;
            exact = filled(c, size);
            (void)EVP_MAC_init(context[OURS], size == 0 ? NULL : exact, size, parameters.list);
            free(exact);
        } else if (call == 2) {
            if (EVP_MAC_CTX_get_params(context[OURS], parameters.list) == 1)
                check_sizes(&parameters);
        } else if (call == 3) {
            size = choose(c) % 80;
            exact = filled(c, size);
            (void)EVP_MAC_update(context[OURS], exact, size);
            free(exact);
        } else if (call == 4) {
            room = choose(c) % 40;
            exact = exactly(room);
            if (EVP_MAC_final(context[OURS], exact, &size, room) == 1)
                REQUIRE(size <= room, "%s: %zu of %zu bytes", name, size, room);
            free(exact);
        } else if (call == 5) {
            other = EVP_MAC_CTX_dup(context[OURS]);
            REQUIRE(other != NULL, "%s: no copy", name);
            EVP_MAC_CTX_free(context[OURS]);
            context[OURS] = other;
        } else {
            (void)EVP_MAC_final(context[OURS], NULL, &size, 0);
        }
        if (call <= 2)
            forget_parameters(&parameters);
    }
    fill(c, key, sizeof key);
    fill(c, iv, sizeof iv);
    fill(c, text, sizeof text);
    for (int s = THEIRS; s <= OURS; s++)
        REQUIRE(mac_of(context[s], gmac, key, iv, text, sizeof text, result[s]) == 16,
                "%s of side %d, after any calls", name, s);
    REQUIRE(memcmp(result[THEIRS], result[OURS], 16) == 0, "%s: other bytes", name);
    for (int s = THEIRS; s <= OURS; s++) {
        EVP_MAC_CTX_free(context[s]);
        EVP_MAC_free(mac[s]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    choices c = {data, size};

    load();
    if (choose(&c) % 8 == 7)
        fuzz_mac(&c);
    else
        fuzz_cipher(&c);
    ERR_clear_error();
    return 0;
}
