/* With the CPU's trap flag, the kernel sends SIGTRAP after each instruction, and the handler reads the
 * next instruction. That takes 2 to 20 us an instruction, so only the start of one message is
 * watched. */
#include "instructions.h"

#include <string.h>

#if defined(__x86_64__) && defined(__linux__)

#  include <signal.h>
#  include <ucontext.h>

enum { TRAP_FLAG = 0x100 };

/* A later kind replaces an earlier one. */
enum { NONE, AESNI, AESNI_AVX, VAES256, VAES512 };

static struct {
    bool stepping;
    int seen, left;
} watch;

/* The last opcode byte of AESENC, AESENCLAST, AESDEC and AESDECLAST, in every encoding. */
static bool is_aes(uint8_t opcode)
{
    return opcode >= 0xdc && opcode <= 0xdf;
}

/* Returns the kind of the instruction at p. It reads no byte beyond the instruction. Encodings (Intel
 * SDM volume 2, 2.2.1, 2.3.5, 2.7.1): 66 [REX] 0F 38 opcode; C4 with map 2, opcode, and bit L for
 * 256 bits; 62 with map 2, opcode. */
static int kind_at(const uint8_t *p)
{
    if (p[0] == 0x62)
        return (p[1] & 7) == 2 && (p[2] & 3) == 1 && is_aes(p[4]) ? VAES512 : NONE;
    if (p[0] == 0xc4) {
        if ((p[1] & 31) != 2 || (p[2] & 3) != 1 || !is_aes(p[3]))
            return NONE;
        return p[2] >> 2 & 1 ? VAES256 : AESNI_AVX;
    }
    if (p[0] != 0x66)
        return NONE;
    p += (p[1] & 0xf0) == 0x40;
    return p[1] == 0x0f && p[2] == 0x38 && is_aes(p[3]) ? AESNI : NONE;
}

static void step(int signal, siginfo_t *info, void *memory)
{
    greg_t *registers = ((ucontext_t *)memory)->uc_mcontext.gregs;
    const uint8_t *next = (const uint8_t *)(uintptr_t)registers[REG_RIP];

    (void)signal, (void)info;
    if (watch.stepping && watch.left > 0) {
        const int kind = kind_at(next);
        watch.left--;
        if (kind > watch.seen)
            watch.seen = kind;
        registers[REG_EFL] |= TRAP_FLAG;
    } else {
        registers[REG_EFL] &= ~TRAP_FLAG;
    }
}

/* Runs one message step by step, or none, for at most `steps` instructions. Returns false if that is
 * impossible. */
static bool step_through(const runner *r, const track *tr, bool message, int steps)
{
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO}, before;
    const lane *l = &tr->lanes[0];

    if (sigaction(SIGTRAP, &action, &before) != 0)
        return false;
    watch.seen = NONE;
    watch.left = steps;
    watch.stepping = true;
    raise(SIGTRAP); /* stepping starts when the handler returns */
    if (message && tr->task.operation == REKEY)
        r->by->rekey(r->states[0], tr->key);
    else if (message)
        r->by->run(r->states[0], tr->nonce, l->out, l->in, tr->task.size);
    watch.stepping = false;
    raise(SIGTRAP); /* clears the flag, if it is still set */
    sigaction(SIGTRAP, &before, NULL);
    return true;
}

static const char *watched(const runner *r, const track *tr)
{
    static const char *const names[] = {"", "aesni", "aesni-avx", "vaes256", "vaes512"};

    return step_through(r, tr, true, STEPS) ? names[watch.seen] : NULL;
}

long steps_of(const runner *r, const track *tr)
{
    int around;

    if (!step_through(r, tr, false, MOST_STEPS))
        return -1;
    around = watch.left;
    return step_through(r, tr, true, MOST_STEPS) && watch.left > 0 ? around - watch.left : -1;
}

#else

static const char *watched(const runner *r, const track *tr)
{
    (void)r, (void)tr;
    return NULL;
}

long steps_of(const runner *r, const track *tr)
{
    (void)r, (void)tr;
    return -1;
}

#endif

const char *instructions_of(const runner *r, const track *tr)
{
    static const char own[] = "rijn/";
    const size_t n = sizeof own - 1;

    return strncmp(r->by->name, own, n) == 0 ? r->by->name + n : watched(r, tr);
}
