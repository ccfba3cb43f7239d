/* Whole messages with all secrets in registers (NATIVE_REGISTERS of backend.h). The functions store
 * their results and nothing else, so their callers need not scrub.
 * GCM-SIV and OCB3 keep a few keys on the stack, and wipe them. tests/unit/test_wipe.c runs each
 * function twice, with other secrets, and compares the stack.
 *
 * Short messages are bound by the number of instructions: the calls overlap in the processor. So one
 * block has its own code, and so has each number of vecs of a rest. */
#include "registers_ctr.h"

#include "registers_blocks.h"

#include "registers_mac.h"

#include "registers_gcm_siv.h"

#include "registers_ocb.h"

#include "registers_pieces.h"

#ifdef NATIVE_REGISTERS
#define IF_REGISTERS(function) function
#else
#define IF_REGISTERS(function) NULL
#endif

#ifdef NATIVE_SIV_REGISTERS
#define IF_SIV_REGISTERS(function) function
#else
#define IF_SIV_REGISTERS(function) NULL
#endif
