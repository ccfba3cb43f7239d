/* The lists of backends and kernels, and the texts: backends.c, kernels.c and status.c.
 *
 * Assumptions: the build is for x86-64. Backend number i needs feature i of a processor that may have
 * any features. Names are the names in backends.def. */
#include <string.h>

#include "aegis/kernel.h"
#include "backends.h"
#include "contract.h"

#define ASSERT(condition, text) __CPROVER_assert(condition, text)

#define RIJN_BACKEND(where, id, its_name, timing, choice, kernels) \
    RIJN_IN_##where(RIJN_IF_##timing( \
        const rijn_backend rijn_backend_##id = {.name = rijn_name_##id, \
                                                .summary = "a backend", \
                                                .cpu = UINT64_C(1) << RIJN_INDEX_##id, \
                                                .automatic = RIJN_AUTOMATIC_##id, \
                                                .constant_time = RIJN_CONSTANT_TIME_##id};))
#include "backends.def"
#undef RIJN_BACKEND

static uint64_t features;

uint64_t rijn_cpu(void)
{
    return features;
}

const char *rijn_cpu_reason(uint64_t missing)
{
    return missing ? "a feature is missing" : "";
}

void prove_registry(void)
{
    features = nondet_uint64();
    const size_t index = nondet_size();
    rijn_backend_info info, *const backend_info = nondet_bool() ? &info : NULL;
    rijn_aegis_kernel_info described, *const kernel_info = nondet_bool() ? &described : NULL;

    rijn_status status = rijn_backend_at(index, backend_info);
    ASSERT((status == RIJN_OK) == (backend_info && index < rijn_backend_count()),
           "exactly the backends of the list");
    if (status == RIJN_OK) {
        ASSERT(!*info.reason == info.available, "a reason if it is not available");
        REACHED("a backend");
        status = rijn_use_backend(info.name);
        ASSERT(status == (info.available ? RIJN_OK : RIJN_ERR_UNAVAILABLE), "an available backend");
    }
    ASSERT(rijn_use_backend("no such") == RIJN_ERR_BACKEND, "an unknown name");
    ASSERT(rijn_use_backend(NULL) == RIJN_OK, "no name");

    status = rijn_aegis_kernel_at(index, kernel_info);
    ASSERT((status == RIJN_OK) == (kernel_info && index < rijn_aegis_kernel_count()),
           "exactly the kernels of the list");
    if (status == RIJN_OK) {
        ASSERT(!*described.reason == described.available, "a reason if it is not available");
        REACHED("a kernel");
    }
}

void prove_status_text(void)
{
    const rijn_status status = (rijn_status)nondet_int();
    const char *const text = rijn_status_text(status);

    ASSERT(text && __CPROVER_r_ok(text, 1) && *text, "a text for each value");
    ASSERT(*rijn_version() == '0', "a version");
    REACHED("the end");
}
