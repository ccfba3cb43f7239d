/* The functions of putty_code.h. putty_peer.sh compiles this file with PuTTY's headers; CMake does not.
 *
 *   BUILD     the name of the putty_code: putty_original, putty_rijn
 *   VERSION   PuTTY's version
 *
 * It uses PuTTY's own interfaces, ssh_cipheralg and ssh2_macalg, in the order of PuTTY's packet code
 * (ssh/bpp2.c). */
#include "putty_code.h"

#include <stdlib.h>
#include <string.h>

#include "putty.h"
#include "ssh.h"

typedef struct {
    ssh_cipher *cipher;
    ssh2_mac *mac; /* NULL except for GCM */
    bool begun;    /* there was a message since the last key */
} state;

#define SIZES(mode, kind)                                                                          \
    {                                                                                              \
        &ssh_aes128_##mode##kind, &ssh_aes192_##mode##kind, &ssh_aes256_##mode##kind               \
    }
#define MODES(kind)                                                                                \
    {                                                                                              \
        SIZES(cbc, kind), SIZES(sdctr, kind), SIZES(gcm, kind)                                     \
    }
static const ssh_cipheralg *const ciphers[PUTTY_KINDS][PUTTY_MODES][3] = {MODES(_sw), MODES(_ni)};
static const ssh2_macalg *const macs[PUTTY_KINDS] = {&ssh2_aesgcm_mac_sw, &ssh2_aesgcm_mac_clmul};

static void putty_close(void *memory)
{
    state *s = memory;

    if (s->mac)
        ssh2_mac_free(s->mac);
    ssh_cipher_free(s->cipher);
    free(s);
}

static void *putty_open(putty_kind kind, putty_mode mode, size_t key_size)
{
    state *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->cipher = ssh_cipher_new(ciphers[kind][mode][key_size / 8 - 2]);
    if (!s->cipher) {
        free(s);
        return NULL;
    }
    if (mode == PUTTY_GCM) {
        s->mac = ssh2_mac_new(macs[kind], s->cipher);
        if (!s->mac) {
            putty_close(s);
            return NULL;
        }
        /* Not a packet: no sequence number and no associated data before the message. */
        aesgcm_set_prefix_lengths(s->mac, 0, 0);
    }
    return s;
}

static void putty_rekey(void *memory, const uint8_t *key)
{
    state *s = memory;

    ssh_cipher_setkey(s->cipher, key);
    s->begun = false;
    if (s->mac) {
        static const uint8_t zeros[16];
        ssh_cipher_setiv(s->cipher, zeros); /* the MAC's set-up encrypts a block */
        ssh2_mac_setkey(s->mac, make_ptrlen(NULL, 0));
    }
}

static void begin(state *s, const uint8_t *nonce)
{
    if (s->mac || !s->begun)
        ssh_cipher_setiv(s->cipher, nonce);
    if (s->mac)
        ssh2_mac_next_message(s->mac);
    s->begun = true;
}

/* PuTTY's ciphers take only whole blocks, because SSH pads. A partial last block is copied to a whole
 * one. */
static void crypt(state *s, void (*work)(ssh_cipher *, void *, int), uint8_t *data, size_t size)
{
    const size_t end = size % 16;
    uint8_t block[16];

    work(s->cipher, data, (int)(size - end));
    if (end) {
        memset(block, 0, sizeof block);
        memcpy(block, data + size - end, end);
        work(s->cipher, block, sizeof block);
        memcpy(data + size - end, block, end);
    }
}

static bool putty_encrypt(void *memory, const uint8_t *nonce, uint8_t *data, size_t size,
                          uint8_t *tag)
{
    state *s = memory;

    begin(s, nonce);
    crypt(s, s->cipher->vt->encrypt, data, size);
    if (s->mac) {
        ssh2_mac_start(s->mac);
        put_data(s->mac, data, size);
        ssh2_mac_genresult(s->mac, tag);
    }
    return true;
}

static bool putty_decrypt(void *memory, const uint8_t *nonce, uint8_t *data, size_t size,
                          const uint8_t *tag)
{
    state *s = memory;

    begin(s, nonce);
    if (s->mac) {
        ssh2_mac_start(s->mac);
        put_data(s->mac, data, size);
        if (!ssh2_mac_verresult(s->mac, tag))
            return false;
    }
    crypt(s, s->cipher->vt->decrypt, data, size);
    return true;
}

static void putty_begin_packets(void *memory)
{
    static const uint8_t nonce[16];
    state *s = memory;

    aesgcm_set_prefix_lengths(s->mac, 4, 4); /* sequence number, length field */
    ssh_cipher_setiv(s->cipher, nonce);
    ssh2_mac_setkey(s->mac, make_ptrlen(NULL, 0));
}

static void putty_send(void *memory, uint8_t *packet, size_t size, unsigned long number)
{
    state *s = memory;

    PUT_32BIT_MSB_FIRST(packet, (uint32_t)size);
    ssh_cipher_encrypt_length(s->cipher, packet, 4, number);
    ssh_cipher_encrypt(s->cipher, packet + 4, (int)size);
    ssh2_mac_generate(s->mac, packet, (int)size + 4, number);
    ssh_cipher_next_message(s->cipher);
    ssh2_mac_next_message(s->mac);
}

static bool putty_receive(void *memory, uint8_t *packet, size_t size, unsigned long number)
{
    state *s = memory;

    ssh_cipher_decrypt_length(s->cipher, packet, 4, number);
    if (!ssh2_mac_verify(s->mac, packet, (int)size + 4, number))
        return false;
    ssh_cipher_decrypt(s->cipher, packet + 4, (int)size);
    ssh_cipher_next_message(s->cipher);
    ssh2_mac_next_message(s->mac);
    return true;
}

/* Functions that PuTTY's libraries expect from the program. */
void out_of_memory(void)
{
    abort();
}

void modalfatalbox(const char *format, ...)
{
    (void)format;
    abort();
}

extern const putty_code BUILD;
const putty_code BUILD = {
    .version = VERSION,
    .open = putty_open,
    .rekey = putty_rekey,
    .encrypt = putty_encrypt,
    .decrypt = putty_decrypt,
    .begin_packets = putty_begin_packets,
    .send = putty_send,
    .receive = putty_receive,
    .close = putty_close,
};
