/* The checks of arguments and tags that public functions share. rijn.h has the rules. The checks are
 * inlined: a call with so many arguments costs 2 ns, and a message of 16 bytes takes 40 to 70 ns. */
#ifndef RIJN_CHECK_H
#define RIJN_CHECK_H

#include <stdbool.h>

#include "backend.h"
#include "bytes.h"
#include "ct.h"

/* Returns from the caller unless `check` is RIJN_OK. */
#define TRY(check) \
    do { \
        const rijn_status try_status = (check); \
        if (try_status != RIJN_OK) \
            return try_status; \
    } while (0)

/* Returns `error` from the caller unless the condition holds. */
#define REQUIRE(condition, error) \
    do { \
        if (!(condition)) \
            return (error); \
    } while (0)

/* Returns size <= limit, compared in 64 bits even if size_t is narrower. */
static inline bool within(uint64_t size, uint64_t limit)
{
    return size <= limit;
}

/* Returns whether a[0..a_size) and b[0..b_size) share no byte. */
static inline bool rijn_disjoint(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return !a_size || !b_size || (x < y ? y - x >= a_size : x - y >= b_size);
}

/* Returns RIJN_OK if a message in pieces under `original` may continue under `key`: if `key` is the same
 * object or a copy of it. Returns RIJN_ERR_STATE for another key. The comparison takes constant time. */
rijn_status rijn_check_copy(const rijn_key *key, const rijn_key *original);

/* The sizes that an algorithm allows, in bytes. */
typedef struct rijn_limits {
    uint64_t nonce_least, nonce_most, data, ad;
    uint32_t tags;       /* bit n is set: tags may have n bytes */
    uint32_t short_tags; /* the same, after rijn_key_allow_short_tags */
    uint32_t keys;       /* bit n is set: keys may have 8 n bytes */
} rijn_limits;

#define SIZES(least, most) ((UINT32_C(2) << (most)) - (UINT32_C(1) << (least)))
enum { ALL_KEYS = 1 << 2 | 1 << 3 | 1 << 4 };

/* Returns RIJN_OK, RIJN_ERR_ARGUMENT for NULL, or RIJN_ERR_STATE before rijn_key_init. Also returns
 * RIJN_ERR_STATE for a key that is a part of another key, because it was expanded for fewer
 * uses. */
static inline rijn_status rijn_check_key(const rijn_key *key)
{
    if (!key)
        return RIJN_ERR_ARGUMENT;
    return key->backend && key->uses == USE_ALL ? RIJN_OK : RIJN_ERR_STATE;
}

/* Checks such a part, for the functions of the whole key. */
static inline rijn_status rijn_check_part(const rijn_key *part)
{
    return part->backend ? RIJN_OK : RIJN_ERR_STATE;
}

/* Returns RIJN_OK, RIJN_ERR_ARGUMENT for NULL with a size, or RIJN_ERR_OVERLAP unless the two are
 * the same pointer or share no byte. */
static inline rijn_status rijn_check_buffers(const uint8_t *out, const uint8_t *in, size_t size)
{
    if (size && (!out || !in))
        return RIJN_ERR_ARGUMENT;
    return out == in || rijn_disjoint(out, size, in, size) ? RIJN_OK : RIJN_ERR_OVERLAP;
}

/* Does the checks of the modes for whole blocks: key, buffers, and a size of 16 n bytes. */
static inline rijn_status rijn_check_blocks(const rijn_key *key, const uint8_t *out,
                                            const uint8_t *in, size_t size)
{
    TRY(rijn_check_key(key));
    TRY(rijn_check_buffers(out, in, size));
    return size % 16 == 0 ? RIJN_OK : RIJN_ERR_SIZE;
}

/* Is rijn_disjoint in one comparison, for buffers that are not empty and shorter than half of all
 * memory: compares the distance from the first byte of a to the last byte of b, modulo 2^N. */
static inline int disjoint(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    return (uintptr_t)b - (uintptr_t)a + (b_size - 1) >= a_size + (b_size - 1);
}

/* Does rijn_check_buffers for the arguments of a seal or an open. Also returns RIJN_ERR_OVERLAP if
 * `out` shares a byte with tag, nonce or ad, or if `in` shares one with the tag, which may be
 * written before `in` is read. */
static inline rijn_status rijn_check_apart(const uint8_t *out, const uint8_t *tag, size_t tag_size,
                                           const uint8_t *nonce, size_t nonce_size,
                                           const uint8_t *ad, size_t ad_size, const uint8_t *in,
                                           size_t size)
{
    TRY(rijn_check_buffers(out, in, size));
    REQUIRE(!size || (disjoint(out, size, tag, tag_size) & disjoint(in, size, tag, tag_size) &
                      ((nonce_size == 0) | disjoint(out, size, nonce, nonce_size))),
            RIJN_ERR_OVERLAP);
    REQUIRE(!size || !ad_size || disjoint(out, size, ad, ad_size), RIJN_ERR_OVERLAP);
    return RIJN_OK;
}

static inline rijn_status rijn_check_nonce(const rijn_limits *limits, const uint8_t *nonce,
                                           size_t size)
{
    REQUIRE(size >= limits->nonce_least && within(size, limits->nonce_most), RIJN_ERR_NONCE_SIZE);
    return nonce || !size ? RIJN_OK : RIJN_ERR_ARGUMENT;
}

static inline rijn_status rijn_check_tag_size(const rijn_limits *limits, const rijn_key *key,
                                              size_t size)
{
    if (size == 16) /* every algorithm's longest */
        return RIJN_OK;
    const uint32_t tags = limits->tags | (key->short_tags ? limits->short_tags : 0);
    return size <= 16 && tags >> size & 1 ? RIJN_OK : RIJN_ERR_TAG_SIZE;
}

/* Does all checks of a seal or an open. */
static inline rijn_status rijn_check_message(const rijn_limits *limits, const rijn_key *key,
                                             const uint8_t *out, const uint8_t *tag,
                                             size_t tag_size, const uint8_t *nonce,
                                             size_t nonce_size, const uint8_t *ad, size_t ad_size,
                                             const uint8_t *in, size_t size)
{
    TRY(rijn_check_key(key));
    REQUIRE(limits->keys == ALL_KEYS || limits->keys >> key->size / 8 & 1, RIJN_ERR_KEY_SIZE);
    REQUIRE(tag && (ad || !ad_size), RIJN_ERR_ARGUMENT);
    TRY(rijn_check_nonce(limits, nonce, nonce_size));
    TRY(rijn_check_tag_size(limits, key, tag_size));
    REQUIRE(within(size, limits->data) && within(ad_size, limits->ad), RIJN_ERR_SIZE);
    return rijn_check_apart(out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
}

/* Returns whether two tags (or keys) are equal, in constant time. The result is public. */
bool rijn_tags_equal(const uint8_t *a, const uint8_t *b, size_t size);

/* Zeroes out[0..size) after a wrong tag. Returns RIJN_ERR_TAG. */
rijn_status rijn_refuse_tag(uint8_t *out, size_t size);

/* Compares a tag. If it is wrong, zeroes out[0..size) and returns RIJN_ERR_TAG. */
rijn_status rijn_check_tag(const uint8_t *computed, const uint8_t *tag, size_t tag_size,
                           uint8_t *out, size_t size);

/* Stores the first `size` bytes of a tag, 1 to 16, and nothing on the stack. */
static inline void rijn_store_words(uint8_t *tag, size_t size, rijn_tag_words full)
{
    if (size == 16) {
        store_le64(tag, full.first);
        __asm__("" : : : "memory"); /* or gcc joins the stores, by way of the stack */
        store_le64(tag + 8, full.second);
    } else {
        store_part(tag, size, full.first, full.second);
    }
}

/* Is rijn_check_tag for a tag of 1 to 16 bytes, and leaves nothing on the stack. */
static inline rijn_status rijn_check_words(rijn_tag_words full, const uint8_t *tag, size_t tag_size,
                                           uint8_t *out, size_t size)
{
    uint64_t first, second, difference;

    if (tag_size == 16) {
        difference = (full.first ^ load_le64(tag)) | (full.second ^ load_le64(tag + 8));
    } else {
        load_part(&first, &second, tag, tag_size);
        first ^= full.first, second ^= full.second;
        difference = tag_size < 8    ? first << (64 - 8 * tag_size)
                     : tag_size == 8 ? first
                                     : first | second << (128 - 8 * tag_size);
    }
    const bool equal = !difference;
    RIJN_PUBLIC(&equal, sizeof equal);
    if (equal)
        return RIJN_OK;
#ifdef __OPTIMIZE_SIZE__ /* to align the stack for a call, gcc may push a register with a word of the tag */
    for (volatile uint8_t *byte = out; size; size--)
        *byte++ = 0;
#else
    rijn_wipe(out, size);
#endif
    return RIJN_ERR_TAG;
}

#endif
