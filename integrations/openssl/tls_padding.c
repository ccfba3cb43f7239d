#include "tls_padding.h"

#include <string.h>

#include "masks.h"
#include "rijn.h"
#include "rijn_machine.h"

enum { PADDING_MAX = 256 }; /* with the byte that has its size */

/* All ones if the padding is well formed. *padding receives its size with the last byte. */
static size_t check_padding(const uint8_t *record, size_t size, size_t mac_size, int ssl3,
                            size_t *padding)
{
    size_t value = record[size - 1];
    size_t span = size < PADDING_MAX ? size : PADDING_MAX;
    size_t good = ~below(size, value + 1 + mac_size);
    size_t difference = 0;

    *padding = value + 1;
    if (ssl3)
        return good & below(value, 16);
    for (size_t i = 0; i < span; i++)
        difference |= (value ^ record[size - 1 - i]) & ~below(value, i);
    return good & equal(difference, 0);
}

/* Copies mac_size bytes from `start`, which is secret, within the last bytes of the record. */
static void copy_mac(const uint8_t *record, size_t size, size_t start, uint8_t *mac,
                     size_t mac_size)
{
    uint8_t turned[TLS_MAC_MAX];
    size_t first = size > mac_size + PADDING_MAX ? size - mac_size - PADDING_MAX : 0;
    size_t at = 0, offset = 0;

    /* turned[i] is the byte of the MAC whose position is i modulo mac_size, counted from `first` */
    memset(mac, 0, mac_size);
    for (size_t i = first; i < size; i++) {
        size_t inside = ~below(i, start) & below(i, start + mac_size);

        offset |= at & equal(i, start);
        mac[at] = (uint8_t)(mac[at] | (record[i] & inside));
        at = at + 1 == mac_size ? 0 : at + 1;
    }
    /* turns by 1, 2, 4, ..., which add up to offset. Shifts, because the time of a division may depend on it */
    for (unsigned bit = 0; (size_t)1 << bit < mac_size; bit++) {
        size_t step = (size_t)1 << bit;
        size_t turn = (size_t)0 - (hide(offset) >> bit & 1);

        memcpy(turned, mac, mac_size);
        for (size_t i = 0; i < mac_size; i++) {
            size_t from = i + step < mac_size ? i + step : i + step - mac_size;
            mac[i] = (uint8_t)((turned[from] & turn) | (turned[i] & ~turn));
        }
    }
    rijn_wipe(turned, sizeof turned);
}

int tls_unpad(const uint8_t *record, size_t size, size_t *text_size, uint8_t *mac, size_t mac_size,
              int ssl3)
{
    uint8_t random[TLS_MAC_MAX];
    size_t good, padding, end;

    if (mac_size > TLS_MAC_MAX || size < mac_size + 1 || size > (size_t)1 << 30)
        return 0;
    good = check_padding(record, size, mac_size, ssl3, &padding);
    end = size - (padding & good);
    *text_size = end - mac_size;
    if (mac_size == 0)
        return good != 0;
    if (rijn_random(random, mac_size) != RIJN_OK)
        return 0;
    copy_mac(record, size, end - mac_size, mac, mac_size);
    for (size_t i = 0; i < mac_size; i++)
        mac[i] = (uint8_t)((mac[i] & good) | (random[i] & ~good));
    rijn_wipe(random, sizeof random);
    return 1;
}
