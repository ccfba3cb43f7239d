/* The machine and the build, in words. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

/* The CPU's own name for itself, or the system's; "unknown" at worst. */
const char *machine_cpu(void);

/* "family-model-stepping" on x86, as a hypervisor may hide the name; else "". */
const char *machine_cpu_id(void);

/* The name of bit `index` of rijn_cpu() if the CPU has it; NULL past the last;
 * "" for one that it lacks. */
const char *machine_feature(int index);
const char *machine_architecture(void);
const char *machine_kernel(void);
int machine_cores(void);
const char *machine_compiler(void);
const char *machine_flags(void);

#endif
