/* Checks that the public functions share across files. */
#ifndef RIJN_API_H
#define RIJN_API_H

#include <stdbool.h>

#include "rijn.h"

#define GCM_MAX_DATA ((UINT64_C(1) << 36) - 32) /* bytes, SP 800-38D section 5.2.1.1 */

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

/* size <= limit, also where size_t is narrower than the limit. */
static inline bool within(uint64_t size, uint64_t limit)
{
    return size <= limit;
}

/* Whether a[0..a_size) and b[0..b_size) share no byte. */
bool rijn_disjoint(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size);

/* RIJN_OK; RIJN_ERR_ARGUMENT for NULL with a size; RIJN_ERR_OVERLAP unless the
 * two are the same pointer or share no byte. */
rijn_status rijn_check_buffers(const uint8_t *out, const uint8_t *in, size_t size);

/* Whether two tags are equal, in constant time; the answer is public. */
bool rijn_tags_equal(const uint8_t *a, const uint8_t *b, size_t size);

/* RIJN_OK, RIJN_ERR_ARGUMENT for NULL, RIJN_ERR_STATE before rijn_key_init. */
rijn_status rijn_check_key(const rijn_key *key);

#endif
