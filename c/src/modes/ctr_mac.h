/* CTR with CBC-MAC of its input or output, for CCM (SP 800-38C) and EAX. The chain of the MAC waits
 * for each of its blocks, so each of them is encrypted together with a block of keystream. Block i
 * of the chain goes with block i of the keystream, or with block i + 2 if the MAC is of the output:
 * then the next text of the chain is ready in time. */

#include "counter.h"

RIJN_INLINE block counter_block(counter128 *counter)
{
    const block b = block_pair(swap64(counter->high), swap64(counter->low));
    *counter = counter_next(*counter);
    return b;
}

/* Loads the first 16 of the `size` bytes at p, or all of them and then zeros. */
RIJN_INLINE block text_load(const uint8_t *p, size_t size)
{
    return size < 16 ? block_load_part(p, size) : block_load(p);
}

/* Stores 16 bytes of text, or only the first `size`. Returns text_load(p, size). */
RIJN_INLINE block text_store(uint8_t *p, block text, size_t size)
{
    if (size >= 16) {
        block_store(p, text);
        return text;
    }
    block_store_part(p, text, size);
    return block_load_part(p, size);
}

#ifndef NATIVE_REGISTERS /* else registers_mac.h has them */

/* XORs *text with the next block of keystream, and replaces *chain = block_whiten(c, x) by E(x) XOR
 * `next`. */
RIJN_INLINE void ctr_and_chain(const context *c, counter128 *counter, block *text, block *chain,
                               block next)
{
    block b[2] = {block_whiten(c, counter_block(counter)), *chain};
    const block onto[2] = {*text, next};

    blocks_encrypt_onto(c, b, onto, 2);
    *text = b[0], *chain = b[1];
}

RIJN_OPERATION void ctr_mac_in(const void *c, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                               const uint8_t *in, size_t size)
{
    counter128 at = counter_load(counter);
    block text = text_load(in, size), mac = block_whiten(c, block_xor(block_load(chain), text));

    for (; size > 16; in += 16, out += 16, size -= 16) {
        const block next = text_load(in + 16, size - 16);
        ctr_and_chain(c, &at, &text, &mac, block_whiten(c, next));
        block_store(out, text);
        text = next;
    }
    ctr_and_chain(c, &at, &text, &mac, block_pair(0, 0));
    text_store(out, text, size);
    counter_store(counter, at);
    block_store(chain, mac);
}

RIJN_OPERATION void ctr_mac_out(const void *c, uint8_t counter[16], uint8_t chain[16], uint8_t *out,
                                const uint8_t *in, size_t size)
{
    counter128 at = counter_load(counter);
    block mac = block_load(chain), b[2], onto[2];

    b[0] = block_whiten(c, counter_block(&at));
    counter128 second = at;
    b[1] = block_whiten(c, counter_block(&second));
    onto[0] = text_load(in, size);
    onto[1] = size > 16 ? text_load(in + 16, size - 16) : block_pair(0, 0);
    blocks_encrypt_onto(c, b, onto, 2);
    mac = block_whiten(c, block_xor(mac, text_store(out, b[0], size)));
    if (size > 16) {
        at = second;
        onto[1] = block_whiten(c, text_store(out + 16, b[1], size - 16));
        for (; size > 32; in += 16, out += 16, size -= 16) {
            block text = text_load(in + 32, size - 32);
            ctr_and_chain(c, &at, &text, &mac, onto[1]);
            onto[1] = block_whiten(c, text_store(out + 32, text, size - 32));
        }
    }
    /* The chain lacks the last text and, if there is one, the text before it. */
    for (; size > 16; size = 16, onto[1] = block_pair(0, 0))
        blocks_encrypt_onto(c, &mac, &onto[1], 1);
    blocks_encrypt_onto(c, &mac, &onto[1], 1);
    counter_store(counter, at);
    block_store(chain, mac);
}

#endif
