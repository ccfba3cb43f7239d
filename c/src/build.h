/* The parts of this build: RIJN_WITH_x is 1 or 0, for each x of rijn.h's section on configurations.
 * Without a configuration all are 1 except RIJN_WITH_SMALL_KEYS and RIJN_WITH_SMALL_CODE. This file
 * contains only preprocessor directives, because arm/thumb2.S includes it, too. */
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

/* 1 if fixslice32 takes its rounds from arm/thumb2.S. They need a little-endian Cortex-M3 or later
 * that loads and stores words at any address. */
#ifndef RIJN_THUMB2
#if !RIJN_WITH_ALL && RIJN_WITH_FIXSLICE32 && defined(__ARM_FEATURE_UNALIGNED) && \
    defined(__ARMEL__) && __ARM_ARCH_PROFILE == 'M' && __ARM_ARCH_ISA_THUMB == 2
#define RIJN_THUMB2 1
#else
#define RIJN_THUMB2 0
#endif
#endif

/* 1 if the backends of 64-bit RISC-V are built, which are little-endian. */
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
#error "the configuration has a part but lacks another part that it needs"
#endif
#if RIJN_WITH_MANY && !RIJN_WITH_ALL
#error "configurations do not support RIJN_WITH_MANY"
#endif

/* 1 if the system may have an environment and random bytes. A build can define it as 0 in place of
 * -ffreestanding, which would turn each memcpy into a call. */
#ifndef RIJN_HOSTED
#define RIJN_HOSTED (__STDC_HOSTED__ && RIJN_WITH_ALL)
#endif

/* 1 if the build has a mode that uses these functions of the tables. */
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
