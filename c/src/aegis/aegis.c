/* The public functions of AEGIS. They check arguments, collect the pieces of a message into units
 * and call the key's kernel for the key's variant (aegis.h). rijn.h documents them. */
#include "../build.h"

#if RIJN_WITH_AEGIS

#include <string.h>

#include "../api.h"
#include "../bytes.h"
#include "../ct.h"
#include "../scrub.h"
#include "../wipe.h"
#include "message.h"

/* ---- Variants and keys ---- */

static const struct {
    const char *name;
    size_t key_size;
} variants[RIJN_AEGIS_VARIANTS] = {
#define RIJN_AEGIS_AEAD(ID, Class, name, size, document) [RIJN_##ID] = {name, size},
#include "rijn_algorithms.def"
};

const char *rijn_aegis_name(rijn_aegis_variant variant)
{
    return (unsigned)variant < RIJN_AEGIS_VARIANTS ? variants[variant].name : "";
}

size_t rijn_aegis_key_size(rijn_aegis_variant variant)
{
    return (unsigned)variant < RIJN_AEGIS_VARIANTS ? variants[variant].key_size : 0;
}

rijn_status rijn_aegis_key_init(rijn_aegis_key *key, rijn_aegis_variant variant,
                                const uint8_t *bytes, size_t size, const char *backend)
{
    const rijn_aegis_kernel *found;

    REQUIRE(key, RIJN_ERR_ARGUMENT);
    rijn_aegis_key_wipe(key);
    REQUIRE(bytes && (unsigned)variant < RIJN_AEGIS_VARIANTS, RIJN_ERR_ARGUMENT);
    REQUIRE(size == variants[variant].key_size, RIJN_ERR_KEY_SIZE);
    TRY(rijn_aegis_kernel_find(backend, &found));
    REQUIRE(found->code[variant].call, RIJN_ERR_UNAVAILABLE);
    memcpy(key->bytes, bytes, size);
    key->code = &found->code[variant];
    key->kernel = found;
    return RIJN_OK;
}

const char *rijn_aegis_key_backend(const rijn_aegis_key *key)
{
    return key && key->kernel ? key->kernel->backend->name : "";
}

const char *rijn_aegis_key_kernel(const rijn_aegis_key *key)
{
    return key && key->kernel ? key->kernel->name : "";
}

void rijn_aegis_key_wipe(rijn_aegis_key *key)
{
    if (key)
        wipe(key, sizeof *key);
}

/* ---- Checks ---- */

static rijn_status check_nonce(const rijn_aegis_key *key, const uint8_t *nonce, size_t size)
{
    REQUIRE(key, RIJN_ERR_ARGUMENT);
    REQUIRE(key->code, RIJN_ERR_STATE);
    REQUIRE(size == key->code->key_size, RIJN_ERR_NONCE_SIZE);
    return nonce ? RIJN_OK : RIJN_ERR_ARGUMENT;
}

static rijn_status check_tag(const uint8_t *tag, size_t size)
{
    REQUIRE(tag, RIJN_ERR_ARGUMENT);
    return size < 64 && RIJN_AEGIS_TAGS >> size & 1 ? RIJN_OK : RIJN_ERR_TAG_SIZE;
}

static rijn_status check_data(const uint8_t *data, size_t size, uint64_t so_far)
{
    REQUIRE(data || !size, RIJN_ERR_ARGUMENT);
    return within(size, RIJN_AEGIS_MAX - so_far) ? RIJN_OK : RIJN_ERR_SIZE;
}

RIJN_APART static rijn_status check_message(const rijn_aegis_key *key, const uint8_t *out,
                                            const uint8_t *tag, size_t tag_size,
                                            const uint8_t *nonce, size_t nonce_size,
                                            const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                            size_t size)
{
    TRY(check_nonce(key, nonce, nonce_size));
    TRY(check_tag(tag, tag_size));
    TRY(check_data(ad, ad_size, 0));
    TRY(check_data(in, size, 0));
    return rijn_check_apart(out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
}

/* ---- A message or a MAC in one piece ---- */

enum { AEGIS_TAGS = 4 * 32 }; /* bytes of the tags of all states */

/* Does the rest of FinalizeMac. `tags` has the tags of all states. The first state absorbs them and
 * alone makes the tag. If a tag is half a unit, the first state's own tag fills the first unit;
 * otherwise it is left out. */
static void end_mac(const rijn_aegis_code *code, uint64_t *state, uint8_t *tag, uint8_t *tags,
                    size_t tag_size)
{
    const size_t degree = code->degree, halves = tag_size / 16, width = code->rate / 16 / degree;
    uint8_t unit[sizeof((rijn_aegis *)0)->partial] = {0};

    if (degree > 1) {
        for (size_t n = halves == width || width == 1 ? halves : 0; n < halves * degree;) {
            for (size_t j = 0; j < width; j++, n++)
                memcpy(unit + 16 * degree * j, tags + 16 * (degree * (n % halves) + n / halves),
                       16);
            code->call(&(rijn_aegis_call){
                .ad = unit, .ad_size = code->rate, .first_alone = true, .state = state});
        }
        code->call(&(rijn_aegis_call){.closing = {degree, tag_size * 8},
                                      .tag_size = tag_size,
                                      .tags = tags,
                                      .separate_tags = true,
                                      .first_alone = true,
                                      .state = state});
    }
    for (size_t half = 0; half < halves; half++)
        memcpy(tag + 16 * half, tags + 16 * degree * half, 16);
}

/* Decrypts and compares the tag. Leaves no secret in the frame of its caller, except words of the tag
 * where a processor loads no unaligned words. */
RIJN_INLINE rijn_status open_whole(const rijn_aegis_key *key, uint8_t *out, const uint8_t *tag,
                                   size_t tag_size, const uint8_t *nonce, const uint8_t *ad,
                                   size_t ad_size, const uint8_t *in, size_t size)
{
    uint8_t computed[32];
    uint64_t difference = 0;
    const rijn_aegis_call c =
        rijn_aegis_whole_call(key, true, out, computed, tag_size, nonce, ad, ad_size, in, size);

    key->code->call(&c);
    for (size_t i = 0; i < tag_size; i += 16)
        difference |= (load_le64(computed + i) ^ load_le64(tag + i)) |
                      (load_le64(computed + i + 8) ^ load_le64(tag + i + 8));
    wipe(computed, sizeof computed);
    const bool equal = !difference;
    RIJN_PUBLIC(&equal, sizeof equal);
    return __builtin_expect(equal, 1) ? RIJN_OK : rijn_refuse_tag(out, size);
}

RIJN_APART void rijn_aegis_seal_message(const rijn_aegis_key *key, uint8_t *out, uint8_t *tag,
                                        size_t tag_size, const uint8_t *nonce, const uint8_t *ad,
                                        size_t ad_size, const uint8_t *in, size_t size)
{
    const rijn_aegis_call c =
        rijn_aegis_whole_call(key, false, out, tag, tag_size, nonce, ad, ad_size, in, size);
    key->code->call(&c);
}

RIJN_APART rijn_status rijn_aegis_open_message(const rijn_aegis_key *key, uint8_t *out,
                                               const uint8_t *tag, size_t tag_size,
                                               const uint8_t *nonce, const uint8_t *ad,
                                               size_t ad_size, const uint8_t *in, size_t size)
{
    return open_whole(key, out, tag, tag_size, nonce, ad, ad_size, in, size);
}

/* Returns true if a message passes all checks. Takes few instructions, because it does not say which
 * check failed; check_message does. Returns false for an empty message, and in a build with a
 * configuration, too. */
RIJN_INLINE bool passes(const rijn_aegis_key *key, const uint8_t *out, const uint8_t *tag,
                        size_t tag_size, const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                        size_t ad_size, const uint8_t *in, size_t size)
{
    return RIJN_WITH_ALL && key && key->code && nonce_size == key->code->key_size &&
           (tag_size == 16 || tag_size == 32) && ((size - 1) | ad_size) <= SIZE_MAX / 16 && out &&
           tag && nonce && in && (out == in || disjoint(out, size, in, size)) &&
           disjoint(out, size, tag, tag_size) && disjoint(in, size, tag, tag_size) &&
           disjoint(out, size, nonce, nonce_size) &&
           (!ad_size || (ad && disjoint(out, size, ad, ad_size)));
}

/* A call contains no secret, so only the kernel's stack is scrubbed. These functions have the
 * parameters of the public ones, so that compilers jump to them. In a build with a configuration they
 * have one caller. */
#if RIJN_WITH_ALL
#define SCRUBBED RIJN_APART static
#else
#define SCRUBBED RIJN_INLINE
#endif

SCRUBBED rijn_status seal_scrubbed(const rijn_aegis_key *key, uint8_t *out, uint8_t *tag,
                                   size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                   size_t size)
{
    const rijn_aegis_call c =
        rijn_aegis_whole_call(key, false, out, tag, tag_size, nonce, ad, ad_size, in, size);
    (void)nonce_size;
    key->code->call(&c);
    return rijn_scrub(RIJN_OK, key->code->stack);
}

SCRUBBED rijn_status open_scrubbed(const rijn_aegis_key *key, uint8_t *out, const uint8_t *tag,
                                   size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                   const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                   size_t size)
{
    (void)nonce_size;
    return rijn_scrub(
        rijn_aegis_open_message(key, out, tag, tag_size, nonce, ad, ad_size, in, size),
        rijn_aegis_depth(key->code));
}

RIJN_APART static rijn_status seal_checked(const rijn_aegis_key *key, uint8_t *out, uint8_t *tag,
                                           size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                           const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                           size_t size)
{
    TRY(check_message(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size));
    return seal_scrubbed(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
}

RIJN_APART static rijn_status open_checked(const rijn_aegis_key *key, uint8_t *out,
                                           const uint8_t *tag, size_t tag_size,
                                           const uint8_t *nonce, size_t nonce_size,
                                           const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                           size_t size)
{
    TRY(check_message(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size));
    return open_scrubbed(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
}

rijn_status rijn_aegis_seal(const rijn_aegis_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                            const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                            size_t ad_size, const uint8_t *in, size_t size)
{
    if (!passes(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size))
        return seal_checked(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    if (key->code->whole)
        return key->code->whole(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    if (!key->code->in_registers)
        return seal_scrubbed(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    const rijn_aegis_call c =
        rijn_aegis_whole_call(key, false, out, tag, tag_size, nonce, ad, ad_size, in, size);
    key->code->call(&c);
    return RIJN_OK;
}

rijn_status rijn_aegis_open(const rijn_aegis_key *key, uint8_t *out, const uint8_t *tag,
                            size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                            const uint8_t *ad, size_t ad_size, const uint8_t *in, size_t size)
{
    if (!passes(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size))
        return open_checked(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    if (!key->code->in_registers)
        return open_scrubbed(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    return open_whole(key, out, tag, tag_size, nonce, ad, ad_size, in, size);
}

enum { STATE_STACK = sizeof((rijn_aegis *)0)->state };

/* Bytes of stack for a piece: two units and the tags, and three calls (rijn_aegis_depth includes
 * one), because not every compiler lets these share memory. */
static size_t piece_depth(const rijn_aegis_code *code)
{
    return rijn_aegis_depth(code) + 2 * sizeof((rijn_aegis *)0)->partial + AEGIS_TAGS +
           2 * sizeof(rijn_aegis_call);
}

RIJN_APART static void mac_message(const rijn_aegis_key *key, uint8_t *tag, size_t tag_size,
                                   const uint8_t *nonce, const uint8_t *in, size_t size)
{
    const rijn_aegis_code *const code = key->code;
    uint64_t state[STATE_STACK / sizeof(uint64_t)];
    uint8_t tags[AEGIS_TAGS];

    code->call(&(rijn_aegis_call){.key = key->bytes,
                                  .nonce = nonce,
                                  .ad = in,
                                  .ad_size = size,
                                  .closing = {(uint64_t)size * 8, tag_size * 8},
                                  .tag_size = tag_size,
                                  .tags = tags,
                                  .separate_tags = true,
                                  .state = code->degree > 1 ? state : NULL});
    end_mac(code, state, tag, tags, tag_size);
}

rijn_status rijn_aegis_mac(const rijn_aegis_key *key, uint8_t *tag, size_t tag_size,
                           const uint8_t *nonce, size_t nonce_size, const uint8_t *in, size_t size)
{
    TRY(check_nonce(key, nonce, nonce_size));
    TRY(check_tag(tag, tag_size));
    TRY(check_data(in, size, 0));
    mac_message(key, tag, tag_size, nonce, in, size);
    return rijn_scrub(RIJN_OK, piece_depth(key->code) + STATE_STACK);
}

RIJN_APART static void keystream(const rijn_aegis_key *key, uint8_t *out, size_t size,
                                 const uint8_t *nonce)
{
    if (size)
        memset(out, 0, size);
    key->code->call(
        &(rijn_aegis_call){.key = key->bytes, .nonce = nonce, .in = out, .out = out, .size = size});
}

rijn_status rijn_aegis_unauthenticated_keystream(const rijn_aegis_key *key, uint8_t *out,
                                                 size_t size, const uint8_t *nonce,
                                                 size_t nonce_size)
{
    TRY(check_nonce(key, nonce, nonce_size));
    TRY(check_data(out, size, 0));
    keystream(key, out, size, nonce);
    return rijn_scrub(RIJN_OK, rijn_aegis_depth(key->code));
}

/* ---- In pieces ---- */

static rijn_status start_state(rijn_aegis *aegis, const rijn_aegis_key *key, const uint8_t *nonce,
                               size_t nonce_size, int phase)
{
    REQUIRE(aegis, RIJN_ERR_ARGUMENT);
    TRY(check_nonce(key, nonce, nonce_size));
    rijn_aegis_wipe(aegis);
    key->code->call(&(rijn_aegis_call){.key = key->bytes, .nonce = nonce, .state = aegis->state});
    aegis->code = key->code;
    aegis->phase = phase;
    return rijn_scrub(RIJN_OK, rijn_aegis_depth(key->code));
}

rijn_status rijn_aegis_start(rijn_aegis *aegis, const rijn_aegis_key *key, const uint8_t *nonce,
                             size_t nonce_size)
{
    return start_state(aegis, key, nonce, nonce_size, PHASE_AD);
}

rijn_status rijn_aegis_mac_start(rijn_aegis *mac, const rijn_aegis_key *key, const uint8_t *nonce,
                                 size_t nonce_size)
{
    return start_state(mac, key, nonce, nonce_size, PHASE_MAC);
}

static rijn_status check_state(const rijn_aegis *aegis, int phases)
{
    REQUIRE(aegis, RIJN_ERR_ARGUMENT);
    return aegis->phase & phases ? RIJN_OK : RIJN_ERR_STATE;
}

/* Returns how many bytes of a piece complete a unit that already has `fill` bytes. */
static size_t into_unit(const rijn_aegis *aegis, size_t fill, size_t size)
{
    const size_t room = fill ? aegis->code->rate - fill : 0;
    return size < room ? size : room;
}

static void absorb_units(rijn_aegis *aegis, const uint8_t *in, size_t size)
{
    aegis->code->call(&(rijn_aegis_call){.ad = in, .ad_size = size, .state = aegis->state});
}

/* Absorbs `size` bytes after `so_far` earlier ones. */
RIJN_APART static void absorb_piece(rijn_aegis *aegis, uint64_t so_far, const uint8_t *in,
                                    size_t size)
{
    const size_t rate = aegis->code->rate, fill = (size_t)(so_far % rate);
    const size_t n = into_unit(aegis, fill, size), rest = (size - n) % rate;

    if (n) {
        memcpy(aegis->partial + fill, in, n);
        if (fill + n == rate)
            absorb_units(aegis, aegis->partial, rate);
        in += n, size -= n;
    }
    if (size > rest)
        absorb_units(aegis, in, size - rest);
    if (rest)
        memcpy(aegis->partial, in + (size - rest), rest);
}

rijn_status rijn_aegis_ad(rijn_aegis *aegis, const uint8_t *ad, size_t size)
{
    TRY(check_state(aegis, PHASE_AD));
    TRY(check_data(ad, size, aegis->ad_size));
    absorb_piece(aegis, aegis->ad_size, ad, size);
    aegis->ad_size += size;
    return rijn_scrub(RIJN_OK, piece_depth(aegis->code));
}

rijn_status rijn_aegis_mac_update(rijn_aegis *mac, const uint8_t *in, size_t size)
{
    TRY(check_state(mac, PHASE_MAC));
    TRY(check_data(in, size, mac->size));
    absorb_piece(mac, mac->size, in, size);
    mac->size += size;
    return rijn_scrub(RIJN_OK, piece_depth(mac->code));
}

/* Encrypts or decrypts the next n bytes of the current unit. Keeps the plaintext, which is absorbed
 * when the unit is full. */
static void crypt_in_unit(rijn_aegis *aegis, uint8_t *out, const uint8_t *in, size_t fill, size_t n)
{
    uint8_t z[sizeof aegis->partial], *text = aegis->partial + fill;

    aegis->code->next(aegis->state, z);
    if (aegis->phase == PHASE_ENCRYPT)
        memcpy(text, in, n);
    xor_bytes(out, in, z + fill, n);
    if (aegis->phase == PHASE_DECRYPT)
        memcpy(text, out, n);
}

RIJN_APART static void crypt_span(rijn_aegis *aegis, int phase, uint8_t *out, const uint8_t *in,
                                  size_t size)
{
    const size_t rate = aegis->code->rate, fill = (size_t)(aegis->size % rate);
    const size_t n = into_unit(aegis, fill, size), rest = (size - n) % rate;

    if (aegis->phase == PHASE_AD) /* a partial unit ends the associated data */
        absorb_units(aegis, aegis->partial, (size_t)(aegis->ad_size % rate));
    aegis->phase = phase;
    aegis->size += size;
    if (n) {
        crypt_in_unit(aegis, out, in, fill, n);
        if (fill + n == rate)
            absorb_units(aegis, aegis->partial, rate);
        in += n, out += n, size -= n;
    }
    if (size > rest) {
        aegis->code->call(&(rijn_aegis_call){.in = in,
                                             .out = out,
                                             .size = size - rest,
                                             .decrypt = phase == PHASE_DECRYPT,
                                             .state = aegis->state});
        in += size - rest, out += size - rest;
    }
    if (rest)
        crypt_in_unit(aegis, out, in, 0, rest);
}

static rijn_status crypt_state(rijn_aegis *aegis, int phase, uint8_t *out, const uint8_t *in,
                               size_t size)
{
    TRY(check_state(aegis, PHASE_AD | phase));
    TRY(check_data(in, size, aegis->size));
    TRY(rijn_check_buffers(out, in, size));
    crypt_span(aegis, phase, out, in, size);
    return rijn_scrub(RIJN_OK, piece_depth(aegis->code));
}

rijn_status rijn_aegis_encrypt(rijn_aegis *aegis, uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt_state(aegis, PHASE_ENCRYPT, out, in, size);
}

rijn_status rijn_aegis_decrypt(rijn_aegis *aegis, uint8_t *out, const uint8_t *in, size_t size)
{
    return crypt_state(aegis, PHASE_DECRYPT, out, in, size);
}

/* Absorbs a partial unit, computes the tag and wipes the state. */
RIJN_APART static void end_state(rijn_aegis *aegis, uint8_t *tag, size_t tag_size)
{
    const rijn_aegis_code *const code = aegis->code;
    const bool mac = aegis->phase == PHASE_MAC;
    const uint64_t last = aegis->phase == PHASE_AD ? aegis->ad_size : aegis->size;
    uint8_t tags[AEGIS_TAGS];

    code->call(&(rijn_aegis_call){
        .ad = aegis->partial,
        .ad_size = (size_t)(last % code->rate),
        .closing = {(mac ? aegis->size : aegis->ad_size) * 8, mac ? tag_size * 8 : aegis->size * 8},
        .tag_size = tag_size,
        .tags = mac ? tags : tag,
        .separate_tags = mac,
        .state = aegis->state});
    if (mac)
        end_mac(code, aegis->state, tag, tags, tag_size);
    rijn_aegis_wipe(aegis);
}

static rijn_status finish_state(rijn_aegis *aegis, int phases, uint8_t *tag, size_t tag_size)
{
    TRY(check_state(aegis, phases));
    TRY(check_tag(tag, tag_size));
    const size_t depth = piece_depth(aegis->code);
    end_state(aegis, tag, tag_size);
    return rijn_scrub(RIJN_OK, depth);
}

RIJN_APART static rijn_status compare(rijn_aegis *aegis, const uint8_t *tag, size_t tag_size)
{
    uint8_t computed[32];

    end_state(aegis, computed, tag_size);
    return rijn_check_tag(computed, tag, tag_size, NULL, 0);
}

static rijn_status verify_state(rijn_aegis *aegis, int phases, const uint8_t *tag, size_t tag_size)
{
    TRY(check_state(aegis, phases));
    TRY(check_tag(tag, tag_size));
    const size_t depth = piece_depth(aegis->code);
    return rijn_scrub(compare(aegis, tag, tag_size), depth);
}

rijn_status rijn_aegis_finish(rijn_aegis *aegis, uint8_t *tag, size_t tag_size)
{
    return finish_state(aegis, PHASE_AD | PHASE_ENCRYPT, tag, tag_size);
}

rijn_status rijn_aegis_verify(rijn_aegis *aegis, const uint8_t *tag, size_t tag_size)
{
    return verify_state(aegis, PHASE_AD | PHASE_DECRYPT, tag, tag_size);
}

rijn_status rijn_aegis_mac_finish(rijn_aegis *mac, uint8_t *tag, size_t tag_size)
{
    return finish_state(mac, PHASE_MAC, tag, tag_size);
}

rijn_status rijn_aegis_mac_verify(rijn_aegis *mac, const uint8_t *tag, size_t tag_size)
{
    return verify_state(mac, PHASE_MAC, tag, tag_size);
}

void rijn_aegis_wipe(rijn_aegis *aegis)
{
    if (aegis)
        wipe(aegis, sizeof *aegis);
}

#endif
