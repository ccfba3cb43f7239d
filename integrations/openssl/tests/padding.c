/* Tests tls_padding.c: every padding against the plain rules of RFC 5246 section 6.2.3.2, and under valgrind
 * that no branch and no address depends on the record. It exits with 0 if all is well.
 *
 *   padding [leak]    leak: also branches on the record, which valgrind must notice */
#include <stdio.h>
#include <string.h>
#include <valgrind/memcheck.h>

#include "../tls_padding.h"

enum { SIZE_MAX_TESTED = 352 };

static int failures;

static void fill(uint8_t *record, size_t size)
{
    for (size_t i = 0; i < size; i++)
        record[i] = (uint8_t)(7 * i + 1 + i / 251);
}

/* Compares a call with the rules. Returns 1 if the padding was accepted. */
static int compare(const uint8_t *record, size_t size, size_t mac_size, int ssl3)
{
    uint8_t mac[TLS_MAC_MAX];
    size_t text = 0, padding = (size_t)record[size - 1] + 1;
    int good = size >= mac_size + padding && (!ssl3 || padding <= 16), found, equal;

    for (size_t i = 1; i <= padding && good && !ssl3; i++)
        good = record[size - i] == record[size - 1];
    found = tls_unpad(record, size, &text, mac, mac_size, ssl3);
    if (mac_size == 0) {
        if (found != good || (found && text != size - padding))
            failures++;
        return good;
    }
    if (!good)
        padding = 0;
    equal = memcmp(mac, record + size - padding - mac_size, mac_size) == 0;
    if (!found || text != size - padding - mac_size || equal != good)
        failures++;
    return good;
}

static void every_padding(size_t size, size_t mac_size, int ssl3)
{
    uint8_t record[SIZE_MAX_TESTED];
    size_t accepted = 0;

    for (size_t value = 0; value < 256; value++) {
        size_t span = value + 1 < size ? value + 1 : size;

        fill(record, size);
        memset(record + size - span, (int)value, span);
        accepted += (size_t)compare(record, size, mac_size, ssl3);
        for (size_t i = 2; i <= span; i++) { /* one wrong byte */
            record[size - i] ^= 0x40;
            compare(record, size, mac_size, ssl3);
            record[size - i] ^= 0x40;
        }
    }
    if (accepted == 0)
        failures++;
}

static void secret_record(size_t size, size_t mac_size, int ssl3, int leak)
{
    uint8_t record[SIZE_MAX_TESTED], mac[TLS_MAC_MAX];
    size_t text;

    fill(record, size);
    memset(record + size - 9, 8, 9);
    VALGRIND_MAKE_MEM_UNDEFINED(record, size);
    if (!tls_unpad(record, size, &text, mac, mac_size, ssl3))
        failures++;
    if (leak && record[0] == 1)
        failures--;
    VALGRIND_MAKE_MEM_DEFINED(&text, sizeof text);
    if (text > size)
        failures++;
}

int main(int count, char **words)
{
    static const size_t macs[] = {0, 16, 20, 32, 48, 64};
    static const size_t sizes[] = {80, 96, 304, 336, 352};

    if (RUNNING_ON_VALGRIND) {
        for (size_t m = 1; m < sizeof macs / sizeof *macs; m++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int ssl3 = 0; ssl3 < 2; ssl3++)
                    secret_record(sizes[s], macs[m], ssl3, count > 1 && !strcmp(words[1], "leak"));
    } else {
        for (size_t m = 0; m < sizeof macs / sizeof *macs; m++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int ssl3 = 0; ssl3 < 2; ssl3++)
                    every_padding(sizes[s], macs[m], ssl3);
    }
    printf("%d failures\n", failures);
    return failures != 0;
}
