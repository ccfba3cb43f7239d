/* AES in constant time for Armv7-M and later (Cortex-M3, M4, M7, M33): the rounds of
 * circuits/fixslice.h on 32-bit words, two blocks at once, for builds with RIJN_THUMB2 (build.h).
 * The circuit is that of circuits/sbox.h. This file assigns registers and stack by hand.
 *
 * Registers
 *
 *              S-box            MixColumns, round keys       around the rounds
 *   r4 … r11   planes 0 to 7 (bit p of every byte, fixslice.h) before and after each of them
 *   r0         gates            c of plane 7                 the job
 *   r1, r2     gates            c of this plane and before   input, output
 *   r3, r12    gates            parts of a plane that        one word
 *                               go different ways
 *   lr         gates            the next round key
 *
 * The S-box uses all fourteen, so the stack holds
 *
 *   sp + 0     spilled values of the S-box, up to SPILLED words
 *   sp + KEY   the next round key       sp + END    end of the last round key but one
 *   sp + BACK  where the rounds return  sp + JOB    the job
 *   sp + DONE  where the S-box returns, in small code, which has it only once
 *
 * The caller overwrites this memory (scrub.h). No branch and no address depends on a secret, and every
 * instruction takes the same time for all operands. */
#include "../build.h"

#if RIJN_THUMB2

    .syntax unified
    .thumb

    .equ SPILLED, 12
    .equ KEY, 4 * SPILLED
    .equ END, KEY + 4
    .equ BACK, KEY + 8
    .equ JOB, KEY + 12
#if RIJN_WITH_SMALL_CODE
    .equ DONE, KEY + 16
    .equ FRAME, KEY + 24
#else
    .equ FRAME, KEY + 16
#endif

/* ---- SubBytes without its complements (with the names of sbox.h) ---- */

    .macro sbox
    eor r0, r8, r6           /* a2 */
    eor r1, r11, r5          /* a3 */
    eor r2, r1, r0           /* a5 */
    eor r3, r10, r9          /* a1 */
    eor r12, r7, r2          /* a7 */
    eor lr, r11, r8          /* a15 */
    eor r7, r12, r6          /* a9 */
    eor r9, r3, r4           /* a4 */
    str r1, [sp, #0]         /* a3 */
    eor r1, r7, r3           /* a14 */
    eor r12, r12, r10        /* a8 */
    eor r5, r9, r5           /* a6 */
    eor r6, r11, r6          /* a10 */
    eor r10, r7, r4          /* a11 */
    str r2, [sp, #4]         /* a5 */
    and r2, r2, r7           /* b1 */
    str r7, [sp, #8]         /* a9 */
    and r7, r5, r9           /* b13 */
    str r5, [sp, #12]        /* a6 */
    eor r5, r5, r6           /* a12 */
    str r5, [sp, #16]        /* a12 */
    and r5, r5, r10          /* b3 */
    eor r5, r5, r2           /* b4 */
    eor r5, r5, r12          /* b6 */
    eor r12, r12, lr         /* a16 */
    str lr, [sp, #20]        /* a15 */
    and lr, lr, r12          /* b7 */
    str r10, [sp, #24]       /* a11 */
    and r10, r6, r1          /* b9 */
    str r6, [sp, #28]        /* a10 */
    eor r6, r1, r6           /* a19 */
    str r1, [sp, #32]        /* a14 */
    eor r1, r1, r12          /* a17 */
    str r0, [sp, #36]        /* a2 */
    and r0, r0, r1           /* b8 */
    eor r0, r0, lr           /* b10 */
    eor r8, r9, r8           /* a13 */
    eor lr, r10, lr          /* b11 */
    eor r3, r3, r12          /* a18 */
    and r10, r8, r4          /* b2 */
    eor r2, r10, r2          /* b5 */
    ldr r10, [sp, #0]        /* a3 */
    str r1, [sp, #40]        /* a17 */
    and r1, r10, r3          /* b14 */
    eor r2, r2, lr           /* b12 */
    eor r2, r2, r6           /* b16 */
    eor r7, r7, r1           /* b15 */
    eor r6, r9, r11          /* a21 */
    eor r7, r7, r0           /* b18 */
    eor r10, r10, r3         /* a23 */
    eor r10, r7, r10         /* b23 */
    eor r11, r11, r3         /* a20 */
    eor r0, r5, r0           /* b17 */
    eor r5, r4, r12          /* a22 */
    and r7, r6, r5           /* b19 */
    eor r1, r7, r1           /* b20 */
    eor r1, r1, lr           /* b21 */
    and lr, r0, r10          /* b24 */
    eor r1, r1, r11          /* b25 */
    eor r11, r2, lr          /* b26 */
    eor r7, r10, r1          /* b28 */
    and r7, r11, r7          /* b29 */
    eor lr, r1, lr           /* b27 */
    eor r7, r7, r1           /* b32 */
    eor r11, lr, r7          /* b33 */
    and r1, r1, r11          /* b35 */
    eor r0, r0, r2           /* b22 */
    and r11, r0, lr          /* b30 */
    eor lr, lr, r1           /* b37 */
    eor r10, r10, r7         /* b34 */
    eor r2, r11, r2          /* b31 */
    eor r11, r2, r7          /* b42 */
    and lr, r2, lr           /* b38 */
    eor r1, r1, r10          /* b36 */
    eor lr, r0, lr           /* b40 */
    ldr r0, [sp, #24]        /* a11 */
    and r0, r1, r0           /* c10 */
    eor r10, r2, lr          /* b41 */
    and r8, r7, r8           /* c15 */
    and r4, r7, r4           /* c6 */
    eor r7, r7, r1           /* b39 */
    str r8, [sp, #24]        /* c15 */
    ldr r8, [sp, #8]         /* a9 */
    and r8, r7, r8           /* c7 */
    and r5, r2, r5           /* c1 */
    and r2, r2, r6           /* c2 */
    eor r4, r8, r4           /* d2 */
    eor r0, r0, r8           /* d4 */
    eor r8, lr, r1           /* b43 */
    ldr r6, [sp, #16]        /* a12 */
    and r1, r1, r6           /* c9 */
    and r12, r11, r12        /* c8 */
    and r9, lr, r9           /* c4 */
    ldr r6, [sp, #4]         /* a5 */
    and r6, r7, r6           /* c18 */
    and r3, r10, r3          /* c3 */
    ldr r7, [sp, #20]        /* a15 */
    and r7, r11, r7          /* c17 */
    eor r9, r3, r9           /* d3 */
    eor r3, r3, r5           /* d1 */
    eor r11, r11, r8         /* b44 */
    ldr r5, [sp, #40]        /* a17 */
    and r5, r11, r5          /* c14 */
    eor r0, r9, r0           /* d17 */
    eor r5, r5, r9           /* d8 */
    ldr r9, [sp, #36]        /* a2 */
    and r11, r11, r9         /* c13 */
    ldr r9, [sp, #12]        /* a6 */
    and lr, lr, r9           /* c16 */
    ldr r9, [sp, #0]         /* a3 */
    and r9, r10, r9          /* c5 */
    eor r11, r7, r11         /* d9 */
    eor r10, r9, r4          /* d6 */
    eor r12, r12, r5         /* d16 */
    eor r3, r4, r3           /* d5 */
    eor r1, r1, r11          /* d13 */
    eor lr, lr, r11          /* d10 */
    ldr r11, [sp, #32]       /* a14 */
    and r11, r8, r11         /* c12 */
    ldr r4, [sp, #24]        /* c15 */
    eor r4, r1, r4           /* d14 */
    eor r10, r11, r10        /* d7 */
    eor r10, r5, r10         /* d12 */
    eor lr, lr, r3           /* d11 */
    eor r1, r6, r1           /* d15 */
    eor r2, r2, r10          /* d18 */
    eor r7, r7, r12          /* d19 */
    eor r6, r4, r2           /* s2 */
    ldr r4, [sp, #28]        /* a10 */
    and r8, r8, r4           /* c11 */
    eor r2, r2, r7           /* d20 */
    eor r11, r1, r12         /* s7 */
    eor r4, r9, lr           /* s0 */
    eor r9, r2, r8           /* s5 */
    eor r8, r1, r0           /* s4 */
    eor r5, r10, lr          /* s1 */
    eor r10, r8, r12         /* s6 */
    eor r7, r3, r8           /* s3 */
    .endm

/* ---- MixColumns after i rounds, i modulo 4 (fixslice.h) ----
 *
 * A plane moves by one row and i columns in two parts: bits that wrap around a row and other bits come
 * from different rotations. c has the meaning of fixslice.h:
 *
 *     c[p] = w[p] ^ moved(w[p], 1, i)
 *     w[p] = w[p] ^ c[p] ^ moved(c[p], 2, 2 i) ^ c[p - 1]      and c[7], where p is 0, 1, 3, 4 */

    /* c = w ^ moved(w, 1, i), with r3 and r12 */
    .macro one_row c, w, i
    .if \i == 0
    eor \c, \w, \w, ror #8
    .else
    .if \i == 1
    and r3, \w, #0xfcfcfcfc
    .elseif \i == 2
    and r3, \w, #0xf0f0f0f0
    .else
    and r3, \w, #0xc0c0c0c0
    .endif
    eor r12, \w, r3
    eor \c, \w, r3, ror #(8 + 2 * \i)
    eor \c, \c, r12, ror #(2 * \i)
    .endif
    .endm

    /* w of a plane; \c is its c and \before the c of the plane before; if \seven, also adds c[7] */
    .macro mix_plane w, c, before, i, seven
    .if \i == 0
    eor \w, \w, \c, ror #8
    eor \w, \before, \w, ror #8
    .else
    eor \w, \w, \c
    eor \w, \w, \before
    .if \i == 2
    eor \w, \w, \c, ror #16
    .else
    and r3, \c, #0xf0f0f0f0
    eor r12, \c, r3
    eor \w, \w, r3, ror #20
    eor \w, \w, r12, ror #12
    .endif
    .endif
    .if \seven
    eor \w, \w, r0
    .endif
    .endm

    .macro mix_columns i
    one_row r0, r11, \i
    one_row r1, r4, \i
    mix_plane r4, r1, r0, \i, 0
    one_row r2, r5, \i
    mix_plane r5, r2, r1, \i, 1
    one_row r1, r6, \i
    mix_plane r6, r1, r2, \i, 0
    one_row r2, r7, \i
    mix_plane r7, r2, r1, \i, 1
    one_row r1, r8, \i
    mix_plane r8, r1, r2, \i, 1
    one_row r2, r9, \i
    mix_plane r9, r2, r1, \i, 0
    one_row r1, r10, \i
    mix_plane r10, r1, r2, \i, 0
    mix_plane r11, r0, r1, \i, 0
    .endm

/* ---- AddRoundKey ---- */

    .macro add_packed key, even, odd
    and r12, \key, #0x55555555
    eor \key, \key, r12
    eor \even, \even, r12
    eor \even, \even, r12, lsl #1
    eor \odd, \odd, \key
    eor \odd, \odd, \key, lsr #1
    .endm

    /* Reads from lr and advances it. */
    .macro add_key
#if RIJN_WITH_SMALL_KEYS
    ldm lr!, {r0-r3}
    add_packed r0, r4, r5
    add_packed r1, r6, r7
    add_packed r2, r8, r9
    add_packed r3, r10, r11
#else
    ldm lr!, {r0-r3}
    eor r4, r4, r0
    eor r5, r5, r1
    eor r6, r6, r2
    eor r7, r7, r3
    ldm lr!, {r0-r3}
    eor r8, r8, r0
    eor r9, r9, r1
    eor r10, r10, r2
    eor r11, r11, r3
#endif
    .endm

    /* Loads the address of the next round key. */
    .macro next_key
    ldr lr, [sp, #KEY]
    add_key
    str lr, [sp, #KEY]
    .endm

    /* Compares it with the end of the last round key but one. The S-box keeps the flags. */
    .macro compare_end
    ldr r0, [sp, #END]
    cmp lr, r0
    .endm

/* ---- Rounds ---- */

    .text
    .balign 4

#if RIJN_WITH_SMALL_CODE

    .type next_key_sub_bytes, %function
    .thumb_func
next_key_sub_bytes:
    str lr, [sp, #DONE]
    next_key
    compare_end
3:
    sbox
    ldr pc, [sp, #DONE]
    .thumb_func
sub_bytes:
    str lr, [sp, #DONE]
    b.w 3b
    .size next_key_sub_bytes, . - next_key_sub_bytes

    /* The part of a round after its S-box, and the next round's S-box, which is the last at 9. */
    .macro round i, may_end
    mix_columns \i
    bl next_key_sub_bytes
    .if \may_end
    beq 9f
    .endif
    .endm

    .macro first_sub_bytes
    bl sub_bytes
    .endm

#else

    .macro round i, may_end
    mix_columns \i
    next_key
    .if \may_end
    compare_end
    .endif
    sbox
    .if \may_end
    beq.w 9f
    .endif
    .endm

    .macro first_sub_bytes
    sbox
    .endm

#endif

    /* Runs all rounds on the planes in r4 to r11. The first round key is already added. */
    .type rounds, %function
    .thumb_func
rounds:
    str lr, [sp, #BACK]
    first_sub_bytes
1:
    round 1, 1
    round 2, 0
    round 3, 1
    round 0, 0
    b.w 1b
9:
    ldr lr, [sp, #KEY]
    add_key
    ldr pc, [sp, #BACK]
    .size rounds, . - rounds

/* ---- Words to planes and back (planes.h) ---- */

    .macro exchange a, b, weight, even
    eor r3, \b, \a, lsr #\weight
    and r3, r3, #\even
    eor \b, \b, r3
    eor \a, \a, r3, lsl #\weight
    .endm

    .macro exchange_all_4
    exchange r4, r8, 4, 0x0f0f0f0f
    exchange r5, r9, 4, 0x0f0f0f0f
    exchange r6, r10, 4, 0x0f0f0f0f
    exchange r7, r11, 4, 0x0f0f0f0f
    .endm

    .macro exchange_all_2
    exchange r4, r6, 2, 0x33333333
    exchange r5, r7, 2, 0x33333333
    exchange r8, r10, 2, 0x33333333
    exchange r9, r11, 2, 0x33333333
    .endm

    .macro exchange_all_1
    exchange r4, r5, 1, 0x55555555
    exchange r6, r7, 1, 0x55555555
    exchange r8, r9, 1, 0x55555555
    exchange r10, r11, 1, 0x55555555
    .endm

    .macro displace a, b
    eor r3, \a, \b
    and r3, r3, #0xff00ff00
    eor \a, \a, r3
    eor \b, \b, r3
    .endm

    /* Also corrects displaced rows 1 and 3; r0 is the number of rounds. */
    .macro planes_to_words
    exchange_all_1
    exchange_all_2
    exchange_all_4
    lsls r0, r0, #30    /* displaced, unless it is a multiple of 4 */
    beq 8f
    displace r4, r8
    displace r5, r9
    displace r6, r10
    displace r7, r11
8:
    .endm

/* ---- void rijn_thumb2_encrypt(uint32_t blocks[8], const uint32_t *keys, int rounds) ---- */

    .global rijn_thumb2_encrypt
    .type rijn_thumb2_encrypt, %function
    .thumb_func
rijn_thumb2_encrypt:
    push {r2, r4-r11, lr}
    sub sp, sp, #FRAME
    str r0, [sp, #JOB]
#if RIJN_WITH_SMALL_KEYS
    add r3, r1, r2, lsl #4
#else
    add r3, r1, r2, lsl #5
#endif
    str r3, [sp, #END]
    mov lr, r1
    ldm r0!, {r4, r6, r8, r10}
    ldm r0, {r5, r7, r9, r11}
    exchange_all_4
    exchange_all_2
    exchange_all_1
    add_key
    str lr, [sp, #KEY]
    bl rounds
    ldr r0, [sp, #FRAME]
    planes_to_words
    ldr r0, [sp, #JOB]
    stm r0!, {r4, r6, r8, r10}
    stm r0, {r5, r7, r9, r11}
    add sp, sp, #FRAME
    pop {r2, r4-r11, pc}
    .size rijn_thumb2_encrypt, . - rijn_thumb2_encrypt

#if RIJN_WITH_SMALL_CODE

/* ---- void rijn_thumb2_sub_bytes(uint32_t planes[8]) ---- */

    .global rijn_thumb2_sub_bytes
    .type rijn_thumb2_sub_bytes, %function
    .thumb_func
rijn_thumb2_sub_bytes:
    push {r0, r4-r11, lr}
    sub sp, sp, #FRAME
    ldm r0, {r4-r11}
    bl sub_bytes
    add sp, sp, #FRAME
    pop {r0}
    stm r0, {r4-r11}
    pop {r4-r11, pc}
    .size rijn_thumb2_sub_bytes, . - rijn_thumb2_sub_bytes

#else

/* ---- void rijn_thumb2_ctr(rijn_thumb2_job *job) ----
 *
 * The counter blocks of a run differ only in their last bytes, which are the highest two bits of a
 * plane. The first block of a pair is even. The other bytes are already planes, with the first round key
 * added (thumb2.h). */

    .equ COUNT, 32
    .equ KEYS, 36
    .equ ROUNDS, 40
    .equ PAIRS, 44
    .equ IN, 48
    .equ OUT, 52

    .macro count_bit p, plane
    sbfx r3, r1, #\p, #1
    eor \plane, \plane, r3, lsl #30
    .endm

    .macro crypt_word plane
    ldr r3, [r1], #4
    eor r3, r3, \plane
    str r3, [r2], #4
    .endm

    .global rijn_thumb2_ctr
    .type rijn_thumb2_ctr, %function
    .thumb_func
rijn_thumb2_ctr:
    push {r3, r4-r11, lr}
    sub sp, sp, #FRAME
    str r0, [sp, #JOB]
    ldr r1, [r0, #KEYS]
    ldr r2, [r0, #ROUNDS]
#if RIJN_WITH_SMALL_KEYS
    add r3, r1, r2, lsl #4
#else
    add r3, r1, r2, lsl #5
#endif
    str r3, [sp, #END]
2:
    ldr lr, [r0, #KEYS]
    ldr r1, [r0, #COUNT]
    ldm r0, {r4-r11}
#if RIJN_WITH_SMALL_KEYS
    add lr, lr, #16
#else
    add lr, lr, #32
#endif
    str lr, [sp, #KEY]
    adds r2, r1, #2
    str r2, [r0, #COUNT]
    count_bit 1, r5
    count_bit 2, r6
    count_bit 3, r7
    count_bit 4, r8
    count_bit 5, r9
    count_bit 6, r10
    count_bit 7, r11
    bl rounds
    ldr r12, [sp, #JOB]
    ldr r0, [r12, #ROUNDS]
    planes_to_words
    ldrd r1, r2, [r12, #IN]
    crypt_word r4
    crypt_word r6
    crypt_word r8
    crypt_word r10
    crypt_word r5
    crypt_word r7
    crypt_word r9
    crypt_word r11
    strd r1, r2, [r12, #IN]
    ldr r3, [r12, #PAIRS]
    mov r0, r12
    subs r3, r3, #1
    str r3, [r12, #PAIRS]
    bne.w 2b
    add sp, sp, #FRAME
    pop {r3, r4-r11, pc}
    .size rijn_thumb2_ctr, . - rijn_thumb2_ctr

#endif

#endif

#if defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
