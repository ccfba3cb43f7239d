/* AEGIS, written from the text of RFC 10032, one state after the other. Shares no line with src/. Slow,
 * and not constant time. */
#ifndef ORACLE_AEGIS_H
#define ORACLE_AEGIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rijn.h"

enum { ORACLE_RATE = 128 }; /* bytes of the longest unit */

/* V of the section "Parallel Modes": block[i][j] is V[j,i], block j of state i. */
typedef struct oracle_aegis {
    int blocks, degree; /* 8 or 6; 1, 2 or 4 */
    uint8_t block[4][8][16];
} oracle_aegis;

/* Update. `unit` has `degree` blocks M0, then, for states of eight blocks, `degree` blocks M1. */
void oracle_aegis_update(oracle_aegis *v, const uint8_t *unit);

/* Encrypt or Decrypt, without the comparison of tags; out and in are disjoint. */
void oracle_aegis_crypt(rijn_aegis_variant variant, bool decrypt, const uint8_t *key,
                        const uint8_t *nonce, const uint8_t *ad, size_t ad_size, uint8_t *out,
                        const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size);

/* The same, but the tag is computed with other sizes. */
void oracle_aegis_claimed(rijn_aegis_variant variant, bool decrypt, const uint8_t *key,
                          const uint8_t *nonce, const uint8_t *ad, size_t ad_size, uint8_t *out,
                          const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size,
                          uint64_t ad_claimed, uint64_t claimed);

void oracle_aegis_mac(rijn_aegis_variant variant, const uint8_t *key, const uint8_t *nonce,
                      const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size);
void oracle_aegis_mac_claimed(rijn_aegis_variant variant, const uint8_t *key, const uint8_t *nonce,
                              const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size,
                              uint64_t claimed);

#endif
