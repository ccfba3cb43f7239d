/* Included before each file of c/src that CBMC reads. Replaces the loops over bytes of any number by
 * contracts (contract.c). bytes.c proves the loops themselves. */
#ifndef STUBS_H
#define STUBS_H

#include "bytes.h"
#include "wipe.h"

void contract_wipe(void *memory, size_t size);
void contract_xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t size);

#define wipe contract_wipe
#define xor_bytes contract_xor_bytes

#endif
