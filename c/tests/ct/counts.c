/* Counts instructions per byte of whole calls on a message of 64 KiB, on a processor that QEMU emulates
 * (steps.h). Prints a table with a column for each backend.
 *
 *     counts BACKEND|KERNEL|libaegis...       KERNEL: only a kernel of AEGIS, without AES
 *
 * Unavailable backends get no column. libaegis gets one in builds with it (counts.sh). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rijn.h"
#include "steps.h"
#ifdef RIJN_LIBAEGIS
#include "libaegis_code.h"
#endif

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

enum { SIZE = 65536, MOST_COLUMNS = 8 };

static const char *backend;
static uint8_t text[SIZE], tag[16], key_bytes[32], nonce[32];
static rijn_key key;
static rijn_aegis_key aegis_key;
static rijn_aegis_variant variant;

/* ---- Counted calls ---- */

static void ctr(void)
{
    if (rijn_ctr_crypt(&key, nonce, text, text, SIZE) != RIJN_OK)
        abort();
}

static void gcm(void)
{
    if (rijn_gcm_seal(&key, text, tag, 16, nonce, 12, NULL, 0, text, SIZE) != RIJN_OK)
        abort();
}

static void gcm_siv(void)
{
    if (rijn_gcm_siv_seal(&key, text, tag, 16, nonce, 12, NULL, 0, text, SIZE) != RIJN_OK)
        abort();
}

static void aegis(void)
{
    const size_t nonce_size = rijn_aegis_key_size(variant);
    if (rijn_aegis_seal(&aegis_key, text, tag, 16, nonce, nonce_size, NULL, 0, text, SIZE) !=
        RIJN_OK)
        abort();
}

#ifdef RIJN_LIBAEGIS
static void peer(void)
{
    if (libaegis.variants[variant].seal(text, tag, 16, text, SIZE, NULL, 0, nonce, key_bytes) != 0)
        abort();
}
#endif

static double per_byte(void (*run)(void))
{
    steps_first(run); /* after this, one-time work is done */
    steps_first(run);
    return (double)steps_count() / SIZE;
}

/* ---- The table ---- */

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {{"AES-128-CTR", ctr}, {"AES-128-GCM", gcm}, {"AES-128-GCM-SIV", gcm_siv}};

static void cell(void (*run)(void))
{
    if (run)
        printf(" %.2f |", per_byte(run));
    else
        printf(" |");
}

static void (*counted_mode(size_t mode))(void)
{
    return rijn_key_init(&key, key_bytes, 16, backend) == RIJN_OK ? modes[mode].run : NULL;
}

static void (*counted_aegis(void))(void)
{
#ifdef RIJN_LIBAEGIS
    if (strcmp(backend, "libaegis") == 0)
        return peer;
#endif
    const size_t size = rijn_aegis_key_size(variant);
    return rijn_aegis_key_init(&aegis_key, variant, key_bytes, size, backend) == RIJN_OK ? aegis
                                                                                         : NULL;
}

int main(int argc, char **argv)
{
    const char *backends[MOST_COLUMNS];
    int columns = 0;

#ifdef RIJN_LIBAEGIS
    libaegis.init();
#endif
    for (int i = 1; i < argc && columns < MOST_COLUMNS; i++) {
        backend = argv[i];
        if (counted_aegis())
            backends[columns++] = backend;
    }
    if (columns == 0) {
        fprintf(stderr, "nothing to count. Name backends or kernels that this machine can run.\n");
        return EXIT_FAILURE;
    }
    printf("| %s |", COMPILER);
    for (int i = 0; i < columns; i++)
        printf(" `%s` |", backends[i]);
    printf("\n| --- |");
    for (int i = 0; i < columns; i++)
        printf(" --- |");
    for (size_t mode = 0; mode < sizeof modes / sizeof modes[0]; mode++) {
        printf("\n| %s |", modes[mode].name);
        for (int i = 0; i < columns; i++) {
            backend = backends[i];
            cell(counted_mode(mode));
        }
    }
    for (unsigned v = 0; v < RIJN_AEGIS_VARIANTS; v++) {
        variant = (rijn_aegis_variant)v;
        printf("\n| %s |", rijn_aegis_name(variant));
        for (int i = 0; i < columns; i++) {
            backend = backends[i];
            cell(counted_aegis());
        }
    }
    printf("\n");
    return EXIT_SUCCESS;
}
