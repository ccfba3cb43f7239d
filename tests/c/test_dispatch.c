/* Which kernel runs: what the CPU detection finds, which backend each CPU mask
 * leads to, and that every public call enters the record of the key's backend
 * and no other. */
#include "check.h"

#include "backend.h"
#include "cpu.h"

static const uint8_t key_bytes[32] = "thirty-two bytes of key material";

/* ---- Detection ---- */

/* Linux lists the features that the CPU has and the kernel has enabled. */
static void test_detection(void)
{
    static const struct {
        const char *flag;
        uint32_t bit;
    } flags[] = {
        {" ssse3 ", RIJN_CPU_SSSE3},       {" sse4_1 ", RIJN_CPU_SSE41},
        {" aes ", RIJN_CPU_AES},           {" pclmulqdq ", RIJN_CPU_PCLMULQDQ},
        {" avx ", RIJN_CPU_AVX},           {" avx2 ", RIJN_CPU_AVX2},
        {" vaes ", RIJN_CPU_VAES},         {" vpclmulqdq ", RIJN_CPU_VPCLMULQDQ},
        {" avx512f ", RIJN_CPU_AVX512F},   {" avx512bw ", RIJN_CPU_AVX512BW},
        {" avx512vl ", RIJN_CPU_AVX512VL},
    };
    static char line[16384];
    bool found = false;
    FILE *file = fopen("/proc/cpuinfo", "r");

    note("CPU detection");
    while (file != NULL && !found && fgets(line, sizeof line - 1, file) != NULL)
        found = strncmp(line, "flags\t", 6) == 0;
    if (file != NULL)
        fclose(file);
#if defined(__x86_64__) || defined(__i386__)
    if (!found) {
        printf("detection not compared: no flags in /proc/cpuinfo\n");
        return;
    }
    line[strcspn(line, "\n")] = ' ';
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        note("CPU feature%s", flags[i].flag);
        CHECK((strstr(line, flags[i].flag) != NULL) == ((rijn_cpu() & flags[i].bit) != 0));
    }
#else
    (void)flags;
    CHECK(rijn_cpu() == 0);
#endif
}

/* ---- Choice under every CPU mask ---- */

static void check_choice(uint32_t mask, const char *want)
{
    rijn_key key;

    rijn_cpu_limit(mask);
    note("CPU mask %03x of %03x", (unsigned)mask, (unsigned)rijn_cpu());
    make_key(&key, key_bytes, 16, NULL);
    CHECK_TEXT(rijn_key_backend(&key), want);

    /* each backend is available exactly when all it needs is there */
    for (size_t i = 0; i < rijn_registry_size; i++) {
        const rijn_backend *backend = rijn_registry[i];
        const bool runs = (backend->cpu & rijn_cpu()) == backend->cpu;
        rijn_backend_info info;
        CHECK_STATUS(rijn_backend_at(i, &info), RIJN_OK);
        CHECK_TEXT(info.name, backend->name);
        CHECK(info.available == runs);
        CHECK((info.reason[0] == '\0') == runs);
        CHECK_STATUS(rijn_key_init(&key, key_bytes, 16, backend->name),
                     runs ? RIJN_OK : RIJN_ERR_UNAVAILABLE);
        CHECK(key.backend == (runs ? backend : NULL));
    }
}

static void test_choice(void)
{
    const uint32_t aesni = RIJN_CPU_SSSE3 | RIJN_CPU_SSE41 | RIJN_CPU_AES | RIJN_CPU_PCLMULQDQ;

    rijn_cpu_limit(UINT32_MAX);
    const bool has_aesni = (rijn_cpu() & aesni) == aesni;
    const char *portable = RIJN_WORD_BITS == 64 ? "fixslice64" : "fixslice32";
    for (uint32_t mask = 0; mask < UINT32_C(1) << RIJN_CPU_BITS; mask++)
        check_choice(mask, has_aesni && (mask & aesni) == aesni ? "aesni" : portable);
    check_choice(UINT32_MAX, has_aesni ? "aesni" : portable);
    printf("this machine's choice: %s\n", has_aesni ? "aesni" : portable);
}

/* ---- A record that counts what enters it, in front of a real one ---- */

enum operation {
    ECB_ENCRYPT,
    ECB_DECRYPT,
    CBC_ENCRYPT,
    CBC_DECRYPT,
    CTR_CRYPT,
    GCM_START,
    GCM_AD,
    GCM_ENCRYPT,
    GCM_DECRYPT,
    GCM_TAG,
    OPERATIONS
};

static const rijn_backend *real;
static unsigned entered[OPERATIONS];

static void count_ecb_encrypt(const void *c, uint8_t *out, const uint8_t *in, size_t blocks)
{
    entered[ECB_ENCRYPT]++;
    real->ecb_encrypt(c, out, in, blocks);
}

static void count_ecb_decrypt(const void *c, uint8_t *out, const uint8_t *in, size_t blocks)
{
    entered[ECB_DECRYPT]++;
    real->ecb_decrypt(c, out, in, blocks);
}

static void count_cbc_encrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[CBC_ENCRYPT]++;
    real->cbc_encrypt(c, iv, out, in, blocks);
}

static void count_cbc_decrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[CBC_DECRYPT]++;
    real->cbc_decrypt(c, iv, out, in, blocks);
}

static void count_ctr_crypt(const void *c, rijn_keystream *stream, uint8_t *out, const uint8_t *in,
                            size_t size)
{
    entered[CTR_CRYPT]++;
    real->ctr_crypt(c, stream, out, in, size);
}

static void count_gcm_start(const void *c, rijn_gcm *gcm, const uint8_t *nonce, size_t size)
{
    entered[GCM_START]++;
    real->gcm_start(c, gcm, nonce, size);
}

static void count_gcm_ad(const void *c, rijn_gcm *gcm, const uint8_t *ad, size_t size)
{
    entered[GCM_AD]++;
    real->gcm_ad(c, gcm, ad, size);
}

static void count_gcm_encrypt(const void *c, rijn_gcm *gcm, uint8_t *out, const uint8_t *in,
                              size_t size)
{
    entered[GCM_ENCRYPT]++;
    real->gcm_encrypt(c, gcm, out, in, size);
}

static void count_gcm_decrypt(const void *c, rijn_gcm *gcm, uint8_t *out, const uint8_t *in,
                              size_t size)
{
    entered[GCM_DECRYPT]++;
    real->gcm_decrypt(c, gcm, out, in, size);
}

static void count_gcm_tag(const void *c, rijn_gcm *gcm, uint8_t tag[16])
{
    entered[GCM_TAG]++;
    real->gcm_tag(c, gcm, tag);
}

/* The calls since the last check entered exactly these operations. */
static void check_entered(const char *what, const enum operation *want, size_t count)
{
    unsigned expected[OPERATIONS] = {0};
    note("%s, %s", real->name, what);
    for (size_t i = 0; i < count; i++)
        expected[want[i]]++;
    for (int i = 0; i < OPERATIONS; i++)
        CHECK(entered[i] == expected[i]);
    memset(entered, 0, sizeof entered);
}

#define ENTERED(what, ...) \
    check_entered(what, (const enum operation[]){__VA_ARGS__}, \
                  sizeof((const enum operation[]){__VA_ARGS__}) / sizeof(enum operation))

static void test_kernel(const rijn_backend *backend)
{
    rijn_backend counting = *backend;
    rijn_key key;
    rijn_ctr ctr;
    rijn_gcm gcm;
    uint8_t iv[16] = {0}, tag[16], data[64] = {0}, sealed[128];
    size_t plain_size;

    real = backend;
    counting.ecb_encrypt = count_ecb_encrypt;
    counting.ecb_decrypt = count_ecb_decrypt;
    counting.cbc_encrypt = count_cbc_encrypt;
    counting.cbc_decrypt = count_cbc_decrypt;
    counting.ctr_crypt = count_ctr_crypt;
    counting.gcm_start = count_gcm_start;
    counting.gcm_ad = count_gcm_ad;
    counting.gcm_encrypt = count_gcm_encrypt;
    counting.gcm_decrypt = count_gcm_decrypt;
    counting.gcm_tag = count_gcm_tag;

    make_key(&key, key_bytes, 32, backend->name);
    note("%s, key", backend->name);
    CHECK(key.backend == backend);
    key.backend = &counting;

    CHECK_STATUS(rijn_ecb_encrypt(&key, data, data, 64), RIJN_OK);
    ENTERED("ecb_encrypt", ECB_ENCRYPT);
    CHECK_STATUS(rijn_ecb_decrypt(&key, data, data, 64), RIJN_OK);
    ENTERED("ecb_decrypt", ECB_DECRYPT);
    CHECK_STATUS(rijn_cbc_encrypt(&key, iv, data, data, 64), RIJN_OK);
    ENTERED("cbc_encrypt", CBC_ENCRYPT);
    CHECK_STATUS(rijn_cbc_decrypt(&key, iv, data, data, 64), RIJN_OK);
    ENTERED("cbc_decrypt", CBC_DECRYPT);
    CHECK_STATUS(rijn_cbc_encrypt_padded(&key, iv, sealed, data, 37), RIJN_OK);
    ENTERED("cbc_encrypt_padded: the whole blocks, then the last", CBC_ENCRYPT, CBC_ENCRYPT);
    CHECK_STATUS(rijn_cbc_decrypt_padded(&key, iv, sealed, &plain_size, sealed, 48), RIJN_OK);
    ENTERED("cbc_decrypt_padded", CBC_DECRYPT);
    CHECK_STATUS(rijn_ctr_crypt(&key, iv, data, data, 37), RIJN_OK);
    ENTERED("ctr_crypt", CTR_CRYPT);
    CHECK_STATUS(rijn_ctr_start(&ctr, &key, iv), RIJN_OK);
    CHECK_STATUS(rijn_ctr_update(&ctr, data, data, 37), RIJN_OK);
    ENTERED("ctr_update", CTR_CRYPT);
    CHECK_STATUS(rijn_gcm_seal(&key, sealed, tag, 16, iv, 12, data, 20, data, 37), RIJN_OK);
    ENTERED("gcm_seal", GCM_START, GCM_AD, GCM_ENCRYPT, GCM_TAG);
    CHECK_STATUS(rijn_gcm_open(&key, sealed, tag, 16, iv, 12, data, 20, sealed, 37), RIJN_OK);
    ENTERED("gcm_open", GCM_START, GCM_AD, GCM_DECRYPT, GCM_TAG);
    CHECK_STATUS(rijn_gcm_start(&gcm, &key, iv, 12), RIJN_OK);
    ENTERED("gcm_start", GCM_START);
    CHECK_STATUS(rijn_gcm_ad(&gcm, data, 20), RIJN_OK);
    ENTERED("gcm_ad", GCM_AD);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, data, data, 37), RIJN_OK);
    ENTERED("gcm_encrypt", GCM_ENCRYPT);
    CHECK_STATUS(rijn_gcm_finish(&gcm, tag, 16), RIJN_OK);
    ENTERED("gcm_finish", GCM_TAG);
    CHECK_STATUS(rijn_gcm_start(&gcm, &key, iv, 12), RIJN_OK);
    CHECK_STATUS(rijn_gcm_decrypt(&gcm, data, data, 37), RIJN_OK);
    CHECK_STATUS(rijn_gcm_verify(&gcm, tag, 16), RIJN_ERR_TAG);
    ENTERED("gcm_decrypt and gcm_verify", GCM_START, GCM_DECRYPT, GCM_TAG);
    CHECK_STATUS(rijn_gcm_seal_chunks(&key, sealed, iv, 0, 32, 1, data, 37), RIJN_OK);
    ENTERED("gcm_seal_chunks", GCM_START, GCM_ENCRYPT, GCM_TAG, GCM_START, GCM_ENCRYPT, GCM_TAG);
    CHECK_STATUS(rijn_gcm_open_chunks(&key, data, NULL, iv, 0, 32, 1, sealed, 69), RIJN_OK);
    ENTERED("gcm_open_chunks", GCM_START, GCM_DECRYPT, GCM_TAG, GCM_START, GCM_DECRYPT, GCM_TAG);
}

/* No two backends share a kernel. */
static void test_distinct(void)
{
    for (size_t i = 0; i < rijn_registry_size; i++) {
        for (size_t j = 0; j < i; j++) {
            const rijn_backend *a = rijn_registry[i], *b = rijn_registry[j];
            note("%s and %s", a->name, b->name);
            CHECK(a->key_init != b->key_init);
            CHECK(a->ecb_encrypt != b->ecb_encrypt && a->ecb_decrypt != b->ecb_decrypt);
            CHECK(a->cbc_encrypt != b->cbc_encrypt && a->cbc_decrypt != b->cbc_decrypt);
            CHECK(a->ctr_crypt != b->ctr_crypt);
            CHECK(a->gcm_start != b->gcm_start && a->gcm_tag != b->gcm_tag);
            CHECK(a->gcm_encrypt != b->gcm_encrypt && a->gcm_decrypt != b->gcm_decrypt);
        }
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    test_detection();
    test_choice();
    test_distinct();
    for (size_t i = 0; i < rijn_registry_size; i++)
        if ((rijn_registry[i]->cpu & ~rijn_cpu()) == 0)
            test_kernel(rijn_registry[i]);
        else
            printf("skipped %s: %s\n", rijn_registry[i]->name,
                   rijn_cpu_reason(rijn_registry[i]->cpu & ~rijn_cpu()));
    return test_result(argv[0]);
}
