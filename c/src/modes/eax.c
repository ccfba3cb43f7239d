/* EAX (Bellare, Rogaway and Wagner, "The EAX Mode of Operation", FSE 2004,
 * figure 1): CTR from a CMAC of the nonce, and two more CMACs.
 *
 * OMAC^t is the CMAC of the block t followed by its text. The first blocks of all three are
 * encrypted together, because they depend on the key alone. Block t = 0 is all zeros, so its
 * encryption also gives the subkeys. The last blocks of two OMACs are encrypted together, too. */
#include "../build.h"

#if RIJN_WITH_EAX

#include <string.h>

#include "../bytes.h"
#include "../scrub.h"
#include "../wipe.h"
#include "cmac.h"
#include "counter.h"
#include "message.h"

const rijn_limits *const rijn_eax_limits = &eax_limits;

/* Variables on the stack, without the backend's and a rijn_eax. */
enum { EAX_STACK = sizeof(rijn_cmac_state) + 4 * 16 };

/* Computes the block that becomes OMAC^t when it is encrypted. If the text is empty, the block t
 * itself is the last block. */
static void omac_end(rijn_cmac_state *omac, uint8_t t, uint8_t block[16])
{
    if (!omac->last.fill) {
        memset(omac->chain, 0, 16);
        memset(omac->last.block, 0, 15);
        omac->last.block[15] = t;
        omac->last.fill = 16;
    }
    rijn_cmac_end(omac, block);
}

RIJN_APART static void start(rijn_eax *eax, const rijn_key *key, const uint8_t *nonce,
                             size_t nonce_size)
{
    uint8_t chains[3][16] = {{0}};
    rijn_cmac_state omac = {.key = key};

    chains[1][15] = 1;
    chains[2][15] = 2;
    rijn_ecb_of(key->backend)->ecb_encrypt(key->context, chains[0], chains[0], 3);
    memcpy(omac.zero, chains[0], 16);

    eax->ad = eax->data = omac;
    memcpy(eax->ad.chain, chains[1], 16);
    memcpy(eax->data.chain, chains[2], 16);
    memcpy(omac.chain, chains[0], 16);
    rijn_cmac_absorb(&omac, nonce, nonce_size);
    omac_end(&omac, 0, eax->nonce);
    key->backend->encrypt_block(key->context, eax->nonce, eax->nonce);
    memcpy(eax->counter, eax->nonce, 16);
    eax->ad_size = eax->size = 0;
    eax->phase = PHASE_AD;
}

rijn_status rijn_eax_start(rijn_eax *eax, const rijn_key *key, const uint8_t *nonce,
                           size_t nonce_size)
{
    REQUIRE(eax, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_key(key));
    TRY(rijn_check_nonce(&eax_limits, nonce, nonce_size));
    rijn_eax_wipe(eax);
    start(eax, key, nonce, nonce_size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, EAX_STACK));
}

static rijn_status check_phase(const rijn_eax *eax, int phases)
{
    REQUIRE(eax, RIJN_ERR_ARGUMENT);
    return rijn_check_phase(eax->phase, phases, eax->data.key);
}

rijn_status rijn_eax_copy(rijn_eax *to, const rijn_eax *from, const rijn_key *key)
{
    REQUIRE(to, RIJN_ERR_ARGUMENT);
    TRY(check_phase(from, PHASE_STARTED));
    TRY(rijn_check_copy(key, from->data.key));
    *to = *from;
    to->ad.key = to->data.key = key;
    return rijn_scrub(RIJN_OK, 2 * RIJN_FRAME);
}

rijn_status rijn_eax_ad(rijn_eax *eax, const uint8_t *ad, size_t size)
{
    TRY(check_phase(eax, PHASE_AD));
    REQUIRE(ad || !size, RIJN_ERR_ARGUMENT);
    REQUIRE(within(size, eax_limits.ad - eax->ad_size), RIJN_ERR_SIZE);
    rijn_cmac_absorb(&eax->ad, ad, size);
    eax->ad_size += size;
    return rijn_scrub(RIJN_OK, rijn_depth(eax->ad.key, EAX_STACK));
}

/* Processes n bytes of the current block, from byte data.last.fill on. */
static void crypt_part(rijn_eax *eax, uint8_t *out, const uint8_t *in, size_t n, bool decrypting)
{
    rijn_partial *const last = &eax->data.last;
    uint8_t *const ciphertext = last->block + last->fill;

    if (decrypting)
        memcpy(ciphertext, in, n);
    xor_bytes(out, in, eax->keystream + last->fill, n);
    if (!decrypting)
        memcpy(ciphertext, out, n);
    last->fill += n;
}

RIJN_APART static void crypt_piece(rijn_eax *eax, int phase, uint8_t *out, const uint8_t *in,
                                   size_t size)
{
    const rijn_key *const key = eax->data.key;
    const rijn_ctr_mac_table *const macs = rijn_ctr_mac_of(key->backend);
    const bool decrypting = phase == PHASE_DECRYPT;
    const size_t begun = (0 - eax->data.last.fill) % 16, n = size < begun ? size : begun;

    eax->phase = phase;
    eax->size += size;
    if (n) {
        crypt_part(eax, out, in, n, decrypting);
        in += n, out += n, size -= n;
    }
    if (!size)
        return;

    /* The last block, whole or not, waits in data.last: rijn_cmac_end XORs a subkey to it. */
    const size_t before = (size - 1) / 16 * 16;
    if (eax->data.last.fill) {
        rijn_cbc_of(key->backend)->cbc_mac(key->context, eax->data.chain, eax->data.last.block, 1);
        eax->data.last.fill = 0;
    }
    if (before) {
        (decrypting ? macs->ctr_mac_in : macs->ctr_mac_out)(key->context, eax->counter,
                                                            eax->data.chain, out, in, before);
        in += before, out += before, size -= before;
    }
    key->backend->encrypt_block(key->context, eax->keystream, eax->counter);
    counter_store(eax->counter, counter_next(counter_load(eax->counter)));
    crypt_part(eax, out, in, size, decrypting);
}

static rijn_status crypt(rijn_eax *eax, int phase, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(check_phase(eax, PHASE_AD | phase));
    REQUIRE(within(size, eax_limits.data - eax->size), RIJN_ERR_SIZE);
    TRY(rijn_check_buffers(out, in, size));
    crypt_piece(eax, phase, out, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(eax->data.key, EAX_STACK));
}

rijn_status rijn_eax_encrypt(rijn_eax *eax, uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt(eax, PHASE_ENCRYPT, out, in, size);
}

rijn_status rijn_eax_decrypt(rijn_eax *eax, uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt(eax, PHASE_DECRYPT, out, in, size);
}

/* Computes the whole tag: the XOR of the three MACs. */
static void sum(rijn_eax *eax, uint8_t full[16])
{
    const rijn_key *const key = eax->data.key;
    uint8_t macs[2][16];

    omac_end(&eax->ad, 1, macs[0]);
    omac_end(&eax->data, 2, macs[1]);
    rijn_ecb_of(key->backend)->ecb_encrypt(key->context, macs[0], macs[0], 2);
    xor_bytes(full, macs[0], macs[1], 16);
    xor_bytes(full, full, eax->nonce, 16);
}

RIJN_APART static void finish(rijn_eax *eax, uint8_t *tag, size_t tag_size)
{
    uint8_t full[16];

    sum(eax, full);
    memcpy(tag, full, tag_size);
}

rijn_status rijn_eax_finish(rijn_eax *eax, uint8_t *tag, size_t tag_size)
{
    TRY(check_phase(eax, PHASE_AD | PHASE_ENCRYPT));
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&eax_limits, eax->data.key, tag_size));
    const size_t depth = rijn_depth(eax->data.key, EAX_STACK);
    finish(eax, tag, tag_size);
    rijn_eax_wipe(eax);
    return rijn_scrub(RIJN_OK, depth);
}

/* Compares the tag. Zeroes out[0..size) if it is wrong. */
RIJN_APART static rijn_status verify(rijn_eax *eax, const uint8_t *tag, size_t tag_size,
                                     uint8_t *out, size_t size)
{
    uint8_t full[16];

    sum(eax, full);
    return rijn_check_tag(full, tag, tag_size, out, size);
}

rijn_status rijn_eax_verify(rijn_eax *eax, const uint8_t *tag, size_t tag_size)
{
    TRY(check_phase(eax, PHASE_AD | PHASE_DECRYPT));
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    TRY(rijn_check_tag_size(&eax_limits, eax->data.key, tag_size));
    const size_t depth = rijn_depth(eax->data.key, EAX_STACK);
    const rijn_status status = verify(eax, tag, tag_size, NULL, 0);
    rijn_eax_wipe(eax);
    return rijn_scrub(status, depth);
}

void rijn_eax_wipe(rijn_eax *eax)
{
    if (eax)
        wipe(eax, sizeof *eax);
}

RIJN_APART static void seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                            const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                            size_t ad_size, const uint8_t *in, size_t size)
{
    rijn_eax eax;

    start(&eax, key, nonce, nonce_size);
    rijn_cmac_absorb(&eax.ad, ad, ad_size);
    crypt_piece(&eax, PHASE_ENCRYPT, out, in, size);
    finish(&eax, tag, tag_size);
}

RIJN_APART static rijn_status open(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                   size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                   size_t size)
{
    rijn_eax eax;

    start(&eax, key, nonce, nonce_size);
    rijn_cmac_absorb(&eax.ad, ad, ad_size);
    crypt_piece(&eax, PHASE_DECRYPT, out, in, size);
    return verify(&eax, tag, tag_size, out, size);
}

rijn_status rijn_eax_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&eax_limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
#if RIJN_WITH_ALL
    const rijn_ctr_mac_table *const table = rijn_ctr_mac_of(key->backend);
    if (table->eax_in_registers && size) {
        rijn_store_words(tag, tag_size,
                         table->eax_in_registers(key->context, nonce, nonce_size, ad, ad_size, out,
                                                 in, size, MAC_OUT));
        return RIJN_OK;
    }
#endif
    seal(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    return rijn_scrub(RIJN_OK, rijn_depth(key, sizeof(rijn_eax) + EAX_STACK));
}

rijn_status rijn_eax_open(const rijn_key *key, uint8_t *out, const uint8_t *tag, size_t tag_size,
                          const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                          size_t ad_size, const uint8_t *in, size_t size)
{
    TRY(rijn_check_message(&eax_limits, key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size));
#if RIJN_WITH_ALL
    const rijn_ctr_mac_table *const table = rijn_ctr_mac_of(key->backend);
    if (table->eax_in_registers && size)
        return rijn_check_words(
            table->eax_in_registers(key->context, nonce, nonce_size, ad, ad_size, out, in, size, 0),
            tag, tag_size, out, size);
#endif
    return rijn_scrub(open(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size),
                      rijn_depth(key, sizeof(rijn_eax) + EAX_STACK));
}

#endif
