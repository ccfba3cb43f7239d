/* One build of PuTTY's ciphers as the harness sees it. putty_peer.sh makes two, of
 * PuTTY as it is and of PuTTY on Rijn, each of which keeps all its symbols to itself but this. */
#ifndef BENCH_PUTTY_CODE_H
#define BENCH_PUTTY_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum putty_mode { PUTTY_CBC, PUTTY_SDCTR, PUTTY_GCM, PUTTY_MODES } putty_mode;

/* SOFTWARE: its portable code. HARDWARE: what stands in the place of its AES-NI and, for
 * GCM, CLMUL code. */
typedef enum putty_kind { PUTTY_SOFTWARE, PUTTY_HARDWARE, PUTTY_KINDS } putty_kind;

typedef struct putty_code {
    const char *version;

    /* A cipher without a key, and for GCM its MAC; NULL where it says that this machine cannot
     * run it. key_size is 16, 24 or 32. */
    void *(*open)(putty_kind kind, putty_mode mode, size_t key_size);
    void (*rekey)(void *state, const uint8_t *key);

    /* A message in place, for CBC of whole blocks. The first one after a key begins with nonce, 16
     * bytes; those behind it go on where the last one ended, as in SSH. Each of GCM has a nonce of 12
     * bytes. GCM's tag is written to tag[0..16); to open, verified before anything is decrypted.
     * False if it is wrong. */
    bool (*encrypt)(void *state, const uint8_t *nonce, uint8_t *data, size_t size, uint8_t *tag);
    bool (*decrypt)(void *state, const uint8_t *nonce, uint8_t *data, size_t size,
                    const uint8_t *tag);

    /* Of GCM, in place of messages: packets of SSH in PuTTY's order. After begin_packets, which
     * follows a key, `send` encrypts packet[4..4+size), writes the tag behind that, and goes on to
     * the next message; `receive` does the opposite: false, and nothing decrypted, if the tag is
     * wrong. The first 4 bytes are the length field, which is authenticated; `number` is the
     * packet's. */
    void (*begin_packets)(void *state);
    void (*send)(void *state, uint8_t *packet, size_t size, unsigned long number);
    bool (*receive)(void *state, uint8_t *packet, size_t size, unsigned long number);
    void (*close)(void *state);
} putty_code;

extern const putty_code putty_original, putty_rijn;

#endif
