/* Secrets do not stay: what every public function leaves on the stack, and in the memory
 * of its caller where that is to be wiped. One table of calls; each is made for every size
 * of key and nonce that matters, with data of several sizes, on a stack of our own that was
 * filled with a pattern, and examined in two ways.
 *
 *   By construction. The function by which the library overwrites its stack is here,
 *   wrapped. In a first run it only notes what it was asked to overwrite: the work must have
 *   kept within, and have left some of it alone. In a second run it does its
 *   work, and every byte of that area must be zero. Under it stand no more than its own
 *   frame and memset's, which hold addresses and sizes. Whatever the work had on the stack,
 *   under whatever name, is gone.
 *
 *   By value. The oracles (oracle.h) work out the same message and show every value on
 *   their way. None of them may stand anywhere on that stack, the frames of the public
 *   function and of its caller included, in pieces of eight bytes.
 *
 * Without optimisation frames are as large as a compiler likes, and sanitizers put their
 * own things there: not examined then. */
#define _POSIX_C_SOURCE 200809L /* pthread_attr_setstack */

#include "check.h"
#include "oracle_modes.h"
#include "oracle_aegis.h"

#if !defined(__wasm__)
#include <pthread.h>
#endif

#include "scrub.h"
void scrub_in_earnest(void *area, size_t size);
#define rijn_scrub_area scrub_in_earnest
#include "../../src/scrub.c"
#undef rijn_scrub_area

#include "modes/message.h"
#include "public.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EXAMINE_STACK false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define EXAMINE_STACK false
#endif
#endif
#ifndef EXAMINE_STACK
#if defined(__OPTIMIZE__)
#define EXAMINE_STACK true
#else
#define EXAMINE_STACK false
#endif
#endif

static const rijn_backend_info *backend;

/* ---- What must not be found ---- *
 * Pieces of eight bytes of every secret, in a hash table. */

enum { PIECES = 1 << 16 };

static uint64_t pieces[PIECES];
static size_t piece_count;

static uint64_t *slot_of(uint64_t piece)
{
    size_t i = (size_t)(piece * UINT64_C(0x9e3779b97f4a7c15) >> 48);
    while (pieces[i] && pieces[i] != piece)
        i = (i + 1) % PIECES;
    return &pieces[i];
}

/* Sizes, counters and the like say nothing and may be anywhere. */
static bool says_nothing(const uint8_t *bytes)
{
    int zeros = 0;
    for (int i = 0; i < 8; i++)
        zeros += bytes[i] == 0;
    return zeros >= 3;
}

static void add_secret(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t piece;
        memcpy(&piece, bytes + i, 8);
        if (says_nothing(bytes + i) || piece_count >= PIECES / 2)
            continue;
        uint64_t *const slot = slot_of(piece);
        piece_count += *slot == 0;
        *slot = piece;
    }
}

static void forget_secrets(void)
{
    memset(pieces, 0, sizeof pieces);
    piece_count = 0;
}

/* Most of a stack is as it was filled: looked at in strides. */
enum { PATTERN = 0xa5, STRIDE = 64 };

static bool is_pattern(const uint8_t bytes[STRIDE])
{
    return bytes[0] == PATTERN && memcmp(bytes, bytes + 1, STRIDE - 1) == 0;
}

/* How many places of memory[0..size) hold a secret's piece. */
static size_t find_secrets(const uint8_t *memory, size_t size)
{
    size_t found = 0;
    for (size_t i = 0; i + 8 <= size; i++) {
        uint64_t piece;
        while (i + 2 * STRIDE <= size && is_pattern(memory + i))
            i += STRIDE - 7; /* what begins before is all pattern */
        memcpy(&piece, memory + i, 8);
        found += piece != 0 && *slot_of(piece) == piece;
    }
    return found;
}

/* ---- The stack ---- */

enum {
    STACK = 192 * 1024,
    ROOM = 64 * 1024, /* between the call and what the end of the thread writes over */
    UNDER = 128,      /* frames of rijn_scrub_area and memset */
    SPARE = 64        /* bytes that no work may reach */
};

static _Alignas(4096) uint8_t stack[STACK];

static struct {
    bool works; /* or only notes */
    int count;  /* of calls */
    uint8_t *area;
    size_t size;
} scrub;

RIJN_APART void rijn_scrub_area(void *area, size_t size)
{
    scrub.count++;
    scrub.area = area;
    scrub.size = size;
    if (scrub.works)
        scrub_in_earnest(area, size);
}

typedef rijn_status call_function(void);

static call_function *call;
static rijn_status answer;

/* How a caller has aligned its stack: to 16 bytes, as ABIs ask; or on 32-bit x86, so many bytes
 * away from that. CMakeLists.txt has gcc compile this file there so that no function aligns it again. */
#if defined(__i386__)
enum { ALIGNMENTS = 4 };
#else
enum { ALIGNMENTS = 1 };
#endif
static uint32_t misaligned;

static rijn_status call_misaligned(call_function *function)
{
#if defined(__i386__)
    rijn_status status;

    __asm__ volatile("movl %%esp, %%esi\n\t"
                     "andl $-16, %%esp\n\t"
                     "subl %2, %%esp\n\t"
                     "call *%1\n\t"
                     "movl %%esi, %%esp"
                     : "=a"(status)
                     : "r"(function), "r"(misaligned)
                     : "esi", "ecx", "edx", "cc", "memory");
    return status;
#else
    return function();
#endif
}

/* Calls it far below what the end of the thread will write over. */
static void *deep(void *unused)
{
    uint8_t room[ROOM], *volatile where = room;
    where[0] = 0;
    answer = call_misaligned(call);
    return where[0] == 0 ? unused : NULL;
}

#if defined(__wasm__)

/* A thread's place is taken by the global that says where the stack is: what the compiler keeps in
 * memory is there, and all else the engine's. */
RIJN_APART static bool run_deep(void)
{
    uint8_t *const top = stack + sizeof stack;
    uint8_t *before;

    __asm__ volatile("global.get __stack_pointer\n"
                     "local.set %0"
                     : "=r"(before));
    __asm__ volatile("local.get %0\n"
                     "global.set __stack_pointer"
                     :
                     : "r"(top)
                     : "memory");
    deep(NULL);
    __asm__ volatile("local.get %0\n"
                     "global.set __stack_pointer"
                     :
                     : "r"(before)
                     : "memory");
    return true;
}

#else

static bool run_deep(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    const bool ran = pthread_attr_init(&attributes) == 0 &&
                     pthread_attr_setstack(&attributes, stack, sizeof stack) == 0 &&
                     pthread_create(&thread, &attributes, deep, NULL) == 0 &&
                     pthread_join(thread, NULL) == 0;

    pthread_attr_destroy(&attributes);
    return ran;
}

#endif

static void on_our_stack(bool works, call_function *function)
{
    memset(stack, PATTERN, sizeof stack);
    call = function;
    scrub.works = works;
    scrub.count = 0;
    if (!run_deep()) {
        perror("thread");
        exit(EXIT_FAILURE);
    }
}

/* The first byte from p on that is not the pattern. */
static const uint8_t *touched(const uint8_t *p)
{
    while (p + STRIDE <= stack + sizeof stack && is_pattern(p))
        p += STRIDE;
    while (*p == PATTERN)
        p++;
    return p;
}

/* How deep the work went, from where the area begins on. */
static size_t depth_used(void)
{
    const uint8_t *const lowest = touched(stack);
    if (lowest >= scrub.area + scrub.size)
        return 0;
    return (size_t)(scrub.area + scrub.size -
                    (lowest >= scrub.area - UNDER ? touched(scrub.area) : lowest));
}

/* Whether the work kept within the area. */
static bool within_area(void)
{
    return depth_used() + SPARE <= scrub.size;
}

/* Whether all of the area, and what the call changed under it, is as it should be. */
static bool scrubbed(void)
{
    for (size_t i = 0; i < scrub.size; i++)
        if (scrub.area[i] != 0)
            return false;
    return touched(stack) >= scrub.area - UNDER;
}

/* ---- The inputs ---- */

enum {
    MESSAGES = 20, /* in one call: more than any backend packs side by side */
    LONGEST = 4229,
    SEALED = LONGEST + MESSAGES * 32
};

static uint8_t key_bytes[64], nonce[32 + MESSAGES], ad[LONGEST], plain[LONGEST], sealed[SEALED],
    tag[32], forged[32], out[SEALED], iv[32];
static size_t key_size, nonce_size, ad_size = 45, size, plain_size, used;
static rijn_aegis_variant variant;
static const char *kernel; /* of AEGIS; else the backend */
static rijn_key key, derived;
static rijn_xts_key xts_key;
static rijn_siv_key siv_key;
static rijn_aegis_key aegis_key;
static rijn_ctr ctr;
static rijn_gcm gcm, part_of_gcm;
static rijn_cmac_state cmac;
static rijn_ocb ocb;
static rijn_eax eax;
static rijn_aegis aegis;
static const rijn_string strings[2] = {{ad, 33}, {nonce, 16}};

/* ---- The algorithms: what an oracle shows of them ---- */

static oracle_key oracle;
static uint8_t oracle_out[LONGEST + 16], oracle_tag[32];

static void show_key(void)
{
    oracle_init(&oracle, key_bytes, key_size);
    oracle_show_powers(&oracle, 8);
}

static void show_blocks(void)
{
    show_key();
    oracle_ecb(&oracle, false, oracle_out, plain, size);
    oracle_ecb(&oracle, true, oracle_out, plain, size);
    oracle_cbc(&oracle, false, nonce, oracle_out, plain, size);
    oracle_cbc(&oracle, true, nonce, oracle_out, plain, size);
    oracle_ige(&oracle, false, nonce, oracle_out, plain, size);
    oracle_ige(&oracle, true, nonce, oracle_out, plain, size);
}

static void show_streams(void)
{
    show_key();
    oracle_ctr(&oracle, nonce, oracle_out, plain, size);
    oracle_ctr_width(&oracle, 64, true, nonce, oracle_out, plain, size);
    oracle_ofb(&oracle, nonce, oracle_out, plain, size);
    for (size_t segment = 1; segment <= 16; segment += 15) {
        oracle_cfb(&oracle, false, segment, nonce, oracle_out, plain, size);
        oracle_cfb(&oracle, true, segment, nonce, oracle_out, plain, size);
    }
}

static void show_gcm(void)
{
    show_key();
    oracle_gcm(&oracle, false, oracle_out, oracle_tag, nonce, nonce_size, ad, ad_size, plain, size);
    oracle_gcm(&oracle, true, oracle_out, oracle_tag, nonce, nonce_size, ad, ad_size, plain, size);
}

/* The size of chunks: of a long message they are long. */
static size_t chunk_size(void)
{
    return size < LONGEST ? 64 : LONGEST / 2;
}

static size_t sealed_chunks_size(void)
{
    return size + 16 * (size / chunk_size() + 1);
}

/* Chunk 3 and those after it. */
static void show_chunks(void)
{
    const size_t chunk = chunk_size();

    show_key();
    for (size_t at = 0, i = 3; at <= size; at += chunk, i++) {
        const size_t n = size - at < chunk ? size - at : chunk;
        uint8_t chunk_nonce[12];
        memcpy(chunk_nonce, nonce, 12);
        chunk_nonce[11] ^= (uint8_t)i;
        oracle_gcm(&oracle, false, oracle_out, oracle_tag, chunk_nonce, 12, NULL, 0, plain + at, n);
    }
}

static void show_xts(void)
{
    oracle_xts(key_bytes, key_size, false, nonce, oracle_out, plain, size);
    oracle_xts(key_bytes, key_size, true, nonce, oracle_out, plain, size);
}

static void show_xts_part(void)
{
    oracle_xts_part(key_bytes, key_size, false, nonce, 5, oracle_out, plain, size);
    oracle_xts_part(key_bytes, key_size, true, nonce, 5, oracle_out, plain, size);
}

static void show_cmac(void)
{
    show_key();
    oracle_cmac(&oracle, oracle_tag, plain, size);
}

static void show_aead(oracle_aead *aead)
{
    aead(key_bytes, key_size, oracle_out, oracle_tag, 16, nonce, nonce_size, ad, ad_size, plain,
         size);
}

static void show_gcm_siv(void)
{
    show_aead(oracle_gcm_siv);
}

static void show_xaes(void)
{
    show_aead(oracle_xaes);
}

static void show_ccm(void)
{
    show_aead(oracle_ccm);
}

static void show_ocb(void)
{
    show_aead(oracle_ocb);
}

static void show_eax(void)
{
    show_aead(oracle_eax);
}

static void show_siv(void)
{
    oracle_siv(key_bytes, key_size, oracle_out, oracle_tag, strings, 2, plain, size);
}

static void show_wrap(void)
{
    show_key();
    oracle_kw(&oracle, oracle_out, plain, size);
    oracle_kwp(&oracle, oracle_out, plain, size - 3);
}

static void show_aegis(void)
{
    const size_t n = rijn_aegis_key_size(variant);
    oracle_show(key_bytes, n);
    for (size_t tag_size = 16; tag_size <= 32; tag_size += 16) {
        oracle_aegis_crypt(variant, false, key_bytes, nonce, ad, ad_size, oracle_out, plain, size,
                           oracle_tag, tag_size);
        oracle_show(oracle_tag, tag_size);
        oracle_aegis_crypt(variant, true, key_bytes, nonce, ad, ad_size, oracle_out, plain, size,
                           oracle_tag, tag_size);
        oracle_show(oracle_tag, tag_size);
        oracle_aegis_mac(variant, key_bytes, nonce, plain, size, oracle_tag, tag_size);
        oracle_show(oracle_tag, tag_size);
    }
}

/* ---- The calls ---- */

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

CALL(key_init, rijn_key_init(&key, key_bytes, key_size, backend->name))
VOID_CALL(key_wipe, rijn_key_wipe(&key))
VOID_CALL(any_wipe, rijn_wipe(out, sizeof out))
CALL(allow, rijn_key_allow_short_tags(&key))

CALL(ecb_encrypt, rijn_ecb_encrypt(&key, out, plain, size))
CALL(ecb_decrypt, rijn_ecb_decrypt(&key, out, plain, size))
CALL(cbc_encrypt, rijn_cbc_encrypt(&key, iv, out, plain, size))
CALL(cbc_decrypt, rijn_cbc_decrypt(&key, iv, out, plain, size))
CALL(cbc_encrypt_padded, rijn_cbc_encrypt_padded(&key, iv, out, plain, size - 3))
CALL(ige_encrypt, rijn_ige_encrypt(&key, iv, out, plain, size))
CALL(ige_decrypt, rijn_ige_decrypt(&key, iv, out, plain, size))

CALL(ctr_crypt, rijn_ctr_crypt(&key, nonce, out, plain, size))
CALL(ctr_crypt_width, rijn_ctr_crypt_width(&key, 64, 1, nonce, out, plain, size))
CALL(ctr_start, rijn_ctr_start(&ctr, &key, nonce))
CALL(ctr_start_width, rijn_ctr_start_width(&ctr, &key, 64, 1, nonce))
CALL(ctr_update, rijn_ctr_update(&ctr, out, plain, size))
CALL(ctr_begin, rijn_ctr_update(&ctr, out, plain, 3))
CALL(ctr_go_on, rijn_ctr_update(&ctr, out + 3, plain + 3, 8))
CALL(ctr_skip, rijn_ctr_skip(&ctr, 3))
VOID_CALL(ctr_wipe, rijn_ctr_wipe(&ctr))
CALL(cfb_encrypt, rijn_cfb_encrypt(&key, iv, &used, out, plain, size))
CALL(cfb_decrypt, rijn_cfb_decrypt(&key, iv, NULL, out, plain, size))
CALL(ofb_crypt, rijn_ofb_crypt(&key, iv, &used, out, plain, size))
CALL(cfb8_encrypt, rijn_cfb8_encrypt(&key, iv, out, plain, size))
CALL(cfb8_decrypt, rijn_cfb8_decrypt(&key, iv, out, plain, size))

#define SEAL(mode) \
    CALL(mode##_seal, \
         rijn_##mode##_seal(&key, out, tag, 16, nonce, nonce_size, ad, ad_size, plain, size)) \
    CALL(mode##_open, \
         rijn_##mode##_open(&key, out, tag, 16, nonce, nonce_size, ad, ad_size, sealed, size)) \
    CALL(mode##_refuse, \
         rijn_##mode##_open(&key, out, forged, 16, nonce, nonce_size, ad, ad_size, sealed, size))
#define PIECES_OF(mode) \
    CALL(mode##_ad, rijn_##mode##_ad(&mode, ad, ad_size)) \
    CALL(mode##_encrypt, rijn_##mode##_encrypt(&mode, out, plain, size)) \
    CALL(mode##_decrypt, rijn_##mode##_decrypt(&mode, out, sealed, size)) \
    VOID_CALL(mode##_wipe, rijn_##mode##_wipe(&mode))

SEAL(gcm)
SEAL(gcm_siv)
SEAL(xaes)
SEAL(ccm)
SEAL(ocb)
SEAL(eax)
CALL(xaes_derive, rijn_xaes_derive(&derived, &key, nonce))

PIECES_OF(gcm)
CALL(gcm_start, rijn_gcm_start(&gcm, &key, nonce, nonce_size))
CALL(gcm_finish, rijn_gcm_finish(&gcm, tag, 16))
CALL(gcm_hash, rijn_gcm_hash(&gcm, sealed, size))
CALL(gcm_part, rijn_gcm_part(&part_of_gcm, &gcm, 32))
CALL(gcm_before_part, rijn_gcm_encrypt(&gcm, out, plain, 32))
CALL(gcm_in_part, rijn_gcm_encrypt(&part_of_gcm, out + 32, plain + 32, size - 32))
CALL(gcm_join, rijn_gcm_join(&gcm, &part_of_gcm))
CALL(gcm_verify, rijn_gcm_verify(&gcm, tag, 16))
CALL(gcm_reject, rijn_gcm_verify(&gcm, forged, 16))
PIECES_OF(ocb)
CALL(ocb_start, rijn_ocb_start(&ocb, &key, 16, nonce, nonce_size))
CALL(ocb_finish, rijn_ocb_finish(&ocb, tag))
CALL(ocb_verify, rijn_ocb_verify(&ocb, tag))
CALL(ocb_reject, rijn_ocb_verify(&ocb, forged))
PIECES_OF(eax)
CALL(eax_start, rijn_eax_start(&eax, &key, nonce, nonce_size))
CALL(eax_finish, rijn_eax_finish(&eax, tag, 16))
CALL(eax_verify, rijn_eax_verify(&eax, tag, 16))
CALL(eax_reject, rijn_eax_verify(&eax, forged, 16))

CALL(seal_chunks, rijn_gcm_seal_chunks(&key, out, nonce, 3, chunk_size(), 1, plain, size))
CALL(open_chunks,
     rijn_gcm_open_chunks(&key, out, NULL, nonce, 3, chunk_size(), 1, sealed, sealed_chunks_size()))

CALL(xts_key_init, rijn_xts_key_init(&xts_key, key_bytes, key_size, backend->name))
VOID_CALL(xts_key_wipe, rijn_xts_key_wipe(&xts_key))
CALL(xts_encrypt, rijn_xts_encrypt(&xts_key, nonce, out, plain, size))
CALL(xts_decrypt, rijn_xts_decrypt(&xts_key, nonce, out, plain, size))
CALL(xts_encrypt_part, rijn_xts_encrypt_part(&xts_key, nonce, 80, out, plain, size))
CALL(xts_decrypt_part, rijn_xts_decrypt_part(&xts_key, nonce, 80, out, plain, size))

CALL(cmac_whole, rijn_cmac(&key, tag, 16, plain, size))
CALL(cmac_start, rijn_cmac_start(&cmac, &key))
CALL(cmac_update, rijn_cmac_update(&cmac, plain, size))
CALL(cmac_finish, rijn_cmac_finish(&cmac, tag, 16))
CALL(cmac_verify, rijn_cmac_verify(&cmac, tag, 16))
CALL(cmac_reject, rijn_cmac_verify(&cmac, forged, 16))
VOID_CALL(cmac_wipe, rijn_cmac_wipe(&cmac))

CALL(siv_key_init, rijn_siv_key_init(&siv_key, key_bytes, key_size, backend->name))
VOID_CALL(siv_key_wipe, rijn_siv_key_wipe(&siv_key))
CALL(siv_seal, rijn_siv_seal(&siv_key, out, tag, strings, 2, plain, size))
CALL(siv_open, rijn_siv_open(&siv_key, out, tag, strings, 2, sealed, size))
CALL(siv_refuse, rijn_siv_open(&siv_key, out, forged, strings, 2, sealed, size))

CALL(kw_wrap, rijn_kw_wrap(&key, out, plain, size))
CALL(kw_unwrap, rijn_kw_unwrap(&key, out, sealed, size + 8))
CALL(kw_refuse, rijn_kw_unwrap(&key, out, plain, size))
CALL(kwp_wrap, rijn_kwp_wrap(&key, out, plain, size - 3))
CALL(kwp_wrap_least, rijn_kwp_wrap(&key, out, plain, 5))
CALL(kwp_unwrap, rijn_kwp_unwrap(&key, out, &plain_size, sealed, size + 8))
CALL(kwp_refuse, rijn_kwp_unwrap(&key, out, &plain_size, plain, size))
CALL(kwp_refuse_least, rijn_kwp_unwrap(&key, out, &plain_size, plain, 16))

CALL(aegis_key_init,
     rijn_aegis_key_init(&aegis_key, variant, key_bytes, rijn_aegis_key_size(variant), kernel))
VOID_CALL(aegis_key_wipe, rijn_aegis_key_wipe(&aegis_key))
CALL(aegis_seal,
     rijn_aegis_seal(&aegis_key, out, tag, 32, nonce, nonce_size, ad, ad_size, plain, size))
CALL(aegis_open,
     rijn_aegis_open(&aegis_key, out, tag, 32, nonce, nonce_size, ad, ad_size, sealed, size))
CALL(aegis_refuse,
     rijn_aegis_open(&aegis_key, out, forged, 16, nonce, nonce_size, ad, ad_size, sealed, size))
CALL(aegis_start, rijn_aegis_start(&aegis, &aegis_key, nonce, nonce_size))
PIECES_OF(aegis)
CALL(aegis_finish, rijn_aegis_finish(&aegis, tag, 32))
CALL(aegis_verify, rijn_aegis_verify(&aegis, tag, 32))
CALL(aegis_reject, rijn_aegis_verify(&aegis, forged, 16))
CALL(aegis_mac, rijn_aegis_mac(&aegis_key, tag, 32, nonce, nonce_size, plain, size))
CALL(aegis_mac_start, rijn_aegis_mac_start(&aegis, &aegis_key, nonce, nonce_size))
CALL(aegis_mac_update, rijn_aegis_mac_update(&aegis, plain, size))
CALL(aegis_mac_finish, rijn_aegis_mac_finish(&aegis, tag, 32))
CALL(aegis_mac_verify, rijn_aegis_mac_verify(&aegis, tag, 32))
CALL(aegis_mac_reject, rijn_aegis_mac_verify(&aegis, forged, 16))
CALL(aegis_keystream,
     rijn_aegis_unauthenticated_keystream(&aegis_key, out, size, nonce, nonce_size))
CALL(aegis_seal_chunks,
     rijn_aegis_seal_chunks(&aegis_key, out, nonce, 3, chunk_size(), 1, plain, size))
CALL(aegis_open_chunks, rijn_aegis_open_chunks(&aegis_key, out, NULL, nonce, 3, chunk_size(), 1,
                                               sealed, sealed_chunks_size()))

/* Messages of unequal sizes, the last of them half of all bytes; those of whole blocks where `size`
 * is; message i has the nonce i bytes further on. */
static uint8_t many_nonces[MESSAGES * 32];
static int64_t many_begins[MESSAGES + 1], many_ends[MESSAGES + 1];
static rijn_many many;

static size_t many_at(size_t i)
{
    return i == MESSAGES ? size : size * i / (2 * MESSAGES) / 16 * 16;
}

/* Of XAES, every third by itself and the others with one prefix, which are gathered on the stack or in
 * memory that is lent; or all with one. */
static bool many_alike, many_lent;

static const uint8_t *many_nonce(size_t i, size_t n)
{
    uint8_t *const to = many_nonces + n * i;
    memcpy(to, nonce + i, n);
    if (n == 24 && (many_alike || i % 3))
        memcpy(to, nonce, 12);
    return to;
}

static uint8_t room[1024];

/* Apart, so that no register with a nonce is saved by what is examined. */
RIJN_APART static void prepare_many(rijn_many_mode mode, size_t n, bool opening)
{
    const rijn_column column = {.data = opening ? sealed : plain,
                                .size = sizeof sealed,
                                .offsets64 = opening ? many_ends : many_begins};

    for (size_t i = 0; i <= MESSAGES; i++)
        many_begins[i] = (int64_t)many_at(i);
    for (size_t i = 0; i < MESSAGES; i++)
        many_nonce(i, n);
    many = (rijn_many){.mode = mode,
                       .key = &key,
                       .siv_key = &siv_key,
                       .aegis_key = &aegis_key,
                       .count = MESSAGES,
                       .in = column,
                       .ad = {.data = ad, .size = ad_size},
                       .nonces = n ? many_nonces : NULL,
                       .nonce_size = n,
                       .out = out,
                       .out_size = sizeof out,
                       .out_offsets64 = opening ? NULL : many_ends};
    if (many_lent) {
        many.room = room;
        many.room_size = sizeof room;
    }
    if (mode >= RIJN_MANY_CBC)
        many.ad = (rijn_column){0};
    if (mode == RIJN_MANY_CMAC) {
        many.ad = (rijn_column){.data = plain, .size = size, .offsets64 = many_begins};
        if (!opening)
            many.in = (rijn_column){0};
    }
}

static rijn_status call_many(rijn_many_mode mode, size_t n, bool opening)
{
    size_t failures;

    prepare_many(mode, n, opening);
    return opening ? rijn_open_many(&many, &failures) : rijn_seal_many(&many);
}

static rijn_status call_xaes_many(bool alike, bool lent, bool opening)
{
    many_alike = alike, many_lent = lent;
    const rijn_status status = call_many(RIJN_MANY_XAES, 24, opening);
    many_alike = many_lent = false;
    return status;
}

#define MANY(name, mode, n) \
    CALL(name##_seal_many, call_many(mode, n, false)) \
    CALL(name##_open_many, call_many(mode, n, true))

MANY(gcm, RIJN_MANY_GCM, 12)
MANY(gcm_siv, RIJN_MANY_GCM_SIV, 12)
MANY(xaes, RIJN_MANY_XAES, 24)
CALL(xaes_alike_seal_many, call_xaes_many(true, false, false))
CALL(xaes_alike_open_many, call_xaes_many(true, false, true))
CALL(xaes_lent_seal_many, call_xaes_many(false, true, false))
CALL(xaes_lent_open_many, call_xaes_many(false, true, true))
MANY(ccm, RIJN_MANY_CCM, 12)
MANY(ocb, RIJN_MANY_OCB, 12)
MANY(eax, RIJN_MANY_EAX, 16)
MANY(siv, RIJN_MANY_SIV, 16)
MANY(cmac, RIJN_MANY_CMAC, 0)
MANY(cbc, RIJN_MANY_CBC, 16)
MANY(cbc_blocks, RIJN_MANY_CBC_BLOCKS, 16)
MANY(ctr, RIJN_MANY_CTR, 16)
MANY(aegis, RIJN_MANY_AEGIS, rijn_aegis_key_size(variant))
CALL(seal_many_size, rijn_seal_many_size(&many, &used))
CALL(open_many_size, rijn_open_many_size(&many, &used))

/* A bit of the third message. */
static rijn_status spoil_message(void)
{
    sealed[many_ends[2]] ^= 1;
    return RIJN_OK;
}

static void show_many_aead(oracle_aead *aead, size_t n)
{
    for (size_t i = 0; i < MESSAGES; i++)
        aead(key_bytes, key_size, oracle_out, oracle_tag, 16, many_nonce(i, n), n, ad, ad_size,
             plain + many_at(i), many_at(i + 1) - many_at(i));
}

static void show_gcm_many(void)
{
    show_key();
    for (size_t i = 0; i < MESSAGES; i++)
        oracle_gcm(&oracle, false, oracle_out, oracle_tag, many_nonce(i, 12), 12, ad, ad_size,
                   plain + many_at(i), many_at(i + 1) - many_at(i));
}

static void show_gcm_siv_many(void)
{
    show_many_aead(oracle_gcm_siv, 12);
}

static void show_xaes_many(void)
{
    show_many_aead(oracle_xaes, 24);
}

static void show_xaes_alike_many(void)
{
    many_alike = true;
    show_xaes_many();
    many_alike = false;
}

static void show_xaes_lent_many(void)
{
    show_xaes_many();
}

static void show_ccm_many(void)
{
    show_many_aead(oracle_ccm, 12);
}

static void show_ocb_many(void)
{
    show_many_aead(oracle_ocb, 12);
}

static void show_eax_many(void)
{
    show_many_aead(oracle_eax, 16);
}

static void show_siv_many(void)
{
    for (size_t i = 0; i < MESSAGES; i++) {
        const rijn_string pair[] = {{ad, ad_size}, {many_nonce(i, 16), 16}};
        oracle_siv(key_bytes, key_size, oracle_out, oracle_tag, pair, 2, plain + many_at(i),
                   many_at(i + 1) - many_at(i));
    }
}

static void show_cmac_many(void)
{
    show_key();
    for (size_t i = 0; i < MESSAGES; i++)
        oracle_cmac(&oracle, oracle_tag, plain + many_at(i), many_at(i + 1) - many_at(i));
}

static void show_cbc_many(void)
{
    show_key();
    for (size_t i = 0; i < MESSAGES; i++) {
        const size_t n = (many_at(i + 1) - many_at(i)) / 16 * 16;
        oracle_cbc(&oracle, false, many_nonce(i, 16), oracle_out, plain + many_at(i), n);
    }
}

static void show_ctr_many(void)
{
    show_key();
    for (size_t i = 0; i < MESSAGES; i++)
        oracle_ctr(&oracle, many_nonce(i, 16), oracle_out, plain + many_at(i),
                   many_at(i + 1) - many_at(i));
}

static void show_aegis_many(void)
{
    const size_t n = rijn_aegis_key_size(variant);

    for (size_t i = 0; i < MESSAGES; i++) {
        oracle_aegis_crypt(variant, false, key_bytes, many_nonce(i, n), ad, ad_size, oracle_out,
                           plain + many_at(i), many_at(i + 1) - many_at(i), oracle_tag, 16);
        oracle_show(oracle_tag, 16);
    }
}

/* What was sealed is opened next. */
static rijn_status keep(void)
{
    memcpy(sealed, out, sizeof sealed);
    memcpy(iv, nonce, sizeof iv);
    return RIJN_OK;
}

/* A whole message, whose tag and ciphertext are used next. */
#define ENCRYPT_ALL(mode) \
    static rijn_status mode##_encrypt_all(void) \
    { \
        const rijn_status status[] = {mode##_start(), mode##_ad(), mode##_encrypt(), \
                                      mode##_finish()}; \
        for (size_t i = 0; i < sizeof status / sizeof status[0]; i++) \
            CHECK_STATUS(status[i], RIJN_OK); \
        return keep(); \
    }

ENCRYPT_ALL(gcm)
ENCRYPT_ALL(ocb)
ENCRYPT_ALL(eax)
ENCRYPT_ALL(aegis)

/* A bit of the last chunk of a run. */
static rijn_status spoil_chunk(void)
{
    sealed[sealed_chunks_size() - 1] ^= 1;
    return RIJN_OK;
}

CALL(cbc_unpad, rijn_cbc_decrypt_padded(&key, iv, out, &plain_size, sealed, size))

/* ---- The table ---- */

enum {
    WHOLE = 1,  /* data are whole blocks */
    PLAIN = 2,  /* it handles no secret on its stack, and leaves that as it is */
    REFUSES = 4 /* out is zeros afterwards, but for 16 bytes at most */
};

typedef struct {
    const char *name;
    void (*show)(void);
    call_function *call;
    call_function *before[5]; /* each must give RIJN_OK */
    rijn_status want;
    unsigned flags;
    uint8_t keys[4], nonces[3]; /* their sizes; 0 ends the list */
    void *wiped;                /* zeros afterwards */
    size_t wiped_size;
} row;

#define LIST(...) \
    { \
        __VA_ARGS__ \
    }
#define ROW(...) \
    { \
        __VA_ARGS__ \
    }
#define AES_KEYS LIST(16, 24, 32)
#define GONE(object) &object, sizeof object
#define NOTHING NULL, 0

#define AES_ROW(call, show, flags) \
    ROW("rijn_" #call, show, call, LIST(key_init), RIJN_OK, flags, AES_KEYS, LIST(16), NOTHING)

#define AEAD_ROWS(mode, keys, nonces) \
    ROW("rijn_" #mode "_seal", show_##mode, mode##_seal, LIST(key_init), RIJN_OK, 0, keys, nonces, \
        NOTHING), \
        ROW("rijn_" #mode "_open", show_##mode, mode##_open, LIST(key_init, mode##_seal, keep), \
            RIJN_OK, 0, keys, nonces, NOTHING), \
        ROW("rijn_" #mode "_open, refused", show_##mode, mode##_refuse, \
            LIST(key_init, mode##_seal, keep), RIJN_ERR_TAG, REFUSES, keys, nonces, NOTHING)

#define MANY_ROWS(mode, show, flags, init, ...) \
    ROW("rijn_seal_many, " #mode, show, mode##_seal_many, LIST(init), RIJN_OK, flags, __VA_ARGS__, \
        LIST(12), NOTHING), \
        ROW("rijn_open_many, " #mode, show, mode##_open_many, LIST(init, mode##_seal_many, keep), \
            RIJN_OK, flags, __VA_ARGS__, LIST(12), NOTHING)
#define MANY_AEAD_ROWS(mode, init, ...) \
    MANY_ROWS(mode, show_##mode##_many, 0, init, __VA_ARGS__), \
        ROW("rijn_open_many, refused, " #mode, show_##mode##_many, mode##_open_many, \
            LIST(init, mode##_seal_many, keep, spoil_message), RIJN_ERR_TAG, 0, __VA_ARGS__, \
            LIST(12), NOTHING)

#define PIECE_ROWS(mode, nonces) \
    ROW("rijn_" #mode "_start", show_##mode, mode##_start, LIST(key_init), RIJN_OK, 0, AES_KEYS, \
        nonces, NOTHING), \
        ROW("rijn_" #mode "_ad", show_##mode, mode##_ad, LIST(key_init, mode##_start), RIJN_OK, 0, \
            AES_KEYS, nonces, NOTHING), \
        ROW("rijn_" #mode "_encrypt", show_##mode, mode##_encrypt, \
            LIST(key_init, mode##_start, mode##_ad), RIJN_OK, 0, AES_KEYS, nonces, NOTHING), \
        ROW("rijn_" #mode "_decrypt", show_##mode, mode##_decrypt, \
            LIST(key_init, mode##_encrypt_all, mode##_start, mode##_ad), RIJN_OK, 0, AES_KEYS, \
            nonces, NOTHING), \
        ROW("rijn_" #mode "_finish", show_##mode, mode##_finish, \
            LIST(key_init, mode##_start, mode##_ad, mode##_encrypt), RIJN_OK, 0, AES_KEYS, nonces, \
            GONE(mode)), \
        ROW("rijn_" #mode "_verify", show_##mode, mode##_verify, \
            LIST(key_init, mode##_encrypt_all, mode##_start, mode##_ad, mode##_decrypt), RIJN_OK, \
            0, AES_KEYS, nonces, GONE(mode)), \
        ROW("rijn_" #mode "_verify, refused", show_##mode, mode##_reject, \
            LIST(key_init, mode##_encrypt_all, mode##_start, mode##_ad, mode##_decrypt), \
            RIJN_ERR_TAG, 0, AES_KEYS, nonces, GONE(mode)), \
        ROW("rijn_" #mode "_wipe", show_##mode, mode##_wipe, \
            LIST(key_init, mode##_start, mode##_ad, mode##_encrypt), RIJN_OK, PLAIN, LIST(16), \
            nonces, GONE(mode))

/* The nonce is as long as the key, which is as the variant says. */
#define AEGIS_ROW(name, call, before, want, flags, wiped) \
    ROW("rijn_aegis_" name, show_aegis, call, before, want, flags, LIST(16), LIST(16), wiped)

static const row rows[] = {
    AES_ROW(ecb_encrypt, show_blocks, WHOLE),
    AES_ROW(ecb_decrypt, show_blocks, WHOLE),
    AES_ROW(cbc_encrypt, show_blocks, WHOLE),
    AES_ROW(cbc_decrypt, show_blocks, WHOLE),
    AES_ROW(cbc_encrypt_padded, show_blocks, WHOLE),
    AES_ROW(ige_encrypt, show_blocks, WHOLE),
    AES_ROW(ige_decrypt, show_blocks, WHOLE),
    AES_ROW(ctr_crypt, show_streams, 0),
    AES_ROW(ctr_crypt_width, show_streams, 0),
    AES_ROW(ctr_start, show_streams, PLAIN),
    AES_ROW(ctr_start_width, show_streams, PLAIN),
    AES_ROW(cfb_encrypt, show_streams, 0),
    AES_ROW(cfb_decrypt, show_streams, 0),
    AES_ROW(ofb_crypt, show_streams, 0),
    AES_ROW(cfb8_encrypt, show_streams, 0),
    AES_ROW(cfb8_decrypt, show_streams, 0),
    AES_ROW(cmac_start, show_cmac, 0),
    AES_ROW(kw_wrap, show_wrap, WHOLE),
    AES_ROW(kwp_wrap, show_wrap, WHOLE),
    AES_ROW(kwp_wrap_least, show_wrap, WHOLE),
    ROW("rijn_key_init", show_key, key_init, LIST(NULL), RIJN_OK, 0, AES_KEYS, LIST(16), NOTHING),
    ROW("rijn_key_wipe", show_key, key_wipe, LIST(key_init), RIJN_OK, PLAIN, AES_KEYS, LIST(16),
        GONE(key)),
    ROW("rijn_wipe", show_key, any_wipe, LIST(key_init), RIJN_OK, PLAIN, LIST(16), LIST(16),
        GONE(out)),
    ROW("rijn_key_allow_short_tags", show_key, allow, LIST(key_init), RIJN_OK, PLAIN, LIST(16),
        LIST(16), NOTHING),
    ROW("rijn_cbc_decrypt_padded", show_blocks, cbc_unpad, LIST(key_init, cbc_encrypt_padded, keep),
        RIJN_OK, WHOLE, AES_KEYS, LIST(16), NOTHING),
    ROW("rijn_cbc_decrypt_padded, refused", show_blocks, cbc_unpad,
        LIST(key_init, cbc_encrypt, keep), RIJN_ERR_PADDING, WHOLE | REFUSES, AES_KEYS, LIST(16),
        NOTHING),
    ROW("rijn_ctr_update", show_streams, ctr_update, LIST(key_init, ctr_start), RIJN_OK, 0,
        AES_KEYS, LIST(16), NOTHING),
    ROW("rijn_gcm_hash", show_gcm, gcm_hash, LIST(key_init, gcm_start, gcm_ad), RIJN_OK, 0,
        AES_KEYS, LIST(12, 17), NOTHING),
    ROW("rijn_gcm_part", show_gcm, gcm_part, LIST(key_init, gcm_start), RIJN_OK, 0, AES_KEYS,
        LIST(12, 17), NOTHING),
    ROW("rijn_gcm_join", show_gcm, gcm_join,
        LIST(key_init, gcm_start, gcm_part, gcm_before_part, gcm_in_part), RIJN_OK, 0, AES_KEYS,
        LIST(12, 17), GONE(part_of_gcm)),
    ROW("rijn_ctr_update, ready", show_streams, ctr_go_on, LIST(key_init, ctr_start, ctr_begin),
        RIJN_OK, 0, AES_KEYS, LIST(16), NOTHING),
    ROW("rijn_ctr_skip", show_streams, ctr_skip, LIST(key_init, ctr_start), RIJN_OK, 0, AES_KEYS,
        LIST(16), NOTHING),
    ROW("rijn_ctr_wipe", show_streams, ctr_wipe, LIST(key_init, ctr_start, ctr_update), RIJN_OK,
        PLAIN, LIST(16), LIST(16), GONE(ctr)),
    ROW("rijn_cmac", show_cmac, cmac_whole, LIST(key_init), RIJN_OK, 0, AES_KEYS, LIST(16),
        NOTHING),
    ROW("rijn_cmac_update", show_cmac, cmac_update, LIST(key_init, cmac_start), RIJN_OK, 0,
        AES_KEYS, LIST(16), NOTHING),
    ROW("rijn_cmac_finish", show_cmac, cmac_finish, LIST(key_init, cmac_start, cmac_update),
        RIJN_OK, 0, AES_KEYS, LIST(16), GONE(cmac)),
    ROW("rijn_cmac_verify", show_cmac, cmac_verify,
        LIST(key_init, cmac_whole, cmac_start, cmac_update), RIJN_OK, 0, AES_KEYS, LIST(16),
        GONE(cmac)),
    ROW("rijn_cmac_verify, refused", show_cmac, cmac_reject,
        LIST(key_init, cmac_start, cmac_update), RIJN_ERR_TAG, 0, AES_KEYS, LIST(16), GONE(cmac)),
    ROW("rijn_cmac_wipe", show_cmac, cmac_wipe, LIST(key_init, cmac_start, cmac_update), RIJN_OK,
        PLAIN, LIST(16), LIST(16), GONE(cmac)),
    ROW("rijn_kw_unwrap", show_wrap, kw_unwrap, LIST(key_init, kw_wrap, keep), RIJN_OK, WHOLE,
        AES_KEYS, LIST(16), NOTHING),
    ROW("rijn_kw_unwrap, refused", show_wrap, kw_refuse, LIST(key_init), RIJN_ERR_TAG,
        WHOLE | REFUSES, AES_KEYS, LIST(16), NOTHING),
    ROW("rijn_kwp_unwrap", show_wrap, kwp_unwrap, LIST(key_init, kwp_wrap, keep), RIJN_OK, WHOLE,
        AES_KEYS, LIST(16), NOTHING),
    ROW("rijn_kwp_unwrap, refused", show_wrap, kwp_refuse, LIST(key_init), RIJN_ERR_TAG,
        WHOLE | REFUSES, AES_KEYS, LIST(16), NOTHING),
    ROW("rijn_kwp_unwrap, of one block, refused", show_wrap, kwp_refuse_least, LIST(key_init),
        RIJN_ERR_TAG, WHOLE, AES_KEYS, LIST(16), out, 8),
    AEAD_ROWS(gcm, AES_KEYS, LIST(12, 17)),
    AEAD_ROWS(gcm_siv, LIST(16, 32), LIST(12)),
    AEAD_ROWS(xaes, LIST(32), LIST(24)),
    AEAD_ROWS(ccm, AES_KEYS, LIST(12, 13)),
    AEAD_ROWS(ocb, AES_KEYS, LIST(12, 15)),
    AEAD_ROWS(eax, AES_KEYS, LIST(12, 17)),
    PIECE_ROWS(gcm, LIST(12, 17)),
    PIECE_ROWS(ocb, LIST(12, 15)),
    PIECE_ROWS(eax, LIST(12, 17)),
    ROW("rijn_xaes_derive", show_xaes, xaes_derive, LIST(key_init), RIJN_OK, 0, LIST(32), LIST(24),
        NOTHING),
    ROW("rijn_gcm_seal_chunks", show_chunks, seal_chunks, LIST(key_init), RIJN_OK, 0, AES_KEYS,
        LIST(12), NOTHING),
    ROW("rijn_gcm_open_chunks", show_chunks, open_chunks, LIST(key_init, seal_chunks, keep),
        RIJN_OK, 0, AES_KEYS, LIST(12), NOTHING),
    ROW("rijn_gcm_open_chunks, refused", show_chunks, open_chunks,
        LIST(key_init, seal_chunks, keep, spoil_chunk), RIJN_ERR_TAG, REFUSES, AES_KEYS, LIST(12),
        NOTHING),
    ROW("rijn_xts_key_init", show_xts, xts_key_init, LIST(NULL), RIJN_OK, 0, LIST(32, 64), LIST(16),
        NOTHING),
    ROW("rijn_xts_key_wipe", show_xts, xts_key_wipe, LIST(xts_key_init), RIJN_OK, PLAIN, LIST(32),
        LIST(16), GONE(xts_key)),
    ROW("rijn_xts_encrypt", show_xts, xts_encrypt, LIST(xts_key_init), RIJN_OK, 0, LIST(32, 64),
        LIST(16), NOTHING),
    ROW("rijn_xts_decrypt", show_xts, xts_decrypt, LIST(xts_key_init), RIJN_OK, 0, LIST(32, 64),
        LIST(16), NOTHING),
    ROW("rijn_xts_encrypt_part", show_xts_part, xts_encrypt_part, LIST(xts_key_init), RIJN_OK, 0,
        LIST(32, 64), LIST(16), NOTHING),
    ROW("rijn_xts_decrypt_part", show_xts_part, xts_decrypt_part, LIST(xts_key_init), RIJN_OK, 0,
        LIST(32, 64), LIST(16), NOTHING),
    ROW("rijn_siv_key_init", show_siv, siv_key_init, LIST(NULL), RIJN_OK, 0, LIST(32, 48, 64),
        LIST(16), NOTHING),
    ROW("rijn_siv_key_wipe", show_siv, siv_key_wipe, LIST(siv_key_init), RIJN_OK, PLAIN, LIST(32),
        LIST(16), GONE(siv_key)),
    ROW("rijn_siv_seal", show_siv, siv_seal, LIST(siv_key_init), RIJN_OK, 0, LIST(32, 64), LIST(16),
        NOTHING),
    ROW("rijn_siv_open", show_siv, siv_open, LIST(siv_key_init, siv_seal, keep), RIJN_OK, 0,
        LIST(32, 64), LIST(16), NOTHING),
    ROW("rijn_siv_open, refused", show_siv, siv_refuse, LIST(siv_key_init, siv_seal, keep),
        RIJN_ERR_TAG, REFUSES, LIST(32, 64), LIST(16), NOTHING),
    MANY_AEAD_ROWS(gcm, key_init, AES_KEYS),
    MANY_AEAD_ROWS(gcm_siv, key_init, LIST(16, 32)),
    MANY_AEAD_ROWS(xaes, key_init, LIST(32)),
    MANY_AEAD_ROWS(xaes_alike, key_init, LIST(32)),
    MANY_AEAD_ROWS(xaes_lent, key_init, LIST(32)),
    MANY_AEAD_ROWS(ccm, key_init, AES_KEYS),
    MANY_AEAD_ROWS(ocb, key_init, AES_KEYS),
    MANY_AEAD_ROWS(eax, key_init, AES_KEYS),
    MANY_AEAD_ROWS(siv, siv_key_init, LIST(32, 64)),
    MANY_AEAD_ROWS(cmac, key_init, AES_KEYS),
    MANY_ROWS(cbc, show_cbc_many, 0, key_init, AES_KEYS),
    MANY_ROWS(cbc_blocks, show_cbc_many, WHOLE, key_init, AES_KEYS),
    MANY_ROWS(ctr, show_ctr_many, 0, key_init, AES_KEYS),
    ROW("rijn_seal_many_size", show_gcm_many, seal_many_size, LIST(key_init, gcm_seal_many),
        RIJN_OK, PLAIN, LIST(16), LIST(12), NOTHING),
    ROW("rijn_open_many_size", show_gcm_many, open_many_size, LIST(key_init, gcm_seal_many),
        RIJN_OK, PLAIN, LIST(16), LIST(12), NOTHING),
};

static const row aegis_many_rows[] = {MANY_AEAD_ROWS(aegis, aegis_key_init, LIST(16))};

static const row aegis_rows[] = {
    AEGIS_ROW("key_init", aegis_key_init, LIST(NULL), RIJN_OK, PLAIN, NOTHING),
    AEGIS_ROW("key_wipe", aegis_key_wipe, LIST(aegis_key_init), RIJN_OK, PLAIN, GONE(aegis_key)),
    AEGIS_ROW("seal", aegis_seal, LIST(aegis_key_init), RIJN_OK, 0, NOTHING),
    AEGIS_ROW("open", aegis_open, LIST(aegis_key_init, aegis_seal, keep), RIJN_OK, 0, NOTHING),
    AEGIS_ROW("open, refused", aegis_refuse, LIST(aegis_key_init, aegis_seal, keep), RIJN_ERR_TAG,
              REFUSES, NOTHING),
    AEGIS_ROW("mac", aegis_mac, LIST(aegis_key_init), RIJN_OK, 0, NOTHING),
    AEGIS_ROW("unauthenticated_keystream", aegis_keystream, LIST(aegis_key_init), RIJN_OK, 0,
              NOTHING),
    AEGIS_ROW("seal_chunks", aegis_seal_chunks, LIST(aegis_key_init), RIJN_OK, 0, NOTHING),
    AEGIS_ROW("open_chunks", aegis_open_chunks, LIST(aegis_key_init, aegis_seal_chunks, keep),
              RIJN_OK, 0, NOTHING),
    AEGIS_ROW("open_chunks, refused", aegis_open_chunks,
              LIST(aegis_key_init, aegis_seal_chunks, keep, spoil_chunk), RIJN_ERR_TAG, REFUSES,
              NOTHING),
    AEGIS_ROW("start", aegis_start, LIST(aegis_key_init), RIJN_OK, 0, NOTHING),
    AEGIS_ROW("ad", aegis_ad, LIST(aegis_key_init, aegis_start, aegis_ad), RIJN_OK, 0, NOTHING),
    AEGIS_ROW("encrypt", aegis_encrypt, LIST(aegis_key_init, aegis_start, aegis_ad, aegis_encrypt),
              RIJN_OK, 0, NOTHING),
    AEGIS_ROW("decrypt", aegis_decrypt, LIST(aegis_key_init, aegis_start, aegis_ad, aegis_decrypt),
              RIJN_OK, 0, NOTHING),
    AEGIS_ROW("finish", aegis_finish, LIST(aegis_key_init, aegis_start, aegis_ad, aegis_encrypt),
              RIJN_OK, 0, GONE(aegis)),
    AEGIS_ROW("verify", aegis_verify,
              LIST(aegis_key_init, aegis_encrypt_all, aegis_start, aegis_ad, aegis_decrypt),
              RIJN_OK, 0, GONE(aegis)),
    AEGIS_ROW("verify, refused", aegis_reject,
              LIST(aegis_key_init, aegis_encrypt_all, aegis_start, aegis_ad, aegis_decrypt),
              RIJN_ERR_TAG, 0, GONE(aegis)),
    AEGIS_ROW("wipe", aegis_wipe, LIST(aegis_key_init, aegis_start, aegis_ad, aegis_encrypt),
              RIJN_OK, PLAIN, GONE(aegis)),
    AEGIS_ROW("mac_start", aegis_mac_start, LIST(aegis_key_init), RIJN_OK, 0, NOTHING),
    AEGIS_ROW("mac_update", aegis_mac_update,
              LIST(aegis_key_init, aegis_mac_start, aegis_mac_update), RIJN_OK, 0, NOTHING),
    AEGIS_ROW("mac_finish", aegis_mac_finish,
              LIST(aegis_key_init, aegis_mac_start, aegis_mac_update), RIJN_OK, 0, GONE(aegis)),
    AEGIS_ROW("mac_verify", aegis_mac_verify,
              LIST(aegis_key_init, aegis_mac, aegis_mac_start, aegis_mac_update), RIJN_OK, 0,
              GONE(aegis)),
    AEGIS_ROW("mac_verify, refused", aegis_mac_reject,
              LIST(aegis_key_init, aegis_mac_start, aegis_mac_update), RIJN_ERR_TAG, 0,
              GONE(aegis)),
};

/* ---- The examination ---- */

static bool loud; /* with a second argument: prints each depth, as declared and as used */

static bool prepare(const row *r)
{
    bool prepared = true;

    memcpy(iv, nonce, sizeof iv);
    used = 0;
    memset(out, 1, sizeof out);
    for (size_t i = 0; i < sizeof r->before / sizeof r->before[0] && r->before[i]; i++)
        prepared &= CHECK_STATUS(r->before[i](), RIJN_OK);
    memcpy(iv, nonce, sizeof iv);
    used = 0;
    return prepared;
}

/* What is wrong with what a call leaves on its stack; NULL for nothing. */
static const char *examine(call_function *function, bool plain_call, bool (*ready)(const row *),
                           const row *r, rijn_status want)
{
    scrub.works = true;
    if (!ready(r))
        return "it is not prepared";
    on_our_stack(false, function);
    if (answer != want)
        return "another status";
    if (plain_call != (scrub.count == 0))
        return plain_call ? "it scrubs" : "it returns without a scrub";
    if (scrub.count) {
        if (loud)
            printf("DEPTH %s %s %zu %zu %zu %d: declared %zu used %zu\n", kernel, r->name, key_size,
                   nonce_size, size, (int)variant, scrub.size, depth_used());
        if (!within_area())
            return "it goes deeper than it declares";
        if (strstr(r->name, "_many, ") && strstr(r->name, "xaes") &&
            scrub.size > (size_t)(strstr(r->name, "xaes_") ? 32 : 88) * 1024)
            return "it goes deeper than rijn.h says";
    }

    scrub.works = true;
    if (!ready(r))
        return "it is not prepared";
    on_our_stack(true, function);
    if (answer != want)
        return "another status";
    if (find_secrets(stack, sizeof stack) != 0)
        return "a secret is on its stack";
    if (scrub.count && !scrubbed())
        return "not everything is scrubbed";
    return NULL;
}

/* Draws the inputs anew, and fills the table of secrets. */
static void draw(void (*show)(void))
{
    random_bytes(key_bytes, sizeof key_bytes);
    random_bytes(nonce, sizeof nonce);
    random_bytes(ad, sizeof ad);
    random_bytes(plain, sizeof plain);
    random_bytes(forged, sizeof forged);
    plain[size - 1] = 0x77; /* no padding */
    forget_secrets();
    oracle_watch = add_secret;
    add_secret(plain, size);
    show();
    oracle_watch = NULL;
}

static void examine_row(const row *r)
{
    note("%s, %s, key %zu, nonce %zu, size %zu, variant %d", kernel, r->name, key_size, nonce_size,
         size, (int)variant);
    const char *const wrong = examine(r->call, r->flags & PLAIN, prepare, r, r->want);
    if (wrong)
        printf("    %s\n", wrong);
    CHECK(wrong == NULL);
    if (r->flags & REFUSES)
        CHECK_FILL(out, 0, size - 16);
    if (r->wiped)
        CHECK_FILL(r->wiped, 0, r->wiped_size);
}

/* CTR, GCM, GCM-SIV and XAES, in chunks and many at once too. */
static bool has_bulk(const row *r)
{
    void (*const shows[])(void) = {
        show_streams,       show_gcm,      show_gcm_siv,      show_xaes,      show_chunks,
        show_ctr_many,      show_gcm_many, show_gcm_siv_many, show_xaes_many, show_xaes_alike_many,
        show_xaes_lent_many};

    for (size_t i = 0; i < sizeof shows / sizeof shows[0]; i++)
        if (r->show == shows[i])
            return true;
    return false;
}

/* From callers who have aligned their stack in every possible way. */
static void examine_row_aligned(const row *r)
{
    for (unsigned i = 0; i < ALIGNMENTS; i++) {
        misaligned = 4 * i;
        examine_row(r);
    }
    misaligned = 0;
}

/* What handles no secret: only that it runs from such callers too. */
static rijn_status call_the_rest(void)
{
    rijn_backend_info info;
    rijn_aegis_kernel_info kernel_info;
    char names[512];

    if (rijn_backend_names(names, sizeof names) > sizeof names || rijn_backend_count() == 0 ||
        rijn_aegis_kernel_count() == 0 || strlen(rijn_version()) == 0 ||
        strlen(rijn_status_text(RIJN_OK)) == 0 || strlen(rijn_aegis_name(RIJN_AEGIS_256)) == 0 ||
        strlen(rijn_key_backend(&key)) == 0 || strlen(rijn_aegis_key_backend(&aegis_key)) == 0 ||
        strlen(rijn_aegis_key_kernel(&aegis_key)) == 0)
        return RIJN_ERR_STATE;
    if (rijn_backend_at(0, &info) != RIJN_OK || rijn_aegis_kernel_at(0, &kernel_info) != RIJN_OK ||
        rijn_use_backend(NULL) != RIJN_OK || rijn_many_room(1) == 0)
        return RIJN_ERR_ARGUMENT;
    return RIJN_OK;
}

static void test_the_rest(void)
{
    CHECK_STATUS(rijn_key_init(&key, key_bytes, 16, backend->name), RIJN_OK);
    CHECK_STATUS(rijn_aegis_key_init(&aegis_key, RIJN_AEGIS_128L, key_bytes, 16, backend->name),
                 RIJN_OK);
    for (unsigned i = 0; i < ALIGNMENTS; i++) {
        misaligned = 4 * i;
        note("%s, a stack %u bytes away from its alignment", backend->name, (unsigned)misaligned);
        on_our_stack(true, call_the_rest);
        CHECK_STATUS(answer, RIJN_OK);
    }
    misaligned = 0;
}

static void examine_table(const row *table, size_t count)
{
    static const struct {
        size_t size;
        bool bypass; /* CTR and GCM as if that were more than the caches hold */
        bool blocks; /* ECB, CBC and IGE alone: ends and bulk have depths of their own */
        bool bulk;   /* modes alone of which many blocks are made in another way */
        bool ad;     /* much associated data */
    } passes[] = {
        {37, false, false, false, false},     {653, false, false, false, false},
        {653, true, false, false, false},     {16, false, true, false, false},
        {64, false, true, false, false},      {112, false, true, false, false},
        {239, false, false, true, false},     {495, false, false, true, false},
        {LONGEST, false, false, true, false}, {37, false, false, true, true},
    };
    const size_t usual = rijn_bypass_size;

    for (size_t p = 0; p < sizeof passes / sizeof passes[0]; p++) {
        rijn_bypass_size = passes[p].bypass ? 1 : usual;
        ad_size = passes[p].ad ? sizeof ad : 45;
        for (size_t i = 0; i < count; i++) {
            const row *const r = &table[i];
            if (passes[p].bypass && r->show != show_streams && r->show != show_gcm)
                continue;
            if (passes[p].blocks && r->show != show_blocks)
                continue;
            if (passes[p].bulk && !has_bulk(r))
                continue;
            size = r->flags & WHOLE ? passes[p].size - passes[p].size % 16 : passes[p].size;
            for (const uint8_t *k = r->keys; *k; k++) {
                for (const uint8_t *n = r->nonces; *n; n++) {
                    key_size = *k;
                    nonce_size = *n;
                    draw(r->show);
                    examine_row_aligned(r);
                }
            }
        }
    }
    rijn_bypass_size = usual;
    ad_size = 45;
}

static void examine_aegis(const char *name)
{
    kernel = name;
    for (int i = 0; i < (int)RIJN_AEGIS_VARIANTS; i++) {
        static const size_t sizes[] = {37, 653, LONGEST};
        variant = (rijn_aegis_variant)i;
        key_size = nonce_size = rijn_aegis_key_size(variant);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            size = sizes[s];
            draw(show_aegis);
            for (size_t j = 0; j < sizeof aegis_rows / sizeof aegis_rows[0]; j++)
                examine_row_aligned(&aegis_rows[j]);
            draw(show_aegis_many);
            for (size_t j = 0; j < sizeof aegis_many_rows / sizeof aegis_many_rows[0]; j++)
                examine_row_aligned(&aegis_many_rows[j]);
        }
    }
}

/* ---- Planted offenders, which must be found ---- */

static bool always_ready(const row *unused)
{
    (void)unused;
    return true;
}

RIJN_APART static void leave_key(void)
{
    uint8_t copy[64 * 24];
    volatile uint8_t *const to = copy;
    for (size_t i = 0; i < sizeof copy; i++)
        to[i] = key_bytes[i % 64];
}

static rijn_status unscrubbed(void)
{
    leave_key();
    return RIJN_OK;
}

static rijn_status scrubbed_too_little(void)
{
    leave_key();
    return rijn_scrub(RIJN_OK, 256);
}

static rijn_status scrubbed_enough(void)
{
    leave_key();
    return rijn_scrub(RIJN_OK, 2048);
}

static void test_offenders(void)
{
    static const row none = {.name = "offender"};

    note("planted offenders");
    random_bytes(key_bytes, sizeof key_bytes);
    forget_secrets();
    add_secret(key_bytes, 64);
    CHECK(examine(scrubbed_enough, false, always_ready, &none, RIJN_OK) == NULL);

    /* each criterion by itself */
    on_our_stack(true, unscrubbed);
    CHECK(find_secrets(stack, sizeof stack) >= 8);
    on_our_stack(true, scrubbed_too_little);
    CHECK(find_secrets(stack, sizeof stack) >= 8);
    CHECK(!scrubbed());
    on_our_stack(false, scrubbed_too_little);
    CHECK(!within_area());
    on_our_stack(false, scrubbed_enough);
    CHECK(within_area());
    CHECK(!scrubbed());
    CHECK(examine(unscrubbed, false, always_ready, &none, RIJN_OK) != NULL);
    CHECK(examine(scrubbed_too_little, false, always_ready, &none, RIJN_OK) != NULL);
}

/* ---- Memory of the caller ---- */

static void test_wipe(void)
{
    static const size_t sizes[] = {0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 200};
    uint8_t bytes[256];

    note("rijn_wipe");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(bytes, 0xa5, sizeof bytes);
        rijn_wipe(bytes + 3, sizes[i]);
        CHECK_FILL(bytes, 0xa5, 3);
        CHECK_FILL(bytes + 3, 0, sizes[i]);
        CHECK_FILL(bytes + 3 + sizes[i], 0xa5, sizeof bytes - 3 - sizes[i]);
    }
    rijn_wipe(NULL, 0);
    rijn_key_wipe(NULL);
    rijn_xts_key_wipe(NULL);
    rijn_siv_key_wipe(NULL);
    rijn_aegis_key_wipe(NULL);
    rijn_ctr_wipe(NULL);
    rijn_gcm_wipe(NULL);
    rijn_cmac_wipe(NULL);
    rijn_ocb_wipe(NULL);
    rijn_eax_wipe(NULL);
    rijn_aegis_wipe(NULL);
}

static void run(const rijn_backend_info *info)
{
    static const public_exemption exempt[] = {
        {"rijn_status_text", "it sees no secret"},
        {"rijn_version", "it sees no secret"},
        {"rijn_many_room", "it sees no secret"},
        {"rijn_backend_count", "it sees no secret"},
        {"rijn_backend_at", "it sees no secret"},
        {"rijn_backend_names", "it sees no secret"},
        {"rijn_use_backend", "it sees no secret"},
        {"rijn_key_backend", "it sees no secret"},
        {"rijn_aegis_name", "it sees no secret"},
        {"rijn_aegis_key_backend", "it sees no secret"},
        {"rijn_aegis_key_kernel", "it sees no secret"},
        {"rijn_aegis_kernel_count", "it sees no secret"},
        {"rijn_aegis_kernel_at", "it sees no secret"},
    };

    backend = info;
    kernel = info->name;
    public_recording = false;
    test_wipe();
    if (!EXAMINE_STACK) {
        printf("stack not examined in this kind of build\n");
        return;
    }
    test_offenders();
    test_the_rest();
    public_recording = true;
    examine_table(rows, sizeof rows / sizeof rows[0]);
    each_aegis_kernel(backend->name, examine_aegis);
    note("a public function was forgotten");
    CHECK(public_forgotten(exempt, sizeof exempt / sizeof exempt[0]) == 0);
}

int main(int argc, char **argv)
{
    loud = argc == 3 && strcmp(argv[2], "loud") == 0;
    return test_backends(loud ? 2 : argc, argv, run);
}
