/* What is in this build: RIJN_WITH_x is 1 or 0, for each x of rijn.h's section on configurations.
 * Without a configuration all are 1, but RIJN_WITH_SMALL_KEYS and RIJN_WITH_SMALL_CODE. Nothing
 * here but the preprocessor's, for arm/thumb2.S reads it too. */
#ifndef RIJN_BUILD_H
#define RIJN_BUILD_H

#ifndef __ASSEMBLER__
#include "rijn.h"
#elif defined(RIJN_CONFIG_FILE)
#include RIJN_CONFIG_FILE
#endif

#ifdef RIJN_CONFIG_FILE
#define RIJN_WITH_ALL 0
#else
#define RIJN_WITH_ALL 1
#endif

#ifndef RIJN_WITH_ECB
#define RIJN_WITH_ECB RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_CBC
#define RIJN_WITH_CBC RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_CTR
#define RIJN_WITH_CTR RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_GCM
#define RIJN_WITH_GCM RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_GCM_PIECES
#define RIJN_WITH_GCM_PIECES RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_GCM_SIV
#define RIJN_WITH_GCM_SIV RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_XAES
#define RIJN_WITH_XAES RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_CCM
#define RIJN_WITH_CCM RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_OCB
#define RIJN_WITH_OCB RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_EAX
#define RIJN_WITH_EAX RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_SIV
#define RIJN_WITH_SIV RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_CMAC
#define RIJN_WITH_CMAC RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_FEEDBACK
#define RIJN_WITH_FEEDBACK RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_XTS
#define RIJN_WITH_XTS RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_KEYWRAP
#define RIJN_WITH_KEYWRAP RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_AEGIS
#define RIJN_WITH_AEGIS RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_AEGIS_X
#define RIJN_WITH_AEGIS_X RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_CHUNKS
#define RIJN_WITH_CHUNKS RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_MANY
#define RIJN_WITH_MANY RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_FIXSLICE64
#define RIJN_WITH_FIXSLICE64 RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_FIXSLICE32
#define RIJN_WITH_FIXSLICE32 RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_TABLE
#define RIJN_WITH_TABLE RIJN_WITH_ALL
#endif
#ifndef RIJN_WITH_SMALL_KEYS
#define RIJN_WITH_SMALL_KEYS 0
#endif
#ifndef RIJN_WITH_SMALL_CODE
#define RIJN_WITH_SMALL_CODE 0
#endif

/* Whether the rounds of fixslice32 are those of arm/thumb2.S, which wants a Cortex-M3 or later,
 * little-endian, that may load and store words at any address. */
#ifndef RIJN_THUMB2
#if !RIJN_WITH_ALL && RIJN_WITH_FIXSLICE32 && defined(__ARM_FEATURE_UNALIGNED) && \
    defined(__ARMEL__) && __ARM_ARCH_PROFILE == 'M' && __ARM_ARCH_ISA_THUMB == 2
#define RIJN_THUMB2 1
#else
#define RIJN_THUMB2 0
#endif
#endif

/* The backends of 64-bit RISC-V, which are little-endian. */
#if RIJN_WITH_ALL && defined(__riscv) && __riscv_xlen == 64 && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define RIJN_WITH_RISCV64 1
#else
#define RIJN_WITH_RISCV64 0
#endif

#if !RIJN_WITH_FIXSLICE32 && !RIJN_WITH_FIXSLICE64 && !RIJN_WITH_TABLE
#error "the configuration has no backend"
#endif
#if RIJN_WITH_AEGIS_X && !RIJN_WITH_AEGIS || RIJN_WITH_XAES && !RIJN_WITH_GCM || \
    RIJN_WITH_GCM_PIECES && !RIJN_WITH_GCM || RIJN_WITH_EAX && !RIJN_WITH_CMAC || \
    RIJN_WITH_SIV && !(RIJN_WITH_CMAC && RIJN_WITH_CTR) || \
    RIJN_WITH_CHUNKS && !(RIJN_WITH_GCM && RIJN_WITH_AEGIS)
#error "the configuration lacks what something in it is made of"
#endif
#if RIJN_WITH_MANY && !RIJN_WITH_ALL
#error "a configuration has no messages by the batch"
#endif

/* Whether there may be an environment and random bytes to ask for. A build that says 0 by itself
 * keeps the compiler's memcpy, which -ffreestanding makes a call of. */
#ifndef RIJN_HOSTED
#define RIJN_HOSTED (__STDC_HOSTED__ && RIJN_WITH_ALL)
#endif

/* What of the records serves several modes. */
#define RIJN_BUILD_AES \
    (RIJN_WITH_ECB || RIJN_WITH_CBC || RIJN_WITH_CTR || RIJN_WITH_GCM || RIJN_WITH_GCM_SIV || \
     RIJN_WITH_CCM || RIJN_WITH_OCB || RIJN_WITH_CMAC || RIJN_WITH_FEEDBACK || RIJN_WITH_XTS || \
     RIJN_WITH_KEYWRAP)
#define RIJN_BUILD_BLOCK \
    (RIJN_WITH_GCM_PIECES || RIJN_WITH_XAES || RIJN_WITH_OCB || RIJN_WITH_CMAC || \
     RIJN_WITH_FEEDBACK || RIJN_WITH_XTS || RIJN_WITH_KEYWRAP)
#define RIJN_BUILD_ECB \
    (RIJN_WITH_ECB || RIJN_WITH_XAES || RIJN_WITH_CCM || RIJN_WITH_EAX || RIJN_WITH_FEEDBACK)
#define RIJN_BUILD_CTR (RIJN_WITH_CTR || RIJN_WITH_GCM_PIECES)
#define RIJN_BUILD_CBC_MAC (RIJN_WITH_CMAC || RIJN_WITH_CCM)
#define RIJN_BUILD_HASH (RIJN_WITH_GCM || RIJN_WITH_GCM_SIV)
#define RIJN_BUILD_INVERSE \
    (RIJN_WITH_ECB || RIJN_WITH_CBC || RIJN_WITH_OCB || RIJN_WITH_FEEDBACK || RIJN_WITH_XTS || \
     RIJN_WITH_KEYWRAP)

#endif
