/* Shared by the two files that Rijn replaces in PuTTY, aes-ni.c and aesgcm-clmul.c, so that a GCM
 * message is encrypted and authenticated in one call. Include ssh.h first: PuTTY's header has no
 * include guard. */
#ifndef RIJN_PUTTY_AES_RIJN_H
#define RIJN_PUTTY_AES_RIJN_H

#include <assert.h>

#include <rijn.h>

/* A cipher object. `counter` is the chain of CBC, the counter of SDCTR, or the nonce of GCM followed
 * by a 32-bit counter. */
typedef struct aes_rijn {
    rijn_key key;
    uint8_t counter[16];

    /* SDCTR keystream of the blocks before `counter`. Its last `ready` bytes are not used yet. */
    uint8_t ahead[2048];
    size_t ready;

    /* The GCM packet that was encrypted last, until the next call or the next MAC. `length` points to
     * its length field, the associated data. `data` points after that, or is NULL if no packet has
     * been sealed. `tag` is for the sealed packet: it does not cover later changes. */
    uint8_t tag[RIJN_GCM_TAG_MAX];
    const uint8_t *length, *data;
    size_t size;
    bool has_mac; /* Rijn's MAC has used the first block of this message's keystream */

    ssh_cipher ciph;
} aes_rijn;

enum { AES_RIJN_LENGTH = 4 }; /* bytes of a packet's length field */

/* Returns the object of a GCM cipher, or NULL if another implementation made the cipher. */
aes_rijn *aes_rijn_gcm(ssh_cipher *ciph);

/* Returns whether there is a backend for this machine. */
bool aes_rijn_available(void);

/* Asserts that a call succeeded. Rijn fails on wrong use: a cipher without a key, a part of a block.
 * PuTTY keeps assertions in every build. */
static inline void aes_rijn_must(rijn_status status)
{
    assert(status == RIJN_OK);
}

#endif
