/* Finds the features of a CPU (rijn_machine.h) from reports of the CPU or the operating system. */
#ifndef RIJN_CPU_H
#define RIJN_CPU_H

#include "rijn_machine.h"

/* The width of its registers. Pointers may be narrower (x32, wasm32). */
#if defined(__SIZEOF_INT128__) || defined(_WIN64)
#define RIJN_WORD_BITS 64
#else
#define RIJN_WORD_BITS 32
#endif

/* Reports of an x86 CPU: about itself (Intel SDM volume 2, CPUID), and about its operating system
 * (volume 1 section 13.3). */
typedef struct rijn_cpuid {
    uint32_t max_leaf;  /* leaf 0 EAX */
    uint32_t vendor;    /* leaf 0 EBX, the first four letters */
    uint32_t leaf1_eax; /* family, model and stepping */
    uint32_t leaf1_ecx;
    uint32_t leaf1_edx;
    uint32_t leaf7_ebx; /* subleaf 0; ignored if max_leaf is less than 7 */
    uint32_t leaf7_ecx;
    uint32_t xcr0; /* low word; ignored without OSXSAVE, leaf 1 ECX bit 27 */
} rijn_cpuid;

/* Return the features that these values report. They work on any machine. Arm: Linux's AT_HWCAP,
 * and for 32-bit Arm also AT_HWCAP2. RISC-V: the value of riscv_hwprobe's key IMA_EXT_0, and
 * AT_HWCAP. */
uint64_t rijn_cpu_x86(const rijn_cpuid *words);
uint64_t rijn_cpu_arm64(uint64_t hwcap);
uint64_t rijn_cpu_arm32(uint64_t hwcap, uint64_t hwcap2);
uint64_t rijn_cpu_riscv(uint64_t extensions, uint64_t hwcap);

#endif
