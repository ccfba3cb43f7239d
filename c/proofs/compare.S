/* Loads a state of the processor, runs one instruction, and stores the state. compare.c copies a template
 * to its page and puts the instruction into the slot. Offsets are those of compare.c's `state`. Addresses
 * are absolute, so that no register is needed. Between loading and storing only moves run, which
 * change no flag. */
    .set state, 0x22000000
    .set flags, state + 128
    .set taken, state + 136
    .set masks, state + 144 + 256
    .set vectors, masks + 64
    .set host_stack, state + 4096

/* Moves vector registers to or from the state: 16 of 256 bits, or 32 of 512 bits and the masks. */
.macro load_avx
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovdqu vectors + 64 * \i, %ymm\i
    .endr
.endm
.macro store_avx
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovdqu %ymm\i, vectors + 64 * \i
    .endr
.endm
.macro load_avx512
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    kmovq masks + 8 * \i, %k\i
    .endr
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovdqu64 vectors + 64 * \i, %zmm\i
    .endr
    .irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vmovdqu64 vectors + 64 * \i, %zmm\i
    .endr
.endm
.macro store_avx512
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    kmovq %k\i, masks + 8 * \i
    .endr
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovdqu64 %zmm\i, vectors + 64 * \i
    .endr
    .irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vmovdqu64 %zmm\i, vectors + 64 * \i
    .endr
.endm

.macro template name
    .globl \name, \name\()_slot, \name\()_taken, \name\()_end
\name:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    movq %rsp, host_stack
    load_\name
    pushq flags
    popfq
    .set offset, 0
    .irp register, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
    movq state + offset, %\register
    .set offset, offset + 8
    .endr
\name\()_slot:
    .fill 16, 1, 0x90
    movq $0, taken
    jmp 1f
\name\()_taken:
    movq $1, taken
1:  .set offset, 0
    .irp register, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
    movq %\register, state + offset
    .set offset, offset + 8
    .endr
    movq host_stack, %rsp
    pushfq
    popq flags
    pushq $2 /* all flags clear */
    popfq
    store_\name
    vzeroupper
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
\name\()_end:
.endm

    .section .rodata
    template avx
    template avx512

    .section .note.GNU-stack, "", @progbits
