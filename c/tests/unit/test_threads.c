/* Many threads use one key at once. Many threads also make the first use of the library at once, which
 * detects the CPU and reads RIJN_BACKEND. */
#include "check.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS 400
#define SIZE 1000

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static rijn_key shared;
static uint8_t plain[SIZE], cipher[SIZE], counter_cipher[SIZE], tag[16], counter[16];

/* Threads cannot use the counters of check.h. Each returns NULL or the failed call. */
static char in_key_init[] = "key_init", in_seal[] = "gcm_seal", in_open[] = "gcm_open";
static char in_ctr[] = "ctr";

static void *first_use(void *unused)
{
    static const uint8_t bytes[16];
    rijn_key key;

    (void)unused;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return rijn_key_init(&key, bytes, 16, NULL) == RIJN_OK ? NULL : in_key_init;
}

static void *use(void *argument)
{
    const size_t mine = *(const size_t *)argument;
    uint8_t out[SIZE], got[16];
    rijn_ctr ctr;

    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    for (size_t round = 0; round < ROUNDS; round++) {
        const size_t cut = (round * 37 + mine * 101) % SIZE;
        if (rijn_gcm_seal(&shared, out, got, 16, counter, 12, plain, 40, plain, SIZE) != RIJN_OK ||
            memcmp(out, cipher, SIZE) != 0 || memcmp(got, tag, 16) != 0)
            return in_seal;
        if (rijn_gcm_open(&shared, out, tag, 16, counter, 12, plain, 40, out, SIZE) != RIJN_OK ||
            memcmp(out, plain, SIZE) != 0)
            return in_open;
        if (rijn_ctr_start(&ctr, &shared, counter) != RIJN_OK ||
            rijn_ctr_update(&ctr, out, plain, cut) != RIJN_OK ||
            rijn_ctr_update(&ctr, out + cut, plain + cut, SIZE - cut) != RIJN_OK ||
            memcmp(out, counter_cipher, SIZE) != 0)
            return in_ctr;
    }
    return NULL;
}

static void together(void *(*work)(void *))
{
    pthread_t threads[THREADS];
    size_t numbers[THREADS];

    pthread_mutex_lock(&gate); /* so that all start at once */
    for (size_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        if (!CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0))
            exit(EXIT_FAILURE);
    }
    pthread_mutex_unlock(&gate);
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        CHECK(pthread_join(threads[i], &wrong) == 0);
        CHECK_TEXT(wrong ? (const char *)wrong : "", "");
    }
}

static void run(const rijn_backend_info *backend)
{
    uint8_t bytes[32];

    random_bytes(bytes, 32);
    random_bytes(plain, SIZE);
    random_bytes(counter, 16);
    make_key(&shared, bytes, 32, backend->name);
    CHECK_STATUS(rijn_gcm_seal(&shared, cipher, tag, 16, counter, 12, plain, 40, plain, SIZE),
                 RIJN_OK);
    CHECK_STATUS(rijn_ctr_crypt(&shared, counter, counter_cipher, plain, SIZE), RIJN_OK);
    together(use);
}

int main(int argc, char **argv)
{
    note("first use");
    together(first_use);
    return test_backends(argc, argv, run);
}
