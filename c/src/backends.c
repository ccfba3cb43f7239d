/* The registry: the backends of this build, and the choice of one for a key. */
#include "backends.h"

#include <stdatomic.h>
#include <string.h>
#if RIJN_HOSTED
#include <stdlib.h>
#if defined(__linux__)
#include <sys/auxv.h>
#elif defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif
#endif

#include "cpu.h"

const rijn_backend *const rijn_registry[] = {
#define RIJN_BACKEND(where, id, name, timing, choice, kernels) \
    RIJN_IN_##where(RIJN_IF_##timing(&rijn_backend_##id, ))
#include "backends.def"
#undef RIJN_BACKEND
};
const size_t rijn_registry_size = sizeof rijn_registry / sizeof rijn_registry[0];

static uint64_t missing_features(const rijn_backend *backend, uint64_t cpu)
{
    return backend->cpu & ~cpu;
}

static bool is_automatic(const rijn_backend *backend, uint64_t cpu)
{
    return backend->automatic && !(backend->avoid & cpu);
}

void rijn_backend_describe(const rijn_backend *backend, uint64_t cpu, rijn_backend_info *info)
{
    info->name = backend->name;
    info->summary = backend->summary;
    info->reason = rijn_cpu_reason(missing_features(backend, cpu));
    info->available = !missing_features(backend, cpu);
    info->constant_time = backend->constant_time;
    info->automatic = is_automatic(backend, cpu);
    info->blocks = backend->blocks;
}

rijn_status rijn_backend_choose(const rijn_backend *const backends[], size_t count, uint64_t cpu,
                                const char *name, const rijn_backend **found)
{
    *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const bool runs = !missing_features(backends[i], cpu);
        if (name ? same_name(backends[i]->name, name) : runs && is_automatic(backends[i], cpu)) {
            *found = backends[i];
            return runs ? RIJN_OK : RIJN_ERR_UNAVAILABLE;
        }
    }
    return name ? RIJN_ERR_BACKEND : RIJN_ERR_UNAVAILABLE;
}

/* Chooses among all backends of the build, for this machine. */
static rijn_status choose(const char *name, const rijn_backend **found)
{
    return rijn_backend_choose(rijn_registry, rijn_registry_size, rijn_cpu(), name, found);
}

#if RIJN_HOSTED

/* Returns whether the process has more rights than its caller. The caller sets the environment, so
 * it is ignored then. */
static bool has_more_rights(void)
{
#if defined(__linux__)
    return getauxval(AT_SECURE) != 0;
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
    return issetugid() != 0;
#elif defined(__unix__)
    return getuid() != geteuid() || getgid() != getegid();
#else
    return false;
#endif
}

const char *rijn_environment(void)
{
    const char *const value = has_more_rights() ? NULL : getenv("RIJN_BACKEND");
    return value ? value : "";
}

#endif

/* Finds the backend that RIJN_BACKEND names, or NULL. The variable is read once. Threads that do
 * this at the same time store the same values. */
static rijn_status find_by_environment(const rijn_backend **found)
{
#if RIJN_HOSTED
    static _Atomic(const rijn_backend *) remembered;
    static _Atomic int state; /* 0: not read; else 1 + the status */
    int known = atomic_load_explicit(&state, memory_order_acquire);

    if (!known) {
        const char *const name = rijn_environment();
        const rijn_backend *backend = NULL;
        rijn_status status = *name ? choose(name, &backend) : RIJN_OK;
        if (backend && !backend->constant_time)
            status = RIJN_ERR_ENVIRONMENT;
        known = 1 + (int)status;
        atomic_store_explicit(&remembered, backend, memory_order_relaxed);
        atomic_store_explicit(&state, known, memory_order_release);
    }
    *found = atomic_load_explicit(&remembered, memory_order_relaxed);
    return (rijn_status)(known - 1);
#else
    *found = NULL;
    return RIJN_OK;
#endif
}

/* The backend of rijn_use_backend, or NULL. It is not static, because a module that MicroPython's
 * mpy_ld.py links finds memory only by global names. */
extern _Atomic(const rijn_backend *) rijn_chosen_backend;
_Atomic(const rijn_backend *) rijn_chosen_backend;

rijn_status rijn_backend_find(const char *name, const rijn_backend **found)
{
    rijn_status status;

    if (name)
        return choose(name, found);
    *found = atomic_load_explicit(&rijn_chosen_backend, memory_order_relaxed);
    if (*found)
        return RIJN_OK;
    status = find_by_environment(found);
    /* A build with all backends always finds one: the last automatic backend runs on any CPU. */
    if (status == RIJN_OK && !*found)
        return choose(NULL, found);
    return status;
}

rijn_status rijn_use_backend(const char *name)
{
    const rijn_backend *backend = NULL;
    rijn_status status = name ? choose(name, &backend) : RIJN_OK;

    if (status == RIJN_OK)
        atomic_store_explicit(&rijn_chosen_backend, backend, memory_order_relaxed);
    return status;
}

size_t rijn_backend_count(void)
{
    return rijn_registry_size;
}

rijn_status rijn_backend_at(size_t index, rijn_backend_info *info)
{
    if (index >= rijn_registry_size || !info)
        return RIJN_ERR_ARGUMENT;
    rijn_backend_describe(rijn_registry[index], rijn_cpu(), info);
    return RIJN_OK;
}

size_t rijn_backend_names(char *names, size_t size)
{
    size_t needed = 0;

    /* After each name comes one byte: the space before the next name, or the NUL. */
    for (size_t i = 0; i < rijn_registry_size; i++)
        needed += strlen(rijn_registry[i]->name) +
                  (missing_features(rijn_registry[i], rijn_cpu()) ? 2 : 0) + 1;
    if (needed > size || !names)
        return needed;
    for (size_t i = 0; i < rijn_registry_size; i++) {
        const size_t length = strlen(rijn_registry[i]->name);
        const int absent = missing_features(rijn_registry[i], rijn_cpu()) != 0;
        if (absent)
            *names++ = '(';
        memcpy(names, rijn_registry[i]->name, length);
        names += length;
        if (absent)
            *names++ = ')';
        *names++ = i + 1 < rijn_registry_size ? ' ' : '\0';
    }
    return needed;
}
