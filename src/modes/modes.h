/* Every mode, written once over the operations of backend.h: a backend file
 * includes this after it has defined them, and fills its record with
 * RIJN_MODES. Each inclusion makes one private copy, compiled for its backend. */
#include "../bytes.h"
#include "../ct.h"
#include "../double.h"
#include "../sizes.h"

_Static_assert(16 * FLIGHT * VEC_BLOCKS <= sizeof((rijn_ocb *)0)->deltas, "OCB has its offsets");
_Static_assert(sizeof(context) <= sizeof((rijn_key *)0)->context, "the context fits the key");

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

#define RIJN_MODES \
    .context_size = offsetof(context, rounds) + sizeof(int), .blocks = BATCH_BLOCKS, \
    .stack = STACK, .blocks_stack = BLOCKS_STACK, .fused_blocks = LONG_BLOCKS, \
    .gcm_stacks = GCM_STACKS, .xts_table = XTS_TABLE, .key_init = key_init, \
    .encrypt_block = encrypt_block, .decrypt_block = decrypt_block, .ecb_encrypt = ecb_encrypt, \
    .ecb_decrypt = ecb_decrypt, .cbc_encrypt = cbc_encrypt, .cbc_decrypt = cbc_decrypt, \
    .cbc_mac = cbc_mac, .chains = chains, .ctr_mac_in = ctr_mac_in, .ctr_mac_out = ctr_mac_out, \
    .cfb_encrypt = cfb_encrypt, .cfb_decrypt = cfb_decrypt, .ofb_crypt = ofb_crypt, \
    .ige_encrypt = ige_encrypt, .ige_decrypt = ige_decrypt, .xts_encrypt = xts_encrypt, \
    .xts_decrypt = xts_decrypt, .ctr_crypt = ctr_crypt, .ghash = ghash_blocks, \
    .gcm_encrypt = gcm_encrypt, .gcm_decrypt = gcm_decrypt, .gcm_seal = gcm_seal, \
    .gcm_open = gcm_open, .gcm_siv_seal = gcm_siv_seal, .gcm_siv_open = gcm_siv_open, \
    .ocb_begin = ocb_begin, .ocb_encrypt = ocb_encrypt, .ocb_decrypt = ocb_decrypt, \
    .ocb_hash = ocb_hash, RIJN_BYPASS_MODES
