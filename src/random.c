/* Random bytes: getentropy where there is one (Linux, the BSDs, macOS, Emscripten, WASI),
 * RtlGenRandom on Windows. Neither returns before the system's generator has been seeded,
 * and neither needs a file that may be missing. */
#define _DEFAULT_SOURCE /* getentropy, of glibc and musl */
#define _DARWIN_C_SOURCE

#include "random.h"

#include "build.h"

#if !RIJN_HOSTED

rijn_status rijn_random(uint8_t *out, size_t size)
{
    (void)out, (void)size;
    return RIJN_ERR_RANDOM;
}

#elif defined(_WIN32)

#include <windows.h>

#define RtlGenRandom SystemFunction036 /* as ntsecapi.h has it */
BOOLEAN NTAPI RtlGenRandom(PVOID buffer, ULONG size);

rijn_status rijn_random(uint8_t *out, size_t size)
{
    return RtlGenRandom(out, (ULONG)size) ? RIJN_OK : RIJN_ERR_RANDOM;
}

#else

#include <unistd.h>
#if defined(__APPLE__) || defined(__EMSCRIPTEN__)
#include <sys/random.h>
#endif

rijn_status rijn_random(uint8_t *out, size_t size)
{
    return getentropy(out, size) == 0 ? RIJN_OK : RIJN_ERR_RANDOM;
}

#endif
