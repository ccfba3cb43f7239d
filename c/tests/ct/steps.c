#define _GNU_SOURCE /* REG_RIP */
#include "steps.h"

#include <cpuid.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { TRAP_FLAG = 0x100, MOST = 1 << 22 };

typedef struct {
    uintptr_t at;
    uint64_t operand; /* a hash of the registers that make its address and its mask */
} step;

static step *first; /* MOST entries */
static size_t first_count;

static volatile struct {
    bool stepping, comparing, differs;
    size_t count;
} watch;
static steps_fork fork_found;
static uint64_t unlike; /* a value that is never the same */

/* ---- Operands of an instruction ---- */

static const int registers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                  REG_R12, REG_R13, REG_R14, REG_R15};

/* Map, opcode, ModRM, and from the prefixes the bits that extend index and base, and the mask
 * register. */
typedef struct {
    int map, opcode, x, b, mask;
    bool vex, evex; /* vex: VEX or EVEX; evex: EVEX */
    const uint8_t *modrm;
} instruction;

/* Intel SDM volume 2, 2.1 to 2.3 and 2.7. */
static instruction decoded(const uint8_t *p)
{
    instruction i = {0};

    while (*p == 0x66 || *p == 0x67 || *p == 0xf2 || *p == 0xf3 || *p == 0x2e || *p == 0x36 ||
           *p == 0x3e || *p == 0x26 || *p == 0x64 || *p == 0x65)
        p++;
    if ((*p & 0xf0) == 0x40) {
        i.x = *p >> 1 & 1;
        i.b = *p & 1;
        p++;
    }
    i.evex = *p == 0x62;
    i.vex = *p == 0xc4 || *p == 0xc5 || i.evex;
    if (*p == 0xc5) {
        i.map = 1;
        p += 2;
    } else if (*p == 0xc4 || *p == 0x62) {
        i.map = p[1] & 7;
        i.x = !(p[1] >> 6 & 1);
        i.b = !(p[1] >> 5 & 1);
        i.mask = *p == 0x62 ? p[3] & 7 : 0;
        p += *p == 0x62 ? 4 : 3;
    } else if (*p == 0x0f) {
        i.map = p[1] == 0x38 ? 2 : p[1] == 0x3a ? 3 : 1;
        p += i.map == 1 ? 1 : 2;
    }
    i.opcode = p[0];
    i.modrm = p + 1;
    return i;
}

/* Returns true if a ModRM byte follows the opcode (SDM volume 2, appendix A). */
static bool has_modrm(const instruction *i)
{
    const int o = i->opcode;

    if (i->vex)
        return !(i->map == 1 && o == 0x77);
    switch (i->map) {
    case 0:
        return (o < 0x40 && (o & 7) < 4) || o == 0x63 || o == 0x69 || o == 0x6b ||
               (o >= 0x80 && o < 0x90) || o == 0xc0 || o == 0xc1 || o == 0xc6 || o == 0xc7 ||
               (o >= 0xd0 && o < 0xd4) || (o >= 0xd8 && o < 0xe0) || o == 0xf6 || o == 0xf7 ||
               o == 0xfe || o == 0xff;
    case 1:
        return !((o >= 0x05 && o <= 0x0b) || o == 0x0e || (o >= 0x30 && o <= 0x37) || o == 0x77 ||
                 (o >= 0x80 && o < 0x90) || (o >= 0xa0 && o <= 0xa2) || (o >= 0xa8 && o <= 0xaa) ||
                 (o >= 0xc8 && o <= 0xcf));
    default:
        return true;
    }
}

/* Returns true for instructions with addresses or masks in vector registers: VMASKMOV, VPMASKMOV,
 * gathers and scatters. */
static bool by_vector(const instruction *i)
{
    const int o = i->opcode;
    return i->vex && i->map == 2 &&
           ((!i->evex && ((o >= 0x2c && o <= 0x2f) || o == 0x8c || o == 0x8e)) ||
            (o >= 0x90 && o <= 0x93) || (o >= 0xa0 && o <= 0xa3));
}

/* Returns a mask register as the kernel saved it (SDM volume 1, 13.4 and 13.5.5). */
static uint64_t mask_register(const mcontext_t *m, int n)
{
    static unsigned offset;
    const uint8_t *area = (const uint8_t *)m->fpregs;
    uint64_t used, mask = 0;

    if (!offset) {
        unsigned size, c, d;
        if (!__get_cpuid_count(0xd, 5, &size, &offset, &c, &d) || !offset)
            abort();
    }
    memcpy(&used, area + 512, sizeof used);
    if (used >> 5 & 1)
        memcpy(&mask, area + offset + 8 * n, sizeof mask);
    return mask;
}

static uint64_t mixed(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t operand_of(const mcontext_t *m, const uint8_t *p)
{
    const instruction i = decoded(p);
    const greg_t *g = m->gregs;
    const int mod = i.modrm[0] >> 6, rm = i.modrm[0] & 7;
    uint64_t h = 1;

    if (!i.vex && i.map == 0 && i.opcode >= 0xa4 && i.opcode <= 0xaf && (i.opcode & ~1) != 0xa8) {
        const int strings = i.opcode & ~1; /* movs a4, cmps a6, stos aa, lods ac, scas ae */
        if (strings != 0xaa && strings != 0xae)
            h = mixed(h, (uint64_t)g[REG_RSI]);
        return strings == 0xac ? h : mixed(h, (uint64_t)g[REG_RDI]);
    }
    if (!has_modrm(&i) || mod == 3)
        return h;
    if (!i.vex && ((i.map == 0 && i.opcode == 0x8d) || (i.map == 1 && i.opcode == 0x1f)))
        return h; /* lea, nop */
    if (by_vector(&i))
        return mixed(h, ++unlike);
    if (i.mask)
        h = mixed(h, mask_register(m, i.mask));
    if (rm == 4) {
        const int base = i.modrm[1] & 7, index = (i.modrm[1] >> 3 & 7) | i.x << 3;
        if (base != 5 || mod != 0)
            h = mixed(h, (uint64_t)g[registers[base | i.b << 3]]);
        if (index != 4)
            h = mixed(h, (uint64_t)g[registers[index]]);
    } else if (rm != 5 || mod != 0) {
        h = mixed(h, (uint64_t)g[registers[rm | i.b << 3]]);
    }
    return h;
}

/* ---- Stepping ---- */

extern const char __executable_start;

static uintptr_t in_program(uintptr_t at)
{
    return at - (uintptr_t)&__executable_start;
}

static void note(const mcontext_t *m)
{
    const uintptr_t at = (uintptr_t)m->gregs[REG_RIP];
    const step now = {at, operand_of(m, (const uint8_t *)at)};
    const size_t n = watch.count;

    if (n >= MOST)
        abort();
    if (!watch.comparing) {
        first[n] = now;
    } else if (!watch.differs &&
               (n >= first_count || first[n].at != at || first[n].operand != now.operand)) {
        watch.differs = true;
        fork_found = (steps_fork){n ? in_program(first[n - 1].at) : 0,
                                  n < first_count ? in_program(first[n].at) : 0, in_program(at)};
    }
    watch.count = n + 1;
}

static void trap(int signal, siginfo_t *info, void *memory)
{
    mcontext_t *m = &((ucontext_t *)memory)->uc_mcontext;

    (void)signal, (void)info;
    if (watch.stepping) {
        note(m);
        m->gregs[REG_EFL] |= TRAP_FLAG;
    } else {
        m->gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    }
}

/* One function for both kinds of runs. Otherwise clang inlines it, and another instruction follows
 * `raise` in each copy. */
__attribute__((noinline)) static void run_stepping(void (*run)(void))
{
    struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO}, before;

    if (sigaction(SIGTRAP, &action, &before) != 0)
        abort();
    watch.count = 0;
    watch.stepping = true;
    raise(SIGTRAP); /* after the handler returns, every instruction traps */
    run();
    watch.stepping = false;
    raise(SIGTRAP);
    sigaction(SIGTRAP, &before, NULL);
}

void steps_first(void (*run)(void))
{
    if (!first && !(first = malloc(MOST * sizeof *first)))
        abort();
    watch.comparing = false;
    run_stepping(run);
    first_count = watch.count;
}

bool steps_again(void (*run)(void))
{
    watch.comparing = true;
    watch.differs = false;
    run_stepping(run);
    return !watch.differs && watch.count == first_count;
}

size_t steps_count(void)
{
    return watch.count;
}

steps_fork steps_difference(void)
{
    return fork_found;
}
