/* What a firmware of the tests knows of its machine, which QEMU is: text out, an end with an
 * answer (both by semihosting), and a count of the instructions so far. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdint.h>

void say(const char *text);
void say_number(uint32_t number);

/* Ends QEMU, whose exit status is 0 or 1. */
__attribute__((noreturn)) void finish(int failed);

/* Ticks of a timer that runs in virtual time, of which an instruction takes 1024 ns under
 * `-icount shift=10`; and how many instructions so many of them are, as a machine rounds. */
void timer_start(void);
uint32_t timer_ticks(void);
uint32_t instructions(uint32_t ticks);

int main(void);

#endif
