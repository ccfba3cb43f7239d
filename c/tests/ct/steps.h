/* A run of machine code, instruction by instruction: what an observer of branches and addresses
 * could see of it. For code that valgrind has no instructions for, by x86's trap flag (steps.c), and
 * for other processors, emulated by QEMU with a plugin (emulated.c). */
#ifndef STEPS_H
#define STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs it. At each instruction are noted: where it stands; and under QEMU each address that it loads
 * from or stores to. On x86 instead, of its operand in memory the registers that make the address;
 * and the mask, where it has one, of AVX-512, by which bytes are left out. Instructions that take
 * addresses or masks from vector registers (gathers, scatters, VMASKMOV) are there noted as what
 * may differ each time.
 *
 * The first run of several is kept, those after it are compared with it. */
void steps_first(void (*run)(void));
/* Whether all was as in the first run. */
bool steps_again(void (*run)(void));

/* How many instructions were run last. */
size_t steps_count(void);

/* Where the first difference was: the instruction that came before it, and what the two runs did
 * next, as offsets into the program for `addr2line -fe` or `objdump -d`. */
typedef struct {
    uintptr_t after, first, again;
} steps_fork;
steps_fork steps_difference(void);

#endif
