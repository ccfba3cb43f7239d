/* The functions that make masks from secrets, as separate functions for tests/ct/masks.py. Their machine
 * code may only branch to count loops. */
#include <string.h>

#include "../../src/modes/cbc.c"
#include "../../src/modes/gcm.c"
#include "../../src/modes/keywrap.c"

#include "double.h"

size_t ct_padding_of(const uint8_t block[16])
{
    return padding_of(block);
}

uint64_t ct_malformed(const uint8_t a[8], const uint8_t *out, size_t padded)
{
    return malformed(a, out, padded);
}

void ct_multiply(element *x, const element *y)
{
    multiply(x, y);
}

void ct_double_be(uint8_t out[16], const uint8_t in[16])
{
    double_be(out, in);
}

void ct_double_le(uint8_t out[16], const uint8_t in[16])
{
    double_le(out, in);
}

/* Planted: padding_of without ct.h. The check must find its branches. */
size_t planted_padding_of(const uint8_t block[16])
{
    const uint32_t pad = block[15];
    uint32_t bad = pad > 16 || pad == 0;

    for (uint32_t i = 0; i < 16; i++)
        if (i < pad)
            bad |= block[15 - i] ^ pad;
    return bad ? 0 : pad;
}
