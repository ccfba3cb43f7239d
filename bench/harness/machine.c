#include "machine.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "rijn_machine.h"

#if defined(__x86_64__) || defined(__i386__)

#  include <cpuid.h>

/* Intel SDM volume 2, CPUID: leaves 0x80000002 to 0x80000004 are 48 characters. */
const char *machine_cpu(void)
{
    static uint32_t brand[13];
    const char *name = (const char *)brand;

    for (unsigned i = 0; i < 3; i++)
        if (!__get_cpuid(0x80000002u + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2],
                         &brand[4 * i + 3]))
            return "unknown";
    return name + strspn(name, " ");
}

/* Leaf 1, EAX: the extended family is added for family 15, the extended model for families 6 and
 * 15. */
const char *machine_cpu_id(void)
{
    static char id[32];
    unsigned a = 0, b, c, d, family, model;

    __get_cpuid(1, &a, &b, &c, &d);
    family = a >> 8 & 15;
    model = a >> 4 & 15;
    if (family == 6 || family == 15)
        model += a >> 12 & 0xf0;
    if (family == 15)
        family += a >> 20 & 0xff;
    snprintf(id, sizeof id, "%u-%u-%u", family, model, a & 15);
    return id;
}

#else

const char *machine_cpu(void)
{
    static char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    const char *name = NULL;

    while (f && !name && fgets(line, sizeof line, f))
        if (strncmp(line, "model name", 10) == 0 || strncmp(line, "Model", 5) == 0)
            name = strchr(line, ':');
    if (f)
        fclose(f);
    if (!name)
        return "unknown";
    line[strcspn(line, "\n")] = 0;
    return name + 1 + strspn(name + 1, " ");
}

const char *machine_cpu_id(void)
{
    return "";
}

#endif

const char *machine_feature(int index)
{
#define FLAG(feature, name, flag) flag,
    static const char *const names[] = {RIJN_CPU_EACH(FLAG)};
#undef FLAG
    if (index >= RIJN_CPU_BITS)
        return NULL;
    return rijn_cpu() >> index & 1 ? names[index] : "";
}

static const struct utsname *system_name(void)
{
    static struct utsname name;
    uname(&name);
    return &name;
}

const char *machine_architecture(void)
{
    return system_name()->machine;
}

const char *machine_kernel(void)
{
    static char kernel[140];
    snprintf(kernel, sizeof kernel, "%.64s %.64s", system_name()->sysname, system_name()->release);
    return kernel;
}

int machine_cores(void)
{
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return CPU_COUNT(&allowed);
#endif
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

const char *machine_compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "unknown";
#endif
}

const char *machine_flags(void)
{
    return BENCH_FLAGS;
}
