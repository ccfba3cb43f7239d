/* The contract of a backend (backend.h) as stubs. Each stub asserts what backend.h asks of callers:
 * memory that can be read or written, for all its bytes; output that is the input or apart from it;
 * a key that was expanded for this use; sizes. Then it changes what backend.h lets it change, to
 * any values. So a proof with these stubs holds for every backend that keeps the contract.
 *
 * Assumptions
 *   - A buffer has at most 2^48 bytes.
 *   - A batch has 1, 2, 4, 8, 16 or 32 blocks, and functions take at most 64 KiB of stack.
 *     BLOCKS_STACK and PIECE_STACK are at most STACK, and GCM_STACKS grow, as in backend.h.
 *   - Of the buffers of the caller, stubs change the watched byte alone. As it is any byte, this is
 *     enough for assertions about it. Harnesses assert nothing about the values of other bytes.
 *   - CBMC ignores the empty asm statements of ct.h, scrub.h and wipe.h, which change nothing. */
#include "contract.h"

#include "modes/message.h"

void *malloc(size_t size);

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

rijn_backend backend; /* its index is 0 */
history seen;
static uint8_t *arena;
static size_t arena_size;

/* ---- Arguments ---- */

size_t any_size(void)
{
    const size_t size = nondet_size();
    __CPROVER_assume(size <= MOST);
    return size;
}

static uint8_t *new_memory(size_t size)
{
    uint8_t *const memory = malloc(size);
    __CPROVER_assume(memory);
    return memory;
}

uint8_t *any_buffer(size_t size)
{
    const size_t at = nondet_size();

    if (nondet_bool())
        return NULL;
    if (nondet_bool())
        return new_memory(size);
    __CPROVER_assume(at <= arena_size && size <= arena_size - at);
    return arena + at;
}

rijn_key *any_key(void)
{
    if (nondet_bool())
        return NULL;
    rijn_key *const key = (rijn_key *)new_memory(sizeof *key);
    key->backend = nondet_bool() ? &backend : NULL;
    __CPROVER_assume(key->size == 16 || key->size == 24 || key->size == 32);
    __CPROVER_assume(key->short_tags <= 1 && key->uses <= USE_ALL);
    return key;
}

void watch(uint8_t *memory, size_t size)
{
    const size_t at = nondet_size();

    if (memory && size && nondet_bool()) {
        __CPROVER_assume(at < size);
        seen.byte = memory + at;
    } else {
        __CPROVER_assume(at < arena_size);
        seen.byte = arena + at;
    }
    seen.now = seen.before = nondet_uint8();
}

bool apart(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return !a_size || !b_size || x + a_size <= y || y + b_size <= x;
}

bool is_watched(const uint8_t *memory, size_t size)
{
    return (uintptr_t)seen.byte - (uintptr_t)memory < size;
}

void finish(void)
{
    ASSERT(seen.scrubbed >= seen.stack, "the stack of the backend is overwritten");
}

void refused(void)
{
    ASSERT(!seen.calls, "a refused call does no work");
    ASSERT(!seen.writes && seen.now == seen.before, "a refused call writes nothing");
}

/* ---- Memory ---- */

static void reads(const void *memory, size_t size)
{
    ASSERT(!size || __CPROVER_r_ok(memory, size), "bytes that are read exist");
}

static void may_write(void *memory, size_t size)
{
    ASSERT(!size || __CPROVER_w_ok(memory, size), "bytes that are written exist");
}

static void writes(void *memory, size_t size)
{
    may_write(memory, size);
    if (is_watched(memory, size)) {
        seen.now = nondet_uint8();
        seen.writes++;
    }
}

/* For variables of 16 and 32 bytes, such as a counter block. */
static void changes(uint8_t *memory, size_t size)
{
    may_write(memory, size);
    __CPROVER_havoc_slice(memory, size);
}

static void in_place_or_apart(const uint8_t *out, const uint8_t *in, size_t size)
{
    ASSERT(out == in || apart(out, size, in, size), "output is the input or apart from it");
    reads(in, size);
    writes(out, size);
}

void contract_wipe(void *memory, size_t size)
{
    may_write(memory, size);
    if (is_watched(memory, size))
        seen.now = 0;
}

void rijn_wipe(void *memory, size_t size)
{
    contract_wipe(memory, size);
}

void contract_xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t size)
{
    ASSERT((out == a || apart(out, size, a, size)) && (out == b || apart(out, size, b, size)),
           "output is the input or apart from it");
    reads(a, size);
    reads(b, size);
    writes(out, size);
}

void rijn_scrub_area(void *area, size_t size)
{
    may_write(area, size);
    if (size > seen.scrubbed)
        seen.scrubbed = size;
}

/* ---- The backend ---- */

/* Begins each function of the backend. */
static void works(const void *context, unsigned uses, size_t stack)
{
    const rijn_key *const key =
        (const rijn_key *)((const uint8_t *)context - offsetof(rijn_key, context));

    reads(context, sizeof key->context);
    ASSERT(key->backend == &backend, "the key belongs to this backend");
    ASSERT((key->uses & uses) == uses, "the key was expanded for this use");
    seen.calls++;
    if (stack > seen.stack)
        seen.stack = stack;
}

static unsigned any_stack(void)
{
    const unsigned size = nondet_unsigned();
    __CPROVER_assume(size <= 65536);
    return size;
}

static void key_init(void *context, const uint8_t *key, size_t size, unsigned uses, size_t blocks)
{
    (void)blocks;
    ASSERT(size == 16 || size == 24 || size == 32, "AES has keys of this size");
    ASSERT(uses <= USE_ALL, "the uses are known");
    reads(key, size);
    may_write(context, sizeof((rijn_key *)0)->context);
    if (backend.stack > seen.stack)
        seen.stack = backend.stack;
}

static void encrypt_block(const void *context, uint8_t out[16], const uint8_t in[16])
{
    works(context, 0, backend.stack);
    reads(in, 16);
    changes(out, 16);
}

/* ---- CTR ---- */

static void check_counter(const rijn_counter *counter)
{
    reads(counter, sizeof *counter);
    ASSERT(counter->width == 4 || counter->width == 8 || counter->width == 16, "a width");
    ASSERT(counter->hidden <= 1 && (!counter->hidden || counter->width == 4), "GCM hides J0");
}

/* Moves a counter on. GCM's counter, 4 bytes big-endian, gets its value, and any other counter any
 * value. */
static void count(rijn_counter *counter, size_t blocks)
{
    seen.blocks += blocks;
    if (counter->width == 4 && !counter->little)
        store_be32(counter->block + 12, load_be32(counter->block + 12) + (uint32_t)blocks);
    else
        changes(counter->block, 16);
}

/* A piece that is shorter than a batch, with a public counter that does not wrap, takes less. */
static void ctr_crypt(const void *context, rijn_counter *counter, uint8_t *out, const uint8_t *in,
                      size_t size)
{
    const bool is_short = size <= 16 * (size_t)backend.blocks && !counter->hidden &&
                          load_be32(counter->block + 12) <= UINT32_MAX - backend.blocks;

    works(context, 0, is_short ? backend.piece_stack : backend.stack);
    check_counter(counter);
    in_place_or_apart(out, in, size);
    count(counter, size / 16 + (size % 16 != 0));
}

static void ctr_bypass(const void *context, rijn_counter *counter, uint8_t *out, const uint8_t *in,
                       size_t size)
{
    works(context, 0, backend.stack + backend.bypass_stack);
    ASSERT(out != in && size >= rijn_bypass_size, "only huge messages bypass the caches");
    check_counter(counter);
    in_place_or_apart(out, in, size);
    count(counter, size / 16 + (size % 16 != 0));
}

static rijn_status ctr_in_registers(const void *context, uint64_t first, uint64_t second,
                                    uint8_t *out, const uint8_t *in, size_t size)
{
    works(context, 0, 0);
    (void)first;
    ASSERT(size / 16 + (size % 16 != 0) <= (uint64_t)UINT32_MAX + 1 - (uint32_t)swap64(second),
           "the last four bytes of the counter do not wrap");
    in_place_or_apart(out, in, size);
    return RIJN_OK;
}

static rijn_ctr_table ctr_table = {.ctr_crypt = ctr_crypt};
const rijn_ctr_table *const rijn_ctr_tables[] = {&ctr_table};

/* ---- GCM ---- */

static void ghash(const void *context, uint8_t y[16], const uint8_t *p, size_t blocks)
{
    works(context, USE_HASH,
          blocks <= backend.blocks ? backend.piece_stack : backend.gcm_stacks[2]);
    ASSERT(blocks <= MOST / 16, "blocks of memory");
    reads(p, 16 * blocks);
    changes(y, 16);
}

static void crypt_and_hash(const void *context, rijn_counter *counter, uint8_t y[16], uint8_t *out,
                           const uint8_t *in, size_t blocks, size_t stack)
{
    works(context, USE_HASH, stack);
    check_counter(counter);
    ASSERT(counter->width == 4 && !counter->little, "GCM's counter");
    ASSERT(blocks <= MOST / 16, "blocks of memory");
    in_place_or_apart(out, in, 16 * blocks);
    count(counter, blocks);
    changes(y, 16);
}

static void gcm_crypt(const void *context, rijn_counter *counter, uint8_t y[16], uint8_t *out,
                      const uint8_t *in, size_t blocks, bool decrypting)
{
    (void)decrypting;
    crypt_and_hash(context, counter, y, out, in, blocks, backend.gcm_stacks[2]);
}

static void gcm_bypass(const void *context, rijn_counter *counter, uint8_t y[16], uint8_t *out,
                       const uint8_t *in, size_t blocks, bool decrypting)
{
    (void)decrypting;
    ASSERT(out != in && 16 * blocks >= rijn_bypass_size, "only huge messages bypass the caches");
    crypt_and_hash(context, counter, y, out, in, blocks,
                   backend.gcm_stacks[2] + backend.bypass_stack);
}

/* XORs bytes into a block of GHASH (gcm.c). */
void contract_begin_block(rijn_gcm *gcm, const uint8_t *p, size_t size)
{
    ASSERT(size <= 16 && gcm->fill <= 16 - size, "the bytes fit the block");
    reads(p, size);
    changes(gcm->hash, 16);
    gcm->fill += (uint32_t)size;
}

/* The rules for a whole message of GCM, and the stack that it takes. */
static void gcm_message(const void *context, const uint8_t *nonce, size_t nonce_size,
                        const uint8_t *ad, size_t ad_size, size_t size)
{
    const size_t blocks = (ad_size > size ? ad_size : size) / 16;
    const int kind = nonce_size != 12 ? 2 : blocks >= backend.fused_blocks;

    works(context, USE_HASH, backend.gcm_stacks[kind]);
    ASSERT(nonce_size && size <= GCM_MOST && ad_size <= MAX_AD, "GCM allows these sizes");
    reads(nonce, nonce_size);
    reads(ad, ad_size);
}

static void gcm_seal(const void *context, uint8_t *out, uint8_t *tag, size_t tag_size,
                     const uint8_t *nonce, size_t nonce_size, const uint8_t *ad, size_t ad_size,
                     const uint8_t *in, size_t size)
{
    gcm_message(context, nonce, nonce_size, ad, ad_size, size);
    ASSERT(tag_size && tag_size <= 16, "a tag has up to 16 bytes");
    ASSERT(apart(tag, tag_size, in, size) && apart(tag, tag_size, out, size) &&
               apart(nonce, nonce_size, out, size) && apart(ad, ad_size, out, size),
           "output is apart from other arguments");
    in_place_or_apart(out, in, size);
    writes(tag, tag_size);
}

static void gcm_open(const void *context, uint8_t *out, uint8_t tag[16], const uint8_t *nonce,
                     size_t nonce_size, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                     size_t size)
{
    gcm_message(context, nonce, nonce_size, ad, ad_size, size);
    ASSERT(apart(tag, 16, out, size) && apart(nonce, nonce_size, out, size) &&
               apart(ad, ad_size, out, size),
           "output is apart from other arguments");
    in_place_or_apart(out, in, size);
    changes(tag, 16);
}

static void gcm_tag(const void *context, uint8_t *tag, size_t tag_size, const uint8_t *nonce,
                    size_t nonce_size, const uint8_t *ad, size_t ad_size, const uint8_t *in,
                    size_t size)
{
    gcm_message(context, nonce, nonce_size, ad, ad_size, size);
    ASSERT(tag_size && tag_size <= 16, "a tag has up to 16 bytes");
    reads(in, size);
    writes(tag, tag_size);
}

/* The rules for a short message. */
static void gcm_in_registers(const void *context, const uint8_t *tag, size_t tag_size,
                             const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                             size_t ad_size, uint8_t *out, const uint8_t *in, size_t size)
{
    works(context, USE_HASH, 0);
    ASSERT(nonce_size == 12 && tag_size == 16 && ad_size <= 16 && size &&
               size <= backend.gcm_register_size,
           "a short message");
    ASSERT(apart(tag, tag_size, in, size) && apart(tag, tag_size, out, size) &&
               apart(nonce, nonce_size, out, size) && apart(ad, ad_size, out, size),
           "output is apart from other arguments");
    reads(nonce, nonce_size);
    reads(ad, ad_size);
    in_place_or_apart(out, in, size);
}

static rijn_status gcm_seal_in_registers(const void *context, uint8_t *out, uint8_t *tag,
                                         size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                         const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                         size_t size)
{
    gcm_in_registers(context, tag, tag_size, nonce, nonce_size, ad, ad_size, out, in, size);
    writes(tag, tag_size);
    return RIJN_OK;
}

static rijn_status gcm_open_in_registers(const void *context, uint8_t *out, const uint8_t *tag,
                                         size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                         const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                         size_t size)
{
    gcm_in_registers(context, tag, tag_size, nonce, nonce_size, ad, ad_size, out, in, size);
    reads(tag, tag_size);
    if (nondet_bool())
        return RIJN_OK;
    contract_wipe(out, size);
    return RIJN_ERR_TAG;
}

static rijn_gcm_table gcm_table = {
    .ghash = ghash,
    .gcm_crypt = gcm_crypt,
    .gcm_bypass = gcm_bypass,
    .gcm_seal = gcm_seal,
    .gcm_open = gcm_open,
    .gcm_tag = gcm_tag,
    .gcm_seal_in_registers = gcm_seal_in_registers,
    .gcm_open_in_registers = gcm_open_in_registers,
};
const rijn_gcm_table *const rijn_gcm_tables[] = {&gcm_table};

/* ---- The start of a harness ---- */

void start(void)
{
    const unsigned shift = nondet_unsigned();

    arena_size = any_size();
    __CPROVER_assume(arena_size && shift <= 5);
    arena = new_memory(arena_size);

    backend.name = "any";
    backend.context_size = sizeof((rijn_key *)0)->context;
    backend.blocks = 1u << shift;
    backend.stack = any_stack();
    backend.blocks_stack = any_stack();
    backend.piece_stack = any_stack();
    for (int i = 0; i < 3; i++)
        backend.gcm_stacks[i] = any_stack();
    __CPROVER_assume(backend.blocks_stack <= backend.stack && backend.piece_stack <= backend.stack &&
                     backend.gcm_stacks[0] <= backend.gcm_stacks[1] &&
                     backend.gcm_stacks[1] <= backend.gcm_stacks[2] &&
                     backend.stack <= backend.gcm_stacks[2]);
    backend.fused_blocks = nondet_unsigned();
    backend.gcm_register_size = any_stack();
    backend.key_init = key_init;
    backend.encrypt_block = encrypt_block;

    backend.bypass_stack = nondet_bool() ? any_stack() : 0;
    ctr_table.ctr_bypass = backend.bypass_stack ? ctr_bypass : NULL;
    ctr_table.ctr_in_registers = nondet_bool() ? ctr_in_registers : NULL;
}
