/* Random bytes from the system: getentropy on the BSDs, macOS, Emscripten and WASI, the system call
 * getrandom on Linux (glibc has getentropy only since 2.25), and RtlGenRandom on Windows. None of
 * them returns before the system's generator is seeded, and none needs a file that may be
 * missing. */
#define _DEFAULT_SOURCE /* syscall, of glibc and musl */
#define _BSD_SOURCE     /* the same before glibc 2.19 */
#define _DARWIN_C_SOURCE

#include "rijn_machine.h"

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

#elif defined(__linux__)

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_getrandom
#error "random bytes need getrandom, of Linux 3.17, in the headers of the kernel"
#endif

/* Signals interrupt getrandom only before the generator is seeded. After that it returns up to 256
 * bytes in one piece. */
rijn_status rijn_random(uint8_t *out, size_t size)
{
    long filled;
    do {
        filled = syscall(SYS_getrandom, out, size, 0u);
    } while (filled < 0 && errno == EINTR);
    return filled == (long)size ? RIJN_OK : RIJN_ERR_RANDOM;
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
