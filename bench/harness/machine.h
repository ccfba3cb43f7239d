/* Describes the machine and the build. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

/* Returns the name of the CPU, from the CPU itself or from the system, or "unknown". */
const char *machine_cpu(void);

/* Returns "family-model-stepping" on x86, because a hypervisor may hide the name. Elsewhere "". */
const char *machine_cpu_id(void);

/* Returns the name of bit `index` of rijn_cpu(), "" if the CPU lacks that feature, or NULL after the
 * last bit. */
const char *machine_feature(int index);
const char *machine_architecture(void);
const char *machine_kernel(void);
int machine_cores(void);
const char *machine_compiler(void);
const char *machine_flags(void);

#endif
