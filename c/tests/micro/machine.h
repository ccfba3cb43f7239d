/* The interface of a test firmware to its machine, which is QEMU: text output and an exit status (both
 * with semihosting), and a count of instructions. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdint.h>

void say(const char *text);
void say_number(uint32_t number);

/* Ends QEMU with exit status 0 or 1. */
__attribute__((noreturn)) void finish(int failed);

/* A timer in virtual time: an instruction takes 1024 ns under `-icount shift=10`. instructions() converts
 * ticks, with the rounding of the machine. */
void timer_start(void);
uint32_t timer_ticks(void);
uint32_t instructions(uint32_t ticks);

int main(void);

#endif
