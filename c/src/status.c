/* The version of the library, and a text for each status. */
#include "rijn.h"

const char *rijn_version(void)
{
    return RIJN_VERSION;
}

const char *rijn_status_text(rijn_status status)
{
    static const char *const texts[] = {
        [RIJN_OK] = "success",
        [RIJN_ERR_ARGUMENT] = "a required pointer is NULL, or an argument has an invalid value",
        [RIJN_ERR_KEY_SIZE] = "the mode does not allow keys of this size",
        [RIJN_ERR_NONCE_SIZE] = "the nonce is too short or too long for the mode",
        [RIJN_ERR_TAG_SIZE] =
            "the mode does not allow such tags; short ones need rijn_key_allow_short_tags",
        [RIJN_ERR_SIZE] = "the size is not a whole number of blocks, or beyond the mode's limits",
        [RIJN_ERR_OVERLAP] = "buffers overlap that must be separate",
        [RIJN_ERR_PADDING] = "the padding is malformed",
        [RIJN_ERR_TAG] = "authentication failed",
        [RIJN_ERR_BACKEND] = "unknown backend name",
        [RIJN_ERR_UNAVAILABLE] =
            "the backend, or every backend of this build, cannot run on this machine",
        [RIJN_ERR_STATE] = "the key or state is not initialized, or the calls are out of order",
        [RIJN_ERR_EQUAL_HALVES] = "the two halves of the key are equal",
        [RIJN_ERR_ENVIRONMENT] =
            "RIJN_BACKEND names a backend that is not constant time; name it in the call instead",
        [RIJN_ERR_RANDOM] = "the operating system did not return random bytes",
    };
    const size_t index = (size_t)status;
    return index < sizeof texts / sizeof texts[0] ? texts[index] : "unknown status";
}
