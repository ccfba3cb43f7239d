/* The contract of rijn_NAME_seal and rijn_NAME_open in rijn.h, for the AEADs under a rijn_key. */
#ifndef AEAD_H
#define AEAD_H

#include "contract.h"

/* Sizes in bytes. Bit n of `tags` allows tags of n bytes; `short_tags` need a permission. `keys` has
 * a bit n for keys of 8 n bytes. */
typedef struct {
    uint64_t nonce_least, nonce_most, data, ad;
    uint32_t tags, short_tags, keys;
} sizes;

#define BIT(n) (UINT32_C(1) << (n))
#define BITS(least, most) ((UINT32_C(2) << (most)) - BIT(least))

/* The arguments of a call. */
typedef struct {
    rijn_key *key;
    uint8_t *out, *tag, *nonce, *ad, *in;
    size_t tag_size, nonce_size, ad_size, size;
} message;

static message any_message(void)
{
    message m;

    m.key = any_key();
    m.size = any_size();
    m.ad_size = any_size();
    m.nonce_size = any_size();
    m.tag_size = any_size();
    m.in = any_buffer(m.size);
    m.out = nondet_bool() ? m.in : any_buffer(m.size);
    m.ad = any_buffer(m.ad_size);
    m.nonce = any_buffer(m.nonce_size);
    m.tag = any_buffer(m.tag_size);
    if (nondet_bool())
        watch(m.out, m.size);
    else
        watch(m.tag, m.tag_size);
    return m;
}

static bool key_is_ready(const rijn_key *key)
{
    return key && key->backend && key->uses == USE_ALL;
}

static bool tag_is_allowed(const sizes *s, const rijn_key *key, size_t size)
{
    return size <= 16 && (s->tags | (key->short_tags ? s->short_tags : 0)) >> size & 1;
}

/* Returns whether no argument is NULL that the call needs. */
static bool has_pointers(const message *m)
{
    return m->tag && (m->nonce || !m->nonce_size) && (m->ad || !m->ad_size) &&
           ((m->in && m->out) || !m->size);
}

static bool has_allowed_overlap(const message *m)
{
    return (m->out == m->in || apart(m->out, m->size, m->in, m->size)) &&
           apart(m->out, m->size, m->tag, m->tag_size) &&
           apart(m->in, m->size, m->tag, m->tag_size) &&
           apart(m->out, m->size, m->nonce, m->nonce_size) &&
           apart(m->out, m->size, m->ad, m->ad_size);
}

/* The status of a call: RIJN_OK if and only if rijn.h allows all arguments, else an error that is
 * true of them. */
static void check_status(const message *m, const sizes *s, rijn_status status)
{
    const bool ready = key_is_ready(m->key), pointers = has_pointers(m);
    const bool key = ready && s->keys >> m->key->size / 8 & 1;
    const bool tag = ready && tag_is_allowed(s, m->key, m->tag_size);
    const bool nonce = m->nonce_size >= s->nonce_least && m->nonce_size <= s->nonce_most;
    const bool size = m->size <= s->data && m->ad_size <= s->ad;
    const bool overlap = has_allowed_overlap(m);

    __CPROVER_assert((status == RIJN_OK || status == RIJN_ERR_TAG) ==
                         (ready && pointers && key && tag && nonce && size && overlap),
                     "exactly the allowed calls are done");
    __CPROVER_assert(status != RIJN_ERR_ARGUMENT || !m->key || !pointers, "ERR_ARGUMENT is true");
    __CPROVER_assert(status != RIJN_ERR_STATE || (m->key && !ready), "ERR_STATE is true");
    __CPROVER_assert(status != RIJN_ERR_KEY_SIZE || !key, "ERR_KEY_SIZE is true");
    __CPROVER_assert(status != RIJN_ERR_NONCE_SIZE || !nonce, "ERR_NONCE_SIZE is true");
    __CPROVER_assert(status != RIJN_ERR_TAG_SIZE || !tag, "ERR_TAG_SIZE is true");
    __CPROVER_assert(status != RIJN_ERR_SIZE || !size, "ERR_SIZE is true");
    __CPROVER_assert(status != RIJN_ERR_OVERLAP || !overlap, "ERR_OVERLAP is true");
}

static void check_sealed(const message *m, const sizes *s, rijn_status status)
{
    check_status(m, s, status);
    __CPROVER_assert(status != RIJN_ERR_TAG, "a seal compares no tag");
    if (status != RIJN_OK) {
        refused();
        REACHED("a refused message");
        return;
    }
    if (is_watched(m->tag, m->tag_size))
        __CPROVER_assert(written_once(), "a seal writes each byte of its tag once");
    else
        __CPROVER_assert(is_watched(m->out, m->size) ? written_once() : untouched(),
                         "a seal writes each byte of its output once");
    finish();
    REACHED("a sealed message");
}

static void check_opened(const message *m, const sizes *s, rijn_status status)
{
    check_status(m, s, status);
    if (status != RIJN_OK && status != RIJN_ERR_TAG) {
        refused();
        REACHED("a refused message");
        return;
    }
    compared(status, m->tag, m->tag_size);
    finish();
    if (status == RIJN_ERR_TAG)
        REACHED("a forged message");
    else
        REACHED("an opened message");
    if (!is_watched(m->out, m->size)) {
        __CPROVER_assert(untouched(), "an open writes its output and nothing else");
    } else if (status == RIJN_ERR_TAG) {
        __CPROVER_assert(!watched(), "the output of a refused message is zeros");
    } else {
        __CPROVER_assert(written_once(), "an open writes each byte of its output once");
    }
}

/* Defines prove_ID_seal and prove_ID_open for the functions rijn_ID_seal and rijn_ID_open. */
#define PROVE_AEAD(id, limits) \
    void prove_##id##_seal(void) \
    { \
        start(); \
        const message m = any_message(); \
        const sizes s = limits(&m); \
        check_sealed(&m, &s, \
                     rijn_##id##_seal(m.key, m.out, m.tag, m.tag_size, m.nonce, m.nonce_size, \
                                      m.ad, m.ad_size, m.in, m.size)); \
    } \
    void prove_##id##_open(void) \
    { \
        start(); \
        const message m = any_message(); \
        const sizes s = limits(&m); \
        check_opened(&m, &s, \
                     rijn_##id##_open(m.key, m.out, m.tag, m.tag_size, m.nonce, m.nonce_size, \
                                      m.ad, m.ad_size, m.in, m.size)); \
    }

#endif
