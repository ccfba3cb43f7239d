/* Which kernel runs: what the CPU detection finds, which backend each CPU mask
 * leads to, and that every public call enters the record of the key's backend
 * and no other. */
#include "check.h"

#include "aegis/kernel.h"
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

/* The features that follow from a CPU's words. */
static void test_cpuid(void)
{
    enum {
        OLD = RIJN_CPU_SSSE3 | RIJN_CPU_SSE41 | RIJN_CPU_PCLMULQDQ,
        AES = OLD | RIJN_CPU_AES,
        ALL_YMM = AES | RIJN_CPU_AVX | RIJN_CPU_AVX2 | RIJN_CPU_VAES | RIJN_CPU_VPCLMULQDQ,
        ALL = ALL_YMM | RIJN_CPU_AVX512F | RIJN_CPU_AVX512BW | RIJN_CPU_AVX512VL
    };
    static const struct {
        const char *name;
        rijn_cpuid words;
        uint32_t want;
    } cpus[] = {
        {"none", {0}, 0},
        {"Core 2, 65 nm", {0xa, 0x0000e3bd, 0, 0, 0}, RIJN_CPU_SSSE3},
        {"Westmere", {0xb, 0x0298e3ff, 0, 0, 0}, AES},
        {"Sandy Bridge", {0xd, 0x1fbae3ff, 0, 0, 0x7}, AES | RIJN_CPU_AVX},
        {"Haswell", {0xd, 0x7ffafbff, 0x000027ab, 0, 0x7}, AES | RIJN_CPU_AVX | RIJN_CPU_AVX2},
        {"Skylake", {0x16, 0x7ffafbbf, 0x029c67af, 0, 0x1f}, AES | RIJN_CPU_AVX | RIJN_CPU_AVX2},
        {"Zen 3", {0x10, 0x7ef8320b, 0x219c97a9, 0x0040068c, 0x207}, ALL_YMM},
        {"Ice Lake", {0x1b, 0x7ffafbbf, 0xf2bf27ef, 0x40405f4e, 0x2e7}, ALL},
        {"Sapphire Rapids, guest", {0x24, 0xfffa3203, 0xf1bf2ffb, 0x1a415f46, 0x600e7}, ALL},
    };
    /* every feature there is, and what is left when a word changes */
    const rijn_cpuid whole = {7, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    static const struct {
        unsigned bit;
        uint32_t lost;
    } leaf1[] = {{9, RIJN_CPU_SSSE3},     {19, RIJN_CPU_SSE41}, {25, RIJN_CPU_AES},
                 {1, RIJN_CPU_PCLMULQDQ}, {27, ALL & ~AES},     {28, ALL & ~AES}},
      leaf7_ebx[] = {{5, RIJN_CPU_AVX2},
                     {16, RIJN_CPU_AVX512F},
                     {30, RIJN_CPU_AVX512BW},
                     {31, RIJN_CPU_AVX512VL}},
      leaf7_ecx[] = {{9, RIJN_CPU_VAES}, {10, RIJN_CPU_VPCLMULQDQ}},
      xcr0[] = {{1, ALL & ~AES},
                {2, ALL & ~AES},
                {5, ALL & ~ALL_YMM},
                {6, ALL & ~ALL_YMM},
                {7, ALL & ~ALL_YMM}};
    rijn_cpuid words;

    for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
        note("CPUID of %s", cpus[i].name);
        CHECK(rijn_cpu_features(&cpus[i].words) == cpus[i].want);
    }
    note("CPUID, whole");
    CHECK(rijn_cpu_features(&whole) == ALL);

    for (unsigned bit = 0; bit < 32; bit++) {
        uint32_t lost[4] = {0};
        for (size_t i = 0; i < sizeof leaf1 / sizeof leaf1[0]; i++)
            lost[0] |= leaf1[i].bit == bit ? leaf1[i].lost : 0;
        for (size_t i = 0; i < sizeof leaf7_ebx / sizeof leaf7_ebx[0]; i++)
            lost[1] |= leaf7_ebx[i].bit == bit ? leaf7_ebx[i].lost : 0;
        for (size_t i = 0; i < sizeof leaf7_ecx / sizeof leaf7_ecx[0]; i++)
            lost[2] |= leaf7_ecx[i].bit == bit ? leaf7_ecx[i].lost : 0;
        for (size_t i = 0; i < sizeof xcr0 / sizeof xcr0[0]; i++)
            lost[3] |= xcr0[i].bit == bit ? xcr0[i].lost : 0;
        for (int i = 0; i < 4; i++) {
            uint32_t *const word[4] = {&words.leaf1_ecx, &words.leaf7_ebx, &words.leaf7_ecx,
                                       &words.xcr0};
            words = whole;
            *word[i] &= ~(UINT32_C(1) << bit);
            note("CPUID, word %d without bit %u", i, bit);
            CHECK(rijn_cpu_features(&words) == (ALL & ~lost[i]));
        }
    }

    /* nothing but what is asked for: all other bits are no feature */
    for (size_t i = 0; i < sizeof leaf1 / sizeof leaf1[0]; i++) {
        note("CPUID, leaf 1 bit %u alone", leaf1[i].bit);
        words = (rijn_cpuid){.max_leaf = 1, .leaf1_ecx = UINT32_C(1) << leaf1[i].bit};
        CHECK(rijn_cpu_features(&words) == (leaf1[i].lost & AES));
    }
    note("CPUID, no leaf 7, whatever its words");
    words = whole;
    words.max_leaf = 6;
    CHECK(rijn_cpu_features(&words) == (AES | RIJN_CPU_AVX));
    note("CPUID, exactly the states of ymm, and of zmm");
    words = whole;
    words.xcr0 = 0x06;
    CHECK(rijn_cpu_features(&words) == ALL_YMM);
    words.xcr0 = 0xe6;
    CHECK(rijn_cpu_features(&words) == ALL);
}

/* ---- Choice under every CPU mask ---- */

/* The kernel of AEGIS: a backend's name gives the first of its kernels that can run, a
 * kernel's name that kernel or nothing. */
static void check_kernels(const rijn_backend *backend)
{
    const bool runs = (backend->cpu & ~rijn_cpu()) == 0;
    const rijn_aegis_kernel *want = NULL;
    rijn_aegis_key key;

    for (size_t i = 0; i < rijn_aegis_kernels_size; i++) {
        const rijn_aegis_kernel *const kernel = &rijn_aegis_kernels[i];
        if (kernel->backend != backend)
            continue;
        const bool this_runs = runs && (kernel->cpu & ~rijn_cpu()) == 0;
        rijn_aegis_kernel_info info;
        CHECK_STATUS(rijn_aegis_kernel_at(i, &info), RIJN_OK);
        CHECK(info.available == this_runs && (info.reason[0] == '\0') == this_runs);
        want = want == NULL && this_runs ? kernel : want;
        if (strcmp(kernel->name, backend->name) == 0)
            continue;
        CHECK_STATUS(rijn_aegis_key_init(&key, RIJN_AEGIS_128L, key_bytes, 16, kernel->name),
                     this_runs ? RIJN_OK : RIJN_ERR_UNAVAILABLE);
        CHECK(key.kernel == (this_runs ? kernel : NULL));
    }
    CHECK((want != NULL) == runs);
    for (unsigned v = 0; v < RIJN_AEGIS_VARIANTS; v++) {
        CHECK_STATUS(rijn_aegis_key_init(&key, (rijn_aegis_variant)v, key_bytes,
                                         rijn_aegis_key_size((rijn_aegis_variant)v), backend->name),
                     runs ? RIJN_OK : RIJN_ERR_UNAVAILABLE);
        CHECK(key.kernel == want);
        CHECK(key.code == (runs ? &want->code[v] : NULL));
    }
}

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
        check_kernels(backend);
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
    KEY_INIT,
    POLYVAL_KEY_INIT,
    ENCRYPT_BLOCK,
    DECRYPT_BLOCK,
    CBC_MAC,
    CFB_ENCRYPT,
    CFB_DECRYPT,
    OFB_CRYPT,
    IGE_ENCRYPT,
    IGE_DECRYPT,
    XTS_ENCRYPT,
    XTS_DECRYPT,
    POLYVAL,
    OCB_ENCRYPT,
    OCB_DECRYPT,
    OCB_HASH,
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

static void count_key_init(void *c, const uint8_t *key, size_t size)
{
    entered[KEY_INIT]++;
    real->key_init(c, key, size);
}

static void count_polyval_key_init(void *c, const uint8_t *key, size_t size, const uint8_t h[16])
{
    entered[POLYVAL_KEY_INIT]++;
    real->polyval_key_init(c, key, size, h);
}

static void count_encrypt_block(const void *c, uint8_t out[16], const uint8_t in[16])
{
    entered[ENCRYPT_BLOCK]++;
    real->encrypt_block(c, out, in);
}

static void count_decrypt_block(const void *c, uint8_t out[16], const uint8_t in[16])
{
    entered[DECRYPT_BLOCK]++;
    real->decrypt_block(c, out, in);
}

static void count_cbc_mac(const void *c, uint8_t chain[16], const uint8_t *in, size_t blocks)
{
    entered[CBC_MAC]++;
    real->cbc_mac(c, chain, in, blocks);
}

static void count_cfb_encrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[CFB_ENCRYPT]++;
    real->cfb_encrypt(c, iv, out, in, blocks);
}

static void count_cfb_decrypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[CFB_DECRYPT]++;
    real->cfb_decrypt(c, iv, out, in, blocks);
}

static void count_ofb_crypt(const void *c, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                            size_t blocks)
{
    entered[OFB_CRYPT]++;
    real->ofb_crypt(c, iv, out, in, blocks);
}

static void count_ige_encrypt(const void *c, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[IGE_ENCRYPT]++;
    real->ige_encrypt(c, iv, out, in, blocks);
}

static void count_ige_decrypt(const void *c, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[IGE_DECRYPT]++;
    real->ige_decrypt(c, iv, out, in, blocks);
}

static void count_xts_encrypt(const void *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[XTS_ENCRYPT]++;
    real->xts_encrypt(c, tweak, out, in, blocks);
}

static void count_xts_decrypt(const void *c, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[XTS_DECRYPT]++;
    real->xts_decrypt(c, tweak, out, in, blocks);
}

static void count_polyval(const void *c, uint8_t y[16], const uint8_t *p, size_t blocks)
{
    entered[POLYVAL]++;
    real->polyval(c, y, p, blocks);
}

static void count_ocb_encrypt(const void *c, rijn_ocb *ocb, uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[OCB_ENCRYPT]++;
    real->ocb_encrypt(c, ocb, out, in, blocks);
}

static void count_ocb_decrypt(const void *c, rijn_ocb *ocb, uint8_t *out, const uint8_t *in,
                              size_t blocks)
{
    entered[OCB_DECRYPT]++;
    real->ocb_decrypt(c, ocb, out, in, blocks);
}

static void count_ocb_hash(const void *c, rijn_ocb *ocb, const uint8_t *ad, size_t blocks)
{
    entered[OCB_HASH]++;
    real->ocb_hash(c, ocb, ad, blocks);
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

/* The modes behind GCM; `key` counts. */
static void test_family(const rijn_key *key)
{
    const rijn_string string = {(const uint8_t *)"abc", 3};
    rijn_xts_key xts = {*key, *key};
    rijn_siv_key siv = {*key, *key};
    uint8_t iv[32] = {0}, tag[16], data[64] = {0}, sealed[128];
    size_t used = 0, plain_size;

    CHECK_STATUS(rijn_cfb_encrypt(key, iv, &used, sealed, data, 37), RIJN_OK);
    ENTERED("cfb_encrypt: whole blocks, and the keystream of the last", CFB_ENCRYPT, ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_cfb_decrypt(key, iv, NULL, data, sealed, 32), RIJN_OK);
    ENTERED("cfb_decrypt", CFB_DECRYPT);
    CHECK_STATUS(rijn_ofb_crypt(key, iv, NULL, data, data, 32), RIJN_OK);
    ENTERED("ofb_crypt", OFB_CRYPT);
    CHECK_STATUS(rijn_cfb8_encrypt(key, iv, sealed, data, 2), RIJN_OK);
    ENTERED("cfb8_encrypt", ENCRYPT_BLOCK, ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_cfb8_decrypt(key, iv, sealed, data, 32), RIJN_OK);
    ENTERED("cfb8_decrypt", ECB_ENCRYPT);
    CHECK_STATUS(rijn_ige_encrypt(key, iv, sealed, data, 32), RIJN_OK);
    ENTERED("ige_encrypt", IGE_ENCRYPT);
    CHECK_STATUS(rijn_ige_decrypt(key, iv, sealed, data, 32), RIJN_OK);
    ENTERED("ige_decrypt", IGE_DECRYPT);
    CHECK_STATUS(rijn_ctr_crypt_width(key, 32, 1, iv, data, data, 37), RIJN_OK);
    ENTERED("ctr_crypt_width", CTR_CRYPT);
    CHECK_STATUS(rijn_xts_encrypt(&xts, iv, sealed, data, 32), RIJN_OK);
    ENTERED("xts_encrypt", ENCRYPT_BLOCK, XTS_ENCRYPT);
    CHECK_STATUS(rijn_xts_decrypt(&xts, iv, sealed, data, 37), RIJN_OK);
    ENTERED("xts_decrypt with stealing", ENCRYPT_BLOCK, XTS_DECRYPT, XTS_DECRYPT, XTS_DECRYPT);
    CHECK_STATUS(rijn_cmac(key, tag, 16, data, 37), RIJN_OK);
    ENTERED("cmac: the subkey, the blocks, the last", ENCRYPT_BLOCK, CBC_MAC, CBC_MAC);
    CHECK_STATUS(rijn_gcm_siv_seal(key, sealed, tag, 16, iv, 12, data, 16, data, 32), RIJN_OK);
    ENTERED("gcm_siv_seal", ECB_ENCRYPT, POLYVAL_KEY_INIT, POLYVAL, POLYVAL, POLYVAL, ENCRYPT_BLOCK,
            CTR_CRYPT);
    CHECK_STATUS(rijn_xaes_seal(key, sealed, tag, 16, iv, 24, data, 0, data, 32), RIJN_OK);
    ENTERED("xaes_seal", ENCRYPT_BLOCK, ECB_ENCRYPT, KEY_INIT, GCM_START, GCM_ENCRYPT, GCM_TAG);
    CHECK_STATUS(rijn_siv_seal(&siv, sealed, tag, &string, 1, data, 16), RIJN_OK);
    ENTERED("siv_seal", ENCRYPT_BLOCK, CBC_MAC, CBC_MAC, CBC_MAC, CTR_CRYPT);
    CHECK_STATUS(rijn_ccm_seal(key, sealed, tag, 16, iv, 12, data, 0, data, 32), RIJN_OK);
    ENTERED("ccm_seal", CBC_MAC, CBC_MAC, CTR_CRYPT, CTR_CRYPT);
    CHECK_STATUS(rijn_ocb_seal(key, sealed, tag, 16, iv, 12, data, 32, data, 37), RIJN_OK);
    ENTERED("ocb_seal", ECB_ENCRYPT, OCB_HASH, OCB_ENCRYPT, ENCRYPT_BLOCK, ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_ocb_open(key, data, tag, 16, iv, 12, data, 0, sealed, 32), RIJN_ERR_TAG);
    ENTERED("ocb_open", ECB_ENCRYPT, OCB_DECRYPT, ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_eax_seal(key, sealed, tag, 16, iv, 12, data, 0, data, 32), RIJN_OK);
    ENTERED("eax_seal: the subkey, three prefixes, the nonce, the rest", ENCRYPT_BLOCK, CBC_MAC,
            CBC_MAC, CTR_CRYPT, CBC_MAC, CBC_MAC, CBC_MAC, CBC_MAC);
    CHECK_STATUS(rijn_kwp_wrap(key, sealed, data, 5), RIJN_OK);
    ENTERED("kwp_wrap of one semiblock", ENCRYPT_BLOCK);
    CHECK_STATUS(rijn_kwp_unwrap(key, data, &plain_size, sealed, 16), RIJN_OK);
    ENTERED("kwp_unwrap of one semiblock", DECRYPT_BLOCK);
}

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
    counting.key_init = count_key_init;
    counting.polyval_key_init = count_polyval_key_init;
    counting.encrypt_block = count_encrypt_block;
    counting.decrypt_block = count_decrypt_block;
    counting.cbc_mac = count_cbc_mac;
    counting.cfb_encrypt = count_cfb_encrypt;
    counting.cfb_decrypt = count_cfb_decrypt;
    counting.ofb_crypt = count_ofb_crypt;
    counting.ige_encrypt = count_ige_encrypt;
    counting.ige_decrypt = count_ige_decrypt;
    counting.xts_encrypt = count_xts_encrypt;
    counting.xts_decrypt = count_xts_decrypt;
    counting.polyval = count_polyval;
    counting.ocb_encrypt = count_ocb_encrypt;
    counting.ocb_decrypt = count_ocb_decrypt;
    counting.ocb_hash = count_ocb_hash;

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
    test_family(&key);
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
            CHECK(a->polyval_key_init != b->polyval_key_init && a->polyval != b->polyval);
            CHECK(a->encrypt_block != b->encrypt_block && a->decrypt_block != b->decrypt_block);
            CHECK(a->cbc_mac != b->cbc_mac && a->ofb_crypt != b->ofb_crypt);
            CHECK(a->cfb_encrypt != b->cfb_encrypt && a->cfb_decrypt != b->cfb_decrypt);
            CHECK(a->ige_encrypt != b->ige_encrypt && a->ige_decrypt != b->ige_decrypt);
            CHECK(a->xts_encrypt != b->xts_encrypt && a->xts_decrypt != b->xts_decrypt);
            CHECK(a->ocb_encrypt != b->ocb_encrypt && a->ocb_decrypt != b->ocb_decrypt);
            CHECK(a->ocb_hash != b->ocb_hash);
        }
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    test_detection();
    test_cpuid();
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
