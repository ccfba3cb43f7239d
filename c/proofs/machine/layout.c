/* Prints where the members of the library's function tables are, for machine/tables.py. */
#include <stddef.h>
#include <stdio.h>

#include "backend.h"

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
    MEMBER(rijn_gcm_table, ghash)
    MEMBER(rijn_gcm_table, gcm_seal)
    MEMBER(rijn_gcm_table, gcm_open)
    MEMBER(rijn_gcm_table, gcm_seal_in_registers)
    MEMBER(rijn_gcm_table, gcm_open_in_registers)
    printf("sizeof.rijn_key %zu\n", sizeof(rijn_key));
    printf("rijn_key.context %zu\n", offsetof(rijn_key, context));
    printf("sizeof.rijn_counter %zu\n", sizeof(rijn_counter));
    return 0;
}
