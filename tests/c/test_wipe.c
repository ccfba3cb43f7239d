/* Secrets do not stay: what the *_wipe functions leave, what finish and verify
 * leave, and what a call leaves on its stack. */
#define _POSIX_C_SOURCE 200809L /* pthread_attr_setstack */

#include "check.h"
#include "oracle_modes.h"
#include "oracle_aegis.h"

#include <pthread.h>

static const rijn_backend_info *backend;

static void test_wipes(void)
{
    static const size_t sizes[] = {0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 200};
    static rijn_key key;
    static rijn_ctr ctr;
    static rijn_gcm gcm;
    static rijn_aegis_key aegis_key;
    static rijn_aegis aegis;
    uint8_t bytes[256], tag[32];

    note("%s, wipes", backend->name);
    random_bytes(bytes, sizeof bytes);
    make_key(&key, bytes, 32, backend->name);
    CHECK_STATUS(rijn_ctr_start(&ctr, &key, bytes), RIJN_OK);
    CHECK_STATUS(rijn_ctr_update(&ctr, bytes, bytes, 5), RIJN_OK);
    rijn_ctr_wipe(&ctr);
    CHECK_FILL(&ctr, 0, sizeof ctr);

    for (int how = 0; how < 3; how++) {
        CHECK_STATUS(rijn_gcm_start(&gcm, &key, bytes, 17), RIJN_OK);
        CHECK_STATUS(rijn_gcm_ad(&gcm, bytes, 21), RIJN_OK);
        CHECK_STATUS((how == 1 ? rijn_gcm_decrypt : rijn_gcm_encrypt)(&gcm, bytes, bytes, 21),
                     RIJN_OK);
        if (how == 0)
            CHECK_STATUS(rijn_gcm_finish(&gcm, tag, 16), RIJN_OK);
        else if (how == 1)
            CHECK_STATUS(rijn_gcm_verify(&gcm, bytes, 16), RIJN_ERR_TAG);
        else
            rijn_gcm_wipe(&gcm);
        CHECK_FILL(&gcm, 0, sizeof gcm);
    }
    CHECK_STATUS(rijn_aegis_key_init(&aegis_key, RIJN_AEGIS_256X2, bytes, 32, backend->name),
                 RIJN_OK);
    for (int how = 0; how < 3; how++) {
        CHECK_STATUS(rijn_aegis_start(&aegis, &aegis_key, bytes, 32), RIJN_OK);
        CHECK_STATUS(rijn_aegis_ad(&aegis, bytes, 21), RIJN_OK);
        CHECK_STATUS((how == 1 ? rijn_aegis_decrypt : rijn_aegis_encrypt)(&aegis, bytes, bytes, 21),
                     RIJN_OK);
        if (how == 0)
            CHECK_STATUS(rijn_aegis_finish(&aegis, tag, 32), RIJN_OK);
        else if (how == 1)
            CHECK_STATUS(rijn_aegis_verify(&aegis, bytes, 16), RIJN_ERR_TAG);
        else
            rijn_aegis_wipe(&aegis);
        CHECK_FILL(&aegis, 0, sizeof aegis);
    }
    rijn_key_wipe(&key);
    CHECK_FILL(&key, 0, sizeof key);
    rijn_aegis_key_wipe(&aegis_key);
    CHECK_FILL(&aegis_key, 0, sizeof aegis_key);

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(bytes, 0xa5, sizeof bytes);
        rijn_wipe(bytes + 3, sizes[i]);
        CHECK_FILL(bytes, 0xa5, 3);
        CHECK_FILL(bytes + 3, 0, sizes[i]);
        CHECK_FILL(bytes + 3 + sizes[i], 0xa5, sizeof bytes - 3 - sizes[i]);
    }
    rijn_wipe(NULL, 0);
    rijn_key_wipe(NULL);
    rijn_ctr_wipe(NULL);
    rijn_gcm_wipe(NULL);
}

/* ---- The stack of a call ---- *
 * A call runs on a thread whose stack is ours; when it has returned, none of
 * the secrets that outlive one block of work stands there as a string of 16
 * bytes. What a compiler spills is not promised to be wiped (rijn.h), and with
 * few registers or under a sanitizer it spills whole blocks: so this runs where it
 * need not. */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EXAMINE_STACK false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EXAMINE_STACK false
#endif
#endif
#ifndef EXAMINE_STACK
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__OPTIMIZE__)
#define EXAMINE_STACK true
#else
#define EXAMINE_STACK false
#endif
#endif

#define STACK ((size_t)256 * 1024)

static _Alignas(64) uint8_t stack[STACK];

static uint8_t key_bytes[32], iv[16], nonce[12], plain[400], sealed[416], tag[16];
static rijn_key key;

static void *do_key_init(void *unused)
{
    (void)unused;
    return rijn_key_init(&key, key_bytes, 32, backend->name) == RIJN_OK ? &key : NULL;
}

static void *do_padded(void *unused)
{
    (void)unused;
    return rijn_cbc_encrypt_padded(&key, iv, sealed, plain, 397) == RIJN_OK ? &key : NULL;
}

static void *do_seal(void *unused)
{
    (void)unused;
    return rijn_gcm_seal(&key, sealed, tag, 16, nonce, 12, NULL, 0, plain, 397) == RIJN_OK ? &key
                                                                                           : NULL;
}

static void *do_open_forged(void *unused)
{
    (void)unused;
    return rijn_gcm_open(&key, sealed, iv, 16, nonce, 12, NULL, 0, plain, 397) == RIJN_ERR_TAG
               ? &key
               : NULL;
}

static rijn_aegis_key aegis_key;

static void *do_aegis_open_forged(void *unused)
{
    (void)unused;
    return rijn_aegis_open(&aegis_key, sealed, iv, 16, key_bytes + 16, 16, NULL, 0, plain, 397) ==
                   RIJN_ERR_TAG
               ? &key
               : NULL;
}

/* The modes that derive keys on their stacks. */
static void *do_gcm_siv(void *unused)
{
    (void)unused;
    return rijn_gcm_siv_seal(&key, sealed, tag, 16, nonce, 12, NULL, 0, plain, 397) == RIJN_OK
               ? &key
               : NULL;
}

static void *do_xaes(void *unused)
{
    static const uint8_t long_nonce[24];
    (void)unused;
    return rijn_xaes_seal(&key, sealed, tag, 16, long_nonce, 24, NULL, 0, plain, 397) == RIJN_OK
               ? &key
               : NULL;
}

static void *(*work_below)(void *);

/* Calls it far below what the end of the thread will write over. */
static void *deep(void *unused)
{
    uint8_t room[64 * 1024], *volatile where = room;
    where[0] = 0;
    void *result = work_below(unused);
    return where[0] == 0 ? result : NULL;
}

static void on_our_stack(void *(*work)(void *))
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *result = NULL;

    memset(stack, 0, STACK);
    work_below = work;
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstack(&attributes, stack, STACK) != 0 ||
        pthread_create(&thread, &attributes, deep, NULL) != 0 ||
        pthread_join(thread, &result) != 0) {
        perror("thread");
        exit(EXIT_FAILURE);
    }
    pthread_attr_destroy(&attributes);
    CHECK(result != NULL);
}

static void check_absent(const char *what, const uint8_t secret[16])
{
    bool found = false;
    note("%s leaves %s on the stack", backend->name, what);
    for (size_t i = 0; i + 16 <= STACK && !found; i++)
        found = stack[i] == secret[0] && memcmp(stack + i, secret, 16) == 0;
    CHECK(!found);
}

/* That the search would find what is there. */
static void *do_careless(void *unused)
{
    uint8_t copy[16], *volatile where = copy;
    (void)unused;
    memcpy(where, key_bytes, 16);
    return where[0] == key_bytes[0] ? &key : NULL;
}

static void test_stack(void)
{
    uint8_t h[16] = {0}, block[16], full[16];
    static uint8_t out[400];
    oracle_key oracle;

    random_bytes(key_bytes, 32);
    random_bytes(iv, 16);
    random_bytes(nonce, 12);
    random_bytes(plain, sizeof plain);
    oracle_init(&oracle, key_bytes, 32);
    oracle_encrypt(&oracle, h, h);

    on_our_stack(do_careless);
    bool seen = false;
    for (size_t i = 0; i + 16 <= STACK && !seen; i++)
        seen = memcmp(stack + i, key_bytes, 16) == 0;
    note("the search finds a careless copy");
    CHECK(seen);

    on_our_stack(do_key_init);
    check_absent("the key", key_bytes);
    check_absent("the second half of the key", key_bytes + 16);
    for (int round = 2; round <= 14; round++)
        check_absent("a round key", oracle.round_keys[round]);
    check_absent("the hash key", h);

    on_our_stack(do_padded);
    memcpy(block, plain + 384, 13);
    memset(block + 13, 3, 3);
    check_absent("the padded last block", block);

    on_our_stack(do_seal);
    memcpy(block, nonce, 12);
    memcpy(block + 12, (const uint8_t[4]){0, 0, 0, 1}, 4);
    oracle_encrypt(&oracle, block, block);
    check_absent("the mask of the tag", block);

    on_our_stack(do_gcm_siv);
    uint8_t derived[6 * 8];
    for (uint8_t i = 0; i < 6; i++) {
        memset(block, 0, 16);
        block[0] = i;
        memcpy(block + 4, nonce, 12);
        oracle_encrypt(&oracle, block, block);
        memcpy(derived + (size_t)8 * i, block, 8);
    }
    check_absent("the derived key", derived + 16);
    check_absent("the second half of the derived key", derived + 32);

    on_our_stack(do_xaes);
    uint8_t message[16] = {0, 1, 'X'};
    oracle_cmac(&oracle, block, message, 16);
    check_absent("the derived key of XAES", block);
    message[1] = 2;
    oracle_cmac(&oracle, block, message, 16);
    check_absent("the second half of the derived key of XAES", block);

    on_our_stack(do_open_forged);
    oracle_gcm(&oracle, true, out, full, nonce, 12, NULL, 0, plain, 397);
    check_absent("the tag that a forger wants", full);
    check_absent("unauthenticated plaintext", out);
    check_absent("unauthenticated plaintext", out + 368);

    /* Where a block is four words of 32 bits, gcc gathers them in a vector register
     * and spills that. */
    if (!backend->constant_time || strcmp(backend->name, "fixslice32") == 0)
        return;
    for (int i = 0; i < (int)RIJN_AEGIS_VARIANTS; i++) {
        const rijn_aegis_variant variant = (rijn_aegis_variant)i;
        if (rijn_aegis_key_size(variant) != 16)
            continue;
        CHECK_STATUS(rijn_aegis_key_init(&aegis_key, variant, key_bytes, 16, backend->name),
                     RIJN_OK);
        on_our_stack(do_aegis_open_forged);
        oracle_aegis_crypt(variant, true, key_bytes, key_bytes + 16, NULL, 0, out, plain, 397, full,
                           16);
        check_absent("the key of AEGIS", key_bytes);
        check_absent("the tag that a forger wants", full);
        check_absent("unauthenticated plaintext", out);
        check_absent("unauthenticated plaintext", out + 376);
    }
}

static void run(const rijn_backend_info *info)
{
    backend = info;
    test_wipes();
    if (EXAMINE_STACK)
        test_stack();
    else
        printf("stack not examined in this kind of build\n");
}

int main(int argc, char **argv)
{
    return test_backends(argc, argv, run);
}
