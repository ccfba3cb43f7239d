/* The firmware of `make micro-test`. It compares all algorithms of its configuration with known answers
 * and with the oracles, on the machine itself, then counts instructions.
 *
 * It prints lines that tests/micro/micro.py reads:
 *   count BACKEND WHAT INSTRUCTIONS UNITS
 *   stack BACKEND WHAT BYTES
 *   failed WHAT
 *   checks NUMBER */
#include <stdbool.h>
#include <string.h>

#include "build.h"
#include "machine.h"
#include "oracle.h"
#include "oracle_aegis.h"
#include "oracle_modes.h"
#include "rijn.h"
#include "scrub.h"

static uint32_t checks, failures;

static void check(bool passed, const char *what)
{
    checks++;
    if (passed)
        return;
    failures++;
    say("failed ");
    say(what);
    say("\n");
}

/* ---- The stack ---- *
 * Before a call, the stack below it is filled with a pattern. When the library overwrites the used area
 * (scrub.h), the call must have stayed inside and left some of it unused. Afterwards the area must
 * be zeros. The linker replaces rijn_scrub_area (--wrap) with a function that checks this. */

void __real_rijn_scrub_area(void *area, size_t size);
void __wrap_rijn_scrub_area(void *area, size_t size);
extern uint8_t bss_end[];

enum {
    PATTERN = 0xa5,
    DEEP = 6144, /* bytes to fill, if the stack has so many */
    UNDER = 192, /* frames of the functions that fill, check and overwrite */
    SPARE = 64   /* bytes that no call may reach */
};

static uint8_t *lowest; /* beginning of the filled stack; NULL: do not check */
static uint8_t *filled; /* its end */
static bool clean;

RIJN_APART static void fill_stack(void)
{
    uint8_t *const top = (uint8_t *)__builtin_frame_address(0) - UNDER;

    lowest = (uintptr_t)top - (uintptr_t)bss_end > DEEP ? top - DEEP : bss_end;
    filled = top;
    memset(lowest, PATTERN, (size_t)(top - lowest));
    clean = false;
}

static bool all(const uint8_t *bytes, size_t size, uint8_t value)
{
    for (; size; size--)
        if (*bytes++ != value)
            return false;
    return true;
}

void __wrap_rijn_scrub_area(void *area, size_t size)
{
    uint8_t *const from = area, *const under = lowest;

    if (!under) {
        __real_rijn_scrub_area(area, size);
        return;
    }
    lowest = NULL;
    /* A small area may end above the filled stack. */
    const size_t spare = from + SPARE <= filled ? SPARE : 0;
    clean = from >= under + UNDER && all(under, (size_t)(from - UNDER - under), PATTERN) &&
            all(from, spare, PATTERN);
    __real_rijn_scrub_area(area, size);
    clean = clean && all(from, size, 0);
}

/* Checks the stack after a call. Calls that refuse their arguments do not overwrite it.
 * rijn_aegis_key_init, which copies the key, and rijn_ctr_start, which copies the counter, do not
 * either. */
static rijn_status looked(rijn_status status, const char *what)
{
    lowest = NULL;
    check(clean || (status != RIJN_OK && status != RIJN_ERR_TAG), what);
    return status;
}

#define CALL(call) (fill_stack(), looked(call, "stack of " #call))
/* Join these with &&: operands of | may be prepared before either is called. */
#define DONE(call) (CALL(call) == RIJN_OK)
/* For calls that start no work on secrets, so they overwrite nothing. */
#define PUBLIC(call) ((call) == RIJN_OK)

RIJN_APART static rijn_status deep_work(void)
{
    volatile uint8_t bytes[512];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 1;
    return (rijn_status)(bytes[7] - 1);
}

RIJN_APART static rijn_status as_deep_as_said(void)
{
    return rijn_scrub(deep_work(), 768);
}

RIJN_APART static rijn_status deeper_than_said(void)
{
    return rijn_scrub(deep_work(), 256);
}

static void check_looking(void)
{
    fill_stack();
    check(as_deep_as_said() == RIJN_OK && clean, "a stack that is overwritten");
    fill_stack();
    check(deeper_than_said() == RIJN_OK && !clean, "a stack that is not, below");
    fill_stack();
    check(deep_work() == RIJN_OK && !clean, "a stack that is not");
    lowest = NULL;
}

static uint32_t state = 2463534242;

/* xorshift (Marsaglia, 2003) */
static uint8_t *fill(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        bytes[i] = (uint8_t)(state >> 11);
    }
    return bytes;
}

static bool zeros(const uint8_t *bytes, size_t size)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < size; i++)
        sum |= bytes[i];
    return sum == 0;
}

enum { MOST = 150 }; /* bytes of the longest checked message */
_Alignas(4) static uint8_t plain[MOST + 19], cipher[MOST + 19], room[MOST + 19];
static uint8_t key_bytes[64], nonce[32], ad[48], tag[32], right_tag[32];
#if RIJN_BUILD_AES
static oracle_key right;
static rijn_key key;
#endif

/* Sizes around whole blocks, pairs of blocks and units of AEGIS. */
static const uint8_t sizes[] = {0, 1, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 96, 127, 150};

/* Encrypts, decrypts and verifies a message in pieces of several sizes, refuses and abandons it. cipher
 * and right_tag are the results of the oracle. */
#define IN_PIECES(mode, least, start, last_ad, finish, verify) \
    for (size_t piece = (least); piece < 66; piece += (least) + 5 * ((least) == 1)) { \
        bool done = (start) && DONE(rijn_##mode##_ad(&message, ad, 20)) && (last_ad); \
        for (size_t at = 0; at < MOST; at += piece) \
            done = done && DONE(rijn_##mode##_encrypt(&message, room + at, plain + at, \
                                                      MOST - at < piece ? MOST - at : piece)); \
        done = done && DONE(finish); \
        check(memcmp(room, cipher, MOST) == 0 && memcmp(tag, right_tag, 16) == 0 && done, \
              #mode ", in pieces"); \
        done = (start) && DONE(rijn_##mode##_ad(&message, ad, 21)); \
        for (size_t at = 0; at < MOST; at += piece) \
            done = done && DONE(rijn_##mode##_decrypt(&message, room + at, room + at, \
                                                      MOST - at < piece ? MOST - at : piece)); \
        done = done && DONE(verify); \
        check(memcmp(room, plain, MOST) == 0 && done, #mode ", decrypted in pieces"); \
        check((start) && DONE(rijn_##mode##_decrypt(&message, room, cipher, piece)) && \
                  CALL(verify) == RIJN_ERR_TAG && zeros((uint8_t *)&message, sizeof message), \
              #mode ", refused in pieces"); \
        done = (start); \
        rijn_##mode##_wipe(&message); \
        check(zeros((uint8_t *)&message, sizeof message) && done, #mode ", wiped"); \
    }

/* Copies a message after 48 bytes, and ends the copy. */
#define COPIED(mode, start, finish) \
    { \
        rijn_##mode copy; \
        memset(room, 0, MOST); \
        check((start) && DONE(rijn_##mode##_ad(&message, ad, 21)) && \
                  DONE(rijn_##mode##_encrypt(&message, room, plain, 48)) && \
                  DONE(rijn_##mode##_copy(&copy, &message, &key)) && \
                  DONE(rijn_##mode##_encrypt(&copy, room + 48, plain + 48, MOST - 48)) && \
                  DONE(finish) && memcmp(room, cipher, MOST) == 0 && \
                  memcmp(tag, right_tag, 16) == 0, \
              #mode ", copied"); \
        rijn_##mode##_wipe(&message); \
    }

#if RIJN_BUILD_AES

typedef rijn_status seal_function(const rijn_key *, uint8_t *, uint8_t *, size_t, const uint8_t *,
                                  size_t, const uint8_t *, size_t, const uint8_t *, size_t);
typedef rijn_status open_function(const rijn_key *, uint8_t *, const uint8_t *, size_t,
                                  const uint8_t *, size_t, const uint8_t *, size_t, const uint8_t *,
                                  size_t);

/* Checks that sealing and opening agree with the oracle, with inputs and outputs at every alignment and
 * in place, and that opening refuses another tag. */
static void check_aead(const char *what, const char *backend, oracle_aead *oracle,
                       seal_function *seal, open_function *open, size_t key_size, size_t nonce_size)
{
    for (size_t i = 0; i < sizeof sizes; i++) {
        const size_t size = sizes[i], ad_size = (size * 7 + i) % sizeof ad;
        uint8_t *const out = room + i % 4, *const in = plain + i / 4;

        fill(key_bytes, key_size);
        fill(nonce, nonce_size);
        fill(ad, ad_size);
        fill(in, size);
        check(CALL(rijn_key_init(&key, key_bytes, key_size, backend)) == RIJN_OK, what);
        oracle(key_bytes, key_size, cipher, right_tag, 16, nonce, nonce_size, ad, ad_size, in,
               size);
        check(CALL(seal(&key, out, tag, 16, nonce, nonce_size, ad, ad_size, in, size)) == RIJN_OK &&
                  memcmp(out, cipher, size) == 0 && memcmp(tag, right_tag, 16) == 0,
              what);
        tag[i % 16] ^= 1;
        memset(cipher, 0xa5, size);
        check(CALL(open(&key, cipher, tag, 16, nonce, nonce_size, ad, ad_size, out, size)) ==
                      RIJN_ERR_TAG &&
                  zeros(cipher, size),
              what);
        check(CALL(open(&key, out, right_tag, 16, nonce, nonce_size, ad, ad_size, out, size)) ==
                      RIJN_OK &&
                  memcmp(out, in, size) == 0,
              what);
    }
}

#define AEAD(name, key_size, nonce_size) \
    check_aead(#name, backend, oracle_##name, rijn_##name##_seal, rijn_##name##_open, key_size, \
               nonce_size)

#if RIJN_WITH_GCM

static void oracle_of_gcm(const uint8_t *bytes, size_t key_size, uint8_t *out, uint8_t *its_tag,
                          size_t tag_size, const uint8_t *its_nonce, size_t nonce_size,
                          const uint8_t *its_ad, size_t ad_size, const uint8_t *in, size_t size)
{
    (void)tag_size;
    oracle_init(&right, bytes, key_size);
    oracle_gcm(&right, false, out, its_tag, its_nonce, nonce_size, its_ad, ad_size, in, size);
}

/* Test case 4 of "The Galois/Counter Mode of Operation" (McGrew and Viega), appendix B. */
static void known_gcm(const char *backend)
{
    static const uint8_t bytes[16] = {0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c,
                                      0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08};
    static const uint8_t iv[12] = {0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce,
                                   0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88};
    static const uint8_t said[20] = {0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xfe, 0xed,
                                     0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xab, 0xad, 0xda, 0xd2};
    static const uint8_t text[60] = {
        0xd9, 0x31, 0x32, 0x25, 0xf8, 0x84, 0x06, 0xe5, 0xa5, 0x59, 0x09, 0xc5, 0xaf, 0xf5, 0x26,
        0x9a, 0x86, 0xa7, 0xa9, 0x53, 0x15, 0x34, 0xf7, 0xda, 0x2e, 0x4c, 0x30, 0x3d, 0x8a, 0x31,
        0x8a, 0x72, 0x1c, 0x3c, 0x0c, 0x95, 0x95, 0x68, 0x09, 0x53, 0x2f, 0xcf, 0x0e, 0x24, 0x49,
        0xa6, 0xb5, 0x25, 0xb1, 0x6a, 0xed, 0xf5, 0xaa, 0x0d, 0xe6, 0x57, 0xba, 0x63, 0x7b, 0x39};
    static const uint8_t its_tag[16] = {0x5b, 0xc9, 0x4f, 0xbc, 0x32, 0x21, 0xa5, 0xdb,
                                        0x94, 0xfa, 0xe9, 0x5a, 0xe7, 0x12, 0x1a, 0x47};

    check(CALL(rijn_key_init(&key, bytes, 16, backend)) == RIJN_OK &&
              CALL(rijn_gcm_seal(&key, room, tag, 16, iv, 12, said, 20, text, 60)) == RIJN_OK &&
              memcmp(tag, its_tag, 16) == 0,
          "gcm, known answer");
}

#endif

#if RIJN_WITH_GCM_PIECES

static void pieces_gcm(void)
{
    rijn_gcm message, part;

    oracle_of_gcm(key_bytes, 32, cipher, right_tag, 16, nonce, 7, ad, 21, plain, MOST);
    IN_PIECES(gcm, 1, DONE(rijn_gcm_start(&message, &key, nonce, 7)),
              PUBLIC(rijn_gcm_ad(&message, ad + 20, 1)), rijn_gcm_finish(&message, tag, 16),
              rijn_gcm_verify(&message, tag, 16))
    COPIED(gcm, DONE(rijn_gcm_start(&message, &key, nonce, 7)), rijn_gcm_finish(&copy, tag, 16))
    check(DONE(rijn_gcm_start(&message, &key, nonce, 7)) && DONE(rijn_gcm_ad(&message, ad, 21)) &&
              DONE(rijn_gcm_hash(&message, cipher, MOST)) &&
              DONE(rijn_gcm_finish(&message, tag, 16)) && memcmp(tag, right_tag, 16) == 0,
          "gcm, of ciphertext");
    memset(tag, 0, 16);
    check(CALL(rijn_gcm_tag(&key, tag, 16, nonce, 7, ad, 21, cipher, MOST)) == RIJN_OK &&
              memcmp(tag, right_tag, 16) == 0,
          "gcm, the tag of a ciphertext");
    check(DONE(rijn_gcm_start(&message, &key, nonce, 7)) && DONE(rijn_gcm_ad(&message, ad, 21)) &&
              DONE(rijn_gcm_part(&part, &message, 48)) &&
              DONE(rijn_gcm_encrypt(&part, room + 48, plain + 48, MOST - 48)) &&
              DONE(rijn_gcm_encrypt(&message, room, plain, 48)) &&
              DONE(rijn_gcm_join(&message, &part)) && DONE(rijn_gcm_finish(&message, tag, 16)) &&
              memcmp(room, cipher, MOST) == 0 && memcmp(tag, right_tag, 16) == 0,
          "gcm, in parts");
}

#endif

#if RIJN_WITH_OCB

static void pieces_ocb(void)
{
    rijn_ocb message;

    oracle_ocb(key_bytes, 32, cipher, right_tag, 16, nonce, 12, ad, 21, plain, MOST);
    IN_PIECES(ocb, 16, PUBLIC(rijn_ocb_start(&message, &key, 16, nonce, 12)),
              PUBLIC(rijn_ocb_ad(&message, ad + 20, 1)), rijn_ocb_finish(&message, tag),
              rijn_ocb_verify(&message, tag))
    COPIED(ocb, PUBLIC(rijn_ocb_start(&message, &key, 16, nonce, 12)), rijn_ocb_finish(&copy, tag))
}

#endif

#if RIJN_WITH_EAX

static void pieces_eax(void)
{
    rijn_eax message;

    oracle_eax(key_bytes, 32, cipher, right_tag, 16, nonce, 16, ad, 21, plain, MOST);
    IN_PIECES(eax, 1, DONE(rijn_eax_start(&message, &key, nonce, 16)),
              DONE(rijn_eax_ad(&message, ad + 20, 1)), rijn_eax_finish(&message, tag, 16),
              rijn_eax_verify(&message, tag, 16))
    COPIED(eax, DONE(rijn_eax_start(&message, &key, nonce, 16)), rijn_eax_finish(&copy, tag, 16))
}

#endif

#if RIJN_WITH_CMAC

static void pieces_cmac(void)
{
    rijn_cmac_state message;

    oracle_init(&right, key_bytes, 32);
    oracle_cmac(&right, right_tag, plain, MOST);
    for (size_t piece = 1; piece < 40; piece += 6) {
        bool done = DONE(rijn_cmac_start(&message, &key));
        for (size_t at = 0; at < MOST; at += piece)
            done = done && DONE(rijn_cmac_update(&message, plain + at,
                                                 MOST - at < piece ? MOST - at : piece));
        rijn_cmac_state copy, another;
        done = done && DONE(rijn_cmac_copy(&copy, &message, &key)) &&
               DONE(rijn_cmac_copy(&another, &message, &key)) &&
               DONE(rijn_cmac_finish(&message, tag, 16)) &&
               DONE(rijn_cmac_verify(&copy, right_tag, 16));
        check(done && memcmp(tag, right_tag, 16) == 0, "cmac, in pieces");
        tag[piece % 16] ^= 1;
        check(CALL(rijn_cmac_verify(&another, tag, 16)) == RIJN_ERR_TAG &&
                  zeros((uint8_t *)&another, sizeof another),
              "cmac, refused");
        done = DONE(rijn_cmac_start(&message, &key));
        rijn_cmac_wipe(&message);
        check(done && zeros((uint8_t *)&message, sizeof message), "cmac, wiped");
    }
}

#endif

#if RIJN_WITH_CTR

static void pieces_ctr(void)
{
    rijn_ctr message;

    oracle_init(&right, key_bytes, 32);
    oracle_ctr(&right, nonce, cipher, plain, MOST);
    for (size_t piece = 1; piece < 40; piece += 6) {
        bool done = rijn_ctr_start(&message, &key, nonce) == RIJN_OK;
        for (size_t at = 0; at < MOST; at += piece)
            done = done && DONE(rijn_ctr_update(&message, room + at, plain + at,
                                                MOST - at < piece ? MOST - at : piece));
        check(done && memcmp(room, cipher, MOST) == 0, "ctr, in pieces");
    }
    check(rijn_ctr_start(&message, &key, nonce) == RIJN_OK && DONE(rijn_ctr_skip(&message, 3)) &&
              DONE(rijn_ctr_update(&message, room, plain + 48, MOST - 48)) &&
              memcmp(room, cipher + 48, MOST - 48) == 0,
          "ctr, from its third block on");
    rijn_ctr copy;
    check(rijn_ctr_start(&message, &key, nonce) == RIJN_OK &&
              DONE(rijn_ctr_update(&message, room, plain, 5)) &&
              DONE(rijn_ctr_copy(&copy, &message, &key)) &&
              DONE(rijn_ctr_update(&copy, room + 5, plain + 5, MOST - 5)) &&
              memcmp(room, cipher, MOST) == 0,
          "ctr, copied");
    memset(nonce + 8, 0xff, 8);
    oracle_ctr_width(&right, 64, false, nonce, cipher, plain, MOST);
    check(rijn_ctr_start_width(&message, &key, 64, 0, nonce) == RIJN_OK &&
              DONE(rijn_ctr_update(&message, room, plain, MOST)) && memcmp(room, cipher, MOST) == 0,
          "ctr, in pieces, a counter that wraps");
    rijn_ctr_wipe(&message);
    check(zeros((uint8_t *)&message, sizeof message), "ctr, wiped");
}

#endif

#if RIJN_WITH_XAES

/* A key derived for a nonce is a key for GCM. */
static void derived_xaes(void)
{
    rijn_key derived;

    oracle_xaes(key_bytes, 32, cipher, right_tag, 16, nonce, 24, ad, 21, plain, MOST);
    check(CALL(rijn_xaes_derive(&derived, &key, nonce)) == RIJN_OK &&
              CALL(rijn_gcm_seal(&derived, room, tag, 16, nonce + 12, 12, ad, 21, plain, MOST)) ==
                  RIJN_OK &&
              memcmp(room, cipher, MOST) == 0 && memcmp(tag, right_tag, 16) == 0,
          "xaes, a derived key");
    rijn_key_wipe(&derived);
    check(zeros((uint8_t *)&derived, sizeof derived), "xaes, wiped");
}

#endif

static void check_pieces(const char *backend)
{
    fill(key_bytes, 32);
    fill(nonce, 32);
    fill(ad, 21);
    fill(plain, MOST);
    check(CALL(rijn_key_init(&key, key_bytes, 32, backend)) == RIJN_OK &&
              strcmp(rijn_key_backend(&key), backend) == 0,
          "key");
#if RIJN_WITH_GCM_PIECES
    pieces_gcm();
#endif
#if RIJN_WITH_OCB
    pieces_ocb();
#endif
#if RIJN_WITH_EAX
    pieces_eax();
#endif
#if RIJN_WITH_CMAC
    pieces_cmac();
#endif
#if RIJN_WITH_XAES
    derived_xaes();
#endif
#if RIJN_WITH_CTR
    pieces_ctr();
#endif
#if RIJN_WITH_GCM
    check(rijn_gcm_seal(&key, room, tag, 8, nonce, 12, ad, 0, plain, 16) == RIJN_ERR_TAG_SIZE &&
              rijn_key_allow_short_tags(&key) == RIJN_OK &&
              CALL(rijn_gcm_seal(&key, room, tag, 8, nonce, 12, ad, 0, plain, 16)) == RIJN_OK,
          "gcm, a short tag");
#endif
    rijn_key_wipe(&key);
    check(zeros((uint8_t *)&key, sizeof key) && rijn_key_backend(&key)[0] == '\0', "key, wiped");
}

static void check_modes(const char *backend)
{
    for (size_t key_size = 16; key_size <= 32; key_size += 8) {
#if RIJN_WITH_GCM
        check_aead("gcm", backend, oracle_of_gcm, rijn_gcm_seal, rijn_gcm_open, key_size, 12);
        check_aead("gcm, long nonce", backend, oracle_of_gcm, rijn_gcm_seal, rijn_gcm_open,
                   key_size, 20);
#endif
#if RIJN_WITH_CCM
        AEAD(ccm, key_size, 12);
#endif
#if RIJN_WITH_OCB
        AEAD(ocb, key_size, 12);
#endif
#if RIJN_WITH_EAX
        AEAD(eax, key_size, 16);
#endif
#if RIJN_WITH_GCM_SIV
        if (key_size != 24)
            AEAD(gcm_siv, key_size, 12);
#endif
#if RIJN_WITH_XAES
        if (key_size == 32)
            AEAD(xaes, key_size, 24);
#endif
        fill(key_bytes, 64);
        fill(nonce, 32);
        oracle_init(&right, key_bytes, key_size);
        check(CALL(rijn_key_init(&key, key_bytes, key_size, backend)) == RIJN_OK, "key");
        for (size_t i = 0; i < sizeof sizes; i++) {
            const size_t size = sizes[i], whole = size / 16 * 16;
            uint8_t iv[32];

            (void)whole;
            memcpy(iv, nonce, 32);
            fill(plain, size);
#if RIJN_WITH_CTR
            oracle_ctr(&right, nonce, cipher, plain, size);
            check(CALL(rijn_ctr_crypt(&key, nonce, room, plain, size)) == RIJN_OK &&
                      memcmp(room, cipher, size) == 0,
                  "ctr");
            memset(iv + 8, 0xff, 8);
            oracle_ctr_width(&right, 64, false, iv, cipher, plain, size);
            check(CALL(rijn_ctr_crypt_width(&key, 64, 0, iv, room, plain, size)) == RIJN_OK &&
                      memcmp(room, cipher, size) == 0,
                  "ctr, a counter that wraps");
            oracle_ctr_width(&right, 32, true, iv, cipher, plain, size);
            check(CALL(rijn_ctr_crypt_width(&key, 32, 1, iv, room, plain, size)) == RIJN_OK &&
                      memcmp(room, cipher, size) == 0,
                  "ctr, little-endian");
#endif
#if RIJN_WITH_ECB
            oracle_ecb(&right, false, cipher, plain, whole);
            check(CALL(rijn_ecb_encrypt(&key, room, plain, whole)) == RIJN_OK &&
                      memcmp(room, cipher, whole) == 0 &&
                      CALL(rijn_ecb_decrypt(&key, room, room, whole)) == RIJN_OK &&
                      memcmp(room, plain, whole) == 0,
                  "ecb");
#endif
#if RIJN_WITH_CBC
            oracle_cbc(&right, false, nonce, cipher, plain, whole);
            memcpy(iv, nonce, 16);
            check(CALL(rijn_cbc_encrypt(&key, iv, room, plain, whole)) == RIJN_OK &&
                      memcmp(room, cipher, whole) == 0,
                  "cbc, encryption");
            memcpy(iv, nonce, 16);
            check(CALL(rijn_cbc_decrypt(&key, iv, room, room, whole)) == RIJN_OK &&
                      memcmp(room, plain, whole) == 0,
                  "cbc, decryption");
            memset(plain + size, (int)(16 + whole - size), 16 + whole - size);
            oracle_cbc(&right, false, nonce, cipher, plain, whole + 16);
            size_t opened = 0;
            check(CALL(rijn_cbc_encrypt_padded(&key, nonce, room, plain, size)) == RIJN_OK &&
                      memcmp(room, cipher, whole + 16) == 0 &&
                      CALL(rijn_cbc_decrypt_padded(&key, nonce, room, &opened, room, whole + 16)) ==
                          RIJN_OK &&
                      opened == size && memcmp(room, plain, size) == 0,
                  "cbc, padded");
#endif
#if RIJN_WITH_CMAC
            oracle_cmac(&right, right_tag, plain, size);
            check(CALL(rijn_cmac(&key, tag, 16, plain, size)) == RIJN_OK &&
                      memcmp(tag, right_tag, 16) == 0,
                  "cmac");
#endif
#if RIJN_WITH_FEEDBACK
            size_t used = 0;
            oracle_cfb(&right, false, 16, nonce, cipher, plain, size);
            memcpy(iv, nonce, 32);
            check(CALL(rijn_cfb_encrypt(&key, iv, &used, room, plain, size)) == RIJN_OK &&
                      memcmp(room, cipher, size) == 0,
                  "cfb, encryption");
            memcpy(iv, nonce, 32);
            check(CALL(rijn_cfb_decrypt(&key, iv, NULL, room, cipher, size)) == RIJN_OK &&
                      memcmp(room, plain, size) == 0,
                  "cfb, decryption");
            oracle_ofb(&right, nonce, cipher, plain, size);
            memcpy(iv, nonce, 32);
            check(CALL(rijn_ofb_crypt(&key, iv, NULL, room, plain, size)) == RIJN_OK &&
                      memcmp(room, cipher, size) == 0,
                  "ofb");
            oracle_cfb(&right, false, 1, nonce, cipher, plain, size);
            memcpy(iv, nonce, 32);
            check(CALL(rijn_cfb8_encrypt(&key, iv, room, plain, size)) == RIJN_OK &&
                      memcmp(room, cipher, size) == 0,
                  "cfb8, encryption");
            memcpy(iv, nonce, 32);
            check(CALL(rijn_cfb8_decrypt(&key, iv, room, cipher, size)) == RIJN_OK &&
                      memcmp(room, plain, size) == 0,
                  "cfb8, decryption");
            oracle_ige(&right, false, nonce, cipher, plain, whole);
            memcpy(iv, nonce, 32);
            check(CALL(rijn_ige_encrypt(&key, iv, room, plain, whole)) == RIJN_OK &&
                      memcmp(room, cipher, whole) == 0,
                  "ige, encryption");
            oracle_ige(&right, true, nonce, cipher, plain, whole);
            memcpy(iv, nonce, 32);
            check(CALL(rijn_ige_decrypt(&key, iv, room, plain, whole)) == RIJN_OK &&
                      memcmp(room, cipher, whole) == 0,
                  "ige");
#endif
#if RIJN_WITH_XTS
            if (key_size != 24 && size >= 16) {
                rijn_xts_key xts;
                oracle_xts(key_bytes, 2 * key_size, false, nonce, cipher, plain, size);
                check(CALL(rijn_xts_key_init(&xts, key_bytes, 2 * key_size, backend)) == RIJN_OK &&
                          CALL(rijn_xts_encrypt(&xts, nonce, room, plain, size)) == RIJN_OK &&
                          memcmp(room, cipher, size) == 0 &&
                          CALL(rijn_xts_decrypt(&xts, nonce, room, room, size)) == RIJN_OK &&
                          memcmp(room, plain, size) == 0,
                      "xts");
                if (size >= 32) {
                    check(CALL(rijn_xts_encrypt_part(&xts, nonce, 0, room, plain, 16)) == RIJN_OK &&
                              CALL(rijn_xts_encrypt_part(&xts, nonce, 16, room + 16, plain + 16,
                                                         size - 16)) == RIJN_OK &&
                              memcmp(room, cipher, size) == 0 &&
                              CALL(rijn_xts_decrypt_part(&xts, nonce, 0, room, room, 16)) ==
                                  RIJN_OK &&
                              CALL(rijn_xts_decrypt_part(&xts, nonce, 16, room + 16, room + 16,
                                                         size - 16)) == RIJN_OK &&
                              memcmp(room, plain, size) == 0,
                          "xts, in parts");
                }
                rijn_xts_key_wipe(&xts);
                check(zeros((uint8_t *)&xts, sizeof xts), "xts, wiped");
            }
#endif
#if RIJN_WITH_SIV
            rijn_siv_key siv;
            const rijn_string string = {.bytes = nonce, .size = 11};
            oracle_siv(key_bytes, 2 * key_size, cipher, right_tag, &string, 1, plain, size);
            check(CALL(rijn_siv_key_init(&siv, key_bytes, 2 * key_size, backend)) == RIJN_OK &&
                      CALL(rijn_siv_seal(&siv, room, tag, &string, 1, plain, size)) == RIJN_OK &&
                      memcmp(room, cipher, size) == 0 && memcmp(tag, right_tag, 16) == 0,
                  "siv");
            check(CALL(rijn_siv_open(&siv, room, right_tag, &string, 1, cipher, size)) == RIJN_OK &&
                      memcmp(room, plain, size) == 0,
                  "siv, opened");
            tag[i % 16] ^= 1;
            check(CALL(rijn_siv_open(&siv, room, tag, &string, 1, cipher, size)) == RIJN_ERR_TAG &&
                      zeros(room, size),
                  "siv, refused");
            rijn_siv_key_wipe(&siv);
            check(zeros((uint8_t *)&siv, sizeof siv), "siv, wiped");
#endif
#if RIJN_WITH_KEYWRAP
            if (whole >= 16) {
                oracle_kw(&right, cipher, plain, whole);
                check(CALL(rijn_kw_wrap(&key, room, plain, whole)) == RIJN_OK &&
                          memcmp(room, cipher, whole + 8) == 0 &&
                          CALL(rijn_kw_unwrap(&key, room, cipher, whole + 8)) == RIJN_OK &&
                          memcmp(room, plain, whole) == 0,
                      "kw");
            }
            if (size) {
                const size_t wrapped = oracle_kwp(&right, cipher, plain, size);
                size_t unwrapped = 0;
                check(CALL(rijn_kwp_wrap(&key, room, plain, size)) == RIJN_OK &&
                          memcmp(room, cipher, wrapped) == 0 &&
                          CALL(rijn_kwp_unwrap(&key, room, &unwrapped, cipher, wrapped)) ==
                              RIJN_OK &&
                          unwrapped == size && memcmp(room, plain, size) == 0,
                      "kwp");
                cipher[wrapped - 1] ^= 1;
                check(CALL(rijn_kwp_unwrap(&key, room, &unwrapped, cipher, wrapped)) ==
                              RIJN_ERR_TAG &&
                          unwrapped == 0 && zeros(room, wrapped - 8),
                      "kwp, refused");
            }
#endif
        }
    }
#if RIJN_WITH_GCM
    known_gcm(backend);
#endif
    check_pieces(backend);
}

#endif

#if RIJN_WITH_AEGIS

/* AEGIS-128L, which has units of 32 bytes, in calls other than whole messages. */
static void pieces_aegis(const char *backend)
{
    rijn_aegis_key aegis;
    rijn_aegis message;

    check(rijn_aegis_key_init(&aegis, RIJN_AEGIS_128L, key_bytes, 16, backend) == RIJN_OK &&
              strcmp(rijn_aegis_key_backend(&aegis), backend) == 0 &&
              rijn_aegis_key_kernel(&aegis)[0] != '\0',
          "aegis, key");
    oracle_aegis_crypt(RIJN_AEGIS_128L, false, key_bytes, nonce, ad, 21, cipher, plain, MOST,
                       right_tag, 16);
    IN_PIECES(aegis, 1, DONE(rijn_aegis_start(&message, &aegis, nonce, 16)),
              DONE(rijn_aegis_ad(&message, ad + 20, 1)), rijn_aegis_finish(&message, tag, 16),
              rijn_aegis_verify(&message, tag, 16))
    oracle_aegis_mac(RIJN_AEGIS_128L, key_bytes, nonce, plain, MOST, right_tag, 16);
    check(DONE(rijn_aegis_mac(&aegis, tag, 16, nonce, 16, plain, MOST)) &&
              memcmp(tag, right_tag, 16) == 0,
          "aegismac");
    check(DONE(rijn_aegis_mac_start(&message, &aegis, nonce, 16)) &&
              DONE(rijn_aegis_mac_update(&message, plain, 33)) &&
              DONE(rijn_aegis_mac_update(&message, plain + 33, MOST - 33)) &&
              DONE(rijn_aegis_mac_finish(&message, tag, 16)) && memcmp(tag, right_tag, 16) == 0,
          "aegismac, in pieces");
    tag[3] ^= 1;
    check(DONE(rijn_aegis_mac_start(&message, &aegis, nonce, 16)) &&
              DONE(rijn_aegis_mac_update(&message, plain, MOST)) &&
              CALL(rijn_aegis_mac_verify(&message, tag, 16)) == RIJN_ERR_TAG &&
              zeros((uint8_t *)&message, sizeof message),
          "aegismac, refused");
    memset(plain, 0, MOST);
    oracle_aegis_crypt(RIJN_AEGIS_128L, false, key_bytes, nonce, ad, 0, cipher, plain, MOST,
                       right_tag, 16);
    check(DONE(rijn_aegis_unauthenticated_keystream(&aegis, room, MOST, nonce, 16)) &&
              memcmp(room, cipher, MOST) == 0,
          "aegis, keystream");
    rijn_aegis_key_wipe(&aegis);
    check(zeros((uint8_t *)&aegis, sizeof aegis), "aegis, wiped");
}

static void check_aegis(const char *backend)
{
    static const uint8_t known_key[16] = {0x10, 0x01}, known_nonce[16] = {0x10, 0x00, 0x02};
    static const uint8_t known_tag[16] = {0xab, 0xe0, 0xec, 0xe8, 0x0c, 0x24, 0x86, 0x8a,
                                          0x22, 0x6a, 0x35, 0xd1, 0x6b, 0xda, 0xe3, 0x7a};
    rijn_aegis_key aegis;

    memset(plain, 0, 16);
    check(rijn_aegis_key_init(&aegis, RIJN_AEGIS_128L, known_key, 16, backend) == RIJN_OK &&
              CALL(rijn_aegis_seal(&aegis, room, tag, 16, known_nonce, 16, NULL, 0, plain, 16)) ==
                  RIJN_OK &&
              memcmp(tag, known_tag, 16) == 0,
          "aegis-128l, known answer");
    for (int v = 0; v < (int)RIJN_AEGIS_VARIANTS; v++) {
        const rijn_aegis_variant variant = (rijn_aegis_variant)v;
        const size_t key_size = rijn_aegis_key_size(variant);
        const char *const what = rijn_aegis_name(variant);
#if !RIJN_WITH_AEGIS_X
        if (variant != RIJN_AEGIS_128L && variant != RIJN_AEGIS_256) {
            check(rijn_aegis_key_init(&aegis, variant, key_bytes, key_size, backend) ==
                          RIJN_ERR_UNAVAILABLE &&
                      CALL(rijn_aegis_seal(&aegis, room, tag, 16, nonce, key_size, ad, 0, plain,
                                           16)) == RIJN_ERR_STATE,
                  what);
            continue;
        }
#endif
        for (size_t i = 0; i < sizeof sizes; i++) {
            const size_t size = sizes[i], ad_size = (size * 5 + i) % sizeof ad;
            const size_t tag_size = i % 2 ? 16 : 32;
            uint8_t *const out = room + i % 4, *const in = plain + i / 4;

            fill(key_bytes, key_size);
            fill(nonce, key_size);
            fill(ad, ad_size);
            fill(in, size);
            oracle_aegis_crypt(variant, false, key_bytes, nonce, ad, ad_size, cipher, in, size,
                               right_tag, tag_size);
            check(rijn_aegis_key_init(&aegis, variant, key_bytes, key_size, backend) == RIJN_OK &&
                      CALL(rijn_aegis_seal(&aegis, out, tag, tag_size, nonce, key_size, ad, ad_size,
                                           in, size)) == RIJN_OK &&
                      memcmp(out, cipher, size) == 0 && memcmp(tag, right_tag, tag_size) == 0,
                  what);
            tag[i] ^= 128;
            memset(cipher, 0xa5, size);
            check(CALL(rijn_aegis_open(&aegis, cipher, tag, tag_size, nonce, key_size, ad, ad_size,
                                       out, size)) == (rijn_status)RIJN_ERR_TAG &&
                      zeros(cipher, size),
                  what);
            check(CALL(rijn_aegis_open(&aegis, out, right_tag, tag_size, nonce, key_size, ad,
                                       ad_size, out, size)) == RIJN_OK &&
                      memcmp(out, in, size) == 0,
                  what);
        }
    }
    pieces_aegis(backend);
}

#endif

#if RIJN_WITH_CHUNKS

enum { CHUNK = 40, FIRST = 254, CHUNKS = 3, RUN = 2 * CHUNK + 21, SEALED = RUN + 16 * CHUNKS };

/* Compares three chunks of a run, the last one short, with the oracles. The number of the chunk carries,
 * so it changes the last two bytes of the nonce. */
static void check_chunks(const char *backend)
{
    rijn_aegis_key aegis;
    uint64_t bad = 0;

    fill(key_bytes, 32);
    fill(plain, RUN);
    check(CALL(rijn_key_init(&key, key_bytes, 32, backend)) == RIJN_OK &&
              rijn_aegis_key_init(&aegis, RIJN_AEGIS_128L, key_bytes, 16, backend) == RIJN_OK,
          "chunks, keys");
    for (int of_aegis = 0; of_aegis < 2; of_aegis++) {
        const char *const what = of_aegis ? "chunks of aegis" : "chunks of gcm";
        const size_t nonce_size = of_aegis ? 16 : 12;

        fill(nonce, nonce_size);
        for (size_t i = 0; i < CHUNKS; i++) {
            const size_t at = i * CHUNK, size = i < CHUNKS - 1 ? CHUNK : RUN - at;
            uint8_t *const to = cipher + at + 16 * i;
            uint8_t its[16];

            memcpy(its, nonce, nonce_size);
            its[nonce_size - 1] ^= (uint8_t)(FIRST + i);
            its[nonce_size - 2] ^= (uint8_t)((FIRST + i) >> 8);
            if (of_aegis)
                oracle_aegis_crypt(RIJN_AEGIS_128L, false, key_bytes, its, ad, 0, to, plain + at,
                                   size, to + size, 16);
            else
                oracle_of_gcm(key_bytes, 32, to, to + size, 16, its, 12, ad, 0, plain + at, size);
        }
        check((of_aegis
                   ? CALL(rijn_aegis_seal_chunks(&aegis, room, nonce, FIRST, CHUNK, 1, plain, RUN))
                   : CALL(rijn_gcm_seal_chunks(&key, room, nonce, FIRST, CHUNK, 1, plain, RUN))) ==
                      RIJN_OK &&
                  memcmp(room, cipher, SEALED) == 0,
              what);
        for (int altered = 0; altered < 2; altered++) {
            cipher[CHUNK + 20] ^= (uint8_t)altered;
            const rijn_status status =
                of_aegis ? CALL(rijn_aegis_open_chunks(&aegis, room, &bad, nonce, FIRST, CHUNK, 1,
                                                       cipher, SEALED))
                         : CALL(rijn_gcm_open_chunks(&key, room, &bad, nonce, FIRST, CHUNK, 1,
                                                     cipher, SEALED));
            check(altered ? status == RIJN_ERR_TAG && bad == FIRST + 1 && zeros(room, RUN)
                          : status == RIJN_OK && memcmp(room, plain, RUN) == 0,
                  what);
        }
    }
}

#endif

/* Functions without secrets. */
static void check_names(void)
{
    char names[64];

    check(rijn_backend_names(names, sizeof names) == strlen(names) + 1, "names");
    for (size_t i = 0; i < rijn_backend_count(); i++) {
        rijn_backend_info info;
        check(rijn_backend_at(i, &info) == RIJN_OK && rijn_use_backend(info.name) == RIJN_OK,
              "a backend by its name");
    }
    check(rijn_use_backend("none") == RIJN_ERR_BACKEND && rijn_use_backend(NULL) == RIJN_OK,
          "backends");
#if RIJN_WITH_AEGIS
    rijn_aegis_kernel_info kernel;
    check(rijn_aegis_kernel_count() == rijn_backend_count() &&
              rijn_aegis_kernel_at(0, &kernel) == RIJN_OK,
          "kernels");
#endif
    check(strcmp(rijn_version(), RIJN_VERSION) == 0 &&
              strcmp(rijn_status_text(RIJN_OK), "success") == 0,
          "version");
    memset(room, 1, 7);
    rijn_wipe(room, 7);
    check(zeros(room, 7), "wiped");
}

/* ---- Stack of a call ---- *
 * From the caller's frame to the last changed byte, including the overwriting. */

#define STACK(what, call) \
    do { \
        const uint8_t *sp, *p; \
        fill_stack(); \
        p = lowest; \
        lowest = NULL; \
        __asm__ volatile("mov %0, sp" : "=r"(sp)::"memory"); \
        const rijn_status status = (call); \
        __asm__ volatile("" ::: "memory"); \
        check(status == RIJN_OK && *p == PATTERN, what ", its stack"); \
        while (*p == PATTERN) \
            p++; \
        say("stack "); \
        say(backend); \
        say(" " what " "); \
        say_number((uint32_t)(sp - p)); \
        say("\n"); \
    } while (0)

#define STACK_OF_AEAD(what, mode, key, nonce_size) \
    do { \
        STACK(what, \
              rijn_##mode##_seal(&key, room, tag, 16, nonce, nonce_size, ad, 48, plain, MOST)); \
        STACK(what, \
              rijn_##mode##_open(&key, room, tag, 16, nonce, nonce_size, ad, 48, room, MOST)); \
    } while (0)

/* Measures the calls that use the most stack in each mode: messages of many blocks and a partial one. */
static void measure_stack(const char *backend)
{
    fill(key_bytes, 64);
    fill(nonce, 32);
#if RIJN_BUILD_AES
    STACK("key", rijn_key_init(&key, key_bytes, 32, backend));
#endif
#if RIJN_WITH_ECB
    STACK("ECB", rijn_ecb_decrypt(&key, room, plain, 144));
#endif
#if RIJN_WITH_CBC
    STACK("CBC", rijn_cbc_encrypt_padded(&key, nonce, room, plain, MOST));
#endif
#if RIJN_WITH_CTR
    STACK("CTR", rijn_ctr_crypt(&key, nonce, room, plain, MOST));
#endif
#if RIJN_WITH_GCM
    STACK_OF_AEAD("GCM", gcm, key, 12);
    STACK_OF_AEAD("GCM", gcm, key, 20);
#endif
#if RIJN_WITH_GCM_PIECES
    rijn_gcm gcm;
    check(rijn_gcm_start(&gcm, &key, nonce, 12) == RIJN_OK, "gcm");
    STACK("GCM_in_pieces", rijn_gcm_encrypt(&gcm, room, plain, MOST));
    STACK("GCM_in_pieces", rijn_gcm_finish(&gcm, tag, 16));
#endif
#if RIJN_WITH_GCM_SIV
    STACK_OF_AEAD("GCM-SIV", gcm_siv, key, 12);
#endif
#if RIJN_WITH_XAES
    STACK_OF_AEAD("XAES", xaes, key, 24);
#endif
#if RIJN_WITH_CCM
    STACK_OF_AEAD("CCM", ccm, key, 12);
#endif
#if RIJN_WITH_OCB
    STACK_OF_AEAD("OCB", ocb, key, 12);
#endif
#if RIJN_WITH_EAX
    STACK_OF_AEAD("EAX", eax, key, 16);
#endif
#if RIJN_WITH_SIV
    static rijn_siv_key siv;
    const rijn_string string = {.bytes = ad, .size = 48};
    check(rijn_siv_key_init(&siv, key_bytes, 64, backend) == RIJN_OK, "siv");
    STACK("SIV", rijn_siv_seal(&siv, room, tag, &string, 1, plain, MOST));
    STACK("SIV", rijn_siv_open(&siv, room, tag, &string, 1, room, MOST));
#endif
#if RIJN_WITH_CMAC
    STACK("CMAC", rijn_cmac(&key, tag, 16, plain, MOST));
#endif
#if RIJN_WITH_FEEDBACK
    STACK("CFB", rijn_cfb_decrypt(&key, nonce, NULL, room, plain, MOST));
    STACK("IGE", rijn_ige_decrypt(&key, nonce, room, plain, 144));
#endif
#if RIJN_WITH_XTS
    static rijn_xts_key xts;
    check(rijn_xts_key_init(&xts, key_bytes, 64, backend) == RIJN_OK, "xts");
    STACK("XTS", rijn_xts_decrypt(&xts, nonce, room, plain, MOST));
#endif
#if RIJN_WITH_KEYWRAP
    STACK("KWP", rijn_kwp_wrap(&key, room, plain, MOST));
#endif
#if RIJN_WITH_AEGIS
    rijn_aegis_key aegis;
    check(rijn_aegis_key_init(&aegis, RIJN_AEGIS_128L, key_bytes, 16, backend) == RIJN_OK, "aegis");
    STACK_OF_AEAD("AEGIS", aegis, aegis, 16);
    rijn_aegis message;
    check(rijn_aegis_start(&message, &aegis, nonce, 16) == RIJN_OK, "aegis");
    STACK("AEGIS_in_pieces", rijn_aegis_encrypt(&message, room, plain, MOST));
    STACK("AEGIS_in_pieces", rijn_aegis_finish(&message, tag, 16));
    check(rijn_aegis_key_init(&aegis, RIJN_AEGIS_256, key_bytes, 32, backend) == RIJN_OK, "aegis");
    STACK_OF_AEAD("AEGIS", aegis, aegis, 32);
#endif
#if RIJN_WITH_AEGIS_X
    check(rijn_aegis_key_init(&aegis, RIJN_AEGIS_128X4, key_bytes, 16, backend) == RIJN_OK,
          "aegis");
    STACK_OF_AEAD("AEGIS", aegis, aegis, 16);
#endif
#if RIJN_WITH_CHUNKS
    STACK("chunks", rijn_gcm_seal_chunks(&key, room, nonce, 0, CHUNK, 1, plain, RUN));
#endif
}

/* ---- Counts ---- */

/* The counts include two timer readings and the call: some 10 instructions. */
#define COUNT(backend, what, units, call) \
    do { \
        const uint32_t before = timer_ticks(); \
        const rijn_status status = (call); \
        const uint32_t ticks = timer_ticks() - before; \
        check(status == RIJN_OK, what); \
        say("count "); \
        say(backend); \
        say(" " what " "); \
        say_number(instructions(ticks)); \
        say(" "); \
        say_number(units); \
        say("\n"); \
    } while (0)

static uint8_t text[4096 < COUNTED ? 4096 : COUNTED];

static void count_all(const char *backend)
{
#if RIJN_WITH_GCM
    COUNT(backend, "key-128", 1, rijn_key_init(&key, key_bytes, 16, backend));
    COUNT(backend, "gcm-128-seal/16", 16,
          rijn_gcm_seal(&key, text, tag, 16, nonce, 12, ad, 0, text, 16));
    COUNT(backend, "gcm-128-seal/1024", 1024,
          rijn_gcm_seal(&key, text, tag, 16, nonce, 12, ad, 0, text, 1024));
#endif
#if RIJN_WITH_CTR
    nonce[15] = 0; /* the first block of a pair */
    COUNT(backend, "ctr-128/1024", 1024, rijn_ctr_crypt(&key, nonce, text, text, 1024));
#endif
#if RIJN_WITH_ECB
    COUNT(backend, "ecb-128/16", 16, rijn_ecb_encrypt(&key, text, text, 16));
    COUNT(backend, "ecb-128/1024", 1024, rijn_ecb_encrypt(&key, text, text, 1024));
    COUNT(backend, "ecb-128-decrypt/1024", 1024, rijn_ecb_decrypt(&key, text, text, 1024));
#endif
#if RIJN_WITH_CBC
    COUNT(backend, "cbc-128/1024", 1024, rijn_cbc_encrypt(&key, nonce, text, text, 1024));
#endif
#if RIJN_WITH_GCM
    COUNT(backend, "key-256", 1, rijn_key_init(&key, key_bytes, 32, backend));
    COUNT(backend, "gcm-256-seal/1024", 1024,
          rijn_gcm_seal(&key, text, tag, 16, nonce, 12, ad, 0, text, 1024));
#endif
#if RIJN_WITH_AEGIS
    rijn_aegis_key aegis;
    check(rijn_aegis_key_init(&aegis, RIJN_AEGIS_128L, key_bytes, 16, backend) == RIJN_OK,
          "aegis-128l key");
    COUNT(backend, "aegis-128l-seal/16", 16,
          rijn_aegis_seal(&aegis, text, tag, 16, nonce, 16, ad, 0, text, 16));
    COUNT(backend, "aegis-128l-seal/1024", 1024,
          rijn_aegis_seal(&aegis, text, tag, 16, nonce, 16, ad, 0, text, 1024));
    if (sizeof text >= 4096)
        COUNT(backend, "aegis-128l-seal/4096", 4096,
              rijn_aegis_seal(&aegis, text, tag, 16, nonce, 16, ad, 0, text, 4096));
#endif
}

int main(void)
{
    rijn_backend_info info;

    timer_start();
    check_looking();
    check_names();
    for (size_t i = 0; rijn_backend_at(i, &info) == RIJN_OK; i++) {
        check(info.available && info.constant_time == (strcmp(info.name, "table") != 0), "backend");
#if RIJN_BUILD_AES
        check_modes(info.name);
#endif
#if RIJN_WITH_AEGIS
        check_aegis(info.name);
#endif
#if RIJN_WITH_CHUNKS
        check_chunks(info.name);
#endif
        measure_stack(info.name);
        count_all(info.name);
    }
    say("checks ");
    say_number(checks);
    say("\n");
    return failures != 0;
}

#ifdef __arm__
/* The sizes in docs/microcontrollers.md. */
#if RIJN_WITH_GCM
#if RIJN_WITH_TABLE
_Static_assert(sizeof(rijn_key) == 760, "with tables");
#elif RIJN_WITH_SMALL_KEYS
_Static_assert(sizeof(rijn_key) == 280, "small keys");
#else
_Static_assert(sizeof(rijn_key) == 552, "planes of 32 bits");
#endif
_Static_assert(sizeof(rijn_gcm) == 120, "in pieces");
#endif
#if RIJN_WITH_AEGIS
_Static_assert(sizeof(rijn_aegis_key) == 40, "an AEGIS key");
#if !RIJN_WITH_AEGIS_X
_Static_assert(sizeof(rijn_aegis) == 192, "AEGIS in pieces");
#endif
#endif
#endif
