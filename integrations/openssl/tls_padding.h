/* Takes padding and MAC off a decrypted TLS record (RFC 5246 section 6.2.3.2). */
#ifndef RIJN_OPENSSL_TLS_PADDING_H
#define RIJN_OPENSSL_TLS_PADDING_H

#include <stddef.h>
#include <stdint.h>

enum { TLS_MAC_MAX = 64 };

/* Takes the padding and the MAC before it off a record.
 *   record     `size` bytes: text, MAC, padding. Unchanged
 *   text_size  receives the size of the text
 *   mac        receives mac_size bytes, at most TLS_MAC_MAX: the MAC; random bytes if the padding is
 *              malformed, so that the comparison of MACs fails
 *   ssl3       1: padding of SSL 3.0, any bytes, less than 16 before its size
 * Time and addresses depend on `size` and mac_size, not on the record, unless mac_size is 0: then the
 * record was authenticated before. Returns 0 if the record is too short, if there are no random
 * bytes, or if mac_size is 0 and the padding is malformed. */
int tls_unpad(const uint8_t *record, size_t size, size_t *text_size, uint8_t *mac, size_t mac_size,
              int ssl3);

#endif
