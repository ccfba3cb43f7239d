/* AES with the tables of asm.c, one block in each call, in scalar x86-64 (GNU as or clang;
 * System V calls; ELF or Mach-O):
 *
 *     {low, high} rijn_asm_encrypt({low, high}, keys, rounds, table)
 *     {low, high} rijn_asm_decrypt({low, high}, keys, rounds, table)
 *
 * Registers
 *     rax rbx rcx rdx   state before rounds 1, 3, 5 ..., at positions 0 1 2 3
 *     r8  r9  r10 r11   state before rounds 2, 4, 6 ..., at the same positions
 *     rsi  a table index         rbp  round keys of the two rounds, less 16
 *     r12  table                 rdi  pairs of rounds before the last pair
 *
 * Positions. A round takes the words in the order in which the round before made
 * them. Position p holds word -p (mod 4) when encrypting, because ShiftRows pairs a
 * byte with words to its right. It holds word p when decrypting:
 *
 *     position    0        1        2        3
 *     encrypt     word 0   word 3   word 2   word 1
 *     decrypt     word 0   word 1   word 2   word 3
 *
 * Rotation. Between rounds the word at p is rotated to the left by p bytes, so bits 7
 * to 0 hold its row -p. Then the four low bytes are one column of the state after
 * (Inv)ShiftRows, and give the new word at position 0. When all four words are shifted
 * to the right by a byte, their low bytes are the next column. Step k of a round makes
 * the word at position k from rows k - p.
 *
 *             31 .. 24   23 .. 16   15 .. 8    7 .. 0
 *     p = 0   row 3      row 2      row 1      row 0
 *     p = 1   row 2      row 1      row 0      row 3
 *     p = 2   row 1      row 0      row 3      row 2
 *     p = 3   row 0      row 3      row 2      row 1
 *                                   step 1     step 0
 *
 * Table. An entry has 8 bytes: the column of row 0, twice. The four bytes from offset
 * o on are this column rotated to the right by o bytes. Row r needs o = -r, and the
 * rotation of the new word adds -k, so o = (p - k) - k (modulo 4). The last round
 * rotates nothing, so o = p - k (modulo 4). Its entries begin at byte 2048.
 *
 * Plan. A round takes 44 instructions, and reads no high bytes: movzbl from ah to dh takes
 * 3 cycles, and only one starts in a cycle. Columns are made in the order in which the
 * words arrive. The state is in registers with low bytes that are free to read. */
#if defined(__APPLE__)
#define SYMBOL(name) _##name
#else
#define SYMBOL(name) name
#endif
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

#define KEYS  %rbp
#define TABLE %r12
#define COUNT %edi
#define EVEN  %al, %eax, %rax, %bl, %ebx, %rbx, %cl, %ecx, %rcx, %dl, %edx, %rdx
#define ODD   %r8b, %r8d, %r8, %r9b, %r9d, %r9, %r10b, %r10d, %r10, %r11b, %r11d, %r11

/* Step k for its byte of the word at position p. LAST is 1 in the last round. */
        .macro  lookup k, p, byte, word, index, sum
        .set    ENTRY, 2048 * LAST + ((\p - (2 - LAST) * \k) & 3)
        .if     \k > 0
        shrl    $8, \word
        .endif
        .if     \k < 3
        movzbl  \byte, %esi
        xorl    ENTRY(TABLE, %rsi, 8), \sum
        .else
        xorl    ENTRY(TABLE, \index, 8), \sum
        .endif
        .endm

/* Step k of a round: the next word at position k. STEP is -1 or 1, by direction. */
        .macro  column k, sum, b0, w0, i0, b1, w1, i1, b2, w2, i2, b3, w3, i3
        movl    ROUND_KEY + 4 * ((STEP * \k) & 3)(KEYS), \sum
        lookup  \k, 0, \b0, \w0, \i0, \sum
        lookup  \k, 1, \b1, \w1, \i1, \sum
        lookup  \k, 2, \b2, \w2, \i2, \sum
        lookup  \k, 3, \b3, \w3, \i3, \sum
        .endm

        .macro  two_rounds last
        .set    LAST, 0
        .set    ROUND_KEY, 16
        column  0, %r8d, EVEN
        column  1, %r9d, EVEN
        column  2, %r10d, EVEN
        column  3, %r11d, EVEN
        .set    LAST, \last
        .set    ROUND_KEY, 32
        column  0, %eax, ODD
        column  1, %ebx, ODD
        column  2, %ecx, ODD
        column  3, %edx, ODD
        .endm

        .macro  save register
        pushq   \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endm

        .macro  restore register
        popq    \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endm

/* low, high: rdi, rsi; keys: rdx; rounds: ecx; table: r8. Result: rax, rdx.
 * one, three: the registers of words 1 and 3. */
        .macro  cipher name, step, one, three
        .set    STEP, \step
        .globl  \name
#if defined(__APPLE__)
        .private_extern \name
#else
        .hidden \name
        .type   \name, @function
#endif
        .p2align 6
\name:
        .cfi_startproc
        _CET_ENDBR
        save    %rbx
        save    %rbp
        save    %r12
        movq    %rdx, KEYS
        movq    %r8, TABLE
        movl    %ecx, %r8d
        xorq    (KEYS), %rdi
        xorq    8(KEYS), %rsi
        movl    %edi, %eax
        movl    %esi, %ecx
        shrq    $32, %rdi
        shrq    $32, %rsi
        movq    %rdi, \one
        movq    %rsi, \three
        roll    $8, %ebx
        roll    $16, %ecx
        roll    $24, %edx
        movl    %r8d, COUNT
        shrl    $1, COUNT
        decl    COUNT
1:
        two_rounds 0
        addq    $32, KEYS
        decl    COUNT
        jnz     1b
        two_rounds 1
        shlq    $32, \one
        shlq    $32, \three
        orq     \one, %rax
        orq     \three, %rcx
        movq    %rcx, %rdx
        restore %r12
        restore %rbp
        restore %rbx
        ret
        .cfi_endproc
#if defined(__ELF__)
        .size   \name, . - \name
#endif
        .endm

        .text
        cipher  SYMBOL(rijn_asm_encrypt), -1, %rdx, %rbx
        cipher  SYMBOL(rijn_asm_decrypt), 1, %rbx, %rdx

#if defined(__ELF__)
        .section .note.GNU-stack, "", @progbits
#endif
