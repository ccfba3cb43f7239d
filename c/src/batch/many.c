/* Many messages, one call.
 *
 * A call goes over its columns twice. The first time it checks and measures, so that nothing
 * is written before everything is known to be right; the second time it takes the messages
 * RIJN_BATCH at a time, brings each layout into the one of batch.h, and hands the batch to what works
 * on all of it at once (the record's function for many, batch_modes.h, xaes.h), where its mode has that,
 * or works it off one message after the other. Messages of XAES in any order are gathered first. */
#include "../build.h"

#if RIJN_WITH_MANY

#include <string.h>

#include "../aegis/message.h"
#include "../api.h"
#include "../bytes.h"
#include "../ct.h"
#include "../modes/message.h"
#include "rijn_machine.h"
#include "../scrub.h"
#include "batch_modes.h"
#include "xaes.h"

typedef rijn_status seal_function(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                                  const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                                  size_t ad_size, const uint8_t *in, size_t size);
typedef rijn_status open_function(const rijn_key *key, uint8_t *out, const uint8_t *tag,
                                  size_t tag_size, const uint8_t *nonce, size_t nonce_size,
                                  const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                  size_t size);

/* ---- The modes ---- */

static rijn_status gcm_seal_one(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                                const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                                size_t ad_size, const uint8_t *in, size_t size)
{
    key->backend->gcm_seal(key->context, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in,
                           size);
    return RIJN_OK;
}

typedef struct {
    const rijn_limits *const *limits; /* of a mode with a rijn_key */
    seal_function *seal;              /* of those that are made like GCM */
    open_function *open;
    size_t nonce_size; /* as a rule; AEGIS: as the key */
    size_t stack;      /* of its variables, beside those of the backend's operations: as measured,
                        * with room; tests/unit/test_wipe.c fails where it is too little */
} mode_row;

static const rijn_limits siv_limits = {
    .nonce_most = RIJN_NONCE_MOST, .data = UINT64_MAX, .ad = UINT64_MAX, .tags = 1 << 16};
static const rijn_limits cbc_limits = {
    .nonce_least = 16, .nonce_most = 16, .data = UINT64_MAX, .keys = ALL_KEYS};
static const rijn_limits ctr_limits = {
    .nonce_least = 8, .nonce_most = 16, .data = UINT64_MAX, .keys = ALL_KEYS};
static const rijn_limits aegis_limits = {.data = MAX_AD, .ad = MAX_AD};
static const rijn_limits *const of_siv = &siv_limits, *const of_cbc = &cbc_limits,
                                *const of_ctr = &ctr_limits, *const of_aegis = &aegis_limits;

static const mode_row modes[] = {
    [RIJN_MANY_GCM] = {&rijn_gcm_limits, gcm_seal_one, rijn_gcm_open_message, 12, 1024},
    [RIJN_MANY_GCM_SIV] = {&rijn_gcm_siv_limits, NULL, NULL, 12, 9216},
    [RIJN_MANY_XAES] = {&rijn_xaes_limits, NULL, NULL, 24, 5120},
    [RIJN_MANY_CCM] = {&rijn_ccm_limits, rijn_ccm_seal, rijn_ccm_open, 12, 4608},
    [RIJN_MANY_OCB] = {&rijn_ocb_limits, rijn_ocb_seal, rijn_ocb_open, 12, 4608},
    [RIJN_MANY_EAX] = {&rijn_eax_limits, rijn_eax_seal, rijn_eax_open, 16, 4608},
    [RIJN_MANY_SIV] = {&of_siv, NULL, NULL, 0, 10240},
    [RIJN_MANY_AEGIS] = {&of_aegis, NULL, NULL, 0, 512},
    [RIJN_MANY_CMAC] = {&rijn_cmac_limits, NULL, NULL, 0, 6144},
    [RIJN_MANY_CBC] = {&of_cbc, NULL, NULL, 16, 6144},
    [RIJN_MANY_CBC_BLOCKS] = {&of_cbc, NULL, NULL, 16, 6144},
    [RIJN_MANY_CTR] = {&of_ctr, NULL, NULL, 16, 5120},
};

/* ---- What a call is to do ---- */

typedef enum { NONE, ONE, IN_32, IN_64, IN_BUFFERS } layout;
typedef enum { GIVEN, COUNTED, RANDOM, IN_FRONT, NO_NONCES } source;

typedef struct {
    const rijn_many *many;
    const rijn_backend *backend;
    rijn_limits limits;
    rijn_many_mode mode;
    rijn_column in_column, ad_column; /* whose data, where there are offsets, are not NULL */
    layout in, ad;
    source nonces;
    bool opening, padded, blocks, textless;
    bool plain; /* not padded, blocks or textless: a result is so much longer than its message */
    size_t nonce_size, tag_size;
    size_t front;      /* bytes of a sealed message that are its nonce */
    size_t head, tail; /* bytes before its text, and behind it */
    size_t total;      /* bytes of results */
    size_t hashed;     /* blocks of a message, at most */
    bool whole;        /* `in` is a column, none is too short, and there are results */
} plan;

static rijn_status plan_layout(layout *found, rijn_column *column)
{
    static const uint8_t nothing[1];
    const bool buffers = column->buffers || column->sizes;

    REQUIRE(!(column->offsets32 && column->offsets64), RIJN_ERR_ARGUMENT);
    REQUIRE(!buffers || (column->buffers && column->sizes && !column->offsets32 &&
                         !column->offsets64 && !column->data && !column->size),
            RIJN_ERR_ARGUMENT);
    REQUIRE(column->data || !column->size, RIJN_ERR_ARGUMENT);
    *found = buffers             ? IN_BUFFERS
             : column->offsets32 ? IN_32
             : column->offsets64 ? IN_64
             : column->data      ? ONE
                                 : NONE;
    if (!column->data && (*found == IN_32 || *found == IN_64))
        column->data = nothing;
    return RIJN_OK;
}

static rijn_status plan_key(plan *p)
{
    const rijn_many *const many = p->many;

    if (p->mode == RIJN_MANY_AEGIS) {
        REQUIRE(many->aegis_key, RIJN_ERR_ARGUMENT);
        REQUIRE(many->aegis_key->code, RIJN_ERR_STATE);
        p->backend = many->aegis_key->kernel->backend;
    } else if (p->mode == RIJN_MANY_SIV) {
        REQUIRE(many->siv_key, RIJN_ERR_ARGUMENT);
        TRY(rijn_check_part(&many->siv_key->mac));
        TRY(rijn_check_part(&many->siv_key->ctr));
        p->backend = many->siv_key->mac.backend;
    } else {
        TRY(rijn_check_key(many->key));
        REQUIRE(p->limits.keys >> many->key->size / 8 & 1, RIJN_ERR_KEY_SIZE);
        p->backend = many->key->backend;
    }
    return RIJN_OK;
}

static rijn_status plan_tag(plan *p)
{
    const rijn_many *const many = p->many;

    p->tag_size = many->tag_size ? many->tag_size : 16;
    if (p->mode == RIJN_MANY_AEGIS) {
        REQUIRE(p->tag_size == 16 || p->tag_size == 32, RIJN_ERR_TAG_SIZE);
    } else if (p->mode == RIJN_MANY_SIV) {
        REQUIRE(p->tag_size == 16, RIJN_ERR_TAG_SIZE);
    } else if (p->limits.tags) {
        TRY(rijn_check_tag_size(&p->limits, many->key, p->tag_size));
    } else {
        REQUIRE(!many->tag_size, RIJN_ERR_TAG_SIZE);
        p->tag_size = 0;
    }
    return RIJN_OK;
}

/* The last bytes of a nonce that count, at most 8. */
static size_t counting(size_t nonce_size)
{
    return nonce_size < 8 ? nonce_size : 8;
}

static uint64_t count_of(const uint8_t *nonce, size_t nonce_size)
{
    uint64_t n = 0;
    for (size_t i = nonce_size - counting(nonce_size); i < nonce_size; i++)
        n = n << 8 | nonce[i];
    return n;
}

static rijn_status plan_nonces(plan *p)
{
    const rijn_many *const many = p->many;
    const size_t usual =
        p->mode == RIJN_MANY_AEGIS ? many->aegis_key->code->key_size : modes[p->mode].nonce_size;

    p->nonce_size = many->nonce_size ? many->nonce_size : usual;
    if (p->mode == RIJN_MANY_AEGIS)
        REQUIRE(p->nonce_size == usual, RIJN_ERR_NONCE_SIZE);
    else
        REQUIRE(p->nonce_size >= p->limits.nonce_least &&
                    within(p->nonce_size, p->limits.nonce_most) && p->nonce_size <= RIJN_NONCE_MOST,
                RIJN_ERR_NONCE_SIZE);
    REQUIRE(!(many->nonces && many->base), RIJN_ERR_ARGUMENT);
    if (!p->nonce_size) {
        REQUIRE(!many->nonces && !many->base && !many->prepend_nonce, RIJN_ERR_ARGUMENT);
        p->nonces = NO_NONCES;
        return RIJN_OK;
    }
    p->nonces = many->nonces ? GIVEN : many->base ? COUNTED : p->opening ? IN_FRONT : RANDOM;
    REQUIRE(!(p->opening && many->prepend_nonce) || p->nonces == IN_FRONT, RIJN_ERR_ARGUMENT);
    if (many->prepend_nonce || p->nonces == IN_FRONT || p->nonces == RANDOM)
        p->front = p->nonce_size;
    if (p->nonces == COUNTED) {
        const uint64_t most = UINT64_MAX >> (64 - 8 * counting(p->nonce_size));
        const uint64_t from = count_of(many->base, p->nonce_size);
        REQUIRE(p->mode != RIJN_MANY_CBC && p->mode != RIJN_MANY_CBC_BLOCKS &&
                    !(p->mode == RIJN_MANY_CTR && p->nonce_size == 16),
                RIJN_ERR_ARGUMENT);
        REQUIRE(!many->count || (within(many->first, most - from) &&
                                 within(many->count - 1, most - from - many->first)),
                RIJN_ERR_SIZE);
    }
    return RIJN_OK;
}

/* All that does not depend on the messages. */
static rijn_status plan_call(plan *p, const rijn_many *many, bool opening)
{
    REQUIRE(many, RIJN_ERR_ARGUMENT);
    REQUIRE((size_t)many->mode < sizeof modes / sizeof modes[0], RIJN_ERR_ARGUMENT);
    *p = (plan){.many = many,
                .opening = opening,
                .mode = many->mode,
                .in_column = many->in,
                .ad_column = many->ad,
                .limits = **modes[many->mode].limits};
    REQUIRE(many->first <= SIZE_MAX / 64 && many->count <= SIZE_MAX / 64, RIJN_ERR_SIZE);
    REQUIRE(!(many->out_offsets32 && many->out_offsets64), RIJN_ERR_ARGUMENT);
    TRY(plan_key(p));
    TRY(plan_tag(p));
    TRY(plan_nonces(p));
    TRY(plan_layout(&p->in, &p->in_column));
    TRY(plan_layout(&p->ad, &p->ad_column));
    p->padded = p->mode == RIJN_MANY_CBC;
    p->blocks = p->mode == RIJN_MANY_CBC_BLOCKS || (p->padded && opening);
    p->textless = p->mode == RIJN_MANY_CMAC;
    p->plain = p->mode < RIJN_MANY_CMAC || p->mode == RIJN_MANY_CTR;
    p->head = p->front + (p->mode == RIJN_MANY_SIV ? p->tag_size : 0);
    p->tail = p->mode == RIJN_MANY_SIV ? 0 : p->tag_size;
    /* What CMAC authenticates is its `ad`, and CTR and CBC have none. */
    if (p->textless) {
        REQUIRE((opening || p->in == NONE) && (p->ad != NONE || !many->count), RIJN_ERR_ARGUMENT);
        p->limits.ad = UINT64_MAX;
    } else if (!p->tag_size) {
        REQUIRE(p->ad == NONE, RIJN_ERR_ARGUMENT);
    }
    REQUIRE(!many->count || p->in > ONE || (p->textless && !opening), RIJN_ERR_ARGUMENT);
    /* Where the nonce leaves so many bytes for a number of bytes or of blocks. */
    if (p->mode == RIJN_MANY_CCM && p->nonce_size > 7)
        p->limits.data = (UINT64_C(1) << 8 * (15 - p->nonce_size)) - 1;
    if (p->mode == RIJN_MANY_CTR && p->nonce_size > 8 && p->nonce_size < 16)
        p->limits.data = UINT64_C(16) << 8 * (16 - p->nonce_size);
    return RIJN_OK;
}

/* ---- Columns ---- */

RIJN_INLINE rijn_string string_at(const rijn_column *column, layout of, size_t i)
{
    switch (of) {
    case IN_32:
        return (rijn_string){column->data + column->offsets32[i],
                             (size_t)(column->offsets32[i + 1] - column->offsets32[i])};
    case IN_64:
        return (rijn_string){column->data + column->offsets64[i],
                             (size_t)(column->offsets64[i + 1] - column->offsets64[i])};
    case IN_BUFFERS:
        return (rijn_string){column->buffers[i], column->sizes[i]};
    case ONE:
        return (rijn_string){column->data, column->size};
    default:
        return (rijn_string){NULL, 0};
    }
}

/* The bytes that the strings of a column lie in, where these are one piece; a size that none passes,
 * which may be nearly twice that of the longest, but not where that is a power of two less one; and
 * whether one of them has less than is asked for. */
typedef struct {
    rijn_string all;
    uint64_t most;
    bool shorter;
} extent;

/* That offsets[0..count] lie between 0 and `size` and never decrease: where no offset is negative, and no
 * difference. The loop is made of what compilers turn into vectors; `sign` is the type without one. */
#define OFFSETS_FIT(type, sign, offsets, count, asked, size, extent) \
    do { \
        sign all = 0, ends = (sign)(offsets)[0], shorter = 0; \
        for (size_t i = 0; i < (count); i++) { \
            const sign n = (sign)(offsets)[i + 1] - (sign)(offsets)[i]; \
            all |= n; \
            ends |= (sign)(offsets)[i + 1]; \
            shorter |= n - (sign)(asked); \
        } \
        REQUIRE((type)(all | ends) >= 0 && (uint64_t)(offsets)[count] <= (size), \
                RIJN_ERR_ARGUMENT); \
        (extent)->most = all; \
        (extent)->shorter = (type)shorter < 0; \
    } while (0)

/* That the messages' strings are where they are said to be. */
static rijn_status check_column(const rijn_column *column, layout of, size_t first, size_t count,
                                size_t asked, extent *e)
{
    *e = (extent){.all = {NULL, 0}};
    if (of == ONE) {
        *e = (extent){.all = {column->data, column->size}, .most = column->size};
    } else if (count && of == IN_32) {
        const int32_t *const offsets = column->offsets32 + first;
        OFFSETS_FIT(int32_t, uint32_t, offsets, count, asked, column->size, e);
        e->all = (rijn_string){column->data + offsets[0], (size_t)(offsets[count] - offsets[0])};
    } else if (count && of == IN_64) {
        const int64_t *const offsets = column->offsets64 + first;
        OFFSETS_FIT(int64_t, uint64_t, offsets, count, asked, column->size, e);
        e->all = (rijn_string){column->data + offsets[0], (size_t)(offsets[count] - offsets[0])};
    } else if (of == IN_BUFFERS) {
        for (size_t i = first; i < first + count; i++) {
            const size_t n = column->sizes[i];
            REQUIRE(column->buffers[i] || !n, RIJN_ERR_ARGUMENT);
            e->most |= n;
            e->shorter |= n < asked;
        }
    }
    return RIJN_OK;
}

/* The bytes of the result of a message of `size` bytes; when opening CBC, at most. */
RIJN_INLINE bool result_size(const plan *p, size_t size, size_t *result)
{
    const size_t more = p->head + p->tail;

    if (!p->opening) {
        *result = (p->padded ? size - size % 16 + 16 : size) + more;
        return true;
    }
    const size_t text = size - more;
    *result = text;
    if (size >= more && !(p->blocks && (text % 16 || (p->padded && !text))) &&
        !(p->textless && text))
        return true;
    *result = 0;
    return false;
}

/* Sums the sizes of the results up, and finds what no mode takes. */
RIJN_INLINE rijn_status measure_in(plan *p, layout of)
{
    const rijn_many *const many = p->many;
    const uint64_t most = p->limits.data, room = SIZE_MAX - 64;
    const size_t more = p->head + p->tail;
    uint64_t total = 0;

    for (size_t i = many->first; i < many->first + many->count; i++) {
        const size_t size = string_at(&p->in_column, of, i).size;
        size_t result;
        if (result_size(p, size, &result))
            REQUIRE(within(p->opening ? size - more : size, most), RIJN_ERR_SIZE);
        if (!p->opening)
            REQUIRE(within(size, room) && !(p->blocks && size % 16), RIJN_ERR_SIZE);
        REQUIRE(result <= SIZE_MAX - total, RIJN_ERR_SIZE);
        total += result;
    }
    p->total = (size_t)total;
    return RIJN_OK;
}

static rijn_status measure_ad(const plan *p)
{
    const rijn_many *const many = p->many;

    for (size_t i = many->first; i < many->first + many->count; i++)
        REQUIRE(within(string_at(&p->ad_column, p->ad, i).size, p->limits.ad), RIJN_ERR_SIZE);
    return RIJN_OK;
}

static rijn_status measure(plan *p, extent *texts, extent *ads)
{
    const rijn_many *const many = p->many;
    const uint64_t most = many->out_offsets32   ? INT32_MAX
                          : many->out_offsets64 ? (uint64_t)INT64_MAX
                                                : SIZE_MAX;
    const size_t more = p->head + p->tail;

    const size_t asked = p->opening ? more : 0;

    TRY(check_column(&p->in_column, p->in, many->first, many->count, asked, texts));
    TRY(check_column(&p->ad_column, p->ad, many->first, many->count, 0, ads));
    if (!within(ads->most, p->limits.ad))
        TRY(measure_ad(p));
    p->hashed = rijn_hashed_blocks((size_t)ads->most, (size_t)texts->most);
    if (p->plain && (p->in == IN_32 || p->in == IN_64) && !texts->shorter &&
        within(texts->most, p->limits.data)) { /* the same is added to or taken off each of them */
        REQUIRE(many->count <= (SIZE_MAX - texts->all.size) / (more + 1), RIJN_ERR_SIZE);
        p->total = p->opening ? texts->all.size - more * many->count
                              : texts->all.size + more * many->count;
        p->whole = p->total;
    } else if (p->in == IN_32) {
        TRY(measure_in(p, IN_32));
    } else if (p->in == IN_64) {
        TRY(measure_in(p, IN_64));
    } else {
        TRY(measure_in(p, p->in));
    }
    REQUIRE(within(many->out_start, most) && within(p->total, most - many->out_start),
            RIJN_ERR_SIZE);
    return RIJN_OK;
}

/* ---- Overlap ---- */

/* Whether text may lie where its result does. */
static bool may_be_in_place(const plan *p)
{
    return !p->opening || p->mode == RIJN_MANY_CTR || p->mode == RIJN_MANY_CBC_BLOCKS;
}

static rijn_status check_messages_apart(const plan *p, const uint8_t *out, const rijn_string *all)
{
    const rijn_many *const many = p->many;
    const bool in_place = may_be_in_place(p);
    size_t at = 0;

    if (p->in == IN_32 || p->in == IN_64) {
        REQUIRE((in_place && !p->head && p->total == all->size && all->bytes == out) ||
                    rijn_disjoint(out, p->total, all->bytes, all->size),
                RIJN_ERR_OVERLAP);
        return RIJN_OK;
    }
    for (size_t i = many->first; p->in == IN_BUFFERS && i < many->first + many->count; i++) {
        const rijn_string s = string_at(&p->in_column, IN_BUFFERS, i);
        size_t result;
        const bool whole = result_size(p, s.size, &result);
        const size_t from_head = p->opening ? 0 : p->head;
        REQUIRE(rijn_disjoint(out, p->total, s.bytes, s.size) ||
                    (in_place && whole && (uintptr_t)s.bytes == (uintptr_t)out + at + from_head &&
                     (!p->opening || !p->front)),
                RIJN_ERR_OVERLAP);
        at += result;
    }
    return RIJN_OK;
}

/* That what is written lies apart from what is only read. */
static rijn_status check_overlap(const plan *p, const extent *texts, const extent *ads)
{
    const rijn_many *const many = p->many;
    const size_t end = many->first + many->count, width = many->out_offsets32 ? 4 : 8;
    const uint8_t *const offsets = many->out_offsets32 ? (const uint8_t *)many->out_offsets32
                                                       : (const uint8_t *)many->out_offsets64;
    const rijn_string written[] = {
        {p->total ? many->out + many->out_start : NULL, p->total},
        {offsets, offsets ? width * (end + 1) : 0},
        {many->failed, many->failed && p->opening ? (end + 7) / 8 : 0},
        {many->room, many->room ? many->room_size : 0},
    };
    const rijn_string read[] = {
        ads->all,
        {many->nonces, many->nonces ? p->nonce_size * end : 0},
        {many->base, many->base ? p->nonce_size : 0},
        {(const uint8_t *)many->in.offsets32, many->in.offsets32 ? 4 * (end + 1) : 0},
        {(const uint8_t *)many->in.offsets64, many->in.offsets64 ? 8 * (end + 1) : 0},
        {(const uint8_t *)many->ad.offsets32, many->ad.offsets32 ? 4 * (end + 1) : 0},
        {(const uint8_t *)many->ad.offsets64, many->ad.offsets64 ? 8 * (end + 1) : 0},
        {(const uint8_t *)many->in.buffers, many->in.buffers ? sizeof(void *) * end : 0},
        {(const uint8_t *)many->in.sizes, many->in.sizes ? sizeof(size_t) * end : 0},
        {(const uint8_t *)many->ad.buffers, many->ad.buffers ? sizeof(void *) * end : 0},
        {(const uint8_t *)many->ad.sizes, many->ad.sizes ? sizeof(size_t) * end : 0},
    };

    for (size_t w = 0; w < sizeof written / sizeof written[0]; w++) {
        for (size_t r = 0; r < sizeof read / sizeof read[0]; r++)
            REQUIRE(rijn_disjoint(written[w].bytes, written[w].size, read[r].bytes, read[r].size),
                    RIJN_ERR_OVERLAP);
        for (size_t other = 0; other < w; other++)
            REQUIRE(rijn_disjoint(written[w].bytes, written[w].size, written[other].bytes,
                                  written[other].size),
                    RIJN_ERR_OVERLAP);
        REQUIRE(!w || rijn_disjoint(written[w].bytes, written[w].size, texts->all.bytes,
                                    texts->all.size),
                RIJN_ERR_OVERLAP);
        for (size_t i = many->first; w && written[w].size && p->in == IN_BUFFERS && i < end; i++) {
            const rijn_string text = string_at(&p->in_column, IN_BUFFERS, i);
            REQUIRE(rijn_disjoint(written[w].bytes, written[w].size, text.bytes, text.size),
                    RIJN_ERR_OVERLAP);
        }
        for (size_t i = many->first; written[w].size && i < end; i++) {
            const rijn_string ad =
                string_at(&p->ad_column, p->ad == IN_BUFFERS ? IN_BUFFERS : NONE, i);
            REQUIRE(rijn_disjoint(written[w].bytes, written[w].size, ad.bytes, ad.size),
                    RIJN_ERR_OVERLAP);
            if (p->ad != IN_BUFFERS)
                break;
        }
    }
    return check_messages_apart(p, written[0].bytes, &texts->all);
}

/* ---- A batch ---- */

/* What is under way. */
typedef struct {
    const plan *plan;
    rijn_xaes_keys xaes;
    size_t at; /* where the next result begins in `out` */
    size_t failures;
    rijn_key random; /* what nonces are drawn from */
    rijn_counter drawn;
    bool gathered;
    rijn_prefix prefixes[RIJN_BATCH];
    rijn_batch batch;
} work;

RIJN_INLINE void set_end(const rijn_many *many, size_t i, size_t end)
{
    if (many->out_offsets32)
        many->out_offsets32[i + 1] = (int32_t)end;
    else if (many->out_offsets64)
        many->out_offsets64[i + 1] = (int64_t)end;
}

static void refuse(work *w, size_t i)
{
    const rijn_many *const many = w->plan->many;

    w->failures++;
    if (many->failed)
        many->failed[i / 8] |= (uint8_t)(1 << i % 8);
}

/* Pointers and sizes of the messages from..from + n; those that are too short are refused. What
 * does not change is in variables of its own: every byte that is written could be part of what
 * a pointer leads to, and would be loaded again. */
static void take_messages(work *w, size_t from, size_t n)
{
    const plan *const p = w->plan;
    const rijn_many *const many = p->many;
    const rijn_column column = p->in_column;
    const layout of = p->in;
    const bool opening = p->opening;
    const bool tag_first = p->mode == RIJN_MANY_SIV, plain = p->plain;
    const size_t front = p->front, head = p->head, tail = p->tail, more = head + tail;
    int32_t *const ends32 = many->out_offsets32;
    int64_t *const ends64 = many->out_offsets64;
    rijn_batch *const b = &w->batch;
    uint8_t *out = many->out ? many->out + w->at : NULL;
    size_t count = 0, at = w->at;

    for (size_t j = 0; j < n; j++) {
        const rijn_string s = string_at(&column, of, from + j);
        size_t result = opening ? s.size - more : s.size + more, size;
        if (plain ? opening && s.size < more : !result_size(p, s.size, &result)) {
            result = 0;
            refuse(w, from + j);
        } else {
            size = opening ? result : s.size;
            b->number[count] = (uint32_t)j;
            b->size[count] = size;
            b->in[count] = opening && head ? s.bytes + head : s.bytes;
            b->out[count] = !opening && head ? out + head : out;
            if (opening) {
                b->given[count] = tail ? b->in[count] + size : tag_first ? s.bytes + front : NULL;
                b->tag[count] = b->tags + RIJN_TAG_MOST * count;
            } else {
                b->tag[count] = tail ? out + (result - tail) : tag_first ? out + front : NULL;
            }
            count++;
        }
        if (result) { /* out may be NULL when there is nothing to write */
            out += result;
            at += result;
        }
        if (ends32)
            ends32[from + j + 1] = (int32_t)at;
        else if (ends64)
            ends64[from + j + 1] = (int64_t)at;
    }
    b->count = count;
    w->at = at;
}

RIJN_INLINE size_t begin_of(const rijn_column *column, layout of, size_t i)
{
    return of == IN_32 ? (size_t)column->offsets32[i] : (size_t)column->offsets64[i];
}

/* The same of a column of which no message is refused yet: where each and its result lie is known by the
 * offsets, and each array is filled by a loop that compilers turn into vectors. */
RIJN_INLINE void take_whole(work *w, size_t from, size_t n, layout of, bool opening)
{
    const plan *const p = w->plan;
    const rijn_many *const many = p->many;
    const rijn_column column = p->in_column;
    const size_t more = p->head + p->tail, begin = begin_of(&column, of, from);
    const size_t tag_first = p->mode == RIJN_MANY_SIV ? p->tag_size : 0;
    const size_t grows = opening ? -more : more; /* a result, by so much */
    int32_t *const ends32 = many->out_offsets32 ? many->out_offsets32 + from : NULL;
    int64_t *const ends64 = many->out_offsets64 ? many->out_offsets64 + from : NULL;
    const uint8_t *const in = column.data + begin + (opening ? p->head : 0);
    uint8_t *const out = many->out + w->at + (opening ? 0 : p->head);
    rijn_batch *const b = &w->batch;
    size_t begins[RIJN_BATCH + 1]; /* from the first one on */

    for (size_t j = 0; j <= n; j++)
        begins[j] = begin_of(&column, of, from + j) - begin;
    for (size_t j = 0; j < n; j++)
        b->number[j] = (uint32_t)j;
    for (size_t j = 0; j < n; j++)
        b->size[j] = begins[j + 1] - begins[j] - (opening ? more : 0);
    for (size_t j = 0; j < n; j++)
        b->in[j] = in + begins[j];
    for (size_t j = 0; j < n; j++)
        b->out[j] = out + (begins[j] + grows * j);
    for (size_t j = 0; opening && j < n; j++)
        b->given[j] = tag_first ? b->in[j] - tag_first : b->in[j] + b->size[j];
    for (size_t j = 0; opening && j < n; j++)
        b->tag[j] = b->tags + RIJN_TAG_MOST * j;
    for (size_t j = 0; !opening && j < n; j++)
        b->tag[j] = tag_first ? b->out[j] - tag_first : b->out[j] + b->size[j];
    for (size_t j = 1; ends32 && j <= n; j++)
        ends32[j] = (int32_t)(w->at + begins[j] + grows * j);
    for (size_t j = 1; ends64 && j <= n; j++)
        ends64[j] = (int64_t)(w->at + begins[j] + grows * j);
    b->count = n;
    w->at += begins[n] + grows * n;
}

RIJN_INLINE void take_ad(work *w, size_t from, layout of)
{
    rijn_batch *const b = &w->batch;

    for (size_t i = 0; i < b->count; i++) {
        const rijn_string s = string_at(&w->plan->ad_column, of, from + b->number[i]);
        b->ad[i] = s.bytes;
        b->ad_size[i] = s.size;
    }
}

/* Nonce i to its place. Of 12 bytes in two pieces: that is what most are. */
RIJN_INLINE void put_nonce(rijn_batch *b, size_t i, const uint8_t *nonce)
{
    uint8_t *const to = b->nonces + b->nonce_step * i;

    if (b->nonce_size == 12) {
        store_le64(to, load_le64(nonce));
        store_le64(to + 8, load_le32(nonce + 8));
    } else {
        memset(to, 0, b->nonce_step);
        memcpy(to, nonce, b->nonce_size);
    }
}

/* The base, with the number of each message added to what counts of it. */
static void count_nonces(rijn_batch *b, const uint8_t *base, uint64_t first)
{
    const size_t size = b->nonce_size, end = size - counting(size);
    const uint64_t from = count_of(base, size) + first;
    const size_t count = b->count;
    uint8_t fixed[RIJN_NONCE_MOST] = {0};
    uint32_t numbers[RIJN_BATCH];

    memcpy(fixed, base, size);
    memcpy(numbers, b->number, sizeof numbers);
    if (size == 12) {
        const uint64_t head = load_le64(fixed), tail = load_le64(fixed + 8);
        uint8_t *to = b->nonces;
        for (size_t i = 0; i < count; i++, to += 16) {
            const uint64_t n = swap64(from + numbers[i]);
            store_le64(to, (head & UINT32_MAX) | n << 32);
            store_le64(to + 8, (tail & ~(uint64_t)UINT32_MAX) | n >> 32);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t *const to = b->nonces + b->nonce_step * i;
        uint64_t n = from + numbers[i];
        memcpy(to, fixed, b->nonce_step);
        for (size_t j = size; j > end; n >>= 8)
            to[--j] = (uint8_t)n;
    }
}

/* So many bytes of keystream for each. */
static void draw(work *w, size_t step)
{
    rijn_batch *const b = &w->batch;

    memset(b->nonces, 0, step * b->count);
    w->random.backend->ctr_crypt(w->random.context, &w->drawn, b->nonces, b->nonces,
                                 step * b->count);
}

static void draw_nonces(work *w)
{
    rijn_batch *const b = &w->batch;
    const size_t step = b->nonce_step;

    draw(w, step);
    for (size_t i = 0; i < b->count; i++)
        memset(b->nonces + step * i + b->nonce_size, 0, step - b->nonce_size);
}

/* Each nonce before its result; of the size that most are, without a call. */
static void put_in_front(const rijn_batch *b, size_t head)
{
    const size_t size = b->nonce_size, count = b->count;
    const uint8_t *nonce = b->nonces;

    if (size == 12)
        for (size_t i = 0; i < count; i++, nonce += 16)
            memcpy(b->out[i] - head, nonce, 12);
    else
        for (size_t i = 0; i < count; i++, nonce += b->nonce_step)
            memcpy(b->out[i] - head, nonce, size);
}

/* ---- Nonces of XAES: 12 bytes are the prefix, and as many that of GCM ---- */

RIJN_INLINE rijn_prefix prefix_of(const uint8_t *nonce)
{
    return (rijn_prefix){load_le64(nonce), load_le32(nonce + 8)};
}

/* Of nonce i, in place or apart. */
RIJN_INLINE void put_split(work *w, size_t i, const uint8_t *nonce)
{
    uint8_t *const to = w->batch.nonces + 16 * i;
    const uint64_t head = load_le64(nonce + 12), tail = load_le32(nonce + 20);

    w->prefixes[i] = prefix_of(nonce);
    store_le64(to, head);
    store_le64(to + 8, tail);
}

static void count_split(work *w, const uint8_t *base, uint64_t first)
{
    rijn_batch *const b = &w->batch;
    const rijn_prefix prefix = prefix_of(base);
    const uint64_t fixed = load_le32(base + 12), from = count_of(base, 24) + first;
    const size_t count = b->count;

    for (size_t i = 0; i < count; i++) {
        const uint64_t n = swap64(from + b->number[i]);
        w->prefixes[i] = prefix;
        store_le64(b->nonces + 16 * i, fixed | n << 32);
        store_le64(b->nonces + 16 * i + 8, n >> 32);
    }
}

static void take_split(work *w, size_t from)
{
    const plan *const p = w->plan;
    rijn_batch *const b = &w->batch;
    const size_t count = b->count;

    if (p->nonces == COUNTED) {
        count_split(w, p->many->base, from);
    } else if (p->nonces == GIVEN) {
        for (size_t i = 0; i < count; i++)
            put_split(w, i, p->many->nonces + 24 * (from + b->number[i]));
    } else if (p->nonces == IN_FRONT) {
        for (size_t i = 0; i < count; i++)
            put_split(w, i, b->in[i] - p->head);
    } else {
        draw(w, 32);
        for (size_t i = 0; i < count; i++)
            put_split(w, i, b->nonces + 32 * i);
    }
    if (!p->front || p->opening)
        return;
    for (size_t i = 0; i < count; i++) {
        uint8_t *const to = b->out[i] - p->head;
        store_le64(to, w->prefixes[i].head);
        store_le32(to + 8, w->prefixes[i].tail);
        memcpy(to + 12, b->nonces + 16 * i, 12);
    }
}

static void take_nonces(work *w, size_t from)
{
    const plan *const p = w->plan;
    const rijn_many *const many = p->many;
    rijn_batch *const b = &w->batch;
    const size_t size = b->nonce_size;

    if (p->mode == RIJN_MANY_XAES) {
        take_split(w, from);
        return;
    }
    if (p->nonces == GIVEN) {
        for (size_t i = 0; i < b->count; i++)
            put_nonce(b, i, many->nonces + size * (from + b->number[i]));
    } else if (p->nonces == IN_FRONT) {
        for (size_t i = 0; i < b->count; i++)
            put_nonce(b, i, b->in[i] - p->head);
    } else if (p->nonces == COUNTED) {
        count_nonces(b, many->base, from);
    } else if (p->nonces == RANDOM) {
        draw_nonces(w);
    }
    if (p->front && !p->opening)
        put_in_front(b, p->head);
}

static void take(work *w, size_t from, size_t n)
{
    const plan *const p = w->plan;

    if (p->whole && p->in == IN_32 && p->opening)
        take_whole(w, from, n, IN_32, true);
    else if (p->whole && p->in == IN_32)
        take_whole(w, from, n, IN_32, false);
    else if (p->whole && p->opening)
        take_whole(w, from, n, IN_64, true);
    else if (p->whole)
        take_whole(w, from, n, IN_64, false);
    else
        take_messages(w, from, n);
    take_nonces(w, from);
    if (p->ad == IN_32)
        take_ad(w, from, IN_32);
    else if (p->ad != NONE)
        take_ad(w, from, p->ad);
}

/* ---- One message after the other ---- */

static rijn_status aegis_one(const plan *p, rijn_batch *b, size_t i, const uint8_t *nonce,
                             const uint8_t *ad, size_t ad_size)
{
    const rijn_aegis_key *const key = p->many->aegis_key;

    if (p->opening)
        return rijn_aegis_open_message(key, b->out[i], b->given[i], p->tag_size, nonce, ad, ad_size,
                                       b->in[i], b->size[i]);
    rijn_aegis_seal_message(key, b->out[i], b->tag[i], p->tag_size, nonce, ad, ad_size, b->in[i],
                            b->size[i]);
    return RIJN_OK;
}

/* CBC opened without padding; sealed messages are chains, which go together. */
static rijn_status cbc_one(const plan *p, rijn_batch *b, size_t i, const uint8_t *iv)
{
    uint8_t chain[16];

    memcpy(chain, iv, 16);
    p->backend->cbc_decrypt(p->many->key->context, chain, b->out[i], b->in[i], b->size[i] / 16);
    return RIJN_OK;
}

static rijn_status one(const plan *p, rijn_batch *b, size_t i)
{
    const mode_row *const mode = &modes[p->mode];
    const uint8_t *const nonce = b->nonces + b->nonce_step * i;
    const uint8_t *const ad = b->has_ad ? b->ad[i] : NULL;
    const size_t ad_size = b->has_ad ? b->ad_size[i] : 0;

    if (mode->seal)
        return p->opening ? mode->open(p->many->key, b->out[i], b->given[i], p->tag_size, nonce,
                                       p->nonce_size, ad, ad_size, b->in[i], b->size[i])
                          : mode->seal(p->many->key, b->out[i], b->tag[i], p->tag_size, nonce,
                                       p->nonce_size, ad, ad_size, b->in[i], b->size[i]);
    return p->mode == RIJN_MANY_AEGIS ? aegis_one(p, b, i, nonce, ad, ad_size)
                                      : cbc_one(p, b, i, nonce);
}

static void work_singly(work *w, size_t from)
{
    rijn_batch *const b = &w->batch;

    for (size_t i = 0; i < b->count; i++)
        if (one(w->plan, b, i) != RIJN_OK)
            refuse(w, from + b->number[i]);
}

/* CBC opened: where a result begins is known when the padding of those before it is. */
static void work_unpadding(work *w, size_t from, size_t n, size_t at)
{
    const rijn_many *const many = w->plan->many;
    rijn_batch *const b = &w->batch;

    for (size_t j = 0, i = 0; j < n; j++) {
        if (i < b->count && b->number[i] == j) {
            size_t plain = 0;
            if (rijn_cbc_decrypt_padded(many->key, b->nonces + b->nonce_step * i, many->out + at,
                                        &plain, b->in[i], b->size[i]) != RIJN_OK)
                refuse(w, from + j);
            at += plain;
            i++;
        }
        set_end(many, from + j, at);
    }
    w->at = at;
}

/* What works on all of this batch at once; false where its mode has nothing of that kind here. */
static bool work_together(work *w)
{
    const plan *const p = w->plan;
    const rijn_batch *const b = &w->batch;

    if (p->mode == RIJN_MANY_XAES) {
        rijn_xaes_together(&w->xaes, b, w->prefixes, p->nonces == RANDOM, p->hashed);
        return true;
    }
    if (p->mode == RIJN_MANY_AEGIS) {
        const rijn_aegis_key *const key = p->many->aegis_key;
        if (!key->code->many)
            return false;
        key->code->many(key->bytes, b);
        return true;
    }
    if (p->mode == RIJN_MANY_CMAC) {
        rijn_cmac_together(p->many->key, b);
        return true;
    }
    if (p->mode == RIJN_MANY_SIV) {
        rijn_siv_together(p->many->siv_key, b);
        return true;
    }
    if (p->mode == RIJN_MANY_GCM_SIV) {
        rijn_gcm_siv_together(p->many->key, b);
        return true;
    }
    if (p->mode == RIJN_MANY_CTR) {
        rijn_ctr_together(p->many->key, b, b->nonces);
        return true;
    }
    if ((p->mode == RIJN_MANY_CBC || p->mode == RIJN_MANY_CBC_BLOCKS) && !p->opening) {
        rijn_cbc_together(p->many->key, b, p->padded);
        return true;
    }
    if (p->mode != RIJN_MANY_GCM || !p->backend->gcm_many || p->nonce_size != 12 ||
        p->tag_size != 16)
        return false;
    p->backend->gcm_many(p->many->key->context, b, 0, b->count);
    return true;
}

/* Compares the tags of a batch that was opened together. */
static void compare(work *w, size_t from)
{
    const rijn_batch *const b = &w->batch;
    const size_t count = b->count, size = b->tag_size;
    uint64_t any = 0, differences[RIJN_BATCH];

    for (size_t i = 0; i < count; i++) {
        const uint8_t *const got = b->tag[i], *const given = b->given[i];
        if (size % 16) {
            differences[i] = !rijn_tags_equal(got, given, size);
            any |= differences[i];
            continue;
        }
        uint64_t difference =
            (load_le64(got) ^ load_le64(given)) | (load_le64(got + 8) ^ load_le64(given + 8));
        if (size == 32)
            difference |= (load_le64(got + 16) ^ load_le64(given + 16)) |
                          (load_le64(got + 24) ^ load_le64(given + 24));
        differences[i] = difference;
        any |= difference;
    }
    RIJN_PUBLIC(differences, count * sizeof differences[0]);
    RIJN_PUBLIC(&any, sizeof any);
    for (size_t i = 0; any && i < count; i++) {
        if (differences[i]) {
            rijn_wipe(b->out[i], b->size[i]);
            refuse(w, from + b->number[i]);
        }
    }
}

static void work_batch(work *w, size_t from, size_t n)
{
    const plan *const p = w->plan;
    const size_t at = w->at;

    take(w, from, n);
    if (p->padded && p->opening)
        work_unpadding(w, from, n, at);
    else if (!w->batch.count)
        return;
    else if (!work_together(w))
        work_singly(w, from);
    else if (p->opening && p->tag_size)
        compare(w, from);
}

/* ---- XAES out of order ---- */

/* Messages that are gathered at once on the stack; and in memory of the caller's so many as lie in
 * this many bytes with their results: more would be beyond the caches by the time that they are worked on. */
enum { ON_STACK = 2048, IN_ROOM = 32768, GATHERED_BYTES = 2 << 20 };

static size_t in_room(size_t count)
{
    return count < IN_ROOM ? count : IN_ROOM;
}

static size_t window_of(const plan *p)
{
    const size_t result = p->total / p->many->count, more = p->head + p->tail;
    const size_t fit =
        GATHERED_BYTES / (p->opening ? result + more + result : result - more + result);

    return !p->many->room || fit < ON_STACK ? ON_STACK : in_room(fit);
}

/* The nonce of message i, which is long enough to have one. */
RIJN_INLINE const uint8_t *nonce_of(const plan *p, size_t i)
{
    const rijn_column *const c = &p->in_column;

    if (p->nonces == GIVEN)
        return p->many->nonces + 24 * i;
    return p->in == IN_BUFFERS ? c->buffers[i]
                               : c->data + (p->in == IN_32 ? c->offsets32[i] : c->offsets64[i]);
}

RIJN_INLINE bool too_short(const plan *p, size_t i)
{
    return p->opening && string_at(&p->in_column, p->in, i).size < p->head + p->tail;
}

/* Brings messages from..from + n into an order; where the result of each begins is known then, and
 * those that are too short are refused. Returns how many are left, and how often a nonce began
 * otherwise than the one before it. */
static size_t gather(work *w, rijn_xaes_order *o, size_t from, size_t n, size_t *changes)
{
    const plan *const p = w->plan;
    const size_t more = p->head + p->tail;
    enum { AHEAD = 4096 };
    rijn_prefix last = {0, 0};
    size_t count = 0;

    *changes = 0;
    rijn_xaes_clear(o, rijn_xaes_slots(n));
    for (size_t j = 0; j < n; j++) {
        if (too_short(p, from + j))
            continue;
        const uint8_t *const nonce = nonce_of(p, from + j);
        const rijn_prefix prefix = prefix_of(nonce);
        __builtin_prefetch((const void *)((uintptr_t)nonce + AHEAD));
        *changes += !rijn_same_prefix(prefix, last);
        last = prefix;
        rijn_xaes_join(o, j, prefix);
        count++;
    }
    rijn_xaes_arrange(o);
    for (size_t j = 0; j < n; j++) {
        const size_t size = string_at(&p->in_column, p->in, from + j).size;
        if (too_short(p, from + j)) {
            refuse(w, from + j);
        } else {
            rijn_xaes_take_place(o, j, w->at);
            w->at += p->opening ? size - more : size + more;
        }
        set_end(p->many, from + j, w->at);
    }
    return count;
}

/* Has the lines of these messages behind `from` fetched. (Not those of their results: of 64 bytes from 16
 * batches a row took 34 ns with them, and 31 without.) */
static void fetch_places(const plan *p, const rijn_xaes_place *places, size_t from, size_t n)
{
    enum { LINE = 64, FETCHED = 4 * LINE };

    for (size_t i = 0; i < n; i++) {
        const rijn_string s = string_at(&p->in_column, p->in, from + places[i].number);
        for (size_t at = 0; at < s.size && at < FETCHED; at += LINE)
            __builtin_prefetch((const void *)((uintptr_t)s.bytes + at));
    }
}

/* As take_messages, of those that have these places. */
static void take_places(work *w, const rijn_xaes_place *places, size_t from, size_t n)
{
    const plan *const p = w->plan;
    const size_t more = p->head + p->tail;
    rijn_batch *const b = &w->batch;

    b->count = n;
    for (size_t i = 0; i < n; i++) {
        const rijn_string s = string_at(&p->in_column, p->in, from + places[i].number);
        const size_t size = p->opening ? s.size - more : s.size;
        uint8_t *const out = p->many->out ? p->many->out + places[i].at : NULL;
        b->number[i] = places[i].number;
        b->size[i] = size;
        if (p->opening) {
            b->in[i] = p->head ? s.bytes + p->head : s.bytes;
            b->out[i] = out;
            b->given[i] = b->in[i] + size;
            b->tag[i] = b->tags + RIJN_TAG_MOST * i;
        } else {
            b->in[i] = s.bytes;
            b->out[i] = p->head ? out + p->head : out;
            b->tag[i] = b->out[i] + size;
        }
    }
}

/* How many of these places are a batch: as many as it has room for, but groups that fit go whole. */
static size_t batch_of(const rijn_xaes_place *place, size_t left)
{
    size_t n = RIJN_BATCH;

    if (left <= n)
        return left;
    while (n && place[n].group == place[n - 1].group)
        n--;
    return n ? n : RIJN_BATCH;
}

/* Messages from..from + n, those together whose nonces begin alike; `o` has room for them. Returns how
 * often these began otherwise than the one before. */
RIJN_APART static size_t work_gathered(work *w, rijn_xaes_order *o, size_t from, size_t n)
{
    const plan *const p = w->plan;
    const rijn_xaes_place *const places = o->places;
    size_t changes, fetched = 0;
    const size_t count = gather(w, o, from, n, &changes);

    for (size_t done = 0; done < count;) {
        const size_t some = batch_of(places + done, count - done), next = done + some;
        const size_t ahead = count - next < RIJN_BATCH ? count : next + RIJN_BATCH;
        fetch_places(p, places + fetched, from, ahead - fetched);
        fetched = ahead;
        take_places(w, places + done, from, some);
        take_split(w, from);
        if (p->ad != NONE)
            take_ad(w, from, p->ad);
        work_together(w);
        if (p->opening)
            compare(w, from);
        done = next;
    }
    return changes;
}

/* ---- A call ---- */

static rijn_status start_random(work *w, const rijn_backend *backend)
{
    uint8_t seed[32];

    TRY(rijn_random(seed, sizeof seed));
    rijn_key_expand(&w->random, backend, seed, sizeof seed, 0, 0);
    memset(seed, 0, 16);
    rijn_counter_set(&w->drawn, 128, 0, seed);
    return RIJN_OK;
}

static void work_batches(work *w, size_t first, size_t count)
{
    for (size_t done = 0; done < count;) {
        const size_t n = count - done < RIJN_BATCH ? count - done : RIJN_BATCH;
        work_batch(w, first + done, n);
        done += n;
    }
}

/* How many keys of XAES are to be at hand. Counted nonces begin alike, and those drawn at random
 * never do. */
static size_t xaes_size(const plan *p)
{
    return p->mode != RIJN_MANY_XAES                                            ? 0
           : p->nonces == COUNTED || p->nonces == RANDOM || p->many->count < 16 ? 1
                                                                                : RIJN_XAES_KEYS;
}

RIJN_APART static void work_one_key(work *w)
{
    rijn_xaes_key key;

    rijn_xaes_begin(&w->xaes, w->plan->many->key, &key, 1);
    work_batches(w, w->plan->many->first, w->plan->many->count);
}

/* How often a nonce of messages from..from + n begins otherwise than the one before it. */
static size_t changes_in(const plan *p, size_t from, size_t n)
{
    size_t changes = 0;

    for (size_t i = from + 1; i < from + n; i++)
        if (!too_short(p, i) && !too_short(p, i - 1))
            changes += !rijn_same_prefix(prefix_of(nonce_of(p, i)), prefix_of(nonce_of(p, i - 1)));
    return changes;
}

/* The caller's memory. */
static size_t gather_in_room(work *w, size_t from, size_t n)
{
    const rijn_many *const many = w->plan->many;
    const size_t slots = rijn_xaes_slots(n) * sizeof(rijn_xaes_slot);
    uint8_t *const at = (uint8_t *)many->room + (-(uintptr_t)many->room & 7);
    rijn_xaes_order o = {.slots = (rijn_xaes_slot *)(void *)at};

    o.places = (rijn_xaes_place *)(void *)(at + slots);
    o.groups = (uint32_t *)(void *)(at + slots + n * sizeof(rijn_xaes_place));
    return work_gathered(w, &o, from, n);
}

RIJN_APART static size_t gather_on_the_stack(work *w, size_t from, size_t n)
{
    rijn_xaes_slot slots[ON_STACK / 2 + 1];
    uint32_t groups[ON_STACK];
    rijn_xaes_place places[ON_STACK];
    rijn_xaes_order o = {slots, 0, groups, places};

    return work_gathered(w, &o, from, n);
}

/* In order, as long as a batch needs at most one key that is not at hand; else gathered, as long as
 * more than one nonce in 128 begins otherwise than the one before it. */
RIJN_APART static void work_many_keys(work *w)
{
    const plan *const p = w->plan;
    const size_t first = p->many->first, count = p->many->count;
    const size_t window = window_of(p);
    bool gathers = changes_in(p, first, count < RIJN_BATCH ? count : RIJN_BATCH) > 1;
    rijn_xaes_key keys[RIJN_XAES_KEYS];

    rijn_xaes_begin(&w->xaes, p->many->key, keys, RIJN_XAES_KEYS);
    for (size_t done = 0, n; done < count; done += n) {
        const size_t most = gathers ? window : RIJN_BATCH, made = w->xaes.made;
        n = count - done < most ? count - done : most;
        if (gathers) {
            const size_t changes =
                (p->many->room ? gather_in_room : gather_on_the_stack)(w, first + done, n);
            gathers = changes > n / 128;
            w->gathered = true;
        } else {
            work_batch(w, first + done, n);
            gathers = w->xaes.made - made > 1;
        }
    }
}

/* gathered: XAES messages were out of order. */
RIJN_APART static rijn_status work_all(const plan *p, size_t *failures, bool *gathered)
{
    const rijn_many *const many = p->many;
    const size_t first = many->first, count = many->count;
    work w;

    w.plan = p;
    w.at = many->out_start;
    w.failures = 0;
    w.gathered = false;
    w.batch.nonce_size = p->mode == RIJN_MANY_XAES ? 12 : p->nonce_size;
    w.batch.nonce_step = w.batch.nonce_size > 16 ? 32 : 16;
    w.batch.tag_size = p->tag_size;
    w.batch.opening = p->opening;
    w.batch.has_ad = p->ad != NONE;
    w.batch.one_ad = p->ad == ONE;
    if (p->nonces == RANDOM && count)
        TRY(start_random(&w, p->backend));
    if (many->failed && p->opening && count)
        memset(many->failed + first / 8, 0, (first % 8 + count + 7) / 8);
    if (!first && many->out_offsets32)
        many->out_offsets32[0] = (int32_t)w.at;
    if (!first && many->out_offsets64)
        many->out_offsets64[0] = (int64_t)w.at;
    switch (xaes_size(p)) {
    case 0:
        work_batches(&w, first, count);
        break;
    case 1:
        work_one_key(&w);
        break;
    default:
        work_many_keys(&w);
    }
    *failures = w.failures;
    *gathered = w.gathered;
    return !w.failures ? RIJN_OK : p->padded ? RIJN_ERR_PADDING : RIJN_ERR_TAG;
}

/* The functions between work_all and the operations, and what they have on the stack; and those that
 * gather. */
enum { MANY_STACK = sizeof(work) + 4 * RIJN_FRAME };
enum { GATHERED_STACK = sizeof(rijn_xaes_order) + 3 * RIJN_FRAME };

static size_t xaes_stack(const plan *p, bool gathered)
{
    const size_t window = (ON_STACK / 2 + 1) * sizeof(rijn_xaes_slot) +
                          ON_STACK * (sizeof(rijn_xaes_place) + sizeof(uint32_t));
    return xaes_size(p) * sizeof(rijn_xaes_key) + (!gathered       ? 0
                                                   : p->many->room ? GATHERED_STACK
                                                                   : GATHERED_STACK + window);
}

/* For messages of `most` bytes at most. */
static size_t many_depth(const plan *p, uint64_t most, bool gathered)
{
    const size_t own = MANY_STACK + modes[p->mode].stack + xaes_stack(p, gathered) +
                       (most >= rijn_bypass_size ? p->backend->bypass_stack : 0);

    return p->mode == RIJN_MANY_AEGIS ? own + rijn_aegis_depth(p->many->aegis_key->code) +
                                            p->backend->stack + p->many->aegis_key->code->many_stack
                                      : own + p->backend->gcm_stacks[2];
}

static rijn_status run_many(const rijn_many *many, bool opening, size_t *failures)
{
    extent texts, ads;
    plan p;
    rijn_status status;
    bool gathered = false;

    *failures = 0;
    TRY(plan_call(&p, many, opening));
    REQUIRE(!opening || !many->failed || many->first % 8 == 0, RIJN_ERR_ARGUMENT);
    TRY(measure(&p, &texts, &ads));
    REQUIRE(many->out || !p.total, RIJN_ERR_ARGUMENT);
    REQUIRE(!many->room || many->room_size >= rijn_many_room(many->count), RIJN_ERR_SIZE);
    REQUIRE(many->out_start <= many->out_size && p.total <= many->out_size - many->out_start,
            RIJN_ERR_SIZE);
    TRY(check_overlap(&p, &texts, &ads));
    status = work_all(&p, failures, &gathered);
    return rijn_scrub(status, many_depth(&p, texts.most, gathered));
}

static rijn_status size_of(const rijn_many *many, bool opening, size_t *size)
{
    extent texts, ads;
    plan p;

    REQUIRE(size, RIJN_ERR_ARGUMENT);
    *size = 0;
    TRY(plan_call(&p, many, opening));
    TRY(measure(&p, &texts, &ads));
    *size = p.total;
    return RIJN_OK;
}

size_t rijn_many_room(size_t count)
{
    const size_t n = in_room(count);

    return rijn_xaes_slots(n) * sizeof(rijn_xaes_slot) +
           n * (sizeof(rijn_xaes_place) + sizeof(uint32_t)) + 7;
}

rijn_status rijn_seal_many_size(const rijn_many *many, size_t *size)
{
    return size_of(many, false, size);
}

rijn_status rijn_open_many_size(const rijn_many *many, size_t *size)
{
    return size_of(many, true, size);
}

rijn_status rijn_seal_many(const rijn_many *many)
{
    size_t failures;
    return run_many(many, false, &failures);
}

rijn_status rijn_open_many(const rijn_many *many, size_t *failures)
{
    size_t unasked;
    return run_many(many, true, failures ? failures : &unasked);
}

#endif
