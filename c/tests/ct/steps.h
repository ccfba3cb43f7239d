/* Records a run of machine code, instruction by instruction, as an observer of branches and addresses
 * could see it. For code with instructions that valgrind does not know, with the trap flag of x86
 * (steps.c), and for other processors, emulated by QEMU with a plugin (emulated.c). */
#ifndef STEPS_H
#define STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs the function and notes the address of each instruction. Under QEMU it also notes each address that
 * an instruction loads from or stores to. On x86 it notes the registers that make the address of an
 * operand in memory, and the AVX-512 mask that leaves out bytes. Instructions with addresses or masks in
 * vector registers (gathers, scatters, VMASKMOV) count as different each time.
 *
 * steps_first keeps the run; later runs are compared with it. */
void steps_first(void (*run)(void));
/* Runs the function again. Returns true if nothing differs from the first run. */
bool steps_again(void (*run)(void));

/* Returns the number of instructions of the last run. */
size_t steps_count(void);

/* The first difference: the instruction before it and the next instruction of each run, as offsets into
 * the program for `addr2line -fe` or `objdump -d`. */
typedef struct {
    uintptr_t after, first, again;
} steps_fork;
steps_fork steps_difference(void);

#endif
