/* rijn_seal_many and rijn_open_many. A call goes over its columns twice: first it checks and measures
 * them (plan.c, measure.c), so that nothing is written before everything is known to be right. Then it
 * runs batches of messages (call.h). */
#include "../build.h"

#if RIJN_WITH_MANY

#include <string.h>

#include "../aegis/message.h"
#include "../check.h"
#include "../modes/message.h"
#include "../scrub.h"
#include "call.h"

/* Sets *gathered if XAES messages were out of order. */
RIJN_APART static rijn_status run_call(const rijn_plan *plan, size_t *failures, bool *gathered)
{
    const rijn_many *const many = plan->many;
    const size_t first = many->first, count = many->count;
    rijn_call call;

    call.plan = plan;
    call.end = many->out_start;
    call.failures = 0;
    call.gathered = false;
    call.batch.nonce_size = plan->mode == RIJN_MANY_XAES ? 12 : plan->nonce_size;
    call.batch.nonce_step = call.batch.nonce_size > 16 ? 32 : 16;
    call.batch.tag_size = plan->tag_size;
    call.batch.opening = plan->opening;
    call.batch.has_ad = plan->ad_layout != NO_STRINGS;
    call.batch.one_ad = plan->ad_layout == ONE_STRING;
    if (plan->nonce_source == NONCES_RANDOM && count)
        TRY(rijn_start_random_nonces(&call));
    if (many->failed && plan->opening && count)
        memset(many->failed + first / 8, 0, (first % 8 + count + 7) / 8);
    if (!first && many->out_offsets32)
        many->out_offsets32[0] = (int32_t)call.end;
    if (!first && many->out_offsets64)
        many->out_offsets64[0] = (int64_t)call.end;
    if (plan->mode == RIJN_MANY_XAES)
        rijn_run_xaes(&call);
    else
        rijn_run_batches(&call, first, count);
    *failures = call.failures;
    *gathered = call.gathered;
    return !call.failures ? RIJN_OK : plan->padded ? RIJN_ERR_PADDING : RIJN_ERR_TAG;
}

/* Returns how much stack run_call takes: itself, the functions that it calls, and the backend. */
static size_t call_depth(const rijn_plan *plan, bool gathered)
{
    const rijn_backend *const backend = plan->backend;
    const size_t own = sizeof(rijn_call) + 4 * RIJN_FRAME + rijn_batch_depth(plan) +
                       (plan->mode == RIJN_MANY_XAES ? rijn_xaes_depth(plan, gathered) : 0) +
                       (plan->in_extent.size_bound >= rijn_bypass_size ? backend->bypass_stack : 0);

    if (plan->mode != RIJN_MANY_AEGIS)
        return own + backend->gcm_stacks[2];
    const rijn_aegis_code *const code = plan->many->aegis_key->code;
    return own + rijn_aegis_depth(code) + backend->stack + code->many_stack;
}

static rijn_status run_many(const rijn_many *many, bool opening, size_t *failures)
{
    rijn_plan plan;
    rijn_status status;
    bool gathered = false;

    *failures = 0;
    TRY(rijn_plan_call(&plan, many, opening));
    REQUIRE(!opening || !many->failed || many->first % 8 == 0, RIJN_ERR_ARGUMENT);
    TRY(rijn_measure_call(&plan));
    REQUIRE(many->out || !plan.results_size, RIJN_ERR_ARGUMENT);
    REQUIRE(!many->room || many->room_size >= rijn_many_room(many->count), RIJN_ERR_SIZE);
    REQUIRE(many->out_start <= many->out_size &&
                plan.results_size <= many->out_size - many->out_start,
            RIJN_ERR_SIZE);
    TRY(rijn_check_overlap(&plan));
    status = run_call(&plan, failures, &gathered);
    return rijn_scrub(status, call_depth(&plan, gathered));
}

static rijn_status measure_many(const rijn_many *many, bool opening, size_t *size)
{
    rijn_plan plan;

    REQUIRE(size, RIJN_ERR_ARGUMENT);
    *size = 0;
    TRY(rijn_plan_call(&plan, many, opening));
    TRY(rijn_measure_call(&plan));
    *size = plan.results_size;
    return RIJN_OK;
}

rijn_status rijn_seal_many_size(const rijn_many *many, size_t *size)
{
    return measure_many(many, false, size);
}

rijn_status rijn_open_many_size(const rijn_many *many, size_t *size)
{
    return measure_many(many, true, size);
}

rijn_status rijn_seal_many(const rijn_many *many)
{
    size_t failures;
    return run_many(many, false, &failures);
}

rijn_status rijn_open_many(const rijn_many *many, size_t *failures)
{
    size_t ignored;
    return run_many(many, true, failures ? failures : &ignored);
}

#endif
