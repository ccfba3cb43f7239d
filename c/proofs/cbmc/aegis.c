/* AEGIS: c/src/aegis/aegis.c. The six variants over a kernel that may do anything that kernel.h
 * allows.
 *
 * Assumptions, besides those of contract.c
 *   - A key is zeros, or rijn_aegis_key_init made it (prove_aegis_key_init).
 *   - A state is idle, or a start made it and these functions changed it: is_state(). */
#include "contract.h"

#include "aegis/kernel.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

/* ---- The contract of a kernel (kernel.h) ---- */

static rijn_aegis_code codes[RIJN_AEGIS_VARIANTS];
static rijn_aegis_kernel kernel = {.name = "any", .backend = &backend, .code = codes};
static const rijn_aegis_code *code; /* the variant of this call */
static uint64_t computed[4];        /* the tag of the last message that was decrypted at once */

static void works(void)
{
    seen.calls++;
    if (!(code->in_registers && seen.whole) && code->stack > seen.stack)
        seen.stack = code->stack;
}

static void call(const rijn_aegis_call *c)
{
    const size_t tags = c->tags ? c->tag_size * (c->separate_tags ? code->degree : 1) : 0;

    seen.whole = !c->state;
    works();
    ASSERT(!c->key == !c->nonce && (c->key || c->state), "a start, or a state");
    if (c->key) {
        reads(c->key, code->key_size);
        reads(c->nonce, code->key_size);
    }
    if (c->state)
        writes(c->state, sizeof((rijn_aegis *)0)->state);
    ASSERT(!c->tags || c->tag_size == 16 || c->tag_size == 32, "a tag has 16 or 32 bytes");
    ASSERT(c->out == c->in || apart(c->out, c->size, c->in, c->size),
           "output is the input or apart from it");
    ASSERT(apart(c->tags, tags, c->in, c->size) && apart(c->tags, tags, c->out, c->size) &&
               apart(c->out, c->size, c->ad, c->ad_size) &&
               (!c->nonce || apart(c->out, c->size, c->nonce, code->key_size)),
           "output is apart from other arguments");
    reads(c->ad, c->ad_size);
    reads(c->in, c->size);
    writes(c->out, c->size);
    writes(c->tags, tags);
    if (seen.whole && c->decrypt) {
        ASSERT(!__CPROVER_DYNAMIC_OBJECT(c->tags), "the computed tag is not the caller's");
        for (size_t i = 0; i < c->tag_size / 8; i++)
            computed[i] = load_le64(c->tags + 8 * i);
    }
}

static void next(const uint64_t *state, uint8_t *out)
{
    seen.whole = false;
    works();
    reads(state, sizeof((rijn_aegis *)0)->state);
    writes(out, code->rate);
}

rijn_status rijn_aegis_kernel_find(const char *name, const rijn_aegis_kernel **found)
{
    (void)name;
    if (nondet_bool())
        return RIJN_ERR_BACKEND;
    *found = &kernel;
    return RIJN_OK;
}

static void start_aegis(void)
{
    start();
    const bool is_256 = nondet_bool();
    const unsigned shift = nondet_unsigned();
    __CPROVER_assume(shift <= 2);
    codes[0].key_size = is_256 ? 32 : 16;
    codes[0].degree = (size_t)1 << shift;
    codes[0].rate = (is_256 ? (size_t)16 : 32) << shift;
    codes[0].stack = nondet_size() & 65535;
    codes[0].in_registers = nondet_bool();
    codes[0].call = call;
    codes[0].next = next;
    code = &codes[0];
}

/* ---- Keys ---- */

static rijn_aegis_key *any_aegis_key(void)
{
    static rijn_aegis_key key;
    rijn_aegis_key any;

    if (nondet_bool())
        return NULL;
    key = any;
    const bool ready = nondet_bool();
    key.code = ready ? &codes[0] : NULL;
    key.kernel = ready ? &kernel : NULL;
    return &key;
}

void prove_aegis_key_init(void)
{
    start_aegis();
    rijn_aegis_key memory, *const key = nondet_bool() ? &memory : NULL;
    const size_t size = any_size();
    uint8_t *const bytes = any_buffer(size);
    const rijn_aegis_variant variant = (rijn_aegis_variant)nondet_int();
    watch((uint8_t *)key, sizeof *key);
    const rijn_status status = rijn_aegis_key_init(key, variant, bytes, size, NULL);

    if (status == RIJN_OK) {
        ASSERT(key && bytes && variant <= RIJN_AEGIS_256X4 && size == (variant < 3 ? 16 : 32),
               "an allowed key");
        ASSERT(key->code == &codes[variant] && key->code->call, "the code of the variant");
        ASSERT(size == rijn_aegis_key_size(variant), "the size of the key");
        REACHED("a key");
        return;
    }
    ASSERT(!is_watched((uint8_t *)key, key ? sizeof *key : 0) || !watched(),
           "a refused key is zeros");
    REACHED("a refused key");
}

void prove_aegis_names(void)
{
    start_aegis();
    const rijn_aegis_variant variant = (rijn_aegis_variant)nondet_int();
    const bool known = (unsigned)variant < RIJN_AEGIS_VARIANTS;
    const char *const name = rijn_aegis_name(variant);
    ASSERT(name && !*name == !known, "a name, or an empty string");
    ASSERT(rijn_aegis_key_size(variant) == (!known        ? 0
                                            : variant < 3 ? 16
                                                          : 32),
           "the size of a key");
    const rijn_aegis_key *const key = any_aegis_key();
    backend.name = "any";
    ASSERT(!*rijn_aegis_key_backend(key) == !(key && key->kernel), "the backend of a key");
    ASSERT(!*rijn_aegis_key_kernel(key) == !(key && key->kernel), "the kernel of a key");
    REACHED("the end");
}

void prove_aegis_key_wipe(void)
{
    start_aegis();
    rijn_aegis_key *const key = any_aegis_key();
    watch((uint8_t *)key, sizeof *key);
    rijn_aegis_key_wipe(key);
    ASSERT(!is_watched((uint8_t *)key, key ? sizeof *key : 0) || !watched(),
           "a wiped key is zeros");
    REACHED("the end");
}

/* ---- A message at once ---- */

static bool is_tag_size(size_t size)
{
    return size == 16 || size == 32;
}

/* Returns whether a tag has the bytes that the kernel computed. */
static bool is_computed(const uint8_t *tag, size_t size)
{
    uint64_t difference = 0;

    for (size_t i = 0; i < size / 8; i++)
        difference |= computed[i] ^ load_le64(tag + 8 * i);
    return !difference;
}

static rijn_status check_message(bool opening)
{
    start_aegis();
    const rijn_aegis_key *const key = any_aegis_key();
    const size_t size = any_size(), ad_size = any_size(), nonce_size = any_size();
    const size_t tag_size = any_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    uint8_t *const ad = any_buffer(ad_size), *const nonce = any_buffer(nonce_size);
    uint8_t *const tag = any_buffer(tag_size);
    if (nondet_bool())
        watch(out, size);
    else
        watch(tag, tag_size);
    const rijn_status status =
        opening
            ? rijn_aegis_open(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size)
            : rijn_aegis_seal(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
    const bool allowed = key && key->code && nonce && nonce_size == code->key_size && tag &&
                         is_tag_size(tag_size) && (ad || !ad_size) && (!size || (in && out)) &&
                         (out == in || apart(out, size, in, size)) &&
                         apart(out, size, tag, tag_size) && apart(in, size, tag, tag_size) &&
                         apart(out, size, nonce, nonce_size) && apart(out, size, ad, ad_size);

    ASSERT((status == RIJN_OK || status == RIJN_ERR_TAG) == allowed,
           "exactly the allowed calls are done");
    if (!allowed) {
        refused();
        REACHED("a refused message");
        return status;
    }
    ASSERT(seen.calls == 1, "the message is processed once");
    if (opening)
        ASSERT((status == RIJN_OK) == is_computed(tag, tag_size),
               "a tag is accepted if and only if it is equal");
    else
        ASSERT(status == RIJN_OK, "a seal compares no tag");
    ASSERT(status == RIJN_OK || !is_watched(out, size) || !watched(),
           "the output of a refused message is zeros");
    ASSERT(is_watched(out, size) || (!opening && is_watched(tag, tag_size)) ? written_once()
                                                                            : untouched(),
           "each byte is written once, and nothing else");
    finish();
    if (status == RIJN_OK)
        REACHED("a message");
    return status;
}

void prove_aegis_seal(void)
{
    check_message(false);
}

void prove_aegis_open(void)
{
    if (check_message(true) == RIJN_ERR_TAG)
        REACHED("a forged message");
}

void prove_aegis_mac(void)
{
    start_aegis();
    const rijn_aegis_key *const key = any_aegis_key();
    const size_t size = any_size(), nonce_size = any_size(), tag_size = any_size();
    uint8_t *const in = any_buffer(size), *const nonce = any_buffer(nonce_size);
    uint8_t *const tag = any_buffer(tag_size);
    watch(in, size);
    const rijn_status status = rijn_aegis_mac(key, tag, tag_size, nonce, nonce_size, in, size);

    ASSERT((status == RIJN_OK) == (key && key->code && nonce && nonce_size == code->key_size &&
                                   tag && is_tag_size(tag_size) && (in || !size)),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused message");
        return;
    }
    ASSERT(untouched(), "the message is only read");
    finish();
    REACHED("a tag");
}

void prove_aegis_keystream(void)
{
    start_aegis();
    const rijn_aegis_key *const key = any_aegis_key();
    const size_t size = nondet_size() % 300, nonce_size = any_size();
    uint8_t memory[300], *const out = nondet_bool() ? memory : NULL;
    uint8_t *const nonce = any_buffer(nonce_size);
    watch(out, size);
    const rijn_status status =
        rijn_aegis_unauthenticated_keystream(key, out, size, nonce, nonce_size);

    ASSERT((status == RIJN_OK) ==
               (key && key->code && nonce && nonce_size == code->key_size && (out || !size)),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused call");
        return;
    }
    finish();
    REACHED("keystream");
}

/* ---- In pieces ---- */

static bool is_state(const rijn_aegis *aegis)
{
    const int phase = aegis->phase;

    return !phase || ((phase == PHASE_AD || phase == PHASE_ENCRYPT || phase == PHASE_DECRYPT ||
                       phase == PHASE_MAC) &&
                      aegis->ad_size <= MAX_AD && aegis->size <= MAX_AD &&
                      (phase != PHASE_AD || !aegis->size));
}

static rijn_aegis *any_state(rijn_aegis *memory)
{
    rijn_aegis any;

    *memory = any;
    memory->code = code;
    __CPROVER_assume(is_state(memory));
    return nondet_bool() ? memory : NULL;
}

void prove_aegis_start(void)
{
    start_aegis();
    rijn_aegis memory, *const aegis = nondet_bool() ? &memory : NULL;
    const rijn_aegis_key *const key = any_aegis_key();
    const size_t nonce_size = any_size();
    uint8_t *const nonce = any_buffer(nonce_size);
    watch(NULL, 0);
    const bool mac = nondet_bool();
    const rijn_status status = mac ? rijn_aegis_mac_start(aegis, key, nonce, nonce_size)
                                   : rijn_aegis_start(aegis, key, nonce, nonce_size);

    ASSERT((status == RIJN_OK) ==
               (aegis && key && key->code && nonce && nonce_size == code->key_size),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused start");
        return;
    }
    ASSERT(is_state(aegis) && aegis->code == code && !aegis->size && !aegis->ad_size &&
               aegis->phase == (mac ? PHASE_MAC : PHASE_AD),
           "a state");
    finish();
    REACHED("a started message");
}

void prove_aegis_ad(void)
{
    start_aegis();
    rijn_aegis memory, *const aegis = any_state(&memory);
    const rijn_aegis before = memory;
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size);
    watch(in, size);
    const bool mac = nondet_bool();
    const rijn_status status =
        mac ? rijn_aegis_mac_update(aegis, in, size) : rijn_aegis_ad(aegis, in, size);
    const uint64_t so_far = mac ? before.size : before.ad_size;

    ASSERT((status == RIJN_OK) == (aegis && before.phase == (mac ? PHASE_MAC : PHASE_AD) &&
                                   (in || !size) && size <= MAX_AD - so_far),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("refused data");
        return;
    }
    ASSERT(is_state(aegis) && (mac ? aegis->size : aegis->ad_size) == so_far + size,
           "the bytes are counted");
    finish();
    REACHED("authenticated data");
}

void prove_aegis_crypt(void)
{
    start_aegis();
    rijn_aegis memory, *const aegis = any_state(&memory);
    const rijn_aegis before = memory;
    const size_t size = any_size();
    uint8_t *const in = any_buffer(size), *const out = nondet_bool() ? in : any_buffer(size);
    watch(out, size);
    const bool decrypting = nondet_bool();
    const int phase = decrypting ? PHASE_DECRYPT : PHASE_ENCRYPT;
    const rijn_status status = decrypting ? rijn_aegis_decrypt(aegis, out, in, size)
                                          : rijn_aegis_encrypt(aegis, out, in, size);

    ASSERT((status == RIJN_OK) ==
               (aegis && before.phase & (PHASE_AD | phase) && (!size || (in && out)) &&
                size <= MAX_AD - before.size && (out == in || apart(out, size, in, size))),
           "exactly the allowed calls are done");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused piece");
        return;
    }
    ASSERT(is_watched(out, size) ? written_once() : untouched(), "each byte is written once");
    ASSERT(is_state(aegis) && aegis->size == before.size + size && aegis->phase == phase,
           "the bytes are counted");
    finish();
    REACHED("a piece");
}

void prove_aegis_finish(void)
{
    start_aegis();
    rijn_aegis memory, *const aegis = any_state(&memory);
    const rijn_aegis before = memory;
    const size_t tag_size = any_size();
    uint8_t *const tag = any_buffer(tag_size);
    watch((uint8_t *)&memory, sizeof memory);
    const bool verifying = nondet_bool(), mac = nondet_bool();
    const rijn_status status = mac ? (verifying ? rijn_aegis_mac_verify(aegis, tag, tag_size)
                                                : rijn_aegis_mac_finish(aegis, tag, tag_size))
                                   : (verifying ? rijn_aegis_verify(aegis, tag, tag_size)
                                                : rijn_aegis_finish(aegis, tag, tag_size));
    const int phases = mac         ? PHASE_MAC
                       : verifying ? PHASE_AD | PHASE_DECRYPT
                                   : PHASE_AD | PHASE_ENCRYPT;
    const bool allowed = aegis && before.phase & phases && tag && is_tag_size(tag_size);

    ASSERT((status == RIJN_OK || status == RIJN_ERR_TAG) == allowed,
           "exactly the allowed calls are done");
    if (!allowed) {
        refused();
        REACHED("a refused end");
        return;
    }
    if (verifying)
        compared(status, tag, tag_size);
    else
        ASSERT(status == RIJN_OK, "an end of a seal compares no tag");
    ASSERT(!is_watched((uint8_t *)&memory, sizeof memory) || !watched(), "the state is wiped");
    finish();
    REACHED("a finished message");
    if (status == RIJN_ERR_TAG)
        REACHED("a forged message");
}

void prove_aegis_wipe(void)
{
    start_aegis();
    rijn_aegis memory, *const aegis = any_state(&memory);
    watch((uint8_t *)aegis, sizeof *aegis);
    rijn_aegis_wipe(aegis);
    ASSERT(!is_watched((uint8_t *)aegis, aegis ? sizeof *aegis : 0) || !watched(),
           "a wiped state is zeros");
    REACHED("the end");
}
