/* Runs single instructions on this processor, for compare.py. x86-64 with AVX, Linux. Registers
 * and masks of AVX-512 are loaded if the processor has them.
 *
 * Reads jobs from standard input: the code of an instruction, padded with NOPs, a number of states, and
 * the states. Writes each state as the instruction left it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Addresses below 2^31. compare.py and compare.S have the same. */
#define SLOT 0x21000400
#define STATE 0x22000000
#define MEMORY 0x23000000

typedef struct {
    uint64_t general[16]; /* in the order of their encoding: rax, rcx, rdx, rbx, rsp, rbp, … */
    uint64_t flags;
    uint64_t taken; /* 1 after a branch to the template's `taken`; 256 + the number of a signal */
    uint8_t memory[256];
    uint64_t masks[8];
    uint8_t vectors[32][64];
} state;

typedef struct {
    uint8_t code[16];
    uint64_t states;
} job;

/* A template in compare.S: its code, and places in it. */
#define TEMPLATE(name) \
    extern const uint8_t name[], name##_slot[], name##_taken[], name##_end[]; \
    static const template name##_places = {name, name##_slot, name##_taken, name##_end}

typedef struct {
    const uint8_t *start, *slot, *taken, *end;
} template;

TEMPLATE(avx);
TEMPLATE(avx512);

/* Maps zeros at a fixed address. */
static uint8_t *mapped(uintptr_t address, size_t size, int protection)
{
    void *wanted = (void *)address;
    void *found =
        mmap(wanted, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    return found == wanted ? found : NULL;
}

static sigjmp_buf stopped;

static void on_signal(int number)
{
    siglongjmp(stopped, number);
}

/* Catches the signals of an instruction. Its stack pointer can be any number. */
static int catch_signals(void)
{
    static uint8_t memory[1 << 16];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    const int signals[] = {SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGTRAP};

    if (sigaltstack(&stack, NULL))
        return -1;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], &action, NULL))
            return -1;
    return 0;
}

static void run_once(void (*run)(void), state *s)
{
    const int number = sigsetjmp(stopped, 1);

    if (number)
        s->taken = 256 + (uint64_t)number;
    else
        run();
}

int main(void)
{
    const bool wide = __builtin_cpu_supports("avx512bw");
    const template *t = wide ? &avx512_places : &avx_places;
    const size_t before = (size_t)(t->slot - t->start);
    const size_t size = (size_t)(t->end - t->start);
    const uint64_t greeting[] = {(uint64_t)(t->taken - t->slot) + SLOT, wide};
    uint8_t *code = mapped(SLOT & ~0xFFF, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    uint8_t *memory = mapped(MEMORY, 4096, PROT_READ | PROT_WRITE);
    uint8_t *data = mapped(STATE, 8192, PROT_READ | PROT_WRITE);
    state *s = (state *)data;
    void (*run)(void);
    job j;

    if (!code || !memory || !data || before > (SLOT & 0xFFF) || catch_signals()) {
        fputs("compare: its addresses are in use\n", stderr);
        return 1;
    }
    code += (SLOT & 0xFFF) - before;
    memcpy(code, t->start, size);
    memcpy(&run, &code, sizeof run);
    if (fwrite(greeting, sizeof greeting, 1, stdout) != 1 || fflush(stdout))
        return 1;
    while (fread(&j, sizeof j, 1, stdin) == 1) {
        memcpy(code + before, j.code, sizeof j.code);
        for (uint64_t i = 0; i < j.states; i++) {
            if (fread(s, sizeof *s, 1, stdin) != 1)
                return 1;
            memcpy(memory, s->memory, sizeof s->memory);
            run_once(run, s);
            memcpy(s->memory, memory, sizeof s->memory);
            if (fwrite(s, sizeof *s, 1, stdout) != 1)
                return 1;
        }
        if (fflush(stdout))
            return 1;
    }
    return 0;
}
