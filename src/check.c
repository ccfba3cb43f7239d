#include "check.h"

#include "ct.h"

bool rijn_tags_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    unsigned difference = 0;

    for (size_t i = 0; i < size; i++)
        difference |= (unsigned)(a[i] ^ b[i]);
    RIJN_PUBLIC(&difference, sizeof difference);
    return difference == 0;
}

rijn_status rijn_check_tag(const uint8_t *got, const uint8_t *tag, size_t tag_size, uint8_t *out,
                           size_t size)
{
    if (rijn_tags_equal(got, tag, tag_size))
        return RIJN_OK;
    rijn_wipe(out, size);
    return RIJN_ERR_TAG;
}
