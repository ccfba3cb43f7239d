/* A provider that passes every call to another one, and counts its work: a proof that a program used it.
 *
 * $WITNESS_MODULE names the provider's file. The counts are in $WITNESS_COUNTS, a file that all processes
 * of a test share. It has a row for each algorithm. check_counts.py reads it. */
#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROWS = 128, ENTRIES = 40 };

struct row {
    char name[48];
    _Atomic uint64_t contexts, bytes;
};

/* The functions of an algorithm that are replaced. */
struct original {
    OSSL_FUNC_cipher_newctx_fn *new_context;
    OSSL_FUNC_cipher_update_fn *update;
    OSSL_FUNC_cipher_cipher_fn *cipher;
    OSSL_FUNC_mac_update_fn *mac_update;
};

static struct row *rows;
static struct original original[ROWS];
static OSSL_DISPATCH table[ROWS][ENTRIES];
static int used; /* rows; a process takes them in the same order as each other */
static OSSL_FUNC_provider_query_operation_fn *query;
static OSSL_DISPATCH functions[ENTRIES];

#define TRAMPOLINES(i) \
    static void *new_##i(void *provider) \
    { \
        rows[0x##i].contexts++; \
        return original[0x##i].new_context(provider); \
    } \
    static int update_##i(void *c, unsigned char *out, size_t *outl, size_t room, \
                          const unsigned char *in, size_t size) \
    { \
        rows[0x##i].bytes += size; \
        return original[0x##i].update(c, out, outl, room, in, size); \
    } \
    static int cipher_##i(void *c, unsigned char *out, size_t *outl, size_t room, \
                          const unsigned char *in, size_t size) \
    { \
        rows[0x##i].bytes += size; \
        return original[0x##i].cipher(c, out, outl, room, in, size); \
    } \
    static int mac_##i(void *c, const unsigned char *in, size_t size) \
    { \
        rows[0x##i].bytes += size; \
        return original[0x##i].mac_update(c, in, size); \
    }

#define EACH(X, high) \
    X(high##0) \
    X(high##1) \
    X(high##2) \
    X(high##3) \
    X(high##4) \
    X(high##5) \
    X(high##6) \
    X(high##7) \
    X(high##8) \
    X(high##9) \
    X(high##a) \
    X(high##b) \
    X(high##c) \
    X(high##d) \
    X(high##e) \
    X(high##f)
#define ALL(X) \
    EACH(X, 0) \
    EACH(X, 1) \
    EACH(X, 2) EACH(X, 3) EACH(X, 4) EACH(X, 5) EACH(X, 6) EACH(X, 7)
ALL(TRAMPOLINES)

static const struct original replacement[ROWS] = {
#define REPLACEMENT(i) {new_##i, update_##i, cipher_##i, mac_##i},
    ALL(REPLACEMENT)};

__attribute__((noreturn)) static void stop(const char *why)
{
    fprintf(stderr, "witness: %s\n", why);
    abort();
}

/* Gives the algorithms of an operation with counting functions. */
static const OSSL_ALGORITHM *counted(const OSSL_ALGORITHM *from, int operation)
{
    static OSSL_ALGORITHM copies[2][ROWS];
    static int made[2];
    OSSL_ALGORITHM *copy = copies[operation == OSSL_OP_MAC];
    int n = 0;

    if (made[operation == OSSL_OP_MAC])
        return copy;
    for (; from[n].algorithm_names; n++, used++) {
        if (used == ROWS || n == ROWS - 1)
            stop("too many algorithms");
        copy[n] = from[n];
        copy[n].implementation = table[used];
        snprintf(rows[used].name, sizeof rows[used].name, "%.*s",
                 (int)strcspn(from[n].algorithm_names, ":"), from[n].algorithm_names);
        for (int i = 0; from[n].implementation[i].function_id; i++) {
            OSSL_DISPATCH *entry = &table[used][i];
            if (i == ENTRIES - 1)
                stop("too many functions");
            *entry = from[n].implementation[i];
#define REPLACE(id, member) \
    if (entry->function_id == id) { \
        memcpy(&original[used].member, &entry->function, sizeof entry->function); \
        entry->function = (void (*)(void))replacement[used].member; \
        continue; \
    }
            if (operation == OSSL_OP_MAC) {
                REPLACE(OSSL_FUNC_MAC_NEWCTX, new_context)
                REPLACE(OSSL_FUNC_MAC_UPDATE, mac_update)
            } else {
                REPLACE(OSSL_FUNC_CIPHER_NEWCTX, new_context)
                REPLACE(OSSL_FUNC_CIPHER_UPDATE, update)
                REPLACE(OSSL_FUNC_CIPHER_CIPHER, cipher)
            }
        }
    }
    made[operation == OSSL_OP_MAC] = 1;
    return copy;
}

static const OSSL_ALGORITHM *ask(void *provider, int operation, int *no_store)
{
    const OSSL_ALGORITHM *found = query(provider, operation, no_store);

    if (found && (operation == OSSL_OP_CIPHER || operation == OSSL_OP_MAC))
        return counted(found, operation);
    return found;
}

OSSL_provider_init_fn OSSL_provider_init;

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                       const OSSL_DISPATCH **out, void **provider)
{
    const char *module = getenv("WITNESS_MODULE"), *file = getenv("WITNESS_COUNTS");
    const OSSL_DISPATCH *theirs;
    OSSL_provider_init_fn *init;

    if (!module || !file)
        stop("needs $WITNESS_MODULE and $WITNESS_COUNTS");
    if (!rows) {
        const int opened = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (opened < 0 || ftruncate(opened, sizeof(struct row) * ROWS) != 0)
            stop("cannot open $WITNESS_COUNTS");
        rows = mmap(NULL, sizeof(struct row) * ROWS, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
        if (rows == MAP_FAILED)
            stop("mmap");
        close(opened);
    }
    void *library = dlopen(module, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        stop(dlerror());
    void *symbol = dlsym(library, "OSSL_provider_init");
    if (!symbol)
        stop(dlerror());
    memcpy(&init, &symbol, sizeof init);
    if (!init(handle, in, &theirs, provider))
        return 0;
    for (int i = 0; theirs[i].function_id && i < ENTRIES - 1; i++) {
        functions[i] = theirs[i];
        if (functions[i].function_id == OSSL_FUNC_PROVIDER_QUERY_OPERATION) {
            memcpy(&query, &functions[i].function, sizeof query);
            functions[i].function = (void (*)(void))ask;
        }
    }
    /* In one order in all processes, for they share the rows. */
    for (int operation = OSSL_OP_CIPHER; operation <= OSSL_OP_MAC; operation++)
        ask(*provider, operation, &(int){0});
    *out = functions;
    return 1;
}
