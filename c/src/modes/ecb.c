/* ECB, SP 800-38A section 6.1: the public functions. The blocks are in ecb.h. */
#include "../build.h"

#if RIJN_WITH_ECB

#include "../api.h"
#include "../scrub.h"

rijn_status rijn_ecb_encrypt(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(rijn_check_blocks(key, out, in, size));
#if RIJN_WITH_ALL
    const rijn_ecb_table *const table = rijn_ecb_of(key->backend);
    if (table->ecb_encrypt_in_registers)
        return table->ecb_encrypt_in_registers(key->context, out, in, size / 16);
#endif
    rijn_ecb_of(key->backend)->ecb_encrypt(key->context, out, in, size / 16);
    return rijn_scrub(RIJN_OK, rijn_blocks_depth(key, 0));
}

rijn_status rijn_ecb_decrypt(const rijn_key *key, uint8_t *out, const uint8_t *in, size_t size)
{
    TRY(rijn_check_blocks(key, out, in, size));
#if RIJN_WITH_ALL
    const rijn_ecb_table *const table = rijn_ecb_of(key->backend);
    if (table->ecb_decrypt_in_registers)
        return table->ecb_decrypt_in_registers(key->context, out, in, size / 16);
#endif
    rijn_ecb_of(key->backend)->ecb_decrypt(key->context, out, in, size / 16);
    return rijn_scrub(RIJN_OK, rijn_blocks_depth(key, 0));
}

#endif
