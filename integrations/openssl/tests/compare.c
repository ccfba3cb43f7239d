/* Compares the ciphers and MACs of the provider with those of OpenSSL's default provider.
 *
 *   compare [--folder F] [--module NAME] [--seed N] [--rounds N] [--only TEXT]
 *
 * Both sides get the same random calls. Every result, output, tag and parameter must be equal. A cipher
 * that the default provider lacks is compared with itself: one call against pieces. */
#include "check.h"

#ifndef EVP_CIPH_GCM_SIV_MODE /* since 3.2 */
#define EVP_CIPH_GCM_SIV_MODE 0x10005
#endif

enum { MOST = 5000, ROOM = MOST + 64, CIPHERS = 200 };

static struct library library;
static size_t rounds = 60;
static const char *only = "";

/* The two sides: default, then the tested provider. `s` is the one that a call of BOTH is for. */
static int s;
static EVP_CIPHER *cipher[2];
static EVP_CIPHER_CTX *ctx[2];
static uint8_t room[2][ROOM + 64], *out[2] = {room[0], room[1]}; /* at any alignment */
static int outl[2];

static uint8_t key[2 * EVP_MAX_KEY_LENGTH], iv[256], ad[600], plain[ROOM], sealed[ROOM], tag[16];
static char what[200];            /* the message that is compared */
static char parameter_fault[400]; /* the first one; it ends no message */
static size_t completed;          /* messages that both sides processed to their end */

static bool agree(const char *text, int first, int second)
{
    if (first == second)
        return true;
    return fail("%s: default returns %d, %s %d; %s", text, first, module, second, what);
}

static int first_result;
/* Evaluates a call for each side. Is true if both give the same result; it is then in first_result. */
#define BOTH(call) (s = 0, first_result = (call), s = 1, agree(#call, first_result, (call)))
/* The same, and whether it was 1. */
#define BOTH_DO(call) (BOTH(call) && first_result == 1)

static bool same_output(const char *text)
{
    if (outl[0] != outl[1])
        return fail("%s: default gives %d bytes, %s %d; %s", text, outl[0], module, outl[1], what);
    for (int i = 0; i < outl[0]; i++)
        if (out[0][i] != out[1][i])
            return fail("%s: byte %d of %d differs; %s", text, i, outl[0], what);
    return true;
}

/* Passes data to both sides. Returns true if both took it and gave the same bytes, which are then in
 * out[0]. In place, the input is in the output's buffer. */
static bool update(const uint8_t *from, size_t size, bool in_place)
{
    const size_t most = size + 32;

    for (s = 0; s < 2; s++) {
        memset(out[s], 0xa5, ROOM);
        if (in_place)
            memcpy(out[s], from, size);
        outl[s] = 0;
    }
    if (!BOTH(EVP_CipherUpdate(ctx[s], out[s], &outl[s], in_place ? out[s] : from, (int)size)))
        return false;
    for (size_t i = most; i < ROOM && i < most + 64; i++)
        if (out[1][i] != 0xa5)
            return fail("update of %zu bytes writes byte %zu; %s", size, i, what);
    return first_result == 1 && same_output("update");
}

static bool final(void)
{
    for (s = 0; s < 2; s++) {
        memset(out[s], 0xa5, 64);
        outl[s] = 0;
    }
    return BOTH(EVP_CipherFinal_ex(ctx[s], out[s], &outl[s])) && first_result == 1 &&
           same_output("final");
}

/* Continues both messages in copies. The originals get other data, which must not matter. */
static bool go_on_in_copies(void)
{
    EVP_CIPHER_CTX *copy[2] = {EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new()};
    uint8_t other[48] = {0}, sink[80];
    int n;

    const bool good = BOTH(EVP_CIPHER_CTX_copy(copy[s], ctx[s])) && first_result == 1;
    for (s = 0; s < 2; s++) {
        if (good) {
            EVP_CIPHER_CTX *old = ctx[s];
            ctx[s] = copy[s];
            copy[s] = old;
            if (one_in(2))
                EVP_CipherUpdate(old, sink, &n, other, 16);
        }
        EVP_CIPHER_CTX_free(copy[s]);
    }
    ERR_clear_error();
    return good;
}

/* Compares one parameter of both contexts. */
static void same_parameter(const OSSL_PARAM *about)
{
    uint8_t text[2][300];
    size_t number[2] = {7, 7};
    void *pointer[2] = {NULL, NULL};
    int results[2];
    OSSL_PARAM read[2][2];
    /* Default's CCM copies as many bytes as there is room for, also those after the IV. */
    const size_t room_size =
        strstr(about->key, "iv") ? (size_t)EVP_CIPHER_CTX_get_iv_length(ctx[0]) : sizeof text[0];

    memset(text, 0xa5, sizeof text);
    for (int i = 0; i < 2; i++) {
        char *string = (char *)text[i];
        read[i][1] = OSSL_PARAM_construct_end();
        if (about->data_type == OSSL_PARAM_UNSIGNED_INTEGER)
            read[i][0] = OSSL_PARAM_construct_size_t(about->key, &number[i]);
        else if (about->data_type == OSSL_PARAM_OCTET_STRING)
            read[i][0] = OSSL_PARAM_construct_octet_string(about->key, string, room_size);
        else if (about->data_type == OSSL_PARAM_UTF8_STRING)
            read[i][0] = OSSL_PARAM_construct_utf8_string(about->key, string, sizeof text[i]);
        else
            read[i][0] = OSSL_PARAM_construct_octet_ptr(about->key, &pointer[i], 0);
        results[i] = EVP_CIPHER_CTX_get_params(ctx[i], read[i]);
    }
    if (results[0] == results[1] &&
        (results[0] != 1 ||
         (number[0] == number[1] && read[0][0].return_size == read[1][0].return_size &&
          memcmp(text[0], text[1], sizeof text[0]) == 0)))
        return;
    if (!*parameter_fault)
        snprintf(parameter_fault, sizeof parameter_fault,
                 "%s: default returns %d, %zu bytes, %zu; %s %d, %zu bytes, %zu; %s; %s",
                 about->key, results[0], read[0][0].return_size, number[0], module, results[1],
                 read[1][0].return_size, number[1],
                 memcmp(text[0], text[1], sizeof text[0]) ? "other bytes" : "", what);
}

/* Compares all parameters that default's context has. Generators of IVs and keys change or draw
 * something: compare_ssh and compare_tls_aead use them. */
static void same_parameters(void)
{
    for (const OSSL_PARAM *p = EVP_CIPHER_gettable_ctx_params(cipher[0]); p && p->key; p++) {
        if (strcmp(p->key, OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN) != 0 &&
            strcmp(p->key, OSSL_CIPHER_PARAM_RANDOM_KEY) != 0)
            same_parameter(p);
    }
    ERR_clear_error();
}

/* Checks that a list of parameters has all names of another, with their types. */
static bool covers(const char *list, const OSSL_PARAM *has, const OSSL_PARAM *wanted)
{
    for (; wanted && wanted->key; wanted++) {
        const OSSL_PARAM *p = has ? OSSL_PARAM_locate_const(has, wanted->key) : NULL;
        if (!p || p->data_type != wanted->data_type)
            return fail("%s lacks %s, or has it with another type", list, wanted->key);
    }
    return true;
}

/* Draws a key and an IV, and begins a message in one of the ways that programs use. */
static bool start(int encrypting)
{
    const int way = (int)below(6);
    EVP_CIPHER_CTX **c = ctx;
    const int e = encrypting;

    random_bytes(key, sizeof key);
    random_bytes(iv, sizeof iv);
    switch (way) {
    case 0: /* all at once */
        return BOTH_DO(EVP_CipherInit_ex2(c[s], cipher[s], key, iv, e, NULL));
    case 1: /* cipher, key, IV */
        return BOTH_DO(EVP_CipherInit_ex2(c[s], cipher[s], NULL, NULL, e, NULL)) &&
               BOTH_DO(EVP_CipherInit_ex2(c[s], NULL, key, NULL, -1, NULL)) &&
               BOTH_DO(EVP_CipherInit_ex2(c[s], NULL, NULL, iv, -1, NULL));
    case 2: /* the IV before the key, as OpenSSH */
        return BOTH_DO(EVP_CipherInit_ex2(c[s], cipher[s], NULL, iv, e, NULL)) &&
               BOTH_DO(EVP_CipherInit_ex2(c[s], NULL, key, NULL, -1, NULL));
    case 3: /* another key, the same IV */
        return BOTH_DO(EVP_CipherInit_ex2(c[s], cipher[s], key + 1, iv, e, NULL)) &&
               BOTH_DO(EVP_CipherInit_ex2(c[s], NULL, key, NULL, e, NULL));
    case 4: /* another IV, the same key */
        return BOTH_DO(EVP_CipherInit_ex2(c[s], cipher[s], key, iv + 1, e, NULL)) &&
               BOTH_DO(EVP_CipherInit_ex2(c[s], NULL, NULL, iv, e, NULL));
    default: /* from the other direction */
        return BOTH_DO(EVP_CipherInit_ex2(c[s], cipher[s], key, iv, !e, NULL)) &&
               BOTH_DO(EVP_CipherInit_ex2(c[s], NULL, key, iv, e, NULL));
    }
}

static size_t draw_size(void)
{
    static const size_t most[] = {4, 40, 300, MOST};

    return below(most[below(4)]);
}

/* Leaves a message before its end, and begins one with a part of what the last had. */
static bool leave_and_start(int encrypting)
{
    const int way = (int)below(4);

    if (!update(plain, below(50), false) && current_failed)
        return false;
    random_bytes(key, sizeof key);
    random_bytes(iv, sizeof iv);
    const uint8_t *const new_key = way & 1 ? key : NULL, *const new_iv = way & 2 ? iv : NULL;
    return BOTH_DO(EVP_CipherInit_ex2(ctx[s], NULL, new_key, new_iv, encrypting, NULL));
}

/* ---- Modes without a tag ---- */

/* Passes a message in random pieces. The output of a padding mode lags, so pieces are in place only if
 * nothing lags. */
static bool pieces(const uint8_t *from, size_t size, size_t block, bool lags)
{
    for (size_t at = 0, n; at < size; at += n) {
        n = one_in(3) ? size - at : 1 + below(size - at);
        if (block > 1 && one_in(2)) /* whole blocks, to meet both branches */
            n = n < block ? size - at : n / block * block;
        const bool in_place = !lags && one_in(2) && at % block == 0 && n % block == 0;
        if (!update(from + at, n, in_place))
            return false;
        if (one_in(4) && !go_on_in_copies())
            return false;
        if (one_in(8))
            same_parameters();
        if (one_in(20) && !update(from, 0, false) && current_failed)
            return false;
    }
    return true;
}

static void compare_plain(void)
{
    const size_t block = (size_t)EVP_CIPHER_get_block_size(cipher[0]);
    const int encrypting = (int)below(2), padded = (int)below(2);
    size_t size = draw_size();
    const uint8_t *from = plain;

    if (one_in(2))
        size = size / block * block;
    random_bytes(plain, size);
    snprintf(what, sizeof what, "%zu bytes, encrypting %d, padded %d", size, encrypting, padded);
    if (!start(encrypting) || !BOTH(EVP_CIPHER_CTX_set_padding(ctx[s], padded)))
        return;
    if (one_in(5)) {
        if (leave_and_start(encrypting) && pieces(plain, size, block, true))
            final();
        return;
    }
    if (!encrypting && padded && block > 1) { /* padding that is right, from default */
        EVP_CIPHER_CTX *maker = EVP_CIPHER_CTX_new();
        int n = 0, last = 0;
        EVP_EncryptInit_ex2(maker, cipher[0], key, iv, NULL);
        EVP_EncryptUpdate(maker, sealed, &n, plain, (int)size);
        EVP_EncryptFinal_ex(maker, sealed + n, &last);
        EVP_CIPHER_CTX_free(maker);
        size = (size_t)(n + last);
        from = sealed;
        if (one_in(3))
            sealed[size - 1 - below(17 < size ? 17 : size)] ^= 1;
        else if (one_in(4))
            size -= 1 + below(16);
    }
    const bool lags = !encrypting && padded && block > 1;
    if (pieces(from, size, block, lags)) {
        same_parameters();
        if (final())
            completed++;
    }
    same_parameters();
}

/* XTS and CBC-CTS take a message in one call. */
static void compare_whole(void)
{
    static const char *const variants[] = {"CS1", "CS2", "CS3"};
    const int encrypting = (int)below(2);
    const bool steals = strstr(EVP_CIPHER_get0_name(cipher[0]), "CTS") != NULL;
    size_t size = one_in(5) ? below(16) : 16 + draw_size();

    random_bytes(plain, size);
    snprintf(what, sizeof what, "%zu bytes, encrypting %d", size, encrypting);
    if (!start(encrypting))
        return;
    if (steals && one_in(2)) {
        char name[4];
        strcpy(name, variants[below(3)]);
        OSSL_PARAM set[] = {OSSL_PARAM_construct_utf8_string("cts_mode", name, 0),
                            OSSL_PARAM_construct_end()};
        if (!BOTH(EVP_CIPHER_CTX_set_params(ctx[s], set)))
            return;
    }
    if (one_in(4) && !go_on_in_copies())
        return;
    same_parameters();
    if (!update(plain, size, one_in(2)))
        return;
    if (one_in(3) && !go_on_in_copies())
        return;
    if (one_in(4) && !update(plain, 32, false))
        return;
    same_parameters();
    if (final())
        completed++;
}

static void compare_wrap(void)
{
    const int encrypting = (int)below(2);
    const bool inverse = strstr(EVP_CIPHER_get0_name(cipher[0]), "INV") != NULL;
    size_t size = one_in(2) ? 8 * below(40) : below(300);
    const uint8_t *from = plain;

    random_bytes(plain, size);
    snprintf(what, sizeof what, "%zu bytes, encrypting %d, inverse %d", size, encrypting, inverse);
    for (s = 0; s < 2; s++)
        EVP_CIPHER_CTX_set_flags(ctx[s], EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    if (one_in(3)) { /* the standard's IV */
        random_bytes(key, sizeof key);
        if (!BOTH_DO(EVP_CipherInit_ex2(ctx[s], cipher[s], key, NULL, encrypting, NULL)))
            return;
        memset(iv, 0xa6, 8);
        memcpy(iv, EVP_CIPHER_get_iv_length(cipher[0]) == 4 ? "\xa6\x59\x59\xa6" : (char *)iv, 4);
    } else if (!start(encrypting))
        return;
    if (!encrypting) {
        EVP_CIPHER_CTX *maker = EVP_CIPHER_CTX_new();
        int n = 0;
        EVP_CIPHER_CTX_set_flags(maker, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
        if (EVP_EncryptInit_ex2(maker, cipher[0], key, iv, NULL) == 1 &&
            EVP_EncryptUpdate(maker, sealed, &n, plain, (int)size) == 1 && n > 0) {
            from = sealed;
            size = (size_t)n;
            if (one_in(3))
                sealed[below(size)] ^= 1;
        }
        EVP_CIPHER_CTX_free(maker);
    }
    if (one_in(3) && !go_on_in_copies())
        return;
    same_parameters();
    if (!update(from, size, false))
        return;
    same_parameters();
    if (final())
        completed++;
}

/* ---- Modes with a tag ---- */

static uint64_t ad_cuts; /* draws the pieces of associated data, for SIV the same when decrypting */

/* Passes associated data. It has no output, so `out` is NULL. */
static bool associate(size_t size)
{
    const uint64_t outer = state;

    state = ad_cuts;
    for (size_t at = 0, n; at < size; at += n) {
        n = one_in(2) ? size - at : 1 + below(size - at);
        if (!BOTH_DO(EVP_CipherUpdate(ctx[s], NULL, &outl[s], ad + at, (int)n)))
            return false;
        /* Default's OCB only counts whole blocks here. */
        if (outl[0] != outl[1] && EVP_CIPHER_get_mode(cipher[0]) != EVP_CIPH_OCB_MODE)
            return fail("ad: default reports %d, %s %d; %s", outl[0], module, outl[1], what);
        if (one_in(6) && !go_on_in_copies())
            return false;
    }
    state = outer;
    return true;
}

static bool is_siv(int mode)
{
    return mode == EVP_CIPH_SIV_MODE || mode == EVP_CIPH_GCM_SIV_MODE;
}

/* Sets the IV's length, in one message of two, to a value that may be refused. Returns false if it was. */
static bool set_iv_length(int mode)
{
    int size = (int)below(mode == EVP_CIPH_GCM_MODE ? 140 : 18);

    if (one_in(2) || is_siv(mode))
        return true;
    if (mode == EVP_CIPH_CCM_MODE && one_in(2))
        size = 7 + (int)below(7);
    return BOTH_DO(EVP_CIPHER_CTX_ctrl(ctx[s], EVP_CTRL_AEAD_SET_IVLEN, size, NULL));
}

/* Begins a message with the current key and IV, after the lengths. */
static bool start_sized(int encrypting, int mode, int tag_size, const uint8_t *wanted)
{
    const int e = encrypting;

    if (!BOTH_DO(EVP_CipherInit_ex2(ctx[s], cipher[s], NULL, NULL, e, NULL)) ||
        !set_iv_length(mode))
        return false;
    if (mode == EVP_CIPH_CCM_MODE || mode == EVP_CIPH_OCB_MODE)
        if (!BOTH_DO(EVP_CIPHER_CTX_ctrl(ctx[s], EVP_CTRL_AEAD_SET_TAG, tag_size, NULL)))
            return false;
    if (wanted && mode != EVP_CIPH_GCM_MODE)
        if (!BOTH_DO(EVP_CIPHER_CTX_ctrl(ctx[s], EVP_CTRL_AEAD_SET_TAG, tag_size, (void *)wanted)))
            return false;
    if (one_in(2)) /* its length must survive */
        return BOTH_DO(EVP_CipherInit_ex2(ctx[s], NULL, key, iv, e, NULL));
    if (one_in(2))
        return BOTH_DO(EVP_CipherInit_ex2(ctx[s], NULL, NULL, iv, e, NULL)) &&
               BOTH_DO(EVP_CipherInit_ex2(ctx[s], NULL, key, NULL, e, NULL));
    return BOTH_DO(EVP_CipherInit_ex2(ctx[s], NULL, key, NULL, e, NULL)) &&
           BOTH_DO(EVP_CipherInit_ex2(ctx[s], NULL, NULL, iv, e, NULL));
}

static bool one_message(int mode, const uint8_t *from, size_t size, size_t ad_size)
{
    const bool whole = mode == EVP_CIPH_CCM_MODE || is_siv(mode);

    if (mode == EVP_CIPH_CCM_MODE &&
        !BOTH_DO(EVP_CipherUpdate(ctx[s], NULL, &outl[s], NULL, (int)size)))
        return false;
    if (mode == EVP_CIPH_CCM_MODE && ad_size) { /* one piece */
        if (!BOTH_DO(EVP_CipherUpdate(ctx[s], NULL, &outl[s], ad, (int)ad_size)))
            return false;
    } else if (!associate(ad_size))
        return false;
    if (one_in(4) && !go_on_in_copies())
        return false;
    if (whole)
        return update(from, size, one_in(2));
    return pieces(from, size, 16, mode == EVP_CIPH_OCB_MODE);
}

/* Gives default's ciphertext and tag of the current message, made in one call. Returns its size, or -1. */
static int made_by_default(int mode, size_t size, size_t ad_size, int tag_size)
{
    const int iv_size = EVP_CIPHER_CTX_get_iv_length(ctx[0]);
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    int n = 0, m = 0;
    bool made = EVP_EncryptInit_ex2(c, cipher[0], NULL, NULL, NULL) == 1 &&
                EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, iv_size, NULL) == 1;

    if (mode == EVP_CIPH_CCM_MODE || mode == EVP_CIPH_OCB_MODE)
        made = made && EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, tag_size, NULL) == 1;
    made = made && EVP_EncryptInit_ex2(c, NULL, key, iv, NULL) == 1;
    if (mode == EVP_CIPH_CCM_MODE)
        made = made && EVP_EncryptUpdate(c, NULL, &n, NULL, (int)size) == 1;
    if (ad_size)
        made = made && EVP_EncryptUpdate(c, NULL, &n, ad, (int)ad_size) == 1;
    n = 0;
    if (size || mode == EVP_CIPH_CCM_MODE)
        made = made && EVP_EncryptUpdate(c, sealed, &n, plain, (int)size) == 1;
    made = made && EVP_EncryptFinal_ex(c, sealed + n, &m) == 1 &&
           EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, tag_size, tag) == 1;
    EVP_CIPHER_CTX_free(c);
    return made ? n + m : -1;
}

/* Gives both sides a SIV message with a forged tag. Default's GCM-SIV gives the message out and refuses
 * it at the end, Rijn refuses it at once. */
static void refuse(size_t size, size_t ad_size)
{
    uint8_t last[32];
    int n;

    if (!associate(ad_size))
        return;
    for (s = 0; s < 2; s++) {
        memset(out[s], 0, ROOM);
        if (EVP_CipherUpdate(ctx[s], out[s], &n, sealed, (int)size) == 1 &&
            EVP_CipherFinal_ex(ctx[s], last, &n) == 1)
            fail("side %d accepts a forged tag; %s", s, what);
        if (s == 1 && size >= 16 && memcmp(out[s], plain, size) == 0)
            fail("a message with a forged tag is given out; %s", what);
    }
    completed++;
}

/* Leaves a message before its end. The next has another IV, and perhaps another key. */
static void leave_aead(int mode, size_t size, size_t ad_size, int tag_size)
{
    uint8_t tags[2][32] = {{0}};

    if (!associate(below(40)) || (!update(plain, below(100), false) && current_failed))
        return;
    random_bytes(key, sizeof key);
    random_bytes(iv, sizeof iv);
    const uint8_t *const new_key = one_in(2) ? key : NULL;
    if (BOTH_DO(EVP_CipherInit_ex2(ctx[s], NULL, new_key, iv, 1, NULL)) &&
        one_message(mode, plain, size, ad_size) && final() &&
        BOTH_DO(EVP_CIPHER_CTX_ctrl(ctx[s], EVP_CTRL_AEAD_GET_TAG, tag_size, tags[s])) &&
        memcmp(tags[0], tags[1], sizeof tags[0]) != 0)
        fail("the tags differ after a message that was left; %s", what);
}

static void compare_aead(void)
{
    const int mode = EVP_CIPHER_get_mode(cipher[0]);
    /* OpenSSL 3.0 has no SIV of empty messages. */
    const size_t size = draw_size() + is_siv(mode), ad_size = one_in(3) ? 0 : below(sizeof ad);
    const int tag_size = one_in(is_siv(mode) ? 9 : 2) ? 1 + (int)below(17) : 16;
    uint8_t tags[2][32], other_tag[16];

    random_bytes(key, sizeof key);
    random_bytes(iv, sizeof iv);
    random_bytes(ad, sizeof ad);
    random_bytes(plain, size);
    snprintf(what, sizeof what, "%zu bytes, ad %zu, tag %d", size, ad_size, tag_size);
    ad_cuts = random_u64();
    const uint64_t lengths = state; /* the second message draws the same lengths of the IV */
    if (!start_sized(1, mode, tag_size, NULL))
        return;
    same_parameters();
    if (one_in(5) && (mode == EVP_CIPH_GCM_MODE || mode == EVP_CIPH_OCB_MODE)) {
        leave_aead(mode, size, ad_size, tag_size);
        return;
    }
    if (!one_message(mode, plain, size, ad_size))
        return;
    memcpy(sealed, out[0], size);                         /* SIV's, for it is in one piece */
    if (size && one_in(6) && mode == EVP_CIPH_GCM_MODE) { /* too late for associated data */
        if (!BOTH(EVP_CipherUpdate(ctx[s], NULL, &outl[s], ad, 5)) || first_result != 1)
            return;
    }
    if (!final())
        return;
    memset(tags, 0, sizeof tags);
    same_parameters();
    if (!BOTH_DO(EVP_CIPHER_CTX_ctrl(ctx[s], EVP_CTRL_AEAD_GET_TAG, tag_size, tags[s])))
        return;
    if (memcmp(tags[0], tags[1], 16) != 0) {
        fail("the tags differ; %s", what);
        return;
    }

    if (is_siv(mode)) { /* both sides gave this */
        memcpy(tag, tags[0], 16);
    } else if (made_by_default(mode, size, ad_size, tag_size) != (int)size ||
               memcmp(tag, tags[0], (size_t)tag_size) != 0) {
        fail("default differs from itself: a fault of this test; %s", what);
        return;
    }
    /* Default also accepts tags of sizes that NIST SP 800-38D does not allow. */
    if (mode == EVP_CIPH_GCM_MODE && tag_size != 4 && tag_size != 8 && tag_size < 12)
        return;
    const bool forged = one_in(3);
    if (forged)
        tag[below((size_t)tag_size)] ^= (uint8_t)(1 << below(8));

    snprintf(what, sizeof what, "decrypting %zu bytes, ad %zu, tag %d, forged %d", size, ad_size,
             tag_size, forged);
    const uint64_t later = state;
    if (!is_siv(mode))
        state = lengths;
    if (!start_sized(0, mode, tag_size, tag))
        return;
    state = later;
    if (forged && is_siv(mode)) {
        refuse(size, ad_size);
        return;
    }
    if (mode == EVP_CIPH_GCM_MODE && one_in(3)) { /* a tag that another one replaces */
        random_bytes(other_tag, sizeof other_tag);
        if (!BOTH_DO(EVP_CIPHER_CTX_ctrl(ctx[s], EVP_CTRL_AEAD_SET_TAG, 16, other_tag)))
            return;
    }
    if (!one_message(mode, sealed, size, ad_size))
        return;
    if (mode == EVP_CIPH_GCM_MODE &&
        !BOTH_DO(EVP_CIPHER_CTX_ctrl(ctx[s], EVP_CTRL_AEAD_SET_TAG, tag_size, tag)))
        return;
    if (final() == forged)
        fail(forged ? "a forged tag was accepted; %s" : "a right tag was refused; %s", what);
    completed++;
    same_parameters();
}

/* ---- As libssl and OpenSSH call it ---- */

/* Drives one side's context as libssl does for a record of TLS 1.2. */
static int tls_record(int side, int encrypting, uint8_t *record, size_t size, int fixed)
{
    uint8_t header[13];
    const bool ccm = EVP_CIPHER_get_mode(cipher[side]) == EVP_CIPH_CCM_MODE;
    EVP_CIPHER_CTX *c = ctx[side];
    uint8_t whole[12];

    if (EVP_CipherInit_ex(c, cipher[side], NULL, ccm ? NULL : key, NULL, encrypting) != 1)
        return -10;
    if (ccm && (EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) != 1 ||
                EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, NULL) != 1 ||
                EVP_CipherInit_ex(c, NULL, NULL, key, NULL, -1) != 1))
        return -11;
    memcpy(whole, iv, 12);
    if (EVP_CIPHER_CTX_ctrl(c, ccm ? EVP_CTRL_CCM_SET_IV_FIXED : EVP_CTRL_GCM_SET_IV_FIXED, fixed,
                            whole) != 1)
        return -12;
    memcpy(header, ad, 11);
    /* Its length has the explicit part of the IV, and when decrypting also the tag. */
    header[11] = (uint8_t)(size >> 8);
    header[12] = (uint8_t)size;
    const int pad = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, header);
    if (pad != 16)
        return -100 - pad;
    return EVP_Cipher(c, record, record, (unsigned)(encrypting ? size + 16 : size));
}

static void compare_tls_aead(void)
{
    const bool ccm = EVP_CIPHER_get_mode(cipher[0]) == EVP_CIPH_CCM_MODE;
    const size_t size = 8 + draw_size();
    const int fixed = ccm || one_in(2) ? 4 : -1;

    random_bytes(key, sizeof key);
    random_bytes(iv, sizeof iv);
    random_bytes(ad, sizeof ad);
    random_bytes(plain, size);
    snprintf(what, sizeof what, "TLS record of %zu bytes, fixed IV %d", size, fixed);
    for (s = 0; s < 2; s++)
        memcpy(out[s], plain, size);
    if (!BOTH(tls_record(s, 1, out[s], size, fixed)))
        return;
    if (first_result < 0) {
        fail("default refuses a record with %d; %s", first_result, what);
        return;
    }
    const OSSL_PARAM *drawn =
        OSSL_PARAM_locate_const(EVP_CIPHER_gettable_ctx_params(cipher[0]), "iv-generated");
    if (drawn) /* since OpenSSL 3.4 */
        same_parameter(drawn);
    /* Default draws the explicit part of the IV if only 4 bytes are fixed. */
    if ((fixed == -1 || ccm) && memcmp(out[0], out[1], size + 16) != 0) {
        fail("the records differ; %s", what);
        return;
    }
    const bool forged = one_in(4);
    uint8_t swapped[ROOM];
    memcpy(swapped, out[0], size + 16); /* each side opens what the other sealed */
    memcpy(out[0], out[1], size + 16);
    memcpy(out[1], swapped, size + 16);
    if (forged)
        for (s = 0; s < 2; s++)
            out[s][size + 3] ^= 1;
    if (!BOTH(tls_record(s, 0, out[s], size + 16, 4)))
        return;
    if (forged ? first_result >= 0 : first_result < 0) {
        fail("a record, forged %d, gives %d; %s", forged, first_result, what);
        return;
    }
    for (s = 0; s < 2; s++)
        if (!forged && memcmp(out[s] + 8, plain + 8, size - 8) != 0)
            fail("the opened record of side %d differs; %s", s, what);
    completed++;
}

/* As OpenSSH's cipher.c: the IV is fixed before the key; each packet takes a generated IV. */
static void compare_ssh(void)
{
    random_bytes(key, sizeof key);
    random_bytes(iv, sizeof iv);
    const int encrypting = (int)below(2);
    snprintf(what, sizeof what, "SSH packets, encrypting %d", encrypting);
    if (!BOTH_DO(EVP_CipherInit(ctx[s], cipher[s], NULL, iv, encrypting)) ||
        !BOTH(EVP_CIPHER_CTX_ctrl(ctx[s], EVP_CTRL_GCM_SET_IV_FIXED, -1, iv)) || first_result != 1)
        return;
    const int key_size = EVP_CIPHER_CTX_get_key_length(ctx[0]);
    if (!BOTH(EVP_CIPHER_CTX_set_key_length(ctx[s], key_size)) ||
        !BOTH_DO(EVP_CipherInit(ctx[s], NULL, key, NULL, -1)))
        return;
    for (int packet = 0; packet < 4; packet++) {
        const size_t size = 16 * (1 + below(100));
        uint8_t last[2][1], tags[2][16];
        random_bytes(plain, size);
        if (!BOTH(EVP_CIPHER_CTX_ctrl(ctx[s], EVP_CTRL_GCM_IV_GEN, 1, last[s])) ||
            last[0][0] != last[1][0]) {
            fail("the generated IVs differ; %s", what);
            return;
        }
        if (!encrypting && /* a wrong one, before the data */
            !BOTH(EVP_CIPHER_CTX_ctrl(ctx[s], EVP_CTRL_GCM_SET_TAG, 16, plain)))
            return;
        if (!BOTH(EVP_Cipher(ctx[s], NULL, plain, 4)) ||
            !BOTH(EVP_Cipher(ctx[s], out[s], plain, (unsigned)size)))
            return;
        outl[0] = outl[1] = (int)size;
        if (!same_output("EVP_Cipher") || !BOTH(EVP_Cipher(ctx[s], NULL, NULL, 0)))
            return;
        if (!encrypting)
            return;
        if (!BOTH(EVP_CIPHER_CTX_ctrl(ctx[s], EVP_CTRL_GCM_GET_TAG, 16, tags[s])) ||
            memcmp(tags[0], tags[1], 16) != 0) {
            fail("the tags differ; %s", what);
            return;
        }
        completed++;
    }
}

/* Records with MAC then padding, as libssl gives them to CBC: the provider pads, and removes padding and
 * MAC in constant time. */
static void compare_tls_cbc(void)
{
    unsigned version = (unsigned)(0x301 + below(3));
    size_t mac_size = one_in(3) ? 0 : one_in(2) ? 20 : 32;
    const int encrypting = (int)below(2);
    size_t size = 16 * (2 + below(40)) + (encrypting ? below(16) : 0);
    OSSL_PARAM set[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
                        OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac_size),
                        OSSL_PARAM_construct_end()};
    const uint8_t *from = plain;
    EVP_CIPHER_CTX *maker;
    int n = 0;

    random_bytes(key, sizeof key);
    random_bytes(iv, sizeof iv);
    random_bytes(plain, size);
    snprintf(what, sizeof what, "TLS %x, %zu bytes, MAC %zu, encrypting %d", version, size,
             mac_size, encrypting);
    if (!encrypting) { /* padding that may be right */
        const size_t padding = below(one_in(2) ? 16 : size < 256 ? size : 256);
        memset(plain + size - 1 - padding, (int)padding, padding + 1);
        if (one_in(4))
            plain[size - 1 - below(padding + 1)] ^= 1;
        maker = EVP_CIPHER_CTX_new();
        EVP_EncryptInit_ex2(maker, cipher[0], key, iv, NULL);
        EVP_CIPHER_CTX_set_padding(maker, 0);
        EVP_EncryptUpdate(maker, sealed, &n, plain, (int)size);
        EVP_CIPHER_CTX_free(maker);
        from = sealed;
    }
    if (!BOTH_DO(EVP_CipherInit_ex2(ctx[s], cipher[s], key, iv, encrypting, set)))
        return;
    for (s = 0; s < 2; s++) {
        memcpy(out[s], from, size);
        outl[s] = 0;
    }
    if (!BOTH(EVP_CipherUpdate(ctx[s], out[s], &outl[s], out[s], (int)size)) || first_result != 1)
        return;
    if (!same_output("record"))
        return;
    void *mac[2] = {NULL, NULL};
    if (!encrypting && mac_size) {
        OSSL_PARAM get[2][2];
        for (s = 0; s < 2; s++) {
            get[s][0] = OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, &mac[s], 0);
            get[s][1] = OSSL_PARAM_construct_end();
        }
        if (!BOTH_DO(EVP_CIPHER_CTX_get_params(ctx[s], get[s])))
            return;
        if (!mac[0] != !mac[1]) {
            fail("only one side has a MAC; %s", what);
            return;
        }
        /* Default gives a random MAC if the padding was wrong. A right one stands in `plain`. */
        const int padding = plain[size - 1];
        bool right = (size_t)padding + 1 + mac_size <= size;
        for (int i = 0; right && i <= padding; i++)
            right = plain[size - 1 - (size_t)i] == padding;
        const size_t lead = version >= 0x302 ? 16 : 0;
        right = right && (size_t)padding + 1 + mac_size + lead <= size;
        for (s = 0; s < 2 && right && mac[0]; s++)
            if (memcmp(mac[s], plain + size - 1 - (size_t)padding - mac_size, mac_size) != 0)
                fail("side %d has another MAC; %s", s, what);
    }
    completed++;
}

/* ---- Ciphers of the tested provider alone ---- */

/* Seals or opens a message of one AEAD, in one call or in pieces. Returns whether all calls succeeded. */
static bool alone(EVP_CIPHER_CTX *c, EVP_CIPHER *what_cipher, int encrypting, bool in_pieces,
                  const uint8_t *from, uint8_t *to, size_t size, size_t ad_size, uint8_t *its_tag,
                  int tag_size)
{
    int n = 0;
    size_t written = 0;
    EVP_CIPHER_CTX *copy;

    if (EVP_CipherInit_ex2(c, what_cipher, NULL, NULL, encrypting, NULL) != 1)
        return false;
    if (tag_size != 16 || !encrypting)
        if (EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, tag_size, encrypting ? NULL : its_tag) !=
            1)
            return false;
    if (EVP_CipherInit_ex2(c, NULL, key, iv, encrypting, NULL) != 1)
        return false;
    for (size_t at = 0, step; at < ad_size; at += step) {
        step = in_pieces ? 1 + below(ad_size - at) : ad_size;
        if (EVP_CipherUpdate(c, NULL, &n, ad + at, (int)step) != 1)
            return false;
    }
    for (size_t at = 0, step; at < size; at += step) {
        step = in_pieces ? 1 + below(size - at) : size;
        if (EVP_CipherUpdate(c, to + written, &n, from + at, (int)step) != 1)
            return false;
        written += (size_t)n;
        if (in_pieces && one_in(3)) { /* there and back */
            copy = EVP_CIPHER_CTX_new();
            const bool copied = EVP_CIPHER_CTX_copy(copy, c) == 1;
            if (copied)
                EVP_CipherUpdate(c, out[0], &n, plain, 100);
            const bool returned = copied && EVP_CIPHER_CTX_copy(c, copy) == 1;
            EVP_CIPHER_CTX_free(copy);
            if (!returned)
                return fail("a context could not be copied; %s", what);
        }
    }
    if (EVP_CipherFinal_ex(c, to + written, &n) != 1)
        return false;
    written += (size_t)n;
    if (written != size)
        return fail("%zu bytes give %zu; %s", size, written, what);
    return !encrypting || EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, tag_size, its_tag) == 1;
}

static void compare_alone(EVP_CIPHER *c)
{
    const bool streams = strstr(EVP_CIPHER_get0_name(c), "SIV") == NULL;
    const bool aegis = strncmp(EVP_CIPHER_get0_name(c), "AEGIS", 5) == 0;
    const size_t size = draw_size(), ad_size = one_in(3) ? 0 : below(sizeof ad);
    const int tag_size = aegis && one_in(2) ? 32 : 16;
    static uint8_t whole[ROOM], parts[ROOM];
    uint8_t tags[2][32];

    random_bytes(key, sizeof key);
    random_bytes(iv, sizeof iv);
    random_bytes(ad, sizeof ad);
    random_bytes(plain, MOST);
    snprintf(what, sizeof what, "%zu bytes, ad %zu, tag %d", size, ad_size, tag_size);
    EVP_CIPHER_CTX *x = ctx[0], *y = ctx[1];
    if (!CHECK(alone(x, c, 1, false, plain, whole, size, ad_size, tags[0], tag_size)) ||
        !CHECK(alone(y, c, 1, streams, plain, parts, size, ad_size, tags[1], tag_size)))
        return;
    if (memcmp(whole, parts, size) != 0 || memcmp(tags[0], tags[1], (size_t)tag_size) != 0)
        fail("pieces differ from one call; %s", what);
    if (!CHECK(alone(x, c, 0, streams, whole, parts, size, ad_size, tags[0], tag_size)) ||
        !CHECK(memcmp(parts, plain, size) == 0))
        return;
    memcpy(parts, whole, size);
    if (!CHECK(alone(y, c, 0, false, parts, parts, size, ad_size, tags[0], tag_size)) ||
        !CHECK(memcmp(parts, plain, size) == 0)) /* in place */
        return;
    tags[0][below((size_t)tag_size)] ^= 1;
    if (alone(x, c, 0, streams, whole, parts, size, ad_size, tags[0], tag_size))
        fail("a forged tag was accepted; %s", what);
}

/* ---- MACs ---- */

static void compare_mac(const char *name, const char *by)
{
    static char label[100];
    EVP_MAC *mac[2];
    EVP_MAC_CTX *c[2];
    uint8_t tags[2][32];
    size_t size[2];
    const bool gmac = strcmp(name, "GMAC") == 0;

    snprintf(label, sizeof label, "%s with %s", name, by);
    if (!strstr(label, only))
        return;
    begin(label);
    for (s = 0; s < 2; s++) {
        mac[s] = EVP_MAC_fetch(library.context, name, s ? query() : "provider=default");
        c[s] = mac[s] ? EVP_MAC_CTX_new(mac[s]) : NULL;
        if (!c[s])
            fail("side %d lacks it", s);
    }
    if (current_failed)
        return;
    covers("EVP_MAC_gettable_params", EVP_MAC_gettable_params(mac[1]),
           EVP_MAC_gettable_params(mac[0]));
    covers("EVP_MAC_gettable_ctx_params", EVP_MAC_gettable_ctx_params(mac[1]),
           EVP_MAC_gettable_ctx_params(mac[0]));
    covers("EVP_MAC_settable_ctx_params", EVP_MAC_settable_ctx_params(mac[1]),
           EVP_MAC_settable_ctx_params(mac[0]));
    for (size_t round = 0; round < rounds && !current_failed; round++) {
        const size_t data = draw_size(), iv_size = one_in(2) ? 12 : 1 + below(60);
        const size_t key_size = (size_t)(strstr(by, "128") ? 16 : strstr(by, "192") ? 24 : 32);
        const size_t given = one_in(10) ? below(40) : key_size;
        OSSL_PARAM set[3];
        bool going = true;

        set[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, (char *)by, 0);
        set[1] = gmac ? OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, iv, iv_size)
                      : OSSL_PARAM_construct_end();
        set[2] = OSSL_PARAM_construct_end();
        random_bytes(key, sizeof key);
        random_bytes(iv, sizeof iv);
        random_bytes(plain, data);
        snprintf(what, sizeof what, "%zu bytes, IV %zu, key %zu", data, iv_size, given);
        if (one_in(2)) /* parameters before the key */
            going = BOTH_DO(EVP_MAC_CTX_set_params(c[s], set)) &&
                    BOTH_DO(EVP_MAC_init(c[s], key, given, NULL));
        else
            going = BOTH_DO(EVP_MAC_init(c[s], key, given, set));
        for (size_t at = 0, n; going && at < data; at += n) {
            n = 1 + below(data - at);
            going = BOTH_DO(EVP_MAC_update(c[s], plain + at, n));
            if (going && one_in(4)) {
                for (s = 0; s < 2; s++) {
                    EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(c[s]);
                    if (!copy) {
                        fail("side %d cannot be copied; %s", s, what);
                        break;
                    }
                    EVP_MAC_update(c[s], ad, 33);
                    EVP_MAC_CTX_free(c[s]);
                    c[s] = copy;
                }
                going = !current_failed;
            }
        }
        for (int again = 0; going && again < 2; again++) {
            memset(tags, 0, sizeof tags);
            going = BOTH((int)EVP_MAC_CTX_get_mac_size(c[s])) &&
                    BOTH((int)EVP_MAC_CTX_get_block_size(c[s])) &&
                    BOTH_DO(EVP_MAC_final(c[s], tags[s], &size[s], sizeof tags[s]));
            if (going && (size[0] != size[1] || memcmp(tags[0], tags[1], sizeof tags[0]) != 0))
                fail("the MACs differ; %s", what);
            if (going && again == 0) /* another message with the same key */
                going = (gmac ? BOTH_DO(EVP_MAC_init(c[s], NULL, 0, set + 1))
                              : BOTH_DO(EVP_MAC_init(c[s], NULL, 0, NULL))) &&
                        BOTH_DO(EVP_MAC_update(c[s], plain, data));
        }
        ERR_clear_error();
        if (one_in(3))
            for (s = 0; s < 2; s++) {
                EVP_MAC_CTX_free(c[s]);
                c[s] = EVP_MAC_CTX_new(mac[s]);
            }
    }
    for (s = 0; s < 2; s++) {
        EVP_MAC_CTX_free(c[s]);
        EVP_MAC_free(mac[s]);
    }
    end();
}

/* ---- The list ---- */

struct list {
    const char *provider;
    char name[CIPHERS][64];
    int names;
};

static void add(EVP_CIPHER *each, void *to)
{
    struct list *list = to;
    const char *name = EVP_CIPHER_get0_name(each);

    if (strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(each)), list->provider) == 0 &&
        list->names < CIPHERS)
        snprintf(list->name[list->names++], sizeof list->name[0], "%s", name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_ciphers(struct list *list, const char *provider)
{
    list->provider = provider;
    list->names = 0;
    EVP_CIPHER_do_all_provided(library.context, add, list);
    qsort(list->name, (size_t)list->names, sizeof list->name[0], by_name);
}

static void compare_name(const char *name, void *unused)
{
    EVP_CIPHER *fetched = EVP_CIPHER_fetch(library.context, name, query());

    (void)unused;
    if (!fetched)
        fail("%s lacks its name %s", module, name);
    else if (EVP_CIPHER_get_nid(fetched) != EVP_CIPHER_get_nid(cipher[0]))
        fail("%s is NID %d instead of %d", name, EVP_CIPHER_get_nid(fetched),
             EVP_CIPHER_get_nid(cipher[0]));
    EVP_CIPHER_free(fetched);
}

static void run(void (*compare)(void))
{
    completed = 0;
    for (size_t round = 0; round < rounds && !current_failed; round++) {
        for (s = 0; s < 2; s++)
            out[s] = room[s] + below(64);
        compare();
        ERR_clear_error();
        /* A context is used again in two of three rounds. */
        for (s = 0; s < 2; s++)
            if (round % 3 == 2)
                EVP_CIPHER_CTX_reset(ctx[s]);
    }
    for (s = 0; s < 2; s++)
        EVP_CIPHER_CTX_reset(ctx[s]);
    if (rounds >= 40 && completed < rounds / 5)
        fail("only %zu of %zu messages came to their end", completed, rounds);
}

static void compare_cipher(const char *name)
{
    begin(name);
    *parameter_fault = 0;
    cipher[0] = EVP_CIPHER_fetch(library.context, name, "provider=default");
    cipher[1] = EVP_CIPHER_fetch(library.context, name, query());
    const int mode = EVP_CIPHER_get_mode(cipher[0]);

    EVP_CIPHER_names_do_all(cipher[0], compare_name, NULL);
    EVP_CIPHER **c = cipher;
    BOTH(EVP_CIPHER_get_key_length(c[s]));
    BOTH(EVP_CIPHER_get_iv_length(c[s]));
    BOTH(EVP_CIPHER_get_block_size(c[s]));
    BOTH(EVP_CIPHER_get_mode(c[s]));
    BOTH(EVP_CIPHER_get_type(c[s]));
    BOTH((int)EVP_CIPHER_get_flags(c[s]));
    covers("EVP_CIPHER_gettable_params", EVP_CIPHER_gettable_params(c[1]),
           EVP_CIPHER_gettable_params(c[0]));
    covers("EVP_CIPHER_gettable_ctx_params", EVP_CIPHER_gettable_ctx_params(c[1]),
           EVP_CIPHER_gettable_ctx_params(c[0]));
    covers("EVP_CIPHER_settable_ctx_params", EVP_CIPHER_settable_ctx_params(c[1]),
           EVP_CIPHER_settable_ctx_params(c[0]));
    if (mode == EVP_CIPH_WRAP_MODE)
        run(compare_wrap);
    else if (mode == EVP_CIPH_XTS_MODE || strstr(name, "CTS"))
        run(compare_whole);
    else if (EVP_CIPHER_get_flags(c[0]) & EVP_CIPH_FLAG_AEAD_CIPHER || strstr(name, "SIV"))
        run(compare_aead);
    else
        run(compare_plain);
    if (mode == EVP_CIPH_GCM_MODE || mode == EVP_CIPH_CCM_MODE)
        run(compare_tls_aead);
    if (mode == EVP_CIPH_GCM_MODE)
        run(compare_ssh);
    if (mode == EVP_CIPH_CBC_MODE && !strstr(name, "CTS"))
        run(compare_tls_cbc);
    for (s = 0; s < 2; s++)
        EVP_CIPHER_free(cipher[s]);
    end();
    char label[100];
    snprintf(label, sizeof label, "parameters of %s", name);
    current = label;
    current_failed = false;
    if (*parameter_fault)
        fail("%s", parameter_fault);
    end();
}

int main(int argc, char **argv)
{
    static struct list theirs, ours;
    static const char *const sizes[] = {"128", "192", "256"};
    int compared = 0;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (common_option(argv[i], argv[i + 1]))
            continue;
        if (strcmp(argv[i], "--rounds") == 0)
            rounds = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
        else
            stop("usage: compare [--folder F] [--module NAME] [--seed N] [--rounds N] [--only "
                 "TEXT]");
    }
    library = new_library();
    for (s = 0; s < 2; s++)
        ctx[s] = EVP_CIPHER_CTX_new();
    list_ciphers(&theirs, "default");
    list_ciphers(&ours, module);
    for (int i = 0; i < theirs.names; i++) {
        const char *name = theirs.name[i];
        /* The stitched ciphers with HMAC are not AES modes. */
        if (!strstr(name, "AES") && !strstr(name, "aes"))
            continue;
        if (strstr(name, "HMAC") || !strstr(name, only))
            continue;
        if (strcmp(name, "AES-192-GCM-SIV") == 0) /* RFC 8452 has no such cipher */
            continue;
        EVP_CIPHER *fetched = EVP_CIPHER_fetch(library.context, name, query());
        if (!fetched) {
            begin(name);
            fail("%s lacks it", module);
            continue;
        }
        EVP_CIPHER_free(fetched);
        compare_cipher(name);
        compared++;
    }
    for (int i = 0; i < ours.names; i++) {
        EVP_CIPHER *theirs_too =
            EVP_CIPHER_fetch(library.context, ours.name[i], "provider=default");
        if (theirs_too) {
            EVP_CIPHER_free(theirs_too);
            continue;
        }
        if (!strstr(ours.name[i], only))
            continue;
        begin(ours.name[i]);
        EVP_CIPHER *c = EVP_CIPHER_fetch(library.context, ours.name[i], query());
        for (size_t round = 0; round < rounds && !current_failed; round++)
            compare_alone(c);
        EVP_CIPHER_free(c);
        end();
        compared++;
    }
    for (int i = 0; i < 3; i++) {
        char by[32];
        snprintf(by, sizeof by, "AES-%s-CBC", sizes[i]);
        compare_mac("CMAC", by);
        snprintf(by, sizeof by, "AES-%s-GCM", sizes[i]);
        compare_mac("GMAC", by);
    }
    for (s = 0; s < 2; s++)
        EVP_CIPHER_CTX_free(ctx[s]);
    free_library(&library);
    fprintf(stderr, "%d ciphers compared, %d failures\n", compared, failures);
    return failures ? 1 : 0;
}
