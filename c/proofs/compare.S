/* Loads a state of the processor, runs one instruction, and stores the state. compare.c copies it to
 * its page and puts the instruction into the slot. Offsets are those of compare.c's `state`. Addresses
 * are absolute, so that no register is needed. Between loading and storing only moves run, which
 * change no flag. */
    .set state, 0x22000000
    .set flags, state + 128
    .set taken, state + 136
    .set vectors, state + 144
    .set host_stack, state + 4096

    .section .rodata
    .globl template, template_slot, template_taken, template_end
template:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    movq %rsp, host_stack
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovdqu vectors + 32 * \i, %ymm\i
    .endr
    pushq flags
    popfq
    .set offset, 0
    .irp name, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
    movq state + offset, %\name
    .set offset, offset + 8
    .endr
template_slot:
    .fill 16, 1, 0x90
    movq $0, taken
    jmp 1f
template_taken:
    movq $1, taken
1:  .set offset, 0
    .irp name, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
    movq %\name, state + offset
    .set offset, offset + 8
    .endr
    movq host_stack, %rsp
    pushfq
    popq flags
    pushq $2 /* all flags clear */
    popfq
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovdqu %ymm\i, vectors + 32 * \i
    .endr
    vzeroupper
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
template_end:

    .section .note.GNU-stack, "", @progbits
