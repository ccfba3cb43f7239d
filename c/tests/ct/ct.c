/* Constant time, watched in one of two ways. By valgrind: the key and the data are marked as
 * undefined memory, and memcheck reports every branch and every address that
 * depends on them. And, compiled with RIJN_STEPS, by the CPU itself or by QEMU (steps.h), which know
 * instructions that valgrind does not, in the library as users get it: an operation is run with
 * one set of secrets, an instruction at a time, and with others, and is reported where a branch,
 * an address or a mask of bytes to load or store was another.
 *
 *     valgrind ct BACKEND clean    no operation may be reported
 *     valgrind ct BACKEND leaky    every operation must be (`table`)
 *     valgrind ct planted leaky    likewise, of the leaks planted below, and an omission
 *     ct_steps … SETS              the same, with so many other sets of secrets; with 0,
 *                                  one other set, and a sample of the operations (make test)
 *
 * Every public function must have been called with secrets by some operation, or
 * stand among those that are handed none (tests/public.h).
 *
 * Secret: key, plaintext, ciphertext, associated data, the IV of CBC, tags.
 * Public: every size, the counter block of CTR, the nonce of GCM and AEGIS (but not
 * the counter block made of a nonce that is not 12 bytes: it depends on the
 * key). Disclosed by the library, through RIJN_PUBLIC (src/ct.h) and nowhere
 * else: whether a tag was right, whether a padding was, and how long it was;
 * whether the halves of an XTS key are equal; the tag of SIV, where it is the
 * counter block.
 *
 * What memcheck cannot see: instructions whose time depends on their operands
 * (multiplication and division on some CPUs), and speculation. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "../check/backend_names.h"
#include "cpu.h"
#include "modes/message.h"
#include "public.h"
#ifdef RIJN_STEPS
#include "steps.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#else
#include <valgrind/memcheck.h>
#endif

/* More than two flights of any backend. */
enum { SIZE = 16 * 68 + 21, WHOLE = 16 * 70, AD = 37, CHUNK = 410 };
_Static_assert(SIZE <= WHOLE, "plain has either");
enum { LONG = 4200 }; /* what every backend works on in its way for the longest */

static const char *backend;
static size_t key_size;

static uint8_t key_bytes[32], two_keys[64], plain[WHOLE], ad[AD], iv[32];
static uint8_t long_text[LONG];
static uint8_t sealed[SIZE + 5 * 16], tag[32], forged[32]; /* what open is given */
static uint8_t padded[SIZE / 16 * 16 + 16];
static uint8_t counter[16], nonce[20 * 24];
static rijn_key key;
static rijn_aegis_variant variant;
static const char *kernel; /* of AEGIS */
static rijn_aegis_key aegis_key;

/* What an operation produced: two runs must agree. */
static uint8_t out[SIZE + 5 * 16 + 16];
static rijn_status status;

/* What is a secret from here on, and what is none; told to valgrind alone. */
#ifdef RIJN_STEPS
static void defined(void *p, size_t size)
{
    (void)p, (void)size;
}
#else
static void secret(void *p, size_t size)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(p, size);
}

static void defined(void *p, size_t size)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(p, size);
}
#endif

/* ---- The operations ---- */

static void key_init(void)
{
    status = rijn_key_init(&key, key_bytes, key_size, backend);
}

static void ecb_encrypt(void)
{
    status = rijn_ecb_encrypt(&key, out, plain, WHOLE);
}

static void ecb_decrypt(void)
{
    status = rijn_ecb_decrypt(&key, out, plain, WHOLE);
}

static void cbc_encrypt(void)
{
    uint8_t chain[16];
    memcpy(chain, iv, 16);
    status = rijn_cbc_encrypt(&key, chain, out, plain, WHOLE);
}

static void cbc_decrypt(void)
{
    uint8_t chain[16];
    memcpy(chain, iv, 16);
    status = rijn_cbc_decrypt(&key, chain, out, plain, WHOLE);
}

static void cbc_encrypt_padded(void)
{
    status = rijn_cbc_encrypt_padded(&key, iv, out, plain, SIZE);
}

static void cbc_decrypt_padded(void)
{
    size_t size;
    status = rijn_cbc_decrypt_padded(&key, iv, out, &size, padded, sizeof padded);
    if (size != SIZE)
        abort();
}

static void cbc_bad_padding(void)
{
    size_t size;
    status = rijn_cbc_decrypt_padded(&key, iv, out, &size, padded, sizeof padded - 16);
    if (status != RIJN_ERR_PADDING || size != 0)
        abort();
}

static void ctr_crypt(void)
{
    status = rijn_ctr_crypt(&key, counter, out, plain, SIZE);
}

static void ctr_in_pieces(void)
{
    rijn_ctr ctr;
    status = rijn_ctr_start(&ctr, &key, counter);
    for (size_t at = 0, piece = 1; at < SIZE; at += piece, piece = piece * 3 % 50 + 1) {
        if (piece > SIZE - at)
            piece = SIZE - at;
        status |= rijn_ctr_update(&ctr, out + at, plain + at, piece);
    }
    rijn_ctr_wipe(&ctr);
}

static uint8_t long_sealed[LONG], long_opened[LONG];

/* The end of LONG bytes, by which two runs are compared. */
static void show_end(const uint8_t *of)
{
    memcpy(out, of + LONG - SIZE, SIZE);
}

/* From a counter that does not wrap. */
static void ctr_long(void)
{
    status = rijn_ctr_crypt(&key, nonce, long_sealed, long_text, LONG);
    show_end(long_sealed);
}

static void seal(size_t nonce_size, size_t ad_size, size_t size)
{
    status = rijn_gcm_seal(&key, out, out + size, 16, nonce, nonce_size, ad, ad_size, plain, size);
}

static void gcm_seal(void)
{
    seal(12, AD, SIZE);
}

static void gcm_seal_long(void)
{
    status = rijn_gcm_seal(&key, long_sealed, out + SIZE, 16, nonce, 12, ad, AD, long_text, LONG);
    show_end(long_sealed);
}

static void gcm_open_long(void)
{
    gcm_seal_long();
    status |=
        rijn_gcm_open(&key, long_opened, out + SIZE, 16, nonce, 12, ad, AD, long_sealed, LONG);
    show_end(long_opened);
}

static void gcm_siv_long(void)
{
    rijn_key its_key;

    status = rijn_key_init(&its_key, key_bytes, key_size == 24 ? 16 : key_size, backend);
    status |= rijn_gcm_siv_seal(&its_key, long_sealed, out + SIZE, 16, nonce, 12, ad, AD, long_text,
                                LONG);
    status |= rijn_gcm_siv_open(&its_key, long_opened, out + SIZE, 16, nonce, 12, ad, AD,
                                long_sealed, LONG);
    show_end(long_opened);
}

static void gcm_seal_short(void)
{
    seal(12, 0, 16);
}

static void gcm_seal_nonce_8(void)
{
    seal(8, AD, SIZE);
}

static void gcm_seal_nonce_16(void)
{
    seal(16, AD, WHOLE);
}

static void gcm_seal_nonce_60(void)
{
    seal(60, 16, SIZE);
}

static void gcm_open(void)
{
    status = rijn_gcm_open(&key, out, tag, 16, nonce, 12, ad, AD, sealed, SIZE);
}

static void gcm_open_forged(void)
{
    status = rijn_gcm_open(&key, out, forged, 13, nonce, 12, ad, AD, sealed, SIZE);
    if (status != RIJN_ERR_TAG)
        abort();
}

static void gcm_pieces(bool decrypt)
{
    rijn_gcm gcm;
    status = rijn_gcm_start(&gcm, &key, nonce, 12);
    status |= rijn_gcm_ad(&gcm, ad, 5);
    status |= rijn_gcm_ad(&gcm, ad + 5, AD - 5);
    for (size_t at = 0, piece = 1; at < SIZE; at += piece, piece = piece * 3 % 200 + 1) {
        if (piece > SIZE - at)
            piece = SIZE - at;
        status |= (decrypt ? rijn_gcm_decrypt : rijn_gcm_encrypt)(
            &gcm, out + at, (decrypt ? sealed : plain) + at, piece);
    }
    status |= decrypt ? rijn_gcm_verify(&gcm, tag, 16) : rijn_gcm_finish(&gcm, out + SIZE, 16);
}

static void gcm_encrypt_in_pieces(void)
{
    gcm_pieces(false);
}

static void gcm_decrypt_in_pieces(void)
{
    gcm_pieces(true);
}

static void gcm_seal_chunks(void)
{
    status = rijn_gcm_seal_chunks(&key, out, nonce, 7, CHUNK, 1, plain, SIZE);
}

static uint8_t chunks[SIZE + 3 * 16];

static void gcm_open_chunks(void)
{
    status = rijn_gcm_seal_chunks(&key, chunks, nonce, 7, CHUNK, 1, plain, SIZE);
    status |= rijn_gcm_open_chunks(&key, out, NULL, nonce, 7, CHUNK, 1, chunks, sizeof chunks);
}

static void gcm_open_chunks_forged(void)
{
    uint64_t bad;
    memcpy(chunks, sealed, sizeof chunks); /* no such chunks: the first is refused */
    status = rijn_gcm_open_chunks(&key, out, &bad, nonce, 7, CHUNK, 1, chunks, sizeof chunks);
    if (status != RIJN_ERR_TAG || bad != 7)
        abort();
}

static void short_tags(void)
{
    rijn_key its_key;
    uint8_t its_tag[4];

    status = rijn_key_init(&its_key, key_bytes, key_size, backend);
    status |= rijn_key_allow_short_tags(&its_key);
    status |= rijn_gcm_seal(&its_key, chunks, its_tag, 4, nonce, 12, ad, AD, plain, 20);
    status |= rijn_gcm_open(&its_key, out, its_tag, 4, nonce, 12, ad, AD, chunks, 20);
    rijn_key_wipe(&its_key);
}

static void gcm_in_parts(void)
{
    rijn_gcm gcm, part;
    rijn_ctr ctr;

    status = rijn_gcm_start(&gcm, &key, nonce, 60);
    status |= rijn_gcm_ad(&gcm, ad, AD);
    status |= rijn_gcm_part(&part, &gcm, 160);
    status |= rijn_gcm_encrypt(&part, out + 160, plain + 160, SIZE - 160);
    status |= rijn_gcm_encrypt(&gcm, out, plain, 160);
    status |= rijn_gcm_join(&gcm, &part);
    status |= rijn_gcm_finish(&gcm, out + SIZE, 16);
    status |= rijn_ctr_start(&ctr, &key, counter);
    status |= rijn_ctr_update(&ctr, out, plain, 16);
    status |= rijn_ctr_skip(&ctr, 3);
    status |= rijn_ctr_update(&ctr, out, plain, 16);
    rijn_ctr_wipe(&ctr);
}

static void gcm_given_up(void)
{
    rijn_gcm gcm;
    status = rijn_gcm_start(&gcm, &key, nonce, 12);
    status |= rijn_gcm_hash(&gcm, sealed, 413);
    rijn_gcm_wipe(&gcm);
    if (status != RIJN_OK)
        abort();
    status = rijn_gcm_start(&gcm, &key, nonce, 60);
    status |= rijn_gcm_decrypt(&gcm, out, sealed, 40);
    rijn_gcm_wipe(&gcm);
    status |= rijn_gcm_start(&gcm, &key, nonce, 60);
    status |= rijn_gcm_decrypt(&gcm, out, sealed, 400);
    if (rijn_gcm_verify(&gcm, forged, 12) != RIJN_ERR_TAG)
        abort();
}

/* ---- AEGIS ---- */

static void aegis_key_init(void)
{
    key_size = rijn_aegis_key_size(variant);
    status = rijn_aegis_key_init(&aegis_key, variant, key_bytes, key_size, kernel);
}

static void aegis_seal(void)
{
    status = rijn_aegis_seal(&aegis_key, out, out + SIZE, 16, nonce, key_size, ad, AD, plain, SIZE);
}

static void aegis_open(void)
{
    status = rijn_aegis_open(&aegis_key, out, tag, 32, nonce, key_size, ad, AD, sealed, SIZE);
}

static void aegis_open_forged(void)
{
    status = rijn_aegis_open(&aegis_key, out, forged, 32, nonce, key_size, ad, AD, sealed, SIZE);
    if (status != RIJN_ERR_TAG)
        abort();
}

static void aegis_pieces(bool decrypt)
{
    rijn_aegis aegis;
    status = rijn_aegis_start(&aegis, &aegis_key, nonce, key_size);
    status |= rijn_aegis_ad(&aegis, ad, 5);
    status |= rijn_aegis_ad(&aegis, ad + 5, AD - 5);
    for (size_t at = 0, piece = 1; at < SIZE; at += piece, piece = piece * 3 % 200 + 1) {
        if (piece > SIZE - at)
            piece = SIZE - at;
        status |= (decrypt ? rijn_aegis_decrypt : rijn_aegis_encrypt)(
            &aegis, out + at, (decrypt ? sealed : plain) + at, piece);
    }
    status |=
        decrypt ? rijn_aegis_verify(&aegis, tag, 32) : rijn_aegis_finish(&aegis, out + SIZE, 32);
}

static void aegis_encrypt_in_pieces(void)
{
    aegis_pieces(false);
}

static void aegis_decrypt_in_pieces(void)
{
    aegis_pieces(true);
}

static void aegis_mac(void)
{
    status = rijn_aegis_mac(&aegis_key, out, 32, nonce, key_size, plain, SIZE);
}

static void aegis_mac_in_pieces(void)
{
    rijn_aegis start, mac;
    status = rijn_aegis_mac_start(&start, &aegis_key, nonce, key_size);
    mac = start;
    status |= rijn_aegis_mac_update(&mac, plain, 5);
    status |= rijn_aegis_mac_update(&mac, plain + 5, SIZE - 5);
    status |= rijn_aegis_mac_finish(&mac, out, 16);
    mac = start;
    status |= rijn_aegis_mac_update(&mac, plain, SIZE);
    status |= rijn_aegis_mac_verify(&mac, out, 16);
    if (rijn_aegis_mac_verify(&start, forged, 32) != RIJN_ERR_TAG)
        abort();
}

static void aegis_given_up(void)
{
    rijn_aegis_key its_key;
    rijn_aegis state;
    status = rijn_aegis_key_init(&its_key, variant, key_bytes, key_size, kernel);
    status |= rijn_aegis_start(&state, &its_key, nonce, key_size);
    status |= rijn_aegis_decrypt(&state, out, sealed, SIZE);
    rijn_aegis_wipe(&state);
    status |= rijn_aegis_start(&state, &its_key, nonce, key_size);
    status |= rijn_aegis_decrypt(&state, out, sealed, 9);
    if (rijn_aegis_verify(&state, forged, 16) != RIJN_ERR_TAG)
        abort();
    rijn_aegis_key_wipe(&its_key);
}

static void aegis_chunks(void)
{
    status = rijn_aegis_seal_chunks(&aegis_key, chunks, nonce, 7, CHUNK, 1, plain, SIZE);
    status |=
        rijn_aegis_open_chunks(&aegis_key, out, NULL, nonce, 7, CHUNK, 1, chunks, sizeof chunks);
}

static void aegis_chunks_forged(void)
{
    uint64_t bad;
    memcpy(chunks, sealed, sizeof chunks);
    status =
        rijn_aegis_open_chunks(&aegis_key, out, &bad, nonce, 7, CHUNK, 1, chunks, sizeof chunks);
    if (status != RIJN_ERR_TAG || bad != 7)
        abort();
}

static void aegis_keystream(void)
{
    status = rijn_aegis_unauthenticated_keystream(&aegis_key, out, SIZE, nonce, key_size);
}

/* ---- The modes that are made of others: there and back again ---- */

static uint8_t between[SIZE + 16], between_tag[16];

static void cfb_ofb(void)
{
    uint8_t chain[16];
    size_t used = 0;

    memcpy(chain, iv, 16);
    status = rijn_cfb_encrypt(&key, chain, &used, between, plain, SIZE - 100);
    status |= rijn_cfb_encrypt(&key, chain, &used, between + SIZE - 100, plain + SIZE - 100, 100);
    memcpy(chain, iv, 16);
    status |= rijn_ofb_crypt(&key, chain, NULL, between, between, SIZE);
    memcpy(chain, iv, 16);
    status |= rijn_cfb_decrypt(&key, chain, NULL, out, between, SIZE);
}

static void cfb8(void)
{
    uint8_t chain[16];

    memcpy(chain, iv, 16);
    status = rijn_cfb8_encrypt(&key, chain, between, plain, 50);
    status |= rijn_cfb8_decrypt(&key, chain, out, between, 50);
}

static void ige(void)
{
    uint8_t chain[32];

    memcpy(chain, iv, 32);
    status = rijn_ige_encrypt(&key, chain, between, plain, 320);
    status |= rijn_ige_decrypt(&key, chain, out, between, 320);
}

static void ctr_widths(void)
{
    status = rijn_ctr_crypt_width(&key, 32, 0, counter, between, plain, SIZE);
    status |= rijn_ctr_crypt_width(&key, 64, 0, counter, between, between, SIZE);
    status |= rijn_ctr_crypt_width(&key, 32, 1, counter, between, between, SIZE);
    status |= rijn_ctr_crypt_width(&key, 64, 1, counter, between, between, SIZE);
    status |= rijn_ctr_crypt_width(&key, 128, 1, counter, out, between, SIZE);
}

/* A counter of 64 bits, little-endian, that wraps. */
static void ctr_width_in_pieces(void)
{
    rijn_ctr ctr;

    status = rijn_ctr_start_width(&ctr, &key, 64, 1, counter);
    status |= rijn_ctr_update(&ctr, out, plain, 200);
    status |= rijn_ctr_update(&ctr, out + 200, plain + 200, SIZE - 200);
    rijn_ctr_wipe(&ctr);
}

static void xts(void)
{
    rijn_xts_key xts_key;
    uint8_t equal_halves[64];

    status = rijn_xts_key_init(&xts_key, two_keys, key_size == 32 ? 64 : 32, backend);
    status |= rijn_xts_encrypt(&xts_key, iv, between, plain, SIZE);
    status |= rijn_xts_decrypt(&xts_key, iv + 16, out, between, SIZE);
    status |= rijn_xts_decrypt(&xts_key, iv + 16, out, out, WHOLE - 16);
    status |= rijn_xts_encrypt_part(&xts_key, iv, 176, between, plain, SIZE);
    status |= rijn_xts_decrypt_part(&xts_key, iv, 176, out, between, SIZE);
    rijn_xts_key_wipe(&xts_key);
    memcpy(equal_halves, two_keys, 32);
    memcpy(equal_halves + 32, two_keys, 32);
    if (rijn_xts_key_init(&xts_key, equal_halves, 64, backend) != RIJN_ERR_EQUAL_HALVES)
        abort();
}

static void cmac(void)
{
    rijn_cmac_state mac;

    status = rijn_cmac(&key, out, 16, plain, SIZE);
    status |= rijn_cmac_start(&mac, &key);
    status |= rijn_cmac_update(&mac, plain, 5);
    status |= rijn_cmac_update(&mac, plain + 5, SIZE - 5);
    status |= rijn_cmac_verify(&mac, out, 16);
    status |= rijn_cmac_start(&mac, &key);
    status |= rijn_cmac_update(&mac, plain, WHOLE);
    status |= rijn_cmac_finish(&mac, out + 16, 9);
    status |= rijn_cmac_start(&mac, &key);
    status |= rijn_cmac_update(&mac, plain, 21);
    if (rijn_cmac_verify(&mac, forged, 16) != RIJN_ERR_TAG)
        abort();
    status |= rijn_cmac_start(&mac, &key);
    rijn_cmac_wipe(&mac);
}

static void siv(void)
{
    const rijn_string strings[] = {{ad, AD}, {NULL, 0}, {nonce, 16}};
    rijn_siv_key siv_key;

    status = rijn_siv_key_init(&siv_key, two_keys, 2 * key_size, backend);
    status |= rijn_siv_seal(&siv_key, between, between_tag, strings, 3, plain, SIZE);
    status |= rijn_siv_open(&siv_key, out, between_tag, strings, 3, between, SIZE);
    if (rijn_siv_open(&siv_key, between, forged, strings, 2, between, 9) != RIJN_ERR_TAG)
        abort();
    rijn_siv_key_wipe(&siv_key);
}

typedef rijn_status seal_call(const rijn_key *, uint8_t *, uint8_t *, size_t, const uint8_t *,
                              size_t, const uint8_t *, size_t, const uint8_t *, size_t);
typedef rijn_status open_call(const rijn_key *, uint8_t *, const uint8_t *, size_t, const uint8_t *,
                              size_t, const uint8_t *, size_t, const uint8_t *, size_t);

/* With a key of `size` bytes, where not every size will do. */
static void aead(seal_call *seal_it, open_call *open_it, size_t size, size_t nonce_size)
{
    rijn_key its_key;

    status = rijn_key_init(&its_key, key_bytes, size, backend);
    status |= seal_it(&its_key, between, between_tag, 16, nonce, nonce_size, ad, AD, plain, SIZE);
    status |= open_it(&its_key, out, between_tag, 16, nonce, nonce_size, ad, AD, between, SIZE);
    if (open_it(&its_key, between, forged, 16, nonce, nonce_size, ad, 16, between, 17) !=
        RIJN_ERR_TAG)
        abort();
    rijn_key_wipe(&its_key);
}

static void gcm_siv(void)
{
    aead(rijn_gcm_siv_seal, rijn_gcm_siv_open, key_size == 24 ? 16 : key_size, 12);
}

static void xaes(void)
{
    aead(rijn_xaes_seal, rijn_xaes_open, 32, 24);
}

/* XAES in pieces: GCM under the key that it derives. */
static void xaes_derive(void)
{
    rijn_key its_key, derived;

    status = rijn_key_init(&its_key, key_bytes, 32, backend);
    status |= rijn_xaes_derive(&derived, &its_key, nonce);
    status |= rijn_gcm_seal(&derived, out, between_tag, 16, nonce + 12, 12, ad, AD, plain, SIZE);
}

static void ccm(void)
{
    aead(rijn_ccm_seal, rijn_ccm_open, key_size, 11);
}

static void ocb(void)
{
    aead(rijn_ocb_seal, rijn_ocb_open, key_size, 12);
}

static void eax(void)
{
    aead(rijn_eax_seal, rijn_eax_open, key_size, 17);
}

/* In pieces, which OCB asks to be whole blocks but for the last. */
static void ocb_in_pieces(void)
{
    rijn_ocb state;

    status = RIJN_OK;
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        const uint8_t *const in = decrypt ? between : plain;
        uint8_t *const to = decrypt ? out : between;
        status |= rijn_ocb_start(&state, &key, 16, nonce, 15);
        status |= rijn_ocb_ad(&state, ad, 5);
        status |= rijn_ocb_ad(&state, ad + 5, AD - 5);
        for (size_t at = 0, piece = 16; at < SIZE; at += piece, piece = piece * 3 % 160 + 16) {
            if (piece > SIZE - at)
                piece = SIZE - at;
            status |=
                (decrypt ? rijn_ocb_decrypt : rijn_ocb_encrypt)(&state, to + at, in + at, piece);
        }
        status |=
            decrypt ? rijn_ocb_verify(&state, between_tag) : rijn_ocb_finish(&state, between_tag);
    }
    status |= rijn_ocb_start(&state, &key, 12, nonce, 1);
    status |= rijn_ocb_decrypt(&state, between, between, 32);
    if (rijn_ocb_verify(&state, forged) != RIJN_ERR_TAG)
        abort();
    status |= rijn_ocb_start(&state, &key, 12, nonce, 1);
    rijn_ocb_wipe(&state);
}

static void eax_in_pieces(void)
{
    rijn_eax state;

    status = RIJN_OK;
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        const uint8_t *const in = decrypt ? between : plain;
        uint8_t *const to = decrypt ? out : between;
        status |= rijn_eax_start(&state, &key, nonce, 60);
        status |= rijn_eax_ad(&state, ad, 5);
        status |= rijn_eax_ad(&state, ad + 5, AD - 5);
        for (size_t at = 0, piece = 1; at < SIZE; at += piece, piece = piece * 3 % 200 + 1) {
            if (piece > SIZE - at)
                piece = SIZE - at;
            status |=
                (decrypt ? rijn_eax_decrypt : rijn_eax_encrypt)(&state, to + at, in + at, piece);
        }
        status |= decrypt ? rijn_eax_verify(&state, between_tag, 16)
                          : rijn_eax_finish(&state, between_tag, 16);
    }
    status |= rijn_eax_start(&state, &key, nonce, 0);
    status |= rijn_eax_decrypt(&state, between, between, 9);
    if (rijn_eax_verify(&state, forged, 16) != RIJN_ERR_TAG)
        abort();
    status |= rijn_eax_start(&state, &key, nonce, 16);
    rijn_eax_wipe(&state);
}

static void key_wrap(void)
{
    status = rijn_kw_wrap(&key, between, plain, 40);
    status |= rijn_kw_unwrap(&key, out, between, 48);
    if (rijn_kw_unwrap(&key, between, plain, 48) != RIJN_ERR_TAG)
        abort();
}

static void key_wrap_padded(void)
{
    size_t size;

    for (size_t n = 5; n < 40; n += 17) {
        const size_t wrapped = (n + 7) / 8 * 8 + 8;
        status = rijn_kwp_wrap(&key, between, plain, n);
        status |= rijn_kwp_unwrap(&key, out + n, &size, between, wrapped);
        if (size != n || rijn_kwp_unwrap(&key, between, &size, plain, wrapped) != RIJN_ERR_TAG)
            abort();
    }
    rijn_wipe(between, sizeof between);
}

/* ---- Many messages in one call ---- */

/* The second of them is forged when they are opened again. */
static void many(rijn_many_mode mode, rijn_siv_key *siv_key, size_t nonce_size, bool equal)
{
    enum { COUNT = 20 }; /* more than any backend packs side by side */
    static const int64_t unequal[COUNT + 1] = {0,   16,  16,  48,  192, 200, 200,
                                               208, 224, 240, 256, 272, 288, 300,
                                               310, 326, 342, 350, 360, 380, WHOLE};
    static int64_t begins[COUNT + 1];
    static uint8_t results[WHOLE + COUNT * 48];
    int64_t ends[COUNT + 1];
    uint8_t bits[(COUNT + 7) / 8] = {0};
    const rijn_column texts = {.data = plain, .size = sizeof plain, .offsets64 = begins};
    const bool mac = mode == RIJN_MANY_CMAC, bare = mode > RIJN_MANY_CMAC;
    const rijn_column sealed_texts = {.data = results, .size = sizeof results, .offsets64 = ends};
    rijn_many all = {.mode = mode,
                     .key = &key,
                     .siv_key = siv_key,
                     .aegis_key = &aegis_key,
                     .count = COUNT,
                     .ad = mac ? texts : (rijn_column){.data = ad, .size = bare ? 0 : AD},
                     .nonces = nonce_size ? nonce : NULL,
                     .nonce_size = nonce_size,
                     .out = results,
                     .out_size = sizeof results,
                     .out_offsets64 = ends};
    size_t failures = 0, size;

    for (int i = 0; i <= COUNT; i++)
        begins[i] = equal ? 17 * i : unequal[i];
    if (bare)
        all.ad = (rijn_column){0};
    if (!mac)
        all.in = texts;
    status = rijn_seal_many_size(&all, &size);
    status |= rijn_seal_many(&all);
    all.in = sealed_texts;
    all.out = out;
    all.out_offsets64 = NULL;
    all.failed = bits;
    status |= rijn_open_many_size(&all, &size);
    status |= rijn_open_many(&all, &failures);
    if (!bare) {
        results[ends[2] - 1] ^= 1;
        if (rijn_open_many(&all, &failures) != RIJN_ERR_TAG || failures != 1 || bits[0] != 2)
            abort();
    }
    defined(results, sizeof results);
}

static void many_of_aes(void)
{
    static const struct {
        rijn_many_mode mode;
        size_t nonce;
        bool equal;
    } modes[] = {{RIJN_MANY_GCM, 12, false}, {RIJN_MANY_GCM, 12, true},  {RIJN_MANY_CCM, 11, false},
                 {RIJN_MANY_OCB, 12, false}, {RIJN_MANY_EAX, 11, false}, {RIJN_MANY_CMAC, 0, false},
                 {RIJN_MANY_CBC, 0, false},  {RIJN_MANY_CTR, 10, false}};
    static uint8_t sum[sizeof out];
    rijn_status all = RIJN_OK;

    memset(sum, 0, sizeof sum);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        many(modes[i].mode, NULL, modes[i].nonce, modes[i].equal);
        all |= status;
        for (size_t j = 0; j < sizeof out; j++)
            sum[j] ^= out[j];
    }
    memcpy(out, sum, sizeof out);
    status = all;
    defined(sum, sizeof sum);
}

static void many_of_siv(void)
{
    rijn_siv_key siv_key;
    rijn_status all;

    status = rijn_siv_key_init(&siv_key, two_keys, 2 * key_size, backend);
    all = status;
    many(RIJN_MANY_SIV, &siv_key, 12, false);
    all |= status;
    if (key_size != 24) {
        many(RIJN_MANY_GCM_SIV, NULL, 12, false);
        all |= status;
    }
    if (key_size == 32) {
        many(RIJN_MANY_XAES, NULL, 0, false);
        all |= status;
    }
    status = all;
    rijn_siv_key_wipe(&siv_key);
}

/* Under three derived keys, each of several messages, and under one. */
static void many_of_xaes(void)
{
    const rijn_key before = key;
    rijn_status made;

    for (size_t i = 0; i < 20; i++)
        memset(nonce + 24 * i, (int)(i % 3), 12);
    made = rijn_key_init(&key, two_keys, 32, backend);
    many(RIJN_MANY_XAES, NULL, 24, false);
    made |= status;
    for (size_t i = 0; i < 20; i++)
        memset(nonce + 24 * i, 3, 12);
    many(RIJN_MANY_XAES, NULL, 24, true);
    status |= made;
    key = before;
}

static void many_of_aegis(void)
{
    many(RIJN_MANY_AEGIS, NULL, 0, false);
}

/* ---- Leaks, planted to see whether the check bites ---- */

static void branch_on_secret(void)
{
    if (key_bytes[0] & 1)
        out[0]++;
}

static void address_from_secret(void)
{
    out[0] = ((volatile uint8_t *)nonce)[key_bytes[1] % sizeof nonce];
}

#if defined(RIJN_STEPS) && defined(__x86_64__)
__attribute__((target("avx512bw,avx512vl"))) static void mask_from_secret(void)
{
    if (!(rijn_cpu() & RIJN_CPU(AVX512BW) && rijn_cpu() & RIJN_CPU(AVX512VL)))
        branch_on_secret(); /* nothing to plant here */
    else
        _mm_storeu_si128((__m128i *)(void *)out,
                         _mm_maskz_loadu_epi8((__mmask16)key_bytes[2], nonce));
}
#endif

/* ---- The runner ---- */

typedef struct operation {
    const char *name;
    void (*run)(void);
} operation;

static const operation library[] = {
    {"key_init", key_init},
    {"ecb_encrypt", ecb_encrypt},
    {"ecb_decrypt", ecb_decrypt},
    {"cbc_encrypt", cbc_encrypt},
    {"cbc_decrypt", cbc_decrypt},
    {"cbc_encrypt_padded", cbc_encrypt_padded},
    {"cbc_decrypt_padded", cbc_decrypt_padded},
    {"cbc_decrypt_padded, refused", cbc_bad_padding},
    {"ctr_crypt", ctr_crypt},
    {"ctr_crypt, 4200 bytes", ctr_long},
    {"ctr in pieces", ctr_in_pieces},
    {"gcm_seal", gcm_seal},
    {"gcm_seal, 4200 bytes", gcm_seal_long},
    {"gcm_open, 4200 bytes", gcm_open_long},
    {"gcm_siv, 4200 bytes", gcm_siv_long},
    {"gcm_seal, 16 bytes", gcm_seal_short},
    {"gcm_seal, nonce of 8", gcm_seal_nonce_8},
    {"gcm_seal, nonce of 16", gcm_seal_nonce_16},
    {"gcm_seal, nonce of 60", gcm_seal_nonce_60},
    {"gcm_open", gcm_open},
    {"gcm_open, refused", gcm_open_forged},
    {"gcm encrypt in pieces", gcm_encrypt_in_pieces},
    {"gcm decrypt in pieces", gcm_decrypt_in_pieces},
    {"gcm_seal_chunks", gcm_seal_chunks},
    {"gcm_open_chunks", gcm_open_chunks},
    {"gcm_open_chunks, refused", gcm_open_chunks_forged},
    {"gcm, tag of 4", short_tags},
    {"gcm in parts", gcm_in_parts},
    {"gcm in pieces, given up", gcm_given_up},
    {"cfb and ofb", cfb_ofb},
    {"cfb8", cfb8},
    {"ige", ige},
    {"ctr of every width", ctr_widths},
    {"ctr of 64 bits in pieces", ctr_width_in_pieces},
    {"xts", xts},
    {"cmac", cmac},
    {"siv", siv},
    {"gcm_siv", gcm_siv},
    {"xaes", xaes},
    {"xaes_derive", xaes_derive},
    {"ccm", ccm},
    {"ocb", ocb},
    {"ocb in pieces", ocb_in_pieces},
    {"eax", eax},
    {"eax in pieces", eax_in_pieces},
    {"kw", key_wrap},
    {"kwp", key_wrap_padded},
    {"many: gcm, ccm, ocb, eax, cmac, cbc, ctr", many_of_aes},
    {"many: siv, gcm_siv, xaes", many_of_siv},
    {"many: xaes", many_of_xaes},
};

static const operation aegis[] = {
    {"seal", aegis_seal},
    {"open", aegis_open},
    {"open, refused", aegis_open_forged},
    {"encrypt in pieces", aegis_encrypt_in_pieces},
    {"decrypt in pieces", aegis_decrypt_in_pieces},
    {"mac", aegis_mac},
    {"mac in pieces", aegis_mac_in_pieces},
    {"in pieces, given up", aegis_given_up},
    {"seal_chunks, open_chunks", aegis_chunks},
    {"open_chunks, refused", aegis_chunks_forged},
    {"keystream", aegis_keystream},
    {"many", many_of_aegis},
};

static const public_exemption handed_no_secret[] = {
    {"rijn_status_text", "takes a status"},
    {"rijn_version", "takes nothing"},
    {"rijn_many_room", "takes a number of messages"},
    {"rijn_backend_count", "takes nothing"},
    {"rijn_backend_at", "takes the number of a backend"},
    {"rijn_backend_names", "takes room for names"},
    {"rijn_use_backend", "takes the name of a backend"},
    {"rijn_key_backend", "reads the key's pointer to its backend, which is public"},
    {"rijn_aegis_name", "takes the number of a variant"},
    {"rijn_aegis_key_size", "takes the number of a variant"},
    {"rijn_aegis_key_backend", "reads the key's pointer to its kernel, which is public"},
    {"rijn_aegis_key_kernel", "reads the key's pointer to its kernel, which is public"},
    {"rijn_aegis_kernel_count", "takes nothing"},
    {"rijn_aegis_kernel_at", "takes the number of a kernel"},
};

static const operation planted[] = {
    {"branch on a secret", branch_on_secret},
    {"address from a secret", address_from_secret},
#if defined(RIJN_STEPS) && defined(__x86_64__)
    {"mask from a secret", mask_from_secret},
#endif
};

#ifndef RIJN_STEPS
static void mark_secrets(void (*mark)(void *, size_t))
{
    mark(key_bytes, sizeof key_bytes);
    mark(two_keys, sizeof two_keys);
    mark(plain, sizeof plain);
    mark(long_text, sizeof long_text);
    mark(ad, sizeof ad);
    mark(iv, sizeof iv);
    mark(sealed, sizeof sealed);
    mark(padded, sizeof padded);
    mark(tag, sizeof tag);
    mark(forged, sizeof forged);
}
#endif

/* What is watched: AES or AEGIS, and how its key is made. */
static char subject[16];
static void (*make_key)(void);

static void (*prepare_all)(void);

/* The word after a reported or unreported operation; false where it is not what it should be. */
static bool verdict(const operation *it, size_t reports, bool leaky)
{
    const bool good = leaky ? reports != 0 : reports == 0;
    if (!good || leaky)
        printf("%-12s %-28s %zu reports%s\n", subject, it->name, reports,
               good    ? ", as it should be"
               : leaky ? ": the check does not bite"
                       : ": LEAKS");
    return good;
}

#ifdef RIJN_STEPS
/* ---- By the CPU, or by QEMU ---- */

static unsigned seed;    /* of the secrets */
static size_t sets = 1;  /* of secrets to compare with the first */
static size_t all_steps; /* that were compared */

/* What may go another way by what it discloses: SIV's counter is its tag, and carries
 * accordingly. Its CMAC and its counter mode are operations of their own. */
static const char *const disclosing[] = {"siv", "many: siv, gcm_siv, xaes"};

static bool sampled; /* only these are run */
static const char *const samples[] = {"key_init", "ecb_decrypt", "ctr_crypt",
                                      "gcm_seal", "gcm_open",    "seal"};

static bool among(const operation *it, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(it->name, names[i]) == 0)
            return true;
    return false;
}

/* True when another set of secrets led elsewhere if `leaky`, else when none did. */
static bool watch(const operation *it, bool leaky)
{
    size_t reports = 0;

    if (sampled && !among(it, samples, sizeof samples / sizeof *samples))
        return true;
    for (seed = 0; seed <= (sets ? sets : 1); seed++) {
        prepare_all();
        if (it->run == make_key)
            rijn_wipe(&key, sizeof key);
        public_recording = true;
        if (seed == 0) {
            it->run(); /* what is done once alone, as the CPU is asked, is done */
            steps_first(it->run);
        } else if (!steps_again(it->run)) {
            const steps_fork at = steps_difference();
            if (!leaky && !reports++)
                printf("%s %s: after %#lx one went to %#lx, the other to %#lx\n", subject, it->name,
                       (unsigned long)at.after, (unsigned long)at.first, (unsigned long)at.again);
            reports += leaky;
        }
        public_recording = false;
        all_steps += steps_count();
    }
    seed = 0;
    prepare_all();
    if (among(it, disclosing, sizeof disclosing / sizeof *disclosing))
        reports = leaky;
    return verdict(it, reports, leaky);
}

#else
/* ---- By valgrind ---- */

/* Runs an operation with nothing marked, then with the secrets marked. True when memcheck
 * reported what it should have: something if `leaky`, else nothing. */
static bool watch(const operation *it, bool leaky)
{
    uint8_t want[sizeof out];

    make_key();
    memset(out, 0, sizeof out);
    it->run();
    memcpy(want, out, sizeof out);
    const rijn_status want_status = status;

    mark_secrets(secret);
    if (it->run != make_key)
        make_key(); /* the key now carries the mark */
    memset(out, 0, sizeof out);
    const unsigned before = VALGRIND_COUNT_ERRORS;
    public_recording = true;
    it->run();
    public_recording = false;
    const unsigned reports = VALGRIND_COUNT_ERRORS - before;
    mark_secrets(defined);
    defined(out, sizeof out);
    defined(&key, sizeof key);
    defined(&aegis_key, sizeof aegis_key);
    defined(&status, sizeof status);

    if (status != want_status || memcmp(out, want, sizeof out) != 0) {
        printf("%s %s: the marked run gave another result\n", subject, it->name);
        return false;
    }
    return verdict(it, reports, leaky);
}
#endif

/* ---- What is prepared ---- */

static uint32_t random_state;

static void fill(uint8_t *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        p[i] = (uint8_t)((random_state = random_state * 1664525 + 1013904223) >> 24);
}

/* Everything the operations read, but for what is sealed. */
static void prepare(void)
{
    random_state = 1;
    fill(nonce, sizeof nonce);
#ifdef RIJN_STEPS
    random_state += seed / 2 * 0x9e3779b9;
#endif
    fill(key_bytes, sizeof key_bytes);
    fill(two_keys, sizeof two_keys);
    fill(plain, sizeof plain);
    fill(long_text, sizeof long_text);
    fill(ad, sizeof ad);
    fill(iv, sizeof iv);
    fill(forged, sizeof forged);
#ifdef RIJN_STEPS
    if (seed % 2) { /* every bit another than in the set before */
        const struct {
            uint8_t *bytes;
            size_t size;
        } secrets[] = {{long_text, sizeof long_text},
                       {key_bytes, sizeof key_bytes},
                       {two_keys, sizeof two_keys},
                       {plain, sizeof plain},
                       {ad, sizeof ad},
                       {iv, sizeof iv},
                       {forged, sizeof forged}};
        for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++)
            for (size_t j = 0; j < secrets[i].size; j++)
                secrets[i].bytes[j] ^= 0xff;
    }
#endif
    memset(counter, 0xff, sizeof counter); /* 2^128 - 5: a carry through all of it */
    counter[15] = 0xfb;
    make_key();
}

static void require_ok(void)
{
    if (status != RIJN_OK) {
        printf("%s: %s\n", backend, rijn_status_text(status));
        exit(status == RIJN_ERR_UNAVAILABLE || status == RIJN_ERR_BACKEND ? 77 : EXIT_FAILURE);
    }
}

/* For a key of key_size bytes. */
static void prepare_aes(void)
{
    snprintf(subject, sizeof subject, "AES-%zu", key_size * 8);
    make_key = key_init;
    prepare_all = prepare_aes;
    prepare();
    if (status == RIJN_OK)
        status = rijn_gcm_seal(&key, sealed, tag, 16, nonce, 12, ad, AD, plain, SIZE);
    if (status == RIJN_OK)
        status = rijn_cbc_encrypt_padded(&key, iv, padded, plain, SIZE);
    require_ok();
}

/* For the variant. */
static void prepare_aegis(void)
{
    snprintf(subject, sizeof subject, "%s, %s", kernel, rijn_aegis_name(variant));
    make_key = aegis_key_init;
    prepare_all = prepare_aegis;
    prepare();
    if (status == RIJN_OK)
        status = rijn_aegis_seal(&aegis_key, sealed, tag, 32, nonce, key_size, ad, AD, plain, SIZE);
    require_ok();
}

/* Whether a kernel of AEGIS has this name, which is no backend's; of which it is then. */
static bool find_kernel(const char *name)
{
    rijn_aegis_kernel_info info;

    for (size_t i = 0; i < rijn_aegis_kernel_count(); i++)
        if (rijn_aegis_kernel_at(i, &info) == RIJN_OK && strcmp(info.name, name) == 0 &&
            strcmp(info.backend, name) != 0) {
            backend = info.backend;
            return true;
        }
    return false;
}

#if defined(RIJN_STEPS) && defined(__x86_64__)
/* Whether valgrind has all instructions of a backend, so that it watches them sooner. */
static bool valgrind_runs(const char *name)
{
    const uint64_t missing =
        RIJN_CPU(VAES) | RIJN_CPU(VPCLMULQDQ) | RIJN_CPU(AVX512F);

    for (size_t i = 0; i < rijn_registry_size; i++)
        if (strcmp(rijn_registry[i]->name, name) == 0)
            return !(rijn_registry[i]->cpu & missing);
    return false;
}
#endif

int main(int argc, char **argv)
{
#ifdef RIJN_STEPS
    if (argc != 4) {
        fprintf(stderr, "usage: %s BACKEND|KERNEL|planted clean|leaky SETS\n", argv[0]);
        return EXIT_FAILURE;
    }
    sets = strtoul(argv[3], NULL, 10);
    const bool sample = !sets && strcmp(argv[1], "planted") != 0;
    sampled = sample;
#else
    if (argc != 3 || !RUNNING_ON_VALGRIND) {
        fprintf(stderr, "usage: valgrind %s BACKEND|planted clean|leaky\n", argv[0]);
        return EXIT_FAILURE;
    }
    const bool sample = false;
#endif
    const bool plant = strcmp(argv[1], "planted") == 0, leaky = strcmp(argv[2], "leaky") == 0;
    const operation *operations = plant ? planted : library;
    const size_t count = (plant ? sizeof planted : sizeof library) / sizeof(operation);
    size_t bad = 0, ran = 0;

    if (!plant && !is_a_backend(argv[1]) && strcmp(argv[1], "aesni-avx512vl") != 0) {
        fprintf(stderr, "%s: no such backend. There are: %s\n", argv[1], RIJN_TESTED_BACKENDS);
        return EXIT_FAILURE;
    }
    public_recording = false;
    const bool alone = find_kernel(argv[1]); /* a kernel of AEGIS by itself */
    if (!alone)
        backend = plant ? "fixslice64" : argv[1];
#if defined(RIJN_STEPS) && defined(__x86_64__)
    if (!plant && !alone && valgrind_runs(backend)) {
        printf("skipped %s: valgrind runs it\n", backend);
        return 77;
    }
#endif
    for (key_size = 16; key_size <= 32 && !alone; key_size += 8) {
        if (sample && key_size != 32)
            continue;
#ifdef RIJN_STEPS
        sampled = sample || (sets == 1 && key_size != 32 && !plant);
#endif
        prepare_aes();
        for (size_t i = 0; i < count; i++, ran++)
            bad += !watch(&operations[i], leaky);
    }
    rijn_bypass_size = 1; /* CTR and GCM as if all were more than the caches hold */
    key_size = 16;
    if (!alone)
        prepare_aes();
#ifdef RIJN_STEPS
    sampled = sample;
#endif
    for (size_t i = 0; i < count && !plant && !alone; i++, ran++)
        bad += !watch(&operations[i], leaky);
    for (unsigned v = 0; v < RIJN_AEGIS_VARIANTS && !plant; v++) {
        variant = (rijn_aegis_variant)v;
        if (sample && variant != RIJN_AEGIS_128X4 && variant != RIJN_AEGIS_256)
            continue;
        for (size_t k = 0; k < rijn_aegis_kernel_count(); k++) {
            rijn_aegis_kernel_info info;
            if (rijn_aegis_kernel_at(k, &info) != RIJN_OK)
                abort();
            if (strcmp(info.backend, backend) != 0 || !info.available ||
                (alone && strcmp(info.name, argv[1]) != 0))
                continue;
            kernel = info.name;
            prepare_aegis();
            for (size_t i = 0; i < sizeof aegis / sizeof aegis[0]; i++, ran++)
                bad += !watch(&aegis[i], leaky);
        }
    }
    if (ran == 0) {
        printf("skipped %s: not in this build or not on this machine\n", argv[1]);
        return 77;
    }
    /* the row in the registry says what is shown here */
    for (size_t i = 0; i < rijn_backend_count() && !plant; i++) {
        rijn_backend_info info;
        if (rijn_backend_at(i, &info) == RIJN_OK && strcmp(info.name, backend) == 0 &&
            info.constant_time == leaky) {
            printf("%s: its row says constant_time = %d\n", backend, info.constant_time);
            bad++;
        }
    }
    if (plant) { /* an omission, too */
        memset(public_called, true, sizeof public_called);
        public_called[PUBLIC_rijn_ocb_verify] = false;
        bad += public_forgotten(NULL, 0) != 1;
    } else if (!sample && !alone) {
        bad += public_forgotten(handed_no_secret,
                                sizeof handed_no_secret / sizeof handed_no_secret[0]);
    }
#ifdef RIJN_STEPS
    printf("%zu instructions\n", all_steps);
#endif
    printf("%s: %zu operations watched, %zu not as they should be (%s)\n", argv[1], ran, bad,
           leaky ? "each should be reported" : "none should be reported");
    return bad == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
