/* Measures the default provider and Rijn through EVP, in one process and in turns.
 *
 *   bench FOLDER-OF-RIJN.SO ROUNDS
 *
 * A row is an algorithm. A column is a size in bytes: nanoseconds of a message by default and by Rijn, and
 * the median of the rounds' quotients, of processor time. In a round both do the same messages, one after the other. */
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16384, MOST_ROUNDS = 501 };
static const double LEAST_SECONDS = 0.002; /* of one side in a round */
static const int sizes[] = {16, 256, 1350, 16384};

/* What a message is. */
enum kind {
    AEAD,         /* IV, 5 bytes of associated data as TLS 1.3 has, data, tag */
    AEAD_NEW,     /* the same in a new context, with a new key */
    PLAIN,        /* IV, data */
    WHOLE_BLOCKS, /* the same, sizes rounded down to blocks, no padding */
};

static const struct row {
    const char *label, *cipher;
    enum kind kind;
    int encrypting;
} table[] = {
    {"GCM-256", "AES-256-GCM", AEAD, 1},
    {"GCM-256, decryption", "AES-256-GCM", AEAD, 0},
    {"CTR-256", "AES-256-CTR", PLAIN, 1},
    {"CBC-256, decryption", "AES-256-CBC", WHOLE_BLOCKS, 0},
    {"XTS-256", "AES-256-XTS", PLAIN, 1},
    {"OCB-256", "AES-256-OCB", AEAD, 1},
    {"GCM-SIV-256, new context", "AES-256-GCM-SIV", AEAD_NEW, 1},
    {"AEGIS-128L", "AEGIS-128L", AEAD, 1},
    {"AEGIS-256", "AEGIS-256", AEAD, 1},
};

static unsigned char key[64] = {1, 2, 3}, iv[32] = {4}, ad[5], in[MOST], sealed[MOST],
                     out[MOST + 64], tag[16];

static void stop(const char *why)
{
    fprintf(stderr, "bench: %s\n", why);
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other processes do not count */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processes a message. An AEAD decrypts the same message, `sealed` and `tag`, each time. */
static void message(EVP_CIPHER_CTX *c, const EVP_CIPHER *cipher, const struct row *row, int size)
{
    int n, good = 1;

    const int opening = row->kind == AEAD && !row->encrypting;

    iv[0] = opening ? 0 : (unsigned char)(iv[0] + 1);
    if (row->kind == AEAD_NEW) {
        c = EVP_CIPHER_CTX_new();
        good = EVP_CipherInit_ex2(c, cipher, key, iv, row->encrypting, NULL);
    } else {
        good = EVP_CipherInit_ex2(c, NULL, NULL, iv, row->encrypting, NULL);
    }
    if (row->kind == AEAD || row->kind == AEAD_NEW)
        good &= EVP_CipherUpdate(c, NULL, &n, ad, sizeof ad);
    good &= EVP_CipherUpdate(c, out, &n, opening ? sealed : in, size);
    if ((row->kind == AEAD || row->kind == AEAD_NEW) && row->encrypting) {
        good &= EVP_CipherFinal_ex(c, out + n, &n);
        good &= EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag);
    }
    if (opening) {
        good &= EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, tag);
        good &= EVP_CipherFinal_ex(c, out + n, &n);
    }
    if (row->kind == AEAD_NEW)
        EVP_CIPHER_CTX_free(c);
    if (good != 1)
        stop(row->label);
}

static double seconds(EVP_CIPHER_CTX *c, const EVP_CIPHER *cipher, const struct row *row, int size,
                      long count)
{
    const double begun = now();

    for (long i = 0; i < count; i++)
        message(c, cipher, row, size);
    return now() - begun;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

/* Prints a cell. Without default, only Rijn's time. */
static void measure(EVP_CIPHER *const cipher[2], const struct row *row, int size, int rounds)
{
    static double quotient[MOST_ROUNDS], time[2][MOST_ROUNDS];
    EVP_CIPHER_CTX *c[2] = {NULL, NULL};
    long count[2] = {1, 1};

    if (row->kind == WHOLE_BLOCKS)
        size = size / 16 * 16;
    if (row->kind == AEAD && !row->encrypting) {
        const struct row sealing = {row->label, row->cipher, AEAD, 1};
        EVP_CIPHER_CTX *maker = EVP_CIPHER_CTX_new();
        EVP_CipherInit_ex2(maker, cipher[1], key, NULL, 1, NULL);
        iv[0] = 255; /* message adds 1 */
        message(maker, cipher[1], &sealing, size);
        memcpy(sealed, out, (size_t)size);
        EVP_CIPHER_CTX_free(maker);
    }
    for (int s = 0; s < 2; s++) {
        if (!cipher[s])
            continue;
        c[s] = EVP_CIPHER_CTX_new();
        if (EVP_CipherInit_ex2(c[s], cipher[s], key, iv, row->encrypting, NULL) != 1)
            stop(row->label);
        EVP_CIPHER_CTX_set_padding(c[s], 0);
        while (seconds(c[s], cipher[s], row, size, count[s]) < LEAST_SECONDS)
            count[s] *= 2;
    }
    for (int round = 0; round < rounds; round++) {
        for (int turn = 0; turn < 2; turn++) {
            const int s = (turn + round) % 2;
            if (cipher[s])
                time[s][round] =
                    seconds(c[s], cipher[s], row, size, count[s]) / (double)count[s] * 1e9;
        }
        quotient[round] = cipher[0] ? time[0][round] / time[1][round] : 0;
    }
    if (cipher[0])
        printf(" %.0f ÷ %.0f = **%.2f** |", median(time[0], rounds), median(time[1], rounds),
               median(quotient, rounds));
    else
        printf(" – ÷ %.0f |", median(time[1], rounds));
    fflush(stdout);
    EVP_CIPHER_CTX_free(c[0]);
    EVP_CIPHER_CTX_free(c[1]);
}

int main(int argc, char **argv)
{
    const int rounds = argc == 3 ? atoi(argv[2]) : 0;
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();

    if (rounds < 1 || rounds > MOST_ROUNDS)
        stop("usage: bench FOLDER-OF-RIJN.SO ROUNDS (at most 501)");
    OSSL_PROVIDER_set_default_search_path(library, argv[1]);
    if (!OSSL_PROVIDER_load(library, "default") || !OSSL_PROVIDER_load(library, "rijn"))
        stop("cannot load the providers");
    memset(in, 7, sizeof in);
    printf("%s: ns by default ÷ ns by Rijn, medians of %d rounds\n\n",
           OpenSSL_version(OPENSSL_VERSION), rounds);
    printf("| | 16 B | 256 B | 1,350 B | 16 KiB |\n| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        EVP_CIPHER *cipher[2] = {
            EVP_CIPHER_fetch(library, table[i].cipher, "provider=default"),
            EVP_CIPHER_fetch(library, table[i].cipher, "provider=rijn"),
        };
        if (!cipher[1])
            stop(table[i].cipher);
        printf("| %s |", table[i].label);
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
            measure(cipher, &table[i], sizes[size], rounds);
        printf("\n");
        EVP_CIPHER_free(cipher[0]);
        EVP_CIPHER_free(cipher[1]);
    }
    OSSL_LIB_CTX_free(library);
    return 0;
}
