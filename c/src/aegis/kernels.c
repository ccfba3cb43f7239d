/* The list of AEGIS kernels in this build, and the choice of a key's kernel. */
#include "../build.h"

#if RIJN_WITH_AEGIS

#include <string.h>

#include "../api.h"
#include "../backends.h"
#include "../cpu.h"
#include "kernel.h"

#define CODE(name) extern const rijn_aegis_code rijn_aegis_code_##name[RIJN_AEGIS_VARIANTS];
CODE(vaes512)
CODE(vaes256)
CODE(aesni_avx512vl)
CODE(aesni_avx)
CODE(aesni_sse)
CODE(avx512)
CODE(avx2)
CODE(ssse3)
CODE(armce_sha3)
CODE(armce_neon)
CODE(neon)
CODE(riscv_zvkned)
CODE(riscv_zkn)
CODE(simd128)
CODE(fixslice64)
CODE(fixslice32)
CODE(table)
#undef CODE

/* KERNELS_x: the kernels of a backend that names x in backends.def, in order of preference. The last
 * one requires no more than the backend. A backend's only kernel has the backend's name. */

#define ONLY(id, its_name, its_summary, its_code) \
    {.name = its_name, \
     .backend = &rijn_backend_##id, \
     .summary = its_summary, \
     .code = rijn_aegis_code_##its_code},

#define KERNELS_vaes512(id, public) ONLY(id, public, "VAES on registers of up to 512 bits", vaes512)

#define KERNELS_vaes256(id, public) ONLY(id, public, "VAES on registers of 256 bits", vaes256)

#define KERNELS_aesni_avx(id, public) \
    {.name = "aesni-avx512vl", \
     .backend = &rijn_backend_##id, \
     .summary = "AES-NI, with the logic of AVX-512VL", \
     .cpu = RIJN_CPU(AVX2) | RIJN_CPU(AVX512F) | RIJN_CPU(AVX512VL) | RIJN_CPU(AVX512DQ), \
     .code = rijn_aegis_code_aesni_avx512vl}, \
        {.name = "aesni-avx128", \
         .backend = &rijn_backend_##id, \
         .summary = "AES-NI, in the encoding of AVX", \
         .code = rijn_aegis_code_aesni_avx},

#define KERNELS_aesni_sse(id, public) ONLY(id, public, "AES-NI, in the encoding of SSE", aesni_sse)

#define KERNELS_avx512(id, public) \
    ONLY(id, public, "permutations of bytes on registers of up to 512 bits", avx512)

#define KERNELS_avx2(id, public) \
    ONLY(id, public, "permutations of bytes on registers of 256 bits", avx2)

#define KERNELS_ssse3(id, public) \
    ONLY(id, public, "permutations of bytes on registers of 128 bits", ssse3)

#define KERNELS_armce(id, public) \
    {.name = "armce-sha3", \
     .backend = &rijn_backend_##id, \
     .summary = "Arm's AES instructions, and the EOR3 of those for SHA-3", \
     .cpu = RIJN_CPU(SHA3), \
     .code = rijn_aegis_code_armce_sha3}, \
        {.name = "armce-neon", \
         .backend = &rijn_backend_##id, \
         .summary = "Arm's AES instructions", \
         .code = rijn_aegis_code_armce_neon},

#define KERNELS_neon(id, public) \
    ONLY(id, public, "permutations of bytes on registers of 128 bits", neon)

#define KERNELS_riscv_zvkned(id, public) \
    ONLY(id, public, "RISC-V's vector AES instructions", riscv_zvkned)

#define KERNELS_riscv_zkn(id, public) \
    ONLY(id, public, "RISC-V's scalar AES instructions", riscv_zkn)

#define KERNELS_simd128(id, public) ONLY(id, public, "permutations of bytes on 128 bits", simd128)

#define KERNELS_fixslice64(id, public) ONLY(id, public, "bit planes of 64-bit words", fixslice64)

#define KERNELS_fixslice32(id, public) ONLY(id, public, "bit planes of 32-bit words", fixslice32)

#define KERNELS_table(id, public) ONLY(id, public, "tables of 32-bit entries", table)

const rijn_aegis_kernel rijn_aegis_kernels[] = {
#define RIJN_BACKEND(where, id, name, timing, choice, kernels) \
    RIJN_IN_##where(RIJN_IF_##timing(KERNELS_##kernels(id, name)))
#include "../backends.def"
#undef RIJN_BACKEND
};
const size_t rijn_aegis_kernels_size = sizeof rijn_aegis_kernels / sizeof rijn_aegis_kernels[0];

static uint64_t lacks(const rijn_aegis_kernel *kernel, uint64_t cpu)
{
    return (kernel->cpu | kernel->backend->cpu) & ~cpu;
}

const rijn_aegis_kernel *rijn_aegis_kernel_best(const rijn_aegis_kernel kernels[], size_t count,
                                                const rijn_backend *backend, uint64_t cpu)
{
    for (size_t i = 0; i < count; i++)
        if (kernels[i].backend == backend && !lacks(&kernels[i], cpu) && !(kernels[i].avoid & cpu))
            return &kernels[i];
    return NULL;
}

rijn_status rijn_aegis_kernel_find(const char *name, const rijn_aegis_kernel **found)
{
    const rijn_backend *backend;
    const rijn_status status = rijn_backend_find(name, &backend);

    if (status == RIJN_OK) {
        *found = rijn_aegis_kernel_best(rijn_aegis_kernels, rijn_aegis_kernels_size, backend,
                                        rijn_cpu());
        return *found ? RIJN_OK : RIJN_ERR_UNAVAILABLE;
    }
    if (status != RIJN_ERR_BACKEND || !name)
        return status;
    for (size_t i = 0; i < rijn_aegis_kernels_size; i++) {
        if (same_name(rijn_aegis_kernels[i].name, name)) {
            *found = &rijn_aegis_kernels[i];
            return lacks(*found, rijn_cpu()) ? RIJN_ERR_UNAVAILABLE : RIJN_OK;
        }
    }
    return RIJN_ERR_BACKEND;
}

size_t rijn_aegis_kernel_count(void)
{
    return rijn_aegis_kernels_size;
}

rijn_status rijn_aegis_kernel_at(size_t index, rijn_aegis_kernel_info *info)
{
    REQUIRE(index < rijn_aegis_kernels_size && info, RIJN_ERR_ARGUMENT);

    const rijn_aegis_kernel *const kernel = &rijn_aegis_kernels[index];
    info->name = kernel->name;
    info->backend = kernel->backend->name;
    info->summary = kernel->summary;
    info->reason = rijn_cpu_reason(lacks(kernel, rijn_cpu()));
    info->available = !lacks(kernel, rijn_cpu());
    return RIJN_OK;
}

#endif
