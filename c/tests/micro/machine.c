/* Start-up, semihosting and timers of QEMU's mps2-an385 (Cortex-M3), mps2-an386 (Cortex-M4)
 * and, with MICROBIT, microbit (an nRF51822, Cortex-M0). */
#include "machine.h"

#include <stdint.h>

/* ---- Start-up (Armv7-M and Armv6-M Architecture Reference Manuals, B1.5) ---- */

extern uint32_t stack_top[], data_load[], data_start[], data_end[], bss_start[], bss_end[];

__attribute__((noreturn)) static void reset(void)
{
    const uint32_t *from = data_load;

    for (uint32_t *to = data_start; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_start; to < bss_end;)
        *to++ = 0;
    finish(main());
}

/* Faults are exceptions. After any exception but reset, the test has failed. */
__attribute__((noreturn)) static void fault(void)
{
    say("an exception of the processor\n");
    finish(1);
}

/* The first 16 entries; no interrupt is ever enabled. */
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*exceptions[15])(void);
} vectors = {
    stack_top,
    {reset, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault,
     fault, fault},
};

/* ---- Semihosting (Arm, "Semihosting for AArch32 and AArch64") ---- */

static uint32_t ask_host(uint32_t operation, uint32_t argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register uint32_t r1 __asm__("r1") = argument;

    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void say(const char *text)
{
    ask_host(0x04, (uint32_t)(uintptr_t)text); /* SYS_WRITE0 */
}

void say_number(uint32_t number)
{
    char digits[11], *p = digits + sizeof digits;

    *--p = '\0';
    do {
        *--p = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    say(p);
}

void finish(int failed)
{
    /* SYS_EXIT: ADP_Stopped_ApplicationExit is 0 to a shell, every other reason is 1. */
    for (;;)
        ask_host(0x18, failed ? 0x20023 : 0x20026);
}

/* ---- Timers ---- */

static volatile uint32_t *device(uint32_t address)
{
    return (volatile uint32_t *)(uintptr_t)address;
}

#ifdef MICROBIT

/* TIMER0 of the nRF51 (Reference Manual, chapter 18): 16 MHz, 32 bits. */
void timer_start(void)
{
    *device(0x40008508) = 3; /* BITMODE */
    *device(0x40008510) = 0; /* PRESCALER */
    *device(0x40008000) = 1; /* TASKS_START */
}

uint32_t timer_ticks(void)
{
    *device(0x40008040) = 1; /* TASKS_CAPTURE */
    return *device(0x40008540);
}

uint32_t instructions(uint32_t ticks) /* of 16.384 each */
{
    return (uint32_t)(((uint64_t)ticks * 1000 + 8192) / 16384);
}

#else

/* COUNTER of FPGAIO (Arm, application note AN386, section 4.5): 25 MHz. */
void timer_start(void)
{
}

uint32_t timer_ticks(void)
{
    return *device(0x40028018);
}

uint32_t instructions(uint32_t ticks) /* of 25.6 each */
{
    return (uint32_t)(((uint64_t)ticks * 10 + 128) / 256);
}

#endif
