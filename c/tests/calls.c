#include "calls.h"

#include <string.h>

#include "backend.h" /* RIJN_APART */
#include "calls_rows.h"
#include "public.h"

call_inputs given;
const uint8_t wrapping_counter[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfb};
uint8_t call_out[SEALED], call_tag[32];
const rijn_string siv_strings[3] = {{given.ad, 33}, {NULL, 0}, {given.nonce, 16}};

static uint8_t sealed[SEALED], chain[32], equal_halves[64], room[1024];
static size_t plain_size, used;
static rijn_key key, copied_key, derived;
static rijn_xts_key xts_key;
static rijn_siv_key siv_key;
static rijn_aegis_key aegis_key;
static rijn_ctr ctr;
static rijn_gcm gcm, part_of_gcm;
static rijn_cmac_state cmac;
static rijn_ocb ocb;
static rijn_eax eax;
static rijn_aegis aegis;
static const call *current;

/* ---- Calls and their preparation ---- */

#define CALL(name, ...) \
    static rijn_status name(void) \
    { \
        return __VA_ARGS__; \
    }
#define VOID_CALL(name, ...) \
    static rijn_status name(void) \
    { \
        __VA_ARGS__; \
        return RIJN_OK; \
    }

/* Makes the results the input of the next call. */
VOID_CALL(keep, memcpy(sealed, call_out, sizeof sealed), memcpy(chain, given.iv, sizeof chain))

/* Runs a message in pieces: the first has `least` bytes, the others various sizes below
 * least + most. */
static rijn_status in_pieces(rijn_status (*crypt)(size_t at, size_t n), size_t least, size_t most)
{
    rijn_status status = RIJN_OK;

    for (size_t at = 0, n = least; at < given.size; at += n, n = n * 3 % most + least) {
        if (n > given.size - at)
            n = given.size - at;
        status |= crypt(at, n);
    }
    return status;
}

CALL(key_init, rijn_key_init(&key, given.key_bytes, given.key_size, given.backend))
VOID_CALL(key_wipe, rijn_key_wipe(&key))
VOID_CALL(any_wipe, rijn_wipe(call_out, sizeof call_out))
CALL(allow, rijn_key_allow_short_tags(&key))

CALL(ecb_encrypt, rijn_ecb_encrypt(&key, call_out, given.plain, given.size))
CALL(ecb_decrypt, rijn_ecb_decrypt(&key, call_out, given.plain, given.size))
CALL(cbc_encrypt, rijn_cbc_encrypt(&key, chain, call_out, given.plain, given.size))
CALL(cbc_decrypt, rijn_cbc_decrypt(&key, chain, call_out, given.plain, given.size))
CALL(cbc_encrypt_padded,
     rijn_cbc_encrypt_padded(&key, chain, call_out, given.plain, given.size - 3))
CALL(cbc_decrypt_padded,
     rijn_cbc_decrypt_padded(&key, chain, call_out, &plain_size, sealed, given.size))
CALL(ige_encrypt, rijn_ige_encrypt(&key, chain, call_out, given.plain, given.size))
CALL(ige_decrypt, rijn_ige_decrypt(&key, chain, call_out, given.plain, given.size))

CALL(ctr_crypt, rijn_ctr_crypt(&key, given.nonce, call_out, given.plain, given.size))
CALL(ctr_wraps, rijn_ctr_crypt(&key, wrapping_counter, call_out, given.plain, given.size))
CALL(ctr_crypt_width,
     rijn_ctr_crypt_width(&key, 64, 1, given.nonce, call_out, given.plain, given.size))
CALL(ctr_start, rijn_ctr_start(&ctr, &key, given.nonce))
CALL(ctr_start_wraps, rijn_ctr_start(&ctr, &key, wrapping_counter))
CALL(ctr_start_width, rijn_ctr_start_width(&ctr, &key, 64, 1, given.nonce))
CALL(ctr_start_width_wraps, rijn_ctr_start_width(&ctr, &key, 64, 1, wrapping_counter))
CALL(ctr_update, rijn_ctr_update(&ctr, call_out, given.plain, given.size))
CALL(ctr_begin, rijn_ctr_update(&ctr, call_out, given.plain, 3))
CALL(ctr_go_on, rijn_ctr_update(&ctr, call_out + 3, given.plain + 3, 8))
CALL(ctr_skip, rijn_ctr_skip(&ctr, 3))
VOID_CALL(ctr_wipe, rijn_ctr_wipe(&ctr))
CALL(cfb_encrypt, rijn_cfb_encrypt(&key, chain, &used, call_out, given.plain, given.size))
CALL(cfb_decrypt, rijn_cfb_decrypt(&key, chain, NULL, call_out, given.plain, given.size))
CALL(ofb_crypt, rijn_ofb_crypt(&key, chain, &used, call_out, given.plain, given.size))
CALL(cfb8_encrypt, rijn_cfb8_encrypt(&key, chain, call_out, given.plain, given.size))
CALL(cfb8_decrypt, rijn_cfb8_decrypt(&key, chain, call_out, given.plain, given.size))

static rijn_status ctr_piece(size_t at, size_t n)
{
    return rijn_ctr_update(&ctr, call_out + at, given.plain + at, n);
}

static rijn_status cfb_piece(size_t at, size_t n)
{
    return rijn_cfb_encrypt(&key, chain, &used, call_out + at, given.plain + at, n);
}

CALL(ctr_pieces, in_pieces(ctr_piece, 1, 50))
CALL(cfb_pieces, in_pieces(cfb_piece, 1, 200))

static rijn_status ctr_widths(void)
{
    static const struct {
        unsigned width;
        int little;
    } kinds[] = {{32, 0}, {64, 0}, {32, 1}, {64, 1}, {128, 1}};
    rijn_status status = RIJN_OK;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        status |= rijn_ctr_crypt_width(&key, kinds[i].width, kinds[i].little, wrapping_counter,
                                       call_out, i ? call_out : given.plain, given.size);
    return status;
}

/* Seals a whole message of `mode` with `bytes` bytes of data and `ad_bytes` of associated data. */
#define SEAL(name, mode, bytes, ad_bytes, tag_size) \
    CALL(name, rijn_##mode##_seal(&mode##_KEY, call_out, call_tag, tag_size, given.nonce, \
                                  given.nonce_size, given.ad, ad_bytes, given.plain, bytes))
#define OPEN(name, mode, bytes, ad_bytes, its_tag, tag_size) \
    CALL(name, rijn_##mode##_open(&mode##_KEY, call_out, its_tag, tag_size, given.nonce, \
                                  given.nonce_size, given.ad, ad_bytes, sealed, bytes))
#define AEAD(mode, tag_size, forged_size) \
    SEAL(mode##_seal, mode, given.size, given.ad_size, tag_size) \
    OPEN(mode##_open, mode, given.size, given.ad_size, call_tag, tag_size) \
    OPEN(mode##_refuse, mode, given.size, given.ad_size, given.forged, forged_size)
#define gcm_KEY key
#define gcm_siv_KEY key
#define xaes_KEY key
#define ccm_KEY key
#define ocb_KEY key
#define eax_KEY key
#define aegis_KEY aegis_key

AEAD(gcm, 16, 13)
AEAD(gcm_siv, 16, 16)
AEAD(xaes, 16, 16)
AEAD(ccm, 16, 16)
AEAD(ocb, 16, 16)
AEAD(eax, 16, 16)
AEAD(aegis, 32, 16)
SEAL(aegis_seal_16, aegis, given.size, given.ad_size, 16)
OPEN(aegis_refuse_32, aegis, given.size, given.ad_size, given.forged, 32)
SEAL(gcm_seal_block, gcm, 16, 0, 16)
SEAL(gcm_seal_short, gcm, 20, given.ad_size, 4)
OPEN(gcm_open_short, gcm, 20, given.ad_size, call_tag, 4)
CALL(gcm_tag, rijn_gcm_tag(&key, call_tag, 16, given.nonce, given.nonce_size, given.ad,
                           given.ad_size, sealed, given.size))
CALL(gcm_tag_short, rijn_gcm_tag(&key, call_tag, 4, given.nonce, given.nonce_size, given.ad,
                                 given.ad_size, sealed, given.size))
CALL(xaes_derive, rijn_xaes_derive(&derived, &key, given.nonce))

/* Calls on a state of `mode`: data in one piece or several, associated data in one or two, and a whole
 * message whose tag and ciphertext the next call uses. */
#define PIECES(mode, least, most) \
    static rijn_status mode##_encrypt_piece(size_t at, size_t n) \
    { \
        return rijn_##mode##_encrypt(&mode, call_out + at, given.plain + at, n); \
    } \
    static rijn_status mode##_decrypt_piece(size_t at, size_t n) \
    { \
        return rijn_##mode##_decrypt(&mode, call_out + at, sealed + at, n); \
    } \
    CALL(mode##_ad, rijn_##mode##_ad(&mode, given.ad, given.ad_size)) \
    CALL(mode##_ad_twice, rijn_##mode##_ad(&mode, given.ad, 5) | \
                              rijn_##mode##_ad(&mode, given.ad + 5, given.ad_size - 5)) \
    CALL(mode##_encrypt, rijn_##mode##_encrypt(&mode, call_out, given.plain, given.size)) \
    CALL(mode##_decrypt, rijn_##mode##_decrypt(&mode, call_out, sealed, given.size)) \
    CALL(mode##_encrypt_pieces, in_pieces(mode##_encrypt_piece, least, most)) \
    CALL(mode##_decrypt_pieces, in_pieces(mode##_decrypt_piece, least, most)) \
    VOID_CALL(mode##_wipe, rijn_##mode##_wipe(&mode)) \
    static rijn_status mode##_encrypt_all(void) \
    { \
        const rijn_status started = mode##_start(), ad_bytes = mode##_ad(), \
                          done = mode##_encrypt(), ended = mode##_finish(); \
        return started | ad_bytes | done | ended | keep(); \
    }

size_t ocb_tag_size(void)
{
    return given.nonce_size == 1 ? 12 : 16;
}

CALL(gcm_start, rijn_gcm_start(&gcm, &key, given.nonce, given.nonce_size))
CALL(gcm_finish, rijn_gcm_finish(&gcm, call_tag, 16))
CALL(gcm_verify, rijn_gcm_verify(&gcm, call_tag, 16))
CALL(gcm_reject, rijn_gcm_verify(&gcm, given.forged, 12))
PIECES(gcm, 1, 200)
CALL(ocb_start, rijn_ocb_start(&ocb, &key, ocb_tag_size(), given.nonce, given.nonce_size))
CALL(ocb_finish, rijn_ocb_finish(&ocb, call_tag))
CALL(ocb_verify, rijn_ocb_verify(&ocb, call_tag))
CALL(ocb_reject, rijn_ocb_verify(&ocb, given.forged))
PIECES(ocb, 16, 160)
CALL(eax_start, rijn_eax_start(&eax, &key, given.nonce, given.nonce_size))
CALL(eax_start_empty, rijn_eax_start(&eax, &key, given.nonce, 0))
CALL(eax_finish, rijn_eax_finish(&eax, call_tag, 16))
CALL(eax_verify, rijn_eax_verify(&eax, call_tag, 16))
CALL(eax_reject, rijn_eax_verify(&eax, given.forged, 16))
PIECES(eax, 1, 200)
CALL(aegis_start, rijn_aegis_start(&aegis, &aegis_key, given.nonce, given.nonce_size))
CALL(aegis_finish, rijn_aegis_finish(&aegis, call_tag, 32))
CALL(aegis_verify, rijn_aegis_verify(&aegis, call_tag, 32))
CALL(aegis_reject, rijn_aegis_verify(&aegis, given.forged, 16))
PIECES(aegis, 1, 200)

/* Copies of a state, under a copy of its key. */
VOID_CALL(copy_key, memcpy(&copied_key, &key, sizeof key))
#define COPY(mode, type) \
    static type mode##_copied; \
    CALL(mode##_copy, rijn_##mode##_copy(&mode##_copied, &mode, &copied_key))
COPY(ctr, rijn_ctr)
COPY(gcm, rijn_gcm)
COPY(ocb, rijn_ocb)
COPY(eax, rijn_eax)
COPY(cmac, rijn_cmac_state)

/* Returns where GCM's second part begins: in the middle of the message, at a whole block. */
static size_t part_begin(void)
{
    return given.size / 32 * 16;
}

CALL(gcm_hash, rijn_gcm_hash(&gcm, sealed, given.size))
CALL(gcm_part, rijn_gcm_part(&part_of_gcm, &gcm, part_begin()))
CALL(gcm_before_part, rijn_gcm_encrypt(&gcm, call_out, given.plain, part_begin()))
CALL(gcm_in_part, rijn_gcm_encrypt(&part_of_gcm, call_out + part_begin(),
                                   given.plain + part_begin(), given.size - part_begin()))
CALL(gcm_join, rijn_gcm_join(&gcm, &part_of_gcm))

size_t chunk_size(void)
{
    return given.size < 1000 ? 64 : given.size < LONGEST ? 410 : LONGEST / 2;
}

size_t sealed_chunks_size(void)
{
    return given.size + 16 * (given.size / chunk_size() + 1);
}

/* Calls on chunk 3 and later ones. If the first of them is forged, the library names it. */
#define CHUNKS(mode) \
    CALL(mode##_seal_chunks, rijn_##mode##_seal_chunks(&mode##_KEY, call_out, given.nonce, 3, \
                                                       chunk_size(), 1, given.plain, given.size)) \
    CALL(mode##_open_chunks, \
         rijn_##mode##_open_chunks(&mode##_KEY, call_out, NULL, given.nonce, 3, chunk_size(), 1, \
                                   sealed, sealed_chunks_size())) \
    static rijn_status mode##_first_forged(void) \
    { \
        uint64_t bad = 0; \
        const rijn_status status = \
            rijn_##mode##_open_chunks(&mode##_KEY, call_out, &bad, given.nonce, 3, chunk_size(), \
                                      1, sealed, sealed_chunks_size()); \
        return bad == 3 ? status : RIJN_ERR_STATE; \
    }
CHUNKS(gcm)
CHUNKS(aegis)

VOID_CALL(spoil_first_chunk, sealed[0] ^= 1)
VOID_CALL(spoil_last_chunk, sealed[sealed_chunks_size() - 1] ^= 1)

CALL(xts_key_init, rijn_xts_key_init(&xts_key, given.key_bytes, given.key_size, given.backend))
VOID_CALL(halve, memcpy(equal_halves, given.key_bytes, 32),
          memcpy(equal_halves + 32, given.key_bytes, 32))
CALL(xts_key_refuse, rijn_xts_key_init(&xts_key, equal_halves, 64, given.backend))
VOID_CALL(xts_key_wipe, rijn_xts_key_wipe(&xts_key))
CALL(xts_encrypt, rijn_xts_encrypt(&xts_key, given.iv, call_out, given.plain, given.size))
CALL(xts_decrypt, rijn_xts_decrypt(&xts_key, given.iv, call_out, given.plain, given.size))
CALL(xts_decrypt_in_place, rijn_xts_decrypt(&xts_key, given.iv, call_out, call_out, given.size))
CALL(xts_encrypt_part,
     rijn_xts_encrypt_part(&xts_key, given.iv, 80, call_out, given.plain, given.size))
CALL(xts_decrypt_part,
     rijn_xts_decrypt_part(&xts_key, given.iv, 80, call_out, given.plain, given.size))

CALL(cmac_whole, rijn_cmac(&key, call_tag, 16, given.plain, given.size))
CALL(cmac_start, rijn_cmac_start(&cmac, &key))
CALL(cmac_update, rijn_cmac_update(&cmac, given.plain, given.size))
CALL(cmac_twice, rijn_cmac_update(&cmac, given.plain, 5) |
                     rijn_cmac_update(&cmac, given.plain + 5, given.size - 5))
CALL(cmac_finish, rijn_cmac_finish(&cmac, call_tag, 9))
CALL(cmac_verify, rijn_cmac_verify(&cmac, call_tag, 16))
CALL(cmac_reject, rijn_cmac_verify(&cmac, given.forged, 16))
VOID_CALL(cmac_wipe, rijn_cmac_wipe(&cmac))

CALL(siv_key_init, rijn_siv_key_init(&siv_key, given.key_bytes, given.key_size, given.backend))
VOID_CALL(siv_key_wipe, rijn_siv_key_wipe(&siv_key))
CALL(siv_seal, rijn_siv_seal(&siv_key, call_out, call_tag, siv_strings, 3, given.plain, given.size))
CALL(siv_open, rijn_siv_open(&siv_key, call_out, call_tag, siv_strings, 3, sealed, given.size))
CALL(siv_refuse,
     rijn_siv_open(&siv_key, call_out, given.forged, siv_strings, 2, sealed, given.size))

CALL(kw_wrap, rijn_kw_wrap(&key, call_out, given.plain, given.size))
CALL(kw_unwrap, rijn_kw_unwrap(&key, call_out, sealed, given.size + 8))
CALL(kw_refuse, rijn_kw_unwrap(&key, call_out, given.plain, given.size))
CALL(kwp_wrap, rijn_kwp_wrap(&key, call_out, given.plain, given.size - 3))
CALL(kwp_wrap_least, rijn_kwp_wrap(&key, call_out, given.plain, 5))
CALL(kwp_unwrap, rijn_kwp_unwrap(&key, call_out, &plain_size, sealed, given.size + 8))
CALL(kwp_unwrap_least, rijn_kwp_unwrap(&key, call_out, &plain_size, sealed, 16))
CALL(kwp_refuse, rijn_kwp_unwrap(&key, call_out, &plain_size, given.plain, given.size))
CALL(kwp_refuse_least, rijn_kwp_unwrap(&key, call_out, &plain_size, given.plain, 16))

CALL(aegis_key_init,
     rijn_aegis_key_init(&aegis_key, given.variant, given.key_bytes, given.key_size, given.kernel))
VOID_CALL(aegis_key_wipe, rijn_aegis_key_wipe(&aegis_key))
CALL(aegis_mac, rijn_aegis_mac(&aegis_key, call_tag, 32, given.nonce, given.nonce_size, given.plain,
                               given.size))
CALL(aegis_mac_start, rijn_aegis_mac_start(&aegis, &aegis_key, given.nonce, given.nonce_size))
CALL(aegis_mac_update, rijn_aegis_mac_update(&aegis, given.plain, given.size))
CALL(aegis_mac_twice, rijn_aegis_mac_update(&aegis, given.plain, 5) |
                          rijn_aegis_mac_update(&aegis, given.plain + 5, given.size - 5))
CALL(aegis_mac_finish, rijn_aegis_mac_finish(&aegis, call_tag, 16))
CALL(aegis_mac_verify, rijn_aegis_mac_verify(&aegis, call_tag, 32))
CALL(aegis_mac_reject, rijn_aegis_mac_verify(&aegis, given.forged, 32))
CALL(aegis_keystream, rijn_aegis_unauthenticated_keystream(&aegis_key, call_out, given.size,
                                                           given.nonce, given.nonce_size))

/* ---- Many messages in one call ---- */

static uint8_t many_nonces[MESSAGES * 32], many_failed[(MESSAGES + 7) / 8];
static int64_t many_begins[MESSAGES + 1], many_ends[MESSAGES + 1];
static rijn_many many;

/* The last message has half of all bytes. Half of the others, or all, are whole blocks. */
size_t many_begin(const call *c, size_t i)
{
    if (i == MESSAGES)
        return given.size;
    if (c->flags & EQUAL)
        return given.size / MESSAGES * i;
    const size_t begin = given.size * i / (2 * MESSAGES);
    return c->flags & WHOLE || i <= MESSAGES / 2 ? begin / 16 * 16 : begin;
}

/* The nonce of message i begins i bytes later. With XAES every third message has its own prefix and two
 * groups of messages share one, or all messages share one. */
const uint8_t *many_nonce(const call *c, size_t i, size_t n)
{
    uint8_t *const to = many_nonces + n * i;

    memcpy(to, given.nonce + i, n);
    if (n == 24 && (c->flags & ALIKE || i % 3))
        memcpy(to, given.nonce + (c->flags & ALIKE ? 0 : i % 3 * 100), 12);
    return to;
}

/* A separate function, so that the examined call saves no register with a nonce. */
RIJN_APART static void prepare_many(bool opening)
{
    const size_t n = current->flags & DRAWN ? 0 : given.nonce_size;
    const rijn_column column = {.data = opening ? sealed : given.plain,
                                .size = opening ? sizeof sealed : sizeof given.plain,
                                .offsets64 = opening ? many_ends : many_begins};

    for (size_t i = 0; i <= MESSAGES; i++)
        many_begins[i] = (int64_t)many_begin(current, i);
    for (size_t i = 0; i < MESSAGES; i++)
        many_nonce(current, i, n);
    many = (rijn_many){.mode = current->mode,
                       .key = &key,
                       .siv_key = &siv_key,
                       .aegis_key = &aegis_key,
                       .count = MESSAGES,
                       .in = column,
                       .ad = {.data = given.ad, .size = given.ad_size},
                       .nonces = n ? many_nonces : NULL,
                       .nonce_size = n,
                       .out = call_out,
                       .out_size = sizeof call_out,
                       .out_offsets64 = opening ? NULL : many_ends,
                       .failed = opening ? many_failed : NULL};
    if (current->flags & LENT) {
        many.room = room;
        many.room_size = sizeof room;
    }
    if (many.mode >= RIJN_MANY_CBC)
        many.ad = (rijn_column){0};
    if (many.mode == RIJN_MANY_CMAC) {
        many.ad = (rijn_column){.data = given.plain, .size = given.size, .offsets64 = many_begins};
        if (!opening)
            many.in = (rijn_column){0};
    }
}

static rijn_status seal_many(void)
{
    prepare_many(false);
    return rijn_seal_many(&many);
}

/* Returns RIJN_ERR_STATE if it does not report exactly the third message when that is forged. */
static rijn_status open_many(void)
{
    size_t failures = 0;

    prepare_many(true);
    const rijn_status status = rijn_open_many(&many, &failures);
    const bool refused = status == RIJN_ERR_TAG;
    return failures == refused && many_failed[0] == 4 * refused ? status : RIJN_ERR_STATE;
}

CALL(seal_many_size, rijn_seal_many_size(&many, &used))
CALL(open_many_size, rijn_open_many_size(&many, &used))
VOID_CALL(spoil_message, sealed[many_ends[2]] ^= 1)

/* ---- The table ---- */

const call aes_calls[] = {
    AES_ROW(ecb_encrypt, OF_BLOCKS, .flags = WHOLE),
    AES_ROW(ecb_decrypt, OF_BLOCKS, .flags = WHOLE),
    AES_ROW(cbc_encrypt, OF_BLOCKS, .flags = WHOLE),
    AES_ROW(cbc_decrypt, OF_BLOCKS, .flags = WHOLE),
    AES_ROW(cbc_encrypt_padded, OF_BLOCKS, .flags = WHOLE),
    ROW("cbc_decrypt_padded", OF_BLOCKS, cbc_decrypt_padded,
        LIST(key_init, cbc_encrypt_padded, keep), .flags = WHOLE),
    ROW("cbc_decrypt_padded, refused", OF_BLOCKS, cbc_decrypt_padded,
        LIST(key_init, cbc_encrypt, keep), .want = RIJN_ERR_PADDING, .flags = WHOLE | REFUSES),
    AES_ROW(ige_encrypt, OF_BLOCKS, .flags = WHOLE),
    AES_ROW(ige_decrypt, OF_BLOCKS, .flags = WHOLE),
    AES_ROW(ctr_crypt, OF_CTR, AES_KEYS),
    ROW("ctr_crypt, which wraps", OF_CTR, ctr_wraps, LIST(key_init), AES_KEYS),
    AES_ROW(ctr_crypt_width, OF_CTR, AES_KEYS),
    ROW("ctr_crypt_width, every width", OF_CTR, ctr_widths, LIST(key_init), .flags = SEVERAL),
    AES_ROW(ctr_start, OF_CTR, .flags = PLAIN),
    AES_ROW(ctr_start_width, OF_CTR, .flags = PLAIN),
    ROW("ctr_update", OF_CTR, ctr_update, LIST(key_init, ctr_start), AES_KEYS),
    ROW("ctr_update, ready", OF_CTR, ctr_go_on, LIST(key_init, ctr_start, ctr_begin),
        .flags = NO_AES),
    ROW("ctr_update, in pieces", OF_CTR, ctr_pieces, LIST(key_init, ctr_start_wraps),
        .flags = SEVERAL),
    ROW("ctr_update, of 64 bits", OF_CTR, ctr_pieces, LIST(key_init, ctr_start_width_wraps),
        .flags = SEVERAL),
    ROW("ctr_skip", OF_CTR, ctr_skip, LIST(key_init, ctr_start), .flags = NO_AES),
    ROW("ctr_copy", OF_CTR, ctr_copy, LIST(key_init, copy_key, ctr_start, ctr_begin),
        .flags = NO_AES),
    ROW("ctr_wipe", OF_CTR, ctr_wipe, LIST(key_init, ctr_start, ctr_update), .flags = PLAIN,
        .keys = LIST(16), GONE(ctr)),
    AES_ROW(cfb_encrypt, OF_FEEDBACK, AES_KEYS),
    ROW("cfb_encrypt, in pieces", OF_FEEDBACK, cfb_pieces, LIST(key_init), .flags = SEVERAL),
    AES_ROW(cfb_decrypt, OF_FEEDBACK, AES_KEYS),
    AES_ROW(ofb_crypt, OF_FEEDBACK, AES_KEYS),
    AES_ROW(cfb8_encrypt, OF_FEEDBACK, .flags = SLOW),
    AES_ROW(cfb8_decrypt, OF_FEEDBACK, .flags = SLOW),
    ROW("key_init", OF_KEY, key_init, LIST(NULL), AES_KEYS),
    ROW("key_wipe", OF_KEY, key_wipe, LIST(key_init), .flags = PLAIN, GONE(key)),
    ROW("wipe", OF_KEY, any_wipe, LIST(key_init), .flags = PLAIN, .keys = LIST(16), GONE(call_out)),
    ROW("key_allow_short_tags", OF_KEY, allow, LIST(key_init), .flags = PLAIN, .keys = LIST(16)),
    ROW("cmac", OF_CMAC, cmac_whole, LIST(key_init), AES_KEYS),
    AES_ROW(cmac_start, OF_CMAC, AES_KEYS),
    ROW("cmac_update", OF_CMAC, cmac_update, LIST(key_init, cmac_start), AES_KEYS),
    ROW("cmac_update, twice", OF_CMAC, cmac_twice, LIST(key_init, cmac_start), .flags = SEVERAL),
    ROW("cmac_finish", OF_CMAC, cmac_finish, LIST(key_init, cmac_start, cmac_update), GONE(cmac)),
    ROW("cmac_verify", OF_CMAC, cmac_verify, LIST(key_init, cmac_whole, cmac_start, cmac_update),
        GONE(cmac)),
    ROW("cmac_verify, refused", OF_CMAC, cmac_reject, LIST(key_init, cmac_start, cmac_update),
        REFUSED, GONE(cmac)),
    ROW("cmac_copy", OF_CMAC, cmac_copy, LIST(key_init, copy_key, cmac_start, cmac_update),
        .flags = NO_AES),
    ROW("cmac_wipe", OF_CMAC, cmac_wipe, LIST(key_init, cmac_start, cmac_update), .flags = PLAIN,
        .keys = LIST(16), GONE(cmac)),
    AES_ROW(kw_wrap, OF_WRAP, .flags = SLOW | WHOLE),
    ROW("kw_unwrap", OF_WRAP, kw_unwrap, LIST(key_init, kw_wrap, keep), .flags = SLOW | WHOLE),
    ROW("kw_unwrap, refused", OF_WRAP, kw_refuse, LIST(key_init), REFUSED,
        .flags = SLOW | WHOLE | REFUSES),
    AES_ROW(kwp_wrap, OF_WRAP, .flags = SLOW | WHOLE),
    ROW("kwp_wrap, of one block", OF_WRAP, kwp_wrap_least, LIST(key_init), .flags = SLOW | WHOLE),
    ROW("kwp_unwrap", OF_WRAP, kwp_unwrap, LIST(key_init, kwp_wrap, keep), .flags = SLOW | WHOLE),
    ROW("kwp_unwrap, of one block", OF_WRAP, kwp_unwrap_least, LIST(key_init, kwp_wrap_least, keep),
        .flags = SLOW | WHOLE),
    ROW("kwp_unwrap, refused", OF_WRAP, kwp_refuse, LIST(key_init), REFUSED,
        .flags = SLOW | WHOLE | REFUSES),
    ROW("kwp_unwrap, of one block, refused", OF_WRAP, kwp_refuse_least, LIST(key_init), REFUSED,
        .flags = SLOW | WHOLE, .wiped = call_out, .wiped_size = 8),
    AEAD_ROWS(gcm, OF_GCM, .nonces = LIST(12, 17)),
    ROW("gcm_seal, other nonces", OF_GCM, gcm_seal, LIST(key_init), .nonces = LIST(8, 16, 60)),
    ROW("gcm_seal, a block", OF_GCM, gcm_seal_block, LIST(key_init), .nonces = LIST(12)),
    ROW("gcm_seal, tag of 4", OF_GCM, gcm_seal_short, LIST(key_init, allow), .nonces = LIST(12)),
    ROW("gcm_open, tag of 4", OF_GCM, gcm_open_short, LIST(key_init, allow, gcm_seal_short, keep),
        .nonces = LIST(12)),
    ROW("gcm_tag", OF_GCM, gcm_tag, LIST(key_init, gcm_seal, keep), .nonces = LIST(12, 17, 60)),
    ROW("gcm_tag, tag of 4", OF_GCM, gcm_tag_short, LIST(key_init, allow, gcm_seal, keep),
        .nonces = LIST(12)),
    PIECE_ROWS(gcm, OF_GCM, key_init, NO_AES, NO_AES, .nonces = LIST(12, 17, 60)),
    ROW("gcm_hash", OF_GCM, gcm_hash, LIST(key_init, gcm_start, gcm_ad), .flags = NO_AES,
        .nonces = LIST(12, 17)),
    ROW("gcm_copy", OF_GCM, gcm_copy, LIST(key_init, copy_key, gcm_start, gcm_ad, gcm_encrypt),
        .flags = NO_AES, .nonces = LIST(12)),
    ROW("gcm_part", OF_GCM, gcm_part, LIST(key_init, gcm_start, gcm_ad), .flags = NO_AES,
        .nonces = LIST(12, 17, 60)),
    ROW("gcm_encrypt, of a part", OF_GCM, gcm_in_part, LIST(key_init, gcm_start, gcm_ad, gcm_part),
        .nonces = LIST(12, 17, 60)),
    ROW("gcm_join", OF_GCM, gcm_join,
        LIST(key_init, gcm_start, gcm_part, gcm_before_part, gcm_in_part), .flags = NO_AES,
        .nonces = LIST(12, 17), GONE(part_of_gcm)),
    CHUNK_ROWS(gcm, OF_CHUNKS, key_init, .nonces = LIST(12)),
    AEAD_ROWS(gcm_siv, OF_GCM_SIV, .keys = LIST(16, 32), .nonces = LIST(12)),
    AEAD_ROWS(xaes, OF_XAES, .keys = LIST(32), .nonces = LIST(24)),
    ROW("xaes_derive", OF_XAES, xaes_derive, LIST(key_init), .keys = LIST(32), .nonces = LIST(24)),
    AEAD_ROWS(ccm, OF_CCM, .nonces = LIST(11, 12, 13)),
    AEAD_ROWS(ocb, OF_OCB, .nonces = LIST(12, 15)),
    PIECE_ROWS(ocb, OF_OCB, key_init, NO_AES, 0, .nonces = LIST(12, 15, 1)),
    ROW("ocb_copy", OF_OCB, ocb_copy, LIST(key_init, copy_key, ocb_start, ocb_ad, ocb_encrypt),
        .flags = NO_AES, .nonces = LIST(12)),
    AEAD_ROWS(eax, OF_EAX, .nonces = LIST(12, 17)),
    PIECE_ROWS(eax, OF_EAX, key_init, 0, 0, .nonces = LIST(12, 17, 60)),
    ROW("eax_copy", OF_EAX, eax_copy, LIST(key_init, copy_key, eax_start, eax_ad, eax_encrypt),
        .flags = NO_AES, .nonces = LIST(12)),
    ROW("eax_start, no nonce", OF_EAX, eax_start_empty, LIST(key_init), AES_KEYS),
    ROW("xts_key_init", OF_XTS, xts_key_init, LIST(NULL), .keys = LIST(32, 64)),
    ROW("xts_key_init, refused", OF_XTS, xts_key_refuse, LIST(halve), .want = RIJN_ERR_EQUAL_HALVES,
        .flags = NO_AES, .keys = LIST(64), GONE(xts_key)),
    ROW("xts_key_wipe", OF_XTS, xts_key_wipe, LIST(xts_key_init), .flags = PLAIN, .keys = LIST(32),
        GONE(xts_key)),
    ROW("xts_encrypt", OF_XTS, xts_encrypt, LIST(xts_key_init), .keys = LIST(32, 64)),
    ROW("xts_decrypt", OF_XTS, xts_decrypt, LIST(xts_key_init), .keys = LIST(32, 64)),
    ROW("xts_decrypt, whole blocks", OF_XTS, xts_decrypt_in_place, LIST(xts_key_init, xts_encrypt),
        .flags = WHOLE, .keys = LIST(32, 64)),
    ROW("xts_encrypt_part", OF_XTS, xts_encrypt_part, LIST(xts_key_init), .keys = LIST(32, 64)),
    ROW("xts_decrypt_part", OF_XTS, xts_decrypt_part, LIST(xts_key_init), .keys = LIST(32, 64)),
    ROW("siv_key_init", OF_SIV, siv_key_init, LIST(NULL), .keys = LIST(32, 48, 64)),
    ROW("siv_key_wipe", OF_SIV, siv_key_wipe, LIST(siv_key_init), .flags = PLAIN, .keys = LIST(32),
        GONE(siv_key)),
    ROW("siv_seal", OF_SIV, siv_seal, LIST(siv_key_init), .flags = DISCLOSES,
        .keys = LIST(32, 48, 64)),
    ROW("siv_open", OF_SIV, siv_open, LIST(siv_key_init, siv_seal, keep), .flags = DISCLOSES,
        .keys = LIST(32, 48, 64)),
    ROW("siv_open, refused", OF_SIV, siv_refuse, LIST(siv_key_init, siv_seal, keep), REFUSED,
        .flags = DISCLOSES | REFUSES, .keys = LIST(32, 48, 64)),
    MANY_AEAD_ROWS("gcm", GCM, OF_GCM, key_init, 0, .nonces = LIST(12)),
    MANY_AEAD_ROWS("gcm, one size", GCM, OF_GCM, key_init, EQUAL, .nonces = LIST(12)),
    MANY_AEAD_ROWS("gcm_siv", GCM_SIV, OF_GCM_SIV, key_init, 0, .keys = LIST(16, 32),
                   .nonces = LIST(12)),
    MANY_AEAD_ROWS("xaes", XAES, OF_XAES, key_init, 0, .keys = LIST(32), .nonces = LIST(24)),
    MANY_AEAD_ROWS("xaes, alike", XAES, OF_XAES, key_init, ALIKE, .keys = LIST(32),
                   .nonces = LIST(24)),
    MANY_AEAD_ROWS("xaes, alike, one size", XAES, OF_XAES, key_init, ALIKE | EQUAL,
                   .keys = LIST(32), .nonces = LIST(24)),
    MANY_AEAD_ROWS("xaes, lent", XAES, OF_XAES, key_init, LENT, .keys = LIST(32),
                   .nonces = LIST(24)),
    MANY_AEAD_ROWS("xaes, drawn", XAES, OF_XAES, key_init, DRAWN | DISCLOSES, .keys = LIST(32)),
    MANY_AEAD_ROWS("ccm", CCM, OF_CCM, key_init, 0, .nonces = LIST(11, 12)),
    MANY_AEAD_ROWS("ocb", OCB, OF_OCB, key_init, 0, .nonces = LIST(12)),
    MANY_AEAD_ROWS("eax", EAX, OF_EAX, key_init, 0, .nonces = LIST(11, 16)),
    MANY_AEAD_ROWS("siv", SIV, OF_SIV, siv_key_init, DISCLOSES, .keys = LIST(32, 48, 64),
                   .nonces = LIST(12, 16)),
    MANY_AEAD_ROWS("cmac", CMAC, OF_CMAC, key_init, DRAWN, AES_KEYS),
    MANY_ROWS("cbc", CBC, OF_BLOCKS, key_init, 0, AES_KEYS),
    MANY_ROWS("cbc, drawn", CBC, OF_BLOCKS, key_init, DRAWN, AES_KEYS),
    MANY_ROWS("cbc_blocks", CBC_BLOCKS, OF_BLOCKS, key_init, WHOLE, AES_KEYS),
    MANY_ROWS("ctr", CTR, OF_CTR, key_init, 0, .nonces = LIST(10, 16)),
    ROW("seal_many_size", OF_GCM, seal_many_size, LIST(key_init, seal_many), .flags = PLAIN | MANY,
        .keys = LIST(16), .nonces = LIST(12)),
    ROW("open_many_size", OF_GCM, open_many_size, LIST(key_init, seal_many), .flags = PLAIN | MANY,
        .keys = LIST(16), .nonces = LIST(12)),
};
const size_t aes_call_count = sizeof aes_calls / sizeof aes_calls[0];

const call aegis_calls[] = {
    AEGIS_ROW("key_init", aegis_key_init, LIST(NULL), .flags = PLAIN),
    AEGIS_ROW("key_wipe", aegis_key_wipe, LIST(aegis_key_init), .flags = PLAIN, GONE(aegis_key)),
    AEGIS_ROW("seal", aegis_seal, LIST(aegis_key_init), AEGIS_KEYS),
    AEGIS_ROW("seal, tag of 16", aegis_seal_16, LIST(aegis_key_init), AEGIS_KEYS),
    AEGIS_ROW("open", aegis_open, LIST(aegis_key_init, aegis_seal, keep), AEGIS_KEYS),
    AEGIS_ROW("open, refused", aegis_refuse, LIST(aegis_key_init, aegis_seal, keep), REFUSED,
              .flags = REFUSES),
    AEGIS_ROW("open, tag of 32, refused", aegis_refuse_32, LIST(aegis_key_init, aegis_seal, keep),
              REFUSED, .flags = REFUSES),
    AEGIS_ROW("mac", aegis_mac, LIST(aegis_key_init), AEGIS_KEYS),
    AEGIS_ROW("unauthenticated_keystream", aegis_keystream, LIST(aegis_key_init), AEGIS_KEYS),
    CHUNK_ROWS(aegis, OF_AEGIS, aegis_key_init, AEGIS_KEYS),
    PIECE_ROWS(aegis, OF_AEGIS, aegis_key_init, 0, 0, AEGIS_KEYS),
    AEGIS_ROW("mac_start", aegis_mac_start, LIST(aegis_key_init), AEGIS_KEYS),
    AEGIS_ROW("mac_update", aegis_mac_update,
              LIST(aegis_key_init, aegis_mac_start, aegis_mac_update), AEGIS_KEYS),
    AEGIS_ROW("mac_update, twice", aegis_mac_twice, LIST(aegis_key_init, aegis_mac_start),
              .flags = SEVERAL),
    AEGIS_ROW("mac_finish", aegis_mac_finish,
              LIST(aegis_key_init, aegis_mac_start, aegis_mac_update), GONE(aegis)),
    AEGIS_ROW("mac_verify", aegis_mac_verify,
              LIST(aegis_key_init, aegis_mac, aegis_mac_start, aegis_mac_update), GONE(aegis)),
    AEGIS_ROW("mac_verify, refused", aegis_mac_reject,
              LIST(aegis_key_init, aegis_mac_start, aegis_mac_update), REFUSED, GONE(aegis)),
    MANY_AEAD_ROWS("aegis", AEGIS, OF_AEGIS, aegis_key_init, 0, AEGIS_KEYS),
    MANY_AEAD_ROWS("aegis, drawn", AEGIS, OF_AEGIS, aegis_key_init, DRAWN, AEGIS_KEYS),
};
const size_t aegis_call_count = sizeof aegis_calls / sizeof aegis_calls[0];

/* ---- Functions of both programs ---- */

bool call_prepare(const call *c)
{
    bool prepared = true;

    current = c;
    memcpy(chain, given.iv, sizeof chain);
    used = 0;
    memset(call_out, 1, sizeof call_out);
    for (size_t i = 0; i < sizeof c->before / sizeof c->before[0] && c->before[i]; i++)
        prepared = c->before[i]() == RIJN_OK && prepared;
    memcpy(chain, given.iv, sizeof chain);
    used = 0;
    return prepared;
}

rijn_status call_run(void)
{
    public_recording = true;
    const rijn_status status = current->run();
    public_recording = false;
    return status;
}

size_t calls_forgotten(void)
{
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

    return public_forgotten(handed_no_secret, sizeof handed_no_secret / sizeof handed_no_secret[0]);
}

bool calls_notice_omission(void)
{
    memset(public_called, true, sizeof public_called);
    public_called[PUBLIC_rijn_ocb_verify] = false;
    const bool noticed = public_forgotten(NULL, 0) == 1;
    memset(public_called, false, sizeof public_called);
    return noticed;
}
