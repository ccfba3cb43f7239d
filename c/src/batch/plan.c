#include "plan.h"

#if RIJN_WITH_MANY

#include "../aegis/kernel.h"
#include "../api.h"
#include "../modes/message.h"

static const rijn_limits siv_limits = {
    .nonce_most = RIJN_NONCE_MOST, .data = UINT64_MAX, .ad = UINT64_MAX, .tags = 1 << 16};
static const rijn_limits cbc_limits = {
    .nonce_least = 16, .nonce_most = 16, .data = UINT64_MAX, .keys = ALL_KEYS};
static const rijn_limits ctr_limits = {
    .nonce_least = 8, .nonce_most = 16, .data = UINT64_MAX, .keys = ALL_KEYS};
static const rijn_limits aegis_limits = {.data = MAX_AD, .ad = MAX_AD};
static const rijn_limits *const siv_limits_address = &siv_limits,
                                *const cbc_limits_address = &cbc_limits,
                                *const ctr_limits_address = &ctr_limits,
                                *const aegis_limits_address = &aegis_limits;

/* The limits of each mode, and its default nonce size. AEGIS nonces are as long as the key. */
static const struct {
    const rijn_limits *const *limits;
    size_t nonce_size;
} modes[] = {
#define RIJN_AES_AEAD(ID, id, Class, keys, least, most, usual, ...) \
    [RIJN_MANY_##ID] = {&rijn_##id##_limits, usual},
#include "rijn_algorithms.def"
    [RIJN_MANY_SIV] = {&siv_limits_address, 0},
    [RIJN_MANY_AEGIS] = {&aegis_limits_address, 0},
    [RIJN_MANY_CMAC] = {&rijn_cmac_limits, 0},
    [RIJN_MANY_CBC] = {&cbc_limits_address, 16},
    [RIJN_MANY_CBC_BLOCKS] = {&cbc_limits_address, 16},
    [RIJN_MANY_CTR] = {&ctr_limits_address, 16},
};

static rijn_status plan_layout(rijn_layout *layout, rijn_column *column)
{
    static const uint8_t nothing[1];
    const bool buffers = column->buffers || column->sizes;

    REQUIRE(!(column->offsets32 && column->offsets64), RIJN_ERR_ARGUMENT);
    REQUIRE(!buffers || (column->buffers && column->sizes && !column->offsets32 &&
                         !column->offsets64 && !column->data && !column->size),
            RIJN_ERR_ARGUMENT);
    REQUIRE(column->data || !column->size, RIJN_ERR_ARGUMENT);
    *layout = buffers             ? BUFFERS
              : column->offsets32 ? OFFSETS_32
              : column->offsets64 ? OFFSETS_64
              : column->data      ? ONE_STRING
                                  : NO_STRINGS;
    if (!column->data && (*layout == OFFSETS_32 || *layout == OFFSETS_64))
        column->data = nothing;
    return RIJN_OK;
}

static rijn_status plan_key(rijn_plan *plan)
{
    const rijn_many *const many = plan->many;

    if (plan->mode == RIJN_MANY_AEGIS) {
        REQUIRE(many->aegis_key, RIJN_ERR_ARGUMENT);
        REQUIRE(many->aegis_key->code, RIJN_ERR_STATE);
        plan->backend = many->aegis_key->kernel->backend;
    } else if (plan->mode == RIJN_MANY_SIV) {
        REQUIRE(many->siv_key, RIJN_ERR_ARGUMENT);
        TRY(rijn_check_part(&many->siv_key->mac));
        TRY(rijn_check_part(&many->siv_key->ctr));
        plan->backend = many->siv_key->mac.backend;
    } else {
        TRY(rijn_check_key(many->key));
        REQUIRE(plan->limits.keys >> many->key->size / 8 & 1, RIJN_ERR_KEY_SIZE);
        plan->backend = many->key->backend;
    }
    return RIJN_OK;
}

static rijn_status plan_tag(rijn_plan *plan)
{
    const rijn_many *const many = plan->many;

    plan->tag_size = many->tag_size ? many->tag_size : 16;
    if (plan->mode == RIJN_MANY_AEGIS) {
        REQUIRE(plan->tag_size == 16 || plan->tag_size == 32, RIJN_ERR_TAG_SIZE);
    } else if (plan->mode == RIJN_MANY_SIV) {
        REQUIRE(plan->tag_size == 16, RIJN_ERR_TAG_SIZE);
    } else if (plan->limits.tags) {
        TRY(rijn_check_tag_size(&plan->limits, many->key, plan->tag_size));
    } else {
        REQUIRE(!many->tag_size, RIJN_ERR_TAG_SIZE);
        plan->tag_size = 0;
    }
    return RIJN_OK;
}

/* Counted nonces must not wrap. CBC needs unpredictable nonces. CTR messages would share keystream
 * if the counter of their blocks were the counter of their nonces. */
static rijn_status plan_counter(const rijn_plan *plan)
{
    const rijn_many *const many = plan->many;
    const uint64_t last = UINT64_MAX >> (64 - 8 * rijn_counter_size(plan->nonce_size));
    const uint64_t base = rijn_nonce_counter(many->base, plan->nonce_size);

    REQUIRE(plan->mode != RIJN_MANY_CBC && plan->mode != RIJN_MANY_CBC_BLOCKS &&
                !(plan->mode == RIJN_MANY_CTR && plan->nonce_size == 16),
            RIJN_ERR_ARGUMENT);
    REQUIRE(!many->count || (within(many->first, last - base) &&
                             within(many->count - 1, last - base - many->first)),
            RIJN_ERR_SIZE);
    return RIJN_OK;
}

static rijn_status plan_nonces(rijn_plan *plan)
{
    const rijn_many *const many = plan->many;
    const size_t default_size = plan->mode == RIJN_MANY_AEGIS ? many->aegis_key->code->key_size
                                                              : modes[plan->mode].nonce_size;

    plan->nonce_size = many->nonce_size ? many->nonce_size : default_size;
    if (plan->mode == RIJN_MANY_AEGIS)
        REQUIRE(plan->nonce_size == default_size, RIJN_ERR_NONCE_SIZE);
    else
        REQUIRE(plan->nonce_size >= plan->limits.nonce_least &&
                    within(plan->nonce_size, plan->limits.nonce_most) &&
                    plan->nonce_size <= RIJN_NONCE_MOST,
                RIJN_ERR_NONCE_SIZE);
    REQUIRE(!(many->nonces && many->base), RIJN_ERR_ARGUMENT);
    if (!plan->nonce_size) {
        REQUIRE(!many->nonces && !many->base && !many->prepend_nonce, RIJN_ERR_ARGUMENT);
        plan->nonce_source = NO_NONCES;
        return RIJN_OK;
    }
    plan->nonce_source = many->nonces    ? NONCES_GIVEN
                         : many->base    ? NONCES_COUNTED
                         : plan->opening ? NONCES_IN_FRONT
                                         : NONCES_RANDOM;
    REQUIRE(!(plan->opening && many->prepend_nonce) || plan->nonce_source == NONCES_IN_FRONT,
            RIJN_ERR_ARGUMENT);
    if (many->prepend_nonce || plan->nonce_source == NONCES_IN_FRONT ||
        plan->nonce_source == NONCES_RANDOM)
        plan->front = plan->nonce_size;
    return plan->nonce_source == NONCES_COUNTED ? plan_counter(plan) : RIJN_OK;
}

rijn_status rijn_plan_call(rijn_plan *plan, const rijn_many *many, bool opening)
{
    REQUIRE(many, RIJN_ERR_ARGUMENT);
    REQUIRE((size_t)many->mode < sizeof modes / sizeof modes[0], RIJN_ERR_ARGUMENT);
    *plan = (rijn_plan){.many = many,
                        .opening = opening,
                        .mode = many->mode,
                        .in_column = many->in,
                        .ad_column = many->ad,
                        .limits = **modes[many->mode].limits};
    REQUIRE(many->first <= SIZE_MAX / 64 && many->count <= SIZE_MAX / 64, RIJN_ERR_SIZE);
    REQUIRE(!(many->out_offsets32 && many->out_offsets64), RIJN_ERR_ARGUMENT);
    TRY(plan_key(plan));
    TRY(plan_tag(plan));
    TRY(plan_nonces(plan));
    TRY(plan_layout(&plan->in_layout, &plan->in_column));
    TRY(plan_layout(&plan->ad_layout, &plan->ad_column));
    plan->padded = plan->mode == RIJN_MANY_CBC;
    plan->whole_blocks = plan->mode == RIJN_MANY_CBC_BLOCKS || (plan->padded && opening);
    plan->textless = plan->mode == RIJN_MANY_CMAC;
    plan->fixed_overhead = plan->mode < RIJN_MANY_CMAC || plan->mode == RIJN_MANY_CTR;
    plan->head = plan->front + (plan->mode == RIJN_MANY_SIV ? plan->tag_size : 0);
    plan->tail = plan->mode == RIJN_MANY_SIV ? 0 : plan->tag_size;
    plan->overhead = plan->head + plan->tail;
    /* CMAC authenticates `ad`. CTR and CBC take no `ad`. */
    if (plan->textless) {
        REQUIRE((opening || plan->in_layout == NO_STRINGS) &&
                    (plan->ad_layout != NO_STRINGS || !many->count),
                RIJN_ERR_ARGUMENT);
        plan->limits.ad = UINT64_MAX;
    } else if (!plan->tag_size) {
        REQUIRE(plan->ad_layout == NO_STRINGS, RIJN_ERR_ARGUMENT);
    }
    REQUIRE(!many->count || plan->in_layout > ONE_STRING || (plan->textless && !opening),
            RIJN_ERR_ARGUMENT);
    /* A block holds the nonce and a number: of bytes in CCM, of blocks in CTR. */
    if (plan->mode == RIJN_MANY_CCM && plan->nonce_size > 7)
        plan->limits.data = (UINT64_C(1) << 8 * (15 - plan->nonce_size)) - 1;
    if (plan->mode == RIJN_MANY_CTR && plan->nonce_size > 8 && plan->nonce_size < 16)
        plan->limits.data = UINT64_C(16) << 8 * (16 - plan->nonce_size);
    return RIJN_OK;
}

#endif
