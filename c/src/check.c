#include "check.h"

#include "bytes.h"
#include "ct.h"

bool rijn_tags_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t difference = 0;
    size_t i = 0;

    for (; size - i >= 8; i += 8) {
        difference |= load_le64(a + i) ^ load_le64(b + i);
        __asm__("" : "+r"(difference)); /* no vectors: testing one for zero takes longer */
    }
    for (; i < size; i++)
        difference |= (uint64_t)(a[i] ^ b[i]);
    RIJN_PUBLIC(&difference, sizeof difference);
    return difference == 0;
}

rijn_status rijn_check_copy(const rijn_key *key, const rijn_key *original)
{
    TRY(rijn_check_key(key));
    REQUIRE(key == original ||
                (key->backend == original->backend && key->size == original->size &&
                 rijn_tags_equal((const uint8_t *)key->context, (const uint8_t *)original->context,
                                 sizeof key->context)),
            RIJN_ERR_STATE);
    return RIJN_OK;
}

rijn_status rijn_refuse_tag(uint8_t *out, size_t size)
{
    rijn_wipe(out, size);
    return RIJN_ERR_TAG;
}

rijn_status rijn_check_tag(const uint8_t *computed, const uint8_t *tag, size_t tag_size,
                           uint8_t *out, size_t size)
{
    return rijn_tags_equal(computed, tag, tag_size) ? RIJN_OK : rijn_refuse_tag(out, size);
}
