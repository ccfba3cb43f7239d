/* One build of libaegis, for the harness. fetch_peers.sh makes three builds of the same sources, which
 * hide all their symbols except this table. */
#ifndef BENCH_LIBAEGIS_CODE_H
#define BENCH_LIBAEGIS_CODE_H

#include <stddef.h>
#include <stdint.h>

typedef struct libaegis_code {
    const char *version;
    int (*init)(void);
    struct {
        int (*seal)(uint8_t *c, uint8_t *mac, size_t maclen, const uint8_t *m, size_t mlen,
                    const uint8_t *ad, size_t adlen, const uint8_t *npub, const uint8_t *k);
        int (*open)(uint8_t *m, const uint8_t *c, size_t clen, const uint8_t *mac, size_t maclen,
                    const uint8_t *ad, size_t adlen, const uint8_t *npub, const uint8_t *k);
    } variants[6]; /* 128L, 128X2, 128X4, 256, 256X2, 256X4 */
} libaegis_code;

extern const libaegis_code libaegis, libaegis_aesni, libaegis_soft;

#endif
