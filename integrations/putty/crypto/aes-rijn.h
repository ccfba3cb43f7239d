/* What the two files that Rijn puts into PuTTY, aes-ni.c and aesgcm-clmul.c, know of each
 * other: a GCM message is encrypted and authenticated in one go. Include ssh.h first: PuTTY
 * does not guard it. */
#ifndef RIJN_PUTTY_AES_RIJN_H
#define RIJN_PUTTY_AES_RIJN_H

#include <assert.h>

#include <rijn.h>

/* A cipher object. What the bytes of `counter` are, the mode says: the chain of CBC, the whole
 * counter of SDCTR, and of GCM the nonce with a counter of 32 bits behind it. */
typedef struct aes_rijn {
    rijn_key key;
    uint8_t counter[16];

    /* Keystream of SDCTR from before `counter`; its last `ready` bytes are not used yet. */
    uint8_t ahead[2048];
    size_t ready;

    /* The GCM packet that was encrypted last, until the next call or the next question for a MAC:
     * where it is, and its tag. `length` points at its length field, which stands in front and is
     * the associated data; `data` behind that, or is NULL when nothing has been sealed. The tag
     * is that of the packet as it was sealed: what is altered later, it does not vouch for. */
    uint8_t tag[RIJN_GCM_TAG_MAX];
    const uint8_t *length, *data;
    size_t size;
    bool has_mac; /* Rijn's MAC has taken the first block of this message's keystream */

    ssh_cipher ciph;
} aes_rijn;

enum { AES_RIJN_LENGTH = 4 }; /* bytes of a packet's length field */

/* The object behind a cipher of GCM; NULL when another implementation made it. */
aes_rijn *aes_rijn_gcm(ssh_cipher *ciph);

/* Whether there is a backend for this machine. */
bool aes_rijn_available(void);

/* Rijn refuses what is no use of it: a cipher without a key, parts of a block. PuTTY keeps its
 * assertions in every build. */
static inline void aes_rijn_must(rijn_status status)
{
    assert(status == RIJN_OK);
}

#endif
