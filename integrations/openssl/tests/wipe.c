/* Tests that freed memory has no key: `free` looks for it in every block.
 *
 *   wipe [--folder F] [--module NAME] */
#include "check.h"

#include <malloc.h>

extern void __libc_free(void *block);

static uint8_t key[64];
static size_t searched, found;

void free(void *block)
{
    if (block && searched) {
        const size_t size = malloc_usable_size(block);
        searched++;
        for (size_t i = 0; i + 16 <= size; i++)
            if (memcmp((uint8_t *)block + i, key, 16) == 0 ||
                memcmp((uint8_t *)block + i, key + 16, 16) == 0)
                found++;
    }
    __libc_free(block);
}

/* Uses the cipher in a context and a copy, and counts the blocks that were freed with the key. */
static void use(EVP_CIPHER *each, void *unused)
{
    static char name[100];
    uint8_t iv[32] = {1}, to[64], plain[32] = {2};
    int n;

    (void)unused;
    if (strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(each)), module) != 0)
        return;
    snprintf(name, sizeof name, "freed contexts of %s have no key", EVP_CIPHER_get0_name(each));
    begin(name);
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
    EVP_CIPHER_CTX_set_flags(c, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    searched = 1;
    found = 0;
    CHECK(EVP_EncryptInit_ex2(c, each, key, iv, NULL) == 1);
    EVP_EncryptUpdate(c, to, &n, plain, 32);
    CHECK(EVP_CIPHER_CTX_copy(copy, c) == 1);
    EVP_EncryptInit_ex2(c, NULL, key, iv, NULL);
    EVP_EncryptUpdate(c, to, &n, plain, 32);
    EVP_CIPHER_CTX_free(c);
    EVP_CIPHER_CTX_free(copy);
    CHECK(found == 0);
    CHECK(searched > 2);
    searched = 0;
    end();
    ERR_clear_error();
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2)
        if (!common_option(argv[i], argv[i + 1]))
            stop("usage: wipe [--folder F] [--module NAME] [--seed N]");
    begin("this test finds keys");
    random_bytes(key, sizeof key);
    void (*volatile release)(void *) = free; /* so that no store is left out */
    uint8_t *left = malloc(100);
    if (!left)
        stop("malloc");
    memcpy(left + 33, key, 16);
    searched = 1;
    release(left);
    searched = 0;
    CHECK(found == 1);
    end();
    struct library library = new_library();
    EVP_CIPHER_do_all_provided(library.context, use, NULL);
    free_library(&library);
    return failures ? 1 : 0;
}
