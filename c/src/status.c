/* What the library says of itself in words: its version, and a text for each status. */
#include "rijn.h"

const char *rijn_version(void)
{
    return RIJN_VERSION;
}

const char *rijn_status_text(rijn_status status)
{
    static const char *const texts[] = {
        [RIJN_OK] = "success",
        [RIJN_ERR_ARGUMENT] = "a required pointer is NULL, or a parameter has no such value",
        [RIJN_ERR_KEY_SIZE] = "the key has not one of the sizes of the mode",
        [RIJN_ERR_NONCE_SIZE] = "the nonce is too short or too long for the mode",
        [RIJN_ERR_TAG_SIZE] =
            "the tag has not one of the sizes of the mode, or is short without leave",
        [RIJN_ERR_SIZE] = "the data are no whole number of blocks, or too long for the mode",
        [RIJN_ERR_OVERLAP] = "buffers overlap that must lie apart",
        [RIJN_ERR_PADDING] = "the padding is malformed",
        [RIJN_ERR_TAG] = "authentication failed",
        [RIJN_ERR_BACKEND] = "no backend has that name",
        [RIJN_ERR_UNAVAILABLE] = "that backend, or every one of this build, cannot run here",
        [RIJN_ERR_STATE] = "the key or state is not initialised, or the calls are out of order",
        [RIJN_ERR_EQUAL_HALVES] = "the two halves of the key are equal",
        [RIJN_ERR_ENVIRONMENT] =
            "RIJN_BACKEND names a backend that is not constant time: ask for it in the call",
        [RIJN_ERR_RANDOM] = "the operating system gives no random bytes",
    };
    const size_t index = (size_t)status;
    return index < sizeof texts / sizeof texts[0] ? texts[index] : "unknown status";
}
