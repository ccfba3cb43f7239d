/* How the features of a CPU (rijn_machine.h) follow from what it or its operating system says. */
#ifndef RIJN_CPU_H
#define RIJN_CPU_H

#include "rijn_machine.h"

/* How wide its registers are, whatever its pointers (x32, wasm32). */
#if defined(__SIZEOF_INT128__) || defined(_WIN64)
#define RIJN_WORD_BITS 64
#else
#define RIJN_WORD_BITS 32
#endif

/* What an x86 CPU says of itself, Intel SDM volume 2, CPUID, and of its operating
 * system, volume 1 section 13.3. */
typedef struct rijn_cpuid {
    uint32_t max_leaf;  /* leaf 0 EAX */
    uint32_t vendor;    /* leaf 0 EBX, the first four letters */
    uint32_t leaf1_eax; /* family, model and stepping */
    uint32_t leaf1_ecx;
    uint32_t leaf1_edx;
    uint32_t leaf7_ebx; /* subleaf 0; counts only where max_leaf is 7 or more */
    uint32_t leaf7_ecx;
    uint32_t xcr0; /* low word; counts only with OSXSAVE, leaf 1 ECX bit 27 */
} rijn_cpuid;

/* The features that follow from what was read, the same on any machine. Arm: Linux's
 * AT_HWCAP and, where 32-bit Arm has some of them, AT_HWCAP2. RISC-V: the value of
 * riscv_hwprobe's key IMA_EXT_0, and AT_HWCAP. */
uint64_t rijn_cpu_x86(const rijn_cpuid *words);
uint64_t rijn_cpu_arm64(uint64_t hwcap);
uint64_t rijn_cpu_arm32(uint64_t hwcap, uint64_t hwcap2);
uint64_t rijn_cpu_riscv(uint64_t extensions, uint64_t hwcap);

#endif
