/* The six variants of AEGIS, draft-irtf-cfrg-aegis-aead, written once in variant.h: the
 * contract between that and a kernel (kernel.h).
 *
 * After the operations' own needs a kernel defines AEGIS_OPERATIONS, a file name in
 * quotes, includes this, and says RIJN_AEGIS(its name). That file is included once for
 * each of the six variants, with the constants
 *     BLOCKS    8 (AEGIS-128L, 128X) or 6 (256, 256X): blocks of one state, S0, S1 …
 *     DEGREE    1, 2 or 4: states side by side, lane 0, 1 …
 *   and gives the names AEGIS(x), x with the variant's suffix, to what follows. A
 *   backend whose value is one block includes aegis/lanes.h there; one that holds
 *   the whole state as bit planes from the first block to the tag writes its own.
 *     LANES             a macro: how many states are handled together; divides DEGREE
 *     AEGIS(state)      a type: those states, arranged as the backend likes; copied
 *                       as memory, DEGREE / LANES of them fit rijn_aegis.state
 *     AEGIS(unit)       a type: what LANES states absorb at once, M0 and M1 (BLOCKS 8)
 *                       or M (BLOCKS 6) of each
 *     AEGIS_INLINE      a macro: RIJN_INLINE where a state lives in registers, static
 *                       inline where that would only make the code large
 *     AEGIS_STACK       a macro: as STACK, beside three times the states
 *     AEGIS_PART        a macro: what stands before each part of a message (Init; all
 *                       associated data or text; Finalize): static, or RIJN_INLINE where
 *                       the state is to stay in registers from one to the next
 *   Operations (AEGIS_INLINE, or functions of their own where they are large)
 *     unit AEGIS(load)(const uint8_t *p)
 *     void AEGIS(store)(uint8_t *p, unit u)
 *           block j of lane i stands at p + 16 * (j * DEGREE + i)
 *     unit AEGIS(xor)(unit a, unit b)
 *     void AEGIS(set)(state *s, const uint8_t blocks[BLOCKS][16])
 *           every lane becomes these blocks
 *     void AEGIS(separate)(state *s, int first)
 *           XORs the context separator, the bytes (first + i, DEGREE - 1, 0 …), onto
 *           S3 and onto the last block of lane i; not called where DEGREE is 1
 *     void AEGIS(update)(state *s, unit m)             Update of the draft
 *     void AEGIS(update_late)(state *s, unit m)
 *           the same, of a unit that came out of the keystream of this very state: a
 *           machine with registers does well to let it come in last
 *     unit AEGIS(keystream)(const state *s)            z0 and z1, or z, of Enc
 *     unit AEGIS(closing)(const state *s, uint64_t a, uint64_t b)
 *           the unit t of Finalize: LE64(a) || LE64(b) XOR S2 (BLOCKS 8) or S3 of its
 *           lane, as each of its blocks
 *     void AEGIS(sums)(uint8_t *out, const state *s, int from, int to)
 *           S_from XOR … XOR S_to-1 of lane i to out + 16 * i
 */
#include "../bytes.h"
#include "../wipe.h"
#include "kernel.h"

/* Copies n bytes by whole blocks first: a register that is loaded from two recent
 * stores of half its size waits until both are done. */
static inline void copy_blocks(uint8_t *to, const uint8_t *from, size_t n)
{
    for (; n >= 16; n -= 16, to += 16, from += 16)
        memcpy(to, from, 16);
    if (n)
        memcpy(to, from, n);
}

#define BLOCKS 8
#define DEGREE 1
#define AEGIS(name) name##_128l
#include "variant.h"

#define DEGREE 2
#define AEGIS(name) name##_128x2
#include "variant.h"

#define DEGREE 4
#define AEGIS(name) name##_128x4
#include "variant.h"
#undef BLOCKS

#define BLOCKS 6
#define DEGREE 1
#define AEGIS(name) name##_256
#include "variant.h"

#define DEGREE 2
#define AEGIS(name) name##_256x2
#include "variant.h"

#define DEGREE 4
#define AEGIS(name) name##_256x4
#include "variant.h"
#undef BLOCKS

#define AEGIS_CODE(v) \
    { \
        .key_size = KEY_##v, .rate = RATE_##v, .stack = STACK_##v, .start = start_##v, \
        .absorb = absorb_##v, .encrypt = encrypt_##v, .decrypt = decrypt_##v, .next = next_##v, \
        .tag = tag_##v, .mac = mac_##v, .seal = seal_##v, .open = open_##v \
    }

#define RIJN_AEGIS(kernel) \
    extern const rijn_aegis_code rijn_aegis_code_##kernel[RIJN_AEGIS_VARIANTS]; \
    const rijn_aegis_code rijn_aegis_code_##kernel[RIJN_AEGIS_VARIANTS] = { \
        [RIJN_AEGIS_128L] = AEGIS_CODE(128l),   [RIJN_AEGIS_128X2] = AEGIS_CODE(128x2), \
        [RIJN_AEGIS_128X4] = AEGIS_CODE(128x4), [RIJN_AEGIS_256] = AEGIS_CODE(256), \
        [RIJN_AEGIS_256X2] = AEGIS_CODE(256x2), [RIJN_AEGIS_256X4] = AEGIS_CODE(256x4), \
    }
