/* Includes every mode. The modes are written once, over the operations of backend.h. The file of a
 * backend defines these operations and then includes this file. So it gets its own copy of each
 * mode, compiled for its CPU features, and fills its function tables with RIJN_MODES and
 * RIJN_CORE. */
#include "../backends.h"
#include "../bytes.h"
#include "../ct.h"
#include "../double.h"
#include "../sizes.h"
#include "../wipe.h"

_Static_assert(sizeof(context) <= sizeof((rijn_key *)0)->context, "the context fits the key");
_Static_assert(_Alignof(context) <= _Alignof(rijn_key), "and its place in it");

#include "blocks.h"

#include "key.h"

#include "ecb.h"

#include "cbc.h"

#include "ctr.h"

#include "gcm.h"

#include "bypass.h"

#include "polyval.h"

#include "ctr_mac.h"

#include "gcm_siv.h"

#include "feedback.h"

#include "lanes.h"

#include "cfb.h"

#include "xts.h"

#include "ocb.h"

#include "registers.h"

/* A function that the configuration leaves out is NULL in the tables, so no code is made for it. */
#define IF(with, function) ((with) ? (function) : NULL)
#define IF_XTS(function) IF(RIJN_WITH_XTS, function)
#define IF_OCB(function) IF(RIJN_WITH_OCB, function)
#define IF_FEEDBACK(function) IF(RIJN_WITH_FEEDBACK, function)
#define IF_CTR_MAC(function) IF(RIJN_WITH_CCM || RIJN_WITH_EAX, function)
#define IF_PIECES(function) IF(RIJN_WITH_GCM_PIECES, function)

/* A backend that has functions for batches of these modes redefines the macros. */
#define GCM_MANY NULL
#define GCM_SIV_MANY NULL

/* Fills in one more member, which only builds with everything have. */
#if RIJN_WITH_ALL
#define AND_IN_REGISTERS(member, function) , member = IF_REGISTERS(function)
#define AND_SIV_IN_REGISTERS(member, function) , member = IF_SIV_REGISTERS(function)
#else
#define AND_IN_REGISTERS(member, function)
#define AND_SIV_IN_REGISTERS(member, function)
#endif

#ifdef NATIVE_GCM_REGISTERS
#define AND_GCM_IN_REGISTERS \
    AND_IN_REGISTERS(.gcm_seal_in_registers, gcm_seal_in_registers) \
    AND_IN_REGISTERS(.gcm_open_in_registers, gcm_open_in_registers)
#define AND_GCM_REGISTER_SIZE , .gcm_register_size = GCM_REGISTER_SIZE
#else
#define AND_GCM_IN_REGISTERS
#define AND_GCM_REGISTER_SIZE
#endif

#if RIJN_WITH_ALL && defined(NATIVE_SIV_REGISTERS)
#define AND_GCM_FIRST_SIZE , .gcm_first_size = GCM_FIRST_SIZE
#else
#define AND_GCM_FIRST_SIZE
#endif

#define RIJN_CORE(id) \
    .name = rijn_name_##id, .constant_time = RIJN_CONSTANT_TIME_##id, \
    .automatic = RIJN_AUTOMATIC_##id, .index = RIJN_INDEX_##id, \
    .context_size = offsetof(context, rounds) + sizeof(int), .blocks = BATCH_BLOCKS, \
    .stack = STACK, .blocks_stack = BLOCKS_STACK, .piece_stack = PIECE_STACK, \
    .fused_blocks = LONG_BLOCKS, .gcm_stacks = GCM_STACKS, .bypass_stack = BYPASS_STACK, \
    .xts_table = XTS_TABLE, .key_init = IF(RIJN_BUILD_AES, key_init), \
    .encrypt_block = IF(RIJN_BUILD_BLOCK, encrypt_block) AND_GCM_REGISTER_SIZE AND_GCM_FIRST_SIZE

#define RIJN_MODES(id) \
    const rijn_ecb_table rijn_##id##_ecb = { \
        .ecb_encrypt = IF(RIJN_BUILD_ECB, ecb_encrypt), \
        .ecb_decrypt = IF(RIJN_WITH_ECB, ecb_decrypt), \
        .decrypt_block = IF(RIJN_WITH_KEYWRAP, decrypt_block) \
            AND_IN_REGISTERS(.ecb_encrypt_in_registers, ecb_encrypt_in_registers) \
                AND_IN_REGISTERS(.ecb_decrypt_in_registers, ecb_decrypt_in_registers) \
                    AND_IN_REGISTERS(.wrap_in_registers, wrap_in_registers) \
                        AND_IN_REGISTERS(.unwrap_in_registers, unwrap_in_registers), \
    }; \
    const rijn_cbc_table rijn_##id##_cbc = { \
        .cbc_encrypt = IF(RIJN_WITH_CBC, cbc_encrypt), \
        .cbc_decrypt = IF(RIJN_WITH_CBC, cbc_decrypt), \
        .cbc_mac = IF(RIJN_BUILD_CBC_MAC, cbc_mac) \
            AND_IN_REGISTERS(.cmac_in_registers, cmac_in_registers) \
                AND_IN_REGISTERS(.cbc_encrypt_in_registers, cbc_encrypt_in_registers) \
                    AND_IN_REGISTERS(.cbc_decrypt_in_registers, cbc_decrypt_in_registers), \
    }; \
    const rijn_ctr_table rijn_##id##_ctr = { \
        .ctr_crypt = IF(RIJN_BUILD_CTR, ctr_crypt), \
        .ctr_bypass = IF_BYPASS(ctr_bypass) AND_IN_REGISTERS(.ctr_in_registers, ctr_in_registers), \
    }; \
    const rijn_ctr_mac_table rijn_##id##_ctr_mac = { \
        .ctr_mac_in = IF_CTR_MAC(ctr_mac_in), \
        .ctr_mac_out = \
            IF_CTR_MAC(ctr_mac_out) AND_IN_REGISTERS(.ccm_in_registers, ccm_in_registers) \
                AND_IN_REGISTERS(.eax_in_registers, eax_in_registers) \
                    AND_IN_REGISTERS(.s2v_in_registers, s2v_in_registers), \
    }; \
    const rijn_feedback_table rijn_##id##_feedback = { \
        .cfb_encrypt = IF_FEEDBACK(cfb_encrypt), \
        .cfb_decrypt = IF_FEEDBACK(cfb_decrypt), \
        .ofb_crypt = IF_FEEDBACK(ofb_crypt), \
        .ige_encrypt = IF_FEEDBACK(ige_encrypt), \
        .ige_decrypt = IF_FEEDBACK(ige_decrypt), \
    }; \
    const rijn_xts_table rijn_##id##_xts = { \
        .xts_encrypt = IF_XTS(xts_encrypt), \
        .xts_decrypt = IF_XTS(xts_decrypt) AND_IN_REGISTERS(.xts_in_registers, xts_in_registers), \
    }; \
    const rijn_gcm_table rijn_##id##_gcm = { \
        .ghash = IF_PIECES(ghash_blocks), \
        .gcm_crypt = IF_PIECES(gcm_crypt), \
        .gcm_bypass = IF_BYPASS(gcm_bypass), \
        .gcm_seal = IF(RIJN_WITH_GCM, gcm_seal), \
        .gcm_open = IF(RIJN_WITH_GCM, gcm_open), \
        .gcm_tag = \
            IF_PIECES(gcm_tag) AND_GCM_IN_REGISTERS AND_SIV_IN_REGISTERS(.gcm_first_in_registers, \
                                                                         gcm_first_in_registers) \
                AND_SIV_IN_REGISTERS(.gcm_end_in_registers, gcm_end_in_registers), \
    }; \
    const rijn_gcm_siv_table rijn_##id##_gcm_siv = { \
        .gcm_siv_seal = IF(RIJN_WITH_GCM_SIV, gcm_siv_seal), \
        .gcm_siv_open = IF(RIJN_WITH_GCM_SIV, gcm_siv_open) \
            AND_SIV_IN_REGISTERS(.gcm_siv_in_registers, gcm_siv_in_registers), \
    }; \
    const rijn_ocb_table rijn_##id##_ocb = { \
        .ocb_begin = IF_OCB(ocb_begin), \
        .ocb_encrypt = IF_OCB(ocb_encrypt), \
        .ocb_decrypt = IF_OCB(ocb_decrypt), \
        .ocb_hash = IF_OCB(ocb_hash) AND_SIV_IN_REGISTERS(.ocb_in_registers, ocb_in_registers) \
            AND_SIV_IN_REGISTERS(.ocb_first_in_registers, ocb_first_in_registers) \
                AND_SIV_IN_REGISTERS(.ocb_end_in_registers, ocb_end_in_registers), \
    }; \
    const rijn_many_table rijn_##id##_many = { \
        .chains = IF(RIJN_WITH_MANY, chains), \
        .gcm_many = GCM_MANY, \
        .gcm_siv_many = GCM_SIV_MANY, \
    };
