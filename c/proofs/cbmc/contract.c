/* The contract of a backend (backend.h) as stubs. Each stub asserts what backend.h asks of callers:
 * memory that can be read or written, for all its bytes; output that is the input or apart from it;
 * a key that was expanded for this use; sizes. Then it changes what backend.h lets it change, to
 * any values. So a proof with these stubs holds for every backend that keeps the contract.
 *
 * Assumptions
 *   - A buffer has fewer than 2^38 bytes.
 *   - A batch has 1, 2, 4, 8, 16 or 32 blocks, and functions take at most 64 KiB of stack.
 *     BLOCKS_STACK and PIECE_STACK are at most STACK, and GCM_STACKS grow, as in backend.h. Where
 *     output bypasses the caches, bypass_stack is at least STACK, as in bypass.h. LONG_BLOCKS is at
 *     most a batch, as in modes/gcm.h and x86/vec_gcm.h.
 *   - Of the buffers of the caller, stubs change the watched byte alone. As it is any byte, this is
 *     enough for assertions about it. Harnesses assert nothing about the values of other bytes. Blocks
 *     on the stack, counters and chains get any values.
 *   - CBMC ignores the empty asm statements of ct.h, scrub.h and wipe.h, which change nothing. */
#include "contract.h"

#include "modes/message.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

rijn_backend backend; /* its index is 0 */

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

static rijn_tag_words any_tag(void)
{
    return seen.words = (rijn_tag_words){nondet_uint64(), nondet_uint64()};
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

/* ---- Blocks: ECB, CBC, key wrap, feedback, XTS ---- */

static void blocks_work(const void *context, unsigned uses, size_t stack, uint8_t *out,
                        const uint8_t *in, size_t blocks)
{
    works(context, uses, stack);
    ASSERT(blocks <= MOST / 16 + 1, "blocks of memory");
    in_place_or_apart(out, in, 16 * blocks);
}

#ifdef WITH_ecb

static void ecb_encrypt(const void *context, uint8_t *out, const uint8_t *in, size_t blocks)
{
    blocks_work(context, 0, backend.blocks_stack, out, in, blocks);
}

static void ecb_decrypt(const void *context, uint8_t *out, const uint8_t *in, size_t blocks)
{
    blocks_work(context, USE_DECRYPT, backend.blocks_stack, out, in, blocks);
}

static void decrypt_block(const void *context, uint8_t out[16], const uint8_t in[16])
{
    works(context, USE_DECRYPT, backend.stack);
    reads(in, 16);
    changes(out, 16);
}

static rijn_status ecb_encrypt_in_registers(const void *context, uint8_t *out, const uint8_t *in,
                                            size_t blocks)
{
    blocks_work(context, 0, 0, out, in, blocks);
    return RIJN_OK;
}

static rijn_status ecb_decrypt_in_registers(const void *context, uint8_t *out, const uint8_t *in,
                                            size_t blocks)
{
    blocks_work(context, USE_DECRYPT, 0, out, in, blocks);
    return RIJN_OK;
}

static uint64_t wrap_in_registers(const void *context, uint64_t a, uint8_t *r, size_t n)
{
    works(context, 0, 0);
    (void)a;
    ASSERT(n >= 2 && n <= MOST / 8 + 1, "blocks of a key");
    writes(r, 8 * n);
    return nondet_uint64();
}

static uint64_t unwrap_in_registers(const void *context, uint64_t a, uint8_t *r, size_t n)
{
    works(context, USE_DECRYPT, 0);
    (void)a;
    ASSERT(n >= 2 && n <= MOST / 8 + 1, "blocks of a key");
    writes(r, 8 * n);
    return nondet_uint64();
}

static rijn_ecb_table ecb_table = {
    .ecb_encrypt = ecb_encrypt, .ecb_decrypt = ecb_decrypt, .decrypt_block = decrypt_block};
const rijn_ecb_table *const rijn_ecb_tables[] = {&ecb_table};

#endif /* ecb */

#ifdef WITH_cbc

static void cbc_encrypt(const void *context, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    blocks_work(context, 0, backend.blocks_stack, out, in, blocks);
    changes(iv, 16);
}

static void cbc_decrypt(const void *context, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    blocks_work(context, USE_DECRYPT, backend.blocks_stack, out, in, blocks);
    changes(iv, 16);
}

static rijn_status cbc_encrypt_in_registers(const void *context, uint8_t iv[16], uint8_t *out,
                                            const uint8_t *in, size_t blocks)
{
    blocks_work(context, 0, 0, out, in, blocks);
    changes(iv, 16);
    return RIJN_OK;
}

static rijn_status cbc_decrypt_in_registers(const void *context, uint8_t iv[16], uint8_t *out,
                                            const uint8_t *in, size_t blocks)
{
    blocks_work(context, USE_DECRYPT, 0, out, in, blocks);
    changes(iv, 16);
    return RIJN_OK;
}

static void cbc_mac(const void *context, uint8_t chain[16], const uint8_t *in, size_t blocks)
{
    works(context, 0, backend.stack);
    ASSERT(blocks <= MOST / 16 + 1, "blocks of memory");
    reads(in, 16 * blocks);
    changes(chain, 16);
    seen.hashed += blocks;
}

static rijn_status cmac_in_registers(const void *context, uint8_t *tag, size_t tag_size,
                                     const uint8_t *in, size_t size)
{
    works(context, USE_MAC, 0);
    ASSERT(tag_size && tag_size <= 16, "a tag has up to 16 bytes");
    reads(in, size);
    writes(tag, tag_size);
    return RIJN_OK;
}

static rijn_cbc_table cbc_table = {
    .cbc_encrypt = cbc_encrypt, .cbc_decrypt = cbc_decrypt, .cbc_mac = cbc_mac};
const rijn_cbc_table *const rijn_cbc_tables[] = {&cbc_table};

/* Reads the padding of a block (cbc.c). */
size_t contract_padding_of(const uint8_t block[16])
{
    const size_t padding = nondet_size();

    reads(block, 16);
    __CPROVER_assume(padding <= 16);
    return padding;
}

#endif /* cbc */

#ifdef WITH_feedback

static void cfb_or_ofb(const void *context, uint8_t iv[16], uint8_t *out, const uint8_t *in,
                       size_t blocks)
{
    blocks_work(context, 0, backend.stack, out, in, blocks);
    changes(iv, 16);
}

static void ige_encrypt(const void *context, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    blocks_work(context, 0, backend.blocks_stack, out, in, blocks);
    changes(iv, 32);
}

static void ige_decrypt(const void *context, uint8_t iv[32], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    blocks_work(context, USE_DECRYPT, backend.blocks_stack, out, in, blocks);
    changes(iv, 32);
}

static const rijn_feedback_table feedback_table = {.cfb_encrypt = cfb_or_ofb,
                                                   .cfb_decrypt = cfb_or_ofb,
                                                   .ofb_crypt = cfb_or_ofb,
                                                   .ige_encrypt = ige_encrypt,
                                                   .ige_decrypt = ige_decrypt};
const rijn_feedback_table *const rijn_feedback_tables[] = {&feedback_table};

#endif /* feedback */

#ifdef WITH_xts

static void xts_encrypt(const void *context, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    blocks_work(context, 0, backend.stack, out, in, blocks);
    changes(tweak, 16);
}

static void xts_decrypt(const void *context, uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    blocks_work(context, USE_DECRYPT, backend.stack, out, in, blocks);
    changes(tweak, 16);
}

static rijn_status xts_in_registers(const void *context, const void *of_tweak,
                                    const uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                                    size_t blocks, bool decrypting)
{
    works(of_tweak, 0, 0);
    reads(tweak, 16);
    ASSERT(blocks && blocks <= 16, "a few blocks");
    blocks_work(context, decrypting ? USE_DECRYPT : 0, 0, out, in, blocks);
    return RIJN_OK;
}

static rijn_xts_table xts_table = {.xts_encrypt = xts_encrypt, .xts_decrypt = xts_decrypt};
const rijn_xts_table *const rijn_xts_tables[] = {&xts_table};

#endif /* xts */

/* Multiplies a tweak (xts.c). */
void contract_advance(uint8_t tweak[16], uint32_t blocks)
{
    ASSERT(blocks <= 1 << 20, "a data unit has up to 2^20 blocks");
    changes(tweak, 16);
}

#ifdef WITH_ecb

/* The function W and its inverse (keywrap.c). */
void contract_wrap(const rijn_key *key, uint8_t *a, size_t n)
{
    works(key->context, 0, ecb_table.wrap_in_registers ? 0 : backend.stack);
    ASSERT(n >= 2 && n <= MOST / 8 + 1, "blocks of a key");
    writes(a, 8 * n + 8);
}

void contract_unwrap(const rijn_key *key, uint8_t a[8], uint8_t *r, size_t n)
{
    works(key->context, USE_DECRYPT, ecb_table.wrap_in_registers ? 0 : backend.stack);
    ASSERT(n >= 2 && n <= MOST / 8 + 1, "blocks of a key");
    changes(a, 8);
    writes(r, 8 * n);
}

/* Checks a key that was unwrapped (keywrap.c). Returns 0 only if a[4..8) is its size. */
uint64_t contract_malformed(const uint8_t a[8], const uint8_t *out, size_t padded)
{
    const uint64_t bad = nondet_uint64();

    reads(a, 8);
    reads(out + padded - 8, 8);
    __CPROVER_assume(bad || (uint64_t)padded - load_be32(a + 4) <= 7);
    seen.comparisons++;
    seen.equal = !bad;
    return bad;
}

#endif /* ecb */

/* ---- CTR with a MAC: CCM, EAX, SIV ---- */

#ifdef WITH_ctr_mac

static void ctr_mac(const void *context, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                    const uint8_t *in, size_t size)
{
    works(context, 0, backend.stack);
    ASSERT(size, "at least one byte");
    in_place_or_apart(out, in, size);
    changes(counter, 16);
    changes(chain, 16);
    seen.hashed += size / 16 + (size % 16 != 0);
}

static rijn_tag_words ccm_in_registers(const void *context, size_t tag_size, const uint8_t *nonce,
                                       size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                       uint8_t *out, const uint8_t *in, size_t size, int flags)
{
    works(context, 0, 0);
    ASSERT(size && tag_size >= 4 && tag_size <= 16 && nonce_size >= 7 && nonce_size <= 13 &&
               ad_size < 0xff00 && (flags & ~MAC_OUT) == 0,
           "a message of CCM");
    reads(nonce, nonce_size);
    reads(ad, ad_size);
    ASSERT(apart(nonce, nonce_size, out, size) && apart(ad, ad_size, out, size),
           "output is apart from other arguments");
    in_place_or_apart(out, in, size);
    return any_tag();
}

static rijn_tag_words eax_in_registers(const void *context, const uint8_t *nonce, size_t nonce_size,
                                       const uint8_t *ad, size_t ad_size, uint8_t *out,
                                       const uint8_t *in, size_t size, int flags)
{
    works(context, USE_MAC, 0);
    ASSERT(size && (flags & ~MAC_OUT) == 0, "a message of EAX");
    reads(nonce, nonce_size);
    reads(ad, ad_size);
    ASSERT(apart(nonce, nonce_size, out, size) && apart(ad, ad_size, out, size),
           "output is apart from other arguments");
    in_place_or_apart(out, in, size);
    return any_tag();
}

static rijn_tag_words s2v_in_registers(const void *context, const rijn_string *strings,
                                       size_t count, const uint8_t *in, size_t size)
{
    works(context, USE_MAC, 0);
    reads(strings, count * sizeof *strings);
    for (size_t i = 0; i < count; i++)
        reads(strings[i].bytes, strings[i].size);
    reads(in, size);
    return any_tag();
}

static rijn_ctr_mac_table ctr_mac_table = {.ctr_mac_in = ctr_mac, .ctr_mac_out = ctr_mac};
const rijn_ctr_mac_table *const rijn_ctr_mac_tables[] = {&ctr_mac_table};

#endif /* ctr_mac */

/* ---- CTR ---- */

#ifdef WITH_ctr

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

#endif /* ctr */

/* ---- GCM ---- */

#ifdef WITH_gcm

/* The end of a message has up to two blocks, also where a batch has one. */
static void ghash(const void *context, uint8_t y[16], const uint8_t *p, size_t blocks)
{
    works(context, USE_HASH,
          blocks <= 2 || blocks <= backend.blocks ? backend.piece_stack : backend.gcm_stacks[1]);
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
    crypt_and_hash(context, counter, y, out, in, blocks, backend.gcm_stacks[1 + counter->hidden]);
}

static void gcm_bypass(const void *context, rijn_counter *counter, uint8_t y[16], uint8_t *out,
                       const uint8_t *in, size_t blocks, bool decrypting)
{
    (void)decrypting;
    ASSERT(out != in && 16 * blocks >= rijn_bypass_size, "only huge messages bypass the caches");
    crypt_and_hash(context, counter, y, out, in, blocks,
                   backend.gcm_stacks[1 + counter->hidden] + backend.bypass_stack);
}

/* XORs bytes into a block of GHASH (gcm.c). */
void contract_begin_block(rijn_gcm *gcm, const uint8_t *p, size_t size)
{
    ASSERT(size <= 16 && gcm->fill <= 16 - size, "the bytes fit the block");
    reads(p, size);
    changes(gcm->hash, 16);
    gcm->fill += (uint32_t)size;
}

/* Multiplies in GHASH's field (gcm.c). */
typedef struct {
    uint64_t high, low;
} element;

void contract_multiply(element *x, const element *y)
{
    reads(y, sizeof *y);
    x->high = nondet_uint64();
    x->low = nondet_uint64();
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
    if (compares(NULL, tag, tag_size))
        return RIJN_OK;
    contract_wipe(out, size);
    return RIJN_ERR_TAG;
}

static void gcm_first_in_registers(const void *context, rijn_gcm *gcm, uint8_t *out,
                                   const uint8_t *in, size_t size, bool decrypting)
{
    rijn_keystream *const stream = &gcm->stream;

    (void)decrypting;
    works(context, USE_HASH, 0);
    check_counter(&stream->next);
    ASSERT(size && size <= backend.gcm_first_size && gcm->fill <= 16 && !gcm->first &&
               !stream->ready && !stream->next.hidden,
           "a short first piece");
    in_place_or_apart(out, in, size);
    changes(gcm->hash, 16);
    changes(gcm->mask, 16);
    if (nondet_bool()) { /* vecs of four blocks, with two blocks before the data */
        count(&stream->next, (size + 32 + 63) / 64 * 4 - 1);
        changes(stream->ahead + sizeof stream->ahead - 64, 64);
        gcm->fill = (uint32_t)size % 16;
        stream->ready = (uint8_t)(63 - (size + 31) % 64);
    } else {
        count(&stream->next, (size + 15) / 16 + 1);
        changes(stream->ahead + sizeof stream->ahead - 16, 16);
        gcm->fill = (uint32_t)(size - 1) % 16 + 1;
        stream->ready = (uint8_t)(16 - gcm->fill);
    }
}

static rijn_tag_words gcm_end_in_registers(const void *context, const rijn_gcm *gcm, bool has_mask)
{
    works(context, USE_HASH, 0);
    ASSERT(gcm->fill <= 16 && (!has_mask || gcm->size), "a message with its mask");
    return any_tag();
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

#endif /* gcm */

/* ---- GCM-SIV ---- */

#ifdef WITH_gcm_siv

static void gcm_siv_message(const void *context, const uint8_t *nonce, const uint8_t *ad,
                            size_t ad_size, uint8_t *out, const uint8_t *in, size_t size)
{
    reads(nonce, 12);
    reads(ad, ad_size);
    ASSERT(apart(nonce, 12, out, size) && apart(ad, ad_size, out, size),
           "output is apart from other arguments");
    in_place_or_apart(out, in, size);
}

static size_t gcm_siv_stack(size_t ad_size, size_t size)
{
    return backend.context_size + (size + ad_size <= 64 ? backend.gcm_stacks[0]
                                   : (ad_size > size ? ad_size : size) / 16 >= backend.blocks
                                       ? backend.gcm_stacks[2]
                                       : backend.stack);
}

static void gcm_siv_seal(const void *context, uint8_t *out, uint8_t tag[16],
                         const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                         const uint8_t *in, size_t size)
{
    works(context, 0, gcm_siv_stack(ad_size, size));
    gcm_siv_message(context, nonce, ad, ad_size, out, in, size);
    ASSERT(apart(tag, 16, in, size) && apart(tag, 16, out, size), "the tag is apart");
    writes(tag, 16);
}

static void gcm_siv_open(const void *context, uint8_t *out, uint8_t full[16], const uint8_t tag[16],
                         const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                         const uint8_t *in, size_t size)
{
    works(context, 0, gcm_siv_stack(ad_size, size));
    reads(tag, 16);
    gcm_siv_message(context, nonce, ad, ad_size, out, in, size);
    changes(full, 16);
}

static rijn_tag_words gcm_siv_in_registers(const void *context, uint8_t tag[16],
                                           const uint8_t *given, const uint8_t nonce[12],
                                           const uint8_t *ad, size_t ad_size, uint8_t *out,
                                           const uint8_t *in, size_t size)
{
    works(context, 0, 0);
    ASSERT(rijn_fits_registers(ad_size, size), "a short message");
    gcm_siv_message(context, nonce, ad, ad_size, out, in, size);
    if (given)
        reads(given, 16);
    else
        writes(tag, 16);
    return any_tag();
}

static rijn_gcm_siv_table gcm_siv_table = {.gcm_siv_seal = gcm_siv_seal,
                                           .gcm_siv_open = gcm_siv_open};
const rijn_gcm_siv_table *const rijn_gcm_siv_tables[] = {&gcm_siv_table};

#endif /* gcm_siv */

/* ---- OCB ---- */

#ifdef WITH_ocb

static void ocb_begin(const void *context, rijn_ocb *ocb)
{
    works(context, 0, backend.stack);
    ASSERT(!ocb->begun && !ocb->data.blocks && !ocb->ad.blocks, "no block is processed yet");
    changes(ocb->l_star, 16);
    changes(ocb->data.offset, 16);
}

static void ocb_run(const void *context, unsigned uses, rijn_ocb_sum *sum, size_t blocks)
{
    ASSERT(sum->blocks <= UINT64_MAX - blocks, "the number of blocks");
    works(context, uses,
          backend.stack +
              16 * (backend.blocks + rijn_ocb_list((sum->blocks + blocks) / backend.blocks)));
    changes(sum->offset, 16);
    changes(sum->sum, 16);
    sum->blocks += blocks;
}

static void ocb_encrypt(const void *context, rijn_ocb *ocb, uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    ASSERT(blocks <= MOST / 16 + 1, "blocks of memory");
    in_place_or_apart(out, in, 16 * blocks);
    ocb_run(context, 0, &ocb->data, blocks);
}

static void ocb_decrypt(const void *context, rijn_ocb *ocb, uint8_t *out, const uint8_t *in,
                        size_t blocks)
{
    ASSERT(blocks <= MOST / 16 + 1, "blocks of memory");
    in_place_or_apart(out, in, 16 * blocks);
    ocb_run(context, USE_DECRYPT, &ocb->data, blocks);
}

static void ocb_hash(const void *context, rijn_ocb *ocb, const uint8_t *ad, size_t blocks)
{
    ASSERT(blocks <= MOST / 16 + 1, "blocks of memory");
    reads(ad, 16 * blocks);
    ocb_run(context, 0, &ocb->ad, blocks);
}

static rijn_tag_words ocb_in_registers(const void *context, size_t tag_size,
                                       const uint8_t nonce[12], const uint8_t *ad, size_t ad_size,
                                       uint8_t *out, const uint8_t *in, size_t size,
                                       bool decrypting)
{
    works(context, decrypting ? USE_DECRYPT : 0, 0);
    ASSERT(rijn_fits_registers(ad_size, size) && tag_size && tag_size <= 16, "a short message");
    reads(nonce, 12);
    reads(ad, ad_size);
    ASSERT(apart(nonce, 12, out, size) && apart(ad, ad_size, out, size),
           "output is apart from other arguments");
    in_place_or_apart(out, in, size);
    return any_tag();
}

static void ocb_first_in_registers(const void *context, rijn_ocb *ocb, uint8_t *out,
                                   const uint8_t *in, size_t size, bool decrypting)
{
    works(context, decrypting ? USE_DECRYPT : 0, 0);
    ASSERT(size && size < 32, "a short first piece");
    in_place_or_apart(out, in, size);
    changes(ocb->l_star, 16);
    changes(ocb->data.offset, 16);
    changes(ocb->data.sum, 16);
}

static rijn_tag_words ocb_end_in_registers(const void *context, const rijn_ocb *ocb)
{
    works(context, 0, 0);
    ASSERT(ocb->begun && ocb->partial.fill <= 16, "a message with its secrets");
    return any_tag();
}

static rijn_ocb_table ocb_table = {.ocb_begin = ocb_begin,
                                   .ocb_encrypt = ocb_encrypt,
                                   .ocb_decrypt = ocb_decrypt,
                                   .ocb_hash = ocb_hash};
const rijn_ocb_table *const rijn_ocb_tables[] = {&ocb_table};

#endif /* ocb */

/* ---- The start of a harness ---- */

void start(void)
{
#ifdef BLOCKS
    backend.blocks = BLOCKS;
#else
    const unsigned shift = nondet_unsigned();
    __CPROVER_assume(shift <= 5);
    backend.blocks = 1u << shift;
#endif
    new_arena();

    backend.name = "any";
    backend.context_size = sizeof((rijn_key *)0)->context;
    backend.stack = any_stack();
    backend.blocks_stack = any_stack();
    backend.piece_stack = any_stack();
    for (int i = 0; i < 3; i++)
        backend.gcm_stacks[i] = any_stack();
    __CPROVER_assume(
        backend.blocks_stack <= backend.stack && backend.piece_stack <= backend.stack &&
        backend.gcm_stacks[0] <= backend.gcm_stacks[1] &&
        backend.gcm_stacks[1] <= backend.gcm_stacks[2] && backend.stack <= backend.gcm_stacks[2]);
    backend.fused_blocks = nondet_unsigned();
    __CPROVER_assume(backend.fused_blocks <= backend.blocks);
    backend.gcm_register_size = any_stack();
    backend.key_init = key_init;
    backend.encrypt_block = encrypt_block;

    backend.bypass_stack = nondet_bool() ? any_stack() : 0;
    __CPROVER_assume(!backend.bypass_stack || backend.bypass_stack >= backend.stack);
#ifdef WITH_ctr
    ctr_table.ctr_bypass = backend.bypass_stack ? ctr_bypass : NULL;
#endif

    const bool blocks_in_registers = nondet_bool(), macs_in_registers = nondet_bool();
    (void)blocks_in_registers, (void)macs_in_registers;
#ifdef WITH_ecb
    ecb_table.ecb_encrypt_in_registers = blocks_in_registers ? ecb_encrypt_in_registers : NULL;
    ecb_table.ecb_decrypt_in_registers = blocks_in_registers ? ecb_decrypt_in_registers : NULL;
    ecb_table.wrap_in_registers = blocks_in_registers ? wrap_in_registers : NULL;
    ecb_table.unwrap_in_registers = blocks_in_registers ? unwrap_in_registers : NULL;
#endif
#ifdef WITH_cbc
    cbc_table.cbc_encrypt_in_registers = blocks_in_registers ? cbc_encrypt_in_registers : NULL;
    cbc_table.cbc_decrypt_in_registers = blocks_in_registers ? cbc_decrypt_in_registers : NULL;
    cbc_table.cmac_in_registers = macs_in_registers ? cmac_in_registers : NULL;
#endif
#ifdef WITH_xts
    xts_table.xts_in_registers = blocks_in_registers ? xts_in_registers : NULL;
#endif
#ifdef WITH_ctr_mac
    ctr_mac_table.ccm_in_registers = macs_in_registers ? ccm_in_registers : NULL;
    ctr_mac_table.eax_in_registers = macs_in_registers ? eax_in_registers : NULL;
    ctr_mac_table.s2v_in_registers = macs_in_registers ? s2v_in_registers : NULL;
#endif
#ifdef WITH_ctr
    ctr_table.ctr_in_registers = macs_in_registers ? ctr_in_registers : NULL;
#endif
#ifdef WITH_gcm_siv
    gcm_siv_table.gcm_siv_in_registers = macs_in_registers ? gcm_siv_in_registers : NULL;
#endif
#ifdef WITH_gcm
    backend.gcm_first_size = macs_in_registers ? any_stack() : 0;
    gcm_table.gcm_first_in_registers = macs_in_registers ? gcm_first_in_registers : NULL;
    gcm_table.gcm_end_in_registers = macs_in_registers ? gcm_end_in_registers : NULL;
#endif
#ifdef WITH_ocb
    ocb_table.ocb_in_registers = macs_in_registers ? ocb_in_registers : NULL;
    ocb_table.ocb_first_in_registers = macs_in_registers ? ocb_first_in_registers : NULL;
    ocb_table.ocb_end_in_registers = macs_in_registers ? ocb_end_in_registers : NULL;
#endif
}
