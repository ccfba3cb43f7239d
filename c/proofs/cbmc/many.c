/* Many messages in one call: plan.c, measure.c and many.c of c/src/batch, up to the work itself.
 *
 * Assumptions, besides those of contract.c
 *   - Up to 2 messages in a call, and up to 1 before them in their columns: the loops run once for
 *     each message. Offsets, sizes and pointers have any values.
 *   - The arguments are arrays as long as rijn.h asks for: `first + count` entries, one more for
 *     offsets. A NULL array is one that is not used. */
#include "contract.h"

#include "aegis/message.h"
#include "batch/call.h"
#include "modes/message.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

enum { ENTRIES = 4 };

const rijn_limits *const rijn_gcm_limits = &gcm_limits,
                         *const rijn_gcm_siv_limits = &gcm_siv_limits,
                         *const rijn_xaes_limits = &xaes_limits,
                         *const rijn_ccm_limits = &ccm_limits, *const rijn_ocb_limits = &ocb_limits,
                         *const rijn_eax_limits = &eax_limits;
static const rijn_limits cmac_limits = {
    .tags = SIZES(8, 16), .short_tags = SIZES(1, 7), .keys = ALL_KEYS};
const rijn_limits *const rijn_cmac_limits = &cmac_limits;
size_t rijn_bypass_size = (size_t)16 << 20;

static rijn_many many;
static bool random_fails;

/* ---- The work, by its contract: call.h ---- */

static void check_work(const rijn_call *call, size_t first, size_t count)
{
    const rijn_plan *const plan = call->plan;

    seen.calls++;
    ASSERT(first == many.first && count == many.count, "all messages");
    size_t end = many.out_start;
    for (size_t i = first; i < first + count; i++) {
        const rijn_string message = rijn_string_at(&plan->in_column, plan->in_layout, i);
        reads(message.bytes, message.size);
        size_t result;
        if (rijn_result_size(plan, message.size, &result)) {
            const size_t text = plan->opening ? message.size - plan->overhead : message.size;
            ASSERT(text <= plan->limits.data, "the mode allows messages of this size");
        }
        ASSERT(result <= many.out_size - end, "the results fit the output");
        if (plan->in_layout == OFFSETS_32 || plan->in_layout == OFFSETS_64)
            ASSERT(apart(many.out + end, result, message.bytes, message.size) ||
                       many.out + end == message.bytes,
                   "a result is its message or apart from it");
        end += result;
        if (plan->ad_layout > ONE_STRING) {
            const rijn_string ad = rijn_string_at(&plan->ad_column, plan->ad_layout, i);
            reads(ad.bytes, ad.size);
            ASSERT(apart(many.out + many.out_start, plan->results_size, ad.bytes, ad.size),
                   "output is apart from associated data");
        }
    }
}

void rijn_run_batches(rijn_call *call, size_t first, size_t count)
{
    check_work(call, first, count);
    call->failures = nondet_size();
    __CPROVER_assume(call->failures <= (call->plan->opening ? count : 0));
}

void rijn_run_xaes(rijn_call *call)
{
    rijn_run_batches(call, many.first, many.count);
}

rijn_status rijn_start_random_nonces(rijn_call *call)
{
    ASSERT(!call->plan->opening, "only sealing draws nonces");
    random_fails = nondet_bool();
    return random_fails ? RIJN_ERR_RANDOM : RIJN_OK;
}

size_t rijn_batch_depth(const rijn_plan *plan)
{
    (void)plan;
    return nondet_size() & 65535;
}

size_t rijn_xaes_depth(const rijn_plan *plan, bool gathered)
{
    (void)plan, (void)gathered;
    return nondet_size() & 65535;
}

/* ---- Arguments ---- */

static rijn_column any_column(void)
{
    static int32_t offsets32[2][ENTRIES];
    static int64_t offsets64[2][ENTRIES];
    static const uint8_t *buffers[2][ENTRIES];
    static size_t lengths[2][ENTRIES];
    static int next;
    const int n = next++;
    rijn_column column = {0};
    int32_t any32[ENTRIES];
    int64_t any64[ENTRIES];

    for (int i = 0; i < ENTRIES; i++) {
        offsets32[n][i] = any32[i];
        offsets64[n][i] = any64[i];
    }
    column.size = any_size();
    column.data = any_buffer(column.size);
    column.offsets32 = nondet_bool() ? offsets32[n] : NULL;
    column.offsets64 = nondet_bool() ? offsets64[n] : NULL;
#ifdef WITH_BUFFERS
    for (int i = 0; i < ENTRIES; i++) {
        lengths[n][i] = any_size();
        buffers[n][i] = any_buffer(lengths[n][i]);
    }
    column.buffers = nondet_bool() ? buffers[n] : NULL;
    column.sizes = nondet_bool() ? lengths[n] : NULL;
#else
    (void)buffers, (void)lengths;
#endif
    return column;
}

static rijn_aegis_code code;
static const rijn_aegis_kernel kernel = {.name = "any", .backend = &backend, .code = &code};

static void any_call(void)
{
    static rijn_siv_key siv;
    static rijn_aegis_key aegis;
    static int32_t ends32[ENTRIES];
    static int64_t ends64[ENTRIES];
    static uint8_t failed[1];
    rijn_many any;

    many = any;
    __CPROVER_assume(many.first <= 1 && many.count <= 2);
    many.in = any_column();
    many.ad = any_column();
    many.key = any_key();
    code.key_size = nondet_bool() ? 16 : 32;
    code.stack = nondet_size() & 65535;
    code.many_stack = nondet_size() & 65535;
    aegis.code = nondet_bool() ? &code : NULL;
    aegis.kernel = &kernel;
    many.aegis_key = nondet_bool() ? &aegis : NULL;
    siv.mac.backend = siv.ctr.backend = nondet_bool() ? &backend : NULL;
    many.siv_key = nondet_bool() ? &siv : NULL;
    many.nonces = any_buffer(ENTRIES * RIJN_NONCE_MOST);
    many.base = any_buffer(RIJN_NONCE_MOST);
    many.out_size = any_size();
    many.out = any_buffer(many.out_size);
    many.out_offsets32 = nondet_bool() ? ends32 : NULL;
    many.out_offsets64 = nondet_bool() ? ends64 : NULL;
    many.failed = nondet_bool() ? failed : NULL;
    many.room = NULL;
}

size_t rijn_many_room(size_t count)
{
    return count;
}

static void check_size(bool opening)
{
    start();
    any_call();
    size_t size = nondet_size();
    watch(NULL, 0);
    const rijn_status status =
        opening ? rijn_open_many_size(&many, &size) : rijn_seal_many_size(&many, &size);

    refused(); /* it only reads */
    if (status != RIJN_OK) {
        ASSERT(!size, "on error the size is 0");
        REACHED("a refused call");
        return;
    }
    ASSERT(many.mode <= RIJN_MANY_CTR, "a known mode");
    ASSERT(!many.out_offsets32 || size <= INT32_MAX, "32-bit offsets reach all results");
    REACHED("a size");
}

void prove_seal_many_size(void)
{
    check_size(false);
}

void prove_open_many_size(void)
{
    check_size(true);
}

static void check_call(bool opening)
{
    start();
    any_call();
    size_t failures = 0;
    watch(NULL, 0);
    const rijn_status status = opening ? rijn_open_many(&many, &failures) : rijn_seal_many(&many);

    if (status != RIJN_OK && status != RIJN_ERR_TAG && status != RIJN_ERR_PADDING) {
        refused();
        ASSERT(status != RIJN_ERR_RANDOM || random_fails, "ERR_RANDOM is true");
        REACHED("a refused call");
        return;
    }
    ASSERT(seen.calls == 1, "the work is done once");
    ASSERT(opening || status == RIJN_OK, "a seal refuses no message");
    ASSERT(!failures == (status == RIJN_OK), "all refused messages are reported");
    REACHED("a call");
}

void prove_seal_many(void)
{
    check_call(false);
}

void prove_open_many(void)
{
    check_call(true);
}
