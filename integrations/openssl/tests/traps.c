/* Tests what programs expect of a provider beyond right bytes: properties, lifetimes, threads, memory.
 *
 *   traps [--folder F] [--module NAME] [--seed N] */
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 1000, THREADS = 4, MESSAGES = 500 };

static uint8_t key[64], iv[16], plain[SIZE];

static void draw(void)
{
    random_bytes(key, sizeof key);
    random_bytes(iv, sizeof iv);
    random_bytes(plain, sizeof plain);
}

/* Encrypts `size` bytes in two pieces, and gets the tag of an AEAD. Returns whether it succeeded. */
static bool encrypt(EVP_CIPHER_CTX *c, const uint8_t *from, uint8_t *to, size_t size,
                    uint8_t tag[16])
{
    const int first = (int)(size / 3);
    int n = 0, total = 0;

    if (EVP_EncryptUpdate(c, to, &n, from, first) != 1)
        return false;
    total = n;
    if (EVP_EncryptUpdate(c, to + total, &n, from + first, (int)size - first) != 1)
        return false;
    total += n;
    if (EVP_EncryptFinal_ex(c, to + total, &n) != 1)
        return false;
    return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
}

/* The same in a new context. */
static bool seal(EVP_CIPHER *cipher, uint8_t *to, uint8_t tag[16])
{
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    const bool sealed =
        EVP_EncryptInit_ex2(c, cipher, key, iv, NULL) == 1 && encrypt(c, plain, to, SIZE, tag);

    EVP_CIPHER_CTX_free(c);
    return sealed;
}

/* ---- Properties ---- */

static void without_a_property(void)
{
    static const char *const names[] = {"AES-256-GCM", "AES-128-CBC", "AES-256-CTR", "AES-256-XTS"};
    struct library library = new_library();

    begin("default is used if nobody asks for another provider");
    for (size_t i = 0; i < 4; i++) {
        EVP_CIPHER *c = EVP_CIPHER_fetch(library.context, names[i], NULL);
        const OSSL_PROVIDER *by = EVP_CIPHER_get0_provider(c);
        if (strcmp(OSSL_PROVIDER_get0_name(by), "default") != 0)
            fail("%s comes from %s", names[i], OSSL_PROVIDER_get0_name(by));
        EVP_CIPHER_free(c);
    }
    end();

    begin("a preference of a library context is followed");
    CHECK(EVP_set_default_properties(library.context, query()[0] ? "?provider=none" : "") == 1);
    char text[120];
    snprintf(text, sizeof text, "?%s", query());
    CHECK(EVP_set_default_properties(library.context, text) == 1);
    for (size_t i = 0; i < 4; i++) {
        EVP_CIPHER *c = EVP_CIPHER_fetch(library.context, names[i], NULL);
        if (strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(c)), module) != 0)
            fail("%s does not come from %s", names[i], module);
        EVP_CIPHER_free(c);
    }
    /* What it lacks still comes from default. */
    EVP_CIPHER *other = EVP_CIPHER_fetch(library.context, "CAMELLIA-256-CBC", NULL);
    CHECK(other);
    EVP_CIPHER_free(other);
    end();
    free_library(&library);
}

struct answers {
    OSSL_LIB_CTX *context;
    int seen;
};

static void refuse_fips(EVP_CIPHER *each, void *to)
{
    struct answers *answers = to;
    char text[120];

    if (strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(each)), module) != 0)
        return;
    answers->seen++;
    snprintf(text, sizeof text, "%s,fips=yes", query());
    EVP_CIPHER *c = EVP_CIPHER_fetch(answers->context, EVP_CIPHER_get0_name(each), text);
    if (c)
        fail("%s answers fips=yes", EVP_CIPHER_get0_name(each));
    EVP_CIPHER_free(c);
}

static void fips(void)
{
    struct library library = new_library();
    struct answers answers = {library.context, 0};
    char text[120];

    begin("nothing answers fips=yes");
    EVP_CIPHER_do_all_provided(library.context, refuse_fips, &answers);
    CHECK(answers.seen > 40);
    snprintf(text, sizeof text, "%s,fips=yes", query());
    CHECK(!EVP_MAC_fetch(library.context, "CMAC", text));
    CHECK(!EVP_MAC_fetch(library.context, "GMAC", text));
    end();
    free_library(&library);
}

static void about(void)
{
    struct library library = new_library();
    const char *name = NULL, *version = NULL;
    int status = 0;
    OSSL_PARAM asked[] = {
        OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_VERSION, (char **)&version, 0),
        OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_NAME, (char **)&name, 0),
        OSSL_PARAM_construct_int(OSSL_PROV_PARAM_STATUS, &status),
        OSSL_PARAM_construct_end(),
    };

    begin("the provider tells its name, version and status");
    CHECK(OSSL_PROVIDER_get_params(library.ours, asked) == 1);
    CHECK(name && *name && version && *version && status == 1);
    CHECK(OSSL_PROVIDER_self_test(library.ours) == 1);
    const OSSL_PARAM *all = OSSL_PROVIDER_gettable_params(library.ours);
    CHECK(all && OSSL_PARAM_locate_const(all, OSSL_PROV_PARAM_VERSION));
    end();

    begin("a cipher is made once");
    EVP_CIPHER *a = EVP_CIPHER_fetch(library.context, "AES-128-GCM", query());
    EVP_CIPHER *b = EVP_CIPHER_fetch(library.context, "id-aes128-GCM", query());
    CHECK(a && a == b);
    EVP_CIPHER_free(a);
    EVP_CIPHER_free(b);
    end();
    free_library(&library);
}

/* ---- Calls ---- */

static void iv_length(EVP_CIPHER *theirs, EVP_CIPHER *ours)
{
    EVP_CIPHER *const by[2] = {theirs, ours};
    uint8_t to[2][2][SIZE], tags[2][2][16], next[16];

    begin("the length of the IV survives re-initialisation");
    draw();
    memcpy(next, iv, 16);
    next[15] ^= 1; /* behind the usual 12 bytes */
    for (int s = 0; s < 2; s++) {
        EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
        CHECK(EVP_EncryptInit_ex2(c, by[s], NULL, NULL, NULL) == 1);
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 16, NULL) == 1);
        CHECK(EVP_EncryptInit_ex2(c, NULL, key, iv, NULL) == 1);
        CHECK(encrypt(c, plain, to[s][0], SIZE, tags[s][0]));
        CHECK(EVP_EncryptInit_ex2(c, NULL, NULL, next, NULL) == 1);
        CHECK(EVP_CIPHER_CTX_get_iv_length(c) == 16);
        CHECK(encrypt(c, plain, to[s][1], SIZE, tags[s][1]));
        EVP_CIPHER_CTX_free(c);
    }
    CHECK(memcmp(to[0], to[1], sizeof to[0]) == 0 && memcmp(tags[0], tags[1], sizeof tags[0]) == 0);
    CHECK(memcmp(to[1][0], to[1][1], SIZE) != 0);
    end();
}

static void no_output(EVP_CIPHER *ours)
{
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    int n = -1;

    begin("associated data and empty pieces have no output");
    draw();
    CHECK(EVP_EncryptInit_ex2(c, ours, key, iv, NULL) == 1);
    CHECK(EVP_EncryptUpdate(c, NULL, &n, plain, SIZE) == 1 && n == SIZE);
    uint8_t untouched[16] = {0};
    CHECK(EVP_EncryptUpdate(c, untouched, &n, plain, 0) == 1 && n == 0);
    CHECK(EVP_EncryptFinal_ex(c, untouched, &n) == 1 && n == 0);
    CHECK(memcmp(untouched, (uint8_t[16]){0}, 16) == 0);
    EVP_CIPHER_CTX_free(c);
    end();
}

static void equal_halves(OSSL_LIB_CTX *context)
{
    static const char *const names[] = {"AES-128-XTS", "AES-256-XTS"};

    begin("XTS takes keys with equal halves if default does");
    draw();
    for (int i = 0; i < 2; i++) {
        const size_t half = i ? 32 : 16;
        int results[2][2], n;
        uint8_t to[2][SIZE];
        memcpy(key + half, key, half);
        for (int s = 0; s < 2; s++) {
            EVP_CIPHER *x = EVP_CIPHER_fetch(context, names[i], s ? query() : "provider=default");
            for (int encrypting = 0; encrypting < 2; encrypting++) {
                EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
                results[s][encrypting] = EVP_CipherInit_ex2(c, x, key, iv, encrypting, NULL);
                if (results[s][encrypting] == 1)
                    CHECK(EVP_CipherUpdate(c, to[s], &n, plain, SIZE) == 1);
                EVP_CIPHER_CTX_free(c);
            }
            EVP_CIPHER_free(x);
        }
        CHECK(results[0][0] == results[1][0] && results[0][1] == results[1][1]);
        if (results[0][1] == 1)
            CHECK(memcmp(to[0], to[1], SIZE) == 0);
    }
    end();
}

static void parameters(EVP_CIPHER *theirs, EVP_CIPHER *ours)
{
    EVP_CIPHER *const by[2] = {theirs, ours};
    size_t size = 13, ignored = 1;
    unsigned padding = 0;
    const OSSL_PARAM each[] = {
        OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, &size),
        OSSL_PARAM_construct_size_t("unknown to all", &ignored),
        OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
    };

    begin("parameters come in any order, with unknown ones");
    draw();
    for (size_t turn = 0; turn < 3; turn++) {
        uint8_t to[2][SIZE], tags[2][16];
        OSSL_PARAM set[4];
        for (size_t i = 0; i < 3; i++)
            set[i] = each[(i + turn) % 3];
        set[3] = OSSL_PARAM_construct_end();
        for (int s = 0; s < 2; s++) {
            EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
            CHECK(EVP_EncryptInit_ex2(c, by[s], key, NULL, set) == 1);
            CHECK(EVP_CIPHER_CTX_get_iv_length(c) == 13);
            CHECK(EVP_EncryptInit_ex2(c, NULL, NULL, iv, NULL) == 1);
            CHECK(encrypt(c, plain, to[s], SIZE, tags[s]));
            EVP_CIPHER_CTX_free(c);
        }
        CHECK(memcmp(to[0], to[1], SIZE) == 0 && memcmp(tags[0], tags[1], 16) == 0);
    }
    end();
}

static void late(EVP_CIPHER *ours)
{
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new(), *empty = EVP_CIPHER_CTX_new();
    uint8_t to[SIZE + 16], tag[16];
    int n;

    begin("calls in a wrong order fail");
    draw();
    CHECK(EVP_EncryptInit_ex2(c, ours, NULL, NULL, NULL) == 1);
    CHECK(EVP_CIPHER_CTX_copy(empty, c) == 1);
    CHECK(EVP_EncryptUpdate(c, to, &n, plain, SIZE) != 1); /* no key */
    CHECK(EVP_EncryptInit_ex2(c, NULL, key, iv, NULL) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag) != 1); /* no tag yet */
    CHECK(encrypt(c, plain, to, SIZE, tag));
    CHECK(EVP_EncryptUpdate(c, to, &n, plain, SIZE) != 1); /* the same IV again */
    CHECK(EVP_EncryptInit_ex2(c, NULL, NULL, iv, NULL) == 1);
    CHECK(encrypt(c, plain, to, SIZE, tag)); /* unless the program sets it */
    CHECK(EVP_EncryptInit_ex2(empty, NULL, key, iv, NULL) == 1);
    uint8_t again[SIZE + 16], tag_again[16];
    CHECK(encrypt(empty, plain, again, SIZE, tag_again));
    CHECK(memcmp(to, again, SIZE) == 0 && memcmp(tag, tag_again, 16) == 0);
    /* No tag was given. */
    CHECK(EVP_DecryptInit_ex2(c, ours, key, iv, NULL) == 1);
    CHECK(EVP_DecryptUpdate(c, again, &n, to, SIZE) == 1);
    CHECK(EVP_DecryptFinal_ex(c, again, &n) != 1);
    EVP_CIPHER_CTX_free(c);
    EVP_CIPHER_CTX_free(empty);
    end();
}

/* ---- Copies, threads, lifetimes ---- */

static void copies(EVP_CIPHER *ours)
{
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
    uint8_t want[SIZE], got[SIZE], want_tag[16], tag[16], other[64];
    int n, m;

    begin("a copy has its own key, and outlives its original");
    draw();
    CHECK(seal(ours, want, want_tag));
    CHECK(EVP_EncryptInit_ex2(c, ours, key, iv, NULL) == 1);
    CHECK(EVP_EncryptUpdate(c, got, &n, plain, 77) == 1 && n == 77);
    CHECK(EVP_CIPHER_CTX_copy(copy, c) == 1);
    random_bytes(other, sizeof other);
    CHECK(EVP_EncryptInit_ex2(c, NULL, other, iv, NULL) == 1); /* the original has another key */
    CHECK(EVP_EncryptUpdate(c, got + 77, &m, plain, 100) == 1);
    EVP_CIPHER_CTX_free(c);
    CHECK(EVP_EncryptUpdate(copy, got + n, &m, plain + n, SIZE - n) == 1);
    CHECK(EVP_EncryptFinal_ex(copy, got + SIZE, &m) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(copy, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
    CHECK(memcmp(want, got, SIZE) == 0 && memcmp(want_tag, tag, 16) == 0);
    EVP_CIPHER_CTX_free(copy);
    end();
}

struct work {
    EVP_CIPHER *cipher;
    const uint8_t *want, *want_tag;
    bool right;
};

static void *work(void *given)
{
    struct work *mine = given;
    uint8_t got[SIZE], tag[16];

    mine->right = true;
    for (int i = 0; i < MESSAGES; i++) {
        mine->right = mine->right && seal(mine->cipher, got, tag) &&
                      memcmp(got, mine->want, SIZE) == 0 && memcmp(tag, mine->want_tag, 16) == 0;
    }
    return NULL;
}

static void threads(EVP_CIPHER *ours)
{
    pthread_t thread[THREADS];
    struct work each[THREADS];
    uint8_t want[SIZE], tag[16];

    begin("several threads use one cipher");
    draw();
    CHECK(seal(ours, want, tag));
    for (int i = 0; i < THREADS; i++) {
        each[i] = (struct work){ours, want, tag, false};
        if (pthread_create(&thread[i], NULL, work, &each[i]) != 0)
            stop("pthread_create");
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CHECK(each[i].right);
    }
    end();
}

static void forks(EVP_CIPHER *ours)
{
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    uint8_t want[SIZE], got[SIZE], want_tag[16], tag[16];
    int n, status = -1;

    begin("a child process goes on with a message");
    draw();
    CHECK(seal(ours, want, want_tag));
    CHECK(EVP_EncryptInit_ex2(c, ours, key, iv, NULL) == 1);
    CHECK(EVP_EncryptUpdate(c, got, &n, plain, 333) == 1);
    fflush(NULL);
    const pid_t child = fork();
    const bool right = EVP_EncryptUpdate(c, got + 333, &n, plain + 333, SIZE - 333) == 1 &&
                       EVP_EncryptFinal_ex(c, got + SIZE, &n) == 1 &&
                       EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1 &&
                       memcmp(got, want, SIZE) == 0 && memcmp(tag, want_tag, 16) == 0;
    if (child == 0)
        _exit(right ? 0 : 1);
    CHECK(right && child > 0 && waitpid(child, &status, 0) == child && status == 0);
    EVP_CIPHER_CTX_free(c);
    end();
}

static void unload(void)
{
    uint8_t want[SIZE], got[SIZE], want_tag[16], tag[16];
    int n;

    begin("the provider is unloaded while a context lives");
    draw();
    for (int whole = 0; whole < 2; whole++) {
        struct library library = new_library();
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(library.context, "AES-256-GCM", query());
        EVP_MAC *mac = EVP_MAC_fetch(library.context, "CMAC", query());
        EVP_MAC_CTX *m = EVP_MAC_CTX_new(mac);
        EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
        CHECK(seal(cipher, want, want_tag));
        CHECK(EVP_EncryptInit_ex2(c, cipher, key, iv, NULL) == 1);
        EVP_CIPHER_free(cipher);
        EVP_MAC_free(mac);
        CHECK(EVP_EncryptUpdate(c, got, &n, plain, 50) == 1);
        OSSL_PROVIDER_unload(library.ours);
        library.ours = NULL;
        if (whole) /* the library context too */
            free_library(&library);
        CHECK(EVP_EncryptUpdate(c, got + 50, &n, plain + 50, SIZE - 50) == 1);
        CHECK(EVP_EncryptFinal_ex(c, got + SIZE, &n) == 1);
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
        CHECK(memcmp(got, want, SIZE) == 0 && memcmp(tag, want_tag, 16) == 0);
        EVP_CIPHER_CTX_free(c);
        EVP_MAC_CTX_free(m);
        if (!whole)
            free_library(&library);
    }
    end();

    begin("the provider is loaded and unloaded many times");
    for (int i = 0; i < 50; i++) {
        struct library library = new_library();
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(library.context, "AES-128-GCM", query());
        CHECK(seal(cipher, got, tag));
        EVP_CIPHER_free(cipher);
        free_library(&library);
    }
    end();
}

/* Contexts of every cipher and in every state are freed. A leak checker must see nothing. */
static void make_and_free(EVP_CIPHER *each, void *unused)
{
    EVP_CIPHER_CTX *c, *copy;
    uint8_t to[64];
    int n;

    (void)unused;
    if (strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(each)), module) != 0)
        return;
    for (int round = 0; round < 40; round++) {
        c = EVP_CIPHER_CTX_new();
        copy = EVP_CIPHER_CTX_new();
        EVP_CIPHER_CTX_set_flags(c, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
        if (round % 4 > 0)
            CHECK(EVP_EncryptInit_ex2(c, each, NULL, NULL, NULL) == 1);
        if (round % 4 > 1)
            CHECK(EVP_EncryptInit_ex2(c, NULL, key, NULL, NULL) == 1);
        if (round % 4 > 2)
            EVP_EncryptUpdate(c, to, &n, plain, 32);
        if (round % 4 > 0)
            EVP_CIPHER_CTX_copy(copy, c);
        if (round % 8 > 3)
            EVP_CIPHER_CTX_reset(c);
        EVP_CIPHER_CTX_free(copy);
        EVP_CIPHER_CTX_free(c);
    }
    EVP_CIPHER_CTX_free(NULL);
    ERR_clear_error();
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2)
        if (!common_option(argv[i], argv[i + 1]))
            stop("usage: traps [--folder F] [--module NAME] [--seed N]");
    without_a_property();
    fips();
    about();

    struct library library = new_library();
    EVP_CIPHER *theirs = EVP_CIPHER_fetch(library.context, "AES-256-GCM", "provider=default");
    EVP_CIPHER *ours = EVP_CIPHER_fetch(library.context, "AES-256-GCM", query());
    if (!theirs || !ours)
        stop("a provider lacks AES-256-GCM");
    iv_length(theirs, ours);
    no_output(ours);
    equal_halves(library.context);
    parameters(theirs, ours);
    late(ours);
    copies(ours);
    threads(ours);
    forks(ours);
    begin("contexts in every state are freed");
    draw();
    EVP_CIPHER_do_all_provided(library.context, make_and_free, NULL);
    end();
    EVP_CIPHER_free(theirs);
    EVP_CIPHER_free(ours);
    free_library(&library);
    unload();
    fprintf(stderr, "%d failures\n", failures);
    return failures ? 1 : 0;
}
