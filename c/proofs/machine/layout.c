/* Prints where the members of the library's function tables are, for machine/tables.py. */
#include <stddef.h>
#include <stdio.h>

#include "aegis/kernel.h"

#define MEMBER(type, member) printf("%s.%s %zu\n", #type, #member, offsetof(type, member));

int main(void)
{
    MEMBER(rijn_backend, name)
    MEMBER(rijn_backend, context_size)
    MEMBER(rijn_backend, blocks)
    MEMBER(rijn_backend, key_init)
    MEMBER(rijn_backend, encrypt_block)
    MEMBER(rijn_ecb_table, ecb_encrypt)
    MEMBER(rijn_ecb_table, ecb_decrypt)
    MEMBER(rijn_cbc_table, cbc_encrypt)
    MEMBER(rijn_cbc_table, cbc_decrypt)
    MEMBER(rijn_ctr_table, ctr_crypt)
    MEMBER(rijn_xts_table, xts_encrypt)
    MEMBER(rijn_xts_table, xts_decrypt)
    MEMBER(rijn_gcm_table, ghash)
    MEMBER(rijn_gcm_table, gcm_seal)
    MEMBER(rijn_gcm_table, gcm_open)
    MEMBER(rijn_gcm_table, gcm_seal_in_registers)
    MEMBER(rijn_gcm_table, gcm_open_in_registers)
    MEMBER(rijn_gcm_siv_table, gcm_siv_seal)
    MEMBER(rijn_gcm_siv_table, gcm_siv_open)
    MEMBER(rijn_aegis_code, call)
    MEMBER(rijn_aegis_call, key)
    MEMBER(rijn_aegis_call, nonce)
    MEMBER(rijn_aegis_call, ad)
    MEMBER(rijn_aegis_call, ad_size)
    MEMBER(rijn_aegis_call, in)
    MEMBER(rijn_aegis_call, out)
    MEMBER(rijn_aegis_call, size)
    MEMBER(rijn_aegis_call, decrypt)
    MEMBER(rijn_aegis_call, closing)
    MEMBER(rijn_aegis_call, tag_size)
    MEMBER(rijn_aegis_call, tags)
    printf("sizeof.rijn_aegis_code %zu\n", sizeof(rijn_aegis_code));
    printf("sizeof.rijn_aegis_call %zu\n", sizeof(rijn_aegis_call));
    printf("RIJN_AEGIS_128L %d\nRIJN_AEGIS_256 %d\n", RIJN_AEGIS_128L, RIJN_AEGIS_256);
    printf("RIJN_OK %d\nRIJN_ERR_TAG %d\n", RIJN_OK, RIJN_ERR_TAG);
    return 0;
}
