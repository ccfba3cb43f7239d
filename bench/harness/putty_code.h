/* The interface of a build of PuTTY's ciphers. putty_peer.sh makes two builds: PuTTY unchanged, and
 * PuTTY on Rijn. Each exports only its putty_code. */
#ifndef BENCH_PUTTY_CODE_H
#define BENCH_PUTTY_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum putty_mode { PUTTY_CBC, PUTTY_SDCTR, PUTTY_GCM, PUTTY_MODES } putty_mode;

/* SOFTWARE: the portable code. HARDWARE: the AES-NI code and, for GCM, the CLMUL code, or their
 * replacements. */
typedef enum putty_kind { PUTTY_SOFTWARE, PUTTY_HARDWARE, PUTTY_KINDS } putty_kind;

typedef struct putty_code {
    const char *version;

    /* Returns a cipher without a key, with a MAC for GCM. NULL if this machine cannot run it.
     * key_size is 16, 24 or 32. */
    void *(*open)(putty_kind kind, putty_mode mode, size_t key_size);
    void (*rekey)(void *state, const uint8_t *key);

    /* Encrypts or decrypts a message in place; for CBC it has whole blocks. The first message after
     * a key uses nonce, 16 bytes; later messages continue where the previous one ended, as in SSH.
     * With GCM each message has a 12-byte nonce. GCM's tag is written to tag[0..16); `decrypt`
     * verifies it first, and returns false if it is wrong. */
    bool (*encrypt)(void *state, const uint8_t *nonce, uint8_t *data, size_t size, uint8_t *tag);
    bool (*decrypt)(void *state, const uint8_t *nonce, uint8_t *data, size_t size,
                    const uint8_t *tag);

    /* GCM, instead of messages: SSH packets in PuTTY's order. Call begin_packets after a key. `send`
     * encrypts packet[4..4+size), writes the tag after it, and moves to the next message. `receive`
     * does the reverse; if the tag is wrong, it returns false and decrypts nothing. The first 4
     * bytes are the length field, which is authenticated. `number` is the packet's number. */
    void (*begin_packets)(void *state);
    void (*send)(void *state, uint8_t *packet, size_t size, unsigned long number);
    bool (*receive)(void *state, uint8_t *packet, size_t size, unsigned long number);
    void (*close)(void *state);
} putty_code;

extern const putty_code putty_original, putty_rijn;

#endif
